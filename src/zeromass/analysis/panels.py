"""Functions of time along the steps of motions, resolved by subdivision: integrals and extreme values to a tolerance.

A panel is a step or a part of one, with the values of a function at nine nodes. The Legendre coefficients of the polynomial
through them tell whether it follows the function. The arguments of the function's operations (`steep`) tell whether
something may be hidden between the nodes. A panel that does not resolve the function is divided: where a switching
argument changes sign, or else in the middle.

Integrals are those of Radau's rule with eight nodes, of order 15.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.analysis.peaking import COEFFICIENTS, DOUBTED, NODES, PARTS, RISE
from zeromass.analysis.steep import FELT, Kind
from zeromass.integrate.legendre import legendre
from zeromass.integrate.search import EPSILON

GRID = np.array(legendre(np.arange(PARTS + 1) / PARTS, len(NODES))).T
"""Values of the polynomials at the ends of parts of a panel, from their coefficients."""

TURN = 8.0
"""By how much the argument of sin, exp and the like may change within a panel: nodes are less than 1.6 apart then."""

STEEPEST = 64.0
"""How many times larger than its smallest value the argument of a root or a quotient may be within a panel: a peak of 1/u
is then no narrower than the distance of its nodes."""

NARROW = 2.0**-20
"""Part of a step from which on a panel hides nothing even though an argument switches or vanishes in it."""

NARROWEST = 2.0**-50
"""Part of a step that is not divided any more."""

ROUNDING = 32 * EPSILON
"""Part of the largest value that a coefficient has from rounding."""

BESIDE = 1e-11
"""Part of a panel that is left between two others where a switch divides it."""

FOUND = 1e-12
"""Part of its size up to which a switching argument must be known for its zero to divide a panel."""

NEGLIGIBLE = 0.1
"""Part of the tolerance up to which the last coefficients of an integrand do not matter: states are not known better."""

STALLS, NOISE = 3, 1e-8
"""Divisions in a row that gain nothing, after which what is left is noise of the values; it is at most this part of them. A
narrow peak gains nothing either, until panels are as narrow as it is."""

SHAPE = 1e-3
"""Part of its range by which the polynomial of a panel may be off, for its top to tell where that of the function is."""

LEAST = 1e-6
"""Part of ∫|e| dt that an integral may be off by where noise or rounding limits it; beyond, it has no value."""

TOGETHER = 64
"""Panels of a motion that are looked at even where they may exceed what is known by less than half the tolerance."""

MARGIN = 0.25
"""Part of their range in a step by which values at states between its ends may be off that only the ends tell."""

PLATEAU = 128
"""Panels of a motion in which its largest value is looked for at most: those with the largest bounds, and with the largest
values."""

PER_STEP, MORE = 4, 2**16
"""Panels up to which the function of a motion is divided: so many a step, and so many more."""

Look = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Values of functions and of their steep arguments at places θ in [0, 1], shape (k, m), of steps (k,): shape
(k, m, functions + arguments)."""


class Along(NamedTuple):
    """Functions along the steps of some motions.

    look    gives their values
    kinds   of their arguments, see `steep`
    length  of each step, s, with its sign
    motion  which each step is of
    motions how many there are
    """

    look: Look
    kinds: np.ndarray
    length: np.ndarray
    motion: np.ndarray
    motions: int


class Panels(NamedTuple):
    """Parts [low, low + width] of steps, and values at their nodes, shape (k, 9, functions + arguments).

    error   that their parents had, for comparison
    stalls  how often in a row division has gained nothing
    """

    step: np.ndarray
    low: np.ndarray
    width: np.ndarray
    nodes: np.ndarray
    error: np.ndarray
    stalls: np.ndarray

    def some(self, which: np.ndarray) -> Panels:
        return Panels(*[x[which] for x in self])


def whole(steps: np.ndarray, nodes: np.ndarray) -> Panels:
    """Steps as panels."""
    count = len(steps)
    return Panels(
        steps, np.zeros(count), np.ones(count), nodes, np.full(count, np.inf), np.zeros(count, dtype=np.int64)
    )


