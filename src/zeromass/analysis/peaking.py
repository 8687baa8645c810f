"""Where the polynomials through nine values in each step are highest, as machine code: as many steps at a time as lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import ClassVar

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.codegen.target import Target
from zeromass.integrate.legendre import legendre
from zeromass.integrate.stepping.kernel import Routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import POINTER
from zeromass.integrate.survey import PLACES

NODES = np.append(0.0, PLACES)
"""Places in a step."""

DOUBTED = 2.0
"""How many times what polynomials leave out, as their coefficients tell it, they may be off."""

RISE = 4.0
"""How many times the drop from the largest of its values to those beside it a function may rise above it: one through three
places as those in a step rises by at most 0.9 times as much."""

PARTS = 32
"""Of a step, at whose ends its polynomial is looked at first."""

CLOSER = 3
"""Steps of Newton's method from the best of these to the top of the polynomial."""

COEFFICIENTS = np.linalg.inv(np.array(legendre(NODES, len(NODES))).T)
"""Legendre's coefficients of the polynomial through values at the nodes."""

_GRID = np.array(legendre(np.arange(PARTS + 1) / PARTS, len(NODES)))


def _derivative(count: int) -> np.ndarray:
    """Coefficients of the derivative in θ from those of a polynomial: P'_j = Σ 2 (2k + 1) P_k over k = j − 1, j − 3, …"""
    result = np.zeros((count, count))
    for j in range(count):
        for k in range(j - 1, -1, -2):
            result[j, k] = 2 * (2 * k + 1)
    return result


_ONCE = _derivative(len(NODES))
_TWICE = _ONCE @ _ONCE


class Told(IntEnum):
    """What is told of each step.

    highest  of its polynomial at the ends of its parts; −∞ where the function cannot reach what is asked for
    drop     from the best of these to those beside it
    error    what the polynomial may be off by
    part     where the best of these is
    top      where the polynomial itself is highest, near it
    height   of the polynomial there
    bend     its second derivative there
    """

    highest = 0
    drop = 1
    error = 2
    part = 3
    top = 4
    height = 5
    bend = 6


class Peaking(Routine):
    """`Told` of `capacity` steps, rows of `room` values, which is so many up to whole groups of lanes.

    reals  what the function is to reach, or nearly, and what its values may be off by, relative to their size
    nodes  its values at the nodes of each step, `width` values from step to step and `size` from node to node
    """

    name: ClassVar[str] = "peaking"
    side_by_side = True
    takes: ClassVar[Mapping[str, ir.Type]] = dict.fromkeys(("reals", "ints", "nodes", "told"), POINTER)

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, lanes = self.b, self.members
        count, room, width = (self.load_int(self.ints, place) for place in (Int64.capacity, Int64.room, Int64.width))
        last, least, off = b.sub(count, self.int(1)), self.load(self.reals, 0), self.load(self.reals, 1)
        least = least - off * abs(least)
        with self.loop(count, lanes) as first:
            steps = [b.add(first, self.int(lane)) for lane in range(lanes)]
            rows = [b.mul(b.select(b.icmp_signed("<", step, last), step, last), width) for step in steps]
            nodes = [
                self.gathered(self.arguments["nodes"], [b.add(row, b.mul(self.size, self.int(j))) for row in rows])
                for j in range(len(NODES))
            ]
            most, beside = self.largest(nodes)
            likely = most + (most - beside) * RISE >= least
            self.tell(where(likely, most, -np.inf), first, room, Told.highest)
            with self.if_(likely.anywhere()):
                c = [self.dot(row, nodes) for row in COEFFICIENTS]
                error = self.left_out(c) + off * abs(most)
                best, high, drop = self.best([self.dot(row, c) for row in _GRID.T])
                kept = likely & (high + drop + error >= least)
                found = (where(kept, high, -np.inf), drop, error, best, *self.top(c, best))
                for place, x in zip(Told, found, strict=True):
                    self.tell(x, first, room, place)
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def tell(self, x: Real, first: ir.Value, room: ir.Value, place: Told) -> None:
        row = self.b.add(self.b.mul(room, self.int(place)), first)
        self.b.store(x.value, self.cell(self.arguments["told"], row), align=8)

    def dot(self, weights: Sequence[float], x: list[Real]) -> Real:
        total: Real | None = None
        for weight, value in zip(weights, x, strict=True):
            if weight != 0.0:
                total = value * float(weight) if total is None else total + value * float(weight)
        return self.real(0.0) if total is None else total

    def largest(self, x: list[Real]) -> tuple[Real, Real]:
        """The largest of some values, and the smaller of those beside it."""
        most, beside = x[0], self.smaller(x[0], x[1])
        for k in range(1, len(x)):
            more = x[k] > most
            beside = where(more, self.smaller(x[k - 1], x[min(k + 1, len(x) - 1)]), beside)
            most = where(more, x[k], most)
        return most, beside

    def left_out(self, c: list[Real]) -> Real:
        """As much less than the last two coefficients as these are than the two before."""
        before, last = abs(c[-4]) + abs(c[-3]), abs(c[-2]) + abs(c[-1])
        return last * where(last < before, last / before, 1.0) * DOUBTED

    def best(self, values: list[Real]) -> tuple[Real, Real, Real]:
        """Where the largest of the values at the ends of parts is, inside the step, it, and the drop beside it."""
        place, most, drop = self.real(0.0), self.real(-np.inf), self.real(0.0)
        for k, value in enumerate(values):
            inner = min(max(k, 1), PARTS - 1)
            more = value > most
            place, most = where(more, inner / PARTS, place), where(more, value, most)
            fall = values[inner] - self.smaller(values[inner - 1], values[inner + 1])
            drop = where(more, where(fall > 0.0, fall, 0.0), drop)
        return place, most, drop

    def top(self, c: list[Real], θ: Real) -> tuple[Real, Real, Real]:
        """Place of the top of a polynomial near θ, at most one part of the step away; its value and second derivative."""
        slopes, bends = ([self.dot(column, c) for column in table.T] for table in (_ONCE, _TWICE))
        low, high = θ - 1 / PARTS, θ + 1 / PARTS
        bend = self.real(0.0)
        for _ in range(CLOSER):
            P = self.legendre(θ)
            slope, bend = self.series(slopes, P), self.series(bends, P)
            θ = θ - where(bend < 0.0, slope / bend, 0.0)
            θ = where(θ < low, low, where(θ > high, high, θ))
        return θ, self.series(c, self.legendre(θ)), bend

    def series(self, c: list[Real], P: list[Real]) -> Real:
        total = c[0] * P[0]
        for x, p in zip(c[1:], P[1:], strict=True):
            total = total + x * p
        return total

    def legendre(self, θ: Real) -> list[Real]:
        x = θ * 2.0 - 1.0
        P = [self.real(1.0), x]
        for k in range(1, len(NODES) - 1):
            P.append(x * P[k] * ((2 * k + 1) / (k + 1)) - P[k - 1] * (k / (k + 1)))
        return P

    def smaller(self, x: Real, y: Real) -> Real:
        return where(x < y, x, y)
