"""Studies of 1,024 members on one core: starts, checks, motions and the Dataset, in runs a second.

    PYTHONPATH=src python benchmarks/ensemble.py [--rounds 3] [--members 1024]

A ball rolls in a bowl for 10 s at rtol = atol = 1e-9, and the shell of [UM2022] on its moving bowl for 25 s at 1e-9 and at
1e-12. Times are CPU seconds of the second and later studies of a process; of each the shortest counts, in turns with the
peer's. Errors are those of the contact point's place at the end, the geometric mean over 16 members, against runs at
rtol 1e-13.

The peer, where it can be imported, is heyoka in batch mode, at the same tolerance and at one of about the same error. It
is given an equation of nine states for the ball that was derived by hand, with no constraint left in it, and starts as
they are.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import uniform

import zeromass as zm

RADIUS, MASS, BOWL, GRAVITY = 0.09, 1.0, 0.03, 9.81
COMPARED = 16


class Case:
    """A study: its system, start, parameters, settings, and the numbers of its members."""

    def __init__(self, name: str, moving: bool, until: float, rtol: float, atol: float, members: int) -> None:
        self.name, self.until, self.rtol, self.atol = name, until, rtol, atol
        place = zm.parameter("cx", -1.5), zm.parameter("cy", -0.75)
        shift = (0.1 * np.cos(np.pi * zm.t), 0, 0) if moving else (0, 0, 0)
        bowl = zm.Surface(lambda X, Y, Z: Z - BOWL * (X**2 + Y**2), shift=shift)
        shell = zm.two_material_shell(outer=RADIUS, inner=0.08, densities=(7874, 10490))
        self.system = zm.Rolling(shell if moving else zm.ball(RADIUS, MASS), on=bowl, gravity=GRAVITY)
        if moving:
            speed = zm.parameter("vx", 0.5), zm.parameter("vy", 0.5)
            self.start = self.system.start(contact=place, velocity=speed, spin=0.0)
            ranges = [(-1.55, -1.45), (-0.8, -0.7), (-1.5, 1.5), (-1.5, 1.5)]
        else:
            speed = tuple(zm.parameter(f"w{axis}", 1.0) for axis in "xyz")
            self.start = self.system.start(self.turning(place, speed))
            ranges = [(-1.0, 1.0), (-1.0, 1.0), *[(-8.0, 8.0)] * 3]
        names = (*place, *speed)
        self.over = zm.samples(members, {p: uniform(a, b - a) for p, (a, b) in zip(names, ranges, strict=True)})
        self.table = np.stack([sampled.values for sampled in self.over.values()], axis=1)

    def turning(self, place: Sequence[Any], ω: Sequence[Any]) -> list[tuple[Any, Any]]:
        """A start by contact and angular velocity."""
        body = self.system.body
        upright = (1.0, 0.0, 0.0, 0.0)
        return [(self.system.contact[:2], place), (body.angular_velocity, ω), (body.quaternion, upright)]

    def study(self) -> np.ndarray:
        keep = {"contact": self.system.contact}
        settings = {"until": self.until, "rtol": self.rtol, "atol": self.atol}
        found = zm.sweep(self.system, self.start, over=self.over, keep=keep, **settings)
        assert set(found.outcome.values.tolist()) == {"finished"}
        return found.contact.values

    def reference(self) -> np.ndarray:
        """The contact at the end of the first members, closely."""
        ends = []
        for cx, cy, *speed in self.table[:COMPARED]:
            if len(speed) == 2:
                start = self.system.start(contact=(cx, cy), velocity=speed, spin=0.0)
            else:
                start = self.system.start(self.turning((cx, cy), speed))
            run = zm.simulate(self.system, start, until=self.until, rtol=1e-13, atol=1e-16)
            ends.append(run.state(self.until)[self.system.contact])
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
    batch = hy.recommended_simd_size()
    start = _angular_starts(case)
    taylor = hy.taylor_adaptive_batch(system, np.ones((9, batch)), tol=tolerance, fast_math=True)

    def run() -> np.ndarray:
        ends = np.empty((len(start), 3))
        for first in range(0, len(start), batch):
            taylor.set_time(0.0)
            taylor.state[:] = start[first : first + batch].T
            taylor.propagate_until(case.until)
            ends[first : first + batch, :2] = taylor.state[:2].T
        ends[:, 2] = BOWL * (ends[:, 0] ** 2 + ends[:, 1] ** 2)
        return ends

    return run


def _angular_starts(case: Case) -> np.ndarray:
    """X, Y, ω, u of all members."""
    return np.concatenate([case.table, np.tile([1.0, 0.0, 0.0, 0.0], (len(case.table), 1))], axis=1)


def error(ends: np.ndarray, reference: np.ndarray) -> float:
    distance = np.linalg.norm(ends[:COMPARED] - reference, axis=1)
    return float(np.exp(np.log(np.maximum(distance, 1e-17)).mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--members", type=int, default=1024)
    options = parser.parse_args()
    cases = [
        Case("ball, 10 s, 1e-9", False, 10.0, 1e-9, 1e-9, options.members),
        Case("shell, 25 s, 1e-9", True, 25.0, 1e-9, 1e-12, options.members),
        Case("shell, 25 s, 1e-12", True, 25.0, 1e-12, 1e-15, options.members),
    ]
    engines: list[tuple[Case, str, Callable[[], np.ndarray]]] = [(case, "zeromass", case.study) for case in cases]
    try:
        import heyoka

        batch = heyoka.recommended_simd_size()
        print(f"heyoka {heyoka.__version__}: {batch} members in a batch, an equation of nine states by hand")
        for tolerance in (1e-5, 1e-9):  # of about the same error, and the same
            engines.insert(1, (cases[0], f"heyoka {tolerance:g}", by_hand(cases[0], tolerance)))
    except ImportError:
        print("heyoka is not installed: no peer")
    print(f"zeromass {zm.__version__}: {zm.host().width} members side by side, {zm.host().cpu}")
    best, ends = [np.inf] * len(engines), [np.empty(0)] * len(engines)
    for turn in range(options.rounds + 1):  # the first compiles
        for k, (_, _, run) in enumerate(engines):
            begin = time.process_time()
            ends[k] = run()
            best[k] = min(best[k], time.process_time() - begin) if turn else np.inf
    references = {case.name: case.reference() for case in cases}
    for (case, engine, _), seconds, end in zip(engines, best, ends, strict=True):
        rate = options.members / seconds
        print(f"{case.name:20} {engine:13} {rate:8.0f} runs/s   error {error(end, references[case.name]):.1e} m")


if __name__ == "__main__":
    main()
