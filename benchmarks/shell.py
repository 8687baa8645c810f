"""The rolling shell of [UM2022], 25 s at rtol 1e-12 and atol 1e-15: zeromass and its peers, in one run.

    PYTHONPATH=src python benchmarks/shell.py [--rounds 3] [--full] [--only WORDS] [--before SRC] [--json FILE]

Each engine runs in processes of its own, in turns, so that imports count and a busy moment strikes all alike;
of each time the shortest counts. Times are CPU seconds, children such as compilers included. Peers that can not
be imported are left out, and the table says so: casadi, heyoka, jax with diffrax, numba and a C compiler do not
come with zeromass.

CasADi (but for "own formulas"), heyoka and Numba are given the accelerations that zeromass has eliminated, as a
list of operations, and CasADi's C and Numba a stepping method in C; neither counts in their time to the first
result.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from peers import pipes, shape, stepping, tape  # noqa: E402
from peers.rolling import Rolling, rolling  # noqa: E402
from peers.zeromass_engine import instructions, slope_seconds  # noqa: E402

import zeromass as zm  # noqa: E402  after the path to the peers

TIGHT = {"rtol": 1e-14, "atol": 1e-17}
"""Tolerances of the run that errors are measured against."""

SHORT = 5.0
"""Seconds of motion that the slowest engine is run for, unless asked for all with --full."""

EVALUATIONS_RK45 = 99_950
"""Of the slowest engine in 25 s, counted in a run with --full: its time for 5 s is scaled by them."""


@dataclass
class Row:
    """One engine: the module and variant that run it, and what was measured (shortest of all rounds)."""

    name: str
    module: str
    variant: str
    slow: bool = False
    measured: dict = field(default_factory=dict)

    def merge(self, new: dict) -> None:
        """Keeps the shorter times."""
        old = self.measured
        for key in ("ready", "first"):
            if key in old and key in new:
                new[key] = {clock: min(old[key][clock], new[key][clock]) for clock in new[key]}
        for key in ("run", "slope"):
            if old.get(key) is not None and new.get(key) is not None:
                new[key] = min(old[key], new[key])
        self.measured = {**old, **new}


def in_a_row(folder: Path, before: Path | None = None, count: int = 50) -> str:
    """Runs of one system one after another in a fresh process: their times, ms, and the longest pause among them."""
    command = [sys.executable, "-m", "peers.in_a_row", str(count)]
    done = subprocess.run(
        command, env=environment(folder, before), cwd=HERE, capture_output=True, text=True, check=True
    )
    later = 1e3 * np.array(json.loads(done.stdout))[1:]
    listed = " ".join(f"{x:.1f}" for x in later)
    return f"median {np.median(later):.1f} ms, longest {later.max():.1f} ms\n  {listed}"


def rows() -> list[Row]:
    return [
        Row("zeromass", "zeromass_engine", "projected"),
        Row("zeromass before", "zeromass_engine", "before, projected"),
        Row("zeromass, code kept", "zeromass_engine", "kept, projected"),
        Row("zeromass, no projection", "zeromass_engine", "free"),
        Row("NumPy pinv + SciPy RK45", "numpy_scipy", "pinv RK45"),
        Row("NumPy pinv + SciPy DOP853", "numpy_scipy", "pinv DOP853"),
        Row("NumPy KKT + SciPy DOP853", "numpy_scipy", "kkt DOP853"),
        Row("CasADi, C by gcc", "casadi_engine", "C"),
        Row("CasADi, C, own formulas", "casadi_engine", "C own"),
        Row("CasADi VM, own formulas", "casadi_engine", "VM own"),
        Row("Numba", "numba_engine", ""),
        Row("heyoka", "heyoka_engine", "default", slow=True),
        Row("heyoka, compact", "heyoka_engine", "compact"),
        Row("JAX + diffrax Dopri8", "jax_engine", ""),
    ]


def environment(folder: Path, before: Path | None = None, *, kept_code: bool = False) -> dict[str, str]:
    """Of the engines' processes: the paths of this one, one thread for BLAS, and compiled modules kept in the folder.

    before     the sources of another zeromass, which come first
    kept_code  whether machine code of earlier processes is found again
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = [str(HERE), *[path for path in sys.path if path and path != str(HERE)]]
    paths = paths if before is None else [str(before.resolve()), *paths]
    return {
        **kept,
        **threads,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "ZEROMASS_CACHE": str(folder / "code") if kept_code else "off",
    }


