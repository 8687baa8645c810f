"""One run or several, as plots take them: their names, their values at even times, their quantities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_all
from zeromass.report.ground import SAMPLES

Runs = Course | Sequence[Course]


def several(runs: Runs) -> list[Course]:
    """A list of runs, at least one."""
    found = [runs] if isinstance(runs, Course) else given_all(runs, Course, "what is plotted", "a run")
    if not found:
        raise ModelError("there is no run to plot")
    return found


def labels_of(runs: Sequence[Course], labels: Sequence[str] | None) -> list[str]:
    """Names of runs for legends: nothing of a single one."""
    if labels is None:
        return [""] if len(runs) == 1 else [f"run {k + 1}" for k in range(len(runs))]
    found = list(labels) if isinstance(labels, str) else given_all(labels, str, "labels", "a word")
    if len(found) != len(runs):
        raise ModelError(f"{len(runs)} runs have {len(found)} labels")
    return found


def sampled_of(run: Course) -> Any:
    """A run at even times, close enough for the eye."""
    return run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))


def quantity_of(run: Course, name: str) -> Any:
    """A named quantity of a run, as an expression."""
    quantities = run.system.quantities
    if name not in quantities:
        raise ModelError(f"the run has no '{name}'; it has: {', '.join(quantities) or 'coordinates only'}")
    return quantities[name].expression
