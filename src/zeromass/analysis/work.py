"""Energy along a run, and the work of the forces that change it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zeromass.expression import Expression, as_expression, rate
from zeromass.expression.build import ZERO
from zeromass.integrate import Course, Segment
from zeromass.model import System


@dataclass(frozen=True)
class Work:
    """Energy balance of a run, J.

    energy     at the start
    change     of the energy, at the steps, relative to the start
    applied    work of forces that have no potential, at the steps
    constraint work of moving or non-ideal constraints, at the steps

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> print(run.work())
    energy: 0 J at the start, changed by 1.800e+01 J; work of applied forces 1.800e+01 J, of constraints 0.000e+00 J; ...
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


def powers(system: System) -> tuple[Expression, Expression]:
    """Power of the applied forces without potential, and of the constraints, W.

        dE/dt = q̇ᵀ(Q_applied + Qᶜ) + explicit change of the energy in time

    The explicit change counts with the applied forces; Qᶜ = M q̈ − Q.
    """
    reaction = as_expression(system.rates @ system.reaction.total)
    return rate(system.energy) - reaction, reaction


def work(run: Course) -> Work:
    """The energy balance of a run: powers are integrated over each step by Gauss's rule of six points.

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> from zeromass.analysis import work
    >>> round(float(work(run).applied[-1]), 9)  # 2 N on a way of 9 m
    18.0
    """
    energy = run[run.system.energy]
    done = [np.concatenate([_done(segment, k) for segment in run.segments]).cumsum() for k in range(2)]
    return Work(run.t, float(energy[0]), energy - energy[0], *done)


def _done(segment: Segment, which: int) -> np.ndarray:
    """The work of applied forces (0) or of constraints (1) in each step of a segment, after a zero for its start."""
    power = powers(segment.system)[which]
    result = np.zeros(len(segment.t))
    if power is not ZERO:
        h, (places, weights) = np.diff(segment.t), np.polynomial.legendre.leggauss(6)
        nodes = (segment.t[:-1, None] + h[:, None] * (places + 1) / 2).ravel()
        result[1:] = (segment.at(nodes)[power].reshape(len(h), -1) @ weights) * h / 2
    return result
