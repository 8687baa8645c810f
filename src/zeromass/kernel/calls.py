"""Names and calls of kernels: constants, other kernels, machine code by its address, and what the language has built in."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from zeromass.codegen import elementary, ir
from zeromass.kernel.frame import Typed, number
from zeromass.kernel.functions import BUILTIN, ELEMENTARY
from zeromass.kernel.source import Kernel
from zeromass.kernel.types import (
    DOUBLE,
    I64,
    INT,
    POINTER,
    REAL,
    Array,
    Function,
    Kind,
    Scalar,
    Tuple,
    function_type,
    machine_types,
    name_of,
)
from zeromass.kernel.views import Views

_ARGUMENTS = {"abs": 1, "len": 1, "int": 1, "float": 1, "sqrt": 1, "copysign": 2, "ulp": 1}


class Calls(Views):
    """Expressions that call something."""

    def named(self, node: ast.expr) -> tuple[bool, Any]:
        """Whether an expression names an object that is known now, no variable, and which."""
        if isinstance(node, ast.Name) and node.id not in self.variables:
            try:
                return True, self.kernel.known(node.id)
            except KeyError:
                return False, None
        if isinstance(node, ast.Attribute):
            found, owner = self.named(node.value)
            if found and hasattr(owner, node.attr):
                return True, getattr(owner, node.attr)
        return False, None

    def on_Name(self, node: ast.Name, element: int = 0) -> Typed:
        if node.id in self.variables:
            return self.load(node.id, element)
        found, known = self.named(node)
        if not found:
            raise self.error(node, f"'{node.id}' has no value here")
        return self.constant(node, known)

    def constant(self, node: ast.expr, known: Any) -> Typed:
        """A number or table of numbers of the module that a kernel is in."""
        if isinstance(known, (bool, int, float, np.number, np.bool_)):
            return number(known)
        if isinstance(known, (tuple, list, np.ndarray)) and np.asarray(known).dtype.kind in "fi":
            return self.unit.table(known)
        words = f"'{ast.unparse(node)}' is of type {type(known).__name__}: no number and no table of numbers"
        raise self.error(node, words)

    def on_Tuple(self, node: ast.Tuple) -> Typed:
        items = [self.expression(e) for e in node.elts]
        kinds, parts = tuple(i.kind for i in items), [p for i in items for p in i.parts]
        return Typed(Tuple(kinds), parts, [i.constant for i in items])

    def on_Call(self, node: ast.Call) -> Typed:
        if node.keywords:
            raise self.error(node, f"'{ast.unparse(node)}': arguments of kernels are given by their places")
        found, called = self.named(node.func)
        if not found:
            callee = self.expression(node.func)
            if not isinstance(callee.kind, Function):
                raise self.error(node, f"'{ast.unparse(node.func)}' is {name_of(callee.kind)} and can not be called")
            return self._by_address(node, callee)
        if isinstance(called, Kernel):
            return self._kernel(node, called)
        name = BUILTIN.get(called) if callable(called) else None
        if name is None:
            words = f"'{ast.unparse(node.func)}' is no kernel and not part of the language; make it a kernel"
            raise self.error(node, words)
        wanted = elementary.FUNCTIONS[name].arity if name in ELEMENTARY else _ARGUMENTS.get(name, len(node.args))
        if len(node.args) != wanted:
            raise self.error(node, f"'{name}' has {wanted} arguments, not {len(node.args)}")
        if name in ELEMENTARY:
            values = [self.real(a).value for a in node.args]
            return Typed(REAL, [elementary.emit(self.b, name, values, fused=False)])
        return getattr(self, f"call_{name}")(node)

    def _given(self, node: ast.Call, kinds: Sequence[Kind]) -> list[Typed]:
        """The arguments of a call, of the types that it takes."""
        if len(node.args) != len(kinds):
            words = f"'{ast.unparse(node.func)}' has {len(kinds)} arguments, not {len(node.args)}"
            raise self.error(node, words)
        return [
            self.converted(a, self.expression(a), kind, f"argument '{{}}' must be {name_of(kind)}")
            for a, kind in zip(node.args, kinds, strict=True)
        ]

    def _kernel(self, node: ast.Call, kernel: Kernel) -> Typed:
        kinds, result = kernel.signature
        parts = [p for value in self._given(node, list(kinds.values())) for p in value.parts]
        value = self.b.call(self.unit.function(kernel, self.kernel, node), parts)
        count = len(machine_types(result))
        return Typed(result, [value] if count == 1 else [self.b.extract_value(value, k) for k in range(count)])

    def _by_address(self, node: ast.Call, callee: Typed) -> Typed:
        kind: Function = callee.kind
        target = ir.Value(ir.PointerType(function_type(kind)), callee.value.text)
        return Typed(kind.result, [self.b.call(target, [value.value for value in self._given(node, kind.args)])])

    # built in --------------------------------------------------------------------------------------------------------
    def _intrinsic(self, name: str, *args: Typed) -> Typed:
        f = self.unit.declared(f"llvm.{name}.f64", DOUBLE, [DOUBLE] * len(args))
        return Typed(REAL, [self.b.call(f, [a.value for a in args])])

    def call_sqrt(self, node: ast.Call) -> Typed:
        return self._intrinsic("sqrt", *map(self.real, node.args))

    def call_copysign(self, node: ast.Call) -> Typed:
        return self._intrinsic("copysign", *map(self.real, node.args))

    def call_abs(self, node: ast.Call) -> Typed:
        x = self.numeric(node.args[0])
        if x.kind == REAL:
            return self._intrinsic("fabs", x)
        zero = ir.Constant(I64, 0)
        return Typed(INT, [self.b.select(self.b.icmp_signed("<", x.value, zero), self.b.sub(zero, x.value), x.value)])

    def call_ulp(self, node: ast.Call) -> Typed:
        x = self._intrinsic("fabs", *map(self.real, node.args)).value
        following = self.b.bitcast(self.b.add(self.b.bitcast(x, I64), ir.Constant(I64, 1)), DOUBLE)
        return Typed(REAL, [self.b.fsub(following, x)])

    def call_float(self, node: ast.Call) -> Typed:
        return self.real(node.args[0])

    def call_int(self, node: ast.Call) -> Typed:
        x = self.numeric(node.args[0])
        if x.kind == INT:
            return x
        convert = self.unit.declared("llvm.fptosi.sat.i64.f64", I64, [DOUBLE])
        return Typed(INT, [self.b.call(convert, [x.value])])

    def call_len(self, node: ast.Call) -> Typed:
        x = self.expression(node.args[0])
        if not isinstance(x.kind, Array):
            raise self.error(node, f"'{ast.unparse(node)}': {name_of(x.kind)} has no length")
        return Typed(INT, [x.parts[1]])

    def call_min(self, node: ast.Call) -> Typed:
        return self._extreme(node, ast.Lt())

    def call_max(self, node: ast.Call) -> Typed:
        return self._extreme(node, ast.Gt())

    def _extreme(self, node: ast.Call, relation: ast.cmpop) -> Typed:
        """Python's min and max: the first, unless a later one is smaller or larger; so are NaN and −0 treated."""
        best, *rest = [self.expression(a) for a in node.args]
        for other in rest:
            if {best.kind, other.kind} == {INT, REAL}:
                best, other = (self.as_real(x) if x.kind == INT else x for x in (best, other))
            better = self.compared(node, relation, other, best)
            best = Typed(best.kind, [self.b.select(better.value, other.value, best.value)])
        return best

    def call_reals(self, node: ast.Call) -> Typed:
        return self._local(node, REAL)

    def call_ints(self, node: ast.Call) -> Typed:
        return self._local(node, INT)

    def _local(self, node: ast.Call, element: Scalar) -> Typed:
        sizes = [self.expression(a).constant for a in node.args]
        if not all(isinstance(n, int) and n > 0 for n in sizes) or len(sizes) not in (1, 2):
            words = "the sizes of a local array, one or two, are constants; the caller gives larger ones"
            raise self.error(node, words)
        room = self.entry.alloca(ir.ArrayType(machine_types(element)[0], prod(sizes)))
        room.align = 16
        parts = [ir.Value(POINTER, room.text), *[ir.Constant(I64, n) for n in sizes]]
        found = Typed(Array(element, len(sizes)), parts)
        self.fill(found, number(0 if element == INT else 0.0), node)
        return found
