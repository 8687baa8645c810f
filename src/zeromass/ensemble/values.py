"""The values of what a study keeps, for all members of a chunk at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.analysis.extrema import SAMPLES, reach
from zeromass.ensemble.dense import Inside
from zeromass.ensemble.keep import AtTimes, Extreme, Final, FirstTime, Integral, Kept
from zeromass.ensemble.lanes import Lanes
from zeromass.ensemble.motions import Motions
from zeromass.ensemble.pointwise import Pointwise
from zeromass.integrate import Course

PLACES = 8
"""Parts of a step that may hold an extreme value, at whose ends it is looked at."""

ROUNDS = 3
"""Parabolas through ever closer points about the best of them, each closer by PLACES: the third is exact to rounding."""

GAUSS = np.polynomial.legendre.leggauss(5)
"""Places and weights of a quadrature of order 10, beyond that of the steps."""


def values_of(wanted: Kept, value: Pointwise | None, motions: Motions, lanes: Lanes) -> np.ndarray:
    """What is kept of each member, shape (members, …); `value` is that of its expression."""
    if isinstance(wanted, FirstTime):
        return np.array([_first(motions, k, wanted.event.name) for k in range(len(motions))])
    found = np.full((len(motions), *_shape(wanted)), np.nan)
    own = np.delete(np.arange(len(motions)), list(motions.courses))
    if len(own):
        assert value is not None
        match wanted:
            case Extreme():
                found[own] = _extremes(value, motions, lanes, own, wanted.sign)
            case Integral():
                found[own] = _integrals(value, motions, lanes, own, mean=wanted.mean)
            case AtTimes():
                found[own] = _at_times(value, motions, lanes, own, wanted.times)
            case Final():
                parameters = motions.starts.parameters[own]
                found[own] = value(np.concatenate([motions.t[own, None], motions.y[own], parameters], axis=1))
    for k, course in motions.courses.items():
        if course.segments[0].program is not None:
            found[k] = _of_course(wanted, course)
    return found


def _shape(wanted: Kept) -> tuple[int, ...]:
    lead = (len(wanted.times),) if isinstance(wanted, AtTimes) else ()
    return (*lead, *wanted.array.shape)


def _first(motions: Motions, k: int, name: str) -> float:
    return next((event.t for event in motions.happened(k) if event.name == name), np.nan)


class _Steps:
    """All steps of some members, one member after the other: from (t0, y0) to (t1, y1); `of` is the member of each."""

    def __init__(self, motions: Motions, own: np.ndarray) -> None:
        starts, rows = motions.starts, [motions.steps_of(k) for k in own.tolist()]
        counts = [len(part) for part in rows]
        self.t1 = np.concatenate([part[:, 0] for part in rows])
        self.y1 = np.concatenate([part[:, 3:] for part in rows])
        self.t0 = np.concatenate([np.append(starts.t[k], part[:-1, 0]) for k, part in zip(own, rows, strict=True)])
        self.y0 = np.concatenate(
            [np.concatenate([starts.y[k][None], part[:-1, 3:]]) for k, part in zip(own, rows, strict=True)]
        )
        self.of = np.repeat(np.arange(len(own)), counts)
        self.first = np.cumsum([0, *counts[:-1]])
        self.parameters = starts.parameters[own[self.of]]

    def roughly(self, θ: float) -> np.ndarray:
        """Numbers of `system.inputs` at a part of every step: by cubics, from positions and rates at both ends alone."""
        n, h = self.y0.shape[1] // 2, (self.t1 - self.t0)[:, None]
        (q0, v0), (q1, v1) = ((y[:, :n], y[:, n:]) for y in (self.y0, self.y1))
        step, back = q1 - q0, 1.0 - θ
        q = q0 + θ**2 * (3.0 - 2.0 * θ) * step + h * θ * back * (back * v0 - θ * v1)
        v = 6.0 * θ * back * step / h + back * (1.0 - 3.0 * θ) * v0 - θ * (2.0 - 3.0 * θ) * v1
        return np.concatenate([self.t0[:, None] + θ * h, q, v, self.parameters], axis=1)

    def inside(self, lanes: Lanes, which: np.ndarray) -> Inside:
        return Inside(lanes, *[x[which] for x in (self.t0, self.y0, self.t1, self.y1, self.parameters)])


def _extremes(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, sign: int) -> np.ndarray:
    """Largest values: of the ends of steps, and inside the steps that may hide a larger one, by a rough look into them all.

    For a smooth function what is hidden beside a sample is at most a quarter of the drop to its farther neighbour, and
    four times as much is allowed for, as in `analysis.maximum`.
    """
    steps = _Steps(motions, own)
    ends = sign * value(np.concatenate([steps.t1[:, None], steps.y1, steps.parameters], axis=1))
    begins = sign * value(np.concatenate([steps.t0[:, None], steps.y0, steps.parameters], axis=1)[steps.first])
    rough = np.array([sign * value(steps.roughly(k / SAMPLES)) for k in range(1, SAMPLES)])
    looks = np.column_stack([*np.where(np.isnan(rough), -np.inf, rough), ends])  # what may be anything hides everything
    best = np.full(len(own), -np.inf)
    chosen: list[np.ndarray] = []
    for k, (first, count) in enumerate(zip(steps.first, np.bincount(steps.of, minlength=len(own)), strict=True)):
        samples = np.append(begins[k], looks[first : first + count])
        best[k] = samples[::SAMPLES].max()
        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(samples + reach(samples) >= best[k])
        beside = np.unique(np.concatenate([near - 1, near]) // SAMPLES)
        chosen.append(first + beside[(beside >= 0) & (beside < count)])
    which = np.concatenate(chosen)
    inside, of = steps.inside(lanes, which), steps.of[which]

    def values(some: np.ndarray, θ: np.ndarray) -> np.ndarray:
        return sign * value(inside.inputs(some, θ))

    places = np.arange(1, PLACES) / PLACES
    all_ = np.repeat(np.arange(len(which)), PLACES - 1)
    course = values(all_, np.tile(places, len(which))).reshape(-1, PLACES - 1)
    before = np.where(np.isin(which, steps.first), begins[of], ends[np.maximum(which - 1, 0)])
    course = np.column_stack([before, course, ends[which]])
    np.maximum.at(best, of, course.max(axis=1))
    hidden = course.max(axis=1) + np.maximum(course.max(axis=1) - np.sort(course, axis=1)[:, -3], 0.0)
    some = np.flatnonzero(hidden >= best[of])
    peak = np.clip(course[some].argmax(axis=1), 1, PLACES - 1) / PLACES
    refined = _refined(values, some, peak, 1.0 / PLACES)
    np.maximum.at(best, of[some], refined)
    return sign * best


def _refined(
    values: Callable[[np.ndarray, np.ndarray], np.ndarray], steps: np.ndarray, θ: np.ndarray, width: float
) -> np.ndarray:
    """The largest values near places θ in steps: at the ends of parabolas through ever closer points."""
    best = np.full(len(steps), -np.inf)
    for _ in range(ROUNDS):
        θ = np.clip(θ, width, 1.0 - width)
        left, middle, right = (values(steps, θ + shift) for shift in (-width, 0.0, width))
        bend = left - 2.0 * middle + right
        with np.errstate(all="ignore"):
            shift = np.where(bend < 0.0, 0.5 * width * (left - right) / bend, 0.0)
        θ = θ + np.clip(np.nan_to_num(shift), -width, width)
        best = np.maximum(best, np.maximum(middle, values(steps, np.clip(θ, 0.0, 1.0))))
        width /= PLACES
    return best


def _integrals(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, *, mean: bool) -> np.ndarray:
    steps = _Steps(motions, own)
    count = len(steps.t0)
    inside = steps.inside(lanes, np.arange(count))
    nodes, weights = (GAUSS[0] + 1) / 2, GAUSS[1] / 2
    found = value(inside.inputs(np.repeat(np.arange(count), len(nodes)), np.tile(nodes, count)))
    found = found.reshape(count, len(nodes), *found.shape[1:])
    parts = np.einsum("kj...,j,k->k...", found, weights, steps.t1 - steps.t0)
    total = np.add.reduceat(parts, steps.first, axis=0)
    length = (motions.t - motions.starts.t)[own]
    return total / length.reshape(-1, *[1] * (total.ndim - 1)) if mean else total


def _at_times(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, times: np.ndarray) -> np.ndarray:
    steps = _Steps(motions, own)
    counts = np.bincount(steps.of, minlength=len(own))
    sign = 1.0 if motions.until >= motions.starts.t[own[0]] else -1.0
    chosen, places, asked = [], [], []
    for k, (first, count) in enumerate(zip(steps.first, counts, strict=True)):
        ends = steps.t1[first : first + count]
        begin = steps.t0[first]
        covered = np.flatnonzero((sign * times >= sign * begin) & (sign * times <= sign * ends[-1]))
        step = first + np.searchsorted(sign * ends, sign * times[covered])
        chosen.append(step)
        places.append((times[covered] - steps.t0[step]) / (steps.t1[step] - steps.t0[step]))
        asked.append(k * len(times) + covered)
    which, θ, where = np.concatenate(chosen), np.concatenate(places), np.concatenate(asked)
    steps_, back = np.unique(which, return_inverse=True)
    inputs = steps.inside(lanes, steps_).inputs(back, θ)
    for at, y in ((0.0, steps.y0), (1.0, steps.y1)):  # ends of steps as they are
        exact = np.flatnonzero(at == θ)
        inputs[exact, 1 : 1 + y.shape[1]] = y[which[exact]]
    found = value(inputs)
    result = np.full((len(own) * len(times), *found.shape[1:]), np.nan)
    result[where] = found
    return result.reshape(len(own), len(times), *found.shape[1:])


def _of_course(wanted: Kept, course: Course) -> np.ndarray | float:
    """What is kept of one motion that was not in a lane to its end."""
    from zeromass.analysis import maximum, minimum

    e = wanted.expression
    if isinstance(wanted, Extreme):
        return (maximum if wanted.sign > 0 else minimum)(course, e).value
    if isinstance(wanted, AtTimes):
        low, high = sorted((course.t[0], course.t[-1]))
        covered = (wanted.times >= low) & (wanted.times <= high)
        found = np.full(_shape(wanted), np.nan)
        found[covered] = course.at(wanted.times[covered])[wanted.array]
        return found
    if isinstance(wanted, Integral):
        total = np.zeros(wanted.array.shape)
        for segment in course.segments:
            t, nodes = segment.t, (GAUSS[0] + 1) / 2
            times = (t[:-1, None] + np.diff(t)[:, None] * nodes).ravel()
            found = segment.at(times)[wanted.array].reshape(len(t) - 1, len(nodes), *wanted.array.shape)
            total = total + np.einsum("kj...,j,k->...", found, GAUSS[1] / 2, np.diff(t))
        return total / (course.t[-1] - course.t[0]) if wanted.mean else total
    last = course.segments[-1]
    return last.at(last.t[-1:])[wanted.array][0]
