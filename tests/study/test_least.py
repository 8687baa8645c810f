"""Studies by independent positions and speeds: the motions of the whole systems, and as honest about what happens."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from compile.test_least import rod, shell

TOLERANCES = {"rtol": 1e-9, "atol": 1e-12}


def shells() -> tuple[zm.Rolling, zm.State, dict]:
    system = shell()
    assert isinstance(system, zm.Rolling)
    vx, vy = zm.parameter("vx", 0.5), zm.parameter("vy", 0.5)
    start = system.start(contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.3)
    return system, start, {vx: np.linspace(-1.0, 1.0, 6), vy: np.linspace(-1.0, 1.0, 5)}


def test_ends_are_those_of_close_runs() -> None:
    """Errors of a few hundred tolerances after 4 s, in which this motion magnifies them by about that."""
    system, start, over = shells()
    keep = {"y": [*system.coordinates, *system.rates]}
    study = zm.sweep(system, start, until=4.0, over=over, keep=keep, states="least", **TOLERANCES)
    whole = zm.sweep(system, start, until=4.0, over=over, keep=keep, **TOLERANCES)
    assert set(study.outcome.values.ravel()) == {"finished"}
    assert study.evaluations.sum() < whole.evaluations.sum()
    for i, j in ((0, 0), (3, 2), (5, 4)):
        one = {"vx": study.vx.values[i], "vy": study.vy.values[j]}
        run = zm.simulate(system, study.zm.run(**one).start, until=4.0, rtol=1e-13, atol=1e-15)
        error = np.abs(study.y[i, j].values - run.y[-1]).max()
        assert error <= 300 * TOLERANCES["rtol"]
    for row in system.rows[:8]:  # positions are on their constraints to rounding
        residual = zm.sweep(
            system, start, until=1.0, over={next(iter(over)): [0.1]}, keep={"r": row.zero}, states="least", **TOLERANCES
        )
        assert np.abs(residual.r.values).max() <= 1e-14


def test_what_is_kept_between_steps() -> None:
    system, start, over = shells()
    keep = {
        "largest": zm.study.largest(system.friction_ratio),
        "mean": zm.study.mean(system.contact[0]),
        "on the way": zm.study.values_at(system.contact, [0.0, 0.7, 2.0]),
    }
    options = {"until": 2.0, "over": over, "keep": keep, **TOLERANCES}
    study, whole = zm.sweep(system, start, states="least", **options), zm.sweep(system, start, **options)
    for name in keep:
        assert study[name].values == pytest.approx(whole[name].values, rel=1e-6, abs=1e-8)


def test_bits_do_not_depend_on_where_a_member_moves() -> None:
    system, start, over = shells()
    options = {"until": 2.0, "keep": {"y": [*system.coordinates, *system.rates]}, "states": "least", **TOLERANCES}
    study = zm.sweep(system, start, over=over, **options)
    cores = zm.sweep(system, start, over=over, on=2, **options)
    assert np.array_equal(study.y.values, cores.y.values)
    (vx, first), (vy, second) = over.items()
    fewer = zm.sweep(system, start, over={vx: first[:1], vy: second[[0, 3]]}, **options)
    assert np.array_equal(study.y.values[0, [0, 3]], fewer.y.values[0])


def test_a_member_that_leaves_the_ground_has_the_bits_of_the_whole_system() -> None:
    """Over a hill fast balls fly: they begin again with all coordinates, as `simulate` moves them."""
    speed = zm.parameter("speed", 1.0)
    hill = zm.Surface(lambda X, Y, Z: Z - 0.4 * np.exp(-4 * X**2))
    ball = zm.Rolling(zm.bodies.ball(0.05, 1.0), on=hill)
    start = ball.start(contact=(-1.5, 0.0), velocity=(speed, 0.0), spin=0.0)
    options = {
        "until": 1.2,
        "over": {speed: [1.0, 3.5, 4.5, 6.0]},
        "keep": {"x": ball.contact[0]},
        "transitions": False,
        **TOLERANCES,
    }
    study, whole = zm.sweep(ball, start, states="least", **options), zm.sweep(ball, start, **options)
    assert study.outcome.values.tolist() == whole.outcome.values.tolist()
    flies = whole.outcome.values != "finished"
    assert flies.any()
    assert not flies.all()
    assert np.array_equal(study.x.values[flies], whole.x.values[flies])
    assert study.end_time.values[flies].tolist() == whole.end_time.values[flies].tolist()
    assert study.x.values[~flies] == pytest.approx(whole.x.values[~flies], abs=1e-7)


def test_a_rate_that_does_not_stay_dependent() -> None:
    """The rate of x follows from that of y at the start, and not where the rod points down: there, all are integrated."""
    system = rod()
    x, y, height = system.coordinates
    angle = zm.parameter("angle", 1.0)
    start = system.start({x: np.sin(angle), y: -np.cos(angle)})
    angles = [0.4, 1.0, 1.5]
    options = {"until": 3.0, "over": {angle: angles}, "keep": {"x": x, "height": height}, **TOLERANCES}
    study, whole = zm.sweep(system, start, states="least", **options), zm.sweep(system, start, **options)
    assert set(study.outcome.values) == {"finished"}
    assert study.x.values == pytest.approx(whole.x.values, abs=1e-7)


def test_where_nothing_is_fewer_bits_are_the_same() -> None:
    θ, angle = zm.coordinate("theta"), zm.parameter("angle", 0.1)
    pendulum = zm.System(kinetic=zm.rate(θ) ** 2 / 2, potential=-9.81 * np.cos(θ))
    options = {"until": 2.0, "over": {angle: [0.1, 0.5, 1.0]}, "keep": {"end": θ}}
    study, whole = (zm.sweep(pendulum, pendulum.start({θ: angle}), states=s, **options) for s in ("least", "all"))
    assert np.array_equal(study.end.values, whole.end.values)


def test_a_store_is_that_of_one_or_the_other(tmp_path) -> None:
    system, start, over = shells()
    options = {
        "until": 0.5,
        "over": over,
        "keep": {"x": system.contact},
        "store": tmp_path / "study.zarr",
        **TOLERANCES,
    }
    zm.sweep(system, start, states="least", **options)
    with pytest.raises(zm.errors.ZeromassError, match="states is only in the store"):
        zm.sweep(system, start, **options)


def test_other_words() -> None:
    system, start, over = shells()
    with pytest.raises(zm.errors.ModelError, match="states is 'few'; it is 'all' or 'least'"):
        zm.sweep(system, start, until=1.0, over=over, keep={"x": system.contact}, states="few")  # type: ignore[arg-type]
    with pytest.raises(zm.errors.ModelError, match="a graphics card integrates all states"):
        zm.sweep(system, start, until=1.0, over=over, keep={"x": system.contact}, states="least", on="gpu")
