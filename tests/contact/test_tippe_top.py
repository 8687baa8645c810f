"""The tippe top: a ball whose mass lies low, spun fast, turns over while it slips."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

R, m, low, μ = 0.02, 0.006, 0.3, 0.03
I3 = 0.4 * m * R**2
I1 = 0.97 * I3


def spun(tilt: float, spin: float, **more: float) -> tuple[zm.Rolling, zm.State]:
    top = zm.bodies.SphericalBody(R, m, (I1, I1, I3), (0.0, 0.0, -low * R), name="top")
    ball = zm.Rolling(top, on=zm.surfaces.plane(), gravity=9.81, friction=μ, **more)
    start = ball.slipping.start(
        [
            (ball.contact[:2], (0.0, 0.0)),
            (ball.body.quaternion, (np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0)),
            (ball.body.angular_velocity_body, (0.0, 0.0, spin)),
            (ball.center_particle.velocity[:2], (0.0, 0.0)),
        ]
    )
    return ball, start


def jellett(ball: zm.Rolling) -> zm.expression.Expression:
    """L · (O + r to the contact): friction at the contact has no moment about that line."""
    L = ball.body.rotate(ball.body.inertia @ ball.body.angular_velocity_body)
    return -(L @ (ball.contact - ball.body.position))


def test_jelletts_integral_is_kept_while_it_slips():
    ball, start = spun(0.4, 200.0)
    run = zm.simulate(ball, start, until=6.0, rtol=1e-13, atol=1e-15)
    kept = run.at(np.linspace(0.0, 6.0, 500))[jellett(ball)]
    assert np.ptp(kept) <= 1e-10 * abs(kept[0])
    assert "slipping" in run.modes
    energy = run[ball.energy]
    assert energy[-1] < 0.99 * energy[0]


@pytest.mark.slow
def test_it_turns_over():
    """It leaves the plane for moments on the way, and ends upside down, its mass centre above the middle."""
    ball, start = spun(0.4, 200.0, restitution=0.0)
    run = zm.simulate(ball, start, until=22.0, rtol=1e-11)
    assert "flying" in run.modes
    up = run.at([0.0, 22.0])[ball.body.rotation[2, 2]]
    assert up[0] > 0.9
    assert up[1] < -0.98
    assert all(impulse.energy <= 0.0 for impulse in run.impulses)
