"""Bounds of expressions over intervals of their symbols: the natural interval extension, rounded outwards.

Every value that an expression takes while its symbols stay within their bounds lies within the bounds found, whether it is
computed exactly or in floating-point numbers. They may be wider than need be, the less so the shorter the intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression.evaluate import constant_number
from zeromass.expression.node import Expression, Gridded, expressions, ordered
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.enclosure import Bounds, outward, product, sum_

if TYPE_CHECKING:
    from zeromass.expression.grid import Grid, Orders
    from zeromass.expression.signatures import Scalar


class Intervals:
    """Bounds of some expressions as functions of bounds of their inputs.

    `Intervals(outputs, inputs)(bounds)` takes a pair (low, high) of numbers or arrays for each input, in their order, and
    returns a list of pairs, one for each output. Parameters that are not inputs keep their default. Where something has no
    value, or a divisor may be zero, bounds are infinite.

    >>> from zeromass.expression.interval import Intervals
    >>> x = zm.coordinate("x")
    >>> (low, high), = Intervals([x**2 - 1], [x])([(-1.0, 2.0)])
    >>> float(low), round(float(high), 9)
    (-1.0, 3.0)
    """

    def __init__(self, outputs: Iterable[Expression], inputs: Iterable[Expression]) -> None:
        outputs = list(outputs)
        given = {node: j for j, node in enumerate(inputs)}
        nodes = ordered(outputs)
        place: dict[Expression, int] = {}
        self._first: list[int | Bounds] = []
        self._steps: list[tuple[Any, tuple[int, ...]]] = []
        self._jumps: list[tuple[Any, tuple[int, ...]]] = []
        for node in [n for n in nodes if n in given or not n.args]:
            place[node] = len(place)
            number = None if node in given else np.float64(constant_number(node))
            self._first.append(given[node] if number is None else (number, number))
        for node in nodes:
            if node in place:
                continue
            args = tuple(place[a] for a in node.args)
            if isinstance(node, Gridded):
                self._steps.append((partial(_of_grid, node.grid, node.orders), args))
            else:
                row = OPERATIONS[node.op]
                self._steps.append((row.interval, args))
                if row.jumps is not None:
                    self._jumps.append((row.jumps, args))
            place[node] = len(place)
        self._outputs = [place[node] for node in outputs]

    def _tape(self, bounds: Iterable[Bounds]) -> list[Bounds]:
        given = list(bounds)
        tape: list[Bounds] = [given[b] if isinstance(b, int) else b for b in self._first]
        with np.errstate(all="ignore"):
            for interval, args in self._steps:
                tape.append(interval(*[tape[a] for a in args]))
        return tape

    def __call__(self, bounds: Iterable[Bounds]) -> list[Bounds]:
        tape = self._tape(bounds)
        return [tape[k] for k in self._outputs]

    def with_jumps(self, bounds: Iterable[Bounds]) -> tuple[list[Bounds], Any]:
        """The bounds, and whether something under the outputs may jump there."""
        tape = self._tape(bounds)
        jump: Any = np.False_
        with np.errstate(all="ignore"):
            for jumps, args in self._jumps:
                jump = jump | jumps(*[tape[a] for a in args])
        return [tape[k] for k in self._outputs], jump


def bounds(e: Scalar, values: Mapping[Any, Any]) -> Bounds:
    """Bounds (low, high) of an expression, with a number or bounds (low, high) given for its symbols.

    >>> from zeromass.expression.interval import bounds
    >>> x = zm.coordinate("x")
    >>> low, high = bounds(np.sin(x), {x: (1.0, 2.0)})
    >>> round(float(low), 6), float(high)  # the top of the sine lies between
    (0.841471, 1.0)
    >>> bounds(1 / x, {x: (-1.0, 1.0)})
    (-inf, inf)
    """
    given = [v if isinstance(v, tuple) else (v, v) for v in values.values()]
    given = [(np.asarray(low, dtype=float)[()], np.asarray(high, dtype=float)[()]) for low, high in given]
    ((low, high),) = Intervals([expressions(e).item()], values)(given)
    return (low, high) if np.ndim(low) or np.ndim(high) else (float(low), float(high))


def _of_grid(grid: Grid, orders: Orders, x: Bounds, y: Bounds) -> Bounds:
    """Bounds of a function on a grid, by Horner's scheme in every cell that a rectangle touches."""
    corners = np.broadcast_arrays(*x, *y)
    found = np.array([_of_cells(grid, orders, *box) for box in zip(*[c.ravel() for c in corners], strict=True)])
    return found[:, 0].reshape(corners[0].shape), found[:, 1].reshape(corners[0].shape)


def _of_cells(grid: Grid, orders: Orders, x0: float, x1: float, y0: float, y1: float) -> tuple[float, float]:
    if not (grid.x[0] <= x0 and x1 <= grid.x[-1] and grid.y[0] <= y0 and y1 <= grid.y[-1]):
        return -np.inf, np.inf
    (i, s), (j, t) = (_touched(lines, *ends) for lines, ends in ((grid.x, (x0, x1)), (grid.y, (y0, y1))))
    c = grid.coefficients[i, j]
    for axis, order in ((2, orders[0]), (3, orders[1])):
        for _ in range(order):  # the derivative of each polynomial
            powers = np.arange(c.shape[axis]).reshape([-1 if k == axis else 1 for k in range(4)])
            c = np.delete(c * powers, 0, axis)
    if 0 in c.shape:
        return 0.0, 0.0
    s, t = (s[0][:, None], s[1][:, None]), (t[0][None], t[1][None])
    low, high = _horner(
        [_horner([(c[..., k, l], c[..., k, l]) for k in range(c.shape[2])], s) for l in range(c.shape[3])], t
    )
    low, high = outward(low, high, 4)
    return float(np.min(low)), float(np.max(high))


def _touched(lines: np.ndarray, low: float, high: float) -> tuple[slice, Bounds]:
    """The cells between lines that an interval touches, and what it covers of each, from where it begins."""
    first = max(int(np.searchsorted(lines, low, side="left")) - 1, 0)
    last = min(max(int(np.searchsorted(lines, high, side="right")) - 1, first), len(lines) - 2)
    begin, end = lines[first : last + 1], lines[first + 1 : last + 2]
    return slice(first, last + 1), outward(np.maximum(low, begin) - begin, np.minimum(high, end) - begin)


def _horner(c: list[Bounds], s: Bounds) -> Bounds:
    total = c[-1]
    for coefficient in reversed(c[:-1]):
        total = sum_(product(total, s), coefficient)
    return total
