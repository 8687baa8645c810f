"""Slips that begin in space: their direction is stiff while they are slow, which must cost no more than a few steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

μ, g, END = 0.3, 10.0, 3.0
BEGINS = np.sqrt(np.sqrt(17.0) - 3.0)
"""Where 4t² + (1 + t²)² = (μ g)²: friction no longer holds."""

AFTER = 1e-6
"""s after it, where the reference begins: its direction of slip is wrong by as little as that."""

METHODS = "dop853", "collocation", "radau"


def pushes(t: Any) -> tuple[Any, Any]:
    """Of the particle along the plane, N."""
    return 2.0 * t, 1.0 + t**2


@pytest.fixture(scope="module")
def reference() -> np.ndarray:
    """Place and velocity of the particle at the end, (4,): it slips from BEGINS on, w = n j τ²/2 at first."""
    n = np.array(pushes(BEGINS)) / (μ * g)
    j = n @ [2.0, 2.0 * BEGINS]

    def moves(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], pushes(t) - μ * g * y[2:] / np.linalg.norm(y[2:])])

    first = np.concatenate([n * j * AFTER**3 / 6, n * j * AFTER**2 / 2])
    return solve_ivp(moves, (BEGINS + AFTER, END), first, method="Radau", rtol=1e-12, atol=1e-16).y[:, -1]


@pytest.mark.parametrize("method", METHODS)
def test_a_particle_that_is_pushed_sticks_and_then_slips(reference, method):
    bead = zm.Particle("bead", mass=1.0)
    floor = zm.Contact(bead, zm.shapes.point(), zm.surfaces.plane(), friction=μ, name="floor")
    push = zm.Force((*pushes(zm.t), 0.0), at=bead.position)
    system = zm.System([bead], gravity=g, contacts=[floor], forces=[push])
    start = system.start([(bead.position, (0, 0, 0)), (bead.velocity, (0, 0, 0))])
    run = zm.simulate(system, start, until=END, rtol=1e-10, atol=1e-13, method=method)
    assert run.modes == ("floor sticks", "floor slips")
    assert run.changes == pytest.approx([BEGINS], abs=1e-10)
    assert len(run.t) < 200
    end = run.state(END)
    assert end[bead.position] == pytest.approx([*reference[:2], 0.0], abs=2e-8)
    assert end[bead.velocity] == pytest.approx([*reference[2:], 0.0], abs=2e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("several", [False, True])
def test_the_slip_of_a_ball_that_is_pushed_turns(reference, method, several):
    """Pushed 7/2 as hard, a ball rolls by 2/7 of that; then its slip is 7/2 of the particle's, u, its velocity 5/2 ∫ f + u.

    ẇ = 7/2 (f − μ g w/|w|),   v̇ = 7/2 f − μ g w/|w|
    """
    r, solid = 1.0, zm.bodies.ball(1.0, 1.0)
    push = (*[3.5 * f for f in pushes(zm.t)], 0.0)
    if several:
        system: Any = zm.Contacts(
            solid,
            on={"floor": zm.surfaces.plane()},
            gravity=g,
            friction=μ,
            forces=lambda contacts: zm.Force(push, at=contacts.body.position),
        )
        ball, kinds = system.bodies[0], ("floor rolling", "floor slipping")
        start = system.start(center=(0, 0, r), velocity=(0, 0, 0), angular_velocity=(0, 0, 0))
    else:
        ball = zm.RigidBody("ball", mass=1.0, inertia=(0.4 * r**2,) * 3)
        floor = zm.Contact(ball, zm.shapes.sphere(r), zm.surfaces.plane(), friction=μ, name="floor")
        system = zm.System([ball], gravity=g, contacts=[floor], forces=[zm.Force(push, at=ball.position)])
        start = system.start(
            [
                (ball.position, (0, 0, r)),
                (ball.quaternion, (1, 0, 0, 0)),
                (ball.velocity, (0, 0, 0)),
                (ball.angular_velocity, (0, 0, 0)),
            ]
        )
        kinds = ("floor sticks", "floor slips")
    run = zm.simulate(system, start, until=END, rtol=1e-10, atol=1e-13, method=method)
    assert run.modes == kinds
    assert run.changes == pytest.approx([BEGINS], abs=1e-10)
    assert len(run.t) < 200
    end, t = run.state(END), END
    place = 2.5 * np.array([t**3 / 3, t**2 / 2 + t**4 / 12]) + reference[:2]
    assert end[ball.position] == pytest.approx([*place, r], abs=2e-8)
    assert end[ball.velocity[:2]] == pytest.approx(2.5 * np.array([t**2, t + t**3 / 3]) + reference[2:], abs=2e-8)
    slip = [
        end[ball.velocity[0]] - r * end[ball.angular_velocity[1]],
        end[ball.velocity[1]] + r * end[ball.angular_velocity[0]],
    ]
    assert slip == pytest.approx(3.5 * reference[2:], abs=1e-7)
