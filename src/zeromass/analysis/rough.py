"""Where along a run an expression may be largest: from its values at nine places of each step, and the polynomials through
them.

The values are those of a survey, which needs no step to be taken again; they are off by less than the tolerance of the run.
What the polynomials are off by is told by their last coefficients. Both say where to look, and not what is found there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.analysis.peaking import NODES, Peaking, Told
from zeromass.codegen.target import host
from zeromass.expression import expressions as of_expressions
from zeromass.integrate import Course
from zeromass.integrate.course import given_course
from zeromass.integrate.search import EPSILON
from zeromass.integrate.segment import asked
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.survey import Survey

MANY = 100
"""Steps from which on it is worth while to look at them roughly before."""

OFF, MOVING, FOREIGN = 0.1, 2.0, 10.0
"""What values of a survey may be off by, in units of the tolerance: by its states, by its accelerations, and where the run
has a method whose states between steps are less exact than those of collocation."""

FEW = 4
"""Steps of which it is not worth while to know the tops of their polynomials better."""

STEEP = 64.0
"""How many times its error that of the slope of a polynomial may be: the square of its degree."""


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
    (segment, *others), k = given_course(run).segments, len(run.t) - 1
    if others or k < MANY or segment.piece is not None or segment.program is None:
        return None
    e = of_expressions(expressions).ravel()
    nodes, look = np.empty((k, len(NODES), e.size)), Survey(segment, e, projected=False)
    for first in range(0, k, look.most):
        count = min(look.most, k - first)
        look(first, count)
        some = nodes[first : first + count, 1:]
        some[:] = look.values[:count].swapaxes(2, 3).reshape(some.shape)
    nodes[0, 0], nodes[1:, 0] = look.beginning, nodes[:-1, -1]
    moving = asked(segment.equations, e)[1]
    own = segment.settings.method == "collocation"
    off = FOREIGN if not own else MOVING if moving else OFF
    return Rough(segment.t, nodes, off * segment.settings.rtol) if np.isfinite(nodes).all() else None


def _peaks(t: np.ndarray, nodes: np.ndarray, off: float, least: float = -np.inf) -> Peaks:
    """Steps in which a function may reach its largest value, or `least` where that is more; nodes of shape (k, 9)."""
    told = _told(nodes, off, max(least, float(nodes.max())))
    steps = np.flatnonzero(told[Told.highest] > -np.inf)
    some, many = told[:, steps], len(steps) > FEW
    tops, errors = some[Told.highest], some[Told.error]
    if many:
        tops = np.maximum(tops, some[Told.height])
        kept = np.flatnonzero(tops + errors >= (tops - errors).max())
        order = kept[np.argsort(-tops[kept], kind="stable")]
    else:
        order = np.argsort(-tops, kind="stable")
    steps, tops = steps[order], tops[order]
    _, drops, errors, θ, near, _, bends = some[:, order]
    if many:
        θ, steep = near, np.full(len(order), np.inf)
        np.divide((STEEP * errors) ** 2, -2 * bends, out=steep, where=bends < 0.0)
        hidden = np.minimum(errors, steep) + 8 * EPSILON * np.abs(tops)
    else:
        hidden = drops + errors
    begin = t[steps]
    return Peaks(steps, begin + (t[steps + 1] - begin) * θ, tops, errors, hidden)


def _told(nodes: np.ndarray, off: float, least: float) -> np.ndarray:
    """What is told of each step, shape (7, steps or a few more)."""
    target, k = host(), len(nodes)
    room = -(-k // target.width) * target.width
    told, ints = np.empty((len(Told), room)), np.zeros(len(Int64), dtype=np.int64)
    ints[Int64.capacity], ints[Int64.room] = k, room
    ints[Int64.width], ints[Int64.size] = (x // nodes.itemsize for x in nodes.strides)
    called(Peaking, target, True, (np.repeat([least, off], target.width), ints, nodes, told), [])()
    return told[:, :k]
