"""Values at any times inside some steps: states by their polynomials, brought onto the constraints, and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.integrate.stepping.between import legendre_at
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.looks import Looks
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER


class Glances(Looks):
    """Values at `width` groups of times in each of `capacity` steps, in as many lanes as times of a group.

    times        (steps, width, lanes), within their steps; at the ends of these are the states that were recorded
    inside, q̈    room for the states of one group, and for their accelerations
    moved        how far states were brought onto the constraints, (steps, width, lanes)
    values       (steps, width, 1, lanes)
    t, y         at the ends of all steps of a run
    steps        numbers of the steps among those, and of their polynomials among these, (capacity, 2)
    table        where the polynomials are
    """

    name = "glances"
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **Looks.takes,
        **dict.fromkeys(("t", "y", "steps"), POINTER),
    }

    def look(self) -> None:
        b, a, order = self.b, self.arguments, self.order
        groups, inside = self.load_int(self.ints, Int64.width), a["inside"]
        polynomials = b.inttoptr(self.load_int(self.ints, Int64.table), POINTER)
        with self.loop(self.load_int(self.ints, Int64.capacity)) as s:
            of = b.mul(s, self.int(2))
            step, row = (b.load(self.cell(a["steps"], b.add(of, self.int(k))), typ=INT, align=8) for k in range(2))
            after = b.add(step, self.int(1))
            t0, t1 = (self.every(a["t"], place) for place in (step, after))
            begin, end = b.mul(step, order), b.mul(after, order)
            first = b.mul(row, b.mul(order, self.int(DEGREE + 1)))
            with self.loop(groups) as g:
                k = b.add(b.mul(s, groups), g)
                time = self.load(a["times"], k)
                P = legendre_at((time - t0) / (t1 - t0), self.real(1.0), DEGREE + 1)
                begins, ends = time.equals(t0), time.equals(t1)
                with self.loop(order) as i:
                    place, total = b.add(first, i), self.real(0.0)
                    for p in P:
                        total = total + p * self.every(polynomials, place)
                        place = b.add(place, order)
                    total = where(ends, self.every(a["y"], b.add(end, i)), total)
                    self.store(where(begins, self.every(a["y"], b.add(begin, i)), total), inside, i)
                self.look_at(k, inside, a["q̈"], lambda begins=begins, ends=ends: ~(begins | ends))

    def every(self, array: ir.Value, place: ir.Value) -> Real:
        """One number, in every lane."""
        x = self.b.load(self.cell(array, place), typ=DOUBLE, align=8)
        return self.real(x if self.members == 1 else self._spread(x, self.members))