def imported(module: str, folder: Path) -> None:
    """Imports an engine once, so that Python has compiled its modules, as after an installation."""
    command = [sys.executable, "-c", f"import peers.{module}"]
    subprocess.run(command, env=environment(folder), cwd=HERE, capture_output=True)


def measured(row: Row, folder: Path, *, full: bool, before: Path | None) -> dict:
    """What a fresh process says of an engine."""
    short = row.module == "numpy_scipy" and row.variant.endswith("RK45") and not full
    until = SHORT if short else shape.UNTIL
    command = [sys.executable, "-m", "peers.worker", row.module, row.variant, str(folder), str(until)]
    paths = environment(folder, before if "before" in row.variant else None, kept_code="kept" in row.variant)
    done = subprocess.run(command, env=paths, cwd=HERE, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return {"skipped": f"it failed: {reason}"}
    result = json.loads(done.stdout.splitlines()[-1])
    if short and "skipped" not in result:
        scale = EVALUATIONS_RK45 / result["evaluations"]
        result["settings"] += f"; {SHORT:g} s, scaled by evaluations"
        for clock in result["first"]:
            result["first"][clock] += (scale - 1) * result["run"]
        result["run"] *= scale
        result["evaluations"] = EVALUATIONS_RK45
    return result


@dataclass(frozen=True)
class Machinery:
    """What can be said of one right-hand side of zeromass, and of the machine.

    operations            arithmetic operations of it, the watch on the pivots included
    instructions          the same, with products fused into sums
    peak, peak_with_sums  scalar fused multiply-adds a second, alone and with additions beside them
    lanes                 {lanes: seconds of one right-hand side}
    drift                 {time: distance of the tight run from the reference, m}
    """

    operations: int
    instructions: int
    peak: float
    peak_with_sums: float
    lanes: dict[int, float]
    tight: np.ndarray
    drift: dict[float, float]


def machinery(model: Rolling) -> Machinery:
    known = zm.compile(model.system, model.start)
    run = zm.simulate(model.system, model.start, until=shape.UNTIL, **TIGHT)
    contact = {t: run.at(t)[model.contact][0] for t in shape.REFERENCE}
    widths = sorted({1, 2, 4, 8, zm.export.host().width})
    return Machinery(
        known.operations,
        instructions(model),
        pipes.operations_per_second(sums=False),
        pipes.operations_per_second(sums=True),
        {w: slope_seconds(model, lanes=w) / w for w in widths if w <= zm.export.host().width},
        contact[5.0],
        {t: float(np.abs(contact[t] - digits).max()) for t, digits in shape.REFERENCE.items()},
    )


def prepared(model: Rolling, folder: Path) -> None:
    """Files that peers start from."""
    inputs = [*model.system.coordinates, *model.system.rates]
    tape.written(tape.recorded(zm.compile(model.system, model.start).acceleration, inputs), folder / "tape.json")
    if stepping.compiler():
        stepping.build(folder)


def table(engines: list[Row], tight: np.ndarray) -> str:
    base = engines[0].measured["run"]
    head = (
        "engine",
        "ready",
        "first result",
        "(wall)",
        "25 s run",
        "ratio",
        "evaluations",
        "slope",
        "error",
        "to ref.",
    )
    units = ("", "s", "s", "s", "ms", "", "", "µs", "m", "m")
    lines = [head, units]
    for row in engines:
        m = row.measured
        if "skipped" in m:
            lines.append((row.name, f"left out: {m['skipped']}"))
            continue
        contact = np.array(m["contact at 5 s"])
        m["error"] = float(np.abs(contact - tight).max())
        m["to reference"] = float(np.abs(contact - shape.REFERENCE[5.0]).max())
        m["ratio"] = m["run"] / base
        first = m["first"]
        lines.append(
            (
                row.name,
                f"{m['ready']['cpu']:.2f}",
                f"{first['cpu']:.2f}",
                f"{first['wall']:.2f}",
                f"{m['run'] * 1e3:,.2f}",
                f"{m['ratio']:,.2f}",
                f"{m['evaluations']:,}",
                f"{m['slope'] * 1e6:.3f}" if m["slope"] else "",
                f"{m['error']:.1e}",
                f"{m['to reference']:.1e}",
            )
        )
    widths = [max(len(line[i]) for line in lines if len(line) == len(head)) for i in range(len(head))]
    widths[0] = max(len(line[0]) for line in lines)
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *[x.rjust(w) for x, w in zip(line[1:], widths[1:], strict=False)]])
        for line in lines
    )


