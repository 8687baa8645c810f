"""Scenario files: what they can say."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, load_scenario, parse_scenario
from zeromass.scenario.scenario import STARTER

BALL = STARTER.read_text(encoding="utf-8")
PENDULUM = """
[parameters]
L = 1.0
mu = "2*L"
[system]
coordinates = ["x", "y"]
lagrangian = "mu*(x'^2 + y'^2)/2 - mu*9.81*y"
forces.x = "-0.1*x'"
[system.constraints]
rod = "hypot(x, y) - L"
[system.start]
x = "L"
"x'" = 0
[system.guess]
y = -0.1
[run]
until = 0.5
rtol = 1e-8
[[events]]
name = "low"
zero = "y + 0.5"
direction = -1
"""


def test_a_system_of_ones_own():
    scenario = parse_scenario(PENDULUM)
    run = scenario.simulate()
    assert [event.name for event in run.events] == ["low"]
    x, y = scenario.system.coordinates
    assert abs(run[y][-1] + 0.5) < 1e-12
    assert run.t[-1] < 0.5
    assert abs(run[np.sqrt(x**2 + y**2)] - 1).max() < 1e-12
    assert scenario.system.parameters[0].name in ("L", "mu")


def test_surfaces_bodies_and_motions_are_those_of_python():
    text = """
[parameters]
w = 0.7
[rolling]
gravity = [0, 0, "-9.81"]
contact = "two-sided"
body = { kind = "shell", outer = 0.1, inner = "0.05", mass = 2 }
surface = { kind = "plane", slope = "pi/20", rotation = { axis = [0, 0, 1], angle = "w*t" }, shift = [0, "0.1*sin(t)", 0] }
start = { contact = [0.3, 0.1], velocity = [0.2, 0.1], spin = 1, relative = true, orientation = [0.1, 0.2, 0.3] }
[run]
until = 0.4
[output]
times = 5
"""
    w = zm.parameter("w", 0.7)
    plane = zm.surfaces.plane(np.pi / 20, rotation=((0, 0, 1), w * zm.t), shift=(0, 0.1 * np.sin(zm.t), 0))
    rolling = zm.Rolling(zm.shell(0.1, 0.05, 2.0), on=plane, gravity=(0, 0, -9.81), contact="two-sided")
    start = rolling.start(contact=(0.3, 0.1), velocity=(0.2, 0.1), spin=1.0, relative=True, orientation=(0.1, 0.2, 0.3))
    scenario = parse_scenario(text)
    ours, theirs = scenario.simulate(), zm.simulate(rolling, start, until=0.4)
    assert np.array_equal(ours.y, theirs.y)
    assert scenario.table_times(ours).tolist() == np.linspace(0, 0.4, 5).tolist()


def test_a_formula_as_surface_works_on_numbers():
    """The plots and the viewer evaluate it on arrays."""
    surface = load_scenario("um2022").system.surface
    X, Y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 4))
    Z = zm.surfaces.dimpled_bowl()(np.stack([X, Y, 0 * X]))
    assert np.allclose(surface(np.stack([X, Y, 0 * X])), Z, rtol=0, atol=1e-15)


def test_bodies_in_a_system():
    text = """
[system]
gravity = 9.81
[system.bodies.rod]
mass = 1
inertia = [0.1, 0.1, 0.01]
[system.particles.bob]
mass = "1/2"
[system.constraints]
hinge = ["rod.x", "rod.y", "rod.z"]
tip = ["bob.x - rod.x", "bob.y - rod.y", "bob.z - rod.z"]
[run]
until = 0.1
"""
    system = parse_scenario(text).system
    assert [part.name for part in system.parts] == ["bob", "rod"]
    assert system.check().unique


def test_springs_dampers_and_work_of_constraints():
    text = """
[parameters]
k = 3.0
[system]
coordinates = ["z"]
[system.particles.bob]
mass = 2
[system.constraints]
line = ["bob.y", "bob.z - z"]
[system.nonideal]
"bob.x" = "-0.2*bob.x'"
[[system.springs]]
stiffness = "k"
a = ["bob.x", "bob.y", "bob.z"]
length = 0.5
[[system.dampers]]
damping = 0.1
a = ["bob.x", "bob.y", "bob.z"]
[system.start]
"bob.x" = 1
"bob.z" = 0.2
[run]
until = 1
"""
    ours = parse_scenario(text)
    bob, z, k = zm.Particle("bob", mass=2), zm.coordinate("z"), zm.parameter("k", 3.0)
    x = bob.position[0]
    theirs = zm.System(
        [bob],
        coordinates=[z],
        forces=[zm.Spring(k, bob.position, length=0.5), zm.Damper(0.1, bob.position)],
        constraints={"line": [bob.position[1], bob.position[2] - z]},
        nonideal={x: -0.2 * zm.rate(x)},
    )
    start = theirs.start({x: 1, bob.position[2]: 0.2})
    assert np.array_equal(ours.simulate().y, zm.simulate(theirs, start, until=1).y)
    with pytest.raises(ScenarioError, match=r"system.dampers\[0\].damping: 'c' is not declared"):
        parse_scenario(text.replace("damping = 0.1", 'damping = "c"'))


def test_cases_change_what_stands_above():
    text = BALL + "\n[cases.fast.rolling.start]\nvelocity = [0.0, 0.9]\n[cases.bad.rolling.body]\nradius = -1\n"
    fast = parse_scenario(text, "fast")
    assert fast.cases == ("fast", "bad")
    assert abs(fast.start[zm.rate(fast.system.center[1])] - 0.9) < 1e-12
    with pytest.raises(ScenarioError, match="did you mean 'fast'"):
        parse_scenario(text, "fas")
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "bad")
    assert text.splitlines()[caught.value.line - 1] == "[cases.bad.rolling.body]"
