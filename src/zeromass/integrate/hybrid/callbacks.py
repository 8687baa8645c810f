"""Python functions that the kernels of a motion call, where no machine code is at hand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np


class Callbacks:
    """Functions for machine code. An error in one of them is raised when the machine code has returned, by `check`.

    failed  1 from an error on, (1,): what machine code may look at
    """

    def __init__(self) -> None:
        self._errors: list[BaseException] = []
        self.failed: np.ndarray = np.zeros(1, dtype=np.int64)

    def function(self, kind: Any, f: Callable[..., Any], otherwise: Any = None) -> Any:
        """A function of a type of ctypes; what it returns after an error."""

        def called(*given: Any) -> Any:
            if self._errors:
                return otherwise
            try:
                return f(*given)
            except BaseException as error:
                self._errors.append(error)
                self.failed[0] = 1
                return otherwise

        return kind(called)

    def check(self) -> None:
        """Raises the error that a function had."""
        if self._errors:
            self.failed[0] = 0
            raise self._errors.pop()


def view(place: int, count: int) -> np.ndarray:
    """Numbers in memory."""
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(place))
