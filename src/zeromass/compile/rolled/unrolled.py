"""Fronts of frequent shapes without loops, see `Shape`.

The arithmetic is that of `Loops`, to the bit: what is saved are the branches of short loops, products with zeros, and
memory for what stands elsewhere.

    growth front(values, head, names, slots, masks, residual, growth)
    growth ahead(…)     the same for what is left over and the right side: no rows are kept
    growth again(…)     the same for the rows and what is left over: the right side and the growth are known
    void   forward(values, head, unknowns, slots, residual)
    void   back(values, head, unknowns, slots, residual, to)
    void   check(values, head, unknowns, slots, right, solution, residual, sizes)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Arithmetic, Real, fma, lanes, where
from zeromass.codegen.target import Target
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.shapes import Entry, Shape, rows_of

INFINITE = 1e300
"""Growth of a pivot of the wrong sign, at least."""

LEAST = 1e-300
"""What a pivot is made of at least."""


class Unrolled:
    """The functions of a shape; or `ahead` and `again` alone.

    whole  all of its unknowns are solved for, whatever masks tell
    """

    def __init__(
        self, module: ir.Module, target: Target, shape: Shape, *, again: bool = False, whole: bool = False
    ) -> None:
        self._type: ir.Type = DOUBLE if target.width == 1 else ir.VectorType(DOUBLE, target.width)
        self._target, self._shape, self._module, self._whole = target, shape, module, whole
        self._rows = rows_of(shape)
        if again:
            self._front("ahead")
            self._front("again")
            return
        self._front("front")
        self._forward()
        self._back()
        self._check()

    def _begin(self, name: str, result: ir.Type, arguments: list[ir.Type]) -> list[ir.Value]:
        function = ir.Function(self._module, ir.FunctionType(result, arguments), f"{name}_{self._shape.name}")
        self.b: ir.IRBuilder = ir.IRBuilder(function.append_basic_block("entry"))
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

    def _told(self, slots: ir.Value, table: ir.Value) -> list[ir.Value]:
        """Where the elements and fronts begin that values come from."""
        places = self.b.gep(slots, [table], source_etype=INT32)
        return [self._place(places, k) for k in range(max(group for group, _ in self._shape.sources) + 1)]

    def _filled(self, W: ir.Value, bases: list[ir.Value], sources: Sequence[int]) -> Real:
        """The sum of what is added to an entry."""
        values = [self._load(W, bases[group], offset) for group, offset in (self._shape.sources[k] for k in sources)]
        return functools.reduce(Real.__add__, values)

    def _front(self, name: str) -> None:
        """Row by row: what stands in it, less what the pivots before take from it."""
        grows, keeps = name != "again", name != "ahead"
        p, coordinates, s = self._shape[:3]
        W, head, unknowns, slots, masks, residual, given = self._begin(
            name, self._type, [POINTER] * 5 + [INT, self._type]
        )
        b, sources, kept, columns = self.b, self._rows.sources, self._rows.places, self._rows.columns
        rows, left, names, table, first = (self._place(head, k) for k in (3, 4, 5, 6, 9))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        keep = b.gep(masks, [first], source_etype=DOUBLE)
        bases, own = self._told(slots, table), b.add(residual, first)
        F: dict[Entry, Real] = {}
        inverse: list[Real] = []
        right: list[Real] = []
        growth, zero, at = Real(self._on, given), self._on.real(0.0), 0
        for k in range(s):
            width = s + grows  # the last are sizes that pivots are made of
            row = {j: self._filled(W, bases, sources[k, j]) for j in range(k, width) if (k, j) in sources}
            to, inside = (own, k) if k < p else (b.add(residual, self._place(mine, k)), 0)
            r = self._load(W, to, inside) if grows else zero
            for i in [i for i in range(min(k, p)) if k in columns[i]]:
                part = F[i, k] * inverse[i]
                for j in [j for j in columns[i] if j >= k]:
                    row[j] = fma(-part, F[i, j], row[j]) if j in row else -part * F[i, j]
                if grows:
                    size = part if i < coordinates else -part  # what is taken from a diagonal has the sign of its pivot
                    row[s] = fma(size, F[i, k], row[s]) if s in row else size * F[i, k]
                    r = fma(-part, right[i], r)
            right.append(r)
            if grows and k:
                self._store(r, W, to, inside)
            if k >= p:
                for j in range(k, width):
                    self._store(row.get(j, zero), W, left, at + j - k)
                at += s + 1 - k
                continue
            inverse.append(1.0 / row.get(k, zero))
            if not self._whole:
                mask = b.load(b.gep(keep, [ir.Constant(INT, k)], source_etype=DOUBLE), typ=DOUBLE, align=8)
                inverse[k] = where(everywhere(self._on, mask) > 0.0, inverse[k], 0.0)
            if grows:
                growth = grown(growth, row.get(s, zero), inverse[k] if k < coordinates else -inverse[k])
            if keeps:
                self._store(inverse[k], W, rows, kept[k, k])
            for j in columns[k]:
                F[k, j] = row[j]
                if keeps and (k, j) in kept:
                    self._store(row[j], W, rows, kept[k, j])
        b.ret(growth.value)

    def _kept(self, W: ir.Value, rows: ir.Value, bases: list[ir.Value], entry: Entry) -> Real:
        """An entry of the rows, from where it is kept or still stands."""
        if entry in self._rows.told:
            return self._filled(W, bases, [self._rows.told[entry]])
        return self._load(W, rows, self._rows.places[entry])

    def _forward(self) -> None:
        p, _, s = self._shape[:3]
        W, head, unknowns, slots, residual = self._begin("forward", ir.VoidType(), [POINTER] * 4 + [INT])
        b = self.b
        rows, names, table, slot = (self._place(head, k) for k in (3, 5, 6, 11))
        mine, own = b.gep(unknowns, [names], source_etype=INT32), b.add(residual, slot)
        bases = self._told(slots, table)
        reached = [(own, i) if i < p else (b.add(residual, self._place(mine, i)), 0) for i in range(s)]
        right = [self._load(W, *at) for at in reached]
        for k in range(p):
            scaled = -(self._load(W, rows, self._rows.places[k, k]) * right[k])
            for i in self._rows.columns[k]:
                right[i] = fma(self._kept(W, rows, bases, (k, i)), scaled, right[i])
        for i in range(1, s):
            self._store(right[i], W, *reached[i])
        b.ret_void()

    def _back(self) -> None:
        p, _, s = self._shape[:3]
        W, head, unknowns, slots, residual, to = self._begin("back", ir.VoidType(), [POINTER] * 4 + [INT] * 2)
        b = self.b
        rows, names, table, first, slot = (self._place(head, k) for k in (3, 5, 6, 9, 11))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        bases = self._told(slots, table)
        x: dict[int, Real] = {i: self._load(W, b.add(to, self._place(mine, i))) for i in range(p, s)}
        for k in reversed(range(p)):
            total = self._load(W, b.add(residual, first), k)
            for i in reversed(self._rows.columns[k]):  # the last known comes last, so that others need not wait for it
                total = fma(-self._kept(W, rows, bases, (k, i)), x[i], total)
            x[k] = self._load(W, rows, self._rows.places[k, k]) * total
            self._store(x[k], W, b.add(to, slot), k)
        b.ret_void()

    def _check(self) -> None:
        """r and |r| of the pivots, and what the entries that are filled in here take from r and add to the sizes."""
        p = self._shape.pivots
        W, head, unknowns, slots, right, solution, residual, sizes = self._begin(
            "check", ir.VoidType(), [POINTER] * 5 + [INT] * 3
        )
        b = self.b
        names, table, first, slot = (self._place(head, k) for k in (5, 6, 9, 11))
        mine = b.gep(unknowns, [names], source_etype=INT32)
        bases = self._told(slots, table)
        told = b.gep(right, [b.shl(first, ir.Constant(INT, 1))], source_etype=INT32)
        reached = sorted({i for entry in self._rows.own for i in entry} | set(range(p)))
        at = {i: (slot, i) if i < p else (self._place(mine, i), 0) for i in reached}
        x = {i: self._load(W, b.add(solution, at[i][0]), at[i][1]) for i in reached}
        R: dict[int, Real] = {}
        S: dict[int, Real] = {}
        for i in reached:
            if i < p:
                R[i] = self._load(W, self._place(told, 2 * i)) + self._load(W, self._place(told, 2 * i + 1))
                S[i] = abs(R[i])
            else:
                R[i], S[i] = (self._load(W, b.add(base, at[i][0]), at[i][1]) for base in (residual, sizes))
        for (i, j), sources in self._rows.own.items():
            value = self._filled(W, bases, sources)
            for to, by in ((i, j), (j, i)) if i != j else ((i, i),):
                R[to] = fma(-value, x[by], R[to])
                S[to] = fma(abs(value), abs(x[by]), S[to])
        for i in reached:
            self._store(R[i], W, b.add(residual, at[i][0]), at[i][1])
            self._store(S[i], W, b.add(sizes, at[i][0]), at[i][1])
        b.ret_void()


def grown(growth: Real, whole: Real, inverse: Real) -> Real:
    """The larger of the growth so far and that of a pivot, by what it is made of: infinite of zero and of the wrong sign.

    inverse  of the pivot, positive where it has the right sign; 0 of one that is left out
    """
    ratio = (whole + LEAST) * inverse
    return where(ratio > growth, ratio, where(ratio >= 0.0, growth, ratio * -INFINITE))


def everywhere(on: Arithmetic, value: ir.Value) -> Real:
    """One number in every lane."""
    if on.type == DOUBLE:
        return Real(on, value)
    count = lanes(on.type)
    none = ir.Constant(on.type, ir.Undefined)
    one = on.builder.insert_element(none, value, ir.Constant(INT32, 0))
    return Real(on, on.builder.shuffle_vector(one, none, ir.Constant(ir.VectorType(INT32, count), [0] * count)))
