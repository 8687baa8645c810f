"""Starts in a singular position: rows of A that depend on one another there, and beside it do not.

With U and N the dependencies among the rows and the tangents there, the rows stay dependent along a tangent w if

    K(w) = Uᵀ (∂A/∂q · w) N = 0.

If that holds for every w, some constraints repeat others, and nothing is wrong. If it does not, several motions go on from
there, or a constraint has no gradient where it holds, as x² = 0 has none: no acceleration keeps it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import negligible
from zeromass.model import State

AT = 1e-5
"""Part of their size beside a start below which rows, or combinations of them, may be gone: a start that was solved for
where a gradient vanishes is off by the root of rounding."""

REACH = 1e-3
"""Furthest that a singular position may be from a start, by the turn of its rows, for the start to be at it."""

BESIDE, APART = 1e-2, 1e-6
"""Displacements that tell how large rows are beside a start, and how they turn."""

TURNING = 1e-4
"""A turn of dependent rows, relative to their own, that is more than the error of such a difference."""

Rows = Callable[[np.ndarray, float], np.ndarray]
"""Constraint rows of unit size at a displacement of the coordinates and of time."""


def branching_at(start: State) -> str | None:
    """Why no motion can begin at a start because it is a singular position, and what to do; None if it is none."""
    A = start.matrices.A
    if not A.size:
        return None
    rows = _rows(start)
    here = rows(np.zeros(A.shape[1]), 0.0)
    decision = numerical_rank(here, tolerance=AT, largest=1.0, equilibrate=False)
    if decision.rank == len(A):
        return None
    U, N = decision.left[:, decision.rank :], decision.right[:, decision.rank :]

    def turn(w: np.ndarray, time: float = 0.0) -> np.ndarray:
        return (rows(APART * w, APART * time) - rows(-APART * w, -APART * time)) / (2 * APART)

    turns = [turn(N @ _generic(N.shape[1])), turn(np.zeros(A.shape[1]), 1.0)] if N.size else []
    weak = np.array([np.abs(U.T @ K @ N).max(axis=1, initial=0.0) for K in turns])
    left = float(decision.singular_values[decision.rank :].max(initial=0.0))
    sizes = np.array([max(1.0, float(np.abs(K).max()), left / (REACH * TURNING)) for K in turns])
    if not weak.size or np.all(negligible(weak, sizes[:, None], TURNING)):
        return None
    return _words(start, here, U, N, turn)


def _rows(start: State) -> Rows:
    """Rows in units of the coordinates, and each as large as 1 at the start or beside it."""
    system, n = start.system, len(start.q)

    def plain(displacement: np.ndarray, time: float) -> np.ndarray:
        inputs = start.inputs.copy()
        inputs[0] += time
        inputs[1 : n + 1] += displacement
        return np.nan_to_num(system.matrices(inputs)[2], posinf=0.0, neginf=0.0)

    w = BESIDE * _generic(n)
    largest = np.max([np.abs(plain(x, 0.0)) for x in (0 * w, w, -w)], axis=0)
    units = numerical_rank(largest).column_scale
    units = units / units.max()
    sizes = (largest * units).max(axis=1)
    sizes[sizes == 0] = 1.0
    return lambda displacement, time: plain(units * displacement, time) * units / sizes[:, None]


def _generic(n: int) -> np.ndarray:
    """A direction that no mechanism is made along."""
    return np.cos(np.arange(1, n + 1) ** 2)


def _words(start: State, here: np.ndarray, U: np.ndarray, N: np.ndarray, turn: Callable[..., np.ndarray]) -> str:
    rows = start.system.rows
    forms = np.array([U.T @ turn(w) @ N for w in N.T])  # (w, dependency, tangent)
    flat = [i for i in np.flatnonzero(np.abs(U).max(axis=1) > 0.5) if not np.abs(here[i]).max() > AT]
    for i in flat:
        form = np.einsum("wdt,d->wt", forms, U[i])
        values = np.linalg.eigvalsh((form + form.T) / 2)
        if not values.min() < -TURNING * np.abs(values).max() < TURNING * np.abs(values).max() < values.max():
            return (
                f"the constraint '{rows[i].name}' has no gradient where it holds, as x**2 has none at x = 0, so that no "
                "force keeps it; write it with a gradient, such as x instead of x**2"
            )
    shares = np.abs(U).max(axis=1)
    names = ", ".join(dict.fromkeys(rows[i].group for i in np.flatnonzero(shares > 0.01)))
    resting = not np.any(start.v)
    which = "it is not determined which of them begins" if resting else "their rates alone do not tell them apart"
    return (
        f"the start is a singular position: the constraints {names} depend on one another here and not beside it, several "
        f"motions go on from here, and {which}; prescribe a start beside this position, on the branch that is meant"
    )
