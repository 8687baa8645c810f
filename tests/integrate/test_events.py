"""Events: zeros of expressions along a run, on motions whose zeros are known.

Places are found to 2e-14 on the dense output, relative to 1 and the time; what the dense output is off, divided by the
speed of the crossing, comes on top. The motions below are integrated to 1e-14 or are polynomials, and 1e-13 is asked.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import zeromass as zm
from integrate.problems import pendulum
from zeromass.integrate import METHODS

TIGHT = {"rtol": 1e-14, "atol": 1e-16}
g = 9.81


def oscillators() -> tuple[zm.expression.Expression, zm.expression.Expression, zm.System, zm.State]:
    """x = cos t and y = cos 2t."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate([x, y])
    system = zm.System(kinetic=(dx**2 + dy**2) / 2, potential=x**2 / 2 + 2 * y**2, coordinates=[x, y])
    return x, y, system, system.start({x: 1.0, y: 1.0})


def thrown(speed: float = 10.0) -> tuple[zm.expression.Expression, zm.System, zm.State]:
    """z = speed·t − g t²/2."""
    ball = zm.Particle("ball", mass=0.3)
    system = zm.System([ball], gravity=g)
    return ball.position[2], system, system.start([(ball.velocity, (1.0, 0.0, speed))])


def found(run: zm.Run, name: str) -> np.ndarray:
    return np.array([event.t for event in run.events if event.name == name])


