"""Neighbouring motions, several of them carried along together, in SIMD lanes.

A tangent δy of a motion y obeys δẏ = ∂f/∂y δy + ∂f/∂p δp. Tangents are carried along with the motion as further unknowns of
one compiled integration, with a right-hand side made by a directional derivative of the solved accelerations, or of those of
each kind of parts and constraints for a large system. Unknowns stand in groups, one tangent in each lane; the motion itself
comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.compile import ir
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.compile.target import BEST, Code, host
from zeromass.expression import coordinate, directional, expressions
from zeromass.integrate import Course
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, ModelError

if TYPE_CHECKING:
    from zeromass.compile.rolled.along import Along
    from zeromass.compile.rolled.native import RolledNative

FIRST_STEP = 1e-6
"""Of the integration, s: its control finds a longer one."""

BUSY = 1 << 22
"""Unknowns evaluated after which better machine code of the steps is made, in the background."""

LINE = 64
"""Bytes of a line of the cache."""

HEAD = 5
"""Values before the constants: the address of the code, how many groups there are, the length of a state, and the values of
a group, of unknowns and of constants."""


_INT: ir.Type = ir.IntType(64)
_DOUBLE: ir.Type = ir.DoubleType()
_POINTER: ir.Type = ir.PointerType()


def _int(value: int) -> ir.Constant:
    return ir.Constant(_INT, value)


class TangentCode:
    """Machine code of a motion with neighbouring ones in lanes: `tangent(t, y, δy, (p, δp), ẏ, δẏ, growth)`."""

    def __init__(self, program: Program, lanes: int) -> None:
        time, y, constants = program.inputs
        δy = [coordinate(f"tangent.{i}") for i in range(len(y))]
        δp = [coordinate(f"variation.{i}") for i in range(len(constants))]
        slopes = expressions([*program.system.rates, *program.acceleration])
        along = directional(slopes, dict(zip([*y, *constants], [*δy, *δp], strict=True)))
        functions = {"tangent": ([time, y, δy, [*constants, *δp]], [slopes, along, [program.growth]])}
        self.lanes: int = lanes
        self.code: Code = code(functions, host().lanes(lanes), effort=BEST)


class _Groups:
    """The right-hand side of several groups of tangents: what steps need of a system."""

    corrections = None
    busy = False
    pivots = 0

    def __init__(self, lanes: int) -> None:
        self._code = _in_groups(lanes)
        self._evaluated = 0

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of the right-hand side of one state, which is that of all groups."""
        assert lanes == 1
        return self._code

    def events(self, events: Sequence[Event], lanes: int) -> None:
        """None: what happens to a neighbouring motion is not watched."""

    def called(self, evaluations: int) -> None:
        """Counts unknowns evaluated: its own machine code is as good as it gets, that of the steps may become better."""
        self._evaluated += evaluations
        self.busy = self._evaluated >= BUSY


