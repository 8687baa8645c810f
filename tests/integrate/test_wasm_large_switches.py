"""Large motions over switches outside Python: one module for all pieces and all that holds, in Node, beside `simulate`."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.node import MISSING, node, over_switches, said
from integrate.test_large_switches import COUNT, hinged, on_rails, rubbed
from integrate.test_wasm_switches import TIGHT
from zeromass.codegen.wasm import module_of, wasm32
from zeromass.integrate import Settings
from zeromass.integrate.alone.pieced import Pieced
from zeromass.model import system as model_system

needs_node = pytest.mark.skipif(node() is None, reason=MISSING)

level, T = zm.parameter("level", 1.0), zm.parameter("T", 0.06)


@pytest.fixture
def rolled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Systems of parts are large however few these are."""
    monkeypatch.setattr(model_system, "LARGE", 1)
    return


def pieced(start: zm.State, until: float, shown: Sequence[Any] = (), **tight: Any) -> Pieced:
    system = start.system
    outputs = (*system.coordinates, *system.rates, *shown)
    told = Settings(**{**TIGHT, **tight}, method="dop853")
    return Pieced(start, tuple(system.events), outputs, until, told, (level, T))


def alike(
    start: zm.State,
    until: float,
    tries: list[dict[str, float]],
    folder: Path,
    shown: Sequence[Any] = (),
    **tight: Any,
) -> tuple[list[zm.Run], list[np.ndarray]]:
    """Runs of Python, and what is shown in Node; switches within 1e-11 s and states within 1e-9 of one another."""
    times = np.linspace(0.0, until, 41)
    settings = {**TIGHT, **tight}
    tolerances = {name: settings[name] for name in TIGHT}
    tasks = [{"values": x, "until": until, **tolerances, "times": times.tolist()} for x in tries]
    motion = pieced(start, until, shown, **tight)
    found = over_switches(motion, tasks, folder)
    runs, told = [], []
    for values, there in zip(tries, found, strict=True):
        run = zm.simulate(start.system, start.again(values), until=until, method="dop853", **settings)
        assert run.program.code == "rolled"
        assert there["ending"] == run.outcome.ending.name == "FINISHED"
        expected = [(said(run, s), s.direction) for s in run.switches]
        assert [(said, way) for _, said, way in there["switches"]] == expected
        off = np.array([t for t, _, _ in there["switches"]]) - [s.t for s in run.switches]
        assert np.abs(off).max(initial=0.0) <= 1e-11
        samples = there["samples"].reshape(len(times), -1)
        assert np.abs(samples[:, : run.y.shape[1]] - run.at(times).y).max() <= 1e-9
        assert np.abs(there["end"] - run.y[-1]).max() <= 1e-9
        runs.append(run)
        told.append(samples[:, run.y.shape[1] :])
    return runs, told


@pytest.mark.slow
@needs_node
def test_stops_and_releases_are_those_of_python(tmp_path):
    """Masses on springs before stops, pushed until a time that a slider changes; one module, whatever side they are on."""
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(COUNT)]
    forces: list[Any] = []
    for k, p in enumerate(masses):
        d = p.position[0] - 2.0 * k
        stop = zm.where(d > 0.03, -400 * (d - 0.03), 0.0)
        forces.append(zm.Force([stop + zm.where(zm.t < T, 0.5, 0.0), 0, 0], at=p.position))
    forces += [zm.Spring(5.0, a.position, b.position, length=2.0) for a, b in itertools.pairwise(masses)]
    system = zm.System(masses, constraints=on_rails(masses), forces=forces)
    rates = {p.velocity[0]: np.cos(2 * k) for k, p in enumerate(masses)}
    start = system.start({p.position[0]: 2.0 * k for k, p in enumerate(masses)} | rates)
    tries = [{}, {"T": 0.035}]
    runs, _ = alike(start, 0.08, tries, tmp_path)
    for run, end in zip(runs, (0.06, 0.035), strict=True):
        assert len(run.switches) > 15
        assert end in [switch.t for switch in run.switches]


