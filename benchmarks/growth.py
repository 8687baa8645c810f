"""Cost against size: chains of rigid bodies in redundant coordinates, joined end to end by ball joints.

    PYTHONPATH=src python benchmarks/growth.py [--bodies 1 2 5 10] [--json FILE]
    PYTHONPATH=src python benchmarks/growth.py --first chain 100 1000 10000 [--first "mixed chain" 10 100 1000]
                                               [--peer PYTHON] [--before SRC]

The second form measures first results: a process of its own, from its imports to the first steps, for each size of a shape
of `shapes.py`. Its last line has exponents of times, and those of the arithmetic itself: operations of an evaluation, and
products in the elimination alone. Pinocchio is a peer for chains, trees and robots where this Python has it, or the one of
--peer: its ABA in reduced coordinates, one state. With --before the sources of an earlier zeromass are measured in turn.

n bodies have 7n coordinates and 4n constraint rows. Times are CPU seconds, the shortest of a few for the small
chains. The exponents are slopes of log(cost) over log(bodies): over all sizes, and between the last two.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import shapes
from peers.engine import least_per_call
from peers.zeromass_engine import REPEAT

import zeromass as zm
from zeromass.codegen.target import BEST, Code, host
from zeromass.compile import module
from zeromass.compile.native import Native
from zeromass.compile.program import program_at

LENGTH, RADIUS, MASS = 1.0, 0.05, 1.0
ENOUGH = 1.0
"""Seconds of repetitions after which the shortest time counts."""

MOST_OF_PEER = 400
"""Bodies up to which the peer is asked."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Measured:
    """One chain.

    derive      s, from bodies and joints to M, Q, A, b
    start       s, a consistent start
    compile     s, elimination, projections and machine code
    evaluation  s, one right-hand side, of as many in lanes as the machine has
    difference  of the compiled accelerations from those of the pseudo-inverse, relative to the largest
    """

    bodies: int
    coordinates: int
    rows: int
    operations: int
    derive: float
    start: float
    compile: float
    evaluation: float
    difference: float


def chain(bodies: list[zm.RigidBody]) -> zm.System:
    """Rods, each one's end joined to the next one's other end, the first to the ground."""
    joints: dict[str, Any] = {}
    end: Any = np.zeros(3)
    for body in bodies:
        joints[f"joint of {body.name}"] = body.point([-LENGTH / 2, 0, 0]) - end
        end = body.point([LENGTH / 2, 0, 0])
    return zm.System(bodies, gravity=9.81, constraints=joints)


def rods(count: int) -> list[zm.RigidBody]:
    along, across = MASS * RADIUS**2 / 2, MASS * (3 * RADIUS**2 + LENGTH**2) / 12
    return [zm.RigidBody(f"rod {k}", mass=MASS, inertia=[along, across, across]) for k in range(count)]


def wound(system: zm.System, bodies: list[zm.RigidBody]) -> zm.State:
    """A state in which every rod points and turns elsewhere, the same every time."""
    random = np.random.default_rng(0)
    guess: list[tuple[Any, Any]] = []
    end = np.zeros(3)
    for body in bodies:
        u = np.array([1.0, 0.0, 0.0, 0.0]) + 0.4 * random.normal(size=4)
        u /= np.linalg.norm(u)
        half = zm.expression.evaluate(body.rotate([LENGTH / 2, 0, 0]), dict(zip(body.quaternion, u, strict=True)))
        guess += [(body.quaternion, u), (body.position, end + half)]
        guess.append((zm.rate(body.quaternion), 0.5 * random.normal(size=4)))
        end = end + 2 * half
    return system.start(guess=guess)


def timed(action: Callable[[], Made]) -> tuple[Made, float]:
    """What an action makes, and its shortest time."""
    spent, best = 0.0, np.inf
    while True:
        begin = time.process_time()
        made = action()
        took = time.process_time() - begin
        best, spent = min(best, took), spent + took
        if spent + took > ENOUGH:
            return made, best


