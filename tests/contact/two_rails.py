"""A ball on two straight rails by hand: planar Newton–Euler equations, integrated by SciPy from event to event.

The rails are planes that fall towards one another at an angle β; the mass centre is in the plane of symmetry, at ρ from the
centre. Then both rails do the same, and act together as one contact at R = r cos β below the centre, with a vertical force V
and, where the ball slips, the friction V μ/cos β.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp


def event(f: Any, direction: int) -> Any:
    """A function whose zero ends an integration."""
    f.terminal, f.direction = True, direction
    return f


TIGHT: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-14, "method": "DOP853"}


@dataclass
class Rails:
    """m, J about the mass centre, radius r, offset ρ, angle β, friction μ, restitution e, gravity g."""

    m: float
    J: float
    r: float
    ρ: float
    β: float
    μ: float
    e: float
    g: float

    @property
    def R(self) -> float:
        return self.r * np.cos(self.β)

    @property
    def most(self) -> float:
        return self.μ / np.cos(self.β)

    def lever(self, φ: float) -> np.ndarray:
        """From the mass centre to the contact, (x, z); the mass centre is below the centre at φ = 0."""
        return np.array([self.ρ * np.sin(φ), self.ρ * np.cos(φ) - self.R])

    def forces(self, y: np.ndarray, kind: str, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations of x, z, φ of the centre, and the force (T, V)."""
        φ, dφ = y[2], y[5]
        # C = O + ρ (−sin φ, −cos φ); C̈ = Ö + φ̈ a + b
        a = self.ρ * np.array([-np.cos(φ), np.sin(φ)])
        b = self.ρ * dφ**2 * np.array([np.sin(φ), np.cos(φ)])
        l = self.lever(φ)
        # unknowns ẍ, z̈, φ̈, T, V; φ grows as the ball rolls ahead, and a force (T, V) at l turns by l_z T − l_x V
        A, q = np.zeros((5, 5)), np.zeros(5)
        A[0, [0, 2, 3]], q[0] = (self.m, self.m * a[0], -1.0), -self.m * b[0]
        A[1, [1, 2, 4]], q[1] = (self.m, self.m * a[1], -1.0), -self.m * b[1] - self.m * self.g
        A[2, [2, 3, 4]] = self.J, -l[1], l[0]
        if kind == "flying":
            A[3, 3] = A[4, 4] = 1.0
        else:
            A[3, 1] = 1.0
            if kind == "rolling":
                A[4, [0, 2]] = 1.0, -self.R
            else:
                A[4, [3, 4]] = 1.0, self.most * sign
        found = np.linalg.solve(A, q)
        return found[:3], found[3:]

    def slip(self, y: np.ndarray) -> float:
        return float(y[3] - self.R * y[5])

    def stroke(self, y: np.ndarray) -> np.ndarray:
        """Rates after landing: at each rail the slip is along it, w_x, and down or up its side, ż sin β.

        dP_x = −2 μ s_x dp,   dP_z = 2 (cos β − μ s_t sin β) dp,   s = (w_x, ż sin β)/|…|
        """
        l, φ = self.lever(y[2]), y[2]
        a = self.ρ * np.array([-np.cos(φ), np.sin(φ)])
        v, ω = y[3:5] + a * y[5], y[5]
        turn = np.array([l[1], -l[0]])  # ω changes by turn·P/J, the contact moves with v + ω turn
        D = np.eye(2) / self.m + np.outer(turn, turn) / self.J
        c, s = np.cos(self.β), np.sin(self.β)

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            w = y[:2]
            slip = np.array([w[0], w[1] * s])
            slip = slip / np.linalg.norm(slip)
            dP = 2 * np.array([-self.μ * slip[0], c - self.μ * slip[1] * s])
            return np.array([*(D @ dP), *dP])

        def closed(_: float, y: np.ndarray) -> float:
            return y[1]

        closed.terminal, closed.direction = True, 1.0  # type: ignore[attr-defined]
        begin = np.array([*(v + ω * turn), 0.0, 0.0])
        done = solve_ivp(slope, (0.0, 1e3), begin, events=closed, **TIGHT)
        w, p = done.y[:, -1], done.t[-1]
        if self.e > 0.0:
            w = solve_ivp(slope, (0.0, self.e * p), w, **TIGHT).y[:, -1]
        P = w[2:]
        v, ω = v + P / self.m, ω + turn @ P / self.J
        v = v - a * ω
        return np.array([v[0], v[1], ω])

    def motion(self, y: np.ndarray, kind: str, until: float, most: int) -> list[tuple[float, str, np.ndarray]]:
        """Times of the first changes of the motion, what follows, and the state there."""
        t, found, sign = 0.0, [], 0.0
        while len(found) < most:
            if kind == "slipping":
                sign = np.sign(self.slip(y)) if abs(self.slip(y)) > 1e-13 else sign

            slope = self._slope(kind, sign)

            if kind == "rolling":
                events = [
                    event(lambda _, y: self.forces(y, "rolling", 0.0)[1][1], -1),
                    event(lambda t, y: self._lack(t, y), 1),
                ]
                names = ["lost", "slips"]
            elif kind == "slipping":
                events = [
                    event(lambda _, y, sign=sign: self.forces(y, "slipping", sign)[1][1], -1),
                    event(lambda _, y, sign=sign: sign * self.slip(y), -1),
                ]
                names = ["lost", "stops"]
            else:
                events, names = [event(lambda _, y: y[1], -1)], ["lands"]
            begin = y.copy()
            if kind == "flying" and found:
                begin[1] = max(begin[1], 1e-16)
            done = solve_ivp(slope, (t, until), begin, events=events, **TIGHT)
            which = [k for k, times in enumerate(done.t_events) if len(times)]
            if not which:
                return found
            t, y, name = float(done.t[-1]), done.y[:, -1].copy(), names[which[0]]
            if name == "lost":
                kind = "flying"
            elif name == "slips":
                T, _ = self.forces(y, "rolling", 0.0)[1]
                kind, sign = "slipping", -np.sign(T)
            elif name == "stops":
                y[3] = self.R * y[5]
                kind = "rolling" if self._lack(t, y) <= 0.0 else "slipping"
            else:
                y[1] = 0.0
                y[3:] = self.stroke(y)
                if y[4] <= 1e-12:
                    y[4] = 0.0
                    kind = "slipping" if abs(self.slip(y)) > 1e-12 else "rolling"
            found.append((t, kind, y.copy()))
        return found

    def _slope(self, kind: str, sign: float) -> Callable[[float, np.ndarray], np.ndarray]:
        return lambda _, y: np.array([*y[3:], *self.forces(y, kind, sign)[0]])

    def _lack(self, _: float, y: np.ndarray) -> float:
        T, V = self.forces(y, "rolling", 0.0)[1]
        return float(abs(T) - self.most * V)
