"""The linear systems of simplified iterations, with one Jacobian for all stages, in machine code [HW1996, §IV.8]."""

from __future__ import annotations

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.coefficients import Table
from zeromass.integrate.methods.radau.linear import IMAGINARY
from zeromass.integrate.methods.radau.memory import OnMemory, Part, Slot
from zeromass.integrate.stepping.writer import CHUNK, INT


class Prepare(Part):
    """`prepare(memory)`: the Jacobian, and A⁻¹/h − ∂f/∂y factored in the basis of the eigenvectors of A; 1 if singular.

    The Jacobian may be that of an earlier state. While exact iterations go on, only the matrix of the real eigenvector is
    made, which the error estimate needs.
    """

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "prepare", {}, INT)
        b = self.b
        with self.if_(b.not_(self.holds(Slot.jacobian_known))):
            time, y, out = self.at(self.memory, Slot.t), self.array(Slot.y), self.array(Slot.jacobian)
            self.leave_if(self.called("jacobian", self.memory, time, y, out))
            for slot, value in ((Slot.jacobian_known, 1), (Slot.fresh, 1), (Slot.factored, 0)):
                self.keep_whole(value, slot)
        s, h = self.stages(), self.number(Slot.h)
        pairs = b.sdiv(s, self.int(2))
        wanted = b.select(self.holds(Slot.exact), self.int(1), self.plus(pairs, 1))
        same = b.icmp_signed("==", s, self.whole(Slot.factored_stages))
        same = b.and_(same, h.equals(self.number(Slot.factored_step)).value)
        with self.if_(b.and_(same, b.icmp_signed(">=", self.whole(Slot.factored), wanted))):
            b.ret(self.int(0))
        self.keep_whole(0, Slot.factored)
        eigenvalues, n = self.table(Table.eigenvalues), self.whole(Slot.coordinates)
        matrix, pivots = self.array(Slot.shifted_real), self.array(Slot.shifted_pivots)
        self.leave_if(self.called("factor_shifted_real", self.memory, eigenvalues, matrix, pivots))
        with self.each(wanted, 1) as k:
            matrix, place = complex_matrix(self, k), self.row(pivots, k, n)
            self.leave_if(self.called("factor_shifted_complex", self.memory, self.at(eigenvalues, k), matrix, place))
        self.keep_whole(wanted, Slot.factored)
        self.keep_whole(s, Slot.factored_stages)
        self.keep(h, Slot.factored_step)
        b.ret(self.int(0))
        self.finish()

    def leave_if(self, singular: ir.Value) -> None:
        with self.if_(self.b.icmp_signed("!=", singular, self.int(0))):
            self.b.ret(self.int(1))


def complex_matrix(writer: OnMemory, k: ir.Value) -> ir.Value:
    """Address of the matrix of the eigenvalue k."""
    n, stride = writer.whole(Slot.coordinates), writer.whole(Slot.stride)
    return writer.row(writer.array(Slot.shifted_complex), k, writer.times(writer.times(n, stride), 2))


class Simplified(Part):
    """`simplified(memory)`: (A⁻¹/h − ∂f/∂y) x = r for all stages, with one Jacobian, in the basis of the eigenvectors.

    r are the defects of the stages, x goes to `change`.
    """

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "simplified", {}, ir.VoidType())
        b = self.b
        s, wide, size = self.stages(), self.whole(Slot.wide), self.whole(Slot.size)
        shifts = self.plus(b.sdiv(s, self.int(2)), 1)
        spectral, zero = self.array(Slot.spectral), self.vector(0.0)
        parts = self.times(shifts, 2)
        with self.each(parts) as k:
            weights, row = self.row(self.table(Table.into), k, CHUNK), self.row(spectral, k, wide)
            with self.each(size, step=CHUNK) as i:
                self.store_chunk(self.weighted(zero, s, weights, self.array(Slot.defects), wide, i), row, i)
        eigenvalues, pivots = self.table(Table.eigenvalues), self.array(Slot.shifted_pivots)
        real = self.array(Slot.shifted_real)
        self.called("solve_shifted_real", self.memory, eigenvalues, real, pivots, spectral)
        n = self.whole(Slot.coordinates)
        with self.each(shifts, 1) as k:
            right, place = self.row(spectral, k, self.times(wide, 2)), self.row(pivots, k, n)
            matrix = complex_matrix(self, k)
            self.called("solve_shifted_complex", self.memory, self.at(eigenvalues, k), matrix, place, right)
        double = self.times(wide, 2)
        # imaginary parts of the pairs alone: the real eigenvector has none
        pairs, imaginary = b.sub(shifts, self.int(1)), self.row(spectral, self.int(3), wide)
        with self.each(s) as j:
            weights, row = self.row(self.table(Table.out), j, CHUNK), self.row(self.array(Slot.change), j, wide)
            with self.each(size, step=CHUNK) as i:
                total = self.weighted(zero, shifts, weights, spectral, double, i)
                rest = self.weighted(zero, pairs, self.at(weights, IMAGINARY + 1), imaginary, double, i)
                self.store_chunk(total - rest, row, i)
        b.ret_void()
        self.finish()


def simplified_parts(module: ir.Module, target: Target) -> None:
    """The functions of this file in a module that has those of `lu` and `linear`."""
    Prepare(module, target)
    Simplified(module, target)
