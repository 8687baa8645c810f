"""Motions as modules of WebAssembly: bits, events, starts and outcomes, beside `simulate`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.node import MISSING, HostMotion, in_node, node, unfused
from zeromass.integrate.alone.memory import Ready
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.methods.dop853 import stepper
from zeromass.integrate.stepping.layout import HEAD, Real64
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace

needs_node = pytest.mark.skipif(node() is None, reason=MISSING)


def shell() -> tuple[zm.Rolling, zm.State]:
    vx, vy = zm.parameter("vx", 1.5), zm.parameter("vy", 1.0)
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=bowl, gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.0, orientation=(1, 0, 0, 0))
    return rolling, start


def four_bar() -> tuple[zm.System, zm.State]:
    """A mechanism with a redundant row, a parameter in the model, and a start that must be solved for."""
    a, length = zm.coordinates("a b c"), zm.parameter("length", 0.7)
    s, c = np.sin, np.cos
    x = 0.4 * c(a[0]) + length * c(a[1]) - 0.6 * c(a[2])
    y = 0.4 * s(a[0]) + length * s(a[1]) - 0.6 * s(a[2])
    kinetic = sum(0.1 * zm.rate(q) ** 2 for q in a) + 0.05 * zm.rate(a[0]) * zm.rate(a[1]) * c(a[0] - a[1])
    system = zm.System(
        kinetic=kinetic,
        potential=9.81 * (0.1 * s(a[0]) + 0.3 * s(a[1])),
        constraints={"x": x - 0.8, "y": y, "sum": x + y - 0.8},
    )
    start = system.start({a[0]: 1.0, zm.rate(a[0]): 5.0}, guess={a[1]: 0.3, a[2]: 1.6})
    return system, start


def thrown() -> tuple[zm.System, zm.State]:
    """A ball that rolls over the top of a hill and leaves it."""
    speed = zm.parameter("speed", 0.8)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0))
    return ball, ball.start(contact=(0.1, 0.0), velocity=(speed, 0.0), guess=1.0)


def hills() -> tuple[zm.System, zm.State]:
    """A ball on heights given by numbers on a grid: tables in memory."""
    speed = zm.parameter("speed", 0.5)
    x, y = np.linspace(-2, 2, 21), np.linspace(-2, 2, 17)
    X, Y = np.meshgrid(x, y, indexing="ij")
    heights = 0.05 * (X**2 + Y**2) + 0.02 * np.sin(2 * X) * np.cos(Y)
    ground = zm.Surface.from_heights(x, y, heights)
    ball = zm.Rolling(zm.bodies.ball(0.05, 0.5), on=ground)
    return ball, ball.start(contact=(0.8, 0.2), velocity=(0.0, speed))


SYSTEMS = {"shell": shell, "four-bar": four_bar, "hill": thrown, "grid": hills}


def alone(make: Any) -> Alone:
    system, start = make()
    program = zm.compile(system, start)
    return Alone(program, start, tuple(system.events), tuple(system.coordinates))


@needs_node
@pytest.mark.parametrize("name", few(SYSTEMS))
def test_bits_are_those_of_this_machine_without_fused_operations(name, tmp_path):
    """Start, steps, events and samples: the same texts for two targets give the same numbers, to the last bit."""
    code = alone(SYSTEMS[name])
    here = HostMotion(code, unfused())
    module = zm.export.wasm(code.program, code.start)
    times = np.linspace(0.0, 3.0, 101).tolist()
    tries = [code.values, [1.1 * x for x in code.values]]
    tasks = [
        {"values": dict(zip([p.name for p in code.parameters], values, strict=True)), "until": 3.0, "rtol": 1e-9}
        | {"atol": 1e-12, "times": times}
        for values in tries
    ]
    found, about = in_node(module, tasks, tmp_path)
    for values, there in zip(tries, found, strict=True):
        status = here.run(values, 3.0, 1e-9, 1e-12)
        assert about["status"][there["ending"]] == status
        assert np.array_equal(here.array("first")[: len(there["start"])], there["start"])
        assert np.array_equal(here.record.ravel(), there["record"])
        assert len(here.record) > 10
        kept = np.array([t for t in times if t <= here.t])
        assert np.array_equal(here.sample(kept).ravel(), there["samples"])


@pytest.mark.parametrize("name", few(SYSTEMS))
def test_steps_are_those_of_the_method(name, monkeypatch):
    """A workspace of `simulate`, without fused operations and with the same first step, records the same bits."""
    monkeypatch.setattr(stepper, "host", unfused)
    monkeypatch.setattr(sys.modules["zeromass.compile.native"], "host", unfused)
    code = alone(SYSTEMS[name])
    program, start = code.program, code.start
    here = HostMotion(code, unfused())
    here.array("parameters")[: len(code.values)] = code.values
    here.call("begin", 3.0, 1e-9, 1e-12, float("inf"))
    first = here.array("reals")[Real64.h].copy()
    y = here.array("first")[: 2 * len(start.q)].copy()
    here.run(code.values, 3.0, 1e-9, 1e-12)
    native = type(program.native)(program)
    values = np.array([start.parameters[p] for p in program.system.parameters])
    work = Workspace(native, start.t, y, values, Tolerances(1e-9, 1e-12), first)
    work.growth_limit, work.correction_limit = code.limits.growth, code.limits.correction
    work.use(native, project=True)
    stepper.Dop853(work).advance(3.0, 100_000)
    count = min(len(work.rows), len(here.record) - (here.t < 3.0))  # the last step is cut where an event ends it
    assert count > 10
    assert np.array_equal(work.rows[:count], here.record[:count])


@pytest.mark.parametrize("name", few(SYSTEMS))
def test_samples_are_on_the_constraints_and_on_the_steps(name):
    """Between steps what is left of the constraints is rounding; at their ends samples are what was recorded."""
    system, start = SYSTEMS[name]()
    zeros = [zero for level in range(2) for _, zero in system.zeros(level)]
    outputs = (*zeros, *system.coordinates, *system.rates)
    here = HostMotion(Alone(zm.compile(system, start), start, tuple(system.events), outputs), unfused())
    here.run(here.alone.values, 2.0, 1e-9, 1e-12)
    record = here.record.copy()
    times = np.unique(np.concatenate([np.linspace(0.0, here.t, 301), record[:, 0]]))
    found = here.sample(times)
    assert np.abs(found[:, : len(zeros)]).max() < 1e-13
    assert np.array_equal(found[np.searchsorted(times, record[:, 0]), len(zeros) :], record[:, HEAD:])


@needs_node
def test_slopes_are_those_of_this_machine(tmp_path):
    """Of large angles too, whose reduction multiplies numbers of 128 bits."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.sin(x) + np.exp(-zm.t) * np.tan(x) ** 3})
    start = system.start({x: 1.0})
    code = Alone(zm.compile(system, start), start)
    here = HostMotion(code, unfused())
    states = [(0.3, [0.7, 1.0]), (1.0, [1e15 + 0.3, -2.0]), (2.5, [-3.7e200, 0.5])]
    found, _ = in_node(
        zm.export.wasm(code.program, start), [{"t": t, "slope": y, "values": {}} for t, y in states], tmp_path
    )
    for (t, y), there in zip(states, found, strict=True):
        here.array("reals")[Real64.t], here.array("y")[:2] = t, y
        here.call("slope")
        assert np.array_equal(here.array("slopes")[:2], there["slope"])
        exact = np.sin(y[0]) + np.exp(-t) * np.tan(y[0]) ** 3
        assert there["slope"][1] == pytest.approx(exact, rel=1e-14)


