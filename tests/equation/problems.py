"""Random problems of small integers and simple fractions: exact in floating point, often singular."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equation import exact

FACTORS = np.array([-3.0, -2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 2.0, 3.0])


class Problem(NamedTuple):
    """Arguments of `solve`; a stack of problems has them along the first axis."""

    M: np.ndarray
    Q: np.ndarray
    A: np.ndarray
    b: np.ndarray


def mass_matrix(rng: np.random.Generator, n: int) -> np.ndarray:
    """BᵀB, of a rank between 0 and n; half of the time with coordinates that have no mass at all."""
    B = rng.integers(-3, 4, (rng.integers(0, n + 1), n)).astype(float)
    if rng.random() < 0.5:
        B = B * (rng.random(n) < 0.7)
    return B.T @ B


def constraint_matrix(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """Integers; about a third of the rows follow from earlier ones: multiples of one, or sums of two of them."""
    A = rng.integers(-3, 4, (m, n)).astype(float) * (rng.random((m, n)) < 0.8)
    for i in range(1, m):
        kind = rng.random()
        if kind < 0.2:
            A[i] = rng.choice(FACTORS) * A[rng.integers(i)]
        elif kind < 0.35:
            A[i] = rng.choice(FACTORS) * A[rng.integers(i)] + A[rng.integers(i)]
    return A


def problem(rng: np.random.Generator, n: int, m: int) -> Problem:
    """A problem with consistent constraints, b = A x."""
    A = constraint_matrix(rng, m, n)
    return Problem(mass_matrix(rng, n), rng.integers(-9, 10, n).astype(float), A, A @ rng.integers(-3, 4, n))


def is_unique(p: Problem) -> bool:
    return exact.rank(np.vstack([p.M, p.A])) == p.M.shape[0]


def possible(rng: np.random.Generator, p: Problem) -> Problem:
    """The problem with a force that acts on no direction without mass and constraint: Q = M x + Aᵀ y."""
    m, n = p.A.shape
    return p._replace(Q=p.M @ rng.integers(-3, 4, n) + p.A.T @ rng.integers(-3, 4, m))


def unique_problem(rng: np.random.Generator, n: int, m: int) -> Problem:
    while not is_unique(p := problem(rng, n, m)):
        pass
    return p


def undetermined_problem(rng: np.random.Generator, n: int, m: int) -> Problem:
    while is_unique(p := problem(rng, n, m)):
        pass
    return possible(rng, p)


def inconsistent_problem(rng: np.random.Generator, n: int, m: int) -> Problem:
    """Unique or not, with a b that no acceleration satisfies."""
    while True:
        p = problem(rng, n, m)
        p = p._replace(b=p.b + rng.integers(-2, 3, m))
        if exact.rank(np.column_stack([p.A, p.b])) > exact.rank(p.A):
            return p


def stack(problems: list[Problem]) -> Problem:
    return Problem(*(np.stack(arrays) for arrays in zip(*problems, strict=True)))
