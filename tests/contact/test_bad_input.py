"""Every mistake about bodies, surfaces, contacts and starts raises one error that names the culprit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zeromass as zm
from zeromass.errors import ModelError, StartError
from zeromass.integrate.outcome import Ending

NAN = float("nan")
BALL = zm.bodies.ball(0.1, 1.0)
x = zm.coordinate("x")


def bowl(X, Y):
    return 0.3 * (X**2 + Y**2)


def surface(shape=bowl, **motion) -> zm.Surface:
    return zm.Surface(shape, name="bowl", **motion)


def rolling(on: zm.Surface | None = None, **options) -> zm.Rolling:
    return zm.Rolling(BALL, on=on or surface(), **options)


def start(on: zm.Surface | None = None, **given):
    return rolling(on, two_sided=True).start(**given)


# name: (what is done, the error, words that must be in its message)
MISTAKES = {
    # bodies
    "radius is negative": (lambda: zm.bodies.ball(-0.1, 1.0), ModelError, "radius 'ball' -0.1"),
    "radius is NaN": (lambda: zm.bodies.ball(NAN, 1.0), ModelError, "radius 'ball' nan"),
    "mass is zero": (lambda: zm.bodies.ball(0.1, 0.0), ModelError, "mass 'ball' 0"),
    "mass is NaN": (lambda: zm.bodies.ball(0.1, NAN), ModelError, "mass 'ball' nan"),
    "mass is infinite": (lambda: zm.Rolling(zm.bodies.ball(0.1, np.inf), on=surface()), ModelError, "mass 'ball' inf"),
    "hollow larger than the shell": (lambda: zm.bodies.shell(0.1, 0.2, 1.0), ModelError, "inner 'shell' 0.2"),
    "hollow is NaN": (lambda: zm.bodies.shell(0.1, NAN, 1.0), ModelError, "inner 'shell' nan"),
    "two materials without thickness": (
        lambda: zm.bodies.two_material_shell(0.1, 0.1, densities=(1, 1)),
        ModelError,
        "inner 'shell' 0.1",
    ),
    "one density": (lambda: zm.bodies.two_material_shell(0.1, 0.09, densities=(1,)), ModelError, "'shell' two (1,)"),
    "density is negative": (lambda: zm.bodies.two_material_shell(0.1, 0.09, (1, -2)), ModelError, "'shell' -2"),
    "density is infinite": (lambda: zm.bodies.two_material_shell(0.1, 0.09, (1, np.inf)), ModelError, "'shell' inf"),
    "no density": (lambda: zm.bodies.two_material_shell(0.1, 0.09, (0, 0)), ModelError, "'shell' (0, 0)"),
    "mass centre outside": (
        lambda: zm.bodies.SphericalBody(0.1, 1.0, (1e-3,) * 3, (0.1, 0.1, 0), name="egg"),
        ModelError,
        "'egg' 0.141421 outside",
    ),
    "mass centre of two components": (
        lambda: zm.bodies.SphericalBody(0.1, 1.0, (1e-3,) * 3, (0.1, 0.1), name="egg"),
        ModelError,
        "mass 'egg' (0.1, 0.1) three",
    ),
    "inertia of two components": (
        lambda: zm.Rolling(zm.bodies.SphericalBody(0.1, 1.0, (1e-3, 1e-3), name="egg"), on=surface()),
        ModelError,
        "inertia 'egg' (2,)",
    ),
    "inertia of no body": (
        lambda: zm.Rolling(zm.bodies.SphericalBody(0.1, 1.0, (1e-3, 1e-3, 1e-2), name="egg"), on=surface()),
        ModelError,
        "inertia 'egg' triangle",
    ),
    "body with the contact's name": (
        lambda: zm.Rolling(zm.bodies.ball(0.1, 1.0, name="contact"), on=surface()),
        ModelError,
        "'contact'",
    ),
    # surfaces
    "shape is a number": (lambda: surface(3.0), ModelError, "shape 'bowl' 3.0"),
    "height of four arguments": (lambda: surface(lambda X, Y, Z, t: Z), ModelError, "shape 'bowl' 4 f(X, Y, Z)"),
    "height of one argument": (lambda: surface(lambda X: X), ModelError, "shape 'bowl' 1"),
    "shape returns nothing": (lambda: surface(lambda X, Y: None), ModelError, "shape 'bowl' NoneType"),
    "shape is NaN": (lambda: surface(lambda X, Y: NAN * X), ModelError, "shape 'bowl' NaN"),
    "shape is two": (lambda: surface(lambda X, Y: np.array([X, Y])), ModelError, "shape 'bowl' array"),
    "shape of the math module": (lambda: surface(lambda X, Y: math.sin(X)), ModelError, "shape 'bowl' formula"),
    "shape without slope": (lambda: rolling(surface(lambda X, Y, Z: 1.0)), ModelError, "gradient 'bowl'"),
    "shift of two components": (lambda: surface(shift=(1.0, 2.0)), ModelError, "shift 'bowl' (2,) (3,)"),
    "shift is text": (lambda: surface(shift="up"), ModelError, "shift 'bowl' 'up'"),
    "shift is NaN": (lambda: surface(shift=(NAN, 0, 0)), ModelError, "shift 'bowl' NaN"),
    "shift of a coordinate": (lambda: surface(shift=(x, 0, 0)), ModelError, "shift 'bowl' 'x' time"),
    "rotation of a coordinate": (lambda: surface(rotation=((0, 0, 1), x)), ModelError, "rotation 'bowl' 'x' time"),
    "rotation of a rate": (
        lambda: surface(rotation=((0, 0, 1), zm.rate(x))),
        ModelError,
        "rotation 'bowl' 'rate(x)' time",
    ),
    "rotation of shape (2, 2)": (lambda: surface(rotation=np.eye(2)), ModelError, "rotation 'bowl' (2, 2) (3, 3)"),
    "rotation that stretches": (lambda: surface(rotation=2 * np.eye(3)), ModelError, "rotation 'bowl' 2.0"),
    "rotation that mirrors": (lambda: surface(rotation=np.diag([1, 1, -1])), ModelError, "rotation 'bowl' -1.0"),
    "rotation that stretches later": (
        lambda: surface(rotation=np.diag([1, 1, 1]) * (1 + zm.t)),
        ModelError,
        "rotation 'bowl' t = 0.7",
    ),
    "axis of two components": (lambda: surface(rotation=((0, 1), zm.t)), ModelError, "rotation 'bowl' axis (0, 1)"),
    "axis is zero": (lambda: surface(rotation=((0, 0, 0), zm.t)), ModelError, "rotation 'bowl' axis (0, 0, 0)"),
    "axis is text": (lambda: surface(rotation=("z", zm.t)), ModelError, "rotation 'bowl' axis 'z'"),
    "side is zero": (lambda: surface(side=0), ModelError, "side 'bowl' 0"),
    "velocity of two components": (
        lambda: rolling(surface(velocity=(1.0, 0.0))),
        ModelError,
        "velocity 'bowl' (2,) (3,)",
    ),
    "velocity function of two components": (
        lambda: rolling(surface(velocity=lambda p: p[:2])),
        ModelError,
        "velocity 'bowl' (2,) (3,)",
    ),
    "point of two coordinates": (lambda: surface()(np.array([1.0, 2.0])), ModelError, "'bowl' three (2,)"),
    # the rolling system
    "no body": (lambda: zm.Rolling(0.1, on=surface()), ModelError, "zm.bodies.ball 0.1"),
    "no surface": (lambda: zm.Rolling(BALL, on=bowl), ModelError, "zm.Surface function"),
    "unknown option": (lambda: rolling(colour="red"), TypeError, "'colour'"),
    "friction is negative": (lambda: rolling(friction=-0.1), ModelError, "friction -0.1"),
    "friction is NaN": (lambda: rolling(friction=NAN), ModelError, "friction nan"),
    "gravity of two components": (lambda: rolling(gravity=(0, -9.81)), ModelError, "gravity (2,)"),
    "energy row on a moving surface": (
        lambda: rolling(surface(shift=(zm.t, 0, 0)), conserve_energy=True),
        ModelError,
        "'bowl' moves conserve_energy",
    ),
    "energy row with a force": (
        lambda: rolling(conserve_energy=True, forces=lambda r: zm.Force((1, 0, 0), at=r.body.position)),
        ModelError,
        "force conserve_energy",
    ),
    "energy row with changing gravity": (
        lambda: rolling(conserve_energy=True, gravity=9.81 + np.sin(zm.t)),
        ModelError,
        "conserve_energy",
    ),
    "force on a particle of mass zero": (
        lambda: rolling(forces=lambda r: zm.Force((1, 0, 0), at=r.center)),
        ModelError,
        "force centre mass body.point",
    ),
    "slipping without friction": (lambda: rolling().slipping, ModelError, "friction"),
    # starts
    "no contact": (lambda: start(velocity=(1, 0)), StartError, "velocity contact"),
    "contact off the surface": (lambda: start(contact=(1, 1, 1)), StartError, "contact (1.0, 1.0, 1.0) 0.305 'bowl'"),
    "contact of one number": (lambda: start(contact=(1,)), StartError, "contact (1,)"),
    "contact is text": (lambda: start(contact="here"), StartError, "contact 'here'"),
    "contact is NaN": (lambda: start(contact=(1, NAN)), StartError, "contact nan"),
    "contact beside the surface": (
        lambda: start(zm.surfaces.sphere(1.0), contact=(2.0, 0.0), guess=1.0),
        StartError,
        "'sphere' (2, 0)",
    ),
    "two coordinates on a wall": (
        lambda: start(zm.surfaces.cylinder(1.0), contact=(1.0, 0.0)),
        StartError,
        "'cylinder' vertical (1, 0) three",
    ),
    "no slope at the contact": (
        lambda: start(surface(lambda X, Y, Z: Z**2), contact=(1, 0, 0)),
        StartError,
        "gradient 'bowl' (1.0, 0.0, 0.0)",
    ),
    "no slope over the contact": (
        lambda: start(surface(lambda X, Y, Z: Z**2), contact=(1, 0)),
        StartError,
        "gradient 'bowl' (1.0, 0.0, 0.0)",
    ),
    "tip of a cone": (lambda: start(zm.surfaces.cone(0.5), contact=(0, 0)), StartError, "'cone' (0.0, 0.0, 0.0)"),
    "no height at the contact": (
        lambda: start(surface(lambda X, Y: np.log(X)), contact=(-1, 0)),
        StartError,
        "'bowl' finite (-1.0, 0.0, 0.0)",
    ),
    "hollow too tight": (
        lambda: start(surface(lambda X, Y: 8 * X**2), contact=(0, 0)),
        StartError,
        "radius 'ball' 0.1 curvature 'bowl' 0.0625",
    ),
    "sphere in a smaller one": (
        lambda: start(zm.surfaces.sphere(0.09, inside=True), contact=(0, 0), guess=-0.1),
        StartError,
        "radius 'ball' curvature 'sphere' 0.09",
    ),
    "velocity off the surface": (
        lambda: start(contact=(1, 0), velocity=(1, 0, 0)),
        StartError,
        "velocity (1.0, 0.0, 0.0) contradicts contact -0.514",
    ),
    "velocity off the moving surface": (
        lambda: start(surface(shift=(0, 0, zm.t)), contact=(0, 0), velocity=(1, 0, 0)),
        StartError,
        "velocity (1.0, 0.0, 0.0) contradicts contact -1",
    ),
    "relative velocity off the surface": (
        lambda: start(surface(shift=(0, 0, zm.t)), contact=(0, 0), velocity=(1, 0, 1), relative=True),
        StartError,
        "velocity (1.0, 0.0, 1.0) contradicts contact",
    ),
    "velocity into a wall": (
        lambda: start(zm.surfaces.cylinder(1.0), contact=(1, 0, 0), velocity=(1, 1)),
        StartError,
        "'no slip[0]' rate(center.x)",
    ),
    "velocity is a number": (lambda: start(contact=(0, 0), velocity=1.0), StartError, "velocity 1.0"),
    "spin where there is none": (
        lambda: rolling(no_spin=True).start(contact=(0, 0), spin=2.0),
        StartError,
        "spin 2 no_spin",
    ),
    "spin is NaN": (lambda: start(contact=(0, 0), spin=NAN), StartError, "spin nan"),
    "spin is a vector": (lambda: start(contact=(0, 0), spin=(0, 1)), StartError, "spin (0, 1)"),
    "unknown orientation": (lambda: start(contact=(0, 0), orientation="up"), StartError, "orientation 'up'"),
    "orientation too long": (
        lambda: start(contact=(0, 0), orientation=(1, 1, 0, 0)),
        StartError,
        "orientation (1.0, 1.0, 0.0, 0.0) 1.41421",
    ),
    "orientation of two numbers": (
        lambda: start(contact=(0, 0), orientation=(1, 0)),
        StartError,
        "orientation (1, 0)",
    ),
    "unknown option of a start": (lambda: start(contact=(0, 0), colour="red"), ModelError, "'colour'"),
    "unknown parameter": (
        lambda: start(contact=(0, 0), parameters={zm.parameter("bend", 1.0): 2.0}),
        ModelError,
        "'bend'",
    ),
    "time is NaN": (lambda: start(contact=(0, 0), t=NAN), StartError, "time nan"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name):
    do, error, words = MISTAKES[name]
    with pytest.raises(error) as raised:
        do()
    message = str(raised.value)
    for word in words.split(" "):
        assert word in message, f"'{word}' is not in: {message}"
    assert "\n" not in message
    assert "float64" not in message
    assert len(message) < 400


def test_a_surface_that_ends_on_the_way():
    """√X⁷ is not a number where X < 0: the run ends at the border, and says which constraints have no value."""
    ramp = rolling(surface(lambda X, Y: 0.2 * np.sqrt(X) ** 7), two_sided=True)
    state = ramp.start(contact=(0.5, 0.0), velocity=(-1.0, 0.0))
    with pytest.warns(zm.errors.RunStopped, match="constraint 'surface'.* has no finite value"):
        run = zm.simulate(ramp, state, until=5.0)
    assert run.outcome.ending is Ending.NOT_A_NUMBER
    assert 0 <= run[ramp.contact[0]][-1] <= 1e-12
    assert np.all(np.isfinite(run.y))


def test_a_point_that_is_not_on_the_outside_is_told_one_that_is():
    egg = zm.Rolling(zm.bodies.ellipsoid((0.05, 0.04, 0.03), 0.2), on=zm.surfaces.plane())
    with pytest.raises(StartError, match="which is on it") as said:
        egg.start(contact=(0.0, 0.0), touching=(0.0, 0.02, 0.025))
    x, y, z = (float(word) for word in str(said.value).split("near it is (")[1].split(")")[0].split(","))
    assert (x / 0.05) ** 2 + (y / 0.04) ** 2 + (z / 0.03) ** 2 == pytest.approx(1.0, abs=1e-9)
    assert egg.start(contact=(0.0, 0.0), touching=(x, y, z))


def test_a_point_of_a_body_that_is_flat_there_is_on_it():
    """Between two axes of a superquadric: the point is its own, and the contact has no finite rate there."""
    box = zm.bodies.superquadric((0.05, 0.04, 0.03), 4, 0.1)
    point = np.array([0.05, 0.0, 0.03]) / 2**0.25
    assert box.normal_at(point, {}) == pytest.approx(np.array([3.0, 0.0, 5.0]) / np.sqrt(34), abs=1e-12)
    with pytest.raises(StartError, match="'superquadric' is flat where it would touch 'plane'"):
        zm.Rolling(box, on=zm.surfaces.plane()).start(contact=(0.0, 0.0), touching=point)


def test_a_homogeneous_tyre_is_not_thicker_than_its_circle():
    with pytest.raises(ModelError, match="the tyre of 'torus' has a radius of"):
        zm.bodies.torus(0.1, 0.2, mass=1.0)
    assert zm.bodies.torus(0.1, 0.2, mass=1.0, inertia=(0.01, 0.01, 0.01)).size == pytest.approx(0.3)
