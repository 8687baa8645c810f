"""Pages of bodies that touch several surfaces and one another: all of it is seen, and told apart."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import check_silent, data_of
from zeromass.report.film.moments import at
from zeromass.report.film.painter import Painter
from zeromass.report.viewer.planes import Plane, patch

R = 0.0286


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A ball strikes another one, which rolls away from it."""
    pool = zm.Contacts(
        [zm.bodies.ball(R, 0.17, name="cue"), zm.bodies.ball(R, 0.17, name="red")],
        on={"cloth": zm.surfaces.plane()},
        between=True,
        friction={"cloth": 0.2, "between": 0.0},
        restitution={"cloth": 0.0, "between": 1.0},
    )
    start = pool.start(center={"cue": (0, 0, R), "red": (0.2, 0, R)}, velocity={"cue": (1.4, 0, 0)})
    run = zm.simulate(pool, start, until=0.8)
    return run, run.view(tmp_path_factory.mktemp("contacts") / "table.html")


@pytest.fixture(scope="module")
def corner(tmp_path_factory):
    """A ball in a corner of two walls, one of them pushed by a parameter."""
    d = zm.parameter("d", 1.0)
    room = {
        "floor": zm.surfaces.plane(),
        "wall": zm.Surface(lambda X, Y, Z: d - X),
        "side": zm.Surface(lambda X, Y, Z: 0.5 + Y),
    }
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, friction=0.0, restitution=0.5)
    run = zm.simulate(ball, ball.start(center=(0, 0, 0.4), velocity=(2.0, -0.5, 0)), until=0.4)
    return run, run.view(tmp_path_factory.mktemp("contacts") / "corner.html")


def test_the_ground_reaches_as_far_as_any_body(table):
    run, path = table
    [ground] = data_of(path)["surfaces"]
    x = run.at(np.linspace(0, 0.8, 50))[[body.position[0] for body in run.system.bodies]]
    assert x.max() - run[run.system.bodies[0].position[0]].max() > 4 * R  # the first one stays behind
    assert ground["name"] == "cloth"
    assert ground["x"][0] < x.min() - R
    assert ground["x"][1] > x.max() + R


def test_a_wall_ends_at_the_floor_and_at_the_next_one(corner):
    run, path = corner
    data = data_of(path)
    floor, wall, side = data["surfaces"]
    assert [one["name"] for one in (floor, wall, side)] == ["floor", "wall", "side"]
    assert data["runs"][0]["beside"] == [1, 2]
    shift = wall["motion"]["shift"][0]  # it may be pushed
    corners = wall["meshes"][0]["vertices"] + shift
    assert np.allclose(corners[:, 0], 1.0, rtol=0, atol=1e-6)
    assert np.abs(corners[:, 2].min()) < 1e-6
    assert np.abs(corners[:, 1].min() + 0.5) < 1e-6
    path = run[run.system.pairs[1].point]
    assert corners[:, 2].max() > path[:, 2].max()
    assert corners[:, 1].max() > path[:, 1].max()
    others = side["meshes"][0]["vertices"]
    assert np.abs(others[:, 0].max() - 1.0) < 1e-6


