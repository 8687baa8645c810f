"""How wrong a solution may be: all problems that differ from the given one by roundings have theirs within a bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arguments import Problem
from .arrays import Array, times, transpose

GIVEN = 4
"""Roundings that an argument may carry: those of a product of five numbers."""

DOUBLINGS = 40
"""How often the number of terms of a series is doubled: what has no sum then is taken to have none."""

REST = 0.01
"""Part that what is left of a series may add to it."""


class Inverse(NamedTuple):
    """An approximate inverse of M z = f + Aᵀλ, A z = b, from wherever it is.

    z ≈ K f + W b,   λ ≈ Lᵀ(M z − f)
    """

    K: Array  # (..., n, n)
    W: Array  # (..., n, m)
    L: Array  # (..., n, m)
    free: Array  # projector on the z that the equations leave open, (..., n, n)
    idle: Array  # projector on the λ that they leave open, (..., m, m)


def bound(inverse: Inverse, p: Problem, z: Array, λ: Array, f_error: Array, b_error: Array) -> Array:
    """What roundings of the arguments, and their known errors, may have done to z at most, (..., n).

        (M + ΔM)(z + e) = f + Δf + (A + ΔA)ᵀ(λ + μ),   (A + ΔA)(z + e) = b + Δb,   |ΔM| ≤ ε|M|, …

    With s what z and λ leave of the given equations, this is M e = σ + Aᵀμ and A e = τ for

        |σ − s_f| ≤ φ + ε(|M||e| + |A|ᵀ|μ|),   |τ − s_b| ≤ β + ε|A||e|,

    and the approximate inverse makes of it

        e = K σ + W τ + (I − K M − W A) e + K Aᵀμ,   μ = Lᵀ(M e − σ) + (I − LᵀAᵀ) μ

    So v = (|e|, |μ|) ≤ g + T v with g, T ≥ 0 that are known, and v ≤ g + T g + T²g + … if that has a sum. If not, the
    bound is infinite: among problems as near as that there is one without a solution, or with many.
    """
    K, W, L, free, idle = inverse
    m, n = p.A.shape[-2:]
    ε = (n + m + 2 + GIVEN) / 2 * np.finfo(float).eps  # of the sums below, and of the arguments
    M, A, At, Lt = p.M, p.A, transpose(p.A), transpose(L)
    s_f, s_b = p.Q + p.C + times(At, λ) - times(M, z), p.b - times(A, z)
    φ = ε * (np.abs(p.Q) + np.abs(p.C) + _product(At, λ) + _product(M, z)) + f_error
    β = ε * (np.abs(p.b) + _product(A, z)) + b_error
    g_e = np.abs(times(K, s_f) + times(W, s_b)) + _product(K, φ) + _product(W, β)
    g_μ = np.abs(times(Lt, s_f)) + _product(Lt, φ)
    T_ee = np.abs(np.eye(n) - free - K @ M - W @ A) + ε * (np.abs(K) @ np.abs(M) + np.abs(W) @ np.abs(A))
    T_eμ = np.abs(K @ At) + ε * np.abs(K) @ np.abs(At)
    T_μe = np.abs(Lt @ M) + ε * np.abs(Lt) @ np.abs(M)
    T_μμ = np.abs(np.eye(m) - idle - Lt @ At) + ε * np.abs(Lt) @ np.abs(At)
    T = np.concatenate([np.concatenate([T_ee, T_eμ], axis=-1), np.concatenate([T_μe, T_μμ], axis=-1)], axis=-2)
    v = series(T, np.concatenate([g_e, g_μ], axis=-1))
    return np.where(np.isnan(z), np.nan, v[..., :n])


@np.errstate(over="ignore", invalid="ignore")
def series(T: Array, g: Array) -> Array:
    """g + T g + T²g + …, (..., k), or a little more, of numbers that are not negative; infinite where it has no sum.

    Let S be the sum of N terms. Where TᴺS ≤ q S, and q < 1, the sum of all is S/(1 − q) at most.
    """
    S, power, settled = g, T, np.zeros(g.shape, dtype=bool)
    for _ in range(DOUBLINGS):
        more = times(power, S)
        settled = more <= REST * S
        if settled.all():
            break
        S, power = S + more, power @ power
    return np.where(settled.all(axis=-1, keepdims=True), S / (1.0 - REST), np.inf)


def _product(A: Array, x: Array) -> Array:
    """|A||x|"""
    return times(np.abs(A), np.abs(x))
