"""Members whose formulas switch, each by the driver in machine code; those that it leaves on their way are for `course`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from zeromass.compile.program import Program, program_at, programs_of
from zeromass.integrate import Course
from zeromass.integrate.hybrid.guard_functions import GuardFunctions
from zeromass.integrate.hybrid.members import Members
from zeromass.integrate.hybrid.memory import Drive
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.integrate.segment import Segments
from zeromass.model import StartError, State
from zeromass.model.pieces import SystemPieces, Undecided
from zeromass.study.lanes import Lanes
from zeromass.study.starts import Starts


class DrivenMembers:
    """The motions of members over switches, from their starts until a time.

    lanes  of their settings and events: they say where members are moved
    """

    @staticmethod
    def serves(pieces: SystemPieces | None) -> bool:
        """Whether members of a system can be driven."""
        return pieces is not None and not pieces.in_forces and pieces.only_forces

    def __init__(self, pieces: SystemPieces, lanes: Lanes, until: float) -> None:
        self._pieces, self._lanes, self._until = pieces, lanes, until
        self._settings, self._asked = lanes.settings, lanes.asked
        self._watched: dict[float, GuardFunctions] = {}
        self._table: TimeEvents | None = None

    def finished(self, starts: Starts, k: int) -> tuple[Course, tuple[int, int, int, float], np.ndarray] | None:
        """The motion of a member, what it cost and the state at its end; None where it does not come to its end so."""
        pieces, until = self._pieces, self._until
        state = starts.state(pieces.given, k)
        table, watched = self._times(state), self._watching(1.0 if until >= state.t else -1.0)
        modes = table.modes(0)
        moving = pieces.state(state, {s.mode: modes.get(s.mode, 1.0) for s in pieces.switches})
        driver = Driver.of(watched, self._settings, program_at(pieces.system, moving))
        driver.begin(moving, until, table, lambda: self._settings.bound)
        piece, begun, found = *self._begun(driver, state), None
        driven = None if piece is None else driver.run(state, begun, piece, 0, [], (), lambda t: None)
        if driven is not None and driven.status is Drive.FINISHED:
            work, segments = driver.work, Segments()
            segments.promise(driven.segments, pieces.given)
            growth = float(np.max(work.growth, initial=1.0))
            found = Course(segments), (work.steps, work.rejected, work.evaluations, growth), work.y
        driver.release(watched)
        return found

    def moved(
        self, starts: Starts, which: np.ndarray, tell: Callable[[int], None]
    ) -> Iterator[tuple[np.ndarray, Members]]:
        """The ends of members, of those with the same program together: which they are, and where they have come to.

        tell  is told how many more have ended
        """
        pieces, until = self._pieces, self._until
        if not len(which) or pieces.of_time:
            return
        modes = {switch.mode: 1.0 for switch in pieces.switches}
        rows = np.column_stack(starts[which].arrays)
        hidden = pieces.state(starts.state(pieces.given, int(which[0])), modes).inputs[rows.shape[1] :]
        rows = np.column_stack([rows, np.broadcast_to(hidden, (len(which), len(hidden)))])
        groups: dict[tuple[Program, bool], np.ndarray] = {}
        for program, some in programs_of(pieces.system, rows):
            ahead = until >= starts.t[which[some]]
            groups |= {(program, way): which[some[ahead == way]] for way in (True, False) if np.any(ahead == way)}
        for (program, forward), some in groups.items():
            watched = self._watching(1.0 if forward else -1.0)
            driver, own = Driver.of(watched, self._settings, program), starts[some]
            if driver.timeless:
                first = starts.state(pieces.given, int(some[0]))
                driver.begin(pieces.state(first, modes), until, self._times(first), lambda: self._settings.bound)
                members = Members.begin(*own.arrays)
                self._lanes.drive(driver, members, tell)
                yield some, members
            driver.release(watched)

    @staticmethod
    def _begun(driver: Driver, state: State) -> tuple[Piece | None, State]:
        """The piece and the state with which a member begins, behind impacts; no piece where that is not decided."""
        if not driver.pieces.unilaterals:
            return driver.first_piece(state), state
        try:
            return driver.begin_contacts(state)
        except (StartError, Undecided):
            return None, state

    def _times(self, state: State) -> TimeEvents:
        """When switches of time alone happen in the motion of a member."""
        if self._table is None or self._pieces.of_time:
            self._table = TimeEvents(self._pieces, state, self._until, [event.zero for event in self._asked])
        return self._table

    def _watching(self, ahead: float) -> GuardFunctions:
        """What is watched in motions forward or backward in time."""
        if ahead not in self._watched:
            self._watched[ahead] = GuardFunctions(self._pieces, self._asked, ahead)
        return self._watched[ahead]
