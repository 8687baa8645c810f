"""The leaps of a run that were taken: steps of its record, with polynomials of their own, across singular positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.passages import Passage, dependents
from zeromass.integrate.singular.crossing import Landing
from zeromass.integrate.singular.leap import Leap
from zeromass.integrate.singular.places import ENDS
from zeromass.integrate.singular.transit import Piece, Transit
from zeromass.integrate.singular.under_way import UnderWay
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.loop import SLOWED
from zeromass.model import Event


class Leapt:
    """Leaps as steps of a run.

    crossed  times and states of singular positions
    margin   of the event that the run is beyond, while steps are recorded that pass through there
    """

    crossed: list[tuple[float, np.ndarray]]
    margin: Expression | None = None

    def __init__(self, loop: UnderWay) -> None:
        self.loop = loop
        self.crossed = []
        self._leaps: dict[float, Leap | Piece] = {}  # by the times at which their steps begin
        self._transits: dict[float, tuple[float, float]] = {}  # by the times of their singular positions

    def land(self, landing: Landing) -> Outcome | None:
        """Goes back to where leaps begin, and records them as steps; an outcome, if something happens on the way."""
        leaps = landing.leaps
        self.crossed.append((landing.t, landing.y))
        work = self.loop.work
        steps = int(np.count_nonzero(np.sign(leaps[0].h) * (work.times - leaps[0].t) <= 0))
        _, y = self.loop.recorded(last=len(work.times) - steps + 1)
        self.loop.back_to(steps, leaps[0].t, y[0])
        for leap in leaps:
            outcome = self._taken(leap)
            if outcome is not None:
                return outcome
        work.resume(leaps[-1].h / 4)
        return None

    def depart(self, leap: Leap) -> Outcome | None:
        """Leaves a singular position that a run starts in by the second half of a leap."""
        start = self.loop.start
        self.crossed.append((start.t, np.concatenate([start.q, start.v])))
        outcome = self._taken(leap, (0.75, 1.0))
        self.loop.work.resume(leap.h / 8)
        return outcome

    def transit(self, event: Event, steps: int | None = None) -> tuple[bool, Outcome | None]:
        """Whether there is a way through beyond an event with a margin, and what happens on it; it is recorded as steps.

        steps  of the record after which it begins; all by default
        """
        loop, work, outcome = self.loop, self.loop.work, None
        t, y = loop.recorded()
        begin = len(t) - 1 if steps is None else steps
        transit = Transit(loop, event, float(t[begin]), y[begin])
        pieces = transit.steps()
        if not pieces:
            return False, None
        if steps is not None:
            loop.back_to(steps, float(t[begin]), y[begin])
        margins = transit.margins(pieces)
        weakest = pieces[int(np.argmin(margins))]
        if margins.min() < transit.margin:
            self.crossed.append((weakest.t1, weakest.y))
        self._transits[weakest.t1] = pieces[0].t0, pieces[-1].t1
        self.margin, growth = event.margin, max(float(work.reals[Real64.growth]), 1.0)
        for piece in pieces:
            last = piece is pieces[-1] or abs(piece.t1 - piece.t0) >= abs(loop.until - piece.t0)
            t, y = piece.t1, piece.y
            if abs(t - piece.t0) > abs(loop.until - piece.t0):
                t = loop.until
                y = states_between(
                    np.array([(t - piece.t0) / (piece.t1 - piece.t0)]), np.zeros(1, int), piece.coefficients[None]
                )[0]
            if last and loop.settings.project:
                y = loop.functions().projected(np.array([t]), y[None])[0]
            outcome = self._step(piece, t, y, growth)
            if outcome is not None:
                break
        self.margin = None
        if outcome is not None:
            return True, outcome
        work.resume((work.t - weakest.t1) / 4)
        return True, None

    def lengths(self) -> np.ndarray:
        """Lengths of all steps; of those through a flat point and of the short ones beside them the longest of all."""
        work = self.loop.work
        h, t, ahead = np.abs(work.rows[:, 1]), work.times, np.sign(self.loop.until - self.loop.start.t)
        found, longest = h.copy(), h.max(initial=0.0)
        for begin, end in self._transits.values():
            inside = np.flatnonzero((ahead * (t - begin) >= 0) & (ahead * (t - end) <= 0))
            if not len(inside):
                continue
            first, last = int(inside[0]), int(inside[-1])
            while first and (h[first - 1] < h[max(first - 2, 0)] or h[first - 1] < SLOWED * longest):
                first -= 1
            while last + 1 < len(h) and (
                last + 2 >= len(h) or h[last + 1] < h[last + 2] or h[last + 1] < SLOWED * longest
            ):
                last += 1
            found[first : last + 1] = longest
        return found

    def _taken(self, leap: Leap, places: Sequence[float] = ENDS) -> Outcome | None:
        """Records a leap as steps to some places in it; an outcome, if something happens on the way."""
        loop = self.loop
        ends, states, growths = [leap.t + leap.h * place for place in places], leap.ends, leap.growths
        if places is not ENDS or not abs(leap.h) < abs(loop.until - leap.t):
            ends, states, growths = self._cut(leap, ends)
        for end, state, growth in zip(ends, states, growths.tolist(), strict=True):
            outcome = self._step(leap, end, state, growth)
            if outcome is not None:
                return outcome
        return None

    def _step(self, leap: Leap | Piece, end: float, state: np.ndarray, growth: float) -> Outcome | None:
        """Records a step, or a part of one; an outcome, if something happens in it."""
        loop, work = self.loop, self.loop.work
        since = work.t
        self._leaps[since] = leap
        work.accept(end, end - since, state, growth)
        outcome = loop.happened() if loop.watched and work.crossed() else None
        if outcome is None and end == loop.until:
            outcome = Outcome(Ending.FINISHED, end, "")
        return outcome

    def _cut(self, leap: Leap, ends: list[float]) -> tuple[list[float], np.ndarray, np.ndarray]:
        """Other ends of steps, none behind that of the run, with the states and the growths there."""
        rest, last = abs(self.loop.until - leap.t), leap.t + leap.h
        ends = [end if abs(end - leap.t) < rest else self.loop.until for end in ends]
        times = np.array(ends)
        on, _, growths = self.loop.functions().stages(len(ends), len(leap.end))(times, leap.states(times))
        return ends, np.where(times[:, None] == last, leap.end, on), growths

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The states inside steps: those of the method, and leaps."""
        leaps = [self._leaps.get(t) for t in t0.tolist()]
        if not any(leaps):
            return self.loop.stepper.polynomials(t0, y0, t1, y1)
        steps = np.array([leap is None for leap in leaps])
        result = np.empty((len(t0), DEGREE + 1, y0.shape[1]))
        if steps.any():
            result[steps] = self.loop.stepper.polynomials(t0[steps], y0[steps], t1[steps], y1[steps])
        for k, leap in enumerate(leaps):
            if leap is not None:
                result[k] = leap.polynomial(float(t0[k]), y0[k], float(t1[k]), y1[k])
        return result

    def passages(self, first: float, last: float) -> tuple[Passage, ...]:
        """The singular positions that were leapt across between two times."""
        told = [(t, y) for t, y in self.crossed if first <= t <= last or last <= t <= first]
        inputs = np.array([[t, *y, *self.loop.values] for t, y in told])
        names = dependents(self.loop.program.system, inputs)
        return tuple(Passage(t, said, self._transits.get(t)) for (t, _), said in zip(told, names, strict=True))
