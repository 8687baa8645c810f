"""Large motions as modules of WebAssembly: loops over tables outside Python, with starts found there, beside `simulate`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile import large
from integrate.node import MISSING, HostMotion, in_node, node, unfused
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.methods.dop853 import stepper
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.workspace import Workspace

needs_node = pytest.mark.skipif(node() is None, reason=MISSING)

wind, span, rise = zm.parameter("wind", 0.0), zm.parameter("span", 0.6), zm.parameter("rise", 0.0)


def net() -> tuple[zm.System, zm.State]:
    """A net between two hooks: how far they are apart changes its start, which leaves much of the positions open."""
    side, rod = 7, 0.15
    knots = {(i, j): zm.Particle(f"knot {i} {j}", 0.02) for i in range(side) for j in range(side)}
    rods, guess = {}, {}
    for (i, j), knot in knots.items():
        for beside in [place for place in ((i + 1, j), (i, j + 1)) if place in knots]:
            d = knots[beside].position - knot.position
            rods[f"rod {(i, j)} {beside}"] = (d @ d - rod**2) / (2 * rod)
        guess.update(zip(knot.position, [0.1 * (i - 3), -0.12 * j, 0.07 * (i % 2 + j % 2)], strict=True))
    hooks = {f"hook {k}": knots[6 * k, 0].position - [span * (k - 0.5), 0, 0] for k in range(2)}
    air = [zm.Force(0.08 * (np.array([0, wind, 0]) - knot.velocity), at=knot.position) for knot in knots.values()]
    system = zm.System(list(knots.values()), gravity=9.81, constraints={**rods, **hooks}, forces=air)
    return system, system.start({zm.rate(knots[3, 6].position[2]): rise}, guess=guess)


def shaped(name: str) -> tuple[zm.System, zm.State]:
    """Those of the tests of large programs: joints of bodies, rows that repeat others, parts without mass."""
    make, count = {"four bars": (large.four_bars, 10), "hinges": (large.hinges, 20), "balls": (large.balls, 10)}[name]
    parts, constraints, more, guess = make(count)
    system = zm.System(parts, constraints=constraints, **more)
    return system, system.start(guess=guess)


@pytest.fixture(scope="module")
def hanging() -> HostMotion:
    """The net as code of this machine without fused operations; forces of two rods and a slope among its outputs.

    Watched are the height of a corner, and the force of a rod.
    """
    system, start = net()
    forces = [*system.multipliers[:2], system.accelerations[5]]
    watched = (
        zm.Event("low", system.coordinates[20] + 0.2, terminal=False),
        zm.Event("taut", system.multipliers[1], terminal=False),
    )
    return HostMotion(Alone(zm.compile(system, start), start, watched, (*system.coordinates, *forces)), unfused())


VALUES: list[dict[Any, float]] = [{wind: 0.0, span: 0.6, rise: 0.0}, {wind: 3.0, span: 0.45, rise: 0.7}]


@needs_node
def test_bits_are_those_of_this_machine_without_fused_operations(hanging, tmp_path):
    """Start, steps and samples in Node, to the last bit, and those of Python within 1e-9."""
    code, times = hanging.alone, np.linspace(0.0, 0.3, 31)
    module = zm.export.wasm(code.program, code.start, outputs={"all": np.array(code.outputs)}, events=code.events)
    settings: dict[str, Any] = {"until": 0.3, "rtol": 1e-10, "atol": 1e-12}
    tasks = [
        {"values": {p.name: x for p, x in values.items()}, **settings, "times": times.tolist()} for values in VALUES
    ]
    found, about = in_node(module, tasks, tmp_path)
    assert about["solved"]
    for values, there in zip(VALUES, found, strict=True):
        hanging.run([values[p] for p in code.parameters], 0.3, 1e-10, 1e-12)
        assert np.array_equal(hanging.array("first")[: len(there["start"])], there["start"])
        assert np.array_equal(hanging.record.ravel(), there["record"])
        assert len(hanging.record) > 10
        assert np.array_equal(hanging.sample(times).ravel(), there["samples"])
        start = code.start.again(values)
        assert np.abs(there["start"] - np.concatenate([start.q, start.v])).max() <= 1e-12
        made = zm.simulate(start.system, start, method="dop853", events=code.events, **settings)
        assert [name for name, _ in there["happened"]] == [event.name for event in made.events]
        assert np.abs(np.subtract([t for _, t in there["happened"]], [e.t for e in made.events])).max() <= 1e-9
        run = made.at(times)
        expected = np.column_stack([run[np.array(list(code.outputs[:147]))], run[np.array(code.outputs[147:])]])
        off = there["samples"].reshape(expected.shape) - expected
        assert np.abs(off).max() <= 1e-9 * max(1.0, float(np.abs(expected).max()))


def test_a_start_that_does_not_exist_is_refused(hanging):
    """Hooks farther apart than the rods between them reach."""
    assert (
        hanging.run([{wind: 0.0, span: 0.95, rise: 0.0}[p] for p in hanging.alone.parameters], 0.1, 1e-9, 1e-12) == 21
    )
    assert hanging.run([{wind: 0.0, span: 0.85, rise: 0.0}[p] for p in hanging.alone.parameters], 0.1, 1e-9, 1e-12) == 0


@pytest.mark.parametrize("name", few(["balls", "four bars", "hinges"], 0))
def test_motions_are_those_of_python(name):
    system, start = shaped(name)
    program = zm.compile(system, start)
    assert program.code == "rolled"
    here = HostMotion(Alone(program, start), unfused())
    assert here.run([], 0.3, 1e-10, 1e-12) == 0
    assert np.abs(here.array("first")[: 2 * len(start.q)] - np.concatenate([start.q, start.v])).max() <= 1e-12
    run = zm.simulate(program, start, until=0.3, rtol=1e-10, atol=1e-12, method="dop853")
    assert np.abs(here.array("y")[: 2 * len(start.q)] - run.y[-1]).max() <= 1e-9


@pytest.mark.slow
def test_steps_are_those_of_the_method(hanging, monkeypatch):
    """A workspace of `simulate`, without fused operations and with the same first step, records the same bits."""
    for name in ("compile.native", "compile.rolled.structure", "compile.rolled.native", "codegen.target"):
        monkeypatch.setattr(sys.modules[f"zeromass.{name}"], "host", unfused)
    monkeypatch.setattr(stepper, "host", unfused)
    code, start = hanging.alone, hanging.alone.start
    hanging.array("parameters")[: len(code.values)] = code.values
    hanging.call("begin", 0.3, 1e-9, 1e-12, float("inf"))
    first = hanging.array("reals")[Real64.h].copy()
    y = hanging.array("first")[: 2 * len(start.q)].copy()
    hanging.run(code.values, 0.3, 1e-9, 1e-12)
    native = type(code.program.native)(code.program, code.program.structure)
    values = np.array([start.parameters[p] for p in code.program.system.parameters])
    work = Workspace(native, start.t, y, values, Tolerances(1e-9, 1e-12), first)
    work.growth_limit, work.correction_limit = code.limits.growth, code.limits.correction
    work.use(native, project=True)
    stepper.Dop853(work).advance(0.3, 100_000)
    assert len(work.rows) == len(hanging.record) > 10
    assert np.array_equal(work.rows, hanging.record)


@pytest.mark.slow
def test_forces_that_constraints_share_are_refused_and_others_told():
    """Pins of a plane mechanism: forces across the plane are shared, and no formula tells how; those in it are not."""
    system, start = shaped("four bars")
    program, place = zm.compile(system, start), {row.name: k for k, row in enumerate(system.rows)}
    along, across = (system.multipliers[place[f"ground 0 place[{k}]"]] for k in (0, 2))
    with pytest.raises(zm.errors.ModelError, match="shared by constraints that repeat one another"):
        zm.export.wasm(program, start, outputs={"force": across})
    here, times = HostMotion(Alone(program, start, (), (along,)), unfused()), np.linspace(0.0, 0.3, 7)
    assert here.run([], 0.3, 1e-10, 1e-12) == 0
    run = zm.simulate(program, start, until=0.3, rtol=1e-10, atol=1e-12, method="dop853")
    force = run.at(times)[along]
    assert np.abs(here.sample(times).ravel() - force).max() <= 1e-9 * np.abs(force).max()
