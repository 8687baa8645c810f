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
from zeromass.integrate.segment import Samples, asked
from zeromass.integrate.survey import PLACES, survey

MANY = 100
"""Steps from which on it is worth while to look at them roughly before."""

DOUBTED = 2.0
"""How many times what polynomials leave out, as their coefficients tell it, they may be off."""

OFF, MOVING, FOREIGN = 0.1, 2.0, 10.0
"""What values of a survey may be off by, in units of the tolerance: by its states, by its accelerations, and where the run
has a method whose states between steps are less exact than those of collocation."""

RISE = 4.0
"""How many times the drop from the largest of its values to those beside it a function may rise above it: one through three
places as those in a step rises by at most 0.9 times as much."""

PARTS = 32
"""Of a step, at whose ends its polynomial is looked at first."""

FEW = 4
"""Steps of which it is not worth while to know the tops of their polynomials better."""

STEEP = 64.0
"""How many times its error that of the slope of a polynomial may be: the square of its degree."""

CLOSER = 3
"""Steps of Newton's method from the best of these to the top of the polynomial."""


class Peaks(NamedTuple):
    """Steps in which an expression may be largest, the most likely first.

    steps   their numbers
    times   of the tops of its polynomials in them
    tops    values of the polynomials there
    errors  what these may be off by
    hidden  how much higher the expression may be than it is at these times
    """

    steps: np.ndarray
    times: np.ndarray
    tops: np.ndarray
    errors: np.ndarray
    hidden: np.ndarray


class Rough(NamedTuple):
    """Some expressions along a run.

    t       ends of the steps, shape (k + 1,)
    nodes   values at the beginning of each step and at `PLACES` in it, shape (k, 9, expressions)
    off     what these may be off by, relative to their size
    """

    t: np.ndarray
    nodes: np.ndarray
    off: float

    def of(self, k: int) -> Rough:
        """The same of one of the expressions."""
        return Rough(self.t, self.nodes[:, :, k : k + 1], self.off)

    @property
    def may_be_negative(self) -> bool:
        """Whether a value may be below zero somewhere, between the places too."""
        return len(_peaks(self.t, -self.nodes[:, :, 0], self.off, 0.0).steps) > 0

    @property
    def peaks(self) -> Peaks:
        """Where the first of them may be largest."""
        return _peaks(self.t, self.nodes[:, :, 0], self.off)


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
    moving = asked(segment.equations, e)[1]
    own = segment.settings.method == "collocation"
    off = FOREIGN if not own else MOVING if moving else OFF
    return Rough(segment.t, nodes, off * segment.settings.rtol) if np.isfinite(nodes).all() else None


def _peaks(t: np.ndarray, nodes: np.ndarray, off: float, least: float = -np.inf) -> Peaks:
    """Steps in which a function may reach its largest value, or `least` where that is more; nodes of shape (k, 9)."""
    each, top = np.arange(len(nodes)), np.argmax(nodes, axis=1)
    most = nodes[each, top]
    beside = np.minimum(nodes[each, np.maximum(top - 1, 0)], nodes[each, np.minimum(top + 1, len(_NODES) - 1)])
    least = max(least, float(most.max()))
    steps = np.flatnonzero(most + RISE * (most - beside) >= least - off * abs(least))
    c = nodes[steps] @ _COEFFICIENTS.T
    values, errors = c @ _GRID, _errors(c) + off * np.abs(most[steps])
    best, each = np.clip(np.argmax(values, axis=1), 1, PARTS - 1), np.arange(len(steps))
    tops, beside = values.max(axis=1), np.minimum(values[each, best - 1], values[each, best + 1])
    drops = np.maximum(values[each, best] - beside, 0.0)
    kept = tops + drops + errors >= least - off * abs(least)
    c, errors, tops = c[kept], errors[kept], tops[kept]
    found = Peaks(steps[kept], best[kept] / PARTS, tops, errors, drops[kept] + errors)
    if len(tops) > FEW:
        found = _closer(found, c)
    order = np.argsort(-found.tops, kind="stable")
    times = t[found.steps] + (t[found.steps + 1] - t[found.steps]) * found.times
    return Peaks(*[x[order] for x in found._replace(times=times)])


def _closer(rough: Peaks, c: np.ndarray) -> Peaks:
    """Those whose polynomials, of coefficients c, are highest; times are still parts of steps."""
    θ, high, bend = _tops(c, rough.times)
    tops = np.maximum(high, rough.tops)
    steep = np.divide((STEEP * rough.errors) ** 2, -2 * bend, out=rough.errors.copy(), where=bend < 0)
    hidden = np.minimum(rough.errors, steep) + 8 * np.finfo(float).eps * np.abs(tops)
    kept = tops + rough.errors >= (tops - rough.errors).max()
    return Peaks(*[x[kept] for x in (rough.steps, θ, tops, rough.errors, hidden)])


def _errors(c: np.ndarray) -> np.ndarray:
    """What polynomials leave out: as much less than their last two coefficients as these are than the two before."""
    before, last = (np.abs(c[:, k : k + 2]).sum(axis=1) for k in (-4, -2))
    return DOUBTED * last * np.minimum(np.divide(last, before, out=np.ones_like(last), where=before > 0), 1.0)


def _tops(c: np.ndarray, θ: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of the tops of polynomials near θ, at most one part of the step away; their values and second derivatives."""
    low, high = np.maximum(θ - 1 / PARTS, 0.0), np.minimum(θ + 1 / PARTS, 1.0)
    slopes, bends = c @ _ONCE, c @ _TWICE
    bend = np.zeros_like(θ)
    for _ in range(CLOSER):
        P = np.array(legendre(θ, len(_NODES)))
        slope, bend = (np.einsum("kj,jk->k", x, P) for x in (slopes, bends))
        step = np.divide(slope, bend, out=np.zeros_like(θ), where=bend < 0)
        θ = np.clip(θ - step, low, high)
    return θ, np.einsum("kj,jk->k", c, np.array(legendre(θ, len(_NODES)))), bend


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
