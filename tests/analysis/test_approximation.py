"""Approximate values at the nodes of steps: their errors hold, and steps are left out that have no extreme value."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.analysis import Extremum, extrema
from zeromass.analysis.extrema import bounds, candidates, maximum
from zeromass.analysis.steep import NONE
from zeromass.analysis.stepwise import approximation
from zeromass.integrate.sampling import MANY, PLACES, time_sampler


@pytest.fixture(scope="module")
def swinging() -> zm.Run:
    """A double pendulum, whose motion is not regular."""
    a, b = zm.coordinates("a b")
    x = np.array([np.sin(a), np.sin(a) + np.sin(b)])
    z = np.array([-np.cos(a), -np.cos(a) - np.cos(b)])
    v = np.array([zm.rate(e) for e in (*x, *z)])
    pendulum = zm.System(kinetic=v @ v / 2, potential=9.81 * (z[0] + z[1]))
    return zm.simulate(pendulum, pendulum.start({a: 2.0, b: 1.0}), until=15.0, rtol=1e-9)


def _asked(run: zm.Run) -> list[zm.expression.Expression]:
    a, b = run.system.coordinates
    return [np.sin(b), zm.rate(a) ** 2, zm.acceleration(b), np.cos(3 * a) * b, -np.sin(b)]


def test_approximate_values_are_those_of_the_run(swinging: zm.Run) -> None:
    """To less than twice the tolerance; at the ends of steps, but for accelerations, to rounding."""
    e = _asked(swinging)
    found = approximation(swinging, e)
    assert len(swinging.t) > MANY
    assert found is not None
    nodes = found.nodes.transpose(2, 1, 0)
    ends = swinging[np.array(e)]
    states = [0, 1, 3, 4]
    assert np.allclose(nodes[:, -1, states], ends[1:, states], rtol=1e-14, atol=1e-15)
    assert np.array_equal(nodes[0, 0], ends[0])
    h = np.diff(swinging.t)[:, None]
    exact = swinging.at((swinging.t[:-1, None] + h * PLACES).ravel())[np.array(e)].reshape(len(h), -1, len(e))
    size = np.abs(exact).max(axis=(0, 1))
    assert np.all(np.abs(nodes[:, 1:] - exact).max(axis=(0, 1)) <= 2 * 1e-9 * size)


def test_steps_that_are_left_out_have_no_larger_value(swinging: zm.Run) -> None:
    """And no value exceeds the bound of its step."""
    fine = np.linspace(0.0, 1.0, 41)
    for e in _asked(swinging):
        found = approximation(swinging, [e])
        assert found is not None
        t = swinging.t[:-1, None] + np.diff(swinging.t)[:, None] * fine
        values = swinging.at(np.minimum(t.ravel(), swinging.t[-1]))[e].reshape(t.shape)
        highest, motion = values.max(axis=1), np.zeros(len(t), dtype=int)
        some = candidates(NONE.kinds, motion, 1, found.nodes, 1e-9, off=found.off)
        assert int(np.argmax(highest)) in some
        assert len(some) < len(t) / 4
        bound = bounds(found.nodes, NONE.kinds, np.full(len(t), -np.inf), found.off)
        assert np.all(highest <= bound)


def test_an_energy_that_is_conserved_takes_few_steps_again(swinging: zm.Run) -> None:
    """Its largest value is told to half the tolerance."""
    again = zm.simulate(swinging.program, swinging.start, until=15.0, rtol=1e-9)
    energy = swinging.system.energy
    found = maximum(again, energy)
    assert again.segments[0].dense._count < len(again.t) / 4
    fine = swinging.at(np.linspace(0.0, 15.0, 20_001))[energy].max()
    assert abs(found.value - fine) <= 0.5 * 1e-9 * abs(fine)
    assert found.value == again.at(found.time)[energy]


def test_of_peaks_that_are_all_alike_few_are_looked_at() -> None:
    """A pendulum comes back to its start to the tolerance, again and again."""
    θ = zm.coordinate("θ")
    pendulum = zm.System(kinetic=zm.rate(θ) ** 2 / 2, potential=-9.81 * np.cos(θ))
    run = zm.simulate(pendulum, pendulum.start({θ: 1.0}), until=300.0)
    value, time = run.maximum(θ)
    assert abs(value - 1.0) < 1e-8
    assert value == run.at(time)[θ]
    assert run.segments[0].dense._count < len(run.t) / 8
    assert abs(run.minimum(θ).value + 1.0) < 1e-8


def _of_all_steps(run: zm.Run, e: zm.expression.Expression, monkeypatch: pytest.MonkeyPatch) -> Extremum:
    """The largest value, where no step is left out before it is sampled."""
    with monkeypatch.context() as patched:
        patched.setattr(extrema, "approximation", lambda run, e: None)
        return maximum(run, e)


def test_the_largest_value_is_that_of_a_look_at_everything(swinging: zm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, and with few steps taken again."""
    again = zm.simulate(swinging.program, swinging.start, until=15.0, rtol=1e-9)
    for e in _asked(swinging):
        assert maximum(again, e) == _of_all_steps(swinging, e, monkeypatch)
    assert again.segments[0].dense._count < len(again.t) / 4


