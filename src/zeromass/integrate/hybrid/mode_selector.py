"""Selection of modes at a state of a system, by the kernel `select_modes`; of a large one see `large_selection`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.hybrid.messages import Selection, words
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import Switches, look, sign_of, try_choice
from zeromass.integrate.hybrid.tables import switch_table
from zeromass.integrate.large_selection import LargeModeSelector
from zeromass.integrate.standing import Standing
from zeromass.integrate.switching import Decision, Hold
from zeromass.kernel.language import compiled
from zeromass.model import State
from zeromass.model.pieces import SystemPieces, Undecided


class ModeSelector:
    """Selection of modes in the motions of a system with switches.

    ahead  1 for motions forward in time, −1 backward
    lanes  of the method in charge, whose machine code is used
    """

    pieces: SystemPieces
    ahead: float
    standing: Standing

    def __init__(self, pieces: SystemPieces, ahead: float, lanes: int) -> None:
        self.pieces, self.ahead, self.standing = pieces, ahead, Standing(pieces, lanes)
        self._hidden = pieces.system.parameters[len(pieces.given.parameters) :]

    @cached_property
    def _functions(self) -> PythonFunctions:
        return PythonFunctions(self.standing)

    @cached_property
    def _switches(self) -> Switches:
        return switch_table(self.pieces, self.ahead, self._functions)

    def use(self, switches: Switches, functions: PythonFunctions) -> None:
        """Selects with a table of switches that calls machine code for all modes, but for some functions."""
        self._switches, self._functions = switches, functions

    # selection ----------------------------------------------------------------------------------------------------------
    def begin(self, state: State, timed: Mapping[Symbol, float]) -> Decision:
        """Modes at a start; turns of angles are those of the state, else principal values.

        timed  modes of switches that depend on time alone
        """
        w, modes = self._switches, dict(timed)
        for k, switch in enumerate(self.pieces.switches):
            turns = switch.kind == "turn" and switch.mode not in timed
            w.reached[k] = turns and switch.mode not in state.turns
            modes.setdefault(switch.mode, state.turns.get(switch.mode, 0.0) if turns else 1.0)
        return self._selected(state, modes, fresh=True)

    def after(
        self, state: State, before: Decision, reached: Mapping[int, float], timed: Mapping[Symbol, float]
    ) -> Decision:
        """Modes where switches have been reached, each with the side that it goes to, or whole numbers below or above."""
        w, modes = self._switches, {**before.modes, **timed}
        w.reached[:] = [k in reached for k in range(len(w.reached))]
        w.way[:] = [reached.get(k, 1.0) for k in range(len(w.way))]
        return self._selected(state, modes, fresh=False)

    def _selected(self, state: State, modes: Mapping[Symbol, float], *, fresh: bool) -> Decision:
        w, y, values = self._told(state, modes)
        why = Selection(compiled(select_modes)(w, y, values, fresh))
        self._functions.check()
        if why is not Selection.DECIDED:
            which = w.open[: w.count].tolist()
            said = self.standing.words(which)
            raise Undecided(words(why, said, len(which), w.number))
        return self._decision(values)

    def _told(self, state: State, modes: Mapping[Symbol, float]) -> tuple[Switches, np.ndarray, np.ndarray]:
        """The switches, a state and the values of all parameters, as kernels have them."""
        w = self._switches
        self._functions.start, w.clock[0] = state, state.t
        given = [state.parameters[p] for p in self.pieces.given.parameters]
        values = np.array([*given, *[float(modes.get(p, p.default or 0.0)) for p in self._hidden]])
        return w, np.concatenate([state.q, state.v]), values

    def _decision(self, values: np.ndarray) -> Decision:
        modes = dict(zip(self._hidden, values[-len(self._hidden) :].tolist(), strict=True))
        holds = [held for held in self.pieces.held.values() if modes[held.flag]]
        sides = [(held.switch.mode, modes[held.switch.mode], held.width) for held in holds]
        return Decision(modes, tuple(Hold(mode, low, low + width) for mode, low, width in sides))

    # derivatives of switching functions -----------------------------------------------------------------------------
    def functions(self, here: State) -> np.ndarray:
        """Values of the switching functions at a state on the pieces."""
        return self.standing.switching(here)[0]

    def on_side(self, here: State, k: int, side: float) -> tuple[State, np.ndarray]:
        """A state on the pieces with one switch on a side, and its acceleration."""
        w, y, values = self._told(here, here.parameters)
        w.zeros[:], w.tied[:], w.why, w.count = self.functions(here), 0, 0, 1
        w.open[0], w.tied[k], w.choice[0] = k, 1, side
        found = compiled(try_choice)(w, y, values, w.choice)
        self._functions.check()
        if not found:
            raise Undecided(words(Selection(w.why), self.standing.words([k]), 1, w.number))
        there = self.standing.state(here, dict(zip(self._hidden, w.values[-len(self._hidden) :].tolist(), strict=True)))
        return there, self.standing.acceleration(there)

    def sign(self, here: State, k: int, order: int, a: np.ndarray) -> float:
        """The sign of a derivative of a switching function along the motion, ahead; 0 where it vanishes."""
        w, y, values = self._told(here, here.parameters)
        w.values[:] = values
        compiled(look)(w, y, values)
        found = compiled(sign_of)(w, y, a, k, order, 0.0)
        self._functions.check()
        return found

    def derivative(self, here: State, k: int, order: int, a: np.ndarray) -> float:
        """A derivative of a switching function by time along the motion."""
        slopes = self.slope(here, k) if order == 1 else self.standing.higher_slopes(here, k, order)
        return float(slopes @ np.concatenate([[1.0], here.v, a]))

    def slope(self, here: State, k: int) -> np.ndarray:
        """Of one switching function by time, positions and rates, shape (1 + 2n,)."""
        return self.standing.slopes(here)[k]


Selector = ModeSelector | LargeModeSelector
"""What selects the modes of a system, large or not."""


def mode_selector(pieces: SystemPieces, ahead: float, lanes: int) -> Selector:
    """What selects the modes of a system, large or not."""
    return (LargeModeSelector if pieces.in_forces else ModeSelector)(pieces, ahead, lanes)
