"""Constraints: from expressions that must vanish to the rows of A q̈ = b."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import (
    Expression,
    directional,
    expressions,
    rate,
    substitute,
    symbols,
)
from zeromass.expression.build import ZERO
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse
from zeromass.expression.node import contents
from zeromass.expression.pieces import SWITCHING
from zeromass.model.given import given_array, given_name
from zeromass.model.lagrange import along_motion

LEVELS = ("position", "velocity", "acceleration")


class Row(NamedTuple):
    """One scalar constraint.

    name   of the constraint it belongs to, with [i] where that has several rows
    group  the name the user gave
    level  0 position (holonomic), 1 velocity, 2 acceleration
    zero   the expression that must vanish
    place  what vanishes of positions in starts, of slopes as the row where it vanishes: of a velocity row that is a rate of
           something, as an angle that counts turns; or where it has fewer solutions than `zero`, as a hinge that is not
           upside down
    """

    name: str
    group: str
    level: int
    zero: Expression
    place: Expression | None = None

    @property
    def placed(self) -> bool:
        """Whether it says something of positions."""
        return self.level == 0 or self.place is not None


def rows_of(constraints: Mapping[str, Any]) -> list[Row]:
    """The scalar rows of named constraints, each an expression or an array of them."""
    if not isinstance(constraints, Mapping):
        raise ModelError(f"constraints are given as {{name: expression that must be zero}}, not as {constraints!r}")
    rows: list[Row] = []
    for name, value in constraints.items():
        array = given_array(value, f"constraint '{given_name(name, 'a constraint')}'")
        for i, zero in enumerate(array.ravel()):
            label = name if array.ndim == 0 else f"{name}[{i}]"
            rows.append(Row(label, name, level_of(label, zero), zero))
    return rows


def level_of(label: str, zero: Expression) -> int:
    """0, 1 or 2: the highest derivative of a coordinate in what must vanish."""
    if zero is ZERO:
        raise ModelError(f"constraint '{label}' is 0 = 0: it vanishes identically and constrains nothing")
    leaves = symbols(zero)
    orders = [leaf.order for leaf in leaves if leaf.kind == "coordinate"]
    if not orders:
        words = f"it reads {zero!r} = 0 and nothing that moves is in it"
        raise ModelError(f"constraint '{label}' contains no coordinate: {words}")
    unknown = [leaf.name for leaf in leaves if leaf.kind == "multiplier"]
    if unknown:
        raise ModelError(f"constraint '{label}' contains the constraint force '{unknown[0]}'; a reaction belongs in C")
    if max(orders) > 2:
        raise ModelError(f"constraint '{label}' contains a third time derivative; accelerations are the highest")
    return max(orders)


def acceleration_rows(rows: list[Row], velocity: np.ndarray, q: np.ndarray) -> tuple[Sparse, np.ndarray]:
    """A and b of A q̈ = b, from the rows and from what they say at velocity level, see `velocity_residuals`.

    position φ(q, t):        ∂φ/∂q q̈ = −d/dt(∂φ/∂q q̇ + ∂φ/∂t) with q̇ held
    velocity ψ(q, q̇, t):     ∂ψ/∂q̇ q̈ = −(∂ψ/∂q q̇ + ∂ψ/∂t)
    acceleration:            must be affine in q̈, and is split as it stands
    """
    v, a = rate(q), rate(rate(q))
    A: list[dict[int, Expression]] = [{} for _ in rows]
    b = np.empty(len(rows), dtype=object)
    for level, unknown in enumerate((q, v, a)):
        picked = [i for i, row in enumerate(rows) if row.level == level]
        for i, slopes in zip(picked, sparse_jacobian([rows[i].zero for i in picked], unknown).rows, strict=True):
            A[i] = slopes
    kinematic = [i for i, row in enumerate(rows) if row.level < 2]
    if kinematic:
        b[kinematic] = -directional(velocity, along_motion(q))
    dynamic = [i for i, row in enumerate(rows) if row.level == 2]
    if dynamic:
        _check_affine([rows[i] for i in dynamic], [A[i] for i in dynamic])
        b[dynamic] = -substitute([rows[i].zero for i in dynamic], dict.fromkeys(a, 0))
    _check_slopes(rows, A)
    return Sparse(A, len(q)), b


def velocity_residuals(rows: list[Row], q: np.ndarray) -> np.ndarray:
    """What must vanish at velocity level: φ̇ of position constraints and ψ of velocity constraints."""
    kinematic = [row for row in rows if row.level < 2]
    rates = iter(directional([row.zero for row in kinematic if row.level == 0], along_motion(q)))
    return expressions([row.zero if row.level else next(rates) for row in kinematic])


def check_rows(rows: list[Row], q: np.ndarray) -> None:
    """Raises where rows that are not written out give no equations: those that have jumps, or accelerations, might not."""
    for level, unknown in enumerate((q, rate(q), rate(rate(q)))):
        some = [row for row in rows if row.level == level]
        if level < 2:
            some = [row for row in some if not SWITCHING.isdisjoint(contents([row.zero])[1])]
        if some:
            slopes = sparse_jacobian([row.zero for row in some], unknown).rows
            if level == 2:
                _check_affine(some, slopes)
            _check_slopes(some, slopes)


def _check_slopes(rows: list[Row], A: list[dict[int, Expression]]) -> None:
    for row, coefficients in zip(rows, A, strict=True):
        if not coefficients:
            words = "it has no slope, as a condition, np.sign or np.floor has none"
            raise ModelError(f"constraint '{row.name}' gives no equation for the accelerations: {words}")


def _check_affine(rows: list[Row], A: list[dict[int, Expression]]) -> None:
    for row, coefficients in zip(rows, A, strict=True):
        if any(leaf.order == 2 for leaf in symbols(list(coefficients.values()))):
            raise ModelError(f"constraint '{row.name}' is not linear in the accelerations; solve it for them first")
