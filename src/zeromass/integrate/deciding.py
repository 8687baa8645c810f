"""On which pieces a motion goes on from a state that lies on switches: those that it moves into.

A switch whose function g is zero, to rounding, is decided by what follows: g must go to the side that is taken, by its
first derivative along the motion that does not vanish. Where none can be taken because both sides lead back, the motion
slides along the switch, see `zeromass.compile.holding`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, jacobian, rate, substitute
from zeromass.integrate.standing import Standing
from zeromass.integrate.switching import Hold
from zeromass.model import State
from zeromass.model.pieces import SystemPieces, Undecided
from zeromass.model.state import ROUNDING

NEAR = 8 * ROUNDING
"""Part of its magnitude below which a switching function counts as zero."""

LOCATED = 4e-14
"""How well a switch is located, in time relative to 1 and to the time itself, twice."""

SMALL = 1e-9
"""Part of its terms below which a derivative counts as zero."""

ORDERS = 4
"""Derivatives of a switching function that are looked at."""

SOON = 1e-5
"""Time, relative to 1 and to the time itself, in which the rate of a switching function changes by what its slope tells."""

MOST = 5
"""Switches at once of which all combinations of sides are looked at; of more see `zeromass.integrate.sticking`."""

LOST = 1e12
"""Growth of pivots from which on rows that hold a motion depend on one another."""

LEFT = 8e-15
"""How far a motion may have gone beyond what holds it to a switch before it leaves: rounding."""


@dataclass(frozen=True)
class Decision:
    """On which pieces a motion goes on: values of modes and margins, and the switches along which it slides."""

    modes: dict[Symbol, float]
    holds: tuple[Hold, ...] = ()


Choice = tuple[float, ...]
"""1 for the side g > 0, −1 for the other, 0 for sliding; of each switch in question."""


class Deciding:
    """Decisions for the motions of a system with switches.

    ahead  1 for motions forward in time, −1 backward
    lanes  of the method in charge, whose machine code is used
    """

    pieces: SystemPieces
    ahead: float
    standing: Standing

    def __init__(self, pieces: SystemPieces, ahead: float, lanes: int) -> None:
        self.pieces, self.ahead, self.standing = pieces, ahead, Standing(pieces, lanes)
        self._constants: dict[tuple[float, ...], float | None] = {}
        self._derivatives: dict[tuple[Program, int, int], tuple[Expression, Evaluator]]
        self._derivatives = pieces.system.memory.setdefault("derivatives of switches", {})

    # decisions ----------------------------------------------------------------------------------------------------------
    def begin(self, state: State, timed: Mapping[Symbol, float]) -> Decision:
        """The decision at a start; turns of angles are those of the state, else principal values.

        timed  modes of switches that depend on time alone
        """
        modes: dict[Symbol, float] = dict(timed)
        for switch in self.pieces.switches:
            if switch.mode in timed:
                continue
            modes[switch.mode] = state.turns.get(switch.mode, 0.0) if switch.kind == "turn" else 1.0
        for k, switch in enumerate(self.pieces.switches):
            if switch.kind == "turn" and switch.mode not in state.turns:
                inputs = self.standing.state(state, modes).inputs
                x, y = self.pieces.functions.with_values(inputs)[0][k], self.pieces.across(inputs)[k]
                modes[switch.mode] = float(np.round(np.arctan2(y, x) / (np.pi / 2)) * np.pi / 2)
        return self._decided(state, Decision(modes), frozenset(), fresh=True)

    def after(
        self, state: State, before: Decision, flipped: Mapping[int, float], timed: Mapping[Symbol, float]
    ) -> Decision:
        """The decision where switches have been reached, each on the side that is given, or whole numbers below or above."""
        modes = {**before.modes, **timed}
        for k, side in flipped.items():
            switch = self.pieces.switches[k]
            if switch.kind == "turn":
                across = self.pieces.across(self.standing.state(state, modes).inputs)[k]
                modes[switch.mode] += float(np.copysign(np.pi / 2, across))
            elif switch.kind == "side":
                modes[switch.mode] = side
            elif not any(hold.mode is switch.mode for hold in before.holds):
                modes[switch.mode] += side
        held = {k for k, s in enumerate(self.pieces.switches) if any(h.mode is s.mode for h in before.holds)}
        for hold in before.holds:  # those that are not left are on either side, and will be held again
            k = next(k for k, s in enumerate(self.pieces.switches) if s.mode is hold.mode)
            modes[hold.mode] = hold.high if flipped.get(k, 1.0) > 0 else hold.low
        return self._decided(state, Decision(modes, before.holds), frozenset(flipped) | held, flipped, fresh=False)

    def _nested(self, state: State, modes: dict[Symbol, float], tied: Sequence[int]) -> None:
        """Sets the modes of switches whose functions depend on modes that were decided now.

        tied  those that are decided by what follows, unless their functions are constant
        """
        while self.pieces.nested:
            before = dict(modes)
            g, _, _ = self.standing.looked(self.standing.state(state, modes), (), 0.0, 0.0)
            for k, switch in enumerate(self.pieces.switches):
                if k in self.pieces.of_time or switch.kind == "turn" or k in self.pieces.of_force:
                    continue
                constant = self._constant(k, state, modes)
                if constant is not None:
                    modes[switch.mode] = constant
                elif k not in tied and g[k] != 0:
                    modes[switch.mode] = float(np.floor(g[k]) if switch.kind == "whole" else np.sign(g[k]))
            if modes == before:
                self._forced(state, modes, tied)
            if modes == before:
                break

    def _forced(self, state: State, modes: dict[Symbol, float], fixed: Container[int], *, fresh: bool = False) -> None:
        """Sets the modes of switches of unknown forces, but for fixed ones."""
        if any(k not in fixed for k in self.pieces.of_force):
            modes.update(self.pieces.sign(state, modes, fixed, natural=not fresh))

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

    def _decided(
        self, state: State, guess: Decision, known: frozenset[int], reached: Iterable[int] = (), *, fresh: bool
    ) -> Decision:
        """The decision from a guess of it.

        known    switches that are reached, or held: rounding does not decide of them
        reached  those that are reached
        """
        flags = {held.flag: 0.0 for held in self.pieces.held.values()}
        guess = Decision({**guess.modes, **flags}, guess.holds) if flags else guess
        modes, tied, g, sizes = self._settled(state, guess, known, fresh=fresh)
        open_: list[int] = []
        here = self.standing.state(state, modes)
        for k in tied:
            low, high = self._sides(k, g[k])
            if self.pieces.inner[k]:
                here = self.standing.state(state, modes)
            if k in self.pieces.of_force:
                open_.append(k)
            elif not self.pieces.of_rates[k] and (constant := self._constant(k, state, modes)) is not None:
                modes[self.pieces.switches[k].mode] = constant
            elif not self.pieces.of_rates[k] and (sign := self.sign(here, k, 1)):
                modes[self.pieces.switches[k].mode] = high if sign > 0 else low
            else:
                open_.append(k)
        self._nested(state, modes, tied)
        still = {
            hold.mode for hold in guess.holds if not any(self.pieces.switches[k].mode is hold.mode for k in reached)
        }
        natural = tuple(
            0.0
            if self.pieces.switches[k].mode in still
            else 1.0
            if modes[self.pieces.switches[k].mode] >= self._sides(k, g[k])[1]
            else -1.0
            for k in open_
        )
        question = Question(self, state, modes, g, open_)
        choice = self._chosen(question, natural, fresh=fresh) if open_ else ()
        holds = []
        for k, side in zip(open_, choice, strict=True):
            (low, high), switch = self._sides(k, g[k]), self.pieces.switches[k]
            modes[switch.mode] = high if side > 0 else low
            if side == 0:
                holds.append(Hold(switch.mode, low, high))
                if switch.mode in self.pieces.held:
                    modes[self.pieces.held[switch.mode].flag] = 1.0
        self._nested(state, modes, tied)
        for switch in self.pieces.switches:
            modes[switch.margin] = 0.0
        for k in tied:
            (low, high), switch = self._sides(k, g[k]), self.pieces.switches[k]
            side = 1.0 if modes[switch.mode] == high else -1.0
            beyond = -side * (g[k] - (high if switch.kind == "whole" else 0.0))
            margin = float(max(beyond, 0.0) + ROUNDING * sizes[k])
            modes[switch.margin] = side * margin if switch.kind == "whole" else margin
        for j, (k, side) in enumerate(zip(open_, choice, strict=True)):
            if side == 0:
                modes[self.pieces.switches[k].margin] = LEFT
            elif holds and self.pieces.of_rates[k] and not self.pieces.in_forces:  # others may hold it as well
                switch, drift = self.pieces.switches[k], LOCATED * max(1.0, abs(state.t)) * question.turn(choice, j)
                modes[switch.margin] = float(np.copysign(abs(modes[switch.margin]) + drift, modes[switch.margin]))
        return Decision(modes, tuple(holds))

    def _settled(
        self, state: State, guess: Decision, known: frozenset[int], *, fresh: bool
    ) -> tuple[dict[Symbol, float], list[int], np.ndarray, np.ndarray]:
        """Modes of all switches that are decided by the state, and those that are not, with all g and their magnitudes."""
        modes, slack = dict(guess.modes), LOCATED * max(1.0, abs(state.t))
        while True:
            before, here = dict(modes), self.standing.state(state, modes)
            g, sizes, bands = self.standing.looked(here, known, NEAR, slack)
            tied = []
            for k, switch in enumerate(self.pieces.switches):
                if switch.kind == "turn" or k in self.pieces.of_time:
                    continue
                off = g[k] - np.round(g[k]) if switch.kind == "whole" else g[k]
                if k in known or abs(off) <= bands[k]:
                    tied.append(k)
                elif k in self.pieces.of_force:
                    continue
                elif switch.kind == "whole":
                    modes[switch.mode] = float(np.floor(g[k]))
                else:
                    modes[switch.mode] = float(np.sign(g[k]))
            if modes == before:
                self._forced(state, modes, known, fresh=fresh)
            if modes == before:
                return modes, tied, g, sizes

    def _sides(self, k: int, g: float) -> tuple[float, float]:
        """The modes on both sides of a switch."""
        if self.pieces.switches[k].kind == "side":
            return -1.0, 1.0
        n = float(np.round(g))
        return n - 1.0, n

    def _chosen(self, question: Question, natural: Choice, *, fresh: bool) -> Choice:
        open_ = question.open_
        if not self.pieces.in_forces and not fresh and question.possible(natural):
            return natural
        said = self.standing.words(open_)
        if self.pieces.in_forces or len(open_) > MOST:
            from zeromass.integrate.sticking import sides  # few motions come to many switches at once

            choice = sides(question, natural, fresh=fresh)
            if self.pieces.in_forces or question.possible(choice):
                return choice
            raise Undecided(f"{len(open_)} formulas switch at once and depend on one another: {said}")
        pure = {c: question.consistent(c) for c in product((1.0, -1.0), repeat=len(open_))}
        sure = [c for c, good in pure.items() if good]
        if len(sure) == 1:
            return sure[0]
        if len(sure) > 1:
            raise Undecided(
                f"several motions go on from a switch, to either side of {said}; begin on the one that is meant"
            )
        slides = [c for c in product((1.0, -1.0, 0.0), repeat=len(open_)) if 0.0 in c and question.slides(c)]
        if len(slides) == 1 or (slides and question.one_motion(slides)):
            return max(slides, key=question.spare)
        weak = [c for c, good in pure.items() if good is None]
        if slides or not weak:
            several = "several motions slide along" if slides else "no motion goes on to either side of, or along,"
            raise Undecided(f"{several} {said}")
        return natural if natural in weak else weak[0]

    # derivatives of switching functions -----------------------------------------------------------------------------
    def sign(self, state: State, k: int, order: int, a: np.ndarray | None = None, scale: float = 0.0) -> float:
        """The sign of a derivative of a switching function along the motion, ahead; 0 where it vanishes.

        Rates and accelerations are known to rounding of the largest of them, as a state is where g itself is judged.

        scale  below a part of which it counts as zero, beside its own terms
        """
        if order > 1 and k in self.pieces.of_force:
            return 0.0
        if self.pieces.in_forces and order > (1 if self.pieces.of_rates[k] else 2):
            return 0.0  # there are no formulas of how accelerations change
        slopes, rates = self._slopes_and_rates(state, k, order, a)
        terms = slopes * rates
        if abs(terms.sum()) <= max(SMALL * max(np.abs(terms).sum(), scale), NEAR * np.abs(slopes) @ _sizes(rates)):
            return 0.0
        return float(np.sign(terms.sum()) * self.ahead**order)

    def derivative(self, state: State, k: int, order: int, a: np.ndarray | None = None) -> float:
        """A derivative of a switching function by time along the motion."""
        if self.pieces.in_forces and order == 2 and self.pieces.of_rates[k]:
            return self._bend(state, k)
        slopes, rates = self._slopes_and_rates(state, k, order, a)
        return float((slopes * rates).sum())

    def _slopes_and_rates(
        self, state: State, k: int, order: int, a: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Factors of the terms of a derivative: slopes by time, positions and rates, and (1, q̇, q̈)."""
        if order == 1:
            slopes, felt = self.standing.slope(state, k), self.pieces.of_rates[k]
        elif self.pieces.in_forces:
            slopes, felt = self.pieces.one_by_one.slopes(k, state.inputs, order), True
        else:
            slopes, felt = self._derivative(self.standing.program(state), k, order)[1](state.inputs), True
        if a is None or not felt:
            a = self.standing.acceleration(state) if felt else np.zeros(len(state.q))
        return slopes, np.concatenate([[1.0], state.v, a])

    def _bend(self, state: State, k: int) -> float:
        """g̈ of a switching function of rates in a large system, from ġ a moment before and after."""
        a, τ = self.standing.acceleration(state), SOON * max(1.0, abs(state.t))

        def there(τ: float) -> float:
            moved = replace(state, t=state.t + τ, q=state.q + τ * state.v + τ**2 / 2 * a, v=state.v + τ * a)
            return self.derivative(moved, k, 1)

        return (there(τ) - there(-τ)) / (2 * τ)

    def _derivative(self, program: Program, k: int, order: int) -> tuple[Expression, Evaluator]:
        """The derivative one order below as a function of the state, and its slopes by time, positions and rates."""
        key, known = (program, k, order), self._derivatives
        if key not in known:
            last = self.pieces.switches[k].g if order == 2 else self._derivative(program, k, order - 1)[0]
            along = as_expression(substitute(as_expression(rate(last)), _solution(program)))
            inputs = self.pieces.system.inputs
            slopes = Evaluator(jacobian([along], inputs[: 1 + 2 * len(program.acceleration)])[0], inputs)
            known[key] = along, slopes
        return known[key]


