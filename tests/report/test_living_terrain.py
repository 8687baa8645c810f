"""Pages that are alive on ground that was measured: its heights are a table in the module."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm

vx = zm.parameter("vx", 0.6)
SETTINGS: dict[str, Any] = {"until": 4.0, "rtol": 1e-11, "atol": 1e-14, "method": "dop853", "transitions": False}


@pytest.fixture(scope="module")
def run() -> zm.Run:
    """A ball on heights at the points of a grid, with hills that no formula was told of."""
    x, y = np.linspace(-4, 4, 33), np.linspace(-3, 3, 25)
    X, Y = np.meshgrid(x, y, indexing="ij")
    heights = 0.06 * (X**2 + Y**2) + 0.1 * np.sin(2 * X) * np.cos(1.5 * Y)
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.5), on=zm.Surface.from_heights(x, y, heights), gravity=9.81)
    return zm.simulate(rolling, rolling.start(contact=(-2.0, 1.5), velocity=(vx, 0.0)), **SETTINGS)


@pytest.fixture(scope="module")
def page(run, tmp_path_factory) -> Path:
    return run.view(tmp_path_factory.mktemp("terrain") / "terrain.html", sliders={vx: (0.1, 6.0)})


def python(run: zm.Run, value: float) -> zm.Run:
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        return zm.simulate(run.program, run.start.again({vx: value}), **SETTINGS)


def test_the_motion_is_that_of_python(chromium, run, page):
    chromium.open(page, "paused")
    for value in (0.3, 1.1):
        answer, there = chromium.evaluate(f"viewer.living.set({{ vx: {value} }})"), python(run, value)
        assert answer["ending"] == "FINISHED"
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_where_the_data_end_the_motion_ends(chromium, run, page):
    """At the same time and for the same reason as in Python."""
    chromium.open(page, "paused")
    answer, there = chromium.evaluate("viewer.living.set({ vx: 5.5 })"), python(run, 5.5)
    place = re.search(r"t = (\S+) s: '(.*?)'", str(there.outcome))
    assert place
    assert "terrain" in place[2]
    assert answer["words"].startswith("event at t = ")
    assert f"'{place[2]}'" in answer["words"]
    assert answer["t"] == pytest.approx(float(place[1]), abs=1e-8)


def test_a_loop_whose_start_is_a_guess_says_why_it_is_not_alive(tmp_path):
    """Nothing says where the elbow is but the guess: a page has none."""
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=1.0)
    d = b.position - a.position
    rods = {"upper": a.position @ a.position - 1, "lower": d @ d - 1}
    system = zm.System([a, b], gravity=9.81, constraints=rods)
    start = system.start({b.position[0]: 1.0}, guess={a.position[0]: 0.5, a.position[2]: -0.8, b.position[2]: -1.7})
    run = zm.simulate(system, start, until=0.5)
    with pytest.raises(zm.errors.ModelError, match=r"do not determine the start \(left free: .*prescribe more of it"):
        run.view(tmp_path / "rods.html", sliders={b.position[0]: (0.8, 1.2)})


@pytest.mark.slow
def test_surfaces_beside_the_first_follow(chromium, tmp_path):
    """A wheelset on a plane and a round rail, which a slider lifts together: heights of the one, triangles of the other."""
    up = zm.parameter("up", 0.1)
    rails = {
        "left": zm.Surface(lambda X, Y, Z: Z - up, name="plane"),
        "right": zm.Surface(lambda X, Y, Z: (Y**2 + Z**2 - 0.09) / 0.6, shift=(0, -0.7, up - 0.3), name="rail"),
    }
    axle = zm.RigidBody("axle", 100.0, (60.0, 10.0, 60.0), at=(0, 0, 0.6))
    own = {"radius": 0.5, "axis": (0, 1, 0), "two_sided": True}
    wheels = [
        zm.joints.WheelOnSurface(zm.Ground(), axle, rail, center=(0, side, 0), name=name, **own)
        for side, (name, rail) in zip((0.7, -0.7), rails.items(), strict=True)
    ]
    system = zm.System([axle], gravity=9.81, joints=wheels)
    x, y, _ = axle.position
    given = {x: 0, y: 0, axle.rotation[0, 1]: 0, axle.rotation[2, 0]: 0, axle.velocity[0]: 2}
    start = system.start(given)
    run = zm.simulate(system, start, until=1.0, rtol=1e-9)
    with warnings.catch_warnings(
        action="ignore", category=zm.errors.SharedForce
    ):  # either wheel may take what is across
        path = run.view(tmp_path / "rails.html", sliders={up: (0.05, 0.15)})
    chromium.open(path, "paused&t=0.5")
    for height in (0.14, 0.06):
        answer = chromium.evaluate(f"viewer.living.set({{ up: {height} }})")
        assert answer["ending"] == "FINISHED"
        chromium.drawn()
        assert chromium.evaluate("viewer.living.heights") == pytest.approx([height, height], abs=1e-6)
        assert chromium.evaluate("viewer.ground(1)") == pytest.approx([0.0, -0.7, height - 0.3], abs=1e-6)
        assert chromium.evaluate("viewer.body()[2]") == pytest.approx(0.5 + height, abs=1e-6)
    assert chromium.complaints() == []
