"""The viewer: its numbers are those of the run, and a real browser shows them without a request or a complaint."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from report.chromium import MISSING, Browser, browser, executable
from zeromass.model import Ground
from zeromass.report.viewer import Box, Dot, Rod, Wheel, view
from zeromass.report.viewer.mesh import is_closed, triangles
from zeromass.report.viewer.pack import LEVELS, exact, indices, quantised, unit
from zeromass.report.viewer.shapes import quaternions, usual
from zeromass.report.viewer.terrain import terrain

ARTEFACTS = Path(__file__).parents[2] / "build" / "viewer"
"""Screenshots are kept here."""

SINGLE = float(np.finfo(np.float32).eps)


def rolling_run(until: float = 25.0, **options: Any) -> zm.Run:
    body = zm.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=options.pop("on", zm.surfaces.dimpled_bowl()), gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), **options)
    return zm.simulate(rolling, start, until=until, rtol=1e-10, atol=1e-12)


@pytest.fixture(scope="module")
def run() -> zm.Run:
    return rolling_run(spin=3 * np.pi)


@pytest.fixture(scope="module")
def page(run, tmp_path_factory) -> Path:
    return view(run, tmp_path_factory.mktemp("viewer") / "shell.html")


def data_of(path: Path) -> dict[str, Any]:
    """The data of a page, packed arrays as NumPy arrays."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.S)
    assert text
    data = json.loads(text[1])

    def walk(item: Any) -> Any:
        if isinstance(item, dict):
            return unpacked(data["arrays"][item["array"]]) if "array" in item else {k: walk(v) for k, v in item.items()}
        return [walk(x) for x in item] if isinstance(item, list) else item

    return walk({key: value for key, value in data.items() if key != "arrays"})


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(packed["shape"])
    if "scale" not in packed:
        return raw
    return np.where(raw == packed.get("none", -1), np.nan, packed.get("offset", 0.0) + packed["scale"] * raw)


# arrays -----------------------------------------------------------------------------------------------------------
def test_packed_arrays_lose_no_more_than_they_say():
    x = np.random.default_rng(0).normal(size=(50, 3)) * 7
    assert np.abs(unpacked(exact(x)) / x - 1).max() <= SINGLE
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert np.abs(unpacked(unit(u)) - u).max() <= 0.51 / 32767
    x[3, 1] = np.nan
    back = unpacked(quantised(x))
    assert np.array_equal(np.isnan(back), np.isnan(x))
    assert np.nanmax(np.abs(back - x)) <= 0.51 * (np.nanmax(x) - np.nanmin(x)) / LEVELS
    for k in (np.array([0, 65535]), np.array([0, 65536, 100_000]), np.zeros((0, 3))):
        assert np.array_equal(unpacked(indices(k)), k)
    assert np.array_equal(unpacked(quantised(np.full(4, 2.5))), np.full(4, 2.5))
    assert np.isnan(unpacked(exact([np.inf, 1.0]))[0])


def test_quaternions_turn_like_their_matrices():
    angle = np.linspace(0.0, 20.0, 400)
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    K = np.cross(np.eye(3), axis)
    R = np.eye(3) + np.sin(angle)[:, None, None] * K + (1 - np.cos(angle))[:, None, None] * (K @ K)
    u = quaternions(R)
    expected = np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * axis], axis=1)
    assert np.abs(u - expected).max() <= 1e-13  # an eigenvector of a 4 × 4 matrix, well separated


