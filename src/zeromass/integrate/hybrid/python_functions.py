"""Functions of switches for kernels, evaluated by Python: what is rare, or is asked for before anything is compiled."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.integrate.hybrid.callbacks import Callbacks, view
from zeromass.integrate.hybrid.guard_cache import GuardCache
from zeromass.integrate.hybrid.switches import Switches
from zeromass.kernel.structs import c_type, fields
from zeromass.model import State


class PythonFunctions:
    """Functions of time, state and parameters at states on the pieces of a system.

    guards     what finds their values
    callbacks  which machine code calls
    """

    def __init__(self, guards: GuardCache, callbacks: Callbacks) -> None:
        self.guards, self.callbacks, pieces = guards, callbacks, guards.pieces
        self._system, self._given = pieces.system, len(pieces.given.parameters)
        self._n, self._count, self._all = (
            len(pieces.system.coordinates),
            len(pieces.switches),
            len(pieces.system.parameters),
        )
        self.failed: np.ndarray = callbacks.failed
        self.start: State | None = None
        """The state, of the system as it was given, at which modes are selected: what is computed there is remembered."""
        self.rhs: Any = self._function("rhs", self._rhs)
        self.judge: Any = self._function("judge", self._judge)
        self.across: Any = self._function("across", self._across)
        self.derivative: Any = self._function("derivative", self._derivative)

    def _function(self, name: str, evaluate: Callable[..., None]) -> Any:
        """A function for machine code."""
        kind: Any = fields(Switches)[name][0]
        return self.callbacks.function(ctypes.CFUNCTYPE(None, *map(c_type, kind.args)), evaluate)

    def _state(self, clock: int, y: int, values: int) -> State:
        t, y_now, known = float(view(clock, 1)[0]), view(y, 2 * self._n), view(values, self._all)
        q, v = y_now[: self._n], y_now[self._n :]
        hidden = dict(zip(self._system.parameters[self._given :], known[self._given :].tolist(), strict=True))
        start = self.start
        if start is not None and start.t == t and np.array_equal(start.q, q) and np.array_equal(start.v, v):
            return self.guards.state(start, hidden)
        own = dict(zip(self._system.parameters, known.tolist(), strict=True))
        return State(self._system, t, q.copy(), v.copy(), own)

    def _rhs(self, clock: int, y: int, values: int, slope: int, growth: int, pivots: int) -> None:
        here, found = self._state(clock, y, values), view(slope, 2 * self._n)
        found[: self._n], found[self._n :] = here.v, self.guards.acceleration(here)

    def _judge(self, clock: int, y: int, values: int, g: int, sizes: int, slopes: int) -> None:
        here = self._state(clock, y, values)
        view(g, self._count)[:], view(sizes, self._count)[:] = self.guards.switching(here)
        view(slopes, self._count * (1 + 2 * self._n))[:] = self.guards.slopes(here).ravel()

    def _across(self, clock: int, y: int, values: int, found: int) -> None:
        view(found, self._count)[:] = self.guards.pieces.across(self._state(clock, y, values).inputs)

    def _derivative(self, clock: int, y: int, values: int, k: int, order: int, slopes: int) -> None:
        found = self.guards.higher_slopes(self._state(clock, y, values), k, order)
        view(slopes, 1 + 2 * self._n)[:] = found
