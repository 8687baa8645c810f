"""The switches of a large system for the driver: what its kernels call, as Python where there is no machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.codegen.target import address
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

_OF_FOUR, _OF_SIX = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (4, 6))
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
        self._pieces, self._program, self._events = pieces, program, events
        self._n, self._parameters = len(program.system.coordinates), len(program.system.parameters)
        self._judged: dict[int, np.ndarray] = {}
        self._near: dict[int, list[int]] = {}
        self._held = [pieces.held.get(switch.mode) for switch in pieces.switches]
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
        self._places = {p: k for k, p in enumerate(program.system.parameters)}
        felt = symbols([switch.g for switch in pieces.switches])
        self._felt = ints(sorted(self._places[leaf] for leaf in felt if leaf in self._places))
        self.w: Switches = switch_table(pieces, ahead, self)
        self.w.guard, self.w.guards = self._guard, np.zeros(len(events))  # pyright: ignore[reportAttributeAccessIssue]
        self.w.pivots, self.w.large = np.zeros(native.pivots + 1), True
        self.w.hold = callbacks.function(_OF_FOUR, self._hold)
        self.callbacks = callbacks

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
        felt = np.concatenate([inputs[: 1 + 2 * self._n], inputs[1 + 2 * self._n + self._felt], [w.asked]])
        if g in self._judged and np.array_equal(felt, self._judged[g]):
            return  # nobody else writes there
        watching = cast("RolledNative", self._program.native).watching
        assert watching is not None
        found, known = watching(inputs[None])[0], watching.places
        own, rounding = view(g, count), view(sizes, count)
        rows = view(slopes, count * (1 + 2 * self._n)).reshape(count, -1)
        own[:] = [found[known[switch.g]] if switch.g in known else np.nan for switch in self._pieces.switches]
        off = np.where(w.kind == SIDE, own, own - np.round(own))
        rounding[:], rows[self._near.get(g, [])] = 0.0, 0.0
        near = np.abs(off) <= NEAR_ENOUGH * max(1.0, np.abs(state).max())
        near[w.asked] = True
        near &= ~np.isnan(own)
        self._near[g] = np.flatnonzero(near).tolist()
        if g == address(w.g):
            w.near[:] = near
            w.pushes[:] = [one is not None and self._constant(one.c, found) < 0 for one in self._held]
        sizes_of, functions = self._pieces.sizes(inputs), self._pieces.one_by_one
        for k in self._near[g]:
            rounding[k], rows[k] = functions.size(k, inputs, sizes_of), functions.slopes(k, inputs)
        self._judged[g] = felt

    def _constant(self, c: Expression, found: np.ndarray) -> float:
        """What a switch that may hold the motion does on its upper side, more than on its lower one."""
        watching = cast("RolledNative", self._program.native).watching
        assert watching is not None
        return float(found[watching.places[c]]) if c.value is None else c.value

    def _hold(self, clock: int, y: int, values: int, beta: int) -> None:
        """What acts of the upper sides of switches that may hold the motion."""
        t, state = self._state(clock, y)
        inputs, known = np.concatenate([[t], state, view(values, self._parameters)]), view(values, self._parameters)
        watching = cast("RolledNative", self._program.native).watching
        assert watching is not None
        found, own = watching(inputs[None])[0], view(beta, len(self._held))
        for k, one in enumerate(self._held):
            if one is not None and known[self.w.flag[k]] != 0.0:
                own[k] = found[watching.places[one.leaving[0]]] - known[self.w.margin[k]]

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

    def _state(self, clock: int, y: int) -> tuple[float, np.ndarray]:
        """A time, and a state in memory of its own."""
        return float(view(clock, 1)[0]), view(y, 2 * self._n).copy()
