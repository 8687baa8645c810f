"""Formulas on their pieces: what has kinks or jumps becomes smooth, with modes that say on which piece one is.

    |x| = s x,   sgn x = s,   x < y ↔ 0 < s,   ⌊x⌋ = n,   arctan2(y, x) = β + the angle from there

A mode s, n or β is a parameter: it stays what it is until its switching function says that the piece ends. Everything that
is derived from the formulas, derivatives and machine code, is the same for all pieces. What depends on parameters alone, as
⌊x⌋ mod 2 < 1 does on n, is constant on a piece, and stays the operation that it is: also where it equals its bound.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Container, Iterable, MutableMapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression import build
from zeromass.expression.build import ZERO, constant, function, negative
from zeromass.expression.node import Array, Expression, Symbol, expressions, ordered, symbol, symbols
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.substitute import renewed

SWITCHING = frozenset(name for name, row in OPERATIONS.items() if row.smooth is not None)
"""Operations with kinks or jumps."""


class Switch(NamedTuple):
    """A place in a formula at which it goes over from one piece to another.

    kind    "side": the mode is 1 where g > 0, −1 where g < 0, and 0 where g is 0 all over a piece; "whole": it is ⌊g⌋;
            "turn": it is the direction β, a multiple of π/2, from which an angle is measured, and good as long as g, the
            part along it, is positive
    g       the switching function, itself smooth between the switches of others
    mode    the parameter that says on which piece one is
    margin  another one: how far g may be beyond the switch that a piece begins at, which is rounding; of whole numbers
            below the piece, or with a minus above it
    said    the formula that switches, as its author wrote it
    plain   the switching function in the words of its author, with the kinks and jumps that it may have itself
    across  of a turn: the part across β
    """

    kind: Literal["side", "whole", "turn"]
    g: Expression
    mode: Symbol
    margin: Symbol
    said: Expression
    plain: Expression
    across: Expression = ZERO

    @property
    def leaving(self) -> tuple[Expression, ...]:
        """What falls through zero where a piece ends: one function, or for whole numbers below and above."""
        if self.kind == "side":
            return (self.mode * self.g + self.margin,)
        if self.kind == "whole":
            below, above = function("maximum", self.margin, ZERO), function("maximum", -self.margin, ZERO)
            return self.g - self.mode + below, self.mode + 1 - self.g + above
        return (self.g,)


NESTED = 64
"""Switches inside one another at most: the outermost may switch wherever any of the others does."""


def _root_of_size(node: Expression) -> float | None:
    """The power p of |x|^p that is not a whole number; None of other formulas.

    On a piece |x| is s x, negative beyond its end, where s x to such a power is not a number: (x²)^(p/2) is one.
    """
    if node.op not in ("sqrt", "power") or node.args[0].op != "abs":
        return None
    power = 0.5 if node.op == "sqrt" else node.args[1].value
    return None if power is None or float(power).is_integer() else float(power)


class _Unknown(ExpressionError):
    """A formula has a switch that is none of those known."""


class Pieces:
    """The switches of some formulas, and these and others as smooth functions of modes.

    unwrapped  arctan2 of these operands goes on smoothly where it would jump by 2π

    >>> from zeromass.expression.pieces import Pieces
    >>> x = zm.coordinate("x")
    >>> pieces = Pieces()
    >>> smooth = pieces.found([abs(x) + 1, zm.where(x > 0, x**2, 0)])
    >>> (switch,) = pieces.switches  # both have one border
    >>> switch.g, zm.expression.substitute(smooth, {switch.mode: -1.0}), zm.expression.substitute(smooth, {switch.mode: 1.0})
    (x, array([1 - x, 0], dtype=object), array([x + 1, x**2], dtype=object))
    """

    switches: list[Switch]

    def __init__(self, unwrapped: Iterable[Expression] = ()) -> None:
        self.switches = []
        self._places: dict[tuple[str, Expression], int] = {}
        self._new: dict[Expression, Expression] = {}
        self._unwrapped = frozenset(unwrapped)
        self._open, self._said = False, ZERO
        self._plain: list[Expression] = []
        self._level: dict[Expression, int] = {}
        self._moving: dict[Expression, bool] = {}

    def found(self, functions: Any) -> Array:
        """The formulas as smooth functions; their switches are added to those known."""
        self._open = True
        try:
            return self._with_modes(functions, self._new)
        finally:
            self._open = False

    def smooth(self, functions: Any) -> Array:
        """Formulas with the known switches as modes; others stay as they are."""
        return self._with_modes(functions, ChainMap({}, self._new))

    def _with_modes(self, functions: Any, new: MutableMapping[Expression, Expression]) -> Array:
        array = expressions(functions)
        for node in _bottom_up(array.ravel(), new):
            replaced = self._replaced(node, [new.get(a, a) for a in node.args])
            if replaced is not node:
                new[node] = replaced
        result = np.empty(array.shape, dtype=object)
        result.ravel()[:] = [new.get(e, e) for e in array.ravel()]
        return result

    def _replaced(self, node: Expression, args: list[Expression]) -> Expression:
        row = OPERATIONS.get(node.op)
        if row is not None and row.smooth is not None and any(self._moves(a) for a in args):
            plain = _Plain()
            row.smooth(plain, *node.args)
            self._said, self._plain = node, plain.asked
            try:
                return row.smooth(self, *args)
            except _Unknown:
                pass
        if all(a is b for a, b in zip(args, node.args, strict=True)):
            return node
        power = _root_of_size(node)
        return renewed(node, args) if power is None else (args[0] ** 2) ** (power / 2)

    # modes, which operations ask for: see `Modes` ----------------------------------------------------------------------
    def side(self, g: Expression) -> Expression:
        plain, up = self._plain.pop(0), True
        while True:
            below = False
            if g.op == "multiply" and g.args[0].value:  # 2 x and x have their zero at one place, and are one switch
                below, g = g.args[0].value < 0, g.args[1]
            elif g.op == "negative" or (
                g.op == "subtract" and g.args[0].value is not None
            ):  # 1 − x and x − 1 are one too
                below, g = True, g.args[0] if g.op == "negative" else build.subtract(g.args[1], g.args[0])
            elif g.op == plain.op == "power" and (g.args[1].value or 0) % 2 == 1 and (g.args[1].value or 0) > 0:
                plain, g = plain.args[0], g.args[0]  # x³ has the sign of x
            else:
                break
            if below:
                plain, up = negative(plain), not up
        if g.value is not None:
            side = constant((g.value > 0) - (g.value < 0))
        elif ("side", g) not in self._places and ("side", negative(g)) in self._places:
            side = negative(self._mode("side", negative(g), plain))
        else:
            side = self._mode("side", g, plain)
        return side if up else negative(side)

    def whole(self, g: Expression) -> Expression:
        plain = self._plain.pop(0)
        return constant(math.floor(g.value)) if g.value is not None else self._mode("whole", g, plain)

    def choice(self, condition: Expression, a: Expression, b: Expression) -> Expression:
        return build.where(condition, a, b)

    def angle(self, y: Expression, x: Expression) -> Expression:
        if self._said not in self._unwrapped:
            # beyond x = 0 from the opposite direction: what jumps by 2π then is the mode
            half = build.multiply(constant(math.pi), self.side(y))
            ahead, behind = function("arctan2", y, x), function("arctan2", negative(y), negative(x)) + half
            return build.where(function("less", ZERO, self.side(x)), ahead, behind)
        β = self._mode("turn", function("arctan2", y, x), self._said, (y, x))
        c, s = β.cos(), β.sin()
        return β + function("arctan2", y * c - x * s, x * c + y * s)

    def _mode(
        self,
        kind: Literal["side", "whole", "turn"],
        g: Expression,
        plain: Expression,
        point: Sequence[Expression] = (),
    ) -> Symbol:
        key = (kind, g)
        if key not in self._places:
            if not self._open:
                raise _Unknown
            level = 1 + self._nested(g)
            if level > NESTED:
                raise ExpressionError(
                    f"a formula of {', '.join(repr(leaf) for leaf in symbols(self._said)[:4])} has more than {NESTED} "
                    "switches (abs, sign, floor, maximum, where, arctan2 and the like) inside one another: where one of "
                    "them switches depends on all the others; write it with fewer of them"
                )
            k = len(self.switches)
            self._places[key] = k
            mode = symbol(f"mode{k}", "parameter", default=1.0, token=f"zeromass mode {k}")
            margin = symbol(f"margin{k}", "parameter", default=0.0, token=f"zeromass margin {k}")
            across = ZERO
            if point:
                (y, x), c, s = point, mode.cos(), mode.sin()
                g, across = x * c + y * s, y * c - x * s
            self._level[mode] = level
            self.switches.append(Switch(kind, g, mode, margin, self._said, plain, across))
        return self.switches[self._places[key]].mode

    def _moves(self, e: Expression) -> bool:
        """Whether a formula depends on more than parameters, and so is not constant on each piece."""
        known = self._moving
        for node in ordered([e], known):
            known[node] = node.kind != "parameter" if isinstance(node, Symbol) else any(known[a] for a in node.args)
        return known[e]

    def _nested(self, e: Expression) -> int:
        """How many switches inside one another a formula with modes has."""
        known = self._level
        for node in ordered([e], known):
            known[node] = max([known[a] for a in node.args], default=0)
        return known[e]


class _Plain:
    """Modes that only say which switching functions an operation has."""

    def __init__(self) -> None:
        self.asked: list[Expression] = []

    def side(self, g: Expression) -> Expression:
        self.asked.append(g)
        return g

    whole = side

    def choice(self, condition: Expression, a: Expression, b: Expression) -> Expression:
        return a

    def angle(self, y: Expression, x: Expression) -> Expression:
        self.asked += [y, x]
        return y


def switches(roots: Iterable[Expression]) -> bool:
    """Whether some formula has kinks or jumps."""
    seen: set[Expression] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            if node.op in SWITCHING:
                return True
            seen.add(node)
            stack += node.args
    return False


def unwrapped(roots: Iterable[Expression]) -> list[Expression]:
    """The angles arctan2(y, x) under some formulas."""
    return [node for node in _bottom_up(roots, ()) if node.op == "arctan2"]


def _bottom_up(roots: Iterable[Expression], known: Container[Expression]) -> list[Expression]:
    """All nodes under the roots, children before parents, in an order that follows from the formulas alone."""
    seen: set[Expression] = set()
    result: list[Expression] = []
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, done = stack.pop()
        if done:
            result.append(node)
        elif node not in seen and node not in known and node.args:
            seen.add(node)
            stack.append((node, True))
            stack += [(a, False) for a in reversed(node.args)]
    return result


__all__ = ["SWITCHING", "Pieces", "Switch", "switches", "unwrapped"]
