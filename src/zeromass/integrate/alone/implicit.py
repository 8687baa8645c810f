"""Stiff motions without Python: steps of Radau's methods, and what is inside of them.

The machine code is that of `methods/radau`. What it keeps is a list of numbers and addresses, which is written here when a
motion begins; the increments of a step, which tell its inside, stand in its row of the record, before its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real
from zeromass.codegen.target import Target
from zeromass.integrate.alone import begin, inside, motion
from zeromass.integrate.alone.memory import Alone, Count
from zeromass.integrate.methods.radau.coefficients import MOST, Table, coefficients, table
from zeromass.integrate.methods.radau.increments import KEPT
from zeromass.integrate.methods.radau.kernel import RadauAdvance
from zeromass.integrate.methods.radau.memory import Memory, Slot
from zeromass.integrate.methods.radau.stepper import ORDERS
from zeromass.integrate.stepping.kernel import Project
from zeromass.integrate.stepping.layout import ARGUMENTS, HEAD, Int64, Real64
from zeromass.integrate.stepping.writer import INT, POINTER

ENDLESS = 2**62
"""Room for increments: a row of the record has it for those of its step."""

FIXED = ("tables", "constants", "entry_places")
"""Arrays of the list that stay as they are."""

OWN = {"reals": "reals", "ints": "ints", "parameters": "parameters", "y": "y", "multiplier_pivots": "pivots"}
"""Arrays of the motion that the list points to, by their names in it."""

CALLED = ("rhs", "tangent")
"""Functions of the program that it points to."""


def kept(coordinates: int) -> int:
    """Values that the record keeps of the inside of a step: its length, the place of its method, and its increments."""
    return KEPT + MOST * 2 * coordinates


class RadauRecorded(RadauAdvance):
    """Steps of Radau's methods whose increments stand in the record itself."""

    name = "radau_recorded"

    def before_state(self, width: ir.Value) -> ir.Value:
        return self.b.sub(width, self.order)

    def room(self, used: ir.Value) -> ir.Value:
        rows, width = self.load_int(self.ints, Int64.recorded), self.load_int(self.ints, Int64.width)
        return self.at(self.row(self.arguments["record"], rows, width), HEAD)


METHOD = (RadauRecorded, Project)
"""Routines of the stepping method, which are copied to where they are called."""


def written(module: ir.Module, tangent: tuple[np.ndarray, np.ndarray], target: Target) -> str:
    """LLVM IR of the method; its memory is declared in the module of what drives it.

    tangent  constant entries of the program's tangent, and where the others are
    """
    constants, places = tangent
    coordinates = (constants.shape[1] - constants.shape[0]) // 2
    memory = Memory(coordinates, MOST)
    memory.equations(constants, places)
    memory.point(tables=np.array([table(coefficients(order)) for order in ORDERS]))
    memory.set_whole(places=len(ORDERS), capacity=ENDLESS)
    arrays = {slot.name: memory.array(slot) for slot in Slot if slot in memory.arrays}
    numbers = [0 if slot.name in arrays else memory.whole(slot) for slot in Slot]
    declared = {"radau": np.zeros(len(Slot)), "radau_first": np.array(numbers)}
    for name, values in (declared | {f"radau_{name}": array for name, array in arrays.items()}).items():
        fixed = name == "radau_first" or name.removeprefix("radau_") in FIXED
        place: Any = ir.GlobalVariable(module, ir.ArrayType(INT, values.size), name)
        bits = np.ascontiguousarray(values).view(np.int64).ravel().tolist() if fixed else None
        place.initializer, place.align = ir.Constant(place.value_type, bits), 16
        place.global_constant, place.type = fixed, POINTER
    ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER] * 4), "tangent")
    ir.Function(module, ir.FunctionType(INT, list(ARGUMENTS.values())), RadauRecorded.name)
    own = ir.Module("radau")
    RadauRecorded.emit(own, target)
    for function in own.globals.values():
        if isinstance(function, ir.Function) and function.blocks and function.name != RadauRecorded.name:
            function.linkage = "internal"  # the names of some are those of arrays there
    return str(own)


class Listed(Alone):
    """`listed()`: the list as a motion begins with it; all that it points to is zero."""

    name = "listed"

    def written(self) -> None:
        b, found = self.b, self.module.globals
        numbers = found["radau"]
        for slot in Slot:
            array = found.get(f"radau_{slot.name}")
            own = found[OWN.get(slot.name, slot.name)] if slot.name in (*OWN, *CALLED) else array
            first = self.load_int(found["radau_first"], slot)
            self.store_int(first if own is None else b.ptrtoint(own, INT), numbers, slot)
            if isinstance(array, ir.GlobalVariable) and slot.name not in FIXED:
                with self.loop(self.int(array.value_type.count)) as i:
                    self.store(0.0, array, i)
        self.answer(0)


class Begin(begin.Begin):
    """See `begin.Begin`."""

    def settled(self, t: Real) -> None:
        super().settled(t)
        self.result_of("listed")


class Resume(begin.Resume, Begin):
    """See `begin.Resume`."""


class Go(motion.Go):
    """See `motion.Go`."""

    def stepped(self) -> ir.Value:
        return self.routine(RadauRecorded.name, stages=self.module.globals["radau"])


class Open(inside.Open):
    """See `inside.Open`: the increments are there."""

    def dense(self) -> None:
        pass


class Inside(inside.Inside):
    """`inside(t)`: see `inside.Inside`.

    u(x) = y + Σ_j w_j Z_j Π_{k ≠ j} (x − x_k),   x_0 = 0, x_k = c_k in the step
    """

    def course(self, t: Real, state: ir.Value) -> None:
        b, memory = self.b, self.memory
        step = self.at(self.row_of(self.load_int(self.counts, Count.opened)), HEAD)
        x = (t - self.load(memory["inner_reals"], Real64.t)) / self.load(step)
        place = b.fptosi(self.load(step, 1).value, INT)
        numbers = self.at(self.module.globals["radau_tables"], b.mul(place, self.int(Table.end)))
        s = self.load_int(numbers, Table.stages)
        self.copied(memory["inner_y"], state)
        with self.loop(s) as j:
            first = self.load(self.at(numbers, Table.weights), j) * x
            with self.summing(s, first) as (k, share):
                distance = x - self.load(self.at(numbers, Table.c), k)
                other = b.icmp_signed("!=", j, k)
                share.value = share.value * self.real(b.select(other, distance.value, self.real(1.0).value))
            Z = self.at(step, b.add(b.mul(j, self.order), self.int(KEPT)))
            with self.loop(self.order) as i:
                self.store(self.load(state, i) + share.value * self.load(Z, i), state, i)


INSTEAD: Mapping[type, Any] = {
    begin.Begin: Begin,
    begin.Resume: Resume,
    motion.Go: Go,
    inside.Open: Open,
    inside.Inside: Inside,
}
"""Functions of stiff motions, by those that they replace."""
