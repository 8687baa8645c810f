"""Arrays and structs of kernels: elements, rows, parts, fields."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from zeromass.codegen import ir
from zeromass.kernel.arithmetic import Arithmetic
from zeromass.kernel.frame import UNREAD, Typed, is_unread, number
from zeromass.kernel.structs import Struct, fields
from zeromass.kernel.types import (
    DOUBLE,
    I1,
    I64,
    INT,
    POINTER,
    REAL,
    Array,
    Function,
    Kind,
    Tuple,
    machine_types,
    name_of,
)


class Place(NamedTuple):
    """Where values of a type are in memory: the address of the first word."""

    kind: Kind
    address: ir.Value


class Views(Arithmetic):
    """Expressions that read memory, and what is written there."""

    @abstractmethod
    def named(self, node: ast.expr) -> tuple[bool, Any]:
        """Whether an expression names an object that is known now, no variable, and which."""

    @abstractmethod
    def on_Name(self, node: ast.Name, element: int = 0) -> Typed:
        """A variable or constant; of an array whose element with so many indices is meant, no more than tells its place."""

    @abstractmethod
    def constant(self, node: ast.expr, known: Any) -> Typed:
        """A number or table of numbers of the module that a kernel is in."""

    def on_Subscript(self, node: ast.Subscript) -> Typed:
        of = self.indexed(node)
        if isinstance(of.kind, Tuple):
            k = self.expression(node.slice).constant
            if not isinstance(k, int) or not 0 <= k < len(of.kind.items):
                raise self.error(node, f"'{ast.unparse(node)}': the index of a tuple is a constant inside it")
            return self.split(of)[k]
        found = self.viewed(node, of)
        return self.read(found) if isinstance(found, Place) else found

    def indexed(self, node: ast.Subscript) -> Typed:
        """What has indices; of an array whose element is meant, no more than tells its place."""
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        element = 0 if self.unit.debug or any(isinstance(index, ast.Slice) for index in indices) else len(indices)
        if isinstance(node.value, ast.Name):
            return self.on_Name(node.value, element)
        return (
            self.on_Attribute(node.value, element)
            if isinstance(node.value, ast.Attribute)
            else self.expression(node.value)
        )

    def viewed(self, node: ast.Subscript, of: Typed) -> Place | Typed:
        """An element of an array, by its place; or a row, or a part."""
        if not isinstance(of.kind, Array):
            raise self.error(node, f"'{ast.unparse(node.value)}' is {name_of(of.kind)}, no array")
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > of.kind.ndim:
            raise self.error(node, f"'{ast.unparse(node)}' has {len(indices)} indices, the array {of.kind.ndim}")
        for k, index in enumerate(indices):
            if isinstance(index, ast.Slice):
                if index.step is not None or k != len(indices) - 1:
                    raise self.error(node, f"'{ast.unparse(node)}': a part is of rows that follow one another")
                return self._part(of, index, node)
            i = self.whole(index).value
            outside = ((">=", i, of.parts[1]),)  # as an unsigned number, a negative one is large
            if of.kind.ndim == 1:
                spare = ir.Value(POINTER, f'@"{self.unit.SPARE}"')
                return Place(of.kind.element, self._inside(self.pointed(of.value, i), spare, outside, node))
            row = self.pointed(of.value, self.b.mul(i, of.parts[2]))
            size = self._inside(of.parts[2], ir.Constant(I64, 0), outside, node)
            of = Typed(Array(of.kind.element, 1), [row, size])
        return of

    def _part(self, of: Typed, part: ast.Slice, node: ast.AST) -> Typed:
        low = self.whole(part.lower) if part.lower else number(0)
        high = self.whole(part.upper).value if part.upper else of.parts[1]
        outside = ((">", high, of.parts[1]), (">", low.value, high))
        start = low.value if of.kind.ndim == 1 else self.b.mul(low.value, of.parts[2])
        size = self._inside(self.b.sub(high, low.value), ir.Constant(I64, 0), outside, node)
        return Typed(of.kind, [self.pointed(of.value, start), size, *of.parts[2:]])

    def _inside(
        self, value: ir.Value, instead: ir.Value, outside: Sequence[tuple[str, ir.Value, ir.Value]], node: Any
    ) -> ir.Value:
        """In debug mode, what is taken instead of a value where one of some unsigned comparisons says that it is outside."""
        if not self.unit.debug:
            return value
        wrong = [self.b.icmp_unsigned(*one) for one in outside]
        return self._checked(value, instead, reduce(self.b.or_, wrong), node)

    def _checked(self, value: ir.Value, instead: ir.Value, wrong: ir.Value, node: Any) -> ir.Value:
        """In debug mode, what is taken instead of a value where something is wrong, which is noted."""
        if not self.unit.debug:
            return value
        self.note(wrong, node)
        return self.b.select(wrong, instead, value)

    def on_Attribute(self, node: ast.Attribute, element: int = 0) -> Typed:
        found, constant = self.named(node)
        if found:
            return self.constant(node, constant)
        of = self.expression(node.value)
        if isinstance(of.kind, Array) and node.attr == "shape":
            return Typed(Tuple((INT,) * of.kind.ndim), of.parts[1:])
        return self.read(self._field(node, of), element)

    def _field(self, node: ast.Attribute, of: Typed) -> Place:
        if not (isinstance(of.kind, type) and issubclass(of.kind, Struct)):
            raise self.error(node, f"'{ast.unparse(node.value)}' is {name_of(of.kind)} and has no '{node.attr}'")
        known = fields(of.kind)
        if node.attr not in known:
            raise self.error(node, f"{name_of(of.kind)} has no field '{node.attr}'; there are {', '.join(known)}")
        kind, at = known[node.attr]
        return Place(kind, self.pointed(of.value, at))

    def place(self, node: ast.expr) -> Place | Typed:
        """What is assigned to: an element, a field, or a part of an array that is filled."""
        if isinstance(node, ast.Subscript):
            found = self.viewed(node, self.indexed(node))
            if isinstance(found, Typed) and not any(isinstance(n, ast.Slice) for n in ast.walk(node.slice)):
                raise self.error(node, f"'{ast.unparse(node)}' is a row; write '{ast.unparse(node)}[:]' to fill it")
            return found
        if isinstance(node, ast.Attribute):
            found = self._field(node, self.expression(node.value))
            if isinstance(found.kind, (Array, Function, type)):
                raise self.error(
                    node, f"'{ast.unparse(node)}' is {name_of(found.kind)}; only numbers in structs change"
                )
            return found
        raise self.error(node, f"'{ast.unparse(node)}' can not be assigned to")

    # memory ----------------------------------------------------------------------------------------------------------
    def read(self, place: Place, element: int = 0) -> Typed:
        """The value there; of an array whose element with so many indices is meant, no more than tells its place."""
        found: list[ir.Value] = []
        for k, machine in enumerate(machine_types(place.kind)):
            if is_unread(place.kind, k, element):
                found.append(UNREAD)
                continue
            cell = self.pointed(place.address, k) if k else place.address
            word = self.b.load(cell, typ=I64 if machine == I1 else machine, align=8)
            found.append(self.b.icmp_signed("!=", word, ir.Constant(I64, 0)) if machine == I1 else word)
        return Typed(place.kind, found)

    def write(self, place: Place, value: Typed, node: ast.AST) -> None:
        """An element or field, which are one word."""
        value = self.converted(node, value, place.kind, f"'{{}}' is {name_of(place.kind)}")
        word = value.value
        if word.type in (I1, POINTER):
            word = (self.b.zext if word.type == I1 else self.b.ptrtoint)(word, I64)
        self.b.store(word, place.address, align=8)

    def fill(self, to: Typed, value: Typed, node: ast.AST) -> None:
        """Every element becomes a number, or that of another array of the same shape, which may overlap with it."""
        element, total = to.kind.element, to.parts[1]
        for n in to.parts[2:]:
            total = self.b.mul(total, n)
        if isinstance(value.kind, Array):
            if value.kind != to.kind:
                raise self.error(node, f"'{ast.unparse(node)}' is {to.kind}, and not {value.kind}")
            for n, m in zip(to.parts[1:], value.parts[1:], strict=True):
                total = self._checked(total, ir.Constant(I64, 0), self.b.icmp_signed("!=", n, m), node)
        else:
            value = self.converted(node, value, element, f"elements of '{{}}' are {element}")
        before = self.b.block
        inside, after = self.function.append_basic_block("fill"), self.function.append_basic_block("filled")
        self.b.cbranch(self.b.icmp_signed(">", total, ir.Constant(I64, 0)), inside, after)
        self.b.position_at_end(inside)
        k = self.b.phi(I64)
        k.add_incoming(ir.Constant(I64, 0), before)
        machine = DOUBLE if element == REAL else I64
        following = self.b.add(k, ir.Constant(I64, 1))
        if isinstance(value.kind, Array):  # from the end if it is moved up
            up = self.b.icmp_unsigned(">", *[self.b.ptrtoint(x.value, I64) for x in (to, value)])
            at = self.b.select(up, self.b.sub(total, following), k)
            word = self.b.load(self.pointed(value.value, at), typ=machine, align=8)
        else:
            at, word = k, value.value
        self.b.store(word, self.pointed(to.value, at), align=8)
        k.add_incoming(following, self.b.block)
        self.b.cbranch(self.b.icmp_signed("<", following, total), inside, after)
        self.b.position_at_end(after)
