"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.analysis.panels import (
    NARROW,
    NARROWEST,
    NODES,
    NOISE,
    NOISY,
    STALLS,
    Along,
    Shape,
    divided,
    hidden,
    tops_of,
    whole,
)
from zeromass.analysis.steep import NONE, steep
from zeromass.analysis.stepwise import Approximation, Stepwise, approximation
from zeromass.equation.arrays import single_thread
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import given_course
from zeromass.integrate.search import Values, tops
from zeromass.model import ModelError
from zeromass.model.given import given_scalar

RISE = 4.0
"""How many times the drop from the largest of its values to those beside it a function may rise above it: one through three
places as those in a step rises by at most 0.9 times as much."""

SHAPE = 1e-3
"""Part of its range by which the polynomial of a panel may be off, for its top to tell where that of the function is."""

TOGETHER = 64
"""Panels of a motion that are looked at even where they may exceed what is known by less than half the tolerance."""

BLOCK = 2**12
"""Steps whose bounds are found together: what stays near the processor."""

PLATEAU = 128
"""Panels of a motion in which its largest value is looked for at most: those with the largest bounds, and with the largest
values."""


class Extremum(NamedTuple):
    """Extreme value of a run, and its time, s.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> lowest, when = run.minimum(x)
    >>> round(lowest, 9), bool(np.isclose(when, np.pi))
    (-1.0, True)
    """

    value: float
    time: float


@single_thread
def maximum(run: Course, expression: Expression, known: Approximation | None = None) -> Extremum:
    """The largest value of an expression along a run, between its steps too.

    known  the expression at the nodes of all steps, where it is known

    Steps are divided until a polynomial through nine values follows the expression, and until nothing can be hidden between
    them; see `largest`. The value is then that of the expression at the top, to rounding. Of a long run only steps are
    looked at in which the maximum may be, see `candidates`; of more than 64 peaks that are as high, to half the tolerance
    rtol |value|, not all.

    At a time when rates jump, the states before and after the jump both count.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import maximum
    >>> round(maximum(run, x**2 - x).value, 9)
    2.0
    """
    if not isinstance(expression, Expression) and (shape := expressions(expression).shape):
        raise ModelError(f"a maximum is that of one expression, not of an array of shape {shape}")
    if all(len(segment.t) < 2 for segment in given_course(run).segments):
        return Extremum(float(run[expression][0]), float(run.t[0]))
    e, rtol = expressions(expression).item(), run.settings.rtol
    steps = Stepwise(run, [e], steep([e]) if known is None else NONE)
    known = approximation(run, [e, *steps.steep.arguments]) if known is None else known
    along, some = steps.along, None
    if known is not None:
        some = candidates(along.kinds, along.motion, 1, known.nodes, rtol, off=known.off)
    (value,), (step,), (place,) = largest(along, rtol, some)
    time = steps.times(np.array([step]), np.array([[place]])).item()
    return Extremum(steps.exact(value, time), time)


def minimum(run: Course, expression: Expression) -> Extremum:
    """The smallest value of an expression along a run, between its steps too; see `maximum`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import minimum
    >>> round(minimum(run, x).value, 9)
    -1.0
    """
    value, time = maximum(run, -given_scalar(expression, "what a minimum is of"))
    return Extremum(-value, time)


class Extremes(NamedTuple):
    """The largest value of each motion, with its step and its place there, shapes (motions,)."""

    value: np.ndarray
    step: np.ndarray
    place: np.ndarray


