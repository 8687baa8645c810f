"""Collocation in lanes: its coefficients and order, its error control, and that it is the same on every machine."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import zeromass as zm
from exact.measure import EPS
from integrate.problems import kepler, oscillator, sleigh, top, wire
from zeromass.codegen import background
from zeromass.compile.native import BUSY
from zeromass.integrate.methods.collocation.coefficients import BARYCENTRIC, ONCE, PARTS, STAGES, TWICE, C, W
from zeromass.integrate.methods.collocation.stepper import Collocation

TOLERANCES = 10.0 ** -np.arange(5, 13)
END = STAGES - 1
c, w, A, B = (np.array(x) for x in (C, W, ONCE, TWICE))


# coefficients ------------------------------------------------------------------------------------------------------
def test_the_places_are_radau_s():
    """Roots of P_8 − P_7 on [0, 1], the last of them 1."""
    P = np.polynomial.legendre.legval(2 * c - 1, [0.0] * 7 + [-1.0, 1.0])
    slope = np.polynomial.legendre.legval(2 * c - 1, np.polynomial.legendre.legder([0.0] * 7 + [-1.0, 1.0]))
    assert np.abs(P / slope).max() <= 4 * EPS


def test_simplifying_assumptions():
    """B(15) and C(8): with them the method has order 15 [HW1996, theorem IV.5.1]. To rounding."""
    for k in range(1, 2 * STAGES):
        assert abs(w @ c ** (k - 1) - 1 / k) <= 4 * EPS
    for k in range(1, STAGES + 1):
        assert np.abs(A @ c ** (k - 1) - c**k / k).max() <= 4 * EPS
        assert np.abs(B @ c ** (k - 1) - c ** (k + 1) / (k * (k + 1))).max() <= 4 * EPS
    assert np.abs(A[END] - w).max() <= EPS


def test_order_of_a_step():
    """q'' = −q in forty digits: the error of one step falls as h¹⁶, order 15, to 0.1; the coefficients are ours, rounded."""
    with mpmath.workdps(40):
        roots = mpmath.polyroots(_difference_of_legendres(), maxsteps=200, extraprec=200)
        places = [(1 + mpmath.re(x)) / 2 for x in sorted(roots, key=mpmath.re)]
        powers = mpmath.matrix([[x**k for k in range(STAGES)] for x in places])
        once, twice = (
            mpmath.matrix([[x ** (k + m) / factor(k) for k in range(STAGES)] for x in places]) * powers**-1
            for m, factor in ((1, lambda k: k + 1), (2, lambda k: (k + 1) * (k + 2)))
        )
        for exact, mine in ((once, A), (twice, B)):
            assert max(abs(exact[i, j] - mine[i, j]) for i in range(STAGES) for j in range(STAGES)) <= EPS / 2
        sizes, errors = [mpmath.mpf(1) / k for k in (2, 3, 4)], []
        for h in sizes:
            # stages: a = −(q₀ + h c v₀ + h² B a) from q₀ = 1, v₀ = 0
            a = mpmath.lu_solve(mpmath.eye(STAGES) + h**2 * twice, -mpmath.ones(STAGES, 1))
            place, velocity = 1 + h**2 * (twice[END, :] * a)[0], h * (once[END, :] * a)[0]
            errors.append(max(abs(place - mpmath.cos(h)), abs(velocity + mpmath.sin(h))))
        power = np.polyfit([float(mpmath.log(h)) for h in sizes], [float(mpmath.log(e)) for e in errors], 1)[0]
    assert abs(power - 16) <= 0.1


def _difference_of_legendres() -> list[mpmath.mpf]:
    """Coefficients of P_8 − P_7, the highest first."""
    terms = [
        [
            (-1) ** k * mpmath.binomial(n, k) * mpmath.binomial(2 * n - 2 * k, n) / mpmath.mpf(2) ** n
            for k in range(n // 2 + 1)
        ]
        for n in (8, 7)
    ]
    coefficients = [mpmath.mpf(0)] * 9
    for k, value in enumerate(terms[0]):
        coefficients[2 * k] += value
    for k, value in enumerate(terms[1]):
        coefficients[1 + 2 * k] -= value
    return coefficients


def test_legendre_s_coefficients():
    """Accelerations that are a polynomial of degree 7: its coefficients, and its values beyond the step."""
    rng = np.random.default_rng(1)
    coefficients = rng.normal(size=STAGES)
    legendre = np.polynomial.legendre.Legendre(coefficients, domain=[0, 1])
    a = legendre(c)
    assert np.abs(a @ np.array(PARTS) - coefficients).max() <= 20 * EPS
    x = 1.7
    shares = np.prod(x - c) * np.array(BARYCENTRIC) / (x - c)
    assert abs(shares @ a - legendre(x)) <= 1e-9


# errors ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("problem", "factor"), [(oscillator, 30), (kepler, 200), (top, 150), (wire, 100), (sleigh, 20)]
)
def test_the_error_is_not_far_above_the_tolerance(problem, factor):
    """Errors of steps add up, and some motions magnify them: `factor` is about three times what was measured."""
    p = problem()
    errors = np.array([p.errors(p.run(rtol=rtol, atol=rtol)).max() for rtol in TOLERANCES])
    assert np.all(errors <= factor * TOLERANCES)
    power = np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0]
    assert abs(power - 1) <= 0.25  # 0.15 was measured: the tolerance also decides how many iterations are made


@pytest.mark.parametrize("problem", [kepler, top, wire])
def test_between_steps(problem):
    """Inside steps a run is as good as at their ends, up to a factor."""
    p = problem()
    for rtol in (1e-7, 1e-10, 1e-12):
        run = p.run(rtol=rtol, atol=rtol)
        assert p.errors(run, np.linspace(0.0, p.until, 1001)).max() <= 5 * p.errors(run).max()


def test_fewer_evaluations_one_after_the_other():
    """Eight evaluations at a time: at 1e-12 a quarter of the rounds that the method of order 8 needs, or less."""
    p = kepler()
    both = {name: p.run(method=name, rtol=1e-12, atol=1e-12) for name in ("collocation", "dop853")}
    errors = {name: p.errors(run).max() for name, run in both.items()}
    assert both["collocation"].statistics.evaluations / STAGES <= both["dop853"].statistics.evaluations / 4
    assert errors["collocation"] <= 10 * errors["dop853"]


def test_there_and_back():
    p = kepler(0.6)
    run = p.run(rtol=1e-12, atol=1e-14)
    back = zm.simulate(p.system, run.state(p.until), until=0.0, rtol=1e-12, atol=1e-14)
    assert back.t[-1] == 0.0
    assert np.abs(back.y[-1] - run.y[0]).max() <= 1e-9


def test_a_force_that_switches():
    """|x| has a corner at 0: steps become short there, none is wrong. ẍ = −sign(x): parabolas, period 4 √2."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x**2 + 1e-20))
    run = zm.simulate(system, system.start({x: 1.0}), until=4 * np.sqrt(2), rtol=1e-9, atol=1e-9)
    assert run.outcome.complete
    assert abs(run[x][-1] - 1.0) <= 1e-6


