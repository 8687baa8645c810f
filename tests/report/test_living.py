"""Pages that are alive: a real browser makes motions anew, offline, and they are those of Python."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from report.chromium import Browser
from zeromass.report.viewer.grounds import Grounds
from zeromass.report.viewer.living_ground import LiveGrounds

ARTEFACTS = Path(__file__).parents[2] / "build" / "viewer"

vx, vy = zm.parameter("vx", 1.5), zm.parameter("vy", 1.0)


def shell(rtol: float = 1e-9) -> zm.Run:
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=bowl, gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.0, orientation=(1, 0, 0, 0))
    return zm.simulate(rolling, start, until=25.0, rtol=rtol, atol=1e-3 * rtol, method="dop853")


def hill() -> zm.Run:
    """A ball on a hill that it may leave; its speed and the friction are on sliders."""
    speed, mu = zm.parameter("speed", 0.2), zm.parameter("mu", 2.0)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), friction=mu)
    start = ball.start(contact=(0.1, 0.0), velocity=(speed, 0.0), guess=1.0)
    return zm.simulate(ball, start, until=0.6, rtol=1e-9)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> tuple[zm.Run, Path]:
    run = shell()
    path = tmp_path_factory.mktemp("living") / "shell.html"
    return run, run.view(path, sliders={vx: (0.5, 2.5), vy: (0.5, 2.5)})


def moved(chromium: Browser, **values: float) -> dict[str, Any]:
    names = ", ".join(f'"{name}": {value!r}' for name, value in values.items())
    return chromium.evaluate(f"window.viewer.living.set({{{names}}})")


def python(run: zm.Run, **values: float) -> zm.Run:
    """What the page's program makes of the run."""
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        moving = (
            run.program if run.program.system is run.system else run.system
        )  # its own equations are those on its pieces
        return zm.simulate(moving, run.start.again(values), until=float(run.t[-1]), **_dop853(run))


def _dop853(run: zm.Run) -> dict[str, Any]:
    return {**run.settings, "method": "dop853"}


# what is written --------------------------------------------------------------------------------------------------
def test_every_array_of_the_motion_can_be_made_anew(page):
    """No picture of an old motion: what has a value at each time says from which expressions it comes."""
    text = page[1].read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    (run,) = data["runs"]
    places = re.findall(r'"array": (\d+)', json.dumps(run))
    over_time = [array for array in (data["arrays"][int(k)] for k in places) if array["shape"][0] == run["t"][2]]
    assert len(over_time) >= 14  # a body, two trails, two arrows, and eight curves
    assert all("live" in array for array in over_time)
    assert "wasm-unsafe-eval" in text
    assert "worker-src blob:" in text


def test_a_page_without_sliders_may_run_no_module(tmp_path):
    bob = zm.Particle("bob", mass=1.0)
    falling = zm.System([bob], gravity=9.81)
    text = zm.simulate(falling, falling.start(), until=1.0).view(tmp_path / "bob.html").read_text("utf-8")
    assert "wasm-unsafe-eval" not in text
    assert "worker-src" not in text


def test_words_for_what_is_wrong(page, tmp_path):
    run, place = page[0], tmp_path / "page.html"
    with pytest.raises(zm.errors.ModelError, match=r"neither a zm\.parameter of the model.*there is: vx, vy"):
        run.view(place, sliders={zm.parameter("other", 1.0): (0, 1)})
    with pytest.raises(zm.errors.ModelError, match="two finite numbers in order"):
        run.view(place, sliders={vx: (2.0, 1.0)})
    with pytest.raises(zm.errors.ModelError, match="leave the other runs out"):
        run.view(place, others=[run], sliders={vx: (0.5, 1.0)})
    x, end = zm.coordinate("x"), zm.parameter("end", 0.25)
    drawn = zm.System(kinetic=zm.rate(x) ** 2 / 2, constraints={"drive": x - np.abs(zm.t**2 - end)})
    turned = zm.simulate(drawn, drawn.start(), until=1.0)
    with pytest.raises(
        zm.errors.ModelError, match=r"sliders: end stands in .*abs.*does not find anew; leave the sliders out"
    ):
        turned.view(place, sliders={end: (0.2, 0.8)})
    dust = [zm.Particle(f"grain {k}", 1.0) for k in range(43)]
    drags = [zm.Force(-1e7 * grain.velocity, at=grain.position) for grain in dust]
    falls, first = zm.System(dust, gravity=9.81, forces=drags), dust[0].position[0]
    stiff = zm.simulate(falls, falls.start({first: 1.0}), until=1.0, method="radau", rtol=1e-6)
    said = r"made with method='radau', for what is stiff.*dop853, as the system is large.*out of memory.*leave them out"
    with pytest.raises(zm.errors.ModelError, match=said):
        stiff.view(place, sliders={first: (0.5, 2.0)})


