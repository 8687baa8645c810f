"""Sampling: expressions along the dense output of a segment, in machine code, many states at a time.

`NodeSampler` evaluates at eight nodes of consecutive steps, from the ends of steps alone where that is possible;
`TimeSampler` at any times within any steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen.target import Code, address, host
from zeromass.compile.module import code
from zeromass.compile.straight import operations
from zeromass.equation.arrays import single_thread
from zeromass.expression import Array, substitute, symbols
from zeromass.integrate.legendre import legendre
from zeromass.integrate.methods.collocation.around import ENDS, CollocationAround, CollocationAroundRows
from zeromass.integrate.methods.collocation.coefficients import STAGES, C
from zeromass.integrate.methods.collocation.stages import LANES, TABLES
from zeromass.integrate.segment import REMEMBERED, Samples, Segment, asked
from zeromass.integrate.singular.lightest import weightless
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.kernel import NEAR, Routine
from zeromass.integrate.stepping.layout import PIVOTS, Int64, Real64
from zeromass.integrate.stepping.sampling import NodeValues, TimeValues

PLACES = np.array(C)
"""Nodes of a step: places of the stages of collocation; the last is its end."""

POLYNOMIALS = np.array(legendre(PLACES, DEGREE + 1))
"""Legendre's polynomials at the nodes, shape (DEGREE + 1, 8)."""

AT_ONCE, AGAIN = 2**15, 2**18
"""Numbers of states at nodes that are held at once: what stays near the processor; and where states may have to be found
again, which takes as long for one as for ten."""

FEWEST, SOME = 2**4, 2**7
"""Steps that are sampled together at least, and where NumPy evaluates, which takes as long for one as for hundreds."""

LARGEST = 2**21
"""Numbers of states that are held at once in any case, however few steps these are: 16 MiB."""

BLOCK = 2**12
"""Steps whose values are told together."""

MANY = 100
"""Steps from which on machine code for a segment is worth while: to make it takes longer than to sample few steps."""

LONG, REPAID = 2_000, 4
"""Operations up to which expressions become machine code in any case, and beyond for each step of a segment."""

ROOM = 80, 400
"""Steps and groups of times that there is memory for at first."""

Places = slice | np.ndarray
"""Of steps, one after another or some of them."""

LINE = 8
"""Numbers in a line of the cache, which the memory of stages is aligned to."""


class Value(NamedTuple):
    """How expressions, shape (m,), are evaluated, `side` states at a time.

    code    machine code of `value(t, y, parameters, accelerations, values)`; None where NumPy evaluates: forces of
            constraints, forces where shapes touch, motions that slide along a switch, and what is long
    moving  whether that needs accelerations
    """

    e: Array
    side: int
    code: Code | None
    moving: bool


def value_of(segment: Segment, e: Array, side: int) -> Value:
    """How expressions, as they are meant in a segment, are evaluated along it."""
    system, program = segment.equations, segment.solved
    if program.code == "rolled" and segment.piece is not None and segment.piece.holds:
        return Value(e, side, None, False)
    known: dict[Any, Value] = system.memory.setdefault("sampled", {})
    key = (side, program.native.busy, *e.tolist())
    if key not in known:
        _, moving, forces = asked(system, e)
        colliders = segment.system.colliders
        pushed = colliders is not None and (moving or not set(colliders.hidden).isdisjoint(symbols(e)))
        if forces or pushed or operations(e.tolist()) > max(LONG, REPAID * (len(segment.t) - 1)):
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


