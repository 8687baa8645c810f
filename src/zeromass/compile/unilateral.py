"""One program for all modes of unilateral constraints: contact forces are solved for where their flags say so.

    q̈ = q̈₀ + Σ W_j F_j,   Jᵢ q̈ + J̇ᵢ q̇ = 0 of each row i that holds,   W_j = ∂q̈/∂F_j,   D = J W

q̈₀ is the acceleration without contact forces. The normal row of a closed contact holds, and both tangential rows where it
sticks. Where it slips, friction is −μ N along the slip, so that a unit of N adds W_N − μ (w/|w|)·W_T. Rows of others are
those of the identity: their forces are zero. Friction pairs add theirs to the normal force that bounds them, or to q̈₀ where
the bound is given. The same equations return positions and rates to what holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Array, Expression, as_expression, expressions, jacobian, rate, substitute, where
from zeromass.expression.build import ONE, ZERO
from zeromass.model import System
from zeromass.model.unilateral import Unilateral


def with_contacts(program: Program, unilaterals: Sequence[Unilateral]) -> Program:
    """The program of a motion in all modes of unilateral constraints."""
    equations = ContactEquations(program.system, unilaterals, program.acceleration)
    old, forces = program.elimination, dict(zip(equations.symbols, equations.forces, strict=True))

    def solved(formulas: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(expressions(substitute(expressions(formulas), forces))) if len(formulas) else ()

    elimination = old._replace(
        acceleration=solved(old.acceleration),
        multipliers=solved(old.multipliers),
        growth=(*old.growth, *equations.normal.growth),
    )
    betas = {beta: solved([value])[0] for beta, value in program.betas.items()} | forces
    corrections = equations.corrections(program.corrections)
    return Program(program.system, elimination, corrections, betas, None, old.acceleration)


@dataclass(frozen=True)
class MaskedEquations:
    """K x = b whose rows hold where flags say so; elsewhere x = 0.

    holds   of each row, None of one that never does
    matrix  K, (m, m)
    """

    holds: Sequence[Expression | None]
    matrix: Array

    def __post_init__(self) -> None:
        K, m = self.matrix.copy(), len(self.holds)
        for i, j in np.ndindex(m, m):
            own, holds = ONE if i == j else ZERO, self.holds[i]
            if holds is None or K[i, j] is ZERO:
                K[i, j] = own
            else:
                K[i, j] = where(holds, K[i, j], own)
        diagonal = np.diagonal(K).copy()
        parts: list[tuple[int, int, Any]] = []
        for j in range(m):
            for i in range(j + 1, m):
                if K[i, j] is not ZERO:
                    part = K[i, j] / K[j, j]
                    parts.append((i, j, part))
                    K[i, j:] = K[i, j:] - part * K[j, j:]
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "_upper", K)
        sizes = [abs(a / b) for a, b in zip(diagonal, np.diagonal(K), strict=True) if a is not b]
        growth = [as_expression(where(size > 1.0, size, ONE)) for size in sizes]
        object.__setattr__(self, "growth", growth)

    _parts: Any = None
    _upper: Any = None
    growth: Any = None

    def solved(self, right: Sequence[Any]) -> list[Expression]:
        """x for a right-hand side."""
        K, m = self._upper, len(self.holds)
        b = [ZERO if h is None else where(h, as_expression(r), ZERO) for h, r in zip(self.holds, right, strict=True)]
        for i, j, part in self._parts:
            b[i] = as_expression(b[i] - part * b[j])
        x: list[Expression] = [ZERO] * m
        for j in reversed(range(m)):
            rest = sum(K[j, k] * x[k] for k in range(j + 1, m) if K[j, k] is not ZERO)
            x[j] = as_expression((b[j] - rest) / K[j, j])
        return x


class ContactEquations:
    """The equations of contact forces, from accelerations that have these forces as parameters.

    symbols  N and both components of friction of each contact, (3 k,)
    rows     J, (3 k, n): slopes of ġ and of the slip velocities by rates
    added    W, (3 k, n): accelerations by unit forces
    free     accelerations of the same rows without contact forces, (3 k,)
    forces   of each, as expressions of the state and of modes
    """

    def __init__(
        self, system: System, unilaterals: Sequence[Unilateral], acceleration: Sequence[Expression]
    ) -> None:
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
                to = given if self._base[k] is None else acting[3 * self._base[k]]
                to[:] = [x if y is ZERO else x + where(slips, y, ZERO) for x, y in zip(to, drawn, strict=True)]
            idle = (not one.has_normal, one.smooth or one.slip[0] is ZERO, one.smooth or one.slip[1] is ZERO)
            holds += [None if no else as_expression(row > 0.5) for no, row in zip(idle, one.rows, strict=True)]
        D = expressions(self.rows @ acting.T)
        self.normal: MaskedEquations = MaskedEquations(holds, D)
        self._acting = acting
        if _coupled(D):  # rows may follow from others, whose forces are given
            acts = dict(zip(self.symbols, self._forces(self.symbols), strict=True))
            x = self.normal.solved([-r for r in self._along(system, expressions(substitute(a, acts)))])
            self.forces: list[Expression] = self._forces([e + y for e, y in zip(self.symbols, x, strict=True)])
        else:
            loaded = self.free + self.rows @ given
            self.forces = self._forces(self.normal.solved([-r for r in loaded]))

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
        x = self.normal.solved([-(v + row @ δ) for v, row in zip(self.velocities, self.rows, strict=True)])
        found["velocities"] = tuple(δ + sum(γ * along for γ, along in zip(x, self._acting, strict=True)))
        gaps = [3 * k for k in range(len(self.unilaterals))]
        δ = expressions(found.get("positions", none))
        J, W = self.rows[gaps], self.added[gaps]
        normals = MaskedEquations([self.normal.holds[k] for k in gaps], expressions(J @ W.T))
        own = [ZERO if one.gap is None else one.gap for one in self.unilaterals]
        off = [-(gap + row @ δ) for gap, row in zip(own, J, strict=True)]
        found["positions"] = tuple(δ + sum(γ * along for γ, along in zip(normals.solved(off), W, strict=True)))
        return {name: found[name] for name in ("positions", "velocities")}


def _base(k: int, one: Unilateral, unilaterals: Sequence[Unilateral]) -> int | None:
    """Which contact bounds the friction of one of them, itself as a rule; None of a given bound."""
    if one.carrier is None:
        return k if one.has_normal else None
    return next(i for i, other in enumerate(unilaterals) if other.name == one.carrier.name)


def _coupled(D: Array) -> bool:
    """Whether contacts act on one another."""
    k = len(D) // 3
    blocks = ((i, j) for i in range(k) for j in range(k) if i != j)
    return any(e is not ZERO for i, j in blocks for e in D[3 * i : 3 * i + 3, 3 * j : 3 * j + 3].ravel())
