"""The fundamental equation in two parts, one for the constraints and one for the masses."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from .inverse import least_norm, least_norm_multipliers
from .rank import Rank, numerical_rank
from .scaling import Array
from .stack import times, transpose


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
    M = d[..., :, None] * M * d[..., None, :]
    rows = replace(constraints, column_scale=constraints.column_scale / d)
    N = rows.padded_null_space
    modes = numerical_rank(transpose(N) @ M @ N, tolerance=tolerance, largest=1.0, equilibrate=False)
    return Freedom(d, M, rows, N, modes)


def nullspace_acceleration(free: Freedom, f: Array, b: Array) -> Array:
    """A solution q̈, (..., n), of Nᵀ(M q̈ − f) = 0 and A q̈ = b.

        q̈ = A⁺b + N (Nᵀ M N)⁺ Nᵀ (f − M A⁺b),   N an orthonormal basis of the null space of A

    With f = Q + C this is M̄⁺ [(I − A⁺A) f; b] of [UP2006, eq. 2.14]: A⁺b lies in the row space of A, the rest
    in its null space. Here the constraints and the masses each meet a matrix of their own, so neither has to
    be measured against the other. Where [M; A] is rank deficient q̈ is one of many accelerations, the shortest
    in the units that make the masses 1.
    """
    d, M, rows, N, modes = free
    x = least_norm(rows, b)
    force = times(transpose(N), d * f - times(M, x))
    return d * (x + times(N, least_norm(modes, force)))


def refined_acceleration(free: Freedom, constraints: Rank, M: Array, f: Array, A: Array, b: Array) -> Array:
    """The acceleration of `nullspace_acceleration`, (..., n), corrected once by what is left of the equations.

        M δ = (f + Aᵀλ − M q̈) + Aᵀμ,   A δ = b − A q̈,   q̈ + δ

    The null space N carries a round-off of heavy coordinates to light ones. The residuals do not, and one
    correction brings the error down to that of the arguments.
    """
    qdd = nullspace_acceleration(free, f, b)
    λ = least_norm_multipliers(constraints, A, times(M, qdd) - f)
    return qdd + nullspace_acceleration(free, f + times(transpose(A), λ) - times(M, qdd), b - times(A, qdd))
