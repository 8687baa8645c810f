"""Length and order of the steps of Radau's methods [HW1996, §IV.8; HW1999]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.integrate.radau_collocation import Collocation
from zeromass.integrate.radau_newton import KEEP, Stages, iterations
from zeromass.integrate.stepper import Tolerances

SAFETY, SHRINK, GROW = 0.9, 0.2, 8.0
"""Part of the step that the error estimate allows that is taken, and the bounds of its change from step to step."""

UNCHANGED = 1.2
"""A step that might grow by less than this stays as it is, and with it the matrices of the iterations."""

RAISE, WAIT = 2e-3, 10
"""Rate of convergence up to which the order is raised, and steps between two changes of it."""


class Control:
    """What the next step will be.

    h         its length, with its sign, as far as the error allows
    method    its method
    fixed     whether all steps have the same length
    failures  attempts at it that were rejected
    """

    def __init__(self, methods: Sequence[Collocation], tolerances: Tolerances, first_step: float) -> None:
        self._methods, self._tolerances = methods, tolerances
        self._place = 0
        self._waited = 0
        self.failures = 0
        self._before: tuple[float, float] | None = None  # length and error of the last step
        self.fixed = tolerances.step is not None
        self.h = float(first_step if tolerances.step is None else tolerances.step)

    @property
    def method(self) -> Collocation:
        return self._methods[self._place]

    def turn(self, direction: float) -> None:
        self.h = float(np.copysign(self.h, direction))

    def length(self, t: float, until: float) -> float:
        """The step to try: as controlled, not over `until`; a remainder shorter than a millionth of it is taken along."""
        rest = until - t
        return rest if abs(self.h) * (1 + 1e-6) >= abs(rest) else self.h

    def too_small(self, t: float) -> bool:
        return abs(self.h) < abs(t) * 1e-15 + 1e-300

    def reject(self, h: float, error: float) -> None:
        """A shorter step: by a tenth where the error is not a number, by half where it is infinite."""
        self.failures += 1
        if np.isfinite(error):
            self.h = h * float(np.clip(SAFETY * error ** (-1 / (self.method.stages + 1)), SHRINK, 1.0))
            return
        self.h = h * (0.1 if np.isnan(error) else 0.5)
        if self.failures > 1:
            self._take(self._place - 1)

    def accept(self, h: float, error: float, stages: Stages, *, last: bool) -> None:
        """Length and order after an accepted step; `last` if `until` has set its length."""
        change = self._change(h, error, stages)
        self._before = abs(h), max(error, 1e-2)
        self._waited += 1
        self.failures = 0
        if self.fixed:
            return
        longer = np.sign(h) * min(abs(h) * change, self._tolerances.longest)
        # a step cut short by `until` says nothing against the longer one that was planned
        self.h = self.h if last and abs(self.h) > abs(longer) else float(longer)
        if self._waited >= WAIT and stages.rate <= RAISE and 1 / UNCHANGED <= change <= UNCHANGED:
            self._take(self._place + 1)

    def _change(self, h: float, error: float, stages: Stages) -> float:
        """h_new/h: the error's own verdict, or what its trend predicts if that is less [G1994]."""
        power = 1 / (self.method.stages + 1)
        limit = iterations(self.method)
        safety = SAFETY * (2 * limit + 1) / (2 * limit + stages.iterations)
        error = max(error, 1e-10)
        change = safety * error**-power
        if self._before is not None:
            length, earlier = self._before
            change = min(change, safety * abs(h) / length * (earlier / error**2) ** power)
        change = min(max(change, SHRINK), GROW if self.failures == 0 else 1.0)
        return 1.0 if 1.0 <= change <= UNCHANGED and stages.rate <= KEEP else change

    def _take(self, place: int) -> None:
        place = min(max(place, 0), len(self._methods) - 1)
        if place != self._place and not self.fixed:
            self._place, self._waited, self._before = place, 0, None
