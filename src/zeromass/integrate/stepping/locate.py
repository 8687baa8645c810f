"""The zeros of event functions inside a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ulp

import numpy as np

from zeromass.integrate.search import zero
from zeromass.integrate.stepping.kernel import DEEPER, NEAR_ZERO
from zeromass.model import Event

ROUNDING = 1e-14
"""How well a zero is located, as a part of the time itself or, near time zero, of the step."""


POLE = 1e3
"""A function that is so many times as large where it changes its sign as at the ends of the bracket has no zero there."""


Point = tuple[float, float]
"""A place, and the value of a function there."""

NARROW = 1e-8
"""Part of a bracket below which values no longer tell how a function bends."""


LOOKS = 300
"""Brackets at most in which a dip is looked for: a function that bends has a few of each width, and rounding, such as the
gap of bodies that touch without a force, as many as there are places."""


def happenings(
    events: Sequence[Event],
    values: Callable[[float], np.ndarray],
    places: Sequence[float],
    turns: Callable[[Event], bool] = lambda event: True,
    columns: Sequence[int] | None = None,
) -> tuple[list[tuple[float, Event]], float]:
    """What happens in a step, in order of its course, and how well that is located.

    values   of all event functions at a time, shape (events,)
    places   times in the step between which a function is like a parabola
    turns    whether that of an event may turn there, and not only at such times
    columns  where the functions of the events are among the values, if not all of them are asked for
    """
    columns = range(len(events)) if columns is None else columns
    asked = list(columns)  # of each row: thousands of functions may be watched beside them
    seen = np.array([values(t)[asked] for t in places]).T
    course, changes = seen.tolist(), np.any(seen[:, 1:] * seen[:, :-1] <= 0, axis=1).tolist()
    tolerance = ROUNDING * max(abs(places[0]), abs(places[-1]))
    found: list[tuple[float, Event]] = []
    for k, (column, event) in enumerate(zip(columns, events, strict=True)):
        if not (changes[k] or turns(event)):
            continue

        def value(t: float, column: int = column) -> float:
            return float(values(t)[column])

        points = list(zip(places, course[k], strict=True))
        for (a, fa), (b, fb) in pairwise(_refined(value, points) if turns(event) else points):
            rises = fa < 0 <= fb and event.direction >= 0
            falls = fa > 0 >= fb and event.direction <= 0
            if rises or falls:
                place = zero(value, a, b, fa, fb, tolerance) if fb else _first(value, a, b, tolerance)
                if not abs(value(place)) > POLE * max(abs(fa), abs(fb)):
                    found.append((place, event))
    found.sort(key=lambda item: item[0] if places[-1] > places[0] else -item[0])
    return found, tolerance


def _first(f: Callable[[float], float], a: float, b: float, tolerance: float) -> float:
    """The first place after a, where a function is not zero, at which it is, as it is at b: it may have come to rest."""
    least, sign = max(tolerance, 2 * ulp(max(abs(a), abs(b)))), f(a)
    beside = b - np.copysign(2 * least, b - a)
    if f(beside) * sign > 0:
        return b
    while abs(b - a) > least:
        middle = a + (b - a) / 2
        a, b = (middle, b) if f(middle) * sign > 0 else (a, middle)
    return b


def _refined(f: Callable[[float], float], course: list[Point]) -> list[Point]:
    """Points of a function, and those between them where it dips to the other sign and back, in order of their places."""
    refined = course[:2]
    for one, two, three in zip(course, course[1:], course[2:], strict=False):
        if dips(one, two, three):
            refined += _beyond(f, one, two, three)
        refined.append(three)
    ahead = 1 if course[-1][0] >= course[0][0] else -1
    return refined if len(refined) == len(course) else sorted(set(refined), key=lambda point: ahead * point[0])


def dips(one: Point, two: Point, three: Point) -> bool:
    """Whether a function of one sign at three places may have the other sign between them.

    The parabola g through the values, g = g₁ + s (x − x₁) + c (x − x₁)², ends at g₁ − s²/4c. A look is worth its while if
    that is twice as deep as it takes, or nearly zero, and not far outside.
    """
    (x0, g0), (x1, g1), (x2, g2) = one, two, three
    u, w = x1 - x0, x2 - x1
    if not (g0 * g1 > 0 and g1 * g2 > 0 and u and w):  # in a step of a few roundings places are the same
        return False
    left, right = (g1 - g0) / u, (g2 - g1) / w
    c, s = (right - left) / (u + w), (left * w + right * u) / (u + w)
    near = 4 * abs(c) * (abs(g1) - NEAR_ZERO * max(abs(g1 - g0), abs(g2 - g1))) <= DEEPER * s * s
    return c * g1 > 0 and near and abs(s) <= 2 * abs(c * (u + w))


def _beyond(f: Callable[[float], float], *bracket: Point) -> list[Point]:
    """A point among three where a function has the other sign, if there is one: looked for in ever narrower brackets."""
    start, end = bracket[0][0], bracket[2][0]
    least = max(NARROW * abs(end - start), 8 * ulp(max(abs(start), abs(end))))  # narrower ones have no places between
    brackets, known = [bracket], {bracket}  # where it touches zero all dip, and share what is narrower
    for _ in range(LOOKS):
        if not brackets:
            break
        one, two, three = brackets.pop()
        if abs(three[0] - one[0]) < least:
            continue
        between = [(x, f(x)) for x in ((one[0] + two[0]) / 2, (two[0] + three[0]) / 2)]
        other = [point for point in between if point[1] * two[1] <= 0]
        if other:
            return other
        points = [one, between[0], two, between[1], three]
        deeper = [some for some in zip(points, points[1:], points[2:], strict=False) if dips(*some)]
        brackets += [some for some in deeper if some not in known]
        known.update(deeper)
    return []
