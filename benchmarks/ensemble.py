"""Studies of 1,024 members on one core: starts, checks, motions and the Dataset, in runs a second.

    PYTHONPATH=src python benchmarks/ensemble.py [--rounds 3] [--members 1024] [--cores] [--reductions]

A ball rolls in a bowl for 10 s at rtol = atol = 1e-9, and the shell of [UM2022] on its moving bowl for 25 s at 1e-9 and at
1e-12; each by all coordinates, as `simulate` does it, and by independent positions and speeds alone (`states="least"`), with
as many lanes as the machine has, and with four and the instructions of AVX2. Times are CPU seconds of the second and later
studies of a process; of each the shortest counts, in turns with the peer's. Errors are those of the contact
point's place and of the quaternion at the end, together, the geometric mean over 16 members, against runs at rtol 1e-13.

The peer, where it can be imported, is heyoka in batch mode, with as many members in a batch as it recommends. It is given an
equation of nine states for the ball that was derived by hand, with no constraint left in it, and our own 26 states with
their elimination, with starts as they are and no projection. It runs at the same tolerance, and at the loosest of some
tolerances that has no larger an error than ours. Ratios are those of our runs a second to its own. Its speed has two values,
a third apart, from process to process, whatever else runs: look at several.

What was tried for the ball, operations of a right-hand side and microseconds a run at 1e-9 with eight lanes, steps alone:

    all 26 numbers                                                        364   30.8
    the same without products by constants, products shared               330   not better by more than 4 %
    positions and rates that positions give left out                      351   22.6
    and rates that rates give, forces of constraint with them (Kane)      183   18.1
    events by these forces; loops without padding                         183   14.7
    two registers side by side, 2 by 2 and 3 by 3 by cofactors            194   12.7
    events at the end of a step with its slope, sums in registers         194   12.2
    the equation of nine states by hand, with no guard and no event       121   10.3

Half of the 12.2 is the right-hand side, a tenth events, a fifth the sums of stages; the rest is step control, projection
and guards. Starts, checks and the Dataset add 5.0. Lengths of states known to the compiler brought nothing.
"""

from __future__ import annotations

import argparse
import operator
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
from scipy.stats import uniform

import zeromass as zm
from zeromass.export import host
from zeromass.expression.node import ordered
from zeromass.study import lanes, newton

STATES: tuple[Literal["all", "least"], ...] = ("all", "least")
RADIUS, MASS, BOWL, GRAVITY = 0.09, 1.0, 0.03, 9.81
COMPARED = 16


