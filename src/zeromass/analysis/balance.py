"""The equations of rest and of steady motion, in everything that is unknown: positions, rates, accelerations, λ.

    φ(q, t) = 0,  ψ(q, q̇, t) = 0,  A q̈ = b,  M q̈ = Q + C + Aᵀλ        and at rest q̇ = q̈ = 0,
                                                             or ė = ë = 0 of what stays constant

Nothing is eliminated: masses may be zero and constraints redundant, and each equation keeps its name.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression, expressions, rate, symbols
from zeromass.model import ModelError, System


class Balance:
    """Named equations and their unknowns.

    equations  (name, expression that must vanish)
    unknowns   q, q̇, q̈ and λ
    still      those that are zero: q̇ and q̈ at rest
    """

    def __init__(self, system: System, constant: Sequence[Expression] | None) -> None:
        self.system = system
        a, λ = system.accelerations, system.multipliers
        force = system.M @ a - system.Q - system.C - system.A.T @ λ
        rows = system.A @ a - system.b if len(system.rows) else expressions(np.empty(0, dtype=object))
        self.equations: list[tuple[str, Expression]] = [
            *system.zeros(0),
            *system.zeros(1),
            *[(f"acceleration of {row.name}", zero) for row, zero in zip(system.rows, rows, strict=True)],
            *[(f"balance of forces on {x.name}", zero) for x, zero in zip(system.coordinates, force, strict=True)],
        ]
        self.unknowns: np.ndarray = np.concatenate([system.coordinates, system.rates, a, λ])
        self.still: list[Expression] = [*system.rates, *a] if constant is None else []
        for e in () if constant is None else constant:
            self.equations += self.constancy(e)
        self.equations = [(name, zero) for name, zero in self.equations if zero.value is None or zero.value != 0.0]

    def constancy(self, e: Expression) -> list[tuple[str, Expression]]:
        """What must vanish if a formula is to stay constant."""
        orders = [leaf.order for leaf in symbols(e) if leaf.kind == "coordinate" and leaf.order < 2]
        known = {*self.system.coordinates, *self.system.rates, *self.system.parameters}
        strange = [s for s in symbols(e) if s not in known and s.kind not in ("time", "parameter")]
        if strange or not orders:
            what = f"contains '{strange[0]!r}', which is none" if strange else "contains neither"
            raise ModelError(f"what stays constant is a formula of coordinates and rates; '{e!r}' {what}")
        first = rate(e)
        if max(orders) == 1:
            return [(f"rate of {e!r}", first)]
        return [(f"rate of {e!r}", first), (f"acceleration of {e!r}", rate(first))]
