"""Collocation at Radau's points: the methods of order 2s − 1 with s stages [HW1996, §IV.5; HW1999].

A step of length h from y is a polynomial u of degree s with u(0) = y that satisfies the differential equation at
s places c_i, the last of them the end of the step. It is known by its increments Z_i = u(c_i) − y.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np
from numpy.polynomial import legendre


class Coefficients:
    """The numbers of one method.

    c            places of the stages, shape (s,)
    slope        h u′ at the start and at the stages from the increments, shape (s + 1, s); but for the first row it is
                 the inverse of the Runge–Kutta matrix
    weights      of the stages in Lagrange's formula, Π 1/(x_j − x_k) over the other nodes, the start among them
    iterations   allowed for the stages: more for more of them, whose steps are longer [HW1999]
    eigenvalues  of that inverse: the real one, then one of each pair, shape (k,) with k = (s + 1)/2
    into, out    a real right-hand side in the basis of the eigenvectors, (k, s); and back, (s, k), real part to be taken
    """

    def __init__(self, order: int) -> None:
        self.order = order
        self.stages: int = (order + 1) // 2
        s = self.stages
        roots = np.real(legendre.legroots([0.0] * (s - 1) + [-1.0, 1.0]))  # of P_s − P_{s−1}; complex from NumPy 2.5 on
        self.c: np.ndarray = np.append((np.sort(roots)[:-1] + 1) / 2, 1.0)
        self._nodes = x = np.append(0.0, self.c)
        distance = x[:, None] - x + np.eye(s + 1)
        weights = 1 / np.prod(distance, axis=1)
        self.weights: np.ndarray = weights[1:]
        self.iterations: int = int(7 + 2.5 * (s - 3))
        D = weights / weights[:, None] / distance
        np.fill_diagonal(D, 0.0)
        np.fill_diagonal(D, -D.sum(axis=1))
        self.slope: np.ndarray = D[:, 1:]
        values, vectors = np.linalg.eig(self.slope[1:])
        chosen = np.argsort(np.imag(values))[s // 2 :]
        self.eigenvalues: np.ndarray = values[chosen]
        self.into: np.ndarray = np.linalg.inv(vectors)[chosen]
        self.out: np.ndarray = vectors[:, chosen] * np.where(np.imag(values[chosen]) > 0, 2.0, 1.0)

    def basis(self, θ: np.ndarray) -> np.ndarray:
        """What each increment adds to u − y at places θ, in steps from its start, shape (len(θ), s)."""
        difference = np.asarray(θ, dtype=float)[:, None, None] - self._nodes
        own = np.eye(self.stages + 1, dtype=bool)[1:]
        return np.prod(np.where(own, 1.0, difference), axis=2) * self.weights


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
    for place, matrix in ((Table.slope, B), (Table.square, B @ B)):
        result[place : place + 64].reshape(8, 8)[:s, :s] = matrix
    parts = np.real, np.imag
    result[Table.eigenvalues : Table.slope].reshape(2, 4)[:, :k] = [part(method.eigenvalues) for part in parts]
    into, out = result[Table.into : Table.out].reshape(4, 2, 8), result[Table.out :].reshape(8, 2, 4)
    for p, part in enumerate(parts):
        into[:k, p, :s], out[:s, p, :k] = part(method.into), part(method.out)
    return result
