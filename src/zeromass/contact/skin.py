"""The outside of a body as a surface that other bodies touch, and that goes where the body goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.outlines import Ellipsoid, Supported
from zeromass.contact.roller import Roller
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE, Traced
from zeromass.errors import shown
from zeromass.expression import Array, Expression, as_expression
from zeromass.model import ModelError, Particle, RigidBody
from zeromass.model.given import given_all

BETWEEN = "between"
"""The name under which friction and restitution of all contacts between bodies are given."""


class Skin(Surface):
    """f(x) = 0, x = Sᵀ(P − O) in the axes of the body, O the centre of its outside; its material moves with the body.

    So a contact of two bodies is that of one of them with a surface: at one point P both have the same tangent plane, with
    opposite normals, and what acts on the one there acts on the other the other way round.

    f       an expression of X, Y, Z, negative inside, convex
    sphere  whether it depends on |x| alone, and need not be turned
    """

    f: Expression
    side: int
    area: np.ndarray | None

    def __init__(self, f: Expression, body: RigidBody, center: Particle, *, sphere: bool) -> None:
        self.name: str = body.name
        self.f, self._shape = f, Traced(f)
        self.body: RigidBody = body
        self.center_particle: Particle = center
        self.sphere: bool = sphere
        self.shift: np.ndarray = center.position
        self.rotation: np.ndarray | None = None if sphere else body.rotation
        self._velocity, self.side, self.area = None, 1, None

    @property
    def moves(self) -> bool:
        """With its body."""
        return True

    def normal(self, position: np.ndarray) -> np.ndarray:
        """n = ∇f/|∇f|; of a sphere ∇f = (P − O)/R, which is of length 1 where the contact is."""
        return self.gradient(position) if self.sphere else super().normal(position)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Of the body, inertial components, rad/s."""
        return self.body.angular_velocity

    def velocity(self, position: np.ndarray) -> np.ndarray:
        """Of the body's material at a point on it, m/s."""
        O = self.center_particle
        return O.velocity + np.cross(self.angular_velocity, position - O.position)


def outside_of(solid: Roller) -> Expression | None:
    """f of the outside of a body, in its axes, 1 m⁻¹ times a length near it; None where no formula of a place is known."""
    x: Array = PLACE
    if isinstance(solid, SphericalBody):
        return as_expression((x @ x - solid.radius**2) / (2 * solid.radius))
    if isinstance(solid, ImplicitBody):
        return solid.formula
    if isinstance(solid, ConvexBody) and isinstance(solid.outline, Ellipsoid):
        a = x / solid.outline.axes
        return as_expression((a @ a - 1) * solid.size / 2)
    return None


def met(one: Roller, two: Roller) -> tuple[Roller, Roller]:
    """Of two bodies that may touch, that whose outside is the surface, and that which touches it.

    Raises where one has edges, faces or straight sides, or the outside of neither is a formula of a place.
    """
    for body in (one, two):
        if isinstance(body, ConvexBody) and not isinstance(body.outline, Ellipsoid | Supported):
            other = two if body is one else one
            raise ModelError(
                f"'{body.name}' and '{other.name}' can not touch one another: '{body.name}' has edges or flat sides, and "
                "contacts between bodies are those of balls, ellipsoids, superquadrics and zm.convex(…); leave the two out "
                "of between="
            )
    if outside_of(one) is not None:
        return one, two
    if outside_of(two) is not None:
        return two, one
    raise ModelError(
        f"'{one.name}' and '{two.name}' are both given by support=; give one of them as zm.convex(implicit=…), or leave the "
        "two out of between="
    )


def skin_of(solid: Roller, body: RigidBody, center: Particle) -> Skin:
    """The outside of a body, of those whose outside is a formula of a place."""
    f = outside_of(solid)
    assert f is not None
    return Skin(f, body, center, sphere=isinstance(solid, SphericalBody))


def between_of(solids: Sequence[Roller], between: Any) -> dict[str, tuple[Roller, Roller]]:
    """Bodies that may touch one another, the one whose outside is the surface first, by the name of the contact."""
    if isinstance(between, bool):
        couples = list(combinations(solids, 2)) if between else []
        if between and not couples:
            raise ModelError("between=True, and there is one body only; give several")
    elif not isinstance(between, Iterable) or isinstance(between, str):
        raise ModelError(f"between is {shown(between)}; give True, or pairs of names, [('red', 'white'), …]")
    else:
        named = {solid.name: solid for solid in solids}
        couples = [_couple(named, names) for names in given_all(between, object, "between", "a pair of names")]
    found: dict[str, tuple[Roller, Roller]] = {}
    for one, two in couples:
        first, second = sorted((one, two), key=solids.index)
        found[f"{first.name} and {second.name}"] = met(first, second)
    return found


def _couple(named: dict[str, Roller], names: Any) -> tuple[Roller, Roller]:
    pair = [*names] if isinstance(names, Sequence) and not isinstance(names, str) else []
    if len(pair) != 2 or not all(isinstance(name, str) for name in pair) or pair[0] == pair[1]:
        raise ModelError(
            f"between holds {shown(names)}; give two names of bodies each, [('red', 'white'), …], or True for all"
        )
    for name in pair:
        if name not in named:
            raise ModelError(f"between names '{name}', and there is no such body: {', '.join(named)}")
    return named[pair[0]], named[pair[1]]
