"""The table of operations: a row for each, with all that other modules say of it.

A new operation is a new row; a new language that formulas are said in is a new column of `Operation`. Building keeps the
rules that simplify sums, products and powers to itself (`build`), everything else is looked up here.
"""

from zeromass.expression.operation.algebra import ALGEBRA
from zeromass.expression.operation.elementary import ELEMENTARY
from zeromass.expression.operation.equations import EQUATION_ROWS
from zeromass.expression.operation.piecewise import PIECEWISE
from zeromass.expression.operation.row import Emitter, Instruction, Intrinsic, Library, Modes, Operation

__all__ = [
    "OF_NUMBERS",
    "OPERATIONS",
    "Emitter",
    "Instruction",
    "Intrinsic",
    "Library",
    "Modes",
    "Operation",
    "functions",
]

OF_NUMBERS: dict[str, Operation] = {**ALGEBRA, **ELEMENTARY, **PIECEWISE}
"""Those whose operands and value are numbers."""

OPERATIONS: dict[str, Operation] = {**OF_NUMBERS, **EQUATION_ROWS}


def functions() -> dict[str, Operation]:
    """Rows of what is written as a function of numbers, name(operands)."""
    return {name: row for name, row in OPERATIONS.items() if row.text is None and name != "where"}
