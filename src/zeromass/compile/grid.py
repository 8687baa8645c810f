"""Functions on grids in LLVM IR: the cell of each lane by scalar operations, its polynomial in lanes.

The coefficients are not copied into the code: it holds their address, and who compiles it keeps the grid alive. Code for a
machine that can not read this process's memory holds names instead, and who links it gives it the arrays; see `tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import DOUBLE, INT64, NAN, Arithmetic, Real, at_most, fma, lanes, where
from zeromass.expression.grid import Grid, Orders, derivatives, spacing

POINTER: ir.Type = ir.PointerType()


def name(grid: Grid, orders: Sequence[Orders], suffix: str, fused: bool) -> str:
    """Name of the function of a grid that returns some of its derivatives."""
    which = "".join(f".{m}-{n}" for m, n in orders)
    return f"zeromass.grid.{grid.key}{which}.{suffix}{'' if fused else '.unfused'}"


def tables(grid: Grid) -> dict[str, np.ndarray]:
    """The arrays of a grid by the names that code outside this process knows them by."""
    arrays = {"x": grid.x, "y": grid.y, "coefficients": grid.coefficients}
    return {f"zeromass.table.{grid.key}.{part}": array for part, array in arrays.items()}


def function(
    module: ir.Module,
    full: str,
    grid: Grid,
    orders: Sequence[Orders],
    type: ir.Type,
    fused: bool,
    named: bool = False,
) -> None:
    """Emits the internal function {type, …} full(type x, type y): derivatives of the grid's function, in their order.

    Its calling convention is `fastcc`. All derivatives at a point share the search for its cell, the coefficients, and
    most of the arithmetic.
    """
    result = ir.LiteralStructType([type] * len(orders))
    f = ir.Function(module, ir.FunctionType(result, [type, type]), full)
    f.linkage, f.calling_convention = "internal", "fastcc"
    for attribute in ("noinline", "nounwind"):
        f.attributes.add(attribute)
    b: Any = ir.IRBuilder(f.append_basic_block())
    on = Arithmetic(b, type, fused)
    x, y = (on.real(argument) for argument in f.args)
    inside = (x >= grid.x[0]) & (x <= grid.x[-1]) & (y >= grid.y[0]) & (y <= grid.y[-1])
    place = _Places(b, grid, fused, _named(module, grid) if named else None)
    cells = [place(*point) for point in zip(_split(b, x), _split(b, y), strict=True)]
    s, t = (on.real(_joined(b, type, distances)) for distances in ([c.s for c in cells], [c.t for c in cells]))
    columns = _columns(b, on, grid.powers, [cell.coefficients for cell in cells])
    packed = ir.Constant(result, ir.Undefined)
    for i, value in enumerate(derivatives(columns, s, t, orders, fma)):
        packed = b.insert_value(packed, where(inside, value, NAN).value, i)
    b.ret(packed)


class _Cell(NamedTuple):
    """Distances of a point from the lines where its cell begins, and the address of the cell's coefficients."""

    s: ir.Value
    t: ir.Value
    coefficients: ir.Value


class _Places:
    """The cells of points."""

    def __init__(self, b: Any, grid: Grid, fused: bool, named: list[ir.Value] | None) -> None:
        self._b, self._grid, self._on = b, grid, Arithmetic(b, DOUBLE, fused)
        self._tables = named or [_address(array) for array in (grid.x, grid.y, grid.coefficients)]

    def __call__(self, x: ir.Value, y: ir.Value) -> _Cell:
        b, grid, (xs, ys, coefficients) = self._b, self._grid, self._tables
        i, s = self._along(grid.x, xs, x)
        j, t = self._along(grid.y, ys, y)
        _, J, K, L = grid.coefficients.shape
        cell = b.add(b.mul(i, _int(J)), j)
        return _Cell(s.value, t.value, b.gep(coefficients, [b.mul(cell, _int(K * L))], source_etype=DOUBLE))

    def _along(self, lines: np.ndarray, table: ir.Value, value: ir.Value) -> tuple[ir.Value, Real]:
        """Index of the cell and distance from its first line; outside the grid, and of NaN, one of the cells."""
        x = self._on.real(value)
        step, last = spacing(lines), len(lines) - 2
        if step is None:
            i = self._searched(table, x, last)
        else:
            place = (x - lines[0]) * (1.0 / step)
            i = self._b.fptosi(at_most(where(place > 0.0, place, 0.0), float(last)).value, INT64)
        return i, x - self._line(table, i)

    def _searched(self, table: ir.Value, x: Real, last: int) -> ir.Value:
        """The last line of 0 … last that is not above x, or 0, by halving."""
        b, i = self._b, _int(0)
        for power in reversed(range(last.bit_length())):
            further = b.add(i, _int(1 << power))
            further = b.select(b.icmp_signed("<", further, _int(last)), further, _int(last))
            i = b.select((self._line(table, further) <= x).value, further, i)
        return i

    def _line(self, table: ir.Value, i: ir.Value) -> Real:
        return self._on.real(_load(self._b, table, i))


def _columns(b: Any, on: Arithmetic, powers: tuple[int, int], cells: Sequence[ir.Value]) -> list[list[Real]]:
    """c[:, l] of every lane, from the addresses of their cells' coefficients."""
    K, L = powers

    def coefficient(k: int, l: int) -> Real:
        return on.real(_joined(b, on.type, [_load(b, cell, _int(k * L + l)) for cell in cells]))

    return [[coefficient(k, l) for k in range(K)] for l in range(L)]


def _named(module: ir.Module, grid: Grid) -> list[ir.Value]:
    """Arrays that stand elsewhere."""
    found: list[Any] = []
    for name in tables(grid):
        known: Any = module.globals.get(name) or ir.GlobalVariable(module, DOUBLE, name)
        known.linkage, known.type = "external", POINTER
        found.append(known)
    return found


def _address(array: np.ndarray) -> ir.Value:
    return _int(array.ctypes.data).inttoptr(POINTER)


def _int(value: int) -> Any:
    return ir.Constant(INT64, value)


def _load(b: Any, pointer: ir.Value, index: ir.Value) -> ir.Value:
    return b.load(b.gep(pointer, [index], source_etype=DOUBLE), typ=DOUBLE, align=8)


def _split(b: Any, x: Real) -> list[ir.Value]:
    """The lanes, one by one."""
    if x.on.type == DOUBLE:
        return [x.value]
    return [b.extract_element(x.value, _int(k)) for k in range(lanes(x.on.type))]


def _joined(b: Any, type: ir.Type, values: Sequence[ir.Value]) -> ir.Value:
    if type == DOUBLE:
        return values[0]
    result = ir.Constant(type, ir.Undefined)
    for k, value in enumerate(values):
        result = b.insert_element(result, value, _int(k))
    return result
