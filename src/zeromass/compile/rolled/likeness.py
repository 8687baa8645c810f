"""Formulas that are built alike, whatever their symbols are called and their numbers are.

    (d·d − 0.25)/2 of one rod and (d·d − 0.36)/2 of another

are: a coordinate is known by its block among those of the formulas, its place there and the order of its rate; a number that
is no small one may be any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeromass.expression import Expression, Symbol
from zeromass.expression.node import Gridded, ordered, symbol
from zeromass.expression.substitute import renewed

PLAIN = frozenset({0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, 4.0})
"""Numbers that belong to the structure: they come from derivatives, rotations and squares."""

_ANY = -1
"""In the place of a formula: any number that is no small one."""


class Likeness:
    """Formulas that others are compared with, node by node.

    Symbols must stand in the same places of their blocks, small numbers must be equal, and what is one node in one must be
    one in the other. Formulas whose operands stand in another order are not recognized here.
    """

    def __init__(
        self, roots: Sequence[Expression], where: Mapping[str, tuple[int, int]], blocks: Sequence[int]
    ) -> None:
        self._where = where
        local = {b: k for k, b in enumerate(blocks)}
        self._nodes: list[Expression] = [
            node for node in reversed(ordered(roots)) if not _varies(node)
        ]  # operands last
        place = {node: k for k, node in enumerate(self._nodes)}
        self._roots: list[int] = [place.get(root, _ANY) for root in roots]
        self._steps: list[tuple[str, int, tuple[int, ...]]] = [
            (node.op, place[node], tuple(place.get(a, _ANY) for a in node.args)) for node in self._nodes if node.args
        ]
        self._plain: list[tuple[int, Expression]] = [(place[x], x) for x in self._nodes if x.value is not None]
        self._symbols: list[tuple[int, tuple[int, int, int]]] = [
            (place[x], _placed(x, where, local)) for x in self._nodes if isinstance(x, Symbol)
        ]
        self._grids: list[tuple[int, Gridded]] = [(place[x], x) for x in self._nodes if isinstance(x, Gridded)]

    def numbers(self, roots: Sequence[Expression], blocks: Sequence[int]) -> list[float] | None:
        """The numbers in formulas that are built alike; None of others."""
        if len(roots) != len(self._roots):
            return None
        there: list[Expression] = [None] * len(self._nodes)  # type: ignore[list-item]
        found: list[float] = []

        def told(k: int, e: Expression) -> bool:
            """Whether a formula may stand in a place."""
            if k == _ANY:
                if _varies(e):
                    found.append(e.value)  # type: ignore[arg-type]
                return _varies(e)
            if there[k] is None:
                there[k] = e
            return there[k] is e

        if not all(map(told, self._roots, roots)):
            return None
        for op, k, inner in self._steps:
            node = there[k]
            if node.op != op or not all(map(told, inner, node.args)):
                return None
        local = {b: k for k, b in enumerate(blocks)}
        same = (
            all(there[k] is number for k, number in self._plain)
            and all(isinstance(there[k], Symbol) for k, _ in self._symbols)
            and all(_placed(there[k], self._where, local) == known for k, known in self._symbols)
            and all(_grid(there[k]) == _grid(known) for k, known in self._grids)
            and len(set(there)) == len(there)
        )
        return found if same else None

    def formulas(self, numbers: Sequence[Expression]) -> list[Expression]:
        """The formulas with others in the place of numbers."""
        new: dict[Expression, Expression] = {}
        given = iter(numbers)
        first = [next(given) if k == _ANY else None for k in self._roots]
        args = {k: [next(given) if c == _ANY else self._nodes[c] for c in inner] for _, k, inner in self._steps}
        for k in reversed(range(len(self._nodes))):
            node = self._nodes[k]
            if k in args:
                renewed_ = [new.get(a, a) for a in args[k]]
                changed = any(x is not a for x, a in zip(renewed_, node.args, strict=True))
                new[node] = renewed(node, renewed_) if changed else node
        return [
            new.get(self._nodes[k], self._nodes[k]) if e is None else e for k, e in zip(self._roots, first, strict=True)
        ]


def _varies(e: Expression) -> bool:
    """Whether a formula is a number that may differ from element to element."""
    return e.value is not None and e.value not in PLAIN


def _grid(e: Expression) -> object:
    return (e.grid, e.orders) if isinstance(e, Gridded) else None


def _placed(leaf: Expression, where: Mapping[str, tuple[int, int]], local: Mapping[int, int]) -> tuple[int, int, int]:
    """The block of a symbol among those of the formulas, its place there, and the order of its rate."""
    assert isinstance(leaf, Symbol)
    block, place = where[leaf.token]
    return local.get(block, block), place, leaf.order


def fresh(name: str, default: float) -> Symbol:
    """A symbol for a number that differs from one instance of a kind to the next."""
    return symbol(name, "parameter", default=default)
