"""The equations of rest and of steady motion, in everything that is unknown: positions, rates, accelerations, λ.

    φ(q, t) = 0,  ψ(q, q̇, t) = 0,  A q̈ = b,  M q̈ = Q + C + Aᵀλ        and at rest q̇ = q̈ = 0,
                                                             or ė = ë = 0 of what stays constant

Nothing is eliminated: masses may be zero and constraints redundant, and each equation keeps its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, as_expression, expressions, rate, symbols
from zeromass.model import ModelError, System

LONGEST = 60
"""Characters of an expression that a message shows."""


class Balance:
    """Named equations and their unknowns.

    equations  (name, expression that must vanish)
    unknowns   q, q̇, q̈ and λ
    still      those that are zero: q̇ and q̈ at rest
    constancies  derivatives that vanish of what stays constant
    """

    def __init__(self, system: System, constant: Mapping[str, Expression] | None) -> None:
        self.system = system
        a, λ = system.accelerations, system.multipliers
        force = system.M @ a - system.Q - system.C - system.A.T @ λ
        rows = system.A @ a - system.b if len(system.rows) else expressions(np.empty(0, dtype=object))
        self.equations: list[tuple[str, Expression]] = [
            *system.zeros(0),
            *system.zeros(1),
            *[(f"acceleration of {row.name}", zero) for row, zero in zip(system.rows, rows, strict=True)],
            *[(f"balance of forces on {name}", zero) for name, zero in zip(system.names, force, strict=True)],
        ]
        self.unknowns: np.ndarray = np.concatenate([system.coordinates, system.rates, a, λ])
        self.still: list[Expression] = [*system.rates, *a] if constant is None else []
        self.constancies: list[tuple[str, Expression]] = [
            one for name, e in (constant or {}).items() for one in self.constancy(name, e)
        ]
        self.equations += self.constancies
        self.equations = [(name, zero) for name, zero in self.equations if zero.value is None or zero.value != 0.0]

    def constancy(self, name: str, e: Expression) -> list[tuple[str, Expression]]:
        """What must vanish if a formula is to stay constant."""
        orders = [leaf.order for leaf in symbols(e) if leaf.kind == "coordinate" and leaf.order < 2]
        known = {*self.system.coordinates, *self.system.rates, *self.system.parameters}
        strange = [s for s in symbols(e) if s not in known and s.kind not in ("time", "parameter")]
        if strange or not orders:
            what = f"contains '{strange[0]!r}', which is none" if strange else "contains neither"
            raise ModelError(f"what stays constant is a formula of coordinates and rates; '{name}' {what}")
        first = rate(e)
        if max(orders) == 1:
            return [(f"rate of {name}", first)]
        return [(f"rate of {name}", first), (f"acceleration of {name}", rate(first))]


Constant = Mapping[str, Any] | Sequence[Expression] | np.ndarray | None
"""What stays constant: expressions, or {name: expression}."""


def constants(given: Constant) -> dict[str, Expression] | None:
    """By name: those given, or what they read."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {name: as_expression(e) for name, e in given.items()}
    return {shortened(e): e for e in expressions(given).ravel()}


def shortened(e: Expression) -> str:
    """What an expression reads, as far as a message has room for it."""
    text = repr(e)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
