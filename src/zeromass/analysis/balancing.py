"""The energy of steps against the work until the same places in them, as machine code."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from math import inf, nan
from typing import ClassVar

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.collocation.coefficients import ONCE, PARTS, STAGES
from zeromass.integrate.stepping.kernel import Routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import POINTER, VECTOR

END = STAGES - 1

LOOKED_AT = 4
"""Values at each place: energy, kinetic energy, power of applied forces and of constraints."""


class Sums(IntEnum):
    """Places of what is carried from some steps to the next.

    energy       at the start of the run
    applied      work of forces without potential until here, and of the constraints
    gap, inside  largest |change − work|, at the ends of steps and between them
    kinetic      largest kinetic energy
    size         largest sum of both energies, without sign
    turned       largest change of the energy, or work
    """

    energy = 0
    applied = 1
    constraint = 2
    gap = 3
    inside = 4
    kinetic = 5
    size = 6
    turned = 7


class Balance(Routine):
    """Carries `Sums`, in `reals`, over `capacity` steps from the step `recorded` on.

    t       ends of all steps
    values  as `Looks` writes them
    rows    time, change of the energy, and both works, at the end of each step

    Powers of which the bits of `events` say so are not zero: ∫₀^θ of the polynomial through their values is the work.
    """

    name: ClassVar[str] = "balance"
    takes: ClassVar[Mapping[str, ir.Type]] = dict.fromkeys(("reals", "ints", "t", "values", "rows"), POINTER)

    def __init__(self, module: ir.Module, target: Target) -> None:
        self.side: int = target.width
        super().__init__(module, target)
        b, a, ints = self.b, self.arguments, self.ints
        first, flags = (self.load_int(ints, place) for place in (Int64.recorded, Int64.events))
        energy = self.load(self.reals, Sums.energy)
        largest = [
            self.splat(self.load(self.reals, place)) for place in (Sums.inside, Sums.kinetic, Sums.size, Sums.turned)
        ]
        starts = [self.load(self.reals, Sums.gap), *largest]
        with self.sums(self.load_int(ints, Int64.capacity), starts) as (k, sums):
            gap, inside, kinetic, size, turned = sums
            E, T, *powers = [self.eight(k, j) for j in range(LOOKED_AT)]
            step = b.add(first, k)
            now, then = self.load(a["t"], step), self.load(a["t"], b.add(step, self.int(1)))
            works, missed = self.works(powers, then - now, flags)
            change = E - self.splat(energy)
            apart = abs(change - (works[0] + works[1]))
            gap.value = self.larger(self.part(apart, END), gap.value)
            missing = self.vector(b.insert_element(self.splat(missed).value, self.real(inf).value, self.index(END)))
            inside.value = self.larger(apart - missing, inside.value)
            kinetic.value = self.larger(abs(T), kinetic.value)
            size.value = self.larger(abs(E - T) + abs(T), size.value)
            for x in (change, *works):
                turned.value = self.larger(abs(x), turned.value)
            row = self.at(a["rows"], b.mul(k, self.int(LOOKED_AT)))
            for place, x in enumerate((then, *[self.part(x, END) for x in (change, *works)])):
                self.store(x, row, place)
            for place, x in zip((Sums.applied, Sums.constraint), works, strict=True):
                self.store(self.part(x, END), self.reals, place)
        self.store(sums[0].value, self.reals, Sums.gap)
        for place, total in zip((Sums.inside, Sums.kinetic, Sums.size, Sums.turned), sums[1:], strict=True):
            self.store(self.largest(total.value), self.reals, place)
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def works(self, powers: list[Real], h: Real, flags: ir.Value) -> tuple[list[Real], Real]:
        """Works until the eight places of a step, and what the rule may miss: the last two Legendre's coefficients."""
        b = self.b
        missed = self.variable(self.real_type, "missed")
        self.store(0.0, missed)
        found: list[Real] = []
        columns = [self.vector(ir.Constant(VECTOR, list(column))) for column in zip(*ONCE, strict=True)]
        tails = [self.vector(ir.Constant(VECTOR, [parts[m] for parts in PARTS])) for m in (END - 1, END)]
        for bit, place, power in zip((1, 2), (Sums.applied, Sums.constraint), powers, strict=True):
            work = self.variable(VECTOR, "work")
            b.store(self.splat(self.load(self.reals, place)).value, work)
            with self.if_(b.icmp_signed("!=", b.and_(flags, self.int(bit)), self.int(0))):
                total = self.splat(self.part(power, 0)) * columns[0]
                for j in range(1, STAGES):
                    total = fma(self.splat(self.part(power, j)), columns[j], total)
                done = self.vector(b.load(work, typ=VECTOR))
                b.store(fma(total, self.splat(h), done).value, work)
                tail = abs(self.total(power * tails[0])) + abs(self.total(power * tails[1]))
                self.store(self.load(missed) + abs(h) * tail, missed)
            found.append(self.vector(b.load(work, typ=VECTOR)))
        return found, self.load(missed)

    def larger(self, x: Real, y: Real) -> Real:
        """The larger, or not a number if one of them is none."""
        most = where(x > y, x, y)
        return where(x.is_nan(), nan, most) if most.on.type != VECTOR else where(x.is_nan(), self.vector(nan), most)

    def largest(self, x: Real) -> Real:
        parts = [self.part(x, k) for k in range(STAGES)]
        while len(parts) > 1:
            parts = [self.larger(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    def part(self, x: Real, k: int) -> Real:
        return self.real(self.b.extract_element(x.value, self.index(k)))

    def index(self, k: int) -> ir.Constant:
        return ir.Constant(ir.IntType(32), k)

    def eight(self, k: ir.Value, j: int) -> Real:
        """One of the values at all places of a step."""
        b, values, groups = self.b, self.arguments["values"], STAGES // self.side
        first = b.mul(k, self.int(STAGES * LOOKED_AT))
        if groups == 1:
            return self.load_chunk(values, b.add(first, self.int(STAGES * j)))
        found = ir.Constant(VECTOR, ir.Undefined)
        for place in range(STAGES):
            group, lane = divmod(place, self.side)
            at = b.add(first, self.int((group * LOOKED_AT + j) * self.side + lane))
            found = b.insert_element(found, self.load(values, at).value, self.index(place))
        return self.vector(found)


def began(energy: float) -> np.ndarray:
    """`Sums` of a run that begins with an energy."""
    sums = np.zeros(len(Sums))
    sums[Sums.energy] = energy
    return sums
