"""What ends at a switch, by name; and what a run with switches tells: files, continuations, digits."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import zeromass as zm

V = zm.rate


def stopped(system, start, until, **settings):
    with pytest.warns(zm.errors.RunStopped):
        return zm.simulate(system, start, until=until, **settings)


@pytest.fixture
def rubbed():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, potential=x**2 / 2, forces={x: -0.5 * np.sign(V(x))})
    return system, x, zm.simulate(system, system.start({x: 2.3}), until=10.0)


def test_a_constraint_that_jumps_ends_the_run_by_name_place_and_size():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, constraints={"drive": x - zm.where(zm.t < 1, 0.0, 0.25)})
    run = stopped(system, system.start(), 2.0)
    assert run.outcome.ending == "jump"
    assert run.t[-1] == 1.0
    assert "'drive' by -0.25" in run.outcome.message
    assert "(t < 1)" in run.outcome.message


def test_a_ball_stops_at_a_step_of_its_surface():
    surface = zm.Surface(lambda X, Y: zm.where(X > 0.5, 0.2, 0.0))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=surface)
    run = stopped(ball, ball.start(contact=(0, 0), velocity=(1, 0)), 2.0, rtol=1e-12, atol=1e-14)
    assert run.outcome.ending == "jump"
    assert abs(run.t[-1] - 0.5) < 1e-12
    assert "'surface' by -0.2" in run.outcome.message
    assert np.ptp(run[ball.energy]) < 1e-10  # the tolerance of a step; it was 0.6 J


@pytest.mark.parametrize("height", [lambda X, Y: 0.3 * np.abs(X), lambda X, Y: np.maximum(0.5 * X, 0.0)])
def test_a_ball_stops_where_its_surface_has_a_kink(height):
    """Its centre would have to jump there: a ball touches both sides of a kink before its contact is in it."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(height))
    run = stopped(ball, ball.start(contact=(-1, 0), velocity=(1, 0)), 2.0)
    assert run.outcome.ending == "jump"
    assert "tangency" in run.outcome.message
    assert np.ptp(run[ball.energy]) < 1e-9
    assert abs(run.at(run.t[-1])[ball.contact[0]]) < 1e-9


def test_a_surface_that_goes_over_smoothly_enough_only_begins_anew():
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: zm.where(X > 0.5, (X - 0.5) ** 3, 0.0)))
    run = zm.simulate(ball, ball.start(contact=(0, 0), velocity=(1, 0)), until=2.0)
    assert run.outcome.ending == "finished"
    assert np.ptp(run[ball.energy]) < 1e-9
    assert run.modes == ("rolling",)
    assert not run.impulses


def test_a_belt_that_turns_at_once_makes_a_ball_slip():
    """The belt goes from −1 to 1 m/s: with friction 0.2 the ball slips for 2 · 2/(7 μ g), as when it is thrown on it."""
    belt = zm.Surface(lambda X, Y: 0 * X, shift=(np.abs(zm.t - 1), 0, 0))
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=belt, friction=0.2)
    run = zm.simulate(ball, ball.start(contact=(0, 0), velocity=(0, 0)), until=2.0)
    assert run.modes == ("rolling", "slipping", "rolling")
    assert not run.impulses
    np.testing.assert_allclose(run.changes, [1.0, 1.0 + 2 * 2 / (7 * 0.2 * 9.81)], atol=1e-6)  # the creep takes 1e-8 s
    without = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=belt)
    run = zm.simulate(without, without.start(contact=(0, 0), velocity=(0, 0)), until=2.0)
    (impulse,) = run.impulses
    assert abs(impulse.change[without.index(without.center[0])] - 2 * 2 / 7) < 1e-12  # of a ball that the belt turns


def test_energies_that_jump_are_named():
    x = zm.coordinate("x")
    step = zm.System(kinetic=V(x) ** 2 / 2, potential=zm.where(x > 1, 0.3, 0.0))
    assert "potential energy jumps by 0.3 J" in stopped(step, step.start({V(x): 1.0}), 2.0).outcome.message
    heavier = zm.System(kinetic=zm.where(zm.t < 1, 1.0, 2.0) * V(x) ** 2 / 2)
    assert "mass jumps" in stopped(heavier, heavier.start({V(x): 1.0}), 2.0).outcome.message
    stiffer = zm.System(kinetic=V(x) ** 2 / 2, potential=zm.where(zm.t < 1, 1.0, 4.0) * x**2 / 2)
    run = zm.simulate(stiffer, stiffer.start({x: 1.0}), until=2.0)  # a spring may be exchanged at a moment
    a, b = np.cos(1.0), -np.sin(1.0) / 2
    assert abs(run.at(2.0)[x] - (a * np.cos(2.0) + b * np.sin(2.0))) < 1e-10
    assert run.work().imbalance < 1e-10
    assert run.certificate().digits > 9


def test_what_may_go_either_way_is_ambiguous():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, forces={x: np.sign(V(x))})
    run = stopped(system, system.start({x: 0.0}), 1.0)
    assert run.outcome.ending == "ambiguous"
    assert "sign(rate(x))" in run.outcome.message


