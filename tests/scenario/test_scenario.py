"""Scenario files: what they can say, and errors that point to line and key."""

from __future__ import annotations

import contextlib
import random
import time

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, load_scenario, parse_scenario
from zeromass.scenario.scenario import SHIPPED, STARTER
from zeromass.scenario.source import LARGEST, dotted, parsed

BALL = STARTER.read_text(encoding="utf-8")
WHEEL = (SHIPPED / "up2006-wheel.toml").read_text(encoding="utf-8")
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


def failure(text: str, case: str | None = None) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, case, name="x.toml")
    return caught.value


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.parametrize(
    ("base", "old", "new", "key", "words"),
    [
        (BALL, "radius = 0.02\n", "", "rolling.body.radius", "missing"),
        (BALL, "radius = 0.02", "radus = 0.02", "rolling.body.radus", "did you mean 'radius'"),
        (BALL, "radius = 0.02", "radius = true", "rolling.body.radius", "a number, or a formula"),
        (BALL, "radius = 0.02", "radius = nan", "rolling.body.radius", "finite"),
        (BALL, "radius = 0.02", f"radius = 1{'0' * 400}", "rolling.body.radius", "finite"),
        (BALL, "radius = 0.02", "radius = 1979-05-27", "rolling.body.radius", "a number, or a formula"),
        (BALL, "radius = 0.02", "radius = -1", "rolling.body", "must be positive"),
        (BALL, 'kind = "ball"', 'kind = "bal"', "rolling.body.kind", "did you mean 'ball'"),
        (BALL, 'kind = "ball"', "", "rolling.body.kind", "missing"),
        (BALL, "until = 5", "", "run.until", "missing"),
        (BALL, "until = 5", 'until = "t"', "run.until", "'t' is not declared"),
        (BALL, "until = 5", 'until = 5\nmethod = "euler"', "run.method", "none of dop853"),
        (BALL, "rtol = 1e-10", "rtol = -1", "run.rtol", "positive"),
        (BALL, "[rolling]", "[roling]", "roling", "did you mean 'rolling'"),
        (BALL, 'spin = "free"', 'spin = "fre"', "rolling.spin", "did you mean 'free'"),
        (BALL, 'Y**2)"', 'y**2)"', "rolling.surface.height", "did you mean 'Y'"),
        (BALL, "height =", "heigth =", "rolling.surface.heigth", "did you mean 'height'"),
        (BALL, 'height = "0.3*(X**2 + Y**2)"', 'kind = "parabolid"', "rolling.surface.kind", "'paraboloid'"),
        (BALL, 'height = "0.3*(X**2 + Y**2)"', 'height = "X\'"', "rolling.surface.height", "not by rates"),
        (BALL, 'Omega*t)"', 'Omga*t)"', "rolling.surface.shift[0]", "did you mean 'Omega'"),
        (BALL, ", 0, 0]", ", 0]", "rolling.surface.shift", "needs 3"),
        (BALL, "contact = [0.3, 0.0]", "contact = [0.3, 0.0, 5.0]", "rolling.start", "lies 4.91 m off"),
        (BALL, 'zero = "contact.x"', 'zero = "contac.x"', "events[0].zero", "did you mean 'contact.x'"),
        (BALL, "terminal = false", "terminal = 0", "events[0].terminal", "boolean"),
        (BALL, "viewer = true", 'plots = ["pth"]', "output.plots[0]", "did you mean 'path'"),
        (BALL, "A = 0.02", "pi = 0.02", "parameters.pi", "has a meaning"),
        (WHEEL, "theta = 0.3", "theta = 0.3\ny = 5.0", "system.start", "no state satisfies 'rolling'"),
        (WHEEL, "theta = 0.3", "thet = 0.3", "system.start.thet", "did you mean 'theta'"),
        (WHEEL, '["theta", "y"]', '["theta", "m"]', "system.coordinates[1]", "taken"),
        (WHEEL, '"-m*g*y"', '"-m*g*y +"', "system.potential", "the formula ends"),
        (WHEEL, '"-m*g*y"', '"-m*g*y\'"', "system", "the potential energy contains"),
        (WHEEL, "[system.constraints]", "[system.constaints]", "system.constaints", "did you mean 'constraints'"),
        (
            WHEEL,
            "[system.constraints]",
            "[system.forces]\nz = 3\n[system.constraints]",
            "system.forces.z",
            "no coordinate",
        ),
    ],
)
def test_errors_point_to_line_and_key(base, old, new, key, words):
    assert old in base
    text = base.replace(old, new, 1)
    error = failure(text)
    assert words in error.message
    assert error.key == key
    assert error.line is not None
    last = error.key.split(".")[-1].split("[")[0]
    written = text.splitlines()[error.line - 1]
    assert last in written or "missing" in error.message
    assert str(error).startswith(f"x.toml:{error.line}: {key}: ")


