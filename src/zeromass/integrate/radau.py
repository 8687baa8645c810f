"""Radau's methods of order 5, 9 and 13 for stiff systems, with step and order control [HW1996, §IV.8; HW1999].

Implicit, and stable however stiff: the step follows the motion and not the fastest decay or vibration in the system.
The error of the whole polynomial of a step is kept within the tolerance, so the dense output is as good as the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.integrate.dense import NODES, fitted
from zeromass.integrate.functions import Functions, event_values
from zeromass.integrate.radau_collocation import Collocation, collocation
from zeromass.integrate.radau_control import Control
from zeromass.integrate.radau_linear import Slopes
from zeromass.integrate.radau_newton import Newton, Stages, norm
from zeromass.integrate.stepper import EventCode, Status, Tolerances

ORDERS = 5, 9, 13


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step of length h from (t0, y0): a polynomial, and the end where it was left.

    increments  of the polynomial at the stages, with the projection of the end shared out along the step, shape (s, 2n)
    t, y        the end, on the constraints; before t0 + h if the step was cut
    growth      of the pivots there
    """

    method: Collocation
    t0: float
    h: float
    y0: np.ndarray
    increments: np.ndarray
    t: float
    y: np.ndarray
    growth: float

    def states(self, t: np.ndarray) -> np.ndarray:
        """States at times (k,), inside the step or extrapolated, shape (k, 2n)."""
        shares = self.method.basis((t - self.t0) / self.h)
        # not a matrix product, whose rounding would depend on how many times are asked for together
        return self.y0 + sum(shares[:, i, None] * Z for i, Z in enumerate(self.increments))


