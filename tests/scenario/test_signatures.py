"""The keys of a scenario file are the arguments of what it builds: a new function is a new kind, and nothing else."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import zeromass as zm
from zeromass.contact import bodies, surfaces
from zeromass.integrate import METHODS
from zeromass.scenario import ScenarioError, parse_scenario
from zeromass.scenario.document import RUN
from zeromass.scenario.kinds import ANY_LENGTH, Choice, Either, Flag, Numbers, Words
from zeromass.scenario.output import shape_tables
from zeromass.scenario.rolling import START, body_tables
from zeromass.scenario.scenario import starter
from zeromass.scenario.signatures import kind_of, table
from zeromass.scenario.surfaces import MOTION, surface_tables
from zeromass.scenario.tables import spelled

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "scenarios.md").read_text(encoding="utf-8")

SADDLE = """
[parameters]
c = 0.2
[rolling]
body = { kind = "ball", radius = 0.02, mass = 0.25 }
[rolling.surface]
kind = "monkey saddle"
depth = "c/2"
arms = "four"
shift = [0, 0, "0.01*sin(t)"]
[rolling.start]
contact = [0.3, 0.1]
[run]
until = 0.2
"""


def monkey_saddle(
    depth: zm.expression.Expression | float,
    *,
    arms: Literal["three", "four"] = "three",
    shift: Sequence[zm.expression.Expression | float] = (0.0, 0.0, 0.0),
) -> zm.Surface:
    """A saddle for a monkey."""

    def height(X: Any, Y: Any) -> Any:
        return depth * (X**3 - 3 * X * Y**2 if arms == "three" else X**4 - 6 * X**2 * Y**2 + Y**4)

    return zm.Surface(height, name="monkey saddle", shift=shift)


@pytest.fixture
def saddle(monkeypatch):
    """One edit: the function stands in the module of surfaces."""
    monkeypatch.setattr(surfaces, "monkey_saddle", monkey_saddle, raising=False)


def failure(text: str) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, name="x.toml")
    return caught.value


@pytest.mark.usefixtures("saddle")
def test_a_new_surface_is_a_function_and_nothing_else():
    surface = monkey_saddle(0.1, arms="four", shift=(0, 0, 0.01 * np.sin(zm.t)))
    rolling = zm.Rolling(zm.bodies.ball(0.02, 0.25), on=surface)
    theirs = zm.simulate(rolling, rolling.start(contact=(0.3, 0.1)), until=0.2)
    ours = parse_scenario(SADDLE).simulate()
    assert np.array_equal(ours.t, theirs.t)
    assert np.array_equal(ours.y, theirs.y)
    assert '"monkey saddle"' in starter()


@pytest.mark.usefixtures("saddle")
@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("depth =", "dept =", "rolling.surface.dept", "there is no such key; did you mean 'depth'?"),
        ("shift =", "shfit =", "rolling.surface.shfit", "there is no such key; did you mean 'shift'?"),
        ('depth = "c/2"', "", "rolling.surface.depth", "this key is missing"),
        ('"c/2"', "true", "rolling.surface.depth", "a number, or a formula"),
        ('"c/2"', '"C/2"', "rolling.surface.depth", "did you mean 'c'"),
        ('"four"', '"fuor"', "rolling.surface.arms", "none of three, four; did you mean 'four'"),
        ("monkey saddle", "monkey sadle", "rolling.surface.kind", "did you mean 'monkey saddle'"),
    ],
)
def test_a_new_surface_has_all_messages(old, new, key, words):
    assert old in SADDLE
    error = failure(SADDLE.replace(old, new, 1))
    assert error.key == key
    assert words in error.message


def test_without_it_there_is_no_such_surface():
    assert "'monkey saddle' is none of plane, sphere" in failure(SADDLE).message


def test_a_new_body_is_a_function_and_nothing_else(monkeypatch):
    def weighted_ball(radius: float, mass: float, low: float = 0.5, *, name: str = "ball") -> zm.bodies.SphericalBody:
        return zm.bodies.SphericalBody(radius, mass, zm.bodies.ball(radius, mass).inertia, (0, 0, -low * radius), name)

    monkeypatch.setattr(bodies, "weighted_ball", weighted_ball, raising=False)
    text = SADDLE.replace('kind = "ball"', 'kind = "weighted-ball", low = 0.25')
    text = re.sub(r"kind = .monkey.*\n(.*\n){2}", 'kind = "plane"\n', text)
    assert np.allclose(parse_scenario(text).system.solid.center_of_mass, (0, 0, -0.005), rtol=1e-15)
    assert "there are: kind, radius, mass, low, name" in failure(text.replace("low =", "heft =")).message


# types ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (float, Numbers()),
        (float | None, Numbers()),
        (zm.expression.Expression | float, Numbers("names")),
        (bool, Flag()),
        (str | None, Words()),
        (Literal["a", "b"], Choice(("a", "b"))),
        (tuple[float, float], Numbers(shapes=((2,),))),
        (tuple[float, ...], Numbers(shapes=((ANY_LENGTH,),))),
        (Sequence[float] | np.ndarray, Numbers(shapes=((ANY_LENGTH,),))),
        (tuple[float, float] | tuple[float, float, float], Numbers(shapes=((2,), (3,)))),
        (
            Annotated[Sequence[zm.expression.Expression | float] | np.ndarray, (3,), (3, 3)],
            Numbers("names", ((3,), (3, 3))),
        ),
        (Literal["up"] | Sequence[float], Either((Choice(("up",)), Numbers(shapes=((ANY_LENGTH,),))))),
        (Annotated[Any, Words(longest=5)] | None, Words(longest=5)),
        (Callable[[float], float], None),
        (Mapping[zm.expression.Expression, float], None),
    ],
)
def test_what_a_file_says_for_a_type(type_, kind):
    assert kind_of(type_) == kind


def test_an_argument_without_a_type_is_like_its_default():
    def make(a, b=True, c="words", d=(0.0, 0.0), e=None):  # type: ignore[no-untyped-def]
        return a, b, c, d, e

    found = {name: argument.kind for name, argument in table(make).arguments.items()}
    assert found["b"] == Flag()
    assert found["c"] == Words()
    assert found["d"] == Numbers("names", ((2,),))
    assert found["a"] == found["e"]
    assert list(found["a"].problems([[1, "x"], [True]], ())) == [((1, 0), "this is a number, or a formula in quotes")]


def test_what_no_file_can_say_has_a_default():
    def make(shape: Callable[[float], float]) -> None: ...

    with pytest.raises(TypeError, match="no scenario file can say 'shape' of make"):
        table(make)


def test_keys_are_arguments():
    """Nothing that can be said in Python is forgotten in a file, and nothing else can be said."""
    for name, own in surface_tables().items():
        make = getattr(surfaces, name.replace(" ", "_"), None)
        if make is not None:
            assert list(own.arguments) == list(inspect.signature(make).parameters)
    python_only = {"system", "start", "events", "parameters", "limits", "progress"}
    arguments = set(inspect.signature(zm.simulate).parameters) - python_only
    assert set(RUN.arguments) == {*arguments, "t0"}
    assert RUN.arguments["method"].kind == Choice(tuple(METHODS))
    assert {"contact", "velocity", "spin", "orientation", "relative", "guess"} <= set(START.arguments)


# the guide --------------------------------------------------------------------------------------------------------
def rows(heading: str) -> dict[str, list[str]]:
    """{kind: keys} of the table below a heading of the guide."""
    section = GUIDE[GUIDE.index(f"\n## {heading}\n") :].split("\n## ")[1]
    found = re.findall(r"^\| `([^`]*)` \| ([^|]*) \|", section, flags=re.MULTILINE)
    return {spelled(kind): re.findall(r"`([^`]*)`", keys) for kind, keys in found}


@pytest.mark.parametrize(
    ("heading", "tables", "common"),
    [
        ("Bodies", body_tables, {"name"}),
        ("Surfaces", surface_tables, set(MOTION)),
        ("Shapes", shape_tables, {"part", "at"}),
    ],
)
def test_the_guide_lists_all_kinds_with_their_keys(heading, tables, common):
    assert rows(heading) == {
        kind: [key for key in own.arguments if key not in common] for kind, own in tables().items()
    }


def test_the_starter_names_all_kinds():
    text = starter()
    assert all(f'"{kind}"' in text for kind in (*body_tables(), *surface_tables()))
    parse_scenario(text)
