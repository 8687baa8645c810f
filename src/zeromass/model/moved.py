"""A motion that is over, as a system looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from zeromass.expression import Symbol


class States(Protocol):
    """States (q, q̇) at some times, shape (k, 2n)."""

    @property
    def y(self) -> np.ndarray: ...


class Moved(Protocol):
    """A finished motion of a system: the ends of its steps t, (k,), the states there, and those at any times."""

    @property
    def t(self) -> np.ndarray: ...

    @property
    def y(self) -> np.ndarray: ...

    @property
    def parameters(self) -> Mapping[Symbol, float]: ...

    def at(self, times: np.ndarray) -> States: ...
