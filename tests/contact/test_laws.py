"""What mechanics says of every rolling body: reactions, energy, residuals; on bowls that rest and that move."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from cases import spread
from contact.lumps import lumpy, spherical
from exact.measure import exact_run, relative

TIMES = np.linspace(0.0, 5.0, 301)
BODY = spherical(lumpy(np.random.default_rng(7), 0.09))
START = {"contact": (-1.1, -0.6), "velocity": (1.2, 0.7), "orientation": (0.5, -0.2, 0.9)}


def bowl(**motion) -> zm.Surface:
    return zm.surfaces.dimpled_bowl(**motion)


def waves(X, Y):
    return 0.05 * (X**2 + Y**2) + 0.03 * np.sin(2.5 * X - 2.0 * zm.t)


SURFACES = {
    "at rest": bowl,
    "shaken": lambda: bowl(shift=(0.1 * np.cos(2 * zm.t), 0.05 * np.sin(zm.t), 0.03 * np.sin(3 * zm.t))),
    "turning": lambda: bowl(rotation=((0, 0, 1), 0.4 * zm.t)),
    "tilting": lambda: bowl(rotation=((1, 0.5, 0), 0.1 * np.sin(zm.t)), shift=(0, 0, 0.02 * np.cos(zm.t))),
    "waving": lambda: zm.Surface(waves, name="waves"),
    "drawn": lambda: bowl(velocity=lambda p: (0.3 * np.cos(zm.t), 0.2 * p[0], 0)),
}
everywhere = pytest.mark.parametrize("name", spread(SURFACES, 2))
spins = pytest.mark.parametrize("spin", ["free", "none"])


def run_of(surface: zm.Surface, spin: str = "free", until: float = 5.0, **options) -> zm.Run:
    rolling = zm.Rolling(BODY, on=surface, no_spin=spin == "none", two_sided=True)
    return exact_run(rolling, rolling.start(**START, **({"spin": 4.0} if spin == "free" else {})), until, **options)


@spins
@everywhere
def test_reactions_and_work(name, spin):
    """One run, all laws of its reactions, at its steps and between them. Measured: reactions 2e-15, work 5e-13."""
    run = run_of(SURFACES[name](), spin)
    rolling, dense = run.system, run.at(TIMES)
    force = np.abs(dense[rolling.reaction_force]).max()
    lever = BODY.radius * force
    torque, n = dense[rolling.torque_at_contact], dense[rolling.normal]
    about_normal = np.einsum("ti,ti->t", torque, n)
    if spin == "free":
        assert np.abs(torque).max() <= 1e-12 * lever
    else:
        assert np.abs(torque - about_normal[:, None] * n).max() <= 1e-12 * lever
        assert np.abs(about_normal).max() >= 1e-3 * lever

    # no force acts on a particle of mass zero: the constraints' forces on each cancel
    for particle in (rolling.contact_particle, rolling.center_particle):
        places = [rolling.index(x) for x in particle.position]
        parts = dense[np.array([rolling.reaction[row][places] for row in rolling.reaction])]
        assert np.abs(parts.sum(axis=1)).max() <= 1e-12 * np.abs(parts).max()
        assert np.abs(parts).max() > 0.1 * force

    # the parts of the force, and the same torque in other axes and about another point
    friction, normal = dense[rolling.friction_force], dense[rolling.normal_force]
    assert relative(friction + normal[:, None] * n, dense[rolling.reaction_force]) <= 1e-14
    assert np.abs(np.einsum("ti,ti->t", friction, n)).max() <= 1e-14 * force
    assert relative(np.linalg.norm(friction, axis=1), dense[rolling.friction_magnitude]) <= 1e-14
    S = dense[rolling.body.rotation]
    turned = np.einsum("tij,tj->ti", S, dense[rolling.torque_at_contact_body])
    assert np.abs(turned - torque).max() <= 1e-12 * lever
    arm = dense[rolling.contact - rolling.body.position]
    assert np.abs(
        dense[rolling.torque_at_mass_center] - np.cross(arm, dense[rolling.reaction_force]) - torque
    ).max() <= (1e-11 * lever)

    # energy changes by the work of the moving surface, and by nothing else
    work = run.work()
    assert work.imbalance <= 1e-11
    assert np.abs(work.applied).max() <= 1e-12 * abs(work.energy)
    power = rolling.rates @ rolling.reaction.total
    given = dense[rolling.surface_power]
    assert np.abs(dense[power] - given).max() <= 1e-11 * force
    if name == "at rest":
        assert np.abs(given).max() == 0.0
    else:
        assert np.ptp(work.constraint) > 1e-3 * abs(work.energy)
    assert relative(dense[rolling.translational_energy + rolling.rotational_energy], dense[rolling.kinetic]) <= 1e-14


@spins
def test_energy_is_constant_on_a_surface_at_rest(spin):
    """Measured in 25 s at rtol 1e-13, without the energy row: 5e-13."""
    run = run_of(bowl(), spin, until=25.0, atol=1e-16)
    energy = run[run.system.energy]
    assert np.ptp(energy) <= 1e-12 * abs(energy[0])


@everywhere
def test_residuals(name):
    """At the steps, of constraints and of the slip: rounding with projection, about the tolerance without.

    Measured: 2e-15 with projection, where no pivot cancels, and 2e-11 … 3e-9 without at rtol 1e-11.
    """
    worst, lost = {}, 1.0
    for project in (True, False):
        run = run_of(SURFACES[name](), rtol=1e-11, atol=1e-13, project=project)
        rolling, lost = run.system, max(lost, run.statistics.growth / 1e2)
        positions = run[np.array([row.zero for row in rolling.rows if row.level == 0])]
        velocities = run[rolling.velocity_constraints]
        worst[project] = max(
            np.abs(positions).max(), np.abs(velocities).max(), np.abs(run[rolling.slip_velocity]).max()
        )
    assert worst[True] <= 1e-14 * lost
    assert 1e-13 < worst[False] <= 1e-8


def test_the_energy_row_changes_nothing():
    """Measured in 5 s: 1.4e-11, the difference of two runs."""
    plain = run_of(bowl())
    rolling = zm.Rolling(BODY, on=bowl(), conserve_energy=True, two_sided=True)
    held = exact_run(rolling, rolling.start(**START, spin=4.0), 5.0)
    for name in ("contact", "reaction_force"):
        assert relative(held.at(TIMES)[getattr(rolling, name)], plain.at(TIMES)[getattr(plain.system, name)]) <= 5e-11
    assert relative(held.at(TIMES)[rolling.body.quaternion], plain.at(TIMES)[plain.system.body.quaternion]) <= 5e-11


@pytest.mark.parametrize("slope", [0.1, 0.2, 0.3, 0.7])
def test_the_energy_row_where_the_body_turns_back(slope):
    """At rest the row dE/dt = 0 is empty; the motion goes on through it: x = −t + a t²/2. Measured: 1e-13."""
    rolling = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane(slope), conserve_energy=True)
    run = exact_run(rolling, rolling.start(contact=(0, 0), velocity=(-1.0, 0.0)), 3.0)
    a = 5 / 7 * 9.81 * np.sin(slope) * np.cos(slope)
    assert relative(run[rolling.contact[0]], -run.t + a * run.t**2 / 2) <= 1e-11
