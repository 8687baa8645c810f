"""Pieces of a motion that the driver leaves, each by the loop of smooth motion up to what ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from zeromass.compile.program import Program
from zeromass.integrate.hybrid.driver import LESS, SHORTEST
from zeromass.integrate.hybrid.guard_functions import GuardFunctions
from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.hybrid.piece_end import PieceEnd
from zeromass.integrate.hybrid.piece_loop import PieceLoop
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.outcome import Ending
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.terms import lengths_in
from zeromass.kernel.negative_values import ROUNDING as NEGATIVE
from zeromass.model import State


class Reached(NamedTuple):
    """The motion on a piece, how it ended, and switches; see `PieceLoop`."""

    segment: Segment
    found: PieceEnd | None
    reached: dict[int, float]
    strayed: list[int]


class PieceRunner:
    """Motions on one piece, up to what ends it; until the end of a run at most."""

    def __init__(self, selector: ModeSelector, settings: Settings, watched: GuardFunctions, until: float) -> None:
        self._selector, self._settings, self._watched, self._until = selector, settings, watched, until
        self.before: list[float] = []
        """Functions of events at the end of the last piece."""
        self.growth: float = 0.0
        """Of pivots, that a large motion was let have."""
        self._span = 0.0  # of the last piece, where it ended at the zero of a length
        self.held: int = 0
        """Memory of the segments before, bytes."""

    def segment(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Reached:
        """The motion from a state on a piece until a time or an event, switches of its own among them.

        It ends just behind the first zero of a length, too.
        """
        if self._settings.step is not None or not lengths_in(moving.system):
            return self._to_its_end(program, moving, piece, target, tell)
        from zeromass.integrate.lengths import before_and_behind  # few systems have any that may vanish

        ends: dict[Segment, Reached] = {}

        def motion(until: float) -> Segment:
            found = self._to_its_end(program, moving, piece, until, tell)
            ends[found.segment] = found
            return found.segment

        segment = before_and_behind(program, motion, moving.t, target, self._span)
        self._span = float(segment.t[-1]) - moving.t if segment.outcome.ending is Ending.SWITCH else 0.0
        return ends[segment] if segment in ends else Reached(segment, None, {}, [])

    def _to_its_end(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Reached:
        """The steps of a motion on a piece, up to what ends it, which the motion itself need not feel.

        Where a closer look finds that a step has passed over the end, the motion is made again up to that place.
        """
        loop, segment = self._run(program, moving, piece, target, tell)
        off = NEGATIVE
        while self._settings.step is None:
            place = loop.first_negative(off, SHORTEST * abs(target - moving.t))
            if place is None:
                break
            sooner = self._run(loop.program, moving, piece, place, tell)
            if sooner[1].outcome.ending is not Ending.EVENT:
                off *= LESS  # states inside steps have errors of their own
            elif abs(sooner[1].t[-1] - moving.t) < abs(segment.t[-1] - moving.t):
                loop, segment = sooner
            else:
                break
        if (met := loop.meets()) is not None:
            loop, segment = self._run(loop.program, moving, piece, met[0], tell)
            loop.found, loop.reached = PieceEnd.SWITCH, met[1]
        if self._watched.asked:
            ends = loop.work.event_values(float(segment.t[-1]), segment.y[-1])
            self.before = ends[: len(self._watched.asked)].tolist()
        return Reached(segment, loop.found, loop.reached, loop.strayed)

    def _run(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> tuple[PieceLoop, Segment]:
        """The steps of a motion on a piece, as its error control makes them."""
        given = program, moving, target, self._settings, self._watched, piece, self._until, self.held
        loop = PieceLoop(*given, self.before)
        loop.work.growth_limit = max(loop.work.growth_limit, self.growth)
        segment = loop.segment(tell)
        loop.work.shrink()
        if self._watched.pieces.in_forces:
            self.growth = loop.work.growth_limit
            self._selector.guards.take(loop.program)
        return loop, segment
