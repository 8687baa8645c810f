"""Forces given by their virtual work: Q_j = F · ∂x/∂q_j for a force at x, τ · ∂ω/∂q̇_j for a torque."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Expression, as_expression, expressions, gradient, jacobian, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.model.given import Number, Vector, given_all, given_scalar, given_symbols, given_vector
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.model.drawing import Drawing


Known = Container[Any]
"""Symbols of a system."""


class Load(Protocol):
    """Anything that acts: a generalised force on the coordinates q, and the energy it stores."""

    @property
    def potential(self) -> Expression:
        """The energy that it stores, J."""
        ...

    def generalized(self, q: np.ndarray) -> np.ndarray:
        """Its force on each of the coordinates q, N or N m."""
        ...


class Force:
    """Force (3,), N, in the inertial frame, at a point (3,) of the system.

    >>> p = zm.Particle("p", mass=2.0)
    >>> zm.System([p], forces=zm.Force((1.0, 0.0, 0.0), at=p.position)).start()[zm.rate(p.velocity)]
    array([0.5, 0. , 0. ])
    """

    potential: Expression = ZERO

    def __init__(self, force: Vector, at: Vector) -> None:
        self.force: np.ndarray = given_vector(force, "a force")
        self.at: np.ndarray = given_vector(at, "the point where a force acts")

    def check(self, q: Known, v: Known) -> None:
        """Raises unless coordinates of a system move the point; v: their rates."""
        _check_moved(self.at, q, "a force")

    def generalized(self, q: np.ndarray) -> np.ndarray:
        given_symbols(q, "q")
        self.check({*q}, ())
        return self.force @ jacobian(self.at, q)


class Torque:
    """Torque (3,), N m, in the inertial frame, on a rigid body; body.rotate(torque) takes body components.

    >>> top = zm.RigidBody("top", mass=1.0, inertia=(1.0, 2.0, 2.5))
    >>> start = zm.System([top], forces=zm.Torque((0.0, 3.0, 0.0), on=top)).start()
    >>> start[zm.rate(top.angular_velocity)]
    array([0. , 1.5, 0. ])
    """

    potential: Expression = ZERO

    def __init__(self, torque: Vector, on: RigidBody) -> None:
        if not isinstance(on, RigidBody):
            raise ModelError(f"a torque acts on a rigid body, not on {on!r}")
        self.torque: np.ndarray = given_vector(torque, f"a torque on '{on.name}'")
        self.on: RigidBody = on

    def check(self, q: Known, v: Known) -> None:
        """Raises unless coordinates of a system, with rates v, turn the body."""
        _check_moved(self.on.angular_velocity, q, f"a torque on '{self.on.name}'", v)

    def generalized(self, q: np.ndarray) -> np.ndarray:
        given_symbols(q, "q")
        self.check({*q}, {*rate(q)})
        return self.torque @ jacobian(self.on.angular_velocity, rate(q))


class Spring:
    """Linear spring between two points: V = k (|a − b| − length)²/2.

    stiffness  N/m
    length     unstretched, m; with length 0 the points may coincide

    >>> p = zm.Particle("p", mass=2.0)
    >>> zm.System([p], forces=zm.Spring(8.0, p.position)).start([(p.position, (1.0, 0.0, 0.0))])[zm.rate(p.velocity)]
    array([-4.,  0.,  0.])
    """

    def __init__(self, stiffness: Number, a: Vector, b: Vector = (0.0, 0.0, 0.0), *, length: Number = 0.0) -> None:
        self.ends: tuple[np.ndarray, np.ndarray] = (
            given_vector(a, "the end of a spring"),
            given_vector(b, "the end of a spring"),
        )
        d = self.ends[0] - self.ends[1]
        length = given_scalar(length, "the length of a spring")
        stretch = d @ d if length is ZERO else (np.sqrt(d @ d) - length) ** 2
        self.potential: Expression = given_scalar(stiffness, "the stiffness of a spring") * stretch / 2

    @property
    def looks(self) -> Drawing:
        """How it is drawn: a spring between its ends."""
        from zeromass.model.drawing import Drawing, Link  # what is not drawn need not be imported

        return Drawing(links=(Link("spring", "spring", self.ends[1], self.ends[0]),))

    def check(self, q: Known, v: Known) -> None:
        """Raises unless coordinates of a system move the ends; v: their rates."""
        _check_moved(self.ends, q, "a spring")

    def generalized(self, q: np.ndarray) -> np.ndarray:
        given_symbols(q, "q")
        self.check({*q}, ())
        return -gradient(self.potential, q)


class Damper:
    """Viscous damper between two points: force −c d|a − b|/dt along their line.

    damping  N s/m

    >>> p = zm.Particle("p", mass=2.0)
    >>> start = [(p.position, (1.0, 0.0, 0.0)), (p.velocity, (0.5, 0.5, 0.0))]
    >>> zm.System([p], forces=zm.Damper(8.0, p.position)).start(start)[zm.rate(p.velocity)]
    array([-2.,  0.,  0.])
    """

    potential: Expression = ZERO

    def __init__(self, damping: Number, a: Vector, b: Vector = (0.0, 0.0, 0.0)) -> None:
        self.ends: tuple[np.ndarray, np.ndarray] = (
            given_vector(a, "the end of a damper"),
            given_vector(b, "the end of a damper"),
        )
        d = self.ends[0] - self.ends[1]
        self.damping: Expression = given_scalar(damping, "the damping of a damper")
        self.distance: Expression = as_expression(np.sqrt(d @ d))

    @property
    def looks(self) -> Drawing:
        """How it is drawn: a damper between its ends."""
        from zeromass.model.drawing import Drawing, Link  # what is not drawn need not be imported

        return Drawing(links=(Link("damper", "damper", self.ends[1], self.ends[0]),))

    def check(self, q: Known, v: Known) -> None:
        """Raises unless coordinates of a system move the ends; v: their rates."""
        _check_moved(self.ends, q, "a damper")

    def generalized(self, q: np.ndarray) -> np.ndarray:
        given_symbols(q, "q")
        self.check({*q}, ())
        return -self.damping * rate(self.distance) * gradient(self.distance, q)


class GeneralizedForce:
    """Components of a generalised force, by coordinate, and the energy that it stores, if any.

    >>> x = zm.coordinate("x")
    >>> zm.System(kinetic=zm.rate(x)**2, forces={x: -3 * x}).Q
    array([-3*x], dtype=object)
    """

    def __init__(self, components: Mapping[Expression, Any], *, potential: Expression = ZERO) -> None:
        self.potential: Expression = potential
        self.components: dict[Expression, Expression] = {
            q: given_scalar(value, f"the force on {q!r}") for q, value in components.items()
        }

    def check(self, q: Known, v: Known) -> None:
        """Raises unless it acts on coordinates of a system; v: their rates."""
        unknown = [repr(c) for c in self.components if c not in q]
        if unknown:
            raise ModelError(f"a generalised force acts on {', '.join(unknown)}, which is no coordinate of the system")

    def generalized(self, q: np.ndarray) -> np.ndarray:
        given_symbols(q, "q")
        self.check({*q}, ())
        return expressions([self.components.get(x, ZERO) for x in q])


Forces = Load | Mapping[Any, Any] | Iterable[Load | Mapping[Any, Any]] | None
"""What acts, as a user gives it: loads, or mappings {coordinate: force}."""


def loads(forces: Forces, what: str = "forces") -> list[Load]:
    """A list of loads from what a user gives: one or several loads, or mappings {coordinate: force}."""
    if forces is None:
        return []
    if isinstance(forces, Mapping):
        return [GeneralizedForce(cast(Mapping[Expression, Any], forces))]
    if not isinstance(forces, Iterable):
        forces = [forces]
    result: list[Load] = []
    for i, item in enumerate(given_all(forces, object, what, "a force")):
        if isinstance(item, Mapping):
            item = GeneralizedForce(item)
        if not hasattr(item, "generalized"):
            raise ModelError(
                f"{what}[{i}] is {shown(item)}; give zm.Force, zm.Torque, zm.Spring, zm.Damper or {{coordinate: force}}"
            )
        result.append(item)
    return result


def _check_moved(points: Any, q: Known, what: str, v: Known = ()) -> None:
    """Raises unless some coordinate of the system, and no other one, moves the points where a load acts."""
    leaves = [leaf for leaf in symbols(points) if leaf.kind == "coordinate"]
    if not leaves:
        raise ModelError(f"{what} acts where no coordinate moves it and does no work; give the point in coordinates")
    unknown = [repr(leaf) for leaf in leaves if leaf not in q and leaf not in v]
    if unknown:
        raise ModelError(f"{what} acts at a point given by '{unknown[0]}', which is no coordinate of the system")