def test_places_are_exact():
    """x = cos t vanishes at odd multiples of π/2, y = cos 2t at odd multiples of π/4; measured: 9e-14 up to t = 10."""
    x, y, system, start = oscillators()
    events = [zm.Event("x", x, terminal=False), zm.Event("y", y, terminal=False)]
    run = zm.simulate(system, start, until=10.0, events=events, **TIGHT)
    assert run.outcome.ending.value == "finished"
    np.testing.assert_allclose(found(run, "x"), np.pi * np.array([0.5, 1.5, 2.5]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(found(run, "y"), np.pi / 4 * np.arange(1, 12, 2), rtol=0, atol=2e-13)
    # in the order in which they happen, with the state there
    assert np.all(np.diff([event.t for event in run.events]) > 0)
    for event in run.events:
        place = {"x": 0, "y": 1}[event.name]
        assert abs(event.y[place]) <= 4e-14 * max(1.0, event.t)  # the speed is at most 2
        assert np.array_equal(run.at(event.t).y[0], event.y)


@pytest.mark.parametrize("height", [0.5, 2.0, 4.0])
def test_places_on_a_parabola(height):
    """A polynomial of degree two is integrated exactly: t = (v ± √(v² − 2gh))/g to rounding."""
    z, system, start = thrown()
    root = np.sqrt(100.0 - 2 * g * height)
    for direction, exact in ((1, (10.0 - root) / g), (-1, (10.0 + root) / g)):
        run = zm.simulate(system, start, until=3.0, longest_step=0.2, events=zm.Event("height", z - height, direction))
        assert run.outcome.ending.value == "event"
        assert abs(run.outcome.t - exact) <= 1e-13
        assert run.t[-1] == run.outcome.t
        assert str(run.outcome).endswith("'height'")


def test_direction():
    x, _, system, start = oscillators()
    events = [zm.Event("either", x, 0, False), zm.Event("rising", x, 1, False), zm.Event("falling", x, -1, False)]
    run = zm.simulate(system, start, until=12.0, events=events, **TIGHT)
    np.testing.assert_allclose(found(run, "either"), np.pi * np.array([0.5, 1.5, 2.5, 3.5]), rtol=0, atol=2e-13)
    assert np.array_equal(found(run, "falling"), found(run, "either")[::2])
    assert np.array_equal(found(run, "rising"), found(run, "either")[1::2])


def test_the_first_terminal_event_ends_the_run():
    """At x = 1/2 (t = π/3), before x = 0; what would have come later is not listed."""
    x, y, system, start = oscillators()
    events = [zm.Event("zero", x), zm.Event("half", x - 0.5), zm.Event("y", y, terminal=False)]
    run = zm.simulate(system, start, until=20.0, events=events, **TIGHT)
    assert run.outcome.ending.value == "event"
    assert run.outcome.complete
    assert "'half'" in str(run.outcome)
    assert [event.name for event in run.events] == ["y", "half"]
    assert abs(run.t[-1] - np.pi / 3) <= 1e-13
    # the last step is cut there, and the run is good up to it
    times = np.linspace(0.0, run.t[-1], 50)
    np.testing.assert_allclose(run.at(times)[x], np.cos(times), rtol=0, atol=1e-13)


def test_a_mapping_gives_terminal_events():
    x, _, system, start = oscillators()
    run = zm.simulate(system, start, until=20.0, events={"zero": x}, **TIGHT)
    assert abs(run.t[-1] - np.pi / 2) <= 1e-13
    assert run.outcome.message == "'zero'"


def test_events_at_the_same_time():
    """x, 2x and ẍ = −x vanish together: all are listed, whichever of them ends the run."""
    x, _, system, start = oscillators()
    functions = {"x": x, "twice": 2 * x, "acceleration": zm.acceleration(x)}
    for terminal in functions:
        events = [zm.Event(name, zero, terminal=name == terminal) for name, zero in functions.items()]
        run = zm.simulate(system, start, until=20.0, events=events, **TIGHT)
        assert sorted(event.name for event in run.events) == sorted(functions)
        assert np.ptp([event.t for event in run.events]) <= 4e-14
        assert terminal in run.outcome.message


def test_terminal_events_at_the_same_time_are_all_named():
    x, _, system, start = oscillators()
    run = zm.simulate(system, start, until=20.0, events={"x": x, "twice": 2 * x}, **TIGHT)
    assert run.outcome.message in ("'x', 'twice'", "'twice', 'x'")


def test_several_in_one_step():
    """Heights passed within one long step are all found and put in order."""
    z, system, start = thrown(-1.0)
    heights = [-30.0, -10.0, -20.0]
    events = [zm.Event(f"{h:g}", z - h, terminal=False) for h in heights]
    run = zm.simulate(system, start, until=4.0, events=events)
    assert [event.name for event in run.events] == ["-10", "-20", "-30"]
    inside = [np.searchsorted(run.t, event.t) for event in run.events]
    assert len(set(inside)) < len(inside)
    exact = [(-1.0 + np.sqrt(1.0 - 2 * g * h)) / g for h in sorted(heights, reverse=True)]
    np.testing.assert_allclose([event.t for event in run.events], exact, rtol=0, atol=1e-13)


def test_watching_changes_nothing():
    x, y, system, start = oscillators()
    plain = zm.simulate(system, start, until=10.0)
    watched = zm.simulate(system, start, until=10.0, events=[zm.Event("x", x, 0, False), zm.Event("y", y, 0, False)])
    assert np.array_equal(plain.t, watched.t)
    assert np.array_equal(plain.y, watched.y)


def test_a_zero_at_the_start_is_no_event():
    """z = 0 at the start and the ball goes up: only its return counts, at 2v/g."""
    z, system, start = thrown()
    run = zm.simulate(system, start, until=3.0, longest_step=0.2, events={"ground": z})
    assert len(run.events) == 1
    assert abs(run.t[-1] - 20.0 / g) <= 1e-13


def test_a_zero_at_the_end_of_a_step_is_found_once():
    """Steps of 1/8 end exactly at z = 0 of z = 1 − t; the event is there, and it is not there twice."""
    z = zm.coordinate("z")
    system = zm.System(kinetic=zm.rate(z) ** 2 / 2, coordinates=[z])
    start = system.start({z: 1.0, zm.rate(z): -1.0})
    run = zm.simulate(system, start, until=2.0, method="fixed", step=0.125, events=zm.Event("z", z, 0, False))
    assert [event.t for event in run.events] == [1.0]


def test_rope_goes_slack():
    """A bob on a rope with θ̇₀ at the bottom: the tension m(g cos θ + lθ̇²) vanishes at cos θ = (2 − lθ̇₀²/g)/3.

    An event of the multiplier, which the elimination of the equations of motion gives. Measured: 3e-14.
    """
    l, rate = 0.8, 6.5
    bob, system, start = pendulum(l, θ=0.0, rate=rate)
    tension = -system.multipliers[0] * l
    assert abs(start[tension] / (1.3 * (g + l * rate**2)) - 1) <= 1e-14
    run = zm.simulate(system, start, until=3.0, events={"slack": tension}, **TIGHT)
    assert "'slack'" in str(run.outcome)
    cosine = (2 - l * rate**2 / g) / 3
    assert abs(-run[bob.position[1]][-1] / l - cosine) <= 1e-12
    assert abs(run[tension][-1]) <= 1e-12 * start[tension]
    assert np.all(run[tension][:-1] > 0)


def test_particle_leaves_a_sphere():
    """From rest at θ₀ on a smooth sphere it leaves at cos θ = 2/3 cos θ₀ [Goldstein, 3rd ed. 2002, exercise 2.13]."""
    R, θ0 = 0.5, 0.2
    p = zm.Particle("p", mass=0.7)
    system = zm.System([p], gravity=g, constraints={"sphere": np.sqrt(p.position @ p.position) - R})
    start = system.start([(p.position, (R * np.sin(θ0), 0.0, R * np.cos(θ0))), (p.velocity, (0, 0, 0))])
    run = zm.simulate(system, start, until=3.0, events={"lift-off": system.reaction["sphere"] @ p.position}, **TIGHT)
    assert run.outcome.complete
    assert abs(run[p.position[2]][-1] / R - 2 / 3 * np.cos(θ0)) <= 1e-12


def test_events_of_a_backward_run():
    """Backwards from t = 0, x = cos t first falls through zero, at −π/2: directions are those of the run."""
    x, _, system, start = oscillators()
    run = zm.simulate(
        system, start, until=-6.0, events=[zm.Event("x", x, -1, False), zm.Event("up", x, 1, False)], **TIGHT
    )
    np.testing.assert_allclose([event.t for event in run.events], [-np.pi / 2, -3 * np.pi / 2], rtol=0, atol=1e-13)
    assert [event.name for event in run.events] == ["x", "up"]


def test_the_run_goes_on_after_an_event():
    """A ball that bounces without loss, each flight a run from the state of the last impact: impacts 2v/g apart."""
    z, system, state = thrown()
    impacts = []
    for _ in range(5):
        run = zm.simulate(system, state, until=state.t + 5.0, longest_step=0.5, events=zm.Event("ground", z, -1))
        impacts.append(run.t[-1])
        end = run.state(run.t[-1])
        v = end.v * [1, 1, -1]
        state = zm.State(system, end.t, end.q * [1, 1, 0], v, end.parameters)
    np.testing.assert_allclose(np.diff(impacts), 20.0 / g, rtol=0, atol=1e-12)


def test_parameters_in_events():
    """Those of the system have their value in the run, others their own."""
    k, level = zm.parameter("k", 1.0), zm.parameter("level", 0.5)
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    start = system.start({x: 1.0})
    run = zm.simulate(system, start, until=5.0, parameters={k: 4.0}, events={"x": k * x - 4 * level}, **TIGHT)
    assert abs(run.t[-1] - np.pi / 6) <= 1e-13  # cos 2t = 1/2


def test_what_is_no_event():
    x, _, system, start = oscillators()
    for given, words in (
        (3.0, "not 3.0"),
        ([x], "not x"),
        ([zm.Event("a", x), zm.Event("a", 2 * x)], "two events have the name 'a'"),
        ({"a": zm.coordinate("stranger")}, "stranger"),
    ):
        with pytest.raises((zm.errors.ModelError, zm.errors.ExpressionError), match=words):
            zm.simulate(system, start, until=1.0, events=given)


@pytest.mark.parametrize("method", METHODS)
def test_what_has_no_value_everywhere(method):
    """√x − 0.3 of x = cos t is zero at arccos 0.09, and has no value soon after, in the same step: it is found, and said."""
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    options = {"step": 0.4} if method == "fixed" else {"rtol": 1e-10, "atol": 1e-12}
    given = {"until": 5.0, "method": method, **options}
    low, never = zm.Event("low", np.sqrt(x) - 0.3, terminal=False), zm.Event("length", np.sqrt(x**2 + 1) - 2)
    with pytest.warns(zm.errors.RunDoubtful, match="'low' has no value at t = 1"):
        run = zm.simulate(spring, spring.start({x: 1.0}), events=[low, never], **given)
    first = np.arccos(0.09)
    np.testing.assert_allclose([event.t for event in run.events], [first, 2 * np.pi - first], atol=1e-6)
    ended = zm.simulate(spring, spring.start({x: 1.0}), events={"low": np.sqrt(x) - 0.3}, **given)
    assert ended.t[-1] == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_asked_of_a_run_before_its_events_does_not_change_them(method):
    """Events that end nothing are located when they are asked for: the same, whatever was asked before, and in copies."""
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    through = zm.Event("through", zero=x, terminal=False)
    options = {"step": 0.05} if method == "fixed" else {"rtol": 1e-10, "atol": 1e-12}
    runs = [
        zm.simulate(spring, spring.start({x: 1.0}), until=20.0, method=method, events=[through], **options)
        for _ in range(3)
    ]
    expected = [(event.name, event.t, event.y.tolist()) for event in runs[0].events]
    assert [t for _, t, _ in expected] == pytest.approx((np.arange(6) + 0.5) * np.pi, abs=1e-6)
    runs[1].at(np.linspace(0.0, 20.0, 777))
    runs[1].maximum(x)
    assert [(event.name, event.t, event.y.tolist()) for event in runs[1].events] == expected
    again = pickle.loads(pickle.dumps(runs[2]))
    assert [(event.name, event.t, event.y.tolist()) for event in again.events] == expected
    assert not again.events[0].y.flags.writeable


def test_rounding_is_not_looked_at_for_ever():
    """A function that is rounding within a step, as the gap of bodies that touch without a force, dips everywhere."""
    from zeromass.integrate.stepping.roots import event_roots
    from zeromass.kernel.roots import LOOKS

    rng, asked = np.random.default_rng(1), []

    def values(t: float) -> np.ndarray:
        asked.append(t)
        return np.array([2.0 ** rng.integers(-60, -50)])

    places = np.linspace(0.0, 1.0, 9).tolist()
    found, _ = event_roots([zm.Event("closes", zm.t, direction=-1)], values, places)
    assert found == []
    assert 2 * LOOKS < len(asked) <= 2 * LOOKS * len(places)


def _rod(x, y):
    return zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"rod": x**2 + y**2 - 1}
    )


