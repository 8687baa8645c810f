"""The way across a singular position that lies ahead: where it is, from where to leap, and whether that was a crossing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator
from zeromass.integrate.passages import Passage, dependent
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.leap import Leap, leap
from zeromass.integrate.stepping.status import Tolerances
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

LOOKS: np.ndarray = np.linspace(0.0, 1.0, 9)
"""Places in a leap at which the strength of rows is looked at first."""

NARROWING = 0.03, 1e-3
"""Parts of a leap to both sides of a place between which the strength of rows, of either sign, is taken for linear then."""

REACH = 0.5
"""Distance from a singular position at which the first leap toward it begins, in units of the longest of the last steps."""

SPARE = 1.6
"""Distance in units of the one that is wanted from which a runway leads nearer first."""

PARTS = 6
"""Of a step that is searched for a singular position."""

RECENT = 20_000
"""Steps that count as the last ones."""

BESIDE = 1e-2
"""Displacement of the coordinates that tells how large rows are beside a start."""

FADED = 0.05
"""Part of its strength before a leap that a combination of rows has left at a singular position at most."""

LOST = 1e-6
"""Part of the strongest that the weakest combination of [M; A] has at a place where the motion is not determined."""

DIP = 0.6
"""Part of the strength at the ends of a step that rows have left inside where they may have lost independence there."""

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
        self.program, self.start, self.seen = program, start, seen
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
            middle, inside = self._weakest(found)
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
        σ = self._strength(times, found.states(times))
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

    # the rows of the constraints -----------------------------------------------------------------------------------------
    @cached_property
    def _kept(self) -> list[int]:
        return list(self.program.elimination.kept)

    @cached_property
    def _rows(self) -> Evaluator:
        system = self.program.system
        return self._remembered("kept rows", lambda: Evaluator(system.A[self._kept], system.inputs))

    @cached_property
    def _zeros(self) -> Evaluator:
        """What vanishes of the rows: positions, and rates where a row has no position."""
        system = self.program.system
        return self._remembered(
            "kept zeros", lambda: Evaluator([system.rows[i].zero for i in self._kept], system.inputs)
        )

    def _remembered(self, name: str, make: Callable[[], Evaluator]) -> Evaluator:
        """Of these rows of the system, made once."""
        known: dict[tuple[int, ...], Evaluator] = self.program.system.memory.setdefault(name, {})
        key = tuple(self._kept)
        if key not in known:
            known[key] = make()
        return known[key]

    @cached_property
    def _scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Units of rows and of coordinates: as large as they are at the start, beside it or later, and by the masses.

        Coordinates without mass are measured as they stand beside others in the rows.
        """
        start, n = self.start, len(self.start.q)
        inputs = np.repeat(start.inputs[None], 3, axis=0)
        inputs[1:, 1 : n + 1] += BESIDE * np.outer([1.0, -1.0], np.cos(np.arange(1, n + 1) ** 2))
        inputs = np.concatenate([inputs, self._inputs(*self.seen)])
        largest = np.abs(np.nan_to_num(self._rows(inputs))).max(axis=0)
        units, masses = numerical_rank(largest).column_scale, np.diagonal(start.matrices.M)
        heavy = masses > 0
        if heavy.any():
            by_mass = 1 / np.sqrt(np.where(heavy, masses, 1.0))
            units = np.where(heavy, by_mass, units * np.sort(by_mass[heavy] / units[heavy])[heavy.sum() // 2])
        sizes = (largest * units).max(axis=1)
        return 1 / np.where(sizes > 0, sizes, 1.0), units

    def _scaled(self, inputs: np.ndarray) -> np.ndarray:
        """The rows at some states, in these units."""
        r, c = self._scales
        return np.nan_to_num(r[:, None] * self._rows(inputs) * c)

    def _inputs(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        values = np.broadcast_to(self.functions.parameters, (len(t), len(self.functions.parameters)))
        return np.concatenate([t[:, None], y, values], axis=1)

    def _strength(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of the weakest combination of rows at some states: it falls linearly to a singular position."""
        return np.linalg.svd(self._scaled(self._inputs(t, y)), compute_uv=False)[:, -1]

    def ahead(self, t: np.ndarray, y: np.ndarray) -> float | None:
        """The time of the singular position near the last state, where the strength of the rows would vanish."""
        lengths = np.abs(np.diff(t))
        if not len(lengths) or not self._kept:
            return None
        back = np.flatnonzero(np.abs(t - t[-1]) >= lengths[-RECENT:].max() / 8)
        k = int(back[-1]) if len(back) else 0
        σ = self._strength(t[[k, -1]], y[[k, -1]])
        if not σ[1] < σ[0]:
            return None
        return float(t[-1] + (t[-1] - t[k]) * σ[1] / (σ[0] - σ[1]))

    def inside(self, t: np.ndarray, y: np.ndarray) -> float | None:
        """The time of a singular position inside a step, from states in it and at its ends."""
        σ = self._strength(t, y)
        k = int(np.argmin(σ))
        return _vanishing(t, σ, k) if 0 < k < len(t) - 1 and σ[k] < DIP * min(σ[0], σ[-1]) else None

    def searched(self, t0: float, y0: np.ndarray, t1: float) -> float | None:
        """The time of a singular position in a step whose own states can not be trusted, from leaps over its parts."""
        t, y, h = t0, y0, (t1 - t0) / PARTS
        for _ in range(PARTS):
            found = self._attempt(t, y, h)
            if found is None or not self._exact(found):
                return t + h / 2
            middle, inside = self._weakest(found)
            if inside:
                return middle
            t, y = t + h, found.end
        return None

    def _weakest(self, found: Leap) -> tuple[float, bool]:
        """The time at which the strength of the rows, of either sign, vanishes, and whether that is inside a leap."""
        times = found.t + found.h * LOOKS
        σ = self._strength(times, found.states(times))
        k = int(np.argmin(σ))
        if not 0 < k < len(LOOKS) - 1 or not σ[k] < DIP * min(σ[0], σ[-1]):  # beside it, as far as the fall tells
            k, other = (0, 1) if σ[0] < σ[-1] else (len(LOOKS) - 1, len(LOOKS) - 2)
            fall = max(float(σ[other] - σ[k]), np.finfo(float).tiny)
            beside = min(float(σ[k]) / fall * abs(times[k] - times[other]), abs(found.h) / 2)
            return float(times[k] + np.copysign(beside, times[k] - times[other])), False
        middle = _vanishing(times, σ, k)
        for part in NARROWING:
            times = middle + part * found.h * np.array([-1.0, 1.0])
            σ = self._strength(times, found.states(times))
            middle = float(times[0] + (times[1] - times[0]) * σ[0] / (σ[0] + σ[1]))
        return middle, True

    def judged(self, runways: list[Leap], found: Leap, place: float) -> Landing | Miss:
        """The landing, if the motion crosses the singular position and does not pass it by.

        With U the weak combinations of rows there, σ their strength and K its change per displacement, an error δ of the
        leap violates the constraints φ in these combinations by no more than |Uᵀφ| ≤ K δ² + σ δ, since UᵀA is as good as
        zero. A motion that passes by violates them by as much as it misses.
        """
        times = np.array([found.t, place, found.t + found.h])
        y = found.states(times)
        inputs, (r, c) = self._inputs(times, y), self._scales
        rows = numerical_rank(self._scaled(inputs), rank=0, equilibrate=False)
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
        if np.abs(U.T @ (r * self._zeros(inputs[1]))).max() > allowed:
            return Miss.NARROW
        return Landing((*runways, found), Passage(place, dependent(self.program.system, state)))

    def _positions(self, U: np.ndarray) -> bool:
        """Whether combinations of rows are of positions alone: what a rate misses by is not known."""
        others = [place for place, i in enumerate(self._kept) if self.program.system.rows[i].level > 0]
        return not np.any(np.abs(U[others]) > 1e-6)

    def _state(self, t: float, y: np.ndarray) -> State:
        n = len(y) // 2
        return State(self.program.system, t, y[:n], y[n:], self.start.parameters)


def _vanishing(t: np.ndarray, σ: np.ndarray, k: int) -> float:
    """The time at which a strength that is least at t_k, and falls and rises linearly, vanishes."""
    other = k - 1 if σ[k - 1] < σ[k + 1] else k + 1  # it does between the two lowest
    return float(t[k] + (t[other] - t[k]) * σ[k] / (σ[k] + σ[other]))
