"""Rigid bodies by their angular accelerations: the same motion as by quaternions, on the constraints and beside them."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.compile.turning import turning
from zeromass.expression import Evaluator

ROUNDING = 1e-11
"""Relative to the largest acceleration: conditions are below 1e3, and M α squares nothing."""


def symmetric() -> zm.System:
    """A body with a full inertia matrix, hung by a point, with a spring at another."""
    J = np.array([[0.5, 0.05, -0.02], [0.05, 0.6, 0.03], [-0.02, 0.03, 0.7]])
    body = zm.RigidBody("body", mass=2.0, inertia=J)
    hook = zm.Spring(30.0, body.point((0.1, 0.2, 0.3)), (0.3, 0.1, 0.9), length=0.5)
    return zm.System([body], gravity=9.81, forces=hook, constraints={"hung": body.point((0.0, 0.3, 0.4))})


def driven() -> zm.System:
    """Principal moments by parameters, a rate that is prescribed and an axis that keeps a direction."""
    a, c = zm.parameter("a", 0.4), zm.parameter("c", 0.25)
    body = zm.RigidBody("body", mass=1.5, inertia=(a, 0.3, c))
    rows = {
        "pinned": body.point((0.2, -0.1, 0.3)),
        "driven": body.angular_velocity_body[2] - 1.5 - 0.1 * np.sin(zm.t),
        "level": body.rotate((1.0, 0.0, 0.5))[2] - 0.1,
    }
    return zm.System([body], gravity=9.81, constraints=rows)


def pair() -> zm.System:
    """Two bodies at a joint, one of them isotropic, a constraint of accelerations and one in the quaternion itself."""
    one = zm.RigidBody("one", mass=1.0, inertia=(0.2, 0.2, 0.2))
    two = zm.RigidBody("two", mass=1.2, inertia=(0.3, 0.3, 0.4))
    rows = {
        "joint": one.point((0.0, 0.0, 0.5)) - two.point((0.1, 0.0, -0.5)),
        "spun up": zm.rate(one.angular_velocity)[2] - 0.7,
        "odd": two.quaternion[1] * two.quaternion[2] - 0.05,
    }
    return zm.System([one, two], gravity=9.81, constraints=rows)


def rubbed() -> zm.System:
    """A constraint force that does work in proportion to an acceleration."""
    body = zm.RigidBody("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    nonideal = {body.position[0]: -0.1 * zm.acceleration(body.position[2]), body.quaternion[1]: 0.2}
    return zm.System([body], gravity=9.81, constraints={"on": body.point((0.1, 0.2, -0.4))[2]}, nonideal=nonideal)


CASES = pytest.mark.parametrize("make", [symmetric, driven, pair, rubbed])


def starts(system: zm.System, beside: float) -> list[zm.State]:
    """States near the constraints: consistent ones, moved off them by some part."""
    random = np.random.default_rng(3)
    found = []
    for _ in range(6):
        guess = {
            x: float(v) for x, v in zip(system.coordinates, random.normal(size=len(system.coordinates)), strict=True)
        }
        rates = {x: float(v) for x, v in zip(system.rates, random.normal(size=len(system.rates)), strict=True)}
        state = system.start({}, guess={**guess, **rates})
        q, v = (x + beside * random.normal(size=len(x)) for x in (state.q, state.v))
        found.append(zm.State(system, 0.3, q, v, state.parameters))
    return found


@pytest.mark.slow
@CASES
@pytest.mark.parametrize("beside", [0.0, 0.1])
def test_the_motion_is_the_same_beside_the_constraints_too(make, beside):
    """q̈ and λ against the fundamental equation; the quaternion's length and its rate are off by a tenth too."""
    system = make()
    assert len(turning(system).bodies) == len([part for part in system.parts if isinstance(part, zm.RigidBody)])
    program = zm.compile(system, starts(system, 0.0)[0])
    values = Evaluator([*program.acceleration, *program.multipliers], system.inputs)
    n = len(system.coordinates)
    for state in starts(system, beside):
        found, motion = values(state.inputs), state.motion
        assert np.abs(found[:n] - motion.acceleration).max() <= ROUNDING * np.abs(motion.acceleration).max()
        reaction = state.matrices.A.T @ found[n:]
        left = state.matrices.M @ found[:n] - state.matrices.Q - state[system.C]
        assert np.abs(left - reaction).max() <= ROUNDING * np.abs(left).max()


@CASES
def test_corrections_take_residuals_away(make):
    """Aδ = −residual, and δᵀMδ is least: M δ is a combination of rows of A."""
    system = make()
    program = zm.compile(system, starts(system, 0.0)[0])
    for state in starts(system, 1e-3):
        A, M = state.matrices.A, state.matrices.M
        for level, name in enumerate(("positions", "velocities")):
            rows = [i for i, row in enumerate(system.rows) if row.level <= level]
            zeros = [zero for _, zero in system.zeros(level)]
            δ, residual = (Evaluator(list(e), system.inputs)(state.inputs) for e in (program.corrections[name], zeros))
            assert np.abs(A[rows] @ δ + residual).max() <= 1e-13
            force = M @ δ
            left = force - A[rows].T @ np.linalg.lstsq(A[rows].T, force, rcond=None)[0]
            assert np.abs(left).max() <= 1e-13


def test_a_body_with_other_mass_in_its_quaternion_keeps_it():
    """An energy of the quaternion's own rate is none of a rigid body."""
    body = zm.RigidBody("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    system = zm.System([body], kinetic=0.1 * zm.rate(body.quaternion[1]) ** 2, gravity=9.81)
    assert turning(system).bodies == []
    program = zm.compile(system, system.start([(body.angular_velocity, (1.0, 2.0, 3.0))]))
    state = system.start([(body.angular_velocity, (1.0, 2.0, 3.0))])
    found = Evaluator(list(program.acceleration), system.inputs)(state.inputs)
    assert np.abs(found - state.motion.acceleration).max() <= ROUNDING * np.abs(found).max()


def test_a_ball_needs_few_operations():
    """A ball in a bowl, with 13 coordinates and 11 rows: 715 operations by its quaternion."""
    ball = zm.Rolling(zm.bodies.ball(0.09, 1.0), on=zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2)), gravity=9.81)
    start = ball.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0))
    assert zm.compile(ball, start).operations <= 370
