"""Scenes of many bodies as plain data, for engines of all kinds: where all is at the start, in the axes of space.

Balls are poured into a box, a ball strikes a wall of bricks, a chain and a quadruped fall onto a floor, dominoes topple.
Nothing in them is known in closed form; what an answer must have is a law: no body inside another, no energy gained, and
rest where it comes to rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SEED = 20_240_601
g = 9.81
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
STILL = (0.0, 0.0, 0.0)


class Shape(NamedTuple):
    """What touches, in the axes of its body.

    kind   "sphere", of radius `size`; "box", of three lengths; "capsule" along z, of radius and length without its ends
    place  of its centre, m
    """

    kind: str
    size: tuple[float, ...]
    place: tuple[float, float, float] = STILL


class Body(NamedTuple):
    """A rigid body: its mass, kg, principal moments of inertia, kg m², centre of mass, m, quaternion, rates in space."""

    name: str
    mass: float
    inertia: tuple[float, float, float]
    place: tuple[float, float, float]
    shapes: tuple[Shape, ...]
    turn: tuple[float, float, float, float] = UPRIGHT
    velocity: tuple[float, float, float] = STILL
    spin: tuple[float, float, float] = STILL


class Joint(NamedTuple):
    """What connects two bodies, the second further from the root: a "ball" or a "hinge", where it is, its axis and damping,
    N m s.
    """

    name: str
    kind: str
    first: str
    second: str
    place: tuple[float, float, float]
    axis: tuple[float, float, float] = STILL
    damping: float = 0.0


class Plane(NamedTuple):
    """The side of a plane on which bodies are, n · x ≥ offset."""

    name: str
    normal: tuple[float, float, float]
    offset: float = 0.0


class Scene(NamedTuple):
    """Bodies, joints, planes; one friction and restitution for all contacts; s until the end.

    collide  whether bodies touch one another, and not the planes alone
    size     that penetration is a part of, m
    rests    seconds before the end in which all should be at rest, but bodies that `roll` on
    urdf     the same bodies and joints as a robot's description, "" of scenes that are none
    """

    name: str
    bodies: tuple[Body, ...]
    planes: tuple[Plane, ...]
    friction: float
    restitution: float
    until: float
    size: float
    rests: float
    joints: tuple[Joint, ...] = ()
    collide: bool = True
    urdf: str = ""
    roll: tuple[str, ...] = ()


FLOOR = Plane("floor", (0.0, 0.0, 1.0))


def point(*x: float) -> tuple[float, float, float]:
    """A point of numbers of Python."""
    a, b, c = map(float, x)
    return a, b, c


def box(name: str, lengths: tuple[float, float, float], density: float, place: tuple[float, float, float]) -> Body:
    """A homogeneous box at rest."""
    a, b, c = lengths
    m = density * a * b * c
    return Body(
        name,
        m,
        point(*(m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b]))),
        place,
        (Shape("box", lengths),),
    )


def ball(
    name: str,
    radius: float,
    mass: float,
    place: tuple[float, float, float],
    velocity: tuple[float, float, float] = STILL,
) -> Body:
    """A homogeneous ball that does not turn."""
    shape = Shape("sphere", (radius,))
    return Body(name, mass, point(*[0.4 * mass * radius**2] * 3), place, (shape,), velocity=velocity)


def poured_balls(count: int = 100, radius: float = 0.05, width: float = 0.6) -> Scene:
    """Balls in layers of sixteen, a little out of place, that fall into a box without a lid."""
    rng, bodies = np.random.default_rng(SEED), []
    for k in range(count):
        layer, row, column = k // 16, k % 16 // 4, k % 4
        x, y, z = 0.13 * (row - 1.5), 0.13 * (column - 1.5), 0.12 + 0.13 * layer
        bodies.append(ball(f"ball {k}", radius, 0.5, point(*(np.array([x, y, z]) + rng.uniform(-0.01, 0.01, 3)))))
    half = -width / 2
    walls = [("left", (1.0, 0, 0)), ("right", (-1.0, 0, 0)), ("front", (0, 1.0, 0)), ("back", (0, -1.0, 0))]
    planes = (FLOOR, *[Plane(name, point(*n), half) for name, n in walls])
    return Scene(f"{count} balls poured into a box", tuple(bodies), planes, 0.3, 0.3, 3.0, radius, 0.2)


def struck_wall(courses: int = 10, across: int = 6) -> Scene:
    """Bricks of 0.2 × 0.1 × 0.065 m in running bond, and a ball that strikes them in the middle.

    Courses are shifted by an eighth of a brick to the one side and to the other in turn: there are no half bricks, and those
    at the ends stand by themselves.
    """
    (length, width, height), joint, bricks = (0.2, 0.1, 0.065), 0.002, []
    for k in range(courses):
        shift = length / 8 * (1 if k % 2 else -1)
        for i in range(across):
            place = point((i - (across - 1) / 2) * (length + joint) + shift, 0.0, (k + 0.5) * height)
            bricks.append(box(f"brick {k} {i}", (length, width, height), 1800.0, place))
    striking = ball("ball", 0.1, 8.0, (0.03, -0.4, 0.36), (0.0, 5.0, 0.0))
    name = f"wall of {courses * across} bricks, struck"
    return Scene(name, (*bricks, striking), (FLOOR,), 0.6, 0.1, 3.0, height, 0.2, roll=(striking.name,))


def falling_chain(links: int = 50, length: float = 0.1, radius: float = 0.02) -> Scene:
    """A chain of capsules with ball joints, straight at first and slanting, that falls onto a floor."""
    mass, slope = 0.1, 0.2
    along = np.array([np.cos(slope), 0.0, np.sin(slope)])
    turn = np.pi / 2 - slope  # about y: the z axis of a link along the chain
    across, lengthwise = mass * (length**2 / 12 + radius**2 / 4), mass * radius**2 / 2
    first, bodies, joints = np.array([0.0, 0.0, 0.1]), [], []
    for k in range(links):
        shape, place = Shape("capsule", (radius, length)), point(*(first + (k + 0.5) * length * along))
        quaternion = (float(np.cos(turn / 2)), 0.0, float(np.sin(turn / 2)), 0.0)
        bodies.append(Body(f"link {k}", mass, (across, across, lengthwise), place, (shape,), quaternion))
        if k:
            joints.append(
                Joint(f"joint {k}", "ball", f"link {k - 1}", f"link {k}", point(*(first + k * length * along)))
            )
    name = f"chain of {links} links that falls"
    return Scene(name, tuple(bodies), (FLOOR,), 0.5, 0.0, 3.0, radius, 0.2, tuple(joints), collide=False)


def toppling_dominoes(count: int = 20) -> Scene:
    """Dominoes of 0.02 × 0.05 × 0.1 m, 0.05 m apart, the first of which turns about its lower edge."""
    lengths, ω = (0.02, 0.05, 0.1), 4.0
    row = [box(f"domino {k}", lengths, 700.0, (0.05 * k, 0.0, lengths[2] / 2)) for k in range(count)]
    row[0] = row[0]._replace(spin=(0.0, ω, 0.0), velocity=(ω * lengths[2] / 2, 0.0, ω * lengths[0] / 2))
    return Scene(f"{count} dominoes", tuple(row), (FLOOR,), 0.4, 0.0, 3.0, lengths[2], 0.2)


LINK = """<link name="{}"><inertial><origin xyz="0 0 {}"/><mass value="{}"/>
<inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>{}</link>"""
HINGE = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>
<origin xyz="{}"/><axis xyz="{}"/><dynamics damping="{}"/></joint>"""
COLLISION = '<collision><origin xyz="{}"/><geometry>{}</geometry></collision>'


