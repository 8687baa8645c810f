"""What a run is asked for, beside the run itself: states, events, extremes, work, friction, tangents.

    PYTHONPATH=src python benchmarks/long.py [--rounds 3] [--only WORDS] [--before SRC]

Extremes, work and friction are given of every kind of run, see `kinds`, with what part of the run's own time they take: all
of them should be cheaper than the run. Times are CPU milliseconds, the shortest of several rounds; with --before, those of
other sources of zeromass are measured in turns with these. Each round is a process of its own, in which everything is
compiled before it is timed; each figure is of a run of which nothing has been asked before.
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
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import growth  # noqa: E402
from peers import shape  # noqa: E402

import zeromass as zm  # noqa: E402  after the path to the peers

METHODS = ("collocation", "dop853")
EVENTS = 10_000
"""Methods that events are located with, and how many of them."""

Figure = tuple[str, Callable[[], Any], Callable[[Any], Any]]
"""What is measured: its name, what is made for it first, and what is timed."""


def spring() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    return system, system.start({x: 1.0}), x


def pendulum() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    theta = zm.coordinate("theta")
    system = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    return system, system.start({theta: 1.0}), theta


def bouncing() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -9.81 + zm.where(x < 0, -225.0 * x, 0.0)})
    return system, system.start({x: 1.0}), x


def double_pendulum() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    a, b = zm.coordinates("a b")
    u, v = zm.rate(a), zm.rate(b)
    system = zm.System(kinetic=u**2 + v**2 / 2 + u * v * np.cos(a - b), potential=-9.81 * (2 * np.cos(a) + np.cos(b)))
    return system, system.start({a: 2.0, b: 1.0}), a


def stiff() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    x, y = zm.coordinates("x y")
    u, v = zm.rate(x), zm.rate(y)
    system = zm.System(kinetic=(u**2 + v**2) / 2, potential=x**2 / 2 + 5e5 * (y - np.sin(x)) ** 2, forces={y: -2e3 * v})
    return system, system.start({x: 1.0, y: np.sin(1.0)}), y


def sledge() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    """A mass on a spring that sticks and slips on the ground."""
    x = zm.coordinate("x")
    system = zm.System(
        kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: np.sin(0.9 * zm.t) - 0.3 * np.sign(zm.rate(x))}
    )
    return system, system.start({x: 2.0}), x


def slipping() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    """A ball that is thrown into a bowl: it slips, and rolls."""
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.4), friction=0.2)
    start = ball.slipping.start(
        [(ball.contact[:2], 0.5), (ball.center_particle.velocity[0], 1.0), (ball.body.angular_velocity, 0.0)]
    )
    return ball, start, ball.center_particle.position[2]


def rails() -> tuple[zm.System, zm.State, zm.expression.Expression]:
    """A loaded ball between two rails, which it leaves and lands on."""
    body = zm.bodies.SphericalBody(
        radius=0.1, mass=1.0, inertia=(0.004, 0.0035, 0.003), center_of_mass=(0, 0, -0.05), name="ball"
    )
    sides = {"left": zm.Surface(lambda X, Y: -0.7 * Y), "right": zm.Surface(lambda X, Y: 0.7 * Y)}
    ball = zm.Contacts(body, on=sides, gravity=9.81, friction=0.35, restitution=0.3)
    start = ball.start(center=(0, 0, 0.1 * np.hypot(1.0, 0.7)), velocity=(2.6, 0, 0), orientation=(0, 0.3, 0))
    return ball, start, ball.center[2]


def chain(count: int) -> tuple[zm.System, zm.State, zm.expression.Expression]:
    """Rods joined end to end, in redundant coordinates; see `growth`."""
    bodies = growth.rods(count)
    system = growth.chain(bodies)
    return system, growth.wound(system, bodies), bodies[-1].position[2]


def shell() -> tuple[zm.Rolling, zm.State]:
    body = zm.bodies.two_material_shell(outer=shape.OUTER, inner=shape.INNER, densities=shape.DENSITIES)
    rolling = zm.Rolling(body, on=zm.Surface(lambda X, Y, Z: shape.bowl(X, Y, Z)), gravity=shape.GRAVITY)
    return rolling, rolling.start(**shape.START)


class Kind(NamedTuple):
    """A run of some kind, and what is asked of it."""

    system: zm.System
    start: zm.State
    coordinate: zm.expression.Expression
    until: float
    settings: dict[str, Any]

    def run(self) -> zm.Run:
        return zm.simulate(self.system, self.start, until=self.until, **self.settings)

    @property
    def energy(self) -> zm.expression.Expression:
        return self.system.energy

    @property
    def touches(self) -> bool:
        return bool(self.system.contacts) or isinstance(self.system, zm.Contacts)


def kinds() -> Iterator[tuple[str, Kind]]:
    """Kinds of runs: short and long, by every method, with switches, new pivots and contacts, small and large."""
    yield "pendulum, 1 s", Kind(*pendulum(), 1.0, {})
    yield "pendulum, 100 s", Kind(*pendulum(), 100.0, {})
    yield "pendulum, 10000 s", Kind(*pendulum(), 10_000.0, {})
    for words, settings in (("", {}), (", dop853", {"method": "dop853"}), (", radau", {"method": "radau"})):
        yield f"double pendulum{words}", Kind(*double_pendulum(), 100.0, settings)
    yield "stiff oscillator, radau", Kind(*stiff(), 100.0, {"method": "radau"})
    yield "4 rods", Kind(*chain(4), 10.0, {})
    yield "4 rods, dop853", Kind(*chain(4), 10.0, {"method": "dop853"})
    yield "4 rods, new pivots", Kind(*chain(4), 10.0, {"limits": zm.Limits(growth=20.0)})
    yield "40 rods, rolled", Kind(*chain(40), 5.0, {})
    yield "354 switches", Kind(*bouncing(), 200.0, {})
    yield "sledge, dry friction", Kind(*sledge(), 30.0, {})
    yield "ball, slips and rolls", Kind(*slipping(), 5.0, {})
    yield "ball on two rails", Kind(*rails(), 1.0, {})
    rolling, rolls = shell()
    settings = {"rtol": shape.RTOL, "atol": shape.ATOL}
    yield "shell", Kind(rolling, rolls, rolling.center_particle.position[2], shape.UNTIL, settings)
    yield "shell, dop853", Kind(rolling, rolls, rolling.center_particle.position[2], shape.UNTIL, {"method": "dop853"})


def figures() -> Iterator[Figure]:
    """All of them, in order."""
    system, start, theta = pendulum()
    for until in (100.0, 10_000.0):
        times = np.random.default_rng(0).uniform(0.0, until, 100_000)

        def run(until: float = until) -> zm.Run:
            return zm.simulate(system, start, until=until)

        words = f"pendulum, {until:g} s"
        yield f"{words}: one time", run, lambda run, until=until: run.at(until / 3)[theta]
        yield f"{words}: 100,000 times", run, lambda run, times=times: run.at(times)[theta]

    for words, made in kinds():
        yield f"{words}: run", lambda: None, lambda _, made=made: made.run()
        yield f"{words}: maximum", made.run, lambda run, e=made.coordinate: run.maximum(e)
        yield f"{words}: minimum of the energy", made.run, lambda run, e=made.energy: run.minimum(e)
        yield f"{words}: work", made.run, lambda run: run.work()
        if made.touches:
            yield f"{words}: required friction", made.run, lambda run: run.required_friction()

    ball, thrown, x = bouncing()
    bounces = [zm.simulate(ball, thrown, until=200.0)]
    times = np.random.default_rng(0).uniform(0.0, 200.0, 10_000)
    yield "354 segments: 10,000 times", lambda: zm.Run(bounces[0].segments), lambda run: run.at(times)[x]
    yield "354 segments: an expression at the steps", lambda: zm.Run(bounces[0].segments), lambda run: run[x]

    oscillator, released, s = spring()
    zero = zm.Event("zero", s, terminal=False)
    for method in METHODS:
        for events, words in (([], "without events"), ([zero], f"{EVENTS:,} events")):
            yield (
                f"spring, {method}, {words}",
                lambda: None,
                lambda _, method=method, events=events: zm.simulate(
                    oscillator, released, until=EVENTS * np.pi, method=method, events=events
                ),
            )

    rolling, rolls = shell()

    def rolled() -> zm.Run:
        return zm.simulate(rolling, rolls, until=shape.UNTIL, rtol=shape.RTOL, atol=shape.ATOL)

    higher = zm.Event("crest", rolling.center_particle.velocity[2], terminal=False)
    yield (
        "shell: run with crests and troughs",
        lambda: None,
        lambda _: zm.simulate(rolling, rolls, until=shape.UNTIL, rtol=shape.RTOL, atol=shape.ATOL, events=higher),
    )
    yield "shell: 100,000 times", rolled, lambda run: run.at(np.linspace(0.0, shape.UNTIL, 100_000)).y
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
    print(f"{'CPU ms':44}{'    before' * (len(best) > 1)}       now  of the run")
    for name, ms in best[-1].items():
        run = best[-1].get(name.split(":")[0] + ": run", np.nan)
        before = f"{best[0].get(name, np.nan):10.2f}" * (len(best) > 1)
        print(f"{name:44}{before}{ms:10.2f}" + f"{ms / run:10.2f}" * (run > 0))
    for method in METHODS:
        without, some = (
            best[-1].get(f"spring, {method}, {words}", np.nan) for words in ("without events", f"{EVENTS:,} events")
        )
        if some > 0:
            print(f"an event, {method}: {1e3 * (some - without) / EVENTS:.1f} µs")


if __name__ == "__main__":
    main()
