"""Expressions at many states of a segment in machine code: the memory for them, and the call that looks at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.straight import operations
from zeromass.expression import Array, substitute, symbols
from zeromass.integrate.segment import REMEMBERED, Segment, asked
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.looks import PLACES, Looks

LONG, REPAID = 2_000, 4
"""Operations up to which expressions become machine code in any case, and beyond for each step of a segment: to make it
takes longer than NumPy takes to evaluate them at few steps."""


class Value(NamedTuple):
    """How expressions, shape (m,), are evaluated, `side` states at a time.

    code    machine code of `value(t, y, parameters, accelerations, values)`; None where NumPy evaluates: forces of
            constraints, motions that slide along a switch, and what is long
    moving  whether that needs accelerations
    """

    e: Array
    side: int
    code: Code | None
    moving: bool


class Looking:
    """Memory for states at eight places of each of up to `most` steps, and the call that looks at them; see `Looks`.

    times   at the places, shape (most, 8)
    inside  states there, shape (most, 8 / side, 2n, side)
    moved   how far all but the last, the end of a step, were brought onto the constraints, in units of the tolerance, of the
            same shape as times where they are
    values  of the expressions there, shape (most, 8 / side, expressions, side)
    q̈       accelerations, shape (most, 8 / side, n, side), where they are needed
    """

    times: np.ndarray
    inside: np.ndarray
    moved: np.ndarray
    values: np.ndarray

    def __init__(self, segment: Segment, value: Value, most: int, *, projects: bool) -> None:
        self.most: int = most
        self._segment, self._value, self._projects = segment, value, projects
        order, groups, side = segment.y.shape[1], PLACES // value.side, value.side
        self.times, self.inside = np.empty((most, PLACES)), np.empty((most, groups, order, side))
        self.moved = np.zeros((most if projects else 1, PLACES))
        self.q̈: np.ndarray = np.empty((most, groups, order // 2 if value.moving else 0, side))
        self.values = np.empty((most, groups, value.e.size, side))
        self._look = self._prepared() if value.code is not None or projects else None

    def __call__(self, count: int, moving: bool) -> None:
        """Looks at some of the steps.

        moving  whether accelerations are to be found first
        """
        if self._look is not None:
            self._look(count, moving)

    def _prepared(self) -> Callable[[int, bool], None]:
        told = told_of(self._segment, self._value, projects=self._projects)
        seen = (self.times, self.inside, self.moved, self.values, self.q̈)
        arrays = (told.reals, told.ints, *seen, told.room, told.parameters)
        busy = self._segment.solved.native.busy
        call = called(Looks, host().lanes(self._value.side), busy, arrays, told.functions)

        def look(count: int, moving: bool) -> None:
            told.ints[Int64.capacity], told.ints[Int64.started] = count, moving
            call()

        return look


class ToldLooks(NamedTuple):
    """What `Looks` is told beside the states."""

    reals: np.ndarray
    ints: np.ndarray
    room: np.ndarray
    parameters: np.ndarray
    functions: list[tuple[Code | None, str]]


def told_of(segment: Segment, value: Value, *, projects: bool) -> ToldLooks:
    """Of a segment, and of how expressions are evaluated in it; `projects`, whether states are brought onto constraints."""
    native, side, n = segment.solved.native, value.side, segment.y.shape[1] // 2
    reals, ints = settings_of(segment)
    back = native.correcting(side) if projects else None
    for flag, name in ((Int64.project_positions, "positions"), (Int64.project_velocities, "velocities")):
        ints[flag] = back is not None and back.address(name) != 0
    ints[Int64.events] = value.e.size if value.code is not None else 0
    rhs = native.rhs(side, projected=segment.settings.project) if value.moving else None
    room, parameters = np.zeros((3 * n + 2 + native.pivots) * side), np.repeat(segment.values, side)
    functions = [(back, "positions"), (back, "velocities"), (rhs, "rhs"), (value.code, "value")]
    return ToldLooks(np.repeat(reals, side), ints, room, parameters, functions)


def settings_of(segment: Segment) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that routines along a segment are told; see `Real64` and `Int64`."""
    reals, ints = np.zeros(len(Real64)), np.zeros(len(Int64), dtype=np.int64)
    reals[Real64.rtol], reals[Real64.atol] = segment.settings.rtol, segment.settings.atol
    ints[Int64.coordinates], ints[Int64.pivots] = segment.y.shape[1] // 2, segment.solved.native.pivots
    return reals, ints


def value_of(segment: Segment, e: Array, side: int) -> Value:
    """How expressions, as they are meant in a segment, are evaluated along it."""
    system, program = segment.equations, segment.solved
    if program.code == "rolled" and segment.piece is not None and segment.piece.holds:
        return Value(e, side, None, False)
    known: dict[Any, Value] = system.memory.setdefault("surveyed", {})
    key = (side, program.native.busy, *e.tolist())
    if key not in known:
        _, moving, forces = asked(system, e)
        if forces or operations(e.tolist()) > max(LONG, REPAID * (len(segment.t) - 1)):
            return Value(e, side, None, False)
        if len(known) >= REMEMBERED:
            known.clear()
        inputs = [*program.inputs, list(system.accelerations)]
        given = {x for group in inputs for x in group}
        others = {leaf: leaf.default for leaf in symbols(e) if leaf not in given}
        functions = {"value": (inputs, [list(substitute(e, others)) if others else e.tolist()])}
        made = code(functions, host().lanes(side))
        known[key] = Value(e, side, made, moving)
        if program.native.busy:
            made.improve()
    return known[key]
