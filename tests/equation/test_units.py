"""Random problems in random units against exact fractions: no unit, and no order, changes a verdict or a digit.

A problem of small integers has masses, lengths and rows multiplied by factors between 1e-12 and 1e12,

    M′ = μ d M d,   Q′ = μ d Q,   A′ = r A d,   b′ = r b,   and then   q̈ = d q̈′,   λ = r λ′/μ,

powers of two, which leave the numbers exact, or any, which round each of them. Each campaign prints its seed.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from equation import exact, problems
from zeromass.equation import Motion, Verdict, numerical_rank, solve
from zeromass.equation.bound import series
from zeromass.equation.units import NOISE

EPS = np.finfo(float).eps
DECADES = 12
SECONDS = 0.05  # for each problem, at most, on a slow machine
TOLERANCE = (
    1e-9  # of the largest number, in natural units: conditions up to 1e4 or so, 1e-16 of round-off, and a margin
)


class Case(NamedTuple):
    """A problem in natural units, with a force C of the constraints, and the units that it is given in."""

    p: problems.Problem
    C: np.ndarray
    d: np.ndarray
    r: np.ndarray
    μ: float

    def solved(self, rows: np.ndarray | None = None, columns: np.ndarray | None = None) -> Motion:
        """The motion in these units, with rows and coordinates in another order."""
        (M, Q, A, b), C, d, r, μ = self
        i = np.arange(len(A)) if rows is None else rows
        j = np.arange(len(M)) if columns is None else columns
        A, d, r = A[i][:, j], d[j], r[i]
        return solve(μ * (d[:, None] * M[j][:, j] * d), μ * d * Q[j], r[:, None] * A * d, r * b[i], μ * d * C[j])


def factors(rng: np.random.Generator, count: int, rounded: bool) -> np.ndarray:
    if rounded:
        return 10.0 ** rng.uniform(-DECADES, DECADES, count)
    largest = int(DECADES / np.log10(2))
    return 2.0 ** rng.integers(-largest, largest + 1, count)


def case(rng: np.random.Generator) -> Case:
    """Any M, singular ones too; redundant rows; b that contradict one another or not; forces on nothing or not."""
    n, m = int(rng.integers(1, 7)), int(rng.integers(0, 6))
    p = problems.problem(rng, n, m)
    if rng.random() < 0.3:
        p = problems.possible(rng, p)
    if rng.random() < 0.25:
        p = p._replace(b=p.b + rng.integers(-2, 3, m))
    C = np.zeros(n)
    if rng.random() < 0.3:
        C = p.M @ rng.integers(-3, 4, n) + p.A.T @ rng.integers(-3, 4, m)
    rounded = bool(rng.random() < 0.5)
    return Case(p, C, *(factors(rng, k, rounded) for k in (n, m)), μ=float(factors(rng, 1, rounded)[0]))


def truth(p: problems.Problem, f: np.ndarray) -> Verdict:
    """The verdict that exact ranks give."""
    rank = exact.rank(both := np.vstack([p.M, p.A]))
    if exact.rank(np.column_stack([p.A, p.b])) > exact.rank(p.A):
        return Verdict.INCONSISTENT
    if rank == len(p.M):
        return Verdict.UNIQUE
    return Verdict.IMPOSSIBLE_FORCE if exact.rank(np.vstack([both, f])) > rank else Verdict.UNDETERMINED


def condition(p: problems.Problem) -> float:
    """Of [M Aᵀ; A 0] in natural units, the rank being known exactly."""
    m, n = p.A.shape
    σ = np.linalg.svd(np.block([[p.M, p.A.T], [p.A, np.zeros((m, m))]]), compute_uv=False)
    return float(σ[0] / σ[n + exact.rank(p.A) - 1])


def compare(c: Case, motion: Motion, label: str) -> Verdict:
    """That a motion is the exact one: the verdict, what comes with it, and the digits."""
    (M, Q, A, b), C, d, r, μ = c
    verdict = truth(c.p, Q + C)
    assert motion.verdict is verdict, f"{label}: {motion.verdict}, and exactly {verdict}"
    assert motion.margin > 10, f"{label}: margin {motion.margin:.1e}"
    assert sorted({*range(len(A))} - {*exact.independent_rows(A)}) == motion.redundant.tolist(), label
    if verdict is Verdict.INCONSISTENT:
        rows = motion.inconsistent
        assert exact.rank(np.column_stack([A, b])[rows]) > exact.rank(A[rows]), label
        return verdict
    if verdict is Verdict.IMPOSSIBLE_FORCE:
        w = d * motion.certificate  # in natural units, where only its direction counts
        both = np.vstack([M, A])
        assert np.all(np.abs(both @ w) <= TOLERANCE * np.abs(w).max() * np.abs(both).max(initial=1)), label
        return verdict
    z, λ = d * motion.acceleration, r * motion.multipliers / μ
    largest = (np.abs(x).max(initial=1) for x in (M, Q, C, A, b, z, λ))
    size = np.prod(sorted(largest)[-2:])
    assert np.all(np.abs(M @ z - Q - C - A.T @ λ) <= TOLERANCE * size), label
    assert np.all(np.abs(A @ z - b) <= TOLERANCE * size), label
    if verdict is Verdict.UNIQUE:
        right = exact.acceleration(M, Q + C, A, b)
        κ = condition(c.p)
        λ = np.linalg.lstsq(A.T, M @ right - Q - C, rcond=None)[0] if len(A) else b
        size = np.linalg.norm(right) + np.linalg.norm(λ)
        # as in natural units, `test_against_exact.py`, and what the roundings of the arguments explain
        assert np.linalg.norm(z - right) <= 10 * EPS * κ * size, f"{label}: {z} is not {right}, condition {κ:.1e}"
        assert np.all(np.abs(z - right) <= d * motion.acceleration_error), label
    return verdict


@pytest.mark.parametrize("count", [400, pytest.param(24_000, marks=pytest.mark.slow)])
def test_motions_are_exact_in_any_units_and_any_order(count: int) -> None:
    seed = int(os.environ.get("ZEROMASS_SEED", 20_000 + count))
    print(f"{count} problems in units of 1e±{DECADES}, ZEROMASS_SEED={seed}")
    rng, begin = np.random.default_rng(seed), time.monotonic()
    seen: Counter[Verdict] = Counter()
    for k in range(count):
        c = case(rng)
        m, n = c.p.A.shape
        label = f"ZEROMASS_SEED={seed}, problem {k}"
        motion = c.solved()
        seen[compare(c, motion, label)] += 1
        other = c.solved(rng.permutation(m), rng.permutation(n))
        assert other.verdict is motion.verdict, label
        assert other.rank.rank == motion.rank.rank, label
        assert other.constraint_rank.rank == motion.constraint_rank.rank, label
    print(dict(seen))
    assert len(seen) == 4
    assert time.monotonic() - begin < SECONDS * count + 60


def nearly_singular(rng: np.random.Generator) -> problems.Problem:
    """A consistent problem of exact full rank; its rows are dependent, or its masses singular, but for 2⁻²⁰ to 2⁻⁴³."""
    while True:
        n, m, kind = int(rng.integers(2, 7)), int(rng.integers(2, 6)), rng.integers(3)
        M, Q, A, b = problems.problem(rng, n, m)
        δ = 2.0 ** -rng.integers(20, 44)
        if kind != 1:
            i, j = rng.choice(m, 2, replace=False)
            A[i] = A[j] * rng.choice(problems.FACTORS) + δ * rng.integers(-3, 4, n)
            b = A @ rng.integers(-3, 4, n)
        if kind != 0:
            B, w = rng.integers(-3, 4, (n - 1, n)).astype(float), rng.integers(-3, 4, n)
            M = B.T @ B + δ * np.outer(w, w)
        if exact.rank(np.column_stack([A, b])) == exact.rank(A) and exact.rank(np.vstack([M, A])) == n:
            return problems.Problem(M, Q, A, b)


@pytest.mark.parametrize("count", [150, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_motion_says_how_far_it_can_be_trusted(count: int) -> None:
    """Near condition 1e11 and beyond: the error is what `acceleration_error` says, or the margin that a rank is in doubt.

    A singular value that is dropped though it means something is 2⁻⁴³ or so of others, 1e-13, a hundredth of the tolerance.
    Roundings leave 1e-16: margins of 1e4 and more. What is said is more than the error, for arguments may be rounded and
    these are not, but not by so much that it says nothing: 120 times is the median.
    """
    seed = int(os.environ.get("ZEROMASS_SEED", 30_000 + count))
    print(f"{count} nearly singular problems, ZEROMASS_SEED={seed}")
    rng, begin = np.random.default_rng(seed), time.monotonic()
    doubtful, times, unbounded = 0, [], 0
    for k in range(count):
        p = nearly_singular(rng)
        label = f"ZEROMASS_SEED={seed}, problem {k}"
        motion = solve(*p)
        if motion.rank.rank == len(p.M) and motion.constraint_rank.rank == exact.rank(p.A):
            right, said = exact.acceleration(*p), motion.acceleration_error
            error = np.abs(motion.acceleration - right)
            assert motion.verdict is Verdict.UNIQUE, label
            assert np.all(error <= said), label
            unbounded += not np.isfinite(said).all()
            times += [said.max() / error.max()] if error.any() else []
            if len(p.A) == motion.constraint_rank.rank and k % 10 == 0:
                assert np.all(np.abs(motion.acceleration - exact.acceleration(*rounded(rng, p))) <= said), label
        else:
            doubtful += 1
            assert motion.margin < 1e4 or condition(p) > 0.1 / EPS, label  # or no digit is left
        near = 0.99 * motion.margin
        for factor in (near, 1 / near) if near > 1 else ():
            tolerances = {"rank_tolerance": 1e-11 * factor, "consistency_tolerance": 1e-9 * factor}
            assert solve(*p, **tolerances).verdict is motion.verdict, label
    print(
        f"{doubtful} in doubt, {unbounded} without a bound; said is {np.median(times):.0f} times the error, in the middle"
    )
    assert 0 < doubtful < count / 5
    assert np.median(times) < 300
    assert unbounded <= count / 200
    assert time.monotonic() - begin < SECONDS * count + 60


def rounded(rng: np.random.Generator, p: problems.Problem) -> problems.Problem:
    """The problem with each argument off by a rounding."""
    M, Q, A, b = (x * (1 + EPS * rng.integers(-1, 2, x.shape)) for x in p)
    return problems.Problem(np.triu(M) + np.triu(M, 1).T, Q, A, b)


def test_an_error_acts_on_itself() -> None:
    """A condition of 3e17 where the units do not show it: what is of second order counts."""
    δ = 2.0**-33
    M, Q = np.diag([10.0, 4.0, 10.0]), np.array([4.0, -8.0, 0.0])
    A = np.array([[0.0, -1.0, 0.0], [δ, 2.0 + 2 * δ, -δ], [3.0, 1.0, 3.0]])
    motion = solve(M, Q, A, A @ [1.0, 0.0, 3.0])
    error = np.abs(motion.acceleration - exact.acceleration(M, Q, A, A @ [1.0, 0.0, 3.0]))
    assert np.all(error <= motion.acceleration_error)
    assert motion.acceleration_error.max() < 1e-9


def test_there_is_no_bound_where_a_rounding_makes_the_rows_dependent() -> None:
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-51]])
    motion = solve(np.eye(2), [1.0, 0.0], A, [1.0, 1.0], rank_tolerance=1e-17)
    assert motion.verdict is Verdict.UNIQUE
    assert np.isinf(motion.acceleration_error).all()


def test_series_of_errors() -> None:
    """(I − T)⁻¹g and a hundredth more at most; infinite where T has an eigenvalue of 1 or more."""
    T = np.array([[[0.5, 0.1], [0.2, 0.9]], [[0.0, 1e-9], [1e6, 0.0]], [[0.5, 0.1], [0.2, 0.97]]])
    g = np.ones(2)
    sums = np.linalg.solve(np.eye(2) - T[:2], np.ones((2, 2, 1)))[..., 0]
    found = series(T, np.ones((3, 2)))
    assert np.all((sums <= found[:2]) & (found[:2] <= 1.011 * sums))
    assert np.isinf(found[2]).all()
    assert np.array_equal(series(T[0], 0.0 * g), 0.0 * g)


def test_known_errors_are_magnified_as_the_equations_say() -> None:
    """x₁ = x₂ + b and (m₁ + m₂) ẍ = F: an error of F and one of b, each by its own factor."""
    motion = solve(np.diag([1.0, 3.0]), [0.0, 8.0], [[1.0, -1.0]], [0.0], Q_error=[0.0, 1e-6], b_error=1e-6)
    # ẍ₁ = (F + 3 b)/4, ẍ₂ = (F − b)/4
    assert motion.acceleration_error == pytest.approx([1e-6, 0.5e-6], rel=0.02)


def test_where_equations_leave_something_open_the_rest_has_its_error() -> None:
    motion = solve(np.diag([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0], [[1.0, -1.0, 0.0], [2.0, -2.0, 0.0]], [0.0, 0.0])
    assert motion.verdict is Verdict.UNDETERMINED
    assert np.all(motion.acceleration_error[:2] < 1e-14)
    assert np.isnan(solve(np.eye(1), [0.0], [[1.0], [1.0]], [0.0, 1.0]).acceleration_error).all()


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_ranks_do_not_depend_on_units(count: int) -> None:
    """Units of 1e-12 to 1e12 leave the rank of a matrix alone, where they can be told from round-off.

    Where all entries that join two blocks are faint beside both, they may be round-off, or all that joins two systems of
    units: no number in the matrix tells which. They are taken for round-off, in 1 of 2,000 matrices or so, and the rank is
    then exactly that of the matrix without them.
    """
    seed = int(os.environ.get("ZEROMASS_SEED", 7))
    print(f"{count} matrices in units of 1e±{DECADES}, ZEROMASS_SEED={seed}")
    rng, begin = np.random.default_rng(seed), time.monotonic()
    other = 0
    for k in range(count):
        A = problems.constraint_matrix(rng, int(rng.integers(1, 8)), int(rng.integers(1, 8)))
        m, n = A.shape
        decision = numerical_rank(B := factors(rng, m, False)[:, None] * A * factors(rng, n, False))
        if decision.rank != exact.rank(A):
            other += 1
            beside = np.abs(decision.row_scale[:, None] * B * decision.column_scale)
            assert decision.rank == exact.rank(np.where(beside < 2.0**NOISE, 0.0, A)), (
                f"ZEROMASS_SEED={seed}, matrix {k}"
            )
    assert other <= 2 + count / 1000
    assert time.monotonic() - begin < SECONDS * count + 60
