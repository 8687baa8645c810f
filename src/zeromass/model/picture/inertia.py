"""The shape of a body of which only mass and inertia are known: a ball, a disc, a rod, a cylinder, a plate or a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.model.shapes import Box, Disc, Dot, Hull, Rod, Shape

THINNEST = 0.03
"""Smallest side of a shape made from an inertia, as a part of its largest: a rod stays visible."""

EQUAL = 1e-6
"""Part of the largest moment by which moments of a symmetric body may differ: as much as is typed of π."""


class Placed(NamedTuple):
    """A shape in the axes of a body: turned there by a unit quaternion, its middle shifted, m."""

    shape: Shape | Hull
    turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    middle: tuple[float, ...] = (0.0, 0.0, 0.0)


def of_inertia(mass: float, J: np.ndarray) -> Placed | None:
    """The homogeneous shape of a mass, kg, and an inertia about its centre, kg m²; None where one of them is zero.

    ball      J = 2/5 m r²
    cylinder  J₃ = m r²/2,  J₁ = J₂ = m (3 r² + h²)/12;  a disc where it is lower than r, a rod with r = 0
    box       J₁ = m (b² + c²)/12, and so on
    """
    if not np.all(np.isfinite(J)):
        return None
    moments, axes = np.linalg.eigh(J / 2 + J.T / 2)  # whose sum need not be finite
    most = moments.max()
    if not (mass > 0 and most > 0):
        return None
    if np.allclose(J, np.diag(np.diag(J)), rtol=0.0, atol=1e-9 * most):
        moments, axes = np.diag(J).astype(float), np.eye(3)
    if np.ptp(moments) <= EQUAL * most:
        return Placed(Dot(float(np.sqrt(2.5 * moments.mean() / mass))))
    for k in range(3):
        a, b, c = moments[(k + 1) % 3], moments[(k + 2) % 3], moments[k]
        if abs(a - b) > EQUAL * most:
            continue
        axis = (float(axes[0, k]), float(axes[1, k]), float(axes[2, k]))
        r, h = np.sqrt(2 * max(c, 0.0) / mass), np.sqrt(12 * max(a - c / 2, 0.0) / mass)
        if h <= r:
            return Placed(Disc(float(r), float(max(h, 2 * THINNEST * r)), axis))
        return Placed(Rod(float(h), float(max(r, THINNEST / 2 * h)), axis))
    # A homogeneous box: a² = 6 (J₂ + J₃ − J₁)/m.
    sides = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / mass, 0.0))
    a, b, c = np.maximum(sides, THINNEST * sides.max()).tolist()
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    return Placed(Box((a, b, c)), tuple(quaternions(axes[None])[0].tolist()))


def inside(placed: Placed, place: np.ndarray) -> bool:
    """Whether a point in the axes of the body lies inside the shape, or hardly outside."""
    x = place - np.asarray(placed.middle)
    match placed.shape:
        case Rod(length, radius, axis) | Disc(radius, length, axis):
            n = np.asarray(axis) / np.linalg.norm(axis)
            along = abs(float(x @ n))
            return along <= 0.53 * length and float(np.linalg.norm(x - (x @ n) * n)) <= 1.05 * radius
        case Box(sides):
            u0, u = placed.turn[0], np.asarray(placed.turn[1:])
            local = x - 2 * u0 * np.cross(u, x) + 2 * np.cross(u, np.cross(u, x))
            return bool(np.all(np.abs(local) <= 0.53 * np.asarray(sides)))
        case Dot(radius):
            return float(np.linalg.norm(x)) <= 1.05 * radius
    return True


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (u0, u1, u2, u3) of rotation matrices, shape (n, 3, 3) → (n, 4), without jumps of sign.

    The symmetric matrix K below has the quaternion as its eigenvector of the largest eigenvalue [Bar-Itzhack 2000].
    """
    K = np.empty((len(R), 4, 4))
    trace = np.trace(R, axis1=1, axis2=2)
    vector = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    K[:, 0, 0], K[:, 0, 1:], K[:, 1:, 0] = trace, vector, vector
    K[:, 1:, 1:] = R + R.transpose(0, 2, 1) - trace[:, None, None] * np.eye(3)
    u = np.linalg.eigh(K)[1][:, :, -1]
    u[0] *= -1.0 if u[0, 0] < 0 else 1.0
    flips = np.sign(np.einsum("ij,ij->i", u[1:], u[:-1]))
    u[1:] *= np.cumprod(np.where(flips == 0, 1.0, flips))[:, None]
    return u
