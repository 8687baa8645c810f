"""Jacobians, and the linear systems of the iterations, in machine code.

y = (q, q̇) and f = (q̇, q̈), so ∂f/∂y = [[0, I], [P, D]] with P = ∂q̈/∂q and D = ∂q̈/∂q̇: positions are solved for alone,
and velocities follow. A Jacobian is stored as the columns of P, then those of D.
"""

from __future__ import annotations

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.coefficients import Table
from zeromass.integrate.methods.radau.lu import COMPLEX, REAL, Number, product
from zeromass.integrate.methods.radau.memory import Part, Slot
from zeromass.integrate.stepping.writer import CHUNK, INT, POINTER, function_pointer

UNITS = 10 * 2.0**-52
"""Relative rounding error of a state: that of its increments, and of what they add up to."""

IMAGINARY = 4
"""From the real part of an eigenvalue, or of a weight of its vector, in their tables to the imaginary one."""


class Jacobian(Part):
    """`jacobian(memory, t, y, out)`: ∂q̈/∂(q, q̇) at one state; returns 1 where the equations of motion have no solution.

    0 = r = (Q + C + Aᵀλ − M q̈, b − A q̈):   ∂r/∂(q̈, λ) ∂(q̈, λ)/∂(q, q̇) = −∂r/∂(q, q̇)

    products  whether ∂r/∂(q, q̇) may be found by products with directions: see `zeromass.compile.products`
    """

    n: ir.Value
    size: ir.Value
    pitch: ir.Value
    matrix: ir.Value
    pivots: ir.Value

    def __init__(self, module: ir.Module, target: Target, *, products: bool = False) -> None:
        super().__init__(module, target, "jacobian", {"t": POINTER, "y": POINTER, "out": POINTER}, INT)
        b, a = self.b, self.arguments
        self.n, stride = self.whole(Slot.coordinates), self.whole(Slot.stride)
        self.size, self.pitch = self.whole(Slot.unknowns), self.whole(Slot.unknowns_stride)
        self.matrix, self.pivots = self.array(Slot.equations), self.array(Slot.pivots)
        size, pitch, matrix = self.size, self.pitch, self.matrix
        self.copy(self.array(Slot.constants), matrix, self.times(self.whole(Slot.columns), pitch))
        entries = self.array(Slot.entries)
        tangent = b.inttoptr(self.whole(Slot.tangent), function_pointer(4))
        self.call(tangent, a["t"], a["y"], self.array(Slot.parameters), entries)
        with self.each(self.whole(Slot.entries_count)) as k:
            self.store(self.load(entries, k), matrix, self.index(Slot.entry_places, k))
        self.count(self.memory, Slot.jacobians)
        singular = self.called("factor_real", matrix, self.pivots, self.array(Slot.multipliers), size, pitch)
        with self.if_(b.icmp_signed("!=", singular, self.int(0))):
            b.ret(self.int(1))
        if products:
            with self.if_(self.holds(Slot.groups)):
                self.products()
        with self.each(self.whole(Slot.twice)) as j:
            x = self.row(matrix, self.plus(size, j), pitch)
            self.called("solve_real", matrix, self.pivots, x, size, pitch)
            column = self.row(a["out"], j, stride)
            with self.each(stride, step=CHUNK) as i:
                self.store_chunk(where(self.compared("<", i, self.n), -self.load_chunk(x, i), 0.0), column, i)
        b.ret(self.int(0))
        self.finish()

    def index(self, table: Slot, k: ir.Value) -> ir.Value:
        """The k-th of some places."""
        return self.b.load(self.at(self.array(table), k), typ=INT, align=8)

    def products(self) -> None:
        """∂r/∂(q, q̇) with (q̈, λ) fixed: K (q̈, λ) = −r₀, products with all directions, and their entries."""
        b, a, lanes, twice = self.b, self.arguments, self.whole(Slot.lanes), self.whole(Slot.twice)
        first = self.plus(self.size, twice)
        solution = self.row(self.matrix, first, self.pitch)
        self.called("solve_real", self.matrix, self.pivots, solution, self.size, self.pitch)
        inputs, state = self.array(Slot.inputs), self.int(1)
        known = self.plus(state, twice), self.plus(self.plus(state, twice), self.whole(Slot.parameters_count))
        self.spread(a["t"], state, inputs)
        self.spread(a["y"], twice, self.row(inputs, state, lanes))
        self.spread(self.array(Slot.parameters), self.whole(Slot.parameters_count), self.row(inputs, known[0], lanes))
        with self.each(b.sub(self.whole(Slot.columns), first)) as k:
            place = self.plus(known[1], self.times(k, self.size))
            self.spread(self.row(solution, k, self.pitch), self.size, self.row(inputs, place, lanes))
        product, found = b.inttoptr(self.whole(Slot.product), function_pointer(3)), self.array(Slot.products)
        with self.each(self.whole(Slot.groups)) as g:
            direction = self.row(self.array(Slot.seeds), g, self.times(twice, lanes))
            self.call(product, inputs, direction, self.row(found, g, self.times(self.size, lanes)))
        with self.each(self.whole(Slot.product_entries_count)) as k:
            entry = self.load(found, self.index(Slot.product_sources, k))
            self.store(entry, self.matrix, self.index(Slot.product_places, k))

    def spread(self, values: ir.Value, count: ir.Value, out: ir.Value) -> None:
        """Values, each in all lanes."""
        lanes = self.whole(Slot.lanes)
        with self.each(count) as i:
            value, row = self.load(values, i), self.row(out, i, lanes)
            with self.each(lanes) as lane:
                self.store(value, row, lane)


