"""What a run does about singular positions on its way: it looks ahead, leaps, goes on carefully, or ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zeromass.integrate.endings import branches, singular
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.passages import weakened
from zeromass.integrate.singular.corner import corner_of, step_end, steps_before
from zeromass.integrate.singular.crossing import LEAST, Crossing, Landing
from zeromass.integrate.singular.judge import Miss
from zeromass.integrate.singular.leapt import Leapt
from zeromass.integrate.singular.returned import far_away
from zeromass.integrate.singular.strength import RECENT
from zeromass.integrate.singular.under_way import UnderWay
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Status

FAR = 3.0
"""Steps, of the length of the next, from which a singular position is too far ahead to leap across."""

PROBED = 3.0
"""Length of a leap that tells whether a pivot vanishes, in units of the distance that its fall in the last step tells."""

CAREFUL = 8.0
"""Steps to a position that is nearly singular, at least."""

SOME = 8
"""States on the way whose rows tell how large they are."""

LOOKS_INSIDE = 9
"""States in a step, its ends among them, at which a singular position is looked for."""


class Passing:
    """Singular positions on the way of a run.

    leapt  the leaps that were taken
    """

    loop: UnderWay
    leapt: Leapt

    def __init__(self, loop: UnderWay) -> None:
        self.loop, self.leapt = loop, Leapt(loop)
        self._crosses: Crossing | None = None
        self._careful: float | None = None  # where steps of one kind end, see `next_end`
        self._passed_by: tuple[float, float] = np.inf, 0.0  # what was no crossing in a step, and the step's length

    @property
    def searched(self) -> bool:
        """Whether singular positions have been looked for."""
        return self._crosses is not None or bool(self.leapt.crossed)

    @property
    def carefree(self) -> bool:
        """Whether nothing but its own control and its tolerance bounds a step."""
        return self._careful is None

    def across(self, outcome: Outcome) -> Outcome | None:
        """What becomes of a run that would end: where it has come to a singular position, it leaps across and goes on."""
        corner = corner_of(self.loop)
        if corner is None and outcome.ending not in (Ending.SINGULAR_BRANCH, Ending.STEP_TOO_SMALL):
            return outcome
        t, y = self.loop.recorded()
        last = len(t) if corner is None else corner + 2
        place = self.crossing.strength.ahead(t[:last], y[:last])
        if place is not None and abs(place - t[last - 1]) > np.abs(np.diff(t[:last])).max(initial=0.0):
            place = None  # that is elsewhere
        landing = Miss.NARROW if place is None else self._landing(place, t[:last], y[:last])
        if isinstance(landing, Landing) and self.loop.settings.project:
            return self._landed(landing)
        return outcome if corner is None else self._ends_before(corner)

    def _ends_before(self, corner: int) -> Outcome:
        """Takes the run back to where the short steps of a corner begin."""
        work, there, kept = self.loop.work, step_end(self.loop, corner), steps_before(self.loop, corner)
        self.loop.back_to(kept, float(work.times[kept - 1]), work.states[kept - 1].copy())
        return branches(self.loop.state(), there)

    def faded(self) -> Outcome | None:
        """Looks ahead where a pivot of a multiplier is about to vanish: a leap, or nothing for a while."""
        work = self.loop.work
        t, y = self.loop.recorded(last=RECENT)
        h = float(work.reals[Real64.h])
        place = self.crossing.strength.ahead(t, y)
        far = place is None or abs(place - work.t) > FAR * abs(h)
        if place is not None and far and self._leaping:
            place = self.crossing.probed(work.t, y[-1], np.copysign(PROBED * work.reals[Real64.distance], h))
        landing = Miss.WIDE if place is None or abs(place - work.t) > FAR * abs(h) else self._landing(place, t, y)
        if isinstance(landing, Landing):
            return self._landed(landing)
        if far or place is None:
            work.be_quiet(work.t + h)
        elif landing is Miss.NARROW:
            self._be_careful(place)
        else:
            work.be_quiet(work.t + 2 * (place - work.t))
        return None

    def _be_careful(self, place: float) -> None:
        """Goes on to as far behind a position as it is ahead with steps that do not leave it out, as exact as can be: a
        tolerance that is wider than a motion misses it by would let it cross."""
        work = self.loop.work
        distance = place - work.t
        self._careful = place + distance
        work.be_quiet(self._careful, longest=abs(distance) / CAREFUL)
        work.allow(min(work.tolerances.rtol, LEAST), min(work.tolerances.atol, LEAST / 1000))

    def next_end(self) -> float:
        """Where steps of one kind end: those that are careful, or all of them."""
        first, until = self.loop.start.t, self.loop.until
        careful = until if self._careful is None else self._careful
        return until if abs(careful - first) > abs(until - first) else careful

    def relax(self) -> None:
        """Goes on with steps of any length and of the tolerance of the run."""
        work = self.loop.work
        self._careful = None
        work.allow(work.tolerances.rtol, work.tolerances.atol)
        work.be_quiet(work.t)

    def dipped(self, status: Status) -> Outcome | None:
        """Looks into the last step, in which a pivot of a multiplier may have vanished: a leap in its place, or careful
        steps; what follows from the status, if it was none."""
        work = self.loop.work
        (t0, t1), (y0, y1) = self.loop.recorded(last=2)
        times = np.linspace(t0, t1, LOOKS_INSIDE)
        polynomial = self.leapt.polynomials(*[np.array([x]) for x in (t0, y0, t1, y1)])
        states = states_between((times - t0) / (t1 - t0), np.zeros(len(times), dtype=int), polynomial)
        place = self.crossing.strength.inside(times, states)
        surely, astray = place is not None, self._astray(times, states)
        if place is None and (astray or (self._leaping and not self.loop.settings.project)):
            place = self.crossing.searched(float(t0), y0, float(t1))
        t, y = self.loop.recorded()
        landing = Miss.WIDE if place is None else self._landing(place, t[:-1], y[:-1])
        if isinstance(landing, Landing):
            if not self.loop.settings.project:
                self.loop.back_to(len(t) - 2, float(t0), y0)
            return self._landed(landing)
        work.be_quiet(work.t)
        if astray and (place is None or landing is Miss.WIDE):
            self._shorter(float(t0), y0, float(t1 - t0) / 2)
            return None
        if place is None or landing is Miss.WIDE:
            return None if status is Status.FADING else self.loop.after(status, float(t0))
        before, length = self._passed_by
        if abs(place - before) < length:  # careful steps have not helped
            here = states[int(np.argmin(np.abs(times - place)))]
            n, given = len(here) // 2, self.loop.state()
            surely = surely and weakened(self.loop.start, replace(given, t=place, q=here[:n], v=here[n:]))
            return singular(given) if surely else self.loop.after(status, float(t0))
        self._passed_by = place, float(abs(t1 - t0))
        self._shorter(float(t0), y0, (place - t0) / CAREFUL)
        self._be_careful(place)
        return None

    def _astray(self, t: np.ndarray, y: np.ndarray) -> bool:
        """Whether states inside a step, as its polynomial has them, are off the constraints by more than its error.

        Beside a singular position the iteration of a step may stand still by nothing but the symmetry of a motion, which
        rounding breaks when the step is taken again: then its end may be right, and nothing inside is.
        """
        settings = self.loop.settings
        if not (self._leaping and settings.project and self.loop.program.corrections):
            return False
        return bool(far_away(self.loop.functions().projected(t, y), y, settings).any())

    def _shorter(self, t0: float, y0: np.ndarray, h: float) -> None:
        """Takes the last step back, which began at (t0, y0), and goes on from there with one of another length."""
        self.loop.back_to(len(self.loop.work.rows) - 1, t0, y0)
        self.loop.work.resume(h)

    @property
    def crossing(self) -> Crossing:
        """Leaps of the program that is in use."""
        loop = self.loop
        if self._crosses is None or self._crosses.program is not loop.program:
            t, y = loop.recorded()
            some = np.linspace(0, len(t) - 1, SOME).astype(int)
            seen, limit = (t[some], y[some]), loop.settings.limits.correction
            self._crosses = Crossing(loop.program, loop.start, seen, loop.functions(), loop.work.tolerances, limit)
        return self._crosses

    @property
    def _leaping(self) -> bool:
        """Whether a leap tells what is ahead: not of steps whose length is fixed. Without projection none is taken."""
        return self.loop.settings.step is None

    def _landing(self, place: float, t: np.ndarray, y: np.ndarray) -> Landing | Miss:
        """A leap across the singular position at about a time, from one of some states."""
        if not self._leaping:
            return Miss.WIDE
        crossed = self.leapt.crossed
        if crossed:  # not across the last one again
            after = np.sign(self.loop.until - self.loop.start.t) * (t - crossed[-1][0]) > 0
            t, y = t[after], y[after]
        return self.crossing.landing(place, t, y) if len(t) else Miss.NARROW

    def _landed(self, landing: Landing) -> Outcome | None:
        """Goes on behind a singular position; ends before it where states do not return to the constraints, which alone
        keeps them on their branch."""
        self.relax()
        return self.leapt.land(landing) if self.loop.settings.project else singular(self.loop.state())
