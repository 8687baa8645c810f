"""Starts by vectors: positions, orientations and angular velocities of parts, by name or as tables of their own."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, parse_scenario

TOP = """
[parameters]
w = 3.0

[system.bodies.top]
mass = 2.0
inertia = [1.0, 2.0, 2.5]

[system.particles.mark]
mass = 0

[system.constraints]
mark = ["mark.x - top.x", "mark.y - top.y", "mark.z - top.z"]

[system.start.top]
position = [0.1, 0.2, 0.3]
velocity = [1, 0, "w"]
angular_velocity_body = [1.0, "w", 0.5]
orientation = ["30 deg", 0, 0]

[run]
until = 1

[[events]]
name = "turned"
zero = "top.angular_velocity.x - 10 + top.velocity.z"
terminal = false
"""


def body(system: zm.System) -> zm.RigidBody:
    (found,) = [part for part in system.parts if isinstance(part, zm.RigidBody)]
    return found


def test_vectors_of_a_part():
    """Values that are given come back; Euler's equations with them: J₃ ω̇₃ = (J₁ − J₂) ω₁ ω₂."""
    scenario = parse_scenario(TOP)
    start, top = scenario.start, body(scenario.system)
    assert np.allclose(start[top.position], [0.1, 0.2, 0.3], rtol=0, atol=1e-15)
    assert np.allclose(start[top.velocity], [1, 0, 3], rtol=0, atol=1e-15)
    assert np.allclose(start[top.angular_velocity_body], [1, 3, 0.5], rtol=0, atol=1e-14)
    assert np.allclose(start[zm.rate(top.angular_velocity_body)][2], (1 - 2) * 1 * 3 / 2.5, rtol=0, atol=1e-14)
    half = np.radians(15)
    assert np.allclose(start[top.quaternion], [np.cos(half), np.sin(half), 0, 0], rtol=0, atol=1e-15)


def test_the_same_by_names_in_quotes():
    names = ("position", "velocity", "angular_velocity_body", "orientation")
    quoted = TOP.replace("[system.start.top]", "[system.start]")
    for name in names:
        quoted = quoted.replace(f"\n{name} =", f'\n"top.{name}" =')
    one, other = parse_scenario(TOP).start, parse_scenario(quoted).start
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.v, other.v)


def test_coordinates_of_a_part_in_its_table():
    text = TOP.replace("position = [0.1, 0.2, 0.3]", 'x = 0.1\n"y" = 0.2\nz = 0.3').replace(
        "velocity = [1, 0, ", '"x\'" = 1\n"y\'" = 0\n"z\'" = "w"\n#'
    )
    assert np.array_equal(parse_scenario(text).start.q, parse_scenario(TOP).start.q)
    assert np.array_equal(parse_scenario(text).start.v, parse_scenario(TOP).start.v)


def test_angular_velocity_in_space():
    scenario = parse_scenario(TOP.replace("angular_velocity_body", "angular_velocity"))
    start, top = scenario.start, body(scenario.system)
    assert np.allclose(start[top.rotate(np.array(start[top.angular_velocity_body]))], [1, 3, 0.5], rtol=0, atol=1e-14)


def test_guesses_are_vectors_too():
    text = """
    [system.particles.bob]
    mass = 1
    [system.constraints]
    rod = "bob.x**2 + bob.y**2 + bob.z**2 - 1"
    [system.start]
    "bob.x" = 0.6
    "bob.y" = 0
    [system.guess.bob]
    position = [0.6, 0, -1]
    [run]
    until = 1
    """
    assert np.isclose(parse_scenario(text).start.q[2], -0.8)
    assert np.isclose(parse_scenario(text.replace("-1]", "1]")).start.q[2], 0.8)


