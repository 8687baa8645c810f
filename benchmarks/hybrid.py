"""Motions with many switches, first result included: python benchmarks/hybrid.py PART

rope    60 links that fall onto a floor, each end with a stiff contact: collocation and Radau's method

Each run is in a process of its own without kept machine code: its time is that of the model, the start, the compilation and
the steps. CPU seconds, since other work may share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import zeromass as zm

LINKS, LENGTH, MASS, HEIGHT, SLOPE, GRAVITY = 60, 1.2, 0.3, 0.5, 0.3, 9.81
"""Links of a rope, its length, m, mass, kg, the height of its held end, m, and its slope at first, rad."""

WITHIN = 3.0
"""Times the run with collocation that the one with Radau's method may take."""

Model = tuple[zm.System, dict[Any, float], list[np.ndarray]]
"""A rope, its start, and the ends of its links."""


def contact(z: Any, w: Any, k: float) -> Any:
    """Force of a floor at z = 0 on a point that moves up at w: a spring of k N/m and a damper."""
    return k * np.maximum(-z, 0.0) - k / 1e4 * zm.where(z < 0, w, 0.0)


def angles(k: float, *, relative: bool = False) -> Model:
    """n coordinates: the angles of the links with the horizontal, or with the link before."""
    q = zm.coordinates(" ".join(f"q{i}" for i in range(LINKS)))
    φ = np.cumsum(q) if relative else q
    x, z = LENGTH / LINKS * np.cumsum(np.cos(φ)), HEIGHT + LENGTH / LINKS * np.cumsum(np.sin(φ))
    vx, vz = zm.rate(x), zm.rate(z)
    m = MASS / LINKS
    force = np.array([contact(a, b, k) for a, b in zip(z, vz, strict=True)])
    forces = dict(zip(q, force @ zm.jacobian(z, q), strict=True))
    system = zm.System(
        kinetic=m / 2 * (vx @ vx + vz @ vz), potential=m * GRAVITY * np.sum(z), coordinates=q, forces=forces
    )
    first = [SLOPE if i == 0 or not relative else 0.0 for i in range(LINKS)]
    return system, dict(zip(q, first, strict=True)), [np.array([a, b]) for a, b in zip(x, z, strict=True)]


def beads(k: float) -> Model:
    """3n coordinates and n rods: a large system, with multifrontal code."""
    end: Any = np.array([0.0, 0.0, HEIGHT])
    parts, rods, forces, first = [], {}, [], {}
    for i in range(LINKS):
        bead = zm.Particle(f"bead {i}", MASS / LINKS)
        rod = bead.position - end
        rods[f"rod {i}"] = (rod @ rod - (LENGTH / LINKS) ** 2) / (2 * LENGTH / LINKS)
        forces.append(zm.Force([0, 0, contact(bead.position[2], bead.velocity[2], k)], at=bead.position))
        along = LENGTH / LINKS * (i + 1)
        place = [along * np.cos(SLOPE), 0.0, HEIGHT + along * np.sin(SLOPE)]
        first.update(zip(bead.position, place, strict=True))
        parts.append(bead)
        end = bead.position
    system = zm.System(parts, constraints=rods, forces=forces, gravity=GRAVITY)
    return system, first, [bead.position[[0, 2]] for bead in parts]


MODELS: dict[str, Callable[[float], Model]] = {
    "angles": angles,
    "relative angles": lambda k: angles(k, relative=True),
    "beads": beads,
}


def one(model: str, method: Any, k: float, until: float) -> dict[str, Any]:
    """One run, in this process."""
    begin, wall = time.process_time(), time.perf_counter()
    system, first, ends = MODELS[model](k)
    run = zm.simulate(system, system.start(first), until=until, method=method, rtol=1e-6, atol=1e-8)
    seconds, wall = time.process_time() - begin, time.perf_counter() - wall
    assert run.outcome.complete, str(run.outcome)
    places = run.at([until])[np.concatenate(ends)].ravel().tolist()
    steps, switches = run.statistics.steps, len(run.switches)
    return {"cpu": seconds, "wall": wall, "steps": steps, "switches": switches, "places": places}


def rope(asked: argparse.Namespace) -> None:
    """Collocation and Radau's method on each model of the rope."""
    head = f"{'model':17s}{'method':13s}{'CPU, s':>8s}{'wall, s':>9s}{'steps':>8s}{'switches':>10s}"
    print(f"{head}{'apart, m':>10s}{'ratio':>7s}")
    for model in MODELS:
        if asked.only not in model:
            continue
        found: dict[str, dict[str, Any]] = {}
        for method in ("collocation", "radau"):
            given = ["--one", model, method, "--stiffness", str(asked.stiffness), "--until", str(asked.until)]
            process = subprocess.run(
                [sys.executable, __file__, "rope", *given],
                env={**os.environ, "ZEROMASS_CACHE": "off"},
                check=True,
                capture_output=True,
                text=True,
            )
            run = found[method] = json.loads(process.stdout)
            line = f"{model:17s}{method:13s}{run['cpu']:8.2f}{run['wall']:9.2f}{run['steps']:8d}{run['switches']:10d}"
            if method == "radau":
                other = found["collocation"]
                apart, ratio = np.abs(np.subtract(run["places"], other["places"])).max(), run["cpu"] / other["cpu"]
                verdict = "met" if ratio <= WITHIN else "missed"
                line += f"{apart:10.1e}{ratio:7.2f}  {verdict}: within {WITHIN:g} × collocation"
            print(line, flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {"rope": rope}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--stiffness", type=float, default=2e4, help="of a contact, N/m")
    parser.add_argument("--until", type=float, default=0.6, help="s")
    parser.add_argument("--only", default="", help="models whose names contain this")
    parser.add_argument("--one", nargs=2, metavar=("MODEL", "METHOD"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        model, method = asked.one
        print(json.dumps(one(model, method, asked.stiffness, asked.until)))
    else:
        PARTS[asked.part](asked)


if __name__ == "__main__":
    main()
