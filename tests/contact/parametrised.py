"""Surfaces of the second formulation: points, normals and material velocities with derivatives written out by hand.

Numbers of a surface are arrays with one entry for each case, in a mapping `c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from contact.newton_euler import Place, SurfaceAt, apply, cross, dot

Numbers = Mapping[str, np.ndarray]


class Shape(NamedTuple):
    """Point X and unit normal N in the surface's own axes, with derivatives by its two parameters."""

    X: np.ndarray
    X_a: np.ndarray
    X_b: np.ndarray
    N: np.ndarray
    N_a: np.ndarray
    N_b: np.ndarray


class Axes(NamedTuple):
    """Where the surface's axes are: origin s, rotation R, angular velocity, with time derivatives."""

    s: np.ndarray
    s_t: np.ndarray
    s_tt: np.ndarray
    R: np.ndarray
    turn: np.ndarray
    turn_t: np.ndarray


def unit(k: np.ndarray, *slopes: np.ndarray) -> list[np.ndarray]:
    """k/|k| and its derivatives, from those of k."""
    length = np.sqrt(dot(k, k))
    N = k / length
    return [N, *[(slope - N * dot(N, slope)) / length for slope in slopes]]


# shapes -------------------------------------------------------------------------------------------------------


def hills(c: Numbers, a: np.ndarray, b: np.ndarray) -> Shape:
    """Z = c₁X² + c₂XY + c₃Y² + A sin(κX + φ) cos(λY)."""
    one, zero = np.ones_like(a), np.zeros_like(a)
    sx, cx = np.sin(c["kappa"] * a + c["phi"]), np.cos(c["kappa"] * a + c["phi"])
    sy, cy = np.sin(c["lambda"] * b), np.cos(c["lambda"] * b)
    A, κ, λ = c["A"], c["kappa"], c["lambda"]
    h = c["c1"] * a**2 + c["c2"] * a * b + c["c3"] * b**2 + A * sx * cy
    h_a, h_b = 2 * c["c1"] * a + c["c2"] * b + A * κ * cx * cy, c["c2"] * a + 2 * c["c3"] * b - A * λ * sx * sy
    h_aa, h_ab = 2 * c["c1"] - A * κ**2 * sx * cy, c["c2"] - A * κ * λ * cx * sy
    h_bb = 2 * c["c3"] - A * λ**2 * sx * cy
    N, N_a, N_b = unit(np.array([-h_a, -h_b, one]), np.array([-h_aa, -h_ab, zero]), np.array([-h_ab, -h_bb, zero]))
    return Shape(np.array([a, b, h]), np.array([one, zero, h_a]), np.array([zero, one, h_b]), N, N_a, N_b)


def tube(c: Numbers, a: np.ndarray, b: np.ndarray) -> Shape:
    """The inside of a torus: a runs round the Z axis, b round the tube."""
    ca, sa, cb, sb, zero = np.cos(a), np.sin(a), np.cos(b), np.sin(b), np.zeros_like(a)
    out = np.array([ca * cb, sa * cb, sb])
    out_a, out_b = np.array([-sa * cb, ca * cb, zero]), np.array([-ca * sb, -sa * sb, cb])
    X = c["R"] * np.array([ca, sa, zero]) + c["T"] * out
    X_a = c["R"] * np.array([-sa, ca, zero]) + c["T"] * out_a
    return Shape(X, X_a, c["T"] * out_b, -out, -out_a, -out_b)


def ellipsoid(c: Numbers, a: np.ndarray, b: np.ndarray) -> Shape:
    """The inside of an ellipsoid with half axes A, B, C and its poles on the X axis; a = b = 0 is its bottom."""
    ca, sa, cb, sb, zero = np.cos(a), np.sin(a), np.cos(b), np.sin(b), np.zeros_like(a)
    half = np.array([c["A"], c["B"], c["C"]])
    X, X_a, X_b = half * [sb, cb * sa, -cb * ca], half * [zero, cb * ca, cb * sa], half * [cb, -sb * sa, sb * ca]
    return Shape(X, X_a, X_b, *unit(-X / half**2, -X_a / half**2, -X_b / half**2))


# rigid motions ------------------------------------------------------------------------------------------------


