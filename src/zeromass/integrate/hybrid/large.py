"""The switches of a large system for the driver: what its kernels call, as Python where there is no machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import symbols
from zeromass.integrate.hybrid.callbacks import Callbacks, view
from zeromass.integrate.hybrid.switches import SIDE, Switches
from zeromass.integrate.hybrid.tables import ints, switch_table
from zeromass.integrate.hybrid.tolerances import NEAR_ENOUGH
from zeromass.integrate.stepping.functions import Slope
from zeromass.integrate.stepping.workspace import EventValues
from zeromass.model import Event
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative

_OF_FOUR, _OF_FIVE, _OF_SIX = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (4, 5, 6))
_DERIVATIVE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


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
        self._judged: dict[int, np.ndarray] = {}
        self._watching = cast("RolledNative", native).watching
        assert self._watching is not None
        held, places = [pieces.held.get(switch.mode) for switch in pieces.switches], self._watching.places
        strengths = [None if one is None else one.c.value for one in held]
        self._g = ints(places.get(switch.g, -1) for switch in pieces.switches)
        self._above = ints(-1 if one is None else places[one.leaving[0]] for one in held)
        self._c = ints(-1 if one is None else places.get(one.c, -1) for one in held)
        self._strengths = np.array([np.nan if c is None else c for c in strengths])
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

    def _functions(self, clock: int, y: int, values: int, g: int, sizes: int, _: int) -> None:
        """The switching functions, and of those that may be zero or are asked for their rounding."""
        t, state = self._state(clock, y)
        inputs, w, count = np.concatenate([[t], state, view(values, self._parameters)]), self.w, len(self.w.kind)
        felt = np.concatenate([inputs[: 1 + 2 * self._n], inputs[1 + 2 * self._n + self._felt], [w.asked]])
        if g in self._judged and np.array_equal(felt, self._judged[g]):
            return  # nobody else writes there
        own, rounding = view(g, count), view(sizes, count)
        own[:] = self._values(inputs)[self._g]
        off = np.where(w.kind == SIDE, own, own - np.round(own))
        rounding[:] = 0.0
        near = np.abs(off) <= NEAR_ENOUGH * max(1.0, np.abs(state).max())
        near[w.asked] = True
        sizes_of, functions = self._pieces.sizes(inputs), self._pieces.one_by_one
        for k in np.flatnonzero(near & ~np.isnan(own)).tolist():
            rounding[k] = functions.size(k, inputs, sizes_of)
        self._judged[g] = felt

    def _derivative(self, clock: int, y: int, values: int, k: int, order: int, slopes: int) -> None:
        """Slopes of g, and of ġ of a function of the place; there are no formulas of how accelerations change."""
        found = view(slopes, 1 + 2 * self._n)
        found[:] = 0.0
        if order == 1 or (order == 2 and not self._pieces.of_rates[k]):
            t, state = self._state(clock, y)
            inputs = np.concatenate([[t], state, view(values, self._parameters)])
            found[:] = self._pieces.one_by_one.slopes(k, inputs, order)

    def _energies(self, clock: int, y: int, values: int, found: int) -> None:
        """Energies, the one first that must not jump, and the forces that a potential has."""
        t, state = self._state(clock, y)
        names, energies = self._pieces.energies
        first = "potential" if "potential" in names else "energy"
        order = sorted(range(len(names)), key=lambda k: names[k] != first)
        inputs = np.concatenate([[t], state, view(values, self._parameters)])
        view(found, len(names) + self._n)[:] = [*energies(inputs)[order], *self._pieces.stored_forces(inputs)]

    def _acting(self, clock: int, y: int, values: int, betas: int, c: int) -> None:
        """β of switches that hold the motion, and c of those that may."""
        (t, state), known = self._state(clock, y), view(values, self._parameters)
        found, which = self._values(np.concatenate([[t], state, known])), self._above >= 0
        beta, strength = (view(place, len(self.w.kind)) for place in (betas, c))
        beta[which] = (found[self._above] - known[self.w.margin])[which]
        strength[which] = np.where(np.isnan(self._strengths), found[self._c], self._strengths)[which]

    def _values(self, inputs: np.ndarray) -> np.ndarray:
        """The switching functions and what holds the motion, by their places; the last is none of them."""
        assert self._watching is not None
        return np.append(self._watching(inputs[None])[0], np.nan)

    def _state(self, clock: int, y: int) -> tuple[float, np.ndarray]:
        """A time, and a state in memory of its own."""
        return float(view(clock, 1)[0]), view(y, 2 * self._n).copy()