def falling_quadruped(damping: float = 0.5) -> Scene:
    """A robot of a trunk and four legs of three hinges without motors, tilted, that falls onto a floor and lies down.

    Its trunk is a box, its feet are balls; nothing else touches, and legs go through one another.
    """
    height, tilt = 0.55, 0.2
    lengths, foot = (0.5, 0.16, 0.1), Shape("sphere", (0.02,), (0.0, 0.0, -0.1))
    trunk = Body("trunk", 6.0, (0.02, 0.06, 0.07), STILL, (Shape("box", lengths),))
    geometry = COLLISION.format("0 0 0", '<box size="{} {} {}"/>'.format(*lengths))
    words, bodies, joints = [LINK.format("trunk", 0, 6.0, 0.02, 0.06, 0.07, geometry)], [trunk], []
    for k, (x, side) in enumerate([(0.2, 1), (0.2, -1), (-0.2, 1), (-0.2, -1)]):
        chain = (  # link, mass, inertia, its hinge in the frame of the link before, axis, its centre of mass below that
            (f"hip {k}", 0.5, (5e-4, 5e-4, 5e-4), (x, 0.1 * side, 0.0), (1.0, 0.0, 0.0), 0.0, "abduction"),
            (f"thigh {k}", 0.6, (3e-3, 3e-3, 3e-4), (0.0, 0.05 * side, 0.0), (0.0, 1.0, 0.0), -0.1, "pitch"),
            (f"shank {k}", 0.2, (1e-3, 1e-3, 1e-4), (0.0, 0.0, -0.2), (0.0, 1.0, 0.0), -0.1, "knee"),
        )
        before, place = "trunk", np.zeros(3)
        for name, mass, inertia, hinge, axis, below, called in chain:
            place = place + hinge
            shapes = (foot,) if name.startswith("shank") else ()
            bodies.append(Body(name, mass, inertia, point(place[0], place[1], place[2] + below), shapes))
            joints.append(Joint(f"{called} {k}", "hinge", before, name, point(*place), axis, damping))
            geometry = COLLISION.format("0 0 -0.2", '<sphere radius="0.02"/>') if shapes else ""
            words.append(LINK.format(name, below, mass, *inertia, geometry))
            hinge, axis = (" ".join(map(str, values)) for values in (hinge, axis))
            words.append(HINGE.format(f"{called} {k}", before, name, hinge, axis, damping))
            before = name
    c, s = np.cos(tilt), np.sin(tilt)
    turned = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    turn = (float(np.cos(tilt / 2)), float(np.sin(tilt / 2)), 0.0, 0.0)
    up = np.array([0.0, 0.0, height])
    placed = [body._replace(place=point(*(turned @ body.place + up)), turn=turn) for body in bodies]
    hinges = [j._replace(place=point(*(turned @ j.place + up)), axis=point(*(turned @ j.axis))) for j in joints]
    return Scene(
        "quadruped that falls",
        tuple(placed),
        (FLOOR,),
        0.7,
        0.1,
        3.0,
        0.02,
        0.2,
        tuple(hinges),
        collide=False,
        urdf=f'<robot name="quadruped">{"".join(words)}</robot>',
    )


SCENES = (poured_balls, struck_wall, falling_chain, falling_quadruped, toppling_dominoes)
"""What makes each of them."""
