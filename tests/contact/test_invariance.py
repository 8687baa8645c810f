"""The same motion seen otherwise: from a frame that moves, is turned or is a mirror, and in other units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from contact.lumps import lumpy
from contact.newton_euler import Body, attitude
from exact.measure import quaternion, relative, rotation

TIMES = np.linspace(0.0, 4.0, 41)
BODY = lumpy(np.random.default_rng(3), 0.1)
U = np.array([0.5, 0.5, -0.1, 0.7]) / np.linalg.norm([0.5, 0.5, -0.1, 0.7])
CONTACT, VELOCITY, SPIN = (0.5, -0.3), np.array([-0.6, 0.8, 0.0]), 3.0
BOUND = 1e-10
"""The motion is as sensitive as those of the second formulation. Measured: 4e-12 … 1e-11."""


def height(X: Any, Y: Any) -> Any:
    return 0.12 * X**2 + 0.03 * X * Y + 0.09 * Y**2 + 0.03 * np.sin(3 * X + 0.4) * np.cos(2.5 * Y)


def seen(
    surface: zm.Surface,
    *,
    body: Body = BODY,
    gravity: Any = (0.0, 0.0, -9.81),
    contact: Any = CONTACT,
    velocity: Any = VELOCITY[:2],
    spin: float = SPIN,
    orientation: Any = U,
    atol: float = 1e-15,
) -> dict[str, np.ndarray]:
    """Contact, rotation matrices, angular velocity, force and torque at C along a run."""
    sphere = zm.bodies.SphericalBody(body.radius, body.mass, body.J, body.rho)
    rolling = zm.Rolling(sphere, on=surface, gravity=gravity, two_sided=True)
    start = rolling.start(contact=contact, velocity=velocity, spin=spin, orientation=orientation)
    run = zm.simulate(rolling, start, until=TIMES[-1], rtol=1e-13, atol=atol).at(TIMES)
    return {
        "contact": run[rolling.contact],
        "attitude": run[rolling.body.rotation],
        "turning": run[rolling.body.angular_velocity],
        "force": run[rolling.reaction_force],
        "torque": run[rolling.torque_at_mass_center],
    }


@pytest.fixture(scope="module")
def plain() -> dict[str, np.ndarray]:
    return seen(zm.Surface(height))


def test_from_a_moving_frame(plain):
    """Galileo: all of it carried along at V, straight up included."""
    V = np.array([0.7, -0.4, 0.5])
    start = zm.Rolling(zm.bodies.SphericalBody(BODY.radius, BODY.mass, BODY.J, BODY.rho), on=zm.Surface(height))
    velocity = start.start(contact=CONTACT, velocity=VELOCITY[:2])[start.center_particle.velocity]
    carried = seen(zm.Surface(height, shift=V * zm.t), velocity=velocity + V)
    assert relative(carried.pop("contact"), plain["contact"] + np.outer(TIMES, V)) <= BOUND
    for name, values in carried.items():
        assert relative(values, plain[name]) <= BOUND, name


@pytest.mark.parametrize("angle", [0.4, 2.0])
def test_from_a_turned_frame(plain, angle):
    """Surface, gravity and start turned together, by so much that the surface is no height any more."""
    Q = rotation(np.array([2.0, -1.0, 2.0]) / 3, angle)[0]
    rolling = zm.Rolling(zm.bodies.SphericalBody(BODY.radius, BODY.mass, BODY.J, BODY.rho), on=zm.Surface(height))
    state = rolling.start(contact=CONTACT, velocity=VELOCITY[:2])
    turned = seen(
        zm.Surface(height, rotation=Q),
        gravity=Q @ (0.0, 0.0, -9.81),
        contact=Q @ state[rolling.contact],
        velocity=Q @ state[rolling.center_particle.velocity],
        orientation=quaternion(Q @ attitude(U)),
    )
    assert relative(turned.pop("attitude"), np.einsum("ij,tjk->tik", Q, plain["attitude"])) <= BOUND
    for name, values in turned.items():
        assert relative(values, plain[name] @ Q.T) <= BOUND, name


def test_in_a_mirror(plain):
    """Reflected in the plane y = 0, the body too: rates of turning and torques change sign the other way."""
    mirror = np.diag([1.0, -1.0, 1.0])
    image = seen(
        zm.Surface(lambda X, Y: height(X, -Y)),
        body=Body(BODY.radius, BODY.mass, mirror @ BODY.rho, mirror @ BODY.J @ mirror),
        contact=(CONTACT[0], -CONTACT[1]),
        velocity=(VELOCITY[0], -VELOCITY[1]),
        spin=-SPIN,
        orientation=U * (1, -1, 1, -1),
    )
    for name in ("contact", "force"):
        assert relative(image[name], plain[name] @ mirror) <= BOUND, name
    for name in ("turning", "torque"):
        assert relative(image[name], -plain[name] @ mirror) <= BOUND, name
    assert relative(image["attitude"], mirror @ plain["attitude"] @ mirror) <= BOUND


@pytest.mark.parametrize(("length", "mass"), [(1e2, 1e3), (1e-3, 1.0), (1e6, 1e9)], ids=["cm g", "km", "µm"])
def test_in_other_units(plain, length, mass):
    """Numbers of lengths and masses as they are in units smaller or larger by these factors."""
    other = seen(
        zm.Surface(lambda X, Y: length * height(X / length, Y / length)),
        body=Body(BODY.radius * length, BODY.mass * mass, BODY.rho * length, BODY.J * mass * length**2),
        gravity=(0.0, 0.0, -9.81 * length),
        contact=np.multiply(CONTACT, length),
        velocity=VELOCITY[:2] * length,
        atol=1e-15 * min(length, 1.0),
    )
    factors = {"contact": length, "attitude": 1, "turning": 1, "force": mass * length, "torque": mass * length**2}
    for name, values in other.items():
        assert relative(values, plain[name] * factors[name]) <= BOUND, name
