"""Bodies before several surfaces, wheels on surfaces and convex bodies in scenario files: the same motion as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, parse_scenario

CORNER = """
    [contacts]
    gravity = 10
    friction = { floor = 0.2, wall = 0 }
    restitution = 0.5
    [contacts.bodies.ball]
    kind = "ball"
    radius = 0.1
    mass = 0.5
    [contacts.surfaces.floor]
    kind = "plane"
    [contacts.surfaces.wall]
    implicit = "1 - X"
    [contacts.start]
    center = [0, 0, 0.1]
    velocity = [1.8, 0, 0]
    [run]
    until = 0.6
"""

TWO = """
    [contacts]
    restitution = { left = 0.5, right = 0.25 }
    forces = [{ body = "red", force = [0, "0.1*red.velocity.y", 0] }]
    [contacts.bodies]
    red = { kind = "ball", radius = 0.1, mass = 0.5 }
    blue = { kind = "capsule", radius = 0.05, length = 0.2, mass = 0.2 }
    [contacts.surfaces]
    left = { height = "Y" }
    right = { height = "-Y" }
    [contacts.start]
    center = { red = [0, 0, 0.5], blue = [3, 0, 0.5] }
    velocity = { blue = [0, 0.1, 0] }
    [run]
    until = 0.3
"""

WHEEL = """
    [system]
    gravity = 10
    [system.bodies.hoop]
    mass = 1.0
    inertia = [0.02, 0.04, 0.02]
    at = [0, 0, 0.2]
    [system.joints.tyre]
    kind = "wheel on surface"
    rolling = "hoop"
    surface = { height = "-0.3*X" }
    radius = 0.2
    axis = [0, 1, 0]
    friction = 0.2
    [system.start]
    "tyre.contact.x" = 0
    "tyre.contact.y" = 0
    hoop.angular_velocity = [0, 1, 0]
    [[events]]
    name = "carries less"
    zero = "tyre.normal_force - 5"
    [run]
    until = 0.5
"""

EGG = """
    [rolling]
    body = { kind = "convex", implicit = "(X**2 + Y**2)/0.01 + Z**2/0.0144 - 1", mass = 0.5 }
    surface = { kind = "plane" }
    start = { contact = [0, 0], velocity = [0.5, 0], orientation = [0.3, 0, 0] }
    [run]
    until = 0.5
"""


def test_a_ball_in_a_corner():
    run = parse_scenario(CORNER).simulate()
    assert run.modes == ("floor rolling, wall open", "floor slipping, wall open")
    assert run.changes[0] == pytest.approx(0.5, abs=1e-9)
    assert float(run.impulses[0].energy) == pytest.approx(-0.6075, abs=1e-9)  # 1.8 m/s becomes 0.9 m/s


def test_several_bodies_each_with_its_start_and_its_forces():
    scenario = parse_scenario(TWO)
    contacts = scenario.system
    assert [pair.name for pair in contacts.pairs] == ["red on left", "red on right", "blue on left", "blue on right"]
    assert [pair.restitution for pair in contacts.pairs] == [0.5, 0.25, 0.5, 0.25]
    _, blue = contacts.bodies
    np.testing.assert_allclose(scenario.start[blue.velocity], (0, 0.1, 0), atol=1e-12)
    run = scenario.simulate()
    assert run.outcome.ending.value == "finished"
    assert run.modes[-1].startswith("red on left rolling, red on right rolling, blue on left open")
    assert run.events[0].name == "blue on left: lands"


POOL = """
    [contacts]
    gravity = [0, 0, 0]
    between = [["red", "white"]]
    friction = { between = 0 }
    restitution = { between = 0.8 }
    impacts = "sequential"
    creep = 1e-9
    [contacts.bodies]
    red = { kind = "ball", radius = 0.1, mass = 0.5 }
    white = { kind = "ball", radius = 0.1, mass = 0.5 }
    [contacts.start]
    center = { red = [0, 0, 0], white = [1, 0, 0] }
    velocity = { red = [1, 0, 0] }
    [run]
    until = 1.0
