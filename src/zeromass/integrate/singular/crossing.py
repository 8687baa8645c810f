"""The way across a singular position that lies ahead: where it is, from where to leap, and whether that was a crossing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zeromass.compile.program import Program
from zeromass.integrate.entries import turning
from zeromass.integrate.singular.fading import weakest_of
from zeromass.integrate.singular.judge import Judge, Miss
from zeromass.integrate.singular.leap import Leap, Leaps
from zeromass.integrate.singular.places import ENDS
from zeromass.integrate.singular.strength import RECENT, Strength
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.status import Tolerances
from zeromass.model import State

TIGHT, LEAST, FLOOR = 1e-11, 1e-12, 1e-13
"""Relative error allowed in a leap, at most and at least, and absolute error in units in which rows turn by about a radian:
a leap is exact or it is none, since what tells a crossing from a near miss is as sharp as the leap is."""

TINY = float(np.finfo(float).tiny)

TAIL = 0.03
"""Error of a leap in units of the last Legendre coefficients of its accelerations."""

ROUNDED = 5.0
"""How far above the last change of the iteration such coefficients are rounding."""

CENTRED = 0.08
"""Part of a leap by which the singular position may be off its middle."""

ATTEMPTS = 24
"""Leaps that are tried, shorter ones and better centred ones."""

REACH = 0.3
"""Distance from a singular position at which the first leap toward it begins, in units of the longest of the last steps."""

ORDER, AIM = 12, 0.3
"""Power of its length with which the error of a leap grows, and the error that is aimed at, as a part of the one allowed."""

SHORTER, LONGER = 0.75, 1.2
"""Bounds of the change of a leap that follows from its error, where it was too large and where it was not."""

NEARER = 0.6
"""Distance of a state that is near enough to leap from, in units of the one that is wanted, at least."""

SPARE = 1.25
"""Distance in units of the one that is wanted from which a runway leads nearer first."""

PARTS = 9
"""Leaps over a step that is searched for a singular position. Each begins where the one before has a third of its length
left: a position at the end of one, between its last stages, is well inside the next."""


@dataclass(frozen=True, eq=False)
class Landing:
    """A leap that is good, after runways that lead to where it begins, and the singular position that it crosses.

    t, y  the time and state there
    """

    leaps: tuple[Leap, ...]
    t: float
    y: np.ndarray


class Crossing:
    """Leaps of a run: of its program, from states that it has reached.

    seen   some of the times and states on the way
    limit  of the correction at the end of a leap, in units of the tolerance
    """

    functions: Functions
    tolerances: Tolerances
    limit: float

    def __init__(
        self,
        program: Program,
        start: State,
        seen: tuple[np.ndarray, np.ndarray],
        functions: Functions,
        tolerances: Tolerances,
        limit: float,
    ) -> None:
        self.program = program
        self.strength: Strength = Strength(program, start, seen, functions.parameters)
        self.functions, self.tolerances, self.limit = functions, tolerances, limit
        self.judge: Judge = Judge(self.strength, program)
        self._sizes = np.tile(turning(start), 2)
        self._leaps = Leaps(functions, 2 * len(start.q))
        self._last = np.inf  # distance from which a leap as good as the last one begins

    def landing(self, place: float, t: np.ndarray, y: np.ndarray) -> Landing | Miss:
        """The leap across a singular position at about a time, from one of the states y that a run has come to at times t.

        The last of them need not be before that time. Where none is near enough, runways lead nearer. A leap that is not
        exact is tried again from half as far; one whose rounding is too large, from twice as far.
        """
        sign = 1.0 if place > t[0] else -1.0
        reach, rounded = self._reach(place, t), 0.0  # and the distance from which rounding was too large
        longest, runways, like = np.inf, [], None
        for _ in range(ATTEMPTS):
            first, state, runways = self._nearest(place, reach, t, y, runways, sign)
            distance = sign * (place - first)
            if not distance > rounded:
                return Miss.NARROW
            short = distance > SPARE * reach
            h = min(distance - reach, longest) if short else 2 * distance
            if like is not None and not abs(first + sign * h / 2 - like.t - like.h / 2) < h / 2:
                like = None
            found = self._attempt(first, state, sign * h, like=like)
            middle, inside = (place, False) if found is None else weakest_of(found)
            like = None
            off_centre = inside and abs(middle - first - sign * h / 2) > CENTRED * h
            if not self._exact(found):
                place = middle if inside else place
                if short:
                    longest = h / 2
                elif found is None or not (off_centre or self._rounded(found)):
                    reach = sign * (place - first) * (0.5 if found is None else min(self._change(found), SHORTER))
                elif not off_centre and first == t[0]:
                    return Miss.NARROW
                elif not off_centre:
                    reach, rounded = 2 * distance, distance
                continue
            assert found is not None
            if short and not inside:
                runways = [*runways, found]
                if sign * (middle - found.t - found.h) > 0:
                    place = sign * min(sign * middle, sign * place)
            elif not inside and sign * (middle - first) < -abs(found.h) / 4:
                return Miss.WIDE
            elif short or off_centre or not inside:
                place, like = middle, None if short else found
            else:
                self._last = abs(found.h) / 2 * min(self._change(found), LONGER)
                return self._landed(runways, found, middle)
        return Miss.NARROW

    def _change(self, found: Leap) -> float:
        """The length of a leap whose error is what is aimed at, in units of that of another leap."""
        return (AIM / max(TAIL * found.tail, TINY)) ** (1 / ORDER)

    def _reach(self, place: float, t: np.ndarray) -> float:
        """Distance from a place at which the first leap across it begins, after steps to times t."""
        length = float(np.abs(np.diff(t))[-RECENT:].max(initial=0.0)) or abs(place - t[0])
        return min(REACH * min(length, 3 * self.tolerances.longest), self._last)

    def _nearest(
        self, place: float, reach: float, t: np.ndarray, y: np.ndarray, runways: list[Leap], sign: float
    ) -> tuple[float, np.ndarray, list[Leap]]:
        """The last state that is not much nearer to a place than `reach`, and the runways that lead to it."""
        good = [runway for runway in runways if sign * (place - runway.t - runway.h) > 0.9 * reach]
        before = np.flatnonzero(sign * (place - t) >= NEARER * reach)
        k = int(before[-1]) if len(before) else 0
        if good and sign * (good[-1].t + good[-1].h - t[k]) > 0:
            return good[-1].t + good[-1].h, good[-1].end, good
        return float(t[k]), y[k], []

    def out_of(self, t: float, y: np.ndarray, h: float) -> Leap | None:
        """A good leap with the state y at t in its middle."""
        found = self._attempt(t, y, h, centred=True)
        return found if self._exact(found) else None

    def transversal(self, found: Leap) -> bool:
        """Whether the rows that are weak in the middle of a leap regain their strength linearly to both sides."""
        times = found.t + found.h * np.array([0.25, 0.375, 0.625, 0.75])
        σ = self.strength(times, found.states(times))
        return bool(np.all(np.abs(σ[[0, 3]] / σ[[1, 2]] - 2) < 1))

    def _attempt(
        self, t: float, y: np.ndarray, h: float, *, centred: bool = False, like: Leap | None = None
    ) -> Leap | None:
        return self._leaps(t, y, h, self._scale(y), centred=centred, like=like)

    def _scale(self, y: np.ndarray) -> np.ndarray:
        """1 over the errors allowed in a leap."""
        size = max(1.0, float(np.abs(y / self._sizes).max()))
        rtol, atol = self.tolerances.rtol, self.tolerances.atol
        least = np.maximum(np.minimum(atol, TIGHT / 10 * self._sizes), FLOOR * size * self._sizes)
        return 1 / (least + max(min(rtol, TIGHT), LEAST) * np.abs(y))

    def _exact(self, found: Leap | None) -> bool:
        if found is None:
            return False
        rtol = self.tolerances.rtol
        allowed = self.limit * max(1.0, rtol / max(min(rtol, TIGHT), LEAST))
        return (TAIL * found.tail < 1.0 or self._rounded(found)) and max(found.correction, found.left) < allowed

    def _rounded(self, found: Leap) -> bool:
        """Whether the error of a leap is rounding."""
        return found.tail < ROUNDED * found.left

    def probed(self, t: float, y: np.ndarray, h: float) -> float | None:
        """The time of a singular position that lies in a leap of some length from a state; None if none does.

        Where several combinations of rows are about as strong, their strength tells too late which of them fades.
        """
        found = self._attempt(t, y, h)
        middle, inside = (t, False) if found is None else weakest_of(found)
        return middle if inside else None

    def _landed(self, runways: list[Leap], found: Leap, place: float) -> Landing | Miss:
        """The landing, if the motion crosses the singular position and does not pass it by."""
        judged = self.judge(found, place)
        return judged if isinstance(judged, Miss) else Landing((*runways, found), place, judged)

    def searched(self, t0: float, y0: np.ndarray, t1: float) -> float | None:
        """The time of a singular position in a step whose own states can not be trusted, from leaps over its parts."""
        t, y, h = t0, y0, 3 * (t1 - t0) / (2 * PARTS + 1)
        for _ in range(PARTS):
            found = self._attempt(t, y, h)
            if found is None or not self._exact(found):
                return t + h / 2
            middle, inside = weakest_of(found)
            if inside:
                return middle
            t, y = t + ENDS[1] * h, found.ends[1]
        return None
