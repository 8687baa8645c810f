"""Machine code of loops over tables: memory, indices, and values carried along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Arithmetic, Real
from zeromass.codegen.target import Target
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.plan import Plan


class _Carried:
    def __init__(self, values: Sequence[ir.Value]) -> None:
        self.now: list[ir.Value] = list(values)
        self.next: list[ir.Value] = list(values)


Range = tuple[ir.Value, ir.Value]
"""From the first to before the last."""


class Looping:
    """A function that is being written: values in lanes, and loops."""

    def __init__(self, module: ir.Module, target: Target, name: str, given: Sequence[ir.Type]) -> None:
        self._w = target.width
        self._type: ir.Type = DOUBLE if self._w == 1 else ir.VectorType(DOUBLE, self._w)
        self._function = ir.Function(module, ir.FunctionType(ir.VoidType(), given), name)
        self._module = module
        self.b: ir.IRBuilder = ir.IRBuilder(self._function.append_basic_block("entry"))
        self._on = Arithmetic(self.b, self._type, target.fused)
        self._W: ir.Value = self._function.args[0]

    # memory ----------------------------------------------------------------------------------------------------------
    def int(self, value: int) -> ir.Constant:
        return ir.Constant(INT, value)

    def _at(self, i: ir.Value) -> ir.Value:
        return self.b.gep(self._W, [i], source_etype=self._type)

    def load(self, i: ir.Value) -> Real:
        return Real(self._on, self.b.load(self._at(i), typ=self._type, align=8))

    def store(self, x: Real, i: ir.Value) -> None:
        self.b.store(x.value, self._at(i), align=8)

    def _index(self, table: ir.Value, i: ir.Value) -> ir.Value:
        """An int32 of a table."""
        at = self.b.gep(table, [i], source_etype=INT32)
        return self.b.sext(self.b.load(at, typ=INT32, align=4), INT)

    # control ---------------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(
        self, first: ir.Value, last: ir.Value, start: Sequence[ir.Value] = (), *, some: bool = False, down: bool = False
    ) -> Iterator[tuple[ir.Value, _Carried]]:
        """for (i = first; i < last; ++i), or from last − 1 down, with values carried along; `some`: at least once."""
        b, before = self.b, self.b.block
        inside, after = (self._function.append_basic_block() for _ in range(2))
        if not some:
            b.cbranch(b.icmp_signed("<", first, last), inside, after)
        else:
            b.branch(inside)
        b.position_at_end(inside)
        k = b.phi(INT)
        k.add_incoming(first, before)
        phis = [b.phi(x.type) for x in start]
        for phi, x in zip(phis, start, strict=True):
            phi.add_incoming(x, before)
        carried = _Carried(phis)
        i = b.sub(b.add(first, last), b.add(k, self.int(1))) if down else k
        yield i, carried
        following = b.add(k, self.int(1))
        k.add_incoming(following, b.block)
        for phi, x in zip(phis, carried.next, strict=True):
            phi.add_incoming(x, b.block)
        end = b.block
        b.cbranch(b.icmp_signed("<", following, last), inside, after)
        b.position_at_end(after)
        results = []
        for x, new in zip(start, carried.next, strict=True):
            result = b.phi(x.type)
            result.add_incoming(new, end)
            if not some:
                result.add_incoming(x, before)
            results.append(result)
        carried.now = results

    def _blocks(self, count: int) -> list[ir.Block]:
        return [self._function.append_basic_block() for _ in range(count)]


class Writing(Looping):
    """A function `name(plan, values, t, y, parameters, slopes, growth)` that is being written."""

    def __init__(self, module: ir.Module, target: Target, name: str) -> None:
        super().__init__(module, target, name, [POINTER] * 7)
        names = ("plan", "values", "t", "y", "parameters", "slopes", "growth")
        self._a = dict(zip(names, self._function.args, strict=True))
        self._W = self._a["values"]
        self._p = {place: self._plan(place) for place in Plan}

    def _plan(self, place: Plan) -> ir.Value:
        at = self.b.gep(self._a["plan"], [self.int(int(place))], source_etype=INT)
        return self.b.load(at, typ=INT, align=8)

    def _pointer(self, place: Plan) -> ir.Value:
        return self.b.inttoptr(self._p[place], POINTER)

    def _number(self, table: ir.Value, i: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(table, [i], source_etype=DOUBLE), typ=DOUBLE, align=8)

    def _int64(self, table: ir.Value, i: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(table, [i], source_etype=INT), typ=INT, align=8)

    def ask(self, at: ir.Value) -> None:
        """Asks for a line of memory that will be needed."""
        kind = ir.FunctionType(ir.VoidType(), [POINTER] + [INT32] * 3)
        known = self._module.globals.get("llvm.prefetch.p0") or ir.Function(self._module, kind, "llvm.prefetch.p0")
        self.b.call(known, [at, *[ir.Constant(INT32, x) for x in (0, 2, 1)]])

    def _all(self, count: Plan) -> Range:
        return self.int(0), self._p[count]
