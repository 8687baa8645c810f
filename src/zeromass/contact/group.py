"""Contacts among many bodies: all shapes of a group may touch one another, and planes beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from zeromass.contact.colliders import collider, given_shapes, plane_of
from zeromass.contact.friction import SPEED, Friction, bounded, friction_of, possible_friction
from zeromass.contact.limits import possible_restitution
from zeromass.contact.pose import Body
from zeromass.contact.surface import Surface
from zeromass.expression import as_expression, symbols
from zeromass.model import ModelError, Particle, RigidBody
from zeromass.model.collisions import Collider, ContactLaw
from zeromass.model.given import Number, given_all, given_finite, given_kind, given_mapping, given_name
from zeromass.model.parts import Part

LEAST_BOUNCE = 1e-8
"""Part of the size of the largest shape, of 1 m where there are points alone, that is the least height of a bounce."""


class Collisions:
    """Contacts among many bodies, as an element of a `System`: all of them may touch one another.

    shapes       {body: shape or shapes}, of zm.shapes: points, spheres, capsules, boxes and hulls, about the mass centre
    surfaces     planes that do not move, which all of them may touch
    friction     μ: a number, a formula of time and parameters, or zm.Friction; 0 smooth, None rough
    restitution  e of impacts, 0 to 1
    creep        speed below which a slip counts as ended, m/s; by default 1e-4 √(g r), with r the size of the smallest shape
    least_bounce height below which bounces count as ended, m; by default 1e-6 r, and at least 1e-8 of the largest shape

    Contacts are found while the motion goes on, so that bodies far apart cost little; a run knows them, a state alone does
    not. A contact is called after its bodies, as "red on white" or "red on floor", in the order of `shapes`. Bodies that a
    joint connects do not touch one another.

    >>> balls = [zm.RigidBody(f"ball {k}", 1.0, (0.004, 0.004, 0.004)) for k in range(3)]
    >>> floor = zm.surfaces.plane()
    >>> touching = zm.Collisions({ball: zm.shapes.sphere(0.1) for ball in balls}, [floor], friction=0.3, restitution=0.5)
    >>> system = zm.System(balls, gravity=10.0, contacts=[touching])
    >>> start = system.start([(ball.position, (0.0, 0.0, 0.15 + 0.25 * k)) for k, ball in enumerate(balls)])
    >>> run = zm.simulate(system, start, until=0.15)
    >>> [(round(impact.t, 9), impact.constraints) for impact in run.impacts][:2]
    [(0.1, ('ball 0 on plane',)), (0.133333333, ('ball 0 on ball 1',))]
    """

    def __init__(
        self,
        shapes: Mapping[Body, Any],
        surfaces: Iterable[Surface] = (),
        *,
        friction: Number | Friction | None = None,
        restitution: Number = 0.0,
        creep: float | None = None,
        least_bounce: float | None = None,
        name: str = "collisions",
    ) -> None:
        if not given_mapping(shapes, "the shapes of collisions", "{body: shape}"):
            raise ModelError("collisions have no shapes: give {body: shape}, of two bodies or of one and surfaces")
        self.name: str = given_name(name, "collisions")
        static, kinetic = friction_of(bounded(friction))
        if kinetic is not None and SPEED in symbols(as_expression(kinetic)):
            raise ModelError(
                f"the friction of '{name}' depends on the speed of slip; give each contact as a zm.Contact"
            )
        limits = (
            *possible_friction(static, kinetic, f" of '{name}'"),
            *possible_restitution(restitution, f" of '{name}'"),
        )
        ends = [
            None if given is None else given_finite(given, "creep or least_bounce") for given in (creep, least_bounce)
        ]
        if any(given is not None and given <= 0.0 for given in ends):
            raise ModelError(f"creep and least_bounce of '{name}' are {creep} and {least_bounce}; both are positive")
        for requirement in limits:
            requirement.checked("friction and restitution")
        self.law: ContactLaw = ContactLaw(static, kinetic, restitution, ends[0], ends[1], limits)
        self.bodies: tuple[Part, ...] = tuple(shapes)
        found: list[Collider | None] = []
        for body, given in shapes.items():
            given_kind(body, (Particle, RigidBody), "what may touch", "a zm.RigidBody or zm.Particle")
            own = given_shapes(given, f"the shape of '{body.name}'")
            if not own:
                raise ModelError(f"'{body.name}' has no shape; give one of zm.shapes, or leave it out of '{name}'")
            for k, shape in enumerate(own):
                called = body.name if len(own) == 1 else f"{body.name} {k}"
                found.append(collider(body, shape, called))
                if found[-1] is None:
                    raise ModelError(
                        f"the shape of '{called}' can not be one of a group: these are points, spheres, capsules, boxes and "
                        "hulls whose sizes are numbers; give it a zm.Contact of its own"
                    )
        for surface in given_all(surfaces, Surface, "the surfaces of collisions", "a zm.Surface"):
            plane = plane_of(surface)
            if plane is None:
                raise ModelError(
                    f"'{surface.name}' is not a plane at rest; give a zm.Contact of each body that may touch it"
                )
            found.append(plane)
        self.colliders: tuple[Collider, ...] = tuple(one for one in found if one is not None)
        least = LEAST_BOUNCE * (max((one.size for one in self.colliders if one.body is not None), default=0.0) or 1.0)
        if ends[1] is not None and ends[1] < least:
            raise ModelError(
                f"least_bounce of '{name}' is {ends[1]:g} m; shapes of this size allow no less than {least:g} m"
            )

    def __repr__(self) -> str:
        return f"Collisions({self.name!r})"
