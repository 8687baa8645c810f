"""A real browser shows runs without a request or a complaint: where things are, at which time, in which look."""

from __future__ import annotations

import re

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import ARTEFACTS, chain, check_silent, data_of, rolling_run
from zeromass.report.viewer import view

COLORS = """(() => {
  viewer.redraw();
  const canvas = document.createElement("canvas");
  const view = document.getElementById("view");
  [canvas.width, canvas.height] = [200, 120];
  const pen = canvas.getContext("2d");
  pen.drawImage(view, 0, 0, 200, 120);
  const seen = new Set();
  const { data } = pen.getImageData(0, 0, 200, 120);
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] >> 3) * 1024 + (data[i + 1] >> 3) * 32 + (data[i + 2] >> 3));
  return seen.size;
})()"""


def test_the_page_shows_the_run(chromium, run, page):
    """Loads silently, draws, and the slider moves the shell to where the run has it."""
    chromium.open(page, "paused")
    check_silent(chromium, page)
    assert chromium.evaluate(COLORS) > 100  # a blank canvas has one colour, a gradient a few
    for t in (0.0, 6.25, 25.0):
        chromium.evaluate(
            f"""(() => {{ const s = document.getElementById("time"); s.value = {1000 * t / 25};
            s.dispatchEvent(new Event("input", {{bubbles: true}})); }})()"""
        )
        chromium.drawn()
        assert chromium.evaluate("viewer.t") == pytest.approx(t, abs=1e-9)
        assert chromium.evaluate("viewer.body()") == pytest.approx(run.at(t)[run.system.center][0], abs=1e-4)
        u = run.at(t)[run.system.body.quaternion][0]
        shown = np.array(chromium.evaluate("viewer.turn()"))[[3, 0, 1, 2]]
        assert abs(shown @ u) == pytest.approx(1.0, abs=1e-4)
    assert chromium.screenshot(ARTEFACTS / "shell.png")
    check_silent(chromium, page)


@pytest.mark.slow
def test_keys_play_and_speed(chromium, page):
    chromium.open(page, "paused")
    chromium.press("ArrowRight")
    assert chromium.evaluate("viewer.t") == pytest.approx(1 / 60)
    chromium.press("End")
    assert chromium.evaluate("viewer.t") == pytest.approx(25.0)
    chromium.press("Home")
    chromium.press(" ")
    assert chromium.evaluate("viewer.playing")
    chromium.wait("viewer.t > 0.05")
    chromium.press(" ")
    assert not chromium.evaluate("viewer.playing")
    chromium.press("ArrowUp")
    assert chromium.evaluate('document.getElementById("speed").value') == "2"
    for key in "fnvaggvactttl0123lc":
        chromium.press(key)
    chromium.press("?")
    assert chromium.evaluate('document.getElementById("help").open')
    chromium.drawn()
    check_silent(chromium, page)


def click(chromium, name: str) -> None:
    """A click of the mouse on the middle of an element."""
    box = f"document.getElementById('{name}').getBoundingClientRect()"
    x, y = chromium.evaluate(f"(() => {{ const r = {box}; return [r.x + r.width / 2, r.y + r.height / 2]; }})()")
    for kind in ("mousePressed", "mouseReleased"):
        chromium.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def test_space_always_pauses(chromium, page):
    """Whatever has the focus: a button that was clicked, a control that was reached with Tab. Enter presses the button."""
    chromium.open(page, "paused")
    pressed = "document.getElementById('panel').getAttribute('aria-pressed')"
    before = chromium.evaluate(pressed)
    click(chromium, "panel")
    assert chromium.evaluate(pressed) != before
    chromium.press(" ")
    assert chromium.evaluate("viewer.playing")
    chromium.press(" ")
    assert not chromium.evaluate("viewer.playing")
    assert chromium.evaluate(pressed) != before
    reached = set()
    for k in range(24):
        chromium.press("Tab")
        reached.add(chromium.evaluate("document.activeElement.id || document.activeElement.tagName"))
        chromium.press(" ")
        assert chromium.evaluate("viewer.playing") == (k % 2 == 0)
    assert {"play", "time", "speed", "memory", "follow", "home", "panel", "record", "help-button"} <= reached
    assert chromium.evaluate("viewer.following") is None
    assert chromium.evaluate(pressed) != before
    chromium.evaluate("document.getElementById('panel').focus()")
    chromium.press("Enter")
    assert chromium.evaluate(pressed) == before
    check_silent(chromium, page)


RAISED = """(() => { const p = viewer.numbers(0); for (let k = 2; k < p.length; k += 3) p[k] += 0.5;
  viewer.renew(); })()"""


