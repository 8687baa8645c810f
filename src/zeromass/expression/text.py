"""Expressions as plain text, from one walk over the graph.

A walk writes shared subexpressions out in full, so its length can grow far beyond the graph: `LONGEST` bounds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression.node import Expression, Gridded, Symbol, expressions, is_integer, ordered, symbols
from zeromass.expression.numerals import decimal, turns
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.writing import ATOM, PRODUCT, SIGN, Part, call, printable

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar

LONGEST = 20_000
"""Operations that `zm.export.latex` writes at most; `repr` writes a hundredth of it."""
LINE, SOME = 60, 4
"""Characters of a formula in a heading, and symbols that are told of a longer one."""
SHORT = 4
"""Digits of numbers that are read, not computed with."""
WHOLE = 1e7
"""Below which whole numbers are read with all their digits."""
_ENDLESS = 10**15

_RATES = {1: "rate", 2: "acceleration"}


def text(e: Expression) -> str:
    """The formula as one would type it."""
    return _text(e, _number)


def caption(e: Expression) -> str:
    """The formula as one would read it: numbers with four digits, and multiples of π as such.

    >>> from zeromass.expression import caption
    >>> x = zm.coordinate("x")
    >>> caption(np.sin(x + np.pi) - np.sqrt(0.5) * x / (2 * np.pi))
    'sin(x + π) - 0.7071*x/(2π)'
    """
    return _text(e, _short)


def heading(e: Expression, names: Mapping[Expression, str] | None = None) -> str:
    """The formula in a line at most, as `caption`: parts of it by their names, and a long one by what it is made of.

    >>> from zeromass.expression.text import heading
    >>> x, y, z = zm.coordinates("x y z")
    >>> heading(np.sign(zm.rate(x) * y - z), {zm.rate(x) * y - z: "drift"})
    'sign(drift)'
    >>> heading(np.sign(sum(np.sin(k * x) * np.cos(k * y) for k in range(1, 9))))
    'sign(…) of x, y'
    """
    known = names or {}
    written: dict[Expression, Part] = {}
    for node in ordered([e]):
        if node in known:
            part = known[node], ATOM
        elif node.args:
            part = _text_join(node, [written[a] for a in node.args])
        else:
            part = _text_leaf(node, _short)
        written[node] = part if len(part[0]) <= LINE else ("…", ATOM)
    words = written[e][0]
    if "…" not in words:
        return words
    leaves = list(dict.fromkeys(printable(leaf.name) for leaf in symbols(e)))
    more = f" and {len(leaves) - SOME} more" if len(leaves) > SOME + 1 else ""
    return f"{e.op if e.op.isalpha() else ''}(…) of {', '.join(leaves[: SOME if more else None])}{more}"


def _text(e: Expression, number: Callable[[float], Part]) -> str:
    if written(e) > LONGEST // 100:
        return f"<expression of {len(ordered([e]))} operations>"
    return _walk(e, lambda node: _text_leaf(node, number), _text_join)


def written(e: Expression) -> int:
    """Operations of a formula that is written out in full."""
    size: dict[Expression, int] = {}
    for node in ordered([e]):
        size[node] = min(1 + sum(size[a] for a in node.args), _ENDLESS)  # it can double with every node
    return size[e]


def _walk(e: Expression, leaf: Any, join: Any) -> str:
    nodes = ordered([e])
    reader = {a: node for node in nodes for a in node.args}  # the last one that needs the text of a
    written: dict[Expression, Part] = {}
    for node in nodes:
        written[node] = join(node, [written[a] for a in node.args]) if node.args else leaf(node)
        for a in node.args:
            if reader[a] is node:
                written.pop(a, None)
    return written[e][0]


def _number(value: float) -> Part:
    words = str(int(value)) if is_integer(value) and abs(value) < 1e15 else repr(value)
    return words, ATOM if value >= 0 else SIGN


def _short(value: float) -> Part:
    turned = turns(value)
    if is_integer(value) and abs(value) < WHOLE:
        return _number(value)
    if turned is None:
        return decimal(value, SHORT), ATOM if value >= 0 else SIGN
    over, under = turned
    words = "π" if over == 1 else f"{over}π".replace("-1π", "-π")
    return (words, ATOM if over == 1 else PRODUCT) if under == 1 else (f"{words}/{under}", PRODUCT)


def _text_leaf(node: Expression, number: Callable[[float], Part]) -> Part:
    if node.value is not None:
        return number(node.value)
    assert isinstance(node, Symbol)
    name = printable(node.name)
    if node.order == 0:
        return name, ATOM
    return f"{_RATES.get(node.order, f'rate^{node.order}')}({name})", ATOM


def _text_join(node: Expression, parts: list[Part]) -> Part:
    if isinstance(node, Gridded):
        name, taken = printable(node.grid.name), _taken(node)
        return call(f"{name}_{taken}" if taken else name, *parts)
    written = OPERATIONS[node.op].text
    return call(node.op, *parts) if written is None else written(*parts)


def _taken(node: Gridded) -> str:
    """The variables that derivatives were taken in: 'xxy'."""
    return "x" * node.orders[0] + "y" * node.orders[1]


def matrix_text(array: Scalar | Formulas) -> str:
    """An array of expressions as aligned plain text.

    >>> from zeromass.expression import matrix_text
    >>> x, y = zm.coordinates("x y")
    >>> print(matrix_text([[x, 0], [x * y, 1]]))
      x  0
    x*y  1
    """
    array = np.atleast_2d(expressions(array))
    cells = [[repr(item) for item in row] for row in array]
    widths = [max(len(row[j]) for row in cells) for j in range(array.shape[1])]
    return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
