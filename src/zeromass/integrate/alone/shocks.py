"""What may jump where masses or constraints switch, as functions of a module: see `zeromass.integrate.shocks`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from zeromass.expression import Expression, as_expression
from zeromass.expression.build import ZERO
from zeromass.model.pieces import SystemPieces


class Shocks:
    """Functions of time, state and modes, whose values on both sides of a switch tell what it does.

    places    the constraints of positions
    rates     those of rates, first derivatives of the others among them, and `terms`, the sums of |A| |q̇|
    momentum  M q̇, where masses follow from an energy
    """

    def __init__(self, pieces: SystemPieces) -> None:
        self.pieces = pieces

    @cached_property
    def parts(self) -> dict[str, list[Expression]]:
        """What is asked for, by name."""
        system = self.pieces.system
        rows = [i for i, row in enumerate(system.rows) if row.level < 2]
        return {
            "places": [row.zero for row in system.rows if row.level == 0],
            "rates": [zero for _, zero in system.zeros(1)],
            "terms": [_total([abs(a * v) for a, v in zip(system.A[i], system.rates, strict=True)]) for i in rows],
            "momentum": [_total(list(row * system.rates)) for row in system.M] if self.pieces.parts["masses"] else [],
        }

    def told(self, at: int) -> dict[str, int]:
        """Where the parts stand among values of which there are some already."""
        places = {}
        for name, some in self.parts.items():
            places[name] = at
            at += len(some)
        return places

    @property
    def count(self) -> int:
        return sum(len(some) for some in self.parts.values())

    def rows(self) -> dict[str, Any]:
        """What the driver is told of the constraints: names of those of positions, and which of the rates are theirs."""
        rows = [row for row in self.pieces.system.rows if row.level < 2]
        return {
            "names": [row.name for row in rows if row.level == 0],
            "rates": [i for i, row in enumerate(rows) if row.level == 0],
            "contact": bool(self.pieces.given.contacts),
        }


def _total(terms: list[Any]) -> Expression:
    return as_expression(np.sum(terms)) if terms else ZERO
