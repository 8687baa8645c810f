"""What is wrong with a scenario, and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from zeromass.errors import ZeromassError

MISSING = "this key is missing"


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
    unknown: str
    """The name that is not declared, where that is what is wrong."""

    def __init__(self, message: str, position: int, source: str = "", unknown: str = "") -> None:
        self.message, self.position, self.source, self.unknown = message, position, source, unknown
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

    `others` are what else is wrong with it, and `errors` all together; the words of an error have a line for each.

    >>> from zeromass.scenario import ScenarioError, parse_scenario
    >>> try:
    ...     parse_scenario("run.untl = 3\\nrun.rtol = true", name="x.toml")
    ... except ScenarioError as error:
    ...     print(error)
    x.toml:1: run.untl: there is no such key; did you mean 'until'?
    x.toml:2: run.rtol: this is a number, or a formula in quotes
    """

    message: str
    file: str
    line: int | None
    key: str
    column: int | None
    others: tuple[ScenarioError, ...]

    def __init__(
        self, message: str, *, file: str = "", line: int | None = None, key: str = "", column: int | None = None
    ) -> None:
        self.message, self.file, self.line, self.key, self.column = message, file, line, key, column
        self.others = ()
        super().__init__(message)

    @property
    def errors(self) -> tuple[ScenarioError, ...]:
        """This one and the others."""
        return (self, *self.others)

    @property
    def place(self) -> str:
        """File, line and key, as far as they are known."""
        line = "" if self.line is None else f":{self.line}"
        return ": ".join(part for part in (f"{self.file or 'scenario'}{line}", self.key) if part)

    def __str__(self) -> str:
        return "\n".join(f"{error.place}: {error.message}" for error in self.errors)


def _order(error: ScenarioError) -> tuple[Any, ...]:
    """By line; on one line, what is there and wrong comes before what is not there."""
    return error.line is None, error.line or 0, error.message == MISSING, error.key


def together(errors: Iterable[ScenarioError]) -> ScenarioError:
    """Several errors as one, by their lines; what was told twice is told once."""
    every = [one for error in errors for one in error.errors]
    unlike = {(one.line, one.key, one.message): one for one in reversed(every)}
    first, *others = sorted(unlike.values(), key=_order)
    for one in unlike.values():
        one.others = ()
    first.others = tuple(others)
    return first
