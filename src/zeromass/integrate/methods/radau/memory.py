"""What the machine code of Radau's methods keeps: one list of numbers and addresses, each by its name.

A state, a slope or an increment is a row of `wide` values, (q, q̇) and zeros; `wide` is so much more than 2n that a chunk
of the velocities that begins with any of them stays within the row. A matrix is stored by columns, see `lu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, auto

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.compile.products import Products
from zeromass.integrate.methods.radau.coefficients import Table
from zeromass.integrate.methods.radau.loops import Loops
from zeromass.integrate.stepping.layout import LOWEST, Int64
from zeromass.integrate.stepping.writer import CHUNK, POINTER, VECTOR, function_pointer


class Slot(IntEnum):
    """Places in the list."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count

    # sizes
    coordinates = auto()
    twice = auto()
    size = auto()  # 2n in whole chunks
    wide = auto()  # length of a row
    stride = auto()  # n in whole chunks
    patterns = auto()  # of signs, for what rounding makes
    unknowns = auto()  # of the equations of motion: accelerations and multipliers
    unknowns_stride = auto()
    columns = auto()  # of the matrix that holds the equations and their derivatives
    entries_count = auto()
    # products with directions, see `zeromass.compile.products`
    lanes = auto()
    groups = auto()
    parameters_count = auto()
    product_entries_count = auto()
    # the step being tried
    t = auto()
    h = auto()
    error = auto()
    iterations = auto()
    rate = auto()  # by what the simplified corrections shrank at first; 0 if one was enough, and for exact ones
    converged = auto()
    finite = auto()  # whether every formula had a finite value in the iterations
    growth = auto()
    # what is kept from step to step
    place = auto()  # of the method among those to choose from
    places = auto()  # how many there are
    waited = auto()  # steps since the order was changed
    before_step = auto()  # length of the step before, 0 if the order was another
    before_error = auto()
    jacobian_known = auto()
    fresh = auto()  # whether the Jacobian is that of the current state
    exact = auto()  # steps for which exact iterations go on
    factored = auto()  # shifts whose matrices are factored, 0 if none
    factored_stages = auto()
    factored_step = auto()
    jacobians = auto()
    last_stages = auto()  # of the last accepted step; 0 before the first
    last_place = auto()  # of its method
    last_start = auto()
    last_step = auto()
    used = auto()  # values in the record of increments
    capacity = auto()
    # addresses
    reals = auto()
    ints = auto()
    parameters = auto()
    rhs = auto()
    tangent = auto()
    y = auto()
    tables = auto()
    times = auto()
    slope = auto()
    ahead = auto()
    guess = auto()
    Z = auto()
    states = auto()
    defects = auto()
    change = auto()
    spectral = auto()
    scale = auto()
    noise = auto()
    most_noise = auto()
    estimate = auto()
    last_y = auto()
    last_Z = auto()
    shares = auto()
    jacobian = auto()
    stage_jacobians = auto()
    constants = auto()
    entries = auto()
    entry_places = auto()
    equations = auto()
    product = auto()
    inputs = auto()
    seeds = auto()
    products = auto()
    product_sources = auto()
    product_places = auto()
    pivots = auto()
    multipliers = auto()
    multiplier_pivots = auto()
    right = auto()
    shifted_real = auto()
    shifted_complex = auto()
    shifted_pivots = auto()
    coupled = auto()
    increments = auto()
    offsets = auto()
    # functions of Python, see `outside`
    call_jacobian = auto()
    call_rounding = auto()
    call_factor = auto()
    call_solve = auto()


