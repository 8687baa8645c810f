"""Singular positions that a run has passed through: places where constraints lose their independence for a moment.

There the growth of the pivots has a pole. Between steps it is followed on the dense output up to its peak; a peak that is
higher than any regular state could give is a passage.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import count_above
from zeromass.frozen import frozen
from zeromass.integrate.entries import all_rows, masses
from zeromass.integrate.search import Values, maxima
from zeromass.model import State, System

PROMINENT = 10.0
"""A peak of the growth at the ends of steps is looked into when it is this many times the median."""

POLE = 1e8
"""Growth that only a pole reaches."""

WEAK = 1e-3
"""Combinations of constraint rows weaker than this part of the strongest depend on one another at a passage."""

SHARE = 0.01
"""A constraint with less of a weak combination than this has no part in it."""

FADED = 0.05
"""The weakest combination of constraint rows is as good as gone with this part left of what it had at the start."""

NARROWINGS, PARTS = 24, 8
"""Rounds in which the time around a peak is narrowed, by half the parts each: they reach its rounding."""


@frozen(eq=True)
class Passage:
    """A singular position: its time, and the constraints that depend on one another there.

    span  times around one at which coordinates without mass have no finite rate, as at a flat point of a body that rolls:
          within them states change faster than a run can tell their times
    """

    t: float
    constraints: tuple[str, ...]
    span: tuple[float, float] | None = None


def passages(
    system: System,
    t: np.ndarray,
    growth: np.ndarray,
    growth_at: Values,
    state_at: Callable[[float], State],
    known: tuple[Passage, ...] = (),
) -> tuple[Passage, ...]:
    """The singular positions on a run, from the growth at the ends of its steps and a function for it anywhere.

    known  those that it leapt across
    """
    if len(t) < 3:
        return known
    padded = np.concatenate([[0.0], growth, [0.0]])
    seen = np.zeros(len(t), dtype=bool)  # steps with a leap, and those beside them
    for passage in known:
        ahead, ends = 1.0 if t[-1] > t[0] else -1.0, np.array(passage.span or (passage.t, passage.t))
        first, last = np.searchsorted(ahead * t, ahead * ends).tolist()
        seen[max(first - 2, 0) : last + 3] = True
    peaks = np.flatnonzero((growth >= padded[:-2]) & (growth >= padded[2:]) & (growth > PROMINENT * np.median(growth)))
    peaks = peaks[~seen[peaks]]
    ends = t[np.maximum(peaks - 1, 0)], t[np.minimum(peaks + 1, len(t) - 1)]
    places, heights = maxima(growth_at, *ends, NARROWINGS, PARTS)
    found: list[Passage] = list(known)
    for place, height in zip(places.tolist(), heights.tolist(), strict=True):
        if height > POLE and not any(abs(place - other.t) < 1e-6 for other in found):
            found.append(Passage(place, dependent(system, state_at(place))))
    return tuple(sorted(found, key=lambda passage: passage.t, reverse=bool(t[-1] < t[0])))


def weakened(start: State, state: State, left: float = FADED) -> bool:
    """Whether constraints that are independent at the start are as good as dependent at a state, measured as there.

    left  part of its strength at the start that their weakest combination may have, to be as good as gone
    """
    return bool(faded(start, state.system.matrices(state.inputs[None]).A, left)[0])


def faded(start: State, B: np.ndarray, left: float = FADED) -> np.ndarray:
    """The same of many states, given by their rows of constraints, shape (k, rows, n).

    Rows and columns are measured as they are large, there or at the start: an entry that is nearly zero in one of them, as
    of a body that has hardly turned yet, is no unit for the other.
    """
    A = start.matrices.A
    if "rank" not in start.memory:
        start.memory["rank"] = int(numerical_rank(A).rank)
    rank = start.memory["rank"]
    if not rank:
        return np.zeros(len(B), dtype=bool)
    units = numerical_rank(np.maximum(np.abs(A), np.abs(B))).locked(0)
    first, here = (numerical_rank(np.broadcast_to(rows, B.shape), rank=units) for rows in (A, B))
    σ = first.singular_values
    return np.asarray(here.at(left * σ[:, rank - 1] / σ[:, 0])) < rank


def dependent(system: System, state: State) -> tuple[str, ...]:
    """Names of the constraints with a share in the weak combinations of rows; in the weakest, if none is weak."""
    return dependents(system, state.inputs[None])[0]


def dependents(system: System, inputs: np.ndarray) -> list[tuple[str, ...]]:
    """The same of many states, given by numbers in the order of `system.inputs`, shape (k, inputs).

    Rows are compared in units of their own. Only where none are dependent there are they taken as they stand: one of them
    may vanish as a whole.
    """
    if not system.rows or not len(inputs):
        return [()] * len(inputs)
    A = all_rows(system)(inputs)
    comparable = _comparable(masses(system)(inputs)[:, 0], A)
    return [
        _weak(system, rows, WEAK) or _weak(system, rows, FADED) or _weak(system, given, WEAK, least=1)
        for given, rows in zip(A, comparable, strict=True)
    ]


def _comparable(mass: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Constraint rows in units of their own: of coordinates by their masses, of each row so that its largest entry is 1.

    Balancing the columns as well would enlarge the very ones that vanish at a passage.
    """
    massive = mass > 0.0
    logarithms = np.log(np.where(massive, mass, 1.0))
    typical = np.exp(logarithms.sum(axis=-1, keepdims=True) / np.maximum(massive.sum(axis=-1, keepdims=True), 1))
    rows = A / np.sqrt(np.where(massive, mass, typical))[:, None, :]
    size = np.abs(rows).max(axis=-1, keepdims=True)
    return rows / np.where(size > 0.0, size, 1.0)


def _weak(system: System, A: np.ndarray, part: float, least: int = 0) -> tuple[str, ...]:
    """Names of the constraints with a share in combinations of rows below a part of the strongest; in so many at least."""
    U, σ, _ = np.linalg.svd(A)
    rank = min(count_above(σ, part), len(U) - least)
    share = np.abs(U[:, rank:]).max(axis=1, initial=0.0)
    return tuple(dict.fromkeys(system.rows[i].group for i in np.flatnonzero(share > SHARE)))