@needs_node
def test_friction_stops_masses_and_holds_up_to_its_bound(rolled, tmp_path):
    """With a pull of 2 t against friction F a mass stops where v + t² = F t, and moves again from t = F/2 on.

    Those at rest are held from the start; while one is, friction gives what is pulled.
    """
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(6)]
    bounds, v = 0.5 + 0.04 * np.arange(6), 0.01
    friction = [rubbed(p, level * float(F), 2 * zm.t) for F, p in zip(bounds, masses, strict=True)]
    system = zm.System(masses, constraints=on_rails(masses), forces=friction)
    start, values = system.start({p.velocity[0]: v for p in masses[::2]}), (1.0, 0.5, 3.0)
    runs, told = alike(start, 0.6, [{"level": x} for x in values], tmp_path, [F.force[0] for F in friction])
    times = np.linspace(0.0, 0.6, 41)[:, None]
    for x, run, acting in zip(values, runs, told, strict=True):
        F = bounds * x
        stops = (F - np.sqrt(F**2 - 4 * v))[::2] / 2
        expected = np.sort(np.concatenate([stops, F[F / 2 < 0.6] / 2]))
        np.testing.assert_allclose([s.t for s in run.switches], expected, rtol=1e-12)
        assert sum(s.direction == 0 for s in run.switches) == len(stops)
        since = np.zeros(6)
        since[::2] = stops
        still = np.where(times < since, 2 * times - F, np.maximum(2 * times - F, 0.0))
        np.testing.assert_allclose(acting, still, atol=1e-12)


@pytest.mark.slow
@needs_node
def test_many_hinges_hold_and_let_go_as_in_python(tmp_path):
    """Twenty hinges from rates that all differ: hundreds of switches, half of which hold."""
    system, hinges, friction = hinged(20, 20.0 * level)
    start = system.start({hinge.rate: 2.0 * np.cos(3.0 * k) for k, hinge in enumerate(hinges)})
    runs, told = alike(start, 0.02, [{}], tmp_path, [f.torque for f in friction])
    assert np.abs(told[0]).max() <= 20.0 * (1 + 1e-12)
    assert sum(s.direction == 0 for s in runs[0].switches) > 50


@pytest.mark.slow
@needs_node
def test_free_masses_and_constraints_that_repeat_others(rolled, tmp_path):
    """Friction is all that holds anything; and a row that follows from others beside friction."""
    for more in ({}, {"again": 1}):
        masses = [zm.Particle(f"m{k}", 1.0 + 0.1 * k) for k in range(4)]
        rows = on_rails(masses) | {"again": masses[0].position[1] + masses[1].position[1]} if more else {}
        forces = [rubbed(p, level, np.sin(4 * zm.t + k)) for k, p in enumerate(masses)]
        system = zm.System(masses, constraints=rows, forces=forces)
        start = system.start({p.velocity[0]: np.cos(k) for k, p in enumerate(masses)})
        runs, _ = alike(start, 2.0, [{"level": 0.9}, {"level": 0.5}], tmp_path)
        assert 0 in [s.direction for s in runs[0].switches]


@pytest.mark.slow
@needs_node
def test_rows_that_hold_the_same_motion_hold_it(rolled, tmp_path):
    """Friction on both of two masses that one bar moves alike: which of them holds is open, but not the motion.

    Pulled by 0.3 + t each against 1 each they rest until t = 0.7, and then v = (t − 0.7)²/2.
    """
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(2)]
    bar = {"bar": masses[0].position[0] - masses[1].position[0] - 1.0}
    forces = [rubbed(p, level, 0.3 + zm.t) for p in masses]
    system = zm.System(masses, constraints=on_rails(masses) | bar, forces=forces)
    motion = pieced(system.start({masses[0].position[0]: 1.0}), 1.5)
    (found,) = over_switches(motion, [{"values": {}, "until": 1.5, **TIGHT}], tmp_path)
    assert found["ending"] == "FINISHED"
    v = found["end"].reshape(2, 2, 3)[1, :, 0]
    np.testing.assert_allclose(v, 0.8**2 / 2, rtol=1e-9)


