"""Formulas with names: [let] is what one would get by writing each out where it is used."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import FormulaError, ScenarioError, formula, load_scenario, parse_scenario

LET = """
[parameters]
m = 2.0
L = 1.5

[let]
speed2 = "x'**2 + y'**2"
T = "m*speed2/2"
length2 = "x**2 + y**2"
down = "-m*9.81"
half = "L/2"
twice = 2

[system]
coordinates = ["x", "y"]
kinetic = "T"
potential = "-down*y"
[system.constraints]
rod = "length2 - L**2"
[system.start]
x = "twice*half"
"y'" = 0.3
[run]
until = 2
rtol = 1e-9
[[events]]
name = "fast"
zero = "speed2 - 4"
terminal = false
[output.charts]
"Speed (m/s)" = "sqrt(speed2)"
[sweep]
on = "lanes"
[sweep.over]
m = [1.0, 2.0]
[sweep.keep]
energy = "T - down*y"
"""
WRITTEN = LET[: LET.index("[let]")] + LET[LET.index("[system]") :].replace('"T"', "\"m*(x'**2 + y'**2)/2\"").replace(
    '"-down*y"', '"-(-m*9.81)*y"'
).replace("length2", "x**2 + y**2").replace('"twice*half"', '"2*(L/2)"').replace(
    '"speed2 - 4"', "\"x'**2 + y'**2 - 4\""
).replace('"sqrt(speed2)"', "\"sqrt(x'**2 + y'**2)\"").replace('"T - down*y"', "\"m*(x'**2 + y'**2)/2 - (-m*9.81)*y\"")


def test_it_is_what_is_written_out():
    """The same bits of a run, its events and its study."""
    assert "let" not in WRITTEN
    named, plain = parse_scenario(LET), parse_scenario(WRITTEN)
    a, b = named.simulate(), plain.simulate()
    assert np.array_equal(a.y, b.y)
    assert [event.t for event in a.events] == [event.t for event in b.events] != []
    assert np.array_equal(named.study().energy.values, plain.study().energy.values)


def test_it_is_read_in_the_names_of_the_place():
    """X and Y of a surface, coordinates of the body in a force."""
    text = """
    [parameters]
    h = 0.3
    [let]
    r2 = "X**2 + Y**2"
    drag = "-0.1*ball.x'"
    size = "h/10"
    [rolling.body]
    kind = "ball"
    radius = "size"
    mass = 0.25
    [rolling.surface]
    height = "h*r2"
    [[rolling.forces]]
    force = ["drag", 0, 0]
    [rolling.start]
    contact = [0.3, 0.0]
    velocity = [0.0, 0.4]
    [run]
    until = 1
    """
    written = text.replace("h*r2", "h*(X**2 + Y**2)").replace('"drag"', '"-0.1*ball.x\'"').replace('"size"', '"h/10"')
    assert np.array_equal(parse_scenario(text).simulate().y, parse_scenario(written).simulate().y)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('speed2 = "x', 'speed2 = "z', "let.speed2", "'z' is not declared"),
        ('T = "m*speed2/2"', 'T = "m*down/2"', "let.T", "'down' is not declared"),
        ('T = "m*speed2/2"', 'T = "m*T/2"', "let.T", "'T' is not declared"),
        ("twice = 2", "L = 2", "let.L", "taken already, by a parameter"),
        ("twice = 2", "twice = 2\npi = 3", "let.pi", "has a meaning"),
        ("twice = 2", 'twice = 2\nunused = "x +"', "let.unused", "the formula ends"),
        ("twice = 2", 'twice = 2\nenergy = "x"', "let.energy", "taken already, by the model"),
        ('half = "L/2"', 'half = "x/2"', "let.half", "system.start.x asks for 'half'"),
        ('coordinates = ["x", "y"]', 'coordinates = ["x", "T"]', "system.coordinates[1]", "taken"),
        ("twice = 2", "twice = [1, 2]", "let.twice", "a number, or a formula"),
    ],
)
def test_errors_point_to_the_name(old, new, key, words):
    assert old in LET
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(LET.replace(old, new, 1))
    told = {error.key: error.message for error in caught.value.errors}
    assert words in told[key]


def test_each_is_told_once_beside_other_errors():
    """Also those that nothing asks for, and those that others ask for by a third."""
    text = (
        LET.replace("x'**2", "z'**2").replace("twice = 2", 'twice = 2\nunused = "sn(x)"').replace('"speed2 - 4"', '"q"')
    )
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert [error.key for error in caught.value.errors] == ["let.speed2", "let.unused", "events[0].zero"]


def test_cases_change_them():
    text = LET + '[cases.heavy.let]\ndown = "-2*m*9.81"\n'
    plain, heavy = parse_scenario(text).system, parse_scenario(text, "heavy").system
    assert str(heavy.Q) != str(plain.Q)


def test_names_of_a_drawing(tmp_path):
    """A saved run is drawn by the names of its scenario."""
    from zeromass.scenario.scenario import drawing_of

    scenario = parse_scenario(LET)
    assert str(drawing_of(LET, None, scenario.system)["plots"]) == str(scenario.drawing["plots"])


class TestDegrees:
    @pytest.mark.parametrize("angle", [0, 1, 30, 45, 90, 180, 360, 22.5, 1e-3])
    def test_they_are_those_of_numpy(self, angle):
        for words in (f"{angle} deg", f"{angle}°", f"{angle}*deg", f"radians({angle})"):
            assert float(formula(words, {})) == np.radians(angle), words

    def test_they_bind_to_their_number(self):
        """As a unit does: before every sign, powers too."""
        a = zm.parameter("a", 1.0)
        assert float(formula("2*30 deg", {})) == 2 * np.radians(30)
        assert float(formula("-30°", {})) == -np.radians(30)
        assert float(formula("30 deg**2", {})) == np.radians(30) ** 2
        assert formula("sin(a + 90 deg)", {"a": a}) is np.sin(a + np.radians(90))

    @pytest.mark.parametrize("words", ["a deg", "deg 30", "30 deg deg", "(30) deg", "°", "30 degrees"])
    def test_they_follow_a_number(self, words):
        with pytest.raises(FormulaError):
            formula(words, {"a": zm.parameter("a", 1.0)})

    def test_a_pendulum_from_30_degrees(self):
        text = """
        system.coordinates = ["phi"]
        system.kinetic = "phi'**2/2"
        system.potential = "-9.81*cos(phi)"
        system.start = { phi = "30 deg" }
        run.until = 1
        """
        assert parse_scenario(text).start.q[0] == np.radians(30)


def test_scenarios_that_come_along_need_no_new_names():
    assert load_scenario("um2022", "3D").settings["until"] == 25


def test_formulas_of_formulas_are_read_once_each():
    """Each asks twice for the one above, three hundred deep: read as often as asked for, that were 2³⁰⁰ times."""
    lines = [f'a{k} = "a{k - 1}/2 + a{k - 1}/2"' for k in range(1, 300)]
    text = (
        "[let]\na0 = 'x'\n"
        + "\n".join(lines)
        + """
        [system]
        coordinates = ["x"]
        kinetic = "x'**2/2"
        potential = "a299**2/2"
        [system.start]
        x = 1.0
        [run]
        until = 1
        """
    )
    scenario = parse_scenario(text)
    start = scenario.start
    assert start[zm.acceleration(scenario.system.coordinates[0])] == -1.0  # halves are exact


@pytest.mark.parametrize(("table", "key"), [("let", "b"), ("parameters", "b")])
def test_a_name_that_stands_below_is_told_so(table, key):
    text = f"""
    [{table}]
    b = "2*c"
    c = "3"
    [system]
    coordinates = ["x"]
    kinetic = "x'**2/2"
    potential = "b*x"
    [system.start]
    [run]
    until = 1
    """
    with pytest.raises(ScenarioError, match=rf":3: {table}\.{key}: 'c' is not declared above it"):
        parse_scenario(text)
