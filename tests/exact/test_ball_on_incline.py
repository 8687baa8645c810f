"""A ball that rolls down an incline: a = g sin α/(1 + k), and friction k/(1 + k) tan α of the normal force is required.

[Landau & Lifshitz, Mechanics, 3rd ed., §38]; k = I/(m r²). Started across the slope, its path is a parabola.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, relative

m, r, g, α = 0.3, 0.08, 9.81, 0.35
TIMES = np.linspace(0.0, 3.0, 61)


@pytest.mark.parametrize("k", [2 / 5, 2 / 3], ids=["solid", "hollow"])
def test_parabola(k):
    """Measured in 3 s, some twenty turns of the ball: motion 1.7e-12, forces 3e-14."""
    n = np.array([-np.sin(α), 0.0, np.cos(α)])  # the slope falls along −x
    down, across = np.array([-np.cos(α), 0.0, -np.sin(α)]), np.array([0.0, 1.0, 0.0])
    ball = zm.RigidBody("ball", mass=m, inertia=np.full(3, k * m * r**2))
    contact = zm.Particle("contact", mass=0)
    system = zm.System(
        [ball, contact],
        gravity=g,
        constraints={
            "plane": n @ contact.position,
            "touch": ball.position - contact.position - r * n,
            "no slip": ball.velocity - r * np.cross(ball.angular_velocity, n),
        },
    )
    v0 = 0.4 * across - 0.3 * down
    start = system.start(
        [
            (contact.position[:2], (0.0, 0.0)),
            (ball.velocity[:2], v0[:2]),
            (n @ ball.angular_velocity, 0.5),
        ]
    )
    a = g * np.sin(α) / (1 + k)
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    velocity = v0 + a * TIMES[:, None] * down
    assert relative(run[contact.position], TIMES[:, None] * v0 + a * TIMES[:, None] ** 2 / 2 * down) <= 5e-12
    assert relative(run[ball.velocity], velocity) <= 5e-12
    spin = np.cross(n, velocity) / r + 0.5 * n
    assert relative(run[ball.angular_velocity], spin) <= 5e-12
    force = run[system.reaction.on(ball.position)]
    assert relative(force @ n, np.full(len(TIMES), m * g * np.cos(α))) <= 5e-12
    friction = force - np.outer(force @ n, n)
    ratio = np.linalg.norm(friction, axis=1) / (force @ n)
    assert relative(ratio, np.full(len(TIMES), k / (1 + k) * np.tan(α))) <= 2e-13
