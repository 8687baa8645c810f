"""Surfaces without friction, and with all that is needed: the two ends of the coefficient."""

import numpy as np
import pytest

import zeromass as zm

AXES = np.array([0.05, 0.04, 0.03])
INERTIA = 0.2 / 5 * np.array([AXES[1] ** 2 + AXES[2] ** 2, AXES[0] ** 2 + AXES[2] ** 2, AXES[0] ** 2 + AXES[1] ** 2])


def test_an_ellipsoid_on_a_smooth_table_keeps_momentum_spin_and_energy():
    smooth = zm.Rolling(zm.bodies.ellipsoid(AXES, 0.2), on=zm.surfaces.plane(), gravity=9.81, friction=0.0)
    start = smooth.start(contact=(0.0, 0.0), orientation=(0.3, -0.2, 0.1), velocity=(0.2, 0.1), spin=3.0)
    run = zm.simulate(smooth, start, until=0.6, rtol=1e-11, atol=1e-13)
    assert run.modes == ("slipping",)
    body = smooth.body
    about_z = (body.rotation @ (INERTIA * body.angular_velocity_body))[2]
    for kept in (body.velocity[0], body.velocity[1], about_z, smooth.energy):
        values = run[kept]
        assert np.ptp(values) <= 1e-10 * max(1.0, np.abs(values).max())
    assert run[smooth.friction_magnitude].max() < 1e-14


def test_a_ball_that_does_not_turn_swings_in_a_smooth_bowl_as_a_pendulum():
    bowl = zm.surfaces.sphere(1.1, inside=True)
    smooth = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl, gravity=9.81, friction=0.0)
    place = 1.1 * np.array([np.sin(0.8), 0.0, -np.cos(0.8)])
    still = [(smooth.contact, place), (smooth.center_particle.velocity, 0.0), (smooth.body.angular_velocity, 0.0)]
    run = zm.simulate(smooth, smooth.slipping.start(still), until=3.0)
    angle = zm.coordinate("angle")
    pendulum = zm.System(kinetic=zm.rate(angle) ** 2 / 2, potential=-9.81 * np.cos(angle))
    exact = zm.simulate(pendulum, pendulum.start({angle: 0.8}), until=3.0, rtol=1e-12)
    assert run.state(3.0)[smooth.center[0]] == pytest.approx(np.sin(exact.state(3.0)[angle]), abs=1e-8)
    assert np.abs(run[smooth.body.angular_velocity]).max() < 1e-12


def test_it_bounces_on_a_smooth_plate_that_rises_with_the_energy_of_the_plates_frame():
    e, u, g = 0.7, 0.8, 10.0
    plate = zm.surfaces.plane(shift=(0.0, 0.0, u * zm.t))
    smooth = zm.Rolling(zm.bodies.ball(0.05, 0.3), on=plate, gravity=g, friction=0.0, restitution=e)
    run = zm.simulate(smooth, smooth.flying.start(center=(0.0, 0.0, 1.05), velocity=(0.2, 0.0, 0.0)), until=0.6)
    strikes = (-u + np.sqrt(u**2 + 2 * g)) / g
    assert run.impulses[0].t == pytest.approx(strikes, abs=1e-12)
    after = run.state(strikes + 0.01)[smooth.body.velocity]
    assert after == pytest.approx([0.2, 0.0, u + e * (g * strikes + u) - g * 0.01], abs=1e-10)


def test_infinite_friction_is_as_much_as_is_needed():
    steep = zm.surfaces.plane(1.2)
    ends = []
    for given in (None, np.inf):
        rolling = zm.Rolling(zm.bodies.ball(0.05, 0.3), on=steep, gravity=9.81, friction=given)
        ends.append(zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=1.0).state(1.0)[rolling.center])
    assert np.array_equal(*ends)
    room = zm.Contacts(zm.bodies.ball(0.05, 0.3), on={"floor": zm.surfaces.plane()}, friction={"floor": np.inf})
    assert room["floor"].friction is None
