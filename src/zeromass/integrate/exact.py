"""Tables of coefficients in rational and decimal arithmetic, each entry rounded once.

NumPy's linear algebra rounds differently on different processors; these tables are the same bits on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np

Rational = int | float | Fraction | Decimal
Rows = Sequence[Sequence[Rational] | np.ndarray] | np.ndarray

Complex = tuple[Decimal, Decimal]
"""Real and imaginary part."""


def inverse(matrix: Rows) -> np.ndarray:
    """A⁻¹ of a regular matrix, by elimination without fractions [B1968]."""
    return rounded(exact_inverse(matrix))


def product(A: Rows, B: Rows) -> np.ndarray:
    """A B."""
    columns = list(zip(*_rows(B), strict=True))
    return rounded([sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in _rows(A))


def exact_inverse(matrix: Rows) -> list[list[Fraction]]:
    """A⁻¹ of a regular matrix, in fractions."""
    rows = _rows(matrix)
    n = len(rows)
    scales = [lcm(*(x.denominator for x in row)) for row in rows]
    table = [
        [int(x * s) for x in row] + [s if i == j else 0 for j in range(n)]
        for i, (row, s) in enumerate(zip(rows, scales, strict=True))
    ]
    before = 1
    for k in range(n):
        pivot = next(i for i in range(k, n) if table[i][k])
        table[k], table[pivot] = table[pivot], table[k]
        p, upper = table[k][k], table[k]
        for i in range(n):
            if i != k:
                row, a = table[i], table[i][k]
                table[i] = [(p * x - a * y) // before for x, y in zip(row, upper, strict=True)]
        before = p
    return [[Fraction(x, row[i]) for x in row[n:]] for i, row in enumerate(table)]


def root(coefficients: Sequence[Decimal], guess: complex) -> Complex:
    """The root of Σ_k c_k x^k near a guess of some eight digits, by Newton's method, in the digits of decimal's context."""
    x = Decimal(guess.real), Decimal(guess.imag)
    for _ in range(3):
        value = slope = (Decimal(0), Decimal(0))
        for c in reversed(coefficients):
            slope = times(slope, x)
            slope, value = (slope[0] + value[0], slope[1] + value[1]), times(value, x)
            value = value[0] + c, value[1]
        re, im = times(value, reciprocal(slope))
        x = x[0] - re, x[1] - im
    return x


def times(a: Complex, b: Complex) -> Complex:
    """a b."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def reciprocal(a: Complex) -> Complex:
    """1/a."""
    square = a[0] * a[0] + a[1] * a[1]
    return a[0] / square, -a[1] / square


def rounded(rows: Iterable[Iterable[Rational]]) -> np.ndarray:
    """The matrix of the nearest floating-point numbers."""
    return np.array([[float(x) for x in row] for row in rows])


def _rows(matrix: Rows) -> list[list[Fraction]]:
    return [[Fraction(x) for x in (row.tolist() if isinstance(row, np.ndarray) else row)] for row in matrix]
