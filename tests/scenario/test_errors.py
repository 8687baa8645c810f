"""What is wrong with a scenario file: errors point to line and key, and suggest the nearest valid name."""

from __future__ import annotations

import contextlib
import random
import re
import time

import pytest

from zeromass.scenario import ScenarioError, parse_scenario
from zeromass.scenario.scenario import SHIPPED, STARTER
from zeromass.scenario.source import LARGEST, dotted, parsed

BALL = STARTER.read_text(encoding="utf-8")
SPHERE = (SHIPPED / "stanescu.toml").read_text(encoding="utf-8")
WHEEL = (SHIPPED / "up2006-wheel.toml").read_text(encoding="utf-8")
LOADED = re.sub(r"(?m)^#.*\n", "", BALL).replace(
    "[rolling.start]",
    """[[rolling.forces]]
force = ["-0.1*ball.x'", 0, 0]
[[rolling.torques]]
torque = [0, 0, "-0.1*angular_velocity.z"]
[[rolling.springs]]
stiffness = 2
to = [0, 0, 1]
[rolling.start]""",
)
MATRICES = WHEEL.replace(
    """kinetic = "m*(R*theta')**2/2 + Ic*theta'**2/2"
potential = "-m*g*y"
""",
    """M = [["m*R**2 + Ic", 0], [0, 0]]
Q = [0, "m*g"]
""",
)


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
        (BALL, "radius = 0.02\n", "radius = 0.02\nname = 'os(1)'\n", "rolling", "is not a name"),
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
        (BALL, "until = 5", 'until = 5\nmethod = "euler"', "run.method", "none of collocation, dop853"),
        (BALL, "rtol = 1e-10", "rtol = -1", "run.rtol", "positive"),
        (BALL, "[rolling]", "[roling]", "roling", "did you mean 'rolling'"),
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
        (BALL, "A = 0.02", "and = 0.02", "parameters.and", "has a meaning"),
        (BALL, 'height = "0.3*(X**2 + Y**2)"', "", "rolling.surface", "a surface has one formula"),
        (BALL, 'height = "0.3*(X**2 + Y**2)"', 'kind = "terain"', "rolling.surface.kind", "did you mean 'terrain'"),
        (BALL, "spin = 0.0", "t = 1", "rolling.start.t", "no such key"),
        (LOADED, "ball.x'", "bal.x'", "rolling.forces[0].force[0]", "did you mean 'ball.x'"),
        (LOADED, "ball.x'", "ball.x''", "rolling", "Q contains"),
        (LOADED, ", 0, 0]\n[[rolling.torques", "]\n[[rolling.torques", "rolling.forces[0].force", "needs 3"),
        (LOADED, "force = [", "forces = [", "rolling.forces[0].forces", "did you mean 'force'"),
        (LOADED, "angular_velocity.z", "angular_velocity", "rolling.torques[0].torque[2]", "did you mean 'angular_vel"),
        (LOADED, "stiffness = 2", "stifness = 2", "rolling.springs[0].stifness", "did you mean 'stiffness'"),
        (LOADED, "[rolling]\n", "[rolling]\nconserve_energy = true\n", "rolling", "does work"),
        (MATRICES, ", 0], [0, 0]]", ", 0]]", "system.M", "it has 1 rows, and there are 2 coordinates"),
        (MATRICES, "[0, 0]]", "[0, 0, 0]]", "system.M[1]", "it has 3 entries, and there are 2 coordinates"),
        (MATRICES, 'Q = [0, "m*g"]', 'Q = ["m*g"]', "system.Q", "it has 1 entries, and there are 2 coordinates"),
        (MATRICES, 'Q = [0, "m*g"]', "", "system", "give M and Q together"),
        (MATRICES, 'Q = [0, "m*g"]', 'Q = [0, "m*g"]\npotential = "y"', "system", "no parts, gravity or energies"),
        (MATRICES, "m*R**2", "m*Rr**2", "system.M[0][0]", "did you mean 'R'"),
        (MATRICES, '"m*g"', "\"m*g*y''\"", "system", "Q contains"),
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
    for _ in range(120):
        text = random_.choice((WHEEL, SPHERE, LOADED, MATRICES))
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


@pytest.mark.parametrize(("formula", "words"), [('"3"', "contains no coordinate"), ('["x - y", "0"]', "0 = 0")])
def test_an_error_of_a_constraint_points_to_its_line(formula, words):
    text = f"""
[system]
coordinates = ["x", "y"]
kinetic = "(x'**2 + y'**2)/2"
[system.constraints]
other = "x - 2*y"
rod = {formula}
[system.start]
[run]
until = 1
"""
    with pytest.raises(ScenarioError) as told:
        parse_scenario(text)
    assert (told.value.line, told.value.key) == (7, "system.constraints.rod")
    assert words in told.value.message
