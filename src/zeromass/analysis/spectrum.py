"""All Lyapunov exponents of a motion along its constraints.

    W ← Φ W,  W = Q R,  λ_i = Σ log R_ii / T,  W ← Q

After each part of the run the tangents are brought back into the constraints: what leaves these has exponents too, of the
formulas and not of the motion. Tangents lean towards the fastest growing one; a part is so short that they can be told apart
at its end. The sum of all exponents is the mean divergence of the flow, which tells whether that has succeeded:

    Σ λ_i = (1/T) ∫ tr(Nᵀ J N) dt,  J = ∂(q̇, q̈)/∂(q, q̇),  N an orthonormal basis of the directions along the constraints
"""

from __future__ import annotations

import warnings

import numpy as np

from zeromass.analysis.integral import integrals
from zeromass.analysis.integral import mean as run_mean
from zeromass.analysis.neighbours import Neighbours
from zeromass.analysis.stepwise import Stepwise
from zeromass.analysis.tangent import NEARBY, allowed_directions, one_smooth_motion, parts_of, random_of
from zeromass.equation import numerical_rank
from zeromass.equation.arrays import single_thread
from zeromass.errors import RunDoubtful
from zeromass.expression import Evaluator, expressions, jacobian
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled, given_course
from zeromass.integrate.stepping.functions import Functions
from zeromass.model import ModelError
from zeromass.model.given import shown

APART = 1e3
"""How many times as much as another a tangent may grow in a part of the run: what is left of the slower one is then known to
so many times the tolerance of the tangents."""

HALVINGS = 20
"""How often a hundredth of the run is halved at most."""

DIVERGENCE = 1e-6
"""Tolerance of the mean divergence: less than what exponents are compared to."""

AGREEMENT = 1e-3
"""Part of the sum of their sizes by which the sum of exponents may differ from the mean divergence."""


@single_thread
def lyapunov_spectrum(
    run: Course, *, every: float | None = None, seed: int = 0, count: int | None = None
) -> np.ndarray:
    """Lyapunov exponents, 1/s, the largest first: `Run.lyapunov_spectrum`."""
    span = float(given_course(run).t[-1] - run.t[0])
    if not span > 0:
        raise ModelError("Lyapunov exponents need a run forward in time")
    if count is not None and not (type(count) is int and count >= 1):
        raise ModelError(f"count = {shown(count)}: a whole number, and there is at least one exponent")
    times = np.linspace(run.t[0], run.t[-1], parts_of(span, every) + 1)
    one_smooth_motion(run)
    large = run.program.code == "rolled" and count is not None
    along = _InLarge(run) if large else _Written(run)
    size = along.directions if count is None else min(count, along.directions)
    W = np.linalg.qr(along.first(random_of(seed), size))[0]
    total = _Growth(run, along, W, adaptive=every is None).over(times)
    if size == along.directions and isinstance(along, _Written) and run.program.code != "rolled":
        _check(run, along, total / span)
    return np.sort(total / span)[::-1]


class _Growth:
    """Tangents carried along a run, and reorthonormalised; adaptive, if that is done whenever they have grown apart."""

    def __init__(self, run: Course, along: _Written | _InLarge, W: np.ndarray, *, adaptive: bool) -> None:
        self._run, self._along, self._adaptive, self._W = run, along, adaptive, W
        self._parameters = np.zeros((len(run.parameters), W.shape[1]))

    def over(self, times: np.ndarray) -> np.ndarray:
        """Σ log R_ii from the first time to the last; each part between times is divided as far as growth asks for it."""
        total, halvings = np.zeros(self._W.shape[1]), 0
        self._begin_at(float(times[0]))
        for begin, end in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
            done = 0.0  # of the part
            while done < 1.0:
                step = 2.0**-halvings
                after = min(done + step, 1.0)
                until = end if after == 1.0 else begin + (end - begin) * after
                sampled = self._run.at([until])
                W, R = np.linalg.qr(self._along(sampled, self._neighbours.carry(until)))
                growth = np.abs(np.diag(R))
                with np.errstate(divide="ignore", invalid="ignore"):
                    apart = growth.max() / growth.min()
                if self._adaptive and not apart <= APART and halvings < HALVINGS:
                    halvings += 1
                    self._begin_at(begin + (end - begin) * done)
                    continue
                with np.errstate(divide="ignore"):
                    total += np.log(growth)
                self._W, done = W, after
                self._neighbours.go_on(sampled.y[0], W)
                if halvings and apart**2 <= APART and (after / (2 * step)).is_integer():
                    halvings -= 1
        return total

    def _begin_at(self, t: float) -> None:
        """Goes back to a time at which the tangents were orthonormal."""
        self._neighbours = Neighbours(self._run, self._W, self._parameters, t)


