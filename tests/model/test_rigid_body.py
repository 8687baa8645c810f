"""Rigid bodies: the quaternion form of their motion says what Newton and Euler say.

"1e-12" below is relative to the terms compared: a hundred operations, and a mass matrix whose condition (largest over
smallest principal moment) is below 1e2 for the bodies drawn.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import inertia, random_state, relative

SEEDS = pytest.mark.parametrize("seed", range(20))


def E_of(u: np.ndarray) -> np.ndarray:
    """E of UM2022, eq. 1."""
    u0, u1, u2, u3 = u
    return np.array([[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]])


def free_body(seed: int, **more) -> tuple[zm.RigidBody, np.ndarray, zm.System, zm.State]:
    random = np.random.default_rng(seed)
    J = inertia(random)
    body = zm.RigidBody("body", mass=random.uniform(0.5, 5.0), inertia=J)
    if "forces" in more:
        more["forces"] = more["forces"](body, random)
    system = zm.System([body], **more)
    return body, J, system, random_state(system, random)


@SEEDS
def test_mass_matrix(seed):
    body, J, system, state = free_body(seed)
    M = state.matrices.M
    E = E_of(state.q[3:])
    m = float(body.mass)
    assert relative(M[:3, :3], m * np.eye(3)) == 0
    assert relative(M[3:, 3:], 4 * E.T @ J @ E) <= 1e-14  # sums of sixteen products
    assert np.all(M[:3, 3:] == 0)
    assert np.array_equal(M, M.T)
    assert np.linalg.matrix_rank(M, tol=1e-10 * np.abs(M).max()) == 6
    assert abs(state.v @ M @ state.v / 2 / state[system.kinetic] - 1) <= 1e-14


@SEEDS
def test_rotation_matrix(seed):
    body, _, _, state = free_body(seed)
    S = state[body.rotation]
    # |u|² = 1 to a few units of rounding, and S is quadratic in u
    assert relative(S @ S.T, np.eye(3)) <= 1e-14
    assert abs(np.linalg.det(S) - 1) <= 1e-14
    ω = state[body.angular_velocity_body]
    assert relative(state[body.angular_velocity], S @ ω) <= 1e-14
    # dS/dt x = ω × S x
    x = np.array([0.3, -1.0, 2.0])
    turning = state[zm.rate(body.rotate(x))]
    assert relative(turning, np.cross(state[body.angular_velocity], S @ x)) <= 1e-13
    assert relative(state[body.point(x)], state.q[:3] + S @ x) <= 1e-15


@SEEDS
def test_euler_equations(seed):
    """J ω̇ + ω × Jω = τ, in the body frame; and m ẍ = F + m g."""
    given: dict[str, np.ndarray] = {}

    def forces(body, random):
        given["τ"], given["F"] = random.normal(size=(2, 3))
        return [zm.Torque(body.rotate(given["τ"]), on=body), zm.Force(given["F"], at=body.position)]

    body, J, _, state = free_body(seed, forces=forces, gravity=(0.3, -1.0, 9.0))
    ω, dω = state[body.angular_velocity_body], state[zm.rate(body.angular_velocity_body)]
    left = J @ dω + np.cross(ω, J @ ω)
    size = np.abs(given["τ"]).max() + np.abs(J).max() * ω @ ω
    assert relative(left, given["τ"], size) <= 1e-12
    expected = given["F"] / float(body.mass) + np.array([0.3, -1.0, 9.0])
    assert relative(state[zm.acceleration(body.position)], expected) <= 1e-14


@SEEDS
def test_angular_momentum(seed):
    """d(S J ω)/dt is the torque: zero without one, whatever gravity does."""
    for torque in (np.zeros(3), np.array([0.4, -0.1, 0.7])):

        def forces(body, random, torque=torque):
            return zm.Torque(torque, on=body)

        body, J, _, state = free_body(seed, forces=forces, gravity=9.81)
        H = body.rotate(J @ body.angular_velocity_body)
        size = np.abs(J).max() * state.v[3:] @ state.v[3:] * 4
        assert relative(state[zm.rate(H)], torque, size + 1) <= 1e-12


@SEEDS
def test_energy_is_kept_without_forces(seed):
    _, _, system, state = free_body(seed, gravity=9.81)
    power = state[zm.rate(system.energy)]
    assert abs(power) <= 1e-12 * (1 + state[system.kinetic]) * (1 + np.abs(state.v).max())


@SEEDS
def test_force_at_a_point_is_force_and_torque(seed):
    """F at x_C + S p moves the body as F at x_C with the torque S p × F does.

    The quaternion components of the generalised force differ along u, where the norm constraint takes them up; the
    accelerations do not.
    """
    random = np.random.default_rng(seed)
    p, F = random.normal(size=(2, 3))
    _, _, _, once = free_body(seed, forces=lambda body, _: zm.Force(F, at=body.point(p)))
    _, _, _, twice = free_body(
        seed,
        forces=lambda body, _: [
            zm.Force(F, at=body.position),
            zm.Torque(np.cross(body.rotate(p), F), on=body),
        ],
    )
    assert np.array_equal(once.q, twice.q)
    assert relative(once.motion.acceleration, twice.motion.acceleration) <= 1e-12


def test_principal_moments_are_a_diagonal_matrix():
    a = zm.RigidBody("a", mass=1, inertia=(1.0, 2.0, 2.5))
    b = zm.RigidBody("b", mass=1, inertia=np.diag([1.0, 2.0, 2.5]))
    assert np.array_equal(a.inertia.astype(float), b.inertia.astype(float))


def test_the_norm_of_the_quaternion_comes_with_the_body():
    body = zm.RigidBody("body", mass=1, inertia=(1, 1, 1))
    system = zm.System([body])
    assert [row.name for row in system.rows] == ["body unit quaternion"]
    assert system.check().unique
    assert system.check().degrees_of_freedom == 6
    # the natural first guess is no rotation
    assert np.array_equal(system.start().q, [0, 0, 0, 1, 0, 0, 0])


def test_masses_of_many_bodies_are_parameters_of_their_system_though_no_energy_is_written():
    mass, moment = zm.parameter("m", 1.0), zm.parameter("J", 0.5)
    bodies = [zm.RigidBody(f"b{k}", mass, (moment, 0.6, 0.7)) for k in range(20)]
    system = zm.System(bodies, gravity=9.81)
    assert system.large
    assert {*system.parameters} == {mass, moment}
    assert not any("kinetic" in vars(body) for body in bodies)
    v, ω = bodies[3].velocity, bodies[3].angular_velocity_body
    assert bodies[3].kinetic is mass / 2 * (v @ v) + ω @ bodies[3].inertia @ ω / 2
