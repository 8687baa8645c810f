"""A ball that rolls on a turntable: its contact runs on a circle, at 2/7 of the table's rate if it is solid.

With moment of inertia k m r² and table rate Ω about the vertical e, v̇ = κΩ e × v with κ = k/(1 + k), from any start:

    p(t) = c + R(e, κΩt)(p₀ − c),   c = p₀ + e × v₀/(κΩ)

[Weltner, Am. J. Phys. 47 (1979) 984; Gersten, Soodak & Tiersten, Am. J. Phys. 60 (1992) 43]. The spin about the
vertical is constant, and friction is m v̇. The ball is a rigid body with a particle of mass zero at its contact; the
vertical part of "no slip" says what "plane" and "touch" say already.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, relative, rotation

m, r, g, Ω = 0.17, 0.05, 9.81, 2.5
TIMES = np.linspace(0.0, 10.0, 201)
UP = np.array([0.0, 0.0, 1.0])


def turntable(k: float) -> tuple[zm.RigidBody, zm.Particle, zm.System]:
    ball = zm.RigidBody("ball", mass=m, inertia=np.full(3, k * m * r**2))
    contact = zm.Particle("contact", mass=0)
    arm = contact.position - ball.position
    system = zm.System(
        [ball, contact],
        gravity=g,
        constraints={
            "plane": contact.position[2],
            "touch": arm + r * UP,
            "no slip": ball.velocity + np.cross(ball.angular_velocity, arm) - np.cross(Ω * UP, contact.position),
        },
    )
    return ball, contact, system


@pytest.mark.parametrize("k", [2 / 5, 2 / 3], ids=["solid", "hollow"])
def test_the_contact_runs_on_a_circle(k):
    """Measured in 10 s, more than a turn of the circle and forty of the ball: 5e-12."""
    ball, contact, system = turntable(k)
    p0, v0 = np.array([0.4, -0.1, 0.0]), np.array([0.2, 0.5, 0.0])
    start = system.start([(contact.position[:2], p0[:2]), (ball.velocity[:2], v0[:2]), (ball.angular_velocity[2], 3.0)])
    rate = k / (1 + k) * Ω
    c = p0 + np.cross(UP, v0) / rate
    turned = rotation(UP, rate * TIMES)
    place, velocity = c + turned @ (p0 - c), turned @ v0
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    assert relative(run[contact.position], place) <= 2e-11
    assert relative(run[ball.velocity], velocity) <= 1e-11
    assert relative(run[ball.angular_velocity[2]], np.full(len(TIMES), 3.0)) <= 1e-11
    push = m * rate * np.cross(UP, velocity) + m * g * UP
    assert relative(run[system.reaction.on(ball.position)], push) <= 1e-11
    assert not system.check(start).lost
    assert system.check(start).constraint_rank == len(system.rows) - 1
