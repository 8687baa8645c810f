"""Constraints: from expressions that must vanish to the rows of A q̈ = b."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.expression import (
    Expression,
    directional,
    expressions,
    jacobian,
    rate,
    substitute,
    symbols,
)
from zeromass.expression.build import ZERO
from zeromass.model.errors import ModelError
from zeromass.model.given import given_array
from zeromass.model.lagrange import along_motion

LEVELS = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Row:
    """One scalar constraint.

    name   of the constraint it belongs to, with [i] where that has several rows
    group  the name the user gave
    level  0 position (holonomic), 1 velocity, 2 acceleration
    zero   the expression that must vanish
    """

    name: str
    group: str
    level: int
    zero: Expression


def rows_of(constraints: Mapping[str, Any]) -> list[Row]:
    """The scalar rows of named constraints, each an expression or an array of them."""
    if not isinstance(constraints, Mapping):
        raise ModelError(f"constraints are given as {{name: expression that must be zero}}, not as {constraints!r}")
    rows: list[Row] = []
    for name, value in constraints.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"a constraint needs a name, not {name!r}")
        if any(row.group == name for row in rows):
            raise ModelError(f"two constraints have the name '{name}'")
        array = given_array(value, f"constraint '{name}'")
        for i, zero in enumerate(array.ravel()):
            label = name if array.ndim == 0 else f"{name}[{i}]"
            rows.append(Row(label, name, _level(label, zero), zero))
    return rows


def _level(label: str, zero: Expression) -> int:
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


def acceleration_rows(rows: list[Row], q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and b of A q̈ = b.

    position φ(q, t):        ∂φ/∂q q̈ = −d/dt(∂φ/∂q q̇ + ∂φ/∂t) with q̇ held
    velocity ψ(q, q̇, t):     ∂ψ/∂q̇ q̈ = −(∂ψ/∂q q̇ + ∂ψ/∂t)
    acceleration:            must be affine in q̈, and is split as it stands
    """
    v, a = rate(q), rate(rate(q))
    onward = along_motion(q)
    A = np.empty((len(rows), len(q)), dtype=object)
    b = np.empty(len(rows), dtype=object)
    for level, unknown in enumerate((q, v, a)):
        picked = [i for i, row in enumerate(rows) if row.level == level]
        if not picked:
            continue
        zero = expressions([rows[i].zero for i in picked])
        A[picked] = jacobian(zero, unknown)
        if level == 0:
            b[picked] = -directional(directional(zero, onward), onward)
        elif level == 1:
            b[picked] = -directional(zero, onward)
        else:
            _check_affine([rows[i] for i in picked], A[picked])
            b[picked] = -substitute(zero, dict.fromkeys(a, 0))
    for row, coefficients in zip(rows, A, strict=True):
        if all(e is ZERO for e in coefficients):
            words = "it has no slope, as a condition, np.sign or np.floor has none"
            raise ModelError(f"constraint '{row.name}' gives no equation for the accelerations: {words}")
    return A, b


def velocity_residuals(rows: list[Row], q: np.ndarray) -> np.ndarray:
    """What must vanish at velocity level: φ̇ of position constraints and ψ of velocity constraints."""
    onward = along_motion(q)
    return expressions([directional(row.zero, onward) if row.level == 0 else row.zero for row in rows if row.level < 2])


def _check_affine(rows: list[Row], A: np.ndarray) -> None:
    for row, coefficients in zip(rows, A, strict=True):
        if any(leaf.order == 2 for leaf in symbols(coefficients)):
            raise ModelError(f"constraint '{row.name}' is not linear in the accelerations; solve it for them first")
