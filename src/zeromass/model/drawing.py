"""What a system looks like: bodies, the surface below them, trails, arrows and charts, as data of expressions.

A system says it of itself in `system.drawing`; viewers, films and plots draw from that and know no kinds of systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Expression, expressions, substitute, symbols
from zeromass.model.errors import ModelError
from zeromass.model.given import length
from zeromass.model.parts import Part, RigidBody
from zeromass.model.quaternion import product
from zeromass.model.shapes import Shape

if TYPE_CHECKING:
    from zeromass.model.system import System

MANY = 4
"""Parts, or coordinates, of which a title or a chart names no more."""


@dataclass(frozen=True, eq=False)
class DrawnBody:
    """A body at its place.

    position    of the middle of its shape, three expressions, m
    quaternion  from the axes of the shape to the inertial ones, four expressions; None of what does not turn
    shape       None: a dot for a particle, for a rigid body the box that has its inertia
    part        whose shape a user may choose

    >>> zm.System([zm.Particle("bob", mass=1.0)]).drawing.bodies[0].position
    array([bob.x, bob.y, bob.z], dtype=object)
    """

    name: str
    position: np.ndarray
    quaternion: np.ndarray | None = None
    shape: Shape | None = None
    part: Part | None = None


@dataclass(frozen=True, eq=False)
class Trail:
    """The path of a point, three expressions, m; `kind` chooses its looks: "path", "contact" or "center".

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane())
    >>> [(trail.name, trail.kind) for trail in ball.drawing.trails]
    [('contact', 'contact'), ('centre', 'center')]
    """

    name: str
    point: np.ndarray
    kind: str = "path"


@dataclass(frozen=True, eq=False)
class Arrow:
    """A vector at a point, three expressions each; `kind` chooses its looks: "normal" or "friction".

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=10.0)
    >>> ball.start(contact=(0, 0))[ball.drawing.arrows[0].vector]
    array([0., 0., 5.])
    """

    name: str
    at: np.ndarray
    vector: np.ndarray
    kind: str


@dataclass(frozen=True, eq=False)
class Chart:
    """Expressions against time, by their names.

    least  a series whose values all stay below 1e-6 of the largest value of this expression is shown as zero

    >>> x = zm.coordinate("x")
    >>> zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2).drawing.charts[0].series["potential"]
    0.5*x**2
    """

    title: str
    series: Mapping[str, Expression]
    least: Expression | None = None


@dataclass(frozen=True, eq=False)
class Ground:
    """The surface f(X, Y, Z) = 0 in axes of its own that may move, and the point at which a body touches it.

    f         expression of `place`, time and parameters
    place     the symbols X, Y, Z
    shift     of the axes' origin, three expressions, m
    rotation  that turns the axes, shape (3, 3), or None
    side      1 if bodies are where f is positive, else −1
    area      corners [[X, Y], [X, Y]] of the rectangle over which it is known, or None
    flow      velocity of its material where that differs from that of the axes and is the same everywhere, three
              expressions, m/s, or None
    contact   the point of contact in the surface's own axes, three expressions, m
    extent    m, of the body on it

    >>> bowl = zm.surfaces.paraboloid(0.5, shift=(0.1, 0.0, 0.0))
    >>> ground = zm.Rolling(zm.ball(0.1, 0.5), on=bowl).drawing.ground
    >>> ground.f, ground.moves, ground.contact[0]
    (Z - 0.5*(X**2 + Y**2), False, contact.x - 0.1)
    """

    name: str
    f: Expression
    place: np.ndarray
    shift: np.ndarray
    rotation: np.ndarray | None
    side: int
    area: np.ndarray | None
    flow: np.ndarray | None
    contact: np.ndarray
    extent: float

    @property
    def inertial(self) -> Expression:
        """f as an expression of `place` in the inertial frame."""
        X = self.place - self.shift
        local = X if self.rotation is None else self.rotation.T @ X
        return substitute(self.f, dict(zip(self.place, local, strict=True)))

    @property
    def point(self) -> np.ndarray:
        """The point of contact in the inertial frame, three expressions, m."""
        turned = self.contact if self.rotation is None else self.rotation @ self.contact
        return self.shift + turned

    @property
    def moves(self) -> bool:
        """Whether the surface or its shape moves; its material may flow along it all the same."""
        axes = [self.shift, *([] if self.rotation is None else [self.rotation])]
        return any(leaf.kind == "time" for leaf in symbols(self.f, *axes))


@dataclass(frozen=True, eq=False)
class Drawing:
    """All that is drawn of a system.

    >>> bob = zm.Particle("bob", mass=1.0)
    >>> drawing = zm.System([bob], gravity=9.81).drawing
    >>> drawing.title, [trail.name for trail in drawing.trails]
    ('bob', ['bob'])
    """

    title: str = "Motion"
    bodies: tuple[DrawnBody, ...] = ()
    trails: tuple[Trail, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    charts: tuple[Chart, ...] = ()
    ground: Ground | None = field(default=None)


def drawing_of_parts(system: System) -> Drawing:
    """The drawing of a system that says nothing special of itself: its parts, with the paths of their mass centres."""
    names = [part.name for part in system.parts]
    bodies = tuple(body for part in system.parts for body in _drawn(part))
    return Drawing(
        title=", ".join(names[:MANY] + ["…"] * (len(names) > MANY)) or "Motion",
        bodies=bodies,
        trails=tuple(Trail(part.name, part.position) for part in system.parts),
        charts=_usual_charts(system),
    )


def _drawn(part: Part) -> list[DrawnBody]:
    """A part in the shapes that it has, or in the one that it is given by default."""
    if not isinstance(part, RigidBody):
        return [DrawnBody(part.name, part.position, part=part)]
    if not part.looks:
        return [DrawnBody(part.name, part.position, part.quaternion, part=part)]
    return [
        DrawnBody(part.name, part.point(look.place), expressions(product(part.quaternion, look.turn)), look.shape, part)
        for look in part.looks
    ]


def _usual_charts(system: System) -> tuple[Chart, ...]:
    if not system.has_energy:
        return (Chart("Coordinates (SI)", {x.name: x for x in system.coordinates[:MANY]}),)
    energies = {"total": system.energy}
    for name in ("potential", "kinetic"):
        try:
            energies[name] = getattr(system, name)
        except ModelError:  # a Lagrangian need not say which of its terms is which
            continue
    charts = [Chart("Energy (J)", energies)]
    moving = system.parts[:MANY]
    if moving:
        charts.append(Chart("Speed (m/s)", {part.name: length(part.velocity) for part in moving}))
    turning = [part for part in system.parts if isinstance(part, RigidBody)][:MANY]
    if turning:
        rates = {part.name: length(part.angular_velocity_body) for part in turning}
        charts.append(Chart("Angular speed (rad/s)", rates))
    return tuple(charts)
