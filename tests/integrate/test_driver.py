"""The driver of motions over switches: as Python and as machine code, and beside the pieces that Python makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import spread
from hybrid.corpus import SWITCHES, Problem
from zeromass.codegen import background
from zeromass.compile.program import program_at
from zeromass.integrate.hybrid import motion, piece_memory
from zeromass.integrate.hybrid.driver import drive
from zeromass.integrate.hybrid.guard_functions import GuardFunctions
from zeromass.integrate.hybrid.integrator import HybridIntegrator
from zeromass.integrate.hybrid.memory import Drive
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.piece_begin import enter_piece
from zeromass.integrate.hybrid.reset import reset, strike
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.plain import plain_method

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}

SHORT = ("coulomb_oscillator", "rack_of_two_blocks", "stick_slip_on_a_belt", "backlash", "square_wave_and_stairs")
"""Motions of few steps: as Python a kernel takes a thousand times as long."""


def begun(problem: Problem, **settings: Any) -> Driver:
    """A driver at the start of a motion, on the pieces that it begins on."""
    pieces, start, until = problem.system.pieces, problem.start, problem.until
    assert pieces is not None
    table = TimeEvents(pieces, start, until)
    moving = pieces.state(start, {s.mode: table.modes(0).get(s.mode, 1.0) for s in pieces.switches})
    given = Settings(**{"method": "dop853", **settings})
    driver = Driver(GuardFunctions(pieces, (), 1.0), given, program_at(pieces.system, moving))
    driver.begin(moving, until, table, lambda: np.inf)
    driver.work.state[: driver.order] = np.concatenate([start.q, start.v])
    driver.work.ints[Int64.budget] = 10**6
    driver.w.clock[0] = start.t
    return driver


def driven(driver: Driver, select: Any, go: Any) -> Drive:
    work = driver.work
    assert select(driver.w, work.state[: driver.order], work.values, True) == Selection.DECIDED
    return Drive(go(driver.m, driver.w, driver.step, driver.roots, driver.low, driver.method.places, True))


@pytest.mark.parametrize(("name", "method"), [*[(name, "dop853") for name in SHORT], (SHORT[0], "radau")])
def test_python_and_machine_code_have_the_same_bits(name, method):
    """Whole motions, with their steps, switches and decisions: every recorded number."""
    problem = SWITCHES[name]()
    one, two = (begun(problem, rtol=1e-6, method=method) for _ in range(2))
    ends = driven(one, motion.compiled(select_modes), motion.compiled(drive)), driven(two, select_modes, drive)
    assert ends[0] is ends[1] is Drive.FINISHED
    assert one.m.pieces == two.m.pieces > 1
    np.testing.assert_array_equal(one.work.rows, two.work.rows)
    np.testing.assert_array_equal(one.m.log[: one.m.pieces], two.m.log[: two.m.pieces])
    assert one.work.reals[Real64.t] == two.work.reals[Real64.t] == problem.until


@pytest.mark.parametrize("method", ["dop853", "collocation", "radau"])
@pytest.mark.parametrize("name", spread(SWITCHES, 17))
def test_the_driver_goes_as_python_does(name, method, monkeypatch):
    """The same switches, in the same order, within 1e-12 s, and the same end: what Python makes piece by piece."""
    system, start, until = SWITCHES[name]()
    run = zm.simulate(system, start, until=until, method=method, **TIGHT)
    monkeypatch.setattr(HybridIntegrator, "_driver", lambda *given: None)
    other = zm.simulate(system, start, until=until, method=method, **TIGHT)
    assert run.outcome.ending is other.outcome.ending
    assert run.outcome.message == other.outcome.message
    if name != "friction_below_blocks_that_are_tied":  # which of two switches holds both blocks, rounding says
        told = [[(s.expression, s.direction) for s in some.switches] for some in (run, other)]
        assert told[0] == told[1]
        times = np.array([s.t for s in run.switches]) - [s.t for s in other.switches]
        assert np.abs(times).max(initial=0.0) <= 1e-11
    np.testing.assert_allclose(run.y[-1], other.y[-1], rtol=0, atol=1e-10)
    assert len(run.impulses) == len(other.impulses)


def classical(f: Any, t: float, y: np.ndarray, h: float) -> np.ndarray:
    """A step of the classical method of Runge and Kutta."""
    a = f(t, y)
    b = f(t + h / 2, y + h / 2 * a)
    c = f(t + h / 2, y + h / 2 * b)
    return y + h / 6 * (a + 2 * b + 2 * c + f(t + h, y + h * c))


@pytest.mark.parametrize("method", ["fixed", "radau", "classical"])
@pytest.mark.parametrize("name", ["stick_slip_on_a_belt", "stairs_in_space", "square_wave_and_stairs", "backlash"])
def test_steps_of_fixed_length_lead_over_switches_as_python_makes_them(name, method, monkeypatch):
    """By methods in machine code and by one in NumPy: the same switches, states and steps inside."""
    monkeypatch.setitem(zm.METHODS, "classical", plain_method("classical", classical, order=4, summary=""))
    system, start, until = SWITCHES[name]()
    run = zm.simulate(system, start, until=until, method=method, step=0.02)
    monkeypatch.setattr(HybridIntegrator, "_driver", lambda *given: None)
    other = zm.simulate(system, start, until=until, method=method, step=0.02)
    assert len(run.switches) == len(other.switches) > 1
    for one, two in zip(run.switches, other.switches, strict=True):
        assert one.expression == two.expression
        assert one.t == pytest.approx(two.t, abs=1e-12)
    np.testing.assert_allclose(run.y[-1], other.y[-1], rtol=0, atol=1e-12)
    times = np.linspace(0.0, until, 50)
    np.testing.assert_allclose(run.at(times).y, other.at(times).y, rtol=0, atol=1e-12)
    lengths = np.abs(np.diff(run.t))
    assert lengths.max() <= 0.02 * (1 + 1e-6)


def test_an_error_in_a_method_of_python_is_raised(monkeypatch):
    def broken(f: Any, t: float, y: np.ndarray, h: float) -> np.ndarray:
        raise ZeroDivisionError("no such step")

    monkeypatch.setitem(zm.METHODS, "broken", plain_method("broken", broken, order=4, summary=""))
    system, start, until = SWITCHES["backlash"]()
    with pytest.raises(ZeroDivisionError, match="no such step"):
        zm.simulate(system, start, until=until, method="broken", step=0.02)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_segments_of_a_driven_motion_are_those_that_python_makes(method, monkeypatch):
    """Pieces, statistics, dense output and what holds, of a block that sticks and slips on a belt."""
    system, start, until = SWITCHES["stick_slip_on_a_belt"]()
    run = zm.simulate(system, start, until=until, method=method, **TIGHT)
    monkeypatch.setattr(HybridIntegrator, "_driver", lambda *given: None)
    other = zm.simulate(system, start, until=until, method=method, **TIGHT)
    assert len(run.segments) == len(other.segments)
    for one, two in zip(run.segments, other.segments, strict=True):
        assert one.piece is not None
        assert two.piece is not None
        assert [h.mode for h in one.piece.holds] == [h.mode for h in two.piece.holds]
        assert one.outcome.ending is two.outcome.ending
    times, force = np.linspace(0.0, until, 200), system.Q[0]
    np.testing.assert_allclose(run.at(times)[force], other.at(times)[force], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.at(times).y, other.at(times).y, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", ["collocation", "radau"])
def test_runs_one_after_another_share_a_driver_and_no_results(method):
    system, start, until = SWITCHES["coulomb_oscillator"]()
    (x,) = system.coordinates
    runs = [zm.simulate(system, system.start({x: place}), until=until, method=method) for place in (1.0, 0.5, 1.0)]
    np.testing.assert_array_equal(runs[0].y, runs[2].y)
    assert runs[1].y[0, 0] == 0.5
    again = zm.simulate(system, start, until=until, method=method)
    np.testing.assert_array_equal(runs[0].at([3.0]).y, again.at([3.0]).y)


@pytest.mark.parametrize("method", ["collocation", "radau"])
def test_a_motion_of_many_switches_needs_no_python_between_them(method, monkeypatch):
    """A thousand switches, more than the log and the record have room for at first: no piece is made by Python."""
    from zeromass.integrate.stepping.loop import Loop

    made: list[Loop] = []
    segment = Loop.segment
    monkeypatch.setattr(Loop, "segment", lambda self, tell: made.append(self) or segment(self, tell))
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x)})
    run = zm.simulate(system, system.start({x: 1.0}), until=4 * np.sqrt(2) * 250, method=method)
    assert len(run.switches) in (499, 500)
    assert not made
    half = [s.t for s in run.switches]
    np.testing.assert_allclose(np.diff(half), 2 * np.sqrt(2), rtol=1e-7)


def test_a_driven_motion_that_is_interrupted_keeps_what_it_has():
    """Ctrl-C after some thousand steps: the pieces that were finished, and the outcome by name."""
    from zeromass.integrate import course

    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x)})
    start, told = system.start({x: 1.0}), []

    def tell(t: float) -> None:
        told.append(t)
        if len(told) == 2:
            raise KeyboardInterrupt

    found = course(system, start, 4e4, Settings(method="dop853"), tell=tell, keep_interrupted=True)
    assert found.outcome.ending.value == "interrupted"
    assert told[0] < found.t[-1] <= told[1]
    assert found.t[-1] == found.outcome.t
    assert len(found.switches) > 100
    assert zm.simulate(system, start, until=10.0).outcome.complete


@pytest.mark.parametrize("method", ["dop853", "collocation"])
def test_angles_over_their_cuts_and_unknown_forces_need_no_python(method, monkeypatch):
    """A torsion spring on arctan2(sin q, cos q), which is q, over several turns: q = a cos ωt + b sin ωt."""
    made: list[Any] = []
    segment = HybridIntegrator._made
    monkeypatch.setattr(HybridIntegrator, "_made", lambda self, *given: made.append(given) or segment(self, *given))
    q = zm.coordinate("q")
    angle, ω = np.arctan2(np.sin(q), np.cos(q)), 0.6
    system = zm.System(kinetic=zm.rate(q) ** 2 / 2, potential=ω**2 * angle**2 / 2)
    for ahead in (1.0, -1.0):
        run = zm.simulate(system, system.start({q: 0.1, zm.rate(q): 5.0}), until=20.0 * ahead, method=method, **TIGHT)
        t = ahead * np.array([3.0, 20.0])
        expected = 0.1 * np.cos(ω * t) + 5.0 / ω * np.sin(ω * t)
        np.testing.assert_allclose(run.at(t)[angle], expected, rtol=0, atol=1e-9)
        assert np.abs(run.at(np.linspace(0, 20 * ahead, 200))[angle]).max() > 8.0
    for name in (
        "bead_on_a_bent_wire_with_friction",
        "bead_on_a_rotating_rod_with_friction",
        "block_pressed_to_a_wall",
    ):
        problem = SWITCHES[name]()
        zm.simulate(problem.system, problem.start, until=problem.until, method=method)
    assert not made


@pytest.fixture
def pieces_by_the_loop(monkeypatch) -> list[Any]:
    """Pieces that are not driven, as they are made."""
    from zeromass.integrate.stepping.loop import Loop

    made: list[Any] = []
    segment = Loop.segment
    monkeypatch.setattr(Loop, "segment", lambda self, tell: made.append(self) or segment(self, tell))
    return made


@pytest.mark.parametrize("method", ["dop853", "collocation", "radau"])
def test_events_are_noted_on_the_way_over_switches(method, pieces_by_the_loop):
    """ẍ = −sgn(x) from x = 1: parabolas of period 4√2; x = ½ is passed twice a period, the third fall to −½ is the last."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x)})
    events = [
        zm.Event("half", x - 0.5, terminal=False),
        zm.Event("third", x + 0.5, direction=-1, terminal=False),
        zm.Event("over", zm.t - 15.0),
    ]
    run = zm.simulate(system, system.start({x: 1.0}), until=40.0, events=events, method=method, **TIGHT)
    period, half = 4 * np.sqrt(2), [e.t for e in run.events if e.name == "half"]
    expected = sorted([k * period + 1 for k in range(3)] + [k * period - 1 for k in range(1, 3)])
    np.testing.assert_allclose(half, expected, rtol=0, atol=1e-10)
    below = [e.t for e in run.events if e.name == "third"]
    np.testing.assert_allclose(below, [k * period + 2 * np.sqrt(2) - 1 for k in range(3)], rtol=0, atol=1e-10)
    assert run.outcome.ending == "event"
    assert run.t[-1] == pytest.approx(15.0, abs=1e-12)
    assert "over" in run.outcome.message
    assert not pieces_by_the_loop


