"""The shell of [UM2022] on its bowl, example 1, case A: data, start and reference, in plain NumPy.

State y = (q, q̇) with q = (w_C, u, α, β) [UM2022, eq. 9]: mass centre, quaternion, contact, centre of the shell.
"""

from __future__ import annotations

import math

import numpy as np

OUTER, INNER = 0.09, 0.08
DENSITIES = 10490.0, 7874.0
"""kg/m³ of the halves x < 0 and x > 0."""

GRAVITY = 9.81
HEIGHTS = 0.04, 0.05, 0.03
WAVES = 1.2 * math.sqrt(2) * math.pi, 1.6 * math.pi
START = {"contact": (-1.5, -0.75), "velocity": (1.5, 1.0), "spin": 0.0, "orientation": (1.0, 0.0, 0.0, 0.0)}
UNTIL, RTOL, ATOL = 25.0, 1e-12, 1e-15
CONTACT = slice(7, 10)

REFERENCE = {
    1.0: (0.0622175950001343, 0.516781022282186, 0.0415268509868435),
    5.0: (0.76834059382284, 1.68557778232764, 0.0930213114821775),
    10.0: (-1.38192341713531, 0.183015101296475, 0.0846318684037705),
    25.0: (2.31863707198806, -0.735865752203314, 0.193406873027105),
}
"""Contact point, m, at times, s: two formulations, in quadruple precision, agree in all digits given."""


def shell() -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, place ρ of the mass centre from the centre, and principal moments about the mass centre."""
    cubes, fourths, fifths = (OUTER**p - INNER**p for p in (3, 4, 5))
    heavy, light = (2 / 3 * math.pi * density * cubes for density in DENSITIES)
    mass = heavy + light
    half = 3 / 8 * fourths / cubes  # from the centre to the mass centre of a half
    offset = (light - heavy) * half / mass
    about_centre = 2 / 5 * mass * fifths / cubes
    across = about_centre - mass * offset**2
    return mass, np.array([offset, 0.0, 0.0]), np.array([about_centre, across, across])


def bowl(X, Y, Z, sin=np.sin):
    """Γ, zero on the surface [UM2022, eq. 57]; of numbers or of expressions."""
    (h1, h3, h5), (c1, c2) = HEIGHTS, WAVES
    return Z - h1 * sin(c1 * X) / (1 + X**2) - h3 * sin(c2 * Y) / (1 + Y**2) - h5 * (X**2 + Y**2)


def dimple(x: float, height: float, c: float) -> tuple[float, float, float]:
    """First to third derivative of height · sin(c x)/(1 + x²)."""
    s, k = math.sin(c * x), math.cos(c * x)
    d = 1 / (1 + x * x)
    w1, w2, w3 = -2 * x * d * d, (8 * x * x * d - 2) * d * d, (24 - 48 * x * x * d) * x * d**3
    s1, s2, s3 = c * k, -c * c * s, -(c**3) * k
    return (
        height * (s1 * d + s * w1),
        height * (s2 * d + 2 * s1 * w1 + s * w2),
        height * (s3 * d + 3 * s2 * w1 + 3 * s1 * w2 + s * w3),
    )


def gradient(x: float, y: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """k = ∂Γ/∂α [UM2022, eq. 13], and the diagonals of its first and second derivatives."""
    (h1, h3, h5), (c1, c2) = HEIGHTS, WAVES
    f, g = dimple(x, h1, c1), dimple(y, h3, c2)
    k = np.array([-f[0] - 2 * h5 * x, -g[0] - 2 * h5 * y, 1.0])
    return k, np.array([-f[1] - 2 * h5, -g[1] - 2 * h5, 0.0]), np.array([-f[2], -g[2], 0.0])


def start() -> np.ndarray:
    """The state y at t = 0, shape (26,), from the prescribed values [UM2022, eqs. 14, 19, 22, 38]."""
    _, rho, _ = shell()
    x, y = START["contact"]
    alpha = np.array([x, y, -float(bowl(x, y, 0.0))])
    k, K, _ = gradient(x, y)
    norm = np.linalg.norm(k)
    n = k / norm
    beta = alpha + OUTER * n
    vx, vy = START["velocity"]
    velocity = np.array([vx, vy, -(n[0] * vx + n[1] * vy) / n[2]])
    slope = np.eye(3) + OUTER * (np.eye(3) - np.outer(n, n)) / norm * K
    omega = np.cross(n, velocity) / OUTER + START["spin"] * n
    u = np.array(START["orientation"])  # the identity: body and inertial components are the same
    du = 0.5 * np.concatenate([[0.0], omega])
    positions = [beta + rho, u, alpha, beta]
    rates = [velocity + np.cross(omega, rho), du, np.linalg.solve(slope, velocity), velocity]
    return np.concatenate(positions + rates)
