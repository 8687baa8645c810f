"""Newton's cradle: balls that touch one another without any load, of which the first strikes the others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm

r, COUNT, STROKES = 0.05, 5, ("sequential", "simultaneous")
METHODS = "dop853", "collocation", "radau"

LEAVE = {"sequential": [0, 0, 0, 0, 1.0], "simultaneous": [-0.6, 0.4, 0.4, 0.4, 0.4]}
"""Velocities after a stroke by a ball of velocity 1: one ball leaves, or all others do with (1 + e)/5 of its momentum."""

WAYS = {"along x": ((1.0, 0, 0), (0.0, 0, 0)), "askew, and all move": ((2 / 3, -1 / 3, 2 / 3), (0.1, 0.2, -0.3))}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("strokes", STROKES)
@pytest.mark.parametrize("way", WAYS)
def test_five_balls_touch(strokes, method, way):
    """No force presses them: their normal forces are rounding, and no search for where one becomes negative may be long."""
    u, drift = map(np.array, WAYS[way])
    names = [f"b{k}" for k in range(COUNT)]
    cradle = zm.Contacts(
        [zm.bodies.ball(r, 1.0, name=name) for name in names],
        between=list(pairwise(names)),
        gravity=None,
        friction=0.0,
        restitution=1.0,
        impacts=strokes,
    )
    centers = {name: (2 * r * k if k else -0.2) * u for k, name in enumerate(names)}
    velocities = {name: drift + (0 if k else u) for k, name in enumerate(names)}
    run = zm.simulate(cradle, cradle.start(center=centers, velocity=velocities), until=1.0, method=method)
    assert run.outcome.complete
    assert run.changes == pytest.approx([0.2], abs=1e-12)
    assert len(run.t) < 40
    after = [(run.state(1.0)[body.velocity] - drift) @ u for body in cradle.bodies]
    assert after == pytest.approx(LEAVE[strokes], abs=1e-12)
    assert run.at(run.t)[cradle.pairs[2].normal_force] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS[:2])
@pytest.mark.parametrize("strokes", STROKES)
def test_balls_hang_side_by_side(strokes, method):
    """On hinges, where gravity and what holds them leave rounding along the row."""
    height, angle = 0.5, 0.5
    balls = [zm.RigidBody(f"b{k}", 1.0, (1e-3,) * 3, at=(2 * r * k, 0, 0)) for k in range(COUNT)]
    hinges = [
        zm.joints.Revolute(zm.Ground(), ball, at=(2 * r * k, 0, height), axis=(0, 1, 0), name=f"hinge {k}")
        for k, ball in enumerate(balls)
    ]
    ball = zm.shapes.sphere(r)
    touch = [
        zm.Contact(a, ball, b, ball, friction=0.0, restitution=1.0, name=f"{a.name} {b.name}")
        for a, b in pairwise(balls)
    ]
    cradle = zm.System(balls, joints=hinges, contacts=touch, gravity=9.81)
    cradle.simultaneous_impacts = strokes == "simultaneous"
    start = cradle.start({h.angle: angle * (k == 0) for k, h in enumerate(hinges)} | {h.rate: 0.0 for h in hinges})
    run = zm.simulate(cradle, start, until=0.6, method=method)
    assert run.outcome.complete
    assert len(run.changes) == 1
    assert len(run.t) < 80
    fast = np.sqrt(2 * 9.81 * height * (1 - np.cos(angle)) / (height**2 + 1e-3))  # energy m g Δz = (m l² + J) ω²/2
    after = run.segments[1].state(run.changes[0])
    assert [after[h.rate] for h in hinges] == pytest.approx(-fast * np.array(LEAVE[strokes]), abs=1e-8)
