# pyright: reportArgumentType=false, reportReturnType=false
# llvmlite has no types: what its builder returns is taken for None
"""Fronts of frequent shapes without loops, see `Shape`.

The arithmetic is that of `Loops`, to the bit: what is saved are the branches of short loops, products with zeros, and
memory for what stands elsewhere.

    growth front(values, head, unknowns, slots, masks, residual, growth)
    void   forward(values, head, unknowns, slots, residual)
    void   back(values, head, unknowns, slots, residual, to)
"""

from __future__ import annotations

from llvmlite import ir

from zeromass.compile.elementary.arithmetic import Arithmetic, Real, fma, where
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.shapes import Entry, Shape, rows_of
from zeromass.compile.target import Target

INFINITE = 1e300
"""Growth of a pivot of the wrong sign."""


class Unrolled:
    """The functions of a shape."""

    def __init__(self, module: ir.Module, target: Target, shape: Shape) -> None:
        self._type: ir.Type = DOUBLE if target.width == 1 else ir.VectorType(DOUBLE, target.width)
        self._target, self._shape, self._module = target, shape, module
        self._rows = rows_of(shape)
        self._front()
        self._forward()
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
        p, coordinates, s, _, _ = self._shape
        W, head, unknowns, slots, masks, residual, given = self._begin(
            "front", self._type, [POINTER] * 5 + [INT, self._type]
        )
        b = self.b
        rows, left, names, table = (self._place(head, k) for k in (3, 4, 5, 6))
        first = self._place(head, 9)
        mine = b.gep(unknowns, [names], source_etype=INT32)
        places = b.gep(slots, [table], source_etype=INT32)
        keep = b.gep(masks, [first], source_etype=DOUBLE)
        F, zero = self._entries(W, places), self._on.real(0.0)
        reached = [b.add(residual, self._place(mine, i)) for i in range(s)]
        right = [self._load(W, at) for at in reached]
        growth = Real(self._on, given)
        for k in range(p):
            d, whole = F.get((k, k), zero), F.get((k, s), zero)
            size = d if k < coordinates else -d
            mask = b.load(b.gep(keep, [ir.Constant(INT, k)], source_etype=DOUBLE), typ=DOUBLE, align=8)
            kept = b.fcmp_ordered("!=", mask, ir.Constant(DOUBLE, 0.0))
            inverse = 1.0 / d
            growth = grown(growth, size, whole * (inverse if k < coordinates else -inverse), kept)
            inverse = Real(self._on, b.select(kept, inverse.value, zero.value))
            self._store(inverse, W, rows, self._rows.places[k, k])
            columns = self._rows.columns[k]
            for j in columns:
                if (k, j) in self._rows.places:
                    self._store(F[k, j], W, rows, self._rows.places[k, j])
            for n, i in enumerate(columns):
                a = F[k, i]
                share = -(a * inverse)
                for j in columns[n:]:
                    F[i, j] = fma(share, F[k, j], F[i, j]) if (i, j) in F else share * F[k, j]
                F[i, s] = fma(abs(share), abs(a), F[i, s]) if (i, s) in F else abs(share) * abs(a)
                right[i] = fma(share, right[k], right[i])
        for n, entry in enumerate((i, j) for i in range(p, s) for j in range(i, s + 1)):
            self._store(F.get(entry, zero), W, left, n)
        for i in range(1, s):
            self._store(right[i], W, reached[i])
        b.ret(growth.value)

    def _entries(self, W: ir.Value, places: ir.Value) -> dict[Entry, Real]:
        """What a front is filled with."""
        F: dict[Entry, Real] = {}
        for entry, sources in self._rows.sources.items():
            for source in sources:
                value = self._load(W, self._place(places, source))
                F[entry] = F[entry] + value if entry in F else value
        return F

    def _kept(self, W: ir.Value, rows: ir.Value, places: ir.Value, entry: Entry) -> Real:
        """An entry of the rows, from where it is kept or still stands."""
        if entry in self._rows.told:
            return self._load(W, self._place(places, self._rows.told[entry]))
        return self._load(W, rows, self._rows.places[entry])

    def _forward(self) -> None:
        p, _, s, _, _ = self._shape
        W, head, unknowns, slots, residual = self._begin("forward", ir.VoidType(), [POINTER] * 4 + [INT])
        b = self.b
        rows, names, table = (self._place(head, k) for k in (3, 5, 6))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        places = b.gep(slots, [table], source_etype=INT32)
        reached = [b.add(residual, self._place(mine, i)) for i in range(s)]
        right = [self._load(W, at) for at in reached]
        for k in range(p):
            scaled = -(self._load(W, rows, self._rows.places[k, k]) * right[k])
            for i in self._rows.columns[k]:
                right[i] = fma(self._kept(W, rows, places, (k, i)), scaled, right[i])
        for i in range(1, s):
            self._store(right[i], W, reached[i])
        b.ret_void()

    def _back(self) -> None:
        p, _, s, _, _ = self._shape
        W, head, unknowns, slots, residual, to = self._begin("back", ir.VoidType(), [POINTER] * 4 + [INT] * 2)
        b = self.b
        rows, names, table, first = (self._place(head, k) for k in (3, 5, 6, 9))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        places = b.gep(slots, [table], source_etype=INT32)
        x: dict[int, Real] = {i: self._load(W, b.add(to, self._place(mine, i))) for i in range(p, s)}
        for k in reversed(range(p)):
            total = self._load(W, b.add(residual, first), k)
            for i in reversed(self._rows.columns[k]):  # the last known comes last, so that others need not wait for it
                total = fma(-self._kept(W, rows, places, (k, i)), x[i], total)
            x[k] = self._load(W, rows, self._rows.places[k, k]) * total
            self._store(x[k], W, b.add(to, first), k)
        b.ret_void()


def grown(growth: Real, size: Real, ratio: Real, kept: ir.Value) -> Real:
    """The larger of the growth so far and that of a pivot, `size` with the sign that it must have."""
    b = growth.on.builder
    ratio = where(size > 0.0, ratio, where(size.is_nan(), size, INFINITE))
    larger = where(ratio > growth, ratio, where(ratio.is_nan(), ratio, growth))
    return Real(growth.on, b.select(kept, larger.value, growth.value))
