"""Polynomials inside many steps of the method of Dormand and Prince: they are taken again, several side by side in lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma
from zeromass.codegen.target import Target, host
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dense
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.dense import DEGREE, FIT, NODES
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import MachineCode, Workspace
from zeromass.integrate.stepping.writer import POINTER, function_pointer

MANY = 64
"""Steps from which on lanes are worth while: to make the system's code for them takes longer than to take few steps."""


class Dop853Inside(Dense):
    """Legendre's coefficients of the states in each of `capacity` steps, through those at `NODES`; a lane has the bits of a
    step alone.

    t, h          where the steps begin, and their lengths
    starts, ends  states, (steps, 2n)
    inside        the coefficients, (steps, DEGREE + 1, 2n)
    """

    name = "dop853_inside"
    side_by_side = True
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **dict.fromkeys(("reals", "ints", "y", "stages", "new", "scratch", "parameters", "record", "pivots"), POINTER),
        **dict.fromkeys(("t", "h", "starts", "ends", "inside"), POINTER),
        "rhs": function_pointer(6),
    }

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, a, order, lanes = self.b, self.arguments, self.order, self.members
        count = self.load_int(self.ints, Int64.capacity)
        with self.loop(count, lanes) as first:
            last, rows = b.sub(count, self.int(1)), [b.add(first, self.int(lane)) for lane in range(lanes)]
            rows = [b.select(b.icmp_signed("<", row, last), row, last) for row in rows]
            places = [b.mul(row, order) for row in rows]
            for place, name in ((Real64.t, "t"), (Real64.h, "h")):
                self.store(self.gathered(a[name], rows), self.reals, place)
            with self.loop(order) as i:
                for name, to in (("starts", "y"), ("ends", "new")):
                    self.store(self.gathered(a[name], [b.add(place, i) for place in places]), a[to], i)
            self.write(self.load(self.reals, Real64.t), self.load(self.reals, Real64.h), a["record"])
            with self.loop(order) as i:
                F = [self.load(a["record"], b.add(b.mul(self.int(k), self.size), i)) for k in range(DENSE_VECTORS)]
                start = self.load(a["y"], i)
                states = [start + self.along(F, θ) for θ in NODES.tolist()]
                for j, weights in enumerate(FIT.tolist()):
                    c = states[0] * weights[0]
                    for weight, state in zip(weights[1:], states[1:], strict=True):
                        c = fma(self.real(weight), state, c)
                    for lane, row in enumerate(rows):
                        there = b.mul(b.add(b.mul(row, self.int(len(FIT))), self.int(j)), order)
                        b.store(self.lane(c, lane), self.cell(a["inside"], b.add(there, i)), align=8)
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def along(self, F: list[Real], θ: float) -> Real:
        """y(t + θh) − y; see `Dense`."""
        total = F[-1] * θ
        for k in reversed(range(len(F) - 1)):
            total = (total + F[k]) * (θ if k % 2 == 0 else 1.0 - θ)
        return total

    def derivative(self, time: Real, y: ir.Value, stage: int) -> None:
        """In lanes the system's code gives accelerations alone: the rates before them are those of the state."""
        if self.members == 1:
            return super().derivative(time, y, stage)
        n, a = self.coordinates, self.arguments
        self.store(time, self.reals, Real64.stage_time)
        slopes = self.at(a["stages"], self.b.mul(self.int(stage), self.size))
        with self.loop(n) as i:
            self.store(self.load(y, self.b.add(n, i)), slopes, i)
        clock, quality = (self.at(self.reals, place) for place in (Real64.stage_time, Real64.growth))
        self.call(a["rhs"], clock, y, a["parameters"], self.at(slopes, n), quality, a["pivots"])
        return None

    def lane(self, x: Real, lane: int) -> ir.Value:
        return x.value if self.members == 1 else self.b.extract_element(x.value, ir.Constant(ir.IntType(32), lane))


class Inside:
    """What gives polynomials inside steps that a code took, again and again: the memory for it.

    work  whose state has the same length and parameters
    """

    def __init__(self, work: Workspace, code: MachineCode, lanes: int) -> None:
        size, pivots = work.size, max(code.pivots, 1)
        self._code, self._lanes, self._order = code, lanes, work.order
        reals, self._ints = np.zeros((len(Real64), lanes)), np.zeros(len(Int64), dtype=np.int64)
        self._ints[Int64.coordinates], self._ints[Int64.size] = work.order // 2, size
        self._ints[Int64.pivots] = code.pivots
        y, new, scratch = np.ones((3, size, lanes))
        stages, record = np.zeros((EXTENDED * size, lanes)), np.zeros((DENSE_VECTORS * size, lanes))
        values, told = np.repeat(work.values, lanes), np.zeros((pivots, lanes))
        self._room = (reals, self._ints, y, stages, new, scratch, values, record, told)
        self.held: int = sum(x.nbytes for x in self._room)

    def __call__(self, t: np.ndarray, h: np.ndarray, *ends: np.ndarray) -> np.ndarray:
        """Of k steps of lengths h from t on between `ends`: Legendre's coefficients, shape (k, DEGREE + 1, 2n)."""
        inside = np.empty((len(t), DEGREE + 1, self._order))
        self._ints[Int64.capacity] = len(t)
        arrays = (*self._room, *[np.ascontiguousarray(x) for x in (t, h, *ends)], inside)
        rhs = self._code.rhs(self._lanes)
        called(Dop853Inside, host().lanes(self._lanes), self._code.busy, arrays, [(rhs, "rhs")])()
        return inside
