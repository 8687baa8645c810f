"""Gradients of one number by everything that a run began with: one run backward in time, however many there are.

    J = Σ_k w_k e(y(t_k), p),   μ̇ = −(∂f/∂y)ᵀμ,  γ̇ = −(∂f/∂p)ᵀμ,   μ ← μ + w_k ∂e/∂y,  γ ← γ + w_k ∂e/∂p at t_k

Then ∂J/∂y(0) = μ(0) and ∂J/∂p = γ(0), to which comes what the start changes with p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from zeromass.analysis.slopes import slopes_of
from zeromass.analysis.tangent import one_smooth_motion, start_variations
from zeromass.codegen.target import BEST, Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression, Symbol, coordinate, expressions, gradient
from zeromass.integrate import Course
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, ModelError
from zeromass.model.given import given_scalar, shown

if TYPE_CHECKING:
    from zeromass.analysis.large_adjoint import LargeAdjointCode

PIECES, STEPS = 32, 4
"""Parts of a run that are gone through backward, at most, and steps of the run in each of them at least: the motion is taken
from the run anew at the end of each."""


Derivatives = Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]]
"""A value, and its derivatives by state, shape (2n,), and by parameters."""


FIRST_STEP = 0.125
"""Part of a step of the run, as long as these are in the mean, that each part begins with backward."""


class AdjointCode:
    """Machine code of a motion with its adjoint: unknowns (y, μ, γ)."""

    corrections = None
    busy = False
    pivots = 0

    def __init__(self, program: Program) -> None:
        time, y, constants = program.inputs
        μ = [coordinate(f"adjoint.{i}") for i in range(len(y))]
        γ = [coordinate(f"share.{i}") for i in range(len(constants))]
        f = expressions([*program.system.rates, *program.acceleration])
        back = gradient(np.dot(np.array(μ, dtype=object), f), [*y, *constants])
        groups = [time, [*y, *μ, *γ], list(constants)]
        self._code = code({"rhs": (groups, [[*f, *(-back)], [program.growth], []])}, host().scalar, effort=BEST)
        self._program = program

    def slopes(self, e: Expression) -> Derivatives:
        """The value of an expression and its derivatives by state and parameters, from numbers of `system.inputs`."""
        slopes = slopes_of(self._program, (e,), self._program.system.parameters)

        def at(inputs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            found = slopes.at_inputs(inputs)
            return float(found.values[0]), found.outputs[0][0], found.outputs[1][0]

        return at

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of the right-hand side of one state."""
        assert lanes == 1
        return self._code

    def events(self, events: Sequence[Event], lanes: int) -> None:
        """None: nothing is watched on the way back."""

    def called(self, evaluations: int) -> None:
        """Its machine code is as good as it gets."""


@dataclass(frozen=True)
class Adjoint:
    """Value of a functional of a run, and its derivatives.

    value       Σ w e
    start       by y(0) = (q, q̇), shape (2n,); directions that leave the constraints are formal
    parameters  by each parameter, the start going with the constraints as in `Sensitivity`

    >>> x, a = zm.coordinate("x"), zm.parameter("a", 2.0)
    >>> pushed = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: a})
    >>> run = zm.simulate(pushed, pushed.start({x: 0.0}), until=3.0)
    >>> found = run.adjoint(x**2)  # x = a t²/2 = 9
    >>> round(found.value, 9), found.start.round(8), round(found.parameters[a], 8)
    (81.0, array([18., 54.]), 81.0)
    """

    value: float
    start: np.ndarray
    parameters: dict[Symbol, float]


def _weights(given: ArrayLike, times: np.ndarray) -> np.ndarray:
    """One weight for each time."""
    try:
        found = np.broadcast_to(np.asarray(given, dtype=float), times.shape)
    except (TypeError, ValueError, OverflowError):
        found = np.array(np.nan)
    if not np.isfinite(found).all():
        raise ModelError(f"weights is {shown(given)}; it is one number, or {len(times)}, one for each time")
    return found


def adjoint(run: Course, e: Expression, times: ArrayLike | None = None, weights: ArrayLike = 1.0) -> Adjoint:
    """Derivatives of Σ w_k e(t_k) by the start and all parameters: `Run.adjoint`."""
    one_smooth_motion(run)
    system, begin, end = run.system, float(run.t[0]), float(run.t[-1])
    e = given_scalar(e, "what is differentiated")
    times = run.within(end if times is None else times)
    if not len(times):
        raise ModelError("times is empty: there is nothing to differentiate")
    weights = _weights(weights, times)
    machine_code = _adjoint_code(run.program)
    slopes = machine_code.slopes(e)
    values = np.asarray(next(iter(run.segments)).values, dtype=float)
    m = run.y.shape[1]
    μ, γ, total = np.zeros(m), np.zeros(len(values)), 0.0
    here = times.max()
    first = FIRST_STEP * abs(end - begin) / max(1, len(run.t) - 1)
    marks = np.linspace(begin, here, min(PIECES, 1 + len(run.t) // STEPS) + 1)
    for time in np.unique(np.concatenate([marks, times]))[::-1]:
        y = run.at([here]).y[0]
        if here != time:
            work = Workspace(
                machine_code,
                here,
                np.concatenate([y, μ, γ]),
                values,
                Tolerances(run.settings.rtol, run.settings.atol),
                float(np.copysign(first, time - here)),
            )
            status = Dop853(work).advance(float(time), 1 << 40)
            if status is not Status.FINISHED:
                raise ModelError(f"the adjoint can not be carried before t = {work.t:g} s ({status.name.lower()})")
            μ, γ = work.y[m : 2 * m].copy(), work.y[2 * m :].copy()
            here, y = float(time), run.at([time]).y[0]
        for w in weights[times == time]:
            value, by_y, by_p = slopes(np.concatenate([[time], y, values]))
            total += w * value
            μ += w * by_y
            γ += w * by_p
    by_p = γ[: len(system.parameters)] + μ @ start_variations(run)
    return Adjoint(float(total), μ, dict(zip(system.parameters, by_p.tolist(), strict=True)))


@lru_cache(maxsize=16)
def _adjoint_code(program: Program) -> AdjointCode | LargeAdjointCode:
    if program.code != "rolled":
        return AdjointCode(program)
    from zeromass.analysis.large_adjoint import LargeAdjointCode  # few systems are large

    return LargeAdjointCode(program)
