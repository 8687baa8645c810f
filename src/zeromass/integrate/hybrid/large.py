"""The switches of a large system for the driver: what its kernels call, as Python where there is no machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression, symbols
from zeromass.integrate.hybrid.callbacks import Callbacks, view
from zeromass.integrate.hybrid.switches import SIDE, Switches
from zeromass.integrate.hybrid.tables import ints, switch_table
from zeromass.integrate.stepping.functions import Slope
from zeromass.integrate.stepping.workspace import EventValues
from zeromass.model import Event
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative

_OF_FOUR, _OF_FIVE, _OF_SIX = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (4, 5, 6))
_DERIVATIVE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

NEAR_ENOUGH = 1e-6
"""Part of the largest coordinate or rate, or of 1, above which a switching function is not zero."""


class LargeSwitches:
    """Functions of the switches of a large system, for motions of a program by a method that takes states in lanes."""

    def __init__(
        self,
        pieces: SystemPieces,
        program: Program,
        events: Sequence[Event],
        ahead: float,
        lanes: int,
        callbacks: Callbacks,
    ) -> None:
        native = program.native
        self._pieces, self._program, self._events, self.callbacks = pieces, program, events, callbacks
        self._n, self._parameters = len(program.system.coordinates), len(program.system.parameters)
        self._judged: np.ndarray | None = None
        self._near: dict[int, list[int]] = {}
        rhs, guard = native.rhs(lanes), native.events(events, lanes)
        if lanes == 1:
            self.rhs, self._guard = rhs.address("rhs"), 0 if guard is None else guard.address("event")
        else:
            self._slope = Slope(native, 2 * self._n, self._parameters, lanes)
            self._watched = EventValues(2 * self._n, np.zeros(self._parameters), lanes, len(events))
            self.rhs = callbacks.function(_OF_SIX, self._accelerate)
            self._guard = callbacks.function(_OF_FOUR, self._watch)
        self.judge = callbacks.function(_OF_SIX, self._functions)
        self.across, self.derivative = 0, callbacks.function(_DERIVATIVE, self._derivative)
        self.failed = callbacks.failed
        self.energy = callbacks.function(_OF_FOUR, self._energies)
        acting = callbacks.function(_OF_FIVE, self._acting)
        self._places = {p: k for k, p in enumerate(program.system.parameters)}
        felt = symbols([switch.g for switch in pieces.switches])
        self._felt = ints(sorted(self._places[leaf] for leaf in felt if leaf in self._places))
        self.w: Switches = switch_table(pieces, ahead, self)
        self.w.acting, self.w.guard, self.w.guards = acting, self._guard, np.zeros(len(events))  # pyright: ignore[reportAttributeAccessIssue]
        self.w.pivots = np.zeros(native.pivots + 1)

    def _accelerate(self, clock: int, y: int, values: int, slope: int, growth: int, _: int) -> None:
        """dy/dt and the growth of the pivots."""
        self._slope.parameters[:] = view(values, self._parameters)[:, None]
        view(slope, 2 * self._n)[:], view(growth, 1)[0] = self._slope(*self._state(clock, y))

    def _watch(self, clock: int, y: int, values: int, found: int) -> None:
        """The watched functions."""
        code = self._program.native.events(self._events, self._watched.lanes)
        if code is not None:
            self._watched.parameters[:] = view(values, self._parameters)[:, None]
            view(found, len(self._events))[:] = self._watched(code, *self._state(clock, y))

    def _functions(self, clock: int, y: int, values: int, g: int, sizes: int, slopes: int) -> None:
        """The switching functions, and of those that may be zero or are asked for their rounding and their slopes."""
        t, state = self._state(clock, y)
        inputs, w, count = np.concatenate([[t], state, view(values, self._parameters)]), self.w, len(self.w.kind)
        felt = np.concatenate([inputs[: 1 + 2 * self._n], inputs[1 + 2 * self._n + self._felt], [w.asked, g]])
        if self._judged is not None and np.array_equal(felt, self._judged):
            return  # nobody else writes there
        found, known = self._watching(inputs)
        own, rounding = view(g, count), view(sizes, count)
        rows = view(slopes, count * (1 + 2 * self._n)).reshape(count, -1)
        own[:] = [found[known[switch.g]] if switch.g in known else np.nan for switch in self._pieces.switches]
        off = np.where(w.kind == SIDE, own, own - np.round(own))
        rounding[:], rows[self._near.get(g, [])] = 0.0, 0.0
        near = np.abs(off) <= NEAR_ENOUGH * max(1.0, np.abs(state).max())
        near[w.asked] = True
        self._near[g] = np.flatnonzero(near & ~np.isnan(own)).tolist()
        sizes_of, functions = self._pieces.sizes(inputs), self._pieces.one_by_one
        for k in self._near[g]:
            rounding[k], rows[k] = functions.size(k, inputs, sizes_of), functions.slopes(k, inputs)
        self._judged = felt

    def _derivative(self, clock: int, y: int, values: int, k: int, order: int, slopes: int) -> None:
        """Slopes of ġ, of a function of the place; there are no formulas of how accelerations change."""
        found = view(slopes, 1 + 2 * self._n)
        found[:] = 0.0
        if order == 2 and not self._pieces.of_rates[k]:
            t, state = self._state(clock, y)
            inputs = np.concatenate([[t], state, view(values, self._parameters)])
            found[:] = self._pieces.one_by_one.slopes(k, inputs, order)

    def _energies(self, clock: int, y: int, values: int, found: int) -> None:
        """Energies, the one first that must not jump."""
        t, state = self._state(clock, y)
        names, energies = self._pieces.energies
        first = "potential" if "potential" in names else "energy"
        order = sorted(range(len(names)), key=lambda k: names[k] != first)
        inputs = np.concatenate([[t], state, view(values, self._parameters)])
        view(found, len(names))[:] = energies(inputs)[order]

    def _acting(self, clock: int, y: int, values: int, betas: int, c: int) -> None:
        """β of switches that hold the motion, and c of those that may."""
        t, state = self._state(clock, y)
        found, places = self._watching(np.concatenate([[t], state, view(values, self._parameters)]))
        beta, strength = (view(place, len(self.w.kind)) for place in (betas, c))
        for k, switch in enumerate(self._pieces.switches):
            held = self._pieces.held.get(switch.mode)
            if held is not None:
                margin = view(values, self._parameters)[self._places[switch.margin]]
                beta[k] = found[places[held.leaving[0]]] - margin
                strength[k] = found[places[held.c]] if held.c.value is None else held.c.value

    def _watching(self, inputs: np.ndarray) -> tuple[np.ndarray, dict[Expression, int]]:
        """The switching functions and what holds the motion, and their places."""
        watching = cast("RolledNative", self._program.native).watching
        assert watching is not None
        return watching(inputs[None])[0], watching.places

    def _state(self, clock: int, y: int) -> tuple[float, np.ndarray]:
        """A time, and a state in memory of its own."""
        return float(view(clock, 1)[0]), view(y, 2 * self._n).copy()