@needs_node
def test_a_switch_that_depends_on_one_that_may_hold_switches_with_it(rolled, tmp_path):
    """A spring behind a gap that is narrower while the mass moves on; its switch has the mode of friction in it."""
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(2)]
    forces = []
    for p in masses:
        x, sign = p.position[0], np.sign(p.velocity[0])
        forces.append(zm.Force([zm.where(x + 0.1 * sign > 0.2, -5.0 * x, 0.0) - level * sign, 0, 0], at=p.position))
    system = zm.System(masses, constraints=on_rails(masses), forces=forces)
    start = system.start({p.velocity[0]: v for p, v in zip(masses, (1.1, 0.4), strict=True)})
    runs, _ = alike(start, 0.9, [{}, {"level": 0.3}], tmp_path)
    assert all(len(run.switches) >= 3 for run in runs)


CALLS = """
const fs = require("fs");
const [code, { state, n, p, switches, events }] = [2, 3].map((k) => fs.readFileSync(process.argv[k]))
  .map((file, k) => (k ? JSON.parse(file) : new WebAssembly.Instance(new WebAssembly.Module(file), {}).exports));
let end = code.free.value;
const room = (count) => {
  const place = end;
  end += 8 * count;
  if (end > code.memory.buffer.byteLength) code.memory.grow(16);
  return [place, () => Array.from(new Float64Array(code.memory.buffer, place, count))];
};
const [given] = room(state.length);
new Float64Array(code.memory.buffer, given, state.length).set(state);
const where = [given, given + 8, given + 8 * (1 + n)];
const [[g, gs], [sizes, all], [betas, bs], [c, cs]] = [0, 1, 2, 3].map(() => room(switches));
const [[values, watched], [row, slopes]] = [room(events), room(1 + n)];
code.judge_switches(...where, g, sizes, 0);
code.acting_switches(...where, betas, c);
code.event(...where, values);
const found = { g: gs(), sizes: all(), beta: bs(), c: cs(), event: watched(), slopes: {} };
for (let k = 0; k < switches; k++) for (const order of [1, 2, 3]) {
  code.derivative(...where, BigInt(k), BigInt(order), row);
  found.slopes[`${k} ${order}`] = slopes();
}
console.log(JSON.stringify(found));
"""


@needs_node
def test_the_functions_of_switches_are_those_of_python(rolled, tmp_path):
    """At a random state, some of it held: switching functions, their rounding and slopes, β and c, what is watched."""
    system, hinges, _ = hinged(3, 20.0 * level)
    ball = zm.Particle("ball", 0.5)
    x, y, z = ball.position
    stop = zm.where(x**2 + y * z > 0.3 + 0.1 * np.sign(zm.rate(x)), -5.0 * (x - 0.3), 0.0)
    forces = [*[hinge.friction((1 + k) * level) for k, hinge in enumerate(hinges)]]
    forces += [zm.Force([stop - level * np.sign(zm.rate(x)) + np.sign(np.sin(zm.t)), 0, 0], at=ball.position)]
    system = zm.System([*system.parts, ball], joints=hinges, gravity=(0, -9.81, 0), forces=forces)
    start = system.start({hinge.rate: 0.1 * k for k, hinge in enumerate(hinges)})
    ((alone, _),) = pieced(start, 1.0).modules()
    assert alone.switching is not None
    driver = alone.switching.driver
    names = ("judge_switches", "acting_switches", "event", "derivative")
    parts, _ = alone.texts(wasm32())
    code = module_of(parts, inlined=(), functions=names, data=(), objects=alone.switching.objects())
    rng, (n, switches, events) = np.random.default_rng(3), (driver.order, len(driver.w.kind), len(driver.events))
    state = np.concatenate([[0.7], rng.normal(size=n), driver.work.values])
    held = list(driver.pieces.held.values())
    places = {p: 1 + n + k for k, p in enumerate(driver.program.system.parameters)}
    state[[places[one.flag] for one in held[::2]]] = 1.0
    (tmp_path / "code.wasm").write_bytes(code)
    sent = {"state": state.tolist(), "n": n, "switches": switches, "events": events}
    (tmp_path / "state.json").write_text(json.dumps(sent))
    (tmp_path / "calls.cjs").write_text(CALLS)
    words = [str(node()), *[str(tmp_path / name) for name in ("calls.cjs", "code.wasm", "state.json")]]
    there = json.loads(subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout)
    w, given = driver.w, (state[:1], state[1 : 1 + n], state[1 + n :])
    free = [k for k in range(switches) if k not in driver.pieces.of_time]
    near = {"rtol": 1e-12, "atol": 1e-12}
    for k in free:
        w.asked = k
        w.judge(*given, w.g, w.sizes, w.slopes)
        np.testing.assert_allclose([there["g"][k], there["sizes"][k]], [w.g[k], w.sizes[k]], **near)
        for order in (1, 2, 3):
            w.derivative(*given, k, order, w.row)
            np.testing.assert_allclose(there["slopes"][f"{k} {order}"], w.row, **near)
    assert any(np.any(there["slopes"][f"{k} 2"]) for k in free)
    w.acting(*given, w.betas, w.c)
    which = [k for k, s in enumerate(driver.pieces.switches) if s.mode in driver.pieces.held]
    for name, here in (("beta", w.betas), ("c", w.c)):
        np.testing.assert_allclose(np.array(there[name])[which], here[which], rtol=1e-9, atol=1e-9)
    w.guard(*given, w.guards)
    np.testing.assert_allclose(there["event"], w.guards, rtol=1e-9, atol=1e-9)


