"""Joints in scenario files: the same mechanisms as in Python, and all errors at once."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.mechanism.joint import Connected
from zeromass.scenario import ScenarioError, parse_scenario, scenario_schema
from zeromass.scenario.joints import BETWEEN, COUPLING, joint_tables

CRANK = """
[parameters]
r = 0.1
l = 0.4
[system]
gravity = 9.81
[system.bodies.crank]
mass = 1.0
inertia = [0.001, 0.001, 0.001]
at = ["r/2", 0, 0]
[system.bodies.rod]
mass = 0.5
inertia = [0.001, 0.007, 0.007]
at = ["r + l/2", 0, 0]
[system.bodies.piston]
mass = 0.8
inertia = [0.001, 0.001, 0.001]
at = ["r + l", 0, 0]
[system.joints.main]
kind = "revolute"
a = "ground"
b = "crank"
at = [0, 0, 0]
axis = [0, -1, 0]
drive = "20*t"
[system.joints.big_end]
kind = "spherical"
a = "crank"
b = "rod"
at = ["r", 0, 0]
[system.joints.small_end]
kind = "universal"
a = "rod"
b = "piston"
at = ["r + l", 0, 0]
axes = [[0, 1, 0], [0, 0, 1]]
[system.joints.bore]
kind = "prismatic"
a = "ground"
b = "piston"
axis = [1, 0, 0]
damper = 2.0
motor = "-3*bore.rate"
[run]
until = 0.2
[[events]]
name = "quarter"
zero = "main.angle - pi/2"
terminal = false
[output.charts]
"force (N)" = { wall = "bore.force.z", axle = "main.force.z" }
"torque (N m)" = "main.drive.torque"
"""


def test_a_slider_crank_goes_as_in_a_textbook():
    """x = r cos θ + √(l² − r² sin² θ); the motor is a damper of 3 N s/m beside one of 2."""
    scenario = parse_scenario(CRANK)
    run = zm.simulate(scenario.system, scenario.start, events=scenario.events, **scenario.settings)
    joints = {joint.name: joint for joint in scenario.system.joints}
    θ, r, l = 20 * run.t, 0.1, 0.4
    x = r * np.cos(θ) + np.sqrt(l**2 - r**2 * np.sin(θ) ** 2)
    np.testing.assert_allclose(run[joints["bore"].displacement], x - r - l, atol=1e-9)
    assert [(event.name, round(event.t, 9)) for event in run.events] == [("quarter", round(np.pi / 40, 9))]
    system, bore = scenario.system, joints["bore"]
    power = run[joints["main.drive"].power - 5.0 * bore.rate**2]
    np.testing.assert_allclose(run[zm.rate(system.energy)], power, atol=1e-7)


TRAIN = """
[system]
[system.bodies.{0}]
mass = 1.0
inertia = [1, 1, 1]
[system.bodies.{1}]
mass = 1.0
inertia = [1, 1, 1]
[system.joints.mesh]
kind = "{2}"
{3}
[system.joints.p]
kind = "revolute"
a = "ground"
b = "{0}"
axis = [0, 0, 1]
[system.joints.q]
kind = "{4}"
a = "ground"
b = "{1}"
axis = [0, 0, 1]
[system.start]
"p.rate" = 3.0
[run]
until = 0.1
"""

COUPLED = {
    "gear": ('first = "p"\nsecond = "q"\nratio = -2', "revolute", -6.0),
    "belt": ('first = "p"\nsecond = "q"\nradii = [0.1, 0.2]\ncrossed = true', "revolute", -1.5),
    "rack and pinion": ('pinion = "p"\nrack = "q"\nradius = 0.5', "prismatic", 1.5),
    "geneva": ('crank = "p"\nwheel = "q"\nslots = 4\ndistance = 0.1', "revolute", -3.0 * 0.5**0.5 / (1 - 0.5**0.5)),
}


@pytest.mark.parametrize("kind", COUPLED)
def test_joints_that_couple_others_may_stand_before_them(kind):
    keys, second, rate = COUPLED[kind]
    scenario = parse_scenario(TRAIN.format("one", "other", kind, keys, second))
    joints = {joint.name: joint for joint in scenario.system.joints}
    assert abs(scenario.start[joints["q"].rate] - rate) < 1e-9


def test_every_joint_of_python_that_needs_no_function_is_in_files():
    """Of a class with a function among its arguments a file can say nothing."""
    made = [kind for kind in vars(zm.joints).values() if isinstance(kind, type) and issubclass(kind, Connected)]
    needing = {"PointOnCurve", "PointOnSurface", "Cam"}
    names = {kind.replace(" ", "") for kind in (*BETWEEN, *COUPLING)}
    assert {kind.__name__.lower() for kind in made if kind.__name__ not in needing} == names
    schema = scenario_schema()["properties"]["system"]["properties"]["joints"]["additionalProperties"]
    assert {one["title"] for one in schema["oneOf"]} == {*BETWEEN, *COUPLING}


def test_a_table_of_a_joint_has_the_arguments_of_its_class():
    tables = joint_tables()
    assert list(tables["screw"].arguments)[:5] == ["a", "b", "at", "axis", "pitch"]
    assert tables["screw"].arguments["pitch"].required
    assert not tables["screw"].arguments["at"].required
    assert "motor" not in tables["spherical"].arguments


def test_all_errors_at_once():
    text = CRANK.replace('kind = "spherical"', 'kind = "sphericle"').replace("axis = [1, 0, 0]", "axis = [1, 0]")
    text = text.replace('drive = "20*t"', "drives = 3")
    with pytest.raises(ScenarioError) as told:
        parse_scenario(text)
    words = str(told.value)
    assert "system.joints.main.drives: there is no such key; did you mean 'drive'?" in words
    assert "'sphericle' is none of fixed, revolute" in words
    assert "system.joints.bore.axis: it has 2 items" in words


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('b = "rod"', 'b = "rot"', "system.joints.big_end.b: 'rot' is no body; did you mean 'rod'?"),
        ('b = "rod"', 'b = "crank"', "system.joints.big_end: 'big_end' connects 'crank' with itself"),
        ("axis = [0, -1, 0]", "axis = [0, 0, 0]", "system.joints.main: the axis of 'main' is"),
        ("[system.joints.big_end]", "[system.joints.rod]", "the name 'rod' is taken already, by a body"),
        ('motor = "-3*bore.rate"', 'motor = "-3*bor.rate"', "system.joints.bore.motor"),
        ("[[0, 1, 0], [0, 0, 1]]", "[[0, 1, 0], [0, 1, 1]]", "not at right angles"),
    ],
)
def test_errors_point_to_their_keys(old, new, words):
    with pytest.raises(ScenarioError) as told:
        parse_scenario(CRANK.replace(old, new))
    assert words in str(told.value)


def test_many_hinges_in_a_file_are_those_of_python():
    """Twenty bodies, 160 coordinates: a large system, with a table of forces that is empty."""
    count, lines = 20, ["[system]", "gravity = 9.81"]
    bodies: list[zm.RigidBody] = []
    hinges: list[zm.joints.Revolute] = []
    for i in range(count):
        z, before = 0.1 * i, f"l{i - 1}" if i else "ground"
        lines += [f"[system.bodies.l{i}]", "mass = 1.2", "inertia = [3e-3, 3e-3, 2e-4]", f"at = [0, 0, {z + 0.05}]"]
        lines += [f"[system.joints.j{i}]", 'kind = "revolute"', f'a = "{before}"', f'b = "l{i}"', f"at = [0, 0, {z}]"]
        lines += ["axis = [0, 1, 0]"]
        bodies.append(zm.RigidBody(f"l{i}", 1.2, (3e-3, 3e-3, 2e-4), at=(0, 0, z + 0.05)))
        hinges.append(zm.joints.Revolute(bodies[-2] if i else zm.Ground(), bodies[-1], at=(0, 0, z), axis=(0, 1, 0)))
    scenario = parse_scenario("\n".join([*lines, "[system.start]", '"j3.angle" = 0.2', "[run]", "until = 0.05"]))
    system = zm.System(bodies, gravity=9.81, joints=hinges)
    start = system.start({hinges[3].angle: 0.2})
    assert np.array_equal(scenario.start.q, start.q)
    run = zm.simulate(scenario.system, scenario.start, **scenario.settings)
    angle = next(joint.angle for joint in scenario.system.joints if joint.name == "j3")
    assert run[angle][-1] == zm.simulate(system, start, until=0.05)[hinges[3].angle][-1]
