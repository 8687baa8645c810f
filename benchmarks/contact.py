"""Bodies that are no spheres: ellipsoids on the dimpled bowl against the shell, 25 s at rtol 1e-12.

    PYTHONPATH=src python benchmarks/contact.py [--rounds 5]

All have the mass, inertia and centre of mass of the shell of Udwadia & Mogharabin and start as it does. CPU time of one core
(the shortest of some runs that take turns). What a body costs is its right-hand side; how many steps it takes is its motion:
the flatter the ellipsoid, the more it tumbles.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

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
        "sphere, as an ellipsoid": zm.ellipsoid((r, r, r), **given),
        "ellipsoid 1 : 0.98 : 0.96": zm.ellipsoid((r, 0.98 * r, 0.96 * r), **given),
        "ellipsoid 1 : 0.9 : 0.8": zm.ellipsoid((r, 0.9 * r, 0.8 * r), **given),
        "sphere, as an implicit body": zm.convex(implicit=lambda x, y, z: (x**2 + y**2 + z**2) / r**2 - 1, **given),
    }
    return {
        "shell": shell,
        **{name: zm.Rolling(body, on=shell.surface, two_sided=True) for name, body in outsides.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    systems = bodies()
    starts = {name: system.start(**START) for name, system in systems.items()}
    best = dict.fromkeys(systems, np.inf)
    runs = {}
    for _ in range(rounds + 1):
        for name, system in systems.items():
            begin = time.process_time()
            runs[name] = zm.simulate(system, starts[name], until=25.0, rtol=1e-12, atol=1e-15)
            best[name] = min(best[name], time.process_time() - begin)
    print(f"{'':30}{'operations':>11}{'steps':>8}{'evaluations':>13}{'ms':>8}{'shells':>8}{'energy drift, J':>17}")
    for name, run in runs.items():
        energy = run[systems[name].energy]
        row = run.program.operations, run.statistics.steps, run.statistics.evaluations
        times = f"{1e3 * best[name]:8.2f}{best[name] / best['shell']:8.2f}"
        print(f"{name:30}{row[0]:11,}{row[1]:8,}{row[2]:13,}{times}{np.ptp(energy):17.1e}")


if __name__ == "__main__":
    main()
