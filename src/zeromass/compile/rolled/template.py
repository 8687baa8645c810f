"""Templates: formulas whose numbers are data.

    (d·d − 0.25)/2 of one rod and (d·d − 0.36)/2 of another

have one template, (d·d − c)/2. A template identifies a coordinate by its block among those of the element, by its place in
the block and by the order of its rate. Small numbers (`PLAIN`) belong to the template, all others are data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeromass.expression import Expression, Symbol
from zeromass.expression.node import Gridded, ordered, symbol
from zeromass.expression.substitute import renewed

PLAIN = frozenset({0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, 4.0})
"""Numbers that belong to the structure: they come from derivatives, rotations and squares."""

_DATA = -1
"""The place of a number that is data."""


class Template:
    """Formulas that others are compared with, node by node.

    Two sets of formulas match where symbols stand in the same places of their blocks, small numbers are equal, and equal
    nodes of one are equal nodes of the other. Formulas whose operands stand in another order do not match.
    """

    def __init__(
        self, roots: Sequence[Expression], where: Mapping[str, tuple[int, int]], blocks: Sequence[int]
    ) -> None:
        self._where = where
        local = {b: k for k, b in enumerate(blocks)}
        self._nodes: list[Expression] = [x for x in reversed(ordered(roots)) if not _is_data(x)]
        """Operands follow what is made of them."""
        place = {node: k for k, node in enumerate(self._nodes)}
        self._roots: list[int] = [place.get(root, _DATA) for root in roots]
        self._operations: list[tuple[str, int, tuple[int, ...]]] = [
            (node.op, place[node], tuple(place.get(a, _DATA) for a in node.args)) for node in self._nodes if node.args
        ]
        self._plain: list[tuple[int, Expression]] = [(place[x], x) for x in self._nodes if x.value is not None]
        self._symbols: list[tuple[int, tuple[int, int, int]]] = [
            (place[x], _position(x, where, local)) for x in self._nodes if isinstance(x, Symbol)
        ]
        self._grids: list[tuple[int, Gridded]] = [(place[x], x) for x in self._nodes if isinstance(x, Gridded)]

    def match(self, roots: Sequence[Expression], blocks: Sequence[int]) -> list[float] | None:
        """The data of formulas that have this template; None of others."""
        if len(roots) != len(self._roots):
            return None
        matched: list[Expression] = [None] * len(self._nodes)  # type: ignore[list-item]
        data: list[float] = []

        def fits(k: int, e: Expression) -> bool:
            """Whether the k-th node may be a formula; it is from then on."""
            if k == _DATA:
                if _is_data(e):
                    data.append(e.value)  # type: ignore[arg-type]
                return _is_data(e)
            if matched[k] is None:
                matched[k] = e
            return matched[k] is e

        if not all(map(fits, self._roots, roots)):
            return None
        for op, k, operands in self._operations:
            node = matched[k]
            if node.op != op or not all(map(fits, operands, node.args)):
                return None
        local = {b: k for k, b in enumerate(blocks)}
        equal = (
            all(matched[k] is number for k, number in self._plain)
            and all(isinstance(matched[k], Symbol) for k, _ in self._symbols)
            and all(_position(matched[k], self._where, local) == position for k, position in self._symbols)
            and all(_grid(matched[k]) == _grid(x) for k, x in self._grids)
            and len(set(matched)) == len(matched)
        )
        return data if equal else None

    def formulas(self, data: Sequence[Expression]) -> list[Expression]:
        """The formulas with other data, in the order of `match`."""
        new: dict[Expression, Expression] = {}
        given = iter(data)
        roots = [next(given) if k == _DATA else self._nodes[k] for k in self._roots]
        operands = {
            k: [next(given) if c == _DATA else self._nodes[c] for c in places] for _, k, places in self._operations
        }
        for k in reversed(operands):  # operands first
            node, args = self._nodes[k], [new.get(a, a) for a in operands[k]]
            if any(x is not a for x, a in zip(args, node.args, strict=True)):
                new[node] = renewed(node, args)
        return [new.get(e, e) for e in roots]


def _is_data(e: Expression) -> bool:
    """Whether a formula is a number that may differ from element to element."""
    return e.value is not None and e.value not in PLAIN


def _grid(e: Expression) -> object:
    return (e.grid, e.orders) if isinstance(e, Gridded) else None


def _position(leaf: Expression, where: Mapping[str, tuple[int, int]], local: Mapping[int, int]) -> tuple[int, int, int]:
    """The block of a symbol among those of the element, its place there, and the order of its rate."""
    assert isinstance(leaf, Symbol)
    block, place = where[leaf.token]
    return local.get(block, block), place, leaf.order


def fresh(name: str, default: float) -> Symbol:
    """A symbol for a number that differs from one instance of a kind to the next."""
    return symbol(name, "parameter", default=default)
