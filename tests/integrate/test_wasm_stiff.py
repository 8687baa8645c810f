"""Stiff motions as modules of WebAssembly, with Radau's methods: exact solutions, `simulate`, events, and bits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, HostMotion, in_node, node, unfused
from zeromass.integrate.alone.module import Alone
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
    module = zm.wasm(program, start, method="radau", events=events, outputs={"all": [x, y, x**2 + y**2 - 1.0]})
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


def test_what_there_is_no_method_for_is_said():
    system, start = pendulum()
    with pytest.raises(zm.ModelError, match="does not step with method='collocation'; it does with: dop853, radau"):
        zm.wasm(zm.compile(system, start), start, method="collocation")  # type: ignore[arg-type]
