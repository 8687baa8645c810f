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
two_sided = true
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
    rolling = zm.Rolling(zm.bodies.shell(0.1, 0.05, 2.0), on=plane, gravity=(0, 0, -9.81), two_sided=True)
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


def test_forces_torques_springs_and_dampers_on_a_rolling_body():
    text = """
[parameters]
c = 0.3
k = 2.0
[rolling]
body = { kind = "ball", radius = 0.1, mass = 2 }
surface = { height = "0.2*(X**2 + Y**2)" }
start = { contact = [0.3, 0.1], velocity = [0.2, 0.1] }
[[rolling.forces]]
force = ["-c*ball.x'", "-c*ball.y'", "where(t > 0.1 and not contact.x < 0, 0.2*normal.z, 0)"]
at = [0, 0, 0.05]
[[rolling.forces]]
force = [0.1, 0, 0]
[[rolling.torques]]
torque = ["-0.01*angular_velocity.x", 0, "-0.01*angular_velocity.z"]
[[rolling.torques]]
torque = [0, "0.02*cos(t)", 0]
frame = "body"
[[rolling.springs]]
stiffness = "k"
length = 0.4
at = [0.1, 0, 0]
to = [0, "0.1*sin(t)", 0.5]
[[rolling.dampers]]
damping = "c"
to = [0, 0, 1]
[run]
until = 0.4
"""
    c, k = zm.parameter("c", 0.3), zm.parameter("k", 2.0)

    def loads(rolling: zm.Rolling) -> list:
        body, n, zero = rolling.body, rolling.normal, (0, 0, 0)
        (x, y, _), w = body.velocity, body.angular_velocity
        lift = zm.where((zm.t > 0.1) & ~(rolling.contact[0] < 0), 0.2 * n[2], 0)
        return [
            zm.Force([-c * x, -c * y, lift], at=body.point((0, 0, 0.05))),
            zm.Force([0.1, 0, 0], at=body.point(zero)),
            zm.Torque([-0.01 * w[0], 0, -0.01 * w[2]], on=body),
            zm.Torque(body.rotate([0, 0.02 * np.cos(zm.t), 0]), on=body),
            zm.Spring(k, body.point((0.1, 0, 0)), [0, 0.1 * np.sin(zm.t), 0.5], length=0.4),
            zm.Damper(c, body.point(zero), [0, 0, 1]),
        ]

    bowl = zm.Surface(lambda X, Y: 0.2 * (X**2 + Y**2))
    rolling = zm.Rolling(zm.bodies.ball(0.1, 2.0), on=bowl, forces=loads)
    run = zm.simulate(rolling, rolling.start(contact=(0.3, 0.1), velocity=(0.2, 0.1)), until=0.4)
    ours = parse_scenario(text).simulate()
    assert np.array_equal(ours.y, run.y)
    start, end = text.index("[[rolling.forces]]"), text.index("[run]")
    without = parse_scenario(text[:start] + text[end:]).simulate()
    assert abs(without.y[-1] - ours.y[-1]).max() > 1e-3


def test_a_system_by_its_matrices():
    """The wheel of UP2006, example 1, with M and Q as printed (eqs. 5.6, 5.7)."""
    text = """
[parameters]
m = 2.0
R = 0.35
Ic = 0.1
[system]
coordinates = ["theta", "y"]
M = [["m*R**2 + Ic", 0], [0, 0]]
Q = [0, "m*9.81"]
forces.theta = "-0.1*theta'"
[system.constraints]
rolling = "y - R*theta*sin(0.4)"
[system.start]
theta = 0.3
[run]
until = 1
"""
    theta, y = zm.coordinates("theta y")
    m, R, Ic = (zm.parameter(name, value) for name, value in {"m": 2.0, "R": 0.35, "Ic": 0.1}.items())
    wheel = zm.System(
        coordinates=[theta, y],
        M=[[m * R**2 + Ic, 0], [0, 0]],
        Q=[0, m * 9.81],
        forces={theta: -0.1 * zm.rate(theta)},
        constraints={"rolling": y - R * theta * np.sin(0.4)},
    )
    run = zm.simulate(wheel, wheel.start({theta: 0.3}), until=1)
    scenario = parse_scenario(text)
    assert np.array_equal(scenario.simulate().y, run.y)
    assert not scenario.system.has_energy
