"""Fronts in panels: up to four pivots, and what they take from up to four rows at a time, in registers.

    F_ij ← F_ij − Σ_k F_ki D_k⁻¹ F_kj,   k in order

Each value goes through the operations that `Eliminating` has for one row of one state after another, to the bit; but it is
read and written once for a block of pivots, and a value of theirs serves four rows. On the way back a value of x does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma
from zeromass.codegen.target import Target
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.unrolled import grown
from zeromass.compile.rolled.writing import Looping, Range

FOUR = 4
"""Pivots of a panel and rows that are worked on together, at most."""


class _Inside(Looping):
    """A function that the loops call."""

    def __init__(self, module: ir.Module, target: Target, name: str, given: Sequence[ir.Type]) -> None:
        super().__init__(module, target, name, given)
        self._function.linkage = "internal"
        self._function.attributes.add("noinline")

    @property
    def function(self) -> ir.Value:
        return self._function

    def _reals(self, values: Sequence[ir.Value]) -> list[Real]:
        return [Real(self._on, x) for x in values]

    def _from(self, place: ir.Value, k: int) -> ir.Value:
        return self.b.add(place, self.int(k)) if k else place


class Panel(_Inside):
    """The function of some pivots: their inverses, and what they take from one another's rows.

    void panel(values, table, masks, growth, above, right, s, k, coordinates)

    table   where the value of each entry stands: of the first pivots, whose rows are filled on the way
    masks   of the pivots; growth: the largest so far
    above   place of the row of the first pivot, k, from column 0 on; right: of its r
    """

    def __init__(self, module: ir.Module, target: Target, count: int, *, filled: bool) -> None:
        super().__init__(module, target, f"{'first' if filled else 'panel'}{count}", [POINTER] * 4 + [INT] * 5)
        _, table, masks, most, above, right, s, k, coordinates = self._function.args
        b = self.b
        rows: list[ir.Value] = [above]
        for m in range(1, count):
            rows.append(b.add(rows[-1], b.sub(s, self._from(k, m - 1))))
        told = [b.gep(table, [b.sub(row, above)], source_etype=INT32) for row in rows]

        def entry(m: int, j: ir.Value) -> Real:
            return self.load(self._index(told[m], j) if filled else b.add(rows[m], j))

        F = {(m, q): entry(m, self._from(k, q)) for m in range(count) for q in range(m, count)}
        sizes = [entry(m, s) for m in range(count)]
        r = [self.load(self._from(right, m)) for m in range(count)]
        growth = Real(self._on, b.load(most, typ=self._type, align=8))
        shares: dict[tuple[int, int], Real] = {}
        for m in range(count):
            mask = b.load(b.gep(masks, [self.int(m)], source_etype=DOUBLE), typ=DOUBLE, align=8)
            kept = b.fcmp_ordered("!=", mask, ir.Constant(DOUBLE, 0.0))
            inverse = Real(self._on, b.select(kept, (1.0 / F[m, m]).value, self._on.real(0.0).value))
            positive = b.icmp_signed("<", self._from(k, m), coordinates)
            growth = grown(growth, sizes[m], Real(self._on, b.select(positive, inverse.value, (-inverse).value)))
            self.store(inverse, b.add(rows[m], self._from(k, m)))
            for i in range(m + 1, count):
                share = shares[m, i] = -(F[m, i] * inverse)
                r[i] = fma(share, r[m], r[i])
                sizes[i] = fma(abs(share), abs(F[m, i]), sizes[i])
                for j in range(i, count):
                    F[i, j] = fma(share, F[m, j], F[i, j])
                if i == m + 1:
                    self.store(r[i], self._from(right, i))
                    for j in range(i + 1, count):
                        self.store(F[i, j], b.add(rows[i], self._from(k, j)))
        b.store(growth.value, most, align=8)
        if filled:
            for j in range(1, count):
                self.store(F[0, j], b.add(above, self._from(k, j)))
        if count > 1 or filled:
            with self.loop(self._from(k, count), s) as (j, _):
                column = [entry(m, j) for m in range(count)]
                for i in range(count):
                    for m in range(i):
                        column[i] = fma(shares[m, i], column[m], column[i])
                    if i or filled:
                        self.store(column[i], b.add(rows[i], j))
        b.ret_void()


class Rows(_Inside):
    """The function that takes some pivots out of rows one after another in memory, so many at a time.

    void rows(values, unknowns, table, residual, above, right, s, begin, end, first, count, start)

    unknowns  of the front, as slots; residual: place of the slots of r
    table     where the value of each entry stands: of rows that are filled on the way
    above     place of the row of pivot `begin`, from column 0 on; right: of its r
    first     the first row, and `start` its place; count: how many times so many
    """

    def __init__(self, module: ir.Module, target: Target, together: int, pivots: int, *, filled: bool) -> None:
        name = f"{'filled' if filled else 'rows'}{together}"
        super().__init__(module, target, name, [POINTER] * 3 + [INT] * 9)
        _, mine, self._table, residual, above, right, s, begin, end, first, count, start = self._function.args
        self._n, self._filled = together, filled
        self._shares = self.b.alloca(self._type, pivots * together)
        self._shares.align = 64
        self._s, self._above, self._begin, self._end = s, above, begin, end
        b, wide = self.b, 4 if _registers(target) > 16 else 2
        with self.loop(self.int(0), count, [start]) as (n, after):
            i = b.add(first, b.mul(n, self.int(together)))
            places = [after.now[0]]
            for m in range(together):
                places.append(b.add(places[m], b.sub(b.add(s, self.int(1 - m)), i)))
            after.next[0] = places.pop()
            rights = [b.add(residual, self._index(mine, self._from(i, m))) for m in range(together)]
            before = b.sub(b.mul(i, s), b.ashr(b.mul(i, b.sub(i, self.int(1))), self.int(1)))
            self._told = [b.gep(self._table, [before], source_etype=INT32)]
            for m in range(1, together):
                self._told.append(b.gep(self._told[-1], [b.sub(s, self._from(i, m - 1))], source_etype=INT32))
            self._diagonal(i, places, rights, right)
            begins = [self._at(b.sub(place, self._from(i, m))) for m, place in enumerate(places)]
            beyond = self._from(i, together)
            most = b.sdiv(b.sub(s, beyond), self.int(wide))
            with self.loop(self.int(0), most) as (c, _):
                self._beside(b.add(beyond, b.mul(c, self.int(wide))), begins, wide)
            with self.loop(b.add(beyond, b.mul(most, self.int(wide))), s) as (j, _):
                self._beside(j, begins, 1)
        b.ret_void()

    def _share(self, k: ir.Value, m: int) -> ir.Value:
        """Where the part of pivot k stands that is taken from row m."""
        at = self._from(self.b.mul(self.b.sub(k, self._begin), self.int(self._n)), m)
        return self.b.gep(self._shares, [at], source_etype=self._type)

    def _begun(self, row: ir.Value, m: int, j: ir.Value, q: int = 0) -> ir.Value:
        """Entry j + q of row m, which begins there: what stands in it, or what it is filled with."""
        if not self._filled:
            return self.b.load(self._beyond(row, q), typ=self._type, align=8)
        told = self.b.gep(self._told[m], [j], source_etype=INT32)
        return self.load(self._index(told, self.int(q))).value

    def _beyond(self, row: ir.Value, q: int) -> ir.Value:
        return self.b.gep(row, [self.int(q)], source_etype=self._type)

    def _kept(self, values: Sequence[ir.Value], places: Sequence[ir.Value]) -> None:
        for x, place in zip(values, places, strict=True):
            self.b.store(x, place, align=8)

    def _diagonal(self, i: ir.Value, places: list[ir.Value], rights: list[ir.Value], right: ir.Value) -> None:
        """The triangle on the diagonal, right sides, and the sizes that diagonals are made of."""
        b, n = self.b, self._n
        triangle = [(m, q) for m in range(n) for q in range(m, n)]
        rows = [self._at(place) for place in places]
        r = [self._at(place) for place in rights]
        ends = [self._at(b.add(place, b.sub(self._s, self._from(i, m)))) for m, place in enumerate(places)]
        begun = [self._above, *[b.load(x, typ=self._type, align=8) for x in r]]
        begun += [self._begun(x, m, self._s) for m, x in enumerate(ends)]
        begun += [self._begun(rows[m], m, self._from(i, m), q - m) for m, q in triangle]
        with self.loop(self._begin, self._end, begun, some=True) as (k, found):
            at = found.now[0]
            totals = self._reals(found.now[1:])
            inverse, given = self.load(b.add(at, k)), self.load(b.add(right, b.sub(k, self._begin)))
            a = [self.load(b.add(at, self._from(i, m))) for m in range(n)]
            share = [-(x * inverse) for x in a]
            for m in range(n):
                b.store(share[m].value, self._share(k, m), align=8)
                totals[m] = fma(share[m], given, totals[m])
                totals[n + m] = fma(abs(share[m]), abs(a[m]), totals[n + m])
            for x, (m, q) in enumerate(triangle, 2 * n):
                totals[x] = fma(share[m], a[q], totals[x])
            found.next[:] = [b.add(at, b.sub(self._s, k)), *[x.value for x in totals]]
        self._kept(found.now[1:], [*r, *ends, *[self._beyond(rows[m], q - m) for m, q in triangle]])

    def _beside(self, j: ir.Value, begins: list[ir.Value], columns: int) -> None:
        """Some columns from j on of all rows."""
        b = self.b
        tile = [(m, q) for m in range(self._n) for q in range(columns)]
        rows = [b.gep(begin, [j], source_etype=self._type) for begin in begins]
        begun = [self._above, *[self._begun(rows[m], m, j, q) for m, q in tile]]
        with self.loop(self._begin, self._end, begun, some=True) as (k, found):
            at = found.now[0]
            totals = self._reals(found.now[1:])
            read = [self.load(b.add(at, self._from(j, q))) for q in range(columns)]
            for m in range(self._n):
                share = Real(self._on, b.load(self._share(k, m), typ=self._type, align=8))
                for q in range(columns):
                    totals[m * columns + q] = fma(share, read[q], totals[m * columns + q])
            found.next[:] = [b.add(at, b.sub(self._s, k)), *[x.value for x in totals]]
        self._kept(found.now[1:], [self._beyond(rows[m], q) for m, q in tile])


class Back(_Inside):
    """The function of the way back of some pivots: x from D Lᵀ x = L⁻¹ r.

    void back(values, unknowns, to, above, right, s, k, own)

    above  place of the row of the first of the pivots, k, from column 0 on; right: of its r; own: of its x
    """

    def __init__(self, module: ir.Module, target: Target, count: int) -> None:
        super().__init__(module, target, f"back{count}", [POINTER] * 2 + [INT] * 6)
        _, mine, to, above, right, s, k, own = self._function.args
        b = self.b
        rows: list[ir.Value] = [above]
        for m in range(1, count):
            rows.append(b.add(rows[-1], b.sub(s, self._from(k, m - 1))))
        r = [self.load(self._from(right, m)).value for m in range(count)]
        with self.loop(self._from(k, count), s, r, down=True) as (i, found):
            x = self.load(b.add(to, self._index(mine, i)))
            for m, row in enumerate(rows):
                found.next[m] = fma(-self.load(b.add(row, i)), x, Real(self._on, found.now[m])).value
        totals, known = self._reals(found.now), dict[int, Real]()
        for m in reversed(range(count)):
            for i in reversed(range(m + 1, count)):
                totals[m] = fma(-self.load(b.add(rows[m], self._from(k, i))), known[i], totals[m])
            known[m] = self.load(b.add(rows[m], self._from(k, m))) * totals[m]
            self.store(known[m], self._from(own, m))
        b.ret_void()


class Panels:
    """These functions in a module, for one to four pivots or rows.

    pivots  that are taken out of rows at a time, at most
    growth  where the largest growth of a pivot stands
    """

    def __init__(self, module: ir.Module, target: Target, pivots: int, growth: ir.Value) -> None:
        self.growth: ir.Value = growth
        self._first, self._panels = (
            [Panel(module, target, k, filled=filled).function for k in range(1, FOUR + 1)] for filled in (True, False)
        )
        self._filled, self._rows = (
            [Rows(module, target, k, pivots, filled=filled).function for k in some]
            for filled, some in ((True, range(1, FOUR + 1)), (False, (1, FOUR)))  # what fours leave, one by one
        )
        self._backs = [Back(module, target, k).function for k in range(1, FOUR + 1)]

    def panel(self, on: Looping, count: ir.Value, fill: ir.Value) -> ir.Value:
        """The function of so many pivots, and whether it fills their rows."""
        return _of_count(on, count, [on.b.select(fill, *both) for both in zip(self._first, self._panels, strict=True)])

    def take(self, on: Looping, given: Sequence[ir.Value], some: Range, start: ir.Value, fill: ir.Value) -> None:
        """Takes pivots out of rows, which are filled before where that is asked for: some first, then four at a time.

        So four rows have columns by fours beside their diagonal, where they are the last of a front.
        """
        b, s, (first, last) = on.b, given[6], some
        count = b.sub(last, first)
        few, fours = b.and_(count, on.int(FOUR - 1)), b.ashr(count, on.int(2))
        with on.loop(on.int(0), b.zext(b.icmp_signed(">", few, on.int(0)), INT)):
            function = b.select(fill, _of_count(on, few, self._filled[:-1]), self._rows[0])
            b.call(function, [*given, first, b.select(fill, on.int(1), few), start])
        with on.loop(on.int(0), b.zext(b.icmp_signed(">", fours, on.int(0)), INT)):
            passed = b.sub(
                b.mul(few, b.sub(b.add(s, on.int(1)), first)), b.ashr(b.mul(few, b.sub(few, on.int(1))), on.int(1))
            )
            b.call(
                b.select(fill, self._filled[-1], self._rows[-1]),
                [*given, b.add(first, few), fours, b.add(start, passed)],
            )

    def back(self, on: Looping, pivots: ir.Value, given: Callable[[ir.Value], list[ir.Value]]) -> None:
        """The way back of the pivots of a front, told what each function is given: the last first, then four at a time."""
        b = on.b
        few, fours = b.and_(pivots, on.int(FOUR - 1)), b.ashr(pivots, on.int(2))
        with on.loop(on.int(0), b.zext(b.icmp_signed(">", few, on.int(0)), INT)):
            b.call(_of_count(on, few, self._backs[:-1]), given(b.sub(pivots, few)))
        with on.loop(on.int(0), fours, down=True) as (n, _):
            b.call(self._backs[-1], given(b.mul(n, on.int(FOUR))))


def _of_count(on: Looping, count: ir.Value, functions: Sequence[ir.Value]) -> ir.Value:
    """The function of so many, where the first is that of one."""
    *others, found = functions
    for k, function in enumerate(others, 1):
        found = on.b.select(on.b.icmp_signed("==", count, on.int(k)), function, found)
    return found


def _registers(target: Target) -> int:
    """Registers for lanes that a machine has."""
    return 16 if target.triple.startswith("x86_64") and "+avx512vl" not in target.features else 32