# surfaces ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("radius", "tube"), [(1.0, 0.4), (2.0, 0.3)])
def test_mesh_of_a_torus(radius, tube):
    """Closed, of genus one, on the surface, turned outwards, and of the right area [Pappus: 4π² R r]."""

    def f(x: np.ndarray) -> np.ndarray:
        return ((np.hypot(x[..., 0], x[..., 1]) - radius) ** 2 + x[..., 2] ** 2 - tube**2) / 2

    def slope(x: np.ndarray) -> np.ndarray:
        ring = np.hypot(x[..., 0], x[..., 1])
        return np.stack([x[..., 0] * (1 - radius / ring), x[..., 1] * (1 - radius / ring), x[..., 2]], axis=-1)

    high = np.array([1.1, 1.15, 0.6]) * (radius + tube)
    vertices, corners = triangles(f, slope, -high, high, 60)
    assert np.abs(f(vertices)).max() <= 1e-9
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    count = np.unique(edges, axis=0, return_counts=True)[1]
    assert np.all(count == 2)
    assert len(vertices) - len(count) + len(corners) == 0
    a, b, c = (vertices[corners[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a) / 2
    assert np.mean(np.einsum("ij,ij->i", normal, slope((a + b + c) / 3)) > 0) > 0.995  # slivers may be turned
    area = np.linalg.norm(normal, axis=1).sum()
    assert area == pytest.approx(4 * np.pi**2 * radius * tube, rel=0.02)  # chords of cells of tube/4 … tube/8
    assert is_closed(f, -high, high)
    assert not is_closed(f, -high / 2, high / 2)


def test_heights_are_those_of_the_surface(run, page):
    [surface] = data_of(page)["surfaces"]
    assert surface["kind"] == "height"
    assert surface["motion"] is None
    x, y = np.linspace(*surface["x"]), np.linspace(*surface["y"])
    X, Y = np.meshgrid(x, y)
    expected = -run.system.surface(np.stack([X, Y, np.zeros_like(X)]))
    assert np.abs(surface["z"][0] - expected).max() <= 0.51 * np.ptp(expected) / LEVELS + 1e-12
    contact = run[run.system.contact]
    for k, axis in ((0, x), (1, y)):
        assert axis[0] < contact[:, k].min() - 0.09
        assert axis[-1] > contact[:, k].max() + 0.09


def ground(surface: zm.Surface) -> Ground:
    """A surface as it is drawn below a body."""
    return surface.drawn(zm.Particle("contact", mass=0).position, 0.1)


@pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
def test_a_surface_that_moves_and_one_that_changes(t):
    times = np.linspace(0.0, 2.0, 201)
    path = [np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.0]])]
    amplitude = zm.parameter("amplitude", 0.2)
    moving = zm.Surface(lambda X, Y: 0.1 * X, shift=(amplitude * np.sin(zm.t), 0, 1), rotation=((0, 0, 1), 2 * zm.t))
    motion = terrain(ground(moving), path, 0.1, times, {amplitude: 0.3})["motion"]
    k = round(100 * t)
    assert unpacked(motion["shift"])[k] == pytest.approx([0.3 * np.sin(t), 0.0, 1.0], abs=1e-6)
    assert unpacked(motion["turn"])[k] == pytest.approx([np.cos(t), 0.0, 0.0, np.sin(t)], abs=4e-5)
    waves = zm.Surface(lambda X, Y: 0.1 * np.sin(X - zm.t))
    made = terrain(ground(waves), path, 0.1, times, {})
    moments, z = np.linspace(*made["moments"]), unpacked(made["z"])
    i = int(np.argmin(np.abs(moments - t)))
    expected = np.broadcast_to(0.1 * np.sin(np.linspace(*made["x"]) - moments[i]), z[i].shape)
    assert z[i] == pytest.approx(expected, abs=0.2 / LEVELS)
    swelling = zm.Surface(lambda X, Y, Z: X**2 + Y**2 + Z**2 - (1 + 0.1 * zm.t) ** 2)
    meshes = terrain(ground(swelling), [np.array([[0.0, 0.0, 1.0]])], 0.1, times, {})["meshes"]
    first, last = (np.linalg.norm(unpacked(meshes[i]["vertices"]), axis=1) for i in (0, -1))
    assert first == pytest.approx(1.0, abs=3.0 / LEVELS)  # of a box 2.4 wide, three coordinates
    assert last == pytest.approx(1.2, abs=3.0 / LEVELS)


def test_a_tilted_and_a_vertical_plane():
    path = [np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])]
    times = np.linspace(0.0, 1.0, 3)
    assert terrain(ground(zm.surfaces.plane(0.3)), path, 0.1, times, {})["kind"] == "height"
    vertical = terrain(ground(zm.Surface(lambda X, Y, Z: X - 0.01)), path, 0.1, times, {})
    assert unpacked(vertical["meshes"][0]["vertices"])[:, 0] == pytest.approx(0.01, abs=3.0 / LEVELS)


def test_the_grid_flows_with_a_belt():
    """A velocity that is one vector of numbers moves the grid; one that differs from place to place or in time can not."""
    path = [np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])]
    velocities = {
        "belt": (0.2, -0.1, 0),
        "function": lambda p: (p[1], 0, 0),
        "in time": (np.sin(zm.t), 0, 0),
        "none": None,
    }
    made = {
        name: terrain(ground(zm.Surface(lambda X, Y: 0 * X, velocity=v)), path, 0.1, np.linspace(0.0, 1.0, 3), {})
        for name, v in velocities.items()
    }
    assert {name: entry.get("flow") for name, entry in made.items()} == {
        "belt": [0.2, -0.1, 0.0],
        "function": None,
        "in time": None,
        "none": None,
    }


