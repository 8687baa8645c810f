"""Viewer, film and plots draw what a system says of itself, whatever its kind."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.model import Arrow, Drawing, DrawnBody, Rod, Shell, Trail, Wheel
from zeromass.report.plots import heights_around
from zeromass.report.viewer.pack import unpacked
from zeromass.report.viewer.scene import scene

NOTHING = {"shapes": {}, "lines": [], "trails": None, "plots": None, "fps": 20.0}


def drawn(*runs: zm.Run, **options) -> dict:
    return scene(runs, names=[str(i) for i in range(len(runs))], **(NOTHING | options))


@pytest.fixture(scope="module")
def rolling() -> zm.Rolling:
    return zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.1), friction=0.2)


@pytest.fixture(scope="module")
def slipped(rolling) -> zm.Run:
    start = [
        (rolling.contact, 0.0),
        (rolling.center_particle.velocity, (1.0, 0, 0)),
        (rolling.body.angular_velocity, 0.0),
    ]
    return zm.simulate(rolling, rolling.slipping.start(start), until=0.1)


def test_a_slipping_body_is_drawn_on_its_surface(rolling, slipped):
    """As the rolling one is, with the friction that it has."""
    rolled = zm.simulate(rolling, rolling.start(contact=(0, 0), velocity=(1.0, 0)), until=0.1)
    data = drawn(rolled, slipped)
    first, second = data["runs"]
    assert [run["surface"] for run in data["runs"]] == [0, 0]
    assert len(data["surfaces"]) == 1
    assert first["bodies"][0]["shape"] == second["bodies"][0]["shape"]
    assert [arrow["name"] for arrow in second["arrows"]] == ["normal force", "friction force"]
    assert slipped.system.drawing.title == "Ball on paraboloid"
    assert slipped.required_friction().value == pytest.approx(0.2, rel=1e-9)
    assert slipped.certificate().pulled == ()
    assert "path" in slipped.plot.available()


def test_equal_surfaces_are_drawn_once():
    def run(curvature: float) -> zm.Run:
        system = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(curvature))
        return zm.simulate(system, system.start(contact=(0.3, 0)), until=0.1)

    data = drawn(run(0.2), run(0.2), run(0.3))
    assert [shown["surface"] for shown in data["runs"]] == [0, 0, 1]


def test_a_chosen_shape_stands_at_the_mass_centre(rolling):
    run = zm.simulate(rolling, rolling.start(contact=(0.2, 0)), until=0.1)
    (body,) = drawn(run, shapes={rolling.body: zm.shapes.box((0.1, 0.1, 0.1))})["runs"][0]["bodies"]
    assert body["shape"]["kind"] == "box"


def test_a_mesh_is_drawn_in_place_of_all_figures_of_a_body(tmp_path):
    """Of a frame that would be several tubes; its file is in millimetres."""
    (tmp_path / "frame.obj").write_text("v 0 0 0\nv 100 0 0\nv 0 200 0\nv 0 0 300\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4")
    frame = zm.RigidBody("frame", 1.0, (0.01, 0.02, 0.025))
    ends = [zm.joints.Spherical(zm.Ground(), frame, at=at, name=str(at)) for at in ((0.3, 0, 0), (-0.2, 0.1, 0))]
    system = zm.System([frame], gravity=9.81, joints=ends)
    run = zm.simulate(system, system.start(), until=0.1)
    assert len(drawn(run)["runs"][0]["bodies"]) > 1
    mesh = zm.shapes.mesh(tmp_path / "frame.obj", scale=1e-3, at=(0, 0, -0.1))
    (body,) = drawn(run, shapes={"frame": mesh})["runs"][0]["bodies"]
    corners = unpacked(body["shape"]["vertices"])
    assert np.allclose(
        [corners.min(axis=0), corners.max(axis=0)], [(0, 0, -0.1), (0.1, 0.2, 0.2)], atol=1e-7
    )  # float32
    with pytest.raises(zm.errors.ModelError, match=r"scale of a mesh is 0"):
        zm.shapes.mesh(tmp_path / "frame.obj", scale=0)


def test_a_system_of_ones_own_says_how_it_is_drawn(tmp_path):
    """A drawing is data: nothing in the viewer knows the class."""

    class Balloon(zm.System):
        @property
        def drawing(self) -> Drawing:
            (part,) = self.parts
            return Drawing(
                title="A balloon",
                bodies=(DrawnBody("balloon", part.position, shape=Shell(0.3)),),
                trails=(Trail("string", part.position - np.array([0, 0, 0.3])),),
                arrows=(Arrow("lift", part.position, np.array([0, 0, 1.0]) * part.mass, "normal"),),
            )

    part = zm.Particle("balloon", mass=0.1)
    system = Balloon([part], gravity=-1.0)
    run = zm.simulate(system, system.start(), until=1.0)
    shown = drawn(run)["runs"][0]
    assert shown["bodies"][0]["shape"] == {"kind": "shell", "radius": 0.3, "offset": [0.0, 0.0, 0.0]}
    assert [trail["name"] for trail in shown["trails"]] == ["string"]
    assert shown["surface"] is None
    assert "<title>A balloon</title>" in run.view(tmp_path / "balloon.html").read_text(encoding="utf-8")


def test_heights_around_a_path(rolling):
    """Those of the formula, of a surface that stands elsewhere too; none of one that moves."""
    bowl = zm.surfaces.paraboloid(0.1, shift=(0.2, -0.1, 0.5), rotation=((0, 0, 1), 0.3))
    system = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl)
    X, Y, Z = heights_around(zm.simulate(system, system.start(contact=(0.4, 0)), until=0.5))
    assert np.allclose(Z, 0.5 + 0.1 * ((X - 0.2) ** 2 + (Y + 0.1) ** 2), rtol=1e-14)
    moving = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.1, shift=(0, 0, 0.1 * np.sin(zm.t))))
    assert heights_around(zm.simulate(moving, moving.start(contact=(0.4, 0)), until=0.1)) is None


def test_a_run_of_a_file_is_drawn_as_before(rolling, tmp_path):
    run = zm.simulate(rolling, rolling.start(contact=(0.3, 0.1)), until=0.5)
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    assert drawn(again) == drawn(run)
    assert all(np.array_equal(a, b) for a, b in zip(heights_around(again), heights_around(run), strict=True))


def test_a_surface_is_drawn_whatever_its_parameters_are():
    """What bounces keeps its plate where a parameter has another value; the plate is as wide as it flies high."""
    from zeromass.report.viewer.terrain import terrain

    a = zm.parameter("a", 0.1)
    plate = zm.Surface(lambda X, Y: 0.0 * X, shift=(0, 0, a * np.sin(zm.t)), name="plate")
    bouncing = zm.Sliding(zm.Particle("ball", mass=1.0), on=plate, gravity=9.81, restitution=0.5)
    ground = bouncing.drawing_at({a: 0.2}).ground
    assert ground is not None
    assert ground.name == "plate"
    path = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    made = terrain(ground, [path], 0.0, np.array([0.0, 1.0]), {a: 0.2})
    assert made["x"][1] == -made["x"][0] == 1.0


def test_bodies_lie_on_the_upper_of_several_surfaces():
    """Two planes that make a groove are one surface, z = s |y|; a wall is no height, and stands beside it."""
    slope = 0.7
    on = {"left": zm.Surface(lambda X, Y: -slope * Y), "right": zm.Surface(lambda X, Y: slope * Y)}
    ground = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=on).drawing.ground
    assert ground is not None
    assert ground.name == "left and right"
    places = np.random.default_rng(3).normal(size=(20, 3))
    numbers = zm.expression.Evaluator(ground.f, list(ground.place))(places)
    assert np.allclose(numbers, places[:, 2] - slope * np.abs(places[:, 1]), rtol=0, atol=1e-14)
    corner = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    drawn = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=corner).drawing
    assert drawn.ground is not None
    assert drawn.ground.name == "floor"  # as it was called there, not as the surface calls itself
    assert [ground.name for ground in drawn.beside] == ["wall"]
    assert [body.name for body in drawn.bodies] == ["ball"]


def test_a_wheelset_is_an_axle_with_two_wheels_on_two_rails():
    axle = zm.RigidBody("axle", 100.0, (60.0, 10.0, 60.0), at=(0, 0, 0.5))
    rails = {"left": zm.surfaces.plane(), "right": zm.Surface(lambda X, Y: 0.01 * Y, name="other")}
    own = {"radius": 0.5, "axis": (0, 1, 0), "two_sided": True}
    wheels = [
        zm.joints.WheelOnSurface(zm.Ground(), axle, rail, center=(0, side, 0), name=name, **own)
        for side, (name, rail) in zip((0.7, -0.7), rails.items(), strict=True)
    ]
    drawing = zm.System([axle], gravity=9.81, joints=wheels).drawing
    assert drawing.ground is not None
    assert [drawing.ground.name, *[ground.name for ground in drawing.beside]] == ["plane", "other"]
    shapes = {body.name: body.shape for body in drawing.bodies}
    assert isinstance(shapes["axle"], Rod)
    assert shapes["axle"].length == pytest.approx(1.4)
    assert sum(isinstance(shape, Wheel) for shape in shapes.values()) == 2


@pytest.mark.parametrize(("count", "toned"), [(6, range(6)), (20, (0, 6, 13, 19))])
def test_bodies_have_the_colours_of_their_curves(count, toned):
    """Of many only those that the charts show, and in their order; the others have none."""
    beads = [zm.Particle(f"bead {k}", mass=1.0) for k in range(count)]
    system = zm.System(beads, gravity=9.81)
    start = system.start([(x, a) for k, b in enumerate(beads) for x, a in zip(b.position, (k, 0, 0), strict=True)])
    [run] = drawn(zm.simulate(system, start, until=0.1))["runs"]
    assert [body["tone"] for body in run["bodies"]] == [toned.index(k) if k in toned else None for k in range(count)]


@pytest.mark.parametrize("kind", [zm.joints.WheelOnGround, zm.joints.WheelOnSurface])
def test_a_wheel_is_as_large_as_it_rolls(kind):
    """Whatever its inertia: that of this one is a disc's of half the radius, which would hang in the air."""
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.015625, 0.03125, 0.015625), at=(0, 0, 0.5))
    on = [zm.surfaces.plane()] if kind is zm.joints.WheelOnSurface else []
    rolls = kind(zm.Ground(), hoop, *on, radius=0.5, axis=(0, 1, 0))
    (drawn,) = [body for body in zm.System([hoop], gravity=9.81, joints=[rolls]).drawing.bodies if body.name == "hoop"]
    assert isinstance(drawn.shape, Wheel)
    assert (drawn.shape.radius, np.abs(drawn.shape.axis).tolist()) == (0.5, [0.0, 1.0, 0.0])