def test_short_runs_are_looked_at_as_they_are() -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=3.0)
    assert approximation(run, [x]) is None


@pytest.mark.parametrize("until", [1.0, -1.0, 3.0])
def test_the_largest_value_of_a_short_run_is_that_of_the_run_to_the_bit(until: float) -> None:
    """Of few steps and of some, on constraints and on none; and no other value is larger."""
    theta, x, y = zm.coordinates("theta x y")
    u, v = zm.rate(x), zm.rate(y)
    swing = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    rod = zm.System(kinetic=(u**2 + v**2) / 2, potential=9.81 * y, constraints={"rod": x**2 + y**2 - 1})
    starts = swing.start({theta: 1.0}), rod.start({x: 0.6, y: -0.8})
    for start, some in zip(starts, ([theta, zm.rate(theta) * theta], [y, u * x**2, zm.acceleration(x)]), strict=True):
        run = zm.simulate(start.system, start, until=until)
        assert len(run) <= MANY
        for e in (*some, *[-e for e in some], start.system.energy):
            value, time = maximum(run, e)
            assert value == run.at(time)[e]
            highest = run.at(np.linspace(0.0, until, 2001))[e].max()
            assert value >= highest - 64 * np.finfo(float).eps * abs(highest)


def test_backward_runs_have_their_largest_values_too(swinging: zm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    start = swinging.state(8.0)
    back = zm.simulate(swinging.program, start, until=0.0, rtol=1e-9)
    a, _ = swinging.system.coordinates
    assert maximum(back, zm.rate(a)) == _of_all_steps(back, zm.rate(a), monkeypatch)


def test_friction_of_a_long_run_is_that_of_a_look_at_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the surface has to pull in the course of it."""
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.1 * X**2 - 0.3 * Y**2)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl)
    run = zm.simulate(ball, ball.start(contact=(1.0, 0.5), velocity=(0.3, 0.0)), until=12.0)
    assert len(run.t) > MANY
    ratio = ball.contacts[0].friction_ratio
    found = run.required_friction()
    value, time = _of_all_steps(
        run, ratio, monkeypatch
    )  # by NumPy, not machine code: to rounding, and its root at a top
    assert abs(found.value - value) <= 4 * np.finfo(float).eps * value
    assert abs(found.time - time) < 1e-7
    assert run.pulling() == ()


def test_of_a_moment_and_of_what_is_no_number_that_is_told() -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    stands = zm.simulate(spring, spring.start({x: 1.0}), until=0.0)
    assert maximum(stands, 2 * x) == (2.0, 0.0)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=3.0)
    value, time = maximum(run, np.sqrt(x))
    assert np.isnan(value)
    assert run.at(time)[x][0] < 0
    assert run.at(run.t[run.t < time])[x].min() >= 0  # the first one


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
def test_values_inside_steps_are_those_of_the_run(method: str) -> None:
    """Of states at the ends of steps and of what is no formula to the bit, of formulas to rounding."""
    a, b = zm.coordinates("a b")
    rod = a**2 + b**2 - 1
    bead = zm.System(kinetic=(zm.rate(a) ** 2 + zm.rate(b) ** 2) / 2, potential=9.81 * b, constraints={"rod": rod})
    run = zm.simulate(bead, bead.start([(a, 1.0), (b, 0.0)]), until=12.0, rtol=1e-9, method=method)
    (segment,) = run.segments
    steps = np.array([0, 7, 8, len(run.t) - 2])
    times = run.t[steps, None] + np.diff(run.t)[steps, None] * np.linspace(0.0, 1.0, 11)
    times[:, -1] = run.t[steps + 1]
    for e in (a, -zm.rate(b), np.sin(3 * a) * zm.rate(a), zm.acceleration(b)):
        sampler = time_sampler(segment, np.array([e, zm.t]))
        assert sampler is not None
        exact, (found, t) = run.at(times.ravel())[e].reshape(times.shape), sampler(times, steps).transpose(2, 0, 1)
        assert np.array_equal(t, times)
        if sampler.exact:
            assert np.array_equal(found, exact)
        assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