@pytest.mark.parametrize("terminal", [False, True])
def test_states_that_machine_code_is_not_sure_of_are_left_to_python(terminal, monkeypatch):
    """Where a projection leads far, Python decides about the state; here it is asked everywhere, and finds the same bits."""
    from zeromass.integrate.stepping.inside import Inside
    from zeromass.integrate.stepping.step_functions import StepMemory

    x, y = zm.coordinates("x y")
    system = _rod(x, y)
    start, event = system.start({x: 0.6, y: -0.8}), zm.Event("low", x + 0.1 * y, terminal=terminal)

    def happened() -> list[tuple[float, list[float]]]:
        run = zm.simulate(system, start, until=5.0, events=event)
        return [(one.t, one.y.tolist()) for one in run.events]

    expected = happened()
    assert len(expected) == (1 if terminal else 5)
    opened, asked, watched = StepMemory.open, [], Inside.watched

    def unsure(self: StepMemory, steps: object) -> None:
        opened(self, steps)  # type: ignore[arg-type]
        self.step.limit = -1.0

    def counted(self: Inside, t: float) -> np.ndarray:
        asked.append(t)
        return watched(self, t)

    monkeypatch.setattr(StepMemory, "open", unsure)
    monkeypatch.setattr(Inside, "watched", counted)
    assert happened() == expected
    assert len(asked) > 10


def test_several_threads_may_ask_for_events_at_once():
    from concurrent.futures import ThreadPoolExecutor

    x, y = zm.coordinates("x y")
    system = _rod(x, y)
    events = [zm.Event("low", x + 0.1 * y, terminal=False), zm.Event("turns", zm.rate(x), terminal=False)]
    run = zm.simulate(system, system.start({x: 0.6, y: -0.8}), until=20.0, events=events)
    (segment,) = run.segments
    assert callable(segment.happened)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: segment.happened(), range(8)))
    first = [(one.name, one.t, one.y.tolist()) for one in found[0]]
    assert len(first) > 20
    assert all([(one.name, one.t, one.y.tolist()) for one in some] == first for some in found)


def test_what_a_function_raises_while_it_is_searched_is_raised():
    from zeromass.integrate.stepping.roots import event_roots

    def values(t: float) -> np.ndarray:
        if t > 0.3:
            raise KeyboardInterrupt
        return np.array([0.5 - t])

    with pytest.raises(KeyboardInterrupt):
        event_roots([zm.Event("half", zm.t)], values, np.linspace(0.0, 1.0, 9).tolist())
