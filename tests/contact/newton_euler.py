"""Rolling a second time, by Newton and Euler in quasi-velocities: the oracle of these tests. NumPy and SciPy only.

The contact is at two parameters a, b of a surface p(a, b, t) with unit normal n(a, b, t), whose material there moves at
v(a, b, t). The unknowns are a, b, the quaternion u and the angular velocity. With l = −S s(−Sᵀn) from the contact to the
centre of the outside, s the point of the body that is farthest in a direction and W = S s′ Sᵀ, l = r n and W = r of a
sphere, and with d = l + Sρ from contact to mass centre:

    l̇ = ω × l + W (ṅ − ω × n)
    ȯ = v + ω × l = ṗ + l̇            no slip, so  (p_a + W n_a) ȧ + (p_b + W n_b) ḃ = v + W (ω × n − n_t) − p_t
    c̈ = ω̇ × d + e                   e = v̇ + ω × (l̇ + ω × Sρ)
    F = m (c̈ − g)                    Newton
    J ω̇ + ω × J ω = −d × F + τ n     Euler about the mass centre; τ = 0 where the body may spin

F is eliminated and 3 equations for ω̇ are left, [J + m (d² I − d dᵀ)] ω̇ = −ω × Jω − m d × (e − g) + τ n. Where the body
may not spin τ is the fourth unknown, and d/dt n·(ω − Ω) = 0 the fourth equation.

All arrays have their cases in the last axis, so that many runs advance in one integration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

Outside = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Of unit directions (3, …), to the farthest points s (3, …) and s′ (3, 3, …), in body axes."""


class Body(NamedTuple):
    """Radius, mass, centre of mass (3,) from the centre of the outside, and inertia (3, 3) about it, in body axes; and the
    outside of a body that is no sphere."""

    radius: float
    mass: float
    rho: np.ndarray
    J: np.ndarray
    outside: Outside | None = None


class Place(NamedTuple):
    """A surface at a, b, t: its point p, normal n, material velocity v and angular velocity, with their derivatives."""

    p: np.ndarray
    p_a: np.ndarray
    p_b: np.ndarray
    p_t: np.ndarray
    n: np.ndarray
    n_a: np.ndarray
    n_b: np.ndarray
    n_t: np.ndarray
    v: np.ndarray
    v_a: np.ndarray
    v_b: np.ndarray
    v_t: np.ndarray
    turn: np.ndarray
    turn_t: np.ndarray


class Motion(NamedTuple):
    """Rates of the unknowns, and the force and the torque about the normal that the surface exerts at the contact."""

    slope: np.ndarray
    force: np.ndarray
    torque: np.ndarray


SurfaceAt = Callable[[np.ndarray, np.ndarray, float], Place]


def cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.array([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def attitude(u: np.ndarray) -> np.ndarray:
    """The rotation (3, 3, …) of a quaternion, whatever its length."""
    w, v = u[0], u[1:]
    zero = np.zeros_like(w)
    tilde = np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])
    eye = np.eye(3).reshape((3, 3) + (1,) * w.ndim)
    turned = (w**2 - dot(v, v)) * eye + 2 * v[:, None] * v[None, :] + 2 * w * tilde
    return turned / (w**2 + dot(v, v))


def apply(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("ij...,j...->i...", matrix, x)


def motion(at: SurfaceAt, body: Body, g: np.ndarray, spins: bool, t: float, y: np.ndarray) -> Motion:
    """What the laws at the top say, for y = (a, b, u, ω in body axes), shape (9, cases)."""
    _, m, rho, J, _ = body
    a, b, u, turning = y[0], y[1], y[2:6], y[6:9]
    k = at(a, b, t)
    S = attitude(u)
    omega, c = apply(S, turning), apply(S, rho[:, None] + 0 * turning)
    inertia = np.einsum("ik...,kl,jl...->ij...", S, J, S)

    l, W = levers(body, S, k.n)
    against = k.v + apply(W, cross(omega, k.n) - k.n_t) - k.p_t
    A, B = k.p_a + apply(W, k.n_a), k.p_b + apply(W, k.n_b)
    aa, ab, ba, bb = dot(k.p_a, A), dot(k.p_a, B), dot(k.p_b, A), dot(k.p_b, B)
    one, two = dot(k.p_a, against), dot(k.p_b, against)
    det = aa * bb - ab * ba
    da, db = (bb * one - ab * two) / det, (aa * two - ba * one) / det

    ndot = k.n_a * da + k.n_b * db + k.n_t
    vdot = k.v_a * da + k.v_b * db + k.v_t
    d = l + c
    ldot = cross(omega, l) + apply(W, ndot - cross(omega, k.n))
    e = vdot + cross(omega, ldot + cross(omega, c))
    right = -cross(omega, apply(inertia, omega)) - m * cross(d, e - g[:, None])
    left = inertia + m * (dot(d, d) * np.eye(3)[:, :, None] - d[:, None] * d[None, :])
    if spins:
        alpha, tau = solved(left, right), 0 * a
    else:
        last = dot(k.n, k.turn_t) - dot(ndot, omega - k.turn)
        square = np.concatenate([left, k.n[None]]), np.concatenate([-k.n, 0 * a[None]])
        unknown = solved(np.concatenate([square[0], square[1][:, None]], axis=1), np.concatenate([right, last[None]]))
        alpha, tau = unknown[:3], unknown[3]
    force = m * (cross(alpha, d) + e - g[:, None])
    w, v = u[0], u[1:]
    du = np.concatenate([-dot(v, turning)[None], w * turning + cross(v, turning)]) / 2
    return Motion(np.concatenate([[da, db], du, apply(S.swapaxes(0, 1), alpha)]), force, tau * k.n)


def levers(body: Body, S: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """l (3, …) and W (3, 3, …)."""
    if body.outside is None:
        return body.radius * n, body.radius * np.eye(3)[:, :, None] + 0 * S
    s, slope = body.outside(-apply(S.swapaxes(0, 1), n))
    return -apply(S, s), np.einsum("ik...,kl...,jl...->ij...", S, slope, S)


def solved(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solutions of one linear system for each case."""
    return np.linalg.solve(np.moveaxis(left, -1, 0), right.T[..., None])[..., 0].T


def integrated(
    at: SurfaceAt, body: Body, g: np.ndarray, y0: np.ndarray, times: np.ndarray, *, spins: bool = True
) -> np.ndarray:
    """The unknowns at times, shape (times, 9, cases), from their values y0 at t = 0."""
    shape = y0.shape
    result = solve_ivp(
        lambda t, y: motion(at, body, g, spins, t, y.reshape(shape)).slope.ravel(),
        (0.0, times[-1]),
        y0.ravel(),
        method="DOP853",
        t_eval=times,
        rtol=1e-13,
        atol=1e-15,
    )
    assert result.success, result.message
    return result.y.T.reshape((len(times), *shape))