def test_constraints_that_switch_are_driven_from_impulse_to_impulse(pieces_by_the_loop):
    """A mass of 2 kg that is drawn to and fro at 1 m/s along |saw|: an impulse of 4 N s at each turn."""
    x = zm.coordinate("x")
    saw = abs(zm.t / 2 - np.floor(zm.t / 2 + 0.5)) * 2
    system = zm.System(kinetic=zm.rate(x) ** 2, constraints={"drive": x - saw})
    run = zm.simulate(system, system.start({}, t=0.25), until=9.5, method="dop853")
    assert run.outcome.complete
    np.testing.assert_allclose([impulse.t for impulse in run.impulses], np.arange(1.0, 10.0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.abs(np.concatenate([i.impulses for i in run.impulses])), 4.0, rtol=1e-12)
    assert not pieces_by_the_loop


@pytest.mark.parametrize("away", [True, False])
def test_touches_are_judged_on_the_way(away, pieces_by_the_loop):
    """z = (t − 1)² touches 0, below which a force takes it away, or leads it back: ambiguous, or one motion."""
    z = zm.coordinate("z")
    force = 2.0 - zm.where(z < 0, 8.0 if away else -8.0, 0.0)
    system = zm.System(kinetic=zm.rate(z) ** 2 / 2, forces={z: force})
    run = zm.simulate(system, system.start({z: 1.0, zm.rate(z): -2.0}), until=2.0, method="dop853", **TIGHT)
    assert (run.outcome.ending == "ambiguous") == away
    assert run.t[-1] == pytest.approx(1.0 if away else 2.0, abs=1e-5)
    assert not pieces_by_the_loop


@pytest.mark.parametrize("method", ["dop853", "collocation", "radau"])
def test_events_that_bend_and_jump_are_located_on_the_way(method, pieces_by_the_loop):
    """ẍ = −sgn(x) from x = 1: ||x| − ½| has four zeros a period of 4√2, sgn(x) + ½ jumps at each passage of x = 0."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x)})
    events = [
        zm.Event("half", np.abs(x) - 0.5, terminal=False),
        zm.Event("side", np.sign(x) + 0.5, terminal=False),
        zm.Event("third", np.floor(zm.t / 12) + np.sign(zm.rate(x)) - 1.5, direction=1),
    ]
    run = zm.simulate(system, system.start({x: 1.0}), until=20.0, events=events, method=method, **TIGHT)
    quarter = np.sqrt(2)
    found = {name: np.array([e.t for e in run.events if e.name == name]) for name in ("half", "side")}
    end = 10 * quarter  # x turns at −1, after t = 12 for the first time: its rate rises through 0
    assert run.t[-1] == pytest.approx(end, abs=1e-9)
    sides = [k * quarter for k in (1, 3, 5, 7, 9)]
    np.testing.assert_allclose(found["side"], sides, rtol=0, atol=1e-10)
    halves = sorted(t for k in range(6) for t in (2 * k * quarter - 1, 2 * k * quarter + 1) if 0 < t < end)
    np.testing.assert_allclose(found["half"], halves, rtol=0, atol=1e-10)
    assert not pieces_by_the_loop


@pytest.mark.parametrize("terminal", [True, False])
def test_an_event_that_an_impulse_makes_jump(terminal, pieces_by_the_loop):
    """A mass that is drawn at 1 m/s and from t = 1 s on at −1 m/s: its rate falls through ½ by the impulse, at t = 1 s."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2, constraints={"drive": x - 1 + np.abs(zm.t - 1)})
    slow = zm.Event("slow", zm.rate(x) - 0.5, direction=-1, terminal=terminal)
    run = zm.simulate(system, system.start(), until=2.0, events=slow, method="dop853")
    (event,) = run.events
    assert event.name == "slow"
    assert event.t == 1.0
    assert run.t[-1] == (1.0 if terminal else 2.0)
    assert run.y[-1][1] == pytest.approx(-1.0, abs=1e-12)
    assert not pieces_by_the_loop


def test_lengths_that_stay_away_from_zero_are_driven(pieces_by_the_loop):
    """A mass on a spring √(x² + y²) around its anchor, x rubbed: as with the square of the length, of the same force."""
    x, y = zm.coordinates("x y")
    length = np.sqrt(x**2 + y**2)
    ends = []
    for potential in (length**3 / 3, (x**2 + y**2) ** 1.5 / 3):
        system = zm.System(
            kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
            potential=potential,
            forces={x: -0.05 * np.sign(zm.rate(x))},
        )
        start = system.start({x: 1.0, y: 0.0, zm.rate(x): 0.0, zm.rate(y): 0.8})
        run = zm.simulate(system, start, until=20.0, method="dop853", **TIGHT)
        assert len(run.switches) > 3
        ends.append(run.y[-1])
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)
    assert not pieces_by_the_loop


