"""The free symmetric top: a regular precession [Landau & Lifshitz, Mechanics, 3rd ed., §33].

With moments (A, A, C) the angular velocity is h/A along the angular momentum and (1 − C/A) ω₃ along the axis of the
body, both constant:

    S(t) = R(h, |h|t/A) S(0) R(e₃, (1 − C/A) ω₃ t)
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from exact.measure import exact_run, quaternion, relative, rotation

TIMES = np.linspace(0.0, 20.0, 201)


@pytest.mark.parametrize(("A", "C"), [(0.5, 0.9), (1.2, 0.4)], ids=["flat", "long"])
def test_precession(A, C):
    """Measured in 20 s: 6.4e-12."""
    top = zm.RigidBody("top", mass=1.0, inertia=(A, A, C))
    system = zm.System([top])
    S0 = rotation(np.array([1.0, 2.0, -1.0]) / np.sqrt(6), 0.7)[0]
    ω0 = np.array([0.7, -0.4, 1.9])
    start = system.start([(top.quaternion, quaternion(S0)), (top.angular_velocity_body, ω0)])
    run = exact_run(system, start, TIMES[-1]).at(TIMES)
    h = S0 @ (np.array([A, A, C]) * ω0)
    size = np.sqrt(h @ h)
    S = rotation(h / size, size / A * TIMES) @ S0 @ rotation((0.0, 0.0, 1.0), (1 - C / A) * ω0[2] * TIMES)
    assert relative(run[top.rotation], S) <= 2e-11
    # the spin about the axis is constant; the rest of ω turns in the body at the rate (C/A − 1) ω₃
    body = rotation((0.0, 0.0, 1.0), (C / A - 1) * ω0[2] * TIMES) @ ω0
    assert relative(run[top.angular_velocity_body], body) <= 2e-11
