"""The values of what a study keeps, for all members of a chunk at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from zeromass.analysis import integral, maximum, mean, minimum
from zeromass.analysis.extrema import candidates, largest
from zeromass.analysis.integral import integrals
from zeromass.analysis.panels import NODES, Along
from zeromass.expression import symbols
from zeromass.expression.pieces import switches
from zeromass.integrate import Course
from zeromass.study.dense import Inside
from zeromass.study.keep import AtTimes, Extreme, Final, FirstTime, Integral, Kept
from zeromass.study.lanes import Lanes, in_lanes
from zeromass.study.motions import Motions
from zeromass.study.pointwise import Pointwise

TOGETHER = 2**18
"""Numbers at nodes of steps that are in memory at once: what stays near the processor. Those of one member stay together."""


APPROXIMATED = 4
"""Times as many of which values are approximated: few steps are left."""

CHOSEN = 2**13
"""Steps in which largest values are looked for together at least, where there are as many."""

MARGIN = 0.25
"""Part of their range in a step by which values at states between its ends may be off that only the ends tell."""

QUINTIC = np.array(
    [
        [1, 0, 0, -10, 15, -6],
        [0, 1, 0, -6, 8, -3],
        [0, 0, 0.5, -1.5, 1.5, -0.5],
        [0, 0, 0, 0.5, -1, 0.5],
        [0, 0, 0, -4, 7, -3],
        [0, 0, 0, 10, -15, 6],
    ]
)
"""Hermite's polynomials on [0, 1], coefficients of powers: of value, slope, bend at 0, and of bend, slope, value at 1."""


def values_of(wanted: Kept, value: Pointwise | None, motions: Motions, lanes: Lanes) -> np.ndarray:
    """What is kept of each member, shape (members, …); `value` is that of its expression."""
    if isinstance(wanted, FirstTime):
        return np.array([_first(motions, k, wanted.event.name) for k in range(len(motions))])
    found = np.full((len(motions), *_shape(wanted)), np.nan)
    ends = isinstance(wanted, Final) and of_state(wanted.array)
    alone = [k for k in motions.courses if not (ends and k in motions.driven)]
    own = np.delete(np.arange(len(motions)), alone)
    if len(own):
        assert value is not None
        match wanted:
            case Extreme():
                found[own] = _extremes(value, motions, lanes, own, wanted.sign)
            case Integral():
                found[own] = _integrals(value, motions, lanes, own, over_time=wanted.mean)
            case AtTimes():
                found[own] = _at_times(value, motions, lanes, own, wanted.times)
            case Final():
                parameters = motions.starts.parameters[own]
                found[own] = value(np.concatenate([motions.t[own, None], motions.y[own], parameters], axis=1))
    for k in alone:
        course = motions.courses[k]
        if course.segments[0].program is not None:
            found[k] = _of_course(wanted, course)
    return found


def of_state(e: np.ndarray) -> bool:
    """Whether expressions follow from time, state and parameters alone, wherever the motion has come from."""
    solved = any(leaf.order >= 2 or leaf.kind == "multiplier" for leaf in symbols(e))
    return not solved and not switches(e.ravel())


def _shape(wanted: Kept) -> tuple[int, ...]:
    lead = (len(wanted.times),) if isinstance(wanted, AtTimes) else ()
    return (*lead, *wanted.array.shape)


def _first(motions: Motions, k: int, name: str) -> float:
    return next((event.t for event in motions.happened(k) if event.name == name), np.nan)


class _Steps(NamedTuple):
    """Steps of some members, from (t0, y0) to (t1, y1), with their parameters; `of` is the member of each."""

    t0: np.ndarray
    y0: np.ndarray
    t1: np.ndarray
    y1: np.ndarray
    parameters: np.ndarray
    of: np.ndarray

    @classmethod
    def all(cls, motions: Motions, own: np.ndarray) -> _Steps:
        """All of them, one member after the other."""
        starts, rows = motions.starts, [motions.steps_of(k) for k in own.tolist()]
        of = np.repeat(np.arange(len(own)), [len(part) for part in rows])
        t1, y1 = (np.concatenate([part[:, columns] for part in rows]) for columns in (0, slice(3, None)))
        t0, y0 = (np.concatenate([x[:1], x[:-1]]) for x in (t1, y1))
        first = np.flatnonzero(np.diff(of, prepend=-1))
        t0[first], y0[first] = starts.t[own], starts.y[own]
        return cls(t0, y0, t1, y1, starts.parameters[own[of]], of)

    def some(self, which: np.ndarray) -> _Steps:
        return _Steps(*[x[which] for x in self])

    def inside(self, lanes: Lanes) -> Inside:
        return Inside(lanes, *self[:5])

    def along(self, lanes: Lanes, value: Pointwise, members: int, sign: int = 1) -> Along:
        """What is kept, with a sign, and the arguments of its operations, inside these steps."""
        inside = self.inside(lanes)

        def look(which: np.ndarray, places: np.ndarray) -> np.ndarray:
            inputs = inside.inputs(which, places)
            found = value.with_arguments(inputs.reshape(-1, inputs.shape[2])).reshape(*places.T.shape, -1)
            if sign < 0:
                found[..., : value.functions] *= -1.0
            return found.swapaxes(0, 1)

        return Along(look, value.kinds, inside.h, self.of, members)

    def approximation(self, lanes: Lanes, value: Pointwise) -> np.ndarray:
        """What is kept, and its arguments, at the nodes of every step of whole members, shape (numbers, 9, steps): by
        quintics, from positions, rates and accelerations at both ends."""
        n, count, width = self.y0.shape[1] // 2, len(self.of), value.lanes
        t0, h, y0, y1, parameters = (
            in_lanes(x, width)
            for x in (self.t0[:, None], (self.t1 - self.t0)[:, None], self.y0, self.y1, self.parameters)
        )
        inputs = np.zeros((len(NODES), len(h), 1 + 2 * n + parameters.shape[1], width))
        inputs[:, :, :1], inputs[:, :, 1 + 2 * n :] = t0 + h * NODES[:, None, None, None], parameters
        inputs[0, :, 1 : 1 + 2 * n], inputs[-1, :, 1 : 1 + 2 * n] = y0, y1
        if len(own := value.coordinates):
            first = np.flatnonzero(np.diff(self.of, prepend=-1))
            after = lanes.slopes(self.t1, self.y1, self.parameters)[0][:, n + own]
            before = np.concatenate([after[:1], after[:-1]])
            before[first] = lanes.slopes(self.t0[first], self.y0[first], self.parameters[first])[0][:, n + own]
            ends = [y0[:, own], h * y0[:, n + own], h**2 * in_lanes(before, width)]
            ends = np.stack([*ends, h**2 * in_lanes(after, width), h * y1[:, n + own], y1[:, own]]).reshape(6, -1)
            inner, shape = NODES[1:-1, None], (len(NODES) - 2, len(h), len(own), width)
            q, v = (slice(1, 1 + n), slice(1 + n, 1 + 2 * n)) if len(own) == n else (1 + own, 1 + n + own)
            inputs[1:-1, :, q] = (inner ** np.arange(6) @ QUINTIC.T @ ends).reshape(shape)
            slopes = (np.arange(1, 6) * inner ** np.arange(5)) @ QUINTIC[:, 1:].T @ ends
            inputs[1:-1, :, v] = slopes.reshape(shape) / h
        found = value.in_lanes(inputs.reshape(-1, *inputs.shape[2:])).reshape(len(NODES), len(h), -1, width)
        return found.transpose(2, 0, 1, 3).reshape(-1, len(NODES), len(h) * width)[:, :, :count]


