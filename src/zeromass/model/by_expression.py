"""Objects whose values are had by a formula or a name: they are neither sequences nor arrays."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from zeromass.errors import ZeromassError


class SequenceError(ZeromassError, TypeError):
    """An object whose values are had by formulas or names was taken for a sequence or an array.

    >>> x = zm.coordinate("x")
    >>> list(zm.System(kinetic=zm.rate(x) ** 2 / 2).start({x: 1.0}))
    Traceback (most recent call last):
    zeromass.model.by_expression.SequenceError: a State is no sequence and no array: state[x] is the value of an expression x
    """


class ByExpression:
    """An object with `object[what]`, which Python and NumPy would read as a sequence without end: object[0], object[1], …

    `_how` says how its values are had.
    """

    _how: ClassVar[str] = ""

    def __iter__(self) -> NoReturn:
        raise SequenceError(f"a {type(self).__name__} is no sequence and no array: {self._how}")

    def __contains__(self, what: object) -> NoReturn:
        self.__iter__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self.__iter__()
