"""The stepping method in C, for engines that bring `void f(const double *y, double *dy)`."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from peers import shape
from peers.engine import Engine, Result, least_per_call

FLAGS = ("-march=native", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC")
LIBRARY = "dop853.so"


def compiler() -> str | None:
    """The C compiler of the machine."""
    return shutil.which("gcc") or shutil.which("cc")


def library(source: Path, target: Path, *flags: str) -> Path:
    """A shared library of one C file."""
    name = compiler()
    if name is None:
        raise ImportError("there is no C compiler")
    subprocess.run([name, *FLAGS, *flags, "-o", str(target), str(source), "-lm"], check=True)
    return target


def build(folder: Path) -> None:
    """Writes the coefficients and compiles the stepping method; its time is counted against no engine."""
    from zeromass.integrate.methods.dop853.coefficients import ERROR_3, ERROR_5, STAGES, A

    def sum_(weights: Mapping[int, float]) -> str:
        return " + ".join(f"{weight!r} * k[{s}][i]" for s, weight in weights.items())

    rows = {f"ROW_{s}": A[s] for s in range(1, STAGES + 1)} | {"ERROR_5": ERROR_5, "ERROR_3": ERROR_3}
    lines = [f"#define N {len(shape.start())}", f"#define STAGES {STAGES + 1}"]
    lines += [f"#define {name} {sum_(weights)}" for name, weights in rows.items()]
    (folder / "coefficients.h").write_text("\n".join(lines) + "\n")
    library(Path(__file__).with_name("dop853.c"), folder / LIBRARY, "-O3", f"-I{folder}")


def stepped(address: int, settings: str, files: os.PathLike, keep: object) -> Engine:
    """An engine of a right-hand side given by its address; `keep` stays alive with it."""
    method = ctypes.CDLL(str(Path(files) / LIBRARY))
    pointer, real = ctypes.c_void_p, ctypes.c_double
    method.dop853.argtypes, method.dop853.restype = (pointer, pointer, real, real, real), ctypes.c_long
    method.repeat.argtypes = pointer, pointer, pointer, ctypes.c_long
    y0 = shape.start()

    def run(until: float, rtol: float, atol: float) -> Result:
        y = y0.copy()
        evaluations = method.dop853(address, y.ctypes.data, until, rtol, atol)
        assert evaluations > 0, "the step has vanished"
        return Result(y[shape.CONTACT], evaluations)

    def slope() -> float:
        dy = np.empty_like(y0)
        repeat: Callable[[int], None] = lambda n: method.repeat(address, y0.ctypes.data, dy.ctypes.data, n)  # noqa: E731
        return least_per_call(repeat, count=20_000)

    run.keep = keep  # type: ignore[attr-defined]
    return Engine(f"{settings}; DOP853 in C", run, slope)
