"""The errors of the package have one base."""

from __future__ import annotations


class ZeromassError(Exception):
    """Something that zeromass can not do, in the user's names, and what to do about it.

    The errors of all packages derive from it, beside the built-in error that tells their kind:

    >>> try:
    ...     bool(zm.coordinate("x") > 0)
    ... except zm.ZeromassError as error:
    ...     isinstance(error, TypeError)
    True
    """
