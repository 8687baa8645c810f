"""What a system looks like: bodies, what joins them, the surface below, trails, arrows and charts, as data of expressions.

A system says it of itself in `system.drawing`; viewers, films and plots draw from that and know no kinds of systems.
What a system is made of may say how it is drawn: a part, a load or a joint that has

    looks   a `Drawing` of its own, such as Drawing(links=(Link("spring", "", a, b),)), or Drawing(joints=(…,)); of a rigid
            body also shapes at places of it, each with `shape`, `place` and `turn`

is drawn so; of a joint without it, `point` and `axis` tell the symbol. `zeromass.model.picture` finds out the rest from the
formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from zeromass.expression import Expression, substitute, symbols
from zeromass.model.parts import Part
from zeromass.model.shapes import Hull, Shape


@dataclass(frozen=True, eq=False)
class DrawnBody:
    """A body at its place.

    position    of the middle of its shape, three expressions, m
    quaternion  from the axes of the shape to the inertial ones, four expressions; None of what does not turn
    shape       None: a dot
    part        whose shape a user may choose
    turn        unit quaternion that turns the axes of the shape to those of the body
    middle      of the shape from `position`, axes of the body, m
    scenery     whether it only stands around, and is nothing to look at

    >>> zm.System([zm.Particle("bob", mass=1.0)]).drawing.bodies[0].position
    array([bob.x, bob.y, bob.z], dtype=object)
    """

    name: str
    position: np.ndarray
    quaternion: np.ndarray | None = None
    shape: Shape | Hull | None = None
    part: Part | None = None
    turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    middle: tuple[float, ...] = (0.0, 0.0, 0.0)
    scenery: bool = False


@dataclass(frozen=True, eq=False)
class Link:
    """What joins two points, three expressions each, m; `kind` is "rod", "rope", "spring", "damper", "rail" or "line".

    >>> bob = zm.Particle("bob", mass=1.0)
    >>> pendulum = zm.System([bob], constraints={"rod": bob.position @ bob.position - 1.0})
    >>> [(link.kind, link.name) for link in pendulum.drawing.links]
    [('rod', 'rod')]
    """

    kind: str
    name: str
    a: np.ndarray
    b: np.ndarray


@dataclass(frozen=True, eq=False)
class Joint:
    """The symbol of a joint at a point, three expressions, m.

    kind  "ball", "hinge" or "slider", both along an axis, or "support", which stands on the ground
    axis  three expressions, or None

    >>> arm = zm.RigidBody("arm", mass=1.0, inertia=(0.1, 0.1, 0.0))
    >>> [joint.kind for joint in zm.System([arm], constraints={"pin": arm.point((0, 0, 0.5))}).drawing.joints]
    ['support']
    """

    kind: str
    name: str
    at: np.ndarray
    axis: np.ndarray | None = None


@dataclass(frozen=True)
class Floor:
    """A level floor that a constraint states: its name and its height, m.

    >>> p = zm.Particle("p", mass=2.0)
    >>> zm.System([p], constraints={"table": p.position[2] - 0.7}).drawing.floor
    Floor(name='table', height=0.7)
    """

    name: str
    height: float


@dataclass(frozen=True, eq=False)
class Trail:
    """The path of a point, three expressions, m; `kind` chooses its looks: "path", "contact" or "center".

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane())
    >>> [(trail.name, trail.kind) for trail in ball.drawing.trails]
    [('contact', 'contact'), ('centre', 'center')]
    """

    name: str
    point: np.ndarray
    kind: str = "path"


@dataclass(frozen=True, eq=False)
class Arrow:
    """A vector at a point, three expressions each; `kind` is "normal", "friction", "applied" or "constraint".

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=10.0)
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
    >>> ground = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=bowl).drawing.ground
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
    """All that is drawn of a system, or of something that it is made of; two of them together are `one + other`.

    beside  surfaces other than `ground`, of bodies that touch several

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
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    floor: Floor | None = None
    beside: tuple[Ground, ...] = ()

    def __add__(self, other: Drawing) -> Drawing:
        grounds = [ground for ground in (self.ground, other.ground) if ground is not None]
        return Drawing(
            self.title,
            self.bodies + other.bodies,
            self.trails + other.trails,
            self.arrows + other.arrows,
            self.charts + other.charts,
            grounds[0] if grounds else None,
            self.links + other.links,
            self.joints + other.joints,
            other.floor if self.floor is None else self.floor,
            (*grounds[1:], *self.beside, *other.beside),
        )

    @property
    def empty(self) -> bool:
        """Whether nothing of it is in space."""
        return not (self.bodies or self.links or self.joints)
