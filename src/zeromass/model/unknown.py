"""Switching functions of what is unknown before the motion is solved, as N in friction μ |N|: accelerations, multipliers.

    r(x, z) = 0,   g = g(x, z),   dg/dx = ∂g/∂x − ∂g/∂z (∂r/∂z)⁺ ∂r/∂x

x is the state and time, z = (q̈, λ), r = (M q̈ − Q − C − Aᵀλ, A q̈ − b). On a piece C is affine in z, so that z follows from
its modes; a mode is right where g, of the z that it gives, is on its side. That may be so for several sides, or for none: a
rod that is pushed along a rough table at a steep angle (Painlevé's) has no motion, or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Evaluator, Expression, jacobian, symbols
from zeromass.model.state import ROUNDING, Magnitude, State

if TYPE_CHECKING:
    from zeromass.model.system import System


def unknown_in(e: Expression) -> bool:
    """Whether a formula has accelerations or multipliers."""
    return any(leaf.order >= 2 or leaf.kind == "multiplier" for leaf in symbols(e))


class Unknown:
    """Formulas of a smooth system, with their unknowns solved for: values, magnitudes and slopes.

    formulas  some of which may contain accelerations and multipliers
    """

    system: System
    formulas: list[Expression]

    def __init__(self, system: System, formulas: Sequence[Expression]) -> None:
        self.system, self.formulas = system, list(formulas)
        self.places: tuple[int, ...] = tuple(k for k, g in enumerate(self.formulas) if unknown_in(g))
        """Of those that do."""

    @cached_property
    def _names(self) -> list[Expression]:
        return [*self.system.inputs, *self.system.accelerations, *self.system.multipliers]

    @cached_property
    def _magnitude(self) -> Magnitude:
        return Magnitude(self.formulas, self._names if self.places else self.system.inputs)

    def _known(self, inputs: np.ndarray) -> np.ndarray:
        """Inputs, accelerations and multipliers."""
        n = len(self.system.coordinates)
        values = dict(zip(self.system.parameters, inputs[1 + 2 * n :].tolist(), strict=True))
        motion = State(self.system, float(inputs[0]), inputs[1 : 1 + n], inputs[1 + n : 1 + 2 * n], values).motion
        return np.concatenate([inputs, motion.acceleration, motion.multipliers])

    def with_values(self, inputs: np.ndarray, sizes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Values of the formulas at the inputs of one state, and their magnitudes; see `Magnitude`.

        An unknown is as large as the largest of its kind, as far as rounding goes.
        """
        if not self.places:
            return self._magnitude.with_values(inputs, sizes)
        known = self._known(inputs)
        solved, n = np.abs(known[len(inputs) :]), len(self.system.coordinates)
        for block in (slice(0, n), slice(n, None)):
            solved[block] = solved[block].max(initial=0.0)
        return self._magnitude.with_values(known, np.concatenate([np.abs(inputs) if sizes is None else sizes, solved]))

    @cached_property
    def _slopes(self) -> Evaluator:
        system, m = self.system, 1 + 2 * len(self.system.coordinates)
        if not self.places:
            return Evaluator(jacobian(self.formulas, system.inputs[:m]), system.inputs)
        a, λ = system.accelerations, system.multipliers
        r = [*(system.M @ a - system.Q - system.C - system.A.T @ λ), *(system.A @ a - system.b)]
        return Evaluator(jacobian([*self.formulas, *r], [*system.inputs[:m], *a, *λ]), self._names)

    def slopes(self, inputs: np.ndarray) -> np.ndarray:
        """Of the formulas by time, positions and rates, shape (formulas, 1 + 2n); 0 where they are rounding of their terms.

        The slope of an unknown is rounded as the largest of its kind.
        """
        if not self.places:
            return self._slopes(inputs)
        count, n = len(self.formulas), len(self.system.coordinates)
        m = 1 + 2 * n
        by = self._slopes(self._known(inputs))
        g, r = by[:count], by[count:]
        inverse = np.linalg.pinv(r[:, m:], rcond=len(r) * np.finfo(float).eps)
        slopes = g[:, :m] - g[:, m:] @ (inverse @ r[:, :m])
        sizes = np.abs(inverse) @ np.abs(r[:, :m])
        for block in (slice(0, n), slice(n, None)):
            sizes[block] = sizes[block].max(axis=0, initial=0.0)
        sizes = np.abs(g[:, :m]) + np.abs(g[:, m:]) @ sizes
        return np.where(np.abs(slopes) <= 8 * ROUNDING * sizes, 0.0, slopes)
