"""Robots from URDF: time to the first acceleration, and to each further one, beside Pinocchio's articulated bodies.

    python benchmarks/robots.py [file.urdf …] [--repeat N] [--json]

Without files: an arm of seven links, and a leg whose loop a joint closes, of the tests. Accelerations must agree to 1e-10 of
the largest before a time counts. Pinocchio is called as its users call it from Python, one state a call; so are we, and once
more with many states a call, as our runs and studies do. Times are of one core, the best of several, taken in turns.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import zeromass as zm

ROBOTS = Path(__file__).parents[1] / "tests" / "mechanism" / "robots"
STATES = 4096
AGREEMENT = 1e-10


@dataclass(frozen=True)
class Result:
    robot: str
    coordinates: int
    operations: int
    first: float
    one: float
    many: float
    pinocchio: float | None
    disagreement: float | None


def leg() -> tuple[zm.mechanism.Robot, zm.System]:
    """The leg with its loop closed."""
    robot = zm.from_urdf(ROBOTS / "leg.urdf")
    shanks = [robot.links[f"{side} shank"] for side in ("front", "rear")]
    places = [np.array([0, 0, -0.25]) - shank.center for shank in shanks]
    foot = zm.Revolute(*shanks, at=places, axis=((0, 1, 0), (0, 1, 0)), name="foot")
    return robot, robot.system(joints=[foot], losses=False)


def one_call(program: zm.Program, inputs: np.ndarray) -> Callable[[], object]:
    """The machine code of one state, through ctypes."""
    n = len(program.system.coordinates)
    slopes, growth, pivots = np.empty(2 * n), np.empty(1), np.empty(max(1, program.native.pivots))
    code = program.native.rhs(1)
    code.improve()
    time.sleep(2.0)  # better code is made in the background
    call = code.function("rhs", None, *[ctypes.c_void_p] * 6)
    first, size = inputs.ctypes.data, inputs.itemsize
    places = (
        first,
        first + size,
        first + size * (1 + 2 * n),
        slopes.ctypes.data,
        growth.ctypes.data,
        pivots.ctypes.data,
    )
    return lambda: call(*places)


def best(calls: dict[str, tuple[Callable[[], object], int]], repeat: int) -> dict[str, float]:
    """CPU seconds of each call, the best of several, in turns."""
    found = dict.fromkeys(calls, np.inf)
    for _ in range(repeat):
        for name, (call, times) in calls.items():
            begin = time.process_time()
            for _ in range(times):
                call()
            found[name] = min(found[name], (time.process_time() - begin) / times)
    return found


def measured(
    name: str, make: Callable[[], tuple[zm.mechanism.Robot, zm.System]], file: Path | None, repeat: int
) -> Result:
    begin = time.process_time()
    robot, system = make()
    start = system.start(guess=[(x, 0.3 * (-1) ** k) for k, x in enumerate(robot.coordinates)])
    program = zm.compile(system, start)
    program.native.accelerations(start.inputs[None])
    first = time.process_time() - begin
    many = np.repeat(start.inputs[None], STATES, axis=0)
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "one": (one_call(program, np.ascontiguousarray(start.inputs)), 20_000),
        "many": (lambda: program.native.accelerations(many), 5),
    }
    disagreement = None
    if file is not None:
        pinocchio, difference = beside(robot, system, file)
        disagreement = difference
        calls["pinocchio"] = (pinocchio, 20_000)
    times = best(calls, repeat)
    return Result(
        name,
        len(system.coordinates),
        program.operations,
        first,
        times["one"],
        times["many"] / STATES,
        times.get("pinocchio"),
        disagreement,
    )


def beside(robot: zm.mechanism.Robot, system: zm.System, file: Path) -> tuple[Callable[[], object], float]:
    """Pinocchio's call, and the largest difference of accelerations at random states, as part of the largest."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    random, worst = np.random.default_rng(0), 0.0
    q, v = pin.neutral(model), np.zeros(model.nv)
    for _ in range(5):
        values, order = [], []
        for name, joint in robot.joints.items():
            if joint.single:
                own = model.joints[model.getJointId(name)]
                angle, rate = random.normal(), random.normal()
                q[own.idx_q : own.idx_q + own.nq] = [np.cos(angle), np.sin(angle)] if own.nq == 2 else [angle]
                v[own.idx_v] = rate
                values += [(joint.angle, angle), (joint.rate, rate)]
                order.append((joint, own.idx_v))
        start = system.start(values)
        theirs = pin.aba(model, data, q, v, np.zeros(model.nv))
        ours = np.array([start[zm.rate(joint.rate)] for joint, _ in order])
        worst = max(worst, np.abs(ours - theirs[[k for _, k in order]]).max() / max(np.abs(theirs).max(), 1.0))
    assert worst < AGREEMENT, f"{file.name}: accelerations differ by {worst:.1e}"
    zero = np.zeros(model.nv)
    return lambda: pin.aba(model, data, q, v, zero), float(worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import pinocchio  # noqa: F401

        peer = True
    except ImportError:
        peer = False
        print("pinocchio is not installed: our times alone", file=sys.stderr)

    def tree(file: Path) -> Callable[[], tuple[zm.mechanism.Robot, zm.System]]:
        def made() -> tuple[zm.mechanism.Robot, zm.System]:
            robot = zm.from_urdf(file)
            return robot, robot.system(losses=False)

        return made

    files = options.files or [ROBOTS / "arm.urdf"]
    results = [measured(file.stem, tree(file), file if peer else None, options.repeat) for file in files]
    if not options.files:
        results.append(measured("leg with its loop", leg, None, options.repeat))
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
        return
    print(f"{'robot':24} {'n':>3} {'ops':>6} {'first':>8} {'one':>9} {'of many':>9} {'Pinocchio':>10} {'differs':>8}")
    for r in results:
        theirs = f"{r.pinocchio * 1e6:7.2f} µs" if r.pinocchio is not None else ""
        differs = f"{r.disagreement:8.0e}" if r.disagreement is not None else ""
        print(
            f"{r.robot:24} {r.coordinates:3} {r.operations:6} {r.first:6.2f} s {r.one * 1e6:6.2f} µs "
            f"{r.many * 1e6:6.2f} µs {theirs:>10} {differs}"
        )


if __name__ == "__main__":
    main()