@needs_node
def test_the_shell_rolls_to_its_end_and_again_the_same(tmp_path):
    """25 s of it end where `simulate` has it, and a second motion of the module has the bits of the first."""
    rolling, start = shell()
    program = zm.compile(rolling, start)
    task = {"values": {}, "until": 25.0, "rtol": 1e-9, "atol": 1e-12}
    (once, again), _ = in_node(zm.export.wasm(program, start), [task, task], tmp_path)
    assert once["ending"] == again["ending"] == "FINISHED"
    assert np.array_equal(once["record"], again["record"])
    run = zm.simulate(program, start, until=25.0, rtol=1e-9, method="dop853")
    end = once["record"][-len(run.y[-1]) :]
    assert np.abs(end - run.y[-1]).max() <= 1e-6  # a thousand steps of 1e-9


@needs_node
@pytest.mark.parametrize("stiff", [False, True])
def test_a_motion_goes_on_from_any_state(stiff):
    """From its own start it is the same, to the last bit; from a state on the way, with a first step of its own, nearly."""
    system, start = four_bar()
    whole, part = (HostMotion(Alone(zm.compile(system, start), start, stiff=stiff), unfused()) for _ in range(2))
    values, tolerance = [float(x) for x in whole.alone.values], (1e-11, 1e-13)
    assert whole.run(values, 2.0, *tolerance) == Status.FINISHED
    n = whole.sizes.state
    for first, t in ((whole.array("first")[:n].copy(), 0.0), (whole.record[40, -n:].copy(), whole.record[40, 0])):
        part.array("parameters")[: len(values)] = values
        part.array("first")[:n] = first
        assert part.call("resume", float(t), 2.0, *tolerance, float("inf")) == Ready.READY
        assert part.call("advance") == Status.FINISHED
        assert part.t == 2.0
        if t == 0.0:
            assert np.array_equal(part.record, whole.record)
        np.testing.assert_allclose(
            part.record[-1, -n:], whole.record[-1, -n:], rtol=0, atol=1e-7
        )  # 1e-11 in many steps


