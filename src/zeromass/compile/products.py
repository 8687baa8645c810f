"""Jacobians of systems with many coordinates: products with directions in SIMD lanes, not a formula for each entry.

    r = (Q + C + Aᵀλ − M q̈, b − A q̈) = K x + r₀,    x = (q̈, λ),  K = ∂r/∂x,  r₀ = r at x = 0
    K x = −r₀,    K ∂x/∂(q, q̇) = −∂r/∂(q, q̇) with x fixed

The formulas of all entries of ∂r/∂(q, q̇) have about as many operations as r times the variables that it depends on: a
contact of the last link of a chain depends on the angles of all links, and the entries of all contacts take n³ operations.
One product ∂r/∂(q, q̇) d has two or three times the operations of r, and no q̈ as a formula of the state in it. It is
compiled once, for as many directions d as there are lanes. Columns without a common row share a direction [CPR1974].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Array, Expression, coordinate, directional, expressions, jacobian, substitute
from zeromass.expression.build import ZERO
from zeromass.expression.node import ordered, undisturbed

if TYPE_CHECKING:
    from zeromass.compile.module import Groups
    from zeromass.compile.program import Program

MANY = 30_000
"""Operations of the formulas of all entries, about, from which products are taken: to derive and to compile them takes
longer than half a second, and their machine code is larger than the cache of a processor core."""


class Products:
    """The Jacobian of a program by products with directions.

    size           rows of r
    lanes          directions that one call makes products with
    rows, columns  of the entries of ∂r/∂(q, q̇) that may not be zero
    seeds          the directions, shape (groups, 2n, lanes)
    """

    def __init__(self, program: Program, dependence: Sequence[int], lanes: int) -> None:
        self.program: Program = program
        self.lanes: int = lanes
        self.size: int = len(dependence)
        self._variables = [*program.system.coordinates, *program.system.rates]
        count = len(self._variables)
        entries = [(i, j) for i, mask in enumerate(dependence) for j in range(count) if mask >> j & 1]
        self.rows, self.columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
        self._of_columns = _shared_directions(self.rows, self.columns, count)
        groups = -(-(1 + int(self._of_columns.max(initial=0))) // lanes)
        self.seeds: np.ndarray = np.zeros((groups, count, lanes))
        group, lane = np.divmod(self._of_columns, lanes)
        self.seeds[group, np.arange(count), lane] = 1.0

    @property
    def places(self) -> np.ndarray:
        """Where the entries are among the products of all groups, of shape (groups, rows, lanes)."""
        group, lane = np.divmod(self._of_columns[self.columns], self.lanes)
        return (group * self.size + self.rows) * self.lanes + lane

    @cached_property
    def formulas(self) -> Array:
        """[K, 0, −r₀, β] as expressions of the state, with as many columns of zeros as ∂r/∂(q, q̇) has.

        β  of switches that may hold the motion, one column after another
        """
        p, size = self.program, self.size
        with undisturbed:
            K, r0 = jacobian(p.residual, p.unknowns), substitute(p.residual, dict.fromkeys(p.unknowns, ZERO))
        betas = expressions(np.zeros(size * -(-len(p.held) // size)))
        betas[: len(p.held)] = list(p.held.values())
        known = [p.solved(K), expressions(np.zeros((size, len(self._variables)))), -p.solved(r0)[:, None]]
        return np.concatenate([*known, betas.reshape(-1, size).T], axis=1)

    def function(self) -> tuple[Groups, Groups]:
        """`products(inputs, direction, product)` with inputs (t, q, q̇, parameters, q̈, λ, β)."""
        p, d = self.program, [coordinate(f"direction.{j}") for j in range(len(self._variables))]
        inputs = [*p.inputs[0], *p.inputs[1], *p.inputs[2], *p.unknowns, *p.held]
        fixed: dict[Expression, Expression] = dict.fromkeys(p.unknowns, ZERO)
        with undisturbed:
            along = directional(p.residual, fixed | dict(zip(self._variables, d, strict=True)))
        return [inputs, d], [list(along)]


def products(program: Program, lanes: int) -> Products | None:
    """The Jacobian of a program by products; None where a formula for each of its entries takes few operations."""
    if program.system.nonideal.switched:  # r is not affine in (q̈, λ)
        return None
    dependence, operations = _dependence(program)
    return Products(program, dependence, lanes) if operations >= MANY else None


def _dependence(program: Program) -> tuple[list[int], int]:
    """Variables (q, q̇) that each row of r depends on, as bits, and the operations of a forward sweep for ∂r/∂(q, q̇)."""
    variables = [*program.system.coordinates, *program.system.rates]
    bits: dict[Expression, int] = {x: 1 << j for j, x in enumerate(variables)}
    total = 0
    for node in ordered(program.residual):
        own = 0
        for a in node.args:
            if a in bits:
                own |= bits[a]
                total += bits[a].bit_count()
        if own:
            bits[node] = own
    return [bits.get(e, 0) for e in program.residual], total


def _shared_directions(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """The direction of each of some columns: the first that has no row in common with it."""
    masks = [0] * count
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        masks[j] |= 1 << i
    taken: list[int] = []
    found: list[int] = []
    for mask in masks:
        k = next((k for k, other in enumerate(taken) if not other & mask), len(taken))
        taken[k:] = [mask | sum(taken[k : k + 1]), *taken[k + 1 :]]
        found.append(k)
    return np.array(found, dtype=np.int64)
