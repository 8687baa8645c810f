"""Expressions as a C function without dependencies beyond <math.h>."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ExpressionError, shown
from zeromass.expression.node import Expression, Gridded, Symbol, expressions, ordered, symbols
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.writing import printable

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar


def c_code(
    outputs: Scalar | Formulas | Mapping[str, Any],
    inputs: Sequence[Expression] | np.ndarray | None = None,
    *,
    name: str = "evaluate",
) -> str:
    """C source of `void name(const double *in, double *out)`.

    outputs  an expression, an array, or a mapping of names to either; written to `out` one after the other, row by row
    inputs   the order of `in`; by default every symbol without a fixed value, in order of creation

    >>> x, y = zm.coordinates("x y")
    >>> print(zm.export.c_code(np.sin(x) * y, name="f"))
    #include <math.h>
    <BLANKLINE>
    /* in: [0] x, [1] y
       out: [0..0] value  */
    void f(const double *in, double *out)
    {
        const double v2 = sin(in[0]);
        const double v3 = in[1] * v2;
        out[0] = v3;
    }
    <BLANKLINE>
    """
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ExpressionError(f"{shown(name)} is not a C identifier")
    arrays = {key: expressions(value) for key, value in _named(outputs).items()}
    flat = [e for array in arrays.values() for e in array.ravel()]
    leaves: list[Any] = (
        expressions(inputs).ravel().tolist() if inputs is not None else [s for s in symbols(flat) if s.default is None]
    )
    missing = [s for s in symbols(flat) if s not in leaves and s.default is None]
    if missing:
        raise ExpressionError(f"c_code: no input is named for {', '.join(map(repr, missing))}")
    nodes = ordered(flat)
    used = dict.fromkeys(OPERATIONS[node.op].source for node in nodes if node.op in OPERATIONS)
    lines = [
        "#include <math.h>",
        *[source.rstrip() for source in used if source],
        "",
        "/* in: " + ", ".join(f"[{j}] {_remark(repr(s))}" for j, s in enumerate(leaves)),
    ]
    offset = 0
    for key, array in arrays.items():
        lines.append(f"   out: [{offset}..{offset + array.size - 1}] {_remark(str(key))} {array.shape or ''}")
        offset += array.size
    lines[-1] += " */"
    lines += [f"void {name}(const double *in, double *out)", "{"]
    place = {s: f"in[{j}]" for j, s in enumerate(leaves)}
    for node in nodes:
        if node in place:
            continue
        if node.value is not None:
            place[node] = _number(node.value)
        elif isinstance(node, Symbol) and node.default is not None:
            place[node] = f"{_number(node.default)} /* {_remark(node.name)} */"
        else:
            place[node] = f"v{len(place)}"
            lines.append(f"    const double {place[node]} = {_statement(node, [place[a] for a in node.args])};")
    lines += [f"    out[{i}] = {place[e]};" for i, e in enumerate(flat)]
    return "\n".join([*lines, "}", ""])


def _remark(words: str) -> str:
    """A name as it may stand in a comment: on one line, and without what would end the comment."""
    return " ".join(printable(words).split()).replace("*/", "* /").replace("/*", "/ *")


def _named(outputs: Any) -> dict[str, Any]:
    return dict(outputs) if isinstance(outputs, Mapping) else {"value": outputs}


def _number(value: float) -> str:
    words = repr(value).replace("inf", "INFINITY")
    return f"({words})" if value < 0 else words


def _statement(node: Expression, args: list[str]) -> str:
    if isinstance(node, Gridded):
        raise ExpressionError(f"'{node.grid.name}' is given by numbers on a grid, which have no C form")
    form = OPERATIONS[node.op].c
    if not isinstance(form, str):
        return form(node, *args)
    return form.format(*args) if "{" in form else f"{form}({', '.join(args)})"
