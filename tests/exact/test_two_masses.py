"""Two masses on two springs, one mass or the other zero [UP2006, example 3].

x̄₁ is the stretch of the first spring, q̄₂ of the second, u = x̄₁ + q̄₂ the displacement of the second mass:

    case 5.1   m₁ẍ = −k₁x + k₂(u − x),  m₂ü = −k₂(u − x): two normal modes
    case 5.2   m₁ = 0: springs in series, u oscillates with ω² = k₁k₂/(m₂(k₁ + k₂)), x̄₁ = k₂u/(k₁ + k₂)
    case 5.3   m₂ = 0: the second spring is slack, x̄₁ oscillates with ω² = k₁/m₁
"""

from __future__ import annotations

import math

import numpy as np

from exact.measure import EPS, exact_run, relative
from zeromass.papers import up2006
from zeromass.papers.comparison import Case

TIMES = np.linspace(0.0, 10.0, 401)


def stretches(case: Case, p: up2006.Chain) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x̄₁ and q̄₂ at the times, and how far q₁ is from x₁ + d."""
    x1, q1, q2 = case.system.coordinates
    run = exact_run(case.system, case.state, TIMES[-1]).at(TIMES)
    return run[x1] - p.l10, run[q2] - p.l20, run[q1] - run[x1] - p.d


def oscillation(ω: float, x0: float, v0: float) -> np.ndarray:
    return x0 * np.cos(ω * TIMES) + v0 / ω * np.sin(ω * TIMES)


def test_case_5_1():
    """Measured: 4e-13 in ten seconds, about fifteen periods of the faster mode."""
    p = up2006.Chain()
    case = up2006.chain(p)
    x, q, apart = stretches(case, p)
    state = case.state
    x0, u0 = state.q[0] - p.l10, state.q[0] - p.l10 + state.q[2] - p.l20
    vx, vu = state.v[0], state.v[0] + state.v[2]
    # ω² from (k₁ + k₂ − m₁ω²)(k₂ − m₂ω²) = k₂²; mode shapes (x, u) = (k₂ − m₂ω², k₂)
    a, b, c = p.m1 * p.m2, p.m1 * p.k2 + p.m2 * (p.k1 + p.k2), p.k1 * p.k2
    squares = np.array([b + math.sqrt(b**2 - 4 * a * c), b - math.sqrt(b**2 - 4 * a * c)]) / (2 * a)
    shapes = np.array([p.k2 - p.m2 * squares, [p.k2, p.k2]])
    amplitudes, speeds = np.linalg.solve(shapes, [x0, u0]), np.linalg.solve(shapes, [vx, vu])
    modes = [oscillation(math.sqrt(s), A, B) for s, A, B in zip(squares, amplitudes, speeds, strict=True)]
    first, second = shapes @ np.array(modes)
    assert relative(x, first) <= 2e-12
    assert relative(q, second - first) <= 2e-12
    assert np.max(np.abs(apart)) <= 1e-15  # d = 0.05 and x₁ below 1 are rounded once each


def test_case_5_2_springs_in_series():
    """Measured: 1.3e-12."""
    p = up2006.Chain(m1=0.0)
    case = up2006.light_first_mass(p)
    x, q, _ = stretches(case, p)
    ω = math.sqrt(p.k1 * p.k2 / (p.m2 * (p.k1 + p.k2)))
    u = oscillation(ω, x[0] + q[0], case.state.v[0] + case.state.v[2])
    assert relative(x + q, u) <= 5e-12
    assert relative(x, p.k2 / (p.k1 + p.k2) * u) <= 5e-12


def test_case_5_3_slack_spring():
    """Measured: 7e-13."""
    p = up2006.Chain(m2=0.0)
    case = up2006.light_second_mass(p)
    x, q, _ = stretches(case, p)
    assert relative(x, oscillation(math.sqrt(p.k1 / p.m1), x[0], case.state.v[0])) <= 5e-12
    assert np.max(np.abs(q)) <= 1e-15  # l20 = 0.2 is held to a unit of rounding


def test_reaction_of_the_connection():
    """In the first two cases the connection carries the force of the second spring: to rounding, 1.5e-15."""
    for p, case in (
        (up2006.Chain(), up2006.chain()),
        (up2006.Chain(m1=0.0), up2006.light_first_mass()),
    ):
        run = exact_run(case.system, case.state, TIMES[-1]).at(TIMES)
        stretch = run[case.system.coordinates[2]] - p.l20
        force = run[case.system.reaction.on(case.system.coordinates[:1])][:, 0]
        assert relative(force, p.k2 * stretch) <= 20 * EPS
