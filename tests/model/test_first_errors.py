"""Errors of the first hour: each message says what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

J = (1.0, 1.0, 1.0)


def two_links():
    lower, upper = zm.RigidBody("lower", 1.0, J, at=(0, 0, 0)), zm.RigidBody("upper", 1.0, J, at=(0, 0, 1))
    shoulder = zm.joints.Revolute(zm.Ground(), lower, at=(0, 0, 0), axis=(0, 1, 0), name="shoulder")
    elbow = zm.joints.Revolute(lower, upper, at=(0, 0, 1), axis=(0, 1, 0), name="elbow")
    return [lower, upper], shoulder, elbow


def test_a_kinetic_energy_without_rate():
    theta = zm.coordinate("theta")
    with pytest.raises(zm.errors.ModelError, match=r"contains 'theta' and no rate: .* zm\.rate\(theta\)"):
        zm.System(kinetic=theta**2 / 2, potential=-9.81 * theta)


def test_a_kinetic_energy_of_a_rotating_frame_may_have_positions():
    x = zm.coordinate("x")
    zm.System(kinetic=zm.rate(x) ** 2 / 2 + 4.0 * x**2 / 2)
    zm.System([zm.Particle("bead", mass=1.0)], gravity=0, kinetic=4.0 * x**2 / 2, constraints={"x": zm.rate(x) - 1})


def test_a_weight_that_no_mass_resists():
    """No constraint can make a constant force vanish: the remedy is a mass, or a constraint on the coordinate."""
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=9.81 * y)
    (found,) = system.check().undetermined
    assert found.remedy == (
        "no inertia resists the force -9.81 along (y): give y a mass, or add a constraint that contains it"
    )


def test_a_force_that_can_vanish():
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=(y - x) ** 2 / 2 + y)
    (found,) = system.check().undetermined
    assert "give y a mass, or add the constraint " in found.remedy
    assert found.remedy.endswith(" = 0")


class TestLeftOut:
    def test_of_a_start(self):
        parts, shoulder, elbow = two_links()
        system = zm.System(parts, joints=[shoulder], gravity=9.81)
        with pytest.raises(zm.errors.StartError, match=r"'elbow' is not in the system: give a joint in joints=\[…\]"):
            system.start({elbow.angle: 0.3})

    def test_of_a_run(self):
        parts, shoulder, elbow = two_links()
        system = zm.System(parts, joints=[shoulder], gravity=9.81)
        run = zm.simulate(system, system.start(), until=0.01)
        with pytest.raises(zm.errors.ModelError, match="'elbow' is not in the system"):
            run[elbow.angle]
        with pytest.raises(zm.errors.ModelError, match="'lost' is not in the system"):
            run[zm.Particle("lost", mass=1.0).position]

    def test_a_joint_that_is_there_is_not_said_to_be_left_out(self):
        parts, shoulder, elbow = two_links()
        system = zm.System(parts, joints=[shoulder, elbow], gravity=9.81)
        other = zm.coordinate("elbow.other")
        with pytest.raises(zm.errors.StartError, match=r"no coordinate of the system$"):
            system.start({other: 0.3})


def test_a_motor_among_the_joints():
    parts, shoulder, elbow = two_links()
    with pytest.raises(zm.errors.ModelError, match=r"joints=\[…\] contains a force, .* give it in forces=\[…\]"):
        zm.System(parts, joints=[shoulder, elbow, elbow.motor(2.0)], gravity=9.81)


class TestDegrees:
    @pytest.mark.parametrize("angle", [90, -180.0, 45.0])
    def test_whole_numbers_beyond_a_turn(self, angle):
        parts, shoulder, elbow = two_links()
        system = zm.System(parts, joints=[shoulder, elbow], gravity=9.81)
        with pytest.warns(
            zm.errors.AngleInDegrees, match=rf"'elbow.angle' is {angle:g} rad, .* np\.radians\({angle:g}\)"
        ):
            system.start({elbow.angle: angle})

    @pytest.mark.parametrize("angle", [1.0, -3, 2 * np.pi, 20 * np.pi, 90.5])
    def test_angles_in_radians(self, angle, recwarn):
        parts, shoulder, elbow = two_links()
        system = zm.System(parts, joints=[shoulder, elbow], gravity=9.81)
        system.start({elbow.angle: angle, elbow.rate: 90.0})
        assert [warning for warning in recwarn if warning.category is zm.errors.AngleInDegrees] == []

    def test_both_angles_of_a_universal_joint(self):
        parts, _, _ = two_links()
        hook = zm.joints.Universal(zm.Ground(), parts[0], at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), name="hook")
        system = zm.System(parts[:1], joints=[hook], gravity=9.81)
        with pytest.warns(zm.errors.AngleInDegrees, match="'hook.second angle' is 30 rad"):
            system.start({hook.angles[0]: 0.5, hook.angles[1]: 30})


def test_a_run_is_no_sequence():
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    run = zm.simulate(system, system.start({x: 0.0}), until=1.0)
    with pytest.raises(TypeError, match=r"run\[x\] are the values of an expression x at the times run\.t"):
        list(run)
