"""Collocation at Radau's eight points, the implicit method of order 15 [HW1996, §IV.5], for second-order equations.

A step of length h is a polynomial q whose second derivative takes the accelerations a_j at the places c_j: for θ in (0, 1]

    q̇(θ) = q̇₀ + h Σ_j a_j ∫₀^θ ℓ_j(s) ds,   q(θ) = q₀ + θ h q̇₀ + h² Σ_j a_j ∫₀^θ (θ − s) ℓ_j(s) ds

Lagrange's polynomials ℓ_j are written in Legendre's, ℓ_j = w_j Σ_k (2k + 1) P_k(c_j) P_k with P_k on [0, 1]; that is exact,
because quadrature with the weights w at these places integrates all products of two P_k exactly.
"""

from __future__ import annotations

from math import prod

import numpy as np

from zeromass.integrate.exact import inverse, product
from zeromass.integrate.legendre import integrals, integration, legendre

STAGES = 8

C = (
    0.0224793864387124981088,
    0.11467905316090423191,
    0.265789822784589468477,
    0.452846373669444616999,
    0.647375282886830362626,
    0.819759308263107635012,
    0.943737439463077853534,
    1.0,
)
"""Places of the stages in a step; the last is its end."""

W = (
    0.0572544073721285996712,
    0.124823950664932481629,
    0.173507397817250640114,
    0.195786083726246796541,
    0.188258772694559278286,
    0.152065310323392564488,
    0.0926790774014896392704,
    0.015625,
)
"""Weights of the quadrature at these places."""


def _products(values: list[float]) -> tuple[float, ...]:
    """A linear function of all ℓ_j, from that of P_0 … P_7."""
    return tuple(sum(p * value for p, value in zip(parts, values, strict=True)) for parts in PARTS)


def _row(θ: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """∫₀^θ ℓ_j(s) ds and ∫₀^θ (θ − s) ℓ_j(s) ds for all j."""
    once = integrals(legendre(θ, STAGES + 2), θ)
    return _products(once[:STAGES]), _products(integrals(once, θ * θ / 2))


PARTS = [[(2 * k + 1) * w * P for k, P in enumerate(legendre(c, STAGES))] for c, w in zip(C, W, strict=True)]
"""Legendre's coefficients of ℓ_j, shape (j, k)."""

AT_START = tuple(sum((-1) ** k * part for k, part in enumerate(parts)) for parts in PARTS)
"""Values of ℓ_j at the start of a step, where P_k = (−1)^k."""

ONCE, TWICE = zip(*[_row(c) for c in C], strict=True)
"""Velocities and places at the stages from accelerations, shape (i, j)."""

BARYCENTRIC = tuple(1.0 / prod(c - other for other in C if other != c) for c in C)
"""Weights with which accelerations at the places c give their polynomial elsewhere."""

TERMS = STAGES + 2
"""Legendre's coefficients of a polynomial of places."""


def _columns(matrix: np.ndarray) -> list[list[tuple[float, ...]]]:
    """Coefficients in groups of eight, zeros behind the last: what each stage gives to those of a group."""
    whole = np.zeros((2 * STAGES, STAGES))
    whole[:TERMS] = product(matrix, np.array(PARTS).T)
    return [[tuple(column) for column in whole[k : k + STAGES].T.tolist()] for k in (0, STAGES)]


_ONCE = integration(STAGES, TERMS)
VELOCITIES = _columns(_ONCE)
PLACES = _columns(product(integration(STAGES + 1, TERMS), _ONCE[: STAGES + 1]))
"""Legendre's coefficients of velocities and places from accelerations, by `_columns`, for a step of length 1."""

_POWERS = np.arange(4)
_BETWEEN = inverse([1.0 * (_POWERS == 0), np.ones(4), 1.0 / (_POWERS + 1), 1.0 / (_POWERS + 1) - 1.0 / (_POWERS + 2)])


def between(x: float) -> tuple[float, ...]:
    """What a₀, a₁, ∫a and ∫(1 − s) a of a step from 0 to 1 give to the cubic that has them, at x."""
    return tuple(product([x**_POWERS], _BETWEEN)[0].tolist())