def measured(count: int) -> Measured:
    bodies = rods(count)
    system, derive = timed(lambda: chain(bodies))
    state, start = timed(lambda: wound(system, bodies))

    def compile_anew() -> Native:
        state.memory.clear()
        module.compiled.cache_clear()  # equal formulas would find their machine code there
        system.memory.clear()
        native = program_at(system, state).native
        native.rhs(lanes)
        assert native.corrections  # as a run uses both
        return native

    lanes = host().width
    compiled, compile_ = timed(compile_anew)
    n = len(state.q)
    out = np.empty((n, lanes))
    batch = evaluated(compiled, state, max(100, 5_000 // count), repeats=9, out=out)
    exact = out[:, :1] if system.large else state.motion.acceleration[:, None]
    difference = np.abs(out - exact).max() / np.abs(exact).max()
    shape = len(system.coordinates), len(system.rows)
    return Measured(
        count, *shape, compiled.program.operations, derive, start, compile_, batch / lanes, float(difference)
    )


def evaluated(native: Native, state: zm.State, count: int, repeats: int, out: np.ndarray | None = None) -> float:
    """CPU s of a right-hand side of as many states as the machine has lanes, called from machine code."""
    lanes, n, y = host().width, len(state.q), np.concatenate([state.q, state.v])
    out = np.empty((n, lanes)) if out is None else out
    growth, pivots = np.empty(lanes), np.empty((native.pivots + 1, lanes))
    inputs = np.zeros(lanes), np.repeat(y, lanes), np.zeros(lanes)
    arrays = [a.ctypes.data for a in (*inputs, out, growth, pivots)]
    repeat = Code(REPEAT, host(), effort=BEST).function(
        "repeat", None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 6
    )
    address = native.rhs(lanes).address("rhs")
    return least_per_call(lambda k: repeat(address, k, *arrays), count=count, repeats=repeats)


COSTS = ("operations", "derive", "start", "compile", "evaluation")


def exponents(chains: list[Measured]) -> dict[str, dict[str, float]]:
    """Slopes of the costs, log over log, over all sizes and between the last two."""
    sizes = np.log([c.bodies for c in chains])
    result = {}
    for cost in COSTS:
        values = np.log([getattr(c, cost) for c in chains])
        last = (values[-1] - values[-2]) / (sizes[-1] - sizes[-2])
        result[cost] = {"all": float(np.polyfit(sizes, values, 1)[0]), "last two": float(last)}
    return result


def table(chains: list[Measured]) -> str:
    head = ("bodies", "coordinates", "rows", "operations", "derive", "start", "compile", "evaluation", "difference")
    lines = [head, ("", "", "", "", "s", "s", "s", "µs", "")]
    lines += [
        (
            str(c.bodies),
            str(c.coordinates),
            str(c.rows),
            f"{c.operations:,}",
            f"{c.derive:.3f}",
            f"{c.start:.3f}",
            f"{c.compile:.2f}",
            f"{c.evaluation * 1e6:.3f}",
            f"{c.difference:.0e}",
        )
        for c in chains
    ]
    if len(chains) > 1:
        fitted = exponents(chains)
        for which in ("all", "last two"):
            values = [f"{fitted[cost][which]:.2f}" for cost in COSTS]
            lines.append(("exponent", which, "", *values, ""))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(x.rjust(w) for x, w in zip(line, widths, strict=True)) for line in lines)


def first_result(shape: str, count: int, begin: float) -> dict[str, float]:
    """In this process, which has just begun: CPU s until the first steps are made, s of an evaluation, GB."""
    marks = {"import": time.process_time() - begin}

    def mark(name: str) -> None:
        marks[name] = time.process_time() - begin - sum(marks.values())

    system, guess = shapes.SHAPES[shape](count)
    mark("build")
    state = system.start(guess=guess)
    mark("start")
    run = zm.simulate(system, state, until=1e-3)
    mark("first steps")
    program, lanes, n = run.program, host().width, len(state.q)
    evaluation = evaluated(program.native, state, max(1, 40_000 // n), repeats=75)  # short: others work here too
    tables = getattr(program, "structure", None)
    return {
        **marks,
        "first result": sum(marks.values()),
        "evaluation": evaluation / lanes,
        "operations": program.operations,
        "products": tables.tables.products if tables is not None else 0,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "coordinates": n,
        "complete": float(run.outcome.complete),
    }


def first_results(asked: list[list[str]], peer: str | None, before: str | None) -> list[dict[str, Any]]:
    """Each in two processes of their own: one that finds no machine code of an earlier one, and one that does.

    Python's own compiled files are there in both, as they are for every user after the first import.
    """
    found = []
    for shape, *sizes in asked:
        for size in map(int, sizes):
            best = _twice(shape, size) | {"shape": shape, "size": size}
            print(_line(shape, size, best) + _aba(best, shape, size, peer), flush=True)
            found.append(best)
            if before:
                old = _twice(shape, size, before)
                print(_line("  before", size, old), flush=True)
                best |= {f"before, {name}": old[name] for name in ("first result", "again", "evaluation")}
        mine = [x for x in found if x["shape"] == shape]
        if len(mine) > 1:
            sizes_ = np.log([x["size"] for x in mine])
            slopes = {
                cost: np.polyfit(sizes_, np.log([x[cost] for x in mine]), 1)[0]
                for cost in ("first result", "evaluation", "operations", "products")
                if all(x[cost] for x in mine)
            }
            print(f"{shape:12} exponents: " + ", ".join(f"{cost} {slope:.2f}" for cost, slope in slopes.items()))
    return found


def _twice(shape: str, size: int, sources: str | None = None) -> dict[str, Any]:
    """First results without kept machine code and with it, of these sources or of others."""
    one = [sys.executable, __file__, "--one", shape, str(size)]
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        kept |= {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "zeromass-growth")}
        kept |= {"ZEROMASS_CACHE": str(Path(folder) / "code")} | ({"PYTHONPATH": sources} if sources else {})
        alone = {**kept, "ZEROMASS_CACHE": str(Path(folder) / "other")}
        subprocess.run([*one[:-1], "5" if shape != "net" else "9"], env=alone, capture_output=True, check=True)
        cold, warm = (
            json.loads(subprocess.run(one, env=kept, capture_output=True, text=True, check=True).stdout) for _ in "12"
        )
    return cold | {"again": warm["first result"], "evaluation": min(cold["evaluation"], warm["evaluation"])}


def _line(shape: str, size: int, best: dict[str, Any]) -> str:
    return (
        f"{shape:12} {size:6} first result {best['first result']:6.2f} s, with kept code {best['again']:.2f} "
        f"(import {best['import']:.2f}, build {best['build']:.2f}, start {best['start']:.2f}, first steps "
        f"{best['first steps']:.2f}), evaluation {best['evaluation'] * 1e6:9.2f} µs, {best['memory']:.2f} GB"
        + ("" if best["complete"] else ", did not finish")
    )


def _aba(best: dict[str, Any], shape: str, size: int, peer: str | None) -> str:
    """The time of Pinocchio's ABA, in words; it keeps matrices with all their entries, and is not asked for the largest."""
    told = shapes.peer(shape, size) if peer and size <= MOST_OF_PEER else None
    if told is None:
        return ""
    script = Path(__file__).resolve().parent / "peers" / "pinocchio_aba.py"
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(told if isinstance(told, str) else "")
        file.flush()
        words, text = ([file.name], None) if isinstance(told, str) else ([], json.dumps(told))
        made = subprocess.run([peer, str(script), *words], input=text, capture_output=True, text=True, check=False)
    if made.returncode:
        return f", ABA: {made.stderr.strip().splitlines()[-1][:60]}"
    best["aba"] = float(made.stdout)
    return f", ABA {best['aba'] * 1e6:.1f} µs"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[1, 2, 5, 10])
    parser.add_argument("--first", nargs="+", action="append", metavar="SHAPE", help="first results: shape and sizes")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has Pinocchio, if not this one")
    parser.add_argument("--before", metavar="SRC", help="sources of an earlier zeromass, for comparison")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(first_result(asked.one[0], int(asked.one[1]), 0.0)))
        return
    if asked.first:
        peer = asked.peer or (sys.executable if find_spec("pinocchio") else None)
        found = first_results(asked.first, peer, asked.before)
        if asked.json:
            asked.json.write_text(json.dumps(found, indent=1) + "\n")
        return
    program_at(*_small())  # what is made once for a process counts for none of the chains
    chains = []
    for count in sorted(asked.bodies):
        print(f"{count} bodies", file=sys.stderr)
        chains.append(measured(count))
    print(f"load {os.getloadavg()[0]:.1f}\n\n{table(chains)}")
    if asked.json:
        result: dict[str, Any] = {"chains": [asdict(c) for c in chains]}
        if len(chains) > 1:
            result["exponents"] = exponents(chains)
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


def _small() -> tuple[zm.System, zm.State]:
    bodies = rods(1)
    system = chain(bodies)
    return system, wound(system, bodies)


if __name__ == "__main__":
    main()
