"""Long runs: what is asked of many steps, segments or events at once is what each of them says alone."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm


def bouncing(until: float) -> tuple[zm.Run, zm.expression.Expression]:
    """A ball on a floor of springs: a segment for each flight and each touch."""
    x = zm.coordinate("x")
    ball = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -9.81 + zm.where(x < 0, -225.0 * x, 0.0)})
    return zm.simulate(ball, ball.start({x: 1.0}), until=until), x


@pytest.mark.parametrize("until", [30.0, -30.0])
def test_many_segments_are_asked_as_each_of_them_alone(until: float) -> None:
    run, x = bouncing(until)
    assert len(run.segments) > 40
    asked = np.array([x, zm.rate(x), zm.acceleration(x), zm.where(x < 0, 1.0, 2.0)])
    times = np.random.default_rng(3).permutation(np.append(np.linspace(0.0, until, 500), run.changes or 0.0))
    found = run.at(times)[asked]
    for time, values in zip(times, found, strict=True):
        first = next(s for s in run.segments if min(s.t[0], s.t[-1]) <= time <= max(s.t[0], s.t[-1]))
        assert np.array_equal(first.at(np.array([time]))[asked][0], values)
    each = np.concatenate([segment.steps[asked] for segment in run.segments])
    assert np.array_equal(run[asked], each)


@pytest.mark.parametrize("until", [600.0, -600.0])
def test_states_do_not_depend_on_what_is_asked_with_them(until: float) -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=until)
    times = np.random.default_rng(1).uniform(min(0.0, until), max(0.0, until), 20_000)
    times[:50] = run.t[:50]
    together = run.at(times).y
    some = np.random.default_rng(2).integers(0, len(times), 40)
    alone = np.array([zm.Run(run.segments).at(times[k]).y[0] for k in some])
    assert np.array_equal(together[some], alone)
    assert np.array_equal(together[:50], run.y[:50])
    assert np.abs(together[:, 0] - np.cos(times)).max() < 1e-8  # rtol 1e-10, 600 radians


def rod() -> tuple[zm.System, zm.State, list[zm.Event]]:
    """A pendulum in x and y, whose rod is a constraint, and what happens to it: rises, falls, near misses and touches."""
    x, y = zm.coordinates("x y")
    pendulum = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"rod": x**2 + y**2 - 1}
    )
    start = pendulum.start({x: 0.6, zm.rate(x): 0.0}, guess={y: -1.0})
    events = [
        zm.Event("middle", x, terminal=False),
        zm.Event("rightward", x, direction=1, terminal=False),
        zm.Event("high", y + 0.8001, terminal=False),  # the highest y is −0.8: a short visit, twice in most steps
        zm.Event("leftward", x - 0.1, direction=-1, terminal=False),
        zm.Event("lowest", (zm.rate(x) ** 2 + zm.rate(y) ** 2) - 3.9, direction=1, terminal=False),
    ]
    return pendulum, start, events


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
@pytest.mark.parametrize("until", [40.0, -25.0])
def test_events_that_wait_are_those_located_at_once(method: str, until: float, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeromass.integrate.stepping.loop import Loop

    system, start, events = rod()
    settings = {"rtol": 1e-9, "atol": 1e-12, "method": method}
    waited = zm.simulate(system, start, until=until, events=events, **settings)
    monkeypatch.setattr(Loop, "patient", False)
    at_once = zm.simulate(system, start, until=until, events=events, **settings)
    assert len(at_once.events) > 100
    assert [event.name for event in waited.events] == [event.name for event in at_once.events]
    assert np.array_equal(waited.y, at_once.y)
    times = [np.array([event.t for event in run.events]) for run in (waited, at_once)]
    assert np.array_equal(*times)
    assert all(np.array_equal(a.y, b.y) for a, b in zip(waited.events, at_once.events, strict=True))


def test_what_waits_is_listed_up_to_what_ends_a_run() -> None:
    system, start, events = rod()
    y = system.coordinates[1]
    clock = zm.Event("over", zm.t - 7.3)
    run = zm.simulate(system, start, until=40.0, events=[*events, clock])
    free = zm.simulate(system, start, until=40.0, events=events)
    assert run.events[-1].name == "over"
    assert run.t[-1] == pytest.approx(7.3, abs=1e-13)
    before = [event for event in free.events if event.t < 7.3]
    assert [(event.name, event.t) for event in run.events[:-1]] == [(event.name, event.t) for event in before]
    assert abs(run.state(run.t[-1])[y]) < 1


@pytest.mark.parametrize("method", ["collocation", "dop853"])
def test_ten_thousand_zeros_of_a_spring(method: str) -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    zero = zm.Event("zero", x, terminal=False)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi * 10_000, rtol=1e-13, method=method, events=zero)
    t, y = np.array([event.t for event in run.events]), np.array([event.y for event in run.events])
    assert len(t) == 10_000
    assert np.array_equal(run.at(t).y, y)
    # where x vanishes the phase is known from the run's own energy: the zeros are those of its dense output
    assert np.abs(y[:, 0]).max() < 4e-14 * t[-1]  # a time is located to 1e-14 of itself, or to rounding
    assert np.abs(np.diff(t) - np.pi).max() < 1e-9


def test_states_between_are_sums_of_legendre_polynomials() -> None:
    """The loop in machine code adds what NumPy adds, in the same order: to the bit."""
    from zeromass.integrate.legendre import legendre
    from zeromass.integrate.stepping.between import states_between

    rng = np.random.default_rng(5)
    polynomials, θ, rows = rng.normal(size=(7, 10, 6)), rng.uniform(size=100), rng.integers(0, 7, 100)
    total = np.zeros((100, 6))
    for k, P in enumerate(legendre(θ, 10)):
        total += P[:, None] * polynomials[rows, k]
    assert np.array_equal(states_between(θ, rows, polynomials), total)
    assert states_between(θ[:0], rows[:0], polynomials).shape == (0, 6)
