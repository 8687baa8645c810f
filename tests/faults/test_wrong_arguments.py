"""Wrong arguments that ended in errors of NumPy or Python: each is refused by name, in one line."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from faults.calls import URDF
from zeromass.integrate import Settings

X, P = zm.coordinate("x"), zm.parameter("p", 1.0)
SPRING = zm.System(kinetic=zm.rate(X) ** 2 / 2, potential=P * X**2 / 2)
Y = zm.coordinate("y")
OTHER = zm.System(kinetic=zm.rate(Y) ** 2 / 2, potential=Y**2 / 2)
START = SPRING.start({X: 1.0})
FLOOR = zm.surfaces.plane()
BALLS = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.1, 0.5, name="white")]
FLYING = zm.Rolling(BALLS[0], on=FLOOR, friction=0.1, restitution=0.3).flying
PINS = [
    zm.joints.Revolute(zm.Ground(), zm.RigidBody(name, 1.0, (1, 1, 1)), axis=(0, 0, 1)) for name in ("crank", "wheel")
]
STONE = zm.bodies.superquadric((0.1, 0.2, 0.3), 4, 1.0)


def endless() -> Any:
    return map(float, "abc")


CALLS: dict[str, Callable[[], Any]] = {
    "touching, a number": lambda: zm.Contacts(BALLS[0], on=FLOOR).start(center=(0, 0, 0.1), touching=3.0),
    "touching, an expression": lambda: zm.Contacts(BALLS[0], on=FLOOR).start(center=(0, 0, 0.1), touching=X),
    "between, lists": lambda: zm.Contacts(BALLS, on=FLOOR, between=[["red", ["white"]], ["red", "white"]]),
    "surfaces that can not be gone through": lambda: zm.Contacts(BALLS[0], on=endless()),
    "a name of a surface": lambda: zm.Contacts(BALLS[0], on={1: FLOOR}),
    "surfaces of a particle": lambda: zm.Sliding(zm.Particle("bead", mass=1.0), on=endless()),
    "rank, a list": lambda: zm.solve([[1.0]], [1.0], rank=[1.0, [2]]),
    "rank of the constraints, a list": lambda: zm.solve([[1.0]], [1.0], A=[[1.0]], b=[0.0], constraint_rank=[[], 1]),
    "rank of other matrices": lambda: zm.solve([[1.0]], [1.0], rank=[7]),
    "a decision on other matrices": lambda: zm.solve([[1.0]], [1.0], rank=zm.solve(np.eye(2), [1.0, 0.0]).rank),
    "a decision on other constraints": lambda: zm.solve(
        [[1.0]],
        [1.0],
        A=[[1.0]],
        b=[0.0],
        constraint_rank=zm.solve(np.eye(2), [1, 0], A=np.eye(2), b=[0, 0]).constraint_rank,
    ),
    "slots beyond floats": lambda: zm.joints.Geneva(*PINS, slots=10**400, distance=1.0),
    "a tolerance beyond floats": lambda: zm.solve([[1.0]], [1.0], consistency_tolerance=10**400),
    "limits of a run": lambda: zm.simulate(SPRING, START, until=1.0, limits=np.zeros(3)),  # type: ignore[arg-type]
    "limits of a run, empty": lambda: zm.simulate(SPRING, START, until=1.0, limits=[]),  # type: ignore[arg-type]
    "limits of a study, empty": lambda: zm.sweep(SPRING, START, until=1.0, over={P: [1.0]}, keep={"x": X}, limits={}),  # type: ignore[arg-type]
    "an array of three dimensions": lambda: zm.export.sympy(np.full((1, 1, 1), X)),
    "a normal at the centre": lambda: STONE.normal_at(np.zeros(3), {}),
    "a normal far away": lambda: STONE.normal_at(np.full(3, 1e308), {}),
    "where, numbers beyond floats": lambda: zm.where(None, -(10**400), X),
    "where, of numbers": lambda: zm.where(None, -(10**400), 1.0),
    "the centre of a body that is thrown": lambda: FLYING.start(center=(0.0, 1.0)),
    "a start that is given twice": lambda: FLYING.start(np.ones(3), center=(0.0, 0.0, 1.0)),
    "a direction of an event": lambda: zm.Event("down", X, direction=Decimal("sNaN")),  # type: ignore[arg-type]
    "a side of a surface": lambda: zm.Surface(lambda X, Y, Z: Z, side=Decimal("sNaN")),  # type: ignore[arg-type]
    "a class is no formula": lambda: zm.export.latex(zm.System),  # type: ignore[arg-type]
    "no times": lambda: zm.analysis.inverse_dynamics(SPRING, {X: zm.t}, by=[{X: 1.0}], times=[]),
    "a state of another system": lambda: SPRING.check(OTHER.start({Y: 1.0})),
    "a branch from it": lambda: zm.analysis.branch(SPRING, OTHER.equilibrium(), over=(P, 0.5, 2.0)),
    "a program at it": lambda: zm.compile(SPRING, START).at(OTHER.start({Y: 1.0})),
    "a program at no state": lambda: zm.compile(SPRING, START).at([1.0]),  # type: ignore[arg-type]
    "no such setting": lambda: Settings()["tolerance"],
    "a setting without a name": lambda: Settings()[1.0],  # type: ignore[index]
    "a tolerance without a number": lambda: Settings().tolerances(None),  # type: ignore[arg-type]
    "constraints beside control": lambda: zm.System(
        kinetic=zm.rate(X) ** 2,
        control={"follow": X - zm.t},
        constraints=np.ones(3),  # type: ignore[arg-type]
    ),
    "digits of nothing": lambda: zm.simulate(SPRING, START, until=1.0).certificate(of=np.empty((0, 3))),
    "sliders, an array": lambda: zm.simulate(SPRING, START, until=1.0).view(sliders=np.ones(3)),  # type: ignore[arg-type]
    "a normal of no point": lambda: zm.bodies.ellipsoid((0.1, 0.2, 0.3), 1.0).normal_at(None, {}),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_it_is_refused_by_name(call):
    with pytest.raises(zm.errors.ZeromassError) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [{"gravity": "downward"}, {"losses": 2}, {"parts": None}, {"joints": len}, {"constraints": np.ones(2)}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_systems_of_robots_refuse_what_can_not_be(tmp_path, wrong):
    (tmp_path / "robot.urdf").write_text(URDF)
    robot = zm.from_urdf(tmp_path / "robot.urdf")
    with pytest.raises(zm.errors.ModelError, match=next(iter(wrong))):
        robot.system(**wrong)


def test_whole_numbers_of_any_size_are_numbers():
    assert zm.surfaces.plane(10**30).name == "plane"


def test_the_name_of_one_contact_is_a_name():
    """It was taken for a list of letters."""
    contacts = zm.Contacts(BALLS[0], on={"floor": FLOOR})
    one, several = (contacts.start(center=(0, 0, 0.2), touching=names) for names in ("floor", ["floor"]))
    assert np.array_equal(one.q, several.q)


def test_numbers_of_numpy_are_numbers_of_a_film(tmp_path):
    run = zm.simulate(SPRING, START, until=1.0)
    options = {"fps": np.array(4), "seconds": np.array(0.5), "dpi": np.array(40)}
    assert run.plot.animation(tmp_path / "spring.gif", "phase", **options).exists()


def test_radii_of_a_belt_that_are_one_number_or_a_word():
    a, b = (zm.RigidBody(name, 1.0, (1, 1, 1)) for name in "ab")
    ground = zm.Ground()
    first, second = (zm.joints.Revolute(ground, body, at=(k, 0, 0), axis=(0, 1, 0)) for k, body in enumerate((a, b)))
    for radii in (np.array(1.0), np.array("word"), 1.0):
        with pytest.raises(zm.errors.ModelError, match="the radii of a belt"):
            zm.joints.Belt(first, second, radii=radii)  # type: ignore[arg-type]


def test_a_class_is_no_function():
    with pytest.raises(zm.errors.ModelError, match="it is a function"):
        zm.joints.PointOnSurface(zm.Ground(), zm.Particle("p", 1.0), surface=zm.System)  # type: ignore[arg-type]


def test_sizes_whose_powers_are_no_numbers():
    for make in (lambda: zm.bodies.ball(1e308, 1.0), lambda: zm.bodies.two_material_shell(1e308, 0.1, (1.0, 2.0))):
        with pytest.raises(zm.errors.ModelError, match="it is less than"):
            make()


def test_forces_that_are_functions_of_other_arguments():
    for forces in (list, lambda a, b: []):
        with pytest.raises(zm.errors.ModelError, match="forces can not be called with 1 arguments"):
            zm.Rolling(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane(), forces=forces)  # type: ignore[arg-type]


def test_a_radius_whose_cube_is_zero():
    with pytest.raises(zm.errors.ModelError, match="has no volume"):
        zm.bodies.capsule(radius=1e-320, length=0.1, mass=1.0)


def test_arguments_of_studies_fits_films_and_surfaces():
    x, v, other = zm.coordinate("x"), zm.parameter("v", 1.0), zm.parameter("other", 1.0)
    free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    start = free.start({x: 0.0, zm.rate(x): v})
    with pytest.raises(zm.errors.ModelError, match="on = "):
        zm.sweep(free, start, until=1.0, over={v: [1.0]}, keep={"x": x}, on=np.zeros((2, 2)))  # type: ignore[arg-type]
    run = zm.simulate(free, start, until=1.0)
    found = zm.analysis.fit(run, {x: ([1.0, 1.0], [1.9, 2.1])}, over=[v])
    with pytest.raises(zm.errors.ModelError, match="'other' is none of what was fitted: v"):
        found.interval(other)
    with pytest.raises(zm.errors.ModelError, match="letters need"):
        run.plot.animation("x.gif", "phase", dpi=0.5)
