"""Straight-line functions of expressions, with the elementary functions they call, as one piece of machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from llvmlite import ir

from zeromass.compile import elementary, grid
from zeromass.compile.machine import Code, machine
from zeromass.compile.rewrite import with_reciprocals
from zeromass.compile.straight import Flavour, StraightLine
from zeromass.expression import Expression, Grid

Groups = Sequence[Sequence[Expression]]


def code(functions: Mapping[str, tuple[Groups, Groups]], width: int = 1, *, optimisation: int = 2) -> Code:
    """Machine code of functions given as {name: (groups of inputs, groups of outputs)}, for a number of lanes.

    Each becomes `void name(const double *in₀, …, double *out₀, …)`; in lanes, a value stands `width` times in a row.
    `optimisation` is LLVM's effort, 0 to 3: functions that are called seldom are not worth much of it.
    """
    flavour = Flavour(width, machine().fused)
    lines = [
        StraightLine(
            name, inputs, _grouped(with_reciprocals([e for group in outputs for e in group]), outputs), flavour
        )
        for name, (inputs, outputs) in functions.items()
    ]
    module = ir.Module()
    kind = ir.DoubleType() if width == 1 else ir.VectorType(ir.DoubleType(), width)
    for name in sorted(set().union(*[line.calls for line in lines])):
        elementary.function(module, name, kind, flavour.fused)
    gridded = {name: entry for line in lines for name, entry in line.grids.items()}
    for name in sorted(gridded):
        grid.function(module, name, *gridded[name], kind, flavour.fused)
    T, s = flavour.type, flavour.suffix
    text = str(module)
    declared = [f"declare {T} @llvm.{name}.{s}({T})" for name in ("sqrt", "fabs")]
    declared.append(f"declare {T} @llvm.fma.{s}({T}, {T}, {T})")
    missing = [line for line in declared if line.split("@")[1].split("(")[0] not in text]
    grids = tuple(gridded[name][0] for name in sorted(gridded))
    return _compiled("\n".join([text, *missing, *[line.text for line in lines]]), grids, optimisation)


def _grouped(flat: list[Expression], like: Groups) -> Groups:
    rest = iter(flat)
    return [[next(rest) for _ in group] for group in like]


@lru_cache(maxsize=128)
def _compiled(text: str, grids: tuple[Grid, ...], optimisation: int) -> Code:
    """Equal formulas have equal text: their machine code is made once. It reads the grids' arrays where they are."""
    return Code(text, keep=grids, optimisation=optimisation)