def findings(engines: list[Row], machine_: Machinery) -> list[str]:
    """The floor, the ensemble, and the goals."""
    own = engines[0].measured
    slope = min(machine_.lanes[1], own["slope"])
    floor = machine_.operations / machine_.peak
    lines = [
        f"right-hand side: {machine_.operations:,} operations, {machine_.instructions:,} instructions after fusing, "
        f"in {slope * 1e9:.0f} ns",
        f"floor: {floor * 1e9:.0f} ns at {machine_.peak / 1e9:.1f} billion fused multiply-adds a second "
        f"({machine_.peak_with_sums / 1e9:.1f} with additions beside them), an operation each; "
        f"{machine_.instructions / machine_.peak * 1e9:.0f} ns by instructions",
    ]
    for lanes, seconds in machine_.lanes.items():
        runs = 1 / seconds / own["evaluations"]
        lines.append(
            f"{lanes} lanes: {seconds * 1e9:6.1f} ns an evaluation, {runs:7.0f} runs/s/core (evaluations only)"
        )
    digits = ", ".join(f"{d:.1e} m at {t:g} s" for t, d in machine_.drift.items())
    lines.append(f"tight run (rtol {TIGHT['rtol']:g}) against the reference: {digits}")
    return lines + [f"{'met   ' if met else 'missed'}  {words}" for words, met in goals(engines, slope / floor)]


def goals(engines: list[Row], over_floor: float) -> list[tuple[str, bool]]:
    there = {row.name: row.measured for row in engines if "skipped" not in row.measured}
    own = there["zeromass"]
    peers = {name: m for name, m in there.items() if not name.startswith("zeromass")}
    others = [row for row in rows() if not row.name.startswith("zeromass")]
    which = f"measured ({len(others) - len(peers)} left out)"
    result = [(f"within 2 × the floor: {over_floor:.2f}", over_floor <= 2)]
    for name, least in (("NumPy pinv + SciPy RK45", 5000), ("NumPy KKT + SciPy DOP853", 300)):
        if name in there:
            ratio = there[name]["run"] / own["run"]
            result.append((f"{least:,} × faster than {name}: {ratio:,.0f}", ratio >= least))
    for words, value in (("run", lambda m: m["run"]), ("first result", lambda m: m["first"]["cpu"])):
        if peers:
            best = min(peers, key=lambda name: value(peers[name]))
            ratio = value(peers[best]) / value(own)
            result.append((f"ahead of every peer {which} in {words}: {ratio:.2f} × to the best, {best}", ratio > 1))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="processes for each engine")
    parser.add_argument("--full", action="store_true", help=f"run the slowest engine for 25 s, not for {SHORT:g} s")
    parser.add_argument("--only", help="engines whose names contain this, beside zeromass")
    parser.add_argument("--before", type=Path, metavar="SRC", help="sources of an earlier zeromass, for comparison")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    asked = parser.parse_args()
    engines = [r for r in rows() if r.name == "zeromass" or not asked.only or asked.only.lower() in r.name.lower()]
    engines = [r for r in engines if asked.before or "before" not in r.variant]
    model = rolling()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(model, folder)
        for module in dict.fromkeys(row.module for row in engines):
            imported(module, folder)
        for round_ in range(asked.rounds):
            for row in engines:
                if "skipped" not in row.measured and not (row.slow and round_):
                    print(f"round {round_ + 1}: {row.name}", file=sys.stderr)
                    row.merge(measured(row, folder, full=asked.full, before=asked.before))
        later = {"": in_a_row(folder), **({"before: ": in_a_row(folder, asked.before)} if asked.before else {})}
    ours = machinery(model)
    lanes = f"{zm.export.host().width} lanes of float64 in a register"
    print(f"{platform.machine()}, {lanes}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(table(engines, ours.tight), "\n")
    for row in engines:
        if "settings" in row.measured:
            print(f"{row.name}: {row.measured['settings']}")
    print()
    print("\n".join(findings(engines, ours)))
    for which, words in later.items():
        print(f"{which}runs 2 … 50 of one system in a row, on the wall: {words}")
    if asked.json:
        everything = {
            "engines": {row.name: row.measured for row in engines},
            "operations": ours.operations,
            "instructions": ours.instructions,
            "floor, s": ours.operations / ours.peak,
            "lanes, s": ours.lanes,
            "distance of the tight run from the reference, m": ours.drift,
        }
        asked.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