@pytest.mark.parametrize("speed", [1.0, 1e3])
def test_rounding_of_a_rate_does_not_decide_where_to_go(speed):
    """A particle flies along the crest between two pushes, with a rate across it that is rounding of its speed."""
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=(V(x) ** 2 + V(y) ** 2) / 2, forces={y: np.sign(y)})
    for part in (0.0, 1e-17, -1e-17, 1e-30):
        run = stopped(system, system.start({V(x): speed, V(y): part * speed}), 1.0)
        assert run.outcome.ending == "ambiguous"
    for side in (1.0, -1.0):
        run = zm.simulate(system, system.start({V(x): speed, V(y): side * 1e-9 * speed}), until=1.0)
        assert run.y[-1][1] == pytest.approx(side * (0.5 + 1e-9 * speed), rel=1e-12)


def test_chattering_is_recognised():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, forces={x: -np.sign(x) - 0.5 * V(x)})
    run = stopped(system, system.start({x: 1.0}), 100.0, limits=zm.Limits(changes=200))
    assert run.outcome.ending == "chattering"
    assert "faster and faster" in run.outcome.message


def test_the_fastest_way_to_rest_ends_there_by_name():
    """ẍ = −sgn(x + ẋ|ẋ|/2) is at rest in the origin after 2 s, and what follows is on both borders at once."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, forces={x: -np.sign(x + V(x) * np.abs(V(x)) / 2)})
    run = stopped(system, system.start({x: 1.0}), 4.0)
    assert abs(run.t[-1] - 2.0) < 1e-5
    assert np.abs(run.y[-1]).max() < 1e-9


def test_a_run_with_switches_in_files_and_pickles(rubbed, tmp_path):
    _system, x, run = rubbed
    times, force = np.linspace(0, 10, 77), -0.5 * np.sign(V(x))
    for again in (pickle.loads(pickle.dumps(run)), zm.load(run.save(tmp_path / "run.nc"))):
        assert np.array_equal(again.t, run.t)
        assert np.array_equal(again.at(times).y, run.at(times).y)
        assert np.array_equal(again.at(times)[force], run.at(times)[force])
        assert [(s.t, repr(s.expression), s.direction) for s in again.switches] == [
            (s.t, repr(s.expression), s.direction) for s in run.switches
        ]
        assert again.modes == run.modes
        assert again.outcome == run.outcome


def test_impulses_in_files(tmp_path):
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2, constraints={"drive": x - np.abs(zm.t - 1)})
    run = zm.simulate(system, system.start(), until=2.0)
    (told,), (kept,) = zm.load(run.save(tmp_path / "run.nc")).impulses, run.impulses
    assert (told.t, told.constraints, told.energy) == (kept.t, kept.constraints, kept.energy)
    assert np.array_equal(told.impulses, kept.impulses)
    assert np.array_equal(told.change, kept.change)


def test_a_run_goes_on_from_rest(rubbed):
    system, x, run = rubbed
    further = zm.simulate(system, run.state(8.0), until=12.0)
    assert abs(further.at(12.0)[x] - run.at(10.0)[x]) < 1e-14
    with pytest.raises(zm.errors.ModelError, match="slides along 'sign"):
        run.state(8.0)[zm.acceleration(x)]


def test_tangents_end_at_a_switch_by_name(rubbed):
    system, x, run = rubbed
    with pytest.raises(zm.errors.ModelError, match="formula switches, 'sign"):
        run.sensitivity()
    before = zm.simulate(system, system.start({x: 2.3}), until=1.0)
    np.testing.assert_allclose(before.sensitivity().start[0][:, 0], [np.cos(1.0), -np.sin(1.0)], atol=1e-9)


def test_what_has_no_value_beyond_a_switch_needs_none():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, forces={x: zm.where(x > 1, -7.0 * (x - 1) ** 1.5, 0.0)})
    run = zm.simulate(system, system.start({V(x): 1.3}), until=4.0)
    assert abs(run.at(4.0)[V(x)] + 1.3) < 1e-9


def test_events_beside_switches_are_the_users(rubbed):
    system, x, _ = rubbed
    with warnings.catch_warnings(action="error"):
        run = zm.simulate(
            system, system.start({x: 2.3}), until=10.0, events=zm.Event("slow", V(x) + 0.1, terminal=False)
        )
    assert {event.name for event in run.events} == {"slow"}
    ended = zm.simulate(system, system.start({x: 2.3}), until=10.0, events={"rest": V(x)})
    assert ended.outcome.ending == "event"
    assert abs(ended.t[-1] - np.pi) < 1e-10


def test_a_smooth_system_has_no_pieces():
    x = zm.coordinate("x")
    system = zm.System(kinetic=V(x) ** 2 / 2, potential=np.sqrt(1 + x**2))
    assert system.pieces is None
    assert zm.simulate(system, system.start({x: 1.0}), until=1.0).switches == ()