# runs -------------------------------------------------------------------------------------------------------------
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


def chain() -> tuple[zm.System, list[Any], zm.Run]:
    bob = zm.Particle("bob", mass=1.0)
    rod = zm.RigidBody("rod", mass=0.5, inertia=(0.02, 0.02, 0.001))
    marker = zm.Particle("marker", mass=0)
    system = zm.System(
        [bob, rod, marker],
        gravity=9.81,
        constraints={
            "string": bob.position @ bob.position - 1,
            "hinge": rod.point((0, 0, 0.4)) - bob.position,
            "marker": marker.position - rod.point((0, 0, -0.4)),
        },
    )
    start = system.start({bob.position[0]: 0.8, bob.position[1]: 0.0}, guess={bob.position[2]: -0.6})
    return system, [bob, rod, marker], zm.simulate(system, start, until=2.0)


def test_general_systems(tmp_path):
    _, (bob, rod, marker), run = chain()
    lines = [((0, 0, 0), bob.position), (bob.position, marker.position)]
    shapes = {rod: Rod(0.8, 0.02, (0, 0, 1)), tuple(rod.point((0, 0, 0.1))): Dot(0.03)}
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


def test_a_box_has_the_inertia_it_was_made_from():
    sides, mass = np.array([0.3, 0.2, 0.1]), 2.0
    moments = mass / 12 * (sides @ sides - sides**2)
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    for inertia in (moments, R @ np.diag(moments) @ R.T):
        shape = usual(zm.RigidBody("box", mass=mass, inertia=inertia), {}, 1.0)
        assert sorted(shape["sides"]) == pytest.approx(sorted(sides))
        u0, u = shape["turn"][0], np.array(shape["turn"][1:])
        K = np.cross(np.eye(3), u)
        turn = np.eye(3) + 2 * u0 * K + 2 * K @ K
        a = np.array(shape["sides"])
        J = turn @ np.diag(mass / 12 * (a @ a - a**2)) @ turn.T
        expected = np.diag(inertia) if inertia.ndim == 1 else inertia
        assert pytest.approx(expected, abs=1e-12) == J


def test_words_for_what_is_wrong(run, tmp_path):
    other = zm.Particle("stranger", mass=1)
    _, (bob, *_), general = chain()
    for words, call in [
        ("layout is 'stacked'", lambda: view(run, tmp_path / "x.html", layout="stacked")),
        ("no run to view", lambda: view([], tmp_path / "x.html")),
        ("1 runs have 2 names", lambda: view(run, tmp_path / "x.html", names=["a", "b"])),
        ("'stranger' has a shape", lambda: view(general, tmp_path / "x.html", shapes={other: Dot(0.1)})),
        ("a shape is zm.Dot", lambda: view(general, tmp_path / "x.html", shapes={bob: 0.1})),  # type: ignore[dict-item]
        ("a line is a pair", lambda: view(general, tmp_path / "x.html", lines=[bob.position])),
        ("points of three components", lambda: view(general, tmp_path / "x.html", lines=[((0, 0), (1, 1))])),
        ("fps is -1", lambda: view(run, tmp_path / "x.html", fps=-1)),
        ("radius of a dot", lambda: Dot(0.0)),
        ("a side of a box", lambda: Box((1.0, -1.0, 1.0))),
        ("axis of a wheel", lambda: Wheel(1.0, 0.1, (0.0, 0.0, 0.0))),
    ]:
        with pytest.raises(zm.ModelError, match=re.escape(words)):
            call()


# the browser ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def chromium():
    path = executable()
    if path is None:
        pytest.skip(MISSING)
    with browser(path) as page:
        page.size(1280, 800)
        yield page


def check_silent(chromium: Browser, page: Path) -> None:
    assert chromium.complaints() == []
    assert [url.split("#")[0] for url in chromium.requests()] == [page.resolve().as_uri()]


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


FILMS = """(() => { window.films = []; const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { const url = make.call(URL, blob);
    const text = (bytes) => btoa(Array.from(new Uint8Array(bytes), (c) => String.fromCharCode(c)).join(""));
    blob.arrayBuffer().then((bytes) => films.push({ type: blob.type, url, text: text(bytes) }));
    return url; }; })()"""
"""Keeps what the page would save."""

