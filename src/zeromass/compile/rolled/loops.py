# pyright: reportArgumentType=false, reportReturnType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false, reportPossiblyUnboundVariable=false
# llvmlite has no types: what its builder returns is taken for None
"""The loops of an evaluation, the same for all systems: entries of elements, elimination, the way back, refinement.

    K x = r,   K = L D Lᵀ front by front

x is refined, x ← x + K⁻¹(r − K x), where the residual is more than rounding,

    ω = max |r − K x| / (|K| |x| + |r|),

each lane by itself: hinges that close a loop lose digits in elimination, and get them back here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum, auto

from llvmlite import ir

from zeromass.compile.elementary.arithmetic import Arithmetic, Real, fma, where
from zeromass.compile.rolled.checks import CHECK
from zeromass.compile.rolled.fronts import HEADER
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.unrolled import grown
from zeromass.compile.target import Target

EPSILON = 2.0**-52

TRUSTED = 512 * EPSILON
"""ω up to which a solution counts as exact: rounding of its own terms."""

FLOOR = 2.0**-10
"""Part of the largest terms below which those of an equation are small because they cancel elsewhere: what is left of it
is compared with that."""

REFINEMENTS = 8
"""How often a solution is refined at most."""


class Plan(IntEnum):
    """Places of what the loops are told, int64: addresses of tables and numbers."""

    memory = 0
    busy = auto()
    bytes = auto()
    fixed = auto()
    stages = auto()
    stage_count = auto()
    spreads = auto()
    spread_count = auto()
    fronts = auto()
    front_count = auto()
    unknowns = auto()
    slots = auto()
    beside = auto()
    masks = auto()
    kept = auto()
    count = auto()
    solution = auto()
    residual = auto()
    sizes = auto()
    change = auto()
    right = auto()
    right_beside = auto()
    right_beside_count = auto()
    checks = auto()
    check_count = auto()
    coordinates = auto()
    out = auto()
    copies = auto()
    shapes = auto()


STAGE = 5
"""Numbers of a stage: address of its kernel, of its places and constants, instances, and where results begin."""

CHECKED = 4
"""Numbers of a check: address of its function, of its places, instances, and where entries begin."""

ROUTINES = ("front", "forward", "back")
"""Functions of a frequent shape, see `Unrolled`."""

_FORWARD = ir.FunctionType(ir.VoidType(), [POINTER] * 4 + [INT])
_BACK = ir.FunctionType(ir.VoidType(), [POINTER] * 4 + [INT] * 2)


def _FRONT(value: ir.Type) -> ir.FunctionType:
    return ir.FunctionType(value, [POINTER] * 5 + [INT, value])


_KERNEL = ir.FunctionType(ir.VoidType(), [POINTER] * 7 + [INT] * 3)


class _Carried:
    def __init__(self, values: Sequence[ir.Value]) -> None:
        self.now: list[ir.Value] = list(values)
        self.next: list[ir.Value] = list(values)


class Loops:
    """The functions `evaluate` and, where `deciding`, one that tells which rows of constraints are independent.

    void evaluate(plan, values, t, y, parameters, slopes, growth)
    """

    def __init__(self, module: ir.Module, target: Target, guard: float | None = None) -> None:
        self._w = target.width
        self._type: ir.Type = DOUBLE if self._w == 1 else ir.VectorType(DOUBLE, self._w)
        self._guard = guard
        name = "evaluate" if guard is None else "decide"
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER] * 7), name)
        names = ("plan", "values", "t", "y", "parameters", "slopes", "growth")
        self._a = dict(zip(names, function.args, strict=True))
        self._function = function
        self.b: ir.IRBuilder = ir.IRBuilder(function.append_basic_block("entry"))
        self._on = Arithmetic(self.b, self._type, target.fused)
        self._W = self._a["values"]
        self._p = {place: self._plan(place) for place in Plan}
        self._body()
        self.b.ret_void()

    # memory ----------------------------------------------------------------------------------------------------------
    def _plan(self, place: Plan) -> ir.Value:
        at = self.b.gep(self._a["plan"], [self.int(int(place))], source_etype=INT)
        return self.b.load(at, typ=INT, align=8)

    def int(self, value: int) -> ir.Constant:
        return ir.Constant(INT, value)

    def _pointer(self, place: Plan) -> ir.Value:
        return self.b.inttoptr(self._p[place], POINTER)

    def _at(self, i: ir.Value) -> ir.Value:
        return self.b.gep(self._W, [i], source_etype=self._type)

    def load(self, i: ir.Value) -> Real:
        return Real(self._on, self.b.load(self._at(i), typ=self._type, align=8))

    def store(self, x: Real, i: ir.Value) -> None:
        self.b.store(x.value, self._at(i), align=8)

    def _index(self, table: ir.Value, i: ir.Value) -> ir.Value:
        """An int32 of a table."""
        at = self.b.gep(table, [i], source_etype=INT32)
        return self.b.sext(self.b.load(at, typ=INT32, align=4), INT)

    def _number(self, table: ir.Value, i: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(table, [i], source_etype=DOUBLE), typ=DOUBLE, align=8)

    def _int64(self, table: ir.Value, i: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(table, [i], source_etype=INT), typ=INT, align=8)

    # control ---------------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(
        self, first: ir.Value, last: ir.Value, start: Sequence[ir.Value] = (), *, some: bool = False, down: bool = False
    ) -> Iterator[tuple[ir.Value, _Carried]]:
        """for (i = first; i < last; ++i), or from last − 1 down, with values carried along; `some`: at least once."""
        b, before = self.b, self.b.block
        inside, after = (self._function.append_basic_block() for _ in range(2))
        if not some:
            b.cbranch(b.icmp_signed("<", first, last), inside, after)
        else:
            b.branch(inside)
        b.position_at_end(inside)
        k = b.phi(INT)
        k.add_incoming(first, before)
        phis = [b.phi(x.type) for x in start]
        for phi, x in zip(phis, start, strict=True):
            phi.add_incoming(x, before)
        carried = _Carried(phis)
        i = b.sub(b.add(first, last), b.add(k, self.int(1))) if down else k
        yield i, carried
        following = b.add(k, self.int(1))
        k.add_incoming(following, b.block)
        for phi, x in zip(phis, carried.next, strict=True):
            phi.add_incoming(x, b.block)
        end = b.block
        b.cbranch(b.icmp_signed("<", following, last), inside, after)
        b.position_at_end(after)
        results = []
        for x, new in zip(start, carried.next, strict=True):
            result = b.phi(x.type)
            result.add_incoming(new, end)
            if not some:
                result.add_incoming(x, before)
            results.append(result)
        carried.now = results

    # the evaluation --------------------------------------------------------------------------------------------------
    def _body(self) -> None:
        p, b = self._p, self.b
        self._run(Plan.stages, Plan.stage_count, self.int(0))
        growth = self._factor()
        if self._guard is None:
            self._back(p[Plan.solution])
            worst = self._refine()
            growth = where(worst > TRUSTED, worst * (1.0 / EPSILON), growth) if worst is not None else growth
            growth = where(growth < 1.0, 1.0, growth)
            with self.loop(self.int(0), p[Plan.copies]) as (i, _):  # rates come before accelerations, of one state
                rate = b.gep(self._a["y"], [b.add(i, p[Plan.coordinates])], source_etype=self._type)
                to = b.gep(self._a["slopes"], [i], source_etype=self._type)
                b.store(b.load(rate, typ=self._type, align=8), to, align=8)
            self._run(Plan.spreads, Plan.spread_count, p[Plan.out])
        b.store(growth.value, self._a["growth"], align=8)

    def _run(self, stages: Plan, count: Plan, out: ir.Value) -> None:
        """Kernels one after another."""
        b, a, table = self.b, self._a, self._pointer(stages)
        with self.loop(self.int(0), self._p[count]) as (i, _):
            row = b.mul(i, self.int(STAGE))
            call, places, constants, n, first = (self._int64(table, b.add(row, self.int(k))) for k in range(STAGE))
            function = b.inttoptr(call, ir.PointerType(_KERNEL))
            pointers = [b.inttoptr(x, POINTER) for x in (places, constants)]
            given = [self._W, a["t"], a["y"], a["parameters"], a["slopes"], *pointers]
            b.call(function, [*given, n, b.add(first, out), self._p[Plan.coordinates]])

    def _gathered(self, table: ir.Value, i: ir.Value) -> Real:
        """The sum of two values whose places stand in a table."""
        at = self.b.shl(i, self.int(1))
        first, second = (self._index(table, self.b.add(at, self.int(k))) for k in range(2))
        return self.load(first) + self.load(second)

    def _head(self, fronts: ir.Value, f: ir.Value) -> list[ir.Value]:
        row = self.b.mul(f, self.int(HEADER))
        return [self._index(fronts, self.b.add(row, self.int(k))) for k in range(HEADER)]

    def _row(self, fronts: ir.Value, f: ir.Value) -> ir.Value:
        return self.b.gep(fronts, [self.b.mul(f, self.int(HEADER))], source_etype=INT32)

    def _routine(self, shape: ir.Value, name: str, kind: ir.Type) -> ir.Value:
        """The function of a shape, see `Unrolled`."""
        at = self.b.add(self.b.mul(shape, self.int(len(ROUTINES))), self.int(ROUTINES.index(name)))
        return self.b.inttoptr(self._int64(self._pointer(Plan.shapes), at), ir.PointerType(kind))

    def _right(self) -> None:
        """r, as the elements tell it."""
        b, p = self.b, self._p
        table = self._pointer(Plan.right)
        with self.loop(self.int(0), p[Plan.count]) as (i, _):
            self.store(self._gathered(table, i), b.add(p[Plan.residual], i))
        more = self._pointer(Plan.right_beside)
        with self.loop(self.int(0), p[Plan.right_beside_count]) as (i, _):
            at = b.shl(i, self.int(1))
            to = b.add(p[Plan.residual], self._index(more, at))
            self.store(self.load(to) + self.load(self._index(more, b.add(at, self.int(1)))), to)

    def _factor(self) -> Real:
        """K = L D Lᵀ, and the right side brought through L; the largest growth of a pivot."""
        b, p, one = self.b, self._p, self.int(1)
        self._right()
        fronts, unknowns, slots, beside, masks = (
            self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots, Plan.beside, Plan.masks)
        )
        with self.loop(self.int(0), p[Plan.front_count], [self._on.real(1.0).value]) as (f, growths):
            pivots, coordinates, s, rows, left, names, table, extra, extras, first, shape = self._head(fronts, f)
            if self._guard is None:
                short, long, done = (self._function.append_basic_block() for _ in range(3))
                b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
                b.position_at_end(short)
                given = [self._W, self._row(fronts, f), unknowns, slots, masks, p[Plan.residual], growths.now[0]]
                shortly = b.call(self._routine(shape, "front", _FRONT(self._type)), given)
                b.branch(done)
                b.position_at_end(long)
            s1 = b.add(s, one)
            size = b.sub(b.mul(pivots, s1), b.sdiv(b.mul(pivots, b.sub(pivots, one)), self.int(2)))
            rest = b.sub(s, pivots)
            size_left = b.sdiv(b.mul(rest, b.add(rest, self.int(3))), self.int(2))
            places = b.gep(slots, [table], source_etype=INT32)
            with self.loop(self.int(0), size) as (i, _):
                self.store(self._gathered(places, i), b.add(rows, i))
            others = b.gep(places, [b.shl(size, one)], source_etype=INT32)
            with self.loop(self.int(0), size_left) as (i, _):
                self.store(self._gathered(others, i), b.add(left, i))
            more = b.gep(beside, [b.shl(extra, one)], source_etype=INT32)
            with self.loop(self.int(0), extras) as (i, _):
                at = b.shl(i, one)
                to = self._index(more, at)
                self.store(self.load(to) + self.load(self._index(more, b.add(at, one))), to)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            with self.loop(self.int(0), pivots, [rows, growths.now[0]]) as (k, at):
                row, growth = at.now[0], Real(self._on, at.now[1])
                length = b.sub(s, k)
                d, whole = self.load(row), self.load(b.add(row, length))
                positive = b.icmp_signed("<", k, coordinates)
                size_of = Real(self._on, b.select(positive, d.value, (-d).value))
                unknown = b.add(first, k)
                kept = b.fcmp_ordered("!=", self._number(masks, unknown), ir.Constant(DOUBLE, 0.0))
                inverse = 1.0 / d
                signed = Real(self._on, b.select(positive, inverse.value, (-inverse).value))
                if self._guard is not None:
                    enough = (size_of > whole * self._guard).value
                    kept = b.and_(kept, enough)
                    to = b.gep(self._pointer(Plan.kept), [unknown], source_etype=DOUBLE)
                    b.store(b.uitofp(kept, DOUBLE), to, align=8)
                inverse = Real(self._on, b.select(kept, inverse.value, self._on.real(0.0).value))
                at.next[1] = grown(growth, size_of, whole * signed, kept).value
                self.store(inverse, row)
                following = b.add(row, b.add(length, one))
                right = self.load(b.add(p[Plan.residual], unknown))
                self._reduce(k, s, pivots, row, following, left, inverse, right, mine)
                at.next[0] = following
            growths.next[0] = at.now[1]
            if self._guard is None:
                end = b.block
                b.branch(done)
                b.position_at_end(done)
                either = b.phi(self._type)
                either.add_incoming(shortly, short)
                either.add_incoming(at.now[1], end)
                growths.next[0] = either
        return Real(self._on, growths.now[0])

    def _reduce(self, k, s, pivots, row, following, left, inverse, right, mine) -> None:  # type: ignore[no-untyped-def]
        """Takes pivot k out of the rows below it, and out of the right side."""
        b, one = self.b, self.int(1)
        k1 = b.add(k, one)
        begin = b.select(b.icmp_signed("==", k1, pivots), left, following)
        with self.loop(k1, s, [begin]) as (i, at):
            target = at.now[0]
            source = b.add(row, b.sub(i, k))
            a = self.load(source)
            share = -(a * inverse)
            length = b.sub(s, i)
            with self.loop(self.int(0), length, some=True) as (j, _):
                place = b.add(target, j)
                self.store(fma(share, self.load(b.add(source, j)), self.load(place)), place)
            whole = b.add(target, length)
            self.store(fma(abs(share), abs(a), self.load(whole)), whole)
            name = b.add(self._p[Plan.residual], self._index(mine, i))
            self.store(fma(share, right, self.load(name)), name)
            next_row = b.add(whole, one)
            at.next[0] = b.select(b.icmp_signed("==", b.add(i, one), pivots), left, next_row)

    def _forward(self) -> None:
        """A right side brought through L."""
        b, p, one = self.b, self._p, self.int(1)
        fronts, unknowns, slots = (self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots))
        with self.loop(self.int(0), p[Plan.front_count]) as (f, _):
            pivots, _, s, rows, _, names, _, _, _, first, shape = self._head(fronts, f)
            short, long, done = (self._function.append_basic_block() for _ in range(3))
            b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
            b.position_at_end(short)
            given = [self._W, self._row(fronts, f), unknowns, slots, p[Plan.residual]]
            b.call(self._routine(shape, "forward", _FORWARD), given)
            b.branch(done)
            b.position_at_end(long)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            with self.loop(self.int(0), pivots, [rows]) as (k, at):
                row = at.now[0]
                scaled = -(self.load(row) * self.load(b.add(p[Plan.residual], b.add(first, k))))
                with self.loop(b.add(k, one), s) as (i, _):
                    name = b.add(p[Plan.residual], self._index(mine, i))
                    entry = self.load(b.add(row, b.sub(i, k)))
                    self.store(fma(entry, scaled, self.load(name)), name)
                at.next[0] = b.add(row, b.add(b.sub(s, k), one))
            b.branch(done)
            b.position_at_end(done)

    def _back(self, to: ir.Value) -> None:
        """x from D Lᵀ x = L⁻¹ r."""
        b, p, one = self.b, self._p, self.int(1)
        fronts, unknowns, slots = (self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots))
        with self.loop(self.int(0), p[Plan.front_count], down=True) as (f, _):
            pivots, _, s, rows, _, names, _, _, _, first, shape = self._head(fronts, f)
            short, long, done = (self._function.append_basic_block() for _ in range(3))
            b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
            b.position_at_end(short)
            given = [self._W, self._row(fronts, f), unknowns, slots, p[Plan.residual], to]
            b.call(self._routine(shape, "back", _BACK), given)
            b.branch(done)
            b.position_at_end(long)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            s1 = b.add(s, one)
            end = b.add(rows, b.sub(b.mul(pivots, s1), b.sdiv(b.mul(pivots, b.sub(pivots, one)), self.int(2))))
            with self.loop(self.int(0), pivots, [end], down=True) as (k, at):
                row = b.sub(at.now[0], b.sub(s1, k))
                unknown = b.add(first, k)
                right = self.load(b.add(p[Plan.residual], unknown))
                with self.loop(b.add(k, one), s, [right.value], down=True) as (i, total):
                    x = self.load(b.add(to, self._index(mine, i)))
                    entry = self.load(b.add(row, b.sub(i, k)))
                    total.next[0] = fma(-entry, x, Real(self._on, total.now[0])).value
                self.store(self.load(row) * Real(self._on, total.now[0]), b.add(to, unknown))
                at.next[0] = row
            b.branch(done)
            b.position_at_end(done)

    def _residual(self) -> Real:
        """r − K x, and ω."""
        b, p = self.b, self._p
        self._right()
        x, r, sizes = p[Plan.solution], p[Plan.residual], p[Plan.sizes]
        with self.loop(self.int(0), p[Plan.count]) as (i, _):
            self.store(abs(self.load(b.add(r, i))), b.add(sizes, i))
        table = self._pointer(Plan.checks)
        with self.loop(self.int(0), p[Plan.check_count]) as (i, _):
            row = b.mul(i, self.int(CHECKED))
            call, places, n, first = (self._int64(table, b.add(row, self.int(k))) for k in range(CHECKED))
            function = b.inttoptr(call, ir.PointerType(CHECK))
            b.call(function, [self._W, b.inttoptr(places, POINTER), n, first, x, r, sizes])
        masks = self._pointer(Plan.masks)
        with self.loop(self.int(0), p[Plan.count], [self._on.real(0.0).value]) as (i, most):
            size, old = self.load(b.add(sizes, i)), Real(self._on, most.now[0])
            most.next[0] = where(size > old, size, old).value
        least = Real(self._on, most.now[0]) * FLOOR
        with self.loop(self.int(0), p[Plan.count], [self._on.real(0.0).value]) as (i, worst):
            size, left = self.load(b.add(sizes, i)) + least, abs(self.load(b.add(r, i)))
            kept = b.fcmp_ordered("!=", self._number(masks, i), ir.Constant(DOUBLE, 0.0))
            ratio = where(size > 0.0, left / size, 0.0)
            old = Real(self._on, worst.now[0])
            new = where(ratio > old, ratio, old)
            worst.next[0] = b.select(kept, new.value, old.value)
        return Real(self._on, worst.now[0])

    def _refine(self) -> Real | None:
        """Refines where it is worth while; the last ω."""
        b, p = self.b, self._p
        worst = self._residual()
        before = b.block
        again, done = (self._function.append_basic_block() for _ in range(2))
        b.cbranch((worst > TRUSTED).anywhere(), again, done)
        b.position_at_end(again)
        pass_, last = b.phi(INT), b.phi(self._type)
        pass_.add_incoming(self.int(0), before)
        last.add_incoming(worst.value, before)
        old = Real(self._on, last)
        wanted = old > TRUSTED
        self._forward()
        self._back(p[Plan.change])
        self._add(wanted)
        new = self._residual()
        better = wanted & (new < old * 0.5)
        now = where(wanted, new, old)
        following = b.add(pass_, self.int(1))
        pass_.add_incoming(following, b.block)
        last.add_incoming(now.value, b.block)
        more = b.and_((better & (new > TRUSTED)).anywhere(), b.icmp_signed("<", following, self.int(REFINEMENTS)))
        end = b.block
        b.cbranch(more, again, done)
        b.position_at_end(done)
        result = b.phi(self._type)
        result.add_incoming(worst.value, before)
        result.add_incoming(now.value, end)
        return Real(self._on, result)

    def _add(self, wanted) -> None:  # type: ignore[no-untyped-def]
        b, p = self.b, self._p
        with self.loop(self.int(0), p[Plan.count]) as (i, _):
            at = b.add(p[Plan.solution], i)
            change = where(wanted, self.load(b.add(p[Plan.change], i)), 0.0)
            self.store(self.load(at) + change, at)
