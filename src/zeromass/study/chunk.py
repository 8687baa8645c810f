"""Chunks of a study: members that are moved together, and what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation.arrays import single_thread
from zeromass.integrate import Settings
from zeromass.integrate.outcome import Ending
from zeromass.integrate.terms import lengths_in
from zeromass.model import Event
from zeromass.study.faults import is_fault
from zeromass.study.keep import Final, FirstTime, Kept, needs_steps
from zeromass.study.lanes import Lanes
from zeromass.study.members import Members
from zeromass.study.motions import Seated, motions
from zeromass.study.pointwise import Pointwise
from zeromass.study.starts import Starts
from zeromass.study.values import of_state, values_of

if TYPE_CHECKING:
    from zeromass.study.least import LeastLanes

SIZE = 1024
"""Members of a chunk; fewer where their steps are recorded."""

RECORDED = 128
"""Members of a chunk whose steps are recorded."""

WORDS = "<U24"
"""Outcomes in arrays."""

NO_START, FAILED = "no start", "failed"
"""The outcomes of a member whose start could not be made, and of one that an error of its own or a crash ended."""

Results = dict[str, np.ndarray]
"""What is kept, by name, and `outcome`, `message`, `end_time`, `steps`, `rejected`, `evaluations`, one row a member."""


@dataclass(frozen=True, eq=False)
class Work:
    """What is done with starts of members: how they move, and what is kept of them. It can be sent to other processes.

    first  the start of the study's first member
    gpu    whether members move on a graphics card
    least  whether they move by independent positions and speeds
    """

    program: Program
    until: float
    settings: Settings
    watched: tuple[Event, ...]
    keep: Mapping[str, Kept]
    first: Starts
    gpu: bool = False
    least: bool = False

    @cached_property
    def pointwise(self) -> dict[str, Pointwise | None]:
        """The values of what is kept at single states, of members that move side by side."""
        beside = self.program.code != "rolled"
        return {
            name: Pointwise(self.program, what.array, self.first)
            if beside and not isinstance(what, FirstTime)
            else None
            for name, what in self.keep.items()
        }

    @cached_property
    def lanes(self) -> Lanes:
        events = [*self.program.system.events, *self.all_watched]
        if self.gpu:
            from zeromass.study.gpu import Gpu

            return Gpu(self.program, self.settings, events)
        return Lanes(self.program, self.settings, events)

    @cached_property
    def quick(self) -> LeastLanes | None:
        """What moves members by independent positions and speeds, where that is asked for and nothing happens on the way."""
        if not self.least or self.all_watched or self.program.code == "rolled":
            return None
        from zeromass.study.least import least_lanes  # most studies do without

        return least_lanes(self.lanes, self.first)

    @property
    def all_watched(self) -> tuple[Event, ...]:
        """The events asked for, and those whose first times are kept."""
        names = {event.name for event in self.watched}
        more = [what.event for what in self.keep.values() if isinstance(what, FirstTime)]
        return (*self.watched, *[event for event in more if event.name not in names])

    @property
    def recording(self) -> bool:
        """Whether the steps of members are needed: for what is kept, or to see where lengths pass through zero."""
        seen = not self.gpu and bool(lengths_in(self.program.system))  # a card would send back every step
        return needs_steps(list(self.keep.values())) or seen

    @single_thread
    def results(self, starts: Starts, before: Seated | None = None) -> Results:
        """What is kept of members with some starts; `before` is what `seated` gives, where that is known."""
        recording = self.recording or (self.program.system.pieces is not None and not of_states(self.keep))
        options = {"watched": self.all_watched, "recording": recording, "before": before, "quick": self.quick}
        moved = motions(self.lanes, starts, self.until, **options)
        found = blank(self, len(starts), Ending.FINISHED.value)
        for k in moved.courses:
            outcome = moved.outcome(k)
            found["outcome"][k], found["message"][k] = outcome.ending.value, outcome.message
        found["end_time"], found["steps"] = moved.t, moved.steps
        found["rejected"], found["evaluations"] = moved.rejected, moved.evaluations
        for name, what in self.keep.items():
            found[name] = values_of(what, self.pointwise[name], moved, self.lanes)
        return found

    def safely(self, starts: Starts, before: Seated | None = None) -> Results:
        """The same, where an error is that of one member: it is looked for in ever smaller parts, and the rest goes on.

        A member that met a fault of the machine is "interrupted", or "out of memory": see `faults`.
        """
        try:
            return self.results(starts, before)
        except MemoryError as error:
            ending, why = Ending.OUT_OF_MEMORY.value, f"{error}" or "there is no more"
        except Exception as error:
            ending = Ending.INTERRUPTED.value if is_fault(error) else FAILED
            why = f"{type(error).__name__}: {error}"
        found = blank(self, len(starts), ending)  # after the error, which holds what the failed try had taken of memory
        if len(starts) == 1:
            found["message"][0] = why
            return found
        middle = len(starts) // 2
        for part in (np.arange(middle), np.arange(middle, len(starts))):
            collect(found, part, self.safely(starts[part]))
        return found

    def prepare(self) -> None:
        """Makes the machine code, so that no member waits for it; what is wrong with it members will tell."""
        with suppress(Exception):
            _ = self.pointwise
            if self.program.system.pieces is None and self.program.code != "rolled":
                _ = self.lanes.code
                _ = self.quick and self.quick.code


@dataclass(frozen=True, eq=False)
class Study:
    """A study: its members, and what is done with them."""

    members: Members
    work: Work

    def results(self, which: np.ndarray) -> Results:
        """What is kept of some members."""
        starts, failed = self.members.starts(which)
        if not failed:
            return self.work.safely(starts)
        good = np.delete(np.arange(len(which)), list(failed))
        found = blank(self.work, len(which))
        collect(found, np.array(list(failed), dtype=int), self.without_start(list(failed.values())))
        if len(good):
            collect(found, good, self.work.safely(starts[good]))
        return found

    def without_start(self, why: Sequence[str]) -> Results:
        """Results of members whose start could not be made."""
        found = blank(self.work, len(why), NO_START)
        found["message"][:] = why
        return found


def of_states(keep: Mapping[str, Kept]) -> bool:
    """Whether all that is kept follows from the states at the ends of motions, however these have come there."""
    return all(isinstance(what, Final) and of_state(what.array) for what in keep.values())


def blank(work: Work, count: int, outcome: str = "") -> Results:
    """Results of members that are not known yet."""
    found: Results = {name: np.full((count, *shape_of(what)), np.nan) for name, what in work.keep.items()}
    found["outcome"], found["message"] = np.full(count, outcome, dtype=WORDS), np.full(count, "", dtype=object)
    found["end_time"] = np.full(count, np.nan)
    found |= {name: np.zeros(count, dtype=int) for name in ("steps", "rejected", "evaluations")}
    return found


def shape_of(what: Kept) -> tuple[int, ...]:
    times = getattr(what, "times", None)
    return (*(() if times is None else (len(times),)), *(() if isinstance(what, FirstTime) else what.array.shape))


def collect(everything: Results, part: np.ndarray, results: Results) -> None:
    """Puts the results of a chunk where they belong."""
    for name, values in results.items():
        everything[name][part] = values
