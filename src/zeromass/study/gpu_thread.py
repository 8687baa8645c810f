"""A thread of a graphics card: where the numbers of its member stand, and what it does together with the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from zeromass.codegen import ir
from zeromass.codegen.cuda import CONSTANT, GENERIC, GLOBAL, SHARED, is_cuda
from zeromass.codegen.elementary.arithmetic import Real
from zeromass.codegen.target import Target
from zeromass.integrate.methods.dop853.coefficients import ERROR_3, ERROR_5, STAGES, A
from zeromass.integrate.methods.dop853.kernel import Dop853Step
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER, Writer
from zeromass.study.gpu_layout import NUMBERS, SETTINGS, Block, Cell, Motion
from zeromass.study.layout import NUMBERS as ALL_NUMBERS

VOID: ir.Type = ir.VoidType()
I32: ir.Type = ir.IntType(32)
TRUTH: ir.Type = ir.IntType(1)

WEIGHTS = tuple(sorted({w for row in (*A[1 : STAGES + 1], ERROR_5, ERROR_3) for w in row.values()}))
"""All weights of the method."""


class Thread(Dop853Step):
    """A member's numbers. The system's functions are copied into the kernel, so that most stand in registers; what many
    stages read stands in the memory that threads share, coordinate by coordinate, those first that the acceleration
    depends on, and beyond its room in a thread's own.
    """

    motion: Motion
    block_of_threads: Block
    cuda: bool
    n: int
    events: int
    count_of_pivots: int
    fixed_values: ir.Value
    at_end: ir.Value
    kept: dict[str, ir.Value]
    seat: ir.Value
    alive: ir.Value
    functions: dict[str, ir.Function]
    pivots: ir.Value
    reals: ir.Value
    new: ir.Value
    a: ir.Value
    signs: ir.Value
    shared: ir.Value
    private: ir.Value

    def __init__(self, module: ir.Module, target: Target, motion: Motion, block: Block) -> None:
        self.motion, self.block_of_threads, self.cuda = motion, block, is_cuda(target)
        memory = ir.PointerType(None, GLOBAL if self.cuda else GENERIC)
        arguments = {"table": memory, "count": INT, "next": memory}
        arguments |= {"record": memory, "recorded": memory, "capacity": INT}
        arguments |= {place.name: DOUBLE for place in SETTINGS}
        if not self.cuda:
            arguments["slots"] = memory
        Writer.__init__(self, module, target, self.name, arguments, VOID)
        places = motion.row.places
        self.n, self.events, self.count_of_pivots = places.coordinates, places.events, places.pivots
        self.pivots = self.int(places.pivots)
        self.reals = self.array(ALL_NUMBERS, "numbers")
        self.new, self.a = self.array(2 * self.n, "new"), self.array(self.n, "acceleration")
        self.fixed_values = self.array(places.parameters, "parameters")
        self.signs, self.at_end = self.array(self.events, "signs"), self.array(self.events, "at_end")
        names = ("pivots", "lowest", "roots", "largest")
        self.kept = {name: self.array(places.pivots, name) for name in names}
        self.seat, self.alive = self.variable(INT, "seat"), self.variable(TRUTH, "alive")
        self.functions = self.declared(module)
        order = sorted(range(self.n), key=lambda i: motion.felt.isdisjoint((i, self.n + i)))
        self.place: dict[int, int] = {i: place for place, i in enumerate(order)}
        self.shared, self.private = self.cells(module)
        if self.cuda:
            self.function.calling_convention = "ptx_kernel"
            weights: ir.Value = ir.GlobalVariable(module, ir.ArrayType(DOUBLE, len(WEIGHTS)), "weights", CONSTANT)
            weights.initializer = ir.Constant(weights.value_type, list(WEIGHTS))
            weights.type = ir.PointerType(None, CONSTANT)
        for place in SETTINGS:
            self.b.store(self.arguments[place.name], self.at(self.reals, place), align=8)

    # memory ------------------------------------------------------------------------------------------------------
    def array(self, count: int, name: str) -> ir.Value:
        """Numbers of a thread; LLVM gives them registers where it can."""
        found = self.variable(ir.ArrayType(DOUBLE, max(count, 1)), name)
        found.type = POINTER  # to numbers, not to the array of them
        return found

    def declared(self, module: ir.Module) -> dict[str, ir.Function]:
        """The functions of the system, which stand in another module."""
        pointer, found = ir.PointerType(), {}
        for name, count in (("rhs", 6), ("positions", 4), ("velocities", 4), ("event", 4)):
            wanted = name == "rhs" or (name == "event" and self.events) or name in self.motion.corrections
            if wanted:
                found[name] = ir.Function(module, ir.FunctionType(VOID, [pointer] * count), name)
        return found

    def cells(self, module: ir.Module) -> tuple[ir.Value, ir.Value]:
        """Where the coordinates of this thread begin in shared memory, and in its own."""
        private = self.array(Cell.COUNT * (self.n - self.block_of_threads.shared), "private")
        if not self.cuda:
            return self.arguments["slots"], private
        shared: ir.Value = ir.GlobalVariable(module, ir.ArrayType(DOUBLE, 0), "slots", SHARED)
        shared.linkage, shared.align, shared.type = "external", 16, ir.PointerType(None, SHARED)
        thread = self.b.call(self.intrinsic("read.ptx.sreg.tid.x", I32, []), [])
        return self.cell(shared, self.b.zext(thread, INT)), private

    @property
    def stride(self) -> int:
        """Numbers between those of one thread in shared memory."""
        return self.block_of_threads.threads if self.cuda else 1

    def of(self, i: int, cell: int) -> ir.Value:
        """Address of a number of coordinate i."""
        place = self.place[i] - self.block_of_threads.shared
        if place < 0:
            return self.cell(self.shared, (self.place[i] * Cell.COUNT + cell) * self.stride)
        return self.cell(self.private, place * Cell.COUNT + cell)

    @contextmanager
    def coordinates_in(self, private: bool) -> Iterator[_Cells]:
        """A loop over the coordinates that stand in a thread's own memory, or over the others."""
        shared = self.block_of_threads.shared
        count, base, stride = (self.n - shared, self.private, 1) if private else (shared, self.shared, self.stride)
        with self.loop(self.int(count)) as i:
            self.fence()
            yield _Cells(self, self.cell(base, self.b.mul(i, self.int(Cell.COUNT * stride))), stride)

    def y(self, i: int) -> ir.Value:
        """Address of a number of the state."""
        return self.of(i, Cell.POSITION) if i < self.n else self.of(i - self.n, Cell.VELOCITY)

    def arrived(self, i: int) -> ir.Value:
        """The same at the end of a step."""
        return self.of(i % self.n, Cell.ARRIVED[i // self.n])

    def values(self, addresses: Sequence[ir.Value]) -> list[Real]:
        return [self.load(address) for address in addresses]

    def cells_of(self, array: ir.Value, count: int) -> list[ir.Value]:
        return [self.cell(array, i) for i in range(count)]

    def number(self, place: int) -> Real:
        return self.load(self.reals, place)

    def keep(self, value: Real | float, place: int) -> None:
        self.store(value, self.reals, place)

    def weights(self, row: Mapping[int, float]) -> dict[int, Real]:
        """Weights of a stage: on a card from constant memory, which costs no registers."""
        if not self.cuda:
            return {j: self.real(w) for j, w in row.items()}
        table = self.function.module.globals["weights"]
        return {j: self.load(self.cell(table, WEIGHTS.index(w))) for j, w in row.items()}

    # rows of the table -------------------------------------------------------------------------------------------
    def row(self, seat: ir.Value) -> ir.Value:
        return self.cell(self.arguments["table"], self.b.mul(seat, self.int(self.motion.row.size)))

    def begin(self, row: ir.Value) -> None:
        """Takes a member from its row."""
        places = self.motion.row
        for k, place in enumerate(NUMBERS):
            self.keep(self.load(row, k), place)
        self.copy(row, places.state, [self.y(i) for i in range(2 * self.n)])
        self.copy(row, places.parameters, self.cells_of(self.fixed_values, places.places.parameters))
        self.copy(row, places.signs, self.cells_of(self.signs, self.events))
        self.copy(row, places.largest, self.cells_of(self.kept["largest"], self.count_of_pivots))
        self.copy(row, places.roots, self.cells_of(self.kept["roots"], self.count_of_pivots))
        self.copy(row, places.slope, [self.of(i, Cell.SLOPE) for i in range(self.n)])

    def copy(self, row: ir.Value, first: int, to: Sequence[ir.Value]) -> None:
        for i, address in enumerate(to):
            self.store(self.load(row, first + i), address)

    def write_back(self, row: ir.Value) -> None:
        """Writes what has changed of a member to its row."""
        places = self.motion.row
        for k, place in enumerate(NUMBERS):
            self.store(self.number(place), row, k)
        for first, addresses in (
            (places.state, [self.y(i) for i in range(2 * self.n)]),
            (places.signs, self.cells_of(self.signs, self.events)),
            (places.largest, self.cells_of(self.kept["largest"], self.count_of_pivots)),
        ):
            for i, value in enumerate(self.values(addresses)):
                self.store(value, row, first + i)

    # the other threads -------------------------------------------------------------------------------------------
    def fence(self) -> None:
        """Numbers in shared memory are read again after it: kept in registers, they would crowd out the rest."""
        self.b.asm(ir.FunctionType(VOID, []), "", "~{memory}", [], True)

    def any_of_warp(self, truth: ir.Value) -> ir.Value:
        """Whether something is true in one of the threads that go through the same instructions."""
        if not self.cuda:
            return truth
        return self.b.call(self.intrinsic("vote.any.sync", TRUTH, [I32, TRUTH]), [ir.Constant(I32, -1), truth])

    def intrinsic(self, name: str, result: ir.Type, arguments: Sequence[ir.Type]) -> ir.Function:
        """A function of the card."""
        module, full = self.function.module, f"llvm.nvvm.{name}"
        known = module.globals.get(full)
        return known or ir.Function(module, ir.FunctionType(result, list(arguments)), full)


class _Cells:
    """The numbers of a coordinate that a loop has come to."""

    def __init__(self, thread: Thread, base: ir.Value, stride: int) -> None:
        self._thread, self._base, self._stride = thread, base, stride

    def load(self, cell: int) -> Real:
        return self._thread.load(self._thread.cell(self._base, cell * self._stride))

    def store(self, value: Real, cell: int) -> None:
        self._thread.store(value, self._thread.cell(self._base, cell * self._stride))