def test_a_constant_acceleration():
    """Nothing to iterate, no error to control: steps grow, and the parabola is exact."""
    z = zm.coordinate("z")
    system = zm.System(kinetic=zm.rate(z) ** 2 / 2, potential=9.81 * z)
    run = zm.simulate(system, system.start({zm.rate(z): 30.0}), until=5.0)
    assert run.statistics.steps <= 40
    assert np.abs(run[z] - (30 * run.t - 9.81 * run.t**2 / 2)).max() <= 50 * EPS * 45


@pytest.mark.parametrize("rtol", 10.0 ** -np.arange(2, 9))
def test_loose_tolerances(rtol):
    """A pendulum from 2.5 rad for 50 s: ΔE ≤ 9 rtol was measured, and it never goes over the top.

    Steps are as long as a quarter of the period: a prediction that is far off must neither set the scale of the errors nor
    pass for a fast contraction.
    """
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-np.cos(x))
    run = zm.simulate(system, system.start({x: 2.5}), until=50.0, rtol=rtol, atol=rtol)
    energy = run[system.energy]
    assert np.abs(energy - energy[0]).max() <= 30 * rtol
    assert np.abs(run.at(np.linspace(0, 50, 2001))[x]).max() < np.pi


def test_a_stiff_floor():
    """z̈ = −g − k min(z, 0): half a swing on the floor, then a parabola; each bounce is as high as the last.

    One flight takes 2v/g and one contact (2π − 2 atan(v ω/g))/ω with ω² = k and v² = 2g. Measured: 2e-9 at rtol 1e-11.
    """
    g, k = 9.81, 1e6
    z = zm.coordinate("z")
    system = zm.System(kinetic=zm.rate(z) ** 2 / 2, potential=g * z + k * zm.where(z < 0, z, 0.0) ** 2 / 2)
    v, ω = np.sqrt(2 * g), np.sqrt(k)
    period = 2 * v / g + (2 * np.pi - 2 * np.arctan(v * ω / g)) / ω
    run = zm.simulate(system, system.start({z: 1.0}), until=3 * period, rtol=1e-11, atol=1e-13)
    assert abs(run[z][-1] - 1.0) <= 1e-8
    assert run.statistics.steps <= 2000