def padded(count: int) -> int:
    """A number of values in whole chunks."""
    return -(-count // CHUNK) * CHUNK


class Memory:
    """The list, and the arrays it points to, for systems with n coordinates and methods of up to s stages.

    outside  whether linear systems are solved elsewhere, and their matrices need no room
    """

    def __init__(self, n: int, s: int, *, outside: bool = False) -> None:
        self.values: np.ndarray = np.zeros(len(Slot))
        self.arrays: dict[Slot, np.ndarray] = {}
        m, k = 2 * n, (s + 1) // 2
        wide, stride, coupled = padded(m + CHUNK - 1), padded(n), padded(s * n + CHUNK)
        self.set_whole(coordinates=n, twice=m, size=padded(m), wide=wide, stride=stride)
        self.set_whole(patterns=(m - 1).bit_length() + 1)
        rows = {"guess", "Z", "states", "defects", "change", "last_Z"}
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(rows, (s, wide))
        shapes |= dict.fromkeys(("slope", "ahead", "scale", "noise", "most_noise", "estimate", "last_y"), (wide,))
        shapes |= {"times": (CHUNK,), "shares": (CHUNK,), "spectral": (k, 2, wide)}
        if not outside:
            shapes |= {"jacobian": (m, stride), "stage_jacobians": (s, m, stride)}
            shapes |= {"shifted_real": (n, stride), "shifted_complex": (k, n, 2, stride), "coupled": (s * n, coupled)}
        self.point(**{name: np.zeros(shape) for name, shape in shapes.items()})
        self.point(shifted_pivots=np.zeros((k, n), dtype=np.int64))
        self._longest = coupled

    def equations(self, constants: np.ndarray, places: np.ndarray) -> None:
        """Takes the entries of ∂r/∂(q̈, λ, q, q̇), of which those at `places` are not constant; see `Native.tangent`."""
        size, columns = constants.shape
        stride = padded(size)
        fixed = np.zeros((columns, stride))
        fixed[:, :size] = constants.T
        rows, cols = np.nonzero(places)
        longest = max(stride, self._longest)
        self.set_whole(unknowns=size, unknowns_stride=stride, columns=columns, entries_count=len(rows))
        self.point(constants=fixed, equations=np.zeros_like(fixed), entries=np.zeros(len(rows) + 1))
        self.point(entry_places=(cols * stride + rows).astype(np.int64), pivots=np.zeros(longest, dtype=np.int64))
        self.point(multipliers=np.zeros(2 * longest), right=np.zeros(2 * longest))

    def products(self, found: Products, parameters: int) -> None:
        """Takes the directions of products with ∂r/∂(q, q̇), and where its entries are among these."""
        groups, variables, lanes = found.seeds.shape
        size, stride = self.whole(Slot.unknowns), self.whole(Slot.unknowns_stride)
        columns = self.whole(Slot.columns) - size - variables
        targets = (size + found.columns) * stride + found.rows
        self.set_whole(lanes=lanes, groups=groups, parameters_count=parameters, product_entries_count=len(targets))
        self.point(inputs=np.zeros((1 + variables + parameters + columns * size, lanes)), seeds=found.seeds)
        self.point(products=np.zeros((groups, size, lanes)), product_sources=found.places, product_places=targets)

    def whole(self, slot: Slot) -> int:
        return int(self.values.view(np.int64)[slot])

    def set_whole(self, **values: int) -> None:
        for name, value in values.items():
            self.values.view(np.int64)[Slot[name]] = value

    def point(self, **arrays: np.ndarray) -> None:
        """Takes arrays for those of these names; they live as long as this memory, or until they are replaced."""
        for name, array in arrays.items():
            self.arrays[Slot[name]] = array
            self.set_whole(**{name: array.ctypes.data})

    def array(self, slot: Slot) -> np.ndarray:
        return self.arrays[slot]


class OnMemory(Loops):
    """A function under construction that finds everything by its name in the list at `memory`."""

    memory: ir.Value

    def number(self, slot: Slot) -> Real:
        return self.load(self.memory, slot)

    def keep(self, value: Real | float, slot: Slot) -> None:
        self.store(value, self.memory, slot)

    def whole(self, slot: Slot) -> ir.Value:
        return self.load_int(self.memory, slot)

    def keep_whole(self, value: ir.Value | int, slot: Slot) -> None:
        self.store_int(self.int(value) if isinstance(value, int) else value, self.memory, slot)

    def array(self, slot: Slot) -> ir.Value:
        return self.b.inttoptr(self.whole(slot), POINTER)

    def table(self, place: Table) -> ir.Value:
        """Address of numbers of the method in use."""
        return self.at(self.row(self.array(Slot.tables), self.whole(Slot.place), Table.end), place)

    def stages(self) -> ir.Value:
        return self.load_int(self.table(Table.stages), 0)

    def holds(self, slot: Slot) -> ir.Value:
        return self.b.icmp_signed("!=", self.whole(slot), self.int(0))

    def setting(self, place: int) -> Real:
        return self.load(self.array(Slot.reals), place)

    def evaluate(self, time: ir.Value, y: ir.Value, slope: ir.Value) -> None:
        """dy/dt at a time and a state, given by their addresses, and the growth of the pivots."""
        rhs = self.b.inttoptr(self.whole(Slot.rhs), function_pointer(6))
        growth, pivots = self.at(self.memory, Slot.growth), self.array(Slot.multiplier_pivots)
        self.call(rhs, time, y, self.array(Slot.parameters), slope, growth, pivots)
        count = self.load_int(self.array(Slot.ints), Int64.pivots)
        lowest = self.at(pivots, self.times(count, LOWEST))
        with self.each(count) as i:  # the least sizes of pivots so far in the step
            size, least = abs(self.load(pivots, i)), self.load(lowest, i)
            self.store(where(size < least, size, least), lowest, i)

    def norm(self, rows: ir.Value, count: ir.Value | int = 1) -> Real:
        """√(Σ x²/(2n s)) of s rows, in units of the errors allowed."""
        scale, wide, size = self.array(Slot.scale), self.whole(Slot.wide), self.whole(Slot.size)
        sum_ = self.variable(VECTOR, "squares")
        zero = self.int(0)
        self.store_chunk(self.vector(0.0), sum_, zero)
        count = self.int(count) if isinstance(count, int) else count
        with self.each(count) as k:
            row = self.row(rows, k, wide)
            with self.summing(size, self.load_chunk(sum_, zero), CHUNK) as (i, total):
                x = self.load_chunk(row, i) * self.load_chunk(scale, i)
                total.value = fma(x, x, total.value)
            self.store_chunk(total.value, sum_, zero)
        values = self.as_real(self.times(count, self.whole(Slot.twice)))
        return sqrt(self.total(self.load_chunk(sum_, zero)) / values)

    def called(self, name: str, *arguments: ir.Value) -> ir.Value:
        """The result of another function of the module; those on memory take it first."""
        function = self.b.module.globals[name]
        return self.b.call(function, list(arguments))


class Part(OnMemory):
    """A function `name(memory, …)`."""

    def __init__(
        self, module: ir.Module, target: Target, name: str, arguments: Mapping[str, ir.Type], result: ir.Type
    ) -> None:
        super().__init__(module, target, name, {"memory": POINTER, **arguments}, result)
        self.memory: ir.Value = self.arguments["memory"]
