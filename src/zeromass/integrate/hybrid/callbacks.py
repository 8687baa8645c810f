"""Python functions that the kernels of a motion call, where no machine code is at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Callbacks:
    """Functions for machine code. An error in one of them is raised when the machine code has returned."""

    def __init__(self) -> None:
        self._failed: list[BaseException] = []

    def function(self, kind: Any, f: Callable[..., Any], otherwise: Any = None) -> Any:
        """A function of a type of ctypes; what it returns after an error."""

        def called(*given: Any) -> Any:
            if self._failed:
                return otherwise
            try:
                return f(*given)
            except BaseException as error:
                self._failed.append(error)
                return otherwise

        return kind(called)

    def returned(self) -> None:
        """Raises the error that a function had."""
        if self._failed:
            raise self._failed.pop()
