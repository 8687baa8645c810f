"""Forward sensitivities and the largest Lyapunov exponent, from neighbouring motions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.analysis.neighbours import Neighbours
from zeromass.equation import numerical_rank
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Evaluator, expressions, jacobian, symbols
from zeromass.integrate import Course
from zeromass.integrate.course import given_course
from zeromass.integrate.lengths import PASSES
from zeromass.integrate.stepping.functions import Functions
from zeromass.model import ModelError
from zeromass.model.given import given_real, shown
from zeromass.model.nearest import least_change

AT_ONCE = 2**20
"""Values of tangents that are carried along together: what bounds the memory."""

MOST = 1e7
"""Renormalisations in a run."""

NEARBY = 1e-5
"""Change of a state of a large system that tells a direction: its square is about its rounding."""


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
    """Forward sensitivities of a run: `Run.sensitivity`."""
    one_smooth_motion(run)
    times = run.within(float(run.t[-1]) if times is None else times)
    m, parameters = run.y.shape[1], list(run.system.parameters)
    count = len(parameters)
    δy = np.concatenate([np.eye(m), start_variations(run)], axis=1)
    δp = np.concatenate([np.zeros((count, m)), np.eye(count)], axis=1)
    found = carried(run, δy, δp, times)
    return Sensitivity(times, found[:, :, :m], found[:, :, m:], run)


def lyapunov_exponent(run: Course, *, every: float | None = None, seed: int = 0) -> float:
    """Largest Lyapunov exponent, 1/s: `Run.lyapunov_exponent`."""
    span = float(given_course(run).t[-1] - run.t[0])
    if not span > 0:
        raise ModelError("a Lyapunov exponent needs a run forward in time")
    times = np.linspace(run.t[0], run.t[-1], parts_of(span, every) + 1)
    one_smooth_motion(run)
    tangent, states = _allowed_direction(run, seed)[:, None], run.at(times).y
    neighbour = Neighbours(run, tangent, np.zeros((len(run.parameters), 1)), float(times[0]))
    total = 0.0
    for time, y in zip(times[1:].tolist(), states[1:], strict=True):
        moved = neighbour.carry(time)
        growth = np.linalg.norm(moved)
        total += np.log(growth)
        neighbour.go_on(y, moved / growth)
    return float(total / span)


def parts_of(span: float, every: float | None) -> int:
    """Parts of a run between renormalisations, a hundred if nothing is given."""
    if every is None:
        return 100
    every = given_real(every, "every")
    if not MOST * every >= span or not np.isfinite(every):
        least = f"{span / MOST:.1g} s or more"
        raise ModelError(f"every is {every:g} s; the time between renormalisations is {least}, and finite")
    return max(1, round(span / every))


def random_of(seed: int) -> np.random.Generator:
    """The numbers that a seed makes."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ModelError(f"seed is {shown(seed)}; it is a whole number, zero or more")
    return np.random.default_rng(int(seed))


def start_variations(run: Course) -> np.ndarray:
    """∂y(0)/∂p, shape (2n, parameters): the least change of the start that keeps it on the constraints.

        A δq = −∂φ/∂p δp,   A δq̇ = −∂φ̇/∂q δq − ∂φ̇/∂p δp,   δᵀMδ least      of φ(q, p, t), φ̇(q, q̇, p, t)

    NaN where constraints that depend on one another no longer agree.
    """
    system, start = run.system, run.start
    said = symbols([e for row in system.rows for e in (row.zero, row.place) if e is not None])
    if {*system.parameters}.isdisjoint(said):
        return np.zeros((run.y.shape[1], len(system.parameters)))
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
    """A random unit tangent of the constraints at the start.

    Of a large system, what is left of a random change when states are brought onto the constraints; about 1e-10 of it
    leaves them, which does not grow with the motion.
    """
    random = random_of(seed)
    if run.program.code == "rolled":
        y, segment = run.y[0], run.segments[0]
        change = NEARBY * random.normal(size=len(y))
        t, beside = np.full(2, run.t[0]), y + np.outer([1.0, -1.0], change)
        there = Functions(run.program.native, segment.values).projected(t, beside)
        direction = there[0] - there[1]
    else:
        N = allowed_directions(run)
        direction = N @ random.normal(size=N.shape[1])
    return direction / np.linalg.norm(direction)


def one_smooth_motion(run: Course, remedy: str = "end the run before") -> None:
    """Raises unless derivatives of a run exist all along: no formula switches, no mode changes, no parameter is set anew.

    remedy  what to do, in words
    """
    passed = [
        passage
        for segment in given_course(run).segments
        for passage in segment.crossed
        if passage.constraints[0].endswith(PASSES)
    ]
    later = run.segments[1:]
    touching = [
        segment
        for segment in run.segments
        if segment.piece and segment.piece.contacts and len(segment.piece.contacts.closed)
    ]
    if run.system.colliders is not None and (later or touching):
        t = float((touching or later)[0].t[0])
        raise ModelError(
            f"tangents end where bodies of '{run.system.colliders.elements[0].name}' touch, at t = {t:g} s; {remedy}"
        )
    if not (later or run.switches or passed):
        return
    if passed:
        where = f"{passed[0].constraints[0]}, at t = {passed[0].t:g} s"
    elif run.switches:
        where = f"a formula switches, '{run.switches[0].expression!r}' at t = {run.switches[0].t:g} s"
    elif run.changes:
        where = f"the contact mode changes, at t = {run.changes[0]:g} s"
    else:
        where = f"parameters are set anew, as by zm.control.sampled, at t = {float(later[0].t[0]):g} s"
    raise ModelError(f"tangents end where {where}; {remedy}")


def carried(run: Course, δy: np.ndarray, δp: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Tangents δy of the start, shape (2n, k), and δp of the parameters, carried along a run to times, (times, 2n, k).

    NaN where the tangent of the start is no number.
    """
    one_smooth_motion(run)
    result = np.full((len(times), *δy.shape), np.nan)
    good = np.isfinite(δy).all(axis=0)
    some = max(1, AT_ONCE // len(δy))
    for first in range(0, int(good.sum()), some):
        which = np.flatnonzero(good)[first : first + some]
        neighbours = Neighbours(run, δy[:, which], δp[:, which], float(run.t[0]))
        for k, time in enumerate(times):
            result[k][:, which] = neighbours.carry(float(time))
    return result
