"""Bodies that are no spheres: ellipsoids on the dimpled bowl against the shell, 25 s at rtol 1e-12; and error against time.

    PYTHONPATH=src python benchmarks/contact.py [--rounds 5]

All have the mass, inertia and centre of mass of the shell of Udwadia & Mogharabin and start as it does. CPU time of one core
(the shortest of some runs that take turns). A right-hand side costs about what that of the shell does; how many steps there
are is the motion: the flatter the ellipsoid, the more it tumbles, and the more often is marked that the surface pulls.

Then two motions with closed forms, 2 s of a ball down a slope and of a coin in a circle, with MuJoCo and Drake in the same
run where they are installed: CPU time of a run without its preparation, and the error of the centre at the end. Their
contacts give way, and slip a little; friction is 2, and their softness the least that their step allows.
"""

from __future__ import annotations

import argparse
import importlib
import time

import numpy as np
from peers.contact_cases import ALPHA, BALL, COIN, END, Case, g

import zeromass as zm
from zeromass.papers import um2022

START = {"contact": (-1.5, -0.75), "velocity": (1.5, 1.0), "spin": 0.0, "orientation": (1.0, 0.0, 0.0, 0.0)}


def bodies() -> dict[str, zm.Rolling]:
    """The shell, and the same mass in other outsides."""
    shell = um2022.system(no_spin=False)
    r = float(shell.sphere.radius)
    given = {
        "mass": float(shell.sphere.mass),
        "inertia": tuple(float(x) for x in shell.sphere.inertia),
        "center_of_mass": tuple(float(x) for x in shell.sphere.center_of_mass),
    }
    outsides = {
        "sphere, as an ellipsoid": zm.bodies.ellipsoid((r, r, r), **given),
        "ellipsoid 1 : 0.98 : 0.96": zm.bodies.ellipsoid((r, 0.98 * r, 0.96 * r), **given),
        "ellipsoid 1 : 0.9 : 0.8": zm.bodies.ellipsoid((r, 0.9 * r, 0.8 * r), **given),
        "sphere, as an implicit body": zm.bodies.convex(
            implicit=lambda x, y, z: (x**2 + y**2 + z**2) / r**2 - 1, **given
        ),
    }
    return {
        "shell": shell,
        **{name: zm.Rolling(body, on=shell.surface, two_sided=True) for name, body in outsides.items()},
    }


def exact_motions(rounds: int) -> list[tuple[Case, str, float, float]]:
    """Case, setting, CPU seconds, error in m at the end, of zeromass."""
    slope = (g * np.sin(ALPHA), 0.0, -g * np.cos(ALPHA))
    systems = (
        (BALL, zm.Rolling(zm.bodies.ball(BALL.radius, BALL.mass), on=zm.surfaces.plane(), gravity=slope)),
        (COIN, zm.Rolling(zm.bodies.disc(COIN.radius, COIN.mass), on=zm.surfaces.plane(), gravity=g)),
    )
    found = []
    for case, rolling in systems:
        body = rolling.body
        given = [(body.position[:2], case.place[:2]), (body.quaternion, case.turn), (body.angular_velocity, case.spin)]
        start = rolling.start(given)
        for rtol in (1e-6, 1e-9, 1e-12):
            best = np.inf
            for _ in range(rounds + 1):
                begin = time.process_time()
                run = zm.simulate(rolling, start, until=END, rtol=rtol, atol=1e-3 * rtol)
                best = min(best, time.process_time() - begin)
            error = float(np.linalg.norm(run[rolling.center][-1][:2] - case.end[:2]))
            found.append((case, f"rtol {rtol:.0e}", best, error))
    return found


def against_peers(rounds: int) -> None:
    """Error against time, engine by engine."""
    engines = {"zeromass": exact_motions(rounds)}
    for name in ("mujoco", "drake"):
        try:
            engines[name] = importlib.import_module(f"peers.{name}_contact").cases()
        except ImportError:
            print(f"{name} is not installed")
    for case in (BALL, COIN):
        print(f"\n{case.name}, {END:g} s\n{'':12}{'setting':>14}{'ms':>10}{'error, m':>11}")
        for engine, lines in engines.items():
            for of, setting, spent, error in lines:
                if of is case:
                    print(f"{engine:12}{setting:>14}{1e3 * spent:10.3f}{error:11.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    systems = bodies()
    starts = {name: system.start(**START) for name, system in systems.items()}
    best, told = dict.fromkeys(systems, np.inf), dict.fromkeys(systems, np.inf)
    runs = {}
    for _ in range(rounds + 1):
        for name, system in systems.items():
            begin = time.process_time()
            runs[name] = zm.simulate(system, starts[name], until=25.0, rtol=1e-12, atol=1e-15)
            best[name] = min(best[name], time.process_time() - begin)
            _ = runs[name].events  # located when somebody asks for them
            told[name] = min(told[name], time.process_time() - begin)
    head = f"{'':30}{'operations':>11}{'steps':>8}{'evaluations':>13}{'ms':>8}{'shells':>8}"
    print(f"{head}{'with events':>13}{'energy drift, J':>17}")
    for name, run in runs.items():
        energy = run[systems[name].energy]
        row = run.program.operations, run.statistics.steps, run.statistics.evaluations
        times = f"{1e3 * best[name]:8.2f}{best[name] / best['shell']:8.2f}{told[name] / best['shell']:13.2f}"
        print(f"{name:30}{row[0]:11,}{row[1]:8,}{row[2]:13,}{times}{np.ptp(energy):17.1e}")
    against_peers(rounds)


if __name__ == "__main__":
    main()
