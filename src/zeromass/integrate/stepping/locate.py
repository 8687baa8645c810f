"""The zeros of event functions inside a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from zeromass.integrate.search import zeros
from zeromass.model import Event

ROUNDING = 1e-14
"""How well a zero is located, in time relative to 1 and to the time itself."""


def happenings(
    events: Sequence[Event],
    values: Callable[[np.ndarray], np.ndarray],
    places: np.ndarray,
) -> tuple[list[tuple[float, Event]], float]:
    """What happens in a step, in order of its course, and how well that is located.

    values  of all event functions at some times, shape (times, events)
    places  times in the step between which a function changes its sign once at most
    """
    course = values(places)
    tolerance = ROUNDING * max(1.0, abs(float(places[-1])))
    found: list[tuple[float, Event]] = []
    for k, event in enumerate(events):
        before, after = course[:-1, k], course[1:, k]
        rises = (before < 0) & (after >= 0) & (event.direction >= 0)
        falls = (before > 0) & (after <= 0) & (event.direction <= 0)
        at = np.flatnonzero(rises | falls)
        if len(at):
            where = zeros(lambda t, k=k: values(t)[:, k], places[at], places[at + 1], before[at], after[at], tolerance)
            found += [(float(place), event) for place in where]
    found.sort(key=lambda item: item[0] if places[-1] > places[0] else -item[0])
    return found, tolerance
