"""Formulas nested as deep as they are long: everything done with them is one walk over their nodes, or is refused at once.

No time is asserted: with a walk for each node, 3,000 levels would take minutes.
"""

import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.errors import ExpressionError
from zeromass.expression.interval import Intervals
from zeromass.expression.pieces import NESTED
from zeromass.integrate.pace import TermPace
from zeromass.integrate.terms import terms_of_time

LEVELS = {
    "sines": lambda e, x, k: np.sin(e),
    "exponentials": lambda e, x, k: np.exp(-e),
    "logarithms": lambda e, x, k: np.log(e + 2.5),
    "lengths": lambda e, x, k: np.hypot(0.7 * e, x),
    "fractions": lambda e, x, k: 1 / (k % 3 + 2 + e),
    "powers": lambda e, x, k: (e + 1.1) ** 0.5,
    "series": lambda e, x, k: 0.5 * (e + np.sin((k + 1) * x)),
    "polynomial": lambda e, x, k: 0.5 * e * x + 1 / (k + 1),
}
COUNTS = [3_000, pytest.param(20_000, marks=pytest.mark.slow)]


def nested(level, x, count):
    e = x
    for k in range(count):
        e = level(e, x, k)
    return e


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", few(["sines", "logarithms", "exponentials", "lengths"], 2))
def test_a_deep_force_is_run_watched_and_saved(name, count, tmp_path):
    x = zm.coordinate("x")
    v, e = zm.rate(x), nested(LEVELS[name], x, count)
    system = zm.System(kinetic=v**2 / 2, forces={x: e - x})
    start = system.start({x: 0.3, v: 0.2})
    passed = zm.Event("passed", e - zm.expression.evaluate(e, {x: 0.302}), terminal=False)
    run = zm.simulate(system, start, until=0.05, rtol=1e-6, events=passed)
    assert run.outcome.ending.value == "finished"
    if name == "lengths":  # of the others the innermost level is no longer felt
        assert [event.name for event in run.events] == ["passed"]
    run.save(tmp_path / "deep.nc")
    again = zm.load(tmp_path / "deep.nc")
    np.testing.assert_array_equal(again[x], run[x])


@pytest.mark.slow
@pytest.mark.parametrize("name", LEVELS)
def test_every_kind_of_deep_force_has_the_acceleration_that_it_is(name):
    x = zm.coordinate("x")
    v, e = zm.rate(x), nested(LEVELS[name], x, 20_000)
    system = zm.System(kinetic=v**2 / 2, forces={x: e})
    run = zm.simulate(system, system.start({x: 0.3, v: 0.2}), until=0.01, rtol=1e-6)
    # formulas are the same operations in machine code and in NumPy: they differ by the rounding of some functions
    np.testing.assert_allclose(run[zm.acceleration(x)][-1], zm.expression.evaluate(e, {x: run[x][-1]}), rtol=1e-12)


def test_a_deep_sum_of_time_is_taken_apart_into_each_of_its_terms():
    x = zm.coordinate("x")
    count = 3_000
    e = nested(lambda e, t, k: 0.5 * (e + np.sin((k + 1) * t**2)), zm.t, count)
    terms = [term.u for term in terms_of_time(zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: e}))]
    assert set(terms) == {np.sin((k + 1) * zm.t**2) for k in range(count)}


def test_sums_that_share_their_parts_are_taken_apart_once():
    x = zm.coordinate("x")
    a, b = np.sin(zm.t**2), np.sin(2 * zm.t**2)
    for _ in range(200):  # Fibonacci's numbers: written out, 10⁴¹ terms
        a, b = b + 0.5 * np.cos(zm.t), a + b
    terms = terms_of_time(zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: a}))
    assert {term.u for term in terms} >= {np.sin(zm.t**2), np.sin(2 * zm.t**2)}


