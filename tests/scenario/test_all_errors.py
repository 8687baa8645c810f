"""All that is wrong with a scenario is told at once, each with its line, its key and a remedy."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from zeromass import cli
from zeromass.scenario import ScenarioError, parse_scenario

TEXT = """[parameters]
m = 2.0
g = 9.81

[system]
coordinates = ["x", "y"]
kinetic = "m*(x'**2 + y'**2)/2"
potential = "m*g*y"

[system.constraints]
rod = "x**2 + y**2 - 1"

[system.start]
x = 1.0
"y'" = 0.0

[run]
until = 2

[[events]]
name = "through"
zero = "x"
terminal = false

[output.charts]
"Height (m)" = "y"

[sweep.over]
m = [1.0, 2.0]

[sweep.keep]
end = "x"
"""


def errors(text: str) -> list[ScenarioError]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, name="x.toml")
    return list(caught.value.errors)


def damaged(*changes: tuple[str, str]) -> str:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def found(text: str) -> dict[str, tuple[int | None, str]]:
    return {error.key: (error.line, error.message.split("\n")[0]) for error in errors(text)}


def test_the_text_is_valid():
    assert parse_scenario(TEXT).simulate().outcome.complete


def test_wrong_keys_of_all_tables():
    told = found(
        damaged(
            ("potential", "potental"),
            ("until = 2", 'until = 2\nmethod = "euler"'),
            ("terminal = false", "terminal = 3"),
        )
    )
    assert told == {
        "system.potental": (8, "there is no such key; did you mean 'potential'?"),
        "run.method": (19, "'euler' is none of collocation, dop853, radau, fixed"),
        "events[0].terminal": (24, "this is a boolean, true or false"),
    }


def test_a_misspelt_key_stands_for_the_one_that_is_missing():
    assert list(found(damaged(("until", "untill")))) == ["run.untill"]
    assert list(found(damaged(("until = 2", "rtol = 1e-9")))) == ["run.until"]


def test_wrong_formulas_of_all_tables():
    """Of parameters, energies, constraints, starts, events, charts and studies: in the order of the lines."""
    told = found(
        damaged(
            ("g = 9.81", 'g = "9.81*"'),
            ("y'**2)/2", "z'**2)/2"),
            ("y**2 - 1", "sn(y) - 1"),
            ('"y\'" = 0.0', '"yy\'" = 0.0'),
            ('zero = "x"', 'zero = "xx + 1"'),
            ('= "y"', '= "Y"'),
            ('end = "x"', 'end = "x +"'),
        )
    )
    assert [line for line, _ in told.values()] == [3, 7, 11, 15, 22, 26, 32]
    assert list(told) == [
        "parameters.g",
        "system.kinetic",
        "system.constraints.rod",
        "system.start.yy'",
        "events[0].zero",
        "output.charts.Height (m)",
        "sweep.keep.end",
    ]
    assert told["system.kinetic"][1].startswith("'z' is not declared")
    assert told["system.constraints.rod"][1] == "there is no function 'sn'; did you mean 'sin'?"


def test_wrong_keys_and_wrong_formulas_together():
    """A formula that can not be read is told even where keys are wrong; which names it has is known only after that."""
    told = found(damaged(("potential", "potental"), ("y**2 - 1", "sn(y) - 1"), ('zero = "x"', 'zero = "(x"')))
    assert list(told) == ["system.potental", "system.constraints.rod", "events[0].zero"]


def test_an_end_that_is_unknown_beside_keys_that_are_missing():
    told = found(damaged(("until = 2", 'until = "2*T"'), ('coordinates = ["x", "y"]', ""), ('zero = "x"\n', "")))
    assert told["run.until"][1].startswith("'T' is not declared")
    assert told["events[0].zero"][1] == "this key is missing"
    assert told["system"][1] == "a system has coordinates, particles or bodies"


def test_a_misspelt_key_is_read_as_the_one_that_was_meant():
    """So its own formula is looked at, and the line is that of the key that stands there."""
    told = found(damaged(('potential = "m*g*y"', 'potental = "m*gg*y"')))
    assert list(told) == ["system.potental", "system.potential"]
    assert {line for line, _ in told.values()} == {8}
    assert told["system.potential"][1] == "'gg' is not declared; did you mean 'g'?"


def test_a_model_that_can_not_be_is_told_beside_the_rest():
    told = found(damaged(('"m*g*y"', '"m*g*y\'"'), ('= "y"', '= "Y"'), ("m = [1.0, 2.0]", "mass = [1.0, 2.0]")))
    assert list(told) == ["system", "output.charts.Height (m)", "sweep.over.mass"]
    assert "the potential energy contains" in told["system"][1]


def test_wrong_values_and_names():
    told = found(
        damaged(
            ("until = 2", "until = 2\nrtol = -1\natol = -2"),
            ('name = "through"', 'name = "through"\nzero = "x"\n[[events]]\nname = "through"'),
            ("m = [1.0, 2.0]", "mass = [1.0, 2.0]"),
            ('"x", "y"]', '"x", "y", "pi"]'),
        )
    )
    assert list(told) == ["system.coordinates[2]", "run.rtol", "run.atol", "events[1].name", "sweep.over.mass"]


def test_the_model_is_judged_when_all_can_be_read():
    """What physics says of a start follows from formulas of the model that are right, whatever events are."""
    apart = ("x = 1.0", "x = 3.0\ny = 4.0")
    assert list(found(damaged(apart))) == ["system.start"]
    assert list(found(damaged(apart, ('zero = "x"', 'zero = "xx"')))) == ["system.start", "events[0].zero"]
    assert list(found(damaged(apart, ("y**2 - 1", "y**2 - l")))) == ["system.constraints.rod"]


def test_the_message_has_a_line_for_each():
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(damaged(("until", "untill"), ("terminal = false", "terminal = 3")), name="x.toml")
    assert str(caught.value).splitlines() == [
        "x.toml:18: run.untill: there is no such key; did you mean 'until'?",
        "x.toml:23: events[0].terminal: this is a boolean, true or false",
    ]
    assert (caught.value.key, caught.value.line) == ("run.untill", 18)


def test_a_formula_is_told_once():
    """A surface is read several times over, its error is one."""
    text = """[rolling.body]
kind = "ball"
radius = "0.02*q"
mass = 0.25
[rolling.surface]
height = "0.3*(X**2 + yy**2)"
[rolling.start]
contact = [0.3, "sin("]
velocity = [0.0, 0.4]
[run]
until = 5
"""
    assert [(e.key, e.line) for e in errors(text)] == [
        ("rolling.body.radius", 3),
        ("rolling.surface.height", 6),
        ("rolling.start.contact[1]", 8),
    ]


def test_the_command_tells_all(tmp_path):
    place = tmp_path / "x.toml"
    place.write_text(damaged(("until", "untill"), ("terminal = false", "terminal = 3")), encoding="utf-8")
    done = CliRunner().invoke(cli.app, ["check", str(place), "--json"])
    assert done.exit_code == 2
    problem = json.loads(done.stdout)["error"]
    assert [more["key"] for more in problem["more"]] == ["events[0].terminal"]
    assert problem["key"] == "run.untill"
    from zeromass.cli.output import Failure

    Failure.model_validate(json.loads(done.stdout))
    assert "events[0].terminal" in done.stderr
