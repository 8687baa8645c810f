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

PLACES = (np.arange(INSIDE + 1) + 0.7 * ((np.arange(INSIDE + 1) * 0.6180339887498949) % 1.0 - 0.5)) / INSIDE
"""Places in a part, none of them in step with a swing."""

PLACES[[0, -1]] = 0.0, 1.0
TOLD = np.arange(3, INSIDE - 2, 2)
"""Those that are compared with what the two before and behind, every second one, make of them."""

AROUND = TOLD[:, None] + np.array([-3, -1, 1, 3])


def _lagrange(x: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Weights of values at nodes, shape (k, 4), for those at x, (k,), of cubics."""
    others = [[m for m in range(4) if m != j] for j in range(4)]
    return np.stack(
        [
            np.prod([(x - nodes[:, m]) / (nodes[:, j] - nodes[:, m]) for m in some], axis=0)
            for j, some in enumerate(others)
        ],
        axis=1,
    )


WEIGHTS = _lagrange(PLACES[TOLD], PLACES[AROUND])

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
            times = a[some, None] + (b - a)[some, None] * PLACES
            times[:, -1] = b[some]
            f = _values(segment, functions, times)
            sizes = np.fmax(sizes, np.abs(f).max(axis=(0, 1)))
            below = np.any(f < -off * sizes, axis=2) & (ahead * times < last)
            place = float(min([place, *(ahead * times)[below]]))
            long = np.abs(times[:, -1] - times[:, 0]) > shortest
            nothing, little = (some & long for some in _blind(f, sizes))
            blind.append(times[nothing])
            unclear += [_pieces(times[little]), _dips(times[~nothing & ~little], f[~nothing & ~little], sizes)]
        a, b = np.concatenate([*unclear, _closer(np.concatenate(blind), *steps)], axis=1)


def _values(segment: Segment, functions: Functions, times: np.ndarray) -> np.ndarray:
    """Functions at times, shape (…, functions)."""
    t = np.clip(times.ravel(), *sorted((segment.t[0], segment.t[-1])))
    known = np.array([segment.start.parameters[p] for p in segment.start.system.parameters])
    inputs = np.concatenate([t[:, None], segment.dense(t), np.broadcast_to(known, (len(t), len(known)))], axis=1)
    return functions(inputs).reshape(*times.shape, -1)


def _blind(f: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether values in a part of a step tell nothing, or too little for how near to zero they are.

    Every second one is compared with what those around it make of it.
    """
    between = np.einsum("km,pkmf->pkf", WEIGHTS, f[:, AROUND])
    size, off, lowest = np.abs(f).max(axis=1), np.abs(between - f[:, TOLD]).max(axis=1), f[:, 1:-1].min(axis=1)
    nothing = np.any((off > SEEN * size + ROUNDED * sizes) & (lowest < off + SEEN * size), axis=1)
    return nothing, ~nothing & np.any((off > ROUNDED * sizes) & (lowest < 2 * off), axis=1)


def _pieces(parts: np.ndarray) -> np.ndarray:
    """Beginnings and ends of eight pieces of each part, shape (2, k)."""
    return np.array([parts[:, :-1:2].ravel(), parts[:, 2::2].ravel()])


def _closer(blind: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Beginnings and ends of what is looked at next where parts told nothing, of steps from a to b, shape (2, k)."""
    if not len(blind):
        return np.empty((2, 0))
    longest = np.abs(blind[:, -1] - blind[:, 0]).max() / (INSIDE / 2)
    parts = np.ceil(np.abs(b - a) / longest)
    if parts.sum() > ALL:
        return _pieces(blind)
    steps = [np.linspace(a, b, int(n) + 1) for a, b, n in zip(a, b, parts, strict=True) if n > 1]
    return np.array([np.concatenate([edges[:-1] for edges in steps]), np.concatenate([edges[1:] for edges in steps])])


def _dips(times: np.ndarray, f: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Beginnings and ends of parts in which a parabola through three values may end below zero, shape (2, k).

    It may do so beside the lowest of three, beside the first of a part from which it falls, and the last to which it rises.
    """
    u, w = np.diff(PLACES)[:-1, None], np.diff(PLACES)[1:, None]
    left, right = np.diff(f, axis=1)[:, :-1] / u, np.diff(f, axis=1)[:, 1:] / w
    c = (right - left) / (u + w)  # f = f₁ + … + c (x − x₁)²
    bend = 2 * c * np.maximum(u, w) ** 2
    deep, low = bend > ROUNDED * sizes, f[:, 1:-1]
    dips = np.any((low <= f[:, :-2]) & (low <= f[:, 2:]) & (low < bend / 4) & deep, axis=2)
    rows, places = np.nonzero(dips)
    begins, ends = [times[rows, places]], [times[rows, places + 2]]
    falls, rises = left[:, 0] - c[:, 0] * u[0] < 0, right[:, -1] + c[:, -1] * w[-1] > 0
    for inward, k, b, inside in ((falls, 0, 0, slice(0, 2)), (rises, -1, -1, slice(-2, None))):
        beside = np.any(inward & (f[:, k] < bend[:, b] / 4) & deep[:, b], axis=1)
        begins.append(times[beside, inside][:, 0])
        ends.append(times[beside, inside][:, 1])
    return np.array([np.concatenate(begins), np.concatenate(ends)])
