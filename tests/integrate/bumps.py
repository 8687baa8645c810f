"""Bumps of time: shapes of one width, what they are at numbers, and their integrals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

import zeromass as zm

SPAN = 10.0
"""Seconds of the runs."""


def compact(s: Any) -> Any:
    """exp(−1/(1 − s²)) for |s| < 1, smooth everywhere."""
    return zm.where(abs(s) < 1, np.exp(-1 / (1 - s**2)), 0.0)


def _compact(s: np.ndarray) -> np.ndarray:
    inside = np.abs(s) < 1
    return np.where(inside, np.exp(-1 / np.where(inside, 1 - s**2, 1.0)), 0.0)


SHAPES: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]] = {
    "gaussian": (lambda s: np.exp(-(s**2)), lambda s: np.exp(-(s**2))),
    "sech²": (lambda s: 1 - np.tanh(s) ** 2, lambda s: 4 * np.exp(-2 * abs(s)) / (1 + np.exp(-2 * abs(s))) ** 2),
    "rational": (lambda s: 1 / (1 + s**2), lambda s: 1 / (1 + s**2)),
    "compact": (compact, _compact),
}
"""As formulas of s = (t − c)/w, and as numbers."""

FORCES = {**SHAPES, "overflowing": (lambda s: 1 / np.cosh(s) ** 2, SHAPES["sech²"][1])}
"""Those, and one whose denominator is infinite far from the bump; of its derivatives nothing would be left there."""

_X, _W = leggauss(40)


def integral(f: Callable[[np.ndarray], np.ndarray], centre: float, width: float, until: float = SPAN) -> float:
    """∫ f dt from 0 to `until`, of a function with a bump, by Gauss's formula in parts that are graded toward it."""
    away = np.concatenate([np.linspace(0, 2, 41), 2 * 1.3 ** np.arange(1, 80)])
    edges = np.concatenate([centre - width * away, centre + width * away, np.linspace(0.0, until, 81)])
    edges = np.unique(np.clip(edges, 0.0, until))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    return float(np.sum(f(middle[:, None] + half[:, None] * _X) * _W * half[:, None]))
