"""Interactive pages of wheels, ropes, stops and static friction: in Node, and a bicycle over a hill in a real browser."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.test_lifting_wheels import SPEED, bicycle
from integrate.node import MISSING, node, of_page
from report.test_living import ARTEFACTS, moved

SETTINGS: dict[str, Any] = {"rtol": 1e-12, "method": "dop853"}

g = 9.81


@pytest.mark.slow
def test_a_bicycle_jumps_over_a_hill(chromium, tmp_path):
    """What each wheel does, when and where are as in Python."""
    μ = zm.parameter("mu", 0.8)
    system, start, _, _ = bicycle(μ)
    run = zm.simulate(system, start, until=0.4, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(tmp_path / "bicycle.html", sliders={SPEED: (1.5, 4.0), μ: (0.3, 1.0)})
    chromium.open(path, "paused")
    for values in ({"v": 3.5, "mu": 0.5}, {"v": 3.0, "mu": 0.8}):
        answer = moved(chromium, **values)
        there = zm.simulate(system, start.again(values), until=0.4, **SETTINGS)
        assert (answer["ending"], answer["words"]) == ("FINISHED", "")
        assert len(there.modes) > 3
        assert [kind for _, kind in answer["kinds"]] == list(there.modes)
        assert np.abs(np.subtract([t for t, _ in answer["kinds"][1:]], there.changes)).max() <= 1e-10
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
        assert answer["residual"] < 1e-11  # between steps, which are long in the air
    chromium.evaluate("window.viewer.seek(0.25)")
    chromium.drawn()
    assert chromium.evaluate("document.getElementById('subtitle').textContent") == "rear rolling, front lifted"
    chromium.screenshot(ARTEFACTS / "living-wheels.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


def followed(run: zm.Run, sliders: dict[Any, Any], tries: list[dict[str, float]], folder: Path) -> list[zm.Run]:
    """Runs in Python with some values; the worker of a page makes the same kinds, events, impulses and last states."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(folder / "page.html", sliders=sliders)
    runs = []
    for values, answer in zip(tries, of_page(path, tries), strict=True):
        there = zm.simulate(run.system, run.start.again(values), until=float(run.t[-1]), **SETTINGS)
        assert (answer["ending"], answer["message"]) == ("FINISHED", "")
        assert [kind for _, kind in answer["kinds"]] == list(there.modes)
        assert np.abs(np.subtract([t for t, _ in answer["kinds"][1:]], there.changes)).max(initial=0.0) <= 1e-9
        assert [name for name, _ in answer["happened"]] == [event.name for event in there.events]
        assert [names for _, names, _ in answer["impulses"]] == [list(i.constraints) for i in there.impulses]
        assert np.abs(np.array(answer["state"]) - there.y[-1]).max() <= 1e-8
        runs.append(there)
    return runs


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_wheel_that_is_lifted_by_a_force_that_switches(tmp_path):
    """It leaves the floor where the force is its weight, unless the force is too small, and goes on in flight."""
    pull = zm.parameter("pull", 20.0)
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(
        zm.Ground(), hoop, zm.surfaces.plane(), radius=0.2, axis=(0, 1, 0), restitution=0.2, name="tyre"
    )
    lifted = {hoop.position[2]: pull * np.maximum(0.0, zm.t - 0.1)}
    system = zm.System([hoop], gravity=g, joints=[tyre], forces=lifted)
    given = [(tyre.contact[:2], (0, 0)), (hoop.velocity[0], 0.5), (hoop.angular_velocity[0::2], 0)]
    run = zm.simulate(system, system.start([*given, (hoop.quaternion[1:], 0)]), until=0.7, **SETTINGS)
    tries = [{}, {"pull": 24.0}, {"pull": 15.0}]
    *runs, heavy = followed(run, {pull: (15.0, 25.0)}, tries, tmp_path)
    for there, size in zip(runs, (20.0, 24.0), strict=True):
        assert there.modes == ("tyre rolling", "tyre lifted")
        assert there.changes[0] == pytest.approx(0.1 + g / size, abs=1e-12)
    assert heavy.modes == ("tyre rolling",)


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_hoop_that_is_pulled_until_it_slips(tmp_path):
    """A pull F t on its centre takes a friction of F t/2 while it rolls, which is μ m g at 2 μ m g/F."""
    F, μ = zm.parameter("F", 10.0), zm.parameter("mu", 0.3)
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(
        zm.Ground(), hoop, zm.surfaces.plane(), radius=0.2, axis=(0, 1, 0), friction=μ, name="tyre"
    )
    system = zm.System([hoop], gravity=g, joints=[tyre], forces={hoop.position[0]: F * zm.t})
    given = [(tyre.contact[:2], (0, 0)), (hoop.velocity[0], 0.5), (hoop.angular_velocity[0::2], 0)]
    run = zm.simulate(system, system.start([*given, (hoop.quaternion[1:], 0)]), until=0.8, **SETTINGS)
    tries = [{}, {"F": 15.0, "mu": 0.2}, {"F": 5.0}]
    *runs, slow = followed(run, {F: (5.0, 15.0), μ: (0.2, 0.5)}, tries, tmp_path)
    for there, (pull, friction) in zip(runs, ((10.0, 0.3), (15.0, 0.2)), strict=True):
        assert there.modes == ("tyre rolling", "tyre slipping")
        assert there.changes[0] == pytest.approx(2 * friction * g / pull, abs=1e-11)
    assert slow.modes == ("tyre rolling",)


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_stops_and_static_friction_of_a_joint_on_sliders(tmp_path):
    """A sledge between two stops: friction F takes its speed v in v m/F, unless a stop is nearer."""
    F, high, v = zm.parameter("F", 5.0), zm.parameter("high", 0.5), zm.parameter("v", 3.0)
    sledge = zm.RigidBody("sledge", 2.0, (1, 1, 1))
    rail = zm.joints.Prismatic(
        zm.Ground(), sledge, axis=(1, 0, 0), name="rail", limits=(-0.4, high), friction=F, restitution=0.6
    )
    system = zm.System([sledge], gravity=0, joints=[rail])
    run = zm.simulate(system, system.start({rail.displacement: 0.0, rail.rate: v}), until=2.0, **SETTINGS)
    sliders = {F: (2.0, 8.0), high: (0.3, 3.0), v: (1.0, 4.0)}
    struck, free = followed(run, sliders, [{"v": 2.5}, {"high": 2.9, "F": 8.0}], tmp_path)
    assert struck.impulses
    assert free.changes == (pytest.approx(3.0 * 2.0 / 8.0, abs=1e-9),)
    assert free.modes[-1].endswith("rail friction sticks")


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_ball_on_a_rope_with_its_length_on_a_slider(tmp_path):
    """It leaves its circle at the height z with v² = g L (2 + 3 z/L), and takes an impulse where the rope is taut again."""
    L, v = zm.parameter("L", 1.0), zm.parameter("v", 6.0)
    bob = zm.Particle("bob", mass=1.0)
    rope = zm.joints.Rope(zm.Ground(), bob, length=L, name="rope")
    system = zm.System([bob], gravity=g, joints=[rope], constraints={"plane": bob.position[1]})
    x, _, z = bob.position
    start = system.start({x: 0.0, z: -L, bob.velocity[0]: v, bob.velocity[2]: 0.0})
    run = zm.simulate(system, start, until=1.6, **SETTINGS)
    runs = followed(run, {L: (0.8, 1.5), v: (5.5, 6.5)}, [{}, {"L": 1.2}], tmp_path)
    for there, length in zip(runs, (1.0, 1.2), strict=True):
        assert there.modes[:3] == ("rope taut", "rope slack", "rope taut")
        assert there.state(there.changes[0])[z] == pytest.approx((6.0**2 / g - 2 * length) / 3, abs=1e-9)


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_a_body_that_rolls_under_a_force_that_switches_slips_in_a_page(tmp_path):
    """As in Python."""
    μ, push = zm.parameter("mu", 0.2), zm.parameter("push", 5.0)
    ball = zm.Rolling(
        zm.bodies.ball(0.1, 0.5),
        on=zm.surfaces.plane(),
        friction=μ,
        gravity=g,
        forces=lambda ball: {ball.body.position[0]: push * np.maximum(0.0, zm.t - 0.1)},
    )
    run = zm.simulate(ball, ball.start(contact=(0, 0), velocity=(0.2, 0.0)), until=1.2, **SETTINGS)
    assert run.modes == ("rolling", "slipping")
    page = run.view(tmp_path / "page.html", sliders={push: (4.0, 6.0)})
    (there,) = of_page(page, [{"push": 5.5}])
    again = zm.simulate(ball, run.start.again({push: 5.5}), until=1.2, **SETTINGS)
    assert [kind for _, kind in there["kinds"]] == ["rolling", "slipping"] == list(again.modes)
    assert there["kinds"][1][0] == pytest.approx(again.changes[0], abs=1e-10)