def test_a_patch_is_seen_from_before_it():
    """Its triangles go round as seen from where bodies are; what others cut off has the area that geometry says."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        path = rng.normal(size=(10, 3))
        corners, sides = patch(Plane(n, 0.3), path, 0.5)
        assert np.allclose(corners @ n, 0.3)
        normals = np.cross(corners[sides[:, 1]] - corners[sides[:, 0]], corners[sides[:, 2]] - corners[sides[:, 0]])
        assert np.all(normals @ n > 0)
        along = np.cross(n, rng.normal(size=3))
        along /= np.linalg.norm(along)
        halves = [patch(Plane(n, 0.3), path, 0.5, [Plane(s * along, s * float(path.mean(0) @ along))]) for s in (1, -1)]
        area = [
            np.linalg.norm(np.cross(c[t[:, 1]] - c[t[:, 0]], c[t[:, 2]] - c[t[:, 0]]), axis=1).sum() for c, t in halves
        ]
        assert sum(area) == pytest.approx(np.linalg.norm(normals, axis=1).sum())


def test_a_particle_has_all_its_walls(tmp_path):
    walls = [zm.Surface(lambda X, Y, Z: X + 1, name="left"), zm.Surface(lambda X, Y, Z: 1 - X, name="right")]
    bead = zm.Sliding(zm.Particle("bead", mass=1.0), on=walls, restitution=1.0)
    run = zm.simulate(bead, bead.start(position=(0, 0, 0), velocity=(2, 0, 0.1)), until=2.0)
    assert [one["name"] for one in data_of(run.view(tmp_path / "walls.html"))["surfaces"]] == ["left", "right"]


@pytest.mark.slow
def test_rounding_is_no_force(tmp_path):
    """Three balls in a row, without weight: nothing acts between them but strokes."""
    law = {"gravity": None, "creep": 1e-9, "friction": 0.0, "restitution": 1.0, "between": [("a", "b"), ("b", "c")]}
    row = zm.Contacts([zm.bodies.ball(0.1, 0.5, name=name) for name in "abc"], impacts="sequential", **law)
    start = row.start(center={"a": (-1, 0, 0), "b": (0, 0, 0), "c": (0.2, 0, 0)}, velocity={"a": (1, 0, 0)})
    [shown] = data_of(zm.simulate(row, start, until=1.0).view(tmp_path / "row.html"))["runs"]
    largest = max(float(np.abs(arrow["vector"]).max()) for arrow in shown["arrows"])
    assert largest < shown["quiet"] < 1e-3 * 0.5  # a speed of 1 m/s of 0.5 kg over a metre takes 0.25 N


def test_a_film_shows_all_bodies(table, tmp_path):
    """Those that part, from afar; those that stay together, on the way along with them."""
    floor = {"floor": zm.surfaces.plane()}
    together = zm.Contacts([zm.bodies.ball(0.1, 0.5, name=name) for name in ("red", "white")], on=floor, friction=0.5)
    places, speeds = {"red": (0, 0, 0.1), "white": (0, 0.5, 0.1)}, {"red": (3.0, 0, 0), "white": (3.0, 0, 0)}
    far = zm.simulate(together, together.start(center=places, velocity=speeds), until=10.0).view(tmp_path / "far.html")
    for path, followed in ((table[1], []), (far, [0, 1])):
        data = data_of(path)
        painter = Painter(data, (640, 400), "film")
        assert painter.followed == followed
        first, last, _ = painter.clock
        for t in np.linspace(first, last, 7):
            painter.frame(float(t))
            places = np.stack([at(body["position"], painter._place(t)) for body in data["runs"][0]["bodies"]])
            pixels, _ = painter.camera.seen(places)
            assert np.all((pixels > 0) & (pixels < painter.camera.size))


# the browser ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_bodies_are_told_apart(chromium, table):
    """Each has a colour of its own, and its trail has it too."""
    chromium.size(1280, 800)
    chromium.open(table[1], "paused&t=0.7&trail=past")
    bodies = chromium.evaluate("viewer.stage.runs[0].bodies.map((body) => body.color)")
    trails = chromium.evaluate(
        "viewer.stage.runs[0].trails.map((t) => '#' + t.made.material.uniforms.uColor.value.getHexString())"
    )
    assert len(set(bodies)) == 2
    assert trails == bodies
    assert (
        chromium.evaluate("document.getElementById('subtitle').textContent")
        == "cue on cloth rolling, red on cloth rolling"
    )
    check_silent(chromium, table[1])


@pytest.mark.slow
def test_many_curves_leave_room_for_the_plots(chromium, tmp_path):
    """On a phone a plot is below the names of its curves, whatever their number, and above the next one.

    Of two balls in the air before three surfaces no contact has a force: of seven curves that are zero one is shown.
    """
    room = {
        "floor": zm.surfaces.plane(),
        "wall": zm.Surface(lambda X, Y, Z: 1.0 - X),
        "lid": zm.Surface(lambda X, Y, Z: 2.0 - Z),
    }
    balls = zm.Contacts([zm.bodies.ball(0.1, 0.5, name=name) for name in ("red", "white")], on=room, between=True)
    start = balls.start(center={"red": (0, 0, 0.9), "white": (-0.5, 0, 1.1)})
    chromium.size(390, 844)
    chromium.open(zm.simulate(balls, start, until=0.1).view(tmp_path / "air.html"), "paused")
    boxes = chromium.evaluate(
        "[...document.querySelectorAll('.chart')].map((c) => [c.querySelector('header'), c.querySelector('.plot')]"
        ".flatMap((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]))"
    )
    named = chromium.evaluate(
        "[...document.querySelectorAll('.chart')].map((c) => [...c.querySelectorAll('li')].filter((i) => !i.hidden).length)"
    )
    assert named == [1, 1, 7, 2]
    assert np.all(np.diff(np.array(boxes).ravel()) > -0.5)
    assert chromium.evaluate("document.getElementById('subtitle').textContent") in ("", "all contacts open")
    chromium.size(1280, 800)
