"""Studies: labelled results that are those of runs alone."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import pytest

import zeromass as zm

TOLERANCES = {"rtol": 1e-10, "atol": 1e-12}


def ball_study() -> tuple[zm.Rolling, zm.State, zm.expression.Expression, zm.expression.Expression]:
    cx, vx = zm.parameter("cx", 0.4), zm.parameter("vx", 1.0)
    ball = zm.Rolling(zm.bodies.ball(0.09, 1.0), on=zm.Surface(lambda X, Y, Z: Z - 0.1 * (X**2 + Y**2)))
    return ball, ball.start(contact=(cx, -0.2), velocity=(vx, 0.3), spin=0.5), cx, vx


def test_a_member_is_the_run_from_its_start() -> None:
    ball, start, cx, vx = ball_study()
    places, speeds = np.linspace(-0.5, 0.5, 5), np.linspace(0.2, 1.4, 7)
    over = {cx: places, vx: speeds}
    study = zm.sweep(ball, start, until=2.0, over=over, keep={"y": [*ball.coordinates, *ball.rates]}, **TOLERANCES)
    assert study.y.dims[:2] == ("cx", "vx")
    assert study.sizes["cx"] == 5
    program = zm.compile(ball, ball.start(contact=(places[0], -0.2), velocity=(speeds[0], 0.3), spin=0.5))
    for i, x in enumerate(places):
        for j, v in enumerate(speeds):
            alone = ball.start(contact=(x, -0.2), velocity=(v, 0.3), spin=0.5)
            run = zm.simulate(program, alone, until=2.0, method="dop853", **TOLERANCES)
            # two starts that solve the equations to a few units of rounding, and a motion that parts them by little
            assert study.y[i, j].values == pytest.approx(run.y[-1], abs=1e-11)
            assert study.steps[i, j] == run.statistics.steps
            assert study.outcome[i, j] == "finished"


def test_parameters_in_the_model_and_in_the_start() -> None:
    """A rod whose length is a parameter, let go at a place that depends on it: small swings of the period 2π√(L/g)."""
    x, y = zm.coordinates("x y")
    length, part = zm.parameter("length", 1.0), zm.parameter("part", 1e-4)
    rod = zm.System(M=np.eye(2), Q=[0, -9.81], coordinates=[x, y], constraints={"rod": x**2 + y**2 - length**2})
    start = rod.start({x: part * length}, guess={y: -1.0})
    event = zm.Event("through the middle", x, direction=-1, terminal=False)
    lengths, parts = np.array([0.5, 1.0, 2.0, 3.0]), np.array([1e-4, 2e-4])
    study = zm.sweep(
        rod,
        start,
        until=3.0,
        over={length: lengths, part: parts},
        keep={"first": zm.study.first_time(event)},
        **TOLERANCES,
    )
    quarter = np.pi / 2 * np.sqrt(lengths / 9.81)
    assert study["first"].values == pytest.approx(np.repeat(quarter[:, None], 2, axis=1), rel=1e-8)  # 1 + angle²/16
    assert study["first"].attrs["units"] == "s"


def test_statistics_have_exact_values() -> None:
    """x = a cos t: its largest value after half a turn, smallest, mean, integrals, and values on the way."""
    x, a = zm.coordinate("x"), zm.parameter("a", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    keep = {
        "lowest": zm.study.smallest(x),
        "fastest": zm.study.largest(zm.rate(x)),
        "mean": zm.study.mean(x**2),
        "area": zm.study.integral([x, x**2]),
        "way": zm.study.values_at(x, [0.0, 1.0, 2.5, 4.0, 9.0]),
        "energy": spring.energy,
    }
    sizes = np.array([0.5, 1.0, 2.0])
    T = 7.0
    study = zm.sweep(spring, spring.start({x: a}), until=T, over={a: sizes}, keep=keep, rtol=1e-11, atol=1e-13)
    close = {"rel": 1e-9, "abs": 1e-9}
    assert study.lowest.values == pytest.approx(-sizes, **close)
    assert study.fastest.values == pytest.approx(sizes, **close)
    square = T / 2 + np.sin(2 * T) / 4
    assert study["mean"].values == pytest.approx(sizes**2 * square / T, **close)
    assert study.area.values == pytest.approx(np.stack([sizes * np.sin(T), sizes**2 * square], axis=1), **close)
    times = study.way_time.values
    assert study.way.values[:, :4] == pytest.approx(np.outer(sizes, np.cos(times[:4])), **close)
    assert np.all(np.isnan(study.way.values[:, 4]))
    assert study.energy.attrs["units"] == "J"


@pytest.mark.parametrize("states", ["all", "least"])
def test_extremes_far_from_the_ends_of_steps(states: Literal["all", "least"]) -> None:
    """−x/20 + x sin²(10 π (x − s))/5 along x = v t, in steps of 0.1 s from s on: at their ends nothing of tops is seen."""
    p, v = zm.Particle("p", 1.0), zm.parameter("v", 1.0)
    x = p.position[0]
    bead = zm.System([p], constraints={"wire": p.position[1:]})
    start = bead.start({x: 0.0, zm.rate(x): v})
    *_, s, end, _ = zm.simulate(bead, start, until=1.0, method="dop853", longest_step=0.1).t.tolist()

    def height(x: Any) -> Any:
        return -x / 20 + x * np.sin(10 * np.pi * (x - s)) ** 2 / 5

    keep = {"top": zm.study.largest(height(x))}
    study = zm.sweep(bead, start, until=end, over={v: [1.0]}, keep=keep, longest_step=0.1, states=states)
    assert study.top.item() == pytest.approx(height(np.linspace(0.0, end, 1_000_001)).max(), abs=1e-9)


def test_extremes_are_those_of_runs() -> None:
    ball, start, cx, vx = ball_study()
    over = {cx: [-0.5, 0.1, 0.5], vx: [0.2, 0.9, 1.4]}
    keep = {"friction": zm.study.largest(ball.friction_ratio), "force": zm.study.smallest(ball.normal_force)}
    study = zm.sweep(ball, start, until=3.0, over=over, keep=keep, **TOLERANCES)
    for x in over[cx]:
        for v in over[vx]:
            alone = ball.start(contact=(x, -0.2), velocity=(v, 0.3), spin=0.5)
            run = zm.simulate(ball, alone, until=3.0, method="dop853", **TOLERANCES)
            here = study.sel(cx=x, vx=v)
            assert here.friction.item() == pytest.approx(run.maximum(ball.friction_ratio).value, rel=1e-8)
            assert here.force.item() == pytest.approx(run.minimum(ball.normal_force).value, rel=1e-8)


def test_outcomes_are_words_and_nothing_stops_a_study() -> None:
    """A point on a circle: no start outside of it, an end at a wall, and an end of the motion's own."""
    x, y = zm.coordinates("x y")
    place, wall = zm.parameter("place", 0.0), zm.parameter("wall", 0.9)
    bead = zm.System(M=np.eye(2), Q=[0, -9.81], coordinates=[x, y], constraints={"ring": x**2 + y**2 - 1})
    start = bead.start({x: place}, guess={y: -1.0})
    events = zm.Event("wall", x + 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = zm.sweep(bead, start, until=2.0, over={place: [0.1, 0.8, 2.0]}, keep={"x": x}, events=events)
    assert study.outcome.values.tolist() == ["finished", "event", "no start"]
    assert study.x.values[1] == pytest.approx(-0.5, abs=1e-12)
    assert "ring" in study.message.values[2]
    assert np.isnan(study.x.values[2])
    assert study.end_time.values[0] == 2.0
    with pytest.raises(zm.errors.ModelError, match="wall"):
        zm.sweep(bead, start, until=2.0, over={wall: [1.0]}, keep={"x": x})


def test_a_start_may_be_a_function() -> None:
    x = zm.coordinate("x")
    k, v = zm.parameter("k", 1.0), zm.parameter("v", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    over = {k: [1.0, 4.0], v: [0.5, 1.0, 2.0]}
    given = zm.sweep(spring, spring.start({zm.rate(x): v}), until=1.3, over=over, keep={"x": x}, **TOLERANCES)

    def start(k: float, v: float) -> zm.State:
        return spring.start({zm.rate(x): v}, parameters={spring.parameters[0]: k})

    made = zm.sweep(spring, start, until=1.3, over=over, keep={"x": x}, **TOLERANCES)
    assert np.array_equal(made.x, given.x)
    rates = np.sqrt([1.0, 4.0])[:, None]
    assert made.x.values == pytest.approx(np.sin(1.3 * rates) / rates * [0.5, 1.0, 2.0], rel=1e-9)


def test_samples_are_joint() -> None:
    from scipy.stats import norm, uniform

    x, a, b = zm.coordinate("x"), zm.parameter("a", 1.0), zm.parameter("b", 1.0)
    free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    over = zm.study.samples(100, {a: norm(1.0, 0.1), b: uniform(0.0, 2.0)})
    study = zm.sweep(free, free.start({x: a, zm.rate(x): b}), until=2.0, over=over, keep={"x": x})
    assert study.x.dims == ("sample",)
    assert study.x.values == pytest.approx(study.a.values + 2 * study.b.values, rel=1e-12)
    assert study.b.values.mean() == pytest.approx(1.0, abs=0.01)  # evenly spread: the error is that of 1/n
    with pytest.raises(zm.errors.ModelError, match="method"):
        zm.study.samples(4, {a: norm()}, method="dice")  # type: ignore[arg-type]


def test_the_surface_may_have_parameters() -> None:
    """Balls let go at the same (X, Y) of bowls of several depths: each start lies on its own bowl."""
    depth, vx = zm.parameter("depth", 0.1), zm.parameter("vx", 0.0)
    ball = zm.Rolling(zm.bodies.ball(0.09, 1.0), on=zm.Surface(lambda X, Y, Z: Z - depth * (X**2 + Y**2)))
    words = {"orientation": "x-axis along the normal"}
    start = ball.start(contact=(0.5, 0.0), velocity=(vx, 0.2), **words)
    over = {depth: [0.05, 0.1, 0.4], vx: [0.0, 0.3]}
    keep = {"energy": ball.energy, "contact": ball.contact}
    study = zm.sweep(ball, start, until=1.0, over=over, keep=keep, **TOLERANCES)
    assert set(study.outcome.values.ravel()) == {"finished"}
    for a in over[depth]:
        for v in over[vx]:
            alone = ball.start(contact=(0.5, 0.0), velocity=(v, 0.2), parameters={depth: a}, **words)
            run = zm.simulate(ball, alone, until=1.0, method="dop853", **TOLERANCES)
            here = study.sel(depth=a, vx=v)
            assert here.energy.item() == pytest.approx(alone[ball.energy], rel=1e-9)
            assert here.contact.values == pytest.approx(run.state(1.0)[ball.contact], abs=1e-9)


def test_bodies_inside_their_surface_have_no_start() -> None:
    """A ball of radius 0.4 on the floor Z = 0 lies in the wall X = 1 of the same surface beyond X = 0.6."""
    place = zm.parameter("place", 0.0)
    corner = zm.Surface(lambda X, Y, Z: Z * (1.0 - X), name="corner")
    ball = zm.Rolling(zm.bodies.ball(0.4, 1.0), on=corner)
    start = ball.start(contact=(place, 0.0))
    study = zm.sweep(ball, start, until=0.1, over={place: [0.0, 0.5, 0.7, 0.9]}, keep={"x": ball.contact[0]})
    assert study.outcome.values.tolist() == ["finished", "finished", "no start", "no start"]
    assert "inside" in study.message.values[2]


def test_values_of_a_start_are_numbers_or_formulas_of_parameters() -> None:
    x, y, v = *zm.coordinates("x y"), zm.parameter("v", 2.0)
    free = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2)
    start = free.start({zm.rate(x): 3 * v, x: 1.0}, parameters={v: 0.5})
    assert start[zm.rate(x)] == 1.5
    with pytest.raises(zm.errors.StartError, match="y"):
        free.start({x: 2 * y})
    with pytest.raises(zm.errors.ModelError, match="no parameter"):
        free.start({x: 1.0}, parameters={v: 1.0})


def test_rates_that_nothing_determines_are_those_of_a_start_alone() -> None:
    """Two beads on a wire, one twice as heavy: of the rates that the wire allows, the nearest in the kinetic energy."""
    x, y, z = zm.coordinates("x y z")
    v, w = zm.parameter("v", 1.0), zm.parameter("w", 0.5)
    beads = zm.System(
        kinetic=zm.rate(x) ** 2 / 2 + zm.rate(y) ** 2 + w * zm.rate(z) ** 2,
        constraints={"wire": x**2 + y - 1, "sum": zm.rate(x) + zm.rate(y) + zm.rate(z) - v},
    )
    start = beads.start({x: 0.5, z: 0.0}, guess={zm.rate(z): 0.3})
    assert start.free
    over = {v: [0.0, 1.0, 2.0], w: [0.5, 3.0]}
    study = zm.sweep(beads, start, until=0.0 + 1e-3, over=over, keep={"y": [x, y, z, *beads.rates]}, **TOLERANCES)
    for a in over[v]:
        for b in over[w]:
            alone = beads.start({x: 0.5, z: 0.0}, guess={zm.rate(z): 0.3}, parameters={v: a, w: b})
            run = zm.simulate(beads, alone, until=1e-3, method="dop853", **TOLERANCES)
            assert study.y.sel(v=a, w=b).values == pytest.approx(run.y[-1], abs=1e-13)


def test_a_block_that_dry_friction_stops() -> None:
    """A formula that switches: from v it comes to rest after v/μ and v²/2μ, and stays."""
    x, v, mu = zm.coordinate("x"), zm.parameter("v", 1.0), zm.parameter("mu", 1.0)
    block = zm.System(M=[[1.0]], Q=[-mu * np.sign(zm.rate(x))], coordinates=[x])
    over = {v: [0.5, 2.0], mu: [0.5, 4.0]}
    keep = {
        "x": x,
        "fastest": zm.study.largest(zm.rate(x)),
        "mean": zm.study.mean(zm.rate(x)),
        "at": zm.study.values_at(x, [0.1, 5.0]),
    }
    for on in ("lanes", 2):
        study = zm.sweep(block, block.start({zm.rate(x): v}), until=5.0, over=over, keep=keep, on=on)
        assert set(study.outcome.values.ravel()) == {"finished"}
        for a in over[v]:
            for b in over[mu]:
                one = study.sel(v=a, mu=b)
                way = a**2 / 2 / b
                assert one.x.item() == pytest.approx(way, rel=1e-9)
                assert one.fastest.item() == pytest.approx(a, rel=1e-9)
                assert one["mean"].item() == pytest.approx(way / 5.0, rel=1e-9)
                assert one["at"].values == pytest.approx([a * 0.1 - b * 0.005, way], rel=1e-9)


def test_pulses_are_met_whatever_their_width() -> None:
    """∫ exp(−(t − 5)²/w²)/w dt = √π is the velocity after the pulse."""
    x, width = zm.coordinate("x"), zm.parameter("width", 1.0)
    force = np.exp(-(((zm.t - 5.0) / width) ** 2)) / width
    pushed = zm.System(M=[[1.0]], Q=[force], coordinates=[x])
    study = zm.sweep(
        pushed, pushed.start({x: 0.0}), until=10.0, over={width: [1e-3, 0.03, 0.5]}, keep={"v": zm.rate(x)}
    )
    assert study.v.values == pytest.approx(np.full(3, np.sqrt(np.pi)), rel=1e-8)


@pytest.mark.parametrize("name", ["tent", "border"])
def test_events_with_kinks_and_borders_are_those_of_single_runs(name):
    """A tent that is positive for a moment only, and √x − 0.3 that has no value soon after: found in every member."""
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    zero, at = {"tent": (0.02 - np.abs(x - 0.3), 0.32), "border": (np.sqrt(x) - 0.3, 0.09)}[name]
    event, stiffness = zm.Event(name, zero, terminal=False), np.linspace(0.8, 1.3, 11)
    start, given = spring.start({x: 1.0}), {"until": 3.0, "rtol": 1e-8}
    study = zm.sweep(spring, start, over={k: stiffness}, keep={"at": zm.study.first_time(event)}, **given)
    np.testing.assert_allclose(study["at"], np.arccos(at) / np.sqrt(stiffness), atol=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunDoubtful)
        program = zm.compile(spring, start)
        one = zm.simulate(program, start, events=event, method="dop853", parameters={k: stiffness[2]}, **given)
    assert one.events[0].t == study["at"].values[2]


def test_what_is_of_another_system_is_refused_at_once():
    """Each member used to fail by itself."""
    x, y, k = zm.coordinate("x"), zm.coordinate("y"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    start = spring.start({x: k})
    for what in (y, zm.study.largest(zm.rate(y)), zm.study.first_time(zm.Event("there", y - 1.0, terminal=False))):
        with pytest.raises(zm.errors.ModelError, match=r"keep: '.*y.*' in 'end' is nothing of this system"):
            zm.sweep(spring, start, until=1.0, over={k: [1.0, 2.0]}, keep={"end": what})
    with pytest.raises(zm.errors.ModelError, match="or a list of what is to be kept"):
        zm.sweep(spring, start, until=1.0, over={k: [1.0, 2.0]}, keep=np.array(x, dtype=object))


def test_progress_is_a_truth_or_a_function():
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    with pytest.raises(zm.errors.ModelError, match="progress is array"):
        zm.sweep(spring, spring.start({x: k}), until=1.0, over={k: [1.0]}, keep={"end": x}, progress=np.ones((2, 2)))
