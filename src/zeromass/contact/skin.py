"""The outside of a body as a surface that other bodies touch, and that goes where the body goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, cast

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.outlines import Ellipsoid, Outline, Round, Supported
from zeromass.contact.pose import Body, Pose
from zeromass.contact.roller import Roller
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE, Traced
from zeromass.errors import shown
from zeromass.expression import Expression, as_expression
from zeromass.model import ModelError
from zeromass.model.given import Number, given_all
from zeromass.model.polyhedra import PolyhedraPair

BETWEEN = "between"
"""The name under which friction and restitution of all contacts between bodies are given."""


class Skin(Surface):
    """f(x) = 0, x = Sᵀ(P − O) in the axes of the body, O the centre of its outside; its material moves with the body.

    So a contact of two bodies is that of one of them with a surface: at one point P both have the same tangent plane, with
    opposite normals, and what acts on the one there acts on the other the other way round.

    f       an expression of X, Y, Z, negative inside, convex
    pose    where its centre and its axes are
    radius  of a sphere, m: f depends on |x| alone, and need not be turned; None of others
    """

    f: Expression
    side: int
    area: np.ndarray | None

    def __init__(self, f: Expression, pose: Pose, radius: Number | None = None) -> None:
        self.name: str = pose.body.name
        self.f, self._shape = f, Traced(f)
        self.pose: Pose = pose
        self.radius: Number | None = radius
        self.shift: np.ndarray = pose.position
        self.rotation: np.ndarray | None = pose.rotation if radius is None else None
        self._velocity, self.side, self.area = None, 1, None

    @property
    def body(self) -> Body:
        """The body that it goes with."""
        return self.pose.body

    @property
    def moves(self) -> bool:
        """With its body."""
        return True

    def normal(self, position: np.ndarray) -> np.ndarray:
        """n = ∇f/|∇f|; of a sphere ∇f = (P − O)/R, which is of length 1 where the contact is."""
        return super().normal(position) if self.radius is None else self.gradient(position)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Of the body, inertial components, rad/s."""
        return self.pose.angular_velocity

    def velocity(self, position: np.ndarray) -> np.ndarray:
        """Of the body's material at a point on it, m/s."""
        return self.pose.velocity_of(position)


class Faces(Skin):
    """The faces of a polyhedron on a body, for one of the points at which another polyhedron may touch it.

    pair  of both polyhedra
    """

    def __init__(self, pose: Pose, pair: PolyhedraPair) -> None:
        self.name: str = pose.body.name
        self.pose, self.pair, self.radius = pose, pair, None


def radius_of(shape: Roller | Outline) -> Number | None:
    """Of a sphere, or zero of a point, m; None of other shapes."""
    if isinstance(shape, SphericalBody):
        return shape.radius
    if isinstance(shape, Round) and all(as_expression(x).value == 0.0 for x in (shape.rim, shape.height)):
        return shape.ball
    return None


def outside_of(shape: Roller | Outline) -> Expression | None:
    """f of an outside, in its axes, 1 m⁻¹ times a length near it; None where no formula of a place is known."""
    x, radius = PLACE, cast(Any, radius_of(shape))
    outline = shape.outline if isinstance(shape, ConvexBody) else shape
    if radius is not None:  # a point has no outside
        return None if as_expression(radius).value == 0.0 else as_expression((x @ x - radius**2) / (2 * radius))
    if isinstance(outline, ImplicitBody):
        return outline.formula
    if isinstance(outline, Ellipsoid):
        a = x / outline.axes
        return as_expression((a @ a - 1) * outline.size / 2)
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
                "contacts between bodies are those of balls, ellipsoids, superquadrics and zm.bodies.convex(…); leave the "
                "two out of between="
            )
    if outside_of(one) is not None:
        return one, two
    if outside_of(two) is not None:
        return two, one
    raise ModelError(
        f"'{one.name}' and '{two.name}' are both given by support=; give one of them as zm.bodies.convex(implicit=…), or "
        "leave the two out of between="
    )


def skin_of(shape: Roller | Outline, pose: Pose) -> Skin:
    """The outside of a body, of those whose outside is a formula of a place."""
    f = outside_of(shape)
    assert f is not None
    return Skin(f, pose, radius_of(shape))


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
