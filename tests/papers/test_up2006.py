"""Udwadia & Phohomsiri 2006, examples 1–3, from their energies and constraints.

Every closed form is typed here from the paper, corrected where it is misprinted. "1e-12" is three digits more than the
condition of these two- and three-dimensional problems (up to about 1e3 with the parameters drawn) leaves of a double.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import zeromass as zm
from cases import spread
from zeromass.equation import Verdict
from zeromass.papers import up2006

SETS = 120
EPS = np.finfo(float).eps


def wheels() -> list[up2006.Wheel]:
    random = np.random.default_rng(1)
    return [
        up2006.Wheel(
            m=random.uniform(0.1, 10),
            R=random.uniform(0.1, 2),
            Ic=random.uniform(0.01, 5),
            alpha=random.uniform(0.05, 1.5),
            g=random.uniform(1, 25),
        )
        for _ in range(SETS)
    ]


def chains(**without: float) -> list[up2006.Chain]:
    random = np.random.default_rng(2)
    drawn = [
        up2006.Chain(
            m1=random.uniform(0.1, 5),
            m2=random.uniform(0.1, 5),
            k1=random.uniform(1, 100),
            k2=random.uniform(1, 100),
            l10=random.uniform(0.05, 0.3),
            l20=random.uniform(0.2, 0.5),
            d=random.uniform(0, 0.2),
        )
        for _ in range(SETS)
    ]
    return [dataclasses.replace(p, **without) for p in drawn]


def joined(
    p: up2006.Chain,
) -> tuple[zm.expression.Expression, zm.expression.Expression, zm.expression.Expression, zm.System]:
    """Figure 3: two sub-systems with energies (5.24), (5.25), joined by q1 = x1 + d and nothing else."""
    x1 = zm.coordinate("x1")
    q1, q2 = zm.coordinates("q1 q2")
    dx1, dq1, dq2 = zm.rate([x1, q1, q2])
    first = zm.System(kinetic=p.m1 * dx1**2 / 2, potential=p.k1 * (x1 - p.l10) ** 2 / 2)
    second = zm.System(
        kinetic=p.m2 * (dq1 + dq2) ** 2 / 2, potential=p.k2 * (q2 - p.l20) ** 2 / 2, coordinates=[q1, q2]
    )
    return x1, q1, q2, zm.join(first, second, constraints={"connection": x1 + p.d - q1})


def bars(state: zm.State, p: up2006.Chain) -> tuple[float, float]:
    """x̄1 and q̄2 of a state whose coordinates are x1, q1, q2."""
    return state.q[0] - p.l10, state.q[2] - p.l20


def close(computed, expected, scale) -> bool:
    return bool(np.all(np.abs(np.asarray(computed) - expected) <= 1e-12 * scale))


@pytest.mark.parametrize("p", spread(wheels(), 10), ids=range(SETS))
def test_example_1(p):
    case = up2006.wheel(p)
    M, Q, A, b, C = case.state.matrices
    s, inertia = p.R * math.sin(p.alpha), p.m * p.R**2 + p.Ic
    # the printed matrices, up to the rounding of three multiplications
    np.testing.assert_allclose(M, [[inertia, 0], [0, 0]], rtol=4 * EPS)  # 5.6
    np.testing.assert_allclose(Q, [0, p.m * p.g], rtol=4 * EPS)  # 5.7
    np.testing.assert_allclose(A, [[-s, 1]], rtol=4 * EPS)  # 5.10
    assert np.array_equal(b, [0])  # 5.11
    assert np.array_equal(C, [0, 0])  # 5.12
    expected = p.m * p.g * np.array([s, s**2]) / inertia  # 5.17
    assert close(case.state.motion.acceleration, expected, np.abs(expected))
    # λ = −mg: the incline carries what the missing inertia of y leaves of the weight
    force = case.state[case.system.reaction["rolling"]]
    assert close(force, p.m * p.g * np.array([s, -1]), p.m * p.g)
    assert case.diagnosis.unique
    assert case.diagnosis.degrees_of_freedom == 1


@pytest.mark.parametrize("p", spread(wheels(), 10), ids=range(SETS))
def test_example_2_names_the_virtual_particle(p):
    case = up2006.virtual_particle(p)
    M, Q, A, _, _ = case.state.matrices
    s, inertia = p.R * math.sin(p.alpha), p.m * p.R**2 + p.Ic
    np.testing.assert_allclose(M, np.diag([inertia, 0, 0]), rtol=4 * EPS)  # 5.18
    np.testing.assert_allclose(A, [[-s, 1, 0]], rtol=4 * EPS)  # 5.19
    np.testing.assert_allclose(Q, [0, p.m * p.g, 0], rtol=4 * EPS)  # 5.20
    determined = p.m * p.g * np.array([s, s**2]) / inertia
    eta = 3.7
    qdd = zm.solve(M, Q, A, [0.0], eta=[0.0, 0.0, eta]).acceleration  # 5.23
    assert close(qdd, [*determined, eta], np.abs([*determined, eta]))

    (open_,) = case.diagnosis.undetermined
    assert not case.diagnosis.unique
    assert open_.direction == {"x": 1.0}
    assert open_.force is None
    assert "acceleration of x;" in str(case.diagnosis)
    theta, y, x = case.system.coordinates
    assert close(case.state[zm.acceleration([theta, y])], determined, determined)
    with pytest.raises(zm.errors.ModelError, match="'x' is not determined"):
        case.state[zm.acceleration(x)]


@pytest.mark.parametrize("p", spread(chains(), 10), ids=range(SETS))
def test_case_5_1(p):
    case = up2006.chain(p)
    M, Q, A, b, _ = case.state.matrices
    x, q = bars(case.state, p)
    np.testing.assert_allclose(M, [[p.m1, 0, 0], [0, p.m2, p.m2], [0, p.m2, p.m2]], rtol=4 * EPS)  # 5.33
    np.testing.assert_allclose(Q, [-p.k1 * x, 0, -p.k2 * q], rtol=4 * EPS)  # 5.34
    assert np.array_equal(A, [[1, -1, 0]])  # 5.35
    assert np.array_equal(b, [0])  # 5.36
    first = (-p.k1 * x + p.k2 * q) / p.m1
    scale = (abs(p.k1 * x) + abs(p.k2 * q)) * (1 / p.m1 + 1 / p.m2)  # of the terms, which may cancel
    expected = [first, first, -first - p.k2 * q / p.m2]  # 5.39
    assert close(case.state.motion.acceleration, expected, scale)
    # the connection carries the force of the second spring
    assert close(case.state[case.system.reaction["connection"]], p.k2 * q * np.array([1, -1, 0]), scale * p.m1)
    assert case.diagnosis.unique
    assert case.diagnosis.degrees_of_freedom == 2


@pytest.mark.parametrize("p", spread(chains(m1=0.0), 10), ids=range(SETS))
def test_case_5_2(p):
    case = up2006.light_first_mass(p)
    M, _, A, b, _ = case.state.matrices
    x, q = bars(case.state, p)
    np.testing.assert_allclose(A, [[1, -1, 0], [p.k1, 0, -p.k2]], rtol=4 * EPS)  # 5.42
    assert np.array_equal(b, [0, 0])  # 5.43
    np.testing.assert_allclose(np.vstack([M, A])[1:3], [[0, p.m2, p.m2]] * 2, rtol=4 * EPS)  # 5.46
    common = -p.k1 * p.k2 * (x + q) / (p.m2 * (p.k1 + p.k2) ** 2)
    expected = common * np.array([p.k2, p.k2, p.k1])  # 5.47
    scale = np.abs(common) * (p.k1 + p.k2)
    assert close(case.state.motion.acceleration, expected, scale)
    # 5.48 with the sign of a restoring force
    second = -p.k1 * p.k2 / (p.m2 * (p.k1 + p.k2)) * (x + q)
    assert close(expected[1] + expected[2], second, scale)


@pytest.mark.parametrize("p", spread(chains(m2=0.0), 10), ids=range(SETS))
def test_case_5_3(p):
    case = up2006.light_second_mass(p)
    M, _, A, b, _ = case.state.matrices
    x, q = bars(case.state, p)
    np.testing.assert_allclose(A, [[1, -1, 0], [0, 0, p.k2]], rtol=4 * EPS)  # 5.51
    assert np.array_equal(b, [0, 0])  # 5.52
    np.testing.assert_allclose(M, np.diag([p.m1, 0, 0]), rtol=4 * EPS)  # 5.55
    expected = -p.k1 * x / p.m1 * np.array([1, 1, 0])  # 5.56
    assert abs(q) <= 4 * EPS * p.l20
    assert close(case.state.motion.acceleration, expected, np.abs(expected[0]))


@pytest.mark.parametrize("p", spread(chains(m1=0.0)[:20] + chains(m2=0.0)[:20], 5), ids=range(40))
def test_what_is_missing_is_the_constraint_of_the_paper(p):
    """Without (5.40) or (5.49) the motion is not unique, and the diagnosis asks for just these."""
    x1, _, q2, system = joined(p)
    # a state that happens to satisfy the missing constraint, and one that does not
    q = p.l20 + 0.1
    x = p.l10 + p.k2 / p.k1 * (q - p.l20)
    balanced = system.start({x1: x, q2: q}) if p.m1 == 0 else system.start({x1: 0.3, q2: p.l20})
    other = system.start({x1: x + 0.05, q2: q})
    assert system.check(balanced).verdict is Verdict.UNDETERMINED
    assert system.check(other).verdict is Verdict.IMPOSSIBLE_FORCE
    (open_,) = system.check(other).undetermined
    missing = p.k1 * (x1 - p.l10) - p.k2 * (q2 - p.l20) if p.m1 == 0 else p.k2 * (q2 - p.l20)  # 5.40, 5.49
    # the same linear function, up to its sign: equal at three points
    points = {x1: np.array([0.0, 1.0, 0.0]), q2: np.array([0.0, 0.0, 1.0])}
    wanted, found = zm.expression.evaluate([missing, open_.force], points).T
    sign = np.sign(found @ wanted)
    np.testing.assert_allclose(found, sign * wanted, rtol=1e-14, atol=1e-14 * (p.k1 + p.k2))
    assert repr(open_.force) in str(system.check(other))
    # with the suggestion taken, the paper's motion follows
    completed = system.with_constraints({"missing": open_.force})
    state = completed.start({q2: q} if p.m1 == 0 else {x1: x})
    assert completed.check(state).unique
    a, b = bars(state, p)
    if p.m1 == 0:
        expected = -p.k1 * p.k2 * (a + b) / (p.m2 * (p.k1 + p.k2) ** 2) * np.array([p.k2, p.k2, p.k1])
    else:
        expected = -p.k1 * a / p.m1 * np.array([1, 1, 0])
    assert close(state.motion.acceleration, expected, np.abs(expected).max())


def test_the_printed_comparisons_hold():
    for case in up2006.cases():
        assert case.comparisons
        for line in case.comparisons:
            assert line.difference <= 1e-12, f"{case.title}: {line}"
