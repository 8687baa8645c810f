"""Selection of modes in large systems, whose switches are in forces alone and whose accelerations are no formulas.

What a decision needs is looked up one function at a time: of thousands of switches few are near zero. Which of the open
ones hold the motion is one problem of complementarity, as in `zeromass.integrate.hybrid.pivoting`; the code of the motion
is for all that holds, and evaluates a guess as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.expression import Expression, Symbol
from zeromass.integrate.hybrid.messages import Selection, words
from zeromass.integrate.hybrid.tolerances import (
    LEFT,
    LOCATED,
    LOST,
    NEAR,
    PATIENCE,
    ROUNDS,
    SMALL,
    SOON,
)
from zeromass.integrate.standing import Standing
from zeromass.integrate.switching import Decision, Hold
from zeromass.model import State
from zeromass.model.pieces import SystemPieces, Undecided
from zeromass.model.state import ROUNDING

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative

NEAR_ENOUGH = 1e-6
"""Part of the largest coordinate or rate, or of 1, above which a switching function is not zero."""

Choice = tuple[float, ...]
"""1 for the side g > 0, −1 for the other, 0 for sliding; of each switch in question."""


class LargeModeSelector:
    """Selection of modes in the motions of a large system; see `zeromass.integrate.hybrid.mode_selector.ModeSelector`."""

    pieces: SystemPieces
    ahead: float
    standing: Standing

    def __init__(self, pieces: SystemPieces, ahead: float, lanes: int) -> None:
        self.pieces, self.ahead, self.standing = pieces, ahead, Standing(pieces, lanes)
        self._constants: dict[tuple[float, ...], float | None] = {}

    # selection ----------------------------------------------------------------------------------------------------------
    def begin(self, state: State, timed: Mapping[Symbol, float]) -> Decision:
        """Modes at a start.

        timed  modes of switches that depend on time alone
        """
        modes = {switch.mode: 1.0 for switch in self.pieces.switches}
        return self._selected(state, {**modes, **timed}, frozenset(), (), fresh=True)

    def after(
        self, state: State, before: Decision, reached: Mapping[int, float], timed: Mapping[Symbol, float]
    ) -> Decision:
        """Modes where switches have been reached, each with the side that it goes to, or whole numbers below or above."""
        modes, places = {**before.modes, **timed}, {switch.mode: k for k, switch in enumerate(self.pieces.switches)}
        held = {places[hold.mode]: hold for hold in before.holds}
        for k, side in reached.items():
            switch = self.pieces.switches[k]
            if switch.kind == "side":
                modes[switch.mode] = side
            elif k not in held:
                modes[switch.mode] += side
        for k, hold in held.items():  # those that are not left are on either side, and will be held again
            modes[hold.mode] = hold.high if reached.get(k, 1.0) > 0 else hold.low
        still = [k for k in held if k not in reached]
        return self._selected(state, modes, frozenset(reached) | held.keys(), still, fresh=False)

    def _selected(
        self,
        state: State,
        modes: dict[Symbol, float],
        known: frozenset[int],
        still: Container[int],
        *,
        fresh: bool,
    ) -> Decision:
        """Modes from a guess of them.

        known  switches that are reached, or held: rounding does not decide of them
        still  those that held the motion and are not left
        """
        pieces, switches = self.pieces, self.pieces.switches
        modes.update({held.flag: 0.0 for held in pieces.held.values()})
        tied, g, sizes = self._settle(state, modes, known)
        open_: list[int] = []
        here = self.standing.state(state, modes)
        for k in tied:
            if pieces.inner[k]:
                here = self.standing.state(state, modes)
            constant = None if pieces.of_rates[k] else self._constant(k, state, modes)
            if constant is not None:
                modes[switches[k].mode] = constant
            elif not pieces.of_rates[k] and (sign := self.sign(here, k, 1, np.zeros(len(here.q)))):
                modes[switches[k].mode] = self._sides(k, g[k])[int(sign > 0)]
            else:
                open_.append(k)
        self._nest(state, modes, tied)
        above = {k: modes[switches[k].mode] >= self._sides(k, g[k])[1] for k in open_}
        natural = tuple(0.0 if k in still else 1.0 if above[k] else -1.0 for k in open_)
        choice = _Pivoting(self, state, modes, g, open_).sides(natural, fresh=fresh) if open_ else ()
        self.take(modes, g, zip(open_, choice, strict=True))
        self._nest(state, modes, tied)
        modes.update({switch.margin: 0.0 for switch in switches})
        for k in tied:
            (_, high), switch = self._sides(k, g[k]), switches[k]
            side = 1.0 if modes[switch.mode] == high else -1.0
            beyond = -side * (g[k] - (high if switch.kind == "whole" else 0.0))
            margin = float(max(beyond, 0.0) + ROUNDING * sizes[k])
            modes[switch.margin] = side * margin if switch.kind == "whole" else margin
        held = [k for k, side in zip(open_, choice, strict=True) if side == 0]
        modes.update({switches[k].margin: LEFT for k in held})
        return Decision(modes, tuple(Hold(switches[k].mode, *self._sides(k, g[k])) for k in held))

    def _settle(
        self, state: State, modes: dict[Symbol, float], known: frozenset[int]
    ) -> tuple[list[int], np.ndarray, np.ndarray]:
        """Sets the modes of all switches that the state decides: those that it does not, all g and their magnitudes."""
        while True:
            before, here = dict(modes), self.standing.state(state, modes)
            g, sizes, bands = self._near(here, known, LOCATED * max(1.0, abs(state.t)))
            tied = []
            for k, switch in enumerate(self.pieces.switches):
                if k in self.pieces.of_time:
                    continue
                off = g[k] - np.round(g[k]) if switch.kind == "whole" else g[k]
                if k in known or abs(off) <= bands[k]:
                    tied.append(k)
                else:
                    modes[switch.mode] = float(np.floor(g[k]) if switch.kind == "whole" else np.sign(g[k]))
            if modes == before:
                return tied, g, sizes

    def _near(self, here: State, known: Container[int], slack: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values of the switching functions, of what size their rounding is, and within what they count as zero.

        Sizes are found of functions that may count as zero alone; others have a negative bound.
        """
        values, switches, g = self.watching(here), self.pieces.switches, self.functions(here)
        sizes, bands = np.zeros(len(g)), np.full(len(g), -1.0)
        whole = np.array([switch.kind == "whole" for switch in switches])
        off, most = np.abs(np.where(whole, g - np.round(g), g)), NEAR_ENOUGH * max(1.0, np.abs([here.q, here.v]).max())
        held = {k for k, switch in enumerate(switches) if switch.mode in self.pieces.held and k in known}
        for k in np.flatnonzero(off <= most).tolist():
            if k not in held:
                drift = abs(values[self.pieces.along(switches[k].g)])
                sizes[k] = self.pieces.size(k, here)
                bands[k] = NEAR * sizes[k] + slack * drift
        return g, sizes, bands

    def _nest(self, state: State, modes: dict[Symbol, float], tied: Sequence[int]) -> None:
        """Sets the modes of switches whose functions depend on modes that were decided now.

        tied  those that are decided by what follows, unless their functions are constant
        """
        while self.pieces.nested:
            before, g = dict(modes), self.functions(self.standing.state(state, modes))
            for k, switch in enumerate(self.pieces.switches):
                if k in self.pieces.of_time:
                    continue
                constant = self._constant(k, state, modes)
                if constant is not None:
                    modes[switch.mode] = constant
                elif k not in tied and g[k] != 0:
                    modes[switch.mode] = float(np.floor(g[k]) if switch.kind == "whole" else np.sign(g[k]))
            if modes == before:
                break

    def _constant(self, k: int, state: State, modes: Mapping[Symbol, float]) -> float | None:
        """The mode of a switch whose function is a number on a piece, as max(x, 0) is where x < 0; None of others."""
        inner = self.pieces.inner[k]
        if not inner:
            return None
        key = (k, *[modes[mode] for mode in inner])
        if key not in self._constants:
            values = {p: state.parameters[p] for p in self.pieces.given.parameters}
            self._constants[key] = self.pieces.constant(k, {**values, **{mode: modes[mode] for mode in inner}})
        return self._constants[key]

    def _sides(self, k: int, g: float) -> tuple[float, float]:
        """The modes on both sides of a switch."""
        n = float(np.round(g))
        return (-1.0, 1.0) if self.pieces.switches[k].kind == "side" else (n - 1.0, n)

    def take(self, modes: dict[Symbol, float], g: np.ndarray, chosen: Iterable[tuple[int, float]]) -> None:
        """Sets the modes of switches on chosen sides, and the flags of those that hold the motion."""
        for k, side in chosen:
            mode = self.pieces.switches[k].mode
            modes[mode] = self._sides(k, g[k])[int(side > 0)]
            if mode in self.pieces.held:
                modes[self.pieces.held[mode].flag] = float(side == 0)

    def moved(
        self, state: State, modes: Mapping[Symbol, float], g: np.ndarray, open_: Sequence[int], choice: Choice
    ) -> tuple[State, np.ndarray]:
        """The state on chosen sides of some switches, and its acceleration."""
        found = dict(modes)
        self.take(found, g, zip(open_, choice, strict=True))
        self._nest(state, found, open_)
        here = self.standing.state(state, found)
        return here, self.standing.acceleration(here)

    # derivatives of switching functions -----------------------------------------------------------------------------
    def functions(self, here: State) -> np.ndarray:
        """Values of the switching functions at a state on the pieces."""
        values = self.watching(here)
        return np.array([values.get(switch.g, np.nan) for switch in self.pieces.switches])

    def watching(self, here: State) -> dict[Expression, float]:
        """The functions of the switches, and of what holds the motion."""
        program = self.standing.program(here)
        key = "watching", program
        if key not in here.memory:
            watching = cast("RolledNative", program.native).watching
            assert watching is not None
            values = watching(here.inputs[None])[0]
            here.memory[key] = {e: float(values[k]) for e, k in watching.places.items()}
        return here.memory[key]

    def on_side(self, here: State, k: int, side: float) -> tuple[State, np.ndarray]:
        """A state on the pieces with one switch on a side, and its acceleration."""
        return self.moved(here, here.parameters, self.functions(here), [k], (side,))

    def sign(self, here: State, k: int, order: int, a: np.ndarray) -> float:
        """The sign of a derivative of a switching function along the motion, ahead; 0 where it vanishes.

        Rates and accelerations are known to rounding of the largest of them, as a state is where g itself is judged.
        """
        if order > (1 if self.pieces.of_rates[k] else 2):
            return 0.0  # there are no formulas of how accelerations change
        slopes, rates = self._slopes(here, k, order), np.concatenate([[1.0], here.v, a])
        terms = slopes * rates
        if abs(terms.sum()) <= max(SMALL * np.abs(terms).sum(), NEAR * np.abs(slopes) @ _sizes(rates)):
            return 0.0
        return float(np.sign(terms.sum()) * self.ahead**order)

    def derivative(self, here: State, k: int, order: int, a: np.ndarray) -> float:
        """A derivative of a switching function by time along the motion."""
        if order == 1 or not self.pieces.of_rates[k]:
            return float((self._slopes(here, k, order) * np.concatenate([[1.0], here.v, a])).sum())
        τ = SOON * max(1.0, abs(here.t))  # of one of rates from ġ a moment before and after

        def there(τ: float) -> float:
            moved = replace(here, t=here.t + τ, q=here.q + τ * here.v + τ**2 / 2 * a, v=here.v + τ * a)
            return self.derivative(moved, k, 1, self.standing.acceleration(moved))

        return (there(τ) - there(-τ)) / (2 * τ)

    def _slopes(self, here: State, k: int, order: int) -> np.ndarray:
        return self.slope(here, k) if order == 1 else self.pieces.one_by_one.slopes(k, here.inputs, order)

    def slope(self, here: State, k: int) -> np.ndarray:
        """Of one switching function by time, positions and rates, shape (1 + 2n,)."""
        if ("slope", k) not in here.memory:
            here = here if here.system is self.pieces.system else self.standing.state(here, {})
            here.memory["slope", k] = self.pieces.one_by_one.slopes(k, here.inputs)
        return here.memory["slope", k]