class Rounding(Part):
    """`rounding(memory, y, noise)`: accelerations that a rounding of y makes, at most, with the Jacobian that is known.

    |∂q̈/∂y| |y| units of rounding, behind the places of `noise`, which are zero.
    """

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "rounding", {"y": POINTER, "noise": POINTER}, ir.VoidType())
        n, stride, a = self.whole(Slot.coordinates), self.whole(Slot.stride), self.arguments
        jacobian = self.array(Slot.jacobian)
        with self.each(stride, step=CHUNK) as i:
            with self.summing(self.whole(Slot.twice), self.vector(0.0)) as (j, total):
                weight = self.splat(abs(self.load(a["y"], j)) * UNITS)
                column = abs(self.load_chunk(jacobian, self.plus(self.times(j, stride), i)))
                total.value = fma(weight, column, total.value)
            self.store_below(total.value, self.at(a["noise"], n), i, n)
        self.b.ret_void()
        self.finish()


class _Shifted(Part):
    """μ I − ∂f/∂y for one shift μ, an eigenvalue of A⁻¹ over h: μ real or complex."""

    kind: str
    parts: range
    n: ir.Value
    stride: ir.Value

    def __init__(
        self, module: ir.Module, target: Target, name: str, parts: int, arguments: dict[str, ir.Type], result: ir.Type
    ) -> None:
        self.kind, self.parts = "real" if parts == REAL else "complex", range(parts)
        super().__init__(module, target, f"{name}_{self.kind}", {"eigenvalue": POINTER, **arguments}, result)
        h = self.number(Slot.h)
        self.μ: Number = [self.load(self.arguments["eigenvalue"], part * IMAGINARY) / h for part in self.parts]
        self.n, self.stride = self.whole(Slot.coordinates), self.whole(Slot.stride)
        self.P = self.array(Slot.jacobian)
        self.D = self.row(self.P, self.n, self.stride)

    def times_μ(self, x: Number) -> Number:
        return product([self.splat(part) for part in self.μ], x)


class FactorShifted(_Shifted):
    """`factor_shifted_…(memory, eigenvalue, matrix, pivots)`: μ² I − μ D − P, factored; 1 where it is singular."""

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        super().__init__(module, target, "factor_shifted", parts, {"matrix": POINTER, "pivots": POINTER}, INT)
        b, a = self.b, self.arguments
        square = product(self.μ, self.μ)
        with self.each(self.n) as j:
            column = self.row(a["matrix"], j, self.times(self.stride, parts))
            P, D = (self.row(matrix, j, self.stride) for matrix in (self.P, self.D))
            with self.each(self.stride, step=CHUNK) as i:
                own, zero = self.compared("==", i, j), self.vector(0.0)
                rest = [-self.load_chunk(P, i), zero]
                for part in self.parts:
                    entry = fma(-self.load_chunk(D, i), self.splat(self.μ[part]), rest[part])
                    entry = entry + where(own, self.splat(square[part]), zero)
                    self.store_chunk(entry, column, self.plus(i, self.stride) if part else i)
        multipliers = self.array(Slot.multipliers)
        b.ret(self.called(f"factor_{self.kind}", a["matrix"], a["pivots"], multipliers, self.n, self.stride))
        self.finish()


