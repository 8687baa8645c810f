"""Mechanisms whose parts all differ: random joints, axes, points, orientations and inertias, some of them along axes.

links(100, chain)         what they are, in numbers; made(…), system(…): joined, as drawn
robot(100)                a robot of such links, as URDF
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import zeromass as zm

KINDS = ("revolute", "spherical", "universal", "prismatic", "cylindrical", "fixed", "planar")
"""Joints of a mechanism."""

SINGLE = ("revolute", "continuous", "prismatic", "fixed")
"""Joints of a robot."""


class Link(NamedTuple):
    """A body and the joint that holds it, as drawn.

    parent   number of the link before, −1 of the ground
    at       place of the mass centre, m; quaternion: its orientation; inertia: (3, 3), in its own axes, kg m²
    point    of the joint, m; axes: its axis, and one across
    """

    parent: int
    kind: str
    mass: float
    inertia: np.ndarray
    at: np.ndarray
    quaternion: np.ndarray
    point: np.ndarray
    axes: np.ndarray


def chain(k: int) -> int:
    return k - 1


def tree(k: int) -> int:
    """Two links at the end of each."""
    return (k - 1) // 2 if k else -1


def links(
    count: int, parent: Callable[[int], int] = chain, kinds: Sequence[str] = KINDS, *, seed: int = 0
) -> list[Link]:
    """Links of a mechanism; a third of all numbers that may be zero are, and half of all axes are along coordinates."""
    random, found = np.random.default_rng(seed), list[Link]()
    for k in range(count):
        up = parent(k)
        before = found[up].at if up >= 0 else np.zeros(3)
        at = before + _some(random, 0.5) + np.array([0.6, 0.0, 0.0])
        axis = _axis(random)
        across = np.cross(axis, random.normal(size=3))
        quaternion = random.normal(size=4) if random.random() < 0.5 else np.array([1.0, 0.0, 0.0, 0.0])
        found.append(
            Link(
                up,
                str(random.choice(kinds)),
                random.uniform(0.5, 2.0),
                _inertia(random),
                at,
                quaternion / np.linalg.norm(quaternion),
                (at + before) / 2 + 0.3 * _some(random, 0.5),
                np.array([axis, across / np.linalg.norm(across)]),
            )
        )
    return found


def made(some: Sequence[Link]) -> tuple[list[Any], dict[str, Any], dict[str, Any], dict[Any, float]]:
    """Parts, constraints, further arguments and a guess of a mechanism that is hung up in gravity, with random rates."""
    bodies: list[Any] = []
    joints: list[Any] = []
    for k, one in enumerate(some):
        body = zm.RigidBody(f"body {k}", one.mass, one.inertia, at=one.at, orientation=one.quaternion)
        joints.append(_joint(one, bodies[one.parent] if one.parent >= 0 else zm.Ground(), body, f"joint {k}"))
        bodies.append(body)
    random = np.random.default_rng(0)
    guess = {x: 0.3 * random.normal() for body in bodies for x in zm.rate(body.coordinates)}
    return bodies, {}, {"joints": joints, "gravity": 9.81}, guess


def system(some: Sequence[Link]) -> zm.System:
    """A mechanism."""
    bodies, _, more, _ = made(some)
    return zm.System(bodies, **more)


def _joint(one: Link, a: Any, b: Any, name: str) -> Any:
    axis, at = one.axes[0], one.point
    match one.kind:
        case "spherical":
            return zm.joints.Spherical(a, b, at=at, name=name)
        case "universal":
            return zm.joints.Universal(a, b, at=at, axes=one.axes, name=name)
        case "fixed":
            return zm.joints.Fixed(a, b, at=at, name=name)
    types = {
        "revolute": zm.joints.Revolute,
        "prismatic": zm.joints.Prismatic,
        "cylindrical": zm.joints.Cylindrical,
        "planar": zm.joints.Planar,
    }
    return types[one.kind](a, b, at=at, axis=axis, name=name)


def robot(count: int, parent: Callable[[int], int] = chain, *, seed: int = 0) -> str:
    """A robot of many links as URDF, each in its own axes and with its own joint."""
    random, lines = np.random.default_rng(seed), ['<robot name="mixed"><link name="base"/>']
    for k in range(count):
        J = _inertia(random)
        six = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{J[i, j]:.12g}"' for i in range(3) for j in range(i, 3))
        turn = _some(random, 1.0) if random.random() < 0.5 else np.zeros(3)
        kind = random.choice(SINGLE, p=[0.4, 0.3, 0.2, 0.1])
        lines.append(
            f'<link name="l{k}"><inertial><origin xyz="{_told(_some(random, 0.2))}"/>'
            f'<mass value="{random.uniform(0.5, 2.0):.12g}"/><inertia {six}/></inertial></link>'
            f'<joint name="j{k}" type="{kind}"><parent link="{f"l{parent(k)}" if k else "base"}"/><child link="l{k}"/>'
            f'<origin xyz="{_told(_some(random, 0.4) + np.array([0.5, 0.0, 0.0]))}" rpy="{_told(turn)}"/>'
            f'<axis xyz="{_told(_axis(random))}"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
        )
    return "\n".join([*lines, "</robot>"])


def _told(v: np.ndarray) -> str:
    return " ".join(f"{x:.12g}" for x in v)


def _some(random: np.random.Generator, size: float) -> np.ndarray:
    """A vector, some of whose components are zero."""
    return np.where(random.random(3) < 1 / 3, 0.0, random.uniform(-size, size, 3))


def _axis(random: np.random.Generator) -> np.ndarray:
    """A direction, along a coordinate or not."""
    if random.random() < 0.5:
        return float(random.choice([-1.0, 1.0])) * np.eye(3)[random.integers(3)]
    v = random.normal(size=3)
    return v / np.linalg.norm(v)


def _inertia(random: np.random.Generator) -> np.ndarray:
    """A matrix of inertia, diagonal or not."""
    J = np.diag(random.uniform(0.05, 0.1, 3))
    if random.random() < 0.5:
        return J
    R, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return (R @ J @ R.T + (R @ J @ R.T).T) / 2
