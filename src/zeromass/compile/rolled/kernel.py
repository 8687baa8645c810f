"""Kernels: the formulas of a kind of elements in a loop over its instances, states in lanes.

    void kernel(values, t, y, parameters, slopes, places, constants, instances, out, coordinates)

values       memory of the evaluation, see `Layout`
places       int32, (instances, blocks): where the coordinates of the blocks begin; then the places of parameters; of
             spreads, where the unknowns do too; and where what is seen of parts stands
constants    float64, (instances, constants)
out          where results begin: those of elements one after another in `values`, those of spreads in `slopes`
coordinates  how many there are: rates follow them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeromass.compile.straight import Flavour, StraightLine
from zeromass.expression import Expression, Symbol
from zeromass.expression import t as time

ARGUMENTS = (
    "ptr noalias %W, ptr noalias readonly %t, ptr noalias readonly %y, ptr noalias readonly %p, ptr noalias %slopes, "
    "ptr noalias readonly %B, ptr noalias readonly %C, i64 %n, i64 %out, i64 %dim"
)


class Kernel(StraightLine):
    """One kernel as LLVM IR.

    groups     symbols of each block, coordinates and then rates
    constants  symbols whose values differ between instances
    outputs    formulas; at: the place of each among the results, if they do not follow one another
    own        symbols of the parameters in them
    seen       of each block of which something is read, and of the unknowns of a spread: symbols and their places there
    orders     2 where a group has coordinates and rates, 3 where accelerations follow
    stride     results of an element; None of a spread
    apart      states whose values stand side by side in y, t, parameters and slopes: as many as lanes, or more
    """

    def __init__(
        self,
        name: str,
        groups: Sequence[Sequence[Symbol]],
        constants: Sequence[Symbol],
        outputs: Sequence[Expression],
        flavour: Flavour,
        stride: int | None = None,
        apart: int = 0,
        own: Sequence[Symbol] = (),
        orders: int = 2,
        at: Sequence[int] | None = None,
        seen: Sequence[Mapping[Symbol, int]] = (),
    ) -> None:
        self._at, self._seen = at, seen
        self._blocks, self._own, self._orders = len(groups), own, orders
        self._constants, self._stride, self._apart = len(constants), stride, apart or flavour.width
        inputs = [*groups, constants, [time], own, *map(list, seen)]
        super().__init__(name, inputs, [outputs], flavour)
        body = "\n  ".join(self._lines)
        self.text: str = (
            f"define void @{name}({ARGUMENTS}) {{\nentry:\n  br label %loop\nloop:\n"
            f"  %k = phi i64 [0, %entry], [%k1, %loop]\n  {body}\n  %k1 = add i64 %k, 1\n"
            "  %more = icmp slt i64 %k1, %n\n  br i1 %more, label %loop, label %end\nend:\n  ret void\n}\n"
        )

    def _load(self, groups: Sequence[Sequence[Expression]], present: set[Expression]) -> None:
        before = self._blocks + len(self._own)
        row = self._emit(f"mul i64 %k, {before + len(self._seen)}")
        for g, group in enumerate(groups[: self._blocks]):
            self._block(g, row, group, present)
        constants, _, own = groups[self._blocks : self._blocks + 3]
        if self._constants:
            first = self._emit(f"mul i64 %k, {self._constants}")
            for i, symbol in enumerate(constants):
                if symbol in present:
                    at = self._emit(f"add i64 {first}, {i}")
                    place = self._emit(f"getelementptr double, ptr %C, i64 {at}")
                    self._values[symbol] = self._everywhere(self._emit(f"load double, ptr {place}, align 8"))
        if time in present:
            self._values[time] = self._emit(f"load {self._type}, ptr %t, align 8")
        for i, symbol in enumerate(own):
            if symbol in present:
                place = self._given("%p", self._table(row, self._blocks + i))
                self._values[symbol] = self._emit(f"load {self._type}, ptr {place}, align 8")
        for column, some in enumerate(self._seen, before):
            first = self._table(row, column)
            for symbol, i in some.items():
                if symbol in present:
                    self._values[symbol] = self._value("%W", first, i)
        if self._stride is None:
            self._place = self._emit(f"add i64 {self._first}, %out")
        else:
            shifted = self._emit(f"mul i64 %k, {self._stride}")
            self._place = self._emit(f"add i64 {shifted}, %out")

    def _block(self, g: int, row: str, group: Sequence[Expression], present: set[Expression]) -> None:
        first = self._table(row, g)
        if g == 0:
            self._first = first
        begins, part = [first], len(group) // self._orders
        for _ in range(1, self._orders):
            begins.append(self._emit(f"add i64 {begins[-1]}, %dim"))
        for i, symbol in enumerate(group):
            if symbol in present:
                self._values[symbol] = self._value("%y", begins[i // part], i % part)

    def _table(self, row: str, column: int) -> str:
        at = self._emit(f"add i64 {row}, {column}")
        place = self._emit(f"getelementptr i32, ptr %B, i64 {at}")
        return self._emit(f"sext i32 {self._emit(f'load i32, ptr {place}, align 4')} to i64")

    def _given(self, memory: str, at: str) -> str:
        """Address of a number in arrays of the caller."""
        if self._apart == self._flavour.width:
            return self._emit(f"getelementptr {self._type}, ptr {memory}, i64 {at}")
        return self._emit(f"getelementptr double, ptr {memory}, i64 {self._emit(f'mul i64 {at}, {self._apart}')}")

    def _value(self, memory: str, first: str, offset: int) -> str:
        at = self._emit(f"add i64 {first}, {offset}")
        place = (
            self._given(memory, at)
            if memory == "%y"
            else self._emit(f"getelementptr {self._type}, ptr {memory}, i64 {at}")
        )
        return self._emit(f"load {self._type}, ptr {place}, align 8")

    def _everywhere(self, value: str) -> str:
        """One number in every lane."""
        width = self._flavour.width
        if width == 1:
            return value
        one = self._emit(f"insertelement {self._type} undef, double {value}, i32 0")
        return self._emit(f"shufflevector {self._type} {one}, {self._type} undef, <{width} x i32> zeroinitializer")

    def _store(self, output: Expression, places: Sequence[tuple[int, int]]) -> None:
        for _, i in places:
            at = self._emit(f"add i64 {self._place}, {i if self._at is None else self._at[i]}")
            inside = f"getelementptr {self._type}, ptr %W, i64 {at}"
            place = self._given("%slopes", at) if self._stride is None else self._emit(inside)
            self._lines.append(f"store {self._type} {self._values[output]}, ptr {place}, align 8")
