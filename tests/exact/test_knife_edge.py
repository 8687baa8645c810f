"""A knife edge on an incline: it does not slide down for ever but follows a cycloid sideways.

At (x, y) with heading φ, x down the slope, and no velocity across the edge, ẋ sin φ = ẏ cos φ; from rest at the origin
with φ̇ = ω [Neimark & Fufaev, Dynamics of Nonholonomic Systems, 1972; Bloch, Nonholonomic Mechanics and Control,
2003, chap. 1]:

    x = (g sin α/(2ω²)) sin² ωt,   y = (g sin α/(2ω²)) (ωt − sin 2ωt/2),   φ = ωt
"""

from __future__ import annotations

import numpy as np

import zeromass as zm
from exact.measure import EPS, exact_run, relative

TIMES = np.linspace(0.0, 10.0, 201)


def test_cycloid():
    """Measured: 4.4e-13. The side force is m(φ̇ v + g sin α sin φ) with v the speed along the edge."""
    m, I, g, α, ω = 1.4, 0.2, 9.81, 0.3, 1.9
    slope = g * np.sin(α)
    x, y, φ = zm.coordinates("x y phi")
    dx, dy, dφ = zm.rate([x, y, φ])
    system = zm.System(
        kinetic=m * (dx**2 + dy**2) / 2 + I * dφ**2 / 2,
        potential=-m * slope * x,
        coordinates=[x, y, φ],
        constraints={"edge": dx * np.sin(φ) - dy * np.cos(φ)},
    )
    run = exact_run(system, system.start({dφ: ω}), TIMES[-1]).at(TIMES)
    τ = ω * TIMES
    c = slope / (2 * ω**2)
    assert relative(run[x], c * np.sin(τ) ** 2) <= 2e-12
    assert relative(run[y], c * (τ - np.sin(2 * τ) / 2)) <= 1e-12
    assert relative(run[φ], τ) <= 20 * EPS
    v = slope / ω * np.sin(τ)
    side = m * (ω * v + slope * np.sin(τ))
    assert relative(-run[system.multipliers[0]], side) <= 1e-12
