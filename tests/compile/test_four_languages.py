"""Random formulas in four languages: NumPy, machine code and C against mpmath, each up to the rounding of its operations."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from pathlib import Path

import mpmath
import numpy as np
import pytest

import zeromass as zm
from expression.formulas import VARIABLES, Tree, random_trees, value
from expression.languages import DIGITS, MPMATH
from zeromass.codegen.target import host
from zeromass.compile.lanes import LaneFunction
from zeromass.expression import Evaluator, as_expression
from zeromass.model.state import Magnitude

COMPILER = shutil.which("cc")
EPS = np.finfo(float).eps
BLOCK, POINTS = 100, 2
SECONDS = 0.5
"""For each formula, at most: a bound that a slow machine keeps, and a formula that grows without end does not."""


def in_c(
    formulas: list[zm.expression.Expression], x: np.ndarray, points: np.ndarray, folder: Path, name: str
) -> np.ndarray:
    (folder / f"{name}.c").write_text(zm.export.c_code(formulas, x))
    flags = ["-std=c99", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([str(COMPILER), *flags, f"{name}.c", "-o", f"{name}.so", "-lm"], cwd=folder, check=True)
    function = ctypes.CDLL(str(folder / f"{name}.so")).evaluate
    function.argtypes, function.restype = [ctypes.c_void_p] * 2, None
    result = np.empty((len(points), len(formulas)))
    for row, point in zip(result, points, strict=True):
        function(np.ascontiguousarray(point).ctypes.data, row.ctypes.data)
    return result


def folded(tree: Tree, x: np.ndarray) -> bool:
    """Whether a part of a formula, such as sin(2) or x**0, is a number: it is rounded before magnitudes are asked for."""
    if tree[0] in ("x", "number"):
        return False
    return as_expression(value(tree, x)).value is not None or any(folded(part, x) for part in tree[1:])


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_formulas_agree(count: int, tmp_path: Path) -> None:
    """|value − exact| ≤ 4 ε magnitude: ½ ε for each operation, for functions that are off by up to 2 units 4 times that,
    and as much again for products that are fused or shared."""
    seed = int(os.environ.get("ZEROMASS_SEED", "10000"))
    print(f"{count} formulas in four languages, ZEROMASS_SEED={seed}")
    x, begin = zm.coordinates("a b c"), time.monotonic()
    for block in range(count // BLOCK):
        trees = [tree for tree in random_trees(seed + block, 2 * BLOCK, smooth=True) if not folded(tree, x)][:BLOCK]
        assert len(trees) == BLOCK
        formulas = [value(tree, x) for tree in trees]
        points = np.random.default_rng(seed + block).uniform(-2, 2, (POINTS, VARIABLES))
        with mpmath.workdps(DIGITS):
            exact = [[value(tree, [mpmath.mpf(v) for v in point], MPMATH) for tree in trees] for point in points]
            right = np.array([[float(v.real) for v in row] for row in exact])
        magnitude = Magnitude(formulas, list(x))
        bound = 4 * EPS * np.array([magnitude(point) for point in points])
        found = {
            "NumPy": Evaluator(formulas, list(x))(points),
            "machine code": LaneFunction(formulas, list(x), host().scalar)(points),
        }
        if COMPILER:
            found["C"] = in_c(formulas, x, points, tmp_path, f"f{block}")
        for language, values in found.items():
            wrong = ~(np.abs(values - right) <= bound)
            if wrong.any():
                i, k = np.argwhere(wrong)[0]
                label = f"ZEROMASS_SEED={seed}, block {block}, formula {k} in {language}"
                pytest.fail(f"{label}: {values[i, k]!r}, exactly {right[i, k]!r}, {formulas[k]!r} at {points[i]}")
    assert time.monotonic() - begin < SECONDS * count + 60
