"""States at the places of a survey from the polynomials of steps, in machine code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real
from zeromass.codegen.target import Target, host
from zeromass.integrate.methods.collocation.coefficients import STAGES, C
from zeromass.integrate.stepping.between import legendre_at
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.kernel import Routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import INT, POINTER, VECTOR


def place_states(polynomials: np.ndarray, ends: np.ndarray, slots: np.ndarray, inside: np.ndarray) -> None:
    """Puts states at Radau's places into some of the slots of `inside`, shape (slots, 8 / side, 2n, side).

    polynomials  Legendre's coefficients, shape (k, DEGREE + 1, 2n)
    ends         states at the ends of the steps, which the last place is, shape (k, 2n)
    """
    ints = np.zeros(len(Int64), dtype=np.int64)
    ints[Int64.capacity], ints[Int64.coordinates] = len(slots), ends.shape[1] // 2
    given = [np.ascontiguousarray(x) for x in (polynomials, ends, slots)]
    called(Placed, host().lanes(inside.shape[3]), False, (ints, ints, *given, inside), [])()


class Placed(Routine):
    """The loop over steps, and in it over the numbers of a state; the sums are those of `states_between`, to the bit."""

    name = "placed"
    takes: ClassVar[Mapping[str, ir.Type]] = dict.fromkeys(
        ("reals", "ints", "polynomials", "ends", "slots", "inside"), POINTER
    )

    def __init__(self, module: ir.Module, target: Target) -> None:
        self.side: int = target.width
        super().__init__(module, target)
        b, a, order = self.b, self.arguments, self.order
        P = legendre_at(self.vector(ir.Constant(VECTOR, list(C))), self.vector(1.0), DEGREE + 1)
        with self.loop(self.load_int(self.ints, Int64.capacity)) as k:
            slot = b.load(self.cell(a["slots"], k), typ=INT, align=8)
            state = self.at(a["inside"], b.mul(slot, b.mul(order, self.int(STAGES))))
            first = b.mul(k, b.mul(order, self.int(DEGREE + 1)))
            with self.loop(order) as i:
                place, total = b.add(first, i), self.vector(0.0)
                for p in P:
                    total = total + p * self.splat(self.load(a["polynomials"], place))
                    place = b.add(place, order)
                end = self.load(a["ends"], b.add(b.mul(k, order), i))
                whole = b.insert_element(total.value, end.value, ir.Constant(ir.IntType(32), STAGES - 1))
                self.put(self.vector(whole), state, i)
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def put(self, x: Real, state: ir.Value, i: ir.Value) -> None:
        """The i-th numbers of the states at all places, `side` of them beside one another."""
        b, side = self.b, self.side
        for group in range(STAGES // side):
            row = b.mul(b.add(b.mul(self.int(group), self.order), i), self.int(side))
            places = list(range(group * side, (group + 1) * side))
            if side == 1:
                part: ir.Value = b.extract_element(x.value, ir.Constant(ir.IntType(32), group))
            else:
                part = self._shuffled(x.value, places)
            b.store(part, self.cell(state, row), align=8)
