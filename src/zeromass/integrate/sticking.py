"""Which of many switches hold a motion, and to which sides of others it goes: one problem of complementarity.

Dry friction in every joint of a chain leads to it. With what holds the motion as a force along ∂g/∂q̇,

    ġ = r + W c β,   0 ≤ β ≤ 1:   β = 0 where ġ < 0,   β = 1 where ġ > 0,   ġ = 0 between,

and W = A M⁻¹ Aᵀ on the constraints. Where c < 0 there is one ġ, and where the rows of A are independent one β. It is found
by pivots in blocks [JP1994]: with a guess of what holds the motion is evaluated once, and everything that contradicts the
guess changes at once; where that goes round in a circle, one thing at a time. Rows that depend on one another, as where
friction acts in all hinges of a loop, never hold together: what holds is then one of many solutions, of one motion.

The code of a large motion is for all that holds, and evaluates a guess as it is. That of a small one is for a motion on
pieces alone: its accelerations on the lower and the upper side of each switch make that of every guess, for they are added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zeromass.equation.rank import rank_of
from zeromass.integrate.deciding import LOST, SMALL, Choice, Question, Undecided
from zeromass.model import State

PATIENCE = 3
"""Changes of all that contradicts a guess that need not make it less."""

ROUNDS = 4
"""Evaluations for each switch after which there is no solution."""


@dataclass(frozen=True)
class _Guess:
    """A guess of the sides, the state with it, its acceleration, and places at which it is wrong, with what is right."""

    choice: Choice
    state: State
    a: np.ndarray
    wrong: dict[int, float] = field(default_factory=dict)


def sides(question: Question, natural: Choice, *, fresh: bool) -> Choice:
    """The side of each switch in question, 0 where it holds the motion.

    natural  the sides on which the motion was, and those that it has gone to
    fresh    whether there was no motion before
    """
    looks: _Looks = _Large(question) if question.deciding.pieces.in_forces else _Small(question)
    holds = looks.holds
    choice = tuple(0.0 if can and fresh else side for can, side in zip(holds, natural, strict=True))
    said = question.deciding.standing.words
    best, patience = len(natural) + 1, PATIENCE
    for _ in range(ROUNDS * (len(natural) + PATIENCE)):
        guess = looks.at(choice)
        if guess is None:  # too many hold at once: from none of them on, what holds another motion comes one by one
            if patience < 0:
                break
            choice, patience = tuple(side or 1.0 for side in natural), -1
            continue
        if not guess.wrong:
            if fresh:
                _check_alone(looks, guess)
            return guess.choice
        if patience >= 0 and len(guess.wrong) < best:
            best, patience = len(guess.wrong), PATIENCE
        elif patience > 0:
            patience -= 1
        last = max(guess.wrong)
        changes = guess.wrong if patience > 0 else {last: guess.wrong[last]}
        choice = tuple(changes.get(j, side) for j, side in enumerate(choice))
    raise Undecided(f"no motion goes on to either side of, or along, {said(question.open_)}")


class _Looks(ABC):
    """Guesses of the sides, looked at.

    holds  of each switch, whether it can hold the motion: what it does on its two sides pushes towards it
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.holds: list[bool] = [self._holds(j) for j in range(len(question.open_))]

    @abstractmethod
    def _holds(self, j: int) -> bool: ...

    @abstractmethod
    def at(self, choice: Choice) -> _Guess | None:
        """A guess of the sides, looked at; None where rows that hold the motion depend on one another."""

    @abstractmethod
    def sign(self, guess: _Guess, j: int) -> float:
        """Where a switching function goes by its first derivative that does not vanish; 0 if none is seen."""

    def _judged(self, guess: _Guess) -> _Guess:
        """The guess with those places that do not go to their sides among what is wrong."""
        for j, side in enumerate(guess.choice):
            if side and (sign := self.sign(guess, j)) and sign != side:
                guess.wrong[j] = 0.0 if self.holds[j] else -side
        return guess


