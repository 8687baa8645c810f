"""Every route to the acceleration against exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from cases import spread
from equation import exact, problems
from zeromass.equation import acceleration, auxiliary_system, kkt, solve, udwadia_kalaba

EPS = np.finfo(float).eps
SHAPES = [(n, m) for n in range(1, 7) for m in range(6)]
EACH = 278  # 36 shapes: 10,008 problems


def condition(K: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Largest over smallest nonzero singular value, the rank being known exactly."""
    σ = np.linalg.svd(K, compute_uv=False)
    return σ[:, 0] / np.take_along_axis(σ, rank[:, None] - 1, axis=1)[:, 0]


@pytest.mark.parametrize(("n", "m"), spread(SHAPES, 3))
def test_every_route_gives_the_exact_acceleration(n: int, m: int) -> None:
    """|error| ≤ 100 ε κ (|q̈| + |λ|), κ the condition of [M Aᵀ; A 0].

    A solution of K z = r by a backward stable method has an error of a modest multiple of ε κ(K) |z|, with
    z = (q̈, λ). The multiple is allowed to be 100: it stays below 20 on these problems, of at most 11 unknowns,
    and below 1 for `solve`, which corrects its result once and is allowed 10. The unprojected right-hand side
    leaves a residual, and its bound has κ² for κ. Udwadia and Kalaba's formula goes through the unconstrained
    acceleration a = M⁻¹Q, so its bound has κ(K) + κ(M) for κ and |a| as well.
    """
    rng = np.random.default_rng([n, m])
    sample = [problems.unique_problem(rng, n, m) for _ in range(EACH)]
    M, Q, A, b = problems.stack(sample)
    right = np.array([exact.acceleration(*p) for p in sample])
    ranks = np.array([exact.rank(p.A) for p in sample])
    K = np.block([[M, A.swapaxes(1, 2)], [A, np.zeros((EACH, m, m))]])
    κ = condition(K, n + ranks)

    motion = solve(M, Q, A, b)
    assert motion.unique.all()
    assert np.array_equal(motion.constraint_rank.rank, ranks)
    size = np.linalg.norm(right, axis=1) + np.linalg.norm(motion.multipliers, axis=1)

    def close(found: np.ndarray, κ: np.ndarray, size: np.ndarray, of: slice | np.ndarray = slice(None)) -> bool:
        return bool((np.linalg.norm(found - right[of], axis=1) <= 100 * EPS * κ * size).all())

    assert close(motion.acceleration, κ / 10, size)
    assert close(acceleration(M, Q, A, b), κ, size)
    assert close(acceleration(M, Q, A, b, projected=False), κ**2, size)
    assert close(kkt(M, Q, A, b)[0], κ, size)
    # Through (M + α² A⁺A)⁻¹, whose condition is at most of the order of κ, and then through that of A M^(−1/2).
    assert close(auxiliary_system(M, Q, A, b), κ**2, size)

    definite = np.array([exact.rank(p.M) == n for p in sample])
    M, Q, A, b = M[definite], Q[definite], A[definite], b[definite]
    a = np.linalg.solve(M, Q[..., None])[..., 0]
    κ, size = κ[definite] + np.linalg.cond(M), size[definite] + np.linalg.norm(a, axis=1)
    assert close(udwadia_kalaba(M, Q, A, b), κ, size, definite)


@pytest.mark.parametrize(("n", "m"), [(n, m) for n, m in SHAPES if m])
def test_redundant_rows_are_those_that_elimination_drops(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m, 1])
    sample = [problems.unique_problem(rng, n, m) for _ in range(30)]
    for p, redundant in zip(sample, solve(*problems.stack(sample)).redundant, strict=True):
        assert sorted({*range(m)} - {*exact.independent_rows(p.A)}) == redundant.tolist()
