"""Curves beside the picture: all of all runs, with ticks that differ, and where the kind of motion changes."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import ARTEFACTS, chain, check_silent, data_of, rolling_run
from zeromass.report.viewer import view


def test_ticks_differ_from_one_another(chromium, tmp_path):
    """Of a curve that hardly changes, 0.4852 … 0.4853, too."""
    x = zm.coordinate("x")
    swing = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(swing, swing.start({x: 1.0}), until=9.0)
    curves = {"near": 0.4852 + 2e-5 * x, "small": 3e-6 * x, "large": 4.5e6 + 30 * x, "plain": 7 * x}
    page = run.view(tmp_path / "ticks.html", plots=curves)
    chromium.open(page, "paused")
    for ticks in chromium.evaluate("viewer.ticks()"):
        assert len(ticks) >= 2
        assert len(set(ticks)) == len(ticks), ticks


CURVES = """(() => {
  const named = (color) => [1, 3, 5].map((i) => parseInt(color.trim().slice(i, i + 2), 16));
  const runs = [...document.querySelectorAll(".runs li")].map((item) => named(item.style.getPropertyValue("--mark")));
  return Object.fromEntries([...document.querySelectorAll(".chart")].map((chart) => {
    const canvas = chart.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(60, 0, canvas.width - 60, canvas.height); // right of the cursor
    const counts = runs.map(() => 0);
    for (let i = 0; i < data.length; i += 4) {
      const pixel = data.slice(i, i + 3);
      if (data[i + 3] < 90 || Math.max(...pixel) - Math.min(...pixel) < 60) continue; // nothing there, or a grey line
      const apart = runs.map((color) => Math.hypot(...color.map((c, k) => c - pixel[k])));
      counts[apart.indexOf(Math.min(...apart))] += 1;
    }
    const values = [...chart.querySelectorAll("li b")].map((b) => Number(b.textContent.replace("−", "-")));
    return [canvas.getAttribute("aria-label").replace(" over time", ""), { counts, values }];
  }));
})()"""
"""For each chart: pixels nearest to the colour of each run, away from the cursor, and the values that it tells."""


@pytest.mark.parametrize(
    "spins", [(0.0, 9.0), pytest.param((4.0, 4.0), marks=pytest.mark.slow)], ids=["different", "coincident"]
)
def test_charts_show_all_curves_of_all_runs(chromium, tmp_path, spins):
    """Also where two runs coincide, so that one curve would hide the other."""
    bowl = zm.surfaces.paraboloid(0.1)
    runs = [rolling_run(4.0, on=bowl, spin=spin) for spin in spins]
    page = view(runs, tmp_path / "compared.html", names=["first", "second"])
    chromium.open(page, "paused")
    chromium.drawn()
    charts = chromium.evaluate(CURVES)
    energies = {"total": "energy", "potential": "potential"}
    energies |= {kind: f"{kind}_energy" for kind in ("translational", "rotational")}
    expected = {
        "Force (N), normal": "normal_force",
        "Force (N), friction": "friction_magnitude",
        "Spin n·ω (rad/s)": "spin",
    }
    expected |= {"Friction ratio": "friction_ratio"} | {f"Energy (J), {name}": e for name, e in energies.items()}
    assert charts.keys() == expected.keys()
    for title, name in expected.items():
        assert min(charts[title]["counts"]) > 30, title  # a curve is 200 pixels wide; a mark alone would be left out
        start = [float(run[getattr(run.system, name)][0]) for run in runs]
        assert charts[title]["values"] == pytest.approx(start, rel=1e-3, abs=1e-4)  # four digits are written
    chromium.evaluate("viewer.seek(2.0)")
    chromium.drawn()
    chromium.screenshot(ARTEFACTS / f"compared-{'same' if spins[0] == spins[1] else 'two'}.png")
    check_silent(chromium, page)


@pytest.mark.slow
def test_charts_of_different_systems_stand_beside_one_another(chromium, tmp_path):
    _, _, general = chain()
    page = view([rolling_run(1.0, on=zm.surfaces.paraboloid(0.1)), general], tmp_path / "mixed.html")
    chromium.open(page, "paused")
    chromium.drawn()
    drawn = {title: [n > 30 for n in chart["counts"]] for title, chart in chromium.evaluate(CURVES).items()}
    assert drawn["Energy (J), total"] == [True, True]
    assert drawn["Energy (J), rotational"] == [True, False]
    assert drawn["Energy (J), kinetic"] == [False, True]
    assert drawn["Speed (m/s), bob"] == [False, True]
    check_silent(chromium, page)


@pytest.mark.slow
def test_numbers_below_an_axis_do_not_touch(chromium, tmp_path):
    """The last one has the unit and stands at the edge: it pushes away the one before, however the times fall."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    for until in (0.3, 1.05):
        page = zm.simulate(system, system.start({x: 1.0}), until=until).view(tmp_path / "swing.html")
        chromium.size(390, 800)
        chromium.open(page, "paused")
        for places in chromium.evaluate("viewer.times()"):
            assert len(places) > 2
            for (left, _), (_, right) in itertools.pairwise(places):
                assert right < left - 4
    chromium.size(1280, 800)


