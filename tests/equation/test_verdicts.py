"""Each verdict provoked, and what comes with it checked against exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from cases import spread
from equation import exact, problems
from zeromass.equation import Motion, Verdict, kkt, solve, udwadia_kalaba
from zeromass.errors import EquationError

# Problems of small integers with a condition of at most 1e4 or so: results hold to 1e-16 · 1e4 and some.
TOLERANCE = 1e-10
SHAPES = [(n, m) for n in range(2, 7) for m in range(5)]  # 25 shapes, 40 problems each


def assert_no_motion(motion: Motion, n: int) -> None:
    for answer in (motion.acceleration, motion.reaction, motion.ideal, motion.nonideal, motion.multipliers):
        assert np.isnan(answer).all()
    assert motion.acceleration.shape == (n,)
    assert not motion.unique


@pytest.mark.parametrize(("n", "m"), spread(SHAPES, 4))
def test_rank_deficient_problems_are_undetermined(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m, 2])
    for _ in range(40):
        M, Q, A, b = problems.undetermined_problem(rng, n, m)
        η = rng.normal(size=n)
        motion, moved = solve(M, Q, A, b), solve(M, Q, A, b, eta=η)
        assert motion.verdict is Verdict.UNDETERMINED
        assert motion.unique is False

        N = motion.undetermined
        E = exact.null_space(np.vstack([M, A]))
        assert N.shape == E.shape
        assert np.allclose(N.T @ N, np.eye(E.shape[1]), rtol=0, atol=TOLERANCE)
        assert np.allclose(N @ N.T @ E, E, rtol=TOLERANCE, atol=TOLERANCE * np.abs(E).max())

        size = 1 + np.abs(Q).max() + np.abs(b).max(initial=0)
        qdd = motion.acceleration
        assert np.allclose(A @ qdd, b, rtol=0, atol=TOLERANCE * size)
        assert np.allclose(M @ qdd, Q + A.T @ motion.multipliers, rtol=0, atol=TOLERANCE * size)
        assert np.allclose(N.T @ qdd, 0, rtol=0, atol=TOLERANCE * size)  # the shortest of all
        assert np.allclose(moved.acceleration, qdd + N @ N.T @ η, rtol=0, atol=TOLERANCE * size)
        assert np.allclose(moved.reaction, motion.reaction, rtol=0, atol=TOLERANCE * size)
        with pytest.raises(EquationError, match="rank deficient"):
            kkt(M, Q, A, b)
        with pytest.raises(EquationError, match="singular"):
            udwadia_kalaba(M, Q, A, b)


@pytest.mark.parametrize(("n", "m"), spread([(n, m) for n in range(1, 6) for m in range(2, 7)], 4))
def test_contradicting_constraints_are_named(n: int, m: int) -> None:
    """The rows that are named contradict one another by themselves, exactly, and the certificate proves it."""
    rng = np.random.default_rng([n, m, 3])
    for _ in range(40):
        M, Q, A, b = problems.inconsistent_problem(rng, n, m)
        motion = solve(M, Q, A, b)
        assert motion.verdict is Verdict.INCONSISTENT
        assert_no_motion(motion, n)
        y, rows = motion.certificate, motion.inconsistent
        assert np.flatnonzero(y).tolist() == rows.tolist()
        assert np.abs(y).max() == 1
        assert np.allclose(y @ A, 0, rtol=0, atol=TOLERANCE * np.abs(A).max())
        assert y @ b > 0.01  # fractions of small integers: either zero or not small
        assert exact.rank(np.column_stack([A, b])[rows]) > exact.rank(A[rows])


@pytest.mark.parametrize(("n", "m"), spread(SHAPES, 4))
def test_a_force_on_nothing_is_impossible(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m, 4])
    for _ in range(40):
        M, Q, A, b = problems.undetermined_problem(rng, n, m)
        w = exact.null_space(np.vstack([M, A])) @ rng.integers(1, 3, n)[: n - exact.rank(np.vstack([M, A]))]
        motion = solve(M, Q + w, A, b)
        assert motion.verdict is Verdict.IMPOSSIBLE_FORCE
        assert_no_motion(motion, n)
        assert motion.inconsistent.size == 0
        certificate = motion.certificate
        assert np.allclose(M @ certificate, 0, rtol=0, atol=TOLERANCE * np.abs(M).max(initial=1))
        assert np.allclose(A @ certificate, 0, rtol=0, atol=TOLERANCE * np.abs(A).max(initial=1))
        assert certificate @ (Q + w) > 0.01

        # a constraint force that cancels it makes the motion possible again, though not without that force
        motion = solve(M, Q + w, A, b, C=-w)
        assert motion.verdict is Verdict.UNDETERMINED
        assert np.isfinite(motion.reaction).all()
        assert np.isnan(motion.ideal).all()


def test_a_contradiction_is_reported_before_an_impossible_force() -> None:
    motion = solve([[0.0]], [1.0], [[0.0]], [1.0])
    assert motion.verdict is Verdict.INCONSISTENT
    assert motion.inconsistent.tolist() == [0]


def test_b_that_is_round_off_needs_its_error_stated() -> None:
    """Twice the same row, and a b that differs by round-off only: without forces nothing says that it is one."""
    M, A, b = np.eye(2), [[1.0, 1.0], [1.0, 1.0]], [1e-17, -1e-17]
    assert solve(M, [0, 0], A, b).verdict is Verdict.INCONSISTENT
    assert solve(M, [0, 0], A, b, b_error=1e-16).verdict is Verdict.UNIQUE
    assert solve(M, [0, 0], A, b, b_error=[1e-16, 1e-16]).verdict is Verdict.UNIQUE
    assert solve(M, [9.81, 9.81], A, b).verdict is Verdict.UNIQUE  # held back forces give the scale


def test_a_force_that_is_round_off_needs_its_error_stated() -> None:
    assert solve([[0.0]], [1e-17]).verdict is Verdict.IMPOSSIBLE_FORCE
    assert solve([[0.0]], [1e-17], Q_error=1e-16).verdict is Verdict.UNDETERMINED


def test_the_consistency_tolerance_decides() -> None:
    M, Q, A, b = np.eye(1), [0.0], [[1.0], [1.0]], [1.0, 1.0 + 1e-7]
    assert solve(M, Q, A, b).verdict is Verdict.INCONSISTENT
    assert solve(M, Q, A, b, consistency_tolerance=1e-6).verdict is Verdict.UNIQUE
