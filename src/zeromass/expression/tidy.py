"""Formulas as one writes them on a board: sums of products, like terms collected, sin² + cos² = 1.

The graph keeps the shape that its author and the derivatives gave it. Here it is read once more, for printing only: nothing
that is computed ever comes from here.

    Factors  ((atom, exponent), …), whole exponents, in the order of the atoms
    Sum      ((factors, coefficient), …), each with other factors

An atom is what is not taken apart: a symbol, a function of sums, or a sum in brackets. Atoms are numbered, those inside
before those outside, so that no walk needs recursion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from zeromass.expression.node import Expression, Gridded, as_expression, is_integer, ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

Factors: TypeAlias = tuple[tuple[int, int], ...]
Sum: TypeAlias = tuple[tuple[Factors, float], ...]

CLOSE = 8 * 2.0**-52
"""Relative difference below which two coefficients are one: what a few roundings make of it."""

HIGHEST = 64
"""Largest power that is taken apart: beyond, a coefficient would lose its digits."""


class Atom(NamedTuple):
    """What is not taken apart.

    op    "symbol", "sum", or the name of an operation
    leaf  the symbol; of a function on a grid its node
    args  sums
    size  how many signs it has, about
    depth how many brackets are in one another
    """

    op: str
    leaf: Expression | None
    args: tuple[Sum, ...]
    size: int
    depth: int


class Tidy:
    """The board: atoms of some formulas, and their sums.

    >>> from zeromass.expression.tidy import Tidy
    >>> theta = zm.coordinate("theta")
    >>> board = Tidy()
    >>> board.expression(board(3 * np.sin(theta) ** 2 + 3 * np.cos(theta) ** 2))
    3
    """

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self._place: dict[tuple[Any, ...], int] = {}
        self._tidied: dict[Sum, Sum] = {}

    def __call__(self, e: Expression) -> Sum:
        """The formula as a sum; the shorter of its author's shape and of all products multiplied out."""
        from zeromass.expression.board import expanded

        sums: dict[Expression, Sum] = {}
        for node in ordered([e]):
            sums[node] = self._of(node, [sums[a] for a in node.args])
        own = self.tidied(sums[e])
        other = expanded(self, own)
        return own if other is None or self.size(other) >= self.size(own) else other

    def _of(self, node: Expression, args: list[Sum]) -> Sum:
        if node.value is not None:
            return number(node.value)
        if not args:
            return self.symbol(node)
        match node.op:
            case "add":
                return added(args[0], args[1])
            case "subtract":
                return added(args[0], scaled(args[1], -1.0))
            case "negative":
                return scaled(args[0], -1.0)
            case "multiply":
                return self.product(args[0], args[1])
            case "divide":
                return self.product(args[0], self.power(args[1], -1))
            case "power":
                n = node.args[1].value
                if n is not None and is_integer(n) and abs(n) <= HIGHEST:
                    return self.power(args[0], int(n))
        return self.function(node.op, tuple(args), node if isinstance(node, Gridded) else None)

    def symbol(self, leaf: Expression) -> Sum:
        """One symbol."""
        return self._alone(("symbol", leaf), Atom("symbol", leaf, (), 1, 0))

    def function(self, op: str, args: tuple[Sum, ...], leaf: Gridded | None = None) -> Sum:
        """A function of sums."""
        tidied = tuple(self.tidied(arg) for arg in args)
        key = (op, *tidied) if leaf is None else (op, leaf.grid.key, leaf.orders, *tidied)
        size = 1 + sum(map(self.size, tidied))
        return self._alone(key, Atom(op, leaf, tidied, size, 1 + max(map(self._depth, tidied))))

    def find(self, op: str, arg: Sum) -> int | None:
        """The atom of a function, if it is on the board."""
        return self._place.get((op, arg))

    def _alone(self, key: tuple[Any, ...], atom: Atom) -> Sum:
        if key not in self._place:
            self._place[key] = len(self.atoms)
            self.atoms.append(atom)
        return ((((self._place[key], 1),), 1.0),)

    def product(self, a: Sum, b: Sum) -> Sum:
        """Of two sums: what has several terms stays in brackets."""
        (f, p), (g, q) = self._factor(a), self._factor(b)
        if not p * q:
            return () if p == 0.0 or q == 0.0 else self.function("multiply", (a, b))  # it vanishes as a number only
        return ((merged(f, g), p * q),) if math.isfinite(p * q) else self.function("multiply", (a, b))

    def power(self, a: Sum, n: int) -> Sum:
        """A whole power of a sum."""
        factors, c = self._factor(a)
        try:
            c = c**n
        except (OverflowError, ZeroDivisionError):
            c = math.inf
        if not c or not math.isfinite(c):
            return self.function("power", (a, number(n)))
        return ((tuple((atom, k * n) for atom, k in factors), c),)

    def _factor(self, a: Sum) -> tuple[Factors, float]:
        """A sum as one product: its one term, or what its terms have in common times brackets."""
        a = self.tidied(a)
        if not a:
            return (), 0.0
        if len(a) == 1:
            return a[0]
        sign = -1.0 if all(c < 0 for _, c in a) else 1.0
        return self.bracket(scaled(a, sign))[0][0], sign

    def bracket(self, a: Sum) -> Sum:
        """A sum of several terms as one atom."""
        size, depth = 1 + self.size(a), 1 + self._depth(a)
        return self._alone(("sum", a), Atom("sum", None, (a,), size, depth))

    def tidied(self, a: Sum) -> Sum:
        """The sum after all identities, with common factors before brackets."""
        from zeromass.expression.board import collected, identities

        if len(a) < 2:
            return a
        if a not in self._tidied:
            self._tidied[a] = collected(self, identities(self, a))
        return self._tidied[a]

    def size(self, a: Sum) -> int:
        """How many signs it has, about."""
        return sum(1 + (abs(c) != 1.0) + sum(self.atoms[i].size + (k != 1) for i, k in f) for f, c in a)

    def _depth(self, a: Sum) -> int:
        return max((self.atoms[i].depth for factors, _ in a for i, _ in factors), default=0)

    def inside(self, a: Sum) -> list[int]:
        """All atoms of a sum, those inside first."""
        found: set[int] = set()
        stack = [i for factors, _ in a for i, _ in factors]
        while stack:
            i = stack.pop()
            if i not in found:
                found.add(i)
                stack += [j for arg in self.atoms[i].args for factors, _ in arg for j, _ in factors]
        return sorted(found)

    def expression(self, a: Sum) -> Expression:
        """The sum as a formula again, for comparison."""
        from zeromass.expression.build import gridded, rebuilt

        made: dict[int, Expression] = {}

        def of(terms: Sum) -> Expression:
            total = as_expression(0)
            for factors, c in terms:
                term = as_expression(c)
                for i, k in factors:
                    term = term * made[i] ** k
                total = total + term
            return total

        for i in self.inside(a):
            atom = self.atoms[i]
            if atom.op == "symbol":
                assert atom.leaf is not None
                made[i] = atom.leaf
            elif isinstance(atom.leaf, Gridded):
                made[i] = gridded(atom.leaf.grid, atom.leaf.orders, *map(of, atom.args))
            else:
                made[i] = of(atom.args[0]) if atom.op == "sum" else rebuilt(atom.op, *map(of, atom.args))
        return of(a)


def number(value: float) -> Sum:
    """A number as a sum."""
    return (((), float(value)),) if value else ()


def scaled(a: Sum, c: float) -> Sum:
    """c·a"""
    return a if c == 1.0 else tuple((factors, c * p) for factors, p in a)


def added(a: Sum, b: Iterable[tuple[Factors, float]]) -> Sum:
    """a + b, like terms together; what cancels but for rounding is gone."""
    terms = dict(a)
    for factors, c in b:
        old = terms.get(factors, 0.0)
        if old and close(old, -c):
            del terms[factors]
        else:
            terms[factors] = old + c
    return tuple(terms.items())


def merged(f: Factors, g: Factors) -> Factors:
    """The product of two products."""
    powers = dict(f)
    for atom, k in g:
        powers[atom] = powers.get(atom, 0) + k
    return tuple(sorted((atom, k) for atom, k in powers.items() if k))


def close(p: float, q: float) -> bool:
    """Whether two coefficients are one but for rounding."""
    return p == q or abs(p - q) <= CLOSE * max(abs(p), abs(q))
