"""Collocation at Radau's points: the methods of order 2s − 1 with s stages [HW1996, §IV.5; HW1999].

A step of length h from y is a polynomial u of degree s with u(0) = y that satisfies the differential equation at
s places c_i, the last of them the end of the step. It is known by its increments Z_i = u(c_i) − y.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from enum import IntEnum
from fractions import Fraction
from functools import cache
from math import comb, factorial, perm, prod
from operator import mul

import numpy as np
from numpy.polynomial import polynomial

from zeromass.integrate.exact import Complex, exact_inverse, reciprocal, root, rounded, times

DIGITS = 50
"""Of the arithmetic in which the numbers of a method are computed."""


class Coefficients:
    """The numbers of one method.

    c            places of the stages, shape (s,)
    slope        h u′ at the start and at the stages from the increments, shape (s + 1, s); but for the first row it is
                 the inverse of the Runge–Kutta matrix
    weights      of the stages in Lagrange's formula, Π 1/(x_j − x_k) over the other nodes, the start among them
    iterations   allowed for the stages: more for more of them, whose steps are longer [HW1999]
    square       of that inverse, shape (s, s)
    eigenvalues  of that inverse: the real one, then one of each pair, shape (k,) with k = (s + 1)/2
    into, out    a real right-hand side in the basis of the eigenvectors, (k, s); and back, (s, k), real part to be taken
    """

    def __init__(self, order: int) -> None:
        self.order = order
        self.stages: int = (order + 1) // 2
        with localcontext(prec=DIGITS):
            c = _nodes(self.stages)
            weights, slope = _lagrange([Decimal(0), *c])
            square = [[sum(map(mul, row, column)) for column in zip(*slope[1:], strict=True)] for row in slope[1:]]
            values, into, out = _diagonalised(c)
        self.c: np.ndarray = rounded([c])[0]
        self._nodes: np.ndarray = np.append(0.0, self.c)
        self.weights: np.ndarray = rounded([weights])[0]
        self.iterations: int = int(7 + 2.5 * (self.stages - 3))
        self.slope: np.ndarray = rounded(slope)
        self.square: np.ndarray = rounded(square)
        self.eigenvalues: np.ndarray = _complex([values])[0]
        self.into: np.ndarray = _complex(into)
        self.out: np.ndarray = _complex(out).T * np.where(np.imag(self.eigenvalues) > 0, 2.0, 1.0)

    def basis(self, θ: np.ndarray) -> np.ndarray:
        """What each increment adds to u − y at places θ, in steps from its start, shape (len(θ), s)."""
        difference = np.asarray(θ, dtype=float)[:, None, None] - self._nodes
        own = np.eye(self.stages + 1, dtype=bool)[1:]
        return np.prod(np.where(own, 1.0, difference), axis=2) * self.weights


def _nodes(s: int) -> list[Decimal]:
    """Zeros of P_s − P_{s−1} on (0, 1]."""
    numbers = [
        (-1) ** (s + k) * (comb(s, k) * comb(s + k, k) + comb(s - 1, k) * comb(s + k - 1, k)) for k in range(s + 1)
    ]
    guesses = np.sort(np.real(polynomial.polyroots([float(x) for x in numbers])))[:-1]
    return [*(root([Decimal(x) for x in numbers], guess)[0] for guess in guesses.tolist()), Decimal(1)]


def _lagrange(nodes: list[Decimal]) -> tuple[list[Decimal], list[list[Decimal]]]:
    """Weights and slopes of Lagrange's polynomials over the nodes but for the first."""
    distances = [[a - b if a != b else Decimal(1) for b in nodes] for a in nodes]
    weights = [1 / prod(row, start=Decimal(1)) for row in distances]
    D = [[w / v / d for w, d in zip(weights, row, strict=True)] for v, row in zip(weights, distances, strict=True)]
    for k, row in enumerate(D):
        row[k] = Decimal(1) - sum(row)  # which holds a 1 in that place
    return weights[1:], [row[1:] for row in D]


