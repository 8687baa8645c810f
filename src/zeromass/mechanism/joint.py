"""A joint: a named set of constraints between two bodies, its own massless coordinates, and its reactions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol, coordinate, expressions, jacobian, multiplier, substitute
from zeromass.expression.node import symbol
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.marker import Marker, Pose
from zeromass.model.constraint import Row, level_of
from zeromass.model.contact import ContactPoint
from zeromass.model.event import Event
from zeromass.model.given import given_array, given_name
from zeromass.model.interface import Interface
from zeromass.model.parts import TYPED, Part
from zeromass.model.unilateral import Unilateral


class Law(NamedTuple):
    """One row of a joint: what must vanish, and in starts instead; see `zeromass.model.constraint.Row`."""

    name: str
    zero: Expression
    place: Expression | None = None


class Connected(Interface, ABC):
    """What holds parts together: rows of constraints under one name, with multipliers and coordinates of their own."""

    _interface = ("name", "parts", "multipliers")

    name: str
    coordinates: tuple[Symbol, ...] = ()
    usual: Mapping[Symbol, float] = {}
    parts: tuple[Part, ...] = ()
    unilaterals: tuple[Unilateral, ...] = ()

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """Where it lets bodies touch, with the forces there."""
        return ()

    @property
    def events(self) -> tuple[Event, ...]:
        """Watched in every run."""
        return ()

    @property
    def named(self) -> dict[Expression, str]:
        """Free motions and their rates, as headings call them."""
        free = [*getattr(self, "turns", ()), *(getattr(self, name, None) for name in ("turn", "slide"))]
        free = list(dict.fromkeys(one for one in free if one is not None))
        words = {one: self.name if len(free) == 1 else f"{self.name} {one.what}" for one in free}
        return {one.speed: f"rate of {words[one]}" for one in free}

    @abstractmethod
    def _laws(self) -> Sequence[Law]:
        """What must vanish, a row each."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def _told(self) -> list[tuple[int, Law]]:
        """Its laws but for those that hold anyway, as of links that never leave a plane, with their places among all."""
        return [(k, law) for k, law in enumerate(self._laws()) if not self._holds_anyway(law)]

    def _holds_anyway(self, law: Law) -> bool:
        if law.zero.value is None:
            return False
        if abs(law.zero.value) > TYPED:
            gap = f"'{law.name}' is off by {law.zero.value:.3g}, whatever the coordinates are"
            raise ModelError(f"joint '{self.name}' can not close: {gap}")
        return True

    @property
    def rows(self) -> tuple[Row, ...]:
        """Its constraints, of the group of its name."""
        return self._rows

    @property
    def multipliers(self) -> Array:
        """λ of each row, N or N m; their values come from the motion."""
        return self._multipliers

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        named = [(f"{self.name} {law.name}", law) for _, law in self._told]
        return tuple(Row(name, self.name, level_of(name, law.zero), law.zero, law.place) for name, law in named)

    @cached_property
    def _multipliers(self) -> Array:
        found = np.empty(len(self.rows), dtype=object)
        found[:] = [multiplier(f"λ {row.name}") for row in self.rows]
        return found


class Joint(Connected):
    """What holds body b to body a.

    force, torque  of a on b at the joint's point of b, three expressions each in inertial components
    a, b           markers: its points and axes on the bodies

    >>> ground, bob = zm.Ground(), zm.RigidBody("bob", mass=2.0, inertia=(1, 1, 1), at=(0, 0, -1))
    >>> pin = zm.joints.Spherical(ground, bob, at=(0, 0, 0))
    >>> pendulum = zm.System([bob], gravity=10.0, joints=[pin])
    >>> pendulum.start()[pin.force]
    array([ 0.,  0., 20.])
    """

    _interface = ("force", "torque", "point", "along_axes", "a", "b")

    def __init__(self, a: Marker, b: Marker, name: str | None) -> None:
        self.a: Marker = a
        self.b: Marker = b
        self.name: str = f"{a.body.name} to {b.body.name}" if name is None else given_name(name, "a joint")
        self.parts: tuple[Part, ...] = tuple(m.body for m in (a, b) if not isinstance(m.body, Ground))

    def _laws(self) -> Sequence[Law]:
        return self._held(self.a.pose, self.b.pose)

    @abstractmethod
    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        """What must vanish, for markers that lie and move as given."""

    def _coordinate(self, name: str) -> Symbol:
        """A massless coordinate of the joint."""
        new = coordinate(f"{self.name}.{name}")
        self.coordinates: tuple[Symbol, ...] = (*self.coordinates, new)
        return new

    @cached_property
    def _wrenches(self) -> tuple[Array, Array]:
        """Force and torque on b of a multiplier 1 in each row, shape (rows, 3): F·δ + τ·ε is its virtual work.

        Of a row of positions it is ∂φ/∂(δ, ε) for b shifted by δ and turned by ε; of one of velocities ∂ψ/∂(v, ω).
        """
        δ, ε, v, ω = (_fresh(name) for name in ("δ", "ε", "v", "ω"))
        b = self.b.pose
        moved = Pose(b.point + δ, b.axes + np.cross(ε, b.axes.T).T, b.velocity + v, b.angular_velocity + ω)
        zeros = [law.zero for law in self._held(self.a.pose, moved)]
        slopes = jacobian(zeros, [*δ, *ε, *v, *ω])
        slopes = expressions(substitute(slopes, dict.fromkeys([*δ, *ε, *v, *ω], 0.0)))
        told = [k for k, _ in self._told if k < len(zeros)]
        levels = np.array([row.level for row in self.rows[: len(told)]])[:, None]
        chosen = np.where(levels == 0, slopes[told, :6], slopes[told, 6:])
        return chosen[:, :3], chosen[:, 3:]

    def _sum(self, of_one: Array) -> Array:
        return expressions(self.multipliers[: len(of_one)] @ of_one)

    @cached_property
    def force(self) -> Array:
        """Force of a on b, inertial components, N."""
        return self._sum(self._wrenches[0])

    @cached_property
    def torque(self) -> Array:
        """Torque of a on b about the joint's point on b, inertial components, N m."""
        return self._sum(self._wrenches[1])

    @property
    def point(self) -> Array:
        """The joint's point on b, three expressions, m."""
        return self.b.point

    def along_axes(self, vector: Any) -> Array:
        """Components of a vector along the joint's axes on a, the last along its axis, as of `joint.force`."""
        given = given_array(vector, f"a vector along the axes of '{self.name}'")
        if given.shape[:1] != (3,):
            raise ModelError(f"a vector along the axes of '{self.name}' has three components, not shape {given.shape}")
        return expressions(self.a.pose.axes.T @ given)


def _fresh(name: str) -> Array:
    found = np.empty(3, dtype=object)
    found[:] = [symbol(f"{name}{i}", "parameter", default=0.0) for i in range(3)]
    return found
