"""Contacts of robots: the collision shapes of their descriptions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from zeromass.contact import shapes
from zeromass.contact.element import Contact
from zeromass.contact.friction import Friction
from zeromass.contact.shapes import CollisionShape
from zeromass.contact.surface import Surface
from zeromass.mechanism.description import CollisionData
from zeromass.mechanism.robot import Robot
from zeromass.model import ModelError
from zeromass.model.given import Number, given_all, given_kind

Placed = tuple[CollisionShape, np.ndarray]
"""A shape, and where its centre is from the mass centre of its link, m."""


def collision_contacts(
    robot: Robot,
    surface: Surface,
    *,
    links: Iterable[str] | None = None,
    friction: Number | Friction | None = None,
    restitution: Number = 0.0,
) -> list[Contact]:
    """Contacts of a robot's links with a surface, by the collision shapes of its URDF or MJCF file.

    links                  names of those that may touch, all by default
    friction, restitution  as of a zm.Contact

    Each contact has the name of its link, with a number where the link has several shapes. A capsule touches with both of
    its ends, a box and the convex hull of a mesh with their vertices: a surface that bends towards the robot between these
    is not seen.

    >>> text = '''<robot name="ball"><link name="ball">
    ... <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    ... <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    ... </robot>'''
    >>> _ = (folder / "ball.urdf").write_text(text)
    >>> robot = zm.from_urdf(folder / "ball.urdf", base="free")
    >>> contacts = zm.shapes.collision_contacts(robot, zm.surfaces.plane(), restitution=0.5)
    >>> system = robot.system(gravity=10.0, contacts=contacts)
    >>> start = system.start([(robot.links["ball"].position, (0.0, 0.0, 5.1)), (robot.links["ball"].velocity, 0.0)])
    >>> [round(impulse.t, 9) for impulse in zm.simulate(system, start, until=1.5).impulses]
    [1.0]
    """
    given_kind(robot, Robot, "what touches", "a robot, zm.from_urdf(…)")
    given_kind(surface, Surface, "what is touched", "a surface, such as zm.surfaces.plane()")
    names = list(robot.links) if links is None else given_all(links, str, "links", "a name")
    unknown = [name for name in names if name not in robot.links]
    if unknown:
        raise ModelError(f"'{unknown[0]}' is no link of '{robot.name}'; there are {', '.join(list(robot.links)[:8])}")
    found: list[Contact] = []
    for name in names:
        link = robot.links[name]
        placed = [(*one, data.turn) for data in link.collisions for one in _shapes(data)]
        for k, (shape, place, turn) in enumerate(placed):
            own = name if len(placed) == 1 else f"{name} {k}"
            turned = None if np.array_equal(turn, np.eye(3)) else turn
            found.append(
                Contact(
                    link, shape, surface, friction=friction, restitution=restitution, at=place, turned=turned, name=own
                )
            )
    if not found:
        raise ModelError(f"the links {', '.join(names)} of '{robot.name}' have no collision shapes")
    return found


def _shapes(data: CollisionData) -> list[Placed]:
    """The shapes that touch: of a capsule the balls at its ends."""
    sizes = data.sizes
    if data.kind == "sphere":
        return [(shapes.sphere(sizes[0]), data.place)]
    if data.kind == "capsule":
        along = data.turn[:, 2] * sizes[1] / 2
        return [(shapes.sphere(sizes[0]), data.place + side * along) for side in (-1, 1)]
    if data.kind == "cylinder":
        return [(shapes.cylinder(sizes[0], sizes[1]), data.place)]
    if data.kind == "box":
        return [(shapes.box((sizes[0], sizes[1], sizes[2])), data.place)]
    if data.kind == "ellipsoid":
        return [(shapes.ellipsoid(sizes), data.place)]
    assert data.mesh is not None
    return [(shapes.hull(data.mesh.corners), data.place)]
