"""A loaded run goes on as the run that was never saved: same bits, through every change of mode, of every front end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from zeromass.model.record import from_record, to_record

GROUND, Y, g = zm.Ground(), (0, 1, 0), 9.81

Case = tuple[zm.System, zm.State, float]
"""A system, its start, and the time that a run of it takes."""


def swinging_rope() -> Case:
    bob = zm.Particle("bob", mass=0.7)
    system = zm.System([bob], gravity=g, joints=[zm.joints.Rope(GROUND, bob, length=1.3, name="rope")])
    return system, system.start([(bob.position, (0, 0, -1.3)), (bob.velocity, (6.0, 0, 0))]), 2.5


def two_ropes() -> Case:
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=0.5)
    ropes = [zm.joints.Rope(GROUND, a, length=1.0, name="upper"), zm.joints.Rope(a, b, length=0.5, name="lower")]
    system = zm.System([a, b], gravity=g, joints=ropes)
    given = [(a.position, (0.9, 0, 0)), (b.position, (1.2, 0.1, 0)), (a.velocity, (0, 0, 0)), (b.velocity, (0, 0, 0))]
    return system, system.start(given), 1.2


def slipping_wheel() -> Case:
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.2))
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), radius=0.2, axis=Y, friction=0.3, name="tyre")
    system = zm.System([hoop], gravity=g, joints=[tyre])
    spun = tyre.slipping(system).start([(hoop.velocity[:2], (0, 0)), (hoop.angular_velocity, (0, 12.0, 0))])
    return system, spun, 0.8


def bouncing_wheel() -> Case:
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.5))
    given = {"radius": 0.2, "axis": Y, "friction": 0.3, "restitution": 0.4, "name": "tyre"}
    tyre = zm.joints.WheelOnSurface(GROUND, hoop, zm.surfaces.plane(), **given)
    system = zm.System([hoop], gravity=g, joints=[tyre])
    asked = [(hoop.position, (0, 0, 0.5)), (hoop.velocity, 0), (hoop.angular_velocity, (0, 5.0, 0))]
    return system, tyre.lifted(system).start(asked), 0.9


def braked_wheel() -> Case:
    wheel = zm.RigidBody("wheel", 1.0, (0.03, 0.045, 0.03), at=(0, 0, 0.3))
    tyre = zm.joints.WheelOnSurface(GROUND, wheel, zm.surfaces.plane(), radius=0.3, axis=Y, friction=0.3, name="tyre")
    upright = zm.joints.Planar(GROUND, wheel, axis=Y, name="upright")
    system = zm.System([wheel], gravity=g, joints=[tyre, upright], forces=[upright.friction(3.0)])
    return system, system.start([(wheel.velocity[0], 1.0)]), 0.5


def ball_that_slips_and_rolls() -> Case:
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2)
    body = rolling.body
    given = [(rolling.contact[:2], (0, 0)), (body.velocity[:2], (1.0, 0.2)), (body.angular_velocity, (0, 0, 0))]
    start = rolling.slipping.start(given)
    return rolling, start, 0.5


def ball_that_bounces() -> Case:
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(0.1), friction=0.2, restitution=0.5)
    start = rolling.flying.start(center=(0, 0, 0.3), velocity=(0.4, 0, 0), angular_velocity=(0, -3.0, 0))
    return rolling, start, 0.8


def ball_with_rolling_resistance() -> Case:
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.5, rolling_resistance=0.004)
    return rolling, rolling.start(contact=(0, 0), velocity=(0.4, 0.0)), 1.5


def ball_in_a_corner() -> Case:
    on = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 0.4 - X)}
    ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=on, gravity=g, friction=0.3, restitution=0.4)
    return ball, ball.start(center=(0, 0, 0.2), velocity=(1.5, 0.2, 0)), 0.9


def sliding_bead() -> Case:
    bead = zm.Particle("bead", mass=0.2)
    dome = zm.Surface(lambda X, Y, Z: X**2 + Y**2 + Z**2 - 1.0)
    on = [dome, zm.Surface(lambda X, Y: 0.0 * X - 1.5, name="floor")]
    table = zm.Sliding(bead, on=on, gravity=g, restitution=0.5)
    return table, table.start(position=(0.1, 0, 1.0), velocity=(1.0, 0, 0)), 1.6


def block_with_static_friction() -> Case:
    x = zm.coordinate("x")
    force = -4.0 * x - 1.5 * np.sign(zm.rate(x)) + 2.0 * np.sin(2.0 * zm.t)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: force})
    return system, system.start({x: 1.5}), 6.0


def braked_hinge() -> Case:
    arm = zm.RigidBody("arm", 1.0, (0.02, 0.02, 0.001), at=(0, 0, -0.3))
    pin = zm.joints.Revolute(GROUND, arm, at=(0, 0, 0), axis=Y, name="pin")
    system = zm.System([arm], gravity=g, joints=[pin], forces=[pin.friction(0.4)])
    return system, system.start([(arm.angular_velocity[1], 4.0)]), 2.0


def mass_between_stops() -> Case:
    x = zm.coordinate("x")
    force = -3.0 * x - 400.0 * (np.maximum(x - 0.5, 0.0) + np.minimum(x + 0.5, 0.0))
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: force})
    return system, system.start({x: 0.0, zm.rate(x): 2.0}), 2.0


CASES: list[Callable[[], Case]] = [
    swinging_rope,
    two_ropes,
    slipping_wheel,
    bouncing_wheel,
    braked_wheel,
    ball_that_slips_and_rolls,
    ball_that_bounces,
    ball_with_rolling_resistance,
    ball_in_a_corner,
    sliding_bead,
    block_with_static_friction,
    braked_hinge,
    mass_between_stops,
]
QUICK = (swinging_rope,)


def same(one: Any, other: Any) -> None:
    """The same motion, bit for bit."""
    assert one.modes == other.modes
    assert one.outcome == other.outcome
    assert [(e.name, e.t) for e in one.events] == [(e.name, e.t) for e in other.events]
    assert [(s.t, s.direction) for s in one.switches] == [(s.t, s.direction) for s in other.switches]
    assert np.array_equal(one.t, other.t)
    assert np.array_equal(one.y, other.y)


@pytest.mark.filterwarnings("ignore::zeromass.errors.SharedForce")
@pytest.mark.parametrize("case", [pytest.param(c, marks=() if c in QUICK else pytest.mark.slow) for c in CASES])
def test_a_loaded_run_goes_on_as_the_one_that_was_never_saved(case, tmp_path):
    system, start, until = case()
    whole = zm.simulate(system, start, until=until)
    assert len(whole.changes) + len(whole.switches) >= 1
    for part in (0.05, 0.5, 0.93):
        run = zm.simulate(system, start, until=part * until)
        loaded = zm.load(run.save(tmp_path / "run.nc"))
        same(loaded, run)
        one, other = (zm.simulate(r.system, r.state(part * until), until=until) for r in (run, loaded))
        same(other, one)
        same(zm.simulate(system, run.state(part * until), until=until), one)
        same(zm.load(other.save(tmp_path / "on.nc")), one)  # and once more
    again = zm.load(whole.save(tmp_path / "whole.nc"))
    same(zm.simulate(again.system, again.segments[0].start, until=until), whole)
    if case is not two_ropes:  # its energy is lost in impulses, and its digits with them
        assert again.certificate().digits == pytest.approx(
            whole.certificate().digits, rel=1e-9
        )  # sums in another order


@pytest.mark.slow
@pytest.mark.parametrize("case", [swinging_rope, bouncing_wheel, ball_that_bounces, ball_in_a_corner])
def test_a_run_loaded_by_another_process_goes_on_with_the_same_bits(case, tmp_path):
    system, start, until = case()
    run = zm.simulate(system, start, until=until / 2)
    run.save(tmp_path / "run.nc")
    one = zm.simulate(system, run.state(until / 2), until=until)
    code = (
        "import sys, numpy as np, zeromass as zm\n"
        "run = zm.load(sys.argv[1])\n"
        "on = zm.simulate(run.system, run.state(run.t[-1]), until=float(sys.argv[2]))\n"
        "np.savez(sys.argv[3], t=on.t, y=on.y, kinds=np.array(on.modes))\n"
    )
    there = tmp_path / "on.npz"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run.nc"), repr(until), str(there)], check=True)
    with np.load(there) as other:
        assert tuple(other["kinds"].tolist()) == one.modes
        assert np.array_equal(other["t"], one.t)
        assert np.array_equal(other["y"], one.y)


def test_contacts_of_a_loaded_wheel_tell_their_forces(tmp_path):
    system, start, until = slipping_wheel()
    run = zm.simulate(system, start, until=until)
    loaded = zm.load(run.save(tmp_path / "run.nc"))
    assert loaded.required_friction().value == pytest.approx(run.required_friction().value, rel=1e-12)  # of rounding


def test_a_file_that_names_what_a_system_does_not_have_is_refused():
    data, grids = to_record(slipping_wheel()[0])
    kind = {"joints": [{**data["joints"][0], "one-sided": [["os.system", {}]]}]}
    with pytest.raises(ValueError, match=r"'tyre' of the data slips or lifts as in versions before"):
        from_record({**data, **kind}, grids)


@pytest.mark.parametrize("combine", ["join", pytest.param("feedback", marks=pytest.mark.slow)])
def test_systems_made_from_one_sided_systems_change_their_mode_too(combine):
    """A joined rope never became taut, and a wheel with feedback ended where it rolls."""
    if combine == "join":
        system, start, until = swinging_rope()
        other = zm.Particle("other", mass=1.0)
        joined = zm.join(system, zm.System([other]))
    else:
        system, start, until = slipping_wheel()
        joined = zm.control.with_feedback(system, {})
    given = {x: float(start[x]) for x in (*system.coordinates, *zm.rate(np.array(system.coordinates, dtype=object)))}
    begun = joined.start(given)
    run, alone = zm.simulate(joined, begun, until=until), zm.simulate(system, start, until=until)
    assert run.modes == alone.modes
    assert run.changes == pytest.approx(alone.changes, abs=1e-8)
