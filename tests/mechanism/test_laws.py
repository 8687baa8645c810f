"""Laws that every joint obeys, on bodies that lie and move anyhow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zeromass as zm
from cases import few, spread
from mechanism.arrangements import AXIS, JOINTS, bodies

RIGHT = 1e-9
"""Forces of size 1 … 100 from matrices of condition 1e3 at most, with room."""


def moving(name: str, seed: int):
    """A joint of a kind between two bodies that move anyhow within it, with forces and torques on both."""
    random = np.random.default_rng(seed)
    a, b = bodies(random)
    removed, make = JOINTS[name]
    joint = make(a, b)
    acting = [zm.Force(random.normal(size=3), at=body.point(random.normal(size=3))) for body in (a, b)]
    acting += [zm.Torque(random.normal(size=3), on=body) for body in (a, b)]
    system = zm.System([a, b], gravity=9.81, joints=[joint], forces=acting)
    rates = [(x, random.normal()) for x in system.rates]
    return system, system.start(guess=rates), joint, (a, b), removed, acting


@pytest.mark.parametrize("name", spread(JOINTS, 2))
def test_motions_that_it_takes_away(name):
    system, start, *_, removed, _ = moving(name, 0)
    diagnosis = system.check(start)
    assert diagnosis.unique
    assert diagnosis.degrees_of_freedom == 12 - removed


@pytest.mark.parametrize("name", spread(JOINTS, 2))
def test_every_body_obeys_newton_and_euler(name):
    """m a = F + m g + the joint's force, d(Iω)/dt = τ + its moment, on either body: independent of how rows were written."""
    _, start, joint, (a, b), _, acting = moving(name, 1)
    F, τ, at = start[joint.force], start[joint.torque], start[joint.point]
    for body, sign, force, torque in ((a, -1, acting[0], acting[2]), (b, 1, acting[1], acting[3])):
        x = start[body.position]
        total = start[force.force] + sign * F + float(start[body.mass]) * np.array([0, 0, -9.81])
        moment = start[torque.torque] + np.cross(start[force.at] - x, start[force.force])
        moment += sign * (τ + np.cross(at - x, F))
        S = body.rotation
        momentum = zm.rate(S @ body.inertia @ body.angular_velocity_body)
        np.testing.assert_allclose(start[body.mass * zm.rate(body.velocity)], total, atol=RIGHT)
        np.testing.assert_allclose(start[momentum], moment, atol=RIGHT)


@pytest.mark.parametrize("name", spread(JOINTS, 2))
def test_its_reaction_does_no_work(name):
    """In any motion that it allows: (F, τ) on b and the opposite on a."""
    _, start, joint, (a, b), *_ = moving(name, 2)
    F, τ, at = start[joint.force], start[joint.torque], start[joint.point]
    va, vb = (
        start[body.velocity] + np.cross(start[body.angular_velocity], at - start[body.position]) for body in (a, b)
    )
    power = F @ (vb - va) + τ @ (start[b.angular_velocity] - start[a.angular_velocity])
    assert abs(power) < RIGHT
    assert np.linalg.norm(F) > 1e-3


@pytest.mark.parametrize("name", ["revolute", "cylindrical", "planar"])
def test_no_torque_about_a_free_axis(name):
    _, start, joint, *_ = moving(name, 3)
    assert abs(start[joint.axis @ joint.torque]) < RIGHT
    assert np.linalg.norm(start[joint.torque]) > 1e-3


@pytest.mark.parametrize("name", ["prismatic", "cylindrical", "point on line"])
def test_no_force_along_a_free_axis(name):
    _, start, joint, *_ = moving(name, 4)
    assert abs(start[joint.a.pose.z @ joint.force]) < RIGHT


