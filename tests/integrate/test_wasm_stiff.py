"""Stiff motions as modules of WebAssembly, with Radau's methods: exact solutions, `simulate`, events, and bits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, HostMotion, in_node, node, over_switches, unfused
from zeromass.integrate import Settings
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.methods.radau import stepper
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.workspace import Workspace

needs_node = pytest.mark.skipif(node() is None, reason=MISSING)

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def pendulum() -> tuple[zm.System, zm.State]:
    """A particle on a rod without mass, which a stiff torsion spring with a damper turns against gravity."""
    x, y, θ = zm.coordinates("x y θ")
    stiffness, angle = zm.parameter("stiffness", 1e6), zm.parameter("angle", 0.3)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=9.81 * y,
        forces={θ: -stiffness * (θ - 0.5 * np.sin(zm.t)) - 1e4 * zm.rate(θ)},
        constraints={"across": x - np.sin(θ), "down": y + np.cos(θ)},
    )
    return system, system.start({θ: angle})


@needs_node
def test_a_stiff_pendulum_is_that_of_its_angle(tmp_path):
    """The constraint, the start solved for, and events inside of steps, beside the equation of the angle alone."""
    system, start = pendulum()
    x, y, _ = system.coordinates
    events = [zm.Event("upright", x, terminal=False), zm.Event("far", x - 0.4, direction=-1)]
    program, times = zm.compile(system, start), np.linspace(0.0, 3.0, 61)
    module = zm.export.wasm(program, start, method="radau", events=events, outputs={"all": [x, y, x**2 + y**2 - 1.0]})
    values = {"stiffness": 2e6, "angle": 0.2}
    task = {"values": values, "until": 6.0, "times": times.tolist(), **TIGHT}
    (there,), _ = in_node(module, [task], tmp_path)

    θ = zm.coordinate("θ")
    moment = -9.81 * np.sin(θ) - 2e6 * (θ - 0.5 * np.sin(zm.t)) - 1e4 * zm.rate(θ)
    alone = zm.System(kinetic=zm.rate(θ) ** 2 / 2, forces={θ: moment})
    gates = [zm.Event("upright", np.sin(θ), terminal=False), zm.Event("far", np.sin(θ) - 0.4, direction=-1)]
    run = zm.simulate(alone, alone.start({θ: 0.2}), until=6.0, method="radau", events=gates, **TIGHT)
    assert there["ending"] == "EVENT"
    assert there["event"]["name"] == "far"
    assert [name for name, _ in there["happened"]] == [event.name for event in run.events]
    assert np.abs([t for _, t in there["happened"]] - np.array([event.t for event in run.events])).max() <= 1e-9
    before = times[times <= there["t"]]
    X, Y, left = there["samples"].reshape(-1, 3).T
    angle = run.at(before)[θ]
    assert np.abs([X - np.sin(angle), Y + np.cos(angle)]).max() <= 1e-9
    assert np.abs(left).max() <= 1e-14


def test_a_linear_motion_is_exact(monkeypatch):
    """x″ = k (cos t − x) − c x′ from x = 1 at rest; and steps have the bits of `simulate`'s without fused operations."""
    monkeypatch.setattr(stepper, "host", unfused)
    monkeypatch.setattr(sys.modules["zeromass.compile.native"], "host", unfused)
    x, k, c = zm.coordinate("x"), 1e7, 1e7
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: k * (np.cos(zm.t) - x) - c * zm.rate(x)})
    start = system.start({x: 1.0})
    here = HostMotion(Alone(zm.compile(system, start), start, (), (x,), stiff=True), unfused(), effort=1)
    here.call("begin", 5.0, 1e-11, 1e-13, float("inf"))
    first = here.array("reals")[Real64.h].copy()
    here.run([], 5.0, 1e-11, 1e-13)
    assert here.t == 5.0
    times = np.linspace(0.0, 5.0, 31)
    assert np.abs(here.sample(times)[:, 0] - _linear(times, k, c)).max() <= 1e-9
    work = _stepped(here.alone, first, 5.0)
    assert np.array_equal(work.times, here.record[:, 0])
    assert np.array_equal(work.states, here.record[:, -2:])


