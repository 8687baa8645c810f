"""The numbers of a page are those of its runs; words for what can not be shown."""

from __future__ import annotations

import re

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import SINGLE, chain, data_of, rolling_run
from zeromass.report.viewer import view


def test_numbers_are_those_of_the_run(run, page):
    [shown] = data_of(page)["runs"]
    rolling, t = run.system, np.linspace(*shown["t"])
    assert len(t) == 1501
    sampled = run.at(t)
    [body] = shown["bodies"]
    assert np.abs(body["position"] - sampled[rolling.center]).max() <= 4 * SINGLE * 5
    assert np.abs(body["quaternion"] - sampled[rolling.body.quaternion]).max() <= 1 / 32767
    normal, friction = shown["arrows"]
    assert np.abs(normal["vector"] + friction["vector"] - sampled[rolling.reaction_force]).max() <= 1e-3
    charts = {chart["title"]: {s["name"]: s["values"] for s in chart["series"]} for chart in shown["charts"]}
    energy = charts["Energy (J)"]
    total = energy["translational"] + energy["rotational"] + energy["potential"]
    assert total == pytest.approx(energy["total"], rel=1e-5)
    force = charts["Force (N)"]
    assert force["friction"] / force["normal"] == pytest.approx(charts["Friction ratio"]["friction ratio"], rel=1e-5)


def test_about_a_megabyte(page):
    assert page.stat().st_size < 1_100_000


def test_several_runs_share_a_surface(tmp_path):
    bowl = zm.surfaces.paraboloid(0.1)
    runs = [rolling_run(1.0, on=bowl, spin=s) for s in (0.0, 5.0)]
    data = data_of(view(runs, tmp_path / "two.html", layout="side by side", names=["still", "spinning"]))
    assert [run["name"] for run in data["runs"]] == ["still", "spinning"]
    assert len(data["surfaces"]) == 1
    assert data["layout"] == "side by side"
    assert len(data_of(runs[0].view(tmp_path / "others.html", others=runs[1:]))["runs"]) == 2


def test_general_systems(tmp_path):
    _, (bob, rod, marker), run = chain()
    lines = [((0, 0, 0), bob.position), (bob.position, marker.position)]
    shapes = {rod: zm.shapes.cylinder(0.02, 0.8), tuple(rod.point((0, 0, 0.1))): zm.shapes.sphere(0.03)}
    plots = {"Height (m)": {"bob": bob.position[2]}, "x (m)": rod.position[0]}
    path = run.view(tmp_path / "chain.html", shapes=shapes, lines=lines, plots=plots, fps=30, title="A <chain>")
    assert "<title>A &lt;chain&gt;</title>" in path.read_text("utf-8")
    [shown] = data_of(path)["runs"]
    assert [body["shape"]["kind"] for body in shown["bodies"]] == ["dot", "rod", "dot", "dot"]
    assert shown["bodies"][2]["shape"]["marker"]
    t = np.linspace(*shown["t"])
    assert len(t) == 61
    string = shown["lines"][0]["to"] - shown["lines"][0]["from"]
    assert np.linalg.norm(string, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert [chart["title"] for chart in shown["charts"]] == ["Height (m)", "x (m)"]
    assert shown["charts"][0]["series"][0]["values"] == pytest.approx(run.at(t)[bob.position[2]], abs=1e-6)


def test_words_for_what_is_wrong(run, tmp_path):
    other = zm.Particle("stranger", mass=1)
    _, (bob, *_), general = chain()
    for words, call in [
        ("layout is 'stacked'", lambda: view(run, tmp_path / "x.html", layout="stacked")),
        ("no run to view", lambda: view([], tmp_path / "x.html")),
        ("1 runs have 2 names", lambda: view(run, tmp_path / "x.html", names=["a", "b"])),
        ("'stranger' has a shape", lambda: view(general, tmp_path / "x.html", shapes={other: zm.shapes.sphere(0.1)})),
        ("a shape is one of zm.shapes", lambda: view(general, tmp_path / "x.html", shapes={bob: 0.1})),  # type: ignore[dict-item]
        ("a line is a pair", lambda: view(general, tmp_path / "x.html", lines=[bob.position])),
        ("points of three components", lambda: view(general, tmp_path / "x.html", lines=[((0, 0), (1, 1))])),
        ("fps is -1", lambda: view(run, tmp_path / "x.html", fps=-1)),
        ("radius of a sphere", lambda: zm.shapes.sphere(0.0)),
        ("size of a box", lambda: zm.shapes.box((1.0, -1.0, 1.0))),
        ("axis of a wheel", lambda: zm.shapes.wheel(1.0, 0.1, axis=(0.0, 0.0, 0.0))),
    ]:
        with pytest.raises(zm.errors.ModelError, match=re.escape(words)):
            call()


def held_masses(shift):
    """A ball on a table with a mass that it carries, at a place in its axes."""
    ball = zm.RigidBody("ball", mass=4.0, inertia=1.6 * np.ones(3), at=(0, 0, 1.0))
    mass = zm.Particle("mass", mass=1.0)
    table = {"table": ball.position[2] - 1.0, "path": mass.position - ball.point(shift)}
    system = zm.System([ball, mass], gravity=9.81, constraints=table)
    return zm.simulate(system, system.start([(ball.angular_velocity, (0.0, 1.0, 0.0))]), until=1.0)


@pytest.mark.parametrize(("shift", "inside"), [((0.7, 0, 0), True), ((0, 0, 1.4), False), ((0.99, 0, 0), False)])
def test_a_body_that_has_another_inside_is_clear(tmp_path, shift, inside):
    """Wholly inside: one that sticks out is seen without that."""
    [shown] = data_of(held_masses(shift).view(tmp_path / "ball.html"))["runs"]
    ball, mass = shown["bodies"]
    assert ball.get("clear", False) is inside
    assert "clear" not in mass
    assert ball["shape"].get("toned", False) or not inside  # one sees it turn


def test_dots_of_a_long_chain_are_beads(tmp_path):
    """They do not touch one another, however many there are."""
    beads = [zm.Particle(f"p{k}", mass=0.01) for k in range(20)]
    system = zm.System(beads, gravity=9.81)
    start = system.start([(p.position, (k / 20, 0, 0)) for k, p in enumerate(beads)])
    [shown] = data_of(zm.simulate(system, start, until=0.1).view(tmp_path / "beads.html"))["runs"]
    radii = [body["shape"]["radius"] for body in shown["bodies"]]
    assert 0.2 / 20 < max(radii) < 0.5 / 20
    [speed] = [chart for chart in shown["charts"] if chart["title"] == "Speed (m/s)"]
    assert [series["name"] for series in speed["series"]] == ["p0", "p6", "p13", "p19"]  # from one end to the other
