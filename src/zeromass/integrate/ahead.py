"""What is known ahead of a run: where functions of time alone change their sign."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.expression import Evaluator, Expression, as_expression, derivative, substitute, symbols, t
from zeromass.expression.interval import Intervals
from zeromass.expression.operation.enclosure import product, sum_
from zeromass.expression.pieces import Pieces, switches
from zeromass.model import ModelError

MOST = 100_000
"""Zeros, or intervals in which there may be some, that are followed at most."""

PARTS = 8
"""Of the time in question, looked at first."""

PLACES = (0.5 + np.arange(64) * 0.6180339887498949) % 1.0
"""Parts of the time in question at which one looks for a function that is zero for a while."""

ELSEWHERE = 0.2360679774997898, 0.6180339887498949
"""Places in an interval that fall together with no period, nor with its middle."""


class TooManyZeros(ModelError):
    """A function of time has so many zeros, as sin(1/t) at 0, or is so near zero everywhere, that they can not be listed."""


def zeros_of_time(
    g: Any, t0: float, t1: float, values: Mapping[Any, float] | None = None, *, most: int = MOST
) -> np.ndarray:
    """Times between t0 and t1 at which an expression of time and parameters changes its sign, from t0 to t1 in order.

    Zeros, jumps through zero and poles, each to rounding, none missed however near its neighbour: an interval is put
    aside only where bounds of g exclude zero, or bounds of ġ do and the ends tell. What leaves zero after staying there
    counts as well. A zero that is only touched may be listed or not.

    values  of the parameters; others have their default
    most    zeros at which it is given up (`TooManyZeros`)

    >>> from zeromass.integrate.ahead import zeros_of_time
    >>> zeros_of_time(np.sin(np.pi * zm.t) - 0.5, 0.0, 1.0).round(12)
    array([0.16666667, 0.83333333])
    """
    g, known = as_expression(g), dict(values or {})
    low, high = sorted((float(t0), float(t1)))
    zeros, bent = _Zeros(g, known, most), switches([g])
    try:
        found = _by_pieces(g, low, high, known, most) if bent and zeros.rests(low, high) else zeros.between(low, high)
    except TooManyZeros:
        if not bent:
            raise
        found = _by_pieces(g, low, high, known, most)
    return found if t0 <= t1 else found[::-1]


def _by_pieces(g: Expression, low: float, high: float, values: dict[Any, float], most: int) -> np.ndarray:
    """The same of a formula with kinks or jumps, from one of them to the next: there it may be zero all the time.

    As max(sin t, 0) − sin t is where sin t > 0: sin t − sin t.
    """
    pieces = Pieces()
    smooth = as_expression(pieces.found(g).item())
    borders: set[float] = {low, high}
    for switch in pieces.switches:
        border = (np.pi * switch.plain).sin() if switch.kind == "whole" else switch.plain
        borders.update(zeros_of_time(border, low, high, values, most=most).tolist())
    edges = sorted(borders)
    plain = Evaluator([switch.plain for switch in pieces.switches], [t, *values])
    times: list[float] = []
    signs: list[float] = []  # between these times, and before the first
    for a, b in itertools.pairwise(edges):
        sides = plain(np.array([a + (b - a) * ELSEWHERE[1], *values.values()]))
        modes = {
            switch.mode: float(np.floor(side) if switch.kind == "whole" else np.sign(side))
            for switch, side in zip(pieces.switches, sides, strict=True)
        }
        piece = as_expression(substitute(smooth, modes))
        inside = [*_Zeros(piece, values, most).between(a, b).tolist(), b]
        for end, begin in zip(inside, [a, *inside], strict=False):
            if begin < end:
                value = Evaluator(piece, [t, *values])(np.array([(begin + end) / 2, *values.values()]))
                times.append(end)
                signs.append(float(np.sign(value)))
    return np.array([time for time, one, two in zip(times, signs, signs[1:], strict=False) if one != two])


class _Zeros:
    def __init__(self, g: Expression, values: dict[Any, float], most: int) -> None:
        strangers = [leaf for leaf in symbols(g) if leaf is not t and leaf not in values and leaf.default is None]
        if strangers:
            raise ModelError(f"'{g!r}' depends on '{strangers[0]!r}', and not on time and parameters alone")
        inputs = [t, *[symbol for symbol in values if symbol is not t]]
        self.g, self.most = g, most
        self._fixed = [np.float64(values[symbol]) for symbol in inputs[1:]]
        slope = derivative(g, t)
        self._bounds, self._slope = Intervals([g], inputs), Intervals([slope], inputs)
        self._numbers = Evaluator([g, slope], inputs)

    def rests(self, low: float, high: float) -> bool:
        """Whether g is zero at some place that falls together with nothing: it is so for a while."""
        with np.errstate(all="ignore"):
            return bool(np.any(self._value(low + (high - low) * PLACES)[:, 0] == 0))

    def between(self, low: float, high: float) -> np.ndarray:
        if low == high or t not in symbols(self.g):
            return np.empty(0)
        least = max(2.0**-60 * (high - low), 5e-324)
        edges = np.linspace(low, high, PARTS + 1)
        a, b = edges[:-1], edges[1:]
        single: list[np.ndarray] = []
        doubtful: list[np.ndarray] = []
        while len(a):
            possible, once, flat = self._judged(a, b)
            single.append(np.column_stack([a, b])[possible & once])
            a, b, flat = a[possible & ~once], b[possible & ~once], flat[possible & ~once]
            middle = a + (b - a) / 2
            flat = flat | (b - a <= least) | (middle <= a) | (middle >= b)
            doubtful.append(np.column_stack([a[flat], b[flat]]))
            a, b, middle = (x[~flat] for x in (a, b, middle))
            a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
            if len(a) + sum(map(len, single)) + sum(map(len, doubtful)) > self.most:
                most = float(np.median(np.concatenate([a, *[places[:, 0] for places in (*single, *doubtful)]])))
                raise TooManyZeros(
                    f"'{self.g!r}' may change its sign more than {self.most} times between t = {low:g} s and "
                    f"{high:g} s, half of them before t = {most:g} s. Write it without such a place, or make the run "
                    "shorter"
                )
        found = self._crossings(*np.concatenate(single).T), self._through(np.concatenate(doubtful))
        return _distinct(np.sort(np.concatenate(found)))

    def _judged(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether g may be zero in intervals; whether it is so at most once; whether it is zero to rounding all over."""
        k, middle = len(a), a + (b - a) / 2
        ends = np.concatenate([a, middle]), np.concatenate([b, middle])
        (whole,), jump = self._bounds.with_jumps([ends, *[(v, v) for v in self._fixed]])
        low, high = (np.broadcast_to(x, (2 * k,)).copy() for x in whole)
        (slope,) = self._slope([(a, b), *[(v, v) for v in self._fixed]])
        slope = np.broadcast_to(slope[0], (k,)), np.broadcast_to(slope[1], (k,))
        jump = np.broadcast_to(jump, (2 * k,))
        smooth = ~jump[:k] & np.isfinite(slope[0]) & np.isfinite(slope[1])
        with np.errstate(all="ignore"):  # g(middle) + ġ (t − middle), closer where g is nearly zero
            part = product(slope, sum_((a, b), (-middle, -middle)))
            mean = sum_((low[k:], high[k:]), part)
            closer_low = np.where(smooth, np.fmax(low[:k], mean[0]), low[:k])
            closer_high = np.where(smooth, np.fmin(high[:k], mean[1]), high[:k])
            possible = (closer_low <= 0) & (closer_high >= 0)
            once = smooth & ((slope[0] > 0) | (slope[1] < 0))
            rounding = high[k:] - low[k:]
            flat = np.maximum(-closer_low, closer_high) <= 2 * rounding
        doubt = np.flatnonzero(flat & jump[k:])  # a jump in the middle alone is no rounding
        flat[doubt] = self._jumps_all_over(a[doubt], b[doubt])
        return possible, once, flat | ((low[:k] == 0) & (high[:k] == 0))

    def _jumps_all_over(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Whether rounding does not tell in intervals on which side of a jump g is, as that of cos(t) % 1 at t = 0."""
        places = a + (b - a) * np.array(ELSEWHERE)[:, None]
        _, jump = self._bounds.with_jumps([(places, places), *[(v, v) for v in self._fixed]])
        return np.all(np.broadcast_to(jump, places.shape), axis=0)

    def _value(self, times: np.ndarray) -> np.ndarray:
        """g and ġ, shape (times, 2)."""
        return self._numbers(np.column_stack([times, *[np.full(len(times), v) for v in self._fixed]]))

    def _crossings(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The zero in each interval in which g rises or falls throughout, by Newton's method kept in a bracket."""
        before, after = (np.sign(self._value(x)[:, 0]) for x in (a, b))
        ends = np.concatenate([a[before == 0], b[after == 0]])
        change = before * after < 0
        return np.concatenate([ends, self._bracketed(a[change], b[change], before[change])])

    def _bracketed(self, a: np.ndarray, b: np.ndarray, before: np.ndarray) -> np.ndarray:
        x = a + (b - a) / 2
        for k in range(200):
            if not len(x):
                break
            with np.errstate(all="ignore"):
                value, slope = self._value(x).T
                left = np.sign(value) == before
                a, b = np.where(left, x, a), np.where(left, b, x)
                step = x - value / slope
            inside = (step > a) & (step < b) & (k % 8 != 7)
            following = np.where(value == 0, x, np.where(inside, step, a + (b - a) / 2))
            if np.all(np.abs(following - x) <= np.spacing(np.abs(x))):
                return following
            x = following
        return x

    def _through(self, places: np.ndarray) -> np.ndarray:
        """Changes of sign in intervals that touch one another, in which rounding decides, or g jumps: one in each group."""
        if not len(places):
            return np.empty(0)
        places = places[np.argsort(places[:, 0])]
        first = np.append(True, places[1:, 0] > places[:-1, 1])
        a, b = places[first, 0], places[np.append(first[1:], True), 1]
        before, after = (np.sign(self._value(x)[:, 0]) for x in (a, b))
        change = before != after
        a, b, before = a[change], b[change], before[change]
        for _ in range(2000):
            middle = a + (b - a) / 2
            if not np.any((middle > a) & (middle < b)):
                break
            left = np.sign(self._value(middle)[:, 0]) == before
            a, b = np.where(left, middle, a), np.where(left, b, middle)
        return b


def _distinct(times: np.ndarray) -> np.ndarray:
    """Without what was found twice, from both sides."""
    return times[np.append(True, np.diff(times) > np.spacing(np.abs(times[1:])))] if len(times) else times
