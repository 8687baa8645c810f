"""Integrals and means of expressions over the time of a run, on its dense output."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.analysis.panels import (
    COEFFICIENTS,
    NARROW,
    NARROWEST,
    NOISE,
    NOISY,
    ROUNDING,
    STALLS,
    Along,
    Shape,
    divided,
    hidden,
    whole,
)
from zeromass.analysis.stepwise import Stepwise
from zeromass.equation.arrays import single_thread
from zeromass.expression import expressions
from zeromass.integrate import Course

NEGLIGIBLE = 0.1
"""Part of the tolerance up to which the last coefficients of an integrand do not matter: states are not known better."""

LEAST = 1e-6
"""Part of ∫|e| dt that an integral may be off by where noise or rounding limits it; beyond, it has no value."""


@single_thread
def integral(run: Course, e: Any) -> np.ndarray:
    """∫ e dt over a run, of an expression or of each of an array of them, to the run's rtol times ∫|e| dt.

    Steps are divided where the expression does not follow its samples: at kinks and jumps, and where it changes faster than
    the motion. Not a number where the integral can not be resolved, as beside a pole.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi)
    >>> from zeromass.analysis import integral
    >>> float(integral(run, abs(x)).round(9))
    2.0
    """
    e = expressions(e)
    if all(len(segment.t) < 2 for segment in run.segments):
        return np.zeros(e.shape)
    along = Stepwise(run, e.ravel().tolist()).along
    return integrals(along, run.settings.rtol)[0].reshape(e.shape)


def mean(run: Course, e: Any) -> np.ndarray:
    """The mean over the time of a run, (1/T) ∫ e dt; see `integral`. Of a run of no length, the value at its start.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi)
    >>> from zeromass.analysis import mean
    >>> float(mean(run, x**2).round(9))
    0.5
    """
    length = run.t[-1] - run.t[0]
    return integral(run, e) / length if length else run[expressions(e)][0]


def integrals(along: Along, rtol: float) -> np.ndarray:
    """∫ e dt of each motion to rtol ∫|e| dt, shape (motions, functions); not a number where it can not be resolved.

    Radau's rule with eight nodes in each panel, of order 15.
    """
    panels, motions = whole(along), along.motions
    first = len(panels.nodes) - len(along.kinds)
    value, error, size = (np.zeros((first, motions)) for _ in range(3))
    number, lost, most = np.zeros(motions, dtype=np.int64), np.zeros(motions, dtype=bool), along.most
    rtol = max(rtol, 2 * ROUNDING)
    while True:
        motion, weight = along.motion[panels.step], along.length[panels.step] * panels.width
        e = panels.nodes[:first]
        with np.errstate(all="ignore"):
            shape, finite = Shape(panels.nodes, max(ROUNDING, NEGLIGIBLE * rtol)), np.isfinite(e).all(axis=(0, 1))
            seen = hidden(shape, along.kinds, panels.noise)
            part, absolute = shape.c[:first, 0] * weight, (COEFFICIENTS[0] @ np.abs(e)) * np.abs(weight)
            off = shape.quadrature[:first]
            off = np.where(seen.near, np.maximum(off, np.ptp(e, axis=1)), off) * np.abs(weight)
        off[:, ~finite], absolute[:, ~finite] = np.inf, 0.0
        narrowest = panels.width <= NARROWEST
        np.logical_or.at(lost, motion, (~np.isfinite(e)).all(axis=1).any(axis=0) | (narrowest & ~finite))
        number += np.bincount(motion, minlength=motions)
        lost |= number > most
        allowed = rtol * (size + _by_motion(absolute, motion, motions))
        fine = np.asarray((error + _by_motion(off, motion, motions) <= allowed).all(axis=0))[motion]
        must = seen.blind | (seen.near & (panels.width > NARROW)) | ~finite
        unsure = (off > 0.5 * (allowed / np.maximum(number, 1))[:, motion]).any(axis=0)
        gained = (off.sum(axis=0) <= 0.4 * panels.error) | must | seen.near
        stalls = np.where(gained, 0, panels.stalls + 1)
        rounding = NOISY * panels.noise[:first] * np.abs(weight)
        noisy = ((stalls >= STALLS) & (off <= NOISE * absolute).all(axis=0)) | (off <= rounding).all(axis=0)
        open_ = (must | (unsure & ~fine & ~noisy)) & ~narrowest & ~lost[motion]
        done = np.flatnonzero(~open_ & ~lost[motion])
        for total, some in ((value, part), (error, off), (size, absolute)):
            total += _by_motion(some[:, done], motion[done], motions)
        which = np.flatnonzero(open_)
        if not len(which):
            break
        number -= np.bincount(motion[which], minlength=motions)
        panels = divided(along, panels.some(which), seen.some(which), off[:, which].sum(axis=0), stalls[which])
    value[:, lost | ~(error <= np.maximum(rtol, LEAST) * size).all(axis=0)] = np.nan
    return value.T


def _by_motion(values: np.ndarray, motion: np.ndarray, motions: int) -> np.ndarray:
    """Sums over the panels of each motion, shape (functions, motions), of values (functions, panels)."""
    return np.array([np.bincount(motion, row, minlength=motions) for row in values]).reshape(len(values), motions)
