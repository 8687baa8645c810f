"""Ranks, pseudo-inverses and independent rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equation import exact, problems
from zeromass.equation import independent_rows, numerical_rank, pseudoinverse, solve
from zeromass.equation.units import equilibration, mass_units
from zeromass.errors import EquationError

SEEDS = st.integers(0, 2**32 - 1)
TOLERANCE = 1e-10  # small integers: conditions up to 1e4 or so on 1e-16


def matrix(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return problems.constraint_matrix(rng, int(rng.integers(0, 8)), int(rng.integers(1, 8)))


def units(seed: int, A: np.ndarray, decades: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Powers of two between 10^-decades and 10^decades for the rows and for the columns."""
    rng = np.random.default_rng(seed)
    m, n = A.shape
    largest = int(decades / np.log10(2))
    return 2.0 ** rng.integers(-largest, largest + 1, m), 2.0 ** rng.integers(-largest, largest + 1, n)


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_rank_and_null_spaces_are_exact_in_any_units(seed: int) -> None:
    A = matrix(seed)
    r, c = units(seed, A)
    for B in (A, r[:, None] * A * c):
        decision = numerical_rank(B)
        assert decision.rank == exact.rank(A)
        assert decision.margin > 100  # zero is below 1e-13, and what is not zero above 1e-9
        N, Y, U = decision.null_space, decision.left_null_space, decision.scaled_left_null_space
        assert N.shape == (A.shape[1], A.shape[1] - decision.rank)
        assert Y.shape == U.shape == (A.shape[0], A.shape[0] - decision.rank)
        for basis in (N, Y, U):
            assert np.allclose(basis.T @ basis, np.eye(basis.shape[1]), rtol=0, atol=TOLERANCE)
        assert np.all(np.abs(B @ N) <= TOLERANCE * (np.abs(B) @ np.abs(N)) + TOLERANCE * np.abs(B).max(initial=0))
        y = decision.row_scale[:, None] * U
        assert np.all(np.abs(y.T @ B) <= TOLERANCE * np.abs(decision.row_scale[:, None] * B).max(axis=0, initial=0))


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_penrose_conditions(seed: int) -> None:
    A = matrix(seed)
    P = pseudoinverse(A)
    assert P.shape == A.shape[::-1]
    assert np.allclose(A @ P @ A, A, rtol=0, atol=TOLERANCE)
    assert np.allclose(P @ A @ P, P, rtol=0, atol=TOLERANCE)
    assert np.allclose(A @ P, (A @ P).T, rtol=0, atol=TOLERANCE)
    assert np.allclose(P @ A, (P @ A).T, rtol=0, atol=TOLERANCE)


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_scales_are_powers_of_two_that_bring_the_largest_entries_near_one(seed: int) -> None:
    """Rounding each scale to a power of two leaves a factor of √2 for the row and one for the column."""
    A = matrix(seed)
    r, c = units(seed, A)
    A = r[:, None] * A * c
    r, c = equilibration(A)
    for scale in (r, c):
        assert np.array_equal(np.frexp(scale)[0], np.full(scale.shape, 0.5))
    S = np.abs(r[:, None] * A * c)
    for largest in (S.max(axis=0, initial=0), S.max(axis=1, initial=0)):
        assert np.all((largest == 0) | ((largest >= 0.5) & (largest <= 2)))


def test_mass_units_make_the_masses_one() -> None:
    M, A = np.diag([1e-9, 4.0, 0.0, 1e9]), np.array([[1.0, 1.0, 1e-3, 0.0]])
    r, d = mass_units(M, A)
    masses = np.diagonal(d[:, None] * M * d)
    assert np.all((masses == 0) | ((masses >= 0.5) & (masses <= 2)))
    assert 0.25 <= np.abs(r * A[0, 2] * d[2]) <= 2


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_dropped_rows_are_combinations_of_earlier_ones(seed: int) -> None:
    A = matrix(seed)
    r, c = units(seed, A, decades=3)  # beyond that a coefficient of a row may pass for negligible
    B = r[:, None] * A * c
    rows = independent_rows(B)
    assert rows.kept.tolist() == exact.independent_rows(A)
    assert sorted([*rows.kept, *rows.dropped]) == [*range(len(A))]
    assert rows.coefficients.shape == (len(rows.dropped), len(rows.kept))
    terms = np.abs(rows.coefficients) @ np.abs(B[rows.kept]) + np.abs(B[rows.dropped])
    largest = terms.max(axis=1, initial=0)[:, None]
    assert np.all(np.abs(rows.coefficients @ B[rows.kept] - B[rows.dropped]) <= TOLERANCE * largest)
    for i, coefficients in zip(rows.dropped, rows.coefficients, strict=True):
        assert not coefficients[rows.kept > i].any()


def test_a_row_follows_only_from_those_it_is_made_of() -> None:
    A = np.array([[1.0, 2, 0, 0], [0, 1, 1, 0], [0, 0, 1, 3], [2, 4, -1, -3]])
    rows = independent_rows(A)
    assert rows.dropped.tolist() == [3]
    assert rows.coefficients[0, 1] == 0
    assert np.allclose(rows.coefficients, [[2, 0, -1]], rtol=0, atol=TOLERANCE)


