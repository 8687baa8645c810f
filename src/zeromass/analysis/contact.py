"""The contact of a rolling body along a run: the friction that it needs, and where the surface would have to pull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zeromass.integrate import Trajectory
from zeromass.model import ModelError
from zeromass.rolling import Rolling

PARTS = 8
"""Parts into which a bracket of an extremum is divided; a round then keeps the two around the best point."""

ROUNDS = 6
"""Rounds of narrowing, each by PARTS/2. A parabola through the last three points gives the rest: closer points would
tell the time of a maximum less well, since their values differ by little more than rounding."""

Values = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class RequiredFriction:
    """The coefficient of friction that rolling needs: the largest |F_t|/F_n of a run, and its time, s.

    Where the surface has to pull, no coefficient is enough: the value is infinite, at the time when the pull begins.
    """

    value: float
    time: float

    def __str__(self) -> str:
        if np.isinf(self.value):
            return f"no friction is enough: the surface has to pull at t = {self.time:.6g} s"
        return f"μ = {self.value:.6g}, needed at t = {self.time:.6g} s"


@dataclass(frozen=True)
class Interval:
    """A part of a run, s."""

    begin: float
    end: float


def required_friction(run: Trajectory) -> RequiredFriction:
    """The largest friction ratio of a run, between its steps too.

    Every largest value among the steps that may hide the maximum beside it is followed on the dense output: for a
    smooth function the hidden part is at most a quarter of the drop to the farther neighbour, and four times as much
    is allowed for.
    """
    rolling = _rolling(run)
    pulling = pulling_intervals(run)
    lost = [event.t for event in run.events if event.name == "contact lost"]
    if pulling or lost:
        return RequiredFriction(float("inf"), min([interval.begin for interval in pulling] + lost))
    t, ratio = _ordered(run.t, run[rolling.friction_ratio])
    reach = _reach(ratio)
    candidates = np.flatnonzero(ratio + reach >= ratio.max())
    times, values = _maxima(lambda at: run.at(at)[rolling.friction_ratio], t, candidates)
    times, values = np.append(times, t[np.argmax(ratio)]), np.append(values, ratio.max())
    best = int(np.argmax(values))
    return RequiredFriction(float(values[best]), float(times[best]))


def pulling_intervals(run: Trajectory) -> tuple[Interval, ...]:
    """The parts of a run in which the normal force is negative, in order of time.

    Their ends are zeros of the normal force on the dense output. Visits to the other sign between two steps are looked
    for where the steps allow for one, as in `required_friction`.
    """
    rolling = _rolling(run)
    force = run[rolling.normal_force]
    if any(event.name == "contact lost" and event.t == run.t[-1] for event in run.events):
        force[-1] = 0.0  # the run was cut there, up to rounding
    t, force = _ordered(run.t, force)

    def normal(at: np.ndarray) -> np.ndarray:
        return run.at(at)[rolling.normal_force]

    for sign in (1.0, -1.0):
        hidden = np.flatnonzero((sign * force < 0) & (sign * force + _reach(sign * force) > 0))
        times, values = _maxima(lambda at, sign=sign: sign * normal(at), t, hidden)
        t, places = np.unique(np.append(t, times), return_index=True)
        force = np.append(force, sign * values)[places]
    negative = force < 0
    changes = np.flatnonzero(negative[1:] != negative[:-1])
    zeros = _zeros(normal, t[changes], t[changes + 1], force[changes], force[changes + 1])
    ends = [*([t[0]] if negative[0] else []), *zeros, *([t[-1]] if negative[-1] else [])]
    return tuple(Interval(float(a), float(b)) for a, b in zip(ends[::2], ends[1::2], strict=True))


def _rolling(run: Trajectory) -> Rolling:
    if not isinstance(run.system, Rolling):
        raise ModelError("friction and pull belong to a rolling body: the run's system is no zm.Rolling")
    return run.system


def _ordered(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Samples in order of time, for runs backwards too."""
    return (t, values) if t[-1] >= t[0] else (t[::-1], values[::-1])


def _reach(values: np.ndarray) -> np.ndarray:
    """How far a function may rise above each local maximum of its samples: the larger drop to its neighbours.

    Elsewhere −∞: the rise is counted at the neighbour.
    """
    padded = np.concatenate([values[1:2], values, values[-2:-1]])
    drops = values - padded[:-2], values - padded[2:]
    return np.where(np.minimum(*drops) >= 0, np.maximum(*drops), -np.inf)


def _maxima(f: Values, t: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the maxima between the neighbours of some samples, all of them narrowed at once."""
    if not len(candidates):
        return np.empty(0), np.empty(0)
    each = np.arange(len(candidates))

    def divided(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.linspace(low, high, PARTS + 1, axis=1)
        values = f(points.ravel()).reshape(points.shape)
        return points, values, np.clip(np.argmax(values, axis=1), 1, PARTS - 1)

    points, values, middle = divided(t[np.maximum(candidates - 1, 0)], t[np.minimum(candidates + 1, len(t) - 1)])
    for _ in range(ROUNDS - 1):
        points, values, middle = divided(points[each, middle - 1], points[each, middle + 1])
    best = points[each, np.argmax(values, axis=1)]
    a, b, c = (values[each, middle + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    shift = np.divide(a - c, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    vertex = points[each, middle] + np.clip(shift, -1, 1) * (points[each, middle + 1] - points[each, middle])
    top = f(vertex)
    known = values.max(axis=1)
    rounding = 4 * np.finfo(float).eps * np.abs(known)
    return np.where(top >= known - rounding, vertex, best), np.maximum(top, known)


def _zeros(f: Values, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray) -> np.ndarray:
    """Zeros of a function in brackets whose ends differ in sign, all at once, by regula falsi [Illinois].

    A bracket is done when its end no longer moves.
    """
    a, b, fa, fb = (np.array(x) for x in (a, b, fa, fb))
    x = b.copy()
    open_ = np.ones(len(a), dtype=bool)
    while np.any(open_):
        A, B, FA, FB = a[open_], b[open_], fa[open_], fb[open_]
        new = np.where(FB == FA, B, B - FB * (B - A) / (FB - FA))
        value = f(new)
        crosses = (value < 0) != (FB < 0)
        a[open_], fa[open_] = np.where(crosses, B, A), np.where(crosses, FB, FA / 2)
        b[open_], fb[open_] = new, value
        moved = np.abs(new - x[open_]) > 4 * np.finfo(float).eps * np.maximum(1.0, np.abs(new))
        x[open_] = new
        open_[open_] = moved & (value != 0)
    return x
