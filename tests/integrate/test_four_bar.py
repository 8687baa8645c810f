"""A planar four-bar linkage of three rigid bodies in space on four revolute joints.

Each joint has five rows, so that there are 20 and 3 more of the quaternions' norms, on 21 coordinates; the linkage moves
nevertheless: the joint rows have rank 17 wherever it is, and 3 of them follow from the others. Off the constraints, by
rounding, that is no longer so, which is why the rank is locked.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import relative

LENGTHS, MASSES, BASE, g = np.array([0.3, 1.0, 0.8]), np.array([1.0, 2.0, 1.5]), 0.9, 9.81
Z = np.array([0.0, 0.0, 1.0])
ANGLE, SPEED = 0.7, 6.0


def closed(crank: float) -> np.ndarray:
    """Angles of crank, coupler and rocker, from the triangle of coupler, rocker and the line between their far ends."""
    a, b, c = LENGTHS
    tip = a * np.array([np.cos(crank), np.sin(crank)])
    to_base = np.array([BASE, 0.0]) - tip
    d = np.hypot(*to_base)
    coupler = np.arctan2(to_base[1], to_base[0]) + np.arccos((b**2 + d**2 - c**2) / (2 * b * d))
    end = tip + b * np.array([np.cos(coupler), np.sin(coupler)])
    return np.array([crank, coupler, np.arctan2(end[1], end[0] - BASE)])


class Spatial:
    """The linkage as three rods in space."""

    def __init__(self) -> None:
        rods = []
        for name, l, m in zip(("crank", "coupler", "rocker"), LENGTHS, MASSES, strict=True):
            rods.append(zm.RigidBody(name, mass=m, inertia=(m * l**2 / 1000, m * l**2 / 12, m * l**2 / 12)))
        crank, coupler, rocker = self.rods = rods
        half = [np.array([l / 2, 0.0, 0.0]) for l in LENGTHS]

        def axes(one: zm.RigidBody, other: zm.RigidBody) -> list[zm.expression.Expression]:
            return [one.rotate(x) @ other.rotate(Z) for x in ((1, 0, 0), (0, 1, 0))]

        self.system = zm.System(
            rods,
            gravity=(0.0, -g, 0.0),
            constraints={
                "O": crank.point(-half[0]),
                "O axis": crank.rotate(Z)[:2],
                "A": coupler.point(-half[1]) - crank.point(half[0]),
                "A axis": axes(crank, coupler),
                "C": rocker.point(half[2]) - coupler.point(half[1]),
                "C axis": axes(coupler, rocker),
                "B": rocker.point(-half[2]) - [BASE, 0.0, 0.0],
                "B axis": rocker.rotate(Z)[:2],
            },
        )
        angles = closed(ANGLE)
        quaternions = [(np.cos(x / 2), 0.0, 0.0, np.sin(x / 2)) for x in angles]
        guess = [(rod.quaternion, u) for rod, u in zip(rods, quaternions, strict=True)]
        self.start = self.system.start(
            [(crank.quaternion, quaternions[0]), (crank.angular_velocity[2], SPEED)], guess=guess
        )


def planar() -> tuple[zm.System, zm.State]:
    """The same linkage in the plane, by the angles of its bars and the two equations that close it."""
    θ = zm.coordinates("crank coupler rocker")
    ω = zm.rate(θ)
    along = [l * np.array([np.cos(x), np.sin(x)]) for l, x in zip(LENGTHS, θ, strict=True)]
    base = np.array([BASE, 0.0])
    middles = [along[0] / 2, along[0] + along[1] / 2, base + along[2] / 2]
    speeds = [zm.rate(middle) for middle in middles]
    moments = MASSES * LENGTHS**2 / 12
    system = zm.System(
        kinetic=sum(m * (v @ v) / 2 for m, v in zip(MASSES, speeds, strict=True)) + (moments * ω**2).sum() / 2,
        potential=sum(m * g * middle[1] for m, middle in zip(MASSES, middles, strict=True)),
        coordinates=θ,
        constraints={"closed": along[0] + along[1] - base - along[2]},
    )
    start = system.start({θ[0]: ANGLE, ω[0]: SPEED}, guess=[(θ, closed(ANGLE))])
    return system, start


@pytest.fixture(scope="module")
def linkage() -> Spatial:
    return Spatial()


def test_rank(linkage):
    diagnosis = linkage.system.check(linkage.start)
    assert diagnosis.constraint_rows == 23
    assert diagnosis.constraint_rank == 20
    assert diagnosis.degrees_of_freedom == 1
    assert diagnosis.unique
    assert len(diagnosis.redundant) == 3
    assert diagnosis.lost == ()


def test_ten_seconds(linkage):
    """Energy to 1e-9 of the largest kinetic energy, 12 J; measured: 1.3e-10. The rank is 20 at every step."""
    system = linkage.system
    run = zm.simulate(system, linkage.start, until=10.0, rtol=1e-10, atol=1e-13)
    assert run.outcome.complete
    energy = run[system.energy]
    assert np.max(np.abs(energy - energy[0])) <= 1e-9 * run[system.kinetic].max()
    assert len(run.program.elimination.kept) == 20
    assert len(run.program.elimination.dropped) == 3
    # all 23 rows hold, those left out as well
    zeros = np.array([row.zero for row in system.rows])
    assert np.max(np.abs(run[zeros])) <= 1e-14  # lengths of about 1, a few units of rounding
    assert np.max(np.abs(run[system.velocity_constraints])) <= 1e-13  # speeds of up to 8 m/s
    # the crank has turned over and over
    turns = run[linkage.rods[0].rotate((1, 0, 0))[:2]]
    assert np.sum(np.abs(np.diff(np.unwrap(np.arctan2(turns[:, 1], turns[:, 0]))))) > 20


def test_it_is_the_planar_linkage(linkage):
    """Two seconds against three angles and two constraints: directions of the bars to 1e-9, measured 1e-10."""
    t = np.linspace(0.0, 2.0, 41)
    run = zm.simulate(linkage.system, linkage.start, until=2.0, rtol=1e-12, atol=1e-14).at(t)
    system, start = planar()
    flat = zm.simulate(system, start, until=2.0, rtol=1e-12, atol=1e-14).at(t)
    for k, rod in enumerate(linkage.rods):
        angle = flat[system.coordinates[k]]
        expected = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
        assert relative(run[rod.rotate((1, 0, 0))], expected) <= 1e-9
    assert relative(run[linkage.system.kinetic], flat[system.kinetic]) <= 1e-9


def test_off_the_constraints_the_motion_is_continuous(linkage):
    """Moved off by ε, a singular value of A that was zero is a multiple of ε, and the rank is 21; with the rank of
    the start, locked, the accelerations change by a multiple of ε, too, and do not jump.
    """
    system, start = linkage.system, linkage.start
    run = zm.simulate(system, start, until=0.1)
    exact = run.program.native.accelerations(start.inputs)
    random = np.random.default_rng(0)
    away = np.concatenate([[0.0], random.normal(size=len(start.q)), np.zeros(len(start.v))])
    size = np.abs(exact).max()
    slopes, lost = [], []
    for ε in (1e-5, 1e-7, 1e-9):
        inputs = start.inputs + ε * away
        slopes.append(np.abs(run.program.native.accelerations(inputs) - exact).max() / ε / size)
        lost.append(np.linalg.svd(system.matrices(inputs).A, compute_uv=False)[20] / ε)
    assert max(slopes) <= 1e2
    assert max(slopes) / min(slopes) <= 1.1  # the same slope: a derivative
    assert 0.01 < min(lost) <= max(lost) < 10
