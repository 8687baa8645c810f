"""The way across a singular position that lies ahead: where it is, from where to leap, and whether that was a crossing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.integrate.passages import Passage, dependent
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.leap import Leap, leap
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.strength import RECENT, Strength
from zeromass.model import State

TIGHT, LEAST, FLOOR = 1e-11, 1e-12, 1e-13
"""Relative error allowed in a leap, at most and at least, and absolute error for a state of size 1: a leap is exact or it
is none, since what tells a crossing from a near miss is as sharp as the leap is."""

TAIL = 0.03
"""Error of a leap in units of the last Legendre coefficients of its accelerations."""

ROUNDED = 5.0
"""How far above the last change of the iteration such coefficients are rounding."""

CENTRED = 0.08
"""Part of a leap by which the singular position may be off its middle."""

ATTEMPTS = 24
"""Leaps that are tried, shorter ones and better centred ones."""

REACH = 0.5
"""Distance from a singular position at which the first leap toward it begins, in units of the longest of the last steps."""

SPARE = 1.6
"""Distance in units of the one that is wanted from which a runway leads nearer first."""

PARTS = 6
"""Of a step that is searched for a singular position."""

FADED = 0.05
"""Part of its strength before a leap that a combination of rows has left at a singular position at most."""

LOST = 1e-6
"""Part of the strongest that the weakest combination of [M; A] has at a place where the motion is not determined."""

SHARP, NOISE = 4.0, 64 * np.finfo(float).eps
"""Share of the error of a leap in what it violates in the middle, and the rounding of that for a state of size 1."""


@dataclass(frozen=True, eq=False)
class Landing:
    """A leap that is good, after runways that lead to where it begins, and the singular position that it crosses."""

    leaps: tuple[Leap, ...]
    passage: Passage


class Miss(Enum):
    """Why there is no leap."""

    WIDE = "the position is not singular, or far away"
    NARROW = "the motion passes a singular position by, or no leap across is good"


class Crossing:
    """Leaps of a run: of its program, from states that it has reached.

    seen   some of the times and states on the way
    limit  of the correction at the end of a leap, in units of the tolerance
    """

    def __init__(
        self,
        program: Program,
        start: State,
        seen: tuple[np.ndarray, np.ndarray],
        functions: Functions,
        tolerances: Tolerances,
        limit: float,
    ) -> None:
        self.program, self.start = program, start
        self.strength = Strength(program, start, seen, functions.parameters)
        self.functions, self.tolerances, self.limit = functions, tolerances, limit

    def landing(self, place: float, t: np.ndarray, y: np.ndarray) -> Landing | Miss:
        """The leap across a singular position at about a time, from one of the states y that a run has come to at times t.

        The last of them need not be before that time. Where none is near enough, runways lead nearer. A leap that is not
        exact is tried again from half as far; one whose rounding is too large, from twice as far.
        """
        sign = 1.0 if place > t[0] else -1.0
        length = float(np.abs(np.diff(t))[-RECENT:].max(initial=0.0)) or abs(place - t[0])
        reach = REACH * min(length, 3 * self.tolerances.longest)
        longest, runways, like = np.inf, [], None
        for _ in range(ATTEMPTS):
            first, state, runways = self._nearest(place, reach, t, y, runways, sign)
            distance = sign * (place - first)
            if not distance > 0:
                return Miss.NARROW
            short = distance > SPARE * reach
            h = min(distance - reach, longest) if short else 2 * distance
            if like is not None and not abs(first + sign * h / 2 - like.t - like.h / 2) < h / 2:
                like = None
            found = self._attempt(first, state, sign * h, like=like)
            like = None
            if not self._exact(found):
                if short:
                    longest = h / 2
                elif found is None or not self._rounded(found):
                    reach = distance / 2
                elif first == t[0]:
                    return Miss.NARROW
                else:
                    reach = 2 * distance
                continue
            assert found is not None
            middle, inside = self.strength.weakest_of(found)
            if short and not inside:
                runways = [*runways, found]
            elif not inside and sign * (middle - first) < -abs(found.h) / 4:
                return Miss.WIDE
            elif short or abs(middle - place) > CENTRED * abs(found.h):
                place, like = middle, None if short else found
            else:
                return self.judged(runways, found, middle)
        return Miss.NARROW

    def _nearest(
        self, place: float, reach: float, t: np.ndarray, y: np.ndarray, runways: list[Leap], sign: float
    ) -> tuple[float, np.ndarray, list[Leap]]:
        """The last state that is not nearer to a place than about `reach`, and the runways that lead to it."""
        good = [runway for runway in runways if sign * (place - runway.t - runway.h) > 0.9 * reach]
        before = np.flatnonzero(sign * (place - t) >= reach)
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
        rtol, atol = self._tight(y)
        scale = 1 / (atol + rtol * np.abs(y))
        with np.errstate(all="ignore"):
            return leap(
                self.functions.accelerations, self.functions.projected, t, y, h, scale, centred=centred, like=like
            )

    def _tight(self, y: np.ndarray) -> tuple[float, float]:
        """Relative and absolute errors allowed in a leap."""
        size = float(max(1.0, np.abs(y).max()))
        rtol, atol = self.tolerances.rtol, self.tolerances.atol
        return max(min(rtol, TIGHT), LEAST), max(min(atol, TIGHT / 10), FLOOR * size)

    def _exact(self, found: Leap | None) -> bool:
        if found is None:
            return False
        allowed = self.limit * max(1.0, self.tolerances.rtol / max(min(self.tolerances.rtol, TIGHT), LEAST))
        return (TAIL * found.tail < 1.0 or self._rounded(found)) and max(found.correction, found.left) < allowed

    def _rounded(self, found: Leap) -> bool:
        """Whether the error of a leap is rounding."""
        return found.tail < ROUNDED * found.left

    def searched(self, t0: float, y0: np.ndarray, t1: float) -> float | None:
        """The time of a singular position in a step whose own states can not be trusted, from leaps over its parts."""
        t, y, h = t0, y0, (t1 - t0) / PARTS
        for _ in range(PARTS):
            found = self._attempt(t, y, h)
            if found is None or not self._exact(found):
                return t + h / 2
            middle, inside = self.strength.weakest_of(found)
            if inside:
                return middle
            t, y = t + h, found.end
        return None

    def judged(self, runways: list[Leap], found: Leap, place: float) -> Landing | Miss:
        """The landing, if the motion crosses the singular position and does not pass it by.

        With U the weak combinations of rows there, σ their strength and K its change per displacement, an error δ of the
        leap violates the constraints φ in these combinations by no more than |Uᵀφ| ≤ K δ² + σ δ, since UᵀA is as good as
        zero. A motion that passes by violates them by as much as it misses.
        """
        times = np.array([found.t, place, found.t + found.h])
        y = found.states(times)
        inputs, (r, c) = self.strength.inputs(times, y), self.strength.scales
        rows = numerical_rank(self.strength.rows(inputs), rank=0, equilibrate=False)
        σ = rows.singular_values
        weak = σ[1] < FADED * np.minimum(σ[0], σ[2])
        if not weak[-1]:
            return Miss.WIDE
        U = rows.left[1][:, : len(weak)][:, weak]
        state = self._state(place, y[1])
        M, _, A, _, _ = state.matrices
        if not self._positions(U) or numerical_rank(np.concatenate([M, A]), tolerance=LOST).rank < len(M):
            return Miss.NARROW  # of rates, or masses do not determine the motion there: a taut elbow without any
        n = len(M)
        speed = float(np.linalg.norm(y[1][n:] / c))
        K = float(σ[0][-1]) / (abs(place - found.t) * max(speed, np.finfo(float).tiny))
        δ = found.off / float(c.min())
        size = max(1.0, float(np.abs(y[1][:n]).max())) * float(r.max())
        allowed = SHARP * (K * δ**2 + float(σ[1][weak].max()) * δ) + NOISE * size
        if np.abs(U.T @ (r * self.strength.zeros(inputs[1]))).max() > allowed:
            return Miss.NARROW
        return Landing((*runways, found), Passage(place, dependent(self.program.system, state)))

    def _positions(self, U: np.ndarray) -> bool:
        """Whether combinations of rows are of positions alone: what a rate misses by is not known."""
        others = [place for place, i in enumerate(self.strength.kept) if self.program.system.rows[i].level > 0]
        return not np.any(np.abs(U[others]) > 1e-6)

    def _state(self, t: float, y: np.ndarray) -> State:
        n = len(y) // 2
        return State(self.program.system, t, y[:n], y[n:], self.start.parameters)
