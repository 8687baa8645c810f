"""What descriptions of robots say, whatever their format: links, joints and actuators, parents before children."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from zeromass.mechanism.xml_lines import Element
from zeromass.model.given import Number, Vector
from zeromass.model.shapes import Hull, Look


@dataclass(frozen=True)
class CollisionData:
    """An outside of a link that touches others, as it is described.

    kind   "sphere", "capsule", "cylinder", "box", "ellipsoid" or "mesh"
    sizes  m: a radius; a radius and the length of the cylinder; edges of a box; semi-axes
    place  of its centre from the mass centre of the link, along the link's axes, m
    turn   (3, 3) matrix that turns its axes, the third along its length, against those of the link
    mesh   its triangles
    """

    kind: str
    sizes: tuple[float, ...]
    place: np.ndarray
    turn: np.ndarray
    mesh: Hull | None = None

    def moved(self, shift: np.ndarray, R: np.ndarray) -> CollisionData:
        """Turned by R and then shifted."""
        return replace(self, place=shift + R @ self.place, turn=R @ self.turn)


@dataclass(frozen=True)
class LinkData:
    """A link as it is described: mass, mass centre and inertia about that along the link's axes, its looks, remarks, and
    what of it touches others."""

    name: str
    mass: float
    center: np.ndarray
    inertia: np.ndarray
    looks: tuple[Look, ...]
    element: Element
    remarks: tuple[str, ...] = ()
    collisions: tuple[CollisionData, ...] = ()


@dataclass(frozen=True)
class JointData:
    """A joint as it is described.

    parent, child  frames that it joins; a link's, or one between two joints
    place, turn    of its frame in the axes of the parent
    axis           in that frame; it goes through `anchor`
    drawn          values of its coordinates in the reference pose: none, and they are zero
    bounds         of what all its actuators exert
    stiffness      of a spring that rests at `rest`
    armature       inertia of what turns or slides with it, kg m² or kg
    """

    name: str
    kind: str
    parent: str
    child: str
    place: np.ndarray
    turn: np.ndarray
    element: Element
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    low: float = -np.inf
    high: float = np.inf
    effort: float = -1.0
    speed: float = -1.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    drawn: tuple[float, ...] = ()
    bounds: tuple[float, float] = (-np.inf, np.inf)
    mimic: tuple[str, float, float] | None = None


@dataclass(frozen=True)
class ActuatorData:
    """What acts along a joint: gear · (gain · u + b₀ + b₁ l + b₂ l̇) of an input u and the length l = gear · place."""

    name: str
    joint: str
    gear: float
    gain: float
    bias: tuple[float, float, float]
    inputs: tuple[float, float]
    forces: tuple[float, float]
    element: Element


@dataclass(frozen=True)
class RobotData:
    """All that a file says of a robot, parents before children."""

    name: str
    root: str
    links: dict[str, LinkData]
    joints: tuple[JointData, ...]
    actuators: tuple[ActuatorData, ...] = ()
    gravity: Number | Vector = 9.81
    remarks: tuple[str, ...] = ()

    def joint_places(self, link: str) -> list[np.ndarray]:
        """Where joints hold a link, in its axes, m."""
        before = [joint.anchor for joint in self.joints if joint.child == link]
        return before + [joint.place + joint.turn @ joint.anchor for joint in self.joints if joint.parent == link]


def word(name: str) -> str:
    """A name that coordinates can have."""
    found = re.sub(r"[^\w.' ]", "_", name)
    return found if re.match(r"[^\W\d]", found) else f"_{found}"