def test_margin_and_gap_tell_how_clear_the_decision_was() -> None:
    clear, close = numerical_rank(np.eye(2)), numerical_rank([[1, 1], [1, 1 + 1e-10]])
    assert clear.rank == close.rank == 2
    assert clear.margin == pytest.approx(1e11)  # 1 over the tolerance
    assert clear.gap == np.inf
    assert 1 < close.margin < 10  # a singular value of 2.5e-11 of the largest, and a tolerance of 1e-11
    locked = numerical_rank([[1, 1], [1, 1 + 1e-10]], rank=1)
    assert locked.rank == 1
    assert locked.margin < 1
    assert locked.gap > 1e10
    assert numerical_rank([[1, 1], [1, 1 + 1e-10]], tolerance=1e-9).rank == 1


def test_the_rank_at_another_tolerance_is_that_of_another_decision() -> None:
    stack = np.array([[[1, 1], [1, 1 + δ]] for δ in (1e-13, 1e-10, 1e-6, 1e-2)])
    decision = numerical_rank(stack)
    for tolerance in (1e-12, 1e-11, 1e-8, 1e-4):
        assert np.array_equal(decision.at(tolerance), numerical_rank(stack, tolerance=tolerance).rank)
    assert numerical_rank(np.zeros((2, 3))).at(1e-3) == 0


def test_a_locked_rank_is_kept_where_a_tolerance_would_jump() -> None:
    """Twice the same constraint, off by ε: with the rank locked the acceleration moves by ε, else by O(1)."""
    M, Q = np.diag([1.0, 2.0]), [1.0, 0.0]
    on = solve(M, Q, [[1.0, 0.0], [1.0, 0.0]], [0.0, 0.0])
    for ε in (1e-12, 1e-9, 1e-6):
        A, b = [[1.0, 0.0], [1.0, ε]], [0.0, ε]
        lock = {"rank": on.rank, "constraint_rank": on.constraint_rank, "consistency_tolerance": 10 * ε}
        locked = solve(M, Q, A, b, **lock)
        assert np.allclose(locked.acceleration, on.acceleration, rtol=0, atol=10 * ε)
        assert locked.redundant.tolist() == [1]
        assert (locked.constraint_rank.margin < 1) == (ε > 1e-11)
    free = solve(M, Q, [[1.0, 0.0], [1.0, 1e-6]], [0.0, 1e-6])
    assert abs(free.acceleration[1] - on.acceleration[1]) > 0.5
    A, lock = [[1.0, 0.0], [1.0, 1e-6]], on.constraint_rank
    assert independent_rows(A, rank=lock).dropped.tolist() == [1]
    assert np.allclose(pseudoinverse(A, rank=lock), [[0.5, 0.5], [0, 0]], rtol=0, atol=1e-5)


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_motion_is_continuous_where_the_ranks_are_locked(seed: int) -> None:
    """Off the manifold by ε the redundant rows are not so any more, but the motion changes by about ε only."""
    rng = np.random.default_rng(seed)
    M, Q, A, b = problems.unique_problem(rng, 5, 4)
    on = solve(M, Q, A, b)
    size = 1 + np.abs(on.acceleration).max() + np.abs(on.multipliers).max()
    A2 = A + 1e-8 * rng.uniform(-1, 1, A.shape)
    lock = {"rank": on.rank, "constraint_rank": on.constraint_rank}
    off = solve(M, Q, A2, b, **lock, consistency_tolerance=1e-5)
    assert off.unique
    # conditions of up to 1e4 or so act twice, on q̈ and on λ: a jump, to be told from this, is of the size itself
    assert np.allclose(off.acceleration, on.acceleration, rtol=0, atol=1e-3 * size)
    assert np.array_equal(off.redundant, on.redundant)


@pytest.mark.parametrize("shape", [(0, 3), (2, 3), (3, 0), (0, 0)])
def test_matrices_without_entries_or_all_zero(shape: tuple[int, int]) -> None:
    decision = numerical_rank(np.zeros(shape))
    assert decision.rank == 0
    assert decision.margin == np.inf
    assert decision.null_space.shape == (shape[1], shape[1])
    assert pseudoinverse(np.zeros(shape)).shape == shape[::-1]


def test_round_off_in_place_of_zeros_does_not_count() -> None:
    rng = np.random.default_rng(0)
    for seed in range(300):
        A = matrix(seed)
        live = np.outer(A.any(axis=1), A.any(axis=0))
        noisy = A + 1e-15 * rng.normal(size=A.shape) * live
        assert numerical_rank(noisy).rank == exact.rank(A)


def test_a_rank_that_cannot_be_is_refused() -> None:
    with pytest.raises(EquationError, match="rank=2"):
        numerical_rank([[1.0, 0.0], [0.0, 0.0]], rank=2)
    with pytest.raises(EquationError, match="rank=-1"):
        numerical_rank([[1.0]], rank=-1)
    with pytest.raises(EquationError, match="nan"):
        numerical_rank([[np.nan]])


def test_records_cannot_be_changed() -> None:
    decision = numerical_rank(np.eye(2))
    with pytest.raises(AttributeError):
        decision.rank = 1  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        decision.singular_values[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        solve(np.eye(2), [0, 0]).acceleration[0] = 1
