"""Switches where it is easy to go wrong in silence: touched, met at the start or the end, several at once, without end."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.references import closed_forms
from integrate.references.pieces import Pieces, Switch
from integrate.references.piecewise import motion

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}
METHODS = "collocation", "dop853"


def mass(force: Any) -> tuple[zm.System, zm.Expression, zm.Expression]:
    x = zm.coordinate("x")
    return zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: force(x, zm.rate(x))}), x, zm.rate(x)


def stopped_or_complete(*args: Any, **options: Any) -> zm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.RunStopped)
        return zm.simulate(*args, **{**TIGHT, **options})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_border_that_is_crossed_shortly_is_crossed(depth, method):
    """Thrown up to ½ m against 1 m/s², and against 101 above ½ − depth: there and back in 2v/101, v = √(2 depth).

    An error of the tolerance where it turns, 1e-12 m, makes one of 1e-12/v in v, and four times that at the end.
    """
    system, x, v = mass(lambda x, v: -1.0 - zm.where(x > 0.5 - depth, 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.0}), until=3.0, method=method, **TIGHT)
    speed = np.sqrt(2 * (0.5 - (0.5 - depth)))  # at the border, as float64 has it
    saved = 2 * speed - 2 * speed / 101
    t = 3.0 + saved
    np.testing.assert_allclose(run.at(3.0)[x], t - t**2 / 2, rtol=0, atol=4e-12 / speed + 1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_speed_that_falls_to_a_border_for_a_moment(depth, method):
    """2(t − 1) makes v = (t − 1)² − depth; below 0 another 1 N pushes back: v = 0 from 1 − √depth to 1."""
    system, x, v = mass(lambda x, v: 2 * (zm.t - 1) + zm.where(v < 0, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.0 - depth}), until=2.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at([1.0 - np.sqrt(depth) / 2, 1.0, 2.0])[v], [0.0, 0.0, 1.0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("speed", [1.0, -1.0])
@pytest.mark.parametrize(
    "force",
    [
        lambda x, v: zm.where(x > 0, 2.0, -1.0),
        lambda x, v: zm.where(x >= 0, 2.0, -1.0),
        lambda x, v: 0.5 + 1.5 * np.sign(x),
        lambda x, v: np.maximum(3 * np.sign(x), 0.0) - 1.0,
    ],
)
def test_a_start_on_a_switch_goes_where_its_speed_goes(force, speed, method):
    system, x, v = mass(force)
    run = zm.simulate(system, system.start({x: 0.0, v: speed}), until=0.5, method=method, **TIGHT)
    a = 2.0 if speed > 0 else -1.0
    np.testing.assert_allclose(run.at(0.5)[x], speed * 0.5 + a * 0.125, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "force", [lambda x, v: np.sign(v), lambda x, v: zm.where(v > 0, 1.0, -1.0), lambda x, v: np.sign(x)]
)
def test_what_may_go_either_way_is_not_decided_in_silence(force):
    """ẍ = sign ẋ, or sign x, from rest at 0: it may go either way, or stay for a while."""
    system, x, v = mass(force)
    run = stopped_or_complete(system, system.start({x: 0.0, v: 0.0}), until=1.0)
    assert not run.outcome.complete


def test_the_end_on_a_switch_and_the_next_start_there():
    """A saw-tooth of 0.7 s, in runs of one tooth each."""
    system, x, v = mass(lambda x, v: (zm.t / 0.7) % 1.0)
    state = system.start({x: 0.0, v: 0.0})
    for j in range(1, 6):
        run = zm.simulate(system, state, until=0.7 * j, **TIGHT)
        assert run.outcome.ending == "finished"
        state = run.state(0.7 * j)
    assert state[v] == pytest.approx(5 * 0.35, abs=1e-12)


@pytest.mark.parametrize("origin", [0.0, 1e3, 1e5])
def test_clocks_far_from_zero(origin):
    """Pulses of 10 ms each second, at any time of the day: rounding of the time is all that may be seen."""
    system, x, v = mass(lambda x, v: zm.where((zm.t % 1.0) < 0.01, 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}, t=origin + 0.5), until=origin + 5.5, **TIGHT)
    assert run.at(origin + 5.5)[v][0] == pytest.approx(5.0, abs=1e-10 + 5 * 200 * 1.5e-16 * origin)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("force", "speed"),
    [
        (lambda: np.floor(np.sin(zm.t)), -2 * np.pi),  # 0 and −1 in turns, and 1 for no time at π/2 and 5π/2
        (lambda: np.floor(np.cos(zm.t)), -2 * np.pi),  # begins at 1, for no time
        (lambda: np.floor(2 * np.sin(zm.t)), 2 * (4 * np.pi / 6 - np.pi / 3 - 2 * 4 * np.pi / 6)),
        (lambda: zm.where(np.sin(zm.t) >= 1, 7.0, 1.0), 4 * np.pi),
    ],
)
def test_a_value_that_is_touched_for_no_time_does_nothing(force, speed, method):
    """Two periods of forces that would be others where a sine is 1."""
    system, x, v = mass(lambda x, v: force())
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=4 * np.pi, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4 * np.pi)[v], speed, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("force", "value"),
    [
        (lambda n, x: np.sign(n), lambda n: np.sign(n)),
        (lambda n, x: zm.where(n > 0, 2.0, 0.0), lambda n: 2.0 * (n > 0)),
        (lambda n, x: zm.where(n >= 0, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
        (lambda n, x: zm.where(n < 1, 2.0, 0.0), lambda n: 2.0 * (n < 1)),
        (lambda n, x: np.abs(n), lambda n: abs(n)),
        (lambda n, x: np.maximum(n, 0.0), lambda n: max(n, 0.0)),
        (lambda n, x: n % 2, lambda n: n % 2),
        (lambda n, x: n // 2, lambda n: n // 2),
        (lambda n, x: zm.where(n % 2 < 1, 1.0, -1.0), lambda n: 1.0 if n % 2 < 1 else -1.0),
        (lambda n, x: np.sign(np.sign(x) - 1), lambda n: 0.0 if n >= 0 else -1.0),
        (lambda n, x: zm.where(np.sign(x) >= 1, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
        (lambda n, x: zm.where(np.sign(x) > -1, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
    ],
)
def test_a_condition_on_whole_numbers_has_their_value(force, value, method):
    """ẍ = −4 x + f(⌊x⌋): between two steps of the stairs the number is what it is, also where it equals its bound."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -4 * y[0] + value(p[0])]), [Switch("stairs", lambda t, y: y[0], stairs=True)]
    )
    times = np.linspace(0.0, 5.0, 11)
    expected = motion(pieces, [2.6, 0.3], times).y
    system, x, v = mass(lambda x, v: -4 * x + force(np.floor(x), x))
    run = zm.simulate(system, system.start({x: 2.6, v: 0.3}), until=5.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rate", [4.0, 60.0, 300.0])
def test_a_level_that_swings_faster_than_the_mass(rate, method):
    """±2 N by the side of a level 0.1 sin(rate t): nothing but the switch itself tells a step to be short."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -2 * (2 * p[0] - 1)]),
        [Switch("level", lambda t, y: y[0] - 0.1 * np.sin(rate * t))],
        longest=0.3 / rate,
    )
    times = np.linspace(0.0, 1.5, 7)
    expected = motion(pieces, [0.3, 0.0], times)
    system, x, v = mass(lambda x, v: -2 * np.sign(x - 0.1 * np.sin(rate * zm.t)))
    run = zm.simulate(system, system.start({x: 0.3, v: 0.0}), until=1.5, method=method, **TIGHT)
    assert len(run.switches) == len(expected.changes)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], expected.y, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("swing", "rate"), [(0.2, 2.0), (0.11, 20.0), (0.1005, 5.0), (0.2, 200.0)])
def test_a_block_that_sticks_is_let_go_for_a_moment(swing, rate, method):
    """Pushed by 0.9 + swing sin(rate t) against a friction of 1: while it sticks, nothing else tells a step to be short."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], 0.9 + swing * np.sin(rate * t) - (2 * p[0] - 1)]),
        [Switch("friction", lambda t, y: y[1])],
        longest=0.2 / rate,
    )
    until = min(6.0, 40 / rate)
    expected = motion(pieces, [0.0, 0.0], [0.0, until])
    system, x, v = mass(lambda x, v: 0.9 + swing * np.sin(rate * zm.t) - np.sign(v))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=until, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(until)[np.array([x, v])][0], expected.y[-1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_bump_moves_a_block_that_sticks(method):
    """0.5 N and a bump of 5 N, 10 ms wide, against a friction of 1."""

    def push(t: Any) -> Any:
        return 0.5 + 5 * np.exp(-(((t - 3.0) / 0.01) ** 2))

    pieces = Pieces(
        lambda t, y, p: np.array([y[1], push(t) - (2 * p[0] - 1)]),
        [Switch("friction", lambda t, y: y[1])],
        breaks=[3.0 + 0.01 * j for j in range(-8, 9)],
    )
    expected = motion(pieces, [0.0, 0.0], [0.0, 6.0]).y[-1]
    system, x, v = mass(lambda x, v: push(zm.t) - np.sign(v))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=6.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(6.0)[np.array([x, v])][0], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_bump_within_a_condition_is_not_missed(method):
    """100 N as long as x is below a bump of width 3 ms at t = 2 s."""

    def bump(t: Any) -> Any:
        return np.exp(-(((t - 2.0) / 0.003) ** 2))

    pieces = Pieces(
        lambda t, y, p: np.array([y[1], 100 * p[0]]),
        [Switch("bump", lambda t, y: bump(t) - y[0])],
        breaks=[2.0 + 0.003 * j for j in range(-8, 9)],
    )
    expected = motion(pieces, [0.3, 0.05], [0.0, 4.0])
    assert len(expected.changes) == 2
    system, x, v = mass(lambda x, v: zm.where(x < bump(zm.t), 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.3, v: 0.05}), until=4.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4.0)[np.array([x, v])][0], expected.y[-1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("drive", [lambda: 0.1 * np.abs(np.sin(7 * zm.t)), lambda: 0.7 * (zm.t % 1.0) * 1.0])
def test_a_drive_begins_on_its_kink(drive):
    """At t = 0 the drive has the speed with which it goes on, 0.7 m/s."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=50 * (y - x) ** 2, constraints={"drive": x - drive()}
    )
    start = system.start({y: 0.0, zm.rate(y): 0.0})
    assert start[zm.rate(x)] == pytest.approx(0.7)
    assert zm.simulate(system, start, until=0.4, **TIGHT).outcome.ending == "finished"


def test_thousands_of_pulses():
    """A pulse width modulation of 1 kHz with 30 %, for 1.2 s: it is no chattering, and its mean is what drives."""
    system, x, v = mass(lambda x, v: zm.where((zm.t * 1000.0) % 1.0 < 0.3, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=1.2, rtol=1e-10, atol=1e-12)
    assert run.outcome.ending == "finished"
    assert run.at(1.2)[v][0] == pytest.approx(0.36, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_two_switches_at_the_same_time(method):
    """Two like masses that do not know of one another: both turn, and both stick, at the same times."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        potential=(x**2 + y**2) / 2,
        forces={x: -0.5 * np.sign(dx), y: -0.5 * np.sign(dy)},
    )
    run = zm.simulate(system, system.start({x: 2.3, y: 2.3}), until=10.0, method=method, **TIGHT)
    np.testing.assert_allclose(
        run.at(10.0)[np.array([x, y])], [[0.3, 0.3]], rtol=0, atol=1e-10
    )  # 2.3, −1.3, 0.3: sticks