def test_between_the_steps_of_a_run_that_got_stuck():
    """ẍ = 6x², x = (1 − t)⁻²: the run ends in rejected steps, and is as good as before between the accepted ones."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 6 * x**2})
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start({x: 1.0, zm.rate(x): 2.0}), until=2.0, rtol=1e-10, atol=1e-12)
    t = np.linspace(0.0, 0.9, 301)
    assert np.abs(run.at(t)[x] * (1 - t) ** 2 - 1).max() <= 1e-8


# the machine -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("problem", [kepler, wire, sleigh])
def test_lanes_make_no_difference(problem, monkeypatch):
    """Machines with two, four and eight lanes give the same bits, between steps and at events too."""
    runs = []
    for lanes in (2, 4, 8):
        monkeypatch.setattr(Collocation, "lanes", lanes)
        p = problem()
        x = p.system.coordinates[0]
        event = zm.Event("crossing", x - 0.3 * p.start.q[0], 0, terminal=False)
        run = p.run(rtol=1e-11, events=event)
        runs.append((run.t, run.y, run.at(np.linspace(0, p.until, 57)).y, [e.t for e in run.events]))
    for other in runs[1:]:
        for mine, theirs in zip(runs[0], other, strict=True):
            assert np.array_equal(mine, theirs)


def test_effort_makes_no_difference():
    """Machine code made with more of LLVM's effort computes the same bits."""
    p = top()
    first = p.run(rtol=1e-11)
    native = first.program.native
    quick = native.rhs(Collocation.lanes).address("rhs")
    native.called(BUSY)
    background.wait()
    again = p.run(rtol=1e-11)
    assert again.program is first.program
    assert native.rhs(Collocation.lanes).address("rhs") != quick
    assert np.array_equal(first.t, again.t)
    assert np.array_equal(first.y, again.y)


def test_parameters_in_lanes():
    k = zm.parameter("k", 4.0)
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    start = system.start({x: 1.0})
    for value in (1.0, 9.0):
        run = zm.simulate(system, start, until=3.0, rtol=1e-12, parameters={k: value})
        assert np.abs(run[x] - np.cos(np.sqrt(value) * run.t)).max() <= 1e-10


# events ------------------------------------------------------------------------------------------------------------
def test_two_zeros_between_the_ends_of_a_step():
    """A function that is positive for a short while in a long step: it is looked at in every stage."""
    p = oscillator()
    x, v = p.system.coordinates[0], p.system.rates[0]
    plain = p.run(rtol=1e-6, atol=1e-6)
    longest = int(np.argmax(np.diff(plain.t)))
    t0, h = plain.t[longest], np.diff(plain.t)[longest]
    when = t0 + 0.55 * h  # between the fourth and the fifth stage
    width = 0.11 * h  # both of which lie inside
    bump = width**2 - (zm.t - when) ** 2 + 0 * (x + v)
    run = p.run(rtol=1e-6, atol=1e-6, events=zm.Event("bump", bump, 0, terminal=False))
    assert [e.t for e in run.events] == pytest.approx([when - width, when + width], abs=1e-12)
