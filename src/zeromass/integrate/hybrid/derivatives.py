"""Slopes of derivatives of switching functions along a motion, for the kernels that select modes: formulas, and LLVM IR.

Of a small system those of the second order and higher, as far as they are not too long: the first is in `judge`. Of a large
one, whose accelerations are no formulas, those of the function itself, and of the rate of a function of the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, rate, substitute, symbols
from zeromass.expression.node import ordered
from zeromass.integrate.hybrid.tolerances import ORDERS
from zeromass.model.pieces import SystemPieces

LARGEST = 6000
"""Operations of derivatives that a module is given at most; a switch that asks for more ends the motion there."""

Slopes = Mapping[tuple[int, int], Mapping[int, Expression]]
"""{(switch, order): {place: slope}}, by time, positions and rates, of the derivative one order below."""


def derivative_slopes(pieces: SystemPieces, program: Program) -> Slopes:
    """All of them that are not zero everywhere."""
    system, large = pieces.system, pieces.in_forces
    places = {x: i for i, x in enumerate(system.inputs[: 1 + 2 * len(system.coordinates)])}
    solution: dict[Any, Expression] = {}
    if not large:
        solution = dict(zip(system.accelerations, program.acceleration, strict=True))
    found: dict[tuple[int, int], dict[int, Expression]] = {}
    last = {k: s.g for k, s in enumerate(pieces.switches) if _has_derivatives(pieces, k)}
    if large:
        found = {(k, 1): _sloped(g, places) for k, g in last.items()}
        last = {k: g for k, g in last.items() if not pieces.of_rates[k]}
    for order in range(2, 3 if large else ORDERS + 1):
        for k in list(last):
            last[k] = as_expression(substitute(as_expression(rate(last[k])), solution))
            slopes = _sloped(last[k], places)
            some = [e for known in (*found.values(), slopes) for e in known.values()]
            if not large and len(ordered(some)) > LARGEST:
                del last[k]
                continue
            found[k, order] = slopes
    return found


def _has_derivatives(pieces: SystemPieces, k: int) -> bool:
    return pieces.switches[k].kind != "turn" and k not in pieces.of_time and k not in pieces.of_force


def _sloped(e: Expression, places: Mapping[Expression, int]) -> dict[int, Expression]:
    leaves = sorted((leaf for leaf in symbols(e) if leaf in places), key=lambda leaf: places[leaf])
    found = jacobian([e], leaves)[0] if leaves else ()
    return {places[leaf]: slope for leaf, slope in zip(leaves, found, strict=True)}


def known_orders(pieces: SystemPieces, slopes: Slopes) -> list[int]:
    """Of each switch the highest order of derivatives of which the slopes are known; see `Switches.orders`."""
    if pieces.in_forces:
        return [ORDERS] * len(pieces.switches)
    some = range(len(pieces.switches))
    return [next((order - 1 for order in range(2, ORDERS + 1) if (k, order) not in slopes), ORDERS) for k in some]


def derivative_functions(slopes: Slopes) -> dict[str, list[Expression]]:
    """What the functions compute that `derivative` calls, by their names."""
    return {f"derivative_{k}_{order}": [*some.values()] for (k, order), some in slopes.items()}


def derivative_text(slopes: Slopes, width: int) -> str:
    """LLVM IR of `derivative(t, y, parameters, k, order, row)`, of what is known; a row has some width."""
    lines, cases, joined = ["declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)"], [], []
    for n, (name, some) in enumerate(zip(derivative_functions(slopes), slopes.values(), strict=True)):
        columns = ", ".join(f"i32 {column}" for column in some)
        lines += [f"declare void @{name}(ptr, ptr, ptr, ptr)"]
        lines += [f"@columns_{n} = internal constant [{len(some)} x i32] [{columns}]"]
        cases += [f"d{n}:", f"  call void @{name}(ptr %t, ptr %y, ptr %p, ptr %room)", "  br label %some"]
        joined += [(f"[@columns_{n}, %d{n}]", f"[{len(some)}, %d{n}]")]
    where = " ".join(f"i64 {8 * k + order}, label %d{n}" for n, (k, order) in enumerate(slopes))
    most = max([1, *[len(some) for some in slopes.values()]])
    lines += ["define void @derivative(ptr %t, ptr %y, ptr %p, i64 %k, i64 %order, ptr %row) {"]
    lines += [f"  %room = alloca [{most} x double], align 16"]
    lines += [f"  call void @llvm.memset.p0.i32(ptr %row, i8 0, i32 {8 * width}, i1 false)"]
    lines += ["  %high = shl i64 %k, 3", "  %which = add i64 %high, %order"]
    lines += [f"  switch i64 %which, label %done [{where}]", *cases]
    if joined:
        columns, counts = (", ".join(some) for some in zip(*joined, strict=True))
        lines += ["some:", f"  %columns = phi ptr {columns}", f"  %count = phi i32 {counts}", _SCATTER]
    return "\n".join([*lines, "done:", "  ret void", "}"])


_SCATTER = """  br label %head
head:
  %i = phi i32 [0, %some], [%next, %body]
  %left = icmp slt i32 %i, %count
  br i1 %left, label %body, label %done
body:
  %at = getelementptr i32, ptr %columns, i32 %i
  %column = load i32, ptr %at
  %from = getelementptr double, ptr %room, i32 %i
  %to = getelementptr double, ptr %row, i32 %column
  %slope = load double, ptr %from
  store double %slope, ptr %to
  %next = add i32 %i, 1
  br label %head"""
"""The slopes of one function to their places in the row."""
