"""Pages that are alive of large systems: a whip of many links in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.test_large_switches import hinged
from report.test_living import ARTEFACTS, moved

LINKS = 43

reach, stroke = zm.parameter("reach", 0.84), zm.parameter("stroke", 0.1)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> tuple[zm.Run, Path]:
    """A whip that hangs at a hand, which swings; its end is drawn aside at first, as far as a slider says."""
    links = [zm.Particle(f"link {k}", 0.3 / LINKS) for k in range(LINKS)]
    length, before, rods, guess = 1.0 / LINKS, np.array([stroke * np.sin(6 * zm.t), 0, 0]), {}, {}
    for k, link in enumerate(links):
        d = link.position - before
        rods[f"rod {k}"] = (d @ d - length**2) / (2 * length)
        guess.update(zip(link.position, [0.85 * (k + 1) * length, 0.0, -0.53 * (k + 1) * length], strict=True))
        before = link.position
    whip = zm.System(links, gravity=9.81, constraints=rods)
    start = whip.start({links[-1].position[0]: reach, links[-1].position[1]: 0.0}, guess=guess)
    run = zm.simulate(whip, start, until=0.25, rtol=1e-9, atol=1e-11, method="dop853")
    assert run.program.code == "rolled"
    path = tmp_path_factory.mktemp("living") / "whip.html"
    end = {"end (m)": links[-1].position[2]}
    return run, run.view(path, sliders={reach: (0.8, 0.86), stroke: (0.0, 0.2)}, plots=end, trails=[before])


def test_a_large_motion_follows_a_slider(chromium, page):
    """The start is found and the motion made anew, as in Python, which the page's program says too."""
    run, path = page
    chromium.open(path, "paused&t=0.2")
    before = chromium.evaluate("window.viewer.living.last")
    chromium.evaluate(
        "(() => { const r = document.querySelector('#living input[type=range]'); r.value = 0.85;"
        " r.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    chromium.wait("window.viewer.living.last !== null")
    assert before is None
    assert chromium.evaluate("window.viewer.living.last.values.reach") == 0.85
    times = []
    for values in ({"reach": 0.85}, {"reach": 0.81, "stroke": 0.15}):
        answer = moved(chromium, **values)
        times.append(answer["milliseconds"])
        again = zm.simulate(run.system, run.start.again(values), until=0.25, rtol=1e-9, atol=1e-11, method="dop853")
        assert answer["ending"] == "FINISHED"
        assert np.abs(np.array(answer["end"]) - again.y[-1]).max() <= 1e-9
    print(f"\n0.25 s of a whip of {LINKS} links at rtol 1e-9 in Chromium: {min(times):.1f} ms, {answer['steps']} steps")
    names: dict[str, Any] = {"run": run, "zm": zm}
    exec(chromium.evaluate("window.viewer.living.program()"), names)
    assert np.abs(names["run"].y[-1] - answer["end"]).max() <= 1e-9
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-whip.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_a_start_that_a_page_can_not_solve_is_refused_by_name(tmp_path):
    """A large system whose start prescribes a formula: Python solves for it with matrices as a whole."""
    balls = [zm.Particle(f"ball {k}", 1.0) for k in range(44)]
    (x, *_), (y, *_), push = balls[0].position, balls[1].position, zm.parameter("push", 1.0)
    system = zm.System(balls, gravity=9.81)
    run = zm.simulate(system, system.start({x + y: push}), until=0.1)
    with pytest.raises(
        zm.errors.ModelError, match=r"large system prescribes 'ball 0\.x \+ ball 1\.x'.*leave the sliders out"
    ):
        run.view(tmp_path / "balls.html", sliders={push: (0.0, 1.0)})


@pytest.mark.slow
def test_hinges_that_rub_follow_a_slider(chromium, tmp_path):
    """A chain with friction in all its hinges, many of which hold at a time; no slider moves its start."""
    level = zm.parameter("level", 60.0)
    system, hinges, friction = hinged(20, level)
    start = system.start({hinge.rate: 0.5 * np.cos(3.0 * k) for k, hinge in enumerate(hinges)})
    settings: dict[str, Any] = {"until": 0.1, "rtol": 1e-9, "atol": 1e-12, "method": "dop853"}
    run = zm.simulate(system, start, **settings)
    assert run.program.code == "rolled"
    shown = {f"{k} (N m)": friction[k].torque for k in (0, 12)}
    path = run.view(tmp_path / "hinges.html", sliders={level: (30.0, 90.0)}, plots=shown)
    chromium.open(path, "paused&t=0.08")
    for value in (40.0, 85.0):
        answer = moved(chromium, level=value)
        again = zm.simulate(system, start.again({"level": value}), **settings)
        assert answer["ending"] == "FINISHED"
        assert len(answer["switches"]) == len(again.switches) > 20
        assert np.abs(np.array(answer["end"]) - again.y[-1]).max() <= 1e-7
    print(f"\n0.1 s of 20 hinges, {len(again.switches)} switches in Chromium: {answer['milliseconds']:.0f} ms")
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-hinges.png")
    assert chromium.complaints() == []
