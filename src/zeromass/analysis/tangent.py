"""Neighbouring motions: forward sensitivities and the largest Lyapunov exponent, from the same graph.

A tangent δy of a motion y obeys δẏ = ∂f/∂y δy + ∂f/∂p δp. It is carried along as further unknowns of the same compiled
integration, with its right-hand side made by a directional derivative of the solved accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.compile.target import BEST, Code, host
from zeromass.equation import numerical_rank
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Evaluator, coordinate, directional, expressions, jacobian
from zeromass.integrate import Course
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, ModelError
from zeromass.model.nearest import least_change


class TangentCode:
    """Machine code of a motion with a neighbouring one: unknowns (y, δy), constants (p, δp)."""

    corrections = None
    busy = False
    pivots = 0

    def __init__(self, program: Program) -> None:
        time, y, constants = program.inputs
        δy = [coordinate(f"tangent.{i}") for i in range(len(y))]
        δp = [coordinate(f"variation.{i}") for i in range(len(constants))]
        slopes = expressions([*program.system.rates, *program.acceleration])
        along = directional(slopes, dict(zip([*y, *constants], [*δy, *δp], strict=True)))
        groups = [time, [*y, *δy], [*constants, *δp]]
        self._code = code({"rhs": (groups, [[*slopes, *along], [program.growth], []])}, host().scalar, effort=BEST)

    def rhs(self, lanes: int = 1) -> Code:
        """Machine code of the right-hand side of one state."""
        assert lanes == 1
        return self._code

    def events(self, events: Sequence[Event], lanes: int) -> None:
        """None: what happens to a neighbouring motion is not watched."""

    def called(self, evaluations: int) -> None:
        """Its machine code is as good as it gets."""


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of the state along a run.

    t           times, shape (k,)
    start       ∂y(t)/∂y(0), shape (k, 2n, 2n), y = (q, q̇)
    parameters  ∂y(t)/∂p for each parameter, shape (k, 2n, parameters)

    With a parameter the constraints change that it stands in, and the start goes with them by the least change: in the
    metric of the kinetic energy, positions and then rates, as `State.carried_to` does. Otherwise the start is held fixed.
    Where the constraints contradict one another for any other value of a parameter, its derivatives are NaN.

    >>> x, a = zm.coordinate("x"), zm.parameter("a", 2.0)
    >>> pushed = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: a})
    >>> run = zm.simulate(pushed, pushed.start({x: 0.0}), until=3.0)
    >>> run.sensitivity().parameters[0].round(9)  # of x = a t²/2 and its rate
    array([[4.5],
           [3. ]])
    """

    t: np.ndarray
    start: np.ndarray
    parameters: np.ndarray
    run: Course | None = field(default=None, repr=False)

    def of(self, outputs: Any) -> Sensitivity:
        """Derivatives of any expressions, accelerations and constraint forces among them, shapes (k, …, 2n) and (k, …, p).

        >>> x, k = zm.coordinate("x"), zm.parameter("k", 4.0)
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=np.pi)
        >>> by_k = run.sensitivity().of(zm.acceleration(x)).parameters[0, 0]  # of −k cos(√k t), at t = π
        >>> round(float(by_k), 8)
        -1.0
        """
        from zeromass.analysis.slopes import slopes_of

        assert self.run is not None
        run, array = self.run, expressions(outputs)
        slopes = slopes_of(run.program, tuple(array.ravel()), run.system.parameters)
        values = [run.parameters[p] for p in run.system.parameters]
        found = [
            slopes.at_inputs(np.concatenate([[t], y, values])).outputs
            for t, y in zip(self.t, run.at(self.t).y, strict=True)
        ]
        by_y, by_p = (np.array([one[i] for one in found]) for i in (0, 1))
        shape = (len(self.t), *array.shape, -1)
        start, parameters = by_y @ self.start, by_y @ self.parameters + by_p
        return Sensitivity(self.t, start.reshape(shape), parameters.reshape(*shape[:-1], by_p.shape[2]))


def sensitivity(run: Course, times: ArrayLike | None = None) -> Sensitivity:
    """Forward sensitivities of a run at given times, or at its end.

    Directions of the start that leave the constraints are formal; those within them describe neighbouring motions.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0)
    >>> zm.sensitivity(run).start[0].round(9)
    array([[1., 3.],
           [0., 1.]])
    """
    times = np.atleast_1d(np.asarray(run.t[-1] if times is None else times, dtype=float))
    m, parameters = run.y.shape[1], list(run.system.parameters)
    starts = [carried(run, δy, np.zeros(len(parameters)), times) for δy in np.eye(m)]
    variations = zip(start_variations(run).T, np.eye(len(parameters)), strict=True)
    varied = [carried(run, δy, δp, times) for δy, δp in variations]
    empty = np.zeros((len(times), m, 0))
    return Sensitivity(times, np.stack(starts, axis=2), np.stack(varied, axis=2) if varied else empty, run)


