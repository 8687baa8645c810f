"""Discs and stones that roll on a plane, against exact solutions and against systems written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

m, R, g = 0.3, 0.05, 9.81
J1, J3 = m * R**2 / 4, m * R**2 / 2


@pytest.fixture(scope="module")
def coin() -> zm.Rolling:
    return zm.Rolling(zm.bodies.disc(R, m), on=zm.surfaces.plane(), gravity=g, two_sided=True)


def steady(coin: zm.Rolling, tilt: float, precession: float) -> tuple[zm.State, float]:
    """A disc whose axis is tilted from the vertical and goes round it at a rate Ω, and ω₃ about its own axis.

    Torque about the centre is the change of angular momentum of the steady precession:

        ω₃ = (J₁ Ω² sin θ − m R g) cos θ / (Ω sin θ (J₃ + m R²))
    """
    s, c, Ω = np.sin(tilt), np.cos(tilt), precession
    spin = (J1 * Ω**2 * s - m * R * g) * c / (Ω * s * (J3 + m * R**2))
    start = coin.start(
        [
            (coin.contact[:2], (0.0, 0.0)),
            (coin.body.quaternion, (np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0)),
            (coin.body.angular_velocity, Ω * np.array([0.0, 0.0, 1.0]) + (spin - Ω * c) * np.array([0.0, -s, c])),
        ]
    )
    return start, spin


@pytest.mark.parametrize(("tilt", "precession"), [(1.2, 3.0), (1.0, -7.0), (0.5, 20.0), (1.3, 2.0)])
def test_steady_rolling(coin, tilt, precession):
    """Tilt, rates and the circle of the centre stay; the circle has the radius R ω₃/Ω."""
    start, spin = steady(coin, tilt, precession)
    run = zm.simulate(coin, start, until=2.0, rtol=1e-13, atol=1e-15)
    axis = coin.body.rotation[:, 2]
    at = run.at(np.linspace(0.0, 2.0, 50))
    # the steady motion of some of them is unstable: a digit a second
    assert np.abs(at[axis[2]] - np.cos(tilt)).max() <= 1e-9
    assert np.abs(at[axis @ coin.body.angular_velocity] - spin).max() <= 1e-8 * abs(spin)
    speed = np.linalg.norm(at[coin.center_particle.velocity], axis=1)
    assert np.abs(speed - R * abs(spin)).max() <= 1e-8 * R * abs(spin)


def test_eulers_disc_does_not_move_its_centre(coin):
    """ω₃ = 0: Ω² = 4 g/(R sin θ), faster the flatter it lies."""
    tilt = np.radians(5.0)
    start, spin = steady(coin, tilt, np.sqrt(4 * g / (R * np.sin(tilt))))
    assert abs(spin) <= 1e-12
    run = zm.simulate(coin, start, until=1.0, rtol=1e-13, atol=1e-15)
    assert np.abs(run[coin.center] - run[coin.center][0]).max() <= 1e-10
    assert run[coin.normal_force] == pytest.approx(m * g, rel=1e-9)


@pytest.mark.parametrize("factor", [0.8, 1.2])
def test_rolling_upright_is_stable_above_a_speed(coin, factor):
    """A small lean ε of a disc that rolls straight, and turns by J₃ ω (ε − ε₀)/J₁ about the vertical:

        ε̈ = −σ² ε + k ε₀,   k = J₃ (J₃ + m R²) ω²/(J₁ (J₁ + m R²)),   σ² = k − m g R/(J₁ + m R²)

    σ² is zero at v² = g R/3.
    """
    speed = factor * np.sqrt(g * R / 3)
    lean = 1e-7
    start = coin.start(
        [
            (coin.contact[:2], (0.0, 0.0)),
            (coin.body.quaternion, (np.cos(np.pi / 4 - lean / 2), np.sin(np.pi / 4 - lean / 2), 0.0, 0.0)),
            (coin.body.angular_velocity_body, (0.0, 0.0, speed / R)),
        ]
    )
    k = J3 * (J3 + m * R**2) * (speed / R) ** 2 / (J1 * (J1 + m * R**2))
    square = k - m * g * R / (J1 + m * R**2)
    times = np.linspace(0.0, 0.4, 9)
    run = zm.simulate(coin, start, until=0.4, rtol=1e-12, atol=1e-18)
    expected = k / square + (1 - k / square) * np.cos(np.sqrt(complex(square)) * times).real
    assert run.at(times)[coin.body.rotation[2, 2]] / lean == pytest.approx(expected, rel=1e-7)


def test_a_rattleback_is_an_ellipsoid_on_a_plane():
    """The stone of the gallery, whose contact is written by hand there."""
    axes, below = np.array([0.2, 0.03, 0.02]), np.array([0.0, 0.0, 0.01])
    inertia = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
    stone, contact = zm.RigidBody("stone", mass=1.0, inertia=inertia), zm.Particle("contact", mass=0)
    down = -stone.rotation[2]
    lowest = axes**2 * down / np.sqrt(axes**2 @ down**2)
    by_hand = zm.System(
        [stone, contact],
        gravity=9.81,
        constraints={
            "support": contact.position - stone.point(below + lowest),
            "table": contact.position[2],
            "no slip": stone.velocity + np.cross(stone.angular_velocity, contact.position - stone.position),
        },
    )
    egg = zm.bodies.ellipsoid(axes, 1.0, inertia=inertia, center=below, name="stone")
    rolling = zm.Rolling(egg, on=zm.surfaces.plane(), gravity=9.81)
    told = []
    for system, body, place in ((by_hand, stone, contact.position), (rolling, rolling.body, rolling.contact)):
        start = system.start(
            [
                (body.quaternion, np.array([1, 0.004, 0.004, 0]) / np.sqrt(1 + 2 * 0.004**2)),
                (place[:2], (0.0, 0.0)),
                (body.angular_velocity_body, (0.0, 0.0, -5.0)),
            ]
        )
        run = zm.simulate(system, start, until=3.0, rtol=1e-12, atol=1e-15)
        told.append(run.at([1.0, 2.0, 3.0])[np.concatenate([body.quaternion, body.angular_velocity, place])])
    assert np.abs(told[1] - told[0]).max() <= 1e-9


def test_required_friction_of_an_egg_is_that_of_the_reaction():
    egg = zm.Rolling(zm.bodies.ellipsoid((0.1, 0.07, 0.05), 0.8), on=zm.surfaces.plane(0.2), friction=5.0)
    run = zm.simulate(egg, egg.start(contact=(0.0, 0.0), orientation=(0.2, 0.1, 0.0)), until=0.5)
    at = run.at(np.linspace(0.0, run.t[-1], 2000))
    F, n = at[egg.body.mass * zm.rate(egg.body.velocity) + np.array([0, 0, 0.8 * 9.81])], at[egg.normal]
    N = np.einsum("ti,ti->t", F, n)
    ratio = np.linalg.norm(F - N[:, None] * n, axis=1) / N
    assert run.required_friction().value == pytest.approx(ratio.max(), rel=1e-5)


def test_an_egg_slips_and_rolls():
    """Thrown along a plane without turning: friction is μ m g at first, and the energy lost is its work."""
    egg = zm.Rolling(zm.bodies.ellipsoid((0.06, 0.06, 0.05), 0.4), on=zm.surfaces.plane(), friction=0.3)
    slipping = egg.slipping
    thrown = slipping.start(
        [
            (egg.contact, 0.0),
            (egg.body.quaternion, (1.0, 0.0, 0.0, 0.0)),
            (egg.body.angular_velocity, 0.0),
            (egg.center_particle.velocity[:2], (1.0, 0.5)),
        ]
    )
    assert thrown[zm.rate(egg.body.velocity)][:2] == pytest.approx(
        -0.3 * 9.81 * np.array([1.0, 0.5]) / np.hypot(1.0, 0.5), rel=1e-9
    )
    run = zm.simulate(egg, thrown, until=1.0)
    assert run.modes[:2] == ("slipping", "rolling")
    certificate = run.certificate()
    assert certificate.digits > 6