def turned(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rotations (3, 3, …) about unit axes (3, …)."""
    x, y, z = axis
    zero = np.zeros_like(x)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    along = axis[:, None] * axis[None, :]
    return np.cos(angle) * (np.eye(3)[:, :, None] - along) + along + np.sin(angle) * K


def resting(c: Numbers, t: float) -> Axes:
    zero = np.zeros((3, len(next(iter(c.values())))))
    return Axes(zero, zero, zero, turned(np.add(zero, [[0.0], [0.0], [1.0]]), zero[0]), zero, zero)


def shaken(c: Numbers, t: float) -> Axes:
    """Origin at (Sx sin νt, Sy cos νt, Sz sin 2νt)."""
    size, ν = np.array([c["Sx"], c["Sy"], c["Sz"]]), c["nu"]
    one, two = ν * t, 2 * ν * t
    s = size * [np.sin(one), np.cos(one), np.sin(two)]
    s_t = size * [ν * np.cos(one), -ν * np.sin(one), 2 * ν * np.cos(two)]
    return resting(c, t)._replace(s=s, s_t=s_t, s_tt=-s * [ν**2, ν**2, 4 * ν**2])


def revolving(c: Numbers, t: float) -> Axes:
    """Turned about Z by Ωt + w sin νt."""
    angle = c["Omega"] * t + c["w"] * np.sin(c["nu"] * t)
    first = c["Omega"] + c["w"] * c["nu"] * np.cos(c["nu"] * t)
    second = -c["w"] * c["nu"] ** 2 * np.sin(c["nu"] * t)
    rest = resting(c, t)
    up = np.add(rest.s, [[0.0], [0.0], [1.0]])
    return rest._replace(R=turned(up, angle), turn=first * up, turn_t=second * up)


def tilting(c: Numbers, t: float) -> Axes:
    """Shaken, and tilted by w sin(νt) about the X axis after a turn by Ωt about Z: R = R_x R_z."""
    rest = resting(c, t)
    x, z = np.add(rest.s, [[1.0], [0.0], [0.0]]), np.add(rest.s, [[0.0], [0.0], [1.0]])
    tilt, turn = c["w"] * np.sin(c["nu"] * t), c["Omega"] * t
    tilt_t, tilt_tt = c["w"] * c["nu"] * np.cos(c["nu"] * t), -(c["nu"] ** 2) * tilt
    Rx = turned(x, tilt)
    axle = apply(Rx, z)
    R = np.einsum("ijc,jkc->ikc", Rx, turned(z, turn))
    rate = tilt_t * x + c["Omega"] * axle
    change = tilt_tt * x + c["Omega"] * tilt_t * cross(x, axle)
    return shaken(c, t)._replace(R=R, turn=rate, turn_t=change)


def rigid(
    shape: Callable[[Numbers, np.ndarray, np.ndarray], Shape], axes: Callable[[Numbers, float], Axes], c: Numbers
) -> SurfaceAt:
    """A shape that moves with its axes, p = s + R X and v = ṗ at fixed a, b."""

    def at(a: np.ndarray, b: np.ndarray, t: float) -> Place:
        own, k = shape(c, a, b), axes(c, t)
        X, X_a, X_b, n, n_a, n_b = vectors = np.einsum("ijc,mjc->mic", k.R, np.array(own))
        along, v_a, v_b, n_t = np.moveaxis(cross(k.turn[:, None], vectors[:4].swapaxes(0, 1)), 1, 0)
        v = k.s_t + along
        v_t = k.s_tt + cross(k.turn_t, X) + cross(k.turn, along)
        return Place(k.s + X, X_a, X_b, v, n, n_a, n_b, n_t, v, v_a, v_b, v_t, k.turn, k.turn_t)

    return at


# surfaces whose material does not move with any axes ----------------------------------------------------------


def wave(c: Numbers) -> SurfaceAt:
    """Z = c₁X² + c₃Y² + A sin(κX − νt); its material moves along the normal, v = k h_t/k·k with k = (−h_a, −h_b, 1)."""

    def at(a: np.ndarray, b: np.ndarray, t: float) -> Place:
        one, zero = np.ones_like(a), np.zeros_like(a)
        A, κ, ν = c["A"], c["kappa"], c["nu"]
        s, co = A * np.sin(κ * a - ν * t), A * np.cos(κ * a - ν * t)
        h, h_a, h_b, h_t = c["c1"] * a**2 + c["c3"] * b**2 + s, 2 * c["c1"] * a + κ * co, 2 * c["c3"] * b, -ν * co
        h_aa, h_bb, h_at, h_tt = 2 * c["c1"] - κ**2 * s, 2 * c["c3"] + zero, κ * ν * s, -(ν**2) * s
        k = np.array([-h_a, -h_b, one])
        slopes = np.array([-h_aa, zero, zero]), np.array([zero, -h_bb, zero]), np.array([-h_at, zero, zero])
        square = dot(k, k)
        v_a, v_b, v_t = (
            (k_x * h_t + k * h_tx) / square - k * h_t * 2 * dot(k, k_x) / square**2
            for k_x, h_tx in zip(slopes, (h_at, zero, h_tt), strict=True)
        )
        p, p_a, p_b = np.array([a, b, h]), np.array([one, zero, h_a]), np.array([zero, one, h_b])
        p_t, still = np.array([zero, zero, h_t]), np.zeros_like(p)
        n, n_a, n_b, n_t = unit(k, *slopes)
        return Place(p, p_a, p_b, p_t, n, n_a, n_b, n_t, k * h_t / square, v_a, v_b, v_t, still, still)

    return at


def carpet(c: Numbers) -> SurfaceAt:
    """Hills at rest, covered by a carpet drawn along: v is the part along the hills of w = (w + sY cos νt, −sX, 0)."""

    def at(a: np.ndarray, b: np.ndarray, t: float) -> Place:
        X, X_a, X_b, n, n_a, n_b = hills(c, a, b)
        zero = np.zeros_like(a)
        s, cos, sin = c["s"], np.cos(c["nu"] * t), np.sin(c["nu"] * t)
        w = np.array([c["w"] + s * b * cos, -s * a, zero])
        w_a, w_b = np.array([zero, -s + zero, zero]), np.array([s * cos + zero, zero, zero])
        w_t = np.array([-c["nu"] * s * b * sin, zero, zero])

        def along(change: np.ndarray, n_x: np.ndarray) -> np.ndarray:
            return change - n_x * dot(n, w) - n * (dot(n_x, w) + dot(n, change))

        v = w - n * dot(n, w)
        still = np.zeros_like(X)
        v_a, v_b, v_t = along(w_a, n_a), along(w_b, n_b), along(w_t, still)
        return Place(X, X_a, X_b, still, n, n_a, n_b, still, v, v_a, v_b, v_t, still, still)

    return at
