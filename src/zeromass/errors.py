"""The errors of the package have one base; and what no name may have."""

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


def unwritable(text: str) -> bool:
    """Whether no file can have a text: it has a character NUL, or half of a character (a lone surrogate).

    >>> from zeromass.errors import unwritable
    >>> unwritable("bob"), unwritable("b" + chr(0)), unwritable("b" + chr(0xD800))
    (False, True, True)
    """
    return "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
