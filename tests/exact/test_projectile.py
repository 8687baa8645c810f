"""A projectile with linear drag −c v [Thornton & Marion, Classical Dynamics, 5th ed. 2004, §2.4].

v = v∞ + (v₀ − v∞) e^(−t/T),   x = v∞ t + (v₀ − v∞) T (1 − e^(−t/T)),   T = m/c,  v∞ = g T
"""

from __future__ import annotations

import numpy as np

import zeromass as zm
from exact.measure import exact_run, relative

TIMES = np.linspace(0.0, 12.0, 121)


def test_motion():
    """Measured: 4e-14."""
    m, c, gravity = 0.8, 0.5, np.array([0.0, 0.0, -9.81])
    shot = zm.Particle("shot", mass=m)
    system = zm.System([shot], gravity=gravity, forces=zm.Force(-c * shot.velocity, at=shot.position))
    v0 = np.array([12.0, -3.0, 20.0])
    run = exact_run(system, system.start([(shot.velocity, v0)]), TIMES[-1]).at(TIMES)
    T = m / c
    final = gravity * T
    decay = np.exp(-TIMES / T)[:, None]
    assert relative(run[shot.velocity], final + (v0 - final) * decay) <= 2e-13
    assert (
        relative(run[shot.position], final * TIMES[:, None] - (v0 - final) * T * np.expm1(-TIMES / T)[:, None]) <= 2e-13
    )