@pytest.mark.parametrize("name", ["revolute", "cylindrical", "planar", "screw"])
def test_an_angle_is_that_of_its_bodies_over_many_turns(name):
    """Its rate is the relative angular velocity, and its sine and cosine those of axes across."""
    system, _, joint, (a, b), *_ = moving(name, 5)
    run = zm.simulate(system, system.start({joint.rate: 30.0}), until=1.0, rtol=1e-11)
    ω = run[b.angular_velocity - a.angular_velocity]
    np.testing.assert_allclose(np.sum(ω * run[joint.axis], axis=1), run[joint.rate], atol=1e-8)
    p, r = joint.a.pose, joint.b.pose
    np.testing.assert_allclose(run[np.cos(joint.angle)], run[p.x @ r.x], atol=1e-8)
    np.testing.assert_allclose(run[np.sin(joint.angle)], run[p.y @ r.x], atol=1e-8)
    assert np.ptp(run[joint.angle]) > 2 * np.pi


@pytest.mark.parametrize("name", ["revolute", "cylindrical", "planar", "screw"])
@pytest.mark.parametrize("angle", few([-2.9, 7.5, 0.4, 3.0], 2))
def test_a_start_has_the_angle_that_is_asked_for(name, angle):
    system, _, joint, *_ = moving(name, 6)
    start = system.start({joint.angle: angle})
    p, r = joint.a.pose, joint.b.pose
    assert abs(start[p.x @ r.x] - np.cos(angle)) < 1e-12
    assert abs(start[p.y @ r.x] - np.sin(angle)) < 1e-12
    assert abs(start[p.z @ r.z] - 1) < 1e-12  # not upside down


def test_a_universal_joint_counts_both_angles():
    random = np.random.default_rng(7)
    a, b = bodies(random)
    cross = JOINTS["universal"][1](a, b)
    system = zm.System([a, b], gravity=0, joints=[cross])
    start = system.start({cross.angles[0]: 0.7, cross.angles[1]: -0.4, zm.rate(cross.angles[0]): 2.0})
    p, r = cross.a.pose, cross.b.pose
    c1, s1, c2, s2 = np.cos(0.7), np.sin(0.7), np.cos(-0.4), np.sin(-0.4)
    first = np.array([[c1, -s1, 0], [s1, c1, 0], [0, 0, 1]])
    second = np.array([[1, 0, 0], [0, c2, -s2], [0, s2, c2]])
    np.testing.assert_allclose(start[p.axes.T @ r.axes], first @ second, atol=1e-12)
    ω = start[b.angular_velocity - a.angular_velocity]
    rates = start[zm.rate(np.array(cross.angles))]
    np.testing.assert_allclose(ω, rates[0] * start[p.z] + rates[1] * start[r.x], atol=1e-12)


@pytest.mark.parametrize("name", ["revolute", "prismatic"])
def test_a_motor_gives_the_power_that_the_energy_takes(name):
    """dE/dt = τ · rate, whatever else moves."""
    random = np.random.default_rng(8)
    a, b = bodies(random)
    joint = JOINTS[name][1](a, b)
    motor = joint.motor(3.0)
    system = zm.System([a, b], gravity=9.81, joints=[joint], forces=[motor])
    start = system.start(guess=[(x, random.normal()) for x in system.rates])
    assert abs(start[zm.rate(system.energy)] - start[motor.power]) < RIGHT
    assert abs(start[motor.power] - 3.0 * start[joint.rate]) < RIGHT


@pytest.mark.parametrize("name", ["revolute", "prismatic"])
def test_a_drive_needs_the_motor_that_makes_the_same_motion(name):
    """The force of a drive, given to a motor in its place, gives the same accelerations."""
    random = np.random.default_rng(9)
    a, b = bodies(random)
    joint = JOINTS[name][1](a, b)
    drive = joint.drive(0.3 * np.sin(2 * zm.t) + 0.5 * zm.t**2)
    driven = zm.System([a, b], gravity=9.81, joints=[joint, drive])
    start = driven.start(guess=[(x, random.normal()) for x in driven.rates])
    force = start[drive.force]
    free = zm.System([a, b], gravity=9.81, joints=[joint], forces=[joint.motor(force)])
    same = free.start([*zip(driven.coordinates, start.q, strict=True), *zip(driven.rates, start.v, strict=True)])
    np.testing.assert_allclose(same.motion.acceleration, start.motion.acceleration, atol=1e-8)
    assert abs(force) > 1e-3