@pytest.mark.parametrize("method", METHODS)
def test_three_contacts_of_two_masses(method):
    """Friction on the ground of both and between them: who holds whom is not determined, that nothing moves is.

    Pushed by t from rest, ground 1 each, between 5: at t = 2 both go as one, 2 ẍ = t − 2.
    """
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    between = 5.0 * np.sign(dx - dy)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        coordinates=[x, y],
        forces={x: zm.t - np.sign(dx) - between, y: between - np.sign(dy)},
    )
    run = stopped_or_complete(system, system.start({x: 0.0, y: 0.0}), until=4.0, method=method)
    times = np.linspace(0.0, float(run.t[-1]), 9)
    np.testing.assert_allclose(run.at(times)[x], np.maximum(times - 2, 0) ** 3 / 12, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.at(times)[y], np.maximum(times - 2, 0) ** 3 / 12, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_infinitely_many_switches_end_at_rest_or_by_name(method):
    """ẍ = −sign x − 0.3 sign ẋ: half-swings shrink by 0.7/1.3 each, and end at rest at 0 in a finite time."""
    system, x, v = mass(lambda x, v: -np.sign(x) - 0.3 * np.sign(v))
    run = stopped_or_complete(system, system.start({x: 1.0, v: 0.0}), until=20.0, method=method)
    if run.outcome.complete:
        assert abs(run.at(20.0)[x][0]) <= 1e-9
    else:
        ratio, total, height = 0.7 / 1.3, 0.0, 1.0
        for _ in range(200):
            total += np.sqrt(2 * height / 0.7)
            height *= ratio
            total += np.sqrt(2 * height / 1.3)
        assert run.t[-1] == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_valley_with_a_corner(method):
    """On y = 0.3 |x| each blow leaves r = 0.91/1.09 of ẋ, between them ẍ = ∓0.3 g/1.09: at rest, or stopped, at the end."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"valley": y - 0.3 * np.abs(x)}
    )
    run = stopped_or_complete(system, system.start({x: 0.5}), until=12.0, method=method)
    a, r = 0.3 * 9.81 / 1.09, 0.91 / 1.09
    quarter = np.sqrt(2 * 0.5 / a)
    end = quarter * (1 + 2 * r / (1 - r))
    blows = quarter * (1 + 2 * np.cumsum(r ** np.arange(1, 20)))
    np.testing.assert_allclose([blow.t for blow in run.impulses][:20], [quarter, *blows], rtol=0, atol=1e-10)
    if run.outcome.complete:
        assert abs(run.at(12.0)[x][0]) <= 1e-9
    else:
        assert run.t[-1] == pytest.approx(end, abs=1e-2)


def test_a_constraint_that_jumps_ends_the_run_by_name():
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=50 * (y - x) ** 2,
        constraints={"drive": x - zm.where(zm.t < 1, 0.0, 0.25)},
    )
    run = stopped_or_complete(system, system.start({y: 0.0}), until=2.0)
    assert not run.outcome.complete
    assert run.outcome.t == pytest.approx(1.0, abs=1e-12)
    assert "drive" in run.outcome.message


@pytest.mark.parametrize("method", METHODS)
def test_a_root_that_is_only_defined_on_one_side(method):
    """(x − 1)^1.5 beyond 1 and nothing before: it comes back as fast as it went, and no step may see the other side."""
    system, x, v = mass(lambda x, v: zm.where(x > 1.0, -7.0 * (x - 1.0) ** 1.5, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.3}), until=4.0, method=method, **TIGHT)
    assert run.outcome.ending == "finished"
    np.testing.assert_allclose(run.at(4.0)[v], -1.3, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_back_in_time_through_switches(method):
    """ẍ = −sign x has the same course backwards."""
    system, x, v = mass(lambda x, v: -2.3 * np.sign(x))
    ahead = zm.simulate(system, system.start({x: 1.1, v: 0.3}), until=5.0, method=method, **TIGHT)
    back = zm.simulate(system, ahead.state(5.0), until=0.0, method=method, **TIGHT)
    np.testing.assert_allclose(back.at(0.0)[np.array([x, v])], [[1.1, 0.3]], rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_friction_on_an_incline_from_its_normal_force(method):
    """Nonideal, μ N against the motion: up the slope to rest, and it stays there, since tan α < μ."""
    α, μ, g = 0.4, 0.6, 9.81
    c, s = np.cos(α), np.sin(α)
    x, y = q = zm.coordinates("x y")
    speed = zm.rate(x) * c + zm.rate(y) * s
    rub = -μ * g * c * np.sign(speed)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=g * y,
        constraints={"incline": y * c - x * s},
        nonideal={x: rub * c, y: rub * s},
        coordinates=[*q],
    )
    run = zm.simulate(
        system, system.start({x: 0.0, zm.rate(x): 2.0 * c, zm.rate(y): 2.0 * s}), until=2.0, method=method, **TIGHT
    )
    way = 2.0**2 / (2 * (g * s + μ * g * c))
    np.testing.assert_allclose(run.at([1.0, 2.0])[x], way * c, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.at([1.0, 2.0])[speed], 0.0, rtol=0, atol=1e-12)


def test_a_saved_run_keeps_its_pieces(tmp_path):
    """Dry friction to rest: places, accelerations and switches of the loaded run are those of the saved one."""
    system, x, v = mass(lambda x, v: -5.0 * x - 0.7 * np.sign(v))
    run = zm.simulate(system, system.start({x: 1.9}), until=11.0, **TIGHT)
    loaded = zm.load(run.save(tmp_path / "run.nc"))
    times = np.linspace(0.0, 11.0, 50)
    for quantity in (x, v, zm.acceleration(x)):
        np.testing.assert_array_equal(loaded.at(times)[quantity], run.at(times)[quantity])
    assert [switch.t for switch in loaded.switches] == [switch.t for switch in run.switches]


def test_a_run_from_a_state_that_sticks_goes_on_sticking():
    system, x, _ = mass(lambda x, v: -5.0 * x - 0.7 * np.sign(v))
    run = zm.simulate(system, system.start({x: 1.9}), until=11.0, **TIGHT)
    further = zm.simulate(system, run.state(11.0), until=20.0, **TIGHT)
    np.testing.assert_allclose(further.at([15.0, 20.0])[x], run.at(11.0)[x][0], rtol=0, atol=1e-15)


def test_back_in_time_from_rest_by_friction_is_not_decided_in_silence():
    """When it came to rest can not be told from its rest."""
    system, x, _ = mass(lambda x, v: -5.0 * x - 0.7 * np.sign(v))
    run = zm.simulate(system, system.start({x: 1.9}), until=11.0, **TIGHT)
    assert not stopped_or_complete(system, run.state(11.0), until=0.0).outcome.complete


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("problem", ["dry_friction", "bang_bang", "bouncing", "belt", "backlash", "saw_tooth"])
def test_no_digit_is_claimed_that_is_not_there(problem, rtol):
    """Digits of the certificate against closed forms, at four hundred times."""
    force = {
        "dry_friction": lambda x, v: (-5.0 * x - 0.7 * np.sign(v)) / 1.3,
        "bang_bang": lambda x, v: -2.3 * np.sign(x),
        "bouncing": lambda x, v: -9.81 + zm.where(x < 0, -225.0 * x, 0.0),
        "belt": lambda x, v: -4.0 * x - 1.5 * np.sign(v - 0.5) + 0.3 * (v - 0.5),
        "backlash": lambda x, v: -49.0 * (x - np.minimum(np.maximum(x, -0.4), 0.4)),
        "saw_tooth": lambda x, v: -9.0 * x + 5.0 * ((zm.t / 0.7) % 1.0),
    }[problem]
    known = getattr(closed_forms, problem)()
    system, x, v = mass(force)
    start = system.start({x: known.start[0], v: known.start[1]})
    run = zm.simulate(system, start, until=known.until, rtol=rtol, atol=rtol / 100)
    times = np.linspace(0.0, known.until, 400)
    expected = known.solution(times)
    error = np.abs(run.at(times)[np.array([x, v])] - expected).max(axis=0) / np.abs(expected).max(axis=0)
    assert run.certificate().digits <= -np.log10(max(error.max(), 1e-16)) + 0.5


def test_a_potential_that_jumps_is_named():
    """A step of 1 J: force has no value there, and a mass of ½ J would come back."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=zm.where(x > 0, 1.0, 0.0))
    run = stopped_or_complete(system, system.start({x: -1.0, zm.rate(x): 1.0}), until=2.0)
    assert not run.outcome.complete
    assert run.outcome.t == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_one_contact_lets_go_while_another_holds(method):
    """Blocks on the ground with frictions 1 and 3, a weak spring between, the first pulled by 0.5 t: it goes at t = 2."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        potential=0.05 * (x - y) ** 2,
        forces={x: 0.5 * zm.t - np.sign(dx), y: -3.0 * np.sign(dy)},
    )
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0}), until=4.0, method=method, **TIGHT)
    # ẍ = −0.1 x + 0.5 (t − 2) from rest: x = 5 (τ − sin(ωτ)/ω), ω² = 0.1
    τ, ω = 2.0, np.sqrt(0.1)
    np.testing.assert_allclose(run.at(4.0)[x], 5 * (τ - np.sin(ω * τ) / ω), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.at(4.0)[y], 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_one_surface_written_twice_while_another_slides(method):
    """Friction as two wheres, and as where and sign, of the same speed, beside another contact: both come to rest."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    twice = zm.where(dx < 0, 1.0, 0.0) + zm.where(dx > 0, -1.0, 0.0) - 0.5 * np.sign(2 * dx)
    system = zm.System(kinetic=(dx**2 + dy**2) / 2, coordinates=[x, y], forces={x: twice, y: -np.sign(dy)})
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0, dx: 3.0, dy: 1.5}), until=4.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4.0)[np.array([x, y])], [[3.0**2 / 3, 1.5**2 / 2]], rtol=0, atol=1e-11)


@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
def test_runs_at_any_tolerance_are_known_between_their_steps(method, rtol):
    """A mass among detents and friction, at two hundred times, as the reference has it."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -2 * p[0] - 2 * (2 * p[1] - 1) - 2 * y[0]]),
        [Switch("stairs", lambda t, y: y[0] / 0.2, stairs=True), Switch("friction", lambda t, y: y[1])],
    )
    times = np.linspace(0.0, 3.0, 200)
    expected = motion(pieces, [0.45, 1.7], times).y
    system, x, v = mass(lambda x, v: -2 * np.floor(x / 0.2) - 2.0 * np.sign(v) - 2 * x)
    run = zm.simulate(system, system.start({x: 0.45, v: 1.7}), until=3.0, rtol=rtol, atol=rtol / 100, method=method)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], expected, rtol=0, atol=1000 * rtol)
