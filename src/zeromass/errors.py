"""The errors of the package have one base."""

from __future__ import annotations

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
