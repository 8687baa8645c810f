"""One program for all modes of unilateral constraints: contact forces are solved for where their flags say so.

    q̈ = q̈₀ + Σ W_j F_j,   Jᵢ q̈ + J̇ᵢ q̇ = 0 of each row i that holds,   W_j = ∂q̈/∂F_j,   D = J W

q̈₀ is the acceleration without contact forces. The normal row of a closed contact holds, and both tangential rows where it
sticks. Where it slips, friction is −μ N along the slip, so that a unit of N adds W_N − μ (w/|w|)·W_T. Rows of others are
those of the identity: their forces are zero. Friction pairs add theirs to the normal force that bounds them, or to q̈₀ where
the bound is given. The same equations return positions and rates to what holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Array, Expression, as_expression, expressions, jacobian, rate, substitute, where
from zeromass.expression.build import ONE, ZERO
from zeromass.expression.operation.equations import Equations
from zeromass.model import System
from zeromass.model.unilateral import Unilateral


def with_contacts(program: Program, unilaterals: Sequence[Unilateral]) -> Program:
    """The program of a motion in all modes of unilateral constraints."""
    equations = contact_equations(program.system, unilaterals, program.acceleration)
    old, forces = program.elimination, dict(zip(equations.symbols, equations.forces, strict=True))

    def solved(formulas: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(expressions(substitute(expressions(formulas), forces))) if len(formulas) else ()

    elimination = old._replace(
        acceleration=solved(old.acceleration),
        multipliers=solved(old.multipliers),
        growth=(*old.growth, *equations.growth),
    )
    betas = {beta: solved([value])[0] for beta, value in program.betas.items()} | forces
    corrections = equations.corrections(program.corrections)
    return Program(program.system, elimination, corrections, betas, None, old.acceleration)


def contact_equations(
    system: System, unilaterals: Sequence[Unilateral], acceleration: tuple[Expression, ...]
) -> ContactEquations:
    """The equations of contact forces of a system, from accelerations that have these forces as parameters."""
    known: dict[tuple[Expression, ...], ContactEquations] = system.memory.setdefault("contact equations", {})
    if acceleration not in known:
        known.setdefault(acceleration, ContactEquations(system, unilaterals, acceleration))
    return known[acceleration]


WRITTEN_OUT = 4
"""Rows up to which equations are written out; from there on they are solved by numbers, in time that grows with the rows
that hold instead of all."""


class HeldRows:
    """K x = b, K = J Wᵀ, in the rows that hold; elsewhere x = 0.

    holds   of each row, None of one that never does
    J, W    (m, n)
    """

    def __init__(self, holds: Sequence[Expression | None], J: Array, W: Array) -> None:
        self._count = len(holds)
        self._places = [i for i, row in enumerate(holds) if row is not None]
        self._holds = [row for row in holds if row is not None]
        self._J, self._W = J[self._places], W[self._places]
        used = [c for c in range(J.shape[1]) if any(e is not ZERO for e in (*self._J[:, c], *self._W[:, c]))]
        self._J, self._W = self._J[:, used], self._W[:, used]
        self._by_numbers = len(self._places) > WRITTEN_OUT
        if self._by_numbers:
            order = _near_diagonal(self._J, self._W)
            self._places, self._holds = ([x[i] for i in order] for x in (self._places, self._holds))
            self._J, self._W = self._J[order], self._W[order]

    def solved(self, right: Sequence[Any]) -> tuple[list[Expression], list[Expression]]:
        """x for a right-hand side, and the growth of pivots."""
        x: list[Expression] = [ZERO] * self._count
        b = [as_expression(right[i]) for i in self._places]
        if not b:
            return x, []
        if self._by_numbers:
            equations = Equations.of(self._J, self._W, self._holds, b)
            found, growth = equations.x, [equations.growth]
        else:
            found, growth = self._eliminated(b)
        for i, value in zip(self._places, found, strict=True):
            x[i] = value
        return x, growth

    def _eliminated(self, right: Sequence[Expression]) -> tuple[list[Expression], list[Expression]]:
        """The same, written out."""
        K, m = expressions(self._J @ self._W.T), len(self._holds)
        for i, j in np.ndindex(m, m):
            if K[i, j] is not ZERO or i == j:
                K[i, j] = where(self._holds[i], K[i, j], ONE if i == j else ZERO)
        b = [where(row, r, ZERO) for row, r in zip(self._holds, right, strict=True)]
        diagonal = np.diagonal(K).copy()
        for j in range(m):
            for i in range(j + 1, m):
                if K[i, j] is not ZERO:
                    part = K[i, j] / K[j, j]
                    K[i, j:] = K[i, j:] - part * K[j, j:]
                    b[i] = as_expression(b[i] - part * b[j])
        x: list[Expression] = [ZERO] * m
        for j in reversed(range(m)):
            rest = sum(K[j, k] * x[k] for k in range(j + 1, m) if K[j, k] is not ZERO)
            x[j] = as_expression((b[j] - rest) / K[j, j])
        sizes = [abs(a / b) for a, b in zip(diagonal, np.diagonal(K), strict=True) if a is not b]
        return x, [as_expression(where(size > 1.0, size, ONE)) for size in sizes]


def _near_diagonal(J: Array, W: Array) -> np.ndarray:
    """An order of rows in which entries of J Wᵀ are near the diagonal [CM1969]."""
    from scipy.sparse import csr_array  # few systems have several contacts
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    acts, moves = (np.array([[e is not ZERO for e in row] for row in matrix], dtype=float) for matrix in (J, W))
    coupled = acts @ moves.T
    return reverse_cuthill_mckee(csr_array(coupled + coupled.T), symmetric_mode=True)


class ContactEquations:
    """The equations of contact forces, from accelerations that have these forces as parameters.

    symbols  N and both components of friction of each contact, (3 k,)
    rows     J, (3 k, n): slopes of ġ and of the slip velocities by rates
    added    W, (3 k, n): accelerations by unit forces
    free     accelerations of the same rows without contact forces, (3 k,)
    forces   of each, as expressions of the state and of modes
    """

    def __init__(self, system: System, unilaterals: Sequence[Unilateral], acceleration: Sequence[Expression]) -> None:
        self.unilaterals = unilaterals
        self.symbols: list[Expression] = [force for one in unilaterals for force in one.forces]
        self.velocities: list[Expression] = [v for one in unilaterals for v in one.velocities]
        self.rows: Array = jacobian(self.velocities, system.rates)
        a = expressions(acceleration)
        self.added: Array = jacobian(list(a), self.symbols).T
        none = dict.fromkeys(self.symbols, ZERO)
        self.free: Array = self._along(system, expressions(substitute(a, none)))
        self._base: list[int | None] = [_base(k, one, unilaterals) for k, one in enumerate(unilaterals)]
        acting, given = self.added.copy(), expressions(np.zeros(len(a)))
        holds: list[Expression | None] = []
        for k, one in enumerate(unilaterals):
            if not (one.smooth or one.rough):
                drawn = sum(-one.slipping * s * self.added[3 * k + 1 + i] for i, s in enumerate(one.direction))
                drawn, slips = expressions(drawn), as_expression(one.slips > 0.5)
                base = self._base[k]
                to = given if base is None else acting[3 * base]
                to[:] = [x if y is ZERO else x + where(slips, y, ZERO) for x, y in zip(to, drawn, strict=True)]
            idle = (not one.has_normal, one.smooth or one.slip[0] is ZERO, one.smooth or one.slip[1] is ZERO)
            holds += [None if no else as_expression(row > 0.5) for no, row in zip(idle, one.rows, strict=True)]
        self.held: HeldRows = HeldRows(holds, self.rows, acting)
        self._holds, self._acting = holds, acting
        self.growth: list[Expression]
        if len(unilaterals) > 1:  # rows may follow from others, whose forces are given
            acts = dict(zip(self.symbols, self._forces(self.symbols), strict=True))
            x, self.growth = self.held.solved([-r for r in self._along(system, expressions(substitute(a, acts)))])
            self.forces: list[Expression] = self._forces([e + y for e, y in zip(self.symbols, x, strict=True)])
        else:
            loaded = self.free + self.rows @ given
            x, self.growth = self.held.solved([-r for r in loaded])
            self.forces = self._forces(x)

    def _along(self, system: System, a: Array) -> Array:
        """Accelerations of the rows."""
        known: dict[Any, Any] = dict(zip(system.accelerations, a, strict=True))
        return expressions([substitute(as_expression(rate(v)), known) for v in self.velocities])

    def _forces(self, held: Sequence[Any]) -> list[Expression]:
        """Forces, with the friction that follows from N where a contact slips."""
        found: list[Expression] = []
        for k, (one, base) in enumerate(zip(self.unilaterals, self._base, strict=True)):
            N, *T = held[3 * k : 3 * k + 3]
            if not (one.smooth or one.rough):
                slips, load = as_expression(one.slips > 0.5), ONE if base is None else held[3 * base]
                T = [where(slips, -one.slipping * load * s, t) for s, t in zip(one.direction, T, strict=True)]
            found += [as_expression(e) for e in (N, *T)]
        return found

    def corrections(self, own: Mapping[str, tuple[Expression, ...]]) -> dict[str, tuple[Expression, ...]]:
        """What returns positions and rates to the constraints, and to what holds at contacts."""
        found = dict(own)
        none = tuple(expressions(np.zeros(self.rows.shape[1])))
        δ = expressions(found.get("velocities", none))
        x, _ = self.held.solved([-(v + row @ δ) for v, row in zip(self.velocities, self.rows, strict=True)])
        found["velocities"] = tuple(δ + sum(γ * along for γ, along in zip(x, self._acting, strict=True)))
        gaps = [3 * k for k in range(len(self.unilaterals))]
        δ = expressions(found.get("positions", none))
        J, W = self.rows[gaps], self.added[gaps]
        held = HeldRows([self._holds[k] for k in gaps], J, W)
        off = [ZERO if one.gap is None else one.gap for one in self.unilaterals]
        x, _ = held.solved([-(gap + row @ δ) for gap, row in zip(off, J, strict=True)])
        found["positions"] = tuple(δ + sum(γ * along for γ, along in zip(x, W, strict=True)))
        return {name: found[name] for name in ("positions", "velocities")}


def contact_residual(unilaterals: Sequence[Unilateral]) -> Array:
    """The laws of contacts in their modes, three for each, in accelerations and contact forces; zero in a motion."""
    found: list[Expression] = []
    for one in unilaterals:
        N, *T = one.forces
        by = one if one.carrier is None else one.carrier
        load = ONE if one.bound is not None else by.forces[0]
        along = [as_expression(rate(v)) for v in one.velocities]
        holds = [as_expression(row > 0.5) for row in one.rows]
        found.append(where(holds[0], along[0], N) if one.has_normal else as_expression(N))
        for t, a, row, s in zip(T, along[1:], holds[1:], one.direction, strict=True):
            law = t if one.smooth else where(row, a, t)
            if not (one.smooth or one.rough):
                law = where(as_expression(one.slips > 0.5), as_expression(t + one.slipping * load * s), law)
            found.append(as_expression(law))
    return expressions(found)


def _base(k: int, one: Unilateral, unilaterals: Sequence[Unilateral]) -> int | None:
    """Which contact bounds the friction of one of them, itself as a rule; None of a given bound."""
    if one.carrier is None:
        return k if one.has_normal else None
    return next(i for i, other in enumerate(unilaterals) if other.name == one.carrier.name)
