"""Energy balance as a test of a run: an imbalance that its tolerance does not explain."""

from __future__ import annotations

import numpy as np

from zeromass.analysis.work import Work, work
from zeromass.expression import gradient
from zeromass.integrate import Course, Settings
from zeromass.integrate.settings import REACH

SMALL, REST = 1e-10, 10.0
"""Absolute tolerances above this excuse nothing; how many of them a state may change by where nothing moves."""

SAMPLES = 8
"""Times at which it is asked what an error of the state does to the energy."""


def energy_warning(balance: Work, settings: Settings, steps: int) -> str:
    """What is wrong with an energy balance, in words; empty where the tolerance explains it."""
    if not 2 * balance.error > settings.largest_imbalance(steps):
        return ""
    words = f"the energy is out of balance by {balance.imbalance:.1e} of the energy exchanged"
    if settings.step is not None:
        return words + f": steps of {settings.step:g} s are too long"
    if 2 * balance.error <= REACH * settings.rtol * steps:
        return words + f": rtol = {settings.rtol:g} and atol = {settings.atol:g} are too large"
    return words + (
        f", which rtol = {settings.rtol:g} does not explain: the motion may not be smooth (bound the steps with "
        f"longest_step=…), or as small as atol = {settings.atol:g}"
    )


def energy_remarks(run: Course, balance: Work | None = None) -> tuple[str, ...]:
    """What the balance of energy and work says against a run that came to its end: one sentence, or none."""
    if not run.system.has_energy or len(run) < 2 or not run.outcome.complete or _at_rest(run):
        return ()
    balance = work(run) if balance is None else balance
    words = energy_warning(balance, run.settings, len(run))
    return (words,) if words and not max(balance.gap, balance.inside) <= _least_error(run) else ()


def _at_rest(run: Course) -> bool:
    """Whether nothing moves by more than errors as small as the absolute tolerance of a run."""
    moved = max(float(np.max(np.abs(segment.y - segment.y[0]))) for segment in run.segments)
    return moved <= REST * min(run.settings.atol, SMALL)


def _least_error(run: Course) -> float:
    """Error of the energy, J, that rounding and the absolute tolerance make in all steps together, whatever the motion.

        N Σ |∂E/∂y_i| (16 ε max |y| + atol)

    Bodies that hang at the height 0 have no energy, and yet one that is rounded.
    """
    system, times = run.system, np.linspace(run.t[0], run.t[-1], SAMPLES)
    with np.errstate(all="ignore"):
        slopes = np.abs(run.at(times)[gradient(system.energy, [*system.coordinates, *system.rates])])
    off = 16 * float(np.finfo(float).eps) * float(np.max(np.abs(run.y))) + min(run.settings.atol, SMALL)
    return len(run) * float(np.max(np.sum(slopes, axis=1))) * off
