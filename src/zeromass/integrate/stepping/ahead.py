"""The limit of steps along a run, known ahead: a table of stretches, kept up to date, and its use in machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER

if TYPE_CHECKING:
    from zeromass.integrate.pace import Pace
    from zeromass.integrate.stepping.kernel import Advance

PATIENCE = 16
"""Steps that may be cut before one looks closer at what cuts them, at first."""

CLOSE = 16.0
"""How far one looks then, in steps as they would be without a limit."""

HELPED = 0.5
"""Part of the steps that a closer look must save for another one to be worth while."""

TRIES = 8
"""How often the table is continued for one step that is longer than all of it."""


class Ahead:
    """Ends of the stretches ahead and the longest step in each, shape (k, 2): the table that machine code reads.

    At first the whole run is looked at, in stretches as long as they may be. Where the limit cuts many steps one looks
    closer, a few steps at a time, as long as that makes steps longer.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.table: np.ndarray = np.ascontiguousarray(pace.first)
        self.patience: int = PATIENCE
        self._patience = PATIENCE
        self._closer = False
        self._tries, self._at = 0, np.nan
        self._behind, self._behind_at = np.inf, np.nan

    @property
    def matters(self) -> bool:
        """Whether any step is limited."""
        return bool(np.any(self.table[:, 1] < abs(self._pace.until - self._pace.start)))

    def look(self, t: float, h: float, cut: bool) -> None:
        """Looks further ahead from a time, or closer where steps as long as h are cut too often."""
        pace, d = self._pace, self._pace.direction
        ahead = self.table[d * (self.table[:, 0] - t) > 0]
        self._tries = self._tries + 1 if t == self._at else 0
        self._at = t
        if cut:
            reach = CLOSE * abs(h)
            end = t + d * min(reach, abs(pace.until - t))
            closer = pace.stretches(t, end, abs(h))
            self._closer = _steps(t, closer) < HELPED * _steps(t, _until(ahead, float(closer[-1, 0]), d))
            self._patience = PATIENCE if self._closer else 8 * self._patience
            self.table = closer
        else:
            first = float(ahead[-1, 0]) if len(ahead) else t
            longest = abs(h) if self._closer else np.inf
            end = first + d * min(CLOSE * abs(h), abs(pace.until - first)) if self._closer else pace.until
            if self._tries > TRIES or d * (pace.until - first) <= 0:
                new = np.array([[d * np.inf, np.inf]])  # where nothing can be said, steps are left to their own control
            else:
                new = pace.stretches(first, end, longest)
            self.table = np.concatenate([ahead, new])
        self.table = np.ascontiguousarray(self.table)
        self.patience = self._patience

    def limited(self, t: float, h: float) -> float:
        """The step h from a time, cut to what the stretches allow: `emit_limited` in plain numbers."""
        while True:
            d, table = self._pace.direction, self.table
            past = d * (table[:, 0] - t) <= 0
            self._behind += abs(t - self._behind_at) if self._behind_at == self._behind_at else 0.0
            self._behind_at = t
            self._behind = min([self._behind, *(table[past, 1] + d * (t - table[past, 0]))])
            length, before = min(abs(h), self._behind), 0.0
            for end, limit in table[~past]:
                if before >= 2 * length:
                    break
                length = min(length, max(limit, (limit + before) / 2))
                before = d * (end - t)
            if before >= min(2 * length, d * (self._pace.until - t)):
                return float(np.copysign(length, h))
            self.look(t, h, False)


def _steps(t: float, stretches: np.ndarray) -> float:
    """How many steps they take at least."""
    lengths = np.abs(np.diff(stretches[:, 0], prepend=t))
    return float(np.sum(lengths / stretches[:, 1]))


def _until(stretches: np.ndarray, end: float, d: float) -> np.ndarray:
    """Stretches up to a time."""
    kept = np.flatnonzero(d * (stretches[:, 0] - end) >= 0)
    found = stretches[: kept[0] + 1].copy() if len(kept) else stretches.copy()
    found[-1, 0] = end
    return found


def emit_limited(a: Advance, t: Real, h: Real) -> Real:
    """The step h from t, no longer in any stretch than that allows, and than that and the distance from it beside it.

        h ≤ limit + gap between the step and the stretch,

    so that steps become shorter on the way to a bump, and longer behind it: where only one stage of a long step sees the
    beginning of a bump, error estimates may not see it. Returns to Python where the table ends before the step does, or
    where steps have been cut often.
    """
    b, ints = a.b, a.ints
    count = a.load_int(ints, Int64.stretches)
    result = a.variable(DOUBLE, "limited")
    a.store(h, result)
    with a.if_(b.icmp_signed(">", count, a.int(0))):
        table = b.inttoptr(a.load_int(ints, Int64.table), POINTER)
        sign = where(h < 0.0, -1.0, 1.0)
        k = a.variable(INT, "stretch")
        before, behind, length = (a.variable(DOUBLE, name) for name in ("before", "behind", "length"))
        b.store(a.load_int(ints, Int64.stretch), k)
        a.store(0.0, before)

        def entry(place: int) -> Real:
            return a.load(table, b.add(b.mul(b.load(k, typ=INT), a.int(2)), a.int(place)))

        def advance() -> None:
            b.store(b.add(b.load(k, typ=INT), a.int(1)), k)

        def left() -> ir.Value:
            return b.icmp_signed("<", b.load(k, typ=INT), count)

        rear = a.load(a.reals, Real64.behind) + abs(t - a.load(a.reals, Real64.behind_at))
        a.store(rear, behind)
        with _while(a, left, lambda: (sign * (entry(0) - t) <= 0.0).value):
            a.store(_least(entry(1) + sign * (t - entry(0)), a.load(behind)), behind)
            advance()
        a.store_int(b.load(k, typ=INT), ints, Int64.stretch)
        a.store(a.load(behind), a.reals, Real64.behind)
        a.store(t, a.reals, Real64.behind_at)
        a.store(_least(abs(h), a.load(behind)), length)
        with _while(a, left, lambda: (a.load(before) < a.load(length) * 2.0).value):
            d, limit = a.load(before), entry(1)
            allowed = where(limit > d, limit, (limit + d) * 0.5)
            a.store(_least(allowed, a.load(length)), length)
            a.store(sign * (entry(0) - t), before)
            advance()
        rest = abs(a.load(a.reals, Real64.until) - t)
        a.leave_if((a.load(before) < _least(a.load(length) * 2.0, rest)).value, Status.AHEAD)
        with a.if_((a.load(length) < abs(h)).value):
            a.count(ints, Int64.patience, -1)
            a.leave_if(b.icmp_signed("<", a.load_int(ints, Int64.patience), a.int(0)), Status.AHEAD)
        a.store(sign * a.load(length), result)
    return a.load(result)


def _least(a: Real, b: Real) -> Real:
    return where(a < b, a, b)


@contextmanager
def _while(a: Advance, first: Callable[[], ir.Value], second: Callable[[], ir.Value]) -> Iterator[None]:
    """while (first && second), the second looked at only where the first holds."""
    b = a.b
    head, also, body, after = (a.block(name) for name in ("head", "also", "body", "after"))
    b.branch(head)
    b.position_at_end(head)
    b.cbranch(first(), also, after)
    b.position_at_end(also)
    b.cbranch(second(), body, after)
    b.position_at_end(body)
    yield
    b.branch(head)
    b.position_at_end(after)