@pytest.mark.parametrize("name", ["revolute", "prismatic"])
def test_springs_keep_energy_and_dampers_take_it(name):
    random = np.random.default_rng(10)
    a, b = bodies(random)
    joint = JOINTS[name][1](a, b)
    damper = joint.damper(0.7)
    system = zm.System([a, b], gravity=9.81, joints=[joint], forces=[joint.spring(5.0, rest=0.3), damper])
    start = system.start(guess=[(x, random.normal()) for x in system.rates])
    loss = start[zm.rate(system.energy)]
    assert abs(loss + 0.7 * start[joint.rate] ** 2) < RIGHT
    assert loss < -1e-3


def test_dry_friction_stops_a_wheel_after_its_energy_is_gone():
    """ω₀ J/τ, and it stays."""
    wheel = zm.RigidBody("wheel", mass=1.0, inertia=(0.3, 0.3, 0.5))
    axle = zm.joints.Revolute(zm.Ground(), wheel, axis=(0, 0, 1))
    system = zm.System([wheel], gravity=0, joints=[axle], forces=[axle.friction(0.2)])
    run = zm.simulate(system, system.start({axle.rate: 2.0}), until=8.0)
    assert abs(run.at(4.9)[axle.rate][0] - (2.0 - 0.2 / 0.5 * 4.9)) < 1e-9
    assert abs(run.at(8.0)[axle.rate][0]) < 1e-9
    assert abs(run.at(8.0)[axle.angle][0] - 0.5 * 2.0**2 / (2 * 0.2)) < 1e-9


