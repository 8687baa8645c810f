"""Selection of modes at a state of a system, by the kernel `select_modes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.driven import piece_of
from zeromass.integrate.hybrid.guard_cache import GuardCache
from zeromass.integrate.hybrid.large import LargeSwitches
from zeromass.integrate.hybrid.messages import Selection, words
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tables import switch_table
from zeromass.kernel.language import compiled
from zeromass.model import State
from zeromass.model.pieces import SystemPieces, Undecided
from zeromass.model.unilateral import tangent_axes


class ModeSelector:
    """Selection of modes in the motions of a system with switches.

    ahead  1 for motions forward in time, −1 backward
    lanes  of the method in charge, whose machine code is used
    """

    pieces: SystemPieces
    ahead: float
    guards: GuardCache

    def __init__(self, pieces: SystemPieces, ahead: float, lanes: int) -> None:
        self.pieces, self.ahead, self.guards = pieces, ahead, GuardCache(pieces, lanes)
        self._lanes = lanes
        self._own: tuple[PythonFunctions | LargeSwitches, Switches] | None = None
        self._hidden = pieces.system.parameters[len(pieces.given.parameters) :]

    @contextmanager
    def _table(self, here: State) -> Iterator[Switches]:
        """The switches in memory at a state, one that no other thread has now."""
        if self._own is None and self.pieces.in_forces:
            moving = self.guards.state(here, {switch.mode: 1.0 for switch in self.pieces.switches})
            large = LargeSwitches(self.pieces, self.guards.program(moving), (), self.ahead, self._lanes, Callbacks())
            self._own = large, large.w
        free: list[tuple[PythonFunctions | LargeSwitches, Switches]]
        free = self.pieces.system.memory.setdefault(("switches in memory", self.ahead), [])
        if self._own is not None:
            functions, w = self._own
        elif free:
            functions, w = free.pop()
        else:
            functions = PythonFunctions(self.guards, Callbacks())
            w = switch_table(self.pieces, self.ahead, functions)
        w.clock[0] = here.t
        if isinstance(functions, PythonFunctions):
            functions.guards, functions.start = self.guards if self._own is None else functions.guards, here
        yield w
        if isinstance(functions, PythonFunctions):
            functions.start = None
        if self._own is None:
            free.append((functions, w))
        functions.callbacks.check()

    def use(self, functions: PythonFunctions | LargeSwitches, switches: Switches) -> None:
        """Selects with a table of switches that calls machine code for all modes, but for some functions."""
        self._own = functions, switches

    # selection ----------------------------------------------------------------------------------------------------------
    def begin(self, state: State, timed: Mapping[Symbol, float]) -> Piece:
        """Modes at a start; turns of angles are those of the state, else principal values.

        timed  modes of switches that depend on time alone
        """
        modes = self.first_modes(state, timed) | dict(state.turns)
        turns = [k for k, s in enumerate(self.pieces.switches) if s.kind == "turn" and s.mode not in timed]
        unknown = {k: 1.0 for k in turns if self.pieces.switches[k].mode not in state.turns}
        return self._selected(state, modes, unknown, fresh=True)

    def first_modes(self, state: State, timed: Mapping[Symbol, float]) -> dict[Symbol, float]:
        """Modes with which formulas have values at a start: those that are not known are to be selected."""
        pieces, axes = self.pieces, tangent_axes(self.pieces.given.unilaterals, state)
        modes = {switch.mode: 1.0 for switch in pieces.switches} | axes | dict(timed)
        if pieces.unilaterals and pieces.parts["constraints"] and not pieces.of_force:
            here = pieces.here(state).parameters  # what holds the state is on its pieces
            places = [pieces.switches[k].mode for k in pieces.parts["constraints"]]
            modes |= {mode: here[mode] or 1.0 for mode in places}
        return modes

    def after(self, state: State, before: Piece, reached: Mapping[int, float], timed: Mapping[Symbol, float]) -> Piece:
        """Modes where switches have been reached, each with the side that it goes to, or whole numbers below or above."""
        return self._selected(state, {**before.modes, **timed}, reached, fresh=False)

    def _selected(
        self, state: State, modes: Mapping[Symbol, float], reached: Mapping[int, float], *, fresh: bool
    ) -> Piece:
        values, y = self._values(state, modes), np.concatenate([state.q, state.v])
        with self._table(state) as w:
            w.reached[:] = [k in reached for k in range(len(w.reached))]
            w.way[:] = [reached.get(k, 1.0) for k in range(len(w.way))]
            why = Selection(compiled(select_modes)(w, y, values, fresh))
            which, number = w.open[: w.count].tolist(), w.number
        if why is not Selection.DECIDED:
            raise Undecided(words(why, self.pieces.words(which), len(which), number))
        return piece_of(self.pieces, self._modes(values))

    def _values(self, state: State, modes: Mapping[Symbol, float]) -> np.ndarray:
        """The values of all parameters, with some modes."""
        given = [state.parameters[p] for p in self.pieces.given.parameters]
        return np.array([*given, *[float(modes.get(p, p.default or 0.0)) for p in self._hidden]])

    def _modes(self, values: np.ndarray) -> dict[Symbol, float]:
        return dict(zip(self._hidden, values[-len(self._hidden) :].tolist(), strict=True))
