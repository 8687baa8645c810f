"""The first negative value of functions inside steps: isolated where values at a few places do not tell.

A function that must stay above zero, such as what dry friction can still hold, may fall below it and return inside a step
of any length. It is sampled at seventeen places of a step. A part of the step is sampled again, more closely, where a cubic
through neighbours does not give the value between them, and where a parabola through three values may go below zero. A
function that touches zero asks for this at every scale; it is settled where parabolas go no deeper than rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np

from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, function, kernel

PARTS, FEWER = 16, 8
"""Parts of an interval between places at which functions are sampled; and in which it is sampled again."""

ACCURACY = 1e-2
"""Error of a cubic through neighbours, as a part of the largest value, above which values do not resolve a function."""

ROUNDING = 1e-14
"""Part of the largest value of a function that counts as rounding."""

NARROWEST = 2.0**-46
"""Part of the time and of the step below which nothing is sampled more closely: seventeen places are hardly different."""

ALL = 2.0**14
"""Parts of all steps up to which all are sampled as closely as where values do not resolve a function: elsewhere it may
swing in step with the places."""

PLACES = (np.arange(PARTS + 1) + 0.7 * ((np.arange(PARTS + 1) * 0.6180339887498949) % 1.0 - 0.5)) / PARTS
"""Parts of an interval at which functions are sampled, none of them in step with a swing."""

PLACES[[0, -1]] = 0.0, 1.0

WIDTHS = np.diff(PLACES)

STACK = 1 + PARTS * math.ceil(math.log(NARROWEST) / math.log((PLACES[2:] - PLACES[:-2]).max()))
"""Parts of a step that can wait: one has at most seventeen narrower ones and leaves its own place, at every scale."""

NOISE = 0.5
"""A function is noise where its error in an eighth of a step is more than this part of that in the step."""

INFINITY = float("inf")

RESOLVED, NEAR_ZERO, UNRESOLVED = range(3)
"""What values in a part of a step tell of a function: enough, too little for how near to zero it is, or nothing."""


def _cubics() -> np.ndarray:
    """Weights of values at p − 3, p − 1, p + 1, p + 3 for that at p = 3, 5, …, of a cubic: shape (6, 4)."""
    rows = []
    for p in range(3, PARTS - 2, 2):
        x = PLACES[[p - 3, p - 1, p + 1, p + 3]]
        others = [np.delete(x, j) for j in range(4)]
        rows.append([np.prod((PLACES[p] - other) / (x[j] - other)) for j, other in enumerate(others)])
    return np.array(rows)


CUBICS = _cubics()


class NegativeSearch(Struct):
    """Functions of time in steps, and the first place where one of them is negative.

    evaluate    values ← all functions at a time of the selected step; `context` is what it is given
    select      selects a step by its number after `first`
    t           ends of the steps, (steps + 1,), or more; count: of the steps
    columns     which of the functions may be searched, (k,); searched: how many of them are, the first
    rounding    part of its largest value by which a function must be below zero
    shortest    length of parts that are not divided because values do not resolve a function
    first, last the steps that can be selected: from the first on, before the last
    sizes       largest values of the functions so far, (k,)
    seen        room for values at the places of a part, (PARTS + 1, k)
    stack       room for parts that wait, and the error of what each is a part of, (STACK, 3)
    error       of cubics, of functions near zero in the last part
    place       the first time at which a function is negative, as far as is known; the end of the steps if none is
    sweep       over all steps: 0 at their ends alone, 1 of each as a whole, then in parts
    step        the next one in it
    longest     length of a step, then of the parts in which they are searched
    unresolved  length of the shortest part whose values do not resolve a function, of those that ask for a look at `ALL`
    """

    evaluate: Annotated[Callable[[int, float], None], function(Address, float)]
    select: Annotated[Callable[[int, int], None], function(Address, int)]
    context: Address
    values: Reals
    t: Reals
    count: int
    columns: Ints
    searched: int
    rounding: float
    shortest: float
    first: int
    last: int
    sizes: Reals
    seen: Reals2
    stack: Reals2
    error: float
    place: float
    sweep: int
    step: int
    longest: float
    unresolved: float


@kernel
def begin_search(s: NegativeSearch) -> None:
    """Forgets what an earlier search has found."""
    n = s.count
    s.sweep, s.step, s.place = 0, 0, s.t[n]
    s.longest, s.unresolved = 0.0, float(PARTS) * abs(s.t[n] - s.t[0])
    for k in range(n):
        s.longest = max(s.longest, abs(s.t[k + 1] - s.t[k]))
    for j in range(len(s.sizes)):
        s.sizes[j] = 0.0


@kernel(lazy=True)
def first_negative(s: NegativeSearch) -> bool:
    """s.place ← the first time at which a function is seen below zero: whether that is known, or step s.step is needed.

    Values at the ends of steps tell first how large the functions are: what is rounding depends on that. Where values do
    not resolve a function in some step, all steps before the place are searched again in ever shorter parts, until these
    are an eighth as long as those where they do not.
    """
    n, ahead = s.count, direction(s)
    while True:
        while s.step < n and (s.sweep <= 1 or ahead * s.t[s.step] < ahead * s.place):
            if s.step < s.first or s.step >= s.last:
                return False
            s.select(s.context, s.step - s.first)
            if s.sweep == 0:
                if s.step == 0:
                    measure(s, s.t[0])
                measure(s, s.t[s.step + 1])
            else:
                search_step(s)
            s.step += 1
        if s.sweep > 0:
            wanted = s.unresolved / float(FEWER)
            if s.longest <= wanted:
                return True
            shorter = s.longest / float(FEWER)
            s.longest = wanted if 2.0 * wanted > shorter else shorter  # parts of a step may be half as long
        s.sweep, s.step = s.sweep + 1, 0


@kernel
def direction(s: NegativeSearch) -> float:
    """Of time: 1 or −1."""
    return 1.0 if s.t[s.count] >= s.t[0] else -1.0


@kernel
def measure(s: NegativeSearch, t: float) -> None:
    """s.sizes ← the largest values, with those at a time."""
    s.evaluate(s.context, t)
    for j in range(s.searched):
        size = abs(s.values[s.columns[j]])
        if size > s.sizes[j]:
            s.sizes[j] = size


@kernel
def search_step(s: NegativeSearch) -> None:
    """Searches the selected step as a whole, or in parts of a length; one that is no longer is not searched again."""
    a, b = s.t[s.step], s.t[s.step + 1]
    parts = 1
    if s.sweep > 1:
        wanted = abs(b - a) / s.longest
        if wanted <= 1.0:
            return
        parts = int(wanted)
        if float(parts) < wanted:
            parts += 1
    begin = a
    for k in range(parts):
        end = a + (b - a) * (float(k + 1) / float(parts)) if k + 1 < parts else b
        search_part(s, begin, end, abs(b - a))
        begin = end


@kernel
def search_part(s: NegativeSearch, a: float, b: float, step: float) -> None:
    """Searches a part of a step of a length, and narrower parts of it, in the order of time."""
    ahead, span = direction(s), abs(s.t[s.count] - s.t[0])
    s.stack[0, 0], s.stack[0, 1], s.stack[0, 2] = a, b, INFINITY
    waiting = 1
    while waiting > 0:
        waiting -= 1
        begin, end, error = s.stack[waiting, 0], s.stack[waiting, 1], s.stack[waiting, 2]
        length = abs(end - begin)
        needed = ahead * begin < ahead * s.place or (s.sweep == 1 and length == step)
        if not (needed and length > NARROWEST * max(max(abs(begin), abs(end)), step)):
            continue
        sample(s, begin, end, ahead)
        told = resolution(s) if length > s.shortest else RESOLVED
        if told == UNRESOLVED and float(FEWER) * span <= ALL * length:
            s.unresolved = min(s.unresolved, length)
        elif told == UNRESOLVED or (told == NEAR_ZERO and s.error <= NOISE * error):
            for p in range(PARTS, 0, -2):
                s.stack[waiting, 0], s.stack[waiting, 1] = place(begin, end, p - 2), place(begin, end, p)
                s.stack[waiting, 2] = s.error
                waiting += 1
        else:
            waiting = push_dips(s, begin, end, waiting)


@kernel
def place(a: float, b: float, p: int) -> float:
    """The p-th place between a and b."""
    return a + (b - a) * PLACES[p] if p < PARTS else b


@kernel
def sample(s: NegativeSearch, a: float, b: float, ahead: float) -> None:
    """s.seen, s.sizes, s.place ← by the values at the places between a and b."""
    for p in range(PARTS + 1):
        measure(s, place(a, b, p))
        for j in range(s.searched):
            s.seen[p, j] = s.values[s.columns[j]]
    for p in range(PARTS + 1):
        t = place(a, b, p)
        if ahead * t >= ahead * s.place:
            return
        for j in range(s.searched):
            if s.seen[p, j] < -s.rounding * s.sizes[j]:
                s.place = t
                return


@kernel
def resolution(s: NegativeSearch) -> int:
    """What the values in a part tell of the functions: the least of them all.

    Every second one is compared with the cubic through those around it.
    """
    told, s.error = RESOLVED, 0.0
    for j in range(s.searched):
        size, error, lowest = max(abs(s.seen[0, j]), abs(s.seen[PARTS, j])), 0.0, s.seen[1, j]
        for p in range(1, PARTS):
            size, lowest = max(size, abs(s.seen[p, j])), min(lowest, s.seen[p, j])
        for k in range(len(CUBICS)):
            between = 0.0
            for m in range(4):
                between += CUBICS[k, m] * s.seen[2 * (k + m), j]
            error = max(error, abs(between - s.seen[2 * k + 3, j]))
        rounding, least = ROUNDING * s.sizes[j], s.rounding * s.sizes[j]
        if error > ACCURACY * size + rounding and lowest < error + ACCURACY * size - least:
            s.error = INFINITY
            return UNRESOLVED
        if error > rounding and lowest < 2.0 * error - least:
            told, s.error = NEAR_ZERO, max(s.error, error)
    return told


@kernel
def push_dips(s: NegativeSearch, a: float, b: float, waiting: int) -> int:
    """s.stack ← parts between a and b in which a parabola through three values may be negative: how many wait now.

    It may be so beside the lowest of three, after the first of all from which it falls, and before the last to which it
    rises.
    """
    for p in range(PARTS, -1, -1):
        dips = False
        for j in range(s.searched):
            dips = dips or may_be_negative(s.seen, j, p, ROUNDING * s.sizes[j], s.rounding * s.sizes[j])
        if dips:
            s.stack[waiting, 0], s.stack[waiting, 1] = place(a, b, max(p - 1, 0)), place(a, b, min(p + 1, PARTS))
            s.stack[waiting, 2] = INFINITY
            waiting += 1
    return waiting


@kernel
def may_be_negative(seen: Reals2, j: int, p: int, rounding: float, least: float) -> bool:
    """Whether a parabola through three values of the j-th function may be below −least beside the p-th, which is lowest.

    It is f = f₁ + s (x − x₁) + c (x − x₁)², through the values at the places beside p or, for the first and last of them,
    those next to it.
    """
    m = min(max(p, 1), PARTS - 1)
    u, w = WIDTHS[m - 1], WIDTHS[m]
    left, right = (seen[m, j] - seen[m - 1, j]) / u, (seen[m + 1, j] - seen[m, j]) / w
    c = (right - left) / (u + w)
    bend = 2.0 * c * max(u, w) * max(u, w)
    lowest = seen[p, j] <= seen[m - 1, j] and seen[p, j] <= seen[m + 1, j]
    if p < m:
        lowest = left - c * u < 0.0
    elif p > m:
        lowest = right + c * w > 0.0
    return lowest and bend > rounding and seen[p, j] < bend / 4.0 - least
