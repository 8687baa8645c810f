"""Digits are earned: the relative error of a run's states, as each of four witnesses tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import pairwise

import numpy as np

from zeromass.integrate import Course, Sampled, Segment
from zeromass.integrate.segment import Samples
from zeromass.integrate.stepping.functions import Functions

SAFETY = 2.0
"""Times the difference of the two runs that the first is taken to be wrong: the second has an error too."""

UNRESOLVED = 100.0
"""Times atol, or the rounding of the largest number beside it, below which a coordinate has not left zero."""

NEAR = 1e-3
"""Part of a run before its end in which the second one may end too, or change its kind."""

ALIKE = 1e-6
"""Relative difference of the lengths of two steps that are meant to be the same: more than the rounding of times makes."""

LEAP = 1e-6
"""Part of all places by which one jumps at least: more than what brings a state onto its constraints."""

AT_ONCE = 2**18
"""Steps that are looked at together: what bounds the memory."""

WORDS = ("the difference of two runs", "the energy", "the constraints", "rounding")


@dataclass(frozen=True)
class Errors:
    """Relative error of a state by four estimates; the largest counts.

    runs         twice the difference from a run at tighter tolerance
    energy       half the imbalance of energy and work, at the steps and between them
    constraints  distance from the constraints, of positions and of rates
    rounding     ε √(Σ g²), over steps in whose pivots rounding grows g times, and what rounded times do

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> run.certificate().errors.constraints  # it has none
    0.0
    """

    runs: float
    energy: float
    constraints: float
    rounding: float

    @property
    def worst(self) -> float:
        """The largest of them, at least the rounding of one number; 1, no digit at all, where one is not a number."""
        found = np.array(astuple(self))
        return max(float(np.max(np.where(np.isnan(found), 1.0, found))), float(np.finfo(float).eps))

    @property
    def limited_by(self) -> str:
        """The witness that tells the worst, in words."""
        found = np.array(astuple(self))
        return WORDS[int(np.argmax(np.where(np.isnan(found), np.inf, found)))]


def sizes(y: np.ndarray, atol: float, seen: float = 1.0) -> np.ndarray:
    """Largest value of each coordinate and rate, (2n,); infinite for one that has not left zero, as far as numbers tell.

    Of a weight that hangs at rest the place counts, and not the rates, which are round-off. Where nothing has left zero the
    motion may be as small as that, or none: all is measured by a motion so many times larger as the energy would have
    `seen`, `Work.seen`.
    """
    size = np.abs(y).max(axis=0)
    n = len(size) // 2
    largest = np.repeat([size[:n].max(initial=0.0), size[n:].max(initial=0.0)], n)
    zero = UNRESOLVED * np.maximum(atol, np.finfo(float).eps * largest)
    left = size > zero
    if left.any():
        return np.where(left, size, np.inf)
    return np.maximum(seen * size, np.finfo(float).tiny)


def off_constraints(sampled: Sampled, size: np.ndarray) -> float:
    """Largest distance of a state from the constraints, of positions and of rates, relative to sizes (2n,).

    In a singular position itself, as at a start in one, they tell no distance: the states beside it do.
    """
    return max(_distance(part, size) for _, part in sampled.parts)


def _distance(samples: Samples, size: np.ndarray) -> float:
    off = (np.abs(_returned(samples) - samples.y) / size).max(axis=1)
    passed = np.isin(samples.t, [passage.t for passage in samples.segment.passages])
    return float(off[~(passed & np.isnan(off))].max(initial=0.0))


def _returned(samples: Samples) -> np.ndarray:
    """The states on the constraints nearest to those of a segment, whether or not its run returned to them."""
    segment: Segment = samples.segment
    return Functions(segment.solved.native, segment.values).projected(samples.t, samples.y)


def rounding(run: Course, sampled: Sampled, size: np.ndarray) -> float:
    """ε √(Σ g²) over the steps, g the growth in their pivots, and what rounded times do, relative to sizes (2n,).

    Each step rounds its state by itself, g times more where its pivots cancel. It also rounds the time at which it ends,
    by ε|t|/5 on average, and the state has then been reached too early or too late; steps of one length round it again
    and again to the same side.
    """
    squares = sum(float(np.square(np.maximum(g, 1.0)).sum()) for s in run.segments for g in _parts(s.growth))
    late = sum(_late(segment.t) for segment in run.segments)
    fastest = 0.0
    for _, part in sampled.parts:
        slope = np.concatenate([part.y[:, part.y.shape[1] // 2 :], part.acceleration], axis=1)
        fastest = max(fastest, float((np.abs(slope) / size).max()))
    return float(np.finfo(float).eps * (np.sqrt(squares) + late * fastest / 5))


def _late(t: np.ndarray) -> float:
    """Σ|t| over steps as long as the one before, and √(Σ t²) over the others, the first among them."""
    alike, squares = 0.0, float((t[1:2] ** 2).sum())
    for part in _parts(t, shared=2):
        h, times = np.diff(part), np.abs(part[2:])
        again = np.abs(np.diff(h)) <= ALIKE * np.abs(h[1:])
        alike, squares = alike + float(times[again].sum()), squares + float((times[~again] ** 2).sum())
    return alike + squares**0.5


def _parts(values: np.ndarray, shared: int = 0) -> Iterator[np.ndarray]:
    """Parts of a long array, each with the last few values of the one before: what is made of them takes little memory."""
    for k in range(0, max(len(values) - shared, 1), AT_ONCE):
        yield values[k : k + AT_ONCE + shared]


def between_jumps(run: Course, second: Course, times: np.ndarray) -> np.ndarray:
    """Which times lie between a impact of a run and the same impact of a second one, where their rates can not agree.

    The impacts are as far apart as the motions before them, which count. So are leaps of parts without mass.
    """
    within = np.zeros(len(times), dtype=bool)
    impacts = [[impulse.t for impulse in course.impulses] for course in (run, second)]
    for found in (impacts, [_leaps(run), _leaps(second)]):
        for low, high in map(sorted, zip(*found, strict=False)):
            within |= (times >= low) & (times <= high)
    return within


def _leaps(course: Course) -> list[float]:
    """Times at which places jump, as those of parts without mass may."""
    found = []
    for before, after in pairwise(course.segments):
        n = before.y.shape[1] // 2
        old, new = before.y[-1, :n], after.y[0, :n]
        if np.abs(new - old).max() > LEAP * np.abs(old).max():
            found.append(float(after.t[0]))
    return found


def ends_elsewhere(run: Course, second: Course) -> bool:
    """Whether a second run does not come to the end of a run."""
    return abs(run.t[-1] - second.t[-1]) > NEAR * abs(run.t[-1] - run.t[0])


def parting(run: Course, second: Course) -> str:
    """Where a second run goes another way, by name; nothing where it does the same."""
    if ends_elsewhere(run, second):
        return f"the run at tighter tolerance ends at another place or time, {second.outcome}"
    way, other = (_way(course, float(run.t[-1]), NEAR * abs(run.t[-1] - run.t[0])) for course in (run, second))
    for (kind, t), (its_kind, its_t) in zip(way, other, strict=False):
        if kind != its_kind:
            begins = f"the run is {kind} from t = {t:.6g} s on"
            return f"{begins}, the run at tighter tolerance {its_kind} from t = {its_t:.6g} s on"
    for name, longer, shorter in (("run", way, other), ("run at tighter tolerance", other, way)):
        for kind, t in longer[len(shorter) :]:
            return f"only the {name} goes on as {kind}, at t = {t:.6g} s"
    return ""


def _way(course: Course, end: float, near: float) -> list[tuple[str, float]]:
    """The kinds of motion and when each begins, but for those that begin just before the end, and bounces one by one."""
    first, *others = zip(course.modes, [float(course.t[0]), *course.changes], strict=True)
    way = [first, *[(kind, t) for kind, t in others if abs(end - t) > near]]
    struck = {impulse.t for impulse in course.impulses}
    return [way[0], *[after for before, after in pairwise(way) if after[0] != before[0] or after[1] not in struck]]
