"""Forces: what they do is their virtual work, and what they store or take is their power."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import chain, inertia, random_state, relative

SEEDS = pytest.mark.parametrize("seed", range(12))
ROUNDING = 1e-13  # of sums of up to a hundred terms


def pair(random: np.random.Generator) -> tuple[zm.RigidBody, zm.Particle, np.ndarray]:
    """A rigid body with a marked point, and a particle."""
    body = zm.RigidBody("body", mass=random.uniform(0.5, 2), inertia=inertia(random))
    return body, zm.Particle("bead", mass=random.uniform(0.5, 2)), body.point(random.normal(size=3))


def applied(parts, forces, state_of: zm.State | None = None, seed: int = 0) -> tuple[np.ndarray, zm.State]:
    """Generalised force of some loads alone: Q with them less Q without them, at one random state."""
    loaded, bare = zm.System(parts, forces=forces), zm.System(parts)
    state = random_state(bare, np.random.default_rng(seed))
    Q = zm.State(loaded, state.t, state.q, state.v).matrices.Q
    return Q - state.matrices.Q, state


@SEEDS
def test_virtual_work(seed):
    """Qᵀδq = F·δx for the point where a force acts, and τ·ω for a torque, along every direction of motion."""
    random = np.random.default_rng(seed)
    body, bead, point = pair(random)
    F, τ = random.normal(size=(2, 3))
    for load, power in (
        (zm.Force(F, at=point), F @ zm.rate(point)),
        (zm.Force(F, at=bead.position), F @ bead.velocity),
        (zm.Torque(τ, on=body), τ @ body.angular_velocity),
        ({bead.position[1]: 2.5}, 2.5 * bead.velocity[1]),
    ):
        Q, state = applied([body, bead], load, seed=seed)
        scale = np.abs(Q).max() * np.abs(state.v).max()
        assert relative(Q @ state.v, state[power], scale) <= ROUNDING


@SEEDS
def test_forces_may_depend_on_everything_but_acceleration(seed):
    random = np.random.default_rng(seed)
    bead = zm.Particle("bead", mass=1.0)
    mu = zm.parameter("mu", 0.7)
    drag = -mu * np.sqrt(bead.velocity @ bead.velocity) * bead.velocity + [np.cos(zm.t), 0, 0]
    system = zm.System([bead], forces=zm.Force(drag, at=bead.position))
    state = random_state(system, random, t=1.1)
    expected = -0.7 * np.linalg.norm(state.v) * state.v + [np.cos(1.1), 0, 0]
    assert relative(state.motion.acceleration, expected) <= ROUNDING


@SEEDS
def test_spring(seed):
    """Power of a spring is the loss of the energy it stores; its two forces are opposite and in line."""
    random = np.random.default_rng(seed)
    body, bead, point = pair(random)
    for length in (0.0, random.uniform(0.2, 1.0)):
        k = random.uniform(1, 50)
        spring = zm.Spring(k, point, bead.position, length=length)
        Q, state = applied([body, bead], spring, seed=seed)
        scale = np.abs(Q).max() * np.abs(state.v).max()
        assert relative(Q @ state.v, -state[zm.rate(spring.potential)], scale) <= ROUNDING
        on_body, on_bead = Q[:3], Q[7:]
        line = state[point - bead.position]
        assert relative(on_body, -on_bead) <= ROUNDING
        assert np.abs(np.cross(on_bead, line)).max() <= ROUNDING * np.abs(Q).max() * np.abs(line).max()
        # Hooke: k (d − length) towards the other end
        d = np.linalg.norm(line)
        assert relative(on_bead, k * (d - length) * line / d, k * (d + length)) <= ROUNDING
        system = zm.System([body, bead], forces=spring)
        assert relative(zm.State(system, 0, state.q, state.v)[system.potential], state[spring.potential]) == 0


@SEEDS
def test_damper(seed):
    """Power of a damper is −c (d|a − b|/dt)², never positive."""
    random = np.random.default_rng(seed)
    body, bead, point = pair(random)
    c = random.uniform(0.1, 5)
    damper = zm.Damper(c, point, bead.position)
    Q, state = applied([body, bead], damper, seed=seed)
    d = point - bead.position
    speed = state[zm.rate(np.sqrt(d @ d))]
    scale = np.abs(Q).max() * np.abs(state.v).max()
    assert relative(Q @ state.v, -c * speed**2, scale) <= ROUNDING
    assert Q @ state.v < 0


def test_a_spring_of_length_zero_may_be_closed():
    bead = zm.Particle("bead", mass=1.0)
    state = zm.System([bead], forces=zm.Spring(3.0, bead.position)).start()
    assert np.array_equal(state.motion.acceleration, np.zeros(3))


@SEEDS
def test_energy_balance_of_random_chains(seed):
    """dE/dt is the power of damper, drag and drive: rods do no work, springs and weight are in E.

    Accelerations carry the condition of the rods' equations, below 1e3 for these chains: 1e-12 of the powers' sizes.
    """
    random = np.random.default_rng(seed)
    links = int(random.integers(1, 5))
    _, beads = chain(np.random.default_rng(seed), links)
    last = beads[-1]
    F = random.normal(size=3)
    taking = [
        zm.Damper(0.8, beads[0].position, (1.0, 2.0, 3.0)),
        zm.Force(-0.3 * last.velocity, at=last.position),
        zm.Force(F, at=last.position),
    ]
    storing = [zm.Spring(12.0, last.position, (2.0, 0.0, 0.0), length=0.7)]
    rods = {}
    for i, bead in enumerate(beads):
        d = bead.position - (beads[i - 1].position if i else np.zeros(3))
        rods[f"rod{i}"] = d @ d - random.uniform(0.5, 1.5) ** 2
    system = zm.System(beads, gravity=9.81, constraints=rods, forces=taking + storing)
    state = random_state(system, random)
    d = beads[0].position - np.array([1.0, 2.0, 3.0])
    powers = state[
        [
            -0.8 * zm.rate(np.sqrt(d @ d)) ** 2,
            -0.3 * last.velocity @ last.velocity,
            F @ last.velocity,
        ]
    ]
    gained = state[zm.rate(system.energy)]
    kinetic = state[zm.rate(system.kinetic)]
    scale = np.abs(powers).sum() + abs(kinetic) + np.abs(state.v).max() * np.abs(state.motion.reaction).max()
    assert relative(gained, powers.sum(), scale) <= 1e-12
    # and the reactions alone do none of it
    assert abs(state.motion.reaction @ state.v) <= 1e-12 * scale


@SEEDS
def test_gravity(seed):
    """A number g acts along −z, a vector as it is, and no particle falls differently."""
    random = np.random.default_rng(seed)
    field = random.normal(size=3)
    body, bead, _ = pair(random)
    system = zm.System([body, bead], gravity=field)
    state = random_state(system, random)
    a = state.motion.acceleration
    assert relative(a[:3], field) <= ROUNDING
    assert relative(a[7:], field) <= ROUNDING
    down = random_state(zm.System([body, bead], gravity=9.81), random)
    assert relative(down.motion.acceleration[7:], [0, 0, -9.81]) <= ROUNDING