def settings_of(segment: Segment) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that routines along a segment are told; see `Real64` and `Int64`."""
    reals, ints = np.zeros(len(Real64)), np.zeros(len(Int64), dtype=np.int64)
    reals[Real64.rtol], reals[Real64.atol] = segment.settings.rtol, segment.settings.atol
    ints[Int64.coordinates], ints[Int64.pivots] = segment.y.shape[1] // 2, segment.solved.native.pivots
    return reals, ints


class _Call:
    """A routine that samples a segment, with what it is told beside the states.

    projects  whether states are brought onto constraints
    """

    def __init__(self, segment: Segment, value: Value, *, projects: bool) -> None:
        native, side, n = segment.solved.native, value.side, segment.y.shape[1] // 2
        reals, self.ints = settings_of(segment)
        back = native.correcting(side) if projects else None
        for flag, name in ((Int64.project_positions, "positions"), (Int64.project_velocities, "velocities")):
            self.ints[flag] = back is not None and back.address(name) != 0
        self.ints[Int64.events] = value.e.size if value.code is not None else 0
        rhs = native.rhs(side, projected=segment.settings.project) if value.moving else None
        self._reals = np.repeat(reals, side)
        self._fixed = np.zeros((3 * n + 2 + native.pivots) * side), np.repeat(segment.values, side)
        self._functions = [(back, "positions"), (back, "velocities"), (rhs, "rhs"), (value.code, "value")]
        self._target, self._busy = host().lanes(side), native.busy

    def on(
        self, kind: type[Routine], arrays: Sequence[np.ndarray], more: Sequence[np.ndarray] = ()
    ) -> Callable[[], Any]:
        """The call on some arrays."""
        given = (self._reals, self.ints, *arrays, *self._fixed)
        return called(kind, self._target, self._busy, given, self._functions, more)


class NodeSamples(NamedTuple):
    """Some steps of a segment.

    first   of them
    t       times at the nodes, shape (steps, 8)
    values  of the expressions there, shape (steps, 8, expressions)
    """

    first: int
    t: np.ndarray
    values: np.ndarray


def node_samples(segment: Segment, e: Array, *, projected: bool = True) -> Iterator[NodeSamples]:
    """Values of expressions, shape (m,), along a segment, part by part.

    projected  see `NodeSampler`
    """
    steps = len(segment.t) - 1
    if steps < 1:
        return
    sampler = NodeSampler(segment, e, projected=projected)
    for first in range(0, steps, BLOCK):
        count = min(BLOCK, steps - first)
        t, values = np.empty((count, STAGES)), np.empty((count, STAGES, e.size))
        for k in range(0, count, sampler.most):
            some = slice(k, min(k + sampler.most, count))
            sampler(first + k, some.stop - k)
            t[some] = sampler.times[: some.stop - k]
            values[some] = sampler.values[: some.stop - k].swapaxes(2, 3).reshape(-1, STAGES, e.size)
        yield NodeSamples(first, t, values)


class NodeSampler:
    """Expressions at the nodes of some consecutive steps at a time of a segment that has at least one.

    projected  whether at states on the constraints, as `Segment.at` has them, and with accelerations there; what is not
               differs by no more than about the tolerance of the run
    most       steps that are sampled together
    side       nodes that stand beside one another
    times      at the nodes of the steps that were sampled last, shape (most, 8)
    values     of the expressions there, shape (most, 8 / side, expressions, side)

    There is memory for states, shape (most, 8 / side, 2n, side), their accelerations, and how far they were brought onto the
    constraints, in units of the tolerance.
    """

    most: int
    side: int
    times: np.ndarray
    values: np.ndarray

    def __init__(self, segment: Segment, e: Array, *, projected: bool = True) -> None:
        e = segment.meant(e)
        self._segment, self._e = segment, e
        program, settings, native = segment.solved, segment.settings, segment.solved.native
        self._steps, self._order = len(segment.t) - 1, segment.y.shape[1]
        self._quick = not projected
        self._projects = projected and settings.project and bool(program.corrections)
        _, moving, _ = asked(segment.equations, e)
        few = self._steps < MANY and not native.busy and not moving  # accelerations are there in lanes
        self.side = 1 if self._projects and few else host().width
        self._value = value_of(segment, e, self.side)
        own = settings.method == "collocation" or (self._quick and not settings.chosen.stiff)
        around = callable(segment.inside) and own and self._steps >= ENDS - 1
        wanted, numbers = FEWEST if self._value.code is not None else SOME, STAGES * self._order
        twice = self._projects and not own and weightless(segment.system)
        some = (AGAIN if twice else AT_ONCE) // numbers
        together = max(1, some, min(wanted, LARGEST // numbers))
        self.most = min(BLOCK, self._steps, -(-together // host().width) * host().width)
        slots, groups = self.most, STAGES // self.side
        self.times, self._inside = np.empty((slots, STAGES)), np.empty((slots, groups, self._order, self.side))
        self._moved = np.zeros((slots if self._projects else 1, STAGES))
        self._q̈ = np.empty((slots, groups, self._order // 2 if self._value.moving else 0, self.side))
        self.values = np.empty((slots, groups, e.size, self.side))
        self._call = _Call(segment, self._value, projects=self._projects)
        self._sample = self._call.on(NodeValues, (self.times, self._inside, self._moved, self.values, self._q̈))
        self._open = np.zeros(self.most)
        self._around = self._stages() if around else None

    def __call__(self, first: int, count: int) -> None:
        """Samples some steps from the first on."""
        left = count
        if self._around is None:
            self._by_polynomials(slice(first, first + count), slice(first + 1, first + count + 1), slice(count))
        else:
            self._around(first, count)
            left = int(np.count_nonzero(self._open[:count]))
            if left:
                missing = np.flatnonzero(self._open[:count])
                self._by_polynomials(first + missing, first + missing + 1, missing)
        self._evaluate(count, self._value.moving and (not self._quick or left > 0))
        if self._value.code is None:
            states = self._inside[:count].swapaxes(2, 3).reshape(count * STAGES, self._order)
            found = self._at(self.times[:count].ravel(), states)
            self.values[:count] = found.reshape(count, -1, self.side, self._e.size).swapaxes(2, 3)
        if self._projects and self._segment.solved.code != "rolled":
            beyond = ~(self._moved[:count] <= self._segment.settings.limits.correction)
            if beyond.any():
                weak = self._weak(first, count)[:, None]
                self._sample_again(*np.nonzero(beyond & weak), firm=False)
                if weightless(self._segment.system):
                    self._sample_again(*np.nonzero(beyond & ~weak), firm=True)

    @property
    def beginning(self) -> np.ndarray:
        """Values where the segment begins, shape (expressions,); what was sampled last is lost."""
        if self._value.code is None:
            return self._at(self._segment.t[:1], self._segment.y[:1])[0]
        self.times[0], self._inside[0] = self._segment.t[0], self._segment.y[0][:, None]
        self._evaluate(1, self._value.moving)
        return self.values[0, -1, :, -1].copy()  # at the last node, whose state is taken as it is

    def _evaluate(self, count: int, moving: bool) -> None:
        """Values at some of the steps; `moving`, whether accelerations are to be found first."""
        if self._value.code is not None or self._projects:
            self._call.ints[Int64.capacity], self._call.ints[Int64.started] = count, moving
            self._sample()

    def _weak(self, first: int, count: int) -> np.ndarray:
        """Whether constraints may lose independence in some steps, as the growth of the pivots at their ends tells."""
        growth = self._segment.growth[max(first - 1, 0) : first + count]
        ends = growth if first else np.append(growth[:1], growth)
        return ~(np.maximum(ends[:-1], ends[1:]) < NEAR**-2)

    def _sample_again(self, steps: np.ndarray, places: np.ndarray, *, firm: bool) -> None:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        if not len(steps):
            return
        groups, lanes = np.divmod(places, self.side)
        t = self.times[steps, places]
        wrong = np.flatnonzero(misled(self._segment.start, t, self._inside[steps, groups, :, lanes], firm=firm))
        if len(wrong):
            states = self._segment.dense(t[wrong])
            self.values[steps[wrong], groups[wrong], :, lanes[wrong]] = self._at(t[wrong], states)

    def _at(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        return Samples(self._segment, t, y)[self._e]

    @single_thread
    def _by_polynomials(self, steps: Places, after: Places, slots: Places) -> None:
        """States inside some steps, up to the ends `after` them, by the method that took them."""
        t, y, inside = self._segment.t, self._segment.y, self._segment.inside
        ends = t[steps], y[steps], t[after], y[after]
        found = inside(*ends) if callable(inside) else inside[steps]
        begin, _, end, last = ends
        for group, part in enumerate(np.split(POLYNOMIALS, STAGES // self.side, axis=1)):
            if isinstance(slots, slice):
                np.matmul(np.swapaxes(found, 1, 2), part, out=self._inside[slots, group])  # takes no memory beside
            else:
                self._inside[slots, group] = np.swapaxes(found, 1, 2) @ part
        self._inside[slots, -1, :, -1] = last
        self.times[slots] = begin[:, None] + (end - begin)[:, None] * PLACES
        self.times[slots, -1] = end

    def _stages(self) -> Callable[[int, int], None]:
        """What finds states inside steps from the ends around them."""
        native, values, n, lanes = self._segment.solved.native, self._segment.values, self._order // 2, host().width
        reals, ints = settings_of(self._segment)
        ints[Int64.capacity], ints[Int64.started] = self._steps, self._value.moving and self._quick
        constants = LANES + TABLES * n
        stages = np.zeros(constants + lanes * len(values) + LINE)
        stages = stages[-address(stages) % (8 * LINE) // 8 :]
        stages[constants : constants + lanes * len(values)] = np.repeat(values, lanes)
        pivots, slopes = np.zeros(PIVOTS * max(native.pivots, 1)), np.empty((self.most + ENDS, n))
        t, y = (np.ascontiguousarray(x) for x in (self._segment.t, self._segment.y))
        kind = CollocationAround if self.side > 1 else CollocationAroundRows
        rhs = native.rhs(lanes, projected=self._segment.settings.project)
        arrays = (reals, ints, stages, pivots, t, y, slopes, self.times, self._inside, self._q̈, self._open)
        call = called(kind, host(), native.busy, arrays, [(rhs, "rhs")])

        def around(first: int, count: int) -> None:
            ints[Int64.recorded], ints[Int64.budget] = first, count
            call()

        return around


class TimeSampler:
    """Expressions, shape (m,), at times (k, times) within steps (k,) of a segment: shape (k, times, m).

    They are those of `segment.at(times)[e]`, to rounding; to the bit, if they are `exact`: of what is no formula, or its
    negative.
    """

    exact: bool

    def __init__(self, segment: Segment, value: Value) -> None:
        self.exact = all(not (e.args[0] if e.op == "negative" else e).args for e in value.e)
        self._segment, self._value = segment, value
        self._projects = segment.settings.project and bool(segment.solved.corrections)
        self._whole = segment.solved.code != "rolled"
        order, side = segment.y.shape[1], value.side
        self._call = _Call(segment, value, projects=self._projects)
        self._call.ints[Int64.started] = value.moving
        self._room = np.empty((order, side)), np.empty((order // 2 if value.moving else 0, side))
        self._ends = np.ascontiguousarray(segment.t), np.ascontiguousarray(segment.y)
        self._make_room(*ROOM)

    def _make_room(self, steps: int, groups: int) -> None:
        """For so many groups of times, in so many steps."""
        side, (inside, q̈) = self._value.side, self._room
        self._times, self._values = np.empty((groups, side)), np.empty((groups, self._value.e.size, side))
        self._moved = np.zeros((groups if self._projects else 1, side))
        self._steps = np.empty((steps, 2), dtype=np.int64)
        arrays = self._times, inside, self._moved, self._values, q̈
        self._sample = self._call.on(TimeValues, arrays, (*self._ends, self._steps))

    def __call__(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        (count, many), ints, side = times.shape, self._call.ints, self._value.side
        groups = -(-many // side)
        if count > len(self._steps) or count * groups > len(self._times):
            self._make_room(count, count * groups)
        places = self._times[: count * groups].reshape(count, -1)
        places[:, :many], places[:, many:] = times, times[:, -1:]
        self._steps[:count, 0] = steps
        ints[Int64.capacity], ints[Int64.width] = count, groups

        def sample(rows: np.ndarray, polynomials: np.ndarray) -> None:
            self._steps[:count, 1] = rows
            there = np.ascontiguousarray(polynomials)
            ints[Int64.table] = address(there)
            self._sample()

        self._segment.dense.using(steps, sample)
        found = self._values[: count * groups].reshape(count, groups, -1, side).swapaxes(2, 3)
        values = found.reshape(count, groups * side, -1)[:, :many].copy()
        if self._projects and self._whole:
            moved = self._moved[: count * groups].reshape(count, -1)
            far = ~(moved[:, :many] <= self._segment.settings.limits.correction)
            if far.any():
                values[far] = self._again(times[far], values[far])
        return values

    def _again(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Values, of interpolated states as they are where constraints lose independence; see `returned`."""
        y, inside = self._segment.dense.interpolated(times)
        wrong = inside & misled(self._segment.start, times, y)
        if wrong.any():
            values[wrong] = Samples(self._segment, times[wrong], y[wrong])[self._value.e]
        return values


def time_sampler(segment: Segment, e: Array) -> TimeSampler | None:
    """Of expressions, shape (m,), along a segment; None where machine code is not worth while, see `Value`."""
    if len(segment.t) <= MANY or segment.piece is not None or segment.program is None:
        return None
    value = value_of(segment, e, host().width)
    return None if value.code is None else TimeSampler(segment, value)