@pytest.mark.slow
def test_other_numbers_and_other_data(chromium, page):
    """The page can show another motion while it is open: new numbers in its arrays, or other data altogether."""
    chromium.open(page, "paused&t=3")
    before = np.array(chromium.evaluate("viewer.body()"))
    chromium.evaluate(RAISED)
    chromium.drawn()
    assert np.array(chromium.evaluate("viewer.body()")) - before == pytest.approx([0, 0, 0.5], abs=1e-6)
    _, (bob, *_), general = chain()
    other = view(general, page.parent / "other.html", title="Other")
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', other.read_text("utf-8"), re.S)
    assert text
    chromium.evaluate(f"viewer.replace({text[1]})")
    chromium.evaluate("viewer.seek(1.0)")
    chromium.drawn()
    assert chromium.evaluate("viewer.span") == [0, 2]
    assert chromium.evaluate("viewer.body()") == pytest.approx(general.at(1.0)[bob.position][0], abs=1e-4)
    assert chromium.complaints() == []


@pytest.mark.slow
def test_a_page_with_nothing_to_draw_says_so(chromium, tmp_path):
    theta = zm.coordinate("theta")
    wheel = zm.System(kinetic=zm.rate(theta) ** 2, potential=-np.cos(theta))
    run = zm.simulate(wheel, wheel.start({theta: 1.0}), until=2.0)
    page = run.view(tmp_path / "none.html")
    chromium.open(page, "paused")
    words = chromium.evaluate("document.getElementById('hint').innerText")
    assert "theta" in words
    assert "lines=" in words
    assert "shapes=" in words
    chromium.wait("!viewer.stage.moves", timeout=60)  # it comes to rest: the camera stands somewhere
    assert chromium.evaluate("viewer.stage.camera.position.toArray().every(Number.isFinite)")
    chromium.screenshot(ARTEFACTS / "nothing.png")
    check_silent(chromium, page)
    code = data_of(page)["hint"]["code"].replace("motion.html", str(tmp_path / "motion.html"))
    exec(code, {"zm": zm, "np": np, "system": wheel, "run": run})  # what it tells one to write works
    assert "hint" not in data_of(tmp_path / "motion.html")


@pytest.mark.slow
def test_both_qualities_and_themes(chromium, page):
    for quality, scheme in (("low", "dark"), ("high", "light")):
        chromium.scheme(scheme)
        chromium.open(page, f"t=11.1&quality={quality}&follow")
        assert chromium.evaluate("viewer.quality") == quality
        assert chromium.evaluate("document.documentElement.dataset.theme") == scheme
        assert chromium.evaluate(COLORS) > 60
        chromium.drawn()
        chromium.screenshot(ARTEFACTS / f"shell-{quality}-{scheme}.png")
        check_silent(chromium, page)


def test_without_webgl_the_plots_remain(chromium, page):
    hide = "HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...rest) { return " + (
        "kind.startsWith('webgl') ? null : get.call(this, kind, ...rest); })(HTMLCanvasElement.prototype.getContext)"
    )
    script = chromium.call("Page.addScriptToEvaluateOnNewDocument", source=hide)["identifier"]
    chromium.open(page, "paused")
    chromium.press("ArrowRight")
    chromium.press("f")
    assert "no WebGL" in chromium.evaluate("document.getElementById('notice').textContent")
    assert chromium.evaluate("document.querySelectorAll('.chart canvas').length") == 4
    assert chromium.evaluate("viewer.t") > 0
    check_silent(chromium, page)
    chromium.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


@pytest.mark.slow
def test_a_moving_surface_moves(chromium, tmp_path):
    bowl = zm.Surface(lambda X, Y: 0.03 * (X**2 + Y**2), shift=(0.4 * np.sin(zm.t), 0, 0))
    page = rolling_run(4.0, on=bowl).view(tmp_path / "moving.html")
    chromium.open(page, "t=1.5")
    assert chromium.evaluate("viewer.ground()") == pytest.approx([0.4 * np.sin(1.5), 0, 0], abs=1e-4)
    check_silent(chromium, page)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["side by side", "overlay"])
def test_several_runs(chromium, tmp_path, layout):
    torus = zm.surfaces.torus(1.0, 0.4, inside=True)
    runs = []
    for speed in (2.0, 2.5):
        rolling = zm.Rolling(zm.bodies.ball(0.08, 1.0), on=torus)
        start = rolling.start(contact=(1.0, 0, -0.4), velocity=(1.0, speed, 0.0))
        runs.append(zm.simulate(rolling, start, until=2.0 * speed))
    page = view(runs, tmp_path / "several.html", layout=layout)
    chromium.open(page, "t=4.5")
    for i, run in enumerate(runs):
        t = min(4.5, run.t[-1])
        assert chromium.evaluate(f"viewer.body({i})") == pytest.approx(run.at(t)[run.system.center][0], abs=1e-3)
    chromium.screenshot(ARTEFACTS / f"{layout.replace(' ', '-')}.png")
    check_silent(chromium, page)


@pytest.mark.slow
def test_a_mechanism(chromium, tmp_path):
    _, (bob, rod, marker), run = chain()
    page = run.view(tmp_path / "chain.html", lines=[((0, 0, 0), bob.position), (bob.position, marker.position)])
    chromium.open(page, "t=1.0")
    assert chromium.evaluate("viewer.body(0, 1)") == pytest.approx(run.at(1.0)[rod.position][0], abs=1e-4)
    chromium.screenshot(ARTEFACTS / "mechanism.png")
    check_silent(chromium, page)