def _diagonalised(c: list[Decimal]) -> tuple[list[Complex], list[list[tuple[Fraction, Fraction]]], list[list[Complex]]]:
    """Eigenvalues, rows of the inverse of the eigenvectors, and the eigenvectors, which are 1 at the end, from Π (θ − c_i).

    With M for this product, u′ − λ u ∝ M and u(0) = 0 say u ∝ Σ_k M⁽ᵏ⁾/λᵏ and Σ_k M⁽ᵏ⁾(0) λ^{s−k} = 0.
    """
    s, M = len(c), [Decimal(1)]
    for x in c:
        M = [a - x * b for a, b in zip([Decimal(0), *M], [*M, Decimal(0)], strict=True)]
    slopes = [[sum(perm(j, k) * M[j] * x ** (j - k) for j in range(k, s + 1)) for k in range(1, s + 1)] for x in c]
    characteristic = [factorial(s - k) * M[s - k] for k in range(s + 1)]
    guesses = polynomial.polyroots([float(x) for x in characteristic])
    guesses = guesses[np.argsort(np.imag(guesses))][s // 2 :]
    values, vectors = [root(characteristic, x) for x in [guesses[0].real, *guesses[1:].tolist()]], []
    for value in values:
        inverse, found = reciprocal(value), []
        for row in slopes:
            u = Decimal(0), Decimal(0)
            for slope in reversed(row):
                u = times((u[0] + slope, u[1]), inverse)
            found.append(u)
        last = reciprocal(found[-1])
        vectors.append([times(u, last) for u in found])
    parts = [part for vector in vectors for part in zip(*vector, strict=True)]
    first, *others = exact_inverse(list(zip(parts[0], *parts[2:], strict=True)))  # the real one has no imaginary part
    pairs = zip(others[::2], others[1::2], strict=True)
    into = [
        [(x, Fraction(0)) for x in first],
        *([(x / 2, -y / 2) for x, y in zip(*pair, strict=True)] for pair in pairs),
    ]
    return values, into, vectors


def _complex(rows: Sequence[Sequence[tuple[Decimal | Fraction, Decimal | Fraction]]]) -> np.ndarray:
    """The matrix of the nearest complex numbers."""
    return np.array([[complex(float(x), float(y)) for x, y in row] for row in rows])


@cache
def coefficients(order: int) -> Coefficients:
    """The method of an odd order, computed once."""
    return Coefficients(order)


MOST = 7
"""Stages of the method of the highest order."""


class Table(IntEnum):
    """Places of the numbers of one method in memory; rows of matrices are eight apart, those of `out` four."""

    stages = 0
    iterations = 1
    power = 2
    c = 8
    weights = 16
    start = 24
    eigenvalues = 32  # real parts, then imaginary ones
    slope = 40
    square = 104
    into = 168  # for each eigenvalue a row of real parts and one of imaginary ones
    out = 232  # for each stage a row of real parts and one of imaginary ones
    end = 296


def table(method: Coefficients) -> np.ndarray:
    """The numbers of a method as machine code finds them.

    stages and iterations are integers; power is −1/(s + 1), that of the error in the length of the next step.
    """
    s, k = method.stages, len(method.eigenvalues)
    result = np.zeros(Table.end)
    result[: Table.power].view(np.int64)[:] = s, method.iterations
    result[Table.power] = -1 / (s + 1)
    for place, row in ((Table.c, method.c), (Table.weights, method.weights), (Table.start, method.slope[0].real)):
        result[place : place + s] = row
    B = method.slope[1:]
    for place, matrix in ((Table.slope, B), (Table.square, method.square)):
        result[place : place + 64].reshape(8, 8)[:s, :s] = matrix
    parts = np.real, np.imag
    result[Table.eigenvalues : Table.slope].reshape(2, 4)[:, :k] = [part(method.eigenvalues) for part in parts]
    into, out = result[Table.into : Table.out].reshape(4, 2, 8), result[Table.out :].reshape(8, 2, 4)
    for p, part in enumerate(parts):
        into[:k, p, :s], out[:s, p, :k] = part(method.into), part(method.out)
    return result
