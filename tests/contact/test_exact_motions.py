"""Motions of rolling balls that are known in closed form; k = I/(m r²) is 2/5 of a solid ball and 2/3 of a thin shell.

A bound is two to five times the error measured, which each test states.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import zeromass as zm
from exact.measure import exact_run, relative, rotation

m, r, g = 0.3, 0.08, 9.81
UP = np.array([0.0, 0.0, 1.0])
BALLS = {"solid": (2 / 5, zm.bodies.ball(r, m)), "hollow": (2 / 3, zm.bodies.shell(r, r, m))}
both = pytest.mark.parametrize(("k", "ball"), BALLS.values(), ids=BALLS)
UNEVEN = zm.bodies.SphericalBody(
    0.1, 0.5, [[2.0e-3, 1e-4, 0], [1e-4, 2.4e-3, 2e-4], [0, 2e-4, 2.8e-3]], (0.02, -0.01, 0.015)
)


@both
def test_incline(k, ball):
    """a = g sin α/(1 + k) down the slope and friction k/(1 + k) tan α [Landau & Lifshitz, Mechanics, §38].

    Measured: 7e-13, forces 1e-14.
    """
    α, times = 0.35, np.linspace(0.0, 2.0, 41)
    rolling = zm.Rolling(ball, on=zm.surfaces.plane(slope=α))
    start = rolling.start(contact=(0.2, -0.1), velocity=(-0.5, 0.4), spin=2.0)
    run = exact_run(rolling, start, times[-1])
    a = g * np.sin(α) / (1 + k) * np.cos(α)
    place = np.array([0.2 - 0.5 * times + a * times**2 / 2, -0.1 + 0.4 * times]).T
    assert relative(run.at(times)[rolling.contact[:2]], place) <= 2e-12
    assert relative(run.at(times)[rolling.normal_force], np.full(41, m * g * np.cos(α))) <= 1e-14
    assert relative(run.at(times)[rolling.friction_ratio], np.full(41, k / (1 + k) * np.tan(α))) <= 5e-14
    assert run.required_friction().value == pytest.approx(k / (1 + k) * np.tan(α), rel=5e-14)


@pytest.mark.parametrize("drive", ["rotation", "velocity"])
@both
def test_turntable(k, ball, drive):
    """The contact runs on a circle at k/(1 + k) of the table's rate, however the table is written
    [Weltner, Am. J. Phys. 47 (1979) 984].

    Measured in 6 s: 5e-12.
    """
    Ω, times = 2.5, np.linspace(0.0, 6.0, 61)
    motion = {"rotation": (UP, Ω * zm.t)} if drive == "rotation" else {"velocity": lambda p: np.cross(Ω * UP, p)}
    rolling = zm.Rolling(ball, on=zm.surfaces.plane(**motion))
    p0, v0, rate = np.array([0.4, -0.1, 0.0]), np.array([0.2, 0.5, 0.0]), k / (1 + k) * Ω
    run = exact_run(rolling, rolling.start(contact=p0, velocity=v0, spin=3.0), times[-1]).at(times)
    c = p0 + np.cross(UP, v0) / rate
    assert relative(run[rolling.contact], c + rotation(UP, rate * times) @ (p0 - c)) <= 1e-11
    assert relative(run[rolling.spin], np.full(61, 3.0)) <= 1e-11


@both
def test_inside_a_vertical_cylinder(k, ball):
    """The ball does not fall out: its height oscillates at φ̇ √(k/(1 + k)) [Gualtieri et al.,
    Am. J. Phys. 74 (2006) 497].

    With ω_ρ(0) the first outward part of the angular velocity, (1 + k) z̈ = −g − k φ̇² (z − z₀ + r ω_ρ(0)/φ̇).
    Measured in 5 s, five turns of the ball round the cylinder and thirty of its own: 1.5e-11.
    """
    R, φ_rate, fall, out = 0.5, 7.0, 0.3, 2.0
    times = np.linspace(0.0, 5.0, 51)
    rolling = zm.Rolling(ball, on=zm.surfaces.cylinder(R, inside=True))
    start = rolling.start(contact=(R, 0, 0.7), velocity=(0, (R - r) * φ_rate, fall), spin=-out)
    run = exact_run(rolling, start, times[-1]).at(times)
    ν, middle = φ_rate * np.sqrt(k / (1 + k)), 0.7 - r * out / φ_rate - g / (k * φ_rate**2)
    z = middle + (0.7 - middle) * np.cos(ν * times) + fall / ν * np.sin(ν * times)
    expected = np.array([R * np.cos(φ_rate * times), R * np.sin(φ_rate * times), z]).T
    assert relative(run[rolling.contact], expected) <= 5e-11
    assert relative(run[rolling.normal_force], np.full(51, m * (R - r) * φ_rate**2)) <= 1e-11


@pytest.mark.parametrize("θ0", [0.02, 0.5])
@both
def test_leaving_a_fixed_sphere(k, ball, θ0):
    """From rest, cos θ = 2/(3 + k) cos θ₀ ends the contact: 10/17 cos θ₀ of a solid ball. Measured: 1e-13."""
    R = 0.6
    rolling = zm.Rolling(ball, on=zm.surfaces.sphere(R))
    start = rolling.start(contact=(R * np.sin(θ0), 0.0), guess=R)
    run = exact_run(rolling, start, 20.0)
    assert "'contact lost'" in run.outcome.message
    assert [event.name for event in run.events] == ["contact lost"]
    assert run[rolling.normal[2]][-1] == pytest.approx(2 / (3 + k) * np.cos(θ0), abs=5e-13)


@both
def test_swinging_in_a_spherical_bowl(k, ball):
    """In a plane the ball swings as a pendulum of length (1 + k)(R − r), sin θ/2 = sin θ₀/2 · sn(K − ωt).

    Measured: 8e-13.
    """
    R, θ0, times = 0.5, 1.2, np.linspace(0.0, 5.0, 51)
    rolling = zm.Rolling(ball, on=zm.surfaces.sphere(R, inside=True))
    start = rolling.start(contact=(R * np.sin(θ0), 0, -R * np.cos(θ0)))
    run = exact_run(rolling, start, times[-1]).at(times)
    ω, modulus = np.sqrt(g / ((1 + k) * (R - r))), np.sin(θ0 / 2) ** 2
    θ = 2 * np.arcsin(np.sin(θ0 / 2) * ellipj(ellipk(modulus) - ω * times, modulus)[0])
    assert relative(run[rolling.contact], R * np.array([np.sin(θ), 0 * θ, -np.cos(θ)]).T) <= 3e-12


def test_small_swings_in_a_spherical_bowl():
    """ω² = 5/7 g/(R − r) for a solid ball, up to a part θ₀²/8 for an amplitude θ₀."""
    R, θ0 = 0.5, 1e-4
    rolling = zm.Rolling(BALLS["solid"][1], on=zm.surfaces.sphere(R, inside=True))
    start = rolling.start(contact=(R * np.sin(θ0), 0, -R * np.cos(θ0)))
    passing = zm.Event("bottom", rolling.contact[0], terminal=False)
    run = zm.simulate(rolling, start, until=10.0, rtol=1e-13, atol=1e-17, events=passing)
    times = [event.t for event in run.events]
    ω = np.pi * (len(times) - 1) / (times[-1] - times[0])
    assert ω**2 == pytest.approx(5 / 7 * g / (R - r), rel=2 * θ0**2 / 8)


def test_chaplygin_ball():
    """Energy and all space-fixed components of the angular momentum about the contact are constant [C1903].

    Measured in 10 s: energy 1e-14, momentum 5e-14.
    """
    body = zm.bodies.SphericalBody(0.1, 0.8, (1.5e-3, 2.2e-3, 3.1e-3))
    rolling = zm.Rolling(body, on=zm.surfaces.plane())
    start = rolling.start(contact=(0, 0), velocity=(0.4, -0.3), spin=5.0, orientation=(0.3, -0.7, 1.1))
    run = exact_run(rolling, start, 10.0)
    own = rolling.body.rotate(rolling.body.inertia @ rolling.body.angular_velocity_body)
    momentum = run[own + np.cross(body.radius * rolling.normal, body.mass * rolling.body.velocity)]
    assert relative(momentum, np.broadcast_to(momentum[0], momentum.shape)) <= 2e-13
    assert relative(run[rolling.energy], np.full(len(run), run[rolling.energy][0])) <= 5e-14
    assert np.ptp(run[rolling.body.angular_velocity], axis=0).min() > 0.2  # it tumbles


@pytest.mark.parametrize("drive", ["belt", "shifted plane"])
@both
def test_conveyor_belt(k, ball, drive):
    """(1 + k) v̇ = k V̇ + g sin α on a belt of speed V(t) down a slope α.

    Measured in 3 s: 1e-13, friction 5e-15.
    """
    α, ν, V, times = 0.1, 3.0, 0.8, np.linspace(0.0, 3.0, 31)
    down = np.array([np.cos(α), 0.0, -np.sin(α)])
    speed, place = V * np.sin(ν * zm.t), -V / ν * np.cos(ν * zm.t)
    motion = {"velocity": speed * down} if drive == "belt" else {"shift": place * down}
    rolling = zm.Rolling(ball, on=zm.surfaces.plane(slope=α, **motion))
    start = rolling.start(contact=(0, 0), velocity=(0.1, 0.2))
    run = exact_run(rolling, start, times[-1]).at(times)
    κ, a = k / (1 + k), g * np.sin(α) / (1 + k)
    along = 0.1 / np.cos(α) * times + a * times**2 / 2 + κ * V / ν * (1 - np.cos(ν * times))
    expected = along[:, None] * down + np.outer(0.2 * times, (0, 1, 0))
    assert relative(run[rolling.contact], expected) <= 5e-13
    friction = m * κ * (V * ν * np.cos(ν * times) - g * np.sin(α))
    assert relative(run[rolling.friction_force], friction[:, None] * down) <= 2e-14


@pytest.mark.parametrize("drive", ["height", "shift"])
def test_rising_plane(drive):
    """A plane that rises as a t²/2 is a plane at rest where gravity is g + a. Measured in 3 s: 4e-13."""
    a, times = 2.5, np.linspace(0.0, 3.0, 31)
    height = a * zm.t**2 / 2
    rising = zm.Surface(lambda X, Y: height + 0 * X) if drive == "height" else zm.surfaces.plane(shift=(0, 0, height))
    given = {"contact": (0.1, 0.2), "velocity": (0.5, -0.4), "spin": 3.0, "orientation": (0.4, 0.2, -0.9)}
    values = []
    for rolling in (zm.Rolling(UNEVEN, on=rising), zm.Rolling(UNEVEN, on=zm.surfaces.plane(), gravity=g + a)):
        run = exact_run(rolling, rolling.start(**given), times[-1]).at(times)
        values.append([run[e] for e in (rolling.contact, rolling.body.quaternion, rolling.reaction_force)])
    (place, *rest), (still, *others) = values
    assert relative(place, still + np.outer(a * times**2 / 2, UP)) <= 2e-12
    for e, other in zip(rest, others, strict=True):
        assert relative(e, other) <= 2e-12
