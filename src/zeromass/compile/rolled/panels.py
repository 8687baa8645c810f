"""Fronts in panels: up to four pivots, and what they take from up to four rows at a time, in registers.

    F_ij ← F_ij − Σ_k F_ki D_k⁻¹ F_kj,   k in order

Each value goes through the operations that `Eliminating` has for one row of one state after another, to the bit; but it is
read and written once for a block of pivots, and a value of theirs serves four rows. On the way back a value of x does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zeromass.compile import ir
from zeromass.compile.elementary.arithmetic import Real, fma
from zeromass.compile.rolled.numbers import DOUBLE, INT, POINTER
from zeromass.compile.rolled.unrolled import grown
from zeromass.compile.rolled.writing import Looping, Range
from zeromass.compile.target import Target

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

    def _stored(self, values: Sequence[ir.Value], places: Sequence[ir.Value]) -> None:
        for x, place in zip(self._reals(values), places, strict=True):
            self.store(x, place)

    def _from(self, place: ir.Value, k: int) -> ir.Value:
        return self.b.add(place, self.int(k)) if k else place


class Panel(_Inside):
    """The function of some pivots: their inverses, and what they take from one another's rows.

    void panel(values, masks, growth, above, right, s, k, coordinates)

    masks   of the pivots; growth: the largest so far
    above   place of the row of the first pivot, k, from column 0 on; right: of its r
    """

    def __init__(self, module: ir.Module, target: Target, count: int) -> None:
        super().__init__(module, target, f"panel{count}", [POINTER] * 3 + [INT] * 5)
        _, masks, most, above, right, s, k, coordinates = self._function.args
        b = self.b
        rows = [above]
        for m in range(1, count):
            rows.append(b.add(rows[-1], b.sub(s, self._from(k, m - 1))))
        F = {(m, q): self.load(b.add(rows[m], self._from(k, q))) for m in range(count) for q in range(m, count)}
        sizes = [self.load(b.add(row, s)) for row in rows]
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
        if count > 1:
            with self.loop(self._from(k, count), s) as (j, _):
                column = [self.load(b.add(row, j)) for row in rows]
                for i in range(1, count):
                    for m in range(i):
                        column[i] = fma(shares[m, i], column[m], column[i])
                    self.store(column[i], b.add(rows[i], j))
        b.ret_void()


class Rows(_Inside):
    """The function that takes some pivots out of rows one after another in memory, so many at a time.

    void rows(values, unknowns, table, residual, above, right, s, begin, end, first, count, start)

    unknowns  of the front, as slots; residual: place of the slots of r
    table     where what is added to each entry stands, two places for each: of rows that are filled on the way
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
            numbers = [b.sub(b.mul(i, s), b.ashr(b.mul(i, b.sub(i, self.int(1))), self.int(1)))]
            for m in range(1, together):
                numbers.append(b.add(numbers[-1], b.sub(s, self._from(i, m - 1))))
            self._numbers = numbers
            self._diagonal(i, places, rights, right)
            begins = [b.sub(place, self._from(i, m)) for m, place in enumerate(places)]
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

    def _begun(self, place: ir.Value, m: int, j: ir.Value) -> ir.Value:
        """Entry j of row m: what stands there, or what is added up to be there."""
        if not self._filled:
            return self.load(place).value
        at = self.b.shl(self.b.add(self._numbers[m], j), self.int(1))
        first, second = (self.load(self._index(self._table, self._from(at, k))) for k in range(2))
        return (first + second).value

    def _diagonal(self, i: ir.Value, places: list[ir.Value], rights: list[ir.Value], right: ir.Value) -> None:
        """The triangle on the diagonal, right sides, and the sizes that diagonals are made of."""
        b, n = self.b, self._n
        triangle = [(m, q) for m in range(n) for q in range(m, n)]
        ends = [b.add(place, b.sub(self._s, self._from(i, m))) for m, place in enumerate(places)]
        corner = [self._from(places[m], q - m) for m, q in triangle]
        to = [*rights, *ends, *corner]
        begun = [self._above, *[self.load(x).value for x in rights]]
        begun += [self._begun(x, m, self._s) for m, x in enumerate(ends)]
        begun += [self._begun(x, m, self._from(i, q)) for x, (m, q) in zip(corner, triangle, strict=True)]
        with self.loop(self._begin, self._end, begun, some=True) as (k, found):
            at = found.now[0]
            totals = self._reals(found.now[1:])
            inverse, r = self.load(b.add(at, k)), self.load(b.add(right, b.sub(k, self._begin)))
            a = [self.load(b.add(at, self._from(i, m))) for m in range(n)]
            share = [-(x * inverse) for x in a]
            for m in range(n):
                b.store(share[m].value, self._share(k, m), align=8)
                totals[m] = fma(share[m], r, totals[m])
                totals[n + m] = fma(abs(share[m]), abs(a[m]), totals[n + m])
            for x, (m, q) in enumerate(triangle, 2 * n):
                totals[x] = fma(share[m], a[q], totals[x])
            found.next[:] = [b.add(at, b.sub(self._s, k)), *[x.value for x in totals]]
        self._stored(found.now[1:], to)

    def _beside(self, j: ir.Value, begins: list[ir.Value], columns: int) -> None:
        """Some columns from j on of all rows."""
        b = self.b
        tile = [(m, q) for m in range(self._n) for q in range(columns)]
        to = [b.add(begins[m], self._from(j, q)) for m, q in tile]
        begun = [self._begun(x, m, self._from(j, q)) for x, (m, q) in zip(to, tile, strict=True)]
        begun.insert(0, self._above)
        with self.loop(self._begin, self._end, begun, some=True) as (k, found):
            at = found.now[0]
            totals = self._reals(found.now[1:])
            read = [self.load(b.add(at, self._from(j, q))) for q in range(columns)]
            for m in range(self._n):
                share = Real(self._on, b.load(self._share(k, m), typ=self._type, align=8))
                for q in range(columns):
                    totals[m * columns + q] = fma(share, read[q], totals[m * columns + q])
            found.next[:] = [b.add(at, b.sub(self._s, k)), *[x.value for x in totals]]
        self._stored(found.now[1:], to)


