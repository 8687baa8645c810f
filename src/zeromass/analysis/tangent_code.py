"""Machine code of a motion with its tangents in lanes: what depends on the motion alone is computed once for all of them.

motion(t, y, p, ẏ, growth, told)        of one state; `told` is what tangents need to know of it
tangent(told, δy, δp, δẏ)               of a group of tangents, one in each lane, linear in δy and δp
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from zeromass.analysis import groups
from zeromass.codegen.target import BEST, Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Array, Expression, coordinate, directional, expressions
from zeromass.expression.build import ONE
from zeromass.expression.node import ordered
from zeromass.expression.substitute import renewed


class _Formulas:
    """ẏ and δẏ of a program, and the symbols of the tangents in them."""

    def __init__(self, program: Program) -> None:
        _, y, parameters = program.inputs
        self.δy = [coordinate(f"tangent.{i}") for i in range(len(y))]
        self.δp = [coordinate(f"variation.{i}") for i in range(len(parameters))]
        self.slopes = expressions([*program.system.rates, *program.acceleration])
        self.along = directional(self.slopes, dict(zip([*y, *parameters], [*self.δy, *self.δp], strict=True)))


class OneGroup:
    """Machine code of a motion with one group of tangents, both in lanes: `tangent(t, y, δy, (p, δp), ẏ, δẏ, growth)`."""

    def __init__(self, program: Program, lanes: int) -> None:
        time, y, parameters = program.inputs
        f = _Formulas(program)
        inputs = [time, y, f.δy, [*parameters, *f.δp]]
        self.lanes: int = lanes
        outputs = [f.slopes, f.along, [program.growth]]
        self.code: Code = code({"tangent": (inputs, outputs)}, host().lanes(lanes), effort=BEST)


class SeveralGroups:
    """Machine code of a motion with several of them, and how these are given to it.

    rhs  machine code of `rhs(t, unknowns, constants, slopes, growth, pivots)`, of all groups and then of the motion
    """

    def __init__(self, program: Program, lanes: int) -> None:
        time, y, parameters = program.inputs
        f = _Formulas(program)
        δy, δp, slopes = f.δy, f.δp, f.slopes
        told, tangent = _apart(f.along, [*δy, *δp], [*time])
        motion = {"motion": ([time, y, parameters], [slopes, [program.growth], list(told)])}
        carried = {"tangent": ([list(told.values()), δy, δp], [tangent])}
        self.lanes: int = lanes
        self.rhs: Code = groups.told(lanes)
        self._codes = code(motion, host().scalar, effort=BEST), code(carried, host().lanes(lanes), effort=BEST)
        self._told = len(told)

    def constants(self, values: np.ndarray, δp: np.ndarray, order: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """What the right-hand side is called with, and arrays that are to be kept as long.

        values  of the parameters, shape (p,)
        δp      tangents of them, shape (groups, p, lanes)
        order   length of a state
        """
        told, wide = np.empty(self._told), _aligned(self._told * self.lanes)
        addresses = [c.address(name) for c, name in zip(self._codes, ("motion", "tangent"), strict=True)]
        rooms = [told.ctypes.data, wide.ctypes.data if self.lanes > 1 else told.ctypes.data]
        sizes = [self._told, len(values), len(δp), order * self.lanes, len(values) * self.lanes]
        head = np.array([*addresses, *rooms, *sizes], dtype=np.int64)
        return np.concatenate([head.view(float), values, δp.ravel()]), [told, wide]


@lru_cache(maxsize=16)
def tangent_code(program: Program, lanes: int, *, several: bool) -> OneGroup | SeveralGroups:
    """Of a program; the last ones are remembered."""
    return SeveralGroups(program, lanes) if several else OneGroup(program, lanes)


def _apart(
    along: Array, tangents: Iterable[Expression], least: list[Expression]
) -> tuple[dict[Expression, Expression], list[Expression]]:
    """What functions that are linear in tangents need to know beside these, each with a name; and the functions of both.

    least  is named in any case

    What they divide by is told as its inverse: a division takes as long as ten products.
    """
    told: dict[Expression, Expression] = {}

    def name(e: Expression) -> Expression:
        if e.value is not None:
            return e
        return told.setdefault(e, coordinate(f"motion.{len(told)}"))

    for e in least:
        name(e)
    new: dict[Expression, Expression] = {δ: δ for δ in tangents}
    roots: list[Expression] = along.tolist()
    for node in ordered(roots):
        if any(a in new for a in node.args):
            if node.op == "divide" and node.args[1] not in new:
                new[node] = new[node.args[0]] * name(ONE / node.args[1])
            else:
                new[node] = renewed(node, [new[a] if a in new else name(a) for a in node.args])
    return told, [new.get(e, e) for e in roots]


def _aligned(count: int) -> np.ndarray:
    """Room for values, from where a line of the cache begins."""
    room = np.empty(count + groups.LINE // 8)
    first = -room.ctypes.data % groups.LINE // 8
    return room[first : first + count]
