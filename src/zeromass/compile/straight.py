"""Expressions as straight-line LLVM IR: one function without loops, scalar or in SIMD lanes.

A product that is used once, in a sum, becomes a fused multiply-add where the machine has one. That choice is made here,
on the graph, and not by LLVM: a lane of a vector and a scalar go through the same operations and end with the same bits.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from zeromass.errors import ExpressionError
from zeromass.expression import Expression, Grid, Symbol
from zeromass.expression.node import Gridded, ordered
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.equations import PART, Equations
from zeromass.expression.operation.row import Instruction, Intrinsic, Library


class _Column(dict[str, Any]):
    """A column of the table of operations, by their names: nearer at hand than the rows; a row may come later."""

    def __init__(self, name: str) -> None:
        super().__init__({op: getattr(row, name) for op, row in OPERATIONS.items()})
        self._name = name

    def __missing__(self, op: str) -> Any:
        return getattr(OPERATIONS[op], self._name)


_CONSTANT, _GRID = 999, 998
"""Beside the codes of the operations."""

SOLVER = "solve_rows"
"""The kernel that solves linear equations."""

_CODES = _Column("code")
_LLVM = _Column("llvm")
_COMMUTE = ("add", "multiply")

_PLAIN = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
"""The most frequent of them, instructions of two operands."""

SHORT, LONG, BLOCK = 200, 4_000, 500
"""Instructions up to which a function is one block, from which it is cut into blocks, and how many each of them has.

