"""Expressions as plain data, for files and pickles: a list of nodes, and arrays as places in it. Reading runs no code.

    [["symbol", name, kind, order, default, latex, token], ["constant", 2.0], ["multiply", 1, 0], …]

Children stand before their parents, so that neither writing nor reading recurses however deep a formula is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression.grid import Grid
from zeromass.expression.node import (
    Expression,
    Gridded,
    Symbol,
    commuted,
    constant,
    expressions,
    gridded,
    operation,
    symbol,
)
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.equations import ANY


class Writer:
    """Collects expressions; `array(e)` is their data, `nodes` the data of all nodes in use, `grids` the grids they name.

    >>> from zeromass.expression.record import Writer
    >>> w = Writer()
    >>> w.array([zm.t * 2, zm.t])
    {'shape': [2], 'at': [2, 1]}
    >>> w.nodes
    [['constant', 2.0], ['symbol', 't', 'time', 0, None, None, 'time'], ['multiply', 0, 1]]
    """

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self.grids: list[Grid] = []
        self._place: dict[Expression, int] = {}

    def array(self, e: Any) -> dict[str, Any]:
        e = expressions(e)
        return {"shape": list(e.shape), "at": [self.place(item) for item in e.ravel()]}

    def place(self, root: Expression) -> int:
        """Where an expression stands among the nodes; what it shares with earlier ones is not written again."""
        place = self._place
        new: set[Expression] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in place and node not in new:
                new.add(node)
                stack += node.args
        for node in sorted(new, key=lambda node: node.serial):
            data = self._written(node)
            place[node] = len(self.nodes)
            self.nodes.append(data)
        return place[root]

    def _written(self, node: Expression) -> list[Any]:
        if isinstance(node, Symbol):
            return ["symbol", node.name, node.kind, node.order, node.default, node.latex, node.token]
        if node.value is not None:
            return ["constant", node.value]
        args = [self._place[a] for a in node.args]
        if isinstance(node, Gridded):
            if node.grid not in self.grids:
                self.grids.append(node.grid)
            return ["grid", self.grids.index(node.grid), *node.orders, *args]
        if node.op not in OPERATIONS:
            raise ExpressionError(f"'{node.op}' can not be written to a file")
        return [node.op, *args]


class Reader:
    """Expressions from the data of their nodes, and the grids that these name.

    >>> from zeromass.expression.record import Reader
    >>> Reader([["constant", 2.0], ["sqrt", 0]]).array({"shape": [1], "at": [1]})
    array([sqrt(2)], dtype=object)
    """

    systems: dict[str, Any]
    """What was made of the expressions, by its data; see `zeromass.model.record`."""

    def __init__(self, nodes: Sequence[Sequence[Any]], grids: Sequence[Grid] = ()) -> None:
        self.nodes: list[Expression] = []
        self.systems = {}
        found = self.nodes
        for op, *rest in nodes:
            row = OPERATIONS.get(op)
            if row is None:
                found.append(self._special(op, rest, grids))
                continue
            if row.arity not in (ANY, len(rest)):
                raise ExpressionError(f"the data gives {len(rest)} operands to '{op}', which takes {row.arity}")
            args = [found[i] for i in rest]
            # those of sums and products are ordered by age, which may be another than where they were written
            found.append(commuted(op, *args) if op in ("add", "multiply") else operation(op, *args))

    def _special(self, op: str, rest: list[Any], grids: Sequence[Grid]) -> Expression:
        if op == "symbol":
            return _symbol(*rest)
        if op == "constant":
            return constant(rest[0])
        if op == "grid":
            which, m, n, x, y = rest
            return gridded(grids[which], (m, n), self.nodes[x], self.nodes[y])
        raise ExpressionError(f"the data names an operation '{op}' that does not exist")

    def array(self, data: dict[str, Any]) -> np.ndarray:
        flat = np.empty(len(data["at"]), dtype=object)
        flat[:] = [self.nodes[i] for i in data["at"]]
        return flat.reshape(data["shape"])

    def scalar(self, data: dict[str, Any] | None) -> Expression | None:
        return None if data is None else self.array(data).item()


def _symbol(name: Any, kind: Any, order: Any, default: Any, latex: Any, token: Any) -> Expression:
    """A leaf of its data, which must be of the types that a Writer writes, and tell of a known token what is known."""
    types = {str: (name, kind, token), int: (order,), float: () if default is None else (default,)}
    right = all(type(value) is kind_ for kind_, values in types.items() for value in values)
    if not right or not isinstance(latex, str | None) or order < 0:
        raise ExpressionError(f"the data of the symbol {name!r} is none")
    found = symbol(name, kind, order=order, default=default, latex=latex, token=token)
    if (found.name, found.kind) != (name, kind):
        raise ExpressionError(
            f"the data calls a symbol {name!r}, a {kind}, that is known as {found.name!r}, a {found.kind}"
        )
    return found


def flat(e: Expression) -> tuple[list[list[Any]], list[Grid]]:
    """The nodes of one expression, itself the last, and the grids that they name."""
    writer = Writer()
    writer.place(e)
    return writer.nodes, writer.grids


def restored(nodes: list[list[Any]], grids: Sequence[Grid]) -> Expression:
    """The expression that `flat` has laid out."""
    return Reader(nodes, grids).nodes[-1]
