"""Stănescu: a particle without friction on a moving sphere, one particle and one constraint that contains time.

The right-hand sides are typed from the paper with the signs of docs/errata.md. Tolerances of 1e-12 are relative to the
sum of the terms of eq. 46: a few hundred units of rounding, for the states satisfy the constraint to a few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import random_state


@dataclass(frozen=True)
class Sphere:
    m: float
    R: float
    a: float
    omega: float
    g: float

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Sphere:
        return cls(*random.uniform([0.1, 0.5, 0.1, 0.5, 5], [5, 2, 1, 5, 15]))

    def system(self) -> tuple[zm.Particle, zm.System]:
        particle = zm.Particle("particle", mass=self.m)
        X, Y, Z = particle.position
        f = (X - self.a * np.cos(self.omega * zm.t)) ** 2 + Y**2 + Z**2 - self.R**2  # 34
        return particle, zm.System([particle], gravity=self.g, constraints={"sphere": f})

    def arrays(self, state: zm.State) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
        """B (35), its rate (37), the rate of C (45, corrected) and F (39)."""
        c, s = np.cos(self.omega * state.t), np.sin(self.omega * state.t)
        X, Y, Z = state.q
        dX, dY, dZ = state.v
        aw = self.a * self.omega
        B = 2 * np.array([X - self.a * c, Y, Z])
        dB = 2 * np.array([dX + aw * s, dY, dZ])
        dC = -2 * (dX + aw * s) * aw * s - 2 * (X - self.a * c) * aw * self.omega * c
        return B, dB, dC, np.array([0, 0, -self.m * self.g])


@pytest.mark.parametrize("seed", range(100))
def test_multiplier_and_both_routes(seed):
    random = np.random.default_rng(seed)
    sphere = Sphere.drawn(random)
    _, system = sphere.system()
    state = random_state(system, random, t=random.uniform(0, 10))
    B, dB, dC, F = sphere.arrays(state)
    m, a, w, R, g = sphere.m, sphere.a, sphere.omega, sphere.R, sphere.g
    c, s = np.cos(w * state.t), np.sin(w * state.t)
    (X, _, Z), (dX, dY, dZ) = state.q, state.v

    # 46, corrected: m/(4R²) times the sum of these
    terms = np.array([-2 * (dX + a * w * s) ** 2, -2 * (X - a * c) * a * w**2 * c, -2 * dY**2, -2 * dZ**2, 2 * g * Z])
    scale = m / (4 * R**2) * np.abs(terms).sum()
    multiplier = state[system.multipliers[0]]
    assert abs(multiplier - m / (4 * R**2) * terms.sum()) <= 1e-12 * scale

    first = (dC - dB @ state.v - B @ F / m) / (B @ B / m)  # 28
    second = np.linalg.pinv(B[:, None] / m)[0] @ (  # 33
        np.linalg.pinv(B[None])[:, 0] * (dC - dB @ state.v) - F / m
    )
    for value in (first, second):
        assert abs(multiplier - value) <= 1e-12 * scale
        qdd = (F + B * value) / m  # 29
        assert np.all(np.abs(state.motion.acceleration - qdd) <= 1e-12 * scale * np.linalg.norm(B) / m)
    # the normal reaction (5), which a moving surface lets do work
    assert np.all(np.abs(state[system.reaction["sphere"]] - multiplier * B) <= 1e-12 * scale * np.abs(B).max())


def test_printed_signs_leave_the_sphere():
    """With the signs of (45) as printed, f̈ is off by twice the rate of C."""
    random = np.random.default_rng(0)
    sphere = Sphere.drawn(random)
    _, system = sphere.system()
    state = random_state(system, random, t=1.3)
    B, dB, dC, F = sphere.arrays(state)
    for rate_of_C, miss in ((dC, 0.0), (-dC, -2 * dC)):
        multiplier = (rate_of_C - dB @ state.v - B @ F / sphere.m) / (B @ B / sphere.m)
        second_rate = B @ (F + B * multiplier) / sphere.m + dB @ state.v - dC
        # rounding of terms of the size of dC, B·F/m and Ḃq̇
        size = abs(dC) + abs(dB @ state.v) + abs(B @ F) / sphere.m
        assert abs(second_rate - miss) <= 1e-14 * size
    assert abs(2 * dC) > 1e-3 * size  # far above rounding
    assert abs(B @ state.motion.acceleration + dB @ state.v - dC) <= 1e-13 * size


def test_start_as_printed_is_off_the_sphere():
    sphere = Sphere(m=1.0, R=0.8, a=0.8, omega=2.0, g=9.81)
    particle, system = sphere.system()
    printed = [(particle.position, (0.0, 0.0, sphere.R)), (particle.velocity, (0.0, 0.0, 0.0))]
    with pytest.raises(zm.errors.StartError, match="'sphere'"):
        system.start(printed)
    # X0 = R is meant: (52)–(54) hold for it, and the motion is planar
    meant = system.start([(particle.position, (sphere.R, 0.0, sphere.R)), (particle.velocity, (0, 0, 0))])
    assert meant.free == ()
    assert np.array_equal(meant.matrices.A, [[0, 0, 2 * sphere.R]])
    assert meant.motion.acceleration[1] == 0
