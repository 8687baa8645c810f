"""A kernel under construction as a function of LLVM IR: typed values, variables, conversions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.codegen import ir
from zeromass.kernel.source import Kernel, KernelError
from zeromass.kernel.types import (
    ADDRESS,
    BOOL,
    DOUBLE,
    I1,
    I64,
    INT,
    POINTER,
    REAL,
    Array,
    Kind,
    Tuple,
    machine_types,
    name_of,
)

if TYPE_CHECKING:
    from zeromass.kernel.unit import Unit


class Typed:
    """A value: its type, the machine values it is made of, and the number it is if that is known."""

    __slots__ = ("constant", "kind", "parts")

    def __init__(self, kind: Kind, parts: Sequence[ir.Value], constant: Any = None) -> None:
        self.kind: Kind = kind
        self.parts: list[ir.Value] = list(parts)
        self.constant: Any = constant

    @property
    def value(self) -> ir.Value:
        """Of a type that is one machine value, or of an array its pointer."""
        return self.parts[0]


class Variable(NamedTuple):
    """A variable: its values, if it is assigned once and before all that follows, or else the cells that they are in."""

    kind: Kind
    parts: Sequence[ir.Value]
    fixed: bool


UNREAD: ir.Value = ir.Constant(I64, ir.Undefined)
"""A size of an array that nobody needs."""


def is_unread(kind: Kind, part: int, element: int) -> bool:
    """Whether a part of an array, its first size, does not tell where an element with so many indices is."""
    return part == 1 and isinstance(kind, Array) and kind.ndim == element


def number(x: Any) -> Typed:
    """A constant."""
    if isinstance(x, (bool, np.bool_)):
        return Typed(BOOL, [ir.Constant(I1, int(x))], bool(x))
    if isinstance(x, (int, np.integer)):
        return Typed(INT, [ir.Constant(I64, int(x))], int(x))
    return Typed(REAL, [ir.Constant(DOUBLE, float(x))], float(x))


class Frame(ABC):
    """The function of a kernel in a unit: its variables, each with one type, that of its first value."""

    def __init__(self, unit: Unit, kernel: Kernel, function: ir.Function) -> None:
        self.unit, self.kernel, self.function = unit, kernel, function
        self.kinds, self.result = kernel.signature
        self.variables: dict[str, Variable] = {}
        self.body: list[ast.stmt] = kernel.node.body
        self.assignments: Counter[str] = Counter(assigned(self.body))
        self.entry: ir.IRBuilder = ir.IRBuilder(function.append_basic_block("entry"))
        self.start: ir.Block = function.append_basic_block("body")
        self.b: ir.IRBuilder = ir.IRBuilder(self.start)
        rest = list(function.args)
        for name, kind in self.kinds.items():
            count = len(machine_types(kind))
            given = Typed(kind, rest[:count])
            if self.assignments[name]:
                self.declare(name, kind)
                self.store(name, given)
            else:
                self.fix(name, given)
            rest = rest[count:]

    def error(self, node: Any, words: str) -> KernelError:
        return self.kernel.error(node, words)

    @abstractmethod
    def expression(self, node: ast.expr) -> Typed:
        """The value of an expression."""

    # variables -------------------------------------------------------------------------------------------------------
    def declare(self, name: str, kind: Kind) -> None:
        """A new variable, zero at first."""
        cells: list[ir.Value] = []
        for machine in machine_types(kind):
            cell = self.entry.alloca(machine)
            self.entry.store(ir.Constant(machine, None), cell)
            cells.append(cell)
        self.variables[name] = Variable(kind, cells, fixed=False)

    def fix(self, name: str, value: Typed) -> None:
        """A new variable that keeps its value."""
        self.variables[name] = Variable(value.kind, value.parts, fixed=True)

    def store(self, name: str, value: Typed) -> None:
        for part, cell in zip(value.parts, self.variables[name].parts, strict=True):
            self.b.store(part, cell)

    def load(self, name: str, element: int = 0) -> Typed:
        """The value of a variable; of an array whose element with so many indices is meant, no more than tells its place."""
        kind, parts, fixed = self.variables[name]
        if not fixed:
            parts = [UNREAD if is_unread(kind, k, element) else self.b.load(cell) for k, cell in enumerate(parts)]
        return Typed(kind, parts)

    # types -----------------------------------------------------------------------------------------------------------
    def converted(self, node: Any, value: Typed, kind: Kind, what: str) -> Typed:
        """A value as one of another type: an int may be an address, but only a constant one becomes a float by itself.

        what  is said of the type, with {} for the source of the node
        """
        if value.kind == kind:
            return value
        if value.kind == INT and kind == REAL and value.constant is not None:
            return self.as_real(value)
        if value.kind == INT and kind == ADDRESS:
            return Typed(ADDRESS, [self.b.inttoptr(value.value, POINTER)])
        if isinstance(value.kind, type) and kind == ADDRESS:
            return Typed(ADDRESS, [value.value])
        if isinstance(kind, Tuple) and isinstance(value.kind, Tuple) and len(kind.items) == len(value.kind.items):
            parts = [self.converted(node, v, k, what) for v, k in zip(self.split(value), kind.items, strict=True)]
            return Typed(kind, [p for part in parts for p in part.parts])
        hint = ""
        if {value.kind, kind} == {INT, REAL}:
            hint = "; write float(…)" if kind == REAL else "; begin it with a float such as 0.0, or write int(…)"
        raise self.error(node, f"{what.format(ast.unparse(node))}, and not {name_of(value.kind)}{hint}")

    def split(self, value: Typed) -> list[Typed]:
        """The values of a tuple."""
        found: list[Typed] = []
        rest = value.parts
        for k, kind in enumerate(value.kind.items):
            count = len(machine_types(kind))
            found.append(Typed(kind, rest[:count], None if value.constant is None else value.constant[k]))
            rest = rest[count:]
        return found

    def as_real(self, value: Typed) -> Typed:
        """An int as a float."""
        if value.constant is not None:
            return number(float(value.constant))
        return Typed(REAL, [self.b.sitofp(value.value, DOUBLE)])

    def whole(self, node: ast.expr) -> Typed:
        """An expression that must be an int."""
        value = self.expression(node)
        if value.kind != INT:
            raise self.error(node, f"'{ast.unparse(node)}' is {name_of(value.kind)} where an int is needed")
        return value

    def numeric(self, node: ast.expr) -> Typed:
        """An expression that must be a number."""
        value = self.expression(node)
        if value.kind not in (INT, REAL):
            raise self.error(node, f"'{ast.unparse(node)}' is {name_of(value.kind)} where a number is needed")
        return value

    def real(self, node: ast.expr) -> Typed:
        """The same, as a float."""
        value = self.numeric(node)
        return self.as_real(value) if value.kind == INT else value

    def truth(self, node: ast.expr) -> Typed:
        """An expression that must be a bool."""
        value = self.expression(node)
        if value.kind != BOOL:
            raise self.error(node, f"'{ast.unparse(node)}' is {name_of(value.kind)} where a bool is needed; compare it")
        return value

    def pointed(self, place: ir.Value, at: ir.Value | int) -> ir.Value:
        """Address of a word."""
        return self.b.gep(place, [ir.Constant(I64, at) if isinstance(at, int) else at], source_etype=I64)

    def note(self, wrong: ir.Value, node: Any) -> None:
        """In debug mode: notes the kernel and line where something is wrong, unless something was before."""
        place = ir.Value(POINTER, f'@"{self.unit.FAULT}"')
        known, here = self.b.load(place, typ=I64), ir.Constant(I64, self.unit.fault_of(self.kernel, node.lineno))
        first = self.b.and_(wrong, self.b.icmp_signed("==", known, ir.Constant(I64, 0)))
        self.b.store(self.b.select(first, here, known), place)


def assigned(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that statements assign to, each as often as they do."""
    for node in body:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                yield from (name.id for name in names if isinstance(name, ast.Name))
        if isinstance(node, (ast.For, ast.While, ast.If)):
            yield from assigned(node.body)
            yield from assigned(node.orelse)