def test_formula_errors_show_the_place():
    error = failure(WHEEL.replace("sin(alpha)", "sin(alpa)"))
    assert error.column == 17
    assert "y - R*theta*sin(alpa)\n" in str(error)
    assert "                ^ column 17" in str(error)
    assert error.line == line_of(WHEEL, "rolling = ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "run: this key is missing"),
        ("[run]\nuntil = 1\n", "one model"),
        ("x = ", "not valid TOML"),
        ("[run]\n[run]\n", "not valid TOML"),
        ("a = " + "[" * 5000, "nested"),
        ("a" + ".a" * 50_000 + " = 1", "nested"),
        ("#" * (LARGEST + 1), "larger"),
        ("x = \ud800", "UTF-8"),
        ("cases = 3", "cases are tables"),
    ],
)
def test_hostile_files(text, words):
    begin = time.process_time()
    assert words in str(failure(text))
    assert time.process_time() - begin < 2.0


def test_random_damage_is_an_error_of_the_file():
    """Whatever is done to a file, it is a scenario or a ScenarioError, and quickly so."""
    random_ = random.Random(0)
    junk = [
        '"',
        "[",
        "]",
        "=",
        "\n",
        "nan",
        "-1e400",
        "{}",
        "[[1]]",
        "'",
        "true",
        "0",
        ".",
        "é",
        '"x"',
        "\x00",
        "[cases.a]",
    ]
    for _ in range(60):
        text = random_.choice((WHEEL, PENDULUM))
        for _ in range(random_.randrange(1, 4)):
            i = random_.randrange(len(text))
            text = text[:i] + random_.choice(junk) + text[i + random_.randrange(12) :]
        with contextlib.suppress(ScenarioError):
            parse_scenario(text)


def test_keys_are_found():
    text = '# [a]\n[a.b]\nc = """\nd = 1\n"""\n[[e]]\nf.g = [1,\n 2]\n[[e]]\n"h i" = {j = 1}\n'
    source = parsed(text)
    found = {dotted(key): line for key, line in source.lines.items()}
    expected = {"a.b": 2, "a.b.c": 3, "e": 6, "e[0]": 6, "e[0].f": 7, "e[0].f.g": 7, "e[1]": 9, "e[1].h i": 10}
    assert found == expected
    assert source.line(("e", 1, "h i", "j")) == 10


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


def test_cases_change_what_stands_above():
    text = BALL + "\n[cases.fast.rolling.start]\nvelocity = [0.0, 0.9]\n[cases.bad.rolling.body]\nradius = -1\n"
    fast = parse_scenario(text, "fast")
    assert fast.cases == ("fast", "bad")
    assert abs(fast.start[zm.rate(fast.system.center[1])] - 0.9) < 1e-12
    assert "did you mean 'fast'" in str(failure(text, "fas"))
    assert failure(text, "bad").line == line_of(text, "[cases.bad.rolling.body]")
