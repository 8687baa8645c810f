"""The switches of a large system for the driver: what its kernels call, as Python where there is no machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import symbols
from zeromass.integrate.deciding import Deciding, Decision
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.driven import piece_of
from zeromass.integrate.hybrid.memory import SWITCH, Motion
from zeromass.integrate.hybrid.switches import SIDE, Switches
from zeromass.integrate.hybrid.tables import KINDS, ints
from zeromass.integrate.standing import NEAR_ENOUGH
from zeromass.integrate.stepping.functions import Slope
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.workspace import EventValues
from zeromass.model import Event, State
from zeromass.model.pieces import SystemPieces, Undecided

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative

_OF_FOUR, _OF_SIX = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (4, 6))
_SLACK = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 3, ctypes.c_int64)
_SELECT = ctypes.CFUNCTYPE(ctypes.c_bool, *[ctypes.c_void_p] * 3)


class LargeSwitches:
    """Functions of the switches of a large system, for motions of a program by a method that takes states in lanes.

    start  of the motion that is driven, of the system as it was given
    """

    start: State

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
        self._selector = Deciding(pieces, ahead, lanes)
        self._selector.standing.take(program)
        self._judged: np.ndarray | None = None
        rhs, guard = native.rhs(lanes), native.events(events, lanes)
        if lanes == 1:
            self._rhs, self._guard = rhs.address("rhs"), 0 if guard is None else guard.address("event")
        else:
            self._slope = Slope(native, 2 * self._n, self._parameters, lanes)
            self._watched = EventValues(2 * self._n, np.zeros(self._parameters), lanes, len(events))
            self._rhs = callbacks.function(_OF_SIX, self._accelerate)
            self._guard = callbacks.function(_OF_FOUR, self._watch)
        self._judge = callbacks.function(_OF_SIX, self._functions)
        self.energy = callbacks.function(_OF_FOUR, self._energies)
        self._select = callbacks.function(_SELECT, self._selected, False)
        self._slack = callbacks.function(_SLACK, self._allowed, 0.0)

    def table(self) -> Switches:
        """The switches in memory."""
        pieces, system = self._pieces, self._program.system
        switches, count, order = pieces.switches, len(pieces.switches), 2 * self._n
        places = {p: k for k, p in enumerate(system.parameters)}
        held = [pieces.held.get(switch.mode) for switch in switches]
        self._felt = ints({places[leaf] for leaf in symbols([s.g for s in switches]) if leaf in places})
        self.w = Switches(
            kind=ints([KINDS[switch.kind] for switch in switches]),
            timed=ints([k in pieces.of_time for k in range(count)]),
            rates=ints(pieces.of_rates),
            mode=ints([places[switch.mode] for switch in switches]),
            margin=ints([places[switch.margin] for switch in switches]),
            flag=ints([-1 if one is None else places[one.flag] for one in held]),
            ahead=self._selector.ahead,
            rhs=self._rhs,
            judge=self._judge,
            guard=self._guard,
            clock=np.zeros(1),
            reached=np.zeros(count, dtype=np.int64),
            g=np.zeros(count),
            sizes=np.zeros(count),
            slopes=np.zeros((1, 1)),  # thousands of functions of thousands of coordinates: few are asked for
            slope=np.zeros(order),
            growth=np.zeros(1),
            pivots=np.zeros(self._program.native.pivots + 1),
            guards=np.zeros(len(self._events)),
        )
        return self.w

    def bind(self, m: Motion) -> None:
        """Takes part in a motion."""
        self._motion = m
        m.large, m.select, m.slack = True, self._select, self._slack

    def _accelerate(self, clock: int, y: int, values: int, slope: int, growth: int, _: int) -> None:
        """dy/dt and the growth of the pivots."""
        self._slope.parameters[:] = _view(values, self._parameters)[:, None]
        _view(slope, 2 * self._n)[:], _view(growth, 1)[0] = self._slope(*self._state(clock, y))

    def _watch(self, clock: int, y: int, values: int, found: int) -> None:
        """The watched functions."""
        code = self._program.native.events(self._events, self._watched.lanes)
        if code is not None:
            self._watched.parameters[:] = _view(values, self._parameters)[:, None]
            _view(found, len(self._events))[:] = self._watched(code, *self._state(clock, y))

    def _functions(self, clock: int, y: int, values: int, *_: int) -> None:
        """The switching functions, and of those that may be zero what rounding makes of them."""
        inputs, w, n = self._inputs(clock, y, values), self.w, self._n
        felt = np.concatenate([inputs[: 1 + 2 * n], inputs[1 + 2 * n + self._felt]])
        if self._judged is not None and np.array_equal(felt, self._judged):
            return  # nobody else writes there
        watching = cast("RolledNative", self._program.native).watching
        assert watching is not None
        found, known = watching(inputs[None])[0], watching.places
        w.g[:] = [found[known[switch.g]] if switch.g in known else np.nan for switch in self._pieces.switches]
        off, largest = np.where(w.kind == SIDE, w.g, w.g - np.round(w.g)), np.abs(inputs[1 : 1 + 2 * n]).max()
        sizes, functions = self._pieces.sizes(inputs), self._pieces.one_by_one
        w.sizes[:] = 0.0
        for k in np.flatnonzero(np.abs(off) <= NEAR_ENOUGH * max(1.0, largest)).tolist():
            w.sizes[k] = functions.size(k, inputs, sizes)
        self._judged = felt

    def _allowed(self, clock: int, y: int, values: int, k: int) -> float:
        """The error of a switching function that the tolerances of a step allow."""
        inputs, (rtol, atol) = self._inputs(clock, y, values), self._motion.reals[[Real64.rtol, Real64.atol]]
        slopes = np.abs(self._pieces.one_by_one.slopes(k, inputs)[1:])
        return float(slopes @ (atol + rtol * np.abs(inputs[1 : 1 + 2 * self._n])))

    def _energies(self, clock: int, y: int, values: int, found: int) -> None:
        """Energies, the one first that must not jump."""
        names, energies = self._pieces.energies
        first = "potential" if "potential" in names else "energy"
        order = sorted(range(len(names)), key=lambda k: names[k] != first)
        _view(found, len(names))[:] = energies(self._inputs(clock, y, values))[order]

    def _selected(self, clock: int, y: int, values: int) -> bool:
        """Modes, margins and flags with which the motion goes on from switches: whether they are decided."""
        pieces, m, known = self._pieces, self._motion, _view(values, self._parameters)
        t, state = self._state(clock, y)
        hidden = pieces.system.parameters[m.hidden :]
        before = piece_of(pieces, dict(zip(hidden, known[m.hidden :].tolist(), strict=True)))
        reached: dict[int, float] = {}
        for k, c in enumerate((self.w.reached - 1).tolist()):
            if c >= 0:
                crossed = m.cause[c] == SWITCH and self.w.kind[k] == SIDE
                reached[k] = -before.modes[pieces.switches[k].mode] if crossed else (1.0 if m.below[c] else -1.0)
        start, n = self.start, self._n
        here = State(start.system, t, state[:n], state[n:], start.parameters)
        try:
            found = self._selector.after(here, Decision(dict(before.modes), before.holds), reached, {})
        except Undecided:
            return False
        known[m.hidden :] = [found.modes.get(p, p.default or 0.0) for p in hidden]
        return True

    def _inputs(self, clock: int, y: int, values: int) -> np.ndarray:
        """Time, state and parameters, in the order of `system.inputs`."""
        return np.concatenate([_view(clock, 1), _view(y, 2 * self._n), _view(values, self._parameters)])

    def _state(self, clock: int, y: int) -> tuple[float, np.ndarray]:
        """A time, and a state in memory of its own."""
        return float(_view(clock, 1)[0]), _view(y, 2 * self._n).copy()


def _view(place: int, count: int) -> np.ndarray:
    """Numbers in memory."""
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(place))
