"""Numbers of kernels: arithmetic, comparisons and choices, one instruction each, without fast-math flags."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from zeromass.codegen import ir
from zeromass.kernel.frame import Frame, Typed, number
from zeromass.kernel.types import BOOL, I1, INT, REAL, Array, Scalar, name_of

_REAL: dict[type, str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INT: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_BITS: dict[type, str] = {ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
_RELATIONS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class Arithmetic(Frame):
    """Expressions of numbers."""

    def on_Constant(self, node: ast.Constant) -> Typed:
        if isinstance(node.value, (bool, int, float)):
            return number(node.value)
        raise self.error(node, f"{node.value!r} is no number")

    def on_BinOp(self, node: ast.BinOp) -> Typed:
        return self.binary(node, node.op, self.expression(node.left), self.expression(node.right))

    def binary(self, node: Any, op: ast.operator, a: Typed, b: Typed) -> Typed:
        """a op b; two ints give an int, but for their quotient."""
        if type(op) in _BITS and a.kind == b.kind and a.kind in (BOOL, INT):
            return Typed(a.kind, [getattr(self.b, _BITS[type(op)])(a.value, b.value)])
        for x in (a, b):
            if x.kind not in (INT, REAL):
                hint = "; write a loop" if isinstance(x.kind, Array) else ""
                raise self.error(node, f"'{ast.unparse(node)}' calculates with {name_of(x.kind)}{hint}")
        if REAL in (a.kind, b.kind) or isinstance(op, ast.Div):
            if type(op) not in _REAL:
                raise self.error(node, f"'{ast.unparse(node)}': floats have + - * / only; write a product, or pow(…)")
            a, b = (self.as_real(x) if x.kind == INT else x for x in (a, b))
            return Typed(REAL, [getattr(self.b, _REAL[type(op)])(a.value, b.value)])
        if a.constant is not None and b.constant is not None:
            return number(_folded(op, a.constant, b.constant))
        if type(op) in _INT:
            return Typed(INT, [getattr(self.b, _INT[type(op)])(a.value, b.value)])
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._floored(a.value, b.value, isinstance(op, ast.Mod))
        raise self.error(node, f"'{ast.unparse(node)}': ints have + - * // % & | ^ only")

    def _floored(self, a: ir.Value, b: ir.Value, rest: bool) -> Typed:
        """⌊a/b⌋ or what is left, with Python's signs."""
        q, r, zero = self.b.sdiv(a, b), self.b.srem(a, b), ir.Constant(a.type, 0)
        off = self.b.and_(self.b.icmp_signed("!=", r, zero), self.b.icmp_signed("<", self.b.xor(r, b), zero))
        if rest:
            return Typed(INT, [self.b.select(off, self.b.add(r, b), r)])
        return Typed(INT, [self.b.sub(q, self.b.zext(off, a.type))])

    def on_UnaryOp(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            x = self.truth(node.operand)
            return number(not x.constant) if x.constant is not None else Typed(BOOL, [self.b.not_(x.value)])
        x = self.expression(node.operand)
        if not isinstance(node.op, (ast.USub, ast.UAdd)) or x.kind not in (INT, REAL):
            raise self.error(node, f"'{ast.unparse(node)}' is not in the language of kernels")
        if isinstance(node.op, ast.UAdd):
            return x
        if x.constant is not None:
            return number(-x.constant)
        if x.kind == REAL:
            return Typed(REAL, [self.b.fneg(x.value)])
        return Typed(INT, [self.b.sub(ir.Constant(x.value.type, 0), x.value)])

    # comparisons -----------------------------------------------------------------------------------------------------
    def on_Compare(self, node: ast.Compare) -> Typed:
        """A chain is true if all its comparisons are; each expression in it is evaluated."""
        left, found = self.expression(node.left), number(True)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.expression(comparator)
            one = self.compared(node, op, left, right)
            found = one if found.constant is True else Typed(BOOL, [self.b.and_(found.value, one.value)])
            left = right
        return found

    def compared(self, node: Any, op: ast.cmpop, a: Typed, b: Typed) -> Typed:
        """Of two numbers; with NaN all are false but !=."""
        if type(op) not in _RELATIONS or not all(isinstance(x.kind, Scalar) for x in (a, b)):
            raise self.error(node, f"'{ast.unparse(node)}': only numbers are compared, by < <= > >= == !=")
        relation = _RELATIONS[type(op)]
        if REAL in (a.kind, b.kind):
            a, b = (self.as_real(x) if x.kind == INT else x for x in (a, b))
        if a.kind != b.kind:
            raise self.error(node, f"'{ast.unparse(node)}' compares {a.kind} with {b.kind}")
        if a.kind == REAL:
            compare = self.b.fcmp_unordered if relation == "!=" else self.b.fcmp_ordered
            return Typed(BOOL, [compare(relation, a.value, b.value)])
        return Typed(BOOL, [self.b.icmp_signed(relation, a.value, b.value)])

    # choices ---------------------------------------------------------------------------------------------------------
    def on_BoolOp(self, node: ast.BoolOp) -> Typed:
        """`and`, `or`: what follows is evaluated only if it matters."""
        first, *rest = node.values
        found, decided = self.truth(first), isinstance(node.op, ast.Or)
        for other in rest:
            found = self._unless(found, decided, lambda other=other: self.truth(other))
        return found

    def _unless(self, x: Typed, decided: bool, other: Callable[[], Typed]) -> Typed:
        before = self.b.block
        more, after = self.function.append_basic_block("more"), self.function.append_basic_block("decided")
        self.b.cbranch(x.value, after if decided else more, more if decided else after)
        self.b.position_at_end(more)
        y, last = other(), self.b.block
        self.b.branch(after)
        self.b.position_at_end(after)
        return Typed(BOOL, [self._merged(I1, (ir.Constant(I1, int(decided)), before), (y.value, last))])

    def on_IfExp(self, node: ast.IfExp) -> Typed:
        test = self.truth(node.test)
        yes, no, after = (self.function.append_basic_block(name) for name in ("then", "otherwise", "chosen"))
        self.b.cbranch(test.value, yes, no)
        sides: list[tuple[Typed, ir.Block]] = []
        for block, side in ((yes, node.body), (no, node.orelse)):
            self.b.position_at_end(block)
            sides.append((self.expression(side), self.b.block))
        mixed = {value.kind for value, _ in sides} == {INT, REAL}
        for k, (value, block) in enumerate(sides):
            self.b.position_at_end(block)
            sides[k] = (self.as_real(value) if mixed and value.kind == INT else value), block
            self.b.branch(after)
        (x, at_x), (y, at_y) = sides
        if x.kind != y.kind:
            words = f"'{ast.unparse(node)}' is {name_of(x.kind)} or {name_of(y.kind)}; both must be of one type"
            raise self.error(node, words)
        self.b.position_at_end(after)
        parts = zip(x.parts, y.parts, strict=True)
        return Typed(x.kind, [self._merged(p.type, (p, at_x), (q, at_y)) for p, q in parts])

    def _merged(self, machine: ir.Type, *ways: tuple[ir.Value, ir.Block]) -> ir.Value:
        phi = self.b.phi(machine)
        for value, block in ways:
            phi.add_incoming(value, block)
        return phi


def _folded(op: ast.operator, a: int, b: int) -> int:
    """Two constant ints: the sizes of local arrays are such."""
    tree = ast.Expression(ast.BinOp(ast.Constant(a), op, ast.Constant(b)))
    return eval(compile(ast.fix_missing_locations(tree), "", "eval"))
