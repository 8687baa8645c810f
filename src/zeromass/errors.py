"""The errors of the package have one base; and what no name may have."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

LONGEST = 1800
"""Letters of a message."""

SHOWN = 80
"""Letters of what was given that a message repeats."""


class ZeromassError(Exception):
    """Something that zeromass can not do, in the user's names, and what to do about it.

    The errors of all packages derive from it, beside the built-in error that tells their kind:

    >>> try:
    ...     bool(zm.coordinate("x") > 0)
    ... except zm.ZeromassError as error:
    ...     isinstance(error, TypeError)
    True
    """

    def __str__(self) -> str:
        """Its words, up to `LONGEST` letters: names and formulas in them may have any length."""
        words = super().__str__()
        return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"

    def __reduce__(self) -> tuple[Any, ...]:
        """Its words and all that it knows: it is told the same in another process, whatever it is made from."""
        return _made, (type(self), self.args), self.__dict__


def _made(kind: type[ZeromassError], words: tuple[Any, ...]) -> ZeromassError:
    error = kind.__new__(kind, *words)
    error.args = words
    return error


def user_stack_level() -> int:
    """`stacklevel` of a warning that shall point to the code outside this package that led to it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "zeromass", "functools", "dataclasses",
    ):  # fmt: skip
        level, frame = level + 1, frame.f_back
    return level


def shown(value: Any) -> str:
    """What was given, in one short line of a message, whatever it is; one that can not say what it is, by its type.

    >>> from zeromass.errors import shown
    >>> shown([1.0, "a"])
    "[1.0, 'a']"
    """
    try:
        words = repr(value)
    except Exception:
        words = f"<{type(value).__name__}>"
    words = " ".join(words[: 4 * SHOWN].split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def listed(names: Iterable[str], most: int = 24) -> str:
    """Names as a message shows them: the first ones, none of them endless, and how many more there are.

    >>> from zeromass.errors import listed
    >>> listed("abc"), listed("abc", most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    names = [name if len(name) <= SHOWN else f"{name[:SHOWN]}…" for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def quoted(value: Any) -> str:
    """The same between quotes, where a name or a formula is expected.

    >>> from zeromass.errors import quoted
    >>> quoted("roof"), quoted(3)
    ("'roof'", "'3'")
    """
    words = shown(value)
    return words if isinstance(value, str) else f"'{words}'"


def unwritable(text: str) -> bool:
    """Whether no file can have a text: it has a character NUL, or half of a character (a lone surrogate).

    >>> from zeromass.errors import unwritable
    >>> unwritable("bob"), unwritable("b" + chr(0)), unwritable("b" + chr(0xD800))
    (False, True, True)
    """
    return "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
