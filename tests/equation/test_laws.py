"""Laws of constrained motion, on random systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equation import exact, problems
from zeromass.equation import (
    Motion,
    Verdict,
    acceleration,
    auxiliary_system,
    kkt,
    numerical_rank,
    solve,
    udwadia_kalaba,
)
from zeromass.errors import EquationError

SEEDS = st.integers(0, 2**32 - 1)
# Conditions up to 1e4 or so, sizes up to 1e3 or so, 1e-16 of round-off: 1e-9 of the largest number leaves a margin.
TOLERANCE = 1e-9


def close(found: np.ndarray, right: np.ndarray, size: float) -> bool:
    return np.allclose(found, right, rtol=0, atol=TOLERANCE * size)


def system(seed: int, unique: bool = True) -> tuple[np.random.Generator, problems.Problem]:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    return rng, (problems.unique_problem if unique else problems.undetermined_problem)(rng, n, m)


def size(p: problems.Problem, motion: Motion) -> float:
    largest = (np.abs(x).max(initial=1) for x in (*p, motion.acceleration, motion.multipliers))
    return float(np.prod(sorted(largest)[-2:]))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans())
def test_equation_of_motion_and_constraints_hold(seed: int, unique: bool) -> None:
    rng, p = system(seed, unique)
    M, Q, A, b = p
    C = M @ rng.integers(-3, 4, len(M)) + A.T @ rng.integers(-3, 4, len(A))
    motion = solve(M, Q, A, b, C)
    assert close(M @ motion.acceleration, Q + C + A.T @ motion.multipliers, size(p, motion))
    assert close(A @ motion.acceleration, b, size(p, motion))
    assert close(motion.reaction, C + A.T @ motion.multipliers, size(p, motion))
    assert close(numerical_rank(A).left_null_space.T @ motion.multipliers, 0, size(p, motion))  # shortest


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans())
def test_virtual_work_of_the_reaction_is_that_of_C(seed: int, unique: bool) -> None:
    rng, p = system(seed, unique)
    M, Q, A, b = p
    C = M @ rng.integers(-3, 4, len(M)) + A.T @ rng.integers(-3, 4, len(A))
    w = numerical_rank(A).null_space  # virtual displacements
    ideal, motion = solve(M, Q, A, b), solve(M, Q, A, b, C)
    assert close(w.T @ ideal.reaction, 0, size(p, ideal))
    assert np.array_equal(ideal.ideal, ideal.reaction)
    assert not ideal.nonideal.any()
    assert close(w.T @ motion.reaction, w.T @ C, size(p, motion))
    assert close(w.T @ motion.nonideal, w.T @ C, size(p, motion))
    assert close(motion.ideal, ideal.reaction, size(p, motion))
    assert close(motion.ideal + motion.nonideal, motion.reaction, size(p, motion))


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_every_route_agrees_with_nonideal_constraints(seed: int) -> None:
    rng, p = system(seed)
    M, Q, A, b = p
    C = rng.integers(-5, 6, len(M)).astype(float)
    motion = solve(M, Q, A, b, C)
    assert close(acceleration(M, Q, A, b, C), motion.acceleration, size(p, motion))
    assert close(acceleration(M, Q, A, b, C, projected=False), motion.acceleration, size(p, motion))
    for weight in (None, 0.5, 20.0):
        assert close(auxiliary_system(M, Q, A, b, C, weight=weight), motion.acceleration, size(p, motion))
    qdd, λ = kkt(M, Q, A, b, C)
    assert close(qdd, motion.acceleration, size(p, motion))
    assert close(A.T @ λ, A.T @ motion.multipliers, size(p, motion))
    M = M + np.eye(len(M))
    assert close(udwadia_kalaba(M, Q, A, b, C), solve(M, Q, A, b, C).acceleration, size(p, motion))


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_an_auxiliary_system_needs_a_unique_motion(seed: int) -> None:
    _, p = system(seed, unique=False)
    with pytest.raises(EquationError, match="not unique"):
        auxiliary_system(*p)


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_undetermined_part_agrees_with_the_printed_formula(seed: int) -> None:
    rng, p = system(seed, unique=False)
    η = rng.normal(size=len(p.M))
    motion = solve(*p, eta=η)
    assert close(acceleration(*p, eta=η), motion.acceleration, size(p, motion))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans())
def test_rows_may_be_repeated_rescaled_and_reordered(seed: int, unique: bool) -> None:
    """The motion is the same; the constraints are, whatever their units, 1e-6 to 1e6, and however often said."""
    rng, p = system(seed, unique)
    M, Q, A, b = p
    rows = rng.permutation(np.concatenate([np.arange(len(A)), rng.integers(0, len(A), 3)]))
    scale = rng.choice([-1, 1], len(rows)) * 10.0 ** rng.uniform(-6, 6, len(rows))
    A2, b2 = scale[:, None] * A[rows], scale * b[rows]
    motion, same = solve(M, Q, A, b), solve(M, Q, A2, b2)
    assert same.verdict is motion.verdict
    assert same.constraint_rank.rank == motion.constraint_rank.rank
    assert close(same.acceleration, motion.acceleration, size(p, motion))
    assert close(same.reaction, motion.reaction, size(p, motion))
    assert close(A2.T @ same.multipliers, motion.reaction, size(p, motion))
    assert close(same.undetermined @ same.undetermined.T, motion.undetermined @ motion.undetermined.T, 1)
    assert len(same.redundant) == len(motion.redundant) + 3
    assert close(acceleration(M, Q, A2, b2), motion.acceleration, size(p, motion))
    if unique:
        assert close(kkt(M, Q, A2, b2)[0], motion.acceleration, size(p, motion))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans())
def test_coordinates_may_be_in_any_units(seed: int, unique: bool) -> None:
    """With q = d q′: M′ = d M d, Q′ = d Q, A′ = A d, and q̈ = d q̈′, for units d from 1e-6 to 1e6."""
    rng, p = system(seed, unique)
    M, Q, A, b = p
    d = 2.0 ** rng.integers(-20, 21, len(M))
    motion, same = solve(M, Q, A, b), solve(d[:, None] * M * d, d * Q, A * d, b)
    assert same.verdict is motion.verdict
    assert np.array_equal(same.redundant, motion.redundant)
    assert close(same.reaction / d, motion.reaction, size(p, motion))
    if unique:  # else the shortest acceleration depends on the units
        assert close(d * same.acceleration, motion.acceleration, size(p, motion))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans())
@example(182, True)  # a force on a coordinate that has neither mass nor constraint, beside small ones
def test_contradictions_are_found_in_any_units(seed: int, impossible: bool) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    M, Q, A, b = (problems.undetermined_problem if impossible else problems.inconsistent_problem)(rng, n, m)
    Q = Q + numerical_rank(np.vstack([M, A])).null_space.sum(axis=1) if impossible else Q
    d, r = 2.0 ** rng.integers(-20, 21, n), 2.0 ** rng.integers(-20, 21, m)
    motion = solve(d[:, None] * M * d, d * Q, r[:, None] * A * d, r * b)
    if impossible:
        assert motion.verdict is Verdict.IMPOSSIBLE_FORCE
    else:
        assert motion.verdict is Verdict.INCONSISTENT
        rows = motion.inconsistent
        assert exact.rank(np.column_stack([A, b])[rows]) > exact.rank(A[rows])
