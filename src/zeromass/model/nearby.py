"""The consistent state nearest to data that is rounded, as published data is.

min Σ (e(x) − value)²   with the constraints and what is prescribed exactly satisfied
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.inverse import moore_penrose
from zeromass.expression import Evaluator, Expression, jacobian
from zeromass.model.solving import Numbers, StartEquations

if TYPE_CHECKING:
    from zeromass.model.system import System

ROUNDS = 100
"""Gauss–Newton steps at most."""

STILL = 1e-13
"""Length of a step, as part of the point's, that changes nothing any more."""


def nearest(
    system: System,
    level: int,
    equations: StartEquations,
    near: Mapping[Expression, float],
    guess: np.ndarray,
    known: Sequence[float],
    fixed: Mapping[Expression, float],
    prescribed: Sequence[float],
) -> np.ndarray:
    """The solution of the equations at which expressions are nearest to given values, from a solution of the equations.

    What is left stays as near to the guess as it can.
    """
    unknowns = system.rates if level else system.coordinates
    e = list(near)
    wanted = np.array([near[one] for one in e])
    inputs = [*unknowns, *equations.known]
    values, slopes = Evaluator(e, inputs), Evaluator(jacobian(e, unknowns), inputs)
    numbers = Numbers(equations, known, fixed, prescribed)
    x, rest = guess.copy(), np.array(known, dtype=float)
    length = 1.0
    for _ in range(ROUNDS):
        at = numbers.at(x)
        inside = np.concatenate([x, rest])
        J, E = at.J[:, numbers.varied], slopes(inside)[:, numbers.varied]
        decision = numerical_rank(J)
        onto = -moore_penrose(decision) @ at.r  # back to the equations
        N = decision.null_space
        along = N @ (np.linalg.pinv(E @ N) @ (wanted - values(inside) - E @ onto))
        step = np.zeros_like(x)
        step[numbers.varied] = onto + length * along
        size = np.linalg.norm(step)
        x = x + step
        after = np.linalg.norm(values(np.concatenate([x, rest])) - wanted)
        if size <= STILL * (1.0 + np.linalg.norm(x)):
            break
        if not after <= 1.5 * np.linalg.norm(values(inside) - wanted) + np.linalg.norm(at.r):
            length = max(0.5 * length, 0.05)
    return x