def _parts(motions: Motions, own: np.ndarray, together: int = TOGETHER) -> Iterator[tuple[slice, np.ndarray]]:
    """Members one after the other, so many at a time as have few steps: which of them, and their numbers."""
    most = max(1, together // (len(NODES) * (motions.y.shape[1] + motions.starts.parameters.shape[1] + 1)))
    part = (np.cumsum(motions.steps[own]) - 1) // most
    for begin in np.flatnonzero(np.diff(part, prepend=-1)):
        some = slice(begin, int(np.searchsorted(part, part[begin], side="right")))
        yield some, own[some]


def _extremes(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, sign: int) -> np.ndarray:
    """Largest values, as in `analysis.maximum`, in those steps that may have them as far as their ends tell."""
    rtol, best, found, begin = motions.settings.rtol, np.full(len(own), -np.inf), list[_Steps](), 0
    for some, members in _parts(motions, own, APPROXIMATED * TOGETHER):
        steps = _Steps.all(motions, members)
        nodes = steps.approximation(lanes, value)
        nodes[0] *= sign
        np.maximum.at(best[some], steps.of, np.maximum(nodes[0, 0], nodes[0, -1]))
        chosen = steps.some(candidates(value.kinds, steps.of, len(members), nodes, rtol, margin=MARGIN))
        found.append(chosen._replace(of=chosen.of + some.start - begin))
        if some.stop == len(own) or sum(len(steps.of) for steps in found) > CHOSEN:
            steps = _Steps(*[np.concatenate(x) for x in zip(*found, strict=True)])
            along = steps.along(lanes, value, some.stop - begin, sign)
            best[begin : some.stop] = np.maximum(best[begin : some.stop], largest(along, rtol).value)
            found, begin = [], some.stop
    return sign * best


def _integrals(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, *, over_time: bool) -> np.ndarray:
    """Integrals or means, as in `analysis.integral`."""
    total = np.empty((len(own), value.functions))
    for some, members in _parts(motions, own):
        total[some] = integrals(_Steps.all(motions, members).along(lanes, value, len(members)), motions.settings.rtol)
    if over_time:
        total /= (motions.t - motions.starts.t)[own, None]
    return total.reshape(len(own), *value.expression.shape)


def _at_times(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, times: np.ndarray) -> np.ndarray:
    steps = _Steps.all(motions, own)
    counts = np.bincount(steps.of, minlength=len(own))
    sign = 1.0 if motions.until >= motions.starts.t[own[0]] else -1.0
    chosen, places, asked = [], [], []
    for k, (first, count) in enumerate(zip(np.cumsum(counts) - counts, counts, strict=True)):
        ends = steps.t1[first : first + count]
        begin = steps.t0[first]
        covered = np.flatnonzero((sign * times >= sign * begin) & (sign * times <= sign * ends[-1]))
        step = first + np.searchsorted(sign * ends, sign * times[covered])
        chosen.append(step)
        places.append((times[covered] - steps.t0[step]) / (steps.t1[step] - steps.t0[step]))
        asked.append(k * len(times) + covered)
    which, θ, where = np.concatenate(chosen), np.concatenate(places), np.concatenate(asked)
    steps_, back = np.unique(which, return_inverse=True)
    found = value(steps.some(steps_).inside(lanes).inputs(back, θ[:, None])[0])
    result = np.full((len(own) * len(times), *found.shape[1:]), np.nan)
    result[where] = found
    return result.reshape(len(own), len(times), *found.shape[1:])


def _of_course(wanted: Kept, course: Course) -> np.ndarray | float:
    """What is kept of one motion that was not in a lane to its end."""
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
        return (mean if wanted.mean else integral)(course, wanted.array)
    last = course.segments[-1]
    return last.at(last.t[-1:])[wanted.array][0]