def _sizes(rates: np.ndarray) -> np.ndarray:
    """Of what size (1, q̇, q̈) count, as far as rounding goes: the largest rate, the largest acceleration."""
    n = len(rates) // 2
    return np.repeat([1.0, *np.abs(rates[1:].reshape(2, n)).max(axis=1, initial=0.0)], [1, n, n])


@dataclass(frozen=True)
class _Guess:
    """A guess of the sides, the state with it, its acceleration, and places at which it is wrong, with what is right."""

    choice: Choice
    state: State
    a: np.ndarray
    wrong: dict[int, float] = field(default_factory=dict)


class _Pivoting:
    """The sides of open switches by block pivoting [JP1994].

    holds  of each switch, whether it can hold the motion: what it does on its two sides pushes towards it
    """

    def __init__(
        self,
        selector: LargeModeSelector,
        state: State,
        modes: Mapping[Symbol, float],
        g: np.ndarray,
        open_: Sequence[int],
    ) -> None:
        self._selector, self._state, self._modes, self._g, self._open = selector, state, modes, g, open_
        self._known: dict[Choice, tuple[State, np.ndarray]] = {}
        self.holds: list[bool] = [self._holds(k) for k in open_]

    def sides(self, natural: Choice, *, fresh: bool) -> Choice:
        """The side of each switch in question, 0 where it holds the motion.

        natural  the sides on which the motion was, and those that it has gone to
        fresh    whether there was no motion before
        """
        choice = tuple(0.0 if can and fresh else side for can, side in zip(self.holds, natural, strict=True))
        best, patience = len(natural) + 1, PATIENCE
        for _ in range(ROUNDS * (len(natural) + PATIENCE)):
            guess = self._looked_at(choice)
            if guess is None:  # too many hold at once: from none of them on, what holds another motion comes one by one
                if patience < 0:
                    break
                choice, patience = tuple(side or 1.0 for side in natural), -1
                continue
            if not guess.wrong:
                if fresh:
                    self._check_only_one(guess)
                return guess.choice
            if patience >= 0 and len(guess.wrong) < best:
                best, patience = len(guess.wrong), PATIENCE
            elif patience > 0:
                patience -= 1
            last = max(guess.wrong)
            changes = guess.wrong if patience > 0 else {last: guess.wrong[last]}
            choice = tuple(changes.get(j, side) for j, side in enumerate(choice))
        raise Undecided(words(Selection.NO_MOTION, self._selector.standing.words(self._open)))

    def _at(self, choice: Choice) -> tuple[State, np.ndarray]:
        """The state on chosen sides, and its acceleration."""
        if choice not in self._known:
            self._known[choice] = self._selector.moved(self._state, self._modes, self._g, self._open, choice)
        return self._known[choice]

    @property
    def _low(self) -> Choice:
        """All on their lower sides: what moves there tells of what size rates are."""
        return tuple(-1.0 for _ in self._open)

    def _holds(self, k: int) -> bool:
        pieces = self._selector.pieces
        held = pieces.held.get(pieces.switches[k].mode)
        if held is None:
            return False
        if held.c.value is not None:
            return held.c.value < 0
        return self._selector.watching(self._at(self._low)[0])[held.c] < 0

    def _looked_at(self, choice: Choice) -> _Guess | None:
        """A guess of the sides, looked at; None where rows that hold the motion depend on one another."""
        pieces, (here, a) = self._selector.pieces, self._at(choice)
        held = [j for j, side in enumerate(choice) if side == 0]
        if held and not float(self._selector.standing.program(here).native.growth(here.inputs)) < LOST:
            return None
        guess = _Guess(choice, here, a)
        if held:
            values = self._selector.watching(here)
            for j in held:
                switch = pieces.switches[self._open[j]]
                above, below = (values[e] - here.parameters[switch.margin] for e in pieces.held[switch.mode].leaving)
                if above < -SMALL or below < -SMALL:
                    guess.wrong[j] = -1.0 if above < below else 1.0
        for j, side in enumerate(choice):
            if side and (sign := self._sign(guess, j)) and sign != side:
                guess.wrong[j] = 0.0 if self.holds[j] else -side
        return guess

    def _sign(self, guess: _Guess, j: int) -> float:
        """Where a switching function goes by its first derivative that does not vanish; 0 if none is seen."""
        selector, k, here, a = self._selector, self._open[j], guess.state, guess.a
        if not selector.pieces.of_rates[k]:
            return selector.sign(here, k, 1, a) or selector.sign(here, k, 2, a)
        slopes = selector.slope(self._state, k)  # of modes it knows nothing
        terms = slopes * np.concatenate([[1.0], here.v, a])
        if np.sign(terms.sum()) * selector.ahead == guess.choice[j]:
            return guess.choice[j]
        others = self._at(_with(guess.choice, j, -guess.choice[j])), self._at(self._low)
        rates = [abs(slopes @ np.concatenate([[1.0], here.v, b])) for _, b in others]
        if abs(terms.sum()) <= SMALL * max(float(np.abs(terms).sum()), sum(rates)):
            return 0.0
        return float(np.sign(terms.sum()) * selector.ahead)

    def _check_only_one(self, guess: _Guess) -> None:
        """That no motion goes to the other side of a switch as well, where both sides push away from it."""
        for j, side in enumerate(guess.choice):
            if side and not self.holds[j] and self._sign(guess, j):
                across = self._looked_at(_with(guess.choice, j, -side))
                if across is not None and not across.wrong:
                    raise Undecided(words(Selection.SEVERAL, self._selector.standing.words([self._open[j]])))


def _with(choice: Choice, j: int, side: float) -> Choice:
    return *choice[:j], side, *choice[j + 1 :]