def _linear(t: np.ndarray, k: float, c: float) -> np.ndarray:
    """The forced motion Re(A eⁱᵗ), A = k/(k − 1 + i c), and what decays at the rates r of r² + c r + k = 0."""
    A, slow = k / (k - 1 + 1j * c), -2 * k / (c + np.sqrt(c * c - 4 * k))
    rates = np.array([slow, k / slow])
    shares = np.linalg.solve([[1.0, 1.0], rates], [1 - A.real, A.imag])  # x = 1, x′ = 0: Re(iA) = −Im A
    return (A * np.exp(1j * t)).real + np.exp(np.multiply.outer(t, rates)) @ shares


def _stepped(code: Alone, first: float, until: float) -> Any:
    """A workspace of `simulate` with the same first step, after all of its steps."""
    start, native = code.start, type(code.program.native)(code.program)
    work = Workspace(native, start.t, np.concatenate([start.q, start.v]), np.empty(0), Tolerances(1e-11, 1e-13), first)
    work.growth_limit, work.correction_limit = code.limits.growth, code.limits.correction
    work.use(native, project=True)
    stepper.Radau(work).advance(until, 100_000)
    return work


def stop() -> tuple[zm.System, zm.State]:
    """A mass that is pushed against a stiff stop with a damper, which it also leaves."""
    x, stiffness = zm.coordinate("x"), zm.parameter("stiffness", 1e6)
    held = zm.where(x > 0.5, stiffness * (x - 0.5) + 1e4 * zm.rate(x), 0.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 3 * np.cos(zm.t) - held})
    return system, system.start({x: 0.0})


def rubbed() -> tuple[zm.System, zm.State]:
    """A mass on a spring with dry friction, which comes to rest, and one that follows it on a stiff spring with a damper."""
    x, y = zm.coordinates("x y")
    stiffness = zm.parameter("stiffness", 1e6)
    forces = {x: stiffness * (y - x) - 1e4 * zm.rate(x), y: -0.15 * np.sign(zm.rate(y))}
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=y**2 / 2, forces=forces)
    return system, system.start({x: 1.0, y: 1.0})


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("made", [stop, rubbed])
def test_switches_of_stiff_motions_are_those_of_simulate(made, tmp_path):
    system, start = made()
    (stiffness,), settings = system.parameters, Settings(method="radau", **TIGHT)
    motion = Pieced(start, (), tuple(system.coordinates), 12.0, settings, [stiffness])
    times, values = np.linspace(0.0, 12.0, 121), (1e6, 3e6)
    tasks = [{"values": {"stiffness": k}, "until": 12.0, "times": times.tolist(), **TIGHT} for k in values]
    for k, there in zip(values, over_switches(motion, tasks, tmp_path), strict=True):
        run = zm.simulate(system, start.again({stiffness: k}), until=12.0, method="radau", **TIGHT)
        assert there["ending"] == "FINISHED"
        assert len(run.segments) > 2
        known = np.stack([run.at(times)[x] for x in system.coordinates], axis=1)
        assert np.abs(there["samples"].reshape(known.shape) - known).max() <= 1e-9


@needs_node
@pytest.mark.slow
def test_pivots_change_on_the_way(tmp_path):
    """A ball that rolls all round a globe: its contact follows from other coordinates on each side of it."""
    v = zm.parameter("v", 2.0)
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), two_sided=True, gravity=1.0)
    start = ball.start(contact=(0.1, 0.0), velocity=(v, 0.0), guess=1.0)
    run = zm.simulate(ball, start.again({v: 2.2}), until=4.0, method="radau", **TIGHT)
    assert run.statistics.repivots > 0
    met = tuple(run.state(t) for t in np.linspace(0.0, 4.0, 9))
    motion = Pieced(start, tuple(ball.events), tuple(ball.coordinates), 4.0, run.settings, met=met)
    (there,) = over_switches(motion, [{"values": {"v": 2.2}, "until": 4.0, **TIGHT, "times": [1.0]}], tmp_path)
    assert there["ending"] == "FINISHED"
    assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9


def test_what_there_is_no_method_for_is_said():
    system, start = pendulum()
    with pytest.raises(
        zm.errors.ModelError, match="does not step with method='collocation'; it does with: dop853, radau"
    ):
        zm.export.wasm(zm.compile(system, start), start, method="collocation")  # type: ignore[arg-type]
