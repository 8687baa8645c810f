"""Expressions as plain text and as LaTeX, from one walk over the graph.

A walk writes shared subexpressions out in full, so its length can grow far beyond the graph: `LONGEST` bounds it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from zeromass.expression.functions import FUNCTIONS
from zeromass.expression.node import Expression, ExpressionError, Gridded, Symbol, expressions, is_integer, ordered

LONGEST = 20_000
"""Operations that `latex` writes at most; `repr` writes a hundredth of it."""
_ENDLESS = 10**15

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
}  # fmt: skip
_RATES = {1: "rate", 2: "acceleration"}


def text(e: Expression) -> str:
    """The formula as one would type it."""
    size = _written(e)
    if size > LONGEST // 100:
        return f"<expression of {len(ordered([e]))} operations>"
    return _walk(e, _text_leaf, _text_join)


def latex(e: Any) -> str:
    """LaTeX of an expression, or of an array of them as a matrix or column."""
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
    written: dict[Expression, tuple[str, int]] = {}
    for node in nodes:
        written[node] = join(node, [written[a] for a in node.args]) if node.args else leaf(node)
        for a in node.args:
            if reader[a] is node:
                written.pop(a, None)
    return written[e][0]


def _bracketed(part: tuple[str, int], least: int, brackets: tuple[str, str] = ("(", ")")) -> str:
    words, strength = part
    return words if strength >= least else f"{brackets[0]}{words}{brackets[1]}"


def _sum(parts: list[tuple[str, int]]) -> str:
    first, second = (words for words, _ in parts)
    return f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"


def _number(value: float) -> tuple[str, int]:
    words = str(int(value)) if is_integer(value) and abs(value) < 1e15 else repr(value)
    return words, _ATOM if value >= 0 else _SIGN


def _text_leaf(node: Expression) -> tuple[str, int]:
    if node.value is not None:
        return _number(node.value)
    assert isinstance(node, Symbol)
    if node.order == 0:
        return node.name, _ATOM
    return f"{_RATES.get(node.order, f'rate^{node.order}')}({node.name})", _ATOM


def _text_join(node: Expression, parts: list[tuple[str, int]]) -> tuple[str, int]:
    op = node.op
    if op == "add":
        return _sum(parts), _SUM
    if op == "subtract":
        return f"{parts[0][0]} - {_bracketed(parts[1], _PRODUCT)}", _SUM
    if op == "multiply":
        return f"{_bracketed(parts[0], _PRODUCT)}*{_bracketed(parts[1], _SIGN)}", _PRODUCT
    if op == "divide":
        return f"{_bracketed(parts[0], _PRODUCT)}/{_bracketed(parts[1], _POWER)}", _PRODUCT
    if op == "negative":
        return f"-{_bracketed(parts[0], _SIGN)}", _SIGN
    if op == "power":
        return f"{_bracketed(parts[0], _ATOM)}**{_bracketed(parts[1], _ATOM)}", _POWER
    if op in ("less", "less_equal"):
        return f"({parts[0][0]} {'<' if op == 'less' else '<='} {parts[1][0]})", _ATOM
    if isinstance(node, Gridded):
        taken = _taken(node)
        op = f"{node.grid.name}_{taken}" if taken else node.grid.name
    return f"{op}({', '.join(p[0] for p in parts)})", _ATOM


def _taken(node: Gridded) -> str:
    """The variables that derivatives were taken in: 'xxy'."""
    return "x" * node.orders[0] + "y" * node.orders[1]


def _latex_leaf(node: Expression) -> tuple[str, int]:
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
    strength = _POWER if "^" in base else _ATOM  # LaTeX refuses a second superscript: x^{(3)} squared needs brackets
    return base + (f"_{{{subscript}}}" if subscript else ""), strength


def latex_name(name: str) -> tuple[str, str]:
    """Base and subscript of a name: 'theta' → θ, 'contact.x' → x with subscript contact, 'm1' → m with 1."""
    owner, _, own = name.rpartition(".")
    parts = own.split("_")
    match = re.fullmatch(r"([^\W\d]+)(\d+)", parts[0])
    if match:
        parts[:1] = match.groups()
    base, *subscripts = parts
    if owner:
        subscripts.append(r"\mathrm{" + owner.replace("_", r"\_") + "}")

    def letter(word: str) -> str:
        if word in _GREEK:
            return "\\" + word
        return word if len(word) == 1 or word.startswith("\\") or word.isdigit() else rf"\mathrm{{{word}}}"

    return letter(base), ",".join(letter(s) for s in subscripts)


def _latex_join(node: Expression, parts: list[tuple[str, int]]) -> tuple[str, int]:
    op, round_ = node.op, (r"\left(", r"\right)")
    if op == "add":
        return _sum(parts), _SUM
    if op == "subtract":
        return f"{parts[0][0]} - {_bracketed(parts[1], _PRODUCT, round_)}", _SUM
    if op == "multiply":
        left, right = (_bracketed(part, _PRODUCT, round_) for part in parts)
        right = right if node.args[1].op != "negative" else _bracketed(parts[1], _POWER, round_)
        return left + (r" \cdot " if right[0].isdigit() else r" \, ") + right, _PRODUCT
    if op == "divide":
        return rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", _POWER
    if op == "negative":
        return f"-{_bracketed(parts[0], _SIGN, round_)}", _SIGN
    if op == "power":
        return f"{_bracketed(parts[0], _ATOM, round_)}^{{{parts[1][0]}}}", _POWER
    if op == "sqrt":
        return rf"\sqrt{{{parts[0][0]}}}", _ATOM
    if op == "abs":
        return rf"\left|{parts[0][0]}\right|", _ATOM
    if op == "floor":
        return rf"\left\lfloor {parts[0][0]} \right\rfloor", _ATOM
    if op in ("less", "less_equal"):
        return f"{parts[0][0]} {'<' if op == 'less' else chr(92) + 'le'} {parts[1][0]}", _ATOM
    if op == "where":
        condition, a, b = (p[0] for p in parts)
        return rf"\begin{{cases}} {a} & {condition} \\ {b} & \text{{otherwise}} \end{{cases}}", _ATOM
    inner = ", ".join(p[0] for p in parts)
    if isinstance(node, Gridded):
        name, taken = node.grid.name.replace("_", r"\_"), _taken(node)
        below = f"_{{{taken}}}" if taken else ""
        return rf"\operatorname{{{name}}}{below}\left({inner}\right)", _ATOM
    return rf"{FUNCTIONS[op].latex}\left({inner}\right)", _ATOM


def matrix_text(array: Any) -> str:
    """An array of expressions as aligned plain text."""
    array = np.atleast_2d(expressions(array))
    cells = [[repr(item) for item in row] for row in array]
    widths = [max(len(row[j]) for row in cells) for j in range(array.shape[1])]
    return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
