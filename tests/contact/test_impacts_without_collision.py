"""Impacts without collision: slips that jam, where no accelerations satisfy Coulomb's law [P1895; B2016, ch. 5]."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from kernel.same_bits import assert_same_bits
from zeromass.integrate.hybrid.contact_problem import contact_problem
from zeromass.integrate.hybrid.impact_problem import ImpactStatus, impact_problem
from zeromass.integrate.hybrid.impacts import impacts
from zeromass.kernel.language import compiled

ANGLE, SPEED = 1.0, 0.8
"""Of a rod with the table, rad, and of its slip, m/s."""


def rod(mu: float, restitution: float, until: float = 0.4) -> tuple[zm.Run, zm.RigidBody]:
    """A rod of half length and mass 1, that is pushed along a table and leans against the push: its end slips ahead."""
    body = zm.RigidBody("rod", 1.0, (1e-3, 1 / 3, 1 / 3))
    end = zm.Contact(
        body, zm.shapes.point(), zm.surfaces.plane(), at=(1, 0, 0), friction=mu, restitution=restitution, name="end"
    )
    system = zm.System([body], gravity=9.81, contacts=[end])
    start = system.start(
        [
            (body.position, (-np.cos(ANGLE), 0, np.sin(ANGLE))),
            (body.quaternion, (np.cos(ANGLE / 2), 0, np.sin(ANGLE / 2), 0)),
            (body.velocity, (SPEED, 0, 0)),
            (body.angular_velocity, 0.0),
        ]
    )
    return zm.simulate(system, start, until=until), body


def delassus() -> np.ndarray:
    """Of the end of the rod, along the normal and along the table."""
    moment = np.array([np.cos(ANGLE), np.sin(ANGLE)])  # of unit forces, about the centre
    return np.eye(2) + 3 * np.outer(moment, moment)


CRITICAL = (1 + 3 * np.cos(ANGLE) ** 2) / (3 * np.sin(ANGLE) * np.cos(ANGLE))
"""Friction beyond which a normal force presses the end more than it lifts it."""


@pytest.mark.parametrize("mu", [1.001 * CRITICAL, 2.0, 4.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_rod_that_jams_loses_its_slip_at_once(mu, restitution):
    """The slip dies out while the end is pressed, and sticks: compression ends where the end is at rest, P = −D⁻¹ w.

    Restitution gives e Pₙ more, with the friction that keeps the end from slipping: energy is lost whatever e is.
    """
    run, _ = rod(mu, restitution, until=0.01)
    assert run.outcome.complete
    D = delassus()
    P = -np.linalg.solve(D, [0.0, SPEED])
    back = restitution * P[0] * np.array([1.0, -D[1, 0] / D[1, 1]])
    w = np.array([0.0, SPEED])
    assert P[0] > 0.0
    (impulse,) = run.impulses
    assert impulse.t == 0.0
    assert impulse.energy == pytest.approx((P + back) @ (w + D @ (P + back) / 2), rel=1e-12)
    assert impulse.energy < 0.0


def test_a_rod_slides_on_below_the_critical_friction():
    run, _ = rod(0.999 * CRITICAL, 0.0, until=0.01)
    assert not run.impulses
    assert run.contacts["end"].mode[0] == "slips"


@pytest.mark.parametrize("feet", [1, 2])
def test_a_tall_box_trips_over_its_front_feet(feet):
    """Its momentum about the edge of the front feet is kept: m v h = (I + m (a² + h²)) ω. One foot or two side by side."""
    a, h, m, inertia, v = 0.1, 1.0, 1.5, 0.4, 0.7
    box = zm.RigidBody("box", m, (inertia, inertia, 0.1))
    floor, side = zm.surfaces.plane(), (0.0,) if feet == 1 else (-0.2, 0.2)
    contacts = [
        zm.Contact(box, zm.shapes.point(), floor, at=(x, y, -h), friction=5.0, restitution=0.0, name=f"foot {x} {y}")
        for x in (-a, a)
        for y in side
    ]
    system = zm.System([box], gravity=9.81, contacts=contacts)
    start = system.start([(box.position, (0, 0, h)), (box.velocity, (v, 0, 0)), (box.angular_velocity, 0.0)])
    run = zm.simulate(system, start, until=0.2)
    assert run.outcome.complete
    ω = m * v * h / (inertia + m * (a**2 + h**2))
    first = run.segments[0].state(0.0)
    assert first[box.angular_velocity] == pytest.approx([0, ω, 0], abs=1e-12)
    assert first[box.velocity] == pytest.approx([ω * h, 0, ω * a], abs=1e-12)
    assert [one.mode[1] for one in run.contacts.values()] == ["open"] * feet + ["sticks"] * feet


def test_energy_is_never_gained_by_what_follows():
    run, body = rod(3.0, 1.0)
    energies = run.at(np.linspace(1e-9, 0.4, 200))[body.kinetic + 9.81 * body.position[2]]
    assert max(b - a for a, b in pairwise(energies)) <= 1e-9 * energies[0]


def test_the_same_bits_everywhere(tmp_path):
    """Two ends that jam, which the other presses a little: on their own, together and one after the other."""
    problems = []
    for coupling, simultaneous in ((0.0, True), (0.01, True), (0.01, False)):
        p, c = impact_problem(2), contact_problem(2)
        for k in range(2):
            c.D[3 * k : 3 * k + 2, 3 * k : 3 * k + 2] = delassus()
            c.D[3 * k + 2, 3 * k + 2] = 1.0
            p.w[3 * k + 1] = SPEED * (1 + k)
        c.D[0, 3] = c.D[3, 0] = coupling
        p.mu[:], p.hold[:], p.e[:], p.jammed[:] = 3.0, 3.0, 0.2, 1
        problems.append([p, c, simultaneous])
    assert_same_bits(impacts, problems, tmp_path)
    for p, c, simultaneous in problems:
        assert compiled(impacts)(p, c, simultaneous) <= ImpactStatus.SEQUENTIAL
        assert p.energy < 0.0
        slips = np.abs(p.u[1::3])
        assert (slips <= 1e-12).tolist() == [True, simultaneous]  # the first lifts the second before that is struck
