"""Kernels as Python: the syntax tree with quotients, conversions and indices rewritten to what machines do.

Python raises where IEEE 754 has ±∞ or NaN, and counts negative indices from the end. Lines stay where they are, so that a
debugger steps through the source as it is written.
"""

from __future__ import annotations

import ast
import copy
import math
from typing import Any


def divide(a: float, b: float) -> float:
    """a/b of IEEE 754."""
    a, b = float(a), float(b)
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


LEAST, MOST = -(2**63), 2**63 - 1


def truncate(x: float) -> int:
    """The whole number next to x towards zero, within 64 bits; 0 of NaN."""
    if math.isnan(x):
        return 0
    return max(LEAST, min(MOST, int(x))) if math.isfinite(x) else MOST if x > 0 else LEAST


def index(i: Any) -> Any:
    """An index, which counts from the front."""
    if i < 0:
        raise IndexError(f"index {i} is negative")
    return i


def part(low: Any, high: Any, array: Any) -> slice:
    """A part of an array, inside it."""
    low, high = 0 if low is None else low, len(array) if high is None else high
    if not 0 <= low <= high <= len(array):
        raise IndexError(f"the part from {low} to {high} is not inside an array of length {len(array)}")
    return slice(low, high)


NAMES: dict[str, Any] = {"__divide": divide, "__truncate": truncate, "__index": index, "__part": part}
"""What the rewritten tree calls."""


def as_python(function: ast.FunctionDef) -> ast.Module:
    """A module with the rewritten function, without its decorators and annotations."""
    new = copy.deepcopy(function)
    new.decorator_list, new.returns = [], None
    for argument in new.args.args:
        argument.annotation = None
    rewriter = _Rewriter()
    new.body = [rewriter.visit(node) for node in new.body]
    return ast.fix_missing_locations(ast.Module([new], []))


def _call(name: str, *args: ast.expr | None, at: ast.AST) -> ast.Call:
    given = [ast.Constant(None) if a is None else a for a in args]
    return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name(name, ast.Load()), given, []), at))


class _Rewriter(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _call("__divide", node.left, node.right, at=node) if isinstance(node.op, ast.Div) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.op, ast.Div):
            self.generic_visit(node)
            return node
        quotient = ast.copy_location(ast.BinOp(loaded(node.target), ast.Div(), node.value), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], quotient), node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        value = ast.Constant(None) if node.value is None else node.value
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], value), node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "int":
            node.func = ast.copy_location(ast.Name("__truncate", ast.Load()), node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        new = [self._place(place, node, k) for k, place in enumerate(places)]
        node.slice = ast.copy_location(ast.Tuple(new, ast.Load()), node) if len(new) > 1 else new[0]
        return node

    def _place(self, place: ast.expr, node: ast.Subscript, k: int) -> ast.expr:
        if isinstance(place, ast.Slice):
            array = loaded(node.value)
            if k:  # a part of a row
                first = ast.copy_location(ast.Constant(0), place)
                array = ast.copy_location(ast.Subscript(array, first, ast.Load()), place)
            return _call("__part", place.lower, place.upper, array, at=place)
        return place if isinstance(place, ast.Constant) else _call("__index", place, at=place)


def loaded(target: Any) -> Any:
    """What is assigned to, as an expression that reads it."""
    read = copy.deepcopy(target)
    read.ctx = ast.Load()
    return read
