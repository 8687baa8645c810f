"""What there is to know about an operation: one row of the table, one column for each language it is said in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zeromass.expression.operation.enclosure import Bounds
from zeromass.expression.operation.writing import Part

if TYPE_CHECKING:
    from zeromass.expression.node import Expression


class Operation(NamedTuple):
    """A row of the table.

    code     a number that no other operation has or had: machine code orders operands by it, so that it may not change
    arity    how many operands; −1 of any number of them
    number   of NumPy's numbers and arrays
    slope    (f, *operands) ↦ the derivatives by each operand, as formulas; f is the operation itself
    latex    the command before brackets, or a function of the operands' parts
    c        a function of <math.h>, or a pattern such as "{0} < {1}", or a function (node, *operands) ↦ C
    sympy    the name of a function of SymPy, or a function (sympy, *operands)
    llvm     (emitter, node, *operands) ↦ value: `Instruction`, `Intrinsic`, `Library`, or a function that emits several
    interval of bounds (low, high) of the operands: bounds of the value, rounded outwards (`enclosure`)

    text        as one types it, a function of the operands' parts; by default name(operands)
    fold        of floats, for constants, where not `number`; raises a ValueError or an OverflowError where it has no value
    parity      "even" or "odd", where a sign in front of an operand may be moved out
    underflows  whether the value of normal numbers can be too small for one, so that folding it would lose it
    choice      (*operands) ↦ (condition, a, b): the value is that of a where the condition holds, else of b, and so is the
                derivative: 0·NaN would be NaN, so nothing may be multiplied by 1 and 0
    source      C functions that `c` calls
    smooth      (pieces, *operands) ↦ the same as a smooth function of the operands, on one piece of it; `pieces` gives the
                modes that tell which. Of every operation that has kinks or jumps
    solves      (node, {operand: slope}) ↦ the slopes of what it stands for, of linear equations; parts are other operations
    jumps       of bounds of the operands: whether the value may jump between them; None of what never does
    """

    code: int
    arity: int
    number: Callable[..., Any]
    slope: Callable[..., tuple[Expression, ...]]
    latex: str | Callable[..., Part]
    c: str | Callable[..., str]
    sympy: str | Callable[..., Any]
    llvm: Callable[..., str]
    interval: Callable[..., Bounds]
    text: Callable[..., Part] | None = None
    fold: Callable[..., float] | None = None
    parity: str = ""
    underflows: bool = False
    choice: Callable[..., tuple[Expression, Expression, Expression]] | None = None
    source: str = ""
    smooth: Callable[..., Expression] | None = None
    jumps: Callable[..., Any] | None = None
    solves: Callable[..., Any] | None = None


class Modes(Protocol):
    """What says on which piece of a formula one is: modes, which stay what they are until a switching function says so."""

    def side(self, g: Expression) -> Expression:
        """1 where g > 0, and −1 where g < 0."""
        ...

    def whole(self, g: Expression) -> Expression:
        """The largest whole number that is not above g."""
        ...

    def choice(self, condition: Expression, a: Expression, b: Expression) -> Expression:
        """a where the condition, which is made of modes, holds; else b."""
        ...

    def angle(self, y: Expression, x: Expression) -> Expression:
        """That of the point (x, y), as arctan2 gives it."""
        ...


class Emitter(Protocol):
    """What emits LLVM instructions; values are their names, of a number or of lanes of numbers."""

    def number(self, value: float) -> str:
        """A literal."""
        ...

    def instruction(self, name: str, *args: str) -> str:
        """Such as fadd."""
        ...

    def intrinsic(self, name: str, *args: str) -> str:
        """sqrt or fabs; others are calls to a library on some machines."""
        ...

    def library(self, name: str, *args: str) -> str:
        """A call of one of the elementary functions that are emitted with the code."""
        ...

    def compare(self, relation: str, a: str, b: str) -> str:
        """A truth: olt, ole, ogt, one, une, uno, …"""
        ...

    def select(self, truth: str, a: str, b: str) -> str:
        """a where it holds, else b."""
        ...

    def equations(self, node: Expression, operands: tuple[str, ...]) -> str:
        """A call that solves linear equations; where the solution is."""
        ...

    def part(self, solution: str, k: int) -> str:
        """A number of a solution."""
        ...


class Instruction(NamedTuple):
    """One instruction on all operands."""

    name: str

    def __call__(self, e: Emitter, node: Expression, *args: str) -> str:
        return e.instruction(self.name, *args)


class Intrinsic(NamedTuple):
    """An instruction that LLVM writes as a call: sqrt, fabs."""

    name: str

    def __call__(self, e: Emitter, node: Expression, *args: str) -> str:
        return e.intrinsic(self.name, *args)


class Library(NamedTuple):
    """A function that is emitted once for a module and called, by its name there."""

    name: str

    def __call__(self, e: Emitter, node: Expression, *args: str) -> str:
        return e.library(self.name, *args)
