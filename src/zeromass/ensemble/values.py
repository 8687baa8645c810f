"""The values of what a study keeps, for all members of a chunk at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zeromass.analysis import integral, maximum, mean, minimum
from zeromass.analysis.panels import Along, Brackets, brackets, candidates, integrals, whole
from zeromass.analysis.peaking import NODES
from zeromass.ensemble.dense import Inside
from zeromass.ensemble.keep import AtTimes, Extreme, Final, FirstTime, Integral, Kept
from zeromass.ensemble.lanes import Lanes
from zeromass.ensemble.motions import Motions
from zeromass.ensemble.pointwise import Pointwise
from zeromass.expression import symbols
from zeromass.expression.pieces import switches
from zeromass.integrate import Course
from zeromass.integrate.search import Values, tops

TOGETHER = 2**17
"""Numbers at nodes of steps that are in memory at once: what stays near the processor. Those of one member stay together."""


ROUGHLY = 8
"""Times as many of which ends alone are looked at: few steps are left."""

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

    def inside(self, lanes: Lanes, which: np.ndarray | slice) -> Inside:
        return Inside(lanes, *[x[which] for x in (self.t0, self.y0, self.t1, self.y1, self.parameters)])

    def roughly(self, lanes: Lanes, nodes: np.ndarray, used: np.ndarray) -> np.ndarray:
        """Numbers of `system.inputs` at places from 0 to 1 of every step, one step after the other: by quintics, from
        positions, rates and accelerations at both ends; inside a step only coordinates and rates that are used, by their
        numbers, have values."""
        n, count, first = self.y0.shape[1] // 2, len(self.t0), self.first
        inputs = np.zeros((count, len(nodes), 1 + 2 * n + self.parameters.shape[1]))
        h = (self.t1 - self.t0)[:, None]
        inputs[:, :, 0] = self.t0[:, None] + h * nodes
        inputs[:, :, 1 + 2 * n :] = self.parameters[:, None]
        inputs[:, 0, 1 : 1 + 2 * n], inputs[:, -1, 1 : 1 + 2 * n] = self.y0, self.y1
        if not len(used):
            return inputs.reshape(count * len(nodes), -1)
        after = lanes.slopes(self.t1, self.y1, self.parameters)[0][:, n:]
        before = np.concatenate([after[:1], after[:-1]])
        before[first] = lanes.slopes(self.t0[first], self.y0[first], self.parameters[first])[0][:, n:]
        powers = nodes[1:-1, None] ** np.arange(6)
        slopes = powers[:, :-1] * np.arange(1, 6)
        for own, weights, unit in (
            (used[used < n], powers @ QUINTIC.T, 1.0),
            (used[used >= n] - n, slopes @ QUINTIC[:, 1:].T, h[:, :, None]),
        ):
            (q0, v0), (q1, v1) = ((y[:, own], h * y[:, n + own]) for y in (self.y0, self.y1))
            ends = np.stack([q0, v0, h**2 * before[:, own], h**2 * after[:, own], v1, q1], axis=1)
            inputs[:, 1:-1, 1 + own + (n if np.ndim(unit) else 0)] = weights @ ends / unit
        return inputs.reshape(count * len(nodes), -1)


def _parts(motions: Motions, own: np.ndarray, together: int = TOGETHER) -> Iterator[tuple[slice, np.ndarray]]:
    """Members one after the other, so many at a time as have few steps: which of them, and their numbers."""
    most = max(1, together // (len(NODES) * (motions.y.shape[1] + motions.starts.parameters.shape[1] + 1)))
    part = (np.cumsum(motions.steps[own]) - 1) // most
    for begin in np.flatnonzero(np.diff(part, prepend=-1)):
        some = slice(begin, int(np.searchsorted(part, part[begin], side="right")))
        yield some, own[some]


class _Functions:
    """What is kept, and the arguments of its operations, from numbers of `system.inputs`; with a sign."""

    def __init__(self, value: Pointwise, sign: int = 1) -> None:
        self._value, self._sign = value, sign

    def __call__(self, inputs: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        found = self._value.with_arguments(inputs).reshape(*shape, -1)
        if self._sign < 0:
            found[..., : self._value.functions] *= -1.0
        return found

    def along(self, inside: Inside, motion: np.ndarray, count: int) -> Along:
        """The same inside steps."""

        def look(which: np.ndarray, places: np.ndarray) -> np.ndarray:
            return self(inside.inputs(np.repeat(which, places.shape[1]), places.ravel()), places.shape)

        return Along(look, self._value.kinds, inside.h, motion, count)


def _extremes(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, sign: int) -> np.ndarray:
    """Largest values, as in `analysis.maximum`, in those steps that may have them as far as their ends tell."""
    rtol, best, functions = motions.settings.rtol, np.full(len(own), -np.inf), _Functions(value, sign)
    for some, members in _parts(motions, own, ROUGHLY * TOGETHER):
        steps = _Steps(motions, members)
        nodes = functions(steps.roughly(lanes, NODES, value.states), (len(steps.t0), len(NODES)))
        for end in (0, -1):
            np.maximum.at(best[some], steps.of, nodes[:, end, 0])
        chosen = np.flatnonzero(candidates(nodes, value.kinds, steps.of, len(members)))
        inside = steps.inside(lanes, chosen)
        along = functions.along(inside, steps.of[chosen], len(members))
        nodes = functions(inside.at_nodes(NODES, steps.y1[chosen]), (len(chosen), len(NODES)))
        found = brackets(along, whole(np.arange(len(chosen)), nodes), rtol)
        np.maximum(best[some], found.best, out=best[some])
        if len(found.step):

            def of(which: np.ndarray, along: Along = along, found: Brackets = found) -> Values:
                return lambda θ: along.look(found.step[which], θ.reshape(len(which), -1))[:, :, 0].ravel()

            _, peaks = tops(of(np.arange(len(found.step))), found.low, found.high, of)
            np.maximum.at(best[some], along.motion[found.step], peaks)
    return sign * best


def _integrals(value: Pointwise, motions: Motions, lanes: Lanes, own: np.ndarray, *, over_time: bool) -> np.ndarray:
    """Integrals or means, as in `analysis.integral`."""
    total = np.empty((len(own), value.functions))
    functions = _Functions(value)
    for some, members in _parts(motions, own):
        steps = _Steps(motions, members)
        inside = steps.inside(lanes, slice(None))
        nodes = functions(inside.at_nodes(NODES, steps.y1), (len(steps.t0), len(NODES)))
        along = functions.along(inside, steps.of, len(members))
        total[some] = integrals(along, whole(np.arange(len(nodes)), nodes), motions.settings.rtol).value
    if over_time:
        total /= (motions.t - motions.starts.t)[own, None]
    return total.reshape(len(own), *value.expression.shape)


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
