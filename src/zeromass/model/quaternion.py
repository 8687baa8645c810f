"""Rotation by a unit quaternion u = (u0, u1, u2, u3), as in UM2022.

    ω = 2 E u̇   in the body frame              [UM2022, eq. 1]
    ω̄ = 2 G u̇   in the inertial frame, ω̄ = S ω
    S = G Eᵀ     turns body components into inertial ones   [UM2022, eq. 23]

These work on expressions and on numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def body_rates(u: Any) -> np.ndarray:
    """E(u), shape (3, 4): angular velocity in the body frame is 2 E u̇."""
    u0, u1, u2, u3 = u
    return np.array([[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]])


def inertial_rates(u: Any) -> np.ndarray:
    """G(u), shape (3, 4): angular velocity in the inertial frame is 2 G u̇."""
    u0, u1, u2, u3 = u
    return np.array([[-u1, u0, -u3, u2], [-u2, u3, u0, -u1], [-u3, -u2, u1, u0]])


def rotation(u: Any) -> np.ndarray:
    """S(u), shape (3, 3): S x has the inertial components of the body vector x."""
    u0, u1, u2, u3 = u
    return np.array(
        [
            [u0**2 + u1**2 - u2**2 - u3**2, 2 * (u1 * u2 - u0 * u3), 2 * (u1 * u3 + u0 * u2)],
            [2 * (u1 * u2 + u0 * u3), u0**2 - u1**2 + u2**2 - u3**2, 2 * (u2 * u3 - u0 * u1)],
            [2 * (u1 * u3 - u0 * u2), 2 * (u2 * u3 + u0 * u1), u0**2 - u1**2 - u2**2 + u3**2],
        ]
    )


def product(p: Any, q: Any) -> np.ndarray:
    """p∘q of quaternions: the turn q and then, in the outer axes, p."""
    p0, p1, p2, p3 = p
    q0, q1, q2, q3 = q
    return np.array(
        [
            p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
            p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
            p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1,
            p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0,
        ]
    )
