"""Switches where it is easy to go wrong in silence: at the start and the end, back in time, in files, in what is claimed."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.references import closed_forms
from integrate.references.one_mass import METHODS, TIGHT, mass, stopped_or_complete
from integrate.references.pieces import Pieces, Switch
from integrate.references.piecewise import motion


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
def test_back_in_time_through_switches(method):
    """ẍ = −sign x has the same course backwards."""
    system, x, v = mass(lambda x, v: -2.3 * np.sign(x))
    ahead = zm.simulate(system, system.start({x: 1.1, v: 0.3}), until=5.0, method=method, **TIGHT)
    back = zm.simulate(system, ahead.state(5.0), until=0.0, method=method, **TIGHT)
    np.testing.assert_allclose(back.at(0.0)[np.array([x, v])], [[1.1, 0.3]], rtol=0, atol=1e-10)


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


@pytest.mark.parametrize("rtol", few([1e-7, 1e-5, 1e-9]))
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
