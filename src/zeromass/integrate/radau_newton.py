"""The stages of one step, by Newton iterations [HW1996, §IV.8].

Simplified ones, with one Jacobian for all stages and, while it serves, for several steps. They crawl where a stiff
direction turns during the step, as that of a stiff spring does [L1993]; then each stage has its own Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zeromass.integrate.radau_collocation import Collocation
from zeromass.integrate.radau_linear import Coupled, Shifted, Slopes

ENOUGH = 1e-3
"""Part of the tolerance that the iterations may leave of their error."""

STALLED = {False: 0.1, True: 1.0}
"""Part of the tolerance below which corrections that no longer shrink are rounding errors, by simplified and exact."""

KEEP = 1e-3
"""Rate of convergence up to which the Jacobian of an earlier step serves the next one."""

EXACT = 10
"""Steps with exact iterations before simplified ones are tried again."""

Correction = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""ΔZ from the stages' states and defects, all of shape (s, 2n)."""


@dataclass(frozen=True)
class Stages:
    """How the iterations ended.

    Z           increments, shape (s, 2n)
    iterations  their number
    rate        by what the simplified corrections shrank at first; 0 if one was enough, and for exact ones
    converged   whether the error left is below `ENOUGH` of the tolerance
    finite      whether every formula had a finite value
    """

    Z: np.ndarray
    iterations: int
    rate: float
    converged: bool
    finite: bool = True


class Newton:
    """The iterations of a run, with what they keep from step to step."""

    def __init__(self, slopes: Slopes) -> None:
        self._slopes = slopes
        self.restart()

    def restart(self) -> None:
        """Keeps nothing."""
        self._jacobian: np.ndarray | None = None
        self._fresh = False  # whether it is that of the current state
        self._shifted: Shifted | None = None
        self._made_for: tuple[float, int, bool] | None = None
        self._exact = 0  # steps for which exact iterations go on

    def stages(
        self, method: Collocation, t: float, y: np.ndarray, h: float, guess: np.ndarray, scale: np.ndarray
    ) -> Stages:
        """Increments Z with f(u(c_i)) = u′(c_i) at every stage, from a guess; `scale` is the error allowed in them."""
        B, times = method.slope[1:] / h, t + method.c * h

        def simplified(states: np.ndarray, defect: np.ndarray) -> np.ndarray:
            return np.real(method.out @ self.shifted(method, t, y, h)(method.into @ defect))

        def exact(states: np.ndarray, defect: np.ndarray) -> np.ndarray:
            return Coupled(B, self._slopes.jacobian(times, states))(defect)

        def iterated(correction: Correction) -> Stages:
            return self._iterated(method, times, y, B, guess, scale, correction, exact=correction is exact)

        if not self._exact:
            stages = iterated(simplified)
            if not stages.converged and not self._fresh:
                self.renew()
                stages = iterated(simplified)
            if stages.converged:
                return stages
            self._exact = EXACT
        return iterated(exact)

    def shifted(self, method: Collocation, t: float, y: np.ndarray, h: float) -> Shifted:
        """(A⁻¹/h − ∂f/∂y)⁻¹ in the basis of the eigenvectors of A; the Jacobian may be that of an earlier state.

        While exact iterations go on, of the real eigenvector alone, which the error estimate needs.
        """
        jacobian = self._jacobian
        if jacobian is None:
            jacobian = self._jacobian = self._slopes.jacobian(np.array([t]), y[None])[0]
            self._fresh, self._shifted = True, None
        wanted = h, method.order, self._exact > 0
        if self._shifted is None or self._made_for != wanted:
            shifts = method.eigenvalues[:1] if self._exact else method.eigenvalues
            self._shifted, self._made_for = Shifted(shifts / h, jacobian), wanted
        return self._shifted

    def renew(self) -> None:
        """Drops the Jacobian of an earlier state."""
        if not self._fresh:
            self._jacobian = None

    def moved(self, stages: Stages) -> None:
        """The state is now that at the end of a step."""
        self._fresh = False
        if self._exact or stages.rate > KEEP:
            self._jacobian = None
        self._exact = max(self._exact - 1, 0)

    def _iterated(
        self,
        method: Collocation,
        times: np.ndarray,
        y: np.ndarray,
        B: np.ndarray,
        guess: np.ndarray,
        scale: np.ndarray,
        correction: Correction,
        *,
        exact: bool,
    ) -> Stages:
        """Z ← Z + ΔZ,   B ΔZ − ∂f/∂y ΔZ = f(u(c)) − u′(c),   u′(c) = B Z,   until ΔZ is small or ceases to shrink."""
        limit = iterations(method)
        Z, size, rate, remaining = guess, 0.0, 0.0, 1.0  # the error left, over the last correction
        for k in range(limit):
            states = y + Z
            f, _ = self._slopes(times, states)
            if not np.all(np.isfinite(f)):
                return Stages(Z, k, rate, converged=False, finite=False)
            change = correction(states, f - B @ Z)
            Z = Z + change
            before, size = size, norm(change / scale)
            if k:
                θ = size / before
                rate = θ if k == 1 and not exact else rate
                if θ >= 1:
                    rounding = size <= STALLED[exact]
                    return Stages(Z, k + 1, 0.0, converged=rounding, finite=bool(np.isfinite(size)))
                if not exact and θ ** (limit - k) / (1 - θ) * size > ENOUGH:
                    break
                remaining = θ**2 if exact else θ / (1 - θ)
            if remaining * size <= ENOUGH:
                return Stages(Z, k + 1, rate, converged=True)
        return Stages(Z, limit, rate, converged=False, finite=bool(np.isfinite(size)))


def iterations(method: Collocation) -> int:
    """Iterations allowed: more for more stages, whose steps are longer [HW1999]."""
    return int(7 + 2.5 * (method.stages - 3))


def norm(x: np.ndarray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.vdot(x, x) / x.size))
