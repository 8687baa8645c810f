"""What the machine code of Radau's methods is written with: loops from anywhere to anywhere, masks, sums of rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, where
from zeromass.integrate.stepping.writer import CHUNK, INT, Writer

INDICES: ir.Type = ir.VectorType(INT, CHUNK)


class Loops(Writer):
    """One function under construction, with loops that may be empty and chunks of which a part counts."""

    @contextmanager
    def each(self, end: ir.Value, first: ir.Value | int = 0, step: int = 1) -> Iterator[ir.Value]:
        """for (i = first; i < end; i += step)"""
        b, before = self.b, self.b.block
        test, inside, after = (self.block(name) for name in ("test", "each", "after"))
        b.branch(test)
        b.position_at_end(test)
        i = b.phi(INT)
        i.add_incoming(self.int(first) if isinstance(first, int) else first, before)
        b.cbranch(b.icmp_signed("<", i, end), inside, after)
        b.position_at_end(inside)
        yield i
        i.add_incoming(b.add(i, self.int(step)), b.block)
        b.branch(test)
        b.position_at_end(after)

    def plus(self, a: ir.Value, b: ir.Value | int) -> ir.Value:
        return self.b.add(a, self.int(b) if isinstance(b, int) else b)

    def times(self, a: ir.Value, b: ir.Value | int) -> ir.Value:
        return self.b.mul(a, self.int(b) if isinstance(b, int) else b)

    def row(self, rows: ir.Value, i: ir.Value, pitch: ir.Value | int) -> ir.Value:
        """Address of row i, or of column i, of a matrix."""
        return self.at(rows, self.times(i, pitch))

    def as_real(self, count: ir.Value) -> Real:
        return self.real(self.b.sitofp(count, self.real(0.0).on.type))

    # chunks ----------------------------------------------------------------------------------------------------
    def chunk_of(self, i: ir.Value) -> ir.Value:
        """Where the chunk with element i begins."""
        return self.b.and_(i, self.int(-CHUNK))

    def compared(self, relation: str, i: ir.Value, k: ir.Value) -> Truth:
        """How the indices i, i + 1, … of a chunk compare with k."""
        first, bound = (self._everywhere(x) for x in (i, k))
        indices = self.b.add(first, ir.Constant(INDICES, list(range(CHUNK))))
        return Truth(self.vector(0.0).on, self.b.icmp_signed(relation, indices, bound))

    def _everywhere(self, k: ir.Value) -> ir.Value:
        nothing, place = ir.Constant(INDICES, ir.Undefined), ir.IntType(32)
        one = self.b.insert_element(nothing, k, ir.Constant(place, 0))
        return self.b.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(place, CHUNK), [0] * CHUNK))

    def store_below(self, value: Real, pointer: ir.Value, i: ir.Value, end: ir.Value) -> None:
        """Stores those values of the chunk i whose indices are below `end`; what follows them stays."""
        kept = self.load_chunk(pointer, i)
        self.store_chunk(where(self.compared("<", i, end), value, kept), pointer, i)

    def copy(self, source: ir.Value, target: ir.Value, count: ir.Value) -> None:
        """Whole chunks of values."""
        with self.each(count, step=CHUNK) as i:
            self.store_chunk(self.load_chunk(source, i), target, i)

    def weighted(
        self,
        start: Real,
        count: ir.Value,
        weights: ir.Value,
        rows: ir.Value,
        pitch: ir.Value,
        i: ir.Value,
        factor: Real | float = 1.0,
    ) -> Real:
        """start + factor Σ_j w_j x_j of the chunk i, with x_j at rows + j·pitch."""
        with self.summing(count, start) as (j, total):
            weight = self.splat(self.load(weights, j) * factor)
            total.value = fma(weight, self.load_chunk(rows, self.plus(self.times(j, pitch), i)), total.value)
        return total.value

    def not_all_finite(self, rows: ir.Value, count: ir.Value) -> ir.Value:
        """Whether one of some values is infinite or not a number: there x − x is no number."""
        with self.summing(count, self.vector(0.0), CHUNK) as (i, total):
            x = self.load_chunk(rows, i)
            total.value = total.value + (x - x)
        return self.total(total.value).is_nan().value
