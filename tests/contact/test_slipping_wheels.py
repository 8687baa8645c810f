"""Wheels that slip and roll again: against bodies that slip alone, and vehicles against their equations by hand."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.08, zm.Friction(static=0.08, kinetic=lambda v: 0.05 + 0.02 * np.exp(-v))])
def test_a_wheel_slips_as_the_body_of_its_shape(friction):
    """The same motion as that of zm.Rolling, through slipping and rolling: other rows, other coordinates, one law."""
    hills = zm.Surface(lambda X, Y: 0.1 * np.sin(X) * np.cos(1.3 * Y) - 0.05 * X)
    solid = zm.bodies.torus(0.3, 0.08, 2.0)
    rolling = zm.Rolling(solid, on=hills, gravity=g, friction=friction)
    u = np.array([np.cos(np.pi / 4 - 0.1), np.sin(np.pi / 4 - 0.1), 0.1, 0.05])
    u, ω = u / np.linalg.norm(u), (0.3, 5.0, 0.2)
    body = rolling.body
    start = rolling.start([(rolling.contact[:2], (0.2, 0.1)), (body.quaternion, u), (body.angular_velocity, ω)])
    wheel = zm.RigidBody("wheel", 2.0, solid.inertia)
    tyre = zm.joints.WheelOnSurface(
        GROUND, wheel, hills, axis=(0, 0, 1), radius=0.38, tube=0.08, friction=friction, name="tyre"
    )
    system = zm.System([wheel], gravity=g, joints=[tyre])
    guess = [(wheel.position, start[body.position]), (tyre.contact, start[rolling.contact])]
    given = [(tyre.contact[:2], (0.2, 0.1)), (wheel.quaternion, u), (wheel.angular_velocity, ω)]
    runs = [
        zm.simulate(s, x, until=2.0, rtol=1e-11, atol=1e-13)
        for s, x in ((rolling, start), (system, system.start(given, guess=guess)))
    ]
    one, other = runs
    assert {"rolling", "slipping"} == set(one.modes)
    assert other.modes == tuple(f"tyre {kind}" for kind in one.modes)
    np.testing.assert_allclose(other.changes, one.changes, atol=1e-7)  # creeps of 1e-9 √(g r), of two sizes r
    assert np.abs(one[rolling.contact][-1] - other[tyre.contact][-1]).max() < 1e-7
    slips = [segment for segment in other.segments if segment.mode == "tyre slipping"]
    assert slips
    assert other.required_friction().value <= 0.08 + 1e-9


def test_a_hoop_that_spins_on_the_spot_comes_to_roll():
    """r ω/2 after r ω/(2 μ g), and half of its energy is lost."""
    r, μ, ω = 0.2, 0.3, 12.0
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, r))
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), radius=r, axis=Y, friction=μ, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    start = tyre.slipping(system).start([(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, ω, 0))])
    np.testing.assert_allclose(start[tyre.slip_velocity], (-r * ω, 0, 0), atol=1e-12)
    np.testing.assert_allclose(start[tyre.friction_force], (μ * g, 0, 0), atol=1e-9)
    run = zm.simulate(system, start, until=1.0, rtol=1e-11)
    assert run.modes == ("tyre slipping", "tyre rolling")
    assert run.changes[0] == pytest.approx(r * ω / (2 * μ * g), abs=1e-7)
    assert run[hoop.velocity[0]][-1] == pytest.approx(r * ω / 2, abs=1e-7)
    moving = run[system.energy] - g * r
    assert moving[-1] / moving[0] == pytest.approx(0.5, abs=1e-7)


M, m, r, J, h, L = 10.0, 1.0, 0.2, 0.02, 0.5, 0.6


def scooter(
    slope: float, friction: float, *, J: float = J, torque: zm.expression.Expression | float = 0.0
) -> tuple[zm.System, zm.RigidBody, tuple[zm.joints.WheelOnSurface, ...]]:
    """A body on a rear and a front wheel, with a motor at the rear one."""
    α = np.arctan(slope)
    turn, R = (
        (np.cos(α / 2), 0, np.sin(α / 2), 0),
        np.array([[np.cos(α), 0, np.sin(α)], [0, 1, 0], [-np.sin(α), 0, np.cos(α)]]),
    )
    body = zm.RigidBody("body", M, (1, 1, 1), at=tuple(R @ (0, 0, h)), orientation=turn)
    hill, parts, joints, tyres = zm.Surface(lambda X, Y: -slope * X), [body], [], []
    for name, x in (("rear", -L), ("front", L)):
        wheel = zm.RigidBody(f"{name} wheel", m, (J / 2, J, J / 2), at=tuple(R @ (x, 0, r)), orientation=turn)
        tyres.append(zm.joints.WheelOnSurface(GROUND, wheel, hill, radius=r, axis=Y, friction=friction, name=name))
        joints.append(zm.joints.Revolute(body, wheel, axis=Y, name=f"{name} axle"))
        parts.append(wheel)
    drive = joints[0].motor(torque)
    return zm.System(parts, gravity=g, joints=[*joints, *tyres], forces=[drive]), body, tuple(tyres)


def by_hand(torque: float, friction: float) -> tuple[float, float, float]:
    """Acceleration of the body, load of the rear wheel and angular acceleration of it while it alone slips on level ground.

    (M + 2m) a = F_r + F_f,  F_f = −J a/r²,  F_r = μ N_r,  J ω̇_r = τ − r F_r,  N_r + N_f = (M + 2m) g, and about the mass
    centre J ω̇_r + J a/r = −z (F_r + F_f) + L (N_r − N_f)
    """
    total = M + 2 * m
    z = (M * h + 2 * m * r) / total
    # unknowns a, N_r, ω̇_r
    A = [
        [total + J / r**2, -friction, 0.0],
        [0.0, friction * r, J],
        [J / r - z * J / r**2, z * friction - 2 * L, J],
    ]
    a, N, ω = np.linalg.solve(A, [0.0, torque, -L * total * g])
    return float(a), float(N), float(ω)


def test_a_driven_wheel_slips_and_the_other_rolls():
    """Until the motor is let go, and the slip dies out at the rate that the same equations give without it."""
    τ, μ, off = 6.0, 0.3, 0.4
    (a, N, ω), (a2, _, ω2) = by_hand(τ, μ), by_hand(0.0, μ)
    system, body, (rear, front) = scooter(0.0, μ, torque=zm.where(zm.t < off, τ, 0.0))
    start = system.start({rear.contact[0]: -L, rear.contact[1]: 0.0, body.velocity[0]: 1.0})
    run = zm.simulate(system, start, until=1.0, rtol=1e-11)
    assert "rear slipping, front rolling" in run.modes
    assert run.modes[-1] == "rear rolling, front rolling"
    ended = off + (r * ω - a) * off / (a2 - r * ω2)
    assert run.changes[-1] == pytest.approx(ended, abs=1e-6)
    at = run.at([0.2, off, ended])
    np.testing.assert_allclose(at[body.velocity[0]] - 1.0, [0.2 * a, off * a, off * a + (ended - off) * a2], atol=1e-6)
    assert at[rear.normal_force][0] == pytest.approx(N, rel=1e-9)
    assert at[front.friction_force[0]][0] == pytest.approx(-J * a / r**2, rel=1e-6)


@pytest.mark.slow
def test_both_wheels_slip_where_one_does_not_help_the_other():
    """Heavy wheels on a steep hill: a = g (sin α − μ cos α), whatever each of them carries."""
    slope, μ = 0.6, 0.1
    α = np.arctan(slope)
    system, body, (rear, _) = scooter(slope, μ, J=0.2)
    down = np.array([np.cos(α), 0, -np.sin(α)])
    start = system.start([(rear.contact[:2], (-L * np.cos(α), 0.0)), (body.velocity, 0.5 * down)])
    run = zm.simulate(system, start, until=0.5, rtol=1e-11)
    assert run.modes[-1] == "rear slipping, front slipping"
    assert all(change < 1e-5 for change in run.changes)
    gained = run[body.velocity][-1] @ down - 0.5
    assert gained == pytest.approx(0.5 * g * (np.sin(α) - μ * np.cos(α)), abs=1e-6)
    assert run.outcome.ending.value == "finished"


def test_without_transitions_the_run_ends_by_name():
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    bowl = zm.Surface(lambda X, Y: 0.3 * X**2)
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, bowl, radius=0.2, axis=Y, friction=0.1, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    start = system.start([(tyre.contact[:2], (0.0, 0.0)), (hoop.angular_velocity, (0, 15.0, 0))])
    run = zm.simulate(system, start, until=2.0, transitions=False)
    assert run.events[-1].name == "tyre: would slip"
    assert run.at(run.t[-1])[tyre.friction_ratio][0] == pytest.approx(0.1, abs=1e-8)
    on = zm.simulate(system, start, until=2.0)
    assert on.modes[:2] == ("tyre rolling", "tyre slipping")
    assert on.changes[0] == pytest.approx(run.t[-1], abs=1e-9)


def test_a_run_that_slips_is_kept(tmp_path):
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    μ = zm.parameter("mu", 0.3)
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), radius=0.2, axis=Y, friction=μ, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    start = tyre.slipping(system).start(
        [(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, 12.0, 0))], parameters={μ: 0.2}
    )
    run = zm.simulate(system, start, until=1.0)
    assert run.changes[0] == pytest.approx(0.2 * 12 / (2 * 0.2 * g), abs=1e-6)
    run.save(tmp_path / "run.nc")  # with its certificate: another run begins as this one does
    same = zm.load(tmp_path / "run.nc")
    assert [segment.system.parameters for segment in same.segments] == [(same.system.parameters[0],)] * 2
    assert same.modes == run.modes
    np.testing.assert_array_equal(same.y, run.y)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"friction": 0.3, "two_sided": True}, "a surface that pushes"),
        ({"friction": -0.3}, "a coefficient is positive"),
    ],
)
def test_bad_input(given, words):
    with pytest.raises(zm.errors.ModelError, match=words):
        zm.joints.WheelOnSurface(
            GROUND, zm.RigidBody("hoop", 1.0, (1, 1, 1)), zm.surfaces.plane(), radius=0.3, axis=Y, **given
        )


def test_only_a_wheel_with_friction_of_this_system_slips():
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), radius=0.2, axis=Y)
    with pytest.raises(zm.errors.ModelError, match="friction=μ"):
        tyre.slipping(zm.System([hoop], gravity=g, joints=[tyre]))
    with pytest.raises(zm.errors.ModelError, match="always enough friction"):
        _ = tyre.lack_of_friction