def largest(along: Along, rtol: float, steps: np.ndarray | None = None) -> Extremes:
    """Largest values of one function, which stands first among what `along` looks at, in some steps or in all.

    Panels are divided until polynomials follow the function wherever it may be largest; there it is narrowed, see `tops`.
    """
    panels, motions, most = whole(along, steps), along.motions, along.most
    best = Extremes(np.full(motions, -np.inf), np.zeros(motions, dtype=np.int64), np.zeros(motions))
    guess, number = best.value.copy(), np.zeros(motions, dtype=np.int64)
    kept: list[tuple[np.ndarray, ...]] = []
    while True:
        motion, e = along.motion[panels.step], panels.nodes[0]
        with np.errstate(all="ignore"):
            shape = Shape(panels.nodes)
            seen = hidden(shape, along.kinds, panels.noise)
            (top, rival), off, range_ = tops_of(shape.c[0]), shape.interpolation[0], np.ptp(e, axis=0)
        off, size, rounding = np.where(seen.near, off + range_, off), shape.size[0], NOISY * panels.noise[0]
        there = e.argmax(axis=0)  # what is no number, if there is one
        highest = e[there, np.arange(len(there))]
        places = np.minimum(panels.low + panels.width * NODES[there], 1.0)
        _note(best, motion, highest, panels.step, places)
        gained = (off <= 0.75 * panels.error) | seen.near | seen.blind
        stalls = np.where(gained, 0, panels.stalls + 1)
        noisy = ((stalls >= STALLS) & (off <= NOISE * size)) | (off < rounding)
        followed = ((off <= np.maximum(SHAPE * range_, 0.5 * rtol * size)) & (rival <= 0.5 * rtol * size)) | noisy
        followed &= ~seen.blind & ~seen.near
        sure = np.where(followed, np.fmax(highest, top - 2 * off), highest)
        np.fmax.at(guess, motion, sure)
        number += np.bincount(motion, minlength=motions)
        blind = seen.blind | (seen.near & (panels.width > NARROW)) | ~np.isfinite(off)
        with np.errstate(invalid="ignore"):  # where values are infinite
            rise = np.where(followed, off, RISE * (off + highest - _beside(e, there))) + rival
            bound = np.where(blind, np.inf, np.maximum(top, highest) + rise)
        likely = _likely(bound, sure, motion, guess, 0.5 * rtol) & np.isfinite(best.value[motion])
        done = likely & (followed | (panels.width <= NARROWEST) | (number > most)[motion])
        kept.append(
            tuple(x[done & ~(range_ <= rounding)] for x in (panels.step, panels.low, panels.width, bound, sure))
        )
        which = np.flatnonzero(likely & ~done)
        if not len(which):
            break
        number -= np.bincount(motion[which], minlength=motions)
        panels = divided(along, panels.some(which), seen.some(which), off[which], stalls[which])
    step, low, width, bound, sure = (np.concatenate(x) for x in zip(*kept, strict=True))
    motion = along.motion[step]
    high = np.flatnonzero(_likely(bound, sure, motion, guess, 0.5 * rtol) & np.isfinite(best.value[motion]))
    if len(high) > PLATEAU * motions:  # a function that is constant but for rounding is highest everywhere
        high = high[np.minimum(*[_rank(x[high], motion[high]) for x in (bound, sure)]) < PLATEAU]
    if len(high):
        step, low, width = step[high], low[high], width[high]

        def of(some: np.ndarray) -> Values:
            return lambda θ: along.look(step[some], θ.reshape(len(some), -1))[:, :, 0].ravel()

        places, peaks = tops(of(np.arange(len(step))), low, np.minimum(low + width, 1.0), of)
        _note(best, motion[high], peaks, step, places, ties=True)
    return best


def candidates(
    kinds: np.ndarray,
    motion: np.ndarray,
    motions: int,
    nodes: np.ndarray,
    rtol: float,
    *,
    off: float = 0.0,
    margin: float = 0.0,
) -> np.ndarray:
    """Steps that may have the largest value of their motion, from approximate values at the nodes of all steps.

    kinds   of arguments, see `steep`
    motion  which each step is of
    motions how many there are
    nodes   values of the function and of arguments, shape (1 + arguments, 9, steps)
    off     what values may be off by, relative to their size
    margin  the same of values inside a step, as part of their change there; values at its ends are exact then
    """
    e, guess = nodes[0], np.full(motions, -np.inf)
    np.fmax.at(guess, motion, np.fmax(e[0], e[-1]) if margin else e.max(axis=0))
    least = guess[motion]
    blocks = [slice(k, k + BLOCK) for k in range(0, len(motion), BLOCK)]
    bound = np.concatenate([bounds(nodes[:, :, some], kinds, least[some], off, margin) for some in blocks])
    likely = _likely(bound, bound, motion, guess, max(0.5 * rtol, 2 * off), TOGETHER)
    return np.flatnonzero(likely | (bound == np.inf))


