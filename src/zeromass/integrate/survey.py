"""Expressions along a segment, at eight places of each of its steps: in machine code, some steps at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from zeromass.codegen.target import address, host
from zeromass.expression import Array
from zeromass.integrate.looking import Looking, Value, settings_of, value_of
from zeromass.integrate.methods.collocation.around import ENDS, CollocationAround, CollocationAroundRows
from zeromass.integrate.methods.collocation.coefficients import STAGES, C
from zeromass.integrate.methods.collocation.stages import LANES, TABLES
from zeromass.integrate.placed import place_states
from zeromass.integrate.segment import Samples, Segment, asked
from zeromass.integrate.singular.lightest import weightless
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.kernel import NEAR
from zeromass.integrate.stepping.layout import PIVOTS, Int64

PLACES = np.array(C)
"""Parts of a step at which expressions are looked at: those of the stages of collocation; the last is its end."""

AT_ONCE, AGAIN = 2**15, 2**18
"""Numbers of states at these places that are held at once: what stays near the processor; and where states may have to be
looked at again, which takes as long for one as for ten."""

FEWEST, SOME = 2**4, 2**7
"""Steps that are looked at together at least, and where NumPy evaluates, which takes as long for one as for hundreds."""

LARGEST = 2**21
"""Numbers of states that are held at once in any case, however few steps these are: 16 MiB."""

BLOCK = 2**12
"""Steps whose values are told together."""

MANY = 100
"""Steps from which on corrections in lanes are worth while: to make their code takes longer than to look at few steps."""

Places = slice | np.ndarray
"""Of steps, one after another or some of them."""

LINE = 8
"""Numbers in a line of the cache, which the memory of stages is aligned to."""


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
    segment: Segment
    e: Array
    steps: int
    order: int
    inside: np.ndarray

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
        self.value: Value = value_of(segment, e, self.side)
        own = settings.method == "collocation" or (self.quick and not settings.chosen.stiff)
        around = callable(segment.inside) and own and self.steps >= ENDS - 1
        wanted, numbers = FEWEST if self.value.code is not None else SOME, STAGES * self.order
        twice = self.projects and not own and weightless(segment.system)
        some = (AGAIN if twice else AT_ONCE) // numbers
        together = max(1, some, min(wanted, LARGEST // numbers))
        self.most = min(BLOCK, self.steps, -(-together // host().width) * host().width)
        self.look: Looking = Looking(segment, self.value, self.most + 1, projects=self.projects)
        self._beginning: np.ndarray | None = None
        self.times, self.inside, self.values = self.look.times, self.look.inside, self.look.values
        self.open: np.ndarray = np.zeros(self.most)
        self._slots = np.arange(self.most)
        self._around = self._stages() if around else None

    def __call__(self, first: int, count: int) -> None:
        """Looks at some steps from the first on."""
        left = count
        if self._around is None:
            self._by_polynomials(slice(first, first + count), slice(first + 1, first + count + 1), self._slots[:count])
        else:
            self._around(first, count)
            left = int(np.count_nonzero(self.open[:count]))
            if left:
                missing = np.flatnonzero(self.open[:count])
                self._by_polynomials(first + missing, first + missing + 1, missing)
        alone = self.value.moving or self.value.code is None
        begins = first == 0 and self._beginning is None and not alone  # with the first steps, as it takes no longer
        if begins:
            self._begin_at(count)
        self.look(count + begins, self.value.moving and (not self.quick or left > 0))
        if begins:
            self._beginning = self._seen_at(count)
        if self.value.code is None:
            states = self.inside[:count].swapaxes(2, 3).reshape(count * STAGES, self.order)
            found = self._at(self.times[:count].ravel(), states)
            self.values[:count] = found.reshape(count, -1, self.side, self.e.size).swapaxes(2, 3)
        if self.projects and self.segment.solved.code != "rolled":
            beyond = ~(self.look.moved[:count] <= self.segment.settings.limits.correction)
            if beyond.any():
                weak = self._weak(first, count)[:, None]
                self._look_again(*np.nonzero(beyond & weak), firm=False)
                if weightless(self.segment.system):
                    self._look_again(*np.nonzero(beyond & ~weak), firm=True)

    @property
    def beginning(self) -> np.ndarray:
        """Values where the segment begins, shape (expressions,); what has been looked at may be lost."""
        if self.value.code is None:
            return self._at(self.segment.t[:1], self.segment.y[:1])[0]
        if self._beginning is None:
            self._begin_at(0)
            self.look(1, self.value.moving)
            self._beginning = self._seen_at(0)
        return self._beginning

    def _begin_at(self, slot: int) -> None:
        """Puts the state where the segment begins there."""
        self.times[slot], self.inside[slot] = self.segment.t[0], self.segment.y[0][:, None]

    def _seen_at(self, slot: int) -> np.ndarray:
        """Values at the last place there, which is taken as it is."""
        return self.values[slot, -1, :, -1].copy()

    def _weak(self, first: int, count: int) -> np.ndarray:
        """Whether constraints may lose independence in some steps, as the growth of the pivots at their ends tells."""
        growth = self.segment.growth[max(first - 1, 0) : first + count]
        ends = growth if first else np.append(growth[:1], growth)
        return ~(np.maximum(ends[:-1], ends[1:]) < NEAR**-2)

    def _look_again(self, steps: np.ndarray, places: np.ndarray, *, firm: bool) -> None:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        if not len(steps):
            return
        groups, lanes = np.divmod(places, self.side)
        t = self.times[steps, places]
        wrong = np.flatnonzero(misled(self.segment.start, t, self.inside[steps, groups, :, lanes], firm=firm))
        if len(wrong):
            states = self.segment.dense(t[wrong])
            self.values[steps[wrong], groups[wrong], :, lanes[wrong]] = self._at(t[wrong], states)

    def _at(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        return Samples(self.segment, t, y)[self.e]

    def _by_polynomials(self, steps: Places, after: Places, slots: np.ndarray) -> None:
        """States inside some steps, up to the ends `after` them, by the method that took them."""
        t, y, inside = self.segment.t, self.segment.y, self.segment.inside
        ends = t[steps], y[steps], t[after], y[after]
        found = inside(*ends) if callable(inside) else inside[steps]
        place_states(found, ends[3], slots, self.inside)
        begin, _, end, _ = ends
        self.times[slots] = begin[:, None] + (end - begin)[:, None] * PLACES
        self.times[slots, -1] = end

    def _stages(self) -> Callable[[int, int], None]:
        """What finds states inside steps from the ends around them."""
        native, values, n, lanes = self.segment.solved.native, self.segment.values, self.order // 2, host().width
        reals, ints = settings_of(self.segment)
        ints[Int64.capacity], ints[Int64.started] = self.steps, self.value.moving and self.quick
        constants = LANES + TABLES * n
        stages = np.zeros(constants + lanes * len(values) + LINE)
        stages = stages[-address(stages) % (8 * LINE) // 8 :]
        stages[constants : constants + lanes * len(values)] = np.repeat(values, lanes)
        pivots, slopes = np.zeros(PIVOTS * max(native.pivots, 1)), np.empty((self.most + ENDS, n))
        t, y = (np.ascontiguousarray(x) for x in (self.segment.t, self.segment.y))
        kind = CollocationAround if self.side > 1 else CollocationAroundRows
        rhs = native.rhs(lanes, projected=self.segment.settings.project)
        arrays = (reals, ints, stages, pivots, t, y, slopes, self.times, self.inside, self.look.q̈, self.open)
        call = called(kind, host(), native.busy, arrays, [(rhs, "rhs")])

        def around(first: int, count: int) -> None:
            ints[Int64.recorded], ints[Int64.budget] = first, count
            call()

        return around