class SolveShifted(_Shifted):
    """`solve_shifted_…(memory, eigenvalue, matrix, pivots, r)`: x of (μ I − ∂f/∂y) x = r in place of r.

    (μ² I − μ D − P) x_q = r_v + (μ I − D) r_q,   x_v = μ x_q − r_q
    """

    def __init__(self, module: ir.Module, target: Target, parts: int) -> None:
        arguments: dict[str, ir.Type] = {"matrix": POINTER, "pivots": POINTER, "r": POINTER}
        super().__init__(module, target, "solve_shifted", parts, arguments, ir.VoidType())
        b, a, n = self.b, self.arguments, self.n
        wide, x = self.whole(Slot.wide), self.array(Slot.right)
        rows = [self.row(a["r"], self.int(part), wide) for part in self.parts]
        with self.each(self.stride, step=CHUNK) as i:
            moved = self.times_μ([self.load_chunk(row, i) for row in rows])
            for part, row in enumerate(rows):
                total = self.load_chunk(row, self.plus(n, i)) + moved[part]
                total = self.weighted(total, n, row, self.D, self.stride, i, factor=-1.0)
                self.store_chunk(total, x, self.plus(i, self.stride) if part else i)
        self.called(f"solve_{self.kind}", a["matrix"], a["pivots"], x, n, self.stride)
        with self.each(self.stride, step=CHUNK) as i:
            x_q = [self.load_chunk(x, self.plus(i, self.stride) if part else i) for part in self.parts]
            x_v = self.times_μ(x_q)
            for part, row in enumerate(rows):
                velocity = x_v[part] - self.load_chunk(row, i)
                self.store_below(velocity, self.at(row, n), i, n)
                self.store_below(x_q[part], row, i, n)
        b.ret_void()
        self.finish()


class SignedRounding(Part):
    """`signed_rounding(memory, y, noise)`: what a rounding of y makes of a solution for the real shift, if less than noise.

        max over signs of |(γ/h − ∂f/∂y)⁻¹ (0, Σ_j ± ∂q̈/∂y_j |y_j|)| units of rounding

    Sizes are taken after the solution: a stiff spring pulls along itself, however its coordinates lie, and gives way there.
    The signs are those of the binary digits of j, and all alike: no two coordinates have the same in all of them.
    """

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "signed_rounding", {"y": POINTER, "noise": POINTER}, ir.VoidType())
        b, a, n, stride = self.b, self.arguments, self.whole(Slot.coordinates), self.whole(Slot.stride)
        twice, size, wide = (self.whole(slot) for slot in (Slot.twice, Slot.size, Slot.wide))
        row, most, jacobian = self.array(Slot.estimate), self.array(Slot.most_noise), self.array(Slot.jacobian)
        matrix, pivots = self.array(Slot.shifted_real), self.array(Slot.shifted_pivots)
        with self.each(wide, step=CHUNK) as i:
            self.store_chunk(self.vector(0.0), most, i)
        with self.each(self.whole(Slot.patterns)) as p:
            with self.each(wide, step=CHUNK) as i:
                self.store_chunk(self.vector(0.0), row, i)
            with self.each(stride, step=CHUNK) as i:
                with self.summing(twice, self.vector(0.0)) as (j, total):
                    minus = b.trunc(b.lshr(j, p), ir.IntType(1))
                    unit = self.real(b.select(minus, self.real(-UNITS).value, self.real(UNITS).value))
                    weight = self.splat(abs(self.load(a["y"], j)) * unit)
                    column = self.load_chunk(jacobian, self.plus(self.times(j, stride), i))
                    total.value = fma(weight, column, total.value)
                self.store_below(total.value, self.at(row, n), i, n)
            self.called("solve_shifted_real", self.memory, self.table(Table.eigenvalues), matrix, pivots, row)
            with self.each(size, step=CHUNK) as i:
                before, new = self.load_chunk(most, i), abs(self.load_chunk(row, i))
                self.store_chunk(where(new > before, new, before), most, i)
        with self.each(size, step=CHUNK) as i:
            bound, found = abs(self.load_chunk(a["noise"], i)), self.load_chunk(most, i)
            self.store_chunk(where(found < bound, found, bound), a["noise"], i)
        b.ret_void()
        self.finish()


