"""Events that have no value somewhere in a run, as √x has none for x < 0: what would happen there is not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.integrate.course import Course
from zeromass.integrate.stepping.kinks import borders
from zeromass.model import Event


def without_value(course: Course, events: Sequence[Event]) -> list[str]:
    """Which of some events have no value at a step of a motion, or halfway between two, and since when, in words.

    >>> from zeromass.integrate.undefined import without_value
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=2.0)
    >>> [words[:26] for words in without_value(run, [zm.Event("gone", np.sqrt(x) - 0.1)])]
    ["event 'gone' has no value "]
    """
    asked = [event for event in events if borders([event.zero])]
    if not asked:
        return []
    times = np.concatenate([course.t, (course.t[1:] + course.t[:-1]) / 2])
    times = times[np.argsort(np.abs(times - course.t[0]), kind="stable")]
    with np.errstate(all="ignore"):
        seen = [(event, np.isnan(course.at(times)[event.zero])) for event in asked]
    words = "event '{}' has no value at t = {:.6g} s, or about there: its zeros are not seen where it has none"
    return [words.format(event.name, times[np.argmax(nan)]) for event, nan in seen if nan.any()]