def lyapunov_exponent(run: Course, *, every: float | None = None, seed: int = 0) -> float:
    """Largest Lyapunov exponent, 1/s: mean rate of growth of a tangent of the motion over the run.

    every  time between renormalisations, s; a hundredth of the run by default

    Beside the unstable rest of ẍ = 4 x motions part with e²ᵗ:

    >>> x = zm.coordinate("x")
    >>> upright = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-2 * x**2)
    >>> run = zm.simulate(upright, upright.start({x: 0.0}), until=100.0)
    >>> bool(abs(zm.lyapunov_exponent(run) - 2.0) < 0.02)
    True
    """
    span = float(run.t[-1] - run.t[0])
    if not span > 0:
        raise ModelError("a Lyapunov exponent needs a run forward in time")
    every = span / 100 if every is None else float(every)
    count = max(1, round(span / every))
    times = np.linspace(run.t[0], run.t[-1], count + 1)
    tangent = _allowed_direction(run, seed)
    total = 0.0
    for k in range(count):
        moved = carried(run, tangent, np.zeros(len(run.parameters)), times[k + 1 : k + 2], times[k])[0]
        growth = np.linalg.norm(moved)
        total += np.log(growth)
        tangent = moved / growth
    return float(total / span)


def start_variations(run: Course) -> np.ndarray:
    """∂y(0)/∂p, shape (2n, parameters): the least change of the start that keeps it on the constraints.

        A δq = −∂φ/∂p δp,   A δq̇ = −∂φ̇/∂q δq − ∂φ̇/∂p δp,   δᵀMδ least      of φ(q, p, t), φ̇(q, q̇, p, t)

    NaN where constraints that depend on one another no longer agree.
    """
    system, start = run.system, run.start
    M, A = start.matrices.M, start.matrices.A
    δq, δv = np.zeros((2, len(M), len(system.parameters)))
    for level, δ in enumerate((δq, δv)):
        zeros = expressions([zero for _, zero in system.zeros(level)])
        if not len(zeros) or not len(system.parameters):
            continue
        by_q, by_p = (
            Evaluator(jacobian(zeros, x), system.inputs)(start.inputs) for x in (system.coordinates, system.parameters)
        )
        rows = A[system.told(1)] if level else by_q
        wanted = -by_p if level == 0 else -by_p - by_q @ δq
        δ[:] = least_change(M, rows, wanted.T).T
        sizes = np.abs(by_p) + np.abs(by_q) @ np.abs(δq) + np.abs(rows) @ np.abs(δ)
        agree = negligible(rows @ δ - wanted, sizes, CONSISTENCY_TOLERANCE).all(axis=0)
        δ[:, ~agree] = np.nan
    return np.concatenate([δq, δv])


def allowed_directions(run: Course) -> np.ndarray:
    """Orthonormal tangents of the constraints, positions and velocities, at the start: shape (2n, d)."""
    system = run.system
    y = [*system.coordinates, *system.rates]
    zeros = expressions([zero for level in (0, 1) for _, zero in system.zeros(level)])
    J = Evaluator(jacobian(zeros, y), system.inputs)(run.start.inputs)
    return numerical_rank(J).null_space


def _allowed_direction(run: Course, seed: int) -> np.ndarray:
    """A random unit tangent of the constraints at the start."""
    N = allowed_directions(run)
    direction = N @ np.random.default_rng(seed).normal(size=N.shape[1])
    return direction / np.linalg.norm(direction)


def one_smooth_motion(run: Course) -> None:
    """That derivatives of a run exist all along: that no formula switches and no kind of motion changes."""
    for switch in run.switches:
        raise ModelError(
            f"tangents end where a formula switches, '{switch.expression!r}' at t = {switch.t:g} s; end the run before"
        )
    if len(run.segments) > 1:
        raise ModelError(
            f"tangents end where the kind of motion changes, at t = {run.changes[0]:g} s; end the run before"
        )


def carried(run: Course, δy: np.ndarray, δp: np.ndarray, times: np.ndarray, since: float | None = None) -> np.ndarray:
    """A tangent carried along a run to given times, shape (times, 2n)."""
    one_smooth_motion(run)
    if not np.isfinite(δy).all():
        return np.full((len(times), len(δy)), np.nan)
    since = float(run.t[0]) if since is None else float(since)
    y = run.at(since).y[0]
    m = len(y)
    machine_code = _tangent_code(run.program)
    values = next(iter(run.segments)).values
    values = np.array([*values, *δp, *np.zeros(len(values) - len(δp))])  # modes of its formulas do not vary
    tolerances = Tolerances(run.settings.rtol, run.settings.atol)
    first = 1e-6 if times[-1] >= since else -1e-6
    work = Workspace(machine_code, since, np.concatenate([y, δy]), values, tolerances, first)
    stepper = Dop853(work)
    result = np.empty((len(times), m))
    for k, time in enumerate(times):
        status = stepper.advance(float(time), 1 << 40)
        if status is not Status.FINISHED:
            raise ModelError(f"the tangents can not be carried beyond t = {work.t:g} s ({status.name.lower()})")
        result[k] = work.y[m:]
    return result


@lru_cache(maxsize=16)
def _tangent_code(program: Program) -> TangentCode:
    return TangentCode(program)