@pytest.mark.parametrize("method", ["dop853", "collocation", "radau"])
def test_bumps_beside_switches_are_driven(method, pieces_by_the_loop):
    """ẍ = −sgn(x) + a bump of width 1e-3 at x = ½, whose work ±∫ F dx the mass takes along: seen in its turning point."""
    x = zm.coordinate("x")
    w, work = 1e-3, 0.1
    bump = work / (w * np.sqrt(np.pi)) * np.exp(-(((x - 0.5) / w) ** 2))
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x) - bump})
    run = zm.simulate(system, system.start({x: 1.0}), until=4.0, method=method, rtol=1e-10, atol=1e-12)
    assert run.minimum(x).value == pytest.approx(-1.0 - work, abs=1e-8)
    assert not pieces_by_the_loop


@pytest.mark.parametrize("name", ["bead_on_a_wire_with_a_corner", "bead_that_meets_a_ramp"])
def test_impulses_of_kernels_as_python_are_those_of_machine_code(name, monkeypatch):
    system, start, until = SWITCHES[name]()
    run = zm.simulate(system, start, until=until, method="dop853", **TIGHT)
    assert run.impulses
    machine = piece_memory.compiled
    monkeypatch.setattr(piece_memory, "compiled", lambda k: k if k in (reset, strike) else machine(k))
    other = zm.simulate(system, start, until=until, method="dop853", **TIGHT)
    for here, there in zip(run.impulses, other.impulses, strict=True):
        np.testing.assert_array_equal(here.change, there.change)
        assert here.t == there.t


