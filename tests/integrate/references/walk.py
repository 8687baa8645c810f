"""The walk of a motion from switch to switch: which pieces hold, smooth steps, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq, minimize_scalar

from integrate.references.pieces import Change, Pieces, Unclear

LOOKED_AT = np.linspace(0.0, 1.0, 13)
"""Parts of a step at which switching functions are looked at; between three of them a lowest value is looked for."""

AT = 1e-12
"""A switching function this close to its border at a start, or where the state jumps, is at it."""

TINY = 1e-30
"""Of the complex step that gives ġ without cancellation."""


def zero(f: Callable[[float], float], a: float, b: float) -> float:
    """Where a function is zero, between places where it has two signs."""
    return float(brentq(f, a, b, xtol=1e-15))  # type: ignore[arg-type]


def lowest(f: Callable[[float], float], a: float, b: float) -> tuple[float, float]:
    """Where a function has its lowest value between two places, and that value."""
    found: Any = minimize_scalar(f, bounds=(a, b), method="bounded", options={"xatol": 1e-10})
    return float(found.x), float(found.fun)


class Walk:
    """Where a motion has come to."""

    def __init__(self, pieces: Pieces, t: float, y: np.ndarray, rtol: float, atol: float, most: int) -> None:
        self.pieces, self.t, self.y = pieces, t, y
        self.rtol, self.atol, self.most = rtol, atol, most
        self.k = np.zeros(len(pieces.switches) + len(pieces.clocks))
        self.sliding: tuple[int, ...] = ()
        self.changes: list[Change] = []
        self.miss = np.inf
        self.h = 1e-3
        self.moved = False
        self.decided: float | None = None
        """When the pieces were last decided; None where they must be."""

    def go(self, stop: float) -> None:
        """On to a time before which no clock switches."""
        clocks = [clock.piece((self.t + stop) / 2) for clock in self.pieces.clocks]
        if self.decided is None or np.any(self.k[len(self.pieces.switches) :] != clocks):
            self.k[len(self.pieces.switches) :] = clocks
            self._decide(dict.fromkeys(self.sliding))
        at = self._smooth(stop)
        while at is not None:
            self._decide(at)
            at = self._smooth(stop)

    # ---- which pieces hold from here on

    def _decide(self, at: Mapping[int, int | None]) -> None:
        """Fixes the pieces at a place where some switches are at a border: the one choice that agrees with itself.

        at  those switches; 0 or 1 for one that has slid and lets go below or above, where ġ = 0 on that side as well
        """
        g = [float(s.value(self.t, self.y)) for s in self.pieces.switches]
        near = [i for i, s in enumerate(self.pieces.switches) if abs(g[i] - (round(g[i]) if s.stairs else 0)) < AT]
        active = sorted({*at, *near})
        below = [round(g[i]) - 1.0 if s.stairs else 0.0 for i, s in enumerate(self.pieces.switches)]
        before = self.k.copy(), self.sliding
        for i, s in enumerate(self.pieces.switches):
            self.k[i] = s.piece(g[i])
        found = []
        for sides in product(*[(0, 1, None) if at.get(i) is None else (at[i],) for i in active]):
            k, sliding = self.k.copy(), tuple(i for i, side in zip(active, sides, strict=True) if side is None)
            for i, side in zip(active, sides, strict=True):
                k[i] = below[i] + (0.0 if side is None else side)
            asked = [(i, side) for i, side in zip(active, sides, strict=True) if at.get(i) is None]
            if self._agrees(k, sliding, asked, below):
                found.append((k, sliding))
        if len(found) != 1:
            names = [self.pieces.switches[i].name for i in active]
            raise Unclear(f"{len(found)} ways to go on at t = {self.t:.6g} from the borders of {names}")
        (self.k, self.sliding), self.decided = found[0], self.t
        self._struck(before[0], active)
        if active and (self.sliding != before[1] or np.any(self.k != before[0])):
            names = tuple(self.pieces.switches[i].name for i in active)
            held = tuple(None if i in self.sliding else float(self.k[i]) for i in active)
            self.changes.append(Change(self.t, names, held))
            if len(self.changes) > self.most:
                raise Unclear(f"{self.most} switches until t = {self.t:.6g}")

    def _struck(self, before: np.ndarray, active: list[int]) -> None:
        """Lets the state jump where a switch that was passed does so; then all pieces are decided anew."""
        for i in active:
            blow = self.pieces.switches[i].blow
            if blow is not None and i not in self.sliding and self.k[i] != before[i] and self.moved:
                self.y = np.asarray(blow(self.y, before[i], self.k[i]), dtype=float)
                self.sliding = ()
                self._decide({})

    def _agrees(self, k: np.ndarray, sliding: tuple[int, ...], asked: list[tuple], below: list[float]) -> bool:
        """Whether switches go to where their pieces say they are, and what slides is held by less than all there is."""
        try:
            k = self._equivalent(self.t, self.y, k, sliding)
        except np.linalg.LinAlgError:
            return False
        f = self.pieces.slope(self.t, self.y, k)
        for i, side in asked:
            if side is None:
                if not 0.0 < k[i] - below[i] < 1.0:
                    return False
            elif not (2 * side - 1) * self._rate(i, self.t, self.y, f) > 0.0:
                return False
        return True

    def _rate(self, i: int, t: float, y: np.ndarray, f: np.ndarray) -> float:
        """ġ along ẏ = f."""
        return float(np.imag(self.pieces.switches[i].value(t + 1j * TINY, y + 1j * TINY * f)) / TINY)  # type: ignore[arg-type]

    def _equivalent(self, t: float, y: np.ndarray, k: np.ndarray, sliding: tuple[int, ...]) -> np.ndarray:
        """Pieces with those that slide such that ġ = 0: ġ is affine in them."""
        if not sliding:
            return k
        base = [self._rate(i, t, y, self.pieces.slope(t, y, k)) for i in sliding]
        B = np.empty((len(sliding), len(sliding)))
        for column, j in enumerate(sliding):
            moved = k.copy()
            moved[j] += 1.0
            f = self.pieces.slope(t, y, moved)
            B[:, column] = [self._rate(i, t, y, f) - b for i, b in zip(sliding, base, strict=True)]
        if not np.linalg.cond(B) < 1e10:
            raise np.linalg.LinAlgError
        k = k.copy()
        k[list(sliding)] -= np.linalg.solve(B, base)
        return k

    # ---- a smooth piece

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        return self.pieces.slope(t, y, self._equivalent(t, y, self.k, self.sliding))

    def _margins(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """How far each switch is from leaving its piece, and each that slides from letting go, shape (borders, times)."""
        rows = []
        for i, s in enumerate(self.pieces.switches):
            if i in self.sliding:
                continue
            g = np.broadcast_to(s.value(t, y), t.shape)  # type: ignore[arg-type]
            rows += [g - self.k[i], self.k[i] + 1 - g] if s.stairs else [g if self.k[i] else -g]
        if self.sliding:
            held = np.array([self._equivalent(s, v, self.k, self.sliding) for s, v in zip(t, y.T, strict=True)])
            for i in self.sliding:
                rows += [held[:, i] - self.k[i], self.k[i] + 1 - held[:, i]]
        return np.array(rows).reshape(len(rows), len(t))

    def _owners(self) -> list[tuple[int, int | None]]:
        """The switch of each margin, and for one that slides the side on which it lets go."""
        free = [i for i in range(len(self.pieces.switches)) if i not in self.sliding]
        owners: list[tuple[int, int | None]] = [
            (i, None) for i in free for _ in range(2 if self.pieces.switches[i].stairs else 1)
        ]
        return owners + [(i, side) for i in self.sliding for side in (0, 1)]

    def _smooth(self, stop: float) -> dict[int, int | None] | None:
        """Steps until a time, or a switch: then the switches that are at their border, as `_decide` wants them."""
        self.moved = True
        h = self.h = 1e-3 if self.decided == self.t else self.h
        while self.t < stop:
            solver = DOP853(
                self._slope, self.t, self.y, stop, first_step=min(h, stop - self.t), max_step=self.pieces.longest,
                rtol=self.rtol, atol=self.atol,
            )  # fmt: skip
            while solver.status == "running":
                t, y = solver.t, solver.y
                words = solver.step()
                if solver.status == "failed":
                    raise Unclear(f"no step from t = {t:.6g}: {words}")
                crossing = self._crossing(t, solver.t, solver.dense_output())
                if crossing is None:
                    self.t, self.y = solver.t, solver.y
                    self.h = max(float(solver.step_size or 0.0), self.h if self.t == stop else 0.0)
                    continue
                border, guess = crossing
                if guess is None:  # left and came back at once: look more closely
                    h = (solver.t - t) / 16
                    if h < 1e-9:
                        raise Unclear(f"a switch that turns back at once, at t = {t:.6g}")
                    break
                self.t, self.y = self._located(border, t, y, guess)
                self.h = 1e-3
                return dict.fromkeys(self.sliding) | dict([self._owners()[border]])
        return None

    def _crossing(self, a: float, b: float, dense: Callable) -> tuple[int, float | None] | None:
        """The first border that is crossed within a step, and about when; None for a time that is too early to tell."""
        times = a + (b - a) * LOOKED_AT
        margins = self._margins(times, dense(times))
        found: list[tuple[float, int, float | None]] = []
        for border, m in enumerate(margins):

            def margin(t: float, border: int = border) -> float:
                return float(self._margins(np.array([t]), dense(np.array([t])))[border, 0])

            below = np.flatnonzero(m[1:] < 0) + 1
            first = int(below[0]) if below.size else len(m)
            dips = [j for j in range(1, len(m) - 1) if j < first and m[j] < m[j - 1] and m[j] <= m[j + 1]]
            for j in dips:
                low, least = lowest(margin, times[j - 1], times[j + 1])
                if least < 0:
                    found.append((low, border, zero(margin, times[j - 1], low)))
                    break
                self.miss = min(self.miss, least)
            else:
                if below.size:
                    inside = m[first - 1] > (1e-13 if first == 1 else 0.0)
                    here = None if a == self.decided and self._owners()[border][1] is None else a
                    root = zero(margin, times[first - 1], times[first]) if inside else here
                    found.append((times[first - 1] if root is None else root, border, root))
        if not found:
            return None
        _, border, root = min(found, key=lambda each: each[0])
        return border, root

    def _located(self, border: int, t: float, y: np.ndarray, guess: float) -> tuple[float, np.ndarray]:
        """Time and state at a border, by Newton's iterations on steps that end there."""
        s = guess
        for _ in range(6):
            there = self._stepped(t, y, s)
            m = self._margins(np.array([s]), there[:, None])[border, 0]
            δ = 1e-6
            sides = np.array([s - δ, s + δ])
            f = self._slope(s, there)
            m_sides = self._margins(sides, there[:, None] + f[:, None] * np.array([-δ, δ]))[border]
            fall = (m_sides[1] - m_sides[0]) / (2 * δ)
            if not fall < 0:
                raise Unclear(f"a graze at t = {s:.6g}")
            new = s - m / fall
            if abs(new - s) <= 4e-16 * max(1.0, abs(s)):
                break
            s = max(new, t)
        return s, self._stepped(t, y, s)

    def _stepped(self, t: float, y: np.ndarray, to: float) -> np.ndarray:
        if to == t:
            return y
        solver = DOP853(self._slope, t, y, to, first_step=to - t, rtol=self.rtol, atol=self.atol)
        while solver.status == "running":
            solver.step()
        return solver.y
