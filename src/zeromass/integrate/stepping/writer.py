"""A writer of LLVM IR for loops over state vectors, used by the stepping methods.

State vectors are arrays of float64 padded to whole chunks of `CHUNK` values, so that every loop runs over full SIMD
registers; the padding of a state holds 1 and of its derivatives 0, which adds nothing to any norm.

The same formulas serve several states side by side, in lanes: a number is then one of each of them, `members` values in a
row, and a chunk is `CHUNK` such numbers. Sums keep their order, so that a lane ends with the bits of a state alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Arithmetic, Real, fma
from zeromass.codegen.target import Target

CHUNK = 8
DOUBLE: ir.Type = ir.DoubleType()
INT: ir.Type = ir.IntType(64)
POINTER: ir.Type = ir.PointerType()
VECTOR: ir.Type = ir.VectorType(DOUBLE, CHUNK)


@dataclass
class Sum:
    """A sum carried from one turn of a loop to the next."""

    value: Real


class Writer:
    """One function under construction; `members` is the number of states side by side.

    chunk  numbers that loops over state vectors take at once
    """

    chunk: ClassVar[int] = CHUNK

    def __init__(
        self,
        module: ir.Module,
        target: Target,
        name: str,
        arguments: Mapping[str, ir.Type],
        result: ir.Type,
        members: int = 1,
    ) -> None:
        self.function: ir.Function = ir.Function(module, ir.FunctionType(result, list(arguments.values())), name)
        for argument, label in zip(self.function.args, arguments, strict=True):
            argument.name = label
        self.arguments: dict[str, ir.Value] = dict(zip(arguments, self.function.args, strict=True))
        self._entry = ir.IRBuilder(self.function.append_basic_block("entry"))
        body = self.function.append_basic_block("body")
        self.b: ir.IRBuilder = ir.IRBuilder(body)
        self._body = body
        self.fused: bool = target.fused
        self.members: int = members
        self.real_type: ir.Type = DOUBLE if members == 1 else ir.VectorType(DOUBLE, members)
        self.chunk_type: ir.Type = ir.VectorType(DOUBLE, self.chunk * members)

    def finish(self) -> None:
        """Closes the entry block, which holds the local variables."""
        self._entry.branch(self._body)

    # numbers ---------------------------------------------------------------------------------------------------
    def real(self, value: ir.Value | float) -> Real:
        """A float64 number that formulas can be written with; in lanes, one in each."""
        return Arithmetic(self.b, self.real_type, self.fused).real(value)

    def vector(self, value: ir.Value | float) -> Real:
        """A chunk of float64 values that formulas can be written with."""
        return Arithmetic(self.b, self.chunk_type, self.fused).real(value)

    def int(self, value: int) -> ir.Constant:
        return ir.Constant(INT, value)

    def from_int(self, value: ir.Value) -> Real:
        """An int64 as a number, the same in every lane."""
        x = self.b.sitofp(value, DOUBLE)
        return self.real(x if self.members == 1 else self._spread(x, self.members))

    def splat(self, x: Real) -> Real:
        """A number in every place of a chunk."""
        if self.members == 1:
            return self.vector(self._spread(x.value, self.chunk))
        return self.vector(self._shuffled(x.value, list(range(self.members)) * self.chunk))

    def gathered(self, array: ir.Value, places: Sequence[ir.Value]) -> Real:
        """Numbers that stand apart in an array, one in each lane."""
        values = [self.b.load(self.cell(array, place), typ=DOUBLE, align=8) for place in places]
        return self.real(values[0] if self.members == 1 else self._side_by_side(values))

    def _side_by_side(self, values: Sequence[ir.Value]) -> ir.Value:
        """Several float64, one after another in a vector."""
        found = ir.Constant(ir.VectorType(DOUBLE, len(values)), ir.Undefined)
        for k, value in enumerate(values):
            found = self.b.insert_element(found, value, ir.Constant(ir.IntType(32), k))
        return found

    def _spread(self, x: ir.Value, count: int) -> ir.Value:
        """One float64, `count` times."""
        nothing = ir.Constant(ir.VectorType(DOUBLE, count), ir.Undefined)
        return self._shuffled(self.b.insert_element(nothing, x, ir.Constant(ir.IntType(32), 0)), [0] * count)

    def _shuffled(self, x: Any, places: Sequence[int]) -> ir.Value:
        """Some places of a vector; what is not taken is undefined, which LLVM recognises a number in every place by."""
        mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places))
        return self.b.shuffle_vector(x, ir.Constant(x.type, ir.Undefined), mask)

    def _part(self, x: Real, k: int) -> Real:
        """One of the numbers of a chunk."""
        if self.members == 1:
            return self.real(self.b.extract_element(x.value, ir.Constant(ir.IntType(32), k)))
        return self.real(self._shuffled(x.value, range(k * self.members, (k + 1) * self.members)))

    def shifted(self, x: Real, first: Real) -> Real:
        """A chunk moved on by one place, with another number in the first."""
        places = [ir.Constant(ir.IntType(32), k) for k in (CHUNK, *range(CHUNK - 1))]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), CHUNK), places)
        return self.vector(self.b.shuffle_vector(x.value, self.splat(first).value, mask))

    def total(self, x: Real) -> Real:
        """Sum over a chunk, in a fixed order."""
        parts = [self._part(x, k) for k in range(self.chunk)]
        while len(parts) > 1:
            parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    # memory ----------------------------------------------------------------------------------------------------
    def at(self, pointer: ir.Value, index: ir.Value | int) -> ir.Value:
        """Address of a number in an array."""
        index = self.int(index) if isinstance(index, int) else index
        return self.cell(pointer, index if self.members == 1 else self.b.mul(index, self.int(self.members)))

    def cell(self, pointer: ir.Value, index: ir.Value | int) -> ir.Value:
        """Address of one float64 or int64 in an array."""
        return self.b.gep(pointer, [self.int(index) if isinstance(index, int) else index], source_etype=DOUBLE)

    def load(self, pointer: ir.Value, index: ir.Value | int = 0) -> Real:
        return self.real(self.b.load(self.at(pointer, index), typ=self.real_type, align=8))

    def store(self, value: Real | float, pointer: ir.Value, index: ir.Value | int = 0) -> None:
        number = value.value if isinstance(value, Real) else self.real(value).value
        self.b.store(number, self.at(pointer, index), align=8)

    def load_int(self, pointer: ir.Value, index: int) -> ir.Value:
        return self.b.load(self.cell(pointer, index), typ=INT, align=8)

    def store_int(self, value: ir.Value, pointer: ir.Value, index: int) -> None:
        self.b.store(value, self.cell(pointer, index), align=8)

    def count(self, pointer: ir.Value, index: int, by: int = 1) -> None:
        """Adds to a counter."""
        self.store_int(self.b.add(self.load_int(pointer, index), self.int(by)), pointer, index)

    def load_chunk(self, pointer: ir.Value, index: ir.Value) -> Real:
        return self.vector(self.b.load(self.at(pointer, index), typ=self.chunk_type, align=8))

    def store_chunk(self, value: Real, pointer: ir.Value, index: ir.Value) -> None:
        self.b.store(value.value, self.at(pointer, index), align=8)

    def variable(self, type: ir.Type, name: str) -> ir.Value:
        """A local variable."""
        return self._entry.alloca(type, name=name)

    # control ---------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(self, count: ir.Value, step: int = 1) -> Iterator[ir.Value]:
        """for (i = 0; i < count; i += step), count > 0."""
        with self.sums(count, [], step) as (i, _):
            yield i

    @contextmanager
    def summing(self, count: ir.Value, start: Real, step: int = 1) -> Iterator[tuple[ir.Value, Sum]]:
        """The same loop with a sum that begins at `start` and stays in a register."""
        with self.sums(count, [start], step) as (i, (total,)):
            yield i, total

    @contextmanager
    def sums(self, count: ir.Value, starts: Sequence[Real], step: int = 1) -> Iterator[tuple[ir.Value, list[Sum]]]:
        """The same with several sums."""
        before = self.b.block
        inside, after = (self.function.append_basic_block(name) for name in ("loop", "done"))
        self.b.branch(inside)
        self.b.position_at_end(inside)
        i, *carried = [self.b.phi(type) for type in (INT, *[start.on.type for start in starts])]
        i.add_incoming(self.int(0), before)
        for phi, start in zip(carried, starts, strict=True):
            phi.add_incoming(start.value, before)
        sums = [Sum(Real(start.on, phi)) for phi, start in zip(carried, starts, strict=True)]
        yield i, sums
        following = self.b.add(i, self.int(step))
        i.add_incoming(following, self.b.block)
        for phi, total in zip(carried, sums, strict=True):
            phi.add_incoming(total.value.value, self.b.block)
        self.b.cbranch(self.b.icmp_signed("<", following, count), inside, after)
        self.b.position_at_end(after)

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    @contextmanager
    def if_(self, condition: ir.Value) -> Iterator[None]:
        with self.b.if_then(condition):
            yield

    def call(self, function: ir.Value, *arguments: ir.Value) -> None:
        """Calls a function given by its address, see `function_pointer`."""
        self.b.call(function, list(arguments))

    # formulas on state vectors ---------------------------------------------------------------------------------
    def combination(self, weights: Mapping[int, float], stages: ir.Value, size: ir.Value, i: ir.Value) -> Real:
        """Σ w_s k_s of one chunk i, with stage s at stages + s·size."""
        total: Real | None = None
        for s, weight in weights.items():
            place = self.b.add(self.b.mul(self.int(s), size), i)
            k = self.load_chunk(stages, place)
            total = k * weight if total is None else fma(k, weight, total)
        assert total is not None
        return total


def function_pointer(arguments: int) -> ir.Type:
    """The type of a pointer to a `void f(ptr, …)`."""
    return ir.PointerType(ir.FunctionType(ir.VoidType(), [POINTER] * arguments))