class Case:
    """A study: its system, start, parameters, settings, and the numbers of its members."""

    def __init__(self, name: str, moving: bool, until: float, rtol: float, atol: float, members: int) -> None:
        self.name, self.until, self.rtol, self.atol = name, until, rtol, atol
        place = zm.parameter("cx", -1.5), zm.parameter("cy", -0.75)
        shift = (0.1 * np.cos(np.pi * zm.t), 0, 0) if moving else (0, 0, 0)
        bowl = zm.Surface(lambda X, Y, Z: Z - BOWL * (X**2 + Y**2), shift=shift)
        shell = zm.bodies.two_material_shell(outer=RADIUS, inner=0.08, densities=(7874, 10490))
        self.system = zm.Rolling(shell if moving else zm.bodies.ball(RADIUS, MASS), on=bowl, gravity=GRAVITY)
        if moving:
            speed = zm.parameter("vx", 0.5), zm.parameter("vy", 0.5)
            self.start = self.system.start(contact=place, velocity=speed, spin=0.0)
            ranges = [(-1.55, -1.45), (-0.8, -0.7), (-1.5, 1.5), (-1.5, 1.5)]
        else:
            speed = tuple(zm.parameter(f"w{axis}", 1.0) for axis in "xyz")
            self.start = self.system.start(self.turning(place, speed))
            ranges = [(-1.0, 1.0), (-1.0, 1.0), *[(-8.0, 8.0)] * 3]
        names = (*place, *speed)
        self.over = zm.study.samples(members, {p: uniform(a, b - a) for p, (a, b) in zip(names, ranges, strict=True)})
        self.table = np.stack([sampled.values for sampled in self.over.values()], axis=1)

    def turning(self, place: Sequence[Any], ω: Sequence[Any]) -> list[tuple[Any, Any]]:
        """A start by contact and angular velocity."""
        body = self.system.body
        upright = (1.0, 0.0, 0.0, 0.0)
        return [(self.system.contact[:2], place), (body.angular_velocity, ω), (body.quaternion, upright)]

    def study(self, states: Literal["all", "least"] = "all", on: Any = "lanes") -> np.ndarray:
        keep = {"contact": self.system.contact, "u": self.system.body.quaternion}
        settings: dict[str, Any] = {"until": self.until, "rtol": self.rtol, "atol": self.atol, "on": on}
        found = zm.sweep(self.system, self.start, over=self.over, keep=keep, states=states, **settings)
        assert set(found.outcome.values.tolist()) == {"finished"}
        return np.concatenate([found.contact.values, found.u.values], axis=1)

    def on_avx2(self, states: Literal["all", "least"] = "all") -> np.ndarray:
        """The same study with four lanes, in instructions of AVX2."""
        narrow = host()._replace(cpu="haswell", features="", width=4, fused=True)
        with patch.object(lanes, "host", lambda: narrow), patch.object(newton, "host", lambda: narrow):
            return self.study(states)

    def reference(self) -> np.ndarray:
        """Contact and quaternion at the end of the first members, closely."""
        ends = []
        for cx, cy, *speed in self.table[:COMPARED]:
            if len(speed) == 2:
                start = self.system.start(contact=(cx, cy), velocity=speed, spin=0.0)
            else:
                start = self.system.start(self.turning((cx, cy), speed))
            run = zm.simulate(self.system, start, until=self.until, rtol=1e-13, atol=1e-16)
            end = run.state(self.until)
            ends.append([*end[self.system.contact], *end[self.system.body.quaternion]])
        return np.array(ends)


def by_hand(case: Case, tolerance: float) -> Callable[[], np.ndarray]:
    """heyoka's batch mode on the ball's equation in X, Y, ω and the quaternion u.

    (J + m r²) ω̇ = m r n × g − m r² n × (ω × ṅ),   ċ = r ω × n,   c = p + r n(p)
    """
    import heyoka as hy

    names = hy.make_vars("X", "Y", "a", "b", "c", "u0", "u1", "u2", "u3")
    X, Y, *rest = names
    ω, u = np.array(rest[:3], dtype=object), rest[3:]
    slope = 2 * BOWL
    length = hy.sqrt(1.0 + slope**2 * (X * X + Y * Y))
    n = np.array([-slope * X / length, -slope * Y / length, 1.0 / length], dtype=object)
    v = RADIUS * np.cross(ω, n)
    nx, ny = ([hy.diff(part, q) for part in n] for q in (X, Y))
    M = [[1.0 + RADIUS * nx[0], RADIUS * ny[0]], [RADIUS * nx[1], 1.0 + RADIUS * ny[1]]]
    det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
    dX, dY = (M[1][1] * v[0] - M[0][1] * v[1]) / det, (M[0][0] * v[1] - M[1][0] * v[0]) / det
    dn = np.array([nx[k] * dX + ny[k] * dY for k in range(3)], dtype=object)
    J = 0.4 * MASS * RADIUS**2
    g = np.array([0.0, 0.0, -GRAVITY], dtype=object)
    dω = (MASS * RADIUS * np.cross(n, g) - MASS * RADIUS**2 * np.cross(n, np.cross(ω, dn))) / (J + MASS * RADIUS**2)
    w = [0.0, *ω]
    du = [
        -0.5 * (u[1] * w[1] + u[2] * w[2] + u[3] * w[3]),
        0.5 * (u[0] * w[1] + u[3] * w[2] - u[2] * w[3]),
        0.5 * (u[0] * w[2] + u[1] * w[3] - u[3] * w[1]),
        0.5 * (u[0] * w[3] + u[2] * w[1] - u[1] * w[2]),
    ]
    system = list(zip(names, [dX, dY, *dω, *du], strict=True))
    run = _batches(case, system, _angular_starts(case), tolerance)

    def ends() -> np.ndarray:
        end = run()
        height = BOWL * (end[:, 0] ** 2 + end[:, 1] ** 2)
        return np.column_stack([end[:, :2], height, end[:, 5:]])

    return ends