"""


def test_bodies_that_touch_one_another():
    """0.9 of the speed is given on."""
    scenario = parse_scenario(POOL)
    run = scenario.simulate()
    assert [pair.name for pair in scenario.system.pairs] == ["red and white"]
    assert run.changes == pytest.approx([0.8], abs=1e-12)
    assert run.state(1.0)[scenario.system.bodies[1].velocity] == pytest.approx([0.9, 0, 0], abs=1e-12)
    with pytest.raises(ScenarioError, match="there is none; it takes one at least"):
        parse_scenario(POOL.replace('between = [["red", "white"]]', "between = false"))
    with pytest.raises(ScenarioError, match="between names 'blue', and there is no such body: red, white"):
        parse_scenario(POOL.replace('"white"]]', '"blue"]]'))


def test_a_wheel_on_a_surface():
    """A hoop needs half the slope as friction."""
    scenario = parse_scenario(WHEEL)
    (tyre,) = scenario.system.joints
    assert scenario.start[tyre.friction_ratio] == pytest.approx(0.3 / 2, abs=1e-12)
    run = scenario.simulate()
    assert run.t[-1] == 0.5
    assert run.required_friction().value == pytest.approx(0.15, abs=1e-9)
    two = 'friction = { static = 0.12, kinetic = "0.05 + 0.05*exp(-speed)" }'
    slips = parse_scenario(WHEEL.replace("friction = 0.2", two)).simulate()
    assert slips.modes == ("tyre slipping",)
    (tyre,) = slips.system.joints
    v = np.linalg.norm(slips[tyre.slip_velocity], axis=1)
    ratio = slips[tyre.friction_ratio]
    np.testing.assert_allclose(ratio[v > 1e-3], 0.05 + 0.05 * np.exp(-v[v > 1e-3]), atol=1e-9)


def test_the_rim_of_a_wheel_as_a_formula():
    tyred = parse_scenario(WHEEL.replace("radius = 0.2", 'profile = "0.15 + sqrt(0.05**2 - y**2)"')).start
    (tyre,) = tyred.system.joints
    assert tyred[tyre.friction_ratio] == pytest.approx(0.15, abs=1e-9)


@pytest.mark.parametrize("formula", ['implicit = "(X**2 + Y**2)/0.01 + Z**2/0.0144 - 1"', "support"])
def test_a_convex_body_by_a_formula(formula):
    """An ellipsoid in other words."""
    text = EGG
    if formula == "support":
        h = "sqrt(0.01*(X**2 + Y**2) + 0.0144*Z**2)"
        text = EGG.replace('implicit = "(X**2 + Y**2)/0.01 + Z**2/0.0144 - 1"', f'support = "{h}"')
    run = parse_scenario(text).simulate()
    egg = zm.Rolling(zm.bodies.ellipsoid((0.1, 0.1, 0.12), mass=0.5), on=zm.surfaces.plane())
    same = zm.simulate(egg, egg.start(contact=(0, 0), velocity=(0.5, 0), orientation=(0.3, 0, 0)), until=0.5)
    np.testing.assert_allclose(run[run.system.center][-1], same[egg.center][-1], atol=1e-8)  # rtol is 1e-10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CORNER.replace('implicit = "1 - X"', 'implicit = "1 - X"\n    name = "side"'), "named 'wall' by its table"),
        (CORNER.replace("wall = 0 }", "walls = 0 }"), "friction is given for 'walls'"),
        (CORNER.replace("center = [0, 0, 0.1]", ""), "contacts.start.center"),
        (CORNER.replace("center = [0, 0, 0.1]", "center = { bal = [0, 0, 0.1] }"), "no body 'bal'"),
        (CORNER.replace("center = [0, 0, 0.1]", "center = [0, 0, 0.05]"), "inside 'floor'"),
        (TWO.replace('body = "red", ', ""), "which one does it act on"),
        (TWO.replace('body = "red"', 'body = "rod"'), "no body 'rod'"),
        (WHEEL.replace('height = "-0.3*X"', 'height = "-0.3*x"'), "did you mean 'X'|'x'"),
        (WHEEL.replace("friction = 0.2", "friction = -0.2"), "a coefficient is positive"),
        (EGG.replace('implicit = "', 'support = "1", implicit = "'), "one formula"),
        (EGG.replace("- 1", "- 1 - t"), "leave t out"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(ScenarioError, match=said):
        parse_scenario(text)
