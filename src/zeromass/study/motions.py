"""The motions of many members of one program: in lanes as far as they are ordinary, the rest as `simulate` does it.

    starts ─► checked ─► lanes ─► finished

Each member ends as `simulate(program, start, method="dop853", …)` would: same state, steps, events and outcome, to the bit.
One whose constraints have another rank than the program's ends as `simulate(system, start, …)` would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from zeromass.compile.program import Program
from zeromass.integrate import Course, Settings, course
from zeromass.integrate.hybrid.members import Ending as Ended
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.stepping.dense import Source
from zeromass.integrate.stepping.layout import HEAD
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.terms import lengths_in
from zeromass.model import Event, State
from zeromass.study.check import of_rank, ordinary
from zeromass.study.driven import DrivenMembers
from zeromass.study.lanes import Ends, Lanes
from zeromass.study.least import LeastLanes
from zeromass.study.look import Look
from zeromass.study.starts import Starts


class Motions:
    """How members ended, and what their motions cost; their steps where these were recorded.

    t, y        time and state at the end, shapes (k,) and (k, 2n)
    steps, rejected, evaluations, growth   as in `Statistics`, each of shape (k,)
    courses     of members that were not in a lane to their end, and `driven`, those that the driver brought there
    occurrences what happened to the others
    ends        of those that began in one, and `seats`, which they are
    quick       of those that came to their end by independent positions and speeds, if any, and `places`, where they
                are among these
    """

    program: Program
    starts: Starts
    until: float
    settings: Settings
    t: np.ndarray
    y: np.ndarray
    growth: np.ndarray
    steps: np.ndarray
    rejected: np.ndarray
    evaluations: np.ndarray

    def __init__(self, program: Program, starts: Starts, until: float, settings: Settings) -> None:
        self.program, self.starts, self.until, self.settings = program, starts, until, settings
        count = len(starts)
        self.t, self.y, self.growth = np.full(count, np.nan), np.full_like(starts.y, np.nan), np.ones(count)
        self.steps, self.rejected, self.evaluations = (np.zeros(count, dtype=int) for _ in range(3))
        self.courses: dict[int, Course] = {}
        self.driven: set[int] = set()
        self.occurrences: dict[int, list[Occurrence]] = {}
        self.ends: Ends | None = None
        self.seats: np.ndarray = np.empty(0, dtype=int)
        self.quick: Ends | None = None
        self.places: np.ndarray = np.empty(0, dtype=int)

    def __len__(self) -> int:
        return len(self.t)

    def take_ends(self, which: np.ndarray, seats: np.ndarray) -> None:
        """Takes members as they left their lanes."""
        ends = self.ends
        assert ends is not None
        self.t[which], self.y[which], self.growth[which] = ends.t[seats], ends.y[seats], ends.largest[seats]
        self.steps[which], self.rejected[which] = ends.steps[seats], ends.rejected[seats]
        self.evaluations[which] = ends.evaluations[seats]

    def take_quick(self, which: np.ndarray, seats: np.ndarray, lanes: LeastLanes, ends: Ends) -> None:
        """Takes members that have come to their end by independent positions and speeds."""
        places = ends.places
        parameters = ends.table[seats, places.values : places.signs]
        self.quick, self.places = ends, np.full(len(self), -1)
        self.places[which] = seats
        self.t[which], self.growth[which] = ends.t[seats], ends.largest[seats]
        self.y[which] = lanes.whole(ends.t[seats], ends.y[seats], parameters)
        self.steps[which], self.rejected[which] = ends.steps[seats], ends.rejected[seats]
        self.evaluations[which] = ends.evaluations[seats]

    def take(self, k: int, course: Course) -> None:
        """Takes the motion of a member."""
        cost, last = course.statistics, course.segments[-1]
        self.courses[k] = course
        self.t[k], self.y[k], self.growth[k] = last.t[-1], last.y[-1], cost.growth
        self.steps[k], self.rejected[k], self.evaluations[k] = cost.steps, cost.rejected, cost.evaluations

    def drive(self, lanes: Lanes, which: np.ndarray, tell: Callable[[int], None], *, recording: bool) -> None:
        """Moves some members over their switches, those that come to their end without a closer look.

        recording  whether their motions are kept, and not only their ends
        """
        pieces = self.program.system.pieces
        assert pieces is not None
        members = DrivenMembers(pieces, lanes, self.until)
        which = which[ordinary(lanes, self.starts[which], self.until)]
        if not recording:
            for some, moved in members.moved(self.starts, which, tell):
                done = moved.counts[:, 0] == Ended.FINISHED
                fine = some[done]
                self.t[fine], self.y[fine], self.growth[fine] = self.until, moved.ends[done], moved.growth[done]
                self.steps[fine], self.rejected[fine], self.evaluations[fine] = moved.counts[done, 1:].T
                self.driven.update(fine.tolist())
            return
        for k in which.tolist():
            found = members.finished(self.starts, k)
            if found is not None:
                self.courses[k], cost, self.y[k] = found
                self.steps[k], self.rejected[k], self.evaluations[k], self.growth[k] = cost
                self.t[k] = self.until
                self.driven.add(k)
                tell(1)

    def outcome(self, k: int) -> Outcome:
        """How a member ended, in the words of `simulate`."""
        alone = k in self.courses and k not in self.driven
        return self.courses[k].outcome if alone else Outcome(Ending.FINISHED, self.until, "")

    def happened(self, k: int) -> tuple[Occurrence, ...]:
        """What happened to a member on its way."""
        return self.courses[k].events if k in self.courses else tuple(self.occurrences.get(k, ()))

    def start(self, k: int) -> State:
        """The start of a member."""
        return self.starts.state(self.program.system, k)

    def course(self, k: int) -> Course:
        """The motion of a member, where steps were recorded."""
        return self.courses[k] if k in self.courses else Course((self._segment(k),))

    def steps_of(self, k: int) -> np.ndarray:
        """Recorded steps of a member that was in the lanes from start to end: t, h, growth, state."""
        if self.quick is not None and self.places[k] >= 0:
            return self.quick.steps_of(int(self.places[k]))
        assert self.ends is not None
        return self.ends.steps_of(int(self._seat[k]))

    @cached_property
    def _seat(self) -> np.ndarray:
        places = np.full(len(self), -1)
        places[self.seats] = np.arange(len(self.seats))
        return places

    def _segment(self, k: int) -> Segment:
        rows, start = self.steps_of(k), self.start(k)
        t = np.concatenate([[start.t], rows[:, 0]])
        y = np.concatenate([self.starts.y[k][None], rows[:, HEAD:]])
        cost = Statistics(int(self.steps[k]), int(self.rejected[k]), int(self.evaluations[k]), 0, float(self.growth[k]))
        inside = inside_steps(self.program, self.starts.parameters[k])
        growth = rows[:, 2].copy()
        return Segment(
            self.program, start, t, y, self.outcome(k), cost, self.happened(k), self.settings, growth, inside
        )


def inside_steps(program: Program, parameters: np.ndarray) -> Source:
    """What gives the polynomials inside steps of a member."""
    nothing = np.zeros(2 * len(program.system.coordinates))
    return Dop853(Workspace(program.native, 0.0, nothing, parameters, Tolerances(1.0, 1.0), 0.0)).polynomials


class Seated(NamedTuple):
    """Which members may begin side by side, and their rows."""

    seats: np.ndarray
    table: np.ndarray


def seated(lanes: Lanes, starts: Starts, until: float) -> Seated:
    """Members that pass the checks of a start, before their first step."""
    seats = np.empty(0, dtype=int)
    if lanes.program.system.pieces is None and lanes.program.code != "rolled":  # formulas that switch are for `course`
        seats = np.flatnonzero(ordinary(lanes, starts, until))
    if not len(seats):
        return Seated(seats, np.empty((0, lanes.places.row)))
    return Seated(seats, lanes.table(*starts[seats].arrays, until))


def _seated(lanes: Lanes, starts: Starts, which: np.ndarray, until: float) -> Seated:
    """The same of some members."""
    if len(which) == len(starts):
        return seated(lanes, starts, until)
    if not len(which):
        return Seated(which, np.empty((0, lanes.places.row)))
    seats, table = seated(lanes, starts[which], until)
    return Seated(which[seats], table)


def motions(
    lanes: Lanes,
    starts: Starts,
    until: float,
    *,
    watched: Sequence[Event] = (),
    recording: bool = False,
    tell: Callable[[int], None] = lambda members: None,
    before: Seated | None = None,
    quick: LeastLanes | None = None,
) -> Motions:
    """The motions of members from their starts until a time.

    lanes      made for the program, the settings, and all events: the system's and those `watched`
    recording  whether the steps are kept
    tell       is told how many more members have ended
    before     what `seated` gives, where that is known
    quick      moves members by independent positions and speeds; those that need a look on their way begin again
    """
    program, settings = lanes.program, lanes.settings
    result = Motions(program, starts, until, settings)
    left = np.ones(len(starts), dtype=bool)
    if quick is not None:
        fit = np.flatnonzero(ordinary(lanes, starts, until))
        if len(fit):
            ends = quick.moved(quick.table(*starts[fit].arrays, until), recording=recording)
            fine = np.flatnonzero(ends.ended & ends.plain)
            result.take_quick(fit[fine], fine, quick, ends)
            left[fit[fine]] = False
            tell(len(fine))
    rest = np.flatnonzero(left)
    if DrivenMembers.serves(program.system.pieces):
        result.drive(lanes, rest, tell, recording=recording)
        left[list(result.driven)] = False
        rest = np.flatnonzero(left)
    seats, table = before or _seated(lanes, starts, rest, until)
    result.seats = seats
    if len(seats):
        ends = result.ends = lanes.moved(table, recording=recording)
        back = np.flatnonzero(ends.asks | ends.fades)
        while len(back):  # to their lanes, after a look
            looked = [Look(lanes, result, int(seat), watched, recording) for seat in back]
            for look in looked:
                if look.course is not None:
                    result.take(int(seats[look.seat]), look.course)
                    left[seats[look.seat]] = False
                    tell(1)
            back = np.array([look.seat for look in looked if look.goes_on], dtype=int)
            if len(back):
                result.ends = ends = ends.joined(back, lanes.moved(ends.table[back], recording=recording))
                back = back[(ends.asks | ends.fades)[back]]
        lanes.count(int(ends.evaluations.sum()))
        fine = ends.ended & ends.plain
        result.take_ends(seats[fine], fine)
        left[seats[fine]] = False
        tell(int(fine.sum()))
    if recording and lengths_in(program.system):
        left[_through_zero(result, ~left)] = True
    for k in np.flatnonzero(left).tolist():
        result.occurrences.pop(k, None)
        start = result.start(k)
        own = program if of_rank(program, start) else program.system
        result.take(k, course(own, start, until, settings, events=watched))
        tell(1)
    return result


def _through_zero(moved: Motions, ended: np.ndarray) -> list[int]:
    """Those of the members that ended in lanes in which a length passes zero."""
    from zeromass.integrate.lengths import lengths_of, passes_zero  # few systems have any that may vanish

    lengths, starts = lengths_of(moved.program.system), moved.starts
    quick = np.flatnonzero(moved.places >= 0), moved.quick
    found: set[int] = set()
    for members, ends in ((moved.seats, moved.ends), quick):
        if ends is None or not len(ends.record):
            continue
        rows, firsts = ends.ordered
        own = members[rows[:, 0].astype(int)]
        inputs = np.concatenate([rows[:, 1:2], rows[:, 1 + HEAD :], starts.parameters[own]], axis=1)
        begin = own[firsts]
        first = np.concatenate([starts.t[begin, None], starts.y[begin], starts.parameters[begin]], axis=1)
        after, before, t0 = lengths.directions(inputs), [], np.append(rows[:1, 1], rows[:-1, 1])
        t0[firsts] = starts.t[begin]
        for d, d0 in zip(after, lengths.directions(first), strict=True):
            before.append(np.concatenate([d[:1], d[:-1]]))
            before[-1][firsts] = d0
        turned = np.any(lengths.turned(before, after, rows[:, 1] - t0), axis=0)
        found.update(np.unique(own[turned]).tolist())
    some = sorted(k for k in found if ended[k] and k not in moved.courses)
    return [k for k in some if passes_zero(moved.program, moved.course(k).segments[0])]