def _check(run: Course, along: _Written, exponents: np.ndarray) -> None:
    """Warns where the sum of all exponents is not the mean divergence."""
    expected, found = along.divergence, float(exponents.sum())
    if np.isfinite(expected) and not abs(found - expected) <= AGREEMENT * max(np.abs(exponents).sum(), abs(expected)):
        words = (
            f"the Lyapunov exponents have the sum {found:.6g}/s, but the mean divergence of the flow along the run is "
            f"{expected:.6g}/s: contracting directions are lost; reorthonormalise more often (a shorter every=), or take a "
            "tighter tolerance (rtol=) for the run"
        )
        warnings.warn(words, RunDoubtful, stacklevel=3)


class _Written:
    """Tangents brought back into the constraints by the null space of their derivatives."""

    def __init__(self, run: Course) -> None:
        self._run, self._start = run, allowed_directions(run)
        order, self.directions = self._start.shape
        system, self._rank = run.system, order - self.directions
        zeros = expressions([zero for level in (0, 1) for _, zero in system.zeros(level)])
        self._states = [*system.coordinates, *system.rates]
        self._constraints = Evaluator(jacobian(zeros, self._states), system.inputs) if self._rank else None

    def first(self, random: np.random.Generator, size: int) -> np.ndarray:
        """Some at the start, shape (2n, size)."""
        return self._start @ random.normal(size=(self.directions, size))

    def __call__(self, sampled: Sampled, W: np.ndarray) -> np.ndarray:
        if self._constraints is None:
            return W
        N = self._basis(sampled.inputs)[0]
        return N @ (N.T @ W)

    def _basis(self, inputs: np.ndarray) -> np.ndarray:
        """Orthonormal bases of directions along the constraints, and columns of zeros: shape (k, 2n, 2n)."""
        assert self._constraints is not None
        return numerical_rank(self._constraints(inputs), rank=self._rank).padded_null_space

    @property
    def divergence(self) -> float:
        """The mean of tr(Nᵀ J N) over the run, 1/s."""
        run, program = self._run, self._run.program
        n = len(run.system.coordinates)
        q̈ = expressions(list(program.acceleration))
        if self._constraints is None:
            trace = sum(jacobian(q̈, self._states)[i, n + i] for i in range(n))
            return float(run_mean(run, trace))
        slopes = Evaluator(jacobian(q̈, self._states), run.system.inputs)
        steps = Stepwise(run, [])

        def look(which: np.ndarray, places: np.ndarray) -> np.ndarray:
            inputs = run.at(steps.times(which, places).ravel()).inputs
            N, J = self._basis(inputs), np.zeros((len(inputs), 2 * n, 2 * n))
            J[:, :n, n:], J[:, n:] = np.eye(n), slopes(inputs)
            return np.einsum("kia,kia->k", N, J @ N).reshape(*places.shape, 1)

        return integrals(steps.along._replace(look=look), DIVERGENCE).item() / float(run.t[-1] - run.t[0])


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
        return self._at(t, y, random.normal(size=(len(y), size)))

    def __call__(self, sampled: Sampled, W: np.ndarray) -> np.ndarray:
        return self._at(float(sampled.t[0]), sampled.y[0], W)

    def _at(self, t: float, y: np.ndarray, W: np.ndarray) -> np.ndarray:
        size = np.linalg.norm(W, axis=0)
        δ = NEARBY * (W / size).T
        there = self._onto(np.full(2 * len(δ), t), np.concatenate([y + δ, y - δ]))
        return (there[: len(δ)] - there[len(δ) :]).T / (2 * NEARBY) * size