def redundant(case: Case, tolerance: float) -> Callable[[], np.ndarray]:
    """heyoka's batch mode on our own elimination: 13 coordinates and their rates."""
    import heyoka as hy

    system = case.system
    starts = [system.start(case.turning(row[:2], row[2:])) for row in case.table]
    program = zm.compile(system, starts[0])
    names = hy.make_vars(*[f"y{i:02d}" for i in range(2 * len(system.coordinates))])
    known: dict[Any, Any] = dict(zip([*system.coordinates, *system.rates], names, strict=True))
    binary = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv}
    for node in ordered(program.acceleration):
        args = [known[a] for a in node.args]
        if node.value is not None:
            known[node] = hy.expression(node.value)
        elif node.op in binary:
            known[node] = binary[node.op](*args)
        elif node.op == "power":
            known[node] = args[0] ** node.args[1].value
        elif node.args:
            known[node] = -args[0] if node.op == "negative" else hy.sqrt(args[0])
    slopes = [*names[len(system.coordinates) :], *[known[e] for e in program.acceleration]]
    run = _batches(case, list(zip(names, slopes, strict=True)), np.array([[*s.q, *s.v] for s in starts]), tolerance)
    places = [system.index(x) for x in (*system.contact, *system.body.quaternion)]
    return lambda: run()[:, places]


def _batches(case: Case, system: list[Any], start: np.ndarray, tolerance: float) -> Callable[[], np.ndarray]:
    import heyoka as hy

    batch = hy.recommended_simd_size()
    taylor = hy.taylor_adaptive_batch(system, np.ones((start.shape[1], batch)), tol=tolerance, fast_math=True)

    def run() -> np.ndarray:
        ends = np.empty_like(start)
        for first in range(0, len(start), batch):
            taylor.set_time(0.0)
            taylor.state[:] = start[first : first + batch].T
            taylor.propagate_until(case.until)
            ends[first : first + batch] = taylor.state.T
        return ends

    return run


def _angular_starts(case: Case) -> np.ndarray:
    """X, Y, ω, u of all members."""
    return np.concatenate([case.table, np.tile([1.0, 0.0, 0.0, 0.0], (len(case.table), 1))], axis=1)


def error(ends: np.ndarray, reference: np.ndarray) -> float:
    distance = np.linalg.norm(ends[:COMPARED] - reference, axis=1)
    return float(np.exp(np.log(np.maximum(distance, 1e-17)).mean()))


class Engine:
    """A way to make a study, the shortest time that it took, and its error."""

    def __init__(self, case: Case, name: str, run: Callable[[], np.ndarray]) -> None:
        self.case, self.name, self.run = case, name, run
        self.seconds: float = np.inf
        self.ends: np.ndarray = run()  # which compiles it

    def measure(self) -> None:
        begin = time.process_time()
        self.ends = self.run()
        self.seconds = min(self.seconds, time.process_time() - begin)

    @property
    def rate(self) -> float:
        return len(self.case.table) / self.seconds