def test_stops_turn_a_pendulum_back_and_keep_its_energy():
    arm = zm.RigidBody("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, 1, 0))
    system = zm.System([arm], gravity=9.81, joints=[pin], forces=[pin.stops(-0.2, 0.2, stiffness=500.0)])
    run = zm.simulate(system, system.start({pin.rate: 3.0}), until=2.0)
    assert np.ptp(run[system.energy]) < 1e-8
    assert 0.2 < np.max(run[pin.angle]) < 0.5
    assert np.min(run[pin.angle]) < -0.2


def test_limits_end_a_run_where_they_are_reached():
    arm = zm.RigidBody("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    pin = zm.joints.Revolute(zm.Ground(), arm, axis=AXIS)
    system = zm.System([arm], gravity=0, joints=[pin])
    run = zm.simulate(system, system.start({pin.rate: 2.0}), until=9.0, events=[*pin.limits(-1.0, 1.5)])
    assert abs(run.t[-1] - 0.75) < 1e-12
    assert "upper limit" in run.events[0].name


def test_friction_of_a_guide_from_its_own_reaction():
    """A sledge on a slope, pressed by its weight alone: g (sin α − μ cos α)."""
    α, μ = 0.6, 0.3
    sledge = zm.RigidBody("sledge", mass=2.0, inertia=(1, 1, 1))
    rail = zm.joints.Prismatic(zm.Ground(), sledge, axis=(np.cos(α), 0, -np.sin(α)))
    pressed = rail.along_axes(rail.force)[:2]
    rough = rail.friction(μ * (abs(pressed[0]) + abs(pressed[1])))
    system = zm.System([sledge], gravity=9.81, joints=[rail], nonideal=[rough])
    run = zm.simulate(system, system.start({rail.rate: 0.5}), until=1.0)
    np.testing.assert_allclose(run[zm.rate(rail.rate)], 9.81 * (np.sin(α) - μ * np.cos(α)), atol=1e-9)
    up = zm.simulate(system, system.start({rail.rate: -3.0}), until=0.3)
    np.testing.assert_allclose(up.at(0.2)[zm.rate(rail.rate)], 9.81 * (np.sin(α) + μ * np.cos(α)), atol=1e-9)


@pytest.mark.parametrize("seed", few(range(2, 6)))
def test_a_reaction_that_is_zero_to_rounding_decides_nothing(seed):
    """The same sledge turned anyhow in space, its rates disturbed by rounding: no force acts across the slope."""
    α, μ, random = 0.6, 0.3, np.random.default_rng(seed)
    R = np.linalg.qr(random.normal(size=(3, 3)))[0]
    down, across, upright = R @ [np.cos(α), 0, -np.sin(α)], R @ [0, 1, 0], R @ [np.sin(α), 0, np.cos(α)]
    sledge = zm.RigidBody("sledge", mass=2.0, inertia=(1, 1, 1))
    rail = zm.joints.Prismatic(zm.Ground(), sledge, axis=down)
    rough = rail.friction(μ * (abs(across @ rail.force) + abs(upright @ rail.force)))
    system = zm.System([sledge], gravity=R @ [0, 0, -9.81], joints=[rail], nonideal=[rough])
    for speed in (0.5, -3.0):
        start = system.start({rail.rate: speed})
        for size in (0.0, 1e-31, np.finfo(float).eps):
            v = start.v + size * abs(speed) * random.normal(size=len(start.v))
            run = zm.simulate(system, replace(start, v=v), until=0.2)
            expected = 9.81 * (np.sin(α) - np.sign(speed) * μ * np.cos(α))
            np.testing.assert_allclose(run[zm.rate(rail.rate)], expected, atol=1e-9)


def test_a_bushing_is_elastic_and_keeps_energy():
    random = np.random.default_rng(11)
    a, b = bodies(random)
    mount = zm.joints.Bushing(a, b, at=(0.1, 0.2, 0.3), axis=AXIS, stiffness=(50, 60, 70, 5, 6, 7))
    system = zm.System([a, b], forces=[mount])
    run = zm.simulate(system, system.start(guess=[(x, random.normal()) for x in system.rates]), until=1.0)
    energy = run[system.energy]
    assert np.ptp(energy) < 1e-8 * energy[0]
    assert np.ptp(run[system.potential]) > 0.1
    damped = zm.joints.Bushing(a, b, at=(0.1, 0.2, 0.3), axis=AXIS, damping=(1, 2, 3, 4, 5, 6))
    start = zm.System([a, b], forces=[damped]).start(guess=[(x, random.normal()) for x in system.rates])
    v = start[np.array(damped._speed)]
    assert abs(start[zm.rate(start.system.energy)] + np.array([1, 2, 3, 4, 5, 6]) @ v**2) < RIGHT


def test_first_order_states_act_on_nothing_by_themselves():
    """A filter of a pendulum's rate: the pendulum moves as without it, and the filter as its own equation says."""
    arm = zm.RigidBody("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, 1, 0))
    smooth = zm.control.LowPass("smooth", pin.rate, time=0.3)
    alone, both = (zm.System([arm], gravity=9.81, joints=joints) for joints in ([pin], [pin, smooth]))
    runs = [zm.simulate(s, s.start({pin.angle: 1.0}), until=2.0, rtol=1e-12, atol=1e-14) for s in (alone, both)]
    np.testing.assert_allclose(runs[1].at(2.0)[pin.angle], runs[0].at(2.0)[pin.angle], atol=1e-10)
    np.testing.assert_allclose(runs[1][smooth.multipliers], 0.0, atol=1e-12)
    t = np.linspace(0, 2, 4001)
    weight = np.exp((t - 2.0) / 0.3) / 0.3
    filtered = np.trapezoid(weight * runs[0].at(t)[pin.rate], t)
    assert abs(runs[1].at(2.0)[smooth.value][0] - filtered) < 1e-5
