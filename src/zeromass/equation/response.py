"""What forces and constraints do to a motion, in two parts: one for the constraints and one for the masses."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .arguments import Problem
from .arrays import Array, times, transpose
from .rank import Rank, numerical_rank
from .units import Linked, scaled


class Freedom(NamedTuple):
    """The motions that constraints allow, in the units d that make the masses 1."""

    units: Array  # d, (..., n)
    M: Array  # d M d, (..., n, n)
    rows: Rank  # of A d
    N: Array  # orthonormal basis of the null space of A d, (..., n, n), padded with zero columns
    modes: Rank  # of Nᵀ(d M d)N, the masses of these motions


def freedom(M: Array, constraints: Rank, d: Array, tolerance: float) -> Freedom:
    """The motions that the constraints allow and how many of them have a mass.

    [M; A] has full column rank exactly when Nᵀ M N has full rank [UP2006, lemma 3.1]. Either way M is known to
    round-off only, and so is the mass of a motion: one below the tolerance, in units that make the masses of
    the coordinates 1, would leave no digits of an acceleration even where [M; A] seems to be of full rank.
    """
    M = scaled(M, d, d)
    rows = replace(constraints, column_scale=constraints.column_scale / d)
    N = rows.padded_null_space
    modes = numerical_rank(transpose(N) @ M @ N, tolerance=tolerance, largest=1.0, equilibrate=False)
    return Freedom(d, M, rows, N, modes)


class Response(NamedTuple):
    """What forces and constraints do to a motion, as matrices.

        z = X b + K (f − M X b),   λ = Lᵀ (M z − f)

    Numbers of coordinates that nothing connects may be of any size beside one another, and so may their units. What
    round-off would carry from one to the other is left out.
    """

    M: Array  # (..., n, n)
    X: Array  # A⁺, (..., n, m)
    K: Array  # N (Nᵀ M N)⁺ Nᵀ, (..., n, n), N an orthonormal basis of the null space of A
    L: Array  # X along the column space of A, (..., n, m)

    def acceleration(self, f: Array, b: Array) -> Array:
        x = times(self.X, b)
        return x + times(self.K, f - times(self.M, x))

    def error(self, f_error: Array, b_error: Array) -> Array:
        """What errors of f and b, of either sign, do to z at most."""
        x = times(np.abs(self.X), b_error)
        return x + times(np.abs(self.K), f_error + times(np.abs(self.M), x))


def response(free: Freedom, linked: Linked | None = None) -> Response:
    """The response of the motions that constraints allow, in the units of `free`."""
    _, M, rows, N, modes = free
    P = N @ transpose(N)
    K = N @ modes.inverse @ transpose(N)
    X, Y = rows.inverse, rows.padded_left_null_space
    YYt = Y @ transpose(Y)
    if linked is not None:
        P, K, X, YYt = linked.columns * P, linked.columns * K, linked.both * X, linked.rows * YYt
    return Response(M, X - P @ X, K, X - X @ YYt)


def nullspace_acceleration(free: Freedom, f: Array, b: Array) -> Array:
    """A solution q̈, (..., n), of Nᵀ(M q̈ − f) = 0 and A q̈ = b.

        q̈ = A⁺b + N (Nᵀ M N)⁺ Nᵀ (f − M A⁺b),   N an orthonormal basis of the null space of A

    With f = Q + C this is M̄⁺ [(I − A⁺A) f; b] of [UP2006, eq. 2.14]: A⁺b lies in the row space of A, the rest
    in its null space. Here the constraints and the masses each meet a matrix of their own, so neither has to
    be measured against the other. Where [M; A] is rank deficient q̈ is one of many accelerations, the shortest
    in the units that make the masses 1.
    """
    return free.units * response(free).acceleration(free.units * f, b)


class Refined(NamedTuple):
    """A solution of M z = f + Aᵀλ, A z = b that was corrected once by what was left of the equations."""

    z: Array  # (..., n)
    λ: Array  # (..., m)
    correction: Array  # (..., n)


def refined(answer: Response, p: Problem, f: Array) -> Refined:
    """The acceleration of `nullspace_acceleration`, corrected once by what is left of the equations, and multipliers.

        M δ = (f + Aᵀλ − M z) + Aᵀμ,   A δ = b − A z,   z + δ

    The null space N carries a round-off of heavy coordinates to light ones. The residuals do not, and one
    correction brings the error down to that of the arguments.
    """
    z, Lt = answer.acceleration(f, p.b), transpose(answer.L)
    reaction = times(p.M, z) - f
    λ = times(Lt, reaction)
    λ = λ + times(Lt, reaction - times(transpose(p.A), λ))
    δ = correction(answer, p, f, z, λ)
    return Refined(z + δ, λ, δ)


def correction(answer: Response, p: Problem, f: Array, z: Array, λ: Array) -> Array:
    """δ, (..., n), with what z leaves of the equations as its right-hand sides."""
    return answer.acceleration(f + times(transpose(p.A), λ) - times(p.M, z), p.b - times(p.A, z))


class Solved(NamedTuple):
    """A solution and what it was found from."""

    answer: Response
    p: Problem
    f: Array
    found: Refined
    linked: Linked
    f_error: Array
    b_error: Array

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def error(self) -> Array:
        """What rounding in sums of n + m terms, and the errors of f and b, may have done to z, (..., n).

        A further correction would be as much smaller than the first as that is than z.
        """
        (z, λ, δ), p = self.found, self.p
        m, n = p.A.shape[-2:]
        ε = (m + n) * np.finfo(float).eps
        forces = times(np.abs(p.M), np.abs(z)) + np.abs(self.f) + times(transpose(np.abs(p.A)), np.abs(λ))
        sides = times(np.abs(p.A), np.abs(z)) + np.abs(p.b)
        size = np.sqrt(times(self.linked.columns, z**2))
        left = times(self.linked.columns, δ**2) / np.where(size > 0.0, size, 1.0)
        return self.answer.error(ε * forces + self.f_error, ε * sides + self.b_error) + left