PLAYED = """new Promise((done) => { const video = document.createElement("video"); video.src = films[0].url;
  video.muted = true;
  video.onloadeddata = () => done([video.duration, video.videoWidth, video.videoHeight]);
  video.onerror = () => done(video.error.message); })"""


STOPPED = """(() => { const key = new KeyboardEvent("keydown", { key: "r", bubbles: true });
  const look = () => (viewer.t > 0.2 ? document.body.dispatchEvent(key) : setTimeout(look, 1)); look(); })()"""
"""Presses the key once a fifth of a second was filmed, however fast that goes."""

STAGE = "[document.getElementById('stage').clientWidth, document.getElementById('stage').clientHeight]"

RAISED = """(() => { const p = viewer.numbers(0); for (let k = 2; k < p.length; k += 3) p[k] += 0.5;
  viewer.renew(); })()"""


def moments(film: bytes) -> list[int]:
    """Times of the frames of a WebM film, ms: clusters have one, and blocks in them one from there."""

    def elements(at: int, end: int):
        while at < end:
            size = next(n for n in range(1, 5) if film[at] & (0x80 >> (n - 1)))
            name, at = film[at : at + size], at + size
            length = int.from_bytes(film[at + 1 : at + 8], "big")  # lengths are written in eight bytes
            yield name.hex(), at + 8, at + 8 + length
            at += 8 + length

    [segment] = [(a, b) for name, a, b in elements(0, len(film)) if name == "18538067"]
    found = []
    for name, a, b in elements(*segment):
        if name == "1f43b675":
            inside = list(elements(a, b))
            [start] = [int.from_bytes(film[x:y], "big") for kind, x, y in inside if kind == "e7"]
            blocks = [x for kind, x, _ in inside if kind == "a3"]
            found += [start + int.from_bytes(film[x + 1 : x + 3], "big", signed=True) for x in blocks]
    return found


def test_a_film_has_every_frame_however_slow_the_machine(chromium, page):
    """From 24 s to 25 s at thirty frames a second: 31 of them, evenly spaced, that a browser plays."""
    chromium.size(480, 360)
    chromium.open(page, "paused")
    chromium.evaluate(FILMS)
    chromium.call("Browser.setDownloadBehavior", behavior="deny")
    chromium.evaluate("viewer.seek(24.0)")
    chromium.press("r")
    chromium.wait("films.length > 0")
    film = chromium.evaluate("films[0]")
    assert film["type"] == "video/webm"
    times = moments(base64.b64decode(film["text"]))
    assert times == [round(1000 * k / 30) for k in range(31)]
    duration, width, height = chromium.evaluate(PLAYED)
    assert duration == pytest.approx(31 / 30, abs=1e-3)
    assert [width, height] == chromium.evaluate(STAGE)
    assert chromium.evaluate("viewer.t") == pytest.approx(25.0)
    chromium.size(1280, 800)
    check_silent(chromium, page)


def test_a_film_can_be_stopped(chromium, page):
    chromium.open(page, "paused")
    chromium.evaluate(FILMS)
    chromium.call("Browser.setDownloadBehavior", behavior="deny")
    chromium.evaluate(STOPPED)
    chromium.press("r")
    chromium.wait("films.length > 0")
    assert 7 <= len(moments(base64.b64decode(chromium.evaluate("films[0].text")))) < 300
    assert not chromium.evaluate("viewer.playing")


def test_what_moves_is_large_enough_to_be_seen(chromium, page):
    """At first the shell is an eighth of the view's smaller side; one key shows everything."""
    for width, height in ((1280, 800), (1024, 640), (390, 844)):
        chromium.size(width, height)
        chromium.open(page, "paused")
        stage = chromium.evaluate(
            "[document.getElementById('stage').clientWidth, document.getElementById('stage').clientHeight]"
        )
        assert chromium.evaluate("viewer.width") == pytest.approx(0.13 * min(stage), rel=0.05)
        assert chromium.evaluate("viewer.following") == 0
        chromium.press("0")
        assert chromium.evaluate("viewer.following") is None
        assert chromium.evaluate("viewer.width") < 0.08 * min(stage)
    chromium.size(1280, 800)


def test_the_camera_goes_along(chromium, run, page):
    """While it plays, the shell stays near the middle of the view."""
    chromium.open(page, "paused")
    chromium.evaluate("(() => { for (let t = 0; t < 6; t += 0.1) viewer.film(t, 0.1); })()")
    x, y = chromium.evaluate("viewer.seen()")
    assert abs(x) < 0.3
    assert abs(y) < 0.3


