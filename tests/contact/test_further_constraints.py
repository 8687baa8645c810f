"""A rolling body under further constraints stays one: its starts, and the forces of its surface alone."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

ROUNDING = 1e-9
"""Forces of two models of one motion, N: rounding of their eliminations."""


def ball(on: zm.Surface | None = None, **options) -> zm.Rolling:
    given = {"gravity": (0.0, 2.0, -9.81), **options}
    return zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane() if on is None else on, **given)


def test_a_guided_ball_is_a_rolling_system():
    """The groove takes the weight across it at the centre: the surface gives the rest, without a torque."""
    rolling = ball(gravity=(1.0, 2.0, -9.81))
    guided = rolling.with_constraints({"groove": rolling.center[1]})
    assert isinstance(guided, zm.Rolling)
    start = guided.start(contact=(0.0, 0.0), velocity=(1.0, 0.0), spin=2.0)
    assert start[guided.force] == pytest.approx([-1 / 7, 0.0, 0.5 * 9.81], abs=ROUNDING)
    run = zm.simulate(guided, start, until=1.0)
    assert run.outcome.complete
    assert run.required_friction().value == pytest.approx(2 / 7 / 9.81, abs=ROUNDING)
    assert run.state(1.0)[guided.center] == pytest.approx([1.0 + 5 / 14, 0.0, 0.1], abs=ROUNDING)
    assert run.work().imbalance < ROUNDING
    assert np.abs(run.residuals()["groove"]).max() < ROUNDING


@pytest.mark.parametrize("name", ["centre", "contact", "spin", "pace"])
def test_no_guide_gives_the_surface_a_torque(name):
    """A point contact has no torque, whatever else holds the body: its centre, its contact, its turning, its mass centre."""
    solid = zm.bodies.SphericalBody(
        radius=0.1, mass=0.5, inertia=(2e-3, 1.8e-3, 1.5e-3), center_of_mass=(0.02, 0.0, 0.03)
    )
    rolling = zm.Rolling(solid, on=zm.surfaces.sphere(1.0), gravity=(0.0, 2.0, -9.81))
    zero = {
        "centre": rolling.center[1],
        "contact": rolling.contact[1],
        "spin": rolling.normal @ rolling.body.angular_velocity - 0.5,
        "pace": rolling.body.velocity[0] - 0.3 - 0.1 * zm.t,
    }[name]
    guided = rolling.with_constraints({name: zero})
    start = guided.start({rolling.contact[0]: 0.1, rolling.contact[1]: 0.0}, guess=above(rolling))
    assert start[guided.torque_at_contact] == pytest.approx(0.0, abs=ROUNDING)
    moved = 0.5 * (start[zm.rate(guided.body.velocity)] - [0.0, 2.0, -9.81])
    guide = moved - start[guided.force]
    if name == "pace":
        assert guide[1:] == pytest.approx(0.0, abs=ROUNDING)
    elif name == "spin":
        assert guide == pytest.approx(0.0, abs=ROUNDING)
    else:
        assert guide[[0, 2]] == pytest.approx(0.0, abs=ROUNDING)
        assert abs(guide[1]) > 0.1


def above(rolling: zm.Rolling) -> dict:
    return {rolling.contact[2]: 1.0, rolling.center[2]: 1.1, rolling.body.position[2]: 1.1}


def test_a_guide_of_the_contact_point_is_one_of_the_body():
    """On a sphere about the origin contact and centre are in one plane y = 0: either guide is the same groove."""
    rolling = ball(on=zm.surfaces.sphere(1.0))
    forces = []
    for point in (rolling.contact, rolling.center):
        guided = rolling.with_constraints({"groove": point[1]})
        start = guided.start(contact=(0.1, 0.0, np.sqrt(0.99)), velocity=(0.3, 0.0), spin=1.0)
        forces.append(start[guided.force])
    assert forces[0] == pytest.approx(forces[1], abs=ROUNDING)


def test_a_guide_of_the_contact_point_of_an_ellipsoid():
    """Where it touches follows from centre and turning, P = O + s(−n): the same guide in these has the same forces."""
    solid = zm.bodies.ellipsoid(axes=(0.2, 0.1, 0.15), mass=0.5)
    rolling = zm.Rolling(solid, on=zm.surfaces.plane(), gravity=(0.0, 2.0, -9.81))
    touched = rolling.center + solid.outline.farthest(-rolling.normal, rolling.body.rotation)
    found = []
    for point in (rolling.contact, touched):
        guided = rolling.with_constraints({"groove": point[1]})
        start = guided.start(contact=(0.0, 0.0), orientation=(0.3, 0.2, 0.5))
        found.append(np.concatenate([start[guided.force], start[guided.torque_at_mass_center]]))
    assert found[0] == pytest.approx(found[1], abs=ROUNDING)


def test_what_rolls_slips_and_is_kept_under_further_constraints(tmp_path):
    """Friction, events and files go on: on a steep plane a guided ball slips down as 2/7 tan 0.8 > μ."""
    rolling = ball(on=zm.surfaces.plane(0.8), gravity=9.81, friction=0.2, rolling_resistance=lambda w: 1e-4 * w)
    guided = rolling.with_constraints({"groove": rolling.center[1]})
    start = guided.slipping.start(
        [(guided.contact, 0.0), (guided.center_particle.velocity, 0.0), (guided.body.angular_velocity, 0.0)]
    )
    run = zm.simulate(guided, start, until=0.2)
    assert run.modes == ("slipping",)
    run.save(tmp_path / "guided.nc")
    again = zm.load(tmp_path / "guided.nc")
    assert isinstance(again.system, zm.Rolling)
    assert again.system.further == ("groove",)
    assert np.array_equal(again[again.system.force], run[guided.force])


def test_a_name_is_given_once():
    rolling = ball()
    with pytest.raises(zm.errors.ModelError, match="a constraint named 'surface' is there already"):
        rolling.with_constraints({"surface": rolling.center[1]})


def test_bodies_at_several_contacts_and_particles_stay_what_they_are():
    """In a groove along x: the friction of the floor is 2/7 of the pull, and a frictionless floor has none."""
    pull = (1.0, 2.0, -9.81)
    body = zm.Contacts(zm.bodies.ball(0.1, 0.5), on={"floor": zm.surfaces.plane()}, gravity=pull, friction=0.5)
    guided = body.with_constraints({"groove": body.center[1]})
    assert isinstance(guided, zm.Contacts)
    start = guided.start(center=(0.0, 0.0, 0.1), velocity=(0.0, 0.0, 0.0))
    assert start[guided.contacts[0].friction_force] == pytest.approx([-1 / 7, 0.0, 0.0], abs=ROUNDING)
    bead = zm.Particle("bead", mass=1.0)
    sliding = zm.Sliding(bead, on=zm.surfaces.plane(), gravity=pull)
    railed = sliding.with_constraints({"rail": bead.position[1]})
    assert isinstance(railed, zm.Sliding)
    run = zm.simulate(railed, railed.start(contact=(0.0, 0.0, 0.0)), until=1.0)
    assert run.state(1.0)[bead.position] == pytest.approx([0.5, 0.0, 0.0], abs=ROUNDING)
    assert run[railed.reaction_force][-1] == pytest.approx([0.0, 0.0, 9.81], abs=ROUNDING)
