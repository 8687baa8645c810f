"""Straight-line functions of expressions, with the elementary functions they call, as one piece of machine code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.codegen import cache, elementary, ir
from zeromass.codegen.target import FIRST, Code, Target, shared
from zeromass.compile.straight import Flavour, StraightLine, operations
from zeromass.expression import Expression
from zeromass.expression.build import ONE, divide, multiply
from zeromass.expression.node import ordered, undisturbed
from zeromass.expression.substitute import renewed

if TYPE_CHECKING:
    from zeromass.expression import Grid

Groups = Sequence[Sequence[Expression]]


def code(
    functions: Mapping[str, tuple[Groups, Groups]], target: Target, *, effort: int = FIRST, apart: bool = False
) -> Code:
    """Machine code of functions given as {name: (groups of inputs, groups of outputs)}, for a target.

    Each becomes `void name(const double *in₀, …, double *out₀, …)`; in lanes, a value stands `target.width` times in a row.
    `effort` is LLVM's, 0 to 3: functions that are called seldom are not worth much of it. `apart`: outputs of very many
    operations share little, and may be computed in several functions that one calls.
    """
    with undisturbed:
        written = _written(functions, target, apart=apart)
    return compiled(written, target, effort)


def text_of(functions: Mapping[str, tuple[Groups, Groups]], target: Target) -> tuple[str, tuple[Grid, ...]]:
    """The same functions as LLVM IR, and the grids whose arrays they read."""
    written = _written(functions, target)
    return written.text(Flavour(target.width, target.fused)), written.grids


class Written(NamedTuple):
    """Functions in LLVM's language, and what they need.

    body     text of the functions
    calls    names of the elementary functions that they call
    gridded  text of those, of functions on grids and of kernels, where they call any: it reads arrays in memory
    grids    whose arrays these are
    """

    body: str
    calls: tuple[str, ...]
    gridded: str = ""
    grids: tuple[Grid, ...] = ()

    def text(self, flavour: Flavour) -> str:
        """All of it, with the intrinsic functions that formulas call."""
        library = self.gridded or _library(self.calls, flavour)
        T, s = flavour.type, flavour.suffix
        declared = [f"declare {T} @llvm.{name}.{s}({T})" for name in ("sqrt", "fabs")]
        declared.append(f"declare {T} @llvm.fma.{s}({T}, {T}, {T})")
        missing = [line for line in declared if line.split("@")[1].split("(")[0] not in library]
        return "\n".join([library, *missing, self.body])


def _written(functions: Mapping[str, tuple[Groups, Groups]], target: Target, *, apart: bool = False) -> Written:
    flavour = Flavour(target.width, target.fused)
    lines: list[StraightLine] = []
    callers: list[str] = []
    for name, (inputs, outputs) in functions.items():
        flat = _grouped(with_reciprocals([e for group in outputs for e in group]), outputs)
        parts = _parts(flat) if apart else [flat[0]]
        if len(parts) > 1:
            callers.append(_caller(name, len(inputs), [len(part) for part in parts], flavour))
        for k, part in enumerate(parts):
            own = name if len(parts) == 1 else f"{name}.{k}"
            lines.append(StraightLine(own, inputs, flat if len(parts) == 1 else [part], flavour))
    return assembled(lines, target, callers)


def assembled(lines: Sequence[StraightLine], target: Target, callers: Sequence[str] = ()) -> Written:
    """Functions with the functions that they call."""
    flavour = Flavour(target.width, target.fused)
    calls = tuple(sorted(set().union(*[line.calls for line in lines])))
    body = "\n".join([*[line.text for line in lines], *callers])
    gridded = {name: entry for line in lines for name, entry in line.grids.items()}
    kernels = tuple(sorted(set().union(*[line.kernels for line in lines])))
    if not gridded and not kernels:
        return Written(body, calls)
    grids = tuple(gridded[name][0] for name in sorted(gridded))
    return Written(body, calls, _with_grids(calls, gridded, flavour, target, kernels), grids)


PART = 100_000
"""Operations from which a function of many outputs is made of several, each of some of them: values wait on the stack, in
code that is made quickly a megabyte for so many."""


def _parts(outputs: Groups) -> list[Sequence[Expression]]:
    """Outputs of one group, in parts of the same length where they take too many operations for one function."""
    (first,) = outputs
    count = operations(first)
    if count < PART:
        return [first]
    parts = min(len(first), -(-2 * count // PART))  # they share what several of them need: each has more than its part
    edges = [len(first) * k // parts for k in range(parts + 1)]
    return [first[a:b] for a, b in pairwise(edges)]


def _caller(name: str, inputs: int, sizes: Sequence[int], flavour: Flavour) -> str:
    """A function that calls its parts one after the other, each with its place among the outputs."""
    given = [f"ptr %in{g}" for g in range(inputs)]
    lines, first = [], 0
    for k, size in enumerate(sizes):
        lines.append(f"  %place{k} = getelementptr {flavour.type}, ptr %out0, i64 {first}")
        lines.append(f"  call void @{name}.{k}({', '.join([*given, f'ptr %place{k}'])})")
        first += size
    body = "\n".join(lines)
    return f"define void @{name}({', '.join([*given, 'ptr %out0'])}) {{\n{body}\n  ret void\n}}\n"


def _kind(width: int) -> ir.Type:
    return ir.DoubleType() if width == 1 else ir.VectorType(ir.DoubleType(), width)


def _elementary(module: ir.Module, names: tuple[str, ...], flavour: Flavour) -> None:
    for name in names:
        elementary.function(module, name, _kind(flavour.width), flavour.fused)


@lru_cache(maxsize=64)
def _library(names: tuple[str, ...], flavour: Flavour) -> str:
    """Elementary functions as text; the same few are called in most systems."""
    module = ir.Module()
    _elementary(module, names, flavour)
    return str(module)


def _with_grids(
    names: tuple[str, ...],
    gridded: Mapping[str, tuple[Grid, list[tuple[int, int]]]],
    flavour: Flavour,
    target: Target,
    kernels: Sequence[str] = (),
) -> str:
    """Elementary functions, functions on grids and kernels, as text: that of arrays where they are in memory."""
    from zeromass.compile import grid  # few systems need any of these
    from zeromass.kernel import linear
    from zeromass.kernel.unit import Unit

    module = ir.Module()
    _elementary(module, names, flavour)
    for name in sorted(gridded):
        grid.function(module, name, *gridded[name], _kind(flavour.width), flavour.fused, target.outside)
    for name in kernels:
        Unit(target.scalar, module).export(getattr(linear, name)).linkage = "internal"
    return str(module)


def _grouped(flat: list[Expression], like: Groups) -> Groups:
    rest = iter(flat)
    return [[next(rest) for _ in group] for group in like]


@lru_cache(maxsize=128)
def compiled(written: Written, target: Target, effort: int) -> Code:
    """Equal formulas have equal text: their machine code is made once."""
    flavour = Flavour(target.width, target.fused)
    sources = None if written.grids else cache.sources("codegen", "kernel", "compile")
    if sources is None:
        return Code(lambda: written.text(flavour), target, effort=effort, keep=written.grids)
    origin = cache.digest(written.body, *written.calls, sources)
    return shared(lambda: written.text(flavour), target, origin, effort)


def _worthwhile(denominator: Expression, uses: int) -> bool:
    """Whether a reciprocal saves divisions and, of a constant, is a normal number."""
    if denominator.value is None:
        return uses > 1
    return bool(np.finfo(float).tiny <= abs(denominator.value) <= 1 / np.finfo(float).tiny)


def with_reciprocals(outputs: Sequence[Expression]) -> list[Expression]:
    """Quotients of a denominator that divides more than once become products with its reciprocal.

    A division takes as long as five to ten products; the product rounds once more.
    """
    nodes = ordered(outputs)
    shared = Counter([node.args[1] for node in nodes if node.op == "divide"])
    new: dict[Expression, Expression] = {}
    known = new.keys()
    for node in nodes if shared else ():
        inverted = node.op == "divide" and _worthwhile(node.args[1], shared[node.args[1]])
        if inverted or not known.isdisjoint(node.args):
            args = [new.get(a, a) for a in node.args]
            new[node] = multiply(args[0], divide(ONE, args[1])) if inverted else renewed(node, args)
    return [new.get(e, e) for e in outputs]
