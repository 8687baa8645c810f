# pyright: reportArgumentType=false, reportReturnType=false
# llvmlite has no types: what its builder returns is taken for None
"""What the elements of a kind take from the residual: r ← r − K x and sizes ← sizes + |K| |x|, in a loop over instances.

    void check(values, places, instances, first, solution, residual, sizes)

places  int32, (instances, blocks + 1): the first unknown of each block, and of the multipliers of the rows
first   where the entries of the first instance begin
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from zeromass.compile.elementary.arithmetic import Arithmetic, Real, fma
from zeromass.compile.rolled.equations import ROWS, Unknown
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.layout import Place
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.target import Target

CHECK: ir.Type = ir.FunctionType(ir.VoidType(), [POINTER] * 2 + [INT] * 5)


class Check:
    """The function of one kind, by the equations of a task."""

    def __init__(self, module: ir.Module, target: Target, name: str, kind: Kind, place: Place, task: str) -> None:
        self._type: ir.Type = DOUBLE if target.width == 1 else ir.VectorType(DOUBLE, target.width)
        function = ir.Function(module, CHECK, name)
        self._W, table, count, first, x, r, sizes = function.args
        entry, loop, end = (function.append_basic_block(label) for label in ("entry", "loop", "end"))
        ir.IRBuilder(entry).branch(loop)
        b: Any = ir.IRBuilder(loop)
        self.b: Any = b
        self._on = Arithmetic(b, self._type, target.fused)
        k = b.phi(INT)
        k.add_incoming(ir.Constant(INT, 0), entry)
        width = kind.blocks.shape[1] + 1
        row = b.mul(k, ir.Constant(INT, width))
        bases = [self._index(table, b.add(row, ir.Constant(INT, c))) for c in range(width)]
        entries = b.add(first, b.mul(k, ir.Constant(INT, place.stride)))
        matrix = kind.equations(task).matrix
        unknowns: list[Unknown] = list(dict.fromkeys(u for a, c, _ in matrix for u in (a, c)))
        at = {u: b.add(bases[-1 if u[0] == ROWS else u[0]], ir.Constant(INT, u[1])) for u in unknowns}
        X, R, S = ({u: self._load(b.add(base, at[u])) for u in unknowns} for base in (x, r, sizes))
        absolute = {u: abs(value) for u, value in X.items()}
        known = {
            e: self._on.real(e.value)
            if e.value is not None
            else self._load(b.add(entries, ir.Constant(INT, place.matrix.index(e))))
            for e in dict.fromkeys(e for *_, e in matrix)
        }
        for u, v, e in matrix:
            value = known[e]
            for to, by in ((u, v), (v, u)) if u != v else ((u, v),):
                R[to] = fma(-value, X[by], R[to])
                S[to] = fma(abs(value), absolute[by], S[to])
        for u in unknowns:
            self._store(R[u], b.add(r, at[u]))
            self._store(S[u], b.add(sizes, at[u]))
        following = b.add(k, ir.Constant(INT, 1))
        k.add_incoming(following, loop)
        b.cbranch(b.icmp_signed("<", following, count), loop, end)
        ir.IRBuilder(end).ret_void()

    def _index(self, table: ir.Value, i: ir.Value) -> ir.Value:
        at = self.b.gep(table, [i], source_etype=INT32)
        return self.b.sext(self.b.load(at, typ=INT32, align=4), INT)

    def _load(self, i: ir.Value) -> Real:
        at = self.b.gep(self._W, [i], source_etype=self._type)
        return Real(self._on, self.b.load(at, typ=self._type, align=8))

    def _store(self, x: Real, i: ir.Value) -> None:
        self.b.store(x.value, self.b.gep(self._W, [i], source_etype=self._type), align=8)
