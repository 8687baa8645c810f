"""Bodies that touch one another or the ground, as contact problems, and a check of Coulomb's law in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zeromass.integrate.hybrid.contact_problem import ContactProblem, contact_problem

Array = np.ndarray

GRAVITY = 9.81

GROUND = -1


class Body(NamedTuple):
    """Mass, principal moments of inertia along the axes, center, and acceleration without contacts, (6,)."""

    mass: float
    inertia: ArrayLike
    center: ArrayLike
    free: ArrayLike = (0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0)


class Touch(NamedTuple):
    """Two bodies, a point, the normal towards the first, friction, and the slip velocity if there is one."""

    body: int
    other: int
    point: ArrayLike
    normal: ArrayLike
    mu: float
    slip: ArrayLike | None = None


def frame(normal: ArrayLike) -> Array:
    """Rows n, t₁, t₂."""
    n = np.asarray(normal, dtype=float)
    n = n / np.linalg.norm(n)
    t = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t /= np.linalg.norm(t)
    return np.stack([n, t, np.cross(n, t)])


def problem(bodies: Sequence[Body], touches: Sequence[Touch]) -> ContactProblem:
    """D = J M⁻¹ Jᵀ and b = J a₀; bodies are at rest where nothing slips, so that J̇ does not matter."""
    k, n = len(touches), 6 * len(bodies)
    p, J, inverse = contact_problem(k), np.zeros((3 * k, n)), np.zeros(n)
    for i, body in enumerate(bodies):
        inverse[6 * i : 6 * i + 6] = 1.0 / np.append([body.mass] * 3, body.inertia)
    for j, touch in enumerate(touches):
        R = frame(touch.normal)
        p.mu[j] = p.hold[j] = touch.mu
        if touch.slip is not None:
            along = R[1:] @ np.asarray(touch.slip)
            p.slip[j] = along / np.linalg.norm(along)
        for i, sign in ((touch.body, 1.0), (touch.other, -1.0)):
            if i != GROUND:
                r = np.asarray(touch.point) - np.asarray(bodies[i].center)
                J[3 * j : 3 * j + 3, 6 * i : 6 * i + 3] += sign * R
                J[3 * j : 3 * j + 3, 6 * i + 3 : 6 * i + 6] += sign * np.cross(r, R)
    D = (J * inverse) @ J.T
    p.D[:] = (D + D.T) / 2
    p.b[:] = J @ np.concatenate([body.free for body in bodies])
    return p


def random_problem(seed: int, k: int, bodies: int = 1, known: float = 0.0) -> ContactProblem:
    """Contacts of random bodies with one another and with the ground, a part of which slip already."""
    rng = np.random.default_rng([seed, k, bodies])
    made = [
        Body(
            rng.uniform(0.5, 2),
            rng.uniform(0.1, 0.4, 3),
            rng.normal(size=3) * 2 * (i > 0),
            np.array([0, 0, -GRAVITY, 0, 0, 0]) + 5 * rng.normal(size=6),
        )
        for i in range(bodies)
    ]
    touches = []
    for j in range(k):
        body, other = j % bodies, int(rng.integers(bodies))
        other = GROUND if body == other or rng.random() < 0.5 else other
        up = np.array([0, 0, 1.0]) + 0.3 * rng.normal(size=3)
        normal = up if other == GROUND else rng.normal(size=3)
        normal = normal / np.linalg.norm(normal)
        point = np.asarray(made[body].center) - 0.5 * normal + 0.3 * rng.normal(size=3)
        slip = rng.normal(size=3) if rng.random() < known else None
        touches.append(Touch(body, other, point, normal, rng.uniform(0.1, 0.9), slip))
    return problem(made, touches)


def box(mu: float, slope: float, push: ArrayLike = (0, 0, 0, 0, 0, 0)) -> ContactProblem:
    """A box on its four corners on a slope, whose axes are those of the slope: x points downhill."""
    free = np.array([GRAVITY * np.sin(slope), 0, -GRAVITY * np.cos(slope), 0, 0, 0]) + push
    corners = [(x, y, -0.1) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    return problem(
        [Body(2.0, (0.1, 0.12, 0.15), (0, 0, 0), free)], [Touch(0, GROUND, c, (0, 0, 1), mu) for c in corners]
    )


def pile(rows: int, mu: float) -> ContactProblem:
    """Balls in a triangle that stands on the ground; neighbours of a row do not touch."""
    at = {(i, j): np.array([1.001 * (j + 0.5 * i), 0, 0.5 + i * 0.866]) for i in range(rows) for j in range(rows - i)}
    names = {place: number for number, place in enumerate(at)}
    touches = [Touch(names[0, j], GROUND, at[0, j] - [0, 0, 0.5], (0, 0, 1), mu) for j in range(rows)]
    for (i, j), x in at.items():
        for below in ((i - 1, j), (i - 1, j + 1)) if i > 0 else ():
            y = at[below]
            touches.append(Touch(names[i, j], names[below], (x + y) / 2, x - y, mu))
    return problem([Body(1.0, (0.1, 0.1, 0.1), x) for x in at.values()], touches)


def rod(mu: float, angle: float, lift: float = 0.0) -> ContactProblem:
    """A rod of half length and mass 1 at an angle to the ground, whose lower end slips ahead of it [P1895].

    lift  normal acceleration of that end, beside −g, such as that of a rod that turns
    """
    center = (-np.cos(angle), 0, np.sin(angle))
    p = problem([Body(1.0, (1 / 3,) * 3, center)], [Touch(0, GROUND, (0, 0, 0), (0, 0, 1), mu, (1, 0, 0))])
    p.b[0] += lift
    return p


def violation(p: ContactProblem, F: Array) -> float:
    """Worst violation of the law by forces, from D and b: accelerations beside |b|, forces beside what causes them."""
    if not np.isfinite(F).all():
        return np.inf
    a = p.D @ F + p.b
    size = np.abs(p.b).max()
    worst = 0.0
    for i in range(len(p.mu)):
        force = size / p.D.diagonal()[3 * i : 3 * i + 3].max()
        N, T, up, along = F[3 * i], F[3 * i + 1 : 3 * i + 3], a[3 * i], a[3 * i + 1 : 3 * i + 3]
        worst = max(worst, -N / force, -up / size, min(N / force, up / size))
        slips = np.linalg.norm(along)
        if p.slip[i].any() and np.isfinite(p.mu[i]):
            worst = max(worst, np.linalg.norm(T + p.mu[i] * N * p.slip[i]) / force)
        elif np.isfinite(p.mu[i]):
            worst = max(worst, (np.linalg.norm(T) - p.mu[i] * N) / force)
            if slips > 0:
                rounding = 1e-15 * (np.abs(p.D[3 * i + 1 : 3 * i + 3]) @ np.abs(F) + size).max()  # of its direction
                off = np.linalg.norm(T + p.mu[i] * N * along / slips) - p.mu[i] * N * rounding / slips
                worst = max(worst, min(slips / size, off / force))
        else:
            worst = max(worst, min(slips / size, N / force))
    return float(worst)
