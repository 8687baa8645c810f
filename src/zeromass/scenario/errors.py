"""What is wrong with a scenario, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from zeromass.errors import ZeromassError


class FormulaError(ZeromassError, ValueError):
    """A formula can not be read; `position` counts characters from its beginning, from 0.

    >>> from zeromass.scenario import formula
    >>> formula("2*sn(1)", {})
    Traceback (most recent call last):
    zeromass.scenario.errors.FormulaError: there is no function 'sn'; did you mean 'sin'? (column 3 of the formula)
    """

    message: str
    position: int
    source: str

    def __init__(self, message: str, position: int, source: str = "") -> None:
        self.message, self.position, self.source = message, position, source
        super().__init__(message)

    @property
    def line(self) -> int:
        """Line of the formula, from 1."""
        return self.source.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int:
        """Column in that line, from 1."""
        return self.position - (self.source.rfind("\n", 0, self.position) + 1) + 1

    @property
    def place(self) -> str:
        """Line, where there are several, and column in words."""
        return f"column {self.column}" if self.line == 1 else f"line {self.line}, column {self.column}"

    def __str__(self) -> str:
        return f"{self.message} ({self.place} of the formula)"


class ScenarioError(ZeromassError, ValueError):
    """A scenario is not valid; the message has file, line and key where they are known.

    >>> from zeromass.scenario import ScenarioError, parse_scenario
    >>> try:
    ...     parse_scenario("run.untl = 3", name="x.toml")
    ... except ScenarioError as error:
    ...     print(error)
    x.toml:1: run.untl: there is no such key; did you mean 'until'? (there are more errors, in run.until)
    """

    message: str
    file: str
    line: int | None
    key: str
    column: int | None

    def __init__(
        self, message: str, *, file: str = "", line: int | None = None, key: str = "", column: int | None = None
    ) -> None:
        self.message, self.file, self.line, self.key, self.column = message, file, line, key, column
        super().__init__(message)

    def __str__(self) -> str:
        place = self.file or "scenario"
        if self.line is not None:
            place += f":{self.line}"
        return ": ".join(part for part in (place, self.key, self.message) if part)


def nearest(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' where a known word is close, otherwise nothing."""
    word, words = word[:60], list(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if not close:
        close = [other for other in words if other.lower() == word.lower()][:1]
    return f"; did you mean '{close[0]}'?" if close else ""


def listed(words: Iterable[str], most: int = 24) -> str:
    """Words joined by commas, cut where there are too many to read."""
    words = list(words)
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