def test_what_the_start_prescribes_has_a_name(page, tmp_path):
    """The spin is a long formula, and called spin: on its slider, in the program that is copied, and by hand."""
    run = page[0]
    path = run.view(tmp_path / "spin.html", sliders={run.system.spin: (-5.0, 5.0)})
    assert '"name":"spin","parameter":"start_spin"' in path.read_text("utf-8")
    assert run.start.again({"spin": 2.0})[run.system.spin] == pytest.approx(2.0, abs=1e-12)
    assert np.array_equal(run.start.again({"spin": 2.0}).v, run.start.again({run.system.spin: 2.0}).v)


def test_what_rests_at_first_can_be_pushed(tmp_path):
    """A wall at zero, and a plate whose amplitude is zero: both follow their sliders."""
    d, amplitude = zm.parameter("d", 0.0), zm.parameter("amplitude", 0.0)
    room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: d - X)}
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, friction=0.0, restitution=0.5)
    flies = zm.simulate(ball, ball.start(center=(-0.5, 0, 0.3)), until=0.1)
    plate = zm.Surface(lambda X, Y, Z: Z, shift=(amplitude * np.sin(zm.t), 0, 0), name="plate")
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=plate)
    rolls = zm.simulate(rolling, rolling.start(contact=(0, 0), velocity=(1.0, 0)), until=0.1)
    for run, parameter, name in ((flies, d, "wall"), (rolls, amplitude, "plate")):
        grounds, live = Grounds(), LiveGrounds(run.system.drawing, [parameter])
        first, beside = grounds.indices(run, run.at(run.t))
        surfaces = grounds.data()
        [told] = live.data({"surface": first, "beside": beside}, surfaces)
        assert surfaces[told["surface"]]["name"] == name
        assert "shift" in told
        assert live.stays == []


def test_what_a_page_can_not_draw_is_said(tmp_path):
    depth = zm.parameter("depth", 0.03)
    bowl = zm.Surface(lambda X, Y, Z: Z**2 + Z - depth * (X**2 + Y**2), name="bowl")  # no function Z(X, Y)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl)
    run = zm.simulate(ball, ball.start(contact=(1.0, 0.0)), until=1.0)
    with pytest.warns(zm.errors.PageLimited, match="'bowl' changes with depth"):
        path = run.view(tmp_path / "bowl.html", sliders={depth: (0.02, 0.05)})
    assert "changes with depth" in path.read_text("utf-8")


# the browser ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_slider_makes_the_motion_anew(chromium, page):
    """A slider is moved as a hand would: the body is where Python has it."""
    run, path = page
    chromium.open(path, "paused&t=2")
    before = chromium.evaluate("window.viewer.body()")
    chromium.evaluate(
        "(() => { const r = document.querySelector('#living input[type=range]'); r.value = 2.2;"
        " r.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    chromium.wait("window.viewer.living.last !== null")
    chromium.drawn()
    assert chromium.evaluate("window.viewer.living.last.values.vx") == 2.2
    after, again = chromium.evaluate("window.viewer.body()"), python(run, vx=2.2)
    shown = again.at([2.0])[run.system.center][0]
    assert np.linalg.norm(np.subtract(after, before)) > 0.5
    assert np.abs(after - shown).max() < 1e-3  # drawn between two of 60 frames a second
    chromium.screenshot(ARTEFACTS / "living.png")
    assert chromium.complaints() == []
    assert len(chromium.requests()) == 1  # the page itself


def test_numbers_are_those_of_python(chromium, tmp_path):
    """At rtol 1e-12, where steps and not rounding decide, both end within 1e-9 after 5 s, whatever the sliders say."""
    run = shell(1e-12)
    short = zm.simulate(run.program, run.start, until=5.0, **_dop853(run))
    path = short.view(tmp_path / "short.html", sliders={vx: (0.5, 2.5), vy: (0.5, 2.5)})
    chromium.open(path, "paused")
    for values in ({"vx": 0.5, "vy": 2.5}, {"vx": 1.9, "vy": 1.1}):
        answer, there = moved(chromium, **values), python(short, **values)
        assert answer["ending"] == "FINISHED"
        assert answer["residual"] < 1e-13
        assert np.abs(np.array(answer["end"]) - there.y[-1]).max() <= 1e-9


@pytest.mark.slow
def test_the_surface_follows(chromium, tmp_path):
    """Its place and its heights are those of the formulas with the values of the sliders."""
    depth, amplitude = zm.parameter("depth", 0.05), zm.parameter("amplitude", 0.1)
    shift = (amplitude * np.cos(zm.t), 0.0, 0.0)
    bowl = zm.Surface(lambda X, Y, Z: Z - depth * (X**2 + Y**2), shift=shift, name="bowl")
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl)
    run = zm.simulate(ball, ball.start(contact=(1.0, 0.0)), until=3.0, rtol=1e-9)
    path = run.view(tmp_path / "bowl.html", sliders={depth: (0.02, 0.2), amplitude: (0.0, 0.3)})
    chromium.open(path, "paused&t=0")
    (low, high), first = chromium.evaluate("window.viewer.living.heights"), 0.05
    for d, a in ((0.2, 0.3), (0.02, 0.0)):
        moved(chromium, depth=d, amplitude=a)
        chromium.drawn()
        assert chromium.evaluate("window.viewer.ground()[0]") == pytest.approx(a, abs=1e-6)
        now = chromium.evaluate("window.viewer.living.heights")
        assert now == pytest.approx(
            [low * d / first, high * d / first], rel=1e-4, abs=1e-4
        )  # packed in 16 bits at first
    assert chromium.complaints() == []


