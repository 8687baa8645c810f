"""Chaplygin's sleigh: a body on ice on a knife edge that is a distance a behind its mass centre.

With v the speed of the edge along itself, ω the turning rate and J = I + ma² [Neimark & Fufaev, Dynamics of
Nonholonomic Systems, 1972; Bloch, Nonholonomic Mechanics and Control, 2003, chap. 1],

    v̇ = aω²,  Jω̇ = −mavω:   v = V tanh ct,   ω = V √(m/J) sech ct,   c = maV/J,   φ = (√(J/m)/a) gd ct

and gd x = 2 arctan tanh(x/2): energy is kept, and yet every motion ends straight ahead.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import cumulative_simpson

import zeromass as zm
from exact.measure import exact_run, relative

m, I, a, V = 2.0, 0.3, 0.25, 1.5
J = I + m * a**2
c = m * a * V / J
TIMES = np.linspace(-2.0, 2.0, 4001)


def test_from_backwards_to_forwards():
    """Measured: 1.2e-13; the place of the edge, a quadrature of the closed forms by Simpson's rule, 2.5e-12."""
    x, y, φ = zm.coordinates("x y phi")  # of the edge, which is a particle of mass zero in all but name
    ahead = np.array([x + a * np.cos(φ), y + a * np.sin(φ)])
    centre = zm.rate(ahead)
    dx, dy, dφ = zm.rate([x, y, φ])
    system = zm.System(
        kinetic=m * (centre @ centre) / 2 + I * dφ**2 / 2,
        coordinates=[x, y, φ],
        constraints={"edge": dx * np.sin(φ) - dy * np.cos(φ)},
    )
    angle = np.sqrt(J / m) / a * 2 * np.arctan(np.tanh(c * TIMES / 2))
    speed, turn = V * np.tanh(c * TIMES), V * np.sqrt(m / J) / np.cosh(c * TIMES)
    along = dx * np.cos(φ) + dy * np.sin(φ)
    start = system.start({x: 0, y: 0, φ: angle[0], along: speed[0], dφ: turn[0]}, t=TIMES[0])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    assert relative(run[along], speed) <= 5e-13
    assert relative(run[dφ], turn) <= 5e-13
    assert relative(run[φ], angle) <= 5e-13
    for place, slope in ((x, speed * np.cos(angle)), (y, speed * np.sin(angle))):
        assert relative(run[place], cumulative_simpson(slope, x=TIMES, initial=0.0)) <= 1e-11
    assert relative(run[system.energy], np.full(len(TIMES), m * V**2 / 2)) <= 5e-13