class _Large(_Looks):
    """By code that is for all that holds."""

    def _holds(self, j: int) -> bool:
        question = self.question
        pieces, k = question.deciding.pieces, question.open_[j]
        held = pieces.held.get(pieces.switches[k].mode)
        if held is None:
            return False
        if held.c.value is not None:
            return held.c.value < 0
        here, _ = question.at(_low(question))
        return question.deciding.standing.watching(here)[held.c] < 0

    def at(self, choice: Choice) -> _Guess | None:
        deciding, open_ = self.question.deciding, self.question.open_
        pieces, standing = deciding.pieces, deciding.standing
        here, a = self.question.at(choice)
        held = [j for j, side in enumerate(choice) if side == 0]
        if held and not standing.growth(here) < LOST:
            return None
        guess = _Guess(choice, here, a)
        if held:
            values = standing.watching(here)
            for j in held:
                mode, margin = pieces.switches[open_[j]].mode, here.parameters[pieces.switches[open_[j]].margin]
                above, below = (values[e] - margin for e in pieces.held[mode].leaving)
                if above < -SMALL or below < -SMALL:
                    guess.wrong[j] = -1.0 if above < below else 1.0
        return self._judged(guess)

    def sign(self, guess: _Guess, j: int) -> float:
        question = self.question
        deciding, k, here, a = question.deciding, question.open_[j], guess.state, guess.a
        if not deciding.pieces.of_rates[k]:
            return deciding.sign(here, k, 1, a) or deciding.sign(here, k, 2, a)
        slopes = deciding.standing.slope(question.state, k)  # of modes it knows nothing
        terms = slopes * np.concatenate([[1.0], here.v, a])
        if np.sign(terms.sum()) * deciding.ahead == guess.choice[j]:
            return guess.choice[j]
        others = question.at(_with(guess.choice, j, -guess.choice[j])), question.at(_low(question))
        rates = [abs(slopes @ np.concatenate([[1.0], here.v, b])) for _, b in others]
        if abs(terms.sum()) <= SMALL * max(float(np.abs(terms).sum()), sum(rates)):
            return 0.0
        return float(np.sign(terms.sum()) * deciding.ahead)


class _Small(_Looks):
    """By the accelerations on all lower sides, and with one upper side at a time: q̈ = q̈₀ + Σ βᵢ (q̈ᵢ − q̈₀)."""

    def _holds(self, j: int) -> bool:
        pieces, k = self.question.deciding.pieces, self.question.open_[j]
        if not pieces.of_rates[k] or k in pieces.of_force:
            return False
        return self.question.can_hold([k]) and self._added[1][j, j] < 0

    @cached_property
    def _added(self) -> tuple[np.ndarray, np.ndarray]:
        """What the upper side of each switch adds to the accelerations, shape (k, n), and to the rates ġ, (k, k)."""
        question, count = self.question, len(self.question.open_)
        low = _low(question)
        state, a = question.at(low)
        more = np.array([question.at(_with(low, j, 1.0))[1] - a for j in range(count)])
        everything = question.at((1.0,) * count)[1]
        scale = np.abs(everything).max() + np.abs(a).max() + np.abs(more).max()
        if np.abs(everything - a - more.sum(axis=0)).max() > SMALL * scale:
            said = question.deciding.standing.words(question.open_)
            raise Undecided(f"{count} formulas switch at once, and what they do is not the sum of their parts: {said}")
        rates = np.array([question._rate(state, a + one) for one in more]) - question.rates(low)
        return more, rates[:, question.open_].T

    def at(self, choice: Choice) -> _Guess | None:
        low = _low(self.question)
        state, a = self.question.at(low)
        more, G = self._added
        r = self.question.rates(low)[self.question.open_]
        held = [j for j, side in enumerate(choice) if side == 0]
        β = np.array([float(side > 0) for side in choice])
        guess = _Guess(choice, state, a)
        if held:
            inner = G[np.ix_(held, held)]
            if rank_of(inner) < len(held):
                return None
            β[held] = np.linalg.solve(inner, -(r + G @ β)[held])
            guess.wrong.update({j: -1.0 if β[j] < 0.5 else 1.0 for j in held if abs(β[j] - 0.5) > 0.5 + SMALL})
        return self._judged(_Guess(choice, state, a + β @ more, guess.wrong))

    def sign(self, guess: _Guess, j: int) -> float:
        deciding, k = self.question.deciding, self.question.open_[j]
        if not deciding.pieces.of_rates[k]:
            return deciding.sign(guess.state, k, 1, guess.a) or deciding.sign(guess.state, k, 2, guess.a)
        scale = abs(float(self._added[1][j, j])) + abs(float(self.question.rates(_low(self.question))[k]))
        sign = deciding.sign(guess.state, k, 1, guess.a, scale)
        if sign or 0.0 in guess.choice:
            return sign
        here, a = self.question.at(guess.choice)  # on its way from one that holds it to the next
        return deciding.sign(here, k, 2, a)


def _low(question: Question) -> Choice:
    """All on their lower sides: what moves there tells of what size rates are."""
    return tuple(-1.0 for _ in question.open_)


def _with(choice: Choice, j: int, side: float) -> Choice:
    return *choice[:j], side, *choice[j + 1 :]


def _check_alone(looks: _Looks, guess: _Guess) -> None:
    """That no motion goes to the other side of a switch as well, where both sides push away from it."""
    question = looks.question
    for j, side in enumerate(guess.choice):
        if side and not looks.holds[j] and looks.sign(guess, j):
            across = looks.at(_with(guess.choice, j, -side))
            if across is not None and not across.wrong:
                said = question.deciding.standing.words([question.open_[j]])
                raise Undecided(
                    f"several motions go on from a switch, to either side of {said}; begin on the one that is meant"
                )
