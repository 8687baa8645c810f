"""Constraints of one side outside Python: ropes that go slack and taut, and wheels that slip and roll, in Node."""

from __future__ import annotations

import pytest

import zeromass as zm
from contact.test_slipping_wheels import scooter
from integrate.node import MISSING, node
from integrate.test_wasm_contacts import beside

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)

g, v, μ, τ = 9.81, zm.parameter("v", 5.0), zm.parameter("mu", 0.3), zm.parameter("torque", 6.0)


@pytest.mark.slow
def test_a_ball_on_a_rope(tmp_path):
    """It leaves its circle where the rope would have to push, at a height z with v² = g L (2 + 3 z/L), or goes all round."""
    bob = zm.Particle("bob", mass=1.0)
    rope = zm.joints.Rope(zm.Ground(), bob, length=1.0, name="rope")
    system = zm.System([bob], gravity=g, joints=[rope], constraints={"plane": bob.position[1]})
    x, _, z = bob.position
    start = system.start({x: 0.0, z: -1.0, bob.velocity[0]: v, bob.velocity[2]: 0.0})
    tries = [{"v": speed} for speed in (3.0, 5.0, 5.5, 6.0, 7.5)]
    runs = [run for run, _ in beside(start, 2.0, tries, tmp_path)]
    for run, given in zip(runs[1:4], tries[1:4], strict=True):
        left = (given["v"] ** 2 / g - 2) / 3
        assert run.modes[:3] == ("rope taut", "rope slack", "rope taut")
        assert run.state(run.changes[0])[z] == pytest.approx(left, abs=1e-9)
    assert runs[0].modes == runs[4].modes == ("rope taut",)


@pytest.mark.slow
def test_two_ropes(tmp_path):
    """One below the other, slack at first; each takes an impulse where it becomes taut."""
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=0.5)
    ropes = [zm.joints.Rope(zm.Ground(), a, length=1.0, name="upper"), zm.joints.Rope(a, b, length=0.5, name="lower")]
    system = zm.System([a, b], gravity=g, joints=ropes)
    places = [(a.position, (0.3, 0, -0.5)), (b.position, (0.5, 0, -0.6))]
    start = system.start([*places, (a.velocity, (v, 0, 0)), (b.velocity, (0, 0.3, 0))])
    runs = [run for run, _ in beside(start, 2.0, [{"v": 1.0}, {"v": 3.0}], tmp_path)]
    assert len(runs[1].modes) > 5


@pytest.mark.slow
def test_a_pair_of_wheels(tmp_path):
    """A scooter whose driven wheel slips while the other rolls, both roll, or both slip."""
    system, body, (rear, _) = scooter(0.0, μ, torque=τ)
    start = system.start({rear.contact[0]: -0.6, rear.contact[1]: 0.0, body.velocity[0]: 1.0})
    runs = [run for run, _ in beside(start, 0.5, [{}, {"torque": 1.0}, {"mu": 0.1}], tmp_path, between=1e-11)]
    assert runs[0].modes[-1] == "rear slipping, front rolling"
    assert runs[1].modes == ("rear rolling, front rolling",)
