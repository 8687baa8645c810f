"""One program for all that may hold a motion to its switches: Filippov's solution, solved where flags say so.

    q̈ = q̈₀ + Σᵢ βᵢ Δᵢ,   ġⱼ = rⱼ + Σᵢ Gⱼᵢ βᵢ = 0 of each switch j that holds,   Gⱼᵢ = ∂gⱼ/∂q̇ Δᵢ

q̈₀ is the acceleration with the modes as they are, those of switches that hold on their lower sides, and Δᵢ what the upper
side of a switch adds to it. Rows and columns of switches that do not hold are those of the identity, so that one straight
line of code serves every combination of them. The same equations return rates to g = 0 [F1988, §4].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Array, Expression, as_expression, expressions, jacobian, rate, substitute, where
from zeromass.expression.build import ONE, ZERO
from zeromass.model.sliding import Held, upper, where_held


def with_sliding(program: Program, held: Sequence[Held]) -> Program:
    """The program of a motion on its pieces, also where switches hold it."""
    betas: dict[Expression, Expression] = {one.beta: ZERO for one in held}
    slopes = [jacobian([one.switch.g], program.system.rates)[0] for one in held]
    held = [one for one, by in zip(held, slopes, strict=True) if by @ upper(program.acceleration, one) is not ZERO]
    if not held:  # what they do has no effect on their own rates
        return replace(program, betas=betas)
    solver = _Sliding(program, held)
    old, followed = program.elimination, program.followed
    elimination = old._replace(
        acceleration=solver.acting(old.acceleration),
        multipliers=solver.acting(old.multipliers),
        growth=(*old.growth, *solver.growth),
    )
    corrections = {**program.corrections, "velocities": solver.correction(program.corrections.get("velocities"))}
    betas |= {one.beta: β for one, β in zip(held, solver.beta, strict=True)}
    followed = None if followed is None else _Sliding(program, held, followed).acting(followed)
    return Program(program.system, elimination, corrections, betas, followed)


class _Sliding:
    """The equations for β of all switches that may hold a motion with accelerations q̈₀."""

    def __init__(
        self, program: Program, held: Sequence[Held], acceleration: Sequence[Expression] | None = None
    ) -> None:
        system, self.held = program.system, held
        a = expressions(acceleration or program.acceleration)
        self.added: list[Array] = [upper(a, one) for one in held]
        self.slopes: Array = jacobian([one.switch.g for one in held], system.rates)
        G = self.slopes @ np.array(self.added, dtype=object).T
        self.matrix: Array = G.copy()
        for i, j in np.ndindex(G.shape):
            if i != j and G[i, j] is not ZERO:
                self.matrix[i, j] = where(held[i].holds, where(held[j].holds, G[i, j], ZERO), ZERO)
            elif any(G[i, m] is not ZERO or G[m, i] is not ZERO for m in range(len(held)) if m != i):
                self.matrix[i, j] = where(held[i].holds, G[i, j], ONE)
        solution: dict[Any, Expression] = dict(zip(system.accelerations, a, strict=True))
        self.beta: list[Expression] = self.solved(
            [substitute(as_expression(rate(one.switch.g)), solution) for one in held]
        )

    def solved(self, right: Sequence[Any]) -> list[Expression]:
        """x with the rows of switches that hold; of the others it is not asked for."""
        K, k = self.matrix.copy(), len(self.held)
        b = [-as_expression(r) for r in right]
        for j in range(k):
            for i in range(j + 1, k):
                if K[i, j] is not ZERO:
                    part = K[i, j] / K[j, j]
                    K[i, j:], b[i] = K[i, j:] - part * K[j, j:], as_expression(b[i] - part * self._own(j, b[j]))
        x: list[Expression] = [ZERO] * k
        for j in reversed(range(k)):
            rest = sum(K[j, m] * self._own(m, x[m]) for m in range(j + 1, k) if K[j, m] is not ZERO)
            x[j] = as_expression((b[j] - rest) / K[j, j])
        self.pivots: list[Expression] = [K[j, j] for j in range(k)]
        return x

    def _own(self, j: int, e: Expression) -> Expression:
        """Of a switch that holds; 0 of others."""
        return where(self.held[j].holds, e, ZERO)

    @property
    def growth(self) -> list[Expression]:
        """Cancellation in the pivots of these equations."""
        pairs = [(G, pivot) for G, pivot in zip(np.diagonal(self.matrix), self.pivots, strict=True) if pivot is not G]
        sizes = [as_expression(abs(G / pivot)) for G, pivot in pairs]
        return [as_expression(where(size > 1.0, size, ONE)) for size in sizes]

    def acting(self, functions: Sequence[Expression]) -> tuple[Expression, ...]:
        """Expressions of the motion as they are where switches hold it."""
        total = expressions(functions)
        for one, β in zip(self.held, self.beta, strict=True) if len(functions) else ():
            total = where_held(one, total, total + β * upper(functions, one))
        return tuple(total)

    def correction(self, own: Sequence[Expression] | None) -> tuple[Expression, ...]:
        """What returns rates to the constraints, and to the switches that hold, along what these do."""
        δ = expressions(np.zeros(self.slopes.shape[1]) if own is None else own)
        off = self.solved([one.switch.g + by @ δ for one, by in zip(self.held, self.slopes, strict=True)])
        for one, γ, along in zip(self.held, off, self.added, strict=True):
            δ = where_held(one, δ, δ + γ * along)
        return tuple(δ)
