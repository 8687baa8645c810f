"""Appell and Hamel's particle, ẋ² + ẏ² = a²ż² under gravity: the force of the constraint along its gradient.

z̈ = −g/(1 + a²), and (ẋ, ẏ) keeps its direction: ẋ = aż cos β, ẏ = aż sin β [Neimark & Fufaev, Dynamics of Nonholonomic
Systems, 1972, chap. IV]: the particle falls on a straight line with constant acceleration.
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, relative

TIMES = np.linspace(0.0, 4.0, 81)


@pytest.mark.parametrize(("a", "β"), [(0.6, 0.4), (1.0, 2.5), (2.5, -1.0)])
def test_it_falls_on_a_line(a, β):
    """Measured: 1.9e-14, the part of the tolerance that the iterations leave; 8e-16 with method="dop853"."""
    m, g = 1.7, 9.81
    p = zm.Particle("p", mass=m)
    v = p.velocity
    system = zm.System([p], gravity=g, constraints={"cone": v[0] ** 2 + v[1] ** 2 - a**2 * v[2] ** 2})
    along = np.array([a * np.cos(β), a * np.sin(β), 1.0])
    start = system.start([(p.position, (0.1, 0.2, 0.3)), (v, -0.8 * along)])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    z = -0.8 * TIMES - g / (1 + a**2) * TIMES**2 / 2
    assert relative(run[p.position], [0.1, 0.2, 0.3] + z[:, None] * along) <= 6e-14
    assert relative(run[v], (-0.8 - g / (1 + a**2) * TIMES)[:, None] * along) <= 6e-14
    force = m * g / (1 + a**2) * np.array([-a * np.cos(β), -a * np.sin(β), a**2])
    assert relative(run[system.reaction["cone"]], np.tile(force, (len(TIMES), 1))) <= 6e-14
