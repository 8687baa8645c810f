"""How far a run can be trusted: residuals, energy balance, margin of the rank, and digits from a second run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zeromass.analysis.contact import Interval, pulling_intervals
from zeromass.analysis.work import Work, work
from zeromass.equation import numerical_rank
from zeromass.expression import expressions
from zeromass.integrate import Course, Sampled, course
from zeromass.integrate.segment import Samples

TIGHTER = 100.0
"""How many times smaller the tolerances of the second run are."""

TIGHTEST = 2e-15
"""The smallest relative tolerance of a second run: a few roundings."""

SAMPLES = 400
"""States at which ranks and residuals are examined, besides none at the ends of steps alone."""


@dataclass(frozen=True)
class Residual:
    """Largest violation of one constraint at position, velocity and acceleration level; NaN where it has no such level.

    >>> bob = zm.Particle("bob", mass=0.5)
    >>> pendulum = zm.System([bob], gravity=9.81, constraints={"string": (bob.position @ bob.position - 1.0) / 2})
    >>> run = zm.simulate(pendulum, pendulum.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)]), until=1.0)
    >>> (string,) = run.certificate().residuals
    >>> string.name, string.position < 1e-12
    ('string', True)
    """

    name: str
    position: float
    velocity: float
    acceleration: float


@dataclass(frozen=True)
class Certificate:
    """What is known of the errors of a run; `print` it.

    residuals  of each constraint, in its own units
    work       energy, and the work that changed it (None where the system has no energy)
    margin     smallest margin of the rank of [M; A] along the run, a factor above the tolerance of the decision
    error      largest difference of a state from that of a run at tighter tolerance, relative to the size of its coordinate
    pulled     intervals in which a two-sided contact has to pull

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> trust = run.certificate()
    >>> trust.digits > 9, trust.work.imbalance < 1e-9
    (True, True)
    """

    residuals: tuple[Residual, ...]
    work: Work | None
    margin: float
    error: float
    rtol: float
    tighter_rtol: float
    pulled: tuple[Interval, ...] = ()

    @property
    def digits(self) -> float:
        """Decimal digits that the two runs share, to the end of the run."""
        return float(-np.log10(max(self.error, np.finfo(float).eps)))

    def __str__(self) -> str:
        width = max([len(r.name) for r in self.residuals] + [10])
        lines = [f"{'constraint'.ljust(width)}   position   velocity   acceleration"]
        for r in self.residuals:
            cells = [f"{x:10.1e}" if np.isfinite(x) else "         –" for x in (r.position, r.velocity, r.acceleration)]
            lines.append(f"{r.name.ljust(width)} {cells[0]} {cells[1]}     {cells[2]}")
        if self.work is not None:
            lines.append(str(self.work))
        lines.append(f"rank of [M; A]: margin {self.margin:.1e} at least")
        if self.pulled:
            spans = ", ".join(f"{span.begin:.4g} … {span.end:.4g} s" for span in self.pulled)
            lines.append(f"the surface has to pull the body: {spans}")
        lines.append(
            f"digits to trust: {self.digits:.1f} (largest relative difference {self.error:.1e} between rtol {self.rtol:g} "
            f"and {self.tighter_rtol:g})"
        )
        return "\n".join(lines)


def certificate(run: Course) -> Certificate:
    """The certificate of a run; it makes a second run with tolerances a hundred times smaller.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> zm.certificate(run).digits > 9
    True
    """
    times = np.union1d(np.linspace(run.t[0], run.t[-1], SAMPLES), run.t[:: max(1, len(run) // SAMPLES)])
    sampled = run.at(times)
    rtol = run.settings.rtol
    tighter = max(rtol / TIGHTER, TIGHTEST)
    return Certificate(
        residuals(sampled),
        work(run) if run.system.has_energy else None,
        min(_margin(part) for _, part in sampled.parts),
        _difference(run, sampled, tighter),
        rtol,
        tighter,
        pulling_intervals(run) if run.system.contacts else (),
    )


def _margin(samples: Samples) -> float:
    """The smallest margin of the rank of [M; A]."""
    M, _, A, _, _ = samples.system.matrices(samples.inputs)
    return float(np.min(numerical_rank(np.concatenate([M, A], axis=1)).margin))


def residuals(sampled: Sampled) -> tuple[Residual, ...]:
    """Largest violation of each constraint, over its rows and over time."""
    worst: dict[str, list[float]] = {}
    for _, samples in sampled.parts:
        for name, found in _residuals(samples).items():
            worst[name] = np.fmax(worst.get(name, found), found).tolist()
    return tuple(Residual(name, *values) for name, values in worst.items())


def _residuals(samples: Samples) -> dict[str, list[float]]:
    """Of each constraint at position, velocity and acceleration level; NaN where it has no such level."""
    rows, system = samples.system.rows, samples.system
    zeros = {
        0: ([row.zero for row in rows if row.level == 0], [row.group for row in rows if row.level == 0]),
        1: (list(system.velocity_constraints), [row.group for row in rows if row.level < 2]),
        2: (list(system.A @ system.accelerations - system.b) if rows else [], [row.group for row in rows]),
    }
    values = {level: samples[expressions(formulas)] for level, (formulas, _) in zeros.items()}

    def worst(level: int, group: str) -> float:
        picked = [i for i, name in enumerate(zeros[level][1]) if name == group]
        return float(np.abs(values[level][:, picked]).max()) if picked else float("nan")

    return {group: [worst(level, group) for level in range(3)] for group in dict.fromkeys(row.group for row in rows)}


def _difference(run: Course, sampled: Sampled, rtol: float) -> float:
    """Largest difference from a second run, relative to the largest value of each coordinate and rate."""
    second = course(run.system, run.start, float(run.t[-1]), run.settings.tighter(rtol))
    end = second.t[-1]
    reached = sampled.t <= end if run.t[-1] > run.t[0] else sampled.t >= end
    if not np.any(reached):
        return float("inf")
    size = np.maximum(np.abs(sampled.y).max(axis=0), np.finfo(float).tiny)
    return float((np.abs(second.at(sampled.t[reached]).y - sampled.y[reached]) / size).max())