LLVM's time grows with the square of a block's length, and with blocks of some hundreds only with their number.
"""


class Flavour(NamedTuple):
    """Of how many lanes a value is, and whether the machine fuses a·b + c."""

    width: int
    fused: bool

    @property
    def type(self) -> str:
        return "double" if self.width == 1 else f"<{self.width} x double>"

    @property
    def truth(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        return "f64" if self.width == 1 else f"v{self.width}f64"

    def number(self, value: float) -> str:
        """A literal, in every lane."""
        bits = f"0x{_bits(value):016X}"
        return bits if self.width == 1 else "<" + ", ".join([f"double {bits}"] * self.width) + ">"


def _bits(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def operations(outputs: Sequence[Expression]) -> int:
    """Number of arithmetic operations of a straight-line evaluation."""
    return sum(bool(node.args) for node in ordered(outputs))


def canonical(
    inputs: Sequence[Sequence[Expression]], outputs: Sequence[Expression]
) -> tuple[list[Expression], dict[Expression, tuple[Expression, ...]]]:
    """The nodes in an order, and their operands in an order, that depend on the formulas and not on their history.

    Nodes are told apart by a hash of their structure, with symbols known by their place among the inputs: formulas that
    were built twice, in whatever order, give the same code and the same bits.
    """
    key: dict[Expression, int] = {}
    for g, group in enumerate(inputs):
        for i, symbol in enumerate(group):
            key[symbol] = hash((g, i))
    operands: dict[Expression, tuple[Expression, ...]] = {}
    for node in ordered(outputs):
        op, args = node.op, node.args
        if node in key:
            args = ()
        elif len(args) == 2 and op != "grid":
            a, b = args
            first, second = key[a], key[b]
            if op in _COMMUTE:
                number = a.value is not None
                if first > second if number == (b.value is not None) else not number:
                    args, first, second = (b, a), second, first  # a constant first, then by the keys
            key[node] = hash((_CODES[op], first, second))
        elif node.value is not None:
            key[node] = hash((_CONSTANT, _bits(node.value)))  # of the bits: hash(−1) is hash(−2)
        elif isinstance(node, Symbol):
            raise ExpressionError(f"'{node!r}' is in a formula, but it is no input of the function that is compiled")
        elif isinstance(node, Gridded):
            key[node] = hash((_GRID, hash(node.grid), *node.orders, *[key[a] for a in args]))
        else:
            key[node] = hash((_CODES[op], *[key[a] for a in args]))
        operands[node] = args
    done: dict[Expression, None] = {}
    stack = list(reversed(outputs))
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        waiting = len(stack)
        for a in operands[node][::-1]:
            if a not in done:
                stack.append(a)
        if len(stack) == waiting:
            done[stack.pop()] = None
    return list(done), operands


class StraightLine:
    """`define void @name(ptr in₀, …, ptr out₀, …)`: groups of outputs from groups of inputs, one pointer for each group.

    text      the function
    calls     names of elementary functions it calls, "sincos" among them
    kernels   names of the kernels that it calls
    grids     {name: (grid, orders of derivatives)} of the functions on grids it calls
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[Sequence[Expression]],
        outputs: Sequence[Sequence[Expression]],
        flavour: Flavour,
    ) -> None:
        self.calls: set[str] = set()
        self.kernels: set[str] = set()
        self.grids: dict[str, tuple[Grid, list[tuple[int, int]]]] = {}
        self._flavour, self._type, self._suffix = flavour, flavour.type, flavour.suffix
        self._call_fma = f"call {self._type} @llvm.fma.{self._suffix}({self._type} "
        self._lines: list[str] = []
        self._memory: list[str] = []
        self._tables: list[str] = []
        self._name = name
        self._count = 0
        self._values: dict[Expression, str] = {}
        self._negatives: dict[str, str] = {}
        flat = [e for group in outputs for e in group]
        nodes, self._operands = canonical(inputs, flat)
        self._uses = Counter(chain.from_iterable([node.args for node in nodes]))
        self._uses.update(flat)
        present = set(nodes)
        self._inverted = {
            node.args[0]
            for node in nodes
            if node.op == PART and (node.args[1].value or 0) > (node.args[0].args[0].value or 0)
        }
        self._load(inputs, present)
        fused = self._fusions(nodes) if flavour.fused else {}
        hidden, values, operands, T = set(fused.values()), self._values, self._operands, self._type
        places: dict[Expression, list[tuple[int, int]]] = {}
        for g, group in enumerate(outputs):
            for i, output in enumerate(group):
                places.setdefault(output, []).append((g, i))
        for node in nodes:
            if node in hidden:
                continue
            if node in fused:
                values[node] = self._fma(node, fused[node])
            elif node in values:
                pass  # loaded, or computed together with another one
            elif node.op in _PLAIN:
                a, b = operands[node]
                values[node] = self._emit(f"{_PLAIN[node.op]} {T} {values[a]}, {values[b]}")
            elif node.value is not None:
                values[node] = flavour.number(node.value)
            elif node.op in ("sin", "cos"):
                self._sincos(node, present)
            elif isinstance(node, Gridded):
                self._gridded(node, nodes)
            else:
                values[node] = self._operation(node)
            if node in places:
                self._store(node, places[node])  # at once: what is stored no longer needs a register
        arguments = ", ".join(
            [f"ptr noalias readonly %in{g}" for g in range(len(inputs))]
            + [f"ptr noalias %out{g}" for g in range(len(outputs))]
        )
        body = "\n  ".join([*self._memory, *_cut(self._lines, flavour.width)])
        self.text: str = (
            "\n".join([*self._tables, ""]) + f"define void @{name}({arguments}) {{\n  {body}\n  ret void\n}}\n"
        )

    def _emit(self, instruction: str) -> str:
        """Adds an instruction; its value has a number, as LLVM counts them: names would take longer to read."""
        self._count += 1
        name = f"%{self._count}"
        self._lines.append(f"{name} = {instruction}")
        return name

    def _load(self, groups: Sequence[Sequence[Expression]], present: set[Expression]) -> None:
        T = self._type
        for g, group in enumerate(groups):
            for i, symbol in enumerate(group):
                if symbol in present:
                    place = self._emit(f"getelementptr {T}, ptr %in{g}, i64 {i}")
                    self._values[symbol] = self._emit(f"load {T}, ptr {place}, align 8")

    def _store(self, output: Expression, places: Sequence[tuple[int, int]]) -> None:
        T = self._type
        for g, i in places:
            place = self._emit(f"getelementptr {T}, ptr %out{g}, i64 {i}")
            self._lines.append(f"store {T} {self._values[output]}, ptr {place}, align 8")

    def _fusions(self, nodes: Sequence[Expression]) -> dict[Expression, Expression]:
        """{sum: the product in it that is fused}, each product once."""

        uses, operands = self._uses, self._operands

        def product(e: Expression) -> bool:
            return uses[e] == 1 and (e.op == "multiply" or (e.op == "power" and e.args[1].value == 2))

        fused: dict[Expression, Expression] = {}
        for node in nodes:
            if node.op in ("add", "subtract"):
                a, b = operands[node]
                if product(b):
                    fused[node] = b
                elif product(a):
                    fused[node] = a
        return fused

    def _fma(self, node: Expression, product: Expression) -> str:
        x, y = self._operands[product] if product.op == "multiply" else (product.args[0], product.args[0])
        a, b = self._operands[node]
        first, second = self._values[x], self._values[y]
        if product is b:
            rest = self._values[a]
            first = first if node.op == "add" else self._negative(first)
        else:
            rest = self._values[b] if node.op == "add" else self._negative(self._values[b])
        T = self._type
        return self._emit(f"{self._call_fma}{first}, {T} {second}, {T} {rest})")

    def _negative(self, value: str) -> str:
        if value not in self._negatives:
            self._negatives[value] = self._emit(f"fneg {self._type} {value}")
        return self._negatives[value]

    def _sincos(self, node: Expression, present: set[Expression]) -> None:
        """Sine and cosine of one argument share its reduction."""
        from zeromass.expression.build import function

        x = node.args[0]
        other = function("cos" if node.op == "sin" else "sin", x)
        if other not in present:
            self._values[node] = self._operation(node)
            return
        self.calls.add("sincos")
        T = self._type
        both = self._emit(f"call fastcc {{{T}, {T}}} {self._callee('sincos')}({T} {self._values[x]})")
        sine, cosine = (self._emit(f"extractvalue {{{T}, {T}}} {both}, {k}") for k in range(2))
        first, second = (sine, cosine) if node.op == "sin" else (cosine, sine)
        self._values[node], self._values[other] = first, second

    def _gridded(self, node: Gridded, nodes: Sequence[Expression]) -> None:
        """All derivatives of a function on a grid at one point come from one call."""
        together = {
            other.orders: other
            for other in nodes
            if isinstance(other, Gridded) and other.grid == node.grid and other.args == node.args
        }
        orders = sorted(together)
        from zeromass.compile import grid as gridded  # few systems need it

        name = gridded.name(node.grid, orders, self._suffix, self._flavour.fused)
        self.grids[name] = node.grid, orders
        T = self._type
        types = f"{{{', '.join([T] * len(orders))}}}"
        x, y = (self._values[a] for a in node.args)
        all_ = self._emit(f'call fastcc {types} @"{name}"({T} {x}, {T} {y})')
        for k, pair in enumerate(orders):
            self._values[together[pair]] = self._emit(f"extractvalue {types} {all_}, {k}")

    def _operation(self, node: Expression) -> str:
        args = [self._values[a] for a in self._operands[node]]
        if node.op == "negative":
            return self._negative(args[0])
        match _LLVM[node.op]:
            case Instruction(name):
                return self._emit(f"{name} {self._type} {', '.join(args)}")
            case Intrinsic(name):
                return self.intrinsic(name, *args)
            case Library(name):
                return self.library(name, *args)
            case written:
                return written(self, node, *args)

    def _callee(self, name: str) -> str:
        return f'@"zeromass.{name}.{self._suffix}{"" if self._flavour.fused else ".unfused"}"'

    # what the table of operations emits with

    def number(self, value: float) -> str:
        """A literal, in every lane."""
        return self._flavour.number(value)

    def instruction(self, name: str, *args: str) -> str:
        return self._emit(f"{name} {self._type} {', '.join(args)}")

    def intrinsic(self, name: str, *args: str) -> str:
        return self._called(f"@llvm.{name}.{self._suffix}", args)

    def library(self, name: str, *args: str) -> str:
        self.calls.add(name)
        return self._called(self._callee(name), args, "fastcc ")

    def compare(self, relation: str, a: str, b: str) -> str:
        return self._emit(f"fcmp {relation} {self._type} {a}, {b}")

    def select(self, truth: str, a: str, b: str) -> str:
        T = self._type
        return self._emit(f"select {self._flavour.truth} {truth}, {T} {a}, {T} {b}")

    def equations(self, node: Expression, operands: Sequence[str]) -> str:
        """Memory with the solution of linear equations, each lane solved by itself."""
        own, T, width, k = Equations(node), self._type, self._flavour.width, len(self._tables)
        pattern, data = own.pattern
        numbers = ", ".join(f"i64 {number}" for number in pattern)
        name, inverts, m = f'@"{self._name}.pattern{k}"', node in self._inverted, own.m
        self._tables.append(f"{name} = internal constant [{len(pattern)} x i64] [{numbers}]")
        sizes = {"data": len(data) * width, "solution": (m + 1 + (m * m if inverts else 0)) * width, "room": own.room}
        for what, size in sizes.items():
            self._memory.append(f"%{what}{k} = alloca double, i64 {size}, align 8")
        self._memory.append(f"%order{k} = alloca i64, i64 {4 * m}, align 8")
        for i, e in enumerate(data):
            place = self._emit(f"getelementptr {T}, ptr %data{k}, i64 {i}")
            self._lines.append(f"store {T} {self._values[e]}, ptr {place}, align 8")
        given = [f"ptr %data{k}, i64 {sizes['data']}", f"ptr {name}, i64 {len(pattern)}", f"i64 {width}"]
        memory = [
            f"ptr %solution{k}, i64 {sizes['solution']}",
            f"ptr %room{k}, i64 {own.room}",
            f"ptr %order{k}, i64 {m}",
        ]
        for lane in range(width):
            args = ", ".join([*given, f"i64 {lane}", *memory, f"i64 {int(inverts)}"])
            self._lines.append(f"call void @{SOLVER}({args})")
        self.kernels.add(SOLVER)
        return f"%solution{k}"

    def part(self, solution: str, k: int) -> str:
        """A number of a solution."""
        place = self._emit(f"getelementptr {self._type}, ptr {solution}, i64 {k}")
        return self._emit(f"load {self._type}, ptr {place}, align 8")

    def _called(self, function: str, args: Sequence[str], convention: str = "") -> str:
        T = self._type
        return self._emit(f"call {convention}{T} {function}({', '.join(f'{T} {a}' for a in args)})")


def _cut(lines: list[str], width: int) -> list[str]:
    """The lines of a function, in blocks where they are many: the operations are the same, to the bit.

    LLVM would join blocks that merely follow one another: each goes on if a pointer is one, which it is. Of scalars it
    would select machine instructions one by one, from the end of a block on, and begin anew for each fused operation; where
    a switch is at the end, which it can not select so, it takes all of them together, in two thirds of the time.
    """
    if len(lines) < (SHORT if width == 1 else LONG):
        return lines
    size = BLOCK if len(lines) >= (2 * LONG if width == 1 else LONG) else len(lines)
    cut = ["%on = icmp ne ptr %out0, null"]
    for k in range(0, len(lines), size):
        if k:
            cut += [_on(f"block{k}", width), f"block{k}:"]
        cut += lines[k : k + size]
    if width == 1:
        cut += [_on("last", width), "last:"]
    return [*cut, "br label %end", "end:"]


def _on(block: str, width: int) -> str:
    if width == 1:
        return f"switch i1 %on, label %end [ i1 true, label %{block} ]"
    return f"br i1 %on, label %{block}, label %end"