def _sizes(rates: np.ndarray) -> np.ndarray:
    """Of what size (1, q̇, q̈) count, as far as rounding goes: the largest rate, the largest acceleration."""
    n = len(rates) // 2
    return np.repeat([1.0, *np.abs(rates[1:].reshape(2, n)).max(axis=1, initial=0.0)], [1, n, n])


def _solution(program: Program) -> dict[Any, Expression]:
    return dict(zip(program.system.accelerations, program.acceleration, strict=True))


class Question:
    """Which of the possible choices at a state are motions."""

    deciding: Deciding
    state: State
    modes: dict[Symbol, float]
    g: np.ndarray
    open_: list[int]

    def __init__(
        self, deciding: Deciding, state: State, modes: dict[Symbol, float], g: np.ndarray, open_: list[int]
    ) -> None:
        self.deciding, self.state, self.modes, self.g, self.open_ = deciding, state, modes, g, open_
        self._known: dict[Choice, tuple[State, np.ndarray]] = {}
        self._rates: dict[Choice, np.ndarray] = {}
        self._judged: dict[Choice, bool | None] = {}
        self._held: dict[Choice, tuple[float, np.ndarray]] = {}  # of those that slide: what is spare, and q̈

    def at(self, choice: Choice) -> tuple[State, np.ndarray]:
        """The state on chosen sides, and its acceleration."""
        if choice not in self._known:
            modes = dict(self.modes)
            for k, side in zip(self.open_, choice, strict=True):
                mode = self.deciding.pieces.switches[k].mode
                modes[mode] = self.deciding._sides(k, self.g[k])[int(side > 0)]
                if mode in self.deciding.pieces.held:
                    modes[self.deciding.pieces.held[mode].flag] = float(side == 0)
            self.deciding._nested(self.state, modes, self.open_)
            here = self.deciding.standing.state(self.state, modes)
            self._known[choice] = here, self.deciding.standing.acceleration(here)
        return self._known[choice]

    def rates(self, choice: Choice) -> np.ndarray:
        """ġ of all switches there, ahead."""
        if choice not in self._rates:
            self._rates[choice] = self._rate(*self.at(choice))
        return self._rates[choice]

    def consistent(self, choice: Choice) -> bool | None:
        """Whether the motion on chosen sides goes to these sides; None if it stays on a switch as far as one can see."""
        if choice not in self._judged:
            self._judged[choice] = self._consistent(choice)
        return self._judged[choice]

    def _consistent(self, choice: Choice) -> bool | None:
        sure: bool | None = True
        here, a = self.at(choice)
        for j, (k, side) in enumerate(zip(self.open_, choice, strict=True)):
            constant = self.deciding._constant(k, self.state, here.parameters)
            if constant is not None:
                if (side > 0) != (constant >= self.deciding._sides(k, self.g[k])[1]):
                    return False
                continue
            for order in range(1, ORDERS + 1):
                scale = 0.0
                if order == 1 and self.deciding.pieces.of_rates[k]:
                    scale = float(abs(self._across(choice, j)[k]) + abs(self.rates(choice)[k]))
                sign = self.deciding.sign(here, k, order, a, scale)
                if sign:
                    break
            else:
                sure = None
                continue
            if sign != side:
                return False
        return sure

    def _rate(self, state: State, a: np.ndarray) -> np.ndarray:
        """ġ of all switches, ahead."""
        return self.deciding.ahead * (self.deciding.standing.slopes(state) @ np.concatenate([[1.0], state.v, a]))

    def possible(self, choice: Choice) -> bool:
        """Whether a choice is a motion, or none is seen that it would contradict."""
        return self.slides(choice) if 0.0 in choice else self.consistent(choice) is not False

    def slides(self, choice: Choice) -> bool:
        """Whether the motion can slide along the switches that are 0 in a choice, and goes to the chosen sides of others."""
        pieces = self.deciding.pieces
        places = [j for j, side in enumerate(choice) if side == 0]
        which = [self.open_[j] for j in places]
        if not all(pieces.of_rates[k] and k not in pieces.of_force for k in which):
            return False
        if not self.can_hold(which):
            return False

        def with_high(high: Sequence[int]) -> Choice:
            return tuple(side or (1.0 if j in high else -1.0) for j, side in enumerate(choice))

        low_state, low = self.at(with_high([]))
        ends = [self.at(with_high([j])) for j in places]
        signs = [pieces.switches[k].mode for k in pieces.of_force]
        if any(here.parameters[mode] != low_state.parameters[mode] for here, _ in ends for mode in signs):
            raise Undecided(
                f"the constraint would pull on one side of {self.deciding.standing.words(which)} and push on the other"
            )
        high = [a for _, a in ends]
        r = self.rates(with_high([]))
        G = np.array([self._rate(low_state, a) - r for a in high]).T
        inner = G[which]
        scale = np.abs(inner).max(initial=0.0)
        if not (np.all(np.diag(inner) < 0) and abs(np.linalg.det(inner)) > SMALL * scale ** len(which)):
            return False
        β = np.linalg.solve(inner, -r[which])
        if not np.all((β >= -SMALL) & (β <= 1 + SMALL)):
            return False
        together = low + β @ (np.array(high) - low)
        if len(which) > 1:
            all_high = self.at(with_high(places))[1]
            off = np.abs(all_high - low - (np.array(high) - low).sum(axis=0)).max()
            if off > SMALL * (np.abs(all_high).max() + np.abs(low).max() + np.abs(high).max()):
                said = self.deciding.standing.words(which)
                raise Undecided(f"what holds the motion on {said} is not the sum of its parts")
        for j, (k, side) in enumerate(zip(self.open_, choice, strict=True)):
            scale = self.turn(choice, j) if side and pieces.of_rates[k] else 0.0
            sign = self.deciding.sign(low_state, k, 1, together, scale) if side else 0.0
            if sign and sign != side:
                return False
        self._held[choice] = float(np.minimum(β, 1 - β).min()), together
        return True

    def turn(self, choice: Choice, j: int) -> float:
        """Of what size ġ of a switch is on its two sides, with all that holds on their lower ones."""
        low, k = tuple(side or -1.0 for side in choice), self.open_[j]
        return float(abs(self.rates(low)[k]) + abs(self._across(low, j)[k]))

    def _across(self, choice: Choice, j: int) -> np.ndarray:
        """ġ of all switches on the other side of one of them."""
        return self.rates((*choice[:j], -choice[j], *choice[j + 1 :]))

    def one_motion(self, choices: Sequence[Choice]) -> bool:
        """Whether the motion is the same however it is held, as where friction acts in all hinges of a loop."""
        found = np.array([self._held[choice][1] for choice in choices])
        scale = max(float(np.abs(a).max()) for _, a in self._known.values())
        return float(np.ptp(found, axis=0).max()) <= SMALL * scale

    def spare(self, choice: Choice) -> float:
        """How far what holds a motion is from its limits, as a part of them."""
        return self._held[choice][0]

    def can_hold(self, which: Sequence[int]) -> bool:
        """Whether switches may hold the motion together: their modes act by forces alone, and on none of their functions."""
        pieces = self.deciding.pieces
        modes = {pieces.switches[k].mode for k in which}
        return all(pieces.switches[k].mode in pieces.held and modes.isdisjoint(pieces.inner[k]) for k in which)