class Radau:
    """Radau's stepping methods; see `Stepper`.

    orders  those to choose from, 1 + 4k each, rising; a fixed step keeps the first

    The accepted steps are one dictionary, and t and y are those of its last entry: whenever a run is interrupted, what
    it leaves is consistent.
    """

    growth_limit: float = np.inf
    places = np.linspace(0.0, 1.0, 9)

    @staticmethod
    def lanes() -> int:
        return 1

    def __init__(
        self,
        compiled: Compiled,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        tolerances: Tolerances,
        first_step: float,
        orders: Sequence[int] = ORDERS,
    ) -> None:
        self._start = float(t), np.array(y, dtype=float)
        self._parameters = np.ascontiguousarray(parameters, dtype=float)
        self._record: dict[tuple[float, float], Step] = {}
        self._tolerances = tolerances
        self._control = Control([collocation(order) for order in orders], tolerances, first_step)
        self._slopes = Slopes(compiled, self._parameters)
        self._newton = Newton(self._slopes)
        self.rejected = 0
        self.use(compiled, project=False)
        self.watch(lambda lanes: None, np.zeros(0))

    t = property(lambda self: self._end[0])
    y = property(lambda self: self._end[1].copy())
    steps = property(lambda self: len(self._record))
    evaluations = property(lambda self: self._slopes.evaluations)
    jacobians = property(lambda self: self._slopes.jacobians)
    times = property(lambda self: np.array([step.t for step in self._record.values()]))
    states = property(lambda self: np.array([step.y for step in self._record.values()]).reshape(-1, len(self._end[1])))
    growth = property(lambda self: np.array([step.growth for step in self._record.values()]))

    @property
    def _last(self) -> Step | None:
        return next(reversed(self._record.values()), None)

    @property
    def _end(self) -> tuple[float, np.ndarray]:
        return (self._last.t, self._last.y) if self._last is not None else self._start

    def use(self, compiled: Compiled, *, project: bool) -> None:
        self._slopes.use(compiled)
        self._functions = Functions(compiled, self._parameters)
        self._project = project
        self._restart()

    def _restart(self) -> None:
        """What is known of the current state is computed anew."""
        self._newton.restart()
        self._slope: tuple[float, np.ndarray, float] | None = None

    def watch(self, code: EventCode, directions: np.ndarray) -> None:
        self._events, self._directions = code(1), np.asarray(directions, dtype=float)
        self._signs = self.event_values(*self._end)

    def event_values(self, t: float, y: np.ndarray) -> np.ndarray:
        return event_values(self._events, len(self._directions), t, y, self._parameters)

    def cut(self, t: float, y: np.ndarray) -> None:
        (t0, _), last = self._record.popitem()
        self._record[t0, float(t)] = replace(last, t=float(t), y=np.array(y, dtype=float))
        self._restart()

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        ends = zip(t0.tolist(), t1.tolist(), strict=True)
        return np.array([fitted(self._record[a, b].states(a + NODES * (b - a))) for a, b in ends])

    def advance(self, until: float, budget: int) -> Status:
        self._control.turn(until - self.t)
        enough = self.steps + budget
        with np.errstate(all="ignore"):
            while self.t != until:
                slope, growth = self._derivative()
                if growth > self.growth_limit:
                    return Status.PIVOTS
                if self.steps >= enough:
                    return Status.PAUSED
                status = self._advance(slope, until)
                if status is not None:
                    return status
        return Status.FINISHED

    def _derivative(self) -> tuple[np.ndarray, float]:
        """dy/dt at the current state, and the growth of the pivots."""
        t, y = self._end
        if self._slope is None or self._slope[0] != t:
            f, growth = self._slopes(np.array([t]), y[None])
            self._slope = t, f[0], float(growth[0])
        return self._slope[1:]

    def _advance(self, slope: np.ndarray, until: float) -> Status | None:
        """One step, shorter and shorter until its error is allowed; None, or why to return."""
        control, (t, y) = self._control, self._end
        error = 0.0
        while not control.too_small(t):
            h = control.length(t, until)
            error, stages = self._trial(t, y, slope, h)
            if stages is not None and error < 1:
                step = self._completed(t, y, h, until if h == until - t else t + h, stages)
                if step is not None:
                    self._accept(step, error, stages, last=step.t == until)
                    return Status.EVENT if self._crossed(step) else None
                error = np.nan
            self.rejected += 1
            if control.fixed:
                break
            control.reject(h, error)
            self._newton.renew()
        return Status.NOT_A_NUMBER if np.isnan(error) else Status.STEP_TOO_SMALL

    def _trial(self, t: float, y: np.ndarray, slope: np.ndarray, h: float) -> tuple[float, Stages | None]:
        """Stages of a step, and its error over the tolerance.

        ∞ where the iterations do not converge, NaN where a formula has no finite value; 0 for a fixed step.
        """
        method = self._control.method
        try:
            allowed = self._allowed(t, y, h, np.abs(y))
            stages = self._newton.stages(method, t, y, h, self._guess(t, h), allowed)
            if not stages.converged:
                return (np.inf if stages.finite else np.nan), stages
            return (0.0 if self._control.fixed else self._error(t, y, slope, h, stages.Z)), stages
        except np.linalg.LinAlgError:  # a shorter step has other matrices
            return np.inf, None

    def _allowed(self, t: float, y: np.ndarray, h: float, size: np.ndarray) -> np.ndarray:
        """The error allowed in a state of some size, which is never below what no step could avoid.

        Stiff forces make accelerations of the rounding errors of positions, however short the step.
        """
        rounding = self._newton.shifted(self._control.method, t, y, h).rounding(y)
        return self._tolerances.atol + self._tolerances.rtol * size + rounding

    def _guess(self, t: float, h: float) -> np.ndarray:
        """Increments of the polynomial of the last step, continued; zero for the first."""
        c = self._control.method.c
        if self._last is None:
            return np.zeros((len(c), len(self._end[1])))
        return self._last.states(t + c * h) - self._last.y

    def _error(self, t: float, y: np.ndarray, slope: np.ndarray, h: float, Z: np.ndarray) -> float:
        """The defect of the polynomial at the start of the step, as an error of the state, over the tolerance.

            e = (γ/h − ∂f/∂y)⁻¹ (f(y) − u′(0)),   γ the real eigenvalue of A⁻¹         [HW1996, eq. IV.8.19]

        At the first step and after a rejection, where e may be far too large in stiff directions, f(y + e) replaces f(y).
        """
        method = self._control.method
        shifted = self._newton.shifted(method, t, y, h)
        scale = self._allowed(t, y, h, np.maximum(np.abs(y), np.abs(y + Z[-1])))
        start = method.slope[0] @ Z / h
        e = np.real(shifted((slope - start)[None])[0])
        if norm(e / scale) >= 1 and (self._last is None or self._control.failures):
            again, _ = self._slopes(np.array([t]), (y + e)[None])
            e = np.real(shifted(again - start)[0])
        return norm(e / scale)

    def _completed(self, t: float, y: np.ndarray, h: float, time: float, stages: Stages) -> Step | None:
        """The step with its end returned to the constraints; None where that or the slope there is not finite."""
        method, end = self._control.method, y + stages.Z[-1]
        projected = self._functions.projected(np.array([time]), end[None])[0] if self._project else end
        f, growth = self._slopes(np.array([time]), projected[None])
        if not (np.all(np.isfinite(f)) and np.isfinite(growth[0])):
            return None
        self._slope = time, f[0], float(growth[0])
        increments = stages.Z + method.c[:, None] * (projected - end)
        return Step(method, t, h, y, increments, time, projected, float(growth[0]))

    def _accept(self, step: Step, error: float, stages: Stages, *, last: bool) -> None:
        self._control.accept(step.h, error, stages, last=last)
        self._newton.moved(stages)
        self._record[step.t0, step.t] = step

    def _crossed(self, step: Step) -> bool:
        """Whether a watched function has changed sign the way it is watched for."""
        old, new, direction = self._signs, self.event_values(step.t, step.y), self._directions
        rising = (old < 0) & (new >= 0) & (direction >= 0)
        falling = (old > 0) & (new <= 0) & (direction <= 0)
        self._signs = np.where(new == 0, old, new)
        return bool(np.any(rising | falling))
