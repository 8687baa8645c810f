"""Directions: the symbols of one, and many spread evenly."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from zeromass.expression import Array, as_expression, expressions
from zeromass.expression.node import symbol
from zeromass.model.given import length
from zeromass.model.unilateral import tangent_axis


def _direction() -> np.ndarray:
    direction = np.empty(3, dtype=object)
    direction[:] = [symbol(f"d{letter}", "coordinate", token=f"direction {letter}") for letter in "xyz"]
    return direction


DIRECTION: np.ndarray = _direction()
"""The symbols of a unit vector in which outsides are kept; the same ones everywhere, so that equal formulas are equal."""


@lru_cache(maxsize=4)
def scattered(count: int) -> np.ndarray:
    """Unit vectors (count, 3) spread evenly over all directions, every part of the sequence too.

    Multiples of 1/p and 1/p², modulo 1, p³ = p + 1 the plastic number, are spread evenly over a square, and the square
    over the sphere by its heights.
    """
    p = 1.324717957244746
    j = np.arange(1, count + 1)
    z, angle = 1 - 2 * ((0.5 + j / p) % 1.0), 2 * np.pi * ((0.5 + j / p**2) % 1.0)
    across = np.sqrt(1 - z**2)
    directions = np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)
    directions.setflags(write=False)
    return directions


def constant_vector(n: Array) -> np.ndarray | None:
    """The components of a vector that is constant; None of others."""
    values = [as_expression(x).value for x in n]
    return None if any(value is None for value in values) else np.array(values, dtype=float)


def tangents_of(name: str, normal: Array) -> tuple[Array, Array | None]:
    """Two unit vectors across the normal of a contact, (2, 3), and the normal if it turns, as of a `Unilateral`."""
    steady = constant_vector(normal)
    axis = tangent_axis(name) if steady is None else np.eye(3)[int(np.argmin(np.abs(steady)))]
    one = expressions(np.cross(normal, expressions(axis)))
    one = expressions(one / length(one))
    return expressions([one, expressions(np.cross(normal, one))]), normal if steady is None else None
