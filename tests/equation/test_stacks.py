"""A stack of problems is the problems one by one."""

from __future__ import annotations

import numpy as np

from equation import problems
from zeromass.equation import acceleration, independent_rows, kkt, numerical_rank, pseudoinverse, solve

# The same operations in another order of summation: 1e-16 times conditions and sizes of at most 1e5 together.
TOLERANCE = 1e-10


def mixture() -> list[problems.Problem]:
    """Problems of every verdict."""
    rng = np.random.default_rng(0)
    kinds = [problems.unique_problem, problems.undetermined_problem, problems.inconsistent_problem]
    sample = [kinds[i % 3](rng, 4, 3) for i in range(24)]
    return [p._replace(Q=p.Q + 1.0) if i % 6 == 1 else p for i, p in enumerate(sample)]


def test_solve_on_a_stack_is_solve_on_each() -> None:
    sample = mixture()
    M, Q, A, b = (x.reshape(4, 6, *x.shape[1:]) for x in problems.stack(sample))
    rng = np.random.default_rng(1)
    C, η = (rng.integers(-2, 3, (4, 6, 1, 3)) @ A)[..., 0, :], rng.normal(size=4)
    stacked = solve(M, Q, A, b, C, η)
    assert len({*stacked.verdict.ravel()}) == 4
    for index in np.ndindex(4, 6):
        single = solve(M[index], Q[index], A[index], b[index], C[index], η)
        assert stacked.verdict[index] is single.verdict
        assert stacked.unique[index] == single.unique
        assert stacked.rank.rank[index] == single.rank.rank
        assert stacked.constraint_rank.rank[index] == single.constraint_rank.rank
        for name in ("acceleration", "reaction", "ideal", "nonideal", "multipliers", "certificate"):
            found, right = getattr(stacked, name)[index], getattr(single, name)
            assert np.allclose(found, right, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True), name
        for name in ("redundant", "inconsistent"):
            assert np.array_equal(getattr(stacked, name)[index], getattr(single, name)), name
        N, N1 = stacked.undetermined[index], single.undetermined
        assert np.allclose(N @ N.T, N1 @ N1.T, rtol=0, atol=TOLERANCE)


def test_leading_axes_are_broadcast() -> None:
    rng = np.random.default_rng(2)
    M, _, A, b = problems.unique_problem(rng, 4, 3)
    forces = rng.normal(size=(5, 1, 4))
    sides = np.stack([b, 2 * b])
    motion = solve(M, forces, A, sides)
    assert motion.acceleration.shape == (5, 2, 4)
    assert motion.multipliers.shape == (5, 2, 3)
    assert motion.redundant.shape == (5, 2)
    for i, j in np.ndindex(5, 2):
        single = solve(M, forces[i, 0], A, sides[j])
        assert np.allclose(motion.acceleration[i, j], single.acceleration, rtol=TOLERANCE, atol=TOLERANCE)
    for route in (acceleration, lambda *p: kkt(*p)[0]):
        assert np.allclose(route(M, forces, A, sides), motion.acceleration, rtol=TOLERANCE, atol=TOLERANCE)


def test_an_empty_stack_has_empty_answers() -> None:
    motion = solve(np.zeros((0, 2, 2)), np.zeros((0, 2)), np.zeros((0, 1, 2)), np.zeros((0, 1)))
    assert motion.acceleration.shape == (0, 2)
    assert motion.verdict.shape == motion.redundant.shape == (0,)


def test_rank_functions_take_stacks() -> None:
    sample = [p.A for p in mixture()]
    stacked = numerical_rank(np.stack(sample))
    inverses, rows = pseudoinverse(np.stack(sample)), independent_rows(np.stack(sample))
    for i, A in enumerate(sample):
        single = numerical_rank(A)
        assert stacked.rank[i] == single.rank
        assert np.allclose(stacked.margin[i], single.margin, rtol=0.5)  # of a noise level: its size only
        assert stacked.null_space[i].shape == single.null_space.shape
        assert np.allclose(inverses[i], pseudoinverse(A), rtol=TOLERANCE, atol=TOLERANCE)
        assert np.array_equal(rows[i].dropped, independent_rows(A).dropped)