def test_other_numbers_and_other_data(chromium, page):
    """The page can show another motion while it is open: new numbers in its arrays, or other data altogether."""
    chromium.open(page, "paused&t=3")
    before = np.array(chromium.evaluate("viewer.body()"))
    chromium.evaluate(
        "(() => { const p = viewer.numbers(0); for (let k = 2; k < p.length; k += 3) p[k] += 0.5; viewer.renew(); })()"
    )
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
    chromium.screenshot(ARTEFACTS / "nothing.png")
    check_silent(chromium, page)
    code = data_of(page)["hint"]["code"].replace("motion.html", str(tmp_path / "motion.html"))
    exec(code, {"zm": zm, "np": np, "system": wheel, "run": run})  # what it tells one to write works
    assert "hint" not in data_of(tmp_path / "motion.html")


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


def test_narrow_window(chromium, page):
    chromium.size(420, 800)
    chromium.open(page, "paused")
    assert chromium.evaluate("document.documentElement.scrollWidth") <= 420
    chromium.screenshot(ARTEFACTS / "shell-narrow.png")
    chromium.size(1280, 800)
    check_silent(chromium, page)


def test_a_moving_surface_moves(chromium, tmp_path):
    bowl = zm.Surface(lambda X, Y: 0.03 * (X**2 + Y**2), shift=(0.4 * np.sin(zm.t), 0, 0))
    page = rolling_run(4.0, on=bowl).view(tmp_path / "moving.html")
    chromium.open(page, "t=1.5")
    assert chromium.evaluate("viewer.ground()") == pytest.approx([0.4 * np.sin(1.5), 0, 0], abs=1e-4)
    check_silent(chromium, page)


@pytest.mark.parametrize("layout", ["overlay", "side by side"])
def test_several_runs(chromium, tmp_path, layout):
    torus = zm.surfaces.torus(1.0, 0.4, inside=True)
    runs = []
    for speed in (2.0, 2.5):
        rolling = zm.Rolling(zm.ball(0.08, 1.0), on=torus)
        start = rolling.start(contact=(1.0, 0, -0.4), velocity=(1.0, speed, 0.0))
        runs.append(zm.simulate(rolling, start, until=2.0 * speed))
    page = view(runs, tmp_path / "several.html", layout=layout)
    chromium.open(page, "t=4.5")
    for i, run in enumerate(runs):
        t = min(4.5, run.t[-1])
        assert chromium.evaluate(f"viewer.body({i})") == pytest.approx(run.at(t)[run.system.center][0], abs=1e-3)
    chromium.screenshot(ARTEFACTS / f"{layout.replace(' ', '-')}.png")
    check_silent(chromium, page)


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


@pytest.mark.parametrize("spins", [(0.0, 9.0), (4.0, 4.0)], ids=["different", "coincident"])
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


MARKED = """(() => {
  const canvas = document.querySelector(".chart canvas");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const dark = (x) => [...Array(height).keys()].filter((y) => data[4 * (y * width + x) + 3] > 200).length;
  return [...Array(width - 60).keys()].map((k) => dark(k + 60) / height);
})()"""
"""How much of each column of the first chart is drawn on, to the right of the numbers and of the cursor."""


def test_kinds_of_motion_are_told_and_marked(chromium, tmp_path):
    """A ball that slides at first: its charts have a line where it begins to roll, and the heading tells what it does."""
    rolling = zm.Rolling(zm.ball(radius=0.1, mass=1.0), on=zm.surfaces.plane(), gravity=9.81, friction=0.1)
    center, body = rolling.center_particle.velocity, rolling.body
    sliding = [(rolling.contact, 0), (body.quaternion, (1, 0, 0, 0)), (center, (2, 0, 0)), (body.angular_velocity, 0)]
    run = zm.simulate(rolling.slipping, rolling.slipping.start(sliding), until=1.0)
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


def test_a_mechanism(chromium, tmp_path):
    _, (bob, rod, marker), run = chain()
    page = run.view(tmp_path / "chain.html", lines=[((0, 0, 0), bob.position), (bob.position, marker.position)])
    chromium.open(page, "t=1.0")
    assert chromium.evaluate("viewer.body(0, 1)") == pytest.approx(run.at(1.0)[rod.position][0], abs=1e-4)
    chromium.screenshot(ARTEFACTS / "mechanism.png")
    check_silent(chromium, page)
