"""Two motions with closed forms, for engines of all kinds: a ball down a slope, a coin in a circle.

The ball runs down with 5/7 g sin α; axes lie along the slope. The coin's axis is tilted and goes round at a rate Ω, and

    ω₃ = (J₁ Ω² sin θ − m R g) cos θ/(Ω sin θ (J₃ + m R²))

so that its centre runs on a circle of radius R ω₃/Ω.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

g, ALPHA, END = 9.81, 0.3, 2.0
UP = np.array([0.0, 0.0, 1.0])


class Case(NamedTuple):
    """A body at its start, and where its centre is at the end; `spin` in space, `spin_body` in its axes."""

    name: str
    mass: float
    radius: float
    inertia: np.ndarray
    place: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    spin_body: np.ndarray
    end: np.ndarray


def _ball() -> Case:
    m, r = 0.5, 0.1
    still = np.zeros(3)
    end = np.array([5 / 14 * g * np.sin(ALPHA) * END**2, 0.0, r])
    inertia = 0.4 * m * r**2 * np.ones(3)
    return Case("ball down a slope", m, r, inertia, r * UP, np.array([1.0, 0, 0, 0]), still, still, still, end)


def _coin(tilt: float = 1.2, around: float = 3.0) -> Case:
    m, R = 0.3, 0.05
    J1, J3 = m * R**2 / 4, m * R**2 / 2
    s, c = np.sin(tilt), np.cos(tilt)
    ω3 = (J1 * around**2 * s - m * R * g) * c / (around * s * (J3 + m * R**2))
    axis = np.array([0.0, -s, c])
    spin = around * UP + (ω3 - around * c) * axis
    spoke = R * (axis * c - UP) / s  # from the centre to the contact
    velocity = -np.cross(spin, spoke)
    middle = R * s * UP + np.cross(UP, velocity) / around  # of the circle
    from_middle = R * s * UP - middle
    φ = around * END
    turned = np.array([[np.cos(φ), -np.sin(φ), 0], [np.sin(φ), np.cos(φ), 0], [0, 0, 1]])
    end = middle + turned @ from_middle
    S = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    turn = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0, 0])
    return Case("coin in a circle", m, R, np.array([J1, J1, J3]), R * s * UP, turn, velocity, spin, S.T @ spin, end)


BALL, COIN = _ball(), _coin()
