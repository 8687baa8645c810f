"""The errors of the package have one base."""

from __future__ import annotations

import sys
from typing import Any


class ZeromassError(Exception):
    """Something that zeromass can not do, in the user's names, and what to do about it.

    The errors of all packages derive from it, beside the built-in error that tells their kind:

    >>> try:
    ...     bool(zm.coordinate("x") > 0)
    ... except zm.ZeromassError as error:
    ...     isinstance(error, TypeError)
    True
    """

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
