# pyright: reportArgumentType=false, reportReturnType=false
# llvmlite has no types: what its builder returns is taken for None
"""Fronts of frequent shapes without loops: a shape is how many pivots and unknowns there are, and how a front is filled.

The arithmetic is that of `Loops`, to the bit: what is saved are the branches of short loops.

    growth front(values, head, unknowns, slots, masks, residual, growth)
    void   back(values, head, unknowns, residual, to)
"""

from __future__ import annotations

from typing import NamedTuple

from llvmlite import ir

from zeromass.compile.cache import digest
from zeromass.compile.elementary.arithmetic import Arithmetic, Real, fma, where
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.target import Target

INFINITE = 1e300
"""Growth of a pivot of the wrong sign."""

OFTEN = 24
"""Fronts of one shape from which on it is worth code of its own."""

LARGEST = 1500
"""Products in a front up to which it is."""

SOURCES = 16
"""Values that are added to one entry of it at most."""

SHAPES = 12
"""Shapes of a system that get code of their own at most."""


class Shape(NamedTuple):
    """Pivots, coordinates among them, unknowns, and how many values are added to each entry."""

    pivots: int
    coordinates: int
    unknowns: int
    counts: bytes

    @property
    def products(self) -> int:
        return sum((self.unknowns - k) * (self.unknowns - k - 1) // 2 for k in range(self.pivots))

    @property
    def name(self) -> str:
        return "_".join(map(str, self[:3])) + f"_{digest(self.counts)}"


class Unrolled:
    """The two functions of a shape."""

    def __init__(self, module: ir.Module, target: Target, shape: Shape) -> None:
        self._type: ir.Type = DOUBLE if target.width == 1 else ir.VectorType(DOUBLE, target.width)
        self._target, self._shape, self._module = target, shape, module
        self._front()
        self._back()

    def _begin(self, name: str, result: ir.Type, arguments: list[ir.Type]) -> list[ir.Value]:
        function = ir.Function(self._module, ir.FunctionType(result, arguments), f"{name}_{self._shape.name}")
        self.b = ir.IRBuilder(function.append_basic_block("entry"))
        self._on = Arithmetic(self.b, self._type, self._target.fused)
        return list(function.args)

    def _place(self, table: ir.Value, i: int | ir.Value) -> ir.Value:
        i = ir.Constant(INT, i) if isinstance(i, int) else i
        at = self.b.gep(table, [i], source_etype=INT32)
        return self.b.sext(self.b.load(at, typ=INT32, align=4), INT)

    def _at(self, W: ir.Value, first: ir.Value, i: int = 0) -> ir.Value:
        return self.b.gep(W, [self.b.add(first, ir.Constant(INT, i)) if i else first], source_etype=self._type)

    def _load(self, W: ir.Value, first: ir.Value, i: int = 0) -> Real:
        return Real(self._on, self.b.load(self._at(W, first, i), typ=self._type, align=8))

    def _store(self, x: Real, W: ir.Value, first: ir.Value, i: int = 0) -> None:
        self.b.store(x.value, self._at(W, first, i), align=8)

    def _front(self) -> None:
        p, coordinates, s, _ = self._shape
        W, head, unknowns, slots, masks, residual, given = self._begin(
            "front", self._type, [POINTER] * 5 + [INT, self._type]
        )
        b = self.b
        rows, left, names, table = (self._place(head, k) for k in (3, 4, 5, 6))
        first = self._place(head, 9)
        mine = b.gep(unknowns, [names], source_etype=INT32)
        places = b.gep(slots, [table], source_etype=INT32)
        keep = b.gep(masks, [first], source_etype=DOUBLE)
        F: dict[tuple[int, int], Real] = {}
        at, source = 0, 0
        for i in range(s):
            for j in range(i, s + 1):
                for _ in range(self._shape.counts[at]):
                    value = self._load(W, self._place(places, source))
                    F[i, j] = F[i, j] + value if (i, j) in F else value
                    source += 1
                at += 1
        right = [self._load(W, b.add(residual, self._place(mine, i))) for i in range(s)]
        growth, at, zero = Real(self._on, given), 0, self._on.real(0.0)
        for k in range(p):
            d, whole = F.get((k, k), zero), F.get((k, s), zero)
            size = d if k < coordinates else -d
            mask = b.load(b.gep(keep, [ir.Constant(INT, k)], source_etype=DOUBLE), typ=DOUBLE, align=8)
            kept = b.fcmp_ordered("!=", mask, ir.Constant(DOUBLE, 0.0))
            inverse = Real(self._on, b.select(kept, (1.0 / d).value, zero.value))
            ratio = where(size > 0.0, whole / size, where(size.is_nan(), size, INFINITE))
            larger = where(ratio > growth, ratio, where(ratio.is_nan(), ratio, growth))
            growth = Real(self._on, b.select(kept, larger.value, growth.value))
            self._store(inverse, W, rows, at)
            for j in range(k + 1, s):
                self._store(F.get((k, j), zero), W, rows, at + j - k)
            at += s + 1 - k
            for i in [i for i in range(k + 1, s) if (k, i) in F]:
                a = F[k, i]
                share = -(a * inverse)
                for j in [j for j in range(i, s) if (k, j) in F]:
                    F[i, j] = fma(share, F[k, j], F[i, j]) if (i, j) in F else share * F[k, j]
                F[i, s] = fma(abs(share), abs(a), F[i, s]) if (i, s) in F else abs(share) * abs(a)
                right[i] = fma(share, right[k], right[i])
        at = 0
        for i in range(p, s):
            for j in range(i, s + 1):
                self._store(F.get((i, j), zero), W, left, at)
                at += 1
        for i in range(1, s):
            self._store(right[i], W, b.add(residual, self._place(mine, i)))
        b.ret(growth.value)

    def _back(self) -> None:
        p, _, s, _ = self._shape
        W, head, unknowns, residual, to = self._begin("back", ir.VoidType(), [POINTER] * 3 + [INT] * 2)
        b = self.b
        rows, names, first = (self._place(head, k) for k in (3, 5, 9))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        x: dict[int, Real] = {i: self._load(W, b.add(to, self._place(mine, i))) for i in range(p, s)}
        for k in reversed(range(p)):
            at = k * (s + 1) - k * (k - 1) // 2
            total = self._load(W, b.add(residual, first), k)
            for i in range(k + 1, s):
                total = fma(-self._load(W, rows, at + i - k), x[i], total)
            x[k] = self._load(W, rows, at) * total
            self._store(x[k], W, b.add(to, first), k)
        b.ret_void()
