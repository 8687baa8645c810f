"""Pages that are alive over switches: dry friction in a real browser, and runs made by other methods."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from report.test_living import ARTEFACTS, moved

F, k = zm.parameter("F", 1.0), zm.parameter("k", 20.0)


def block() -> tuple[zm.Run, Any]:
    """A block on a spring that rubs on the floor."""
    body = zm.Particle("block", mass=1.0)
    x, y, z = body.position
    forces = {x: -F * np.sign(zm.rate(x))}
    system = zm.System([body], potential=k * x**2 / 2, forces=forces, constraints={"across": y, "floor": z})
    return zm.simulate(system, system.start({x: 1.0}), until=10.0, rtol=1e-12, method="dop853"), x


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> tuple[zm.Run, Path]:
    run, x = block()
    path = tmp_path_factory.mktemp("living") / "block.html"
    plots = {"place (m)": x, "friction (N)": -F * np.sign(zm.rate(x))}
    return run, run.view(path, sliders={F: (0.1, 5.0), k: (5.0, 40.0)}, plots=plots)


def test_friction_follows_a_slider(chromium, page):
    """Where the block comes to rest and when it turns are as in Python; the turns are marked in the charts."""
    run, path = page
    chromium.open(path, "paused&t=1")
    for values in ({"F": 0.5}, {"F": 3.0, "k": 30.0}):
        answer = moved(chromium, **values)
        there = zm.simulate(run.system, run.start.again(values), until=10.0, rtol=1e-12, method="dop853")
        assert answer["ending"] == "FINISHED"
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
        assert [way for _, _, way in answer["switches"]] == [s.direction for s in there.switches]
        assert np.abs(np.subtract([t for t, _, _ in answer["switches"]], [s.t for s in there.switches])).max() <= 1e-11
    names: dict[str, Any] = {"run": run, "zm": zm}
    exec(chromium.evaluate("window.viewer.living.program()"), names)
    assert np.abs(names["run"].y[-1] - answer["end"]).max() <= 1e-9
    chromium.evaluate("window.viewer.seek(8.0)")
    chromium.drawn()
    assert chromium.evaluate("document.getElementById('subtitle').textContent") == "'sign(rate(block.x))' holds"
    chromium.screenshot(ARTEFACTS / "living-friction.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_an_impulse_follows_a_slider(chromium, tmp_path):
    """A bead on a wire that is bent: how much it loses there, and from which side it comes, as in Python."""
    bead, bend, place = zm.Particle("bead", mass=0.2), zm.parameter("bend", 0.4), zm.parameter("place", -0.6)
    X, Y, Z = bead.position
    wire = zm.System([bead], gravity=9.81, constraints={"wire": Z - bend * np.abs(X) - 0.1 * X**2, "plane": Y})
    start = wire.start({X: place, zm.rate(X): 0.0}, guess={Z: 0.2})
    settings: dict[str, Any] = {"until": 1.0, "rtol": 1e-12, "method": "dop853"}
    run = zm.simulate(wire, start, **settings)
    chromium.open(run.view(tmp_path / "wire.html", sliders={bend: (0.1, 0.5), place: (-0.8, 0.8)}), "paused&t=0.9")
    for values in ({"bend": 0.2}, {"bend": 0.3, "place": 0.7}):
        answer, there = moved(chromium, **values), zm.simulate(wire, start.again(values), **settings)
        assert there.impulses
        assert answer["ending"] == "FINISHED"
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
        assert np.abs(np.subtract([t for t, _, _ in answer["switches"]], [s.t for s in there.switches])).max() <= 1e-11
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-wire.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_a_ball_that_bounces_follows_a_slider(chromium, tmp_path):
    """Bounces, their end, slip and rolling are as in Python; the page shows the kind of motion at each time."""
    mu, e = zm.parameter("mu", 0.2), zm.parameter("e", 0.6)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=mu, restitution=e)
    start = ball.flying.start(center=(0, 0, 0.5), velocity=(1.0, 0.2, 0), angular_velocity=(0, -3, 5))
    run = zm.simulate(ball, start, until=2.0, rtol=1e-12, method="dop853")
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(tmp_path / "ball.html", sliders={mu: (0.02, 0.5), e: (0.1, 0.8)})
    chromium.open(path, "paused")
    values = {"mu": 0.05, "e": 0.4}
    answer = moved(chromium, **values)
    there = zm.simulate(ball, run.start.again(values), until=2.0, rtol=1e-12, method="dop853")
    assert [kind for _, kind in answer["kinds"]] == list(there.modes)
    assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
    assert answer["residual"] < 1e-13
    for t, kind in ((0.1, "flying"), (1.9, "rolling")):
        chromium.evaluate(f"window.viewer.seek({t})")
        chromium.drawn()
        assert chromium.evaluate("document.getElementById('subtitle').textContent") == kind
    chromium.screenshot(ARTEFACTS / "living-bounces.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_a_run_by_radau_is_alive_by_radau(tmp_path):
    """Over switches too."""
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -0.1 * np.sign(zm.rate(x))})
    run = zm.simulate(spring, spring.start({x: 1.0}), until=3.0, method="radau", rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        text = run.view(tmp_path / "spring.html", sliders={x: (0.5, 2.0)}, plots={"x": x}).read_text("utf-8")
    assert 'method=\\"radau\\"' in text
    assert '"hidden":0' in text.replace(" ", "")  # what the driver is told: no parameters before modes and margins


def test_switches_of_a_run_are_marked(tmp_path):
    """As changes of kind are: each with its time, and whether the formula switches or holds the motion."""
    from zeromass.report.viewer.scene import _kinds

    run, _ = block()
    kinds = _kinds(run)
    assert kinds[0] == [0.0, ""]
    assert [t for t, _ in kinds[1:]] == [s.t for s in run.switches]
    assert kinds[-1][1] == "'sign(rate(block.x))' holds"


@pytest.mark.slow
def test_captions_have_few_digits(chromium, tmp_path):
    """√½ and 2π as one reads them, in the run and in the page; what is copied as Python keeps all digits."""
    x, a = zm.coordinate("x"), zm.parameter("a", 0.1 * 3)
    turns = np.floor(x / (2 * np.pi))
    push = np.sign(np.cos(x) - np.sqrt(0.5)) + a * turns
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: push})
    run = zm.simulate(system, system.start({x: 0.0, zm.rate(x): 4.0}), until=2.0, method="dop853")
    path = run.view(tmp_path / "turns.html", sliders={a: (0.0, 1.0)}, plots={"x": x})
    told = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', path.read_text("utf-8"), re.DOTALL)[1])
    words = ["'sign(cos(x) - 0.7071)' switches", "'floor(x/(2π))' switches"]
    assert {caption for _, caption in told["runs"][0]["kinds"][1:]} == set(words)
    chromium.open(path, "paused")
    answer = chromium.evaluate("viewer.living.set({})")
    assert {said for _, said, _ in answer["switches"]} == {word.removesuffix(" switches") for word in words}
    assert chromium.evaluate("document.querySelector('#living input[type=number]').value") == "0.3"
    assert "0.30000000000000004" in chromium.evaluate("viewer.living.program()")
