"""A wheel on an incline, with one coordinate too many and a singular mass matrix [UP2006, example 1, eq. 5.17]."""

from __future__ import annotations

import math

import numpy as np

import zeromass as zm
from exact.measure import EPS, exact_run, relative
from zeromass.papers import up2006

TIMES = np.linspace(0.0, 3.0, 61)


def test_motion():
    """θ = θ₀ + θ̇₀t + αt²/2 with α = mgR sin α/(mR² + I_c), y = Rθ sin α; the incline carries −mg.

    A motion of second degree in time is integrated without error but for rounding, of which there is some in each of
    the steps, of the order of twenty.
    """
    p = up2006.Wheel()
    case = up2006.wheel(p)
    θ, y = case.system.coordinates
    run = exact_run(case.system, case.state, TIMES[-1])
    t = run.at(TIMES)
    rate = p.m * p.g * p.R * math.sin(p.alpha) / (p.m * p.R**2 + p.Ic)
    angle = 0.3 + 1.2 * TIMES + rate * TIMES**2 / 2
    assert relative(t[θ], angle) <= 40 * EPS
    assert relative(t[y], p.R * math.sin(p.alpha) * angle) <= 40 * EPS
    assert relative(t[zm.rate(θ)], 1.2 + rate * TIMES) <= 40 * EPS
    force = p.m * p.g * np.array([p.R * math.sin(p.alpha), -1.0])
    assert relative(t[case.system.reaction["rolling"]], np.tile(force, (len(TIMES), 1))) <= 10 * EPS
