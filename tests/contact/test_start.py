"""Starts of rolling bodies: what is said of them is so, and the constraints give the rest."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.lumps import lumpy, spherical

BODY = spherical(lumpy(np.random.default_rng(5), 0.1))
MOVING = {
    "shift": (0.1 * np.sin(zm.t), 0.2 * zm.t, 0.05 * np.cos(zm.t)),
    "rotation": ((0.2, 0.0, 1.0), 0.7 * zm.t),
}


@pytest.fixture(scope="module")
def rolling() -> zm.Rolling:
    return zm.Rolling(BODY, on=zm.surfaces.paraboloid(0.2, **MOVING))


def residual(rolling: zm.Rolling, state: zm.State) -> float:
    positions = state[np.array([row.zero for row in rolling.rows if row.level == 0])]
    return max(np.abs(positions).max(), np.abs(state[rolling.velocity_constraints]).max())


@pytest.mark.parametrize("t", [0.0, 1.3])
def test_two_components_or_three(rolling, t):
    """Z and the vertical velocity follow, at any time, and giving them changes nothing."""
    given = {"spin": 2.5, "orientation": (0.3, 0.1, -0.4), "t": t}
    two = rolling.start(contact=(0.4, 0.3), velocity=(0.5, -0.6), **given)
    assert two.free == ()
    assert two.t == t
    assert two[rolling.contact[:2]] == pytest.approx((0.4, 0.3), abs=0)
    assert two[rolling.center_particle.velocity[:2]] == pytest.approx((0.5, -0.6), abs=1e-15)
    assert two[rolling.spin] == pytest.approx(2.5, abs=1e-14)
    assert residual(rolling, two) <= 1e-14
    three = rolling.start(contact=two[rolling.contact], velocity=two[rolling.center_particle.velocity], **given)
    assert three.q == pytest.approx(two.q, abs=1e-14)
    assert three.v == pytest.approx(two.v, abs=1e-12)


def test_velocity_against_the_surface(rolling):
    state = rolling.start(contact=(0.4, 0.3), velocity=(0.5, -0.6), relative=True, t=0.7)
    against = state[rolling.center_particle.velocity - rolling.surface.velocity(rolling.contact)]
    assert against[:2] == pytest.approx((0.5, -0.6), abs=1e-15)
    assert against @ state[rolling.normal] == pytest.approx(0, abs=1e-15)
    same = rolling.start(contact=(0.4, 0.3), velocity=against, relative=True, t=0.7)
    assert same.v == pytest.approx(state.v, abs=1e-12)


@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_spin_against_a_turntable(tilt):
    """With relative=True the body is carried by the turntable, velocity and spin; else both are against space."""
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    turning = zm.surfaces.plane(slope=tilt, rotation=(axis, 3.0 * zm.t))
    rolling = zm.Rolling(BODY, on=turning)
    carried = rolling.start(contact=(0.5, 0.0), relative=True, spin=0.25)
    assert carried[rolling.spin] == pytest.approx(3.25, abs=1e-13)
    at_rest = rolling.start(contact=(0.5, 0.0), relative=True)
    assert at_rest[rolling.body.angular_velocity] == pytest.approx(3.0 * axis, abs=1e-13)  # as part of the turntable
    assert rolling.start(contact=(0.5, 0.0), spin=0.25)[rolling.spin] == pytest.approx(0.25, abs=1e-13)


def test_at_rest_by_default():
    rolling = zm.Rolling(BODY, on=zm.surfaces.paraboloid(0.2))
    state = rolling.start(contact=(0.4, 0.3))
    assert np.abs(state.v).max() == 0.0
    assert state[rolling.body.quaternion] == pytest.approx((1, 0, 0, 0), abs=0)


def test_no_spin_follows_the_surface():
    """The body turns with the surface about the normal, and with nothing else."""
    rolling = zm.Rolling(BODY, on=zm.surfaces.paraboloid(0.2, **MOVING), no_spin=True)
    state = rolling.start(contact=(0.4, 0.3), velocity=(0.5, -0.6))
    assert state.free == ()
    turn = state[rolling.normal] @ state[rolling.surface.angular_velocity]
    assert abs(turn) > 0.1
    assert state[rolling.spin] == pytest.approx(turn, abs=1e-14)


@pytest.mark.parametrize(
    "orientation", [(0.6, 0.0, 0.8, 0.0), (0.0, 2 * np.arctan2(0.8, 0.6), 0.0)], ids=["quaternion", "rotation vector"]
)
def test_orientation(rolling, orientation):
    state = rolling.start(contact=(0.4, 0.3), orientation=orientation)
    assert state[rolling.body.quaternion] == pytest.approx((0.6, 0, 0.8, 0), abs=1e-15)
    assert state[rolling.body.rotation @ (1, 0, 0)] == pytest.approx((-0.28, 0, -0.96), abs=1e-15)


@pytest.mark.parametrize(
    ("surface", "contact"),
    [
        (zm.surfaces.paraboloid(0.2), (0.4, 0.3)),
        (zm.surfaces.cylinder(1.0), (1.0, 0.0, 0.2)),
        (zm.surfaces.cylinder(1.0, inside=True), (1.0, 0.0, 0.2)),
        (zm.surfaces.cylinder(1.0, inside=True), (0.6, -0.8, 0.2)),
    ],
    ids=["bowl", "along x", "against x", "sideways"],
)
def test_x_axis_along_the_normal(surface, contact):
    rolling = zm.Rolling(BODY, on=surface, two_sided=True)
    state = rolling.start(contact=contact, orientation="x-axis along the normal")
    assert state[rolling.body.rotation[:, 0]] == pytest.approx(state[rolling.normal], abs=1e-15)


def test_guess_picks_the_sheet():
    rolling = zm.Rolling(BODY, on=zm.surfaces.sphere(1.0, inside=True), two_sided=True)
    for sign in (1, -1):
        state = rolling.start(contact=(0.6, 0.0), guess=2.0 * sign)
        assert state[rolling.contact[2]] == pytest.approx(0.8 * sign, abs=1e-15)


def test_parameters_of_the_surface():
    bend = zm.parameter("bend", 0.2)
    rolling = zm.Rolling(BODY, on=zm.surfaces.paraboloid(bend))
    assert rolling.start(contact=(1, 0))[rolling.contact[2]] == pytest.approx(0.2, abs=1e-16)
    assert rolling.start(contact=(1, 0), parameters={bend: 0.3})[rolling.contact[2]] == pytest.approx(0.3, abs=1e-16)


def test_a_mapping_prescribes_any_expressions(rolling):
    """As of every system: here the body's angular velocity and attitude instead of its path."""
    state = rolling.start(
        [
            (rolling.contact[:2], (0.4, 0.3)),
            (rolling.body.quaternion, (1, 0, 0, 0)),
            (rolling.body.angular_velocity, (1.0, 2.0, 3.0)),
        ],
        guess=[(rolling.center, (0.4, 0.3, 0.2)), (rolling.body.position, (0.4, 0.3, 0.2))],
    )
    assert state.free == ()
    assert state[rolling.body.angular_velocity] == pytest.approx((1, 2, 3), abs=1e-14)
    assert residual(rolling, state) <= 1e-14


def test_forces_on_the_body():
    """A force F on a solid ball on a plane accelerates it by 5/7 F/m, and the surface's force is not part of it."""
    ball = zm.bodies.ball(0.1, 2.0)
    rolling = zm.Rolling(
        ball, on=zm.surfaces.plane(), forces=lambda rolling: zm.Force((1.4, 0, 0), at=rolling.body.position)
    )
    state = rolling.start(contact=(0, 0))
    assert state[zm.acceleration(rolling.center[0])] == pytest.approx(0.5, abs=1e-14)
    assert state[rolling.friction_force] == pytest.approx((-0.4, 0, 0), abs=1e-14)
    spring = zm.Rolling(
        ball, on=zm.surfaces.plane(), conserve_energy=True, forces=lambda rolling: zm.Spring(3.0, rolling.body.position)
    )
    assert any(row.name == "energy" for row in spring.rows)
