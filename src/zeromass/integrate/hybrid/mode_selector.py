"""Selection of modes at a state of a system, by the kernel `select_modes`; of a large one see `large_selection`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.driven import piece_of
from zeromass.integrate.hybrid.messages import Selection, words
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import Switches, look, sign_of, try_choice
from zeromass.integrate.hybrid.tables import switch_table
from zeromass.integrate.large_selection import LargeModeSelector
from zeromass.integrate.standing import Standing
from zeromass.integrate.switching import Decision
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
        self._own: tuple[PythonFunctions, Switches] | None = None
        self._hidden = pieces.system.parameters[len(pieces.given.parameters) :]

    @contextmanager
    def _table(self, here: State) -> Iterator[Switches]:
        """The switches in memory at a state, one that no other thread has now."""
        if self._own is not None:
            functions, w = self._own
            functions.start, w.clock[0] = here, here.t
            yield w
            functions.start = None
            functions.callbacks.check()
            return
        free: list[tuple[PythonFunctions, Switches]]
        free = self.pieces.system.memory.setdefault(("switches in memory", self.ahead), [])
        try:
            functions, w = free.pop()
        except IndexError:
            functions = PythonFunctions(self.standing, Callbacks())
            w = switch_table(self.pieces, self.ahead, functions)
        functions.standing, functions.start, w.clock[0] = self.standing, here, here.t
        yield w
        functions.start = None
        free.append((functions, w))
        functions.callbacks.check()

    def use(self, functions: PythonFunctions, switches: Switches) -> None:
        """Selects with a table of switches that calls machine code for all modes, but for some functions."""
        self._own = functions, switches

    # selection ----------------------------------------------------------------------------------------------------------
    def begin(self, state: State, timed: Mapping[Symbol, float]) -> Decision:
        """Modes at a start; turns of angles are those of the state, else principal values.

        timed  modes of switches that depend on time alone
        """
        modes = {switch.mode: 1.0 for switch in self.pieces.switches} | {**state.turns, **timed}
        turns = [k for k, s in enumerate(self.pieces.switches) if s.kind == "turn" and s.mode not in timed]
        unknown = {k: 1.0 for k in turns if self.pieces.switches[k].mode not in state.turns}
        return self._selected(state, modes, unknown, fresh=True)

    def after(
        self, state: State, before: Decision, reached: Mapping[int, float], timed: Mapping[Symbol, float]
    ) -> Decision:
        """Modes where switches have been reached, each with the side that it goes to, or whole numbers below or above."""
        return self._selected(state, {**before.modes, **timed}, reached, fresh=False)

    def _selected(
        self, state: State, modes: Mapping[Symbol, float], reached: Mapping[int, float], *, fresh: bool
    ) -> Decision:
        values, y = self._values(state, modes), np.concatenate([state.q, state.v])
        with self._table(state) as w:
            w.reached[:] = [k in reached for k in range(len(w.reached))]
            w.way[:] = [reached.get(k, 1.0) for k in range(len(w.way))]
            why = Selection(compiled(select_modes)(w, y, values, fresh))
            which, number = w.open[: w.count].tolist(), w.number
        if why is not Selection.DECIDED:
            raise Undecided(words(why, self.standing.words(which), len(which), number))
        piece = piece_of(self.pieces, self._modes(values))
        return Decision(piece.modes, piece.holds)

    def _values(self, state: State, modes: Mapping[Symbol, float]) -> np.ndarray:
        """The values of all parameters, with some modes."""
        given = [state.parameters[p] for p in self.pieces.given.parameters]
        return np.array([*given, *[float(modes.get(p, p.default or 0.0)) for p in self._hidden]])

    def _modes(self, values: np.ndarray) -> dict[Symbol, float]:
        return dict(zip(self._hidden, values[-len(self._hidden) :].tolist(), strict=True))

    # derivatives of switching functions -----------------------------------------------------------------------------
    def functions(self, here: State) -> np.ndarray:
        """Values of the switching functions at a state on the pieces."""
        return self.standing.switching(here)[0]

    def on_side(self, here: State, k: int, side: float) -> tuple[State, np.ndarray]:
        """A state on the pieces with one switch on a side, and its acceleration."""
        values, y = self._values(here, here.parameters), np.concatenate([here.q, here.v])
        with self._table(here) as w:
            w.zeros[:], w.tied[:], w.seen[:], w.why, w.count = self.functions(here), 0, 0, 0, 1
            w.open[0], w.tied[k], w.choice[0] = k, 1, side
            compiled(try_choice)(w, y, values, w.choice)
            why, which, number, modes = Selection(w.why), w.open[: w.count].tolist(), w.number, self._modes(w.values)
        if why is not Selection.DECIDED:
            raise Undecided(words(why, self.standing.words(which), len(which), number))
        there = self.standing.state(here, modes)
        return there, self.standing.acceleration(there)

    def sign(self, here: State, k: int, order: int, a: np.ndarray) -> float:
        """The sign of a derivative of a switching function along the motion, ahead; 0 where it vanishes."""
        y = np.concatenate([here.q, here.v])
        with self._table(here) as w:
            w.values[:] = self._values(here, here.parameters)
            compiled(look)(w, y, w.values)
            return compiled(sign_of)(w, y, a, k, order, 0.0)

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
