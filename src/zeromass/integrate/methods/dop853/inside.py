"""States inside many steps of the method of Dormand and Prince: the steps are taken again, several side by side in lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from zeromass.compile import ir
from zeromass.compile.elementary.arithmetic import Real
from zeromass.compile.target import Target, host
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dense
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.dense import NODES
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import MachineCode, Workspace
from zeromass.integrate.stepping.writer import DOUBLE, POINTER, function_pointer

MANY = 64
"""Steps from which on lanes are worth while: to make the system's code for them takes longer than to take few steps."""


class Dop853Inside(Dense):
    """States at `NODES` in each of `capacity` steps; a lane has the bits of a step alone.

    t, h          where the steps begin, and their lengths
    starts, ends  states, (steps, 2n)
    inside        states at the nodes, (steps, nodes, 2n)
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
                for node, θ in enumerate(NODES.tolist()):
                    inside = start + self.along(F, θ)
                    for lane, row in enumerate(rows):
                        there = b.mul(b.add(b.mul(row, self.int(len(NODES))), self.int(node)), order)
                        b.store(self.lane(inside, lane), self.cell(a["inside"], b.add(there, i)), align=8)
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

    def gathered(self, array: ir.Value, places: list[ir.Value]) -> Real:
        """Numbers that stand apart, one in each lane."""
        values = [self.b.load(self.cell(array, place), typ=DOUBLE, align=8) for place in places]
        if self.members == 1:
            return self.real(values[0])
        found = ir.Constant(self.real_type, ir.Undefined)
        for lane, value in enumerate(values):
            found = self.b.insert_element(found, value, ir.Constant(ir.IntType(32), lane))
        return self.real(found)

    def lane(self, x: Real, lane: int) -> ir.Value:
        return x.value if self.members == 1 else self.b.extract_element(x.value, ir.Constant(ir.IntType(32), lane))


def states_inside(work: Workspace, code: MachineCode, t: np.ndarray, h: np.ndarray, *ends: np.ndarray) -> np.ndarray:
    """States at `NODES` in k steps of lengths h from t on, which a code took between `ends`, shape (k, nodes, 2n)."""
    lanes = host().width if len(t) >= MANY else 1
    size, pivots = work.size, max(code.pivots, 1)
    reals, ints = np.zeros((len(Real64), lanes)), np.zeros(len(Int64), dtype=np.int64)
    ints[Int64.coordinates], ints[Int64.size] = work.order // 2, size
    ints[Int64.capacity], ints[Int64.pivots] = len(t), code.pivots
    y, new, scratch = np.ones((3, size, lanes))
    room = np.zeros((EXTENDED * size, lanes)), np.zeros((DENSE_VECTORS * size, lanes)), np.zeros((pivots, lanes))
    stages, record, told = room
    values, inside = np.repeat(work.values, lanes), np.empty((len(t), len(NODES), work.order))
    given = [np.ascontiguousarray(x) for x in (t, h, *ends)]
    arrays = (reals, ints, y, stages, new, scratch, values, record, told, *given, inside)
    called(Dop853Inside, host().lanes(lanes), code.busy, arrays, [(code.rhs(lanes), "rhs")])()
    return inside
