"""Motions with closed forms that the tests of this folder run, each with what is compared and its exact course."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import zeromass as zm
from exact.measure import rotation


@dataclass(frozen=True)
class Problem:
    """A system, a start, expressions of the state, and what they are at any times, shape (k, …)."""

    system: zm.System
    start: zm.State
    until: float
    quantity: np.ndarray
    solution: Callable[[np.ndarray], np.ndarray]

    def run(self, **options: Any) -> zm.Run:
        options.setdefault("until", self.until)
        return zm.simulate(self.system, self.start, **options)

    def errors(self, run: zm.Run, times: Any = None) -> np.ndarray:
        """Largest error at each step, or at given times."""
        sampled = run if times is None else run.at(times)
        wrong = np.abs(sampled[self.quantity] - self.solution(sampled.t))
        return wrong.reshape(len(wrong), -1).max(axis=1)


def oscillator() -> Problem:
    """x = cos t, without constraints."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)

    def solution(t: np.ndarray) -> np.ndarray:
        return np.stack([np.cos(t), -np.sin(t)], axis=1)

    return Problem(system, system.start({x: 1.0}), 20.0, np.array([x, zm.rate(x)]), solution)


def kepler(e: float = 0.3) -> Problem:
    """An orbit with semi-major axis and period 1 · 2π from its pericentre: not linear, without constraints."""
    planet = zm.Particle("planet", mass=1.0)
    system = zm.System([planet], potential=-1 / np.sqrt(planet.position @ planet.position))
    b = np.sqrt(1 - e**2)
    start = system.start([(planet.position, (1 - e, 0, 0)), (planet.velocity, (0, b / (1 - e), 0))])

    def solution(t: np.ndarray) -> np.ndarray:
        E = np.array(t, dtype=float)
        for _ in range(60):
            E = E - (E - e * np.sin(E) - t) / (1 - e * np.cos(E))
        return np.stack([np.cos(E) - e, b * np.sin(E), np.zeros_like(E)], axis=1)

    return Problem(system, start, 2 * np.pi, planet.position, solution)


def wire() -> Problem:
    """A bead on a straight wire that turns: a holonomic constraint with time in it, see exact/test_rotating_wire.py."""
    g, Ω = 9.81, 1.7
    bead = zm.Particle("bead", mass=0.6)
    x, y, z = bead.position
    turned = x * np.sin(Ω * zm.t) - y * np.cos(Ω * zm.t)
    system = zm.System([bead], gravity=(0.0, -g, 0.0), constraints={"wire": turned, "plane": z})
    a, b = 0.9, -0.5 / Ω - g / (2 * Ω**2)

    def solution(t: np.ndarray) -> np.ndarray:
        r = a * np.cosh(Ω * t) + b * np.sinh(Ω * t) + g / (2 * Ω**2) * np.sin(Ω * t)
        return np.stack([r * np.cos(Ω * t), r * np.sin(Ω * t), np.zeros_like(r)], axis=1)

    return Problem(system, system.start({x: 0.9, zm.rate(x): -0.5}), 3.4, bead.position, solution)


def top() -> Problem:
    """A free symmetric top: a holonomic constraint on the quaternion, see exact/test_symmetric_top.py."""
    A, C, ω = 0.5, 0.9, np.array([0.7, -0.4, 1.9])
    body = zm.RigidBody("top", mass=1.0, inertia=(A, A, C))
    system = zm.System([body])
    start = system.start([(body.quaternion, (1, 0, 0, 0)), (body.angular_velocity_body, ω)])
    h = np.array([A, A, C]) * ω
    size = np.sqrt(h @ h)

    def solution(t: np.ndarray) -> np.ndarray:
        return rotation(h / size, size / A * t) @ rotation((0, 0, 1), (1 - C / A) * ω[2] * t)

    return Problem(system, start, 10.0, body.rotation, solution)


def sleigh() -> Problem:
    """Chaplygin's sleigh: a nonholonomic constraint, see exact/test_chaplygin_sleigh.py."""
    m, I, a, V = 2.0, 0.3, 0.25, 1.5
    J = I + m * a**2
    c = m * a * V / J
    x, y, φ = zm.coordinates("x y phi")
    dx, dy, dφ = zm.rate([x, y, φ])
    centre = zm.rate(np.array([x + a * np.cos(φ), y + a * np.sin(φ)]))
    system = zm.System(
        kinetic=m * (centre @ centre) / 2 + I * dφ**2 / 2,
        coordinates=[x, y, φ],
        constraints={"edge": dx * np.sin(φ) - dy * np.cos(φ)},
    )

    def solution(t: np.ndarray) -> np.ndarray:
        t = t - 2.0
        angle = np.sqrt(J / m) / a * 2 * np.arctan(np.tanh(c * t / 2))
        return np.stack([angle, V * np.sqrt(m / J) / np.cosh(c * t)], axis=1)

    angle, turn = solution(np.zeros(1))[0]
    along = {φ: angle, dφ: turn, dx * np.cos(φ) + dy * np.sin(φ): V * np.tanh(-2.0 * c)}
    return Problem(system, system.start(along), 4.0, np.array([φ, dφ]), solution)


def pendulum(length: Any = 1.0, θ: float = 1.0, rate: float = 0.0) -> tuple[zm.Particle, zm.System, zm.State]:
    """A bob on a rod in a plane, at the angle θ from below: no closed form is asked of it here."""
    bob = zm.Particle("bob", mass=1.3)
    x, y, z = bob.position
    rod = {"rod": (x**2 + y**2 - length**2) / 2, "plane": z}
    system = zm.System([bob], gravity=(0.0, -9.81, 0.0), constraints=rod)
    size = float(length) if isinstance(length, float) else float(length.default)
    place, velocity = size * np.array([np.sin(θ), -np.cos(θ)]), size * rate * np.array([np.cos(θ), np.sin(θ)])
    return bob, system, system.start([(bob.position[:2], place), (bob.velocity[:2], velocity)])
