"""Whatever a maker is given that can not be: one error in one line, where it is given, and never later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zeromass as zm

GROUND, FLOOR, X = zm.Ground(), zm.surfaces.plane(), zm.coordinate("x")
BALL = zm.bodies.ball(0.1, 1.0)
FIRST, SECOND = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in ("first", "second"))
AXLE, OTHER = (zm.joints.Revolute(GROUND, body, axis=(0, 0, 1)) for body in (FIRST, SECOND))
RAIL = zm.joints.Prismatic(GROUND, SECOND, axis=(1, 0, 0), name="rail")

STRANGE = {
    "nan": float("nan"),
    "complex": 1j,
    "word": "x",
    "number in a word": "1e400",
    "object": object(),
    "mapping": {"a": 1.0},
    "complex vector": np.array([1j, 0.0, 0.0]),
    "vector of nan": (float("nan"), 0.0, 0.0),
    "two of four": np.ones((2, 4)),
}
"""None of these is a number, a vector, an inertia or a truth."""

ROLLING = {"gravity": 9.81, "friction": 0.3, "restitution": 0.5, "creep": 1e-9, "least_clearance": 1e-4}

MAKERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "spherical body": (
        zm.bodies.SphericalBody,
        {"radius": 0.1, "mass": 1.0, "inertia": (4e-3,) * 3, "center_of_mass": (0, 0, 0)},
    ),
    "ball": (zm.bodies.ball, {"radius": 0.1, "mass": 1.0}),
    "shell": (zm.bodies.shell, {"outer": 0.1, "inner": 0.05, "mass": 1.0}),
    "two materials": (zm.bodies.two_material_shell, {"outer": 0.1, "inner": 0.05, "densities": (1.0, 2.0)}),
    "ellipsoid": (
        zm.bodies.ellipsoid,
        {"axes": (0.1, 0.2, 0.3), "mass": 1.0, "inertia": (1, 1, 1), "center": (0, 0, 0)},
    ),
    "disc": (zm.bodies.disc, {"radius": 0.1, "edge": 0.01, "density": 1.0}),
    "torus": (zm.bodies.torus, {"radius": 0.1, "tube": 0.01, "mass": 1.0}),
    "cylinder": (zm.bodies.cylinder, {"radius": 0.1, "length": 0.3, "edge": 0.01, "mass": 1.0}),
    "capsule": (zm.bodies.capsule, {"radius": 0.1, "length": 0.3, "mass": 1.0}),
    "cone": (zm.bodies.cone, {"radius": 0.1, "height": 0.3, "mass": 1.0}),
    "superquadric": (zm.bodies.superquadric, {"axes": (0.1, 0.2, 0.3), "exponent": 4, "mass": 1.0}),
    "friction": (zm.Friction, {"static": 0.4, "kinetic": 0.3}),
    "rolling": (lambda **given: zm.Rolling(BALL, on=FLOOR, **given), ROLLING | {"rolling_resistance": 1e-3}),
    "truths": (lambda **given: zm.Rolling(BALL, on=FLOOR, **given), {"no_spin": False, "conserve_energy": False}),
    "contacts": (lambda **given: zm.Contacts(BALL, on=FLOOR, **given), ROLLING),
    "bodies": (lambda bodies, on: zm.Contacts(bodies, on=on), {"bodies": BALL, "on": FLOOR}),
    "sliding": (
        lambda **given: zm.Sliding(zm.Particle("p", 1.0), **given),
        {"on": FLOOR, "friction": 0.3, "restitution": 0.5, "creep": 1e-9, "least_bounce": 1e-12},
    ),
    "surface": (zm.Surface, {"shape": lambda X, Y: X * Y, "shift": (0, 0, 0), "velocity": (1, 0, 0), "side": 1}),
    "plane": (zm.surfaces.plane, {"slope": 0.1}),
    "rigid body": (
        lambda **given: zm.RigidBody("b", **given),
        {"mass": 1.0, "inertia": (1, 1, 1), "orientation": (1, 0, 0, 0)},
    ),
    "belt": (lambda **given: zm.joints.Belt(AXLE, OTHER, **given), {"radii": (1.0, 2.0), "crossed": False}),
    "rack": (lambda **given: zm.joints.RackAndPinion(AXLE, RAIL, **given), {"radius": 0.1}),
    "cam": (lambda **given: zm.joints.Cam(AXLE, RAIL, **given), {"profile": lambda angle: 0.1 * angle}),
    "geneva": (lambda **given: zm.joints.Geneva(AXLE, OTHER, **given), {"slots": 4, "distance": 1.0}),
    "wheel": (
        lambda **given: zm.joints.WheelOnSurface(GROUND, FIRST, FLOOR, near=(0, 0, 0), **given),
        {"radius": 0.3, "tube": 0.1, "axis": (0, 1, 0), "friction": 0.5, "creep": 1e-6, "two_sided": False},
    ),
    "wheel on ground": (
        lambda **given: zm.joints.WheelOnGround(GROUND, FIRST, axis=(0, 1, 0), **given),
        {"radius": 0.3},
    ),
    "controller": (lambda **given: zm.control.PID("c", X, **given), {"kp": 1.0, "ki": 1.0, "kd": 1.0, "limit": 1.0}),
    "filter": (lambda **given: zm.control.LowPass("c", X, **given), {"time": 1.0, "first": 0.0}),
    "event": (lambda **given: zm.Event("e", **given), {"zero": X, "direction": 0, "terminal": True}),
    "box": (zm.bodies.Solid.box, {"sides": (1, 2, 3), "density": 1.0}),
    "tube": (zm.bodies.Solid.tube, {"outer": 1.0, "inner": 0.5, "length": 2.0, "mass": 1.0}),
    "system": (lambda **given: zm.System([zm.Particle("p", 1.0)], **given), {"joints": ()}),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_strange_is_refused_where_it_is_given(name):
    make, given = MAKERS[name]
    make(**given)
    for what in given:
        for value in STRANGE.values():
            with pytest.raises(zm.errors.ZeromassError) as said:
                make(**given | {what: value})
            assert "\n" not in str(said.value), f"{what}: {said.value}"


IMPOSSIBLE = {
    "inertia": (lambda: zm.bodies.SphericalBody(0.1, 1.0, (1e-3, 1e-3, 1e-2), name="egg"), "'egg' breaks the triangle"),
    "inertia of a disc": (
        lambda: zm.bodies.disc(0.1, 1.0, inertia=(-1, 1, 1)),
        "'disc' has a negative principal moment",
    ),
    "no name": (lambda: zm.bodies.ball(0.1, 1.0, name=""), "name of a body is ''"),
    "name of a joint": (lambda: zm.joints.Spherical(GROUND, FIRST, name=3), "name of a joint is 3"),
    "static friction": (lambda: zm.Friction(static=float("nan"), kinetic=0.1), "friction is nan"),
    "kinetic friction": (lambda: zm.Friction(static=0.2, kinetic=0.3), "more than the static one"),
    "no kinetic friction": (lambda: zm.Friction(static=0.2, kinetic=None), "kinetic friction is None"),
    "creep": (lambda: zm.Contacts(BALL, on=FLOOR, friction=0.1, creep=-1.0), "creep is -1; a speed is positive"),
    "creep of a wheel": (MAKERS["wheel"][0], "creep is 0"),
    "clearance": (lambda: zm.Contacts(BALL, on=FLOOR, least_clearance=1.5), "least_clearance is 1.5"),
    "pulley": (lambda: zm.joints.Belt(AXLE, OTHER, radii=(0.0, 1.0)), "radius of a pulley is 0"),
    "rack": (lambda: zm.joints.RackAndPinion(AXLE, RAIL, radius=0.0), "is zero"),
    "wheel": (lambda: zm.joints.WheelOnGround(GROUND, FIRST, radius=-0.3, axis=(0, 1, 0)), "is -0.3; it is positive"),
    "filter": (lambda: zm.control.LowPass("c", X, time=-1.0), "the time of 'c' is -1; it is positive"),
    "limit": (lambda: zm.control.PID("c", X, limit=-1.0), "the limit of 'c' is -1"),
    "direction": (lambda: zm.Event("e", X, direction=2), "'e' has direction 2"),
    "velocity": (lambda: zm.Surface(lambda X, Y: 0.0 * X, velocity=(X, 0, 0)), "depends on 'x'"),
    "shape": (lambda: zm.Surface(lambda X_, Y: X * X_), "depends on 'x'"),
    "growing ball": (lambda: zm.bodies.ball(0.1 + zm.t, 1.0), "'ball' changes in time"),
    "slope": (lambda: zm.surfaces.plane(X), "depends on 'x'"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_is_impossible_is_refused_where_it_is_given(name):
    make, words = IMPOSSIBLE[name]
    given = MAKERS["wheel"][1] | {"creep": 0.0} if name == "creep of a wheel" else {}
    with pytest.raises(zm.errors.ModelError, match=words):
        make(**given)


@pytest.fixture(scope="module")
def spring() -> tuple[zm.expression.Symbol, zm.System, zm.State]:
    k = zm.parameter("k", 1.0)
    system = zm.System(kinetic=zm.rate(X) ** 2 / 2, potential=k * X**2 / 2)
    return k, system, system.start({X: 1.0})


def test_numbers_of_a_run_are_numbers(spring):
    """Ends, times, starts and parameters that can not be are refused in one line, words with digits in them too."""
    k, system, start = spring
    run = zm.simulate(system, start, until=1.0)
    for value in ("1", 1j, None, object(), np.ones((2, 2)), np.array([1j])):
        for ask in (
            lambda value: zm.simulate(system, start, until=value),
            lambda value: zm.simulate(system, start, until=1.0, transitions=value),
            lambda value: zm.simulate(system, start, until=1.0, parameters={k: value}),
            lambda value: system.start({X: value}),
            lambda value: run.at(value),
            lambda value: run.state(value),
        ):
            with pytest.raises(zm.errors.ZeromassError) as said:
                ask(value)
            assert "\n" not in str(said.value)
    assert run.at(np.float32(0.5))[X].shape == (1,)
    assert len(run.at([])) == 0


def test_two_parameters_of_one_name_are_refused(spring):
    """A value given to the one would leave the other as it is."""
    a, b = zm.parameter("k", 1.0), zm.parameter("k", 1.0)
    with pytest.raises(zm.errors.ModelError, match="two parameters have the name 'k'"):
        zm.System(kinetic=zm.rate(X) ** 2 / 2, potential=a * X**2 + b * X)
    with pytest.raises(zm.errors.ModelError, match="two parameters have the name 'k'"):
        zm.Rolling(zm.bodies.ball(0.1, a), on=FLOOR, friction=b)
