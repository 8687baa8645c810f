"""[sweep] of scenario files: the study that one would write in Python, and errors with their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from zeromass.scenario import ScenarioError, parse_scenario

BALL = """
[parameters]
v = 0.5
twice = "2*v"
r = 0.05
depth = 0.15

[rolling]
friction = "depth*4"

[rolling.body]
kind = "ball"
radius = "r"
mass = 0.3

[rolling.surface]
height = "depth*(X**2 + Y**2)"

[rolling.start]
contact = [0.5, 0.2]
velocity = ["twice/2", 0.3]

[run]
until = 1.0
rtol = 1e-9

[[events]]
name = "middle"
zero = "contact.x"
terminal = false

[sweep]
on = "lanes"

[sweep.over]
v = { from = 0.1, to = 0.7, count = 3 }
r = [0.03, 0.05]

[sweep.keep]
friction = { largest = "friction_ratio" }
end = ["contact.x", "contact.y"]
speed = { mean = "center.x'" }
way = { values = "contact.x", times = [0.5, "1/2 + 0.25"] }
middle = { first_time = "middle" }
"""


def test_a_study_is_that_of_python() -> None:
    study = parse_scenario(BALL).study()
    v, r, depth = zm.parameter("v", 0.5), zm.parameter("r", 0.05), zm.parameter("depth", 0.15)
    bowl = zm.Surface(lambda X, Y: depth * (X**2 + Y**2))
    ball = zm.Rolling(zm.bodies.ball(r, 0.3), on=bowl, friction=0.6)
    keep = {
        "friction": zm.study.largest(ball.friction_ratio),
        "end": ball.contact[:2],
        "speed": zm.study.mean(ball.center_particle.velocity[0]),
        "way": zm.study.values_at(ball.contact[0], [0.5, 0.75]),
        "middle": zm.study.first_time(zm.Event("middle", ball.contact[0], terminal=False)),
    }
    start = ball.start(contact=(0.5, 0.2), velocity=(v, 0.3))
    over = {v: np.linspace(0.1, 0.7, 3), r: [0.03, 0.05]}
    other = zm.sweep(ball, start, until=1.0, rtol=1e-9, over=over, keep=keep)
    assert study.friction.dims == ("v", "r")
    for name in keep:
        assert study[name].values == pytest.approx(other[name].values, rel=1e-8, abs=1e-9, nan_ok=True)


def test_what_follows_from_a_varied_parameter_varies_with_it() -> None:
    """velocity = twice/2, and twice = 2 v."""
    scenario = parse_scenario(BALL)
    study = scenario.study()
    runs = [study.zm.run(v=v, r=0.05) for v in study.v.values]
    velocity = [run.start[scenario.system.center_particle.velocity[0]] for run in runs]  # type: ignore[attr-defined]
    assert velocity == pytest.approx(study.v.values.tolist(), rel=1e-12)


def test_a_file_without_a_study_has_the_bits_it_had() -> None:
    """Parameters that do not vary are numbers in bodies and starts, as they were."""
    plain = parse_scenario(BALL[: BALL.index("[sweep]")])
    assert {p.name for p in plain.system.parameters} == {"depth"}
    assert plain.start.made_of is not None
    assert not plain.start.made_of.parameters
    with pytest.raises(ScenarioError, match=r"no table \[sweep\]"):
        plain.study()


def test_samples_are_drawn_together() -> None:
    text = BALL.replace("v = { from = 0.1, to = 0.7, count = 3 }", "v = { uniform = [0.1, 0.7] }")
    text = text.replace("r = [0.03, 0.05]", "r = { normal = [0.05, 0.001] }").replace('"lanes"', '"lanes"\nsamples = 8')
    study = parse_scenario(text).study()
    assert study.friction.dims == ("sample",)
    assert study.sizes["sample"] == 8
    assert 0.1 <= float(study.v.min()) < float(study.v.max()) <= 0.7
    assert float(study.r.std()) < 0.003
    again = parse_scenario(text.replace("samples = 8", 'samples = 8\nspread = "random"\nseed = 3')).study()
    assert not np.array_equal(again.v, study.v)


def test_a_case_changes_the_study() -> None:
    text = BALL + "\n[cases.fine.sweep.over]\nr = { from = 0.01, to = 0.1, count = 2, spacing = 'logarithmic' }\n"
    assert parse_scenario(text, "fine").study().r.values.tolist() == pytest.approx([0.01, 0.1])


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("r = [0.03, 0.05]", "rr = [0.03, 0.05]", "sweep.over.rr", r"\[parameters\] has no 'rr'; did you mean 'r'"),
        ("r = [0.03, 0.05]", "r = []", "sweep", "no list of finite numbers"),
        ("count = 3", "cont = 3", "sweep.over.v.cont", "no such key; did you mean 'count'"),
        (", count = 3", "", "sweep.over.v.count", "a grid has from, to and count"),
        ("count = 3", "count = 0", "sweep.over.v.count", "it lies between 1 and"),
        ("count = 3", "count = 3, uniform = [0, 1]", "sweep.over.v", "'uniform' stands alone"),
        ("{ from = 0.1, to = 0.7, count = 3 }", "{ uniform = [0, 1] }", "sweep.samples", "'v' has a distribution"),
        ('on = "lanes"', "samples = 5", "sweep.samples", "no parameter has a distribution"),
        ('on = "lanes"', 'on = "lane"', "sweep.on", "did you mean 'lanes'"),
        ("from = 0.1", "from = -1, spacing = 'logarithmic'", "sweep.over.v", "both must be positive"),
        ("friction_ratio", "friction_rato", "sweep.keep.friction.largest", "did you mean 'friction_ratio'"),
        ('first_time = "middle"', 'first_time = "midle"', "sweep.keep.middle.first_time", "did you mean 'middle'"),
        (', times = [0.5, "1/2 + 0.25"]', "", "sweep.keep.way.times", "times go with values"),
        ("{ mean =", '{ largest = "t", mean =', "sweep.keep.speed", "give one of largest"),
        ("until = 1.0", 'until = "v"', "run.until", r"depends on 'v', which \[sweep\] varies"),
        (
            "until = 1.0",
            'until = 1.0\nmethod = "fixed"\nstep = 0.1',
            "run.step",
            "members of a study choose their steps",
        ),
        ("mass = 0.3", 'mass = "v - 0.6"', "rolling.body", "the mass of 'ball' is -0.1"),
    ],
)
def test_errors_point_to_their_place(old: str, new: str, key: str, words: str) -> None:
    assert old in BALL
    with pytest.raises(ScenarioError, match=words) as raised:
        parse_scenario(BALL.replace(old, new)).study()
    assert raised.value.key == key
    assert raised.value.line is not None


def test_members_that_are_not_possible_are_named() -> None:
    study: Any = parse_scenario(BALL.replace("r = [0.03, 0.05]", "r = [-0.03, 0.05]")).study()
    assert study.outcome.sel(r=-0.03).values.tolist() == ["no start"] * 3
    assert "with r = -0.03 the radius of 'ball'" in study.message.sel(r=-0.03).values[0]
