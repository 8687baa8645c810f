"""Expressions along a segment, at eight places of each of its steps: in machine code, some steps at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from zeromass.compile.module import code
from zeromass.compile.straight import operations
from zeromass.compile.target import Code, Target, host
from zeromass.expression import Array, substitute, symbols
from zeromass.integrate.methods.collocation.around import ENDS, CollocationAround, CollocationAroundRows
from zeromass.integrate.methods.collocation.coefficients import STAGES, C
from zeromass.integrate.methods.collocation.stages import LANES, TABLES
from zeromass.integrate.segment import REMEMBERED, Samples, Segment, asked
from zeromass.integrate.singular.lightest import weightless
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.kernel import NEAR, Routine, routine
from zeromass.integrate.stepping.layout import PIVOTS, Int64, Real64
from zeromass.integrate.stepping.looks import Looks

PLACES = np.array(C)
"""Parts of a step at which expressions are looked at: those of the stages of collocation; the last is its end."""

AT_ONCE = 2**15
"""Numbers of states at these places that are held at once: what stays near the processor."""

FEWEST, SOME = 2**4, 2**7
"""Steps that are looked at together at least, and where NumPy evaluates, which takes as long for one as for hundreds."""

LARGEST = 2**21
"""Numbers of states that are held at once in any case, however few steps these are: 16 MiB."""

BLOCK = 2**12
"""Steps whose values are told together."""

MANY = 100
"""Steps from which on corrections in lanes are worth while: to make their code takes longer than to look at few steps."""

LINE = 8
"""Numbers in a line of the cache, which the memory of stages is aligned to."""

LONG, REPAID = 2_000, 4
"""Operations up to which expressions become machine code in any case, and beyond for each step of a segment: to make it
takes longer than NumPy takes to evaluate them at few steps."""


class Seen(NamedTuple):
    """Some steps of a segment.

    first   of them
    t       times at the places, shape (steps, 8)
    values  of the expressions there, shape (steps, 8, expressions)
    """

    first: int
    t: np.ndarray
    values: np.ndarray


def survey(segment: Segment, e: Array, *, projected: bool = True) -> Iterator[Seen]:
    """Values of expressions, shape (m,), along a segment, part by part.

    projected  whether at states on the constraints, as `Segment.at` has them, and with accelerations there; what is not
               differs by no more than about the tolerance of the run
    """
    steps = len(segment.t) - 1
    if steps < 1:
        return
    look = Survey(segment, e, projected=projected)
    for first in range(0, steps, BLOCK):
        count = min(BLOCK, steps - first)
        t, values = np.empty((count, STAGES)), np.empty((count, STAGES, e.size))
        for k in range(0, count, look.most):
            some = slice(k, min(k + look.most, count))
            look(first + k, some.stop - k)
            t[some] = look.times[: some.stop - k]
            values[some].reshape(some.stop - k, -1, look.side, e.size)[:] = look.values[: some.stop - k].swapaxes(2, 3)
        yield Seen(first, t, values)


class Survey:
    """A segment of at least one step, looked at some steps at a time: the memory for it, and what it calls.

    most    steps that it looks at together
    side    places that stand beside one another
    times   at the places of the steps that it has looked at, shape (most, 8)
    values  of the expressions there, shape (most, 8 / side, expressions, side)
    """

    most: int
    side: int
    times: np.ndarray
    values: np.ndarray

    def __init__(self, segment: Segment, e: Array, *, projected: bool = True) -> None:
        e = segment.meant(e)
        self.segment, self.e = segment, e
        program, settings, native = segment.solved, segment.settings, segment.solved.native
        self.steps, self.order = len(segment.t) - 1, segment.y.shape[1]
        self.quick: bool = not projected
        self.projects: bool = projected and settings.project and bool(program.corrections)
        _, moving, _ = asked(segment.equations, e)
        few = self.steps < MANY and not native.busy and not moving  # accelerations are there in lanes
        self.side = 1 if self.projects and few else host().width
        self.machine, self.moving = _machine_code(segment, e, self.side)
        wanted, numbers = FEWEST if self.machine is not None else SOME, STAGES * self.order
        self.most = min(BLOCK, self.steps, max(1, AT_ONCE // numbers, min(wanted, LARGEST // numbers)))
        groups = STAGES // self.side
        self.times, self.inside = np.empty((self.most, STAGES)), np.empty((self.most, groups, self.order, self.side))
        self.q̈: np.ndarray = np.empty((self.most, groups, self.order // 2 if self.moving else 0, self.side))
        self.moved, self.open = np.zeros((self.most, STAGES)), np.zeros(self.most)
        self.values = np.empty((self.most, groups, e.size, self.side))
        own = settings.method == "collocation" or (self.quick and not settings.chosen.stiff)
        around = callable(segment.inside) and own and self.steps >= ENDS - 1
        self._around = self._stages() if around else None
        self._looks = self._looking() if self.machine is not None or self.projects else None

    def __call__(self, first: int, count: int) -> None:
        """Looks at some steps from the first on."""
        missing = np.arange(count)
        if self._around is not None:
            self._around(first, count)
            missing = np.flatnonzero(self.open[:count])
        if len(missing):
            self._by_polynomials(first + missing, missing)
        if self._looks is not None:
            self._looks(count, self.moving and (not self.quick or len(missing) > 0))
        if self.machine is None:
            states = self.inside[:count].swapaxes(2, 3).reshape(count * STAGES, self.order)
            found = self._at(self.times[:count].ravel(), states)
            self.values[:count] = found.reshape(count, -1, self.side, self.e.size).swapaxes(2, 3)
        if self.projects and self.segment.solved.code != "rolled":
            beyond = ~(self.moved[:count] <= self.segment.settings.limits.correction)
            beyond &= self._near_singular(first, count)[:, None]
            if beyond.any():
                self._look_again(*np.nonzero(beyond))

    def _near_singular(self, first: int, count: int) -> np.ndarray:
        """Whether constraints may lose independence in some steps, as the growth of the pivots at their ends tells."""
        growth = self.segment.growth[max(first - 1, 0) : first + count]
        ends = growth if first else np.append(growth[:1], growth)
        return ~(np.maximum(ends[:-1], ends[1:]) < NEAR**-2) | weightless(self.segment.system)

    def _look_again(self, steps: np.ndarray, places: np.ndarray) -> None:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        groups, lanes = np.divmod(places, self.side)
        t = self.times[steps, places]
        wrong = np.flatnonzero(misled(self.segment.start, t, self.inside[steps, groups, :, lanes]))
        if len(wrong):
            states = self.segment.dense(t[wrong])
            self.values[steps[wrong], groups[wrong], :, lanes[wrong]] = self._at(t[wrong], states)

    def _at(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        return Samples(self.segment, t, y)[self.e]

    def _by_polynomials(self, steps: np.ndarray, slots: np.ndarray) -> None:
        """States inside some steps by the method that took them."""
        t, y, inside, k = self.segment.t, self.segment.y, self.segment.inside, len(steps)
        ends = t[steps], y[steps], t[steps + 1], y[steps + 1]
        found = inside(*ends) if callable(inside) else inside[steps]
        states = states_between(np.tile(PLACES, k), np.repeat(np.arange(k), STAGES), found)
        states = states.reshape(k, STAGES, self.order)
        states[:, -1] = y[steps + 1]
        self.inside[slots] = states.reshape(k, -1, self.side, self.order).swapaxes(2, 3)
        self.times[slots] = t[steps, None] + (t[steps + 1] - t[steps])[:, None] * PLACES
        self.times[slots, -1] = t[steps + 1]

    def _stages(self) -> Callable[[int, int], None]:
        """What finds states inside steps from the ends around them."""
        native, values, n, lanes = self.segment.solved.native, self.segment.values, self.order // 2, host().width
        reals, ints = self._settings()
        ints[Int64.capacity], ints[Int64.started] = self.steps, self.moving and self.quick
        constants = LANES + TABLES * n
        stages = np.zeros(constants + lanes * len(values) + LINE)
        stages = stages[-stages.ctypes.data % (8 * LINE) // 8 :]
        stages[constants : constants + lanes * len(values)] = np.repeat(values, lanes)
        pivots, slopes = np.zeros(PIVOTS * max(native.pivots, 1)), np.empty((self.most + ENDS, n))
        t, y = (np.ascontiguousarray(x) for x in (self.segment.t, self.segment.y))
        kind = CollocationAround if self.side > 1 else CollocationAroundRows
        rhs = native.rhs(lanes, projected=self.segment.settings.project)
        arrays = (reals, ints, stages, pivots, t, y, slopes, self.times, self.inside, self.q̈, self.open)
        call = called(kind, host(), native.busy, arrays, [(rhs, "rhs")])

        def around(first: int, count: int) -> None:
            ints[Int64.recorded], ints[Int64.budget] = first, count
            call()

        return around

    def _looking(self) -> Callable[[int, bool], None]:
        """What brings states onto the constraints and looks at them."""
        native, side, n = self.segment.solved.native, self.side, self.order // 2
        reals, ints = self._settings()
        back = native.correcting(side) if self.projects else None
        for flag, name in ((Int64.project_positions, "positions"), (Int64.project_velocities, "velocities")):
            ints[flag] = back is not None and back.address(name) != 0
        ints[Int64.events] = self.e.size if self.machine is not None else 0
        rhs = native.rhs(side, projected=self.segment.settings.project) if self.moving else None
        room, values = np.zeros((3 * n + 2 + native.pivots) * side), np.repeat(self.segment.values, side)
        arrays = (np.repeat(reals, side), ints, self.times, self.inside, self.moved, self.values, self.q̈, room, values)
        functions = [(back, "positions"), (back, "velocities"), (rhs, "rhs"), (self.machine, "value")]
        call = called(Looks, host().lanes(side), native.busy, arrays, functions)

        def look(count: int, moving: bool) -> None:
            ints[Int64.capacity], ints[Int64.started] = count, moving
            call()

        return look

    def _settings(self) -> tuple[np.ndarray, np.ndarray]:
        reals, ints = np.zeros(len(Real64)), np.zeros(len(Int64), dtype=np.int64)
        reals[Real64.rtol], reals[Real64.atol] = self.segment.settings.rtol, self.segment.settings.atol
        ints[Int64.coordinates], ints[Int64.pivots] = self.order // 2, self.segment.solved.native.pivots
        return reals, ints


def called(
    kind: type[Routine],
    target: Target,
    busy: bool,
    arrays: tuple[np.ndarray, ...],
    functions: list[tuple[Code | None, str]],
) -> Callable[[], Any]:
    """The call of a routine with arrays, which are kept, and functions of a system."""
    made = routine(kind, target)
    if busy:
        made.improve()
    addresses = [x.ctypes.data for x in arrays] + [0 if f is None else f.address(name) for f, name in functions]
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(addresses))(made.address(kind.name))
    return lambda: (arrays, functions, call(*addresses))[2]


def _machine_code(segment: Segment, e: Array, lanes: int) -> tuple[Code | None, bool]:
    """Machine code of `value(t, y, parameters, accelerations, values)`, and whether it needs accelerations.

    None where NumPy evaluates: forces of constraints, motions that slide along a switch, and what is long.
    """
    system, program = segment.equations, segment.solved
    if segment.piece is not None and segment.piece.holds:
        return None, False
    known: dict[Any, tuple[Code, bool]] = system.memory.setdefault("surveyed", {})
    key = (lanes, program.native.busy, *e.tolist())
    if key not in known:
        _, moving, forces = asked(system, e)
        if forces or operations(e.tolist()) > max(LONG, REPAID * (len(segment.t) - 1)):
            return None, False
        if len(known) >= REMEMBERED:
            known.clear()
        inputs = [*program.inputs, list(system.accelerations)]
        given = {x for group in inputs for x in group}
        others = {leaf: leaf.default for leaf in symbols(e) if leaf not in given}
        functions = {"value": (inputs, [list(substitute(e, others)) if others else e.tolist()])}
        known[key] = code(functions, host().lanes(lanes)), moving
        if program.native.busy:
            known[key][0].improve()
    return known[key]
