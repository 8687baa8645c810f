"""Collocation at Radau's points: the methods of order 2s − 1 with s stages [HW1996, §IV.5; HW1999].

A step of length h from y is a polynomial u of degree s with u(0) = y that satisfies the differential equation at
s places c_i, the last of them the end of the step. It is known by its increments Z_i = u(c_i) − y.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import legendre


class Collocation:
    """The numbers of one method.

    c            places of the stages, shape (s,)
    slope        h u′ at the start and at the stages from the increments, shape (s + 1, s); but for the first row it is
                 the inverse of the Runge–Kutta matrix
    eigenvalues  of that inverse: the real one, then one of each pair, shape (k,) with k = (s + 1)/2
    into, out    a real right-hand side in the basis of the eigenvectors, (k, s); and back, (s, k), real part to be taken
    """

    def __init__(self, order: int) -> None:
        self.order = order
        self.stages = s = (order + 1) // 2
        roots = legendre.legroots([0.0] * (s - 1) + [-1.0, 1.0])  # P_s − P_{s−1}
        self.c = np.append((np.sort(roots)[:-1] + 1) / 2, 1.0)
        self._nodes = x = np.append(0.0, self.c)
        distance = x[:, None] - x + np.eye(s + 1)
        self._weights = 1 / np.prod(distance, axis=1)
        D = self._weights / self._weights[:, None] / distance
        np.fill_diagonal(D, 0.0)
        np.fill_diagonal(D, -D.sum(axis=1))
        self.slope = D[:, 1:]
        values, vectors = np.linalg.eig(self.slope[1:])
        chosen = np.argsort(np.imag(values))[s // 2 :]
        self.eigenvalues = values[chosen]
        self.into = np.linalg.inv(vectors)[chosen]
        self.out = vectors[:, chosen] * np.where(np.imag(values[chosen]) > 0, 2.0, 1.0)

    def basis(self, θ: np.ndarray) -> np.ndarray:
        """What each increment adds to u − y at places θ, in steps from its start, shape (len(θ), s)."""
        difference = np.asarray(θ, dtype=float)[:, None, None] - self._nodes
        own = np.eye(self.stages + 1, dtype=bool)[1:]
        return np.prod(np.where(own, 1.0, difference), axis=2) * self._weights[1:]


@cache
def collocation(order: int) -> Collocation:
    """The method of an odd order, computed once."""
    return Collocation(order)
