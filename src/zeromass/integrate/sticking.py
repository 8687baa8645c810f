"""Which of many switches hold a large motion, and to which sides of others it goes: one problem of complementarity.

Dry friction in every joint of a chain leads to it. With what holds the motion as a force along ∂g/∂q̇,

    ġ = r + W c β,   0 ≤ β ≤ 1:   β = 0 where ġ < 0,   β = 1 where ġ > 0,   ġ = 0 between,

and W = A M⁻¹ Aᵀ on the constraints. Where c < 0 there is one ġ, and where the rows of A are independent one β. It is found
by pivots in blocks [JP1994]: with a guess of what holds the motion is evaluated once, and everything that contradicts the
guess changes at once; where that goes round in a circle, one thing at a time. Rows that depend on one another, as where
friction acts in all hinges of a loop, never hold together: what holds is then one of many solutions, of one motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.integrate.deciding import SMALL, Choice, Question, Undecided
from zeromass.model import State

PATIENCE = 3
"""Changes of all that contradicts a guess that need not make it less."""

ROUNDS = 4
"""Evaluations for each switch after which there is no solution."""

LOST = 1e12
"""Growth of pivots from which on rows that hold a motion depend on one another."""


@dataclass(frozen=True)
class _Guess:
    """A guess of the sides, the state with it, its acceleration, and places at which it is wrong, with what is right."""

    choice: Choice
    state: State
    a: np.ndarray
    wrong: dict[int, float]


def sides(question: Question, natural: Choice, *, fresh: bool) -> Choice:
    """The side of each switch in question, 0 where it holds the motion.

    natural  the sides on which the motion was, and those that it has gone to
    fresh    whether there was no motion before
    """
    holds = [_holds(question, j) for j in range(len(natural))]
    choice = tuple(0.0 if can and fresh else side for can, side in zip(holds, natural, strict=True))
    said = question.deciding.standing.words
    best, patience = len(natural) + 1, PATIENCE
    for _ in range(ROUNDS * (len(natural) + PATIENCE)):
        guess = _looked(question, choice, holds)
        if guess is None:  # too many hold at once: from none of them on, what holds another motion comes one by one
            if patience < 0:
                break
            choice, patience = tuple(side or 1.0 for side in natural), -1
            continue
        if not guess.wrong:
            if fresh:
                _check_alone(question, guess, holds)
            return guess.choice
        if patience >= 0 and len(guess.wrong) < best:
            best, patience = len(guess.wrong), PATIENCE
        elif patience > 0:
            patience -= 1
        last = max(guess.wrong)
        changes = guess.wrong if patience > 0 else {last: guess.wrong[last]}
        choice = tuple(changes.get(j, side) for j, side in enumerate(choice))
    raise Undecided(f"no motion goes on to either side of, or along, {said(question.open_)}")


def _holds(question: Question, j: int) -> bool:
    """Whether a switch can hold the motion: what it does on its two sides pushes towards it."""
    pieces, k = question.deciding.pieces, question.open_[j]
    held = pieces.held.get(pieces.switches[k].mode)
    if held is None:
        return False
    if held.c.value is not None:
        return held.c.value < 0
    here, _ = question.at(_low(question))
    return question.deciding.standing.watching(here)[held.c] < 0


def _looked(question: Question, choice: Choice, holds: Sequence[bool]) -> _Guess | None:
    """A guess of the sides, looked at; None where rows that hold the motion depend on one another."""
    deciding, open_ = question.deciding, question.open_
    pieces, standing = deciding.pieces, deciding.standing
    here, a = question.at(choice)
    held = [j for j, side in enumerate(choice) if side == 0]
    if held and not standing.growth(here) < LOST:
        return None
    wrong: dict[int, float] = {}
    if held:
        values = standing.watching(here)
        for j in held:
            mode, margin = pieces.switches[open_[j]].mode, here.parameters[pieces.switches[open_[j]].margin]
            above, below = (values[e] - margin for e in pieces.held[mode].leaving)
            if above < -SMALL or below < -SMALL:
                wrong[j] = -1.0 if above < below else 1.0
    guess = _Guess(choice, here, a, wrong)
    for j, side in enumerate(choice):
        if side and (sign := _sign(question, guess, j)) and sign != side:
            wrong[j] = 0.0 if holds[j] else -side
    return guess


def _low(question: Question) -> Choice:
    """All on their lower sides: what moves there tells of what size rates are."""
    return tuple(-1.0 for _ in question.open_)


def _with(choice: Choice, j: int, side: float) -> Choice:
    return *choice[:j], side, *choice[j + 1 :]


def _sign(question: Question, guess: _Guess, j: int) -> float:
    """Where a switching function goes by its first derivative that does not vanish; 0 if none is seen."""
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


def _check_alone(question: Question, guess: _Guess, holds: Sequence[bool]) -> None:
    """That no motion goes to the other side of a switch as well, where both sides push away from it."""
    for j, side in enumerate(guess.choice):
        if side and not holds[j] and _sign(question, guess, j):
            across = _looked(question, _with(guess.choice, j, -side), holds)
            if across is not None and not across.wrong:
                said = question.deciding.standing.words([question.open_[j]])
                raise Undecided(
                    f"several motions go on from a switch, to either side of {said}; begin on the one that is meant"
                )
