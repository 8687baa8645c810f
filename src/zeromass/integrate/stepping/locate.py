"""The zeros of event functions inside a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from zeromass.integrate.search import zero
from zeromass.model import Event

ROUNDING = 1e-14
"""How well a zero is located, in time relative to 1 and to the time itself."""


def happenings(
    events: Sequence[Event], values: Callable[[float], np.ndarray], places: Sequence[float]
) -> tuple[list[tuple[float, Event]], float]:
    """What happens in a step, in order of its course, and how well that is located.

    values  of all event functions at a time, shape (events,)
    places  times in the step between which a function changes its sign once at most
    """
    course = np.array([values(t) for t in places]).T.tolist()
    tolerance = ROUNDING * max(1.0, abs(places[-1]))
    found: list[tuple[float, Event]] = []
    for k, event in enumerate(events):

        def value(t: float, k: int = k) -> float:
            return float(values(t)[k])

        for (a, fa), (b, fb) in pairwise(zip(places, course[k], strict=True)):
            rises = fa < 0 <= fb and event.direction >= 0
            falls = fa > 0 >= fb and event.direction <= 0
            if rises or falls:
                found.append((zero(value, a, b, fa, fb, tolerance), event))
    found.sort(key=lambda item: item[0] if places[-1] > places[0] else -item[0])
    return found, tolerance