def test_a_study_varies_them():
    scenario = parse_scenario(
        TOP + '[sweep]\non = "lanes"\n[sweep.over]\nw = [1.0, 3.0]\n[sweep.keep]\nend = "top.z"\n'
    )
    assert np.allclose(scenario.study().end.values, [0.3 + 1.0, 0.3 + 3.0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("angular_velocity_body", "angular_velocty", "system.start.top.angular_velocty", "did you mean 'top.ang"),
        ("position = [0.1, 0.2, 0.3]", "position = 3", "system.start.top.position", "needs 3 components"),
        ("position = [0.1, 0.2, 0.3]", "position = [1, 2, 3, 4]", "system.start.top.position", "needs 3 components"),
        ("[system.start.top]", "[system.start.to]", "system.start.to.position", "did you mean 'top.position'"),
        ("orientation = [", "orientation = [0, ", "system.start.top.orientation", "it has 4, and needs 3"),
        ("position = [0.1, 0.2, 0.3]", "x = [1, 2, 3]", "system.start.top.x", "there is no vector 'top.x'"),
        ("[system.start.top]", "[system.guess.top]\nangular_velocity = [1,2,3]\n[system.start.top]",
         "system.guess.top.angular_velocity", "a guess is of coordinates"),
    ],
)  # fmt: skip
def test_errors(old, new, key, words):
    assert old in TOP
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(TOP.replace(old, new, 1))
    told = {error.key: error.message for error in caught.value.errors}
    assert words in told[key]


ROLLING = """
[rolling.body]
kind = "ball"
radius = 0.1
mass = 0.5
[rolling.surface]
height = "0.3*(X**2 + Y**2)"
shift = ["0.05*t", 0, 0]
[rolling.start]
contact = [0.3, 0.1]
angular_velocity = [1.0, -2.0, "60 deg"]
[run]
until = 1
"""


class TestRolling:
    def test_velocity_follows_from_rolling(self):
        """v = v_surface + ω × r n."""
        scenario = parse_scenario(ROLLING)
        rolling, start = scenario.system, scenario.start
        assert isinstance(rolling, zm.Rolling)
        omega = np.array([1.0, -2.0, np.radians(60)])
        assert np.allclose(start[rolling.body.angular_velocity], omega, rtol=0, atol=1e-14)
        n = start[rolling.normal]
        expected = np.array([0.05, 0, 0]) + np.cross(omega, 0.1 * n)
        assert np.allclose(start[rolling.center_particle.velocity], expected, rtol=0, atol=1e-14)
        assert np.isclose(start[rolling.spin], n @ omega, rtol=0, atol=1e-14)

    def test_it_is_the_start_by_velocity_and_spin(self):
        scenario = parse_scenario(ROLLING)
        rolling, start = scenario.system, scenario.start
        assert isinstance(rolling, zm.Rolling)
        v, spin = start[rolling.center_particle.velocity], start[rolling.spin]
        other = rolling.start(contact=(0.3, 0.1), velocity=v[:2], spin=spin)
        assert np.allclose(other.v, start.v, rtol=0, atol=1e-13)

    @pytest.mark.parametrize("beside", ["velocity = [0, 1]", "spin = 1.0", "relative = true"])
    def test_it_stands_alone(self, beside):
        with pytest.raises(ScenarioError, match="gives its velocity and its spin"):
            parse_scenario(ROLLING.replace("contact =", f"{beside}\ncontact ="))

    def test_it_varies_alone(self):
        swept = ROLLING.replace('"60 deg"', '"w"') + (
            'parameters.w = 1.0\n[sweep]\non = "lanes"\n[sweep.over]\nw = [1.0, 2.0]\n[sweep.keep]\nend = "contact.x"\n'
        ).replace("parameters.w = 1.0\n", "")
        swept = "[parameters]\nw = 1.0\n" + swept
        ends = parse_scenario(swept).study().end.values
        singly = [parse_scenario(swept.replace("w = 1.0\n", f"w = {w}\n", 1)).simulate() for w in (1.0, 2.0)]
        assert np.allclose(ends, [run.y[-1, 7] for run in singly], rtol=0, atol=1e-8)
        with pytest.raises(ScenarioError, match="that alone"):
            parse_scenario(swept.replace("contact = [0.3, 0.1]", 'contact = ["0.3*w", 0.1]'))

    def test_no_spin_contradicts_it(self):
        with pytest.raises(ScenarioError) as caught:
            parse_scenario("[rolling]\nno_spin = true\n" + ROLLING)
        assert caught.value.key == "rolling.start"
