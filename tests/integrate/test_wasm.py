"""Motions as modules of WebAssembly: bits, events, starts and outcomes, beside `simulate`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, HostMotion, in_node, node, unfused
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.methods.dop853 import stepper
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.workspace import Workspace

needs_node = pytest.mark.skipif(node() is None, reason=MISSING)


def shell() -> tuple[zm.Rolling, zm.State]:
    vx, vy = zm.parameter("vx", 1.5), zm.parameter("vy", 1.0)
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    body = zm.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
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
    ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0))
    return ball, ball.start(contact=(0.1, 0.0), velocity=(speed, 0.0), guess=1.0)


SYSTEMS = {"shell": shell, "four-bar": four_bar, "hill": thrown}


def alone(make: Any) -> Alone:
    system, start = make()
    program = zm.compile(system, start)
    return Alone(program, start, tuple(system.events), tuple(system.coordinates))


@needs_node
@pytest.mark.parametrize("name", SYSTEMS)
def test_bits_are_those_of_this_machine_without_fused_operations(name, tmp_path):
    """Start, steps, events and samples: the same texts for two targets give the same numbers, to the last bit."""
    code = alone(SYSTEMS[name])
    here = HostMotion(code, unfused())
    module = zm.wasm(code.program, code.start)
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


@pytest.mark.parametrize("name", SYSTEMS)
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
