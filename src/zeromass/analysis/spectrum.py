"""All Lyapunov exponents of a motion along its constraints.

    W ← Φ W,  W = Q R,  λ_i = Σ log R_ii / T,  W ← Q

After each part of the run the tangents are brought back into the constraints: what leaves these has exponents too, of the
formulas and not of the motion.
"""

from __future__ import annotations

import numpy as np

from zeromass.analysis.neighbours import Neighbours
from zeromass.analysis.tangent import NEARBY, allowed_directions, one_smooth_motion, parts_of, random_of
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator, expressions, jacobian
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled, given_course
from zeromass.integrate.stepping.functions import Functions
from zeromass.model import ModelError
from zeromass.model.given import shown


def lyapunov_spectrum(
    run: Course, *, every: float | None = None, seed: int = 0, count: int | None = None
) -> np.ndarray:
    """Lyapunov exponents, 1/s, the largest first: as many as there are directions along the constraints, or `count`.

    every  time between renormalisations, s; a hundredth of the run by default
    count  how many of them, the leading ones; each is a tangent more that is carried along. Of a large system, whose
           derivatives of constraints are not written out then, this is the way

    A damped spring, ẍ = −x − ẋ/2, has −1/4 twice; their sum is that of what damps:

    >>> x = zm.coordinate("x")
    >>> damped = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -zm.rate(x) / 2})
    >>> run = zm.simulate(damped, damped.start({x: 1.0}), until=100.0)
    >>> exponents = zm.lyapunov_spectrum(run)
    >>> round(float(exponents.sum()), 8), bool(abs(exponents + 0.25).max() < 0.02)
    (-0.5, True)
    """
    span = float(given_course(run).t[-1] - run.t[0])
    if not span > 0:
        raise ModelError("Lyapunov exponents need a run forward in time")
    if count is not None and not (type(count) is int and count >= 1):
        raise ModelError(f"count = {shown(count)}: a whole number, and there is at least one exponent")
    times = np.linspace(run.t[0], run.t[-1], parts_of(span, every) + 1)
    one_smooth_motion(run)
    sampled = run.at(times[1:])
    large = run.program.code == "rolled" and count is not None
    along = _InLarge(run) if large else _Written(run, sampled)
    size = along.directions if count is None else min(count, along.directions)
    W = np.linalg.qr(along.first(random_of(seed), size))[0]
    total = np.zeros(size)
    neighbours = Neighbours(run, W, np.zeros((len(run.parameters), size)), float(times[0]))
    for k, end in enumerate(times[1:].tolist()):
        W, R = np.linalg.qr(along(k, end, sampled.y[k], neighbours.carry(end)))
        total += np.log(np.abs(np.diag(R)))
        neighbours.go_on(sampled.y[k], W)
    return np.sort(total / span)[::-1]


class _Written:
    """Tangents brought back into the constraints by the null space of their derivatives."""

    def __init__(self, run: Course, sampled: Sampled) -> None:
        self._start = allowed_directions(run)
        order, self.directions = self._start.shape
        system, rank = run.system, order - self.directions
        zeros = expressions([zero for level in (0, 1) for _, zero in system.zeros(level)])
        constraints = Evaluator(jacobian(zeros, [*system.coordinates, *system.rates]), system.inputs)
        self._along = numerical_rank(constraints(sampled.inputs), rank=rank).null_space if rank else None

    def first(self, random: np.random.Generator, size: int) -> np.ndarray:
        """Some at the start, shape (2n, size)."""
        return self._start @ random.normal(size=(self.directions, size))

    def __call__(self, k: int, t: float, y: np.ndarray, W: np.ndarray) -> np.ndarray:
        return W if self._along is None else self._along[k] @ (self._along[k].T @ W)


class _InLarge:
    """The same of a large system: what is left of a small change where states are brought onto the constraints."""

    def __init__(self, run: Course) -> None:
        system, self._segment = run.system, run.segments[0]
        gone = set(run.program.elimination.dropped)
        kept = [row.level for i, row in enumerate(system.rows) if i not in gone]
        order = 2 * len(system.coordinates)
        self.directions: int = order - sum(level == 0 for level in kept) - sum(level < 2 for level in kept)
        self._onto = Functions(run.program.native, self._segment.values).projected
        self._begin = float(run.t[0]), run.y[0]

    def first(self, random: np.random.Generator, size: int) -> np.ndarray:
        """Some at the start, shape (2n, size)."""
        t, y = self._begin
        return self(0, t, y, random.normal(size=(len(y), size)))

    def __call__(self, k: int, t: float, y: np.ndarray, W: np.ndarray) -> np.ndarray:
        size = np.linalg.norm(W, axis=0)
        δ = NEARBY * (W / size).T
        there = self._onto(np.full(2 * len(δ), t), np.concatenate([y + δ, y - δ]))
        return (there[: len(δ)] - there[len(δ) :]).T / (2 * NEARBY) * size
