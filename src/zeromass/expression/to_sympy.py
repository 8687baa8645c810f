"""Expressions as SymPy expressions, for cross-checks and further symbolic work. SymPy is an optional dependency."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from zeromass.errors import ExpressionError
from zeromass.expression.node import Expression, Gridded, Symbol, expressions, is_integer, ordered
from zeromass.expression.operation import OPERATIONS

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar


DEEPEST, LONGEST = 200, 2_000
"""Operations inside one another that SymPy, whose functions call themselves, is given at most; terms of a sum and factors of
a product, which it looks at again for each that is added."""

CUT = 25
"""Operations inside one another after which a common subexpression begins."""


def sympy(e: Scalar | Formulas, *, cse: bool = False) -> Any:
    """SymPy expression, or a SymPy matrix of an array.

    cse  whether common subexpressions are kept as symbols x0, x1, …: the result is then (replacements, expression) as of
         sympy.cse, with replacements [(x0, …), (x1, …), …], each in terms of those before it. SymPy writes out what formulas
         share, and those of a mechanism grow without bound. What is nested deep is cut in such pieces too; without `cse`
         it is an error

    Coordinates become functions of time t and their rates derivatives of them; parameters become real symbols.

    >>> x = zm.coordinate("x")
    >>> zm.export.sympy(zm.rate(x) ** 2 / 2)
    0.5*Derivative(x(t), t)**2
    >>> zm.export.sympy(np.sin(x) + np.exp(np.sin(x)), cse=True)
    ([(x0, sin(x(t)))], x0 + exp(x0))
    """
    try:
        import sympy
    except ImportError as error:
        raise ImportError("conversion to SymPy needs sympy: pip install zeromass[symbolic]") from error

    array = expressions(e)
    if array.ndim > 2:
        raise ExpressionError(f"an array of shape {array.shape} is given; SymPy's matrices have two dimensions")
    time = sympy.Symbol("t", real=True)
    done: dict[Expression, Any] = {}
    replacements: list[tuple[Any, Any]] = []
    nodes = ordered(array.ravel())
    used = Counter(a for node in nodes for a in dict.fromkeys(node.args)) if cse else Counter[Expression]()
    taken = {_name(node) for node in nodes if isinstance(node, Symbol)}
    fresh = (name for k in count() if (name := f"x{k}") not in taken)
    if not cse:
        _check_depth(nodes)
    depth: dict[Expression, int] = {}
    for node in nodes:
        args = [done[a] for a in node.args]
        depth[node] = 1 + max([depth[a] for a in node.args], default=-1)
        if node.value is not None:
            done[node] = sympy.Integer(int(node.value)) if is_integer(node.value) else sympy.Float(node.value, 17)
        elif isinstance(node, Symbol):
            done[node] = _leaf(sympy, node, time)
        else:
            done[node] = _operation(sympy, node, args)
            cut = cse and depth[node] >= CUT
            if (used[node] > 1 or (cut and used[node])) and not (done[node].is_Atom or _is_truth(done[node])):
                replacements.append((sympy.Symbol(next(fresh), real=True), done[node]))
                done[node], depth[node] = replacements[-1][0], 0
    if array.ndim == 0:
        found = done[array.item()]
    elif array.ndim == 1:
        found = sympy.Matrix([done[item] for item in array])
    else:
        found = sympy.Matrix([[done[item] for item in row] for row in array])
    return (replacements, found) if cse else found


def _check_depth(nodes: Sequence[Expression]) -> None:
    """Refuses what SymPy would end in its own recursion with, or work on without end."""
    depth: dict[Expression, int] = {}
    length: dict[Expression, int] = {}
    for node in nodes:
        flat = node.op in ("add", "subtract", "multiply")
        depth[node] = max([depth[a] + (not flat or a.op != node.op) for a in node.args], default=0)
        length[node] = 1 + max([length[a] for a in node.args if flat], default=0)
        if depth[node] > DEEPEST or length[node] > LONGEST:
            raise ExpressionError(
                f"operations stand inside one another more than {DEEPEST} deep, or in sums and products of more than "
                f"{LONGEST}, which SymPy can not take; zm.export.sympy(…, cse=True) cuts them into pieces"
            )


def _leaf(sympy: Any, node: Symbol, time: Any) -> Any:
    if node.kind == "time":
        return time
    if node.kind == "coordinate":
        q = sympy.Function(_name(node), real=True)(time)
        return q if node.order == 0 else sympy.Derivative(q, (time, node.order))
    return sympy.Symbol(_name(node), real=True)


def _name(node: Symbol) -> str:
    """The name of a leaf; signs that no name of a coordinate has are written as numbers."""
    return re.sub(r"[^\w.'\[\] ]", lambda found: f"_{ord(found.group()):x}_", node.name)


def _operation(sympy: Any, node: Expression, args: list[Any]) -> Any:
    if isinstance(node, Gridded):
        raise ExpressionError(f"'{node.grid.name}' is given by numbers on a grid, which have no SymPy form")
    numbers = [_amount(sympy, a) for a in args]
    if node.op == "where":
        numbers[0] = args[0] if _is_truth(args[0]) else sympy.Ne(args[0], 0)
    rule = OPERATIONS[node.op].sympy
    return getattr(sympy, rule)(*numbers) if isinstance(rule, str) else rule(sympy, *numbers)


def _is_truth(value: Any) -> bool:
    from sympy.logic.boolalg import BooleanAtom

    return value.is_Relational or isinstance(value, BooleanAtom)


def _amount(sympy: Any, value: Any) -> Any:
    """A condition as the number 1 or 0; for SymPy it is neither."""
    return sympy.Piecewise((1, value), (0, True)) if _is_truth(value) else value
