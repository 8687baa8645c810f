"""A million members on a graphics card: seconds of the kernel, errors, and the time from a cold process to the Dataset.

    PYTHONPATH=src python benchmarks/gpu.py [--members 1000000] [--bowl dimpled|moving]

The shell of [UM2022] rolls for 25 s, with projection, in the dimpled bowl or on the moving one, at rtol 1e-9 and 1e-12; its
contact point at the end is kept. Errors are those of the contact point's place at 5 s, the largest over 16 members, against
`simulate` at rtol 1e-13; beside them stands that of the same members in lanes of this machine, and how many of 256 members
end with the same bits there. The time of a cold process is that of another one which imports, compiles and sweeps, several
times; neither zeromass nor the driver, in ~/.nv, keep what they have compiled.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

import zeromass as zm

COMPARED, TWICE, COLD = 16, 256, 5


def shell(bowl: str) -> tuple[zm.System, zm.State, Any, Any]:
    """The system, its start, and the two parameters of that."""
    vx, vy = zm.parameter("vx", 1.5), zm.parameter("vy", 1.0)
    dimpled = zm.surfaces.dimpled_bowl()
    moving = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=dimpled if bowl == "dimpled" else moving, gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(vx, vy), spin=0.0, orientation=(1, 0, 0, 0))  # type: ignore[arg-type]
    return rolling, start, vx, vy


def study(bowl: str, members: int, rtol: float, until: float, on: Any) -> Any:
    """The Dataset of a square of velocities about those of the paper."""
    rolling, start, vx, vy = shell(bowl)
    side = max(1, round(members**0.5))
    over = {vx: np.linspace(1.4, 1.6, side), vy: np.linspace(0.9, 1.1, -(-members // side))}
    keep = {"contact": rolling.contact}  # type: ignore[attr-defined]
    return zm.sweep(rolling, start, over=over, keep=keep, until=until, rtol=rtol, atol=rtol * 1e-3, on=on)


def error(bowl: str, found: Any, until: float) -> float:
    """Largest error of the contact point over some members, m."""
    rolling, start, vx, vy = shell(bowl)
    worst = 0.0
    for k in range(COMPARED):
        values = {vx: float(found.vx[k % found.sizes["vx"]]), vy: float(found.vy[k % found.sizes["vy"]])}
        assert start.made_of is not None
        begin = start.made_of.start(rolling, {**start.parameters, **values})
        run = zm.simulate(rolling, begin, until=until, rtol=1e-13, atol=1e-16)
        exact = run[rolling.contact][-1]  # type: ignore[attr-defined]
        worst = max(worst, float(np.abs(found.contact.sel(vx=values[vx], vy=values[vy]).values - exact).max()))
    return worst


def cold(arguments: argparse.Namespace) -> float:
    """Seconds from the start of a process to its Dataset, by the clock that both look at."""
    again = [sys.executable, __file__, "--cold", "--members", str(arguments.members), "--bowl", arguments.bowl]
    kept_nowhere = {"CUDA_CACHE_DISABLE": "1", "ZEROMASS_CACHE": "off"}
    begin = time.time()
    told = subprocess.run(again, check=True, env={**os.environ, **kept_nowhere}, capture_output=True, text=True).stdout
    end, finished, members = map(float, told.split())
    assert finished == members, f"{members - finished:.0f} members did not finish"
    return end - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--bowl", choices=["dimpled", "moving"], default="dimpled")
    parser.add_argument("--cold", action="store_true", help="one study, and nothing else")
    arguments = parser.parse_args()
    if arguments.cold:
        found = study(arguments.bowl, arguments.members, 1e-9, 25.0, "gpu")
        print(time.time(), int((found.outcome == "finished").sum()), found.outcome.size)
        return

    from zeromass.study.gpu_driver import Card

    times = [cold(arguments) for _ in range(COLD)]
    print(f"cold process to the Dataset: {', '.join(f'{seconds:.2f}' for seconds in times)} s")
    for rtol in (1e-9, 1e-12):
        before, begin = Card.first().seconds, time.perf_counter()
        found = study(arguments.bowl, arguments.members, rtol, 25.0, "gpu")
        kernel, whole = Card.first().seconds - before, time.perf_counter() - begin
        finished = int((found.outcome == "finished").sum())
        print(
            f"rtol {rtol:g}: kernel {kernel:.3f} s, {found.outcome.size / kernel:,.0f} runs/s; study {whole:.2f} s; "
            f"{finished} of {found.outcome.size} finished, {float(found.steps.mean()):.0f} steps, "
            f"{float(found.rejected.mean()):.0f} rejected"
        )
        short, lanes = (study(arguments.bowl, TWICE, rtol, 5.0, on) for on in ("gpu", "lanes"))
        same = (short.contact.values == lanes.contact.values).all(axis=-1)
        errors = [error(arguments.bowl, one, 5.0) for one in (short, lanes)]
        print(f"  error at 5 s: {errors[0]:.1e} m, in lanes {errors[1]:.1e} m; same bits: {same.sum()} of {same.size}")


if __name__ == "__main__":
    main()
