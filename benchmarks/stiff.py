"""Stiff systems: method="radau" and CVODES at equal errors, in one run.

    PYTHONPATH=src python benchmarks/stiff.py [--json FILE]

A bob of 1 kg swings for 1 s on a spring of k N/m with a damper of c N s/m instead of a rod of 1 m, and van der Pol's
oscillator with ε = 1e-6 goes on for 2 s. Every engine is run over a range of tolerances; for each error that is asked
for, its time is the shortest of the runs from which on no tighter tolerance has a larger error. Errors are those of the
places at the end, against SciPy's Radau or DOP853 at 1e-12 and 1e-13 with the stretch of the spring as a coordinate; of
van der Pol's oscillator, against the digits of the Test Set for IVP Solvers.

A time is the shortest of several runs of an engine that is ready: of zeromass all of `zm.simulate`, of CasADi one call of
its integrator (CVODES, BDF, Newton's iterations with the Jacobian that CasADi derives), of scikit-sundae one call of
CVODE.solve with formulas in Python. Peers that can not be imported are left out; they do not come with zeromass.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import zeromass as zm

G = 9.81
ENOUGH, RUNS = 0.5, 15
"""Seconds after which no further run is begun, and runs of which the shortest counts."""

TOLERANCES = 10.0 ** -np.arange(3.0, 13.1, 0.5)
ERRORS = 1e-4, 1e-6, 1e-8, 1e-10

Formulas = Callable[[Any, Any], list[Any]]
"""Accelerations from places and velocities, with an engine's own square root."""


@dataclass(frozen=True)
class Problem:
    """ẍ = a(x, ẋ) from a start until a time, and the places that are to be found there."""

    name: str
    until: float
    x: tuple[float, ...]
    v: tuple[float, ...]
    acceleration: Callable[[Any, Any, Callable], list[Any]]
    expected: np.ndarray


def spring(k: float, c: float) -> Problem:
    def acceleration(x: Any, v: Any, sqrt: Callable) -> list[Any]:
        r = sqrt(x[0] ** 2 + x[1] ** 2)
        pull = -k * (r - 1.0) - c * (x[0] * v[0] + x[1] * v[1]) / r
        return [pull * x[0] / r, pull * x[1] / r - G]

    def polar(t: float, y: np.ndarray) -> list[float]:
        δ, θ, dδ, dθ = y
        turn = (-G * np.sin(θ) - 2 * dδ * dθ) / (1 + δ)
        return [dδ, dθ, (1 + δ) * dθ**2 + G * np.cos(θ) - k * δ - c * dδ, turn]

    options = {"method": "Radau", "rtol": 1e-12} if c else {"method": "DOP853", "rtol": 1e-13}
    δ, θ, *_ = solve_ivp(polar, (0.0, 1.0), [0.0, np.pi / 2, 0.0, 0.0], atol=1e-16, **options).y[:, -1]
    place = (1 + δ) * np.array([np.sin(θ), -np.cos(θ)])
    return Problem(f"spring, k = {k:.0e}, c = {c:.0e}", 1.0, (1.0, 0.0), (0.0, 0.0), acceleration, place)


def van_der_pol(ε: float = 1e-6) -> Problem:
    def acceleration(x: Any, v: Any, sqrt: Callable) -> list[Any]:
        return [((1 - x[0] ** 2) * v[0] - x[0]) / ε]

    return Problem("van der Pol, ε = 1e-06", 2.0, (2.0,), (0.0,), acceleration, np.array([1.706167732170483]))


def zeromass(problem: Problem) -> Callable[[float], np.ndarray]:
    n = len(problem.x)
    q = np.array([zm.coordinate(f"x{i}") for i in range(n)])
    Q = problem.acceleration(q, zm.rate(q), np.sqrt)
    system = zm.System(M=np.eye(n), Q=Q, coordinates=q)
    start = system.start([(q, problem.x), (zm.rate(q), problem.v)])

    def run(rtol: float) -> np.ndarray:
        done = zm.simulate(system, start, until=problem.until, method="radau", rtol=rtol, atol=rtol)
        return done.y[-1][:n] if done.outcome.complete else np.full(n, np.nan)

    return run


