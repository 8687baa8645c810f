"""Whether functions that end a piece where they fall below zero do so inside steps: looked at as closely as it takes.

What holds a motion may come to its limit while the motion rests, in steps as long as they like. A function is looked at in
sixteen parts of a step, and in sixteen parts of those that do not tell. One that touches zero asks for a closer look at
every scale; it is settled where parabolas go no deeper than rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.segment import Segment

INSIDE, SEEN = 16, 1e-2
"""Parts of a step in which functions are looked at, and how well they must tell of one another."""

ROUNDED = 1e-14
"""Part of the largest value of a function that counts as rounding."""

LEAST = 2.0**-46
"""Part of the time itself that is not looked at more closely: sixteen places in it are the same."""

MANY, ALL = 1024, 2.0**14
"""Steps, or parts of steps, that are looked at together; and parts of a piece up to which all of it is looked at as closely
as where that tells nothing: what swings may do so in step with the places elsewhere."""

Functions = Callable[[np.ndarray], np.ndarray]
"""Values of functions from arrays of inputs, shape (k, functions)."""


def first_below(segment: Segment, functions: Functions, off: float, shortest: float) -> float | None:
    """The first time inside steps at which one of some functions is seen below zero; None if none is.

    off       part of its largest value by which it is below zero
    shortest  length of parts of a step that are not looked at more closely where they tell nothing
    """
    ahead = 1.0 if segment.t[-1] >= segment.t[0] else -1.0
    steps = a, b = segment.t[:-1], segment.t[1:]
    sizes, place, last = 0.0, np.inf, ahead * segment.t[-1]
    while True:
        there = (ahead * a < place) & (np.abs(b - a) > LEAST * np.maximum(np.abs(a), np.abs(b)))
        a, b = a[there], b[there]
        if not len(a):
            return ahead * place if place < np.inf else None
        unclear, blind = [], []
        for some in np.split(np.arange(len(a)), range(MANY, len(a), MANY)):
            times = a[some, None] + (b - a)[some, None] * np.linspace(0.0, 1.0, INSIDE + 1)
            f = _values(segment, functions, times)
            sizes = np.fmax(sizes, np.abs(f).max(axis=(0, 1)))
            below = np.any(f < -off * sizes, axis=2) & (ahead * times < last)
            place = float(min([place, *(ahead * times)[below]]))
            nothing = _blind(f, sizes) & (np.abs(times[:, -1] - times[:, 0]) > shortest)
            blind.append(times[nothing])
            unclear.append(_dips(times[~nothing], f[~nothing], sizes))
        a, b = np.concatenate([*unclear, _closer(np.concatenate(blind), *steps)], axis=1)


def _values(segment: Segment, functions: Functions, times: np.ndarray) -> np.ndarray:
    """Functions at times, shape (…, functions)."""
    t = np.clip(times.ravel(), *sorted((segment.t[0], segment.t[-1])))
    known = np.array([segment.start.parameters[p] for p in segment.start.system.parameters])
    inputs = np.concatenate([t[:, None], segment.dense(t), np.broadcast_to(known, (len(t), len(known)))], axis=1)
    return functions(inputs).reshape(*times.shape, -1)


def _blind(f: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether values in a part of a step tell nothing: every second one is not what those around it make of it."""
    between = (9 * (f[:, 2:-3:2] + f[:, 4:-1:2]) - f[:, 0:-5:2] - f[:, 6::2]) / 16
    size, off, lowest = np.abs(f).max(axis=1), np.abs(between - f[:, 3:-2:2]).max(axis=1), f[:, 1:-1].min(axis=1)
    return np.any((off > SEEN * size + ROUNDED * sizes) & (lowest < off + SEEN * size), axis=1)


def _closer(blind: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Beginnings and ends of what is looked at next where parts told nothing, of steps from a to b, shape (2, k)."""
    if not len(blind):
        return np.empty((2, 0))
    longest = np.abs(blind[:, 2] - blind[:, 0]).max()
    parts = np.ceil(np.abs(b - a) / longest)
    if parts.sum() > ALL:
        return np.array([blind[:, :-1:2].ravel(), blind[:, 2::2].ravel()])
    steps = [np.linspace(a, b, int(n) + 1) for a, b, n in zip(a, b, parts, strict=True) if n > 1]
    return np.array([np.concatenate([edges[:-1] for edges in steps]), np.concatenate([edges[1:] for edges in steps])])


def _dips(times: np.ndarray, f: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Beginnings and ends of parts in which a parabola through three values may end below zero, shape (2, k)."""
    bend = f[:, :-2] - 2 * f[:, 1:-1] + f[:, 2:]
    deep, low = bend > ROUNDED * sizes, f[:, 1:-1]
    dips = np.any((low <= f[:, :-2]) & (low <= f[:, 2:]) & (low < bend / 4) & deep, axis=2)
    falls = 2 * f[:, 1] - 1.5 * f[:, 0] - f[:, 2] / 2 < 0
    first = times[np.any(falls & (f[:, 0] < bend[:, 0] / 4) & deep[:, 0], axis=1)]
    rows, places = np.nonzero(dips)
    return np.array(
        [np.concatenate([times[rows, places], first[:, 0]]), np.concatenate([times[rows, places + 2], first[:, 1]])]
    )
