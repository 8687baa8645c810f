"""Pages that are alive at several contacts: a ball in a corner in a real browser, its friction on a slider."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node, of_page
from report.test_living import ARTEFACTS, moved

SETTINGS: dict[str, Any] = {"rtol": 1e-12, "method": "dop853"}

mu, e = zm.parameter("mu", 0.2), zm.parameter("e", 0.5)


@pytest.mark.slow
def test_a_ball_in_a_corner_follows_a_slider(chromium, tmp_path):
    """What each contact does, when and where are as in Python; the page shows the case at each time."""
    room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, gravity=9.81, friction=mu, restitution=e)
    start = ball.start(center=(0.0, 0.0, 0.3), velocity=(1.8, 0.3, 0.0), angular_velocity=(0.0, 10.0, 0.0))
    run = zm.simulate(ball, start, until=1.5, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(tmp_path / "corner.html", sliders={mu: (0.02, 0.6), e: (0.1, 0.8)})
    chromium.open(path, "paused")
    rng = np.random.default_rng(5)
    for values in ({"mu": 0.4, "e": 0.3}, {"mu": float(rng.uniform(0.02, 0.6)), "e": float(rng.uniform(0.1, 0.6))}):
        answer = moved(chromium, **values)
        there = zm.simulate(ball, run.start.again(values), until=1.5, **SETTINGS)
        assert (answer["ending"], answer["words"]) == ("FINISHED", "")
        assert [kind for _, kind in answer["kinds"]] == list(there.modes)
        assert np.abs(np.subtract([t for t, _ in answer["kinds"][1:]], there.changes)).max() <= 1e-10
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
        assert answer["residual"] < 1e-13
    for t in (0.1, 1.45):
        chromium.evaluate(f"window.viewer.seek({t})")
        chromium.drawn()
        modes = there.modes[int(np.searchsorted(there.changes, t))].split(", ")
        shown = ", ".join(mode for mode in modes if not mode.endswith(" open")) or "all contacts open"
        assert chromium.evaluate("document.getElementById('subtitle').textContent") == shown
    names: dict[str, Any] = {"run": run, "zm": zm}
    exec(chromium.evaluate("window.viewer.living.program()"), names)
    assert np.abs(names["run"].y[-1] - answer["end"]).max() <= 1e-9
    times = [moved(chromium, mu=x)["milliseconds"] for x in (0.1, 0.2, 0.3, 0.4)]
    print(f"\n1.5 s of a ball between floor and wall at rtol 1e-12 in Chromium: {min(times):.0f} … {max(times):.0f} ms")
    chromium.evaluate("window.viewer.seek(0.8)")
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-contacts.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.slow
def test_a_ball_on_a_rope_follows_its_first_speed(chromium, tmp_path):
    """The run begins with a taut rope, as a sibling of its system; the speed that the start was given is on a slider."""
    v = zm.parameter("v", 5.5)
    bob = zm.Particle("bob", mass=1.0)
    system = zm.System(
        [bob],
        gravity=9.81,
        joints=[zm.joints.Rope(zm.Ground(), bob, length=1.0, name="rope")],
        constraints={"plane": bob.position[1]},
    )
    x, _, z = bob.position
    start = system.start({x: 0.0, z: -1.0, bob.velocity[0]: v, bob.velocity[2]: 0.0})
    run = zm.simulate(system, start, until=2.0, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(tmp_path / "rope.html", sliders={v: (3.0, 7.5)})
    chromium.open(path, "paused")
    for speed in (6.0, 3.5):
        answer = moved(chromium, v=speed)
        there = zm.simulate(system, start.again({"v": speed}), until=2.0, **SETTINGS)
        assert answer["ending"] == "FINISHED"
        assert [kind for _, kind in answer["kinds"]] == list(there.modes)
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9
    names: dict[str, Any] = {"run": run, "zm": zm}
    exec(chromium.evaluate("window.viewer.living.program()"), names)
    assert np.abs(names["run"].y[-1] - answer["end"]).max() <= 1e-9
    chromium.screenshot(ARTEFACTS / "living-rope.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1


@pytest.mark.skipif(node() is None, reason=MISSING)
def test_the_worker_of_a_page_shows_forces_kinds_and_events_of_python(tmp_path):
    """Of a ball that rolls to a wall from a start with its speed on a slider; a start in the air is refused by name."""
    v, h = zm.parameter("v", 1.8), zm.parameter("h", 0.1)
    room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, gravity=9.81, friction=mu, restitution=e)
    start = ball.start(center=(0.0, 0.0, h), velocity=(v, 0.3, 0.0))
    run = zm.simulate(ball, start, until=0.8, **SETTINGS)
    force = ball["floor"].normal_force
    with pytest.warns(zm.errors.PageLimited, match="m inside"):  # the lowest height is in the floor
        run.view(tmp_path / "low.html", sliders={h: (0.05, 0.2)})
    with warnings.catch_warnings():
        warnings.simplefilter("error", zm.errors.PageLimited)
        path = run.view(tmp_path / "ball.html", sliders={v: (1.5, 2.5), mu: (0.05, 0.6)}, plots={"N": force})
    tries = [{"v": 2.2, "mu": 0.1}, {"v": 1.6}]
    *answers, refused = of_page(path, [*tries, {"h": 0.3}])
    for values, answer in zip(tries, answers, strict=True):
        there = zm.simulate(ball, start.again(values), until=0.8, **SETTINGS)
        assert (answer["ending"], answer["message"]) == ("FINISHED", "")
        assert [kind for _, kind in answer["kinds"]] == list(there.modes)
        assert [name for name, _ in answer["happened"]] == [event.name for event in there.events]
        assert [names for _, names, _ in answer["impulses"]] == [list(i.constraints) for i in there.impulses]
        assert np.abs(np.array(answer["state"]) - there.y[-1]).max() <= 1e-9
        assert answer["residual"] < 1e-13
    assert (refused["ending"], refused["message"]) == ("NO_START", "contact 'floor' does not touch at the start")
