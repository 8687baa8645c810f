"""Constraint residuals along a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.model import System


def residual_histories(run: Course, times: ArrayLike | None = None) -> dict[str, np.ndarray]:
    """The value of each constraint over time, {constraint: (times,)}, or its rows, (times, rows): `Run.residuals`.

    φ(q, t) of a holonomic constraint, ψ(q, q̇, t) of a nonholonomic one; NaN in segments without it.
    """
    sampled = run.at(run.t if times is None else times)
    found: dict[str, np.ndarray] = {}
    for segment in run.segments:
        for group, zeros in constraint_rows(segment.system).items():
            found.setdefault(group, np.full((len(sampled), len(zeros)), np.nan))
    for places, samples in sampled.parts:
        for group, zeros in constraint_rows(samples.system).items():
            found[group][places] = samples[expressions(zeros)]
    return {group: values[:, 0] if values.shape[1] == 1 else values for group, values in found.items()}


def constraint_rows(system: System) -> dict[str, list[Expression]]:
    """What must vanish, by the name of the constraint; constraints of accelerations are left out."""
    found: dict[str, list[Expression]] = {}
    for row in system.rows:
        if row.level < 2:
            found.setdefault(row.group, []).append(row.zero)
    return found