@pytest.mark.slow
def test_outcomes_are_told_as_in_python(chromium, tmp_path):
    run = hill()
    path = run.view(tmp_path / "hill.html", sliders=_keys(run))
    chromium.open(path, "paused")
    assert chromium.evaluate("[...document.querySelectorAll('.slider span')].map(x => x.textContent)") == ["speed", "μ"]
    for values in ({"speed": 1.5, "mu": 3.0}, {"speed": 1.2, "mu": 0.3}, {"speed": 1.3, "mu": 0.05}):
        answer, there = moved(chromium, **values), python(run, **values)
        told = str(there.outcome)
        place = re.search(r"t = (\S+) s", told)
        assert place
        assert answer["t"] == pytest.approx(float(place[1]), abs=1e-8)
        name = re.search(r"'(.*?)'", told)
        assert name
        assert f"'{name[1]}'" in answer["words"]
        assert answer["words"].startswith("event at t = ")
        assert chromium.evaluate("document.getElementById('living-words').textContent").startswith(answer["words"])
    chromium.evaluate("window.viewer.seek(10.0)")
    chromium.drawn()
    assert chromium.evaluate("document.getElementById('subtitle').textContent") == answer["words"]
    chromium.screenshot(ARTEFACTS / "living-outcome.png")
    assert chromium.complaints() == []


def _keys(run: zm.Run) -> dict[Any, tuple[float, float]]:
    (mu,), made_of = run.system.parameters, run.start.made_of
    assert made_of is not None
    (speed,) = (p for p in made_of.parameters if p.name == "speed")
    return {speed: (0.2, 2.0), mu: (0.05, 3.0)}


@pytest.mark.slow
def test_values_without_a_start_keep_the_last_good_motion(chromium, tmp_path):
    """A rod of length 1 reaches x = 0.9 and not x = 1.2; a value that was a number in the start may be on a slider too."""
    x, y = zm.coordinates("x y")
    rod = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"rod": x**2 + y**2 - 1}
    )
    start = rod.start({x: 0.5, zm.rate(x): 0.0}, guess={y: -1.0})
    run = zm.simulate(rod, start, until=2.0, rtol=1e-12)
    with pytest.warns(zm.errors.PageLimited, match=r"no whole motion with x = 1\.5"):
        path = run.view(tmp_path / "rod.html", sliders={x: (0.1, 1.5)}, trails=[(x, 0, y)], plots={"x": x})
    chromium.open(path, "paused")
    good = moved(chromium, x=0.9)
    assert np.abs(np.array(good["end"]) - python(run, x=0.9).y[-1]).max() <= 1e-9
    bad = moved(chromium, x=1.2)
    assert bad["ending"] == "NO_START"
    assert bad["words"].startswith("no start with these values")
    assert "last good motion" in chromium.evaluate("document.getElementById('living-words').textContent")
    assert chromium.complaints() == []


@pytest.mark.slow
def test_the_program_that_is_copied_makes_the_motion(chromium, page, tmp_path):
    run, path = page
    chromium.open(path, "paused")
    end = moved(chromium, vx=0.75, vy=2.0)["end"]
    names: dict[str, Any] = {"run": run, "zm": zm}
    exec(chromium.evaluate("window.viewer.living.program()"), names)
    assert np.abs(names["run"].y[-1] - end).max() < 1e-5  # after 25 s of a sensitive motion at rtol 1e-9
    source = 'import zeromass as zm\nspeed = zm.parameter("vx", 1.5)  # and so on\n'
    place = run.view(tmp_path / "source.html", sliders={vx: (0.5, 2.5)}, source=source)
    chromium.open(place, "paused")
    moved(chromium, vx=0.75)
    assert chromium.evaluate("window.viewer.living.program()") == source.replace("1.5", "0.75")


@pytest.mark.slow
def test_only_the_last_wish_is_computed(chromium, page):
    chromium.open(page[1], "paused")
    count = chromium.evaluate(
        "(async () => { const all = [];"
        " for (let k = 0; k < 60; k++) all.push(window.viewer.living.set({ vx: 0.5 + k / 30 }));"
        " await Promise.all(all); return [window.viewer.living.last.id, window.viewer.living.last.values.vx]; })()"
    )
    assert count[0] < 60
    assert count[1] == 0.5 + 59 / 30


@pytest.mark.slow
def test_a_phone(chromium, page):
    chromium.size(400, 800)
    chromium.open(page[1], "paused&t=6")
    moved(chromium, vx=2.2, vy=0.8)
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / "living-phone.png")
    box = chromium.evaluate("JSON.stringify(document.getElementById('living').getBoundingClientRect())")
    assert '"left":14' in box
    chromium.size(1280, 800)
