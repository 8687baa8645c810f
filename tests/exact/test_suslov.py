"""Suslov's problem: a rigid body that may not turn about one of its own axes, ω₃ = 0.

With I₁₂ = I₂₃ = 0 and I₁₃ ≠ 0 [Neimark & Fufaev, Dynamics of Nonholonomic Systems, 1972; Bloch, Nonholonomic
Mechanics and Control, 2003, chap. 8]

    I₁ω̇₁ = −I₁₃ω₁ω₂,  I₂ω̇₂ = I₁₃ω₁²:   ω₁ = Ω₁ sech ct,   ω₂ = Ω₂ tanh ct,   c = I₁₃Ω₂/I₁

where I₁Ω₁² = I₂Ω₂² = 2E: it goes from one steady turning about the second axis to the opposite one. The torque of the
constraint about the third axis is I₁₃ω̇₁ + (I₂ − I₁)ω₁ω₂.
"""

from __future__ import annotations

import numpy as np

import zeromass as zm
from exact.measure import exact_run, relative

I1, I2, I3, I13, Ω2 = 0.9, 0.8, 1.0, 0.15, 2.4
TIMES = np.linspace(-5.0, 5.0, 201)


def test_from_one_turning_to_its_opposite():
    """Measured in 10 s: 2.7e-13."""
    body = zm.RigidBody("body", mass=1.0, inertia=[[I1, 0, I13], [0, I2, 0], [I13, 0, I3]])
    ω = body.angular_velocity_body
    system = zm.System([body], constraints={"no spin": ω[2]})
    c, Ω1 = I13 * Ω2 / I1, Ω2 * np.sqrt(I2 / I1)
    first, second = Ω1 / np.cosh(c * TIMES), Ω2 * np.tanh(c * TIMES)
    start = system.start([(body.quaternion, (1, 0, 0, 0)), (ω, (first[0], second[0], 0.0))], t=TIMES[0])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    expected = np.stack([first, second, np.zeros_like(first)], axis=1)
    assert relative(run[ω], expected) <= 1e-12
    torque = -I13 * c * first * np.tanh(c * TIMES) + (I2 - I1) * first * second
    assert relative(run[system.multipliers[1]], torque) <= 1e-12
