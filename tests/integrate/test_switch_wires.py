"""Beads that are shaken on rough wires of random shapes, N of either sign, against a program that stops at every switch.

    v˙ = a_t − μ |N/m| sgn v,   N/m = a_n + κ v²,   at rest as long as |a_t| ≤ μ |N/m|

a_t and a_n are the parts of gravity and of the shaking along the wire and across it, κ its curvature.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import zeromass as zm
from cases import few

G, UNTIL = 9.81, 3.0


class Wire:
    """y = Σ a_k sin(k x + b_k), shaken by P cos(ω t) along x, with friction μ."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.a, self.b = random.normal(scale=0.35, size=3), random.uniform(0, 6, size=3)
        self.μ, self.P, self.ω = random.uniform(0.1, 0.7), random.uniform(2, 14), random.uniform(2, 6)
        self.start = random.uniform(-1, 1), random.uniform(-4, 4)

    def height(self, x, order: int = 0):
        """Its derivatives by x."""
        k = np.arange(1, 4)
        return sum(
            a * k**order * np.sin(k * x + b + order * np.pi / 2) for a, b, k in zip(self.a, self.b, k, strict=True)
        )

    def forces(self, t, x, v):
        """a_t and N/m at a speed v along the wire."""
        f, bend = self.height(x, 1), self.height(x, 2)
        c, s = np.array([1, f]) / np.hypot(1, f)
        push = self.P * np.cos(self.ω * t)
        return push * c - G * s, push * s + G * c + bend / np.hypot(1, f) ** 3 * v**2

    def reference(self) -> tuple[float, float, list[float]]:
        """x and v at the end, and the times at which a sign changes, or the bead sticks or lets go."""
        t, (x, v), times = 0.0, self.start, []
        while t < UNTIL:
            along, N = self.forces(t, x, v)
            if v == 0.0 and abs(along) <= self.μ * abs(N):
                grid = np.linspace(t, UNTIL, 4000)
                left = [abs(a) - self.μ * abs(n) for a, n in (self.forces(s, x, 0.0) for s in grid)]
                late = np.flatnonzero(np.array(left) > 0)
                if not len(late):
                    return x, v, times
                k = late[0]
                t = brentq(lambda s: np.subtract(*self._limit(s, x)), grid[k - 1], grid[k], xtol=1e-15)  # noqa: B023
                times.append(t)
                along = self.forces(t, x, 0.0)[0]
            way, side = np.sign(v) or np.sign(along), np.sign(N)

            def slope(t, y, way=way, side=side):
                along, N = self.forces(t, *y)
                return [y[1] / np.hypot(1, self.height(y[0], 1)), along - self.μ * side * N * way]

            def turns(t, y):
                return y[1]

            def lifts(t, y):
                return self.forces(t, *y)[1]

            turns.terminal = lifts.terminal = True
            turns.direction = -way
            lifts.direction = -side
            found = solve_ivp(slope, (t, UNTIL), [x, v], "DOP853", rtol=1e-12, atol=1e-14, events=[turns, lifts])
            t, (x, v) = found.t[-1], found.y[:, -1]
            if t < UNTIL:
                times.append(t)
                if len(found.t_events[0]):
                    v = 0.0
                else:
                    dx, dv = slope(t, [x, v])
                    t, x, v = t + 1e-12, x + 1e-12 * dx, v + 1e-12 * dv
        return x, v, times

    def _limit(self, t, x):
        along, N = self.forces(t, x, 0.0)
        return abs(along), self.μ * abs(N)

    def run(self, by: str) -> tuple[zm.Run, zm.expression.Expression, zm.expression.Expression]:
        bead = zm.Particle("bead", mass=0.4)
        x, y, z = bead.position
        f = self.height(x, 1)
        along, across = np.array([1, 0, f]) / np.sqrt(1 + f**2), np.array([-f, 0, 1]) / np.sqrt(1 + f**2)
        push = zm.Force((0.4 * self.P * np.cos(self.ω * zm.t), 0, 0), at=bead.position)
        given = {"gravity": G, "forces": push, "constraints": {"wire": z - self.height(x), "plane": y}}
        ideal = zm.System([bead], **given)
        N = across @ ideal.reaction.on(bead.position)
        if by == "multiplier":
            N = ideal.multipliers[0] * np.sqrt(1 + f**2)
        speed = along @ bead.velocity
        friction = zm.Force(-self.μ * abs(N) * np.sign(speed) * along, at=bead.position)
        system = zm.System([bead], **given, nonideal=friction)
        start = system.start({x: self.start[0], y: 0.0, speed: self.start[1]})
        return zm.simulate(system, start, until=UNTIL, rtol=1e-11, atol=1e-13), x, speed


def agrees(seed: int, by: str) -> None:
    wire = Wire(seed)
    run, x, speed = wire.run(by)
    x_end, v_end, times = wire.reference()
    assert run.outcome.ending == "finished", run.outcome
    told = sorted({round(switch.t, 6) for switch in run.switches})
    assert told == pytest.approx(sorted({round(t, 6) for t in times}), abs=2e-6)
    end = run.at([UNTIL])
    assert end[x][0] == pytest.approx(x_end, abs=1e-6)
    assert end[speed][0] == pytest.approx(v_end, abs=1e-6)


@pytest.mark.parametrize("by", ["reaction", "multiplier"])
@pytest.mark.parametrize("seed", few(range(6)))
def test_a_bead_on_a_rough_wire(seed, by):
    """To the sensitivity of some ten switches: what the tolerances of 1e-11 have grown to."""
    agrees(seed, by)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 100))
def test_beads_on_many_rough_wires(seed):
    agrees(seed, "reaction")