class Coupled(Part):
    """`coupled(memory, fresh)`: x of Σ_j B_ij x_j − (∂f/∂y)_i x_i = r_i for all stages i, each with its own Jacobian.

    Σ_j ((B²)_ij I − B_ij D_i) x_qj − P_i x_qi = r_vi + Σ_j B_ij r_qj − D_i r_qi,   x_v = B x_q − r_q

    r are the defects of the stages, x goes to `change`; B = A⁻¹/h. Returns 1 where there is no solution. Without `fresh` the
    Jacobians are those of the last call in the step, and so are the factors.
    """

    n: ir.Value
    stride: ir.Value
    wide: ir.Value
    s: ir.Value
    matrix: ir.Value
    x: ir.Value
    rate: Real

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "coupled", {"fresh": INT}, INT)
        b = self.b
        self.n, self.stride, self.wide = (self.whole(slot) for slot in (Slot.coordinates, Slot.stride, Slot.wide))
        self.s, self.matrix, self.x = self.stages(), self.array(Slot.coupled), self.array(Slot.right)
        self.size: ir.Value = self.times(self.s, self.n)
        self.pitch: ir.Value = self.chunk_of(self.plus(self.size, 2 * CHUNK - 1))
        self.B, self.rate = self.table(Table.slope), 1.0 / self.number(Slot.h)
        with self.if_(b.icmp_signed("!=", self.arguments["fresh"], self.int(0))):
            self.factor()
        self.right()
        self.called("solve_real", self.matrix, self.array(Slot.pivots), self.x, self.size, self.pitch)
        self.solution()
        b.ret(self.int(0))
        self.finish()

    def factor(self) -> None:
        """The Jacobians of all stages, and the factors of their matrix."""
        b, pivots, multipliers = self.b, self.array(Slot.pivots), self.array(Slot.multipliers)
        with self.each(self.s) as i:
            time, state = self.at(self.array(Slot.times), i), self.row(self.array(Slot.states), i, self.wide)
            self.leave_if_singular(self.called("jacobian", self.memory, time, state, self.jacobian(i)))
        with self.each(self.size) as column:
            j = b.sdiv(column, self.n)
            self.fill(column, j, b.sub(column, self.times(j, self.n)))
        self.leave_if_singular(self.called("factor_real", self.matrix, pivots, multipliers, self.size, self.pitch))

    def leave_if_singular(self, status: ir.Value) -> None:
        with self.if_(self.b.icmp_signed("!=", status, self.int(0))):
            self.b.ret(self.int(1))

    def jacobian(self, i: ir.Value) -> ir.Value:
        return self.row(self.array(Slot.stage_jacobians), i, self.times(self.times(self.n, 2), self.stride))

    def damping(self, i: ir.Value) -> ir.Value:
        return self.row(self.jacobian(i), self.n, self.stride)

    def entry(self, matrix: Table | ir.Value, i: ir.Value, j: ir.Value) -> Real:
        place = self.table(matrix) if isinstance(matrix, Table) else matrix
        return self.load(self.row(place, i, CHUNK), j)

    def fill(self, column: ir.Value, j: ir.Value, l: ir.Value) -> None:
        """The column of x_qj's coordinate l; the zeros after a block of it are overwritten by the next one."""
        b, target = self.b, self.row(self.matrix, column, self.pitch)
        with self.each(self.s) as i:
            coupling = self.splat(-self.entry(self.B, i, j) * self.rate)
            square = self.splat(self.entry(Table.square, i, j) * self.rate * self.rate)
            own = self.splat(
                self.real(b.select(b.icmp_signed("==", i, j), self.real(-1.0).value, self.real(0.0).value))
            )
            D, P = (self.row(matrix, l, self.stride) for matrix in (self.damping(i), self.jacobian(i)))
            block = self.row(target, i, self.n)
            with self.each(self.stride, step=CHUNK) as k:
                value = fma(coupling, self.load_chunk(D, k), own * self.load_chunk(P, k))
                value = value + where(self.compared("==", k, l), square, 0.0)
                self.store_chunk(value, block, k)

    def right(self) -> None:
        defects = self.array(Slot.defects)
        with self.each(self.s) as i:
            r = self.row(defects, i, self.wide)
            with self.each(self.stride, step=CHUNK) as k:
                total = self.load_chunk(r, self.plus(self.n, k))
                total = self.weighted(total, self.s, self.row(self.B, i, CHUNK), defects, self.wide, k, self.rate)
                total = self.weighted(total, self.n, r, self.damping(i), self.stride, k, factor=-1.0)
                self.store_chunk(total, self.row(self.x, i, self.n), k)

    def solution(self) -> None:
        with self.each(self.s) as i:
            r, change = (self.row(self.array(slot), i, self.wide) for slot in (Slot.defects, Slot.change))
            with self.each(self.stride, step=CHUNK) as k:
                start = -self.load_chunk(r, k)
                x_v = self.weighted(start, self.s, self.row(self.B, i, CHUNK), self.x, self.n, k, self.rate)
                self.store_below(x_v, self.at(change, self.n), k, self.n)
                self.store_below(self.load_chunk(self.row(self.x, i, self.n), k), change, k, self.n)


def linear_parts(module: ir.Module, target: Target, *, products: bool = False) -> None:
    """The functions of this file in a module that has those of `lu`."""
    Jacobian(module, target, products=products)
    Rounding(module, target)
    for parts in (REAL, COMPLEX):
        FactorShifted(module, target, parts)
        SolveShifted(module, target, parts)
    SignedRounding(module, target)
    Coupled(module, target)
