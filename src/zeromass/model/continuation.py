"""Assembling by small steps: from where the constraints hold and nothing is prescribed to the prescribed values.

A mechanism whose angles are asked for far from where it is drawn has several ways to close, and steps of Gauss–Newton from
afar may find any of them, or none. Values that change little by little lead along one branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from zeromass.errors import StartError
from zeromass.expression import Expression
from zeromass.model.solving import Numbers, StartEquations

NEAR = 12
"""Gauss–Newton steps in which a solution that is near is reached."""

FINEST = 64
"""Parts into which the way is cut at most."""

CLOSE = 1e-9
"""Residual, as part of its terms, with which a point on the way will do: the last solution goes to rounding."""


def followed(
    equations: StartEquations,
    guess: np.ndarray,
    known: Sequence[float],
    fixed: Mapping[Expression, float],
    prescribed: Sequence[float],
) -> np.ndarray | None:
    """A point near to a solution with prescribed values; None where no way leads there.

    The way is gone in one step, or in 2, 4, … ones.
    """
    try:
        begin, _ = Numbers(equations, known, {}, ()).solution(guess)
    except StartError:
        return None
    if not fixed and not len(prescribed):
        return begin
    places = [k for k, x in enumerate(equations.unknowns) if x in fixed]
    names = [equations.unknowns[k] for k in places]
    asked = np.array([*[fixed[x] for x in names], *prescribed])
    values = equations.values(np.concatenate([begin, np.array(known, dtype=float)]))[len(equations.constraints) :]
    first = np.concatenate([begin[places], values])
    parts = 1
    while parts <= FINEST:
        x: np.ndarray | None = begin
        for k in range(1, parts + 1):
            now = first + (asked - first) * (k / parts)
            x = _next(equations, x, known, dict(zip(names, now, strict=False)), now[len(names) :])
            if x is None:
                break
        else:
            return x
        parts *= 2
    return None


def _next(
    equations: StartEquations,
    x: np.ndarray,
    known: Sequence[float],
    fixed: Mapping[Expression, float],
    prescribed: np.ndarray,
) -> np.ndarray | None:
    """The solution near to a point, with values that differ a little; None where it is not near."""
    numbers = Numbers(equations, known, fixed, list(prescribed))
    start = np.where(numbers.varied, x, [fixed.get(name, 0.0) for name in equations.unknowns])
    point = numbers.at(start)
    unit = numbers.terms(
        point, numbers.sizes(point), least=1.0
    )  # terms that vanish in the reference pose grow on the way
    reached = numbers.gauss_newton(point, unit, NEAR)
    return reached.point.x if reached.error <= CLOSE else None