def test_events_are_those_of_simulate(tmp_path):
    """Noted on the way and at the end, two in one step, and one that is only grazed, at the times that theory gives."""
    x, y = zm.coordinates("x y")
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=y**2 / 2)
    start = system.start({zm.rate(x): 1.0, y: 1.0})
    events = [
        zm.Event("gate", (x - 1.0) ** 2 - 0.01, terminal=False),
        zm.Event("dip", (x - 2.0) ** 2 - 1e-8, terminal=False),
        zm.Event("sinks", y + 0.5, direction=-1, terminal=False),
        zm.Event("wall", x - 3.0),
    ]
    program = zm.compile(system, start)
    task = {"values": {}, "until": 5.0, "rtol": 1e-11, "atol": 1e-13}
    (found,), _ = in_node(zm.export.wasm(program, start, events=events), [task], tmp_path)
    assert (found["ending"], found["event"]["name"]) == ("EVENT", "wall")
    run = zm.simulate(program, start, until=5.0, rtol=1e-11, method="dop853", events=events)
    assert [name for name, _ in found["happened"]] == [event.name for event in run.events]
    theory = [0.9, 1.1, 2.0 - 1e-4, 2.0 + 1e-4, 2 * np.pi / 3, 3.0]
    assert np.abs(np.array([t for _, t in found["happened"]]) - sorted(theory)).max() < 1e-9
    assert found["t"] == pytest.approx(3.0, abs=1e-12)


def test_a_short_pulse_is_not_missed():
    """A push of 5 N for 10 ms after half a minute at rest: known ahead, if one says until when to look."""
    x = zm.coordinate("x")
    push = 5 * np.exp(-(((zm.t - 30.0) / 0.01) ** 2))
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: push})
    start = system.start({x: 0.0})
    here = HostMotion(Alone(zm.compile(system, start), start, until=40.0), unfused())
    here.run([], 40.0, 1e-10, 1e-13)
    width = 0.01  # ∫ push·sin(40 − τ) dτ, exactly
    exact = 5 * width * np.sqrt(np.pi) * np.exp(-(width**2) / 4) * np.sin(10.0)
    assert here.array("y")[0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(("values", "ending"), [([0.9], "FINISHED"), ([1.2], "NO_START")])
def test_a_start_is_solved_for_or_refused(values, ending):
    x, y, place = *zm.coordinates("x y"), zm.parameter("place", 0.5)
    rod = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=y, constraints={"rod": x**2 + y**2 - 1})
    start = rod.start({x: place, zm.rate(x): 0.0}, guess={y: -1.0})
    here = HostMotion(Alone(zm.compile(rod, start), start), unfused())
    status = here.run(values, 1.0, 1e-10, 1e-13)
    assert {0: "FINISHED", 21: "NO_START"}[status] == ending
    if ending == "FINISHED":
        assert np.abs(here.array("first")[:2] - [0.9, -np.sqrt(1 - 0.81)]).max() < 1e-15


def test_a_singular_position_ends_the_motion():
    """Crank and rod of one length: where both are upright several motions go on, which Python looks after."""
    a, b = zm.coordinates("a b")
    crank = zm.System(kinetic=(zm.rate(a) ** 2 + 2 * zm.rate(b) ** 2) / 2, constraints={"guide": np.sin(a) - np.sin(b)})
    start = crank.start({a: 1.0, zm.rate(a): 1.0}, guess={b: 1.0})
    here = HostMotion(Alone(zm.compile(crank, start), start), unfused())
    assert here.run([], 3.0, 1e-10, 1e-13) in (Status.FADING, Status.PIVOTS)
    assert here.t <= np.pi / 2 - 1.0  # what lies behind it is not shown
    assert zm.simulate(crank, start, until=3.0).passages


def test_dependent_rows_are_no_hindrance():
    """Terms that cancel in a row that was left out are no sign that it does not follow from the others."""
    a, b = zm.coordinates("a b")
    rows = {"closed": np.cos(a) + np.cos(b), "sides": np.sin(a) - np.sin(b)}
    chain = zm.System(kinetic=(zm.rate(a) ** 2 + zm.rate(b) ** 2) / 2, constraints=rows)
    start = chain.start({a: 1.0, zm.rate(a): 1.0}, guess={b: np.pi - 1.0})
    here = HostMotion(Alone(zm.compile(chain, start), start), unfused())
    assert here.run([], 1.0, 1e-10, 1e-13) == Status.FINISHED
    assert np.abs(here.array("y")[:2] - [2.0, np.pi - 2.0]).max() < 1e-9


def test_code_that_is_not_complete_is_refused():
    from zeromass.codegen.linking import LinkingError
    from zeromass.codegen.wasm import module_of

    text = "declare double @hypot(double, double)\ndefine double @f(double %x) {\n"
    text += "  %y = call double @hypot(double %x, double 1.0)\n  ret double %y\n}\n"
    with pytest.raises(LinkingError, match="hypot, which nothing here defines"):
        module_of([text], inlined=[], functions=["f"], data=[])
    with pytest.raises(LinkingError, match="there is no g in the object"):
        module_of(["define void @f() {\n  ret void\n}\n"], inlined=[], functions=["g"], data=[])