class Neighbours:
    """Neighbouring motions of a run from one of its times on.

    δy  tangents of the state, shape (2n, k)
    δp  of the parameters, shape (parameters, k)
    """

    def __init__(self, run: Course, δy: np.ndarray, δp: np.ndarray, since: float) -> None:
        segment, (self._order, self.count) = run.segments[0], δy.shape
        lanes = 1
        while lanes < min(self.count, host().width):
            lanes *= 2
        self._tangent = _tangent_code(run.program, lanes)
        lanes = self._tangent.lanes
        self._groups = -(-self.count // lanes)
        self._columns = np.minimum(np.arange(self._groups * lanes), self.count - 1)  # the last one fills up the lanes
        still = np.zeros((len(segment.values) - len(δp), self.count))  # modes of its formulas do not vary
        fixed = np.broadcast_to(segment.values[:, None], (len(segment.values), self.count))
        constants = self._in_lanes(np.concatenate([fixed, δp, still]))
        state = np.append(self._in_lanes(δy), run.at(since).y[0])
        sizes = self._order * lanes, 2 * len(segment.values) * lanes
        head = np.array([self._tangent.code.address("tangent"), self._groups, self._order, *sizes], dtype=np.int64)
        values = np.concatenate([head.view(float), constants.ravel()])
        tolerances = Tolerances(run.settings.rtol, run.settings.atol)
        first = np.copysign(FIRST_STEP, run.t[-1] - run.t[0])
        self._work = Workspace(_Groups(lanes), since, state, values, tolerances, float(first))
        self._stepper = Dop853(self._work)

    def carry(self, until: float) -> np.ndarray:
        """The tangents carried along to a time, shape (2n, k)."""
        work = self._work
        while True:
            before = work.evaluations
            status = self._stepper.advance(until, len(work.record))
            work.code.called((work.evaluations - before) * work.order)
            work.forget_record()
            if status is Status.FINISHED:
                return self.tangents
            if status is not Status.PAUSED:
                raise ModelError(f"the tangents can not be carried beyond t = {work.t:g} s ({status.name.lower()})")

    @property
    def tangents(self) -> np.ndarray:
        """As they are now, shape (2n, k)."""
        state = self._work.y[: -self._order].reshape(self._groups, self._order, self._tangent.lanes)
        return state.swapaxes(0, 1).reshape(self._order, -1)[:, : self.count].copy()

    def go_on(self, y: np.ndarray, δy: np.ndarray) -> None:
        """Goes on from where it is with the motion in a state y, and with other tangents."""
        work = self._work
        work.state[: work.order] = np.append(self._in_lanes(δy), y)
        work.restart()

    def _in_lanes(self, δ: np.ndarray) -> np.ndarray:
        """Numbers of the tangents, shape (numbers, k), as (groups, numbers, lanes)."""
        groups, lanes = self._groups, self._tangent.lanes
        return δ[:, self._columns].reshape(len(δ), groups, lanes).swapaxes(0, 1)


def _tangent_code(program: Program, lanes: int) -> TangentCode | Along:
    if program.code == "rolled":
        return cast("RolledNative", program.native).along(lanes)
    return _written_code(program, lanes)


@lru_cache(maxsize=16)
def _written_code(program: Program, lanes: int) -> TangentCode:
    return TangentCode(program, lanes)


@cache
def _in_groups(lanes: int) -> Code:
    """`rhs(t, unknowns, constants, slopes, growth, pivots)`, which calls `tangent` for each group."""
    return Code(str(_Loop(lanes).module), host().scalar, effort=BEST)


class _Loop:
    """y in lanes; for each group δẏ, and ẏ; then ẏ from the first lane."""

    def __init__(self, lanes: int) -> None:
        self.module: ir.Module = ir.Module("groups")
        f = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [_POINTER] * 6), "rhs")
        self._b = b = ir.IRBuilder(f.append_basic_block())
        time, unknowns, constants, slopes, growth, _ = f.args
        head = [b.load(b.gep(constants, [_int(k)], source_etype=_INT), typ=_INT) for k in range(HEAD)]
        address, groups, order, of_unknowns, of_constants = head
        wide = b.mul(order, _int(lanes))
        clock, quality = (self._room(lanes) for _ in range(2))
        room = self._taken(b.mul(wide, _int(16)))  # bytes; that of a large system is more than there is on a stack
        y = self._aligned(room)
        speed = self._at(y, wide)
        last = b.mul(groups, of_unknowns)
        with self._each(_int(lanes)) as k:
            b.store(b.load(time, typ=_DOUBLE), b.gep(clock, [k]))
        with self._each(order) as i:
            x = b.load(self._at(unknowns, b.add(last, i)), typ=_DOUBLE)
            for k in range(lanes):
                b.store(x, self._at(y, b.add(b.mul(i, _int(lanes)), _int(k))))
        call = b.inttoptr(address, ir.FunctionType(ir.VoidType(), [_POINTER] * 7).as_pointer())
        with self._each(groups) as g:
            place, values = b.mul(g, of_unknowns), b.add(b.mul(g, of_constants), _int(HEAD))
            δy, p, δẏ = self._at(unknowns, place), self._at(constants, values), self._at(slopes, place)
            b.call(call, [clock, y, δy, p, speed, δẏ, quality])
        with self._each(order) as i:
            first = b.load(self._at(speed, b.mul(i, _int(lanes))), typ=_DOUBLE)
            b.store(first, self._at(slopes, b.add(last, i)))
        b.store(b.load(quality, typ=_DOUBLE), growth)
        b.call(self._library("free", ir.VoidType(), _POINTER), [room])
        b.ret_void()

    def _room(self, lanes: int) -> ir.Value:
        room = self._b.alloca(_DOUBLE, size=lanes)
        room.align = 8 * lanes
        return room

    def _taken(self, size: ir.Value) -> ir.Value:
        """Memory for so many bytes, and for a line of the cache more."""
        return self._b.call(self._library("malloc", _POINTER, _INT), [self._b.add(size, _int(LINE))])

    def _aligned(self, room: ir.Value) -> ir.Value:
        """The first place in it where a line of the cache begins."""
        b = self._b
        end = b.add(b.ptrtoint(room, _INT), _int(LINE - 1))
        return b.inttoptr(b.and_(end, _int(-LINE)), _POINTER)

    def _library(self, name: str, result: ir.Type, *takes: ir.Type) -> ir.Function:
        return ir.Function(self.module, ir.FunctionType(result, takes), name)

    def _at(self, pointer: ir.Value, index: ir.Value) -> ir.Value:
        return self._b.gep(pointer, [index], source_etype=_DOUBLE)

    @contextmanager
    def _each(self, count: ir.Value) -> Iterator[ir.Value]:
        """for (i = 0; i < count; i++), count > 0."""
        b = self._b
        entry, inside, after = b.block, b.append_basic_block(), b.append_basic_block()
        b.branch(inside)
        b.position_at_end(inside)
        i = b.phi(_INT)
        yield i
        following = b.add(i, _int(1))
        i.add_incoming(_int(0), entry)
        i.add_incoming(following, b.block)
        b.cbranch(b.icmp_signed("<", following, count), inside, after)
        b.position_at_end(after)