@needs_node
def test_switches_of_time_alone_and_events_of_accelerations(rolled, tmp_path):
    """Pushed one way and, from 5 T on, the other: where a mass passes a place, and when its acceleration jumps."""
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(3)]
    push = zm.where(zm.t < 5 * T, 1.0, -1.0) * level
    forces = [zm.Force([push, 0, 0], at=p.position) for p in masses]
    x, a = masses[0].position[0], zm.rate(zm.rate(masses[1].position[0]))
    events = (zm.Event("there", x - 0.02, terminal=False), zm.Event("push", a - 0.5, terminal=False))
    start = zm.System(masses, constraints=on_rails(masses), forces=forces).start()
    motion = replace(pieced(start, 1.0), events=events)
    (found,) = over_switches(motion, [{"values": {}, "until": 1.0, **TIGHT}], tmp_path)
    assert found["ending"] == "FINISHED"
    back = 0.3 + (0.3 + np.sqrt(0.3**2 + 2 * (0.045 - 0.02)))  # x = 0.045 + 0.3 s − s²/2
    assert [name for name, _ in found["happened"]] == ["there", "push", "there"]
    np.testing.assert_allclose([t for _, t in found["happened"]], [0.2, 0.3, back], rtol=1e-12)


@needs_node
def test_pivots_that_grow_do_not_end_a_motion(rolled, tmp_path):
    """Solutions of large systems are refined: the bound of small ones is no end, nor a reason to leave the driver."""
    system, hinges, _ = hinged(4, 20.0 * level)
    start = system.start({hinge.rate: 2.0 * np.cos(3.0 * k) for k, hinge in enumerate(hinges)})
    alike(start, 0.05, [{}], tmp_path, limits=zm.Limits(growth=1.0))


@needs_node
def test_energies_that_jump_are_seen(rolled, tmp_path):
    """A potential that is higher beyond a place: a motion without friction can not go there."""
    masses = [zm.Particle(f"m{k}", 1.0) for k in range(3)]
    step = sum(zm.where(p.position[0] > 0.3, 0.1 * level, 0.0) for p in masses)
    system = zm.System(masses, constraints=on_rails(masses), potential=step)
    start = system.start({p.velocity[0]: 1.0 + 0.1 * k for k, p in enumerate(masses)})
    with pytest.warns(zm.errors.RunStopped, match="the potential energy jumps by 0.1 J"):
        run = zm.simulate(system, start, until=1.0, method="dop853", **TIGHT)
    assert run.program.code == "rolled"
    (found,) = over_switches(pieced(start, 1.0), [{"values": {}, "until": 1.0, **TIGHT}], tmp_path)
    assert (
        (found["ending"], found["message"])
        == ("JUMP", run.outcome.message)
        == (run.outcome.ending.name, found["message"])
    )
    assert found["t"] == pytest.approx(run.outcome.t, abs=1e-13)