class Shape:
    """What the nodes of panels tell of functions and arguments.

    c        Legendre coefficients, shape (k, 9, functions + arguments)
    size     largest absolute values at the nodes, shape (k, functions + arguments)
    tail     sums of the last two coefficients, as far as they are more than rounding: that part of the size
    decay    how many times smaller two coefficients are than the two before, at worst
    """

    def __init__(self, nodes: np.ndarray, rounding: float = ROUNDING) -> None:
        self.c: np.ndarray = np.matmul(COEFFICIENTS, nodes)
        self.size: np.ndarray = np.abs(nodes).max(axis=1)
        pairs = np.abs(self.c[:, 1:]).reshape(len(nodes), 4, 2, nodes.shape[2]).sum(axis=2)
        felt = pairs > rounding * self.size[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(felt[:, 1:], np.minimum(pairs[:, 1:] / pairs[:, :-1], 1.0), 0.0)
        self.decay: np.ndarray = ratios.max(axis=1)
        self.tail: np.ndarray = np.where(felt[:, -1], pairs[:, -1], 0.0)

    @property
    def interpolation(self) -> np.ndarray:
        """What the polynomials may be off by."""
        return DOUBTED * self.tail * self.decay

    @property
    def quadrature(self) -> np.ndarray:
        """What the mean by Radau's rule may be off by: it is exact for seven more coefficients than the polynomial has."""
        return 2 * DOUBTED * self.tail * self.decay**3


class Hidden(NamedTuple):
    """What panels may hide.

    blind  whether the function may change between the nodes by more than they show, on the scale of an operation
    near   whether an argument switches or vanishes in the panel
    cut    where the panel is to be divided, as part of it
    exact  whether that is the place of a switch
    """

    blind: np.ndarray
    near: np.ndarray
    cut: np.ndarray
    exact: np.ndarray


def hidden(shape: Shape, kinds: np.ndarray) -> Hidden:
    """What panels may hide, as the arguments say that stand last among what their shape is of."""
    count, first = len(shape.c), shape.c.shape[2] - len(kinds)
    blind, near, exact = (np.zeros(count, dtype=bool) for _ in range(3))
    cut = np.full(count, 0.5)
    for k, kind in enumerate(kinds.tolist(), first):
        c, size, off = shape.c[:, :, k], shape.size[:, k], shape.interpolation[:, k]
        reach = np.abs(c[:, 1:]).sum(axis=1) + off  # bounds the change about the mean
        if kind <= Kind.steps:
            some = np.flatnonzero(~(2 * reach <= TURN))
        elif kind == Kind.whole:
            some = np.flatnonzero(~(np.floor(c[:, 0] - reach) == np.floor(c[:, 0] + reach)))
        else:
            some = np.flatnonzero(~(reach < np.abs(c[:, 0]) * (1 - 2 / STEEPEST)))
        if not len(some):
            continue
        values = c[some] @ GRID.T
        low, high, off = -_tops(-values) - off[some], _tops(values) + off[some], off[some]
        lost = ~np.isfinite(low + high)
        if kind <= Kind.steps:
            blind[some] |= lost | (np.clip(high, *FELT[kind]) - np.clip(low, *FELT[kind]) > TURN)
        elif kind == Kind.zero:
            most = np.maximum(np.abs(low), np.abs(high))
            least = np.where(low * high <= 0, 0.0, np.minimum(np.abs(low), np.abs(high)))
            near[some] |= lost | ((least * STEEPEST < most) & (most > 0))
        else:
            tiny = 1e-9 * size[some]
            if kind == Kind.whole:
                level = np.ceil(low + tiny)
            else:
                level = np.zeros(len(some))
            crossed = lost | ((low < level - tiny) & (high > level + tiny))
            near[some] |= crossed
            sure = np.flatnonzero(crossed & (off <= FOUND * size[some]) & ~exact[some])
            if len(sure):
                cut[some[sure]], exact[some[sure]] = _crossing(
                    c[some[sure]], values[sure] - level[sure, None], level[sure]
                )
    return Hidden(blind, near, cut, exact)


def _crossing(c: np.ndarray, values: np.ndarray, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first place where polynomials cross a level, and whether there is one inside; `values` less it on the grid."""
    change = values[:, :-1] * values[:, 1:] <= 0
    first = change.argmax(axis=1)
    each = np.arange(len(c))
    a, b, fa = first / PARTS, (first + 1) / PARTS, values[each, first]
    for _ in range(60):
        middle = (a + b) / 2
        f = np.einsum("kj,jk->k", c, np.array(legendre(middle, c.shape[1]))) - level
        left = (f > 0) == (fa > 0)
        a, b, fa = np.where(left, middle, a), np.where(left, b, middle), np.where(left, f, fa)
    place = (a + b) / 2
    inside = change.any(axis=1) & (place > 2 * BESIDE) & (place < 1 - 2 * BESIDE)
    return np.where(inside, place, 0.5), inside


def _divided(along: Along, panels: Panels, where: Hidden, error: np.ndarray, stalls: np.ndarray) -> Panels:
    """Both parts of each panel, and what is between them where a switch divides it."""
    gap = np.where(where.exact, BESIDE, 0.0)
    left, right = where.cut - gap, where.cut + gap
    (between,) = np.nonzero(where.exact)
    one = np.arange(len(left))
    parent = np.concatenate([one, one, between])
    start = np.concatenate([np.zeros(len(left)), right, left[between]])
    part = np.concatenate([left, 1.0 - right, 2 * gap[between]])
    low, width = panels.low[parent] + panels.width[parent] * start, panels.width[parent] * part
    step = panels.step[parent]
    places = np.minimum(low[:, None] + width[:, None] * NODES, 1.0)
    nodes = along.look(step, places)
    return Panels(step, low, width, nodes, error[parent], stalls[parent])


class Integrals(NamedTuple):
    """∫ e dt of each motion, shape (motions, functions), and what it may be off by; not a number where it can not be
    resolved."""

    value: np.ndarray
    error: np.ndarray


def integrals(along: Along, panels: Panels, rtol: float) -> Integrals:
    """Integrals of functions to rtol ∫|e| dt."""
    kinds, first = along.kinds, panels.nodes.shape[2] - len(along.kinds)
    shape = along.motions, first
    value, error, size = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    number = np.zeros(along.motions, dtype=np.int64)
    lost = np.zeros(along.motions, dtype=bool)
    most = PER_STEP * np.bincount(along.motion, minlength=along.motions) + MORE
    rtol = max(rtol, 2 * ROUNDING)
    while True:
        motion, weight = along.motion[panels.step], along.length[panels.step] * panels.width
        e = panels.nodes[:, :, :first]
        with np.errstate(all="ignore"):
            told, finite = Shape(panels.nodes, max(ROUNDING, NEGLIGIBLE * rtol)), np.isfinite(e).all(axis=(1, 2))
            seen = hidden(told, kinds)
            part, absolute = (
                told.c[:, 0, :first] * weight[:, None],
                np.abs(weight[:, None]) * (COEFFICIENTS[0] @ np.abs(e)),
            )
            off = told.quadrature[:, :first]
            off = np.where(seen.near[:, None], np.maximum(off, np.ptp(e, axis=1)), off) * np.abs(weight[:, None])
        off[~finite], absolute[~finite] = np.inf, 0.0
        narrowest = panels.width <= NARROWEST
        np.logical_or.at(lost, motion, (~np.isfinite(e)).all(axis=1).any(axis=-1) | (narrowest & ~finite))
        number += np.bincount(motion, minlength=along.motions)
        lost |= number > most
        total, doubt = size.copy(), error.copy()
        np.add.at(total, motion, absolute)
        np.add.at(doubt, motion, off)
        allowed = rtol * total
        must = seen.blind | (seen.near & (panels.width > NARROW)) | ~finite
        unsure = (off > 0.5 * (allowed / np.maximum(number, 1)[:, None])[motion]).any(axis=1)
        fine = np.asarray((doubt <= allowed).all(axis=1))[motion]
        gained = (off.sum(axis=1) <= 0.4 * panels.error) | must | seen.near
        stalls = np.where(gained, 0, panels.stalls + 1)
        noisy = (stalls >= STALLS) & (off <= NOISE * absolute).all(axis=1)
        open_ = (must | (unsure & ~fine & ~noisy)) & ~narrowest & ~lost[motion]
        done = ~open_ & ~lost[motion]
        for whole_, some in ((value, part), (error, off), (size, absolute)):
            np.add.at(whole_, motion[done], some[done])
        which = np.flatnonzero(open_)
        if not len(which):
            break
        np.subtract.at(number, motion[which], 1)
        part_of = Hidden(*[x[which] for x in seen])
        panels = _divided(along, panels.some(which), part_of, off[which].sum(axis=1), stalls[which])
    value[lost | ~(error <= np.maximum(rtol, LEAST) * size).all(axis=1)] = np.nan
    return Integrals(value, error)


class Brackets(NamedTuple):
    """Where the largest values of motions may be: parts [low, high] of steps in which the function is as smooth as its
    samples, and the largest value of each motion that was seen on the way, with its step and place."""

    step: np.ndarray
    low: np.ndarray
    high: np.ndarray
    best: np.ndarray
    at_step: np.ndarray
    at: np.ndarray


def brackets(along: Along, panels: Panels, rtol: float) -> Brackets:
    """Of one function, which stands first among what `along` looks at."""
    best, guess = np.full(along.motions, -np.inf), np.full(along.motions, -np.inf)
    at_step, at = np.zeros(along.motions, dtype=np.int64), np.zeros(along.motions)
    number, most = (
        np.zeros(along.motions, dtype=np.int64),
        PER_STEP * np.bincount(along.motion, minlength=along.motions) + MORE,
    )
    kept: list[tuple[np.ndarray, ...]] = []
    while True:
        motion, e = along.motion[panels.step], panels.nodes[:, :, 0]
        with np.errstate(all="ignore"):
            told = Shape(panels.nodes)
            seen = hidden(told, along.kinds)
            top, range_ = _tops(told.c[:, :, 0] @ GRID.T), np.ptp(e, axis=1)
            off = told.interpolation[:, 0]
        off = np.where(seen.near, off + range_, off)
        there = e.argmax(axis=1)  # what is no number, if there is one
        highest = e[np.arange(len(e)), there]
        _note(best, at_step, at, motion, highest, panels, there)
        gained = (off <= 0.75 * panels.error) | seen.near | seen.blind
        stalls = np.where(gained, 0, panels.stalls + 1)
        noisy = (stalls >= STALLS) & (off <= NOISE * told.size[:, 0])
        followed = (off <= SHAPE * range_) | (off <= 0.5 * rtol * told.size[:, 0]) | noisy
        followed &= ~seen.blind & ~seen.near
        sure = np.where(followed, np.fmax(highest, top - 2 * off), highest)
        np.fmax.at(guess, motion, sure)
        number += np.bincount(motion, minlength=along.motions)
        blind = seen.blind | (seen.near & (panels.width > NARROW)) | ~np.isfinite(off)
        with np.errstate(invalid="ignore"):  # where values are infinite
            rise = np.where(followed, off, RISE * (off + highest - _beside(e, there)))
            bound = np.where(blind, np.inf, np.maximum(top, highest) + rise)
        likely = _likely(bound, sure, motion, guess, rtol) & np.isfinite(best[motion])
        ended = (panels.width <= NARROWEST) | (number > most)[motion]
        done = likely & (followed | ended)
        kept.append((panels.step[done], panels.low[done], panels.width[done], bound[done], sure[done]))
        which = np.flatnonzero(likely & ~done)
        if not len(which):
            break
        number -= np.bincount(motion[which], minlength=along.motions)
        part_of = Hidden(*[x[which] for x in seen])
        panels = _divided(along, panels.some(which), part_of, off[which], stalls[which])
    step, low, width, bound, sure = (np.concatenate(x) for x in zip(*kept, strict=True))
    motion = along.motion[step]
    high = np.flatnonzero(_likely(bound, sure, motion, guess, rtol) & np.isfinite(best[motion]))
    if len(high) > PLATEAU * along.motions:  # a function that is constant but for rounding is highest everywhere
        first = []
        for worth in (bound, sure):
            order = high[np.lexsort((-worth[high], motion[high]))]
            rank = np.arange(len(order)) - np.searchsorted(motion[order], motion[order])
            first.append(order[rank < PLATEAU])
        high = np.union1d(*first)
    return Brackets(step[high], low[high], np.minimum(low + width, 1.0)[high], best, at_step, at)


def candidates(nodes: np.ndarray, kinds: np.ndarray, motion: np.ndarray, count: int) -> np.ndarray:
    """Which steps may have the largest value of their motion, from values at nodes that are off by some per cent of their
    change inside a step, and exact at its ends."""
    e = nodes[:, :, 0]
    best = np.full(count, -np.inf)
    with np.errstate(all="ignore"):
        np.fmax.at(best, motion, np.fmax(e[:, 0], e[:, -1]))
        told = Shape(nodes)
        seen, off, range_ = hidden(told, kinds), told.interpolation[:, 0], np.ptp(e, axis=1)
        there = e.argmax(axis=1)
        highest = e[np.arange(len(e)), there]
        rise = np.where(off <= SHAPE * range_, off, RISE * (off + highest - _beside(e, there))) + MARGIN * range_
        bound = np.maximum(_tops(told.c[:, :, 0] @ GRID.T), highest) + rise
        return seen.blind | seen.near | ~(bound < best[motion])


def doubtful(nodes: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Steps in which something may be hidden, from arguments at their nodes, shape (k, 9, arguments)."""
    low, high = nodes.min(axis=1), nodes.max(axis=1)
    reach = 2 * (high - low)
    with np.errstate(invalid="ignore"):
        turns, zero = reach > TURN, (low - reach <= 0) & (high + reach >= 0)
        whole_ = np.floor(low - reach) != np.floor(high + reach)
    some = np.flatnonzero(np.select([kinds <= Kind.steps, kinds == Kind.whole], [turns, whole_], zero).any(axis=1))
    with np.errstate(all="ignore"):
        seen = hidden(Shape(nodes[some]), kinds)
    return some[seen.blind | seen.near]


def _beside(e: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The smaller of the values beside some of them."""
    each, last = np.arange(len(e)), e.shape[1] - 1
    return np.minimum(e[each, np.maximum(there - 1, 0)], e[each, np.minimum(there + 1, last)])


def _tops(values: np.ndarray) -> np.ndarray:
    """The largest values of functions that are known on the grid: of parabolas about the largest of these."""
    each, best = np.arange(len(values)), np.clip(values.argmax(axis=1), 1, PARTS - 1)
    a, b, c = (values[each, best + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    vertex = b - np.divide((a - c) ** 2, 8 * bend, out=np.zeros_like(b), where=bend < 0)
    return np.where(np.abs(a - c) <= -2 * bend, vertex, values.max(axis=1))


def _likely(bound: np.ndarray, sure: np.ndarray, motion: np.ndarray, guess: np.ndarray, rtol: float) -> np.ndarray:
    """Panels that may have a larger value than the guess of their motion; where there are many, to half the tolerance.

    One with the largest bound and one with the largest value are always among them.
    """
    aim = guess[motion]
    tolerance = 0.5 * rtol * np.abs(aim)
    with np.errstate(invalid="ignore"):
        found, high = bound > aim, bound >= aim - tolerance
        many = np.bincount(motion[found], minlength=len(guess)) > TOGETHER
        found &= ~many[motion] | (bound > aim + tolerance)
    for rank in (bound, sure):
        order = np.lexsort((-rank, motion))
        first = order[np.flatnonzero(np.diff(motion[order], prepend=-1))]
        found[first[high[first]]] = True
    return found


def _note(
    best: np.ndarray,
    at_step: np.ndarray,
    at: np.ndarray,
    motion: np.ndarray,
    highest: np.ndarray,
    panels: Panels,
    there: np.ndarray,
) -> None:
    """Takes what is larger than the largest value so far, or is no number."""
    before = best.copy()
    with np.errstate(invalid="ignore"):
        np.maximum.at(best, motion, highest)  # hands on what is no number
        new = (best != before) & ~(np.isnan(best) & np.isnan(before))
    mine = np.flatnonzero(new[motion] & ((highest == best[motion]) | np.isnan(highest)))[::-1]  # the first counts
    at_step[motion[mine]] = panels.step[mine]
    at[motion[mine]] = np.minimum(panels.low[mine] + panels.width[mine] * NODES[there[mine]], 1.0)
