"""A closer look at a member that has left its lane: the next step, as `simulate` takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeromass.integrate import Course
from zeromass.integrate.course import ended
from zeromass.integrate.segment import Segments
from zeromass.integrate.stepping.layout import HEAD, LARGEST, Int64, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS, SHORT, Loop
from zeromass.model import Event
from zeromass.study.lanes import Ends, Lanes
from zeromass.study.layout import Own

if TYPE_CHECKING:
    from zeromass.study.motions import Motions

CARRIED = (Real64.t, Real64.h, Real64.room, Real64.fall, Real64.distance, Real64.quiet)
"""What a member takes along from its lane to a loop, and back, beside its counters."""


class Look:
    """The next step of a member, with all that `Loop` does about it.

    goes_on  whether the member is as ordinary as before, and its row of the table is where it goes on from
    course   its motion, where the look has led to its end; None where the whole motion must be made again, because what
             is to be said of its end needs steps that were not recorded
    """

    course: Course | None = None
    goes_on: bool = False

    def __init__(self, lanes: Lanes, motions: Motions, seat: int, watched: Sequence[Event], recording: bool) -> None:
        ends, k = motions.ends, int(motions.seats[seat])
        assert ends is not None
        self.seat = seat
        self._lanes, self._ends, self._recording = lanes, ends, recording
        if not ends.plain[seat] or (ends.fades[seat] and not recording):
            return
        loop = Loop(lanes.program, motions.start(k), motions.until, lanes.settings, lanes.asked)
        loop.occurrences = motions.occurrences.setdefault(k, [])
        self._resume(loop)
        before, rows = loop.work.steps, len(loop.work.rows)
        outcome = loop.step(CHUNK_OF_STEPS)
        plain = loop.program is lanes.program and loop.work.growth_limit == lanes.settings.limits.growth
        if outcome is None and plain and loop.carefree and not loop.searched and loop.work.steps > before:
            self.goes_on = True
            self._return(loop, rows)
            return
        segment = loop.onward(lambda t: None, outcome)
        if recording or (segment.outcome.complete and not loop.searched and not self._short(loop)):
            system = lanes.program.system
            self.course = ended(Segments([segment]), system)

    def _resume(self, loop: Loop) -> None:
        """Puts a loop where the member is."""
        ends, seat, work = self._ends, self.seat, loop.work
        for place in CARRIED:
            work.reals[place] = ends.table[seat, place]
        for place, value in (
            (Int64.steps, ends.steps[seat]),
            (Int64.rejected, ends.rejected[seat]),
            (Int64.repeated, ends.repeated[seat]),
            (Int64.evaluations, ends.evaluations[seat] - 1),  # the first slope is computed again
        ):
            work.ints[place] = int(value)
        work.state[: work.order] = ends.y[seat]
        work.signs[self._watched(loop), 0] = ends.signs[seat]
        self._largest(loop)[:] = ends.table[seat, ends.places.largest : ends.places.slope]
        if ends.steps[seat]:
            rows = ends.steps_of(seat) if self._recording else _last(ends, seat)
            while len(rows) > len(work.record):
                work.extend()
            work.record[: len(rows)] = rows
            work.ints[Int64.recorded] = len(rows)

    def _return(self, loop: Loop, known: int) -> None:
        """Takes what the loop has come to back to the table; `known` rows of its record were there before."""
        ends, seat, work, places = self._ends, self.seat, loop.work, self._lanes.places
        row, new = ends.table[seat], work.rows[known:]
        for place in CARRIED:
            row[place] = work.reals[place]
        h = np.abs(new[:, 1])
        later = h if row[Own.steps] else h[1:]
        row[Own.steps], row[Own.rejected], row[Own.repeated] = work.steps, work.rejected, work.ints[Int64.repeated]
        row[Own.largest] = max(row[Own.largest], new[:, 2].max())
        row[Own.longest_taken] = max(row[Own.longest_taken], h.max())
        row[Own.shortest_taken] = min(row[Own.shortest_taken], later.min(initial=np.inf))
        row[Own.budget], row[Own.since], row[Own.left], row[Own.live] = CHUNK_OF_STEPS, work.t, 0.0, 1.0
        row[places.state : places.state + places.order] = work.y
        row[places.signs : places.roots : 2] = work.signs[self._watched(loop), 0]
        values, sizes = row[None, places.values : places.signs], (places.order, 1, places.pivots)
        slopes, _, pivots = self._lanes.called("rhs", np.array([work.t]), work.y[None], values, sizes)
        row[places.roots : places.largest] = np.sqrt(np.abs(pivots[0]))
        row[places.largest : places.slope] = self._largest(loop)
        row[places.slope : places.slope + places.order] = slopes[0]
        if self._recording:
            ends.append(seat, new)

    def _watched(self, loop: Loop) -> list[int]:
        """Where a loop has what lanes watch: what may wait comes last there."""
        return [loop.watched.index(event) for event in self._lanes.events]

    def _largest(self, loop: Loop) -> np.ndarray:
        """Where a loop has the largest roots of the pivots so far."""
        count = self._ends.places.pivots
        return loop.work.pivots[LARGEST * count : (LARGEST + 1) * count]

    def _short(self, loop: Loop) -> bool:
        """Whether the motion has a step so short that `Loop` looks at it after the run, with all steps before it."""
        ends, seat, h = self._ends, self.seat, np.abs(loop.work.rows[:, 1])
        own = h[1:] if ends.steps[seat] else h  # the row where it left its lane is no step
        later = own if ends.steps[seat] else own[1:]
        longest = max(own.max(initial=0.0), ends.longest_taken[seat])
        return min(later.min(initial=np.inf), ends.shortest_taken[seat]) < SHORT * longest


def _last(ends: Ends, seat: int) -> np.ndarray:
    """A row of the record for where a member left its lane."""
    row = np.empty((1, HEAD + ends.places.order))
    row[0, :HEAD] = ends.t[seat], ends.longest_taken[seat], ends.largest[seat]
    row[0, HEAD:] = ends.y[seat]
    return row