SWITCHING = {
    "abs": lambda e, x, k: abs(e - 1 / (k + 2)),
    "maximum": lambda e, x, k: np.maximum(0.9 * e, 0.5 * x + 1e-4 * k - 1),
    "where": lambda e, x, k: zm.where(e > 0.1, 0.99 * e, e + 0.01),
    "arctan2": lambda e, x, k: np.arctan2(e, x + 1.5),
    "floor": lambda e, x, k: 0.5 * np.floor(e) + x,
}


@pytest.mark.parametrize("name", SWITCHING)
def test_switches_nested_without_measure_are_refused_by_name(name):
    x = zm.coordinate("x")
    v, e = zm.rate(x), nested(SWITCHING[name], x, 5_000)
    words = f"formula of x has more than {NESTED} switches"
    system = zm.System(kinetic=v**2 / 2, forces={x: e})
    with pytest.raises(ExpressionError, match=words):
        zm.simulate(system, system.start({x: 0.3, v: 0.2}), until=0.05)
    plain = zm.System(kinetic=v**2 / 2, forces={x: -x})
    with pytest.raises(ExpressionError, match=words):
        zm.simulate(plain, plain.start({x: 0.3, v: 0.2}), until=0.05, events=zm.Event("deep", e))


def test_a_table_of_many_pieces_is_no_nest_of_switches():
    x = zm.coordinate("x")
    v, count = zm.rate(x), 500
    table = zm.t * 0
    for k in range(count):  # −k/1000 beyond each k/1000
        table = zm.where(x > k / 1000, -k / 1000, table)
    system = zm.System(kinetic=v**2 / 2, forces={x: table})
    run = zm.simulate(system, system.start({x: 0.0995, v: 0.2}), until=0.001)
    assert run.outcome.ending.value == "finished"
    np.testing.assert_allclose(run[zm.acceleration(x)][0], -0.099, rtol=1e-12)


def test_a_change_within_rounding_is_not_looked_for_in_ever_shorter_intervals(monkeypatch):
    """exp(−e) nested 1,000 deep is constant to rounding: no interval of time shows whether it changes."""
    asked, bounds = [], TermPace._bounds

    def counted(self, of, a, b):
        asked.append(len(a))
        return bounds(self, of, a, b)

    monkeypatch.setattr(TermPace, "_bounds", counted)
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: nested(LEVELS["exponentials"], zm.t, 1_000) - x})
    zm.simulate(system, system.start({x: 0.3, zm.rate(x): 0.2}), until=0.05)
    assert 0 < sum(asked) < 100  # of 50,000


DOMAINS = {
    "logarithms": lambda e: np.log(e + 2.5),
    "arcsines": lambda e: np.arcsin(0.9 * e),
    "roots": lambda e: np.sqrt(e + 1),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_what_is_asked_first_of_levels_inside_one_another_is_found_at_once(name, monkeypatch):
    """Each level of an event has a border of its own: one by one they would take the square of their number."""
    e = zm.t
    for _ in range(1_000):
        e = DOMAINS[name](e)
    looked, tape = [], Intervals._tape

    def counted(self, bounds):
        looked.append(len(self._steps))
        return tape(self, bounds)

    monkeypatch.setattr(Intervals, "_tape", counted)
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    event = zm.Event("deep", e - 10.0, terminal=False)
    run = zm.simulate(system, system.start({x: 0.3, zm.rate(x): 0.2}), until=0.02, events=event)
    assert run.outcome.ending.value == "finished"
    assert 0 < sum(looked) < 200 * 1_000  # of millions


def test_a_bump_beside_large_terms_that_cancel_is_seen(monkeypatch):
    """Where the bounds of a single time are wide at one end, and not at the other."""
    x = zm.coordinate("x")
    push = 1e13 / (1 + 1e6 * zm.t) ** 4 + np.exp(-(((zm.t - 7.3) / 1e-3) ** 2))
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: push - 1e13 / (1 + 1e6 * zm.t) ** 4})
    run = zm.simulate(system, system.start({x: 0.0, zm.rate(x): 0.0}), until=10.0)
    assert run[zm.rate(x)][-1] == pytest.approx(1e-3 * np.sqrt(np.pi), rel=1e-3)
