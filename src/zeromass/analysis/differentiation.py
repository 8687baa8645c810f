"""Requirements differentiated along the motion until forces appear in them, and the forces that fulfil them.

    z ← ż + ω z   until   ż + ω z = α(t, q, q̇) + P(t, q, q̇) u,   and then   P u = −α

Where P of several requirements is singular, combinations of them are free of forces, and are differentiated further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import (
    Expression,
    Symbol,
    as_expression,
    directional,
    expressions,
    jacobian,
    substitute,
    symbols,
)
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.model import ModelError
from zeromass.model.state import Magnitude

VANISHES = 1e-9
"""Part of its terms below which an entry of P counts as zero at all of these states."""


@dataclass(frozen=True)
class Pivot:
    """A requirement in which a force appears: α + P u = 0, solved for the force of one column."""

    α: Expression
    P: np.ndarray
    column: int


class Differentiation:
    """Requirements, differentiated one after the other until each has a force of its own.

    orders  {name: order of the derivative in which a force appeared}
    zeros   everything that vanishes on the path
    """

    inputs: list[Symbol]
    ω: float
    samples: np.ndarray

    def __init__(self, program: Program, inputs: Sequence[Symbol], settling: float, samples: np.ndarray) -> None:
        system = program.system
        self.inputs, self.ω, self.samples = list(inputs), settling, samples
        self._names = list(system.inputs)
        self._along: dict[Expression, Any] = {time: 1}
        self._along.update(zip(system.coordinates, system.rates, strict=True))
        self._along.update(zip(system.rates, program.acceleration, strict=True))
        self._most = 2 * len(system.coordinates) + 2
        self.pivots: list[Pivot] = []
        self.orders: dict[str, int] = {}
        self.zeros: list[Expression] = []

    def require(self, rows: Sequence[tuple[str, Expression]]) -> None:
        """Differentiates requirements until each has a force that no other one has taken.

        Of those in which forces have appeared the clearest comes first: it is the one to be solved for a force. Those that
        have none left beside it are differentiated further.
        """
        waiting = [(name, zero, self._slope(zero), 1) for name, zero in rows]
        self.zeros += [zero for _, zero in rows]
        while waiting:
            reduced = [self._without_taken(ż) for _, _, ż, _ in waiting]
            clear = np.array([self._present(P) for _, P in reduced])
            if clear.any():
                i, column = np.unravel_index(int(clear.argmax()), clear.shape)
                name, _, _, order = waiting.pop(int(i))
                self.orders[name] = order
                self.pivots.append(Pivot(*reduced[int(i)], int(column)))
                continue
            for (name, _, _, order), (α, _) in zip(waiting, reduced, strict=True):
                if order > self._most or not self._moves(α):
                    self._refuse(name, order)
            self.zeros += [α for α, _ in reduced]
            waiting = [
                (name, α, self._slope(α), order + 1)
                for (name, _, _, order), (α, _) in zip(waiting, reduced, strict=True)
            ]
        self.orders = {name: self.orders[name] for name, _ in rows}

    def _slope(self, z: Expression) -> Expression:
        return as_expression(directional(z, self._along)) + self.ω * z

    def _refuse(self, name: str, order: int) -> None:
        names = ", ".join(u.name for u in self.inputs)
        beside = f" beside {', '.join(repr(other) for other in self.orders)}" if self.orders else ""
        raise ModelError(
            f"control '{name}' can not be realised{beside}: no derivative of it, up to that of order {order}, depends on "
            f"{names}; give it another force, or ask for less"
        )

    def _without_taken(self, ż: Expression) -> tuple[Expression, np.ndarray]:
        """α and P of ż = α + P u, without the forces of the columns that others have taken."""
        P = expressions(jacobian(ż, self.inputs))
        α = substitute(ż, dict.fromkeys(self.inputs, 0.0))
        P = np.array([substitute(e, dict.fromkeys(self.inputs, 0.0)) for e in P], dtype=object)
        for pivot in self.pivots:
            share = P[pivot.column] / pivot.P[pivot.column]
            if share is not ZERO:
                α, P = α - share * pivot.α, P - share * pivot.P
                P[pivot.column] = ZERO
        return as_expression(α), P

    def _present(self, P: np.ndarray) -> np.ndarray:
        """How clear the entries of P are, as parts of their terms where these are smallest; 0 where they are absent."""
        if all(e is ZERO for e in P):
            return np.zeros(len(P))
        sizes = Magnitude(list(P), self._names)
        parts = []
        for numbers in self.samples:
            values, magnitudes = sizes.with_values(numbers)
            parts.append(np.abs(values) / np.where(magnitudes > 0, magnitudes, 1.0))
        there = np.median(np.array(parts), axis=0)
        clear = np.min(np.array(parts), axis=0) + VANISHES  # one that vanishes at a place is there, if no other is
        return np.where(np.isfinite(there) & (there > VANISHES), np.nan_to_num(clear), 0.0)

    def _moves(self, z: Expression) -> bool:
        """Whether a formula depends on the state at all."""
        return any(leaf.kind == "coordinate" for leaf in symbols(z))

    def forces(self) -> dict[Symbol, Expression]:
        """u with α + P u = 0; of more forces than requirements, the smallest ones that will do."""
        found: dict[int, Expression] = {}
        if len(self.pivots) == len(self.inputs):
            for k, pivot in reversed(list(enumerate(self.pivots))):
                later = sum((pivot.P[p.column] * found[p.column] for p in self.pivots[k + 1 :]), ZERO)
                found[pivot.column] = -(pivot.α + later) / pivot.P[pivot.column]
            return {u: as_expression(found[j]) for j, u in enumerate(self.inputs)}
        P = np.array([pivot.P for pivot in self.pivots], dtype=object)
        λ = _solved(P @ P.T, -expressions([pivot.α for pivot in self.pivots]))
        return {u: as_expression(P[:, j] @ λ) for j, u in enumerate(self.inputs)}


def _solved(S: np.ndarray, right: np.ndarray) -> np.ndarray:
    """S⁻¹ right of a positive definite matrix of expressions."""
    S, x = S.copy(), right.copy()
    n = len(x)
    for k in range(n):
        for i in range(k + 1, n):
            share = S[i, k] / S[k, k]
            S[i], x[i] = S[i] - share * S[k], x[i] - share * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - S[k, k + 1 :] @ x[k + 1 :]) / S[k, k]
    return x
