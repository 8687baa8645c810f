"""Legendre's polynomials on [0, 1], in which steps are written: values, and integrals."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Place = TypeVar("Place", float, np.ndarray)


def legendre(θ: Place, count: int) -> list[Place]:
    """P_0 … P_{count − 1} at θ, a place or an array of them."""
    x = 2 * θ - 1
    P = [0 * x + 1.0, x]
    for k in range(1, count - 1):
        P.append(((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1))
    return P[:count]


def integrals(P: list[float], first: float) -> list[float]:
    """∫₀^θ of P_0, P_1, … or of their integrals, from their values at θ: 2 (2k + 1) ∫ P_k = P_{k + 1} − P_{k − 1}."""
    return [first, *[(P[k + 1] - P[k - 1]) / (2 * (2 * k + 1)) for k in range(1, len(P) - 1)]]


def integration(terms: int, count: int) -> np.ndarray:
    """The coefficients of ∫₀^θ from those of a function of some terms, shape (count, terms); ∫ P_0 = θ = (P_0 + P_1)/2."""
    result = np.zeros((count, terms))
    result[:2, 0] = 0.5
    for k in range(1, terms):
        result[k + 1, k], result[k - 1, k] = 0.5 / (2 * k + 1), -0.5 / (2 * k + 1)
    return result
