"""Steps of machine code against the same steps in plain NumPy, and a method that is added from outside."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import kepler, pendulum, sleigh, top, wire
from zeromass.integrate import METHODS
from zeromass.integrate.methods.collocation import plain as collocation
from zeromass.integrate.methods.dop853 import plain as dop853
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.plain import plain_method

EPS = np.finfo(float).eps
PROBLEMS = [kepler, wire, sleigh, top]


def slope(run: zm.Run):
    """dy/dt of the system of a run."""
    values = np.array([run.parameters[p] for p in run.system.parameters])
    functions = Functions(run.program.native, values)
    return lambda t, y: functions.slope(float(t), y)[0]


def differences(run: zm.Run, step) -> np.ndarray:
    """Of the recorded steps of a run from those that `step` takes, relative to the largest coordinate or rate."""
    f = slope(run)
    ends = zip(run.t[:-1], run.y[:-1], run.t[1:], run.y[1:], strict=True)
    found = [np.abs(step(f, a, y, b - a) - end).max() for a, y, b, end in ends]
    return np.array(found) / np.abs(run.y).max()


@pytest.mark.parametrize("problem", PROBLEMS)
def test_dop853(problem):
    """The sums of twelve stages are rounded in another order, with and without fused products: some ten roundings."""
    run = problem().run(method="fixed", step=0.01, project=False)
    assert differences(run, dop853.step)[:50].max() <= 20 * EPS


@pytest.mark.parametrize("problem", PROBLEMS)
def test_collocation(problem):
    """The kernel iterates until a tenth of the tolerance is left, of 1e-14 here; plain NumPy until nothing changes."""
    run = problem().run(rtol=1e-14, atol=1e-16, project=False)
    assert differences(run, collocation.step)[:50].max() <= 1e-14


def rk4(f, t, y, h):
    a = f(t, y)
    b = f(t + h / 2, y + h / 2 * a)
    c = f(t + h / 2, y + h / 2 * b)
    return y + h / 6 * (a + 2 * b + 2 * c + f(t + h, y + h * c))


@pytest.fixture
def added(monkeypatch) -> str:
    """A method that is not part of zeromass."""
    method = plain_method("rk4", rk4, order=4, summary="the classical method")
    monkeypatch.setitem(METHODS, "rk4", method)
    return method.name


@pytest.mark.parametrize("problem", PROBLEMS)
def test_an_added_method_runs_with_all_that_others_have(problem, added):
    """Step control, projection, dense output and events: errors within the tolerance's reach, as for the others."""
    p = problem()
    x = p.system.coordinates[0]
    crossing = zm.Event("crossing", x - 0.5 * p.start.q[0] - 0.1, terminal=False)
    run = p.run(until=1.0, method=added, rtol=1e-9, atol=1e-11, events=crossing)
    usual = p.run(until=1.0, rtol=1e-12, atol=1e-14, events=crossing)
    assert run.outcome.ending == "finished"
    times = np.linspace(0.0, 1.0, 31)
    assert np.abs(run.at(times).y - usual.at(times).y).max() <= 1e-6 * np.abs(usual.y).max()
    assert [event.t for event in run.events] == pytest.approx([event.t for event in usual.events], abs=1e-7)


def test_an_added_method_has_its_order(added):
    """Halving the steps of a pendulum divides the error by 2⁴, to 0.1 in the exponent."""
    _, system, start = pendulum()
    exact = zm.simulate(system, start, until=1.0, rtol=1e-13, atol=1e-15).y[-1]
    steps = np.array([1 / 64, 1 / 128, 1 / 256])
    errors = [
        np.abs(zm.simulate(system, start, until=1.0, method=added, step=h, project=False).y[-1] - exact).max()
        for h in steps
    ]
    assert abs(np.polyfit(np.log(steps), np.log(errors), 1)[0] - 4) <= 0.1


def test_an_added_method_ends_at_events_and_by_name(added):
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=9.81 * x)
    run = zm.simulate(system, system.start({x: 1.0}), until=10.0, method=added, events={"ground": x})
    assert run.outcome.ending == "event"
    assert run.outcome.t == pytest.approx(np.sqrt(2 / 9.81), abs=1e-12)
    with pytest.raises(
        zm.errors.ModelError, match=r"no method 'rk5'; there are: collocation, dop853, radau, fixed, rk4"
    ):
        zm.simulate(system, system.start({x: 1.0}), until=1.0, method="rk5")
