"""The memory of a motion that needs no Python: arrays of its own, by name, and the functions that work in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from typing import Any, ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.stepping.layout import ARGUMENTS, HEAD, PIVOTS, Int64, Real64
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT, POINTER, Writer
from zeromass.kernel.roots import KNOWN, STACK, RootSearch
from zeromass.kernel.structs import size_of

VECTORS = 7
"""Of the dense output of a step."""

PLACES = 9
"""Of a step at which events are looked at, its ends among them."""

NOTED = 4096
"""Events that there is room to note."""

RETURN: ir.Type = ir.IntType(32)


class Number(IntEnum):
    """Places in the array `numbers`: what is known of the motion beside `reals`."""

    first = 0  # time of the start
    end = 1  # earliest time of an event that ends the motion, in the step that is looked at
    tolerance = 2  # of that time


class Count(IntEnum):
    """Places in the array `counts`."""

    record = 0  # address of the record
    capacity = 1  # rows that it has room for
    noted = 2  # events that were noted
    ended = 3  # which event ended the motion
    opened = 4  # step whose inside is known


class Ready(IntEnum):
    """What `begin` answers beside `Status`."""

    READY = 20
    NO_START = 21  # Newton's steps find no state with the values given
    OTHER_KIND = 22  # pivots, or rows left out, are not those of the program there
    ALREADY = 23  # beyond what ends a motion: `counts[ended]` says which
    NOT_FINITE = 24


@dataclass(frozen=True)
class Sizes:
    """Of a program: coordinates, parameters, events, pivots that it tells, outputs, values that a start is given, rows left
    out, functions of place, what switches are decided by, and values that the record keeps of the inside of a step."""

    coordinates: int
    parameters: int
    events: int
    pivots: int
    outputs: int
    given: int
    dropped: int
    field: int = 0
    judged: int = 0
    kept: int = 0

    @property
    def head(self) -> int:
        """Values in a row of the record before the state."""
        return HEAD + self.kept

    @property
    def row(self) -> int:
        """Values in a row of the record."""
        return self.head + self.state

    @property
    def state(self) -> int:
        return 2 * self.coordinates

    @property
    def padded(self) -> int:
        return -(-self.state // CHUNK) * CHUNK

    @property
    def arrays(self) -> dict[str, tuple[ir.Type, int]]:
        """All memory but the record, by name."""
        m, events = self.padded, max(self.events, 1)
        scratch = max(m, CHUNK * events, 64)
        pivots = PIVOTS * max(self.pivots, 1)
        return {
            "reals": (DOUBLE, len(Real64)),
            "ints": (INT, len(Int64)),
            "numbers": (DOUBLE, len(Number)),
            "counts": (INT, len(Count)),
            "parameters": (DOUBLE, max(self.parameters, 1)),
            "y": (DOUBLE, m),
            "slopes": (DOUBLE, m),
            "first": (DOUBLE, m),
            "new": (DOUBLE, m),
            "stages": (DOUBLE, EXTENDED * m),
            "scratch": (DOUBLE, scratch),
            "signs": (DOUBLE, 2 * events),
            "pivots": (DOUBLE, pivots),
            "noted": (DOUBLE, 2 * NOTED),
            "given": (DOUBLE, max(self.given, 1)),
            "dropped": (DOUBLE, 2 * max(self.dropped, 1)),
            "judged": (DOUBLE, max(self.judged, 1)),
            # of the step that is looked into
            "inner_reals": (DOUBLE, len(Real64)),
            "inner_ints": (INT, len(Int64)),
            "inner_y": (DOUBLE, m),
            "inner_new": (DOUBLE, m),
            "inner_end": (DOUBLE, m),
            "inner_stages": (DOUBLE, EXTENDED * m),
            "inner_scratch": (DOUBLE, scratch),
            "inner_pivots": (DOUBLE, pivots),
            "vectors": (DOUBLE, VECTORS * m),
            "row": (DOUBLE, 1 + m),
            "looked": (DOUBLE, events),
            # of a search for roots in it
            "root_search": (INT, size_of(RootSearch)),
            "root_stack": (DOUBLE, STACK * 6),
            "root_known": (DOUBLE, KNOWN * 3),
            **{f"root_{name}": (DOUBLE, prod(sizes)) for name, sizes in root_arrays(events).items()},
        }


def root_arrays(events: int) -> dict[str, tuple[int, ...]]:
    """Arrays of a search for roots of all event functions, by their names in `RootSearch`, and their sizes."""
    n, most = PLACES, 3 * PLACES * events
    sizes = {"places": (n,), "columns": (events,), "directions": (events,), "turning": (events,), "seen": (n, events)}
    return {**sizes, "points": (3 * n, 2), "times": (most,), "which": (most,)}


FUNCTIONS = {"rhs": 6, "positions": 4, "velocities": 4, "event": 4, "outputs": 4, "given_values": 2, "level0": 4}
FUNCTIONS |= {"level1": 4, "dropped_rows": 4, "field_values": 4, "judged_values": 4}
"""Those of the program, and how many arrays each takes."""


LARGE = {"decided": 3, "solve0": 3, "solve1": 3}
"""Those of a large program beside."""


def declared(module: ir.Module, sizes: Sizes) -> None:
    """The arrays, all zero, and the functions of the program, which stand in another text."""
    for name, (kind, count) in sizes.arrays.items():
        array: Any = ir.GlobalVariable(module, ir.ArrayType(kind, count), f"{name}")
        array.initializer, array.align = ir.Constant(array.value_type, None), 16
        array.type = POINTER
    for name, count in FUNCTIONS.items():
        ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER] * count), name)
    for name, count in LARGE.items():
        ir.Function(module, ir.FunctionType(RETURN, [POINTER] * count), name)


class Alone(Writer, ABC):
    """A function that works in that memory."""

    name: ClassVar[str]
    result: ClassVar[ir.Type] = RETURN
    takes: ClassVar[dict[str, ir.Type]] = {}

    def __init__(self, module: ir.Module, target: Target, sizes: Sizes) -> None:
        super().__init__(module, target, self.name, self.takes, self.result)
        self.sizes = sizes
        self.module, self.target = module, target
        self.memory: dict[str, ir.Value] = {name: module.globals[name] for name in sizes.arrays}
        self.reals: ir.Value = self.memory["reals"]
        self.ints: ir.Value = self.memory["ints"]
        self.numbers: ir.Value = self.memory["numbers"]
        self.counts: ir.Value = self.memory["counts"]
        self.order: ir.Value = self.int(sizes.state)
        self.written()
        self.finish()

    @abstractmethod
    def written(self) -> None:
        """What it does."""

    def answer(self, value: int | ir.Value) -> None:
        self.b.ret(ir.Constant(RETURN, value) if isinstance(value, int) else value)

    def result_of(self, name: str, *arguments: ir.Value) -> ir.Value:
        """Calls a function by name."""
        return self.b.call(self.module.globals[name], list(arguments))

    def routine(
        self, name: str, inner: bool = False, record: ir.Value | None = None, stages: ir.Value | None = None
    ) -> ir.Value:
        """Calls a routine of a stepping method; `inner` on the memory of the step that is looked into."""
        own = {"stages", "reals", "ints", "y", "new", "scratch", "pivots"}
        arrays = [self.memory[f"inner_{a}" if inner and a in own else a] for a in list(ARGUMENTS)[:10] if a != "record"]
        arrays.insert(list(ARGUMENTS).index("record"), self.record() if record is None else record)
        if stages is not None:
            arrays[list(ARGUMENTS).index("stages")] = stages
        functions = [self.module.globals[a] for a in list(ARGUMENTS)[10:]]
        return self.b.call(self.module.globals[name], [*arrays, *functions])

    def record(self) -> ir.Value:
        return self.b.inttoptr(self.load_int(self.counts, Count.record), POINTER)

    def recorded(self) -> ir.Value:
        return self.load_int(self.ints, Int64.recorded)

    def row_of(self, k: ir.Value) -> ir.Value:
        """Address of a row of the record."""
        return self.at(self.record(), self.b.mul(k, self.int(self.sizes.row)))

    def copied(self, source: ir.Value, target: ir.Value) -> None:
        """A state, without its padding."""
        with self.loop(self.order) as i:
            self.store(self.load(source, i), target, i)

    def largest(self, x: Real, y: Real) -> Real:
        return where(x > y, x, y)
