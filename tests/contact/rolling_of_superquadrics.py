"""Newton's and Euler's equations of a superquadric on a plane, with the contact point in the body as an unknown.

The body Σ |bᵢ/aᵢ|ⁿ = 1, of centre and centre of mass 0, touches the plane at b, in its own axes. With k the upward normal of
the plane there, H = ∂²g, the lever l = −b from the contact to the centre, and the path σ as independent variable,

    ∇g(b) = −κ k,   H b′ + κ′ k − κ t′ ω × k = 0,   ∇g·b′ = 0,   |b′|² + (c t′)² = 1

determine (b′, κ′, t′) up to a sign. Nothing of it is infinite where the body is flat, Hᵢᵢ = 0: t′ is zero there, and forces
F enter by F t′ alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import zeromass as zm

PATH = 1.0
"""The speed c, m/s."""


class Stone(NamedTuple):
    """A superquadric: semi-axes, exponent, mass, principal moments of inertia, and gravity."""

    sizes: np.ndarray
    exponent: float
    mass: float
    inertia: np.ndarray
    gravity: float


class Moved(NamedTuple):
    """The state at a time: rotation, angular velocity and velocity of the centre, contact in the body.

    place    of the centre, from where it was at the start
    ratios   of friction to normal force, at all steps
    pressed  normal force times t′, at all steps
    """

    R: np.ndarray
    ω: np.ndarray
    v: np.ndarray
    b: np.ndarray
    place: np.ndarray
    ratios: np.ndarray
    pressed: np.ndarray


def crossed(a: np.ndarray) -> np.ndarray:
    """a × as a matrix."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def contact_rates(stone: Stone, b: np.ndarray, k: np.ndarray, ω: np.ndarray) -> tuple[np.ndarray, float]:
    """b′ and t′ > 0."""
    n, size = stone.exponent, np.abs(b / stone.sizes)
    slope = n / stone.sizes * np.sign(b) * size ** (n - 1)
    κ = -slope @ k
    rows = np.zeros((4, 5))
    rows[:3, :3] = np.diag(n * (n - 1) / stone.sizes**2 * size ** (n - 2)) / κ
    rows[:3, 3], rows[:3, 4], rows[3, :3] = k, -np.cross(ω, k) / PATH, slope / κ
    direction = np.linalg.svd(rows)[2][-1]
    direction *= np.sign(direction[4]) or 1.0
    return direction[:3], direction[4] / PATH


def forces(
    stone: Stone, x: np.ndarray, friction: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, np.ndarray]:
    """ω′, v′ in the axes of the body, b′, t′, and F t′; without slip where friction is None."""
    R, ω, v, b = x[:9].reshape(3, 3), x[9:12], x[12:15], x[15:18]
    k, J, m, l = R[2], stone.inertia, stone.mass, -b
    b_rate, t_rate = contact_rates(stone, b, k, ω)
    l_rate, free = -b_rate, -np.cross(ω, J * ω) * t_rate
    if friction is None:  # v = ω × l
        known = m * (np.cross(ω, l_rate) + (np.cross(ω, np.cross(ω, l)) + stone.gravity * k) * t_rate)
        L = crossed(l)
        ω_rate = np.linalg.solve(np.diag(J) - m * L @ L, free - np.cross(l, known))
        force = known + m * np.cross(ω_rate, l)
    else:  # k·v = k·(ω × l), and with a = v′ + ω × v t′ in space: k·a = k·(ω′ × l + ω × l′ + ω × (ω × l) t′)
        slip = v - np.cross(ω, l)
        slip -= (slip @ k) * k  # rounding
        pull = k - friction * slip / np.linalg.norm(slip)
        turned = -np.cross(l, pull) / J
        lifted = k @ (pull / m - np.cross(turned, l))
        wanted = k @ (np.cross(free / J, l) + np.cross(ω, l_rate) + np.cross(ω, np.cross(ω, l)) * t_rate)
        force = (wanted + stone.gravity * t_rate) / lifted * pull
        ω_rate = free / J + turned * (force @ k)
    v_rate = force / m - (stone.gravity * k + np.cross(ω, v)) * t_rate
    return ω_rate, v_rate, b_rate, t_rate, force


def moved(stone: Stone, start: zm.State, t: float, *, friction: float | None, rtol: float) -> Moved:
    """The state a time t after a start of a rolling or slipping body; friction is None where it does not slip."""
    (body,) = [part for part in start.system.parts if isinstance(part, zm.RigidBody)]
    foot = np.array([x for x in start.system.coordinates if x.name.startswith("foot.")])
    R, ω, v, b = (start[e] for e in (body.rotation, body.angular_velocity, body.velocity, foot))

    def slope(_: float, x: np.ndarray) -> np.ndarray:
        ω_rate, v_rate, b_rate, t_rate = forces(stone, x, friction)[:4]
        R = x[:9].reshape(3, 3)
        return np.concatenate(
            [(R @ crossed(x[9:12])).ravel() * t_rate, ω_rate, v_rate, b_rate, R @ x[12:15] * t_rate, [t_rate]]
        )

    def ended(_: float, x: np.ndarray) -> float:
        return x[-1] - t

    ended.terminal = True  # type: ignore[attr-defined]
    first = np.concatenate([R.ravel(), R.T @ ω, R.T @ v, b, np.zeros(4)])
    found = solve_ivp(slope, (0, 1e3), first, "DOP853", events=ended, rtol=rtol, atol=1e-3 * rtol)
    assert found.status == 1, found.message
    all_forces = np.array([forces(stone, x, friction)[4] for x in found.y.T])
    N = np.einsum("ki,ik->k", all_forces, found.y[6:9])
    across = np.sqrt(np.maximum(np.sum(all_forces**2, axis=1) - N**2, 0.0))
    x = found.y_events[0][0]
    R = x[:9].reshape(3, 3)
    return Moved(R, R @ x[9:12], R @ x[12:15], x[15:18], x[18:21], across / N, N)
