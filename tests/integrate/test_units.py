"""The same mechanism in other units of length and mass has the same motion, and numbers at the edge have their names."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.equation import Verdict

G = 9.81


def four_bar(length: float, mass: float) -> tuple[zm.System, zm.State, np.ndarray]:
    """Two particles on three rods, and an angle without mass: its row is in units of length, those of rods in squares."""
    x1, y1, x2, y2, a = zm.coordinates("x1 y1 x2 y2 a")
    system = zm.System(
        M=np.diag([mass, mass, 2 * mass, 2 * mass, 0.0]),
        Q=[0, -mass * G * length, 0, -2 * mass * G * length, 0],
        coordinates=[x1, y1, x2, y2, a],
        constraints={
            "crank": x1**2 + y1**2 - length**2,
            "coupler": (x2 - x1) ** 2 + (y2 - y1) ** 2 - (2 * length) ** 2,
            "rocker": (x2 - 3 * length) ** 2 + y2**2 - (1.5 * length) ** 2,
            "angle": y1 * np.cos(a) - x1 * np.sin(a),
        },
    )
    guess = {x1: 0.5 * length, y1: 0.8 * length, x2: 2.3 * length, y2: 1.4 * length}
    return system, system.start({a: 1.0, zm.rate(a): 2.0}, guess=guess), np.array([x1, y1, x2, y2])


def hanging_body(length: float, mass: float) -> tuple[zm.System, zm.State, np.ndarray]:
    """A rigid body that hangs from a point, with a mark of no mass on it."""
    body = zm.RigidBody("body", mass=1.5 * mass, inertia=np.diag([0.1, 0.2, 0.3]) * mass * length**2)
    mark = zm.Particle("mark", mass=0)
    system = zm.System(
        [body, mark],
        gravity=G * length,
        constraints={
            "pin": body.position - body.rotate(np.array([0.3, 0.1, 0.5]) * length),
            "mark": mark.position - body.position - body.rotate(np.array([0.1, 0, 0]) * length),
        },
    )
    return system, system.start([(body.angular_velocity, (1.0, 2.0, 0.5))]), mark.position


@pytest.mark.parametrize("mechanism", [four_bar, hanging_body])
def test_a_mechanism_in_any_units(mechanism) -> None:
    """Metres and kilograms, millimetres and tonnes, and others far beyond; the tolerance of the run goes with them."""
    system, start, place = mechanism(1.0, 1.0)
    right = zm.simulate(system, start, until=1.0, rtol=1e-11, atol=1e-14).state(1.0)[place]
    for length, mass in [(1e3, 1e-3), (1e-3, 1e3), (1e6, 1.0), (1e-6, 1e12), (1e9, 1e-12), (1e12, 1e12)]:
        system, start, place = mechanism(length, mass)
        assert start.motion.verdict is Verdict.UNIQUE
        run = zm.simulate(system, start, until=1.0, rtol=1e-11, atol=1e-14 * min(length, 1.0))
        assert run.outcome.complete, f"{length:g}, {mass:g}: {run.outcome}"
        # the error of one run at this tolerance, some 1e-10, and what the other steps of an angle in radians make of it
        assert np.allclose(run.state(1.0)[place] / length, right, rtol=0, atol=1e-8), f"{length:g}, {mass:g}"


@pytest.mark.parametrize("length", [1.0, 1e3, 1e-3])
@pytest.mark.parametrize("rows", [(1.0, 1.0, 1.0), (1e-4, 1.0, 1.0), (1.0, 1e4, 1.0), (1.0, 1.0, 1e5)])
def test_a_passage_has_the_same_names_in_any_units(length, rows) -> None:
    """A crank and a rod of one length, and a slide: where the slide passes the axle, each row follows from the others."""
    x1, y1, x2, y2 = coordinates = zm.coordinates("x1 y1 x2 y2")
    constraints = {
        "crank": rows[0] * (x1**2 + y1**2 - length**2),
        "rod": rows[1] * ((x2 - x1) ** 2 + (y2 - y1) ** 2 - length**2),
        "slide": rows[2] * y2,
    }
    system = zm.System(kinetic=sum(zm.rate(q) ** 2 for q in coordinates) / 2, constraints=constraints)
    x, y = length * np.cos(0.9), length * np.sin(0.9)
    run = zm.simulate(
        system, system.start({x1: x, y1: y, x2: 2 * x, y2: 0.0, zm.rate(x1): -y, zm.rate(y1): x}), until=1.5
    )
    assert run.outcome.complete
    assert [passage.constraints for passage in run.passages] == [("crank", "rod", "slide")]


def two_masses(m2: float, k2: float) -> tuple[zm.System, zm.State]:
    """[UP2006, ex. 3, case 5.2] with a second mass that is light, or a stiff spring that is held at rest."""
    x1, q1, q2 = zm.coordinates("x1 q1 q2")
    dx1, dq1, dq2 = (zm.rate(x) for x in (x1, q1, q2))
    system = zm.System(
        kinetic=1.5 * dx1**2 / 2 + m2 * (dq1 + dq2) ** 2 / 2,
        potential=40.0 * (x1 - 0.3) ** 2 / 2 + k2 * (q2 - 0.2) ** 2 / 2,
        constraints={"connection": x1 + 0.05 - q1, "no force in k2": k2 * (q2 - 0.2)},
    )
    return system, system.start({x1: 0.37, dx1: 0.6})


@pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")
@pytest.mark.parametrize(("m2", "k2"), [(1e-308, 25.0), (0.0, 1e308), (1e-308, 1e308), (5e-324, 1.0), (1e308, 1e-308)])
def test_numbers_at_the_edge_end_by_name(m2: float, k2: float) -> None:
    """A run, or an error of the library in words: no other exception, whatever the numbers."""
    try:
        system, start = two_masses(m2, k2)
        ended = str(zm.simulate(system, start, until=0.1).outcome)
    except zm.errors.ZeromassError as error:
        ended = str(error)
    assert ended


def test_a_force_too_large_to_be_added_is_named() -> None:
    x, y = zm.coordinates("x y")
    k = zm.parameter("k", 1e308)
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=k * (x - y) ** 2 / 2)
    start = system.start({x: 1.0, y: 0.5})
    with pytest.raises(zm.errors.ModelError, match=r"force on x.*too large"):
        _ = start.motion
    with pytest.warns(zm.errors.RunStopped, match="not a number at t = 0 s: at the start the force on x"):
        zm.simulate(system, start, until=1.0)
