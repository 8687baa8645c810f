"""Appell and Hamel's particle: a constraint that is not linear in the rates, v_x² + v_y² = a² v_z²."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import random_state


def particle(a: float, g: float = 9.81) -> tuple[zm.Particle, zm.System]:
    p = zm.Particle("p", mass=1.7)
    v = p.velocity
    return p, zm.System([p], gravity=g, constraints={"cone": v[0] ** 2 + v[1] ** 2 - a**2 * v[2] ** 2})


@pytest.mark.parametrize("seed", range(50))
def test_it_falls_at_a_constant_rate(seed):
    """z̈ = −g/(1 + a²) at every state: Neimark & Fufaev 1972, chap. IV, with the constraint force along A."""
    random = np.random.default_rng(seed)
    a, g = random.uniform(0.2, 3.0), random.uniform(1.0, 20.0)
    p, system = particle(a, g)
    state = random_state(system, random)
    # one row of A: its round-off and that of the state, a few units each, on terms of the size of g
    assert abs(state[zm.acceleration(p.position[2])] + g / (1 + a**2)) <= 1e-14 * g
    v, qdd = state.v, state.motion.acceleration
    horizontal = -g / (1 + a**2) * v[:2] / v[2]  # v_x, v_y keep their ratio to v_z
    assert np.all(np.abs(qdd[:2] - horizontal) <= 1e-13 * g * max(1.0, a))
    diagnosis = system.check(state)
    assert diagnosis.kinds == {"cone": "nonholonomic, nonlinear in the rates"}
    assert (diagnosis.degrees_of_freedom, diagnosis.lost) == (2, ())


def test_at_rest_the_constraint_says_nothing():
    """A = (v_x, v_y, −a² v_z) vanishes at rest: the particle would fall freely, off the cone."""
    _, system = particle(0.7)
    at_rest = system.start()
    diagnosis = system.check(at_rest)
    assert diagnosis.constraint_rank == 0
    (words,) = diagnosis.lost
    assert words.startswith("A has lost rank: 'cone' has 0 independent of 1 rows")
    assert words in str(diagnosis)


def test_the_cone_can_be_missed():
    p, system = particle(0.7)
    with pytest.raises(zm.errors.StartError, match=r"'cone'.*rate"):
        system.start([(p.velocity, (1.0, 0.0, 0.1))])
