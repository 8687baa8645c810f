"""The way through a place where coordinates without mass have no finite rate, as the contact at a flat point of a body.

There such a coordinate y moves with a power of time below 1, velocities v with mass likewise, and forces are infinite for a
moment, but have a finite impulse. With the path σ of y as independent variable all of that is smooth [Sundman 1912]:

    dt/dσ = 1/√(c² + |ẏ|²),   dq/dσ = q̇ dt/dσ,   dv/dσ = v̇ dt/dσ

ẏ follows from v by the constraints. The run keeps the motion as steps whose polynomials of time are as exact as its own,
ever shorter toward the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.expression import Evaluator, Expression
from zeromass.integrate.entries import all_rows, masses
from zeromass.integrate.legendre import legendre
from zeromass.integrate.singular.under_way import UnderWay
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.dense import DEGREE, NODES, fitted
from zeromass.model import Event

REFINED, CLOSEST, FLOOR = 0.1, 2.5e-14, 1e-3
"""Ratio of the relative tolerances of two paths whose ends are compared, the smallest one, and absolute errors beside it."""

PATHS, ROUNDED = 4, 1e-12
"""Paths that are tried, each closer than the one before, and the relative error of an end that rounding may cause."""

SLOW = 1e-2
"""The speed c, as a part of |ẏ| at the beginning."""

STEPS = 120
"""Steps over σ after which a way is given up."""

NEGATIVE = 1e-9
"""How far the margin of an event may be below zero by rounding."""

AWAY = 10.0
"""Length of the path behind the smallest margin, in units of that before it, or margin, in units of that at the beginning,
at the end of a way that begins before the event."""

GROWN = 2.0
"""Margin at the end of a way that begins behind the event, in units of that at the beginning."""

ROUGH = 1e-6
"""Relative error of the rates of coordinates without mass, from which constraints hardly tell them."""

FINEST = 0.1
"""Rounding of time as a part of a step from which it is not divided."""

CHECKS = np.array([0.0, 0.03, 0.5, 0.97, 1.0])
"""Places in a step at which its polynomial is compared with the motion."""


Step = tuple[float, float, Callable[[np.ndarray], np.ndarray]]
"""Of σ: its ends, and what gives (t, q, v) inside it."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A step from t0 to t1 and to the state y: Legendre's coefficients, shape (DEGREE + 1, 2n)."""

    t0: float
    t1: float
    y: np.ndarray
    coefficients: np.ndarray

    def polynomial(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> np.ndarray:
        """Of the part of the step from t0 to t1."""
        if (t0, t1) == (self.t0, self.t1):
            return self.coefficients
        θ = (t0 - self.t0 + NODES * (t1 - t0)) / (self.t1 - self.t0)
        return fitted(states_between(θ, np.zeros(len(θ), dtype=int), self.coefficients[None]))


class Transit:
    """Steps from a state (t, y) of a run, beyond an event with a margin or before it, to where its function is positive
    again.

    margin  of the event at the beginning
    """

    def __init__(self, loop: UnderWay, event: Event, t: float, y: np.ndarray) -> None:
        system = loop.program.system
        self._loop, self._direction = loop, event.direction
        self._watched = Evaluator([event.zero, event.margin], system.inputs)
        self._rates = Evaluator(list(system.velocity_constraints), system.inputs)
        self._rows = all_rows(system)
        self._kinematic = [i for i, row in enumerate(system.rows) if row.level < 2]
        self._t, self._beginning = t, y
        self._n = n = len(y) // 2
        heavy = masses(system)(self._inputs(np.array([self._t]), y[None]))[0, 0] > 0
        self._heavy, self._light = np.flatnonzero(heavy), np.flatnonzero(~heavy)
        self._alone, self._weak = _order([system.sparse_A.rows[i] for i in self._kinematic], self._light.tolist())
        self._first = np.concatenate([[0.0], y[:n], y[n:][self._heavy]])
        self._speed = float(np.linalg.norm(y[n:][self._light]))
        others = [e.terminal and e.margin is not event.margin for e in loop.watched]
        self._terminal, self._directions = np.array(others), np.array([e.direction for e in loop.watched])
        zero, margin = self._watched(self._inputs(np.array([t]), y[None]))[0]
        self._before, self.margin = zero * event.direction < 0, float(margin)
        self._ahead = float(np.sign(loop.until - loop.start.t))

    def steps(self) -> list[Piece] | None:
        """Of time; None where there is no way through."""
        if not self._speed:
            return None
        try:
            with np.errstate(all="ignore"):
                path = self._accurate_path()
                return None if path is None else self._pieces(path)
        except np.linalg.LinAlgError:  # a stage is at the place itself
            return None

    def margins(self, pieces: list[Piece]) -> np.ndarray:
        """The margin of the event at the ends of steps."""
        return self._watched(self._inputs(np.array([p.t1 for p in pieces]), np.array([p.y for p in pieces])))[:, 1]

    def _inputs(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        values = self._loop.values
        return np.column_stack([t, y, np.broadcast_to(values, (len(t), len(values)))])

    def _states(self, z: np.ndarray) -> np.ndarray:
        """States (q, q̇), shape (k, 2n), at (t, q, v), shape (k, 1 + n + heavy).

        A_y ẏ = −(A_v v + …), in least squares for those of y that no row tells alone: others are as exact as v.
        """
        n, y = self._n, np.zeros((len(z), 2 * self._n))
        y[:, :n], y[:, n + self._heavy] = z[:, 1 : n + 1], z[:, n + 1 :]
        inputs = self._inputs(self._t + z[:, 0], y)
        for level in self._alone:
            rates = self._rates(inputs)
            for i, j, a in level:
                inputs[:, 1 + n + j] = y[:, n + j] = -rates[:, i] / a
        rows, columns = self._weak
        Q, R = np.linalg.qr(self._rows(inputs)[:, self._kinematic][:, rows][:, :, columns])
        rates = self._rates(inputs)[:, rows, None]
        y[:, n + columns] = -np.linalg.solve(R, Q.swapaxes(1, 2) @ rates)[..., 0]
        return y

    def _slope(self, _: float, z: np.ndarray) -> np.ndarray:
        """dz/dσ."""
        n, (y,) = self._n, self._states(z[None])
        slope, _ = self._loop.functions().slope(self._t + z[0], y)
        self._loop.work.count_evaluation()
        speed = np.sqrt((SLOW * self._speed) ** 2 + np.sum(y[n + self._light] ** 2))
        return np.concatenate([[1.0], y[n:], slope[n + self._heavy]]) * (self._ahead / speed)

    def _accurate_path(self) -> list[Step] | None:
        """A path whose end differs from that of one with a tenfold tolerance by less than the error allowed."""
        rtol = max(self._loop.settings.rtol, CLOSEST / REFINED)
        path = self._path(rtol)
        for _ in range(PATHS - 1):
            if path is None or rtol <= CLOSEST:
                return None
            rtol = max(REFINED * rtol, CLOSEST)
            before, path = path, self._path(rtol, path[-1][1])
            if path is not None and self._difference(before, path) <= 1.0:
                return path
        return None

    def _difference(self, one: list[Step], other: list[Step]) -> float:
        """The largest difference of the states at the ends of two paths, at the same time, in units of the error allowed."""
        (_, σ, inside), (_, _, closer) = one[-1], other[-1]
        z = closer(np.array(σ))
        off, slope = inside(np.array(σ)) - z, self._slope(σ, z)
        off -= slope / slope[0] * off[0]
        allowed = max(self._loop.settings.rtol, ROUNDED) * self._sizes[1:] + self._loop.settings.atol
        return float((np.abs(off[1:]) / allowed).max())

    @cached_property
    def _sizes(self) -> np.ndarray:
        """Of (t, q, v) at the beginning: of time that in which coordinates without mass change by the size of q."""
        n, first = self._n, self._first
        sizes = np.empty(len(first))
        sizes[1 : n + 1], sizes[n + 1 :] = np.abs(first[1 : n + 1]).max(), np.abs(first[n + 1 :]).max()
        sizes[0] = sizes[1] / self._speed
        return sizes

    def _solver(self, σ: float, z: np.ndarray, rtol: float, end: float) -> Any:
        """What integrates from a place on."""
        from scipy.integrate import DOP853  # few runs come to such a place

        tolerances: Any = FLOOR * rtol * self._sizes
        return DOP853(self._slope, σ, z, end, rtol=rtol, atol=tolerances)

    def _path(self, rtol: float, end: float = np.inf) -> list[Step] | None:
        """Steps over σ, each with what gives (t, q, v) inside it.

        end  of σ; without one, where the event is behind, another terminal event has happened, or the run ends
        """
        found = list[Step]()
        solver = self._solver(0.0, self._first, rtol, end)
        least, lowest = self.margin, 0.0  # the smallest margin, and σ there
        values = self._loop.work.event_values(self._t, self._beginning)
        while len(found) < STEPS or end < np.inf:
            before = float(solver.t)
            solver.step()
            if solver.status == "failed":
                return None
            found.append((before, float(solver.t), solver.dense_output()))
            if solver.status == "finished":
                return found
            if end < np.inf:
                continue
            t, (y,) = self._t + solver.y[0], self._states(solver.y[None])
            zero, margin = self._watched(self._inputs(np.array([t]), y[None]))[0]
            if not margin > -NEGATIVE:
                return None
            if margin < least:
                least, lowest = float(margin), float(solver.t)
            if not self._before:
                away = True
            elif lowest > 0.0:
                away = solver.t > (1 + AWAY) * lowest or margin > AWAY * self.margin
            else:  # the event is behind: steps are short where the rates still change fast
                away = margin > GROWN * self.margin
            done = (zero * self._direction < 0 and away) or abs(t - self._t) >= abs(self._loop.until - self._t)
            old, values = values, self._loop.work.event_values(t, y)
            if done or self._ends(old, values):
                return found
        return None

    def _ends(self, old: np.ndarray, new: np.ndarray) -> bool:
        """Whether a terminal event has happened between two places, by the values of all events there."""
        happened = (old * new <= 0) & (old != 0) & (self._directions * old <= 0)
        return bool(np.any(happened & self._terminal))

    def _pieces(self, path: list[Step]) -> list[Piece]:
        """Steps of time: those over σ, halved until polynomials of time are exact."""
        waiting, done = list(path), list[tuple[float, float, np.ndarray, np.ndarray]]()
        while waiting:
            begin, end = (np.array(x) for x in zip(*[(a, b) for a, b, _ in waiting], strict=True))
            places = np.concatenate([NODES, CHECKS])
            σ = begin[:, None] + (end - begin)[:, None] * places
            z = np.concatenate([inside(row).T for row, (_, _, inside) in zip(σ, waiting, strict=True)])
            y = self._states(z).reshape(len(σ), len(places), -1)
            τ = z[:, 0].reshape(σ.shape)
            first, last = τ[:, len(NODES)], τ[:, -1]
            θ = (τ - first[:, None]) / (last - first)[:, None]
            rounding = np.spacing(np.abs(self._t + last)) / np.abs(last - first)
            further = list[Step]()
            for k, (a, b, inside) in enumerate(waiting):
                coefficients = self._line(y[k]) if not rounding[k] < FINEST else self._exact(θ[k], y[k], rounding[k])
                if coefficients is not None:
                    done.append((float(first[k]), float(last[k]), y[k, -1], coefficients))
                else:
                    further += [(a, (a + b) / 2, inside), ((a + b) / 2, b, inside)]
            waiting = further
        found, t = list[Piece](), self._t
        for _, last, y, coefficients in sorted(done, key=lambda piece: self._ahead * piece[0]):
            if self._ahead * (self._t + last - t) > 0.0:
                found.append(Piece(t, self._t + last, y, coefficients))
                t = self._t + last
        return found

    def _line(self, y: np.ndarray) -> np.ndarray:
        """The polynomial between two states that rounding of time does not tell apart."""
        coefficients = np.zeros((DEGREE + 1, y.shape[1]))
        coefficients[0], coefficients[1] = (y[-1] + y[len(NODES)]) / 2, (y[-1] - y[len(NODES)]) / 2
        return coefficients

    def _exact(self, θ: np.ndarray, y: np.ndarray, rounding: float) -> np.ndarray | None:
        """The polynomial through states at places in a step; None where it is off at others by more than the error allowed.

        rounding  of time, as a part of the step
        """
        values, settings, count = np.array(legendre(θ, DEGREE + 1)).T, self._loop.settings, len(NODES)
        try:
            coefficients = np.linalg.solve(values[:count], y[:count])
        except np.linalg.LinAlgError:  # some of the places are at one time
            return None
        allowed = settings.rtol * np.abs(y).max(axis=0) + settings.atol + rounding * np.ptp(y, axis=0)
        allowed[self._n + self._light] = ROUGH * np.abs(y[:, self._n + self._light]).max()
        off = np.abs(values[count:] @ coefficients - y[count:])
        return coefficients if np.all(off <= allowed) else None


def _order(
    rows: Sequence[Mapping[int, Expression]], light: Iterable[int]
) -> tuple[list[list[tuple[int, int, float]]], tuple[np.ndarray, np.ndarray]]:
    """How rates of coordinates without mass follow from rows: row, coordinate and coefficient of those that one row tells,
    which may follow from the others of them before; and the rows and coordinates that are left."""
    unknown, left = {*light}, {*range(len(rows))}
    levels: list[list[tuple[int, int, float]]] = []
    while True:
        found: dict[int, tuple[int, int, float]] = {}
        for i in sorted(left):
            own = unknown & rows[i].keys()
            for j in own if len(own) == 1 else ():
                a = rows[i][j].value
                if a and j not in found:
                    found[j] = i, j, a
        if not found:
            weak = [i for i in sorted(left) if unknown & rows[i].keys()]
            return levels, (np.array(weak, dtype=int), np.array(sorted(unknown), dtype=int))
        levels.append(list(found.values()))
        unknown -= found.keys()
        left -= {i for i, _, _ in found.values()}