def casadi(problem: Problem) -> Callable[[float], np.ndarray]:
    import casadi as ca

    n = len(problem.x)
    y = ca.SX.sym("y", 2 * n)
    x, v = ([y[i + first] for i in range(n)] for first in (0, n))
    slope = ca.vertcat(*v, *problem.acceleration(x, v, ca.sqrt))
    known: dict[float, Any] = {}

    def run(rtol: float) -> np.ndarray:
        if rtol not in known:
            options = {"reltol": rtol, "abstol": rtol, "max_num_steps": 1_000_000}
            known[rtol] = ca.integrator("run", "cvodes", {"x": y, "ode": slope}, 0.0, problem.until, options)
        return np.asarray(known[rtol](x0=[*problem.x, *problem.v])["xf"]).ravel()[:n]

    return run


def sundae(problem: Problem) -> Callable[[float], np.ndarray]:
    from math import sqrt

    from sksundae.cvode import CVODE

    n = len(problem.x)

    def slope(t: float, y: np.ndarray, yp: np.ndarray) -> None:
        state = y.tolist()
        yp[:n], yp[n:] = state[n:], problem.acceleration(state[:n], state[n:], sqrt)

    def run(rtol: float) -> np.ndarray:
        solver = CVODE(slope, rtol=rtol, atol=rtol, max_num_steps=1_000_000)
        return solver.solve(np.array([0.0, problem.until]), np.array([*problem.x, *problem.v])).y[-1][:n]

    return run


ENGINES = {"zeromass": zeromass, "CasADi's CVODES": casadi, "scikit-sundae's CVODE": sundae}


@dataclass(frozen=True)
class Measured:
    rtol: float
    error: float
    seconds: float


def measured(run: Callable[[float], np.ndarray], expected: np.ndarray) -> list[Measured]:
    """One engine over all tolerances; a run that fails has no error to speak of."""
    result = []
    for rtol in TOLERANCES.tolist():
        try:
            error = float(np.max(np.abs(run(rtol) - expected)))
        except Exception as failure:  # of whatever kind an engine's failures are
            print(f"    at {rtol:.0e}: {str(failure).strip().splitlines()[-1][:90]}")
            continue
        shortest, stop = np.inf, time.perf_counter() + ENOUGH
        for _ in range(RUNS):
            begin = time.perf_counter()
            run(rtol)
            now = time.perf_counter()
            shortest = min(shortest, now - begin)
            if now > stop:
                break
        result.append(Measured(rtol, error, shortest))
    return result


def at_error(runs: list[Measured], error: float) -> float:
    """Shortest time of the runs whose error is not larger, and not larger at any tighter tolerance either: no lucky ones."""
    loose = [k for k, run in enumerate(runs) if not run.error <= error]
    return min((run.seconds for run in runs[max(loose, default=-1) + 1 :]), default=np.nan)


def compared(problem: Problem) -> dict[str, list[Measured]]:
    print(f"\n{problem.name}")
    found: dict[str, list[Measured]] = {}
    for name, make in ENGINES.items():
        try:
            found[name] = measured(make(problem), problem.expected)
        except ImportError as error:
            print(f"    {name} is left out: {error}")
    print(f"    {'error':>8}" + "".join(f"{name:>24}" for name in found) + "      times the first")
    for error in ERRORS:
        times = [at_error(runs, error) for runs in found.values()]
        ratios = "  ".join(f"{value / times[0]:7.1f}" for value in times[1:])
        print(f"    {error:8.0e}" + "".join(f"{value * 1e3:21.2f} ms" for value in times) + f"      {ratios}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="write what was measured")
    options = parser.parse_args()
    warnings.simplefilter("ignore", zm.errors.RunStopped)
    print(f"{platform.processor() or platform.machine()}, {zm.export.host().width} lanes, {os.cpu_count()} cores")
    problems = [
        spring(1e6, 0.0),
        spring(1e6, 2e3),
        spring(1e8, 1e2),
        spring(1e8, 2e4),
        spring(1e10, 2e5),
        van_der_pol(),
    ]
    results = {problem.name: compared(problem) for problem in problems}
    if options.json:
        plain = {p: {e: [vars(run) for run in runs] for e, runs in by.items()} for p, by in results.items()}
        options.json.write_text(json.dumps(plain, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
