"""Integrals and means of expressions over the time of a run, on its dense output."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.analysis.panels import integrals
from zeromass.analysis.stepwise import Stepwise
from zeromass.expression import expressions
from zeromass.integrate import Course


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
    along = Stepwise(run, e.ravel().tolist())
    return integrals(along.along, along.panels(), run.settings.rtol).value[0].reshape(e.shape)


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
