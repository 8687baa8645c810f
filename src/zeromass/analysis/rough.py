"""Where along a run an expression may be largest: from its values at nine places of each step, and the polynomials through
them.

The values are those of a survey, which needs no step to be taken again; they are off by less than the tolerance of the run.
What the polynomials are off by is told by their last coefficients. Both say where to look, and not what is found there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import expressions as of_expressions
from zeromass.integrate import Course
from zeromass.integrate.legendre import legendre
from zeromass.integrate.segment import Samples
from zeromass.integrate.survey import PLACES, survey

MANY = 100
"""Steps from which on it is worth while to look at them roughly before."""

DOUBTED = 2.0
"""How many times its last two coefficients a polynomial may be off."""

PARTS = 32
"""Of a step, at whose ends its polynomial is looked at first."""

CLOSER = 3
"""Steps of Newton's method from the best of these to the top of the polynomial."""


class Peaks(NamedTuple):
    """Steps in which an expression may be largest, the most likely first: the top of its polynomial in each of them, and
    what that may be off by."""

    steps: np.ndarray
    tops: np.ndarray
    errors: np.ndarray


class Rough(NamedTuple):
    """Some expressions along a run.

    t       ends of the steps, shape (k + 1,)
    nodes   values at the beginning of each step and at `PLACES` in it, shape (k, 9, expressions)
    """

    t: np.ndarray
    nodes: np.ndarray

    def of(self, k: int) -> Rough:
        """The same of one of the expressions."""
        return Rough(self.t, self.nodes[:, :, k : k + 1])

    @property
    def may_be_negative(self) -> bool:
        """Whether a value may be below zero somewhere, between the places too."""
        return len(_peaks(-self.nodes[:, :, 0], 0.0).steps) > 0

    @property
    def peaks(self) -> Peaks:
        """Where the first of them may be largest."""
        return _peaks(self.nodes[:, :, 0])


def rough(run: Course, expressions: Sequence[Any]) -> Rough | None:
    """Of a run; None where it is short or changes its kind, or where the values are no numbers."""
    (segment, *others), k = run.segments, len(run.t) - 1
    if others or k < MANY or segment.piece is not None or segment.program is None:
        return None
    e = of_expressions(expressions).ravel()
    nodes = np.empty((k, len(_NODES), e.size))
    for seen in survey(segment, e, projected=False):
        nodes[seen.first : seen.first + len(seen.t), 1:] = seen.values
    nodes[0, 0], nodes[1:, 0] = Samples(segment, segment.t[:1], segment.y[:1])[e][0], nodes[:-1, -1]
    return Rough(segment.t, nodes) if np.isfinite(nodes).all() else None


def _peaks(nodes: np.ndarray, least: float = -np.inf) -> Peaks:
    """Steps in which a function may reach its largest value, or `least` where that is more; nodes of shape (k, 9)."""
    most = nodes.max(axis=1)
    least = max(least, float(most.max()))
    steps = np.flatnonzero(2 * most - nodes.min(axis=1) >= least)
    coefficients = nodes[steps] @ _COEFFICIENTS.T
    errors = DOUBTED * np.abs(coefficients[:, -2:]).sum(axis=1)
    values = coefficients @ _GRID
    best = np.clip(np.argmax(values, axis=1), 1, PARTS - 1)
    each = np.arange(len(steps))
    beside = np.minimum(values[each, best - 1], values[each, best + 1])
    bound = values.max(axis=1) + np.maximum(values[each, best] - beside, 0.0) + errors
    kept = bound >= least
    steps, errors, coefficients, best = steps[kept], errors[kept], coefficients[kept], best[kept]
    tops = np.maximum(_tops(coefficients, best / PARTS), most[steps])
    order = np.argsort(-tops, kind="stable")
    return Peaks(steps[order], tops[order], errors[order])


def _tops(c: np.ndarray, θ: np.ndarray) -> np.ndarray:
    """Polynomials at their tops near θ, shape (k,), which are at most one part of the step away."""
    low, high = θ - 1 / PARTS, θ + 1 / PARTS
    for _ in range(CLOSER):
        slope, bend = (
            np.einsum("kj,jk->k", c @ matrix, np.array(legendre(θ, len(_NODES)))) for matrix in (_ONCE, _TWICE)
        )
        step = np.divide(slope, bend, out=np.zeros_like(θ), where=bend < 0)
        θ = np.clip(θ - step, low, high)
    return np.einsum("kj,jk->k", c, np.array(legendre(θ, len(_NODES))))


_NODES = np.append(0.0, PLACES)
_COEFFICIENTS = np.linalg.inv(np.array(legendre(_NODES, len(_NODES))).T)
"""Legendre's coefficients of the polynomial through values at the nodes."""
_GRID = np.array(legendre(np.arange(PARTS + 1) / PARTS, len(_NODES)))


def _derivative(count: int) -> np.ndarray:
    """Coefficients of the derivative in θ from those of a polynomial: P'_j = Σ 2 (2k + 1) P_k over k = j − 1, j − 3, …"""
    result = np.zeros((count, count))
    for j in range(count):
        for k in range(j - 1, -1, -2):
            result[j, k] = 2 * (2 * k + 1)
    return result


_ONCE = _derivative(len(_NODES))
_TWICE = _ONCE @ _ONCE
