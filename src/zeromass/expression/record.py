"""Expressions as plain data, for files: a list of nodes, and arrays as places in it. Reading it runs no code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.expression.grid import Grid
from zeromass.expression.node import (
    Expression,
    ExpressionError,
    Gridded,
    Symbol,
    constant,
    expressions,
    gridded,
    operation,
    ordered,
    symbol,
)
from zeromass.expression.operation import OPERATIONS


class Writer:
    """Collects expressions; `array(e)` is their data, `nodes` the data of all nodes in use, `grids` the grids they name."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self.grids: list[Grid] = []
        self._place: dict[Expression, int] = {}

    def array(self, e: Any) -> dict[str, Any]:
        e = expressions(e)
        return {"shape": list(e.shape), "at": [self._written(item) for item in e.ravel()]}

    def _written(self, root: Expression) -> int:
        for node in ordered([root]):
            if node in self._place:
                continue
            if isinstance(node, Symbol):
                data = ["symbol", node.name, node.kind, node.order, node.default, node.latex, node.token]
            elif node.value is not None:
                data = ["constant", node.value]
            elif isinstance(node, Gridded):
                if node.grid not in self.grids:
                    self.grids.append(node.grid)
                data = ["grid", self.grids.index(node.grid), *node.orders, *[self._place[a] for a in node.args]]
            elif node.op in OPERATIONS:
                data = [node.op, *[self._place[a] for a in node.args]]
            else:
                raise ExpressionError(f"'{node.op}' can not be written to a file")
            self._place[node] = len(self.nodes)
            self.nodes.append(data)
        return self._place[root]


class Reader:
    """Expressions from the data of their nodes, and the grids that these name."""

    def __init__(self, nodes: list[list[Any]], grids: Sequence[Grid] = ()) -> None:
        self._nodes: list[Expression] = []
        for op, *rest in nodes:
            if op == "symbol":
                name, kind, order, default, latex, token = rest
                self._nodes.append(symbol(name, kind, order=order, default=default, latex=latex, token=token))
            elif op == "constant":
                self._nodes.append(constant(rest[0]))
            elif op == "grid":
                which, m, n, *point = rest
                self._nodes.append(gridded(grids[which], (m, n), *[self._nodes[i] for i in point]))
            elif op in OPERATIONS:
                self._nodes.append(operation(op, *[self._nodes[i] for i in rest]))
            else:
                raise ExpressionError(f"the data names an operation '{op}' that does not exist")

    def array(self, data: dict[str, Any]) -> np.ndarray:
        flat = np.empty(len(data["at"]), dtype=object)
        flat[:] = [self._nodes[i] for i in data["at"]]
        return flat.reshape(data["shape"])

    def scalar(self, data: dict[str, Any] | None) -> Expression | None:
        return None if data is None else self.array(data).item()