def test_what_rounding_leaves_is_no_number(chromium, tmp_path):
    """The total energy of a swing that begins at zero stays there: beside 1 J of the others, 1e-12 J is none."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2 - 0.5)
    page = zm.simulate(system, system.start({x: 1.0}), until=2.0).view(tmp_path / "swing.html")
    chromium.open(page, "paused&t=1.3")
    chromium.drawn()
    total = "[...document.querySelectorAll('.chart li')].find((x) => x.textContent.startsWith('total')).textContent"
    assert chromium.evaluate(total) == "total 0"


MARKED = """(() => {
  const canvas = document.querySelector(".chart canvas");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const dark = (x) => [...Array(height).keys()].filter((y) => data[4 * (y * width + x) + 3] > 200).length;
  return [...Array(width - 60).keys()].map((k) => dark(k + 60) / height);
})()"""
"""How much of each column of the first chart is drawn on, to the right of the numbers and of the cursor."""


@pytest.mark.slow
def test_kinds_of_motion_are_told_and_marked(chromium, tmp_path):
    """A ball that slides at first: its charts have a line where it begins to roll, and the heading tells what it does."""
    rolling = zm.Rolling(zm.bodies.ball(radius=0.1, mass=1.0), on=zm.surfaces.plane(), gravity=9.81, friction=0.1)
    center, body = rolling.center_particle.velocity, rolling.body
    sliding = [(rolling.contact, 0), (body.quaternion, (1, 0, 0, 0)), (center, (2, 0, 0)), (body.angular_velocity, 0)]
    run = zm.simulate(rolling, rolling.slipping.start(sliding), until=1.0)
    change = 2 * 2.0 / (7 * 0.1 * 9.81)  # the slip v − ω r falls by (7/2) μ g t
    page = run.view(tmp_path / "sliding.html")
    (shown,) = data_of(page)["runs"]
    assert [kind for _, kind in shown["kinds"]] == ["slipping", "rolling"]
    assert [t for t, _ in shown["kinds"]] == pytest.approx([0.0, change], abs=1e-6)
    chromium.open(page, "paused")
    chromium.drawn()
    columns = chromium.evaluate(MARKED)
    expected = (
        (len(columns) + 60 - 6 - 44) * change + 44 - 60
    )  # the plot begins 44 pixels from the left and ends 6 before
    assert abs(int(np.argmax(columns)) - expected) <= 2
    shown = chromium.evaluate("document.getElementById('heights').innerText.trim()")
    assert re.fullmatch(r"grid [\d.]+ m", shown), shown  # a plane has no heights
    for t, kind in ((0.3, "slipping"), (0.9, "rolling")):
        chromium.evaluate(f"viewer.seek({t})")
        chromium.wait(f"document.getElementById('subtitle').textContent === '{kind}'")
    chromium.screenshot(ARTEFACTS / "sliding.png")
    check_silent(chromium, page)
