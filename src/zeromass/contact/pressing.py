"""The force between a body and a surface, along the normal and across it."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, cast

import numpy as np

from zeromass.expression import Array, Expression, as_expression, expressions
from zeromass.model.given import length
from zeromass.model.unilateral import Unilateral


class Pressing:
    """What touches a surface, by its normal and the force that acts there."""

    normal: Array
    tangents: Array
    """Two unit vectors along the surface, (2, 3), of a contact that is a unilateral constraint."""

    unilateral: Unilateral | None = None
    """The unilateral constraint that it is, if it is one."""

    @abstractmethod
    def _pressing(self) -> Array:
        """Force of the surface on the body, inertial components, N, of what is no unilateral constraint."""

    @cached_property
    def force(self) -> Array:
        """Of the surface on the body, inertial components, N; zero while they are apart."""
        return self._pressing() if self.unilateral is None else self.normal_force * self.normal + self.friction_force

    @cached_property
    def normal_force(self) -> Expression:
        """Normal part of the force of the surface, N; negative where the surface pulls."""
        return as_expression(self.normal @ self.force) if self.unilateral is None else self.unilateral.forces[0]

    @cached_property
    def friction_force(self) -> Array:
        """Tangential part of the force of the surface, N."""
        if self.unilateral is None:
            return expressions(self.force - self.normal_force * self.normal)
        return expressions(expressions(self.unilateral.forces[1:]) @ self.tangents)

    @cached_property
    def friction_magnitude(self) -> Expression:
        """Magnitude of the friction force, N."""
        return length(self.friction_force if self.unilateral is None else expressions(self.unilateral.forces[1:]))

    @cached_property
    def friction_ratio(self) -> Expression:
        """|F_t|/F_n, the required coefficient of friction."""
        return friction_ratio(self.friction_magnitude, self.normal_force)


def friction_ratio(friction: Expression, normal: Expression) -> Expression:
    """The coefficient of friction that is needed for a friction force beside a normal force, N.

        |F_t|/max(F_n, 0)

    Infinite where the surface has to pull: no coefficient is enough. Not a number where no force acts at all.
    """
    pressed: Any = np.maximum(cast(Any, normal), 0.0)
    return as_expression(friction / pressed)
