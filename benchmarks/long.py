"""What a long run is asked for, beside the run itself: states, events, extremes, work, tangents.

Extremes and work are given of a pendulum, a double pendulum, a chain of rods, a large one whose code is rolled, a run that
chooses new pivots, one with hundreds of switches, and the shell: all of them should be cheaper than the run.

    PYTHONPATH=src python benchmarks/long.py [--rounds 3] [--only WORDS] [--before SRC]

Times are CPU milliseconds, the shortest of several rounds; with --before, the sources of another zeromass are measured in
turns with these. Each round is a process of its own, in which everything is compiled before it is timed; each figure is of a
run of which nothing has been asked before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import growth  # noqa: E402
from peers import shape  # noqa: E402

import zeromass as zm  # noqa: E402  after the path to the peers

Figure = tuple[str, Callable[[], Any], Callable[[Any], Any]]
"""What is measured: its name, what is made for it first, and what is timed."""


def spring() -> tuple[zm.System, zm.State, zm.Expression]:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    return system, system.start({x: 1.0}), x


def pendulum() -> tuple[zm.System, zm.State, zm.Expression]:
    theta = zm.coordinate("theta")
    system = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    return system, system.start({theta: 1.0}), theta


def bouncing() -> tuple[zm.System, zm.State, zm.Expression]:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -9.81 + zm.where(x < 0, -225.0 * x, 0.0)})
    return system, system.start({x: 1.0}), x


def double_pendulum() -> tuple[zm.System, zm.State, zm.Expression]:
    a, b = zm.coordinates("a b")
    u, v = zm.rate(a), zm.rate(b)
    system = zm.System(kinetic=u**2 + v**2 / 2 + u * v * np.cos(a - b), potential=-9.81 * (2 * np.cos(a) + np.cos(b)))
    return system, system.start({a: 2.0, b: 1.0}), a


def chain(count: int) -> tuple[zm.System, zm.State, zm.Expression]:
    """Rods joined end to end, in redundant coordinates; see `growth`."""
    bodies = growth.rods(count)
    system = growth.chain(bodies)
    return system, growth.wound(system, bodies), bodies[-1].position[2]


def shell() -> tuple[zm.Rolling, zm.State]:
    body = zm.two_material_shell(outer=shape.OUTER, inner=shape.INNER, densities=shape.DENSITIES)
    rolling = zm.Rolling(body, on=zm.Surface(lambda X, Y, Z: shape.bowl(X, Y, Z)), gravity=shape.GRAVITY)
    return rolling, rolling.start(**shape.START)


def figures() -> Iterator[Figure]:
    """All of them, in order."""
    system, start, theta = pendulum()
    for until in (100.0, 10_000.0):
        times = np.random.default_rng(0).uniform(0.0, until, 100_000)

        def run(until: float = until) -> zm.Run:
            return zm.simulate(system, start, until=until)

        words = f"pendulum, {until:g} s"
        yield f"{words}: run", lambda: None, lambda _, run=run: run()
        yield f"{words}: one time", run, lambda run, until=until: run.at(until / 3)[theta]
        yield f"{words}: 100,000 times", run, lambda run, times=times: run.at(times)[theta]
        yield f"{words}: maximum", run, lambda run: run.maximum(theta)
        yield f"{words}: work", run, lambda run: run.work()

    swinging: list[tuple[str, tuple[zm.System, zm.State, zm.Expression], float, dict[str, Any]]] = [
        ("double pendulum", double_pendulum(), 100.0, {}),
        ("4 rods", chain(4), 10.0, {}),
        ("4 rods, new pivots", chain(4), 10.0, {"limits": zm.Limits(growth=20.0)}),
        ("40 rods, rolled", chain(40), 5.0, {}),
    ]
    for words, (system, start, e), until, settings in swinging:

        def swung(system=system, start=start, until=until, settings=settings) -> zm.Run:
            return zm.simulate(system, start, until=until, **settings)

        yield f"{words}: run", lambda: None, lambda _, run=swung: run()
        yield f"{words}: maximum", swung, lambda run, e=e: run.maximum(e)
        yield f"{words}: maximum of the energy", swung, lambda run, e=system.energy: run.maximum(e)
        yield f"{words}: work", swung, lambda run: run.work()

    ball, thrown, x = bouncing()
    bounces = [zm.simulate(ball, thrown, until=200.0)]
    times = np.random.default_rng(0).uniform(0.0, 200.0, 10_000)
    yield "354 segments: 10,000 times", lambda: zm.Run(bounces[0].segments), lambda run: run.at(times)[x]
    yield "354 segments: an expression at the steps", lambda: zm.Run(bounces[0].segments), lambda run: run[x]
    yield "354 segments: run", lambda: None, lambda _: zm.simulate(ball, thrown, until=200.0)
    yield "354 segments: work", lambda: zm.Run(bounces[0].segments), lambda run: run.work()
    yield "354 segments: maximum", lambda: zm.Run(bounces[0].segments), lambda run: run.maximum(x)

    oscillator, released, s = spring()
    zero = zm.Event("zero", s, terminal=False)
    for method in ("collocation", "dop853"):
        for events, words in (([], "without events"), ([zero], "10,000 events")):
            yield (
                f"spring, {method}, {words}",
                lambda: None,
                lambda _, method=method, events=events: zm.simulate(
                    oscillator, released, until=10_000 * np.pi, method=method, events=events
                ),
            )

    rolling, rolls = shell()

    def rolled() -> zm.Run:
        return zm.simulate(rolling, rolls, until=shape.UNTIL, rtol=shape.RTOL, atol=shape.ATOL)

    higher = zm.Event("crest", rolling.center_particle.velocity[2], terminal=False)
    yield "shell: run", lambda: None, lambda _: rolled()
    yield (
        "shell: run with crests and troughs",
        lambda: None,
        lambda _: zm.simulate(rolling, rolls, until=shape.UNTIL, rtol=shape.RTOL, atol=shape.ATOL, events=higher),
    )
    yield "shell: 100,000 times", rolled, lambda run: run.at(np.linspace(0.0, shape.UNTIL, 100_000)).y
    yield "shell: required friction", rolled, lambda run: run.required_friction()
    yield "shell: maximum of the height", rolled, lambda run: run.maximum(rolling.center_particle.position[2])
    yield "shell: maximum of the energy", rolled, lambda run: run.maximum(rolling.energy)
    yield "shell: work", rolled, lambda run: run.work()
    yield "shell: 26 tangents", rolled, lambda run: run.sensitivity()
    yield "shell: Lyapunov exponent", rolled, lambda run: run.lyapunov_exponent()
    yield "shell: all Lyapunov exponents", rolled, lambda run: run.lyapunov_spectrum()


def measured(only: str) -> dict[str, float]:
    """CPU milliseconds of each figure, the shortest of five, after one that compiles."""
    found: dict[str, float] = {}
    for name, make, ask in figures():
        if only not in name:
            continue
        ask(make())
        shortest = np.inf
        for _ in range(5):
            made = make()
            begin = time.process_time()
            ask(made)
            shortest = min(shortest, time.process_time() - begin)
        found[name] = 1e3 * shortest
    return found


def in_a_process(source: Path | None, only: str) -> dict[str, float]:
    paths = [str(HERE), *[path for path in sys.path if path and path != str(HERE)]]
    paths = paths if source is None else [str(source.resolve()), *paths]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", "--only", only]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="figures with these words")
    parser.add_argument("--before", type=Path, help="sources of another zeromass")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.only)))
        return
    sources = [None] if given.before is None else [given.before, None]
    best: list[dict[str, float]] = [{} for _ in sources]
    for _ in range(given.rounds):
        for source, known in zip(sources, best, strict=True):
            for name, ms in in_a_process(source, given.only).items():
                known[name] = min(known.get(name, np.inf), ms)
    print(f"{'CPU ms':44}" + ("    before       now   ratio" if len(best) > 1 else "       now"))
    for name, ms in best[-1].items():
        before = best[0].get(name, np.nan)
        print(f"{name:44}" + (f"{before:10.2f}{ms:10.2f}{before / ms:8.1f}" if len(best) > 1 else f"{ms:10.2f}"))


if __name__ == "__main__":
    main()
