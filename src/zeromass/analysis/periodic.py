"""Periodic motions and their Floquet multipliers, along the constraints.

    y(T) − y(0) = 0,   [S Φ N − 1, S f] (x, δT) = −(…),   Φ = ∂y(T)/∂y(0)

δy(0) = N x, x = S y as in `manifold`: directions that leave the constraints take no part, and have no multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.analysis.linear import Eigenvalues
from zeromass.analysis.manifold import Tangents, tangents
from zeromass.analysis.slopes import slopes_of
from zeromass.analysis.tangent import carried, one_smooth_motion
from zeromass.equation import numerical_rank
from zeromass.equation.arrays import single_thread
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Expression, as_expression, symbols
from zeromass.expression import t as time
from zeromass.integrate import Course, Settings
from zeromass.integrate.course import course
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.given import given_finite, given_flag, given_kind, given_mapping
from zeromass.model.state import belonging

NEWTON = 40
"""Corrections of a guess before it is given up."""

SHORTEST = 1e-2
"""Part of the guess below which a period is none: after no time every motion is where it was."""

SMOOTH = (
    "zm.analysis.periodic needs them along the whole period. Give a smooth formula in place of the switch, or find the "
    "start with a root finder on zm.simulate, at a place of the motion where nothing switches"
)
"""What to do where a motion has no derivatives."""

OPEN = 1e-6
"""Singular values below this part of the largest leave a direction of a correction open: that of a family of periodic
motions, whose derivatives by it vanish only where one is reached."""


@dataclass(frozen=True, eq=False)
class PeriodicOrbit:
    """Periodic orbit, with its period and Floquet multipliers.

    run          over one period
    period       s
    multipliers  of Floquet: what becomes of small changes of the start in one period, as factors, the largest first. One of
                 them is 1 where the system does not depend on time, that along the motion
    gap          largest distance of end and beginning
    removed      directions that leave the constraints, and have no multiplier

    >>> x = zm.coordinate("x")
    >>> forced = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=2 * x**2, forces={x: np.cos(zm.t) - zm.rate(x)})
    >>> answer = zm.analysis.periodic(forced, forced.start(), period=2 * np.pi)
    >>> answer.run.y[0].round(9), bool(abs(answer.multipliers[0]) < 1)  # cos(t − φ)/√10
    (array([0.3, 0.1]), True)
    """

    run: Course
    period: float
    multipliers: Eigenvalues
    gap: float
    removed: int

    def __repr__(self) -> str:
        largest = ", ".join(f"{m.real:.6g}" + (f"{m.imag:+.6g}i" if m.imag else "") for m in self.multipliers[:4])
        return f"PeriodicOrbit({self.period:.9g} s; multipliers {largest}{', …' if len(self.multipliers) > 4 else ''})"


@single_thread
def periodic(
    system: System,
    start: State,
    period: float,
    *,
    hold: Mapping[Expression, float] | None = None,
    turns: Mapping[Expression, float] | None = None,
    fixed: bool | None = None,
    tolerance: float = 1e-10,
    settings: Settings | None = None,
) -> PeriodicOrbit:
    """Periodic orbit near a guess, by Newton's method with exact derivatives, and its Floquet multipliers.

    start, period  the guess
    hold       {expression: value} of the start that picks one of a family, such as the energy
    turns      {coordinate: change in a period} of coordinates that grow, such as 2π of an angle
    fixed      whether the period stays as it is; by default where the system depends on time
    tolerance  largest distance of end and beginning, as part of the size of the motion
    settings   of the runs; by default rtol = 1e-12, atol = 1e-14

    Van der Pol's oscillator:

    >>> x = zm.coordinate("x")
    >>> pol = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: (1 - x**2) * zm.rate(x)})
    >>> cycle = zm.analysis.periodic(pol, pol.start({x: 2.0}), period=6.5)
    >>> round(cycle.period, 7), cycle.multipliers.real.round(6).tolist()
    (6.6632869, [1.0, 0.00086])
    """
    given_kind(system, System, "the system", "a zm.System")
    belonging(start, system)
    settings = (
        Settings(1e-12, 1e-14)
        if settings is None
        else given_kind(settings, Settings, "settings", "zeromass.integrate.Settings(…)")
    )
    tolerance = given_finite(tolerance, "tolerance")
    wanted = given_mapping({} if hold is None else hold, "hold", "{expression: number}")
    held = [(as_expression(e), given_finite(value, "a value that is held")) for e, value in wanted.items()]
    formulas = [*system.M.ravel(), *system.Q, *system.C, *[row.zero for row in system.rows]]
    forced = time in symbols(formulas)
    fixed = forced if fixed is None else given_flag(fixed, "fixed")
    shift = _turned(system, turns)
    T, state, best = given_finite(period, "period"), start, np.inf
    if not T > 0:
        raise ModelError(f"the period is {period}; it must be positive")
    for _ in range(NEWTON):
        run = course(system, state, state.t + T, settings)
        if not run.outcome.complete:
            raise StartError(f"the motion can not be followed for a period of {T:g} s: {run.outcome}")
        one_smooth_motion(run, SMOOTH)
        y0, y1 = run.y[0], run.y[-1]
        inputs = np.concatenate([run.t[:1], y0, run.segments[0].values])
        slope = slopes_of(run.program, tuple(e for e, _ in held)).at_inputs(inputs)
        basis = tangents(system, slope.constraints[0])
        Φ = carried(run, basis.N, np.zeros((len(run.parameters), basis.N.shape[1])), run.t[-1:])[0]
        miss = (y1 - y0 - shift)[basis.chosen]
        off = np.array([value - held[i][1] for i, value in enumerate(slope.values)])
        size = 1.0 + np.abs(run.y).max()
        gap = float(max(np.abs(miss).max(initial=0.0), np.abs(off).max(initial=0.0)))
        if gap <= tolerance * size and SHORTEST * period <= T:
            return _found(run, T, Φ, basis, float(np.abs(y1 - y0 - shift).max()))
        best = min(best, gap)
        if SHORTEST * period > T:  # from any start, if one does not wait
            break
        state, T = _corrected(state, T, run, Φ, basis, slope.outputs[0], miss, off, fixed, forced)
    raise StartError(
        f"no periodic motion was found near the start; the smallest gap was {best:.2g}. Give a start nearer to one, another "
        "period, hold={…} that picks one of a family, or turns={…} for coordinates that grow"
    )


def _corrected(
    state: State,
    T: float,
    run: Course,
    Φ: np.ndarray,
    basis: Tangents,
    by_y: np.ndarray,
    miss: np.ndarray,
    off: np.ndarray,
    fixed: bool,
    forced: bool,
) -> tuple[State, float]:
    """Start and period after one step of Newton, the shortest that closes the gap to first order."""
    system, d = state.system, len(basis.chosen)
    f1, f0 = (np.concatenate([s.v, s.motion.acceleration])[basis.chosen] for s in (run.state(float(run.t[-1])), state))
    rows = [np.hstack([Φ[basis.chosen] - np.eye(d), (0.0 if fixed else 1.0) * f1[:, None]])]
    right = [-miss]
    rows.append(np.hstack([by_y @ basis.N, np.zeros((len(off), 1))]))
    right.append(-off)
    ẏ = np.concatenate([state.v, state.motion.acceleration])
    begun = not negligible(by_y @ ẏ, np.abs(by_y) @ np.abs(ẏ), CONSISTENCY_TOLERANCE).all()
    if not forced and not begun:  # along the motion nothing changes but when it begins, unless that is held
        rows.append(np.append(f0, 0.0)[None])
        right.append(np.zeros(1))
    J = np.vstack(rows)
    δ = numerical_rank(J, tolerance=OPEN, equilibrate=False).inverse @ np.concatenate(right)
    longest = 0.5 * T
    δ = δ * min(1.0, longest / abs(δ[-1])) if δ[-1] else δ
    n = len(state.q)
    y = np.concatenate([state.q, state.v]) + basis.N @ δ[:-1]
    moved = State(system, state.t, y[:n], y[n:], state.parameters)
    return moved.carried_to(system), T + float(δ[-1])


def _found(run: Course, T: float, Φ: np.ndarray, basis: Tangents, gap: float) -> PeriodicOrbit:
    multipliers: Eigenvalues = np.linalg.eigvals(Φ[basis.chosen]).astype(complex)
    order = np.lexsort((-multipliers.imag, -np.abs(multipliers).round(9)))
    return PeriodicOrbit(run, T, multipliers[order], gap, len(basis.N) - len(basis.chosen))


def _turned(system: System, turns: Mapping[Any, float] | None) -> np.ndarray:
    shift = np.zeros(2 * len(system.coordinates))
    for x, change in given_mapping({} if turns is None else turns, "turns", "{coordinate: number}").items():
        shift[system.index(x)] = given_finite(change, "a turn")
    return shift
