"""Expressions as plain text and as LaTeX, from one walk over the graph.

A walk writes shared subexpressions out in full, so its length can grow far beyond the graph: `LONGEST` bounds it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression.node import Expression, ExpressionError, Gridded, Symbol, expressions, is_integer, ordered
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.writing import ATOM, POWER, SIGN, Part, call, latex_call, printable

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar

LONGEST = 20_000
"""Operations that `latex` writes at most; `repr` writes a hundredth of it."""
_ENDLESS = 10**15

_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
}  # fmt: skip
_SPECIAL = {
    "\\": r"\backslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"{\wedge}", "~": r"{\sim}",
}  # fmt: skip
_RATES = {1: "rate", 2: "acceleration"}


def text(e: Expression) -> str:
    """The formula as one would type it."""
    size = _written(e)
    if size > LONGEST // 100:
        return f"<expression of {len(ordered([e]))} operations>"
    return _walk(e, _text_leaf, _text_join)


def latex(e: Scalar | Formulas) -> str:
    r"""LaTeX of an expression, or of an array of them as a matrix or column.

    >>> theta = zm.coordinate("theta")
    >>> print(zm.latex(zm.rate(theta) ** 2 / 2 - np.cos(theta)))
    0.5 \, \dot{\theta}^{2} - \cos\left(\theta\right)
    """
    array = expressions(e)
    size = sum(_written(item) for item in array.ravel())
    if size > LONGEST:
        raise ExpressionError(
            f"written out, this has {size:.3g} operations, too many to read; print parts of it, or zm.c_code(…)"
        )
    if array.ndim == 0:
        return _walk(array.item(), _latex_leaf, _latex_join)
    if array.ndim > 2:
        raise ExpressionError(f"LaTeX has no form for an array of {array.ndim} dimensions")
    rows = array[:, None] if array.ndim == 1 else array
    lines = [" & ".join(_walk(item, _latex_leaf, _latex_join) for item in row) for row in rows]
    return "\\begin{bmatrix}\n" + " \\\\\n".join(lines) + "\n\\end{bmatrix}"


def _written(e: Expression) -> int:
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


def _text_leaf(node: Expression) -> Part:
    if node.value is not None:
        return _number(node.value)
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


def _latex_leaf(node: Expression) -> Part:
    if node.value is not None:
        words, strength = _number(node.value)
        mantissa, _, exponent = words.partition("e")
        return (words if not exponent else rf"{mantissa} \cdot 10^{{{int(exponent)}}}"), strength
    assert isinstance(node, Symbol)
    base, subscript = (node.latex, "") if node.latex else latex_name(node.name)
    if node.order == 1:
        base = rf"\dot{{{base}}}"
    elif node.order == 2:
        base = rf"\ddot{{{base}}}"
    elif node.order > 2:
        base = rf"{{{base}}}^{{({node.order})}}"
    strength = POWER if "^" in base else ATOM  # LaTeX refuses a second superscript: x^{(3)} squared needs brackets
    return base + (f"_{{{subscript}}}" if subscript else ""), strength


def latex_name(name: str) -> tuple[str, str]:
    """Base and subscript of a name: 'theta' → θ, 'contact.x' → x with subscript contact, 'm1' → m with 1."""
    owner, _, own = name.rpartition(".")
    parts = own.split("_")
    match = re.fullmatch(r"([^\W\d]+)(\d+)", parts[0])
    if match:
        parts[:1] = match.groups()
    base, *subscripts = parts

    def letter(word: str) -> str:
        if word in _GREEK:
            return "\\" + word
        return _escaped(word) if len(word) == 1 or word.isdigit() else rf"\mathrm{{{_escaped(word)}}}"

    owned = [rf"\mathrm{{{_escaped(owner)}}}"] if owner else []
    return letter(base), ",".join([*[letter(s) for s in subscripts], *owned])


def _escaped(word: str) -> str:
    """A word in which nothing means anything to LaTeX."""
    return "".join(_SPECIAL.get(sign, sign) for sign in printable(word))


def _latex_join(node: Expression, parts: list[Part]) -> Part:
    if isinstance(node, Gridded):
        name, taken = _escaped(node.grid.name), _taken(node)
        return latex_call(rf"\operatorname{{{name}}}" + (f"_{{{taken}}}" if taken else ""), *parts)
    written = OPERATIONS[node.op].latex
    return latex_call(written, *parts) if isinstance(written, str) else written(*parts)


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
