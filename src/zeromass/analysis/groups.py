"""The right-hand side of a motion and of groups of its tangents, which calls machine code for each group.

rhs(t, unknowns, constants, slopes, growth, pivots)     unknowns and slopes of all groups, and then of the motion
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from zeromass.codegen import ir
from zeromass.codegen.once import once
from zeromass.codegen.target import BEST, Code, host

LINE = 64
"""Bytes of a line of the cache."""

HEAD, HEAD_TOLD = 5, 9
"""Values before the constants. Of groups by themselves: the address of the code, how many groups there are, the length of a
state, and the values of a group, of unknowns and of constants. Of groups that are told of the motion: the addresses of
`motion`, of `tangent`, of what is told and of the same in lanes, and how many values are told, are parameters, groups,
unknowns of a group and constants of a group."""

_INT: ir.Type = ir.IntType(64)
_DOUBLE: ir.Type = ir.DoubleType()
_POINTER: ir.Type = ir.PointerType()


def _int(value: int) -> ir.Constant:
    return ir.Constant(_INT, value)


@once
def by_themselves(lanes: int) -> Code:
    """The motion is computed for each group again: `tangent(t, y, δy, (p, δp), ẏ, δẏ, growth)`."""
    return Code(str(_ByThemselves(lanes).module), host().scalar, effort=BEST)


@once
def told(lanes: int) -> Code:
    """The motion is computed once: `motion(t, y, p, ẏ, growth, told)`, `tangent(told, δy, δp, δẏ)`."""
    return Code(str(_Told(lanes).module), host().scalar, effort=BEST)


class _Loops:
    """The function, under construction."""

    def __init__(self) -> None:
        self.module: ir.Module = ir.Module("groups")
        f = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [_POINTER] * 6), "rhs")
        self._b = ir.IRBuilder(f.append_basic_block())
        self._arguments = f.args

    def _function(self, address: ir.Value, arguments: int) -> ir.Value:
        kind = ir.FunctionType(ir.VoidType(), [_POINTER] * arguments)
        return self._b.inttoptr(address, kind.as_pointer())

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


class _ByThemselves(_Loops):
    """y in lanes; for each group δẏ, and ẏ; then ẏ from the first lane."""

    def __init__(self, lanes: int) -> None:
        super().__init__()
        b, (time, unknowns, constants, slopes, growth, _) = self._b, self._arguments
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
        call = self._function(address, 7)
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


class _Told(_Loops):
    """ẏ, and what is told, in all lanes; then δẏ of each group."""

    def __init__(self, lanes: int) -> None:
        super().__init__()
        b, (time, unknowns, constants, slopes, growth, _) = self._b, self._arguments
        head = [b.load(b.gep(constants, [_int(k)], source_etype=_INT), typ=_INT) for k in range(HEAD_TOLD)]
        motion, tangent, told, wide, count, parameters, groups, of_unknowns, of_constants = head
        told, wide = (b.inttoptr(x, _POINTER) for x in (told, wide))
        last, p = b.mul(groups, of_unknowns), self._at(constants, _int(HEAD_TOLD))
        y, ẏ = (self._at(x, last) for x in (unknowns, slopes))
        b.call(self._function(motion, 6), [time, y, p, ẏ, growth, told])
        if lanes > 1:
            with self._each(count) as i:
                x = self._spread(b.load(self._at(told, i), typ=_DOUBLE), lanes)
                b.store(x, self._at(wide, b.mul(i, _int(lanes))), align=8)
        call, δp = self._function(tangent, 4), self._at(p, parameters)
        with self._each(groups) as g:
            place = b.mul(g, of_unknowns)
            δy, δẏ = (self._at(x, place) for x in (unknowns, slopes))
            b.call(call, [wide, δy, self._at(δp, b.mul(g, of_constants)), δẏ])
        b.ret_void()

    def _spread(self, x: ir.Value, lanes: int) -> ir.Value:
        nothing = ir.Constant(ir.VectorType(_DOUBLE, lanes), ir.Undefined)
        first = self._b.insert_element(nothing, x, ir.Constant(ir.IntType(32), 0))
        return self._b.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes))
