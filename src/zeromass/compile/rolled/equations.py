"""The equations of one element, derived from a system of that element alone.

    M z = Q + Aᵀλ,  A z = b      of motions, z the accelerations
    M z = Aᵀλ,      A z = −φ     of corrections, z what is added to positions or to rates

A rigid body turns by α, see `zeromass.compile.turning`; in starts, where single coordinates may be given, every coordinate
stands for itself, and bodies have a multiplier of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from zeromass.compile.rolled.elements import Block, Kinetic, numbers
from zeromass.compile.turning import Turning
from zeromass.expression import Array, Expression, Symbol, expressions, gradient
from zeromass.expression.build import ONE, ZERO, add, constant, multiply, negative, subtract
from zeromass.expression.node import symbol
from zeromass.model import Part, RigidBody, System
from zeromass.model.constraint import Row, rows_of
from zeromass.model.forces import Load
from zeromass.model.lagrange import motion_of
from zeromass.model.large import Given
from zeromass.model.unconstrained import Unconstrained

Unknown = tuple[int, int]
"""A place among the unknowns of a block of the element, (block, place); multipliers of its rows are of the block ROWS."""

ROWS = -1

TASKS = ("motion", "positions", "velocities")


class Equations(NamedTuple):
    """What an element adds to the equations, and how the unknowns of a part become those of its coordinates.

    matrix   (unknown, unknown, entry), one of each pair that is not zero
    right    (unknown, entry)
    levels   of the rows
    unknown  symbols of the unknowns of a part
    spread   what these tell of its coordinates
    """

    matrix: list[tuple[Unknown, Unknown, Expression]]
    right: list[tuple[Unknown, Expression]]
    levels: tuple[int, ...] = ()
    unknown: tuple[Symbol, ...] = ()
    spread: tuple[Expression, ...] = ()

    def left(self, z: Mapping[Unknown, Symbol]) -> dict[Unknown, Expression]:
        """The right side less the matrix times z, of each unknown."""
        found: dict[Unknown, Expression] = {}
        for u, e in self.right:
            found[u] = add(found.get(u, ZERO), e)
        for u, v, e in self.matrix:
            for to, by in ((u, v), (v, u)) if u != v else ((u, v),):
                found[to] = subtract(found.get(to, ZERO), multiply(e, z[by]))
        return found


def unknowns(block: Block, plain: bool) -> tuple[int, int]:
    """How many unknowns a block has: of its coordinates, and multipliers of its own."""
    turns = isinstance(block.part, RigidBody)
    if plain:
        return len(block.coordinates), int(turns)
    return len(block.coordinates) - turns, 0


def of_part(part: Part, gravity: Any, task: str, plain: bool) -> Equations:
    """Of one part with its weight."""
    alone = System([part], gravity=gravity)
    if plain:
        return _plain_part(alone, part, task)
    by = Turning(alone)
    M, Q = by.M.array, by.Q
    z = [symbol(f"z{k}", "parameter", default=0.0) for k in range(len(M))]
    if task == "motion":
        right, spread = [((0, k), e) for k, e in enumerate(Q) if e is not ZERO], by.acceleration(z)
    else:
        right, spread = [], by.correction(z, int(task == "velocities"))
    return Equations(_lower(M), right, (), tuple(z), tuple(spread))


def _plain_part(alone: System, part: Part, task: str) -> Equations:
    """Of starts: the shortest change of positions, and that of rates which an impulse of the constraints makes."""
    n = len(part.coordinates)
    M = expressions(np.eye(n)) if task == "positions" else alone.M
    z = [symbol(f"z{k}", "parameter", default=0.0) for k in range(n)]
    matrix, right = _lower(M), []
    if isinstance(part, RigidBody):
        a = alone.A[0]
        zero = alone.rows[0].zero if task == "positions" else alone.velocity_constraints[0]
        matrix += [((0, n), (0, j), e) for j, e in enumerate(a) if e is not ZERO]
        right.append(((0, n), negative(zero)))
        if task == "velocities":  # 4 EᵀJE has no mass along u, and none at all without inertia
            inertia = expressions(np.trace(part.inertia)).item()
            d = ONE if inertia is ZERO else multiply(constant(4.0 / 3.0), inertia)
            matrix += [
                ((0, i), (0, j), multiply(d, multiply(a[i], a[j]))) for i in range(3, n) for j in range(3, i + 1)
            ]
            right += [((0, i), multiply(multiply(d, a[i]), negative(zero))) for i in range(3, n)]
    return Equations(matrix, right, (), tuple(z), tuple(z))


def of_nothing(task: str, plain: bool) -> Equations:
    """Of a coordinate without mass that belongs to no part; the shortest change of positions counts it like others."""
    z = symbol("z0", "parameter", default=0.0)
    matrix: list[tuple[Unknown, Unknown, Expression]] = [((0, 0), (0, 0), ONE)] if plain and task == "positions" else []
    return Equations(matrix, [], (), (z,), (z,))


def of_rows(rows: Sequence[Row], blocks: Sequence[Block], task: str, plain: bool) -> Equations:
    """Of some rows of constraints between parts."""
    system = alone(blocks, rows)
    level = int(task == "velocities")
    count, first = len(rows), len(system.rows) - len(rows)
    if plain:
        A = {first + r: system.A[first + r] for r in range(count)}
        told = system.told(level)
        zeros = dict(zip(told, [zero for _, zero in system.zeros(level)], strict=True))
        slopes = dict(zip(told, system.slopes(level).array, strict=True))
        A |= {i: slopes[i] for i in told if i in A}
        right = {i: negative(e) for i, e in zeros.items() if i in A}
        columns = list(range(len(system.coordinates)))
    else:
        by = Turning(system)
        A = {i: by.A.array[k] for k, i in enumerate(by.rows) if i >= first}
        columns = by.columns
        if task == "motion":
            right = {i: by.b[k] for k, i in enumerate(by.rows) if i >= first}
        else:
            picked, missing = by.residuals(level)
            right = {by.rows[k]: e for k, e in zip(picked, missing, strict=True) if by.rows[k] >= first}
    sizes = [len(block.coordinates) for block in blocks]
    begins = np.cumsum([0, *sizes])
    place: list[Unknown] = []
    inside = [0] * len(blocks)
    for j in columns:
        b = int(np.searchsorted(begins, j, side="right") - 1)
        place.append((b, inside[b]))
        inside[b] += 1
    matrix = [((ROWS, i - first), place[k], e) for i, row in A.items() for k, e in enumerate(row) if e is not ZERO]
    levels = tuple(0 if plain and row.placed else row.level for row in rows)
    return Equations(matrix, [((ROWS, i - first), e) for i, e in right.items() if e is not ZERO], levels)


def weighted(equations: Equations, weights: Sequence[Symbol]) -> Equations:
    """The same with d aᵀa of each row added to the matrix, and d aᵀb to the right side: no solution changes."""
    matrix, right = list(equations.matrix), list(equations.right)
    known = dict(equations.right)
    for r, d in enumerate(weights):
        row = [(v, e) for u, v, e in equations.matrix if u == (ROWS, r) and v[0] != ROWS]
        b = known.get((ROWS, r), ZERO)
        for i, (u, a) in enumerate(row):
            share = multiply(d, a)
            matrix += [(u, v, multiply(share, c)) for v, c in row[: i + 1]]
            if b is not ZERO:
                right.append((u, multiply(share, b)))
    return equations._replace(matrix=matrix, right=right)


def optional(equations: Equations, held: Mapping[int, Expression]) -> Equations:
    """The same with rows that hold where h is 1 and not where it is 0: there their multipliers vanish.

        h a z − (1 − h) λ = h b

    held  {row: h}
    """
    if not held:
        return equations
    h = {(ROWS, r): e for r, e in held.items()}
    matrix = [(u, v, multiply(h[u], e) if u in h else e) for u, v, e in equations.matrix]
    matrix += [(u, u, subtract(e, ONE)) for u, e in h.items()]
    return equations._replace(
        matrix=matrix, right=[(u, multiply(h[u], e) if u in h else e) for u, e in equations.right]
    )


def of_kinetic(load: Kinetic, blocks: Sequence[Block], task: str, plain: bool) -> Equations:
    """Of a kinetic energy of coordinates that belong to no part."""
    if plain and task == "positions":
        return Equations([], [])
    M, Q = motion_of(load.energy, numbers([x for block in blocks for x in block.coordinates]))
    matrix = [((i, 0), (j, 0), e) for i, row in enumerate(M.rows) for j, e in row.items() if j <= i]
    return Equations(matrix, [((i, 0), e) for i, e in enumerate(Q) if e is not ZERO] if task == "motion" else [])


def of_force(load: Load | Expression | Kinetic, blocks: Sequence[Block], task: str, plain: bool) -> Equations:
    """Of a force or of an energy beside those of the parts; corrections know no forces."""
    if isinstance(load, Kinetic):
        return of_kinetic(load, blocks, task, plain)
    if task != "motion":
        return Equations([], [])
    system = alone(blocks, ())
    q = system.coordinates
    force: Array = -gradient(load, q) if isinstance(load, Expression) else expressions(load.generalized(q))
    if plain:
        return Equations([], [])
    by = Turning(system)
    turned, place = by.force(force), []
    for b, block in enumerate(blocks):
        place += [(b, i) for i in range(unknowns(block, plain)[0])]
    return Equations([], [(u, e) for u, e in zip(place, turned, strict=True) if e is not ZERO])


def alone(blocks: Sequence[Block], rows: Sequence[Row]) -> System:
    """A system of a few parts and coordinates under some rows, which come last; its matrices are written if asked for."""
    parts = [block.part for block in blocks if block.part is not None]
    q = numbers([x for block in blocks for x in block.coordinates])
    free = cast(Unconstrained, Given(parts, [], q, None, None, None))
    own = {name: zero for part in parts for name, zero in part.constraints.items()}
    system = object.__new__(System)
    system._complete(free, [*rows_of(own), *rows], expressions(np.zeros(len(q))))
    return system


def _lower(M: Array) -> list[tuple[Unknown, Unknown, Expression]]:
    n = len(M)
    return [((0, i), (0, j), M[i, j]) for i in range(n) for j in range(i + 1) if M[i, j] is not ZERO]