def peers(case: Case, ours: float, reference: np.ndarray) -> list[Engine]:
    """heyoka on both models, at the tolerance of the case and at the loosest that has no larger an error than `ours`."""
    found = []
    for name, model in (("by hand", by_hand), ("our model", redundant)):
        same = Engine(case, f"heyoka {name}, {case.rtol:g}", model(case, case.rtol))
        found.append(same)
        for tolerance in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
            one = Engine(case, f"heyoka {name}, {tolerance:g}, equal error", model(case, tolerance))
            if error(one.ends, reference) <= ours:
                found.append(one)
                break
        else:
            print(f"heyoka {name}: no looser tolerance has our error; {case.rtol:g} is compared")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--members", type=int, default=1024)
    parser.add_argument("--cores", action="store_true", help="compare two cores with one, by the clock")
    parser.add_argument(
        "--reductions", action="store_true", help="extreme values and integrals along 128 motions alone"
    )
    options = parser.parse_args()
    if options.reductions:
        reductions(options.rounds)
        return
    cases = [
        Case("ball, 10 s, 1e-9", False, 10.0, 1e-9, 1e-9, options.members),
        Case("shell, 25 s, 1e-9", True, 25.0, 1e-9, 1e-12, options.members),
        Case("shell, 25 s, 1e-12", True, 25.0, 1e-12, 1e-15, options.members),
    ]
    engines = [
        Engine(case, f"{states}, {name}", partial(run, states))
        for case in cases
        for states in STATES
        for name, run in ((f"{host().width} lanes", case.study), ("4 lanes, AVX2", case.on_avx2))
    ]
    references = {case.name: case.reference() for case in cases}
    others: list[Engine] = []
    quick = engines[2]
    try:
        import heyoka

        print(f"heyoka {heyoka.__version__}: {heyoka.recommended_simd_size()} members in a batch")
        others = peers(cases[0], error(quick.ends, references[cases[0].name]), references[cases[0].name])
    except ImportError:
        print("heyoka is not installed: no peer")
    print(f"zeromass {zm.__version__}: {zm.export.host().width} members side by side, {zm.export.host().cpu}")
    own = 2 * len(STATES)
    for _ in range(options.rounds):
        for engine in (*engines[:own], *others, *engines[own:]):
            engine.measure()
    for engine in (*engines[:own], *others, *engines[own:]):
        wrong = error(engine.ends, references[engine.case.name])
        ratios = [f"{ours.rate / engine.rate:5.2f}" for ours in engines[:own]] if engine in others else []
        words = f"   zeromass is {', '.join(ratios)} x as fast" if ratios else ""
        print(f"{engine.case.name:19} {engine.name:36} {engine.rate:8.0f} runs/s   error {wrong:.1e}{words}")
    if options.cores:
        cores(Case("shell, 25 s, 1e-9", True, 25.0, 1e-9, 1e-12, 32 * options.members), options.rounds)


def reductions(rounds: int) -> None:
    """CPU milliseconds of studies that keep the end of motions, their largest friction ratio, or an integral."""
    cases = [Case("128 balls", False, 10.0, 1e-9, 1e-9, 128), Case("128 shells", True, 25.0, 1e-9, 1e-12, 128)]
    for case in cases:
        height, ratio = case.system.contact[2], case.system.friction_ratio
        for name, kept in (
            ("end", height),
            ("largest friction", zm.study.largest(ratio)),
            ("integral", zm.study.integral(height)),
        ):
            seconds = []
            for _ in range(rounds + 1):  # the first compiles
                begin = time.process_time()
                settings: dict[str, Any] = {"until": case.until, "rtol": case.rtol, "atol": case.atol}
                zm.sweep(case.system, case.start, over=case.over, keep={"kept": kept}, on="lanes", **settings)
                seconds.append(time.process_time() - begin)
            print(f"{case.name:12}{name:18}{1e3 * min(seconds[1:]):8.0f} ms")


def cores(case: Case, rounds: int) -> None:
    """One core and two, in turns, each time with new processes: by the clock, and by the CPU time of all processes.

    That of two, halved, is what two free cores would take: where others use them too, the clock says little.
    """
    seconds: dict[int, list[float]] = {1: [], 2: []}
    work: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for count in seconds:
            clock, cpu = time.perf_counter(), _cpu()
            case.study(on=count)
            seconds[count].append(time.perf_counter() - clock)
            work[count].append((_cpu() - cpu) / count)
    for label, taken in (("by the clock", seconds), ("of CPU", work)):
        one, two = (min(some) for some in taken.values())
        print(
            f"{len(case.table)} shells: {one:.2f} s {label} on one core, {two:.2f} s on two: {one / two:.2f} x as fast"
        )


def _cpu() -> float:
    """CPU seconds of this process and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
