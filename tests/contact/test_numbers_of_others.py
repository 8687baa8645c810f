"""What others have printed of bodies that roll: integrals, frequencies, exponents; the gallery shows the same motions."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

g = 9.81
UP = np.array([0.0, 0.0, 1.0])


# a ball in a vertical tube -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "k"), [(zm.bodies.ball(0.1, 0.5), 2 / 5), (zm.bodies.shell(outer=0.1, inner=0.1, mass=0.5), 2 / 3)]
)
def test_a_ball_in_a_tube_swings_and_does_not_fall(body, k):
    """z = −g/(k φ̇²) (1 − cos νt), ν = φ̇ √(k/(1 + k)) [R1884].

    Between the steps too, 500 of them, and pivots that are chosen anew four times a round: 1e-9 of 3 m.
    """
    R, around = 0.5, 4.0
    rolling = zm.Rolling(body, on=zm.surfaces.cylinder(radius=R, inside=True), gravity=g)
    start = rolling.start(contact=(R, 0.0, 0.0), velocity=(0.0, around * (R - 0.1), 0.0))
    run = zm.simulate(rolling, start, until=4.0, rtol=1e-12, atol=1e-14)
    ν = around * np.sqrt(k / (1 + k))
    dense = run.at(np.linspace(0.0, 4.0, 3001))
    np.testing.assert_allclose(dense[rolling.center[2]], -g / (k * around**2) * (1 - np.cos(ν * dense.t)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(dense[rolling.contact[:2]], axis=1), R, rtol=1e-12)
    np.testing.assert_allclose(run[rolling.normal_force], 0.5 * (R - 0.1) * around**2, rtol=1e-10)


# surfaces of revolution that turn ------------------------------------------------------------------------------------
def angular_momentum(rolling: zm.Rolling) -> zm.expression.Expression:
    """About the vertical through the origin, spin included."""
    body = rolling.body
    own = body.rotate(body.inertia @ body.angular_velocity_body)
    return body.mass * np.cross(body.position, body.velocity)[2] + own[2]


@pytest.mark.parametrize("name", ["cone", "paraboloid"])
def test_the_moving_energy_is_kept_on_a_surface_that_turns(name):
    """E − Ω L, where E changes [DF2021]."""
    Ω, spun = 5.0, {"rotation": ((0, 0, 1), 5.0 * zm.t)}
    on = zm.surfaces.cone(slope=0.5, **spun) if name == "cone" else zm.surfaces.paraboloid(0.8, **spun)
    rolling = zm.Rolling(zm.bodies.ball(0.02, 0.1), on=on, gravity=g)
    start = rolling.start(contact=(0.4, 0.0), velocity=(0.1, 1.2), spin=-10.0, guess=0.2)
    run = zm.simulate(rolling, start, until=3.0, rtol=1e-12, atol=1e-15)
    kept, energy = run[rolling.energy - Ω * angular_momentum(rolling)], run[rolling.energy]
    assert np.ptp(energy) > 0.01
    assert np.ptp(kept) < 1e-11


def test_a_ball_on_a_turning_cone_can_stay_at_its_height():
    """Circles [BI2018]: ω along the slope from rolling, and about the normal from k m r² ω̇ = −r n × m (a − g)."""
    r, Ω, slope, ρ, w, k = 0.02, 5.0, 0.5, 0.4, 2.0, 2 / 5
    rolling = zm.Rolling(
        zm.bodies.ball(r, 0.1), on=zm.surfaces.cone(slope=slope, rotation=((0, 0, 1), Ω * zm.t)), gravity=g
    )
    s, c = np.sin(np.arctan(slope)), np.cos(np.arctan(slope))
    along = (Ω * (ρ + r * s) - ρ * w) / r
    spin = (along * c - (ρ * w**2 * c - g * s) / (k * r * w)) / s
    start = rolling.start(contact=(ρ + r * s, 0.0), velocity=(0.0, ρ * w), spin=spin, guess=0.2)
    np.testing.assert_allclose(start[zm.rate(rolling.center_particle.velocity)], (-ρ * w**2, 0, 0), atol=1e-11)


# rubber --------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def lens() -> zm.Rolling:
    return zm.Rolling(
        zm.bodies.ellipsoid((0.15, 0.15, 0.06), mass=1.0), on=zm.surfaces.plane(), gravity=g, no_spin=True
    )


def tilted(lens: zm.Rolling, tilt: float, factor: float) -> tuple[zm.State, float]:
    """A start with a part of the k of the permanent rotation, k² = m g (a² − c²) sin⁴ ϑ/z, and that k."""
    (a, _, c), (I1, _, I3) = lens.solid.outline.axes, lens.solid.inertia  # type: ignore[attr-defined]
    s, z = np.sin(tilt), np.hypot(a * np.sin(tilt), c * np.cos(tilt))
    k = np.sqrt(g * (a**2 - c**2) / z) * s**2
    ω = factor * k / np.sqrt(I1 * np.cos(tilt) ** 2 + I3 * s**2 + z**2) * np.array([0, -np.cos(tilt) / s, 1])
    turn = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)
    body = lens.body
    return lens.start([(lens.contact[:2], (0, 0)), (body.quaternion, turn), (body.angular_velocity_body, ω)]), k


def test_rubber_keeps_its_integral(lens):
    """ω₃ √(I₁ cos² ϑ + I₃ sin² ϑ + m z²) [K2025]."""
    start, _ = tilted(lens, 1.0, 1.3)
    run = zm.simulate(lens, start, until=2.0, rtol=1e-13, atol=1e-15)
    I1, _, I3 = lens.solid.inertia
    up = lens.body.rotation[2, 2]
    N = np.sqrt(I1 * up**2 + I3 * (1 - up**2) + lens.center[2] ** 2)
    kept = run[lens.body.angular_velocity_body[2] * N]
    assert np.ptp(run[up]) > 0.3
    assert np.ptp(kept) < 1e-11 * abs(kept[0])


def test_rubber_in_a_circle_and_near_it(lens):
    """A permanent rotation stays; swings near it have ν² = V″/B, V = k²/(2 sin² ϑ) + m g z, B = I₁ + m |s|² [KP2024]."""
    (a, _, c), (I1, _, _) = lens.solid.outline.axes, lens.solid.inertia
    tilt, up = 1.0, lens.body.rotation[2, 2]
    still, k = tilted(lens, tilt, 1.0)
    run = zm.simulate(lens, still, until=2.0, rtol=1e-13, atol=1e-15)
    assert np.abs(run[up] - np.cos(tilt)).max() < 1e-11

    def V(ϑ: float) -> float:
        return k**2 / (2 * np.sin(ϑ) ** 2) + g * np.hypot(a * np.sin(ϑ), c * np.cos(ϑ))

    h = 1e-3
    bend = (16 * (V(tilt + h) + V(tilt - h)) - V(tilt + 2 * h) - V(tilt - 2 * h) - 30 * V(tilt)) / (12 * h**2)
    z = np.hypot(a * np.sin(tilt), c * np.cos(tilt))
    slope = (a**2 - c**2) * np.sin(tilt) * np.cos(tilt) / z
    ν = np.sqrt(bend / (I1 + z**2 + slope**2))
    near, _ = tilted(lens, tilt, 1.0 + 1e-6)
    turning = zm.Event("turning", zm.rate(up), terminal=False)
    swing = zm.simulate(lens, near, until=2.2 * 2 * np.pi / ν, events=turning, rtol=1e-13, atol=1e-16)
    times = [event.t for event in swing.events if event.t > 0.1 / ν]
    assert np.pi / np.diff(times).mean() == pytest.approx(ν, rel=1e-5)


# Euler's disc --------------------------------------------------------------------------------------------------------
def spun_disc(tilt: float, **given) -> tuple[zm.Run, np.ndarray]:
    """A coin whose centre rests, with some loss, and its tilt along the run."""
    R = 0.0375
    coin = zm.Rolling(zm.bodies.disc(R, 0.44), on=zm.surfaces.plane(), gravity=g, **given)
    s, c = np.sin(tilt), np.cos(tilt)
    ω = np.sqrt(4 * g / (R * s)) * (UP - c * np.array([0, -s, c]))
    turn = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)
    start = coin.start([(coin.contact[:2], (0, 0)), (coin.body.quaternion, turn), (coin.body.angular_velocity, ω)])
    run = zm.simulate(coin, start, until=20.0, rtol=1e-10, atol=1e-13)
    assert "lies flat" in str(run.outcome)
    return run, np.arcsin(np.sqrt(1 - run[coin.body.rotation[2, 2]] ** 2))


def ended(t: np.ndarray, α: np.ndarray, power: float) -> tuple[float, float]:
    """The exponent of the end, and the speed at which a power of the tilt falls."""
    rate, rest = np.polyfit(t, α**power, 1)
    return float(np.polyfit(np.log(-rest / rate - t), np.log(α), 1)[0]), -float(rate)


def test_eulers_disc_ends_with_the_exponent_two_thirds():
    """A loss −M γ̇ as the contact goes along the rim: α ~ (t₁ − t)^(2/3) [L2009], but for the little that it rolls."""
    m, R, M = 0.44, 0.0375, 2e-5

    def along_the_rim(coin: zm.Rolling) -> zm.Torque:
        k = coin.body.rotate((0, 0, 1))
        sine = np.sqrt(1 - k[2] ** 2)
        return zm.Torque(M * (k + k[2] / sine * (k[2] * k - UP) / sine), on=coin.body)

    run, α = spun_disc(np.radians(4.0), forces=along_the_rim, two_sided=True)
    late = (α < 0.06) & (α > 6e-3)
    exponent, speed = ended(run.t[late], α[late], 3 / 2)
    assert exponent == pytest.approx(2 / 3, abs=2e-3)
    assert speed == pytest.approx(2 * M / (m * g * R) * np.sqrt(g / R), rel=1e-2)


def test_eulers_disc_ends_with_the_exponent_two_by_rolling_resistance():
    """E = 3/2 m g R sin α and a power −l N Ω sin α cos α, Ω² = 4 g/(R sin α): √α falls at 2 l/(3 R) √(g/R).

    The law is one for small α, and what is missing of it falls as α does, since the centre comes to rest the better.
    """
    R, l = 0.0375, 1e-4
    run, α = spun_disc(np.radians(4.0), rolling_resistance=l)
    law = 2 * l / (3 * R) * np.sqrt(g / R)
    exponents, off = [], []
    for low, high in ((6e-3, 6e-2), (6e-4, 6e-3), (1e-4, 6e-4)):
        late = (α < high) & (α > low)
        exponent, speed = ended(run.t[late], α[late], 1 / 2)
        exponents.append(exponent)
        off.append(abs(speed / law - 1))
    assert exponents == pytest.approx([2.0] * 3, abs=1e-2)
    assert off[0] < 1e-2
    assert off[2] < 1e-3
    assert off[0] > off[1] > off[2]


# a rattleback --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def stone() -> zm.Rolling:
    """That of [KL1982], without its damping."""
    I = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
    body = zm.bodies.ellipsoid((0.2, 0.03, 0.02), mass=1.0, inertia=I, center=(0, 0, 0.01))
    return zm.Rolling(body, on=zm.surfaces.plane(), gravity=g, two_sided=True)


def pitch_and_roll() -> list[tuple[float, np.ndarray, float]]:
    """ω², shape u with uᵀJu = 1 and κ = m h (ρ₁ − ρ₂) u₁ u₂ of both modes of the stone, the slower first."""
    m, h, (a, b, c) = 1.0, 0.01, (0.2, 0.03, 0.02)
    ρ = np.array([a, b]) ** 2 / c
    J = np.array([[2e-4, -2e-5], [-2e-5, 1.6e-3]]) + m * h**2 * np.eye(2)
    squares, modes = (x.real for x in np.linalg.eig(np.linalg.solve(J, m * g * np.diag(ρ[::-1] - h))))
    shapes = [modes[:, k] / np.sqrt(modes[:, k] @ J @ modes[:, k]) for k in np.argsort(squares)]
    return [(x, u, m * h * (ρ[0] - ρ[1]) * u[0] * u[1]) for x, u in zip(np.sort(squares), shapes, strict=True)]


@pytest.mark.parametrize(("mode", "spins", "off"), [(1, (0.4, 0.2), 3e-3), (0, (1.6, 0.8), 6e-3)])
def test_a_rattleback_turns_back_in_the_time_of_garcia_and_hubbard(stone, mode, spins, off):
    """2 artanh(n₀/n∞)/(κ n∞) [GH1988; KN2017], for small spins of both ways: what is missing falls with their square.

    But for a part of a swing of the mode, by which a spin that wobbles with it is zero earlier or later.
    """
    square, u, κ = pitch_and_roll()[mode]
    body, I, missing = stone.body, 1.7e-3, []
    for spin in spins:
        tilt = 0.1 * spin * np.sqrt(I / square) * u  # 1 % of the energy: uᵀJu is 1
        angle = np.linalg.norm(tilt)
        turn = (np.cos(angle / 2), *(np.sin(angle / 2) * tilt / angle), 0.0)
        ω = (0, 0, -np.sign(κ) * spin)
        start = stone.start([(stone.contact[:2], (0, 0)), (body.quaternion, turn), (body.angular_velocity, ω)])
        event = zm.Event("turns back", body.angular_velocity[2])
        run = zm.simulate(stone, start, until=400.0, events=event, rtol=1e-10)
        most = spin * np.sqrt(1.01)
        missing.append(run.t[-1] * abs(κ) * most / (2 * np.arctanh(spin / most)) - 1)
    assert abs(missing[1]) < off
    assert missing[0] / missing[1] == pytest.approx(4.0, rel=0.1)


def test_pitching_and_rolling_of_a_rattleback_grow_and_die_out(stone):
    """−κ n/2 of either at a spin n, with a ratio of (ω₁/ω₂)² and opposite signs [MT2008]; the law is one for small n."""
    body, up = stone.body, stone.body.rotation[2, :2]
    kept = {"x": up[0], "y": up[1], "rate of x": zm.rate(up[0]), "rate of y": zm.rate(up[1])}
    (slow, _, roll), (fast, _, pitch) = pitch_and_roll()
    assert pitch / roll == pytest.approx(-fast / slow, rel=1e-12)
    off = []
    for n in (0.02, 0.01):
        still = [(stone.contact[:2], (0, 0)), (body.quaternion, (1, 0, 0, 0)), (body.angular_velocity, (0, 0, n))]
        found = sorted(zm.analysis.linearize(stone, stone.start(still), states=kept).eigenvalues, key=abs)
        assert found[0].real == pytest.approx(-roll * n / 2, rel=1e-5)
        assert found[2].real == pytest.approx(-pitch * n / 2, rel=1e-5)
        off.append(found[0].real / (-roll * n / 2) - 1)
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)


# a ball with masses inside -------------------------------------------------------------------------------------------
def test_a_ball_driven_by_masses_inside():
    """Against Newton and Euler for all parts [PR2018]: F = Σ m (a − g), J ω̇ + Σ p × m (a − g) = −r e × F."""
    m, r, J, own = 4.0, 1.0, np.array([1.6, 1.8, 2.1]), 1.2
    ball, inside = zm.RigidBody("ball", mass=m, inertia=J), zm.Particle("mass", mass=own)
    path = [0.7 * np.sin(zm.t**2), 0.05 + 0.1 * zm.t, -0.7 * np.cos(zm.t)]
    rolls = ball.velocity + np.cross(ball.angular_velocity, (0, 0, -r))
    system = zm.System(
        [ball, inside],
        gravity=g,
        constraints={"path": inside.position - ball.point(path), "table": ball.position[2] - r, "rolls": rolls[:2]},
    )
    t, ω = 0.8, np.array([0.7, -1.1, 0.4])
    u = np.array([0.8, 0.2, -0.4, 0.4])
    start = system.start([(ball.quaternion, u / np.linalg.norm(u)), (ball.angular_velocity, ω)], t=t)
    S = start[ball.rotation]
    p, v, a = (S @ x for x in path_and_rates(t))
    still = np.cross(ω, np.cross(ω, p)) + 2 * np.cross(ω, v) + a

    def left(dω: np.ndarray) -> np.ndarray:
        center = np.cross(dω, r * UP)
        mass = own * (center + np.cross(dω, p) + still + g * UP)
        F = m * (center + g * UP) + mass
        turning = S @ (J * (S.T @ dω)) + np.cross(ω, S @ (J * (S.T @ ω)))
        return turning + np.cross(p, mass) + np.cross(r * UP, F)

    zero = left(np.zeros(3))
    dω = -np.linalg.solve(np.stack([left(e) - zero for e in np.eye(3)], axis=1), zero)
    np.testing.assert_allclose(start[zm.rate(ball.angular_velocity)], dω, atol=1e-12)
    F = (m + own) * (np.cross(dω, r * UP) + g * UP) + own * (np.cross(dω, p) + still)
    table = start[system.reaction["rolls"] + system.reaction["table"]]
    np.testing.assert_allclose(table[[system.index(x) for x in ball.position]], F, atol=1e-11)


def test_a_ball_driven_evenly_needs_an_even_coefficient():
    """A mass m₁ held at φ ahead of the lowest place of its circle, μ = m₁ ρ sin φ/(I/r + r (m + m₁) − m₁ ρ cos φ).

    From m₁ a and m₁ g on the mass, and I a/r = m₁ ρ (a cos φ + g sin φ) − r (m + m₁) a of the ball.
    """
    m, own, r, ρ, I, φ = 4.0, 1.0, 1.0, 0.7, 1.6, 0.8
    μ = own * ρ * np.sin(φ) / (I / r + r * (m + own) - own * ρ * np.cos(φ))
    ball, inside = zm.RigidBody("ball", mass=m, inertia=(I, I, I), at=(0, 0, r)), zm.Particle("mass", mass=own)
    turned = φ + μ * g / r * zm.t**2 / 2
    held = inside.position - ball.point((ρ * np.sin(turned), 0.0, -ρ * np.cos(turned)))
    rolls = ball.velocity + np.cross(ball.angular_velocity, (0, 0, -r))
    constraints = {"path": held, "table": ball.position[2] - r, "rolls": rolls[:2]}
    system = zm.System([ball, inside], gravity=g, constraints=constraints)
    start = system.start([(ball.quaternion, (1, 0, 0, 0)), (ball.angular_velocity, (0, 0, 0))])
    run = zm.simulate(system, start, until=2.0, rtol=1e-12)
    table = run[system.reaction["rolls"] + system.reaction["table"]][:, [system.index(x) for x in ball.position]]
    np.testing.assert_allclose(table[:, 0] / table[:, 2], μ, atol=1e-10)  # rtol of the run, over 20 rad
    assert run[ball.position[0]][-1] == pytest.approx(start[ball.position[0]] + μ * g * 2.0, abs=1e-9)


def path_and_rates(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By hand."""
    return (
        np.array([0.7 * np.sin(t**2), 0.05 + 0.1 * t, -0.7 * np.cos(t)]),
        np.array([1.4 * t * np.cos(t**2), 0.1, 0.7 * np.sin(t)]),
        np.array([1.4 * np.cos(t**2) - 2.8 * t**2 * np.sin(t**2), 0.0, 0.7 * np.cos(t)]),
    )
