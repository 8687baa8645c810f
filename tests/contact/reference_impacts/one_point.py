"""The stroke of a body on its surface: Routh's method for one point with Coulomb friction, and Poisson's restitution.

While the normal impulse p grows from zero, the velocity w of the body's point against the surface changes by

    dw = D (n − μ s) dp,    D = 1/m − [ρ] I⁻¹ [ρ],   ρ from the mass centre to the contact

s the direction in which it slips. Compression ends where the normal part of w is zero, at p_c, and the stroke at
(1 + e) p_c. Slip that dies out stays away as long as friction can hold it; else it goes on in the one direction that it
can. With the speed r of the slip, its angle θ and dp = r dτ

    d(log r)/dτ = s·a,   dθ/dτ = t·a,   a = D (n − μ s) along the surface, t across s

which is regular however small r is [Routh 1905, §§ 315-325].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

STOPPED = 1e-14
"""Part of the speeds of a stroke below which its slip has died out."""

EXACT = 1e-13
"""Relative tolerance of what is integrated."""

DIRECTIONS = 720
"""Directions among which the one is looked for in which slip goes on."""


Law = float | Callable[[float], float]
"""A coefficient of friction, or one that depends on the speed of slip."""


class Stroke(NamedTuple):
    """What a stroke does.

    impulse   on the body, N s, shape (3,)
    velocity  of its point against the surface after it, m/s
    normal    impulse along the normal, N s
    friction  and along the surface
    """

    impulse: np.ndarray
    velocity: np.ndarray
    normal: float
    friction: float


class Strokes(NamedTuple):
    """Impulses on the body at each of several contacts, N s, and velocities after them, m/s, shape (k, 3) each."""

    impulses: np.ndarray
    velocities: np.ndarray

    def energy(self, before: np.ndarray) -> float:
        """What they add to the kinetic energy, J, from the velocities before."""
        return float(np.sum(self.impulses * (before + self.velocities)) / 2)


def stroke(
    D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: Law | None, e: float, *, static: float | None = None
) -> Stroke:
    """The stroke of a point that meets the surface of normal n with a velocity w.

    D  change of that velocity by an impulse, shape (3, 3), 1/kg
    μ  coefficient of friction, a number or a function of the speed of slip; None where there is always enough
    e  coefficient of restitution, of impulses [Poisson]
    static  coefficient of friction of slip that has died out; that of slip, if not given
    """
    across = np.eye(3)[int(np.argmin(np.abs(n)))]
    t1 = np.cross(n, across)
    t1 = t1 / np.linalg.norm(t1)
    basis = np.stack([t1, np.cross(n, t1), n])
    D, w = basis @ D @ basis.T, basis @ w
    after = _struck(D, w, μ, e, static)
    impulse = np.linalg.solve(D, after - w)
    return Stroke(basis.T @ impulse, basis.T @ after, float(impulse[2]), float(np.linalg.norm(impulse[:2])))


def _struck(D: np.ndarray, w: np.ndarray, μ: Law | None, e: float, static: float | None) -> np.ndarray:
    """The velocity after a stroke, in axes with the normal as the third."""
    speed = float(np.linalg.norm(w))
    if w[2] >= 0.0 or speed == 0.0:
        return w
    p, end, small = 0.0, np.inf, STOPPED * speed
    if μ is None:  # what friction takes at once, before there is a normal impulse
        w = w + D[:, :2] @ np.linalg.solve(D[:2, :2], -w[:2])
        w[:2] = 0.0
        if w[2] >= 0.0:
            return w
    while True:
        if np.linalg.norm(w[:2]) <= small:
            w = np.array([0.0, 0.0, w[2]])
            hold = np.linalg.solve(D[:2, :2], -D[:2, 2])
            if μ is None or np.linalg.norm(hold) <= (_at(μ, 0.0) if static is None else static):
                rate = D[2, 2] + D[2, :2] @ hold  # positive, as D is
                if end == np.inf:
                    p, w = p - w[2] / rate, np.zeros(3)
                    end = (1.0 + e) * p
                return np.array([0.0, 0.0, w[2] + rate * (end - p)])
            w[:2] = 10 * small * _direction(D, _at(μ, 0.0))
        assert μ is not None
        p, w = _slipped(D, w, μ, p, end, small)
        if end == np.inf and w[2] >= 0.0:
            w[2], end = 0.0, (1.0 + e) * p
        if p >= end:
            return w


def _direction(D: np.ndarray, μ: float) -> np.ndarray:
    """The direction in which slip begins where friction can not hold it: that in which it grows."""

    def turned(θ: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s = np.stack([np.cos(θ), np.sin(θ)])
        a = D[:2, 2, None] - μ * D[:2, :2] @ s
        return -s[1] * a[0] + s[0] * a[1], s[0] * a[0] + s[1] * a[1]

    θ = np.linspace(0.0, 2 * np.pi, DIRECTIONS + 1)
    turn, grow = turned(θ)
    for k in np.flatnonzero((turn[:-1] * turn[1:] <= 0.0) & (grow[:-1] > 0.0)):
        low, high = θ[k], θ[k + 1]
        for _ in range(60):
            middle = (low + high) / 2
            same = turned(np.array([middle]))[0][0] * turn[k] > 0.0
            low, high = (middle, high) if same else (low, middle)
        if turned(np.array([low]))[1][0] > 0.0:
            return np.array([np.cos(low), np.sin(low)])
    return np.array([np.cos(θ[int(np.argmax(grow))]), np.sin(θ[int(np.argmax(grow))])])


def _slipped(D: np.ndarray, w: np.ndarray, μ: Law, p: float, end: float, small: float) -> tuple[float, np.ndarray]:
    """Normal impulse and velocity where slip dies out, compression ends, of a stroke whose end is not known, or it ends."""
    from scipy.integrate import solve_ivp  # few strokes are oblique to what they turn

    s = w[:2] / np.linalg.norm(w[:2])
    a = D[:, 2] - _at(μ, float(np.linalg.norm(w[:2]))) * D[:, :2] @ s
    straight = abs(s[0] * a[1] - s[1] * a[0]) <= STOPPED * np.linalg.norm(a)
    if straight and not callable(μ):  # with one friction it slips straight on
        stops = -(w[:2] @ s) / (a[:2] @ s) if a[:2] @ s < 0.0 else np.inf
        ends = end - p if end < np.inf else (-w[2] / a[2] if a[2] > 0.0 else np.inf)
        by = float(min(stops, ends))
        after = w + by * a
        if by == stops:
            after[:2] = 0.0
        if by == ends:
            return (end, after) if end < np.inf else (p + by, np.array([*after[:2], 0.0]))
        return p + by, after

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        r, θ = np.exp(y[0]), y[1]
        s = np.array([np.cos(θ), np.sin(θ)])
        a = D[:, 2] - _at(μ, r) * D[:, :2] @ s
        return np.array([s @ a[:2], s[0] * a[1] - s[1] * a[0], r, r * a[2]])

    def event(function: Callable[[np.ndarray], float]) -> Callable[[float, np.ndarray], float]:
        found = lambda _, y: function(y)  # noqa: E731
        found.terminal = True  # type: ignore[attr-defined]
        return found

    limit = event(lambda y: y[3]) if end == np.inf else event(lambda y: y[2] - (end - p))
    start = np.array([np.log(np.linalg.norm(w[:2])), np.arctan2(w[1], w[0]), 0.0, w[2]])
    size = float(np.linalg.norm(D))
    done = solve_ivp(
        slope,
        (0.0, 1e9 / size),
        start,
        method="DOP853",
        rtol=EXACT,
        atol=EXACT * np.array([1.0, 1.0, small / STOPPED / size, small / STOPPED]),
        events=[event(lambda y: y[0] - np.log(small)), limit],
    )
    (_, θ, more, w3), r = done.y[:, -1], np.exp(done.y[0, -1])
    if len(done.t_events[0]):
        return p + more, np.array([0.0, 0.0, w3])
    after = np.array([r * np.cos(θ), r * np.sin(θ), 0.0 if end == np.inf else w3])
    return (p + more if end == np.inf else end), after


def _at(μ: Law, speed: float) -> float:
    return μ(speed) if callable(μ) else μ
