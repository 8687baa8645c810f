"""Formulas as LaTeX, tidied for the reader as on a board (`tidy`).

What is shared is written out in full, so that the length can grow far beyond the graph: `LONGEST` bounds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from zeromass.errors import ExpressionError, shown
from zeromass.expression.names import escaped, latex_symbol
from zeromass.expression.node import Expression, Gridded, Symbol, expressions
from zeromass.expression.numerals import HALVES, decimal, fraction, turns
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.writing import ATOM, POWER, PRODUCT, ROUND, SIGN, SUM, Part, bracketed, latex_call
from zeromass.expression.text import LONGEST, written
from zeromass.expression.tidy import Atom, Factors, Sum, Tidy

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar

_BARE = frozenset({r"\sin", r"\cos", r"\tan", r"\sinh", r"\cosh", r"\tanh", r"\ln"})
"""Functions that need no brackets around one symbol."""
SHOWN = 400
"""Operations of a formula that a notebook shows by itself."""

MOST_DIGITS = 30
"""More than any number has that decimals tell apart."""

_TALL = ("^", r"\frac", r"\left", r"\begin")
"""What can not be read in an exponent."""

_RAISED = _BARE - {r"\ln"}
"""Functions whose powers are written sin²x."""


class Latex(str):
    """LaTeX, which a notebook shows typeset and `print` as it stands.

    >>> x = zm.coordinate("x")
    >>> zm.export.latex(x**2)._repr_latex_()
    '$$x^{2}$$'
    """

    __slots__ = ()

    def _repr_latex_(self) -> str:
        return f"$${self}$$"


class Derived(Protocol):
    """What has a page of its own in LaTeX: a system."""

    def _latex_(self, digits: int | None) -> str: ...


def latex(e: Scalar | Formulas | Derived, *, digits: int | None = None) -> Latex:
    r"""LaTeX of an expression, or of an array as a matrix or column, with like terms collected.

    Of a system it is the page of its derivation, see `System.latex`.

    digits  significant digits that numbers are rounded to; by default none is lost but for a few roundings, so that
            0.32000000000000006 is 0.32

    Like terms are collected, sin² + cos² is 1, and common factors stand before brackets; the formula itself stays as it is.

    >>> theta = zm.coordinate("theta")
    >>> print(zm.export.latex(zm.rate(theta) ** 2 / 2 - np.cos(theta)))
    \frac{1}{2} \, \dot{\theta}^{2} - \cos\theta
    """
    if digits is not None and (not isinstance(digits, int | np.integer) or not 0 <= digits <= MOST_DIGITS):
        raise ExpressionError(f"digits is {shown(digits)}; it is a whole number, at most {MOST_DIGITS}, or None")
    page = None if isinstance(e, type) else getattr(e, "_latex_", None)
    if page is not None:
        return Latex(page(digits))
    array = expressions(e)
    size = sum(written(item) for item in array.ravel())
    if size > LONGEST:
        raise ExpressionError(
            f"written out, this has {size:.3g} operations, too many to read; print parts of it, or zm.export.c_code(…)"
        )
    if array.ndim > 2:
        raise ExpressionError(f"LaTeX has no form for an array of {array.ndim} dimensions")
    board = Tidy()
    if array.ndim == 0:
        return Latex(Typesetter(board, digits).words(board(array.item())))
    rows = array[:, None] if array.ndim == 1 else array
    return Latex(matrix([[Typesetter(board, digits).words(board(item)) for item in row] for row in rows]))


def in_notebook(e: Expression) -> str | None:
    """An expression as a notebook shows it; None of one that is too long to read."""
    return None if written(e) > SHOWN else f"$\\displaystyle {latex(e)}$"


def matrix(cells: list[list[str]]) -> str:
    """A matrix of words."""
    return "\\begin{bmatrix}\n" + " \\\\\n".join(" & ".join(row) for row in cells) + "\n\\end{bmatrix}"


class Typesetter:
    """Writes sums of a board; `names` are words that stand for some of its atoms."""

    def __init__(self, board: Tidy, digits: int | None = None, names: Mapping[int, str] | None = None) -> None:
        self._board, self._digits, self._names = board, digits, dict(names or {})

    def words(self, a: Sum) -> str:
        """The sum in a line."""
        return self._sum(a, self._parts(a))[0]

    def terms(self, a: Sum) -> list[str]:
        """Its terms, each with its sign, for several lines."""
        parts = self._parts(a)
        return [("-" if c < 0 else "+") + " " + self._term(f, abs(c), parts)[0] for f, c in leading(a)]

    def _parts(self, a: Sum) -> dict[int, Part]:
        """The words of all atoms that stand in a sum; those of inner ones are dropped as soon as they are used."""
        inside = self._inside(a)
        outer = {i for factors, _ in a for i, _ in factors}
        reader = {
            j: i
            for i in inside
            if i not in self._names
            for arg in self._board.atoms[i].args
            for f, _ in arg
            for j, _ in f
        }
        dropped: dict[int, list[int]] = {}
        for j, i in reader.items():
            dropped.setdefault(i, []).append(j)
        parts: dict[int, Part] = {}
        for i in inside:
            parts[i] = (self._names[i], ATOM) if i in self._names else self._atom(self._board.atoms[i], parts)
            for j in dropped.get(i, ()):
                if j not in outer:
                    del parts[j]
        return parts

    def _inside(self, a: Sum) -> list[int]:
        found: set[int] = set()
        stack = [i for factors, _ in a for i, _ in factors]
        while stack:
            i = stack.pop()
            if i not in found:
                found.add(i)
                if i not in self._names:
                    stack += [j for arg in self._board.atoms[i].args for factors, _ in arg for j, _ in factors]
        return sorted(found)

    def _atom(self, atom: Atom, parts: Mapping[int, Part]) -> Part:
        if isinstance(atom.leaf, Symbol):
            return latex_symbol(atom.leaf)
        args = [self._sum(arg, parts) for arg in atom.args]
        if atom.op == "sum":
            return args[0]
        if isinstance(atom.leaf, Gridded):
            name, (x, y) = escaped(atom.leaf.grid.name), atom.leaf.orders
            taken = "x" * x + "y" * y  # the variables that derivatives were taken in
            return latex_call(rf"\operatorname{{{name}}}" + (f"_{{{taken}}}" if taken else ""), *args)
        row = OPERATIONS[atom.op].latex
        exponent = _exponent(atom)
        if exponent is not None:
            args[1] = f"{exponent[0]}/{exponent[1]}", ATOM
        if atom.op == "exp" and not any(tall in args[0][0] for tall in _TALL):
            return f"e^{{{args[0][0]}}}", POWER
        if not isinstance(row, str):
            return row(*args)
        if row in _BARE and args[0][1] == ATOM and not args[0][0].startswith("\\left"):
            return row + (" " if args[0][0][0].isalpha() else "") + args[0][0], PRODUCT if row == r"\ln" else SIGN
        return latex_call(row, *args)

    def _sum(self, a: Sum, parts: Mapping[int, Part]) -> Part:
        if not a:
            return "0", ATOM
        words, strength = "", SUM
        for factors, c in leading(a):
            term, strength = self._term(factors, abs(c), parts)
            if not words:
                words = f"-{bracketed((term, strength), PRODUCT, ROUND)}" if c < 0 else term
                strength = SIGN if c < 0 else strength
            else:
                words += (" - " if c < 0 else " + ") + (bracketed((term, strength), PRODUCT, ROUND) if c < 0 else term)
        return words, strength if len(a) == 1 else SUM

    def _term(self, factors: Factors, c: float, parts: Mapping[int, Part]) -> Part:
        """|c| times the factors: what has negative exponents below a line."""
        chosen = sorted(factors, key=lambda f: (*self._order(f[0]), f[0]))
        top = [self._power(i, k, parts) for i, k in chosen if k > 0]
        bottom = [self._power(i, -k, parts) for i, k in chosen if k < 0]
        above, below = self._coefficient(c, alone=not factors)
        if not factors:
            return self._number(above, below)
        if not bottom:
            if not below:
                return _product([*above, *top])
            if len(top) == 1 and chosen[0][1] == 1 and (above == [("1", ATOM)] or not above):
                return rf"\frac{{{top[0][0]}}}{{{below}}}", POWER
            front = rf"\frac{{{_product(above)[0]}}}{{{below}}}", POWER
            return _product([front, *top])
        if above == [("1", ATOM)]:
            above = []
        over = _product([*above, *top])[0] if above or top else "1"
        under = _product([*([(below, ATOM)] if below else []), *bottom])[0]
        return rf"\frac{{{over}}}{{{under}}}", POWER

    def _number(self, above: list[Part], below: str) -> Part:
        if below:
            return rf"\frac{{{_product(above)[0]}}}{{{below}}}", POWER
        return _product(above) if above else ("1", ATOM)

    def _coefficient(self, c: float, *, alone: bool) -> tuple[list[Part], str]:
        """What stands above the line, and below: nothing of 1. A number alone stays 0.5."""
        if c == 1.0:
            return [], ""
        ratio = fraction(c)
        if ratio and not (alone and c in HALVES):
            return [(str(ratio[0]), ATOM)], str(ratio[1])
        angle = turns(c)
        if angle:
            top: list[Part] = [(r"\pi", ATOM)]
            return ([(str(angle[0]), ATOM), *top] if angle[0] != 1 else top), "" if angle[1] == 1 else str(angle[1])
        return [self.numeral(c)], ""

    def numeral(self, value: float) -> Part:
        """A decimal."""
        mantissa, _, exponent = decimal(value, self._digits).partition("e")
        if mantissa == "inf":
            return r"\infty", ATOM
        if not exponent:
            return mantissa, ATOM
        power = rf"10^{{{int(exponent)}}}"
        return (power if mantissa == "1" else rf"{mantissa} \cdot {power}"), POWER

    def _power(self, i: int, k: int, parts: Mapping[int, Part]) -> Part:
        if k == 1:
            return parts[i]
        words, row = parts[i][0], OPERATIONS.get(self._board.atoms[i].op)
        if i not in self._names and row is not None and row.latex in _RAISED and words.startswith(str(row.latex)):
            command = str(row.latex)
            return f"{command}^{{{k}}}{words[len(command) :]}", SIGN
        return f"{bracketed(parts[i], ATOM, ROUND)}^{{{k}}}", POWER

    def _order(self, i: int) -> tuple[int, int]:
        """Where a factor stands: parameters, coordinates, rates, brackets, functions."""
        atom = self._board.atoms[i]
        if isinstance(atom.leaf, Symbol):
            kinds = {"parameter": 0, "time": 2, "coordinate": 2, "multiplier": 4}
            return kinds.get(atom.leaf.kind, 4), atom.leaf.order
        if atom.op == "sum":
            leaves = [self._board.atoms[j].leaf for j in self._board.inside(atom.args[0])]
            constant = all(isinstance(x, Symbol) and x.kind == "parameter" for x in leaves)
            return (1 if constant else 5), 0
        return 6, 0


def _exponent(atom: Atom) -> tuple[int, int] | None:
    """Of a power with a broken exponent: numerator and denominator."""
    if atom.op != "power" or len(atom.args[1]) != 1 or atom.args[1][0][0]:
        return None
    return fraction(atom.args[1][0][1])


def leading(a: Sum) -> Sum:
    """The sum with a positive term first, where there is one; else as it is."""
    for k, (_, c) in enumerate(a):
        if c > 0:
            return (a[k], *a[:k], *a[k + 1 :])
    return a


def _product(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    words = ""
    for part in parts:
        one = bracketed(part, PRODUCT, ROUND)
        if not words:
            words = one
        else:
            words += (r" \cdot " if one[0].isdigit() or one.startswith(r"10^") else r" \, ") + one
    return words, PRODUCT
