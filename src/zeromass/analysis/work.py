"""Energy along a run, and the work of the forces that change it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zeromass.expression import Expression, as_expression, rate
from zeromass.expression.build import ZERO
from zeromass.integrate import Course


@dataclass(frozen=True)
class Work:
    """Energy balance of a run, J.

    energy     at the start
    change     of the energy, at the steps, relative to the start
    applied    work of forces that have no potential, at the steps
    constraint work of moving or non-ideal constraints, at the steps
    """

    t: np.ndarray
    energy: float
    change: np.ndarray
    applied: np.ndarray
    constraint: np.ndarray

    @property
    def imbalance(self) -> float:
        """Largest |change − work| along the run, relative to the largest energy or work."""
        gap = np.abs(self.change - self.applied - self.constraint).max()
        size = max(abs(self.energy), *[np.abs(x).max() for x in (self.change, self.applied, self.constraint)])
        return float(gap / size) if size > 0 else float(gap)

    def __str__(self) -> str:
        return (
            f"energy: {self.energy:.9g} J at the start, changed by {self.change[-1]:.3e} J; work of applied forces "
            f"{self.applied[-1]:.3e} J, of constraints {self.constraint[-1]:.3e} J; imbalance {self.imbalance:.1e} relative"
        )


def powers(run: Course) -> tuple[Expression, Expression]:
    """Power of the applied forces without potential, and of the constraints, W.

        dE/dt = q̇ᵀ(Q_applied + Qᶜ) + explicit change of the energy in time

    The explicit change counts with the applied forces; Qᶜ = M q̈ − Q.
    """
    system = run.system
    v = system.rates
    reaction = as_expression(v @ system.reaction.total)
    total = rate(system.energy)
    return total - reaction, reaction


def work(run: Course) -> Work:
    """The energy balance of a run: powers are integrated over each step by Gauss's rule of six points."""
    energy = run[run.system.energy]
    applied, constraint = powers(run)
    h, (places, weights) = np.diff(run.t), np.polynomial.legendre.leggauss(6)
    nodes = (run.t[:-1, None] + h[:, None] * (places + 1) / 2).ravel()
    rates = [np.zeros(len(nodes)) if p is ZERO else run.at(nodes)[p] for p in (applied, constraint)]
    sums = [((p.reshape(len(h), -1) @ weights) * h / 2).cumsum() for p in rates]
    first = np.zeros(1)
    return Work(run.t, float(energy[0]), energy - energy[0], *[np.concatenate([first, s]) for s in sums])
