"""Objects whose values are had by a formula or a name: they are neither sequences nor arrays."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from zeromass.errors import SequenceError


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