class Back(_Inside):
    """The function of the way back of some pivots: x from D Lᵀ x = L⁻¹ r.

    void back(values, unknowns, to, above, right, s, k, own)

    above  place of the row of the first of the pivots, k, from column 0 on; right: of its r; own: of its x
    """

    def __init__(self, module: ir.Module, target: Target, count: int) -> None:
        super().__init__(module, target, f"back{count}", [POINTER] * 2 + [INT] * 6)
        _, mine, to, above, right, s, k, own = self._function.args
        b = self.b
        rows = [above]
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
        self._panels = [Panel(module, target, k).function for k in range(1, FOUR + 1)]
        self._filled, self._rows = (
            [Rows(module, target, k, pivots, filled=filled).function for k in (1, FOUR)] for filled in (True, False)
        )
        self._backs = [Back(module, target, k).function for k in (1, FOUR)]

    def panel(self, on: Looping, count: ir.Value) -> ir.Value:
        """The function of so many pivots."""
        found = self._panels[-1]
        for k, function in enumerate(self._panels[:-1], 1):
            found = on.b.select(on.b.icmp_signed("==", count, on.int(k)), function, found)
        return found

    def take(self, on: Looping, given: Sequence[ir.Value], some: Range, start: ir.Value, fill: ir.Value) -> None:
        """Takes pivots out of rows, which are filled before where that is asked for: four at a time, then the others."""
        b, s, (first, last) = on.b, given[6], some
        count = b.sub(last, first)
        for m, (many, n) in enumerate(((1, b.and_(count, on.int(FOUR - 1))), (FOUR, b.ashr(count, on.int(2))))):
            with on.loop(on.int(0), b.zext(b.icmp_signed(">", n, on.int(0)), INT)):
                done = b.and_(count, on.int(-FOUR)) if many == 1 else on.int(0)
                passed = b.sub(
                    b.mul(done, b.sub(b.add(s, on.int(1)), first)),
                    b.ashr(b.mul(done, b.sub(done, on.int(1))), on.int(1)),
                )
                function = b.select(fill, self._filled[m], self._rows[m])
                b.call(function, [*given, b.add(first, done), n, b.add(start, passed)])

    def back(self, on: Looping, pivots: ir.Value, given: Callable[[ir.Value], list[ir.Value]]) -> None:
        """The way back of the pivots of a front, told what each function is given: the last first, then four at a time."""
        b = on.b
        fours = b.ashr(pivots, on.int(2))
        with on.loop(b.and_(pivots, on.int(-FOUR)), pivots, down=True) as (k, _):
            b.call(self._backs[0], given(k))
        with on.loop(on.int(0), fours, down=True) as (n, _):
            b.call(self._backs[1], given(b.mul(n, on.int(FOUR))))


def _registers(target: Target) -> int:
    """Registers for lanes that a machine has."""
    return 16 if target.triple.startswith("x86_64") and "+avx512vl" not in target.features else 32
