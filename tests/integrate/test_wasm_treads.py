"""Wheels that lift and land outside Python, in Node: a bar that rocks on two feet, a hill, and a floor that heaves."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.test_lifting_wheels import bicycle
from contact.test_lifting_wheels import tilted as tilted
from integrate.node import MISSING, node
from integrate.test_wasm_contacts import beside
from zeromass.expression import expressions

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81


@pytest.mark.slow
def test_a_bar_rocks_on_two_feet(tilted, tmp_path):
    """The other foot lifts where the stroke drives it up, and takes a part of the stroke where it does not."""
    start = tilted[1]
    tries = [{"J": 0.3, "e": 0.0}, {"J": 0.7, "e": 0.0}, {"J": 0.7, "e": 0.5}]
    runs = [run for run, _ in beside(start, 0.4, tries, tmp_path)]
    assert [run.modes[1] for run in runs] == [
        "rear slipping, front slipping",
        "rear lifted, front slipping",
        "rear lifted, front lifted",
    ]


@pytest.mark.slow
def test_a_floor_that_heaves(tmp_path):
    """z = a sin ω t throws the wheel up where a ω² sin ω t = g; it flies free, and lands with a stroke of −e."""
    e, a, ω = zm.parameter("e", 0.3), 0.02, 30.0
    hoop = zm.RigidBody("hoop", 1.0, (0.02, 0.04, 0.02), at=(0, 0, 0.2))
    floor = zm.Surface(lambda X, Y: a * np.sin(ω * zm.t), name="floor")
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, floor, radius=0.2, axis=Y, restitution=e, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    start = system.start([(tyre.contact[:2], (0, 0)), (hoop.velocity[0], 0.5), (hoop.angular_velocity[0::2], 0)])
    runs = [run for run, _ in beside(start, 0.35, [{"e": 0.3}, {"e": 0.0}], tmp_path)]
    left = np.arcsin(g / (a * ω**2)) / ω
    for run, bounces in zip(runs, (0.3, 0.0), strict=True):
        assert run.modes[:2] == ("tyre rolling", "tyre lifted")
        assert run.changes[0] == pytest.approx(left, abs=1e-12)
        z, rises = a * np.sin(ω * left), a * ω * np.cos(ω * left)
        lands = run.impulses[0].t
        fallen = z + rises * (lands - left) - g * (lands - left) ** 2 / 2
        assert fallen == pytest.approx(a * np.sin(ω * lands), abs=1e-12)
        strikes = rises - g * (lands - left) - a * ω * np.cos(ω * lands)
        assert run.impulses[0].impulses[0] == pytest.approx(-(1 + bounces) * strikes, rel=1e-9)


@pytest.mark.slow
def test_a_wheel_over_a_hill(tmp_path):
    """It leaves the top, lands with a slip, and bounces; with less friction it slips before."""
    μ, e, ω = zm.parameter("mu", 0.6), zm.parameter("e", 0.4), zm.parameter("omega", 15.0)
    hill = zm.Surface(lambda X, Y: 0.4 * np.exp(-((X / 0.6) ** 2)), name="hill")
    wheel = zm.RigidBody("wheel", 1.0, zm.bodies.torus(0.15, 0.05, 1.0).inertia, at=(-0.3, 0, 0.5))
    given = {"axis": (0, 0, 1), "radius": 0.2, "tube": 0.05, "friction": μ, "restitution": e, "name": "tyre"}
    tyre = zm.joints.WheelOnSurface(GROUND, wheel, hill, **given)
    system = zm.System([wheel], gravity=g, joints=[tyre])
    u = np.array([np.cos(np.pi / 4 - 0.1), np.sin(np.pi / 4 - 0.1), 0.05, 0.02])
    asked = [(tyre.contact[:2], (-0.3, 0.0)), (wheel.quaternion, u / np.linalg.norm(u))]
    turns = expressions([0.3, ω, 0.2])
    start = system.start([*asked, (wheel.angular_velocity, turns)], guess=[(tyre.contact, (-0.3, 0.0, 0.31))])
    runs = [
        run
        for run, _ in beside(start, 0.4, [{}, {"mu": 0.2, "e": 0.3}, {"omega": 14.0, "e": 0.1}], tmp_path, forces=1e-7)
    ]
    assert all("tyre lifted" in run.modes and run.impulses for run in runs)


def test_wheels_that_share_their_load(tmp_path):
    """Of four feet on level ground none is lifted by a choice of forces that the motion does not tell."""
    corners = ((-0.6, -0.4), (-0.6, 0.4), (0.6, -0.4), (0.6, 0.4))
    cart = zm.RigidBody("cart", 10.0, (1, 2, 2), at=(0, 0, 0.2))
    floor, given = zm.surfaces.plane(), {"radius": 0.2, "axis": Y, "friction": 0.3, "restitution": 0.0}
    feet = [
        zm.joints.WheelOnSurface(GROUND, cart, floor, center=(x, y, 0), name=f"foot {k}", **given)
        for k, (x, y) in enumerate(corners)
    ]
    system = zm.System([cart], gravity=g, joints=feet)
    start = system.start({feet[0].contact[0]: -0.6, feet[0].contact[1]: -0.4, cart.quaternion[3]: 0.0})
    ((run, _),) = beside(start, 0.2, [{}], tmp_path)
    assert len(run.modes) == 1


def test_endless_friction_that_lifts_a_wheel_ends_the_motion(tmp_path):
    """In the words of Python."""
    ((run, _),) = beside(bicycle(None)[1], 0.3, [{}], tmp_path)
    assert run.outcome.ending.name == "AMBIGUOUS"
    assert "'front'" in run.outcome.message
