"""Linear systems in machine code: LU with row pivots, for real and for complex matrices of any size.

A matrix is stored by columns, each of them padded with zeros to whole chunks; of a complex one, each column holds its
real parts and then its imaginary ones. What is zero is passed over: the matrices of mechanisms are sparse.

    factor(matrix, pivots, multipliers, size, stride)   A ← L and U with inverted diagonal; 1 if a pivot is zero, else 0
    solve(matrix, pivots, x, size, stride)              x ← A⁻¹ x

`stride` is the padded length of a column, and `multipliers` room for one.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.loops import Loops
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT, POINTER

Number = Sequence[Real]
"""A real number, or the real and imaginary part of a complex one; in lanes too."""

REAL, COMPLEX = 1, 2


def product(a: Number, b: Number) -> Number:
    if len(a) == REAL:
        return [a[0] * b[0]]
    return [fma(-a[1], b[1], a[0] * b[0]), fma(a[1], b[0], a[0] * b[1])]


def less(x: Number, a: Number, b: Number) -> Number:
    """x − a b"""
    if len(x) == REAL:
        return [fma(-a[0], b[0], x[0])]
    return [fma(a[1], b[1], fma(-a[0], b[0], x[0])), fma(-a[1], b[0], fma(-a[0], b[1], x[1]))]


def inverse(a: Number) -> Number:
    if len(a) == REAL:
        return [1.0 / a[0]]
    size = 1.0 / fma(a[0], a[0], a[1] * a[1])
    return [a[0] * size, -a[1] * size]


class _Columns(Loops):
    """Numbers in columns."""

    matrix: ir.Value
    pivots: ir.Value
    size: ir.Value
    stride: ir.Value

    def __init__(
        self, module: ir.Module, target: Target, name: str, parts: int, arguments: dict[str, ir.Type], result: ir.Type
    ) -> None:
        given = {"matrix": POINTER, "pivots": POINTER, **arguments, "size": INT, "stride": INT}
        super().__init__(module, target, f"{name}_{'real' if parts == REAL else 'complex'}", given, result)
        self.matrix, self.pivots = self.arguments["matrix"], self.arguments["pivots"]
        self.size, self.stride = self.arguments["size"], self.arguments["stride"]
        self.parts: range = range(parts)

    def column(self, k: ir.Value) -> ir.Value:
        return self.row(self.matrix, k, self.times(self.stride, len(self.parts)))

    def place(self, i: ir.Value, part: int) -> ir.Value:
        return self.plus(i, self.stride) if part else i

    def one(self, column: ir.Value, i: ir.Value) -> Number:
        return [self.load(column, self.place(i, part)) for part in self.parts]

    def everywhere(self, x: Number) -> Number:
        return [self.splat(part) for part in x]

    def some(self, column: ir.Value, i: ir.Value) -> Number:
        return [self.load_chunk(column, self.place(i, part)) for part in self.parts]

    def put(self, x: Number, column: ir.Value, i: ir.Value) -> None:
        for part in self.parts:
            self.store_chunk(x[part], column, self.place(i, part))

    def exchange(self, column: ir.Value, i: ir.Value, k: ir.Value) -> None:
        for part in self.parts:
            places = self.place(i, part), self.place(k, part)
            x, y = (self.load(column, place) for place in places)
            self.store(y, column, places[0])
            self.store(x, column, places[1])

    def is_zero(self, x: Number) -> ir.Value:
        total = x[0].equals(0.0)
        for part in x[1:]:
            total = total & part.equals(0.0)
        return total.value


class Factor(_Columns):
    """L and U in place of A, column by column: what is right of a column is reduced as soon as its pivot is chosen."""

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        super().__init__(module, target, "factor", parts, {"multipliers": POINTER}, INT)
        b, l = self.b, self.arguments["multipliers"]
        with self.each(self.size) as k:
            column, following = self.column(k), self.plus(k, 1)
            p = self.pivot(column, k)
            b.store(p, self.at(self.pivots, k), align=8)
            with self.if_(b.icmp_signed("!=", p, k)), self.each(self.size) as j:
                self.exchange(self.column(j), k, p)
            inverted = inverse(self.one(column, k))
            first = self.chunk_of(following)
            with self.each(self.stride, first, CHUNK) as i:
                below, old = self.compared(">", i, k), self.some(column, i)
                x = product(old, self.everywhere(inverted))
                self.put([where(below, part, 0.0) for part in x], l, i)
                self.put([where(below, new, part) for new, part in zip(x, old, strict=True)], column, i)
            for part in self.parts:
                self.store(inverted[part], column, self.place(k, part))
            with self.each(self.size, following) as j:
                other = self.column(j)
                u = self.one(other, k)
                with self.if_(b.not_(self.is_zero(u))), self.each(self.stride, first, CHUNK) as i:
                    self.put(less(self.some(other, i), self.everywhere(u), self.some(l, i)), other, i)
        b.ret(self.int(0))
        self.finish()

    def pivot(self, column: ir.Value, k: ir.Value) -> ir.Value:
        """The row of the largest element of a column from the diagonal down; returns where all of them are zero."""
        b = self.b
        largest, place = self.variable(DOUBLE, "largest"), self.variable(INT, "place")
        self.store(-1.0, largest)
        b.store(k, place)
        with self.each(self.size, k) as i:
            x = self.one(column, i)
            size = abs(x[0]) if len(x) == REAL else abs(x[0]) + abs(x[1])
            with self.if_((size > self.load(largest)).value):
                self.store(size, largest)
                b.store(i, place)
        with self.if_(self.load(largest).equals(0.0).value):
            b.ret(self.int(1))
        return b.load(place, typ=INT)


class Solve(_Columns):
    """A⁻¹ x in place of x, from L and U."""

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        super().__init__(module, target, "solve", parts, {"x": POINTER}, ir.VoidType())
        b, x = self.b, self.arguments["x"]
        with self.each(self.size) as k:
            p = b.load(self.at(self.pivots, k), typ=INT, align=8)
            with self.if_(b.icmp_signed("!=", p, k)):
                self.exchange(x, k, p)
        with self.each(self.size) as k:
            column, known = self.column(k), self.one(x, k)
            with self.if_(b.not_(self.is_zero(known))):
                following = self.chunk_of(self.plus(k, 1))
                with self.each(self.stride, following, CHUNK) as i:
                    below = self.compared(">", i, k)
                    l = [where(below, part, 0.0) for part in self.some(column, i)]
                    self.put(less(self.some(x, i), self.everywhere(known), l), x, i)
        with self.each(self.size) as done:
            k = b.sub(b.sub(self.size, self.int(1)), done)
            column = self.column(k)
            known = self.everywhere(product(self.one(x, k), self.one(column, k)))
            with self.each(self.plus(k, 1), 0, CHUNK) as i:
                above, own = self.compared("<", i, k), self.compared("==", i, k)
                u = [where(above, part, 0.0) for part in self.some(column, i)]
                rest = less(self.some(x, i), known, u)
                self.put([where(own, new, old) for new, old in zip(known, rest, strict=True)], x, i)
        b.ret_void()
        self.finish()


def linear_systems(module: ir.Module, target: Target) -> None:
    """`factor_real`, `factor_complex`, `solve_real` and `solve_complex` as functions of a module."""
    for parts in (REAL, COMPLEX):
        Factor(module, target, parts)
        Solve(module, target, parts)
