"""Coefficients that are none: refused where they come to be so, in a line that names the coefficient and the time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zeromass as zm

g, FLOOR = 9.81, zm.surfaces.plane
m, e = zm.parameter("m", 0.3), zm.parameter("e", 0.5)


def bead(**given: Any) -> tuple[zm.System, zm.State]:
    system = zm.Sliding(zm.Particle("bead", 1.0), on=FLOOR(), gravity=g, **given)
    return system, system.start(contact=(0.0, 0.0), velocity=(50.0, 0.0, 0.0))


def ball(**given: Any) -> tuple[zm.System, zm.State]:
    system = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=FLOOR(), gravity=g, **given)
    fast = [(system.center_particle.velocity[:2], (50.0, 0.0)), (system.body.angular_velocity, (0.0, 0.0, 0.0))]
    return system, system.slipping.start([(system.contact[:2], (0.0, 0.0)), *fast])


def several(**given: Any) -> tuple[zm.System, zm.State]:
    system = zm.Contacts(zm.bodies.ball(0.1, 1.0), on={"floor": FLOOR()}, gravity=g, **given)
    return system, system.start(center=(0.0, 0.0, 0.1), velocity=(50.0, 0.0, 0.0))


def wheel(**given: Any) -> tuple[zm.System, zm.State]:
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(zm.Ground(), hoop, FLOOR(), radius=0.2, axis=(0, 1, 0), name="tyre", **given)
    system = zm.System([hoop], gravity=g, joints=[tyre])
    start = tyre.slipping(system).start([(hoop.velocity[:2], (50, 0)), (hoop.angular_velocity, (0, 0, 0))])
    return system, start


Made = Callable[..., tuple[zm.System, zm.State]]
EVERY = pytest.mark.parametrize("make", [bead, ball, several, wheel])
BOTH = pytest.mark.parametrize("make", [bead, ball, wheel])


def refused(made: tuple[zm.System, zm.State], until: float = 4.0) -> str:
    with pytest.raises(zm.errors.ModelError) as error:
        zm.simulate(*made, until=until)
    assert "\n" not in str(error.value)
    return str(error.value)


@EVERY
def test_friction_that_becomes_negative_is_refused(make):
    assert "at t = 1.5 s friction" in (said := refused(make(friction=0.3 - 0.2 * zm.t)))
    assert "0.3 - 0.2*t falls below zero" in said
    assert "at t = 1 s friction" in refused(make(friction=zm.where(zm.t < 1, 0.3, -0.1)))
    assert "at t = 0 s friction" in refused(make(friction=zm.t - 1))
    zm.simulate(*make(friction=0.3 - 0.2 * zm.t), until=1.4)


@EVERY
def test_friction_that_comes_to_zero_is_not(make):
    for given in (np.maximum(0.3 - 0.3 * zm.t, 0.0), 0.3 * np.cos(zm.t) ** 2, zm.where(zm.t < 1, 0.3, 0.0)):
        assert zm.simulate(*make(friction=given), until=2.0).outcome.complete


@BOTH
def test_kinetic_friction_that_becomes_negative_or_more_than_the_static_is_refused(make):
    said = refused(make(friction=zm.Friction(static=0.3, kinetic=0.2 - 0.1 * zm.t)))
    assert "at t = 2 s kinetic friction" in said
    assert "0.2 - 0.1*t falls below zero" in said
    said = refused(make(friction=zm.Friction(static=0.3, kinetic=0.2 + 0.1 * zm.t)))
    assert "at t = 1 s the kinetic friction" in said
    assert "rises above the static one" in said
    said = refused(make(friction=zm.Friction(static=0.3, kinetic=lambda v: 0.25 - 0.05 * v)))
    assert "at t = 0 s kinetic friction" in said
    assert "0.25 - 0.05*speed falls below zero" in said


def test_arms_of_rolling_and_torsion_that_become_negative_are_refused():
    for name in ("rolling_resistance", "torsional_friction"):
        system = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=FLOOR(0.1), gravity=g, **{name: 0.001 - 0.001 * zm.t})
        assert f"at t = 1 s {name} = 0.001 - 0.001*t falls" in refused((system, system.start(contact=(0.0, 0.0))))


@pytest.mark.parametrize("what", ["restitution", "friction"])
def test_coefficients_at_a_stroke(what):
    """A metre of fall takes √(2/g); the numbers of that moment are refused, by name and time."""
    t = np.sqrt(2 / g)
    given = {"restitution": 0.5, "friction": 0.2, what: 0.1 - zm.t}
    bead = zm.Sliding(zm.Particle("bead", 1.0), on=FLOOR(), gravity=g, **given)
    ball = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=FLOOR(), gravity=g, **given)
    several = zm.Contacts(zm.bodies.ball(0.1, 1.0), on={"floor": FLOOR()}, gravity=g, **given)
    for system, start in (
        (bead, bead.start(position=(0.0, 0.0, 1.0))),
        (ball, ball.flying.start(center=(0.0, 0.0, 1.1), velocity=(0.0, 0.0, 0.0))),
        (several, several.start(center=(0.0, 0.0, 1.1))),
    ):
        said = refused((system, start), 2.0)
        assert what in said
        assert f"is {0.1 - t:g} at t = {t:.6g}"[:-1] in said


def test_restitution_matters_where_something_strikes():
    """A ball that has lain on its floor for long, and one that slides: e(t) is more than 1, and nobody asks."""
    for make in (bead, several):
        system, start = make(friction=0.2, restitution=0.5 + 0.3 * zm.t)
        assert zm.simulate(system, start, until=3.0).outcome.complete


@EVERY
def test_one_member_of_a_study_fails_by_name_and_the_others_go_on(make):
    system, start = make(friction=m - 0.2 * zm.t)
    study = zm.sweep(start.system, start, until=2.0, over={m: [0.2, 0.5, 0.9]}, keep={"x": system.coordinates[0]})
    assert list(study.outcome.values) == ["failed", "finished", "finished"]
    assert "at t = 1 s friction" in study.message.values[0]
    assert "m - 0.2*t falls below zero" in study.message.values[0]


def test_coefficients_of_wheels_and_levels_of_joints_are_looked_at_in_every_start():
    system, start = wheel(friction=m, restitution=e)
    for given, said in (({m: -0.2}, "friction of 'tyre' is -0.2"), ({e: 1.5}, "restitution of 'tyre' is 1.5")):
        with pytest.raises(zm.errors.StartError, match=said):
            zm.simulate(system, start.again(given), until=0.1)


def hinge(level: Any) -> tuple[zm.System, zm.State]:
    disc = zm.RigidBody("disc", mass=1.0, inertia=(1.0, 1.0, 1.0))
    axle = zm.joints.Revolute(zm.Ground(), disc, axis=(0, 0, 1), name="axle")
    system = zm.System([disc], gravity=0, joints=[axle], forces=[axle.friction(level)])
    return system, system.start({axle.angle: 0.0, axle.rate: 5.0})


def test_levels_of_dry_friction_in_joints():
    """ω = 5 − t + t²/4, until the level 1 − t/2 is none; a negative one is refused where it is given."""
    with pytest.raises(zm.errors.ModelError, match="the friction of 'axle' is -1; a level is positive, or zero"):
        hinge(-1.0)
    assert "at t = 2 s the friction of 'axle' = 1 - 0.5*t falls below zero" in refused(hinge(1 - zm.t / 2))
    system, start = hinge(1 - zm.t / 2)
    run = zm.simulate(system, start, until=1.9)
    assert run.state(1.9)[system.joints[0].rate] == pytest.approx(5 - 1.9 + 1.9**2 / 4, abs=1e-9)  # type: ignore[attr-defined]
    system, start = hinge(m)
    with pytest.raises(zm.errors.StartError, match="with m = -1 the friction of 'axle' is -1"):
        zm.simulate(system, start.again({m: -1.0}), until=1.0)


def test_contacts_hold_with_the_one_coefficient_and_slip_with_the_other():
    """v = 1 − μ g t of a ball that slips, until 2/7 of a μ g t ω has come: it rolls at t = 2/(7 μ g)."""
    system = zm.Contacts(
        zm.bodies.ball(0.1, 1.0), on={"floor": FLOOR()}, gravity=g, friction=zm.Friction(static=0.3, kinetic=0.2)
    )
    start = system.start(center=(0, 0, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 0, 0))
    run = zm.simulate(system, start, until=0.5, rtol=1e-11)
    assert run.changes == pytest.approx([2 / (7 * 0.2 * g)], abs=1e-9)
    assert run.state(0.5)[system.body.velocity[0]] == pytest.approx(5 / 7, abs=1e-10)