@pytest.mark.parametrize(("beside", "kept"), [(3e-12, 0.0), (1e-3, 1e-3)])
def test_a_motion_begins_on_the_switch_that_holds_it(beside, kept):
    """A rate that the location of a switch leaves beside it is no error of a later step; a larger one is not taken away."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -3 * np.sign(v)})
    driver = begun(Problem(system, system.start({x: 0.1, v: 0.0}), 1.0))
    assert driven(driver, motion.compiled(select_modes), motion.compiled(drive)) is Drive.FINISHED
    flag = driver.w.flag[0]
    assert driver.work.values[flag] == 1.0  # friction holds the block
    driver.work.state[:2] = 0.1, beside
    driver.m.piece_values[flag] = 0.0
    motion.compiled(enter_piece)(driver.m, driver.w, driver.step)
    assert driver.work.state[:2].tolist() == [0.1, kept]


def test_a_run_takes_the_better_code_that_has_been_made(monkeypatch):
    """Drivers of earlier runs have the addresses of their time."""
    begun: list[Driver] = []
    begin = Driver.begin
    monkeypatch.setattr(Driver, "begin", lambda driver, *given: (begun.append(driver), begin(driver, *given))[1])
    monkeypatch.setenv("ZEROMASS_CACHE", "off")
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.abs(x))
    start = system.start({x: 1.0})
    first = zm.simulate(system, start, until=5.0, method="dop853")
    code = begun[-1].program.native.rhs(1)
    before = code.address("rhs")
    code.improve()
    background.wait()
    again = zm.simulate(system, start, until=5.0, method="dop853")
    assert begun[-1].w.__dict__["_objects"]["rhs"] == code.address("rhs") != before
    np.testing.assert_array_equal(again.y, first.y)
