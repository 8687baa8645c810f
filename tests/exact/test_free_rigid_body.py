"""The free rigid body with three different moments, by Jacobi's elliptic functions: its spin and its orientation.

For I₁ < I₂ < I₃ with energy E and angular momentum h, where h² > 2EI₂ [Landau & Lifshitz, Mechanics, 3rd ed., §37],

    ω₁ = √((2EI₃ − h²)/(I₁(I₃ − I₁))) cn τ       τ = t √((I₃ − I₂)(h² − 2EI₁)/(I₁I₂I₃))
    ω₂ = √((2EI₃ − h²)/(I₂(I₃ − I₂))) sn τ       k² = (I₂ − I₁)(2EI₃ − h²)/((I₃ − I₂)(h² − 2EI₁))
    ω₃ = √((h² − 2EI₁)/(I₃(I₃ − I₁))) dn τ

and with 1 and 3 exchanged where h² < 2EI₂. Euler's angles about the fixed vector of angular momentum follow from
h sin θ sin ψ = I₁ω₁, h sin θ cos ψ = I₂ω₂, h cos θ = I₃ω₃ and, by one quadrature,

    φ̇ = h (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²)
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipj

import zeromass as zm
from exact.measure import EPS, exact_run, quaternion, relative, rotation

I = np.array([0.8, 1.1, 1.7])
TIMES = np.linspace(0.0, 20.0, 201)
AXES = np.eye(3)


def spin(t: np.ndarray, ω0: np.ndarray) -> np.ndarray:
    """ω(t) in the body frame, (k, 3), from ω₂(0) = 0, ω₁, ω₃ > 0."""
    E2, h2 = I @ ω0**2, (I * ω0) @ (I * ω0)
    swapped = h2 < E2 * I[1]
    I1, I2, I3 = I[::-1] if swapped else I
    a = np.sqrt((E2 * I3 - h2) / (I1 * (I3 - I1)))
    b = np.sqrt((E2 * I3 - h2) / (I2 * (I3 - I2)))
    c = np.sqrt((h2 - E2 * I1) / (I3 * (I3 - I1)))
    k2 = (I2 - I1) * (E2 * I3 - h2) / ((I3 - I2) * (h2 - E2 * I1))
    τ = t * np.sqrt((I3 - I2) * (h2 - E2 * I1) / (I1 * I2 * I3))
    sn, cn, dn, _ = ellipj(τ, k2)
    return np.stack([c * dn, b * sn, a * cn] if swapped else [a * cn, b * sn, c * dn], axis=-1)


def orientation(t: np.ndarray, ω0: np.ndarray) -> np.ndarray:
    """S(t), (k, 3, 3), in the frame whose third axis is the angular momentum."""
    ω = spin(t, ω0)
    h = np.sqrt((I * ω0) @ (I * ω0))
    h1, h2, h3 = (I * ω).T
    θ, ψ = np.arccos(h3 / h), np.arctan2(h1, h2)

    def precession(t: float) -> float:
        w1, w2, _ = spin(np.array(t), ω0)
        return h * (I[0] * w1**2 + I[1] * w2**2) / ((I[0] * w1) ** 2 + (I[1] * w2) ** 2)

    pieces = [quad(precession, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in itertools.pairwise(t)]
    φ = np.concatenate([[0.0], np.cumsum(pieces)])
    tilt = np.stack([rotation(AXES[0], angle)[0] for angle in θ])
    return rotation(AXES[2], φ) @ tilt @ rotation(AXES[2], ψ)


@pytest.mark.parametrize("ω0", [(0.6, 0.0, 1.5), (2.0, 0.0, 0.8)], ids=["about I3", "about I1"])
def test_spin_and_orientation(ω0):
    """Measured in 20 s: spin 1.2e-12, orientation 4.4e-12, angular momentum and energy 2e-12, place 9e-16."""
    ω0 = np.array(ω0)
    body = zm.RigidBody("body", mass=2.0, inertia=I)
    system = zm.System([body])
    S = orientation(TIMES, ω0)
    start = system.start(
        [(body.quaternion, quaternion(S[0])), (body.angular_velocity_body, ω0), (body.velocity, (0.3, -0.2, 0.1))]
    )
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    assert relative(run[body.angular_velocity_body], spin(TIMES, ω0)) <= 5e-12
    assert relative(run[body.rotation], S) <= 2e-11
    assert (
        relative(run[body.position], TIMES[:, None] * [0.3, -0.2, 0.1]) <= 20 * EPS
    )  # uniform: rounding of some steps
    h = run[body.rotate(I * body.angular_velocity_body)]
    assert relative(h, np.broadcast_to(S[0] @ (I * ω0), h.shape)) <= 1e-11
    assert relative(run[system.energy], np.full(len(TIMES), start[system.energy])) <= 1e-11