def bounds(
    nodes: np.ndarray, kinds: np.ndarray, least: np.ndarray, off: float = 0.0, margin: float = 0.0
) -> np.ndarray:
    """Bounds of a function in each step from approximate values at its nodes, see `candidates`: shape (steps,).

    Infinite where something may be hidden, −∞ where the function is less than `least`.
    """
    e = nodes[0]
    with np.errstate(all="ignore"):
        there = e.argmax(axis=0)
        highest = e[there, np.arange(len(there))]
        lowest, drop = e.min(axis=0), highest - _beside(e, there)
        blur = off * np.maximum(highest, -lowest) + margin * (highest - lowest)
        bound = np.full(len(there), -np.inf)
        some = ~(highest + RISE * drop + blur < least)
        if len(kinds):
            seen = hidden(Shape(nodes), kinds)
            bound[seen.blind | seen.near] = np.inf
            some &= bound < np.inf
        some = np.flatnonzero(some)
        shape = Shape(nodes[:1, :, some])
        error, highest = shape.interpolation[0], highest[some]
        followed = error <= SHAPE * np.ptp(e[:, some], axis=0)
        rise, c = np.where(followed, error, RISE * (error + drop[some])) + blur[some], shape.c[0]
        near = np.flatnonzero(~(c[0] + np.abs(c[1:]).sum(axis=0) + rise < least[some]))  # |Pⱼ| ≤ 1
        top, rival = tops_of(c[:, near])
        some, top = some[near], np.maximum(top, highest[near]) + rise[near] + rival
        bound[some] = np.where(top < least[some], -np.inf, np.where(np.isnan(top), np.inf, top))
    return bound


def _beside(e: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The smaller of the values beside some of them, of values (nodes, k)."""
    each = np.arange(len(there))
    return np.minimum(e[np.maximum(there - 1, 0), each], e[np.minimum(there + 1, len(e) - 1), each])


def _rank(worth: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """How many panels of the same motion are worth more."""
    order = np.lexsort((-worth, motion))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(motion[order], motion[order])
    return rank


def _likely(
    bound: np.ndarray, sure: np.ndarray, motion: np.ndarray, guess: np.ndarray, tolerance: float, first: int = 1
) -> np.ndarray:
    """Panels that may have a larger value than the guess of their motion; where there are many, to a relative tolerance.

    The first with the largest bounds and those with the largest values are always among them.
    """
    aim = guess[motion]
    with np.errstate(invalid="ignore"):
        size = tolerance * np.abs(aim)
        found, high = bound > aim, bound >= aim - size
        many = np.bincount(motion[found], minlength=len(guess)) > TOGETHER
        if many.any():
            found &= ~many[motion] | (bound > aim + size)
    some = np.flatnonzero(high & ~found)
    for rank in (bound, sure) if len(some) else ():
        found[some] |= _rank(rank, motion)[some] < first
    return found


def _note(
    best: Extremes, motion: np.ndarray, values: np.ndarray, step: np.ndarray, place: np.ndarray, *, ties: bool = False
) -> None:
    """Takes values that are larger than the largest so far, or are no numbers; with `ties`, as large ones too."""
    before = best.value.copy()
    with np.errstate(invalid="ignore"):
        np.maximum.at(best.value, motion, values)  # hands on what is no number
        new = ties | ((best.value != before) & ~(np.isnan(best.value) & np.isnan(before)))
    mine = np.flatnonzero(new[motion] & ((values == best.value[motion]) | np.isnan(values)))[::-1]  # the first counts
    best.step[motion[mine]], best.place[motion[mine]] = step[mine], place[mine]
