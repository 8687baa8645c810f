"""Exact rational answers to the equation of motion, by elimination on fractions.

A floating-point number is a fraction, so the answers are those to the very numbers that the library is given. Nothing
here is shared with the library: no singular values, no tolerance, no pseudo-inverse.
"""

from __future__ import annotations

import numpy as np
from flint import fmpq, fmpq_mat


def fractions(matrix: np.ndarray) -> fmpq_mat:
    """The matrix as fractions, without rounding."""
    rows, columns = matrix.shape
    return fmpq_mat(rows, columns, [fmpq(*x.as_integer_ratio()) for x in matrix.ravel().tolist()])


def floats(matrix: fmpq_mat) -> np.ndarray:
    """The matrix as floating-point numbers, each entry rounded once."""
    entries = [int(x.p) / int(x.q) for x in matrix.entries()]
    return np.array(entries).reshape(matrix.nrows(), matrix.ncols())


def pivots(matrix: np.ndarray) -> list[int]:
    """Columns that do not depend on columns to their left."""
    if 0 in matrix.shape:
        return []
    reduced, rank = fractions(matrix).rref()
    return [next(j for j in range(matrix.shape[1]) if reduced[i, j] != 0) for i in range(rank)]


def independent_rows(matrix: np.ndarray) -> list[int]:
    """Rows that do not depend on rows above them."""
    return pivots(matrix.T)


def rank(matrix: np.ndarray) -> int:
    return len(pivots(matrix))


def null_space(matrix: np.ndarray) -> np.ndarray:
    """A basis of {w: matrix w = 0}, (n, n − rank), one vector for each column that is not a pivot."""
    n = matrix.shape[1]
    pivot = pivots(matrix)
    free = [j for j in range(n) if j not in pivot]
    basis = np.zeros((n, len(free)))
    if pivot and free:
        reduced = floats(fractions(matrix).rref()[0])
        basis[pivot] = -reduced[: len(pivot)][:, free]
    basis[free] = np.eye(len(free))
    return basis


def acceleration(M: np.ndarray, f: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The acceleration with M q̈ = f + Aᵀλ and A q̈ = b, where [M; A] has full column rank and b is consistent.

    The rows that follow from others are left out; then [M Aᵀ; A 0] is invertible.
    """
    kept = independent_rows(A)
    n, k = len(M), len(kept)
    K = np.block([[M, A[kept].T], [A[kept], np.zeros((k, k))]])
    right = np.concatenate([f, b[kept]])[:, None]
    return floats(fractions(K).solve(fractions(right)))[:n, 0]
