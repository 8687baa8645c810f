"""The tree of a robot: frames behind one another, each placed in the one before by the coordinates of a joint."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, rate
from zeromass.mechanism.description import JointData, RobotData, word
from zeromass.mechanism.link import GROUND, BodyLink, Link, Place, free_turn, turn_by
from zeromass.mechanism.skeleton import Hold, Relative, Skeleton, within
from zeromass.mechanism.turns import axes_about, of_matrix
from zeromass.model.parts import unit_quaternion

NONE: Array = np.empty(0, dtype=object)


class Branch(NamedTuple):
    """A joint in the tree: its own coordinates, and its single one or what that follows from."""

    data: JointData
    coordinates: Array
    single: Expression | None


class Tree:
    """Links by name, joints in their order, and what holds for their coordinates.

    bodies       whether links have coordinates of their own, which the skeleton holds together
    base         coordinates of a free root
    usual        values of coordinates in the reference pose that are not zero
    constraints  of quaternions
    """

    def __init__(self, data: RobotData, *, free: bool, bodies: bool) -> None:
        self.usual: dict[Symbol, float] = {}
        self.constraints: dict[str, object] = {}
        self.base: Array = NONE
        self.branches: list[Branch] = []
        self.skeleton: Skeleton | None = None
        self.links: dict[str, Link | BodyLink] = {}
        root = GROUND
        if free:
            root, self.base = self._floating(GROUND, data.root, ())
        all_, own = {joint.name: joint for joint in data.joints}, {}
        for joint in data.joints:
            self._single(joint, all_, own)
        self._frames: dict[str, tuple[BodyLink | None, Place]] = {data.root: (None, root)}
        if bodies:
            self._hold(data, root, own, free)
        else:
            self._place(data, own)
        for name, link in self.links.items():
            link.joined_at = tuple(place - link.center for place in data.joint_places(name))

    def _place(self, data: RobotData, own: dict[str, Expression]) -> None:
        """Places frame behind frame: each has the coordinates of all joints before it in its formulas."""
        for joint in data.joints:
            x, (_, parent) = own.get(joint.name), self._frames[joint.parent]
            at, coordinates = self._anchored(parent, joint, x)
            self._frames[joint.child] = None, at.shifted(-joint.anchor)
            self.branches.append(Branch(joint, coordinates, x))
        for name, (_, frame) in self._frames.items():
            if name in data.links:
                self.links[name] = Link(data.links[name], frame, self.usual)

    def _hold(self, data: RobotData, root: Place, own: dict[str, Expression], free: bool) -> None:
        """Gives links coordinates of their own, with constraints that hold each to the one before it."""
        holds: list[Hold] = []
        held: dict[str, int] = {data.root: -1}
        if free:
            holds.append(Hold(data.root, root, -1, np.zeros(3)))
            held[data.root] = 0
        after: dict[str, tuple[int, Place]] = {data.root: (held[data.root], GROUND)}
        for joint in data.joints:
            x, (k, parent) = own.get(joint.name), after[joint.parent]
            at, coordinates = self._anchored(parent, joint, x)
            self.branches.append(Branch(joint, coordinates, x))
            if joint.child in data.links:
                held[joint.child] = len(holds)
                after[joint.child] = len(holds), GROUND
                holds.append(Hold(joint.name, at, k, joint.anchor))
            else:
                after[joint.child] = k, at.shifted(-joint.anchor)
        relative = Relative(holds)
        several = {joint.name for joint in data.joints if joint.name not in own} | ({data.root} if free else set())
        drawn = relative.placed(self.usual)
        links: list[BodyLink] = []
        for name, k in held.items():
            if k < 0:
                self.links[name] = Link(data.links[name], GROUND, {})
                continue
            called = f"{word(name)} link" if name in several else word(name)
            links.append(BodyLink(data.links[name], called, drawn[k].origin, drawn[k].quaternion))
            self.links[name] = links[k]
        self._frames = {name: (None if k < 0 else links[k], at) for name, (k, at) in after.items()}
        self.skeleton = Skeleton(data.name, holds, links, relative, self.usual)

    @cached_property
    def frames(self) -> dict[str, Place]:
        """Where the axes of links, and of what is between two joints, are."""
        return {
            name: at if body is None else body.frame if at is GROUND else within(body.frame, at)
            for name, (body, at) in self._frames.items()
        }

    @property
    def drawn(self) -> dict[Symbol, float]:
        """Values of coordinates in the reference pose that are not zero, those of links too."""
        return self.usual | {x: value for link in self.links.values() for x, value in link.usual.items()}

    def _single(self, joint: JointData, all_: dict[str, JointData], own: dict[str, Expression]) -> None:
        """The angle or displacement of a joint and of those that it mimics: a coordinate, or what it mimics."""
        behind: list[JointData] = []
        met: set[str] = set()
        while joint.name not in own:
            if joint.name in met:
                raise behind[0].element.error(f"joint '{behind[0].name}' mimics itself, by way of '{behind[-1].name}'")
            if joint.kind in ("fixed", "floating", "planar", "ball"):
                if behind:
                    words = f"joint '{behind[-1].name}' mimics '{joint.name}', which has no single coordinate"
                    raise behind[-1].element.error(words)
                return
            if joint.mimic is None:
                own[joint.name] = x = coordinate(word(joint.name))
                if joint.drawn and joint.drawn[0]:
                    self.usual[x] = joint.drawn[0]
            else:
                behind.append(joint)
                met.add(joint.name)
                joint = all_[joint.mimic[0]]
        for one in reversed(behind):
            assert one.mimic is not None
            leader, factor, offset = one.mimic
            own[one.name] = as_expression(factor * own[leader] + offset)

    def _anchored(self, parent: Place, joint: JointData, x: Expression | None) -> tuple[Place, Array]:
        """Where the child's axes are, at the anchor of the joint, and the joint's own coordinates."""
        at = parent.shifted(joint.place)
        if np.any(joint.turn != np.eye(3)):
            at = at.turned(joint.turn, of_matrix(joint.turn))
        return self._moved(at.shifted(joint.anchor), joint, x)

    def _moved(self, at: Place, joint: JointData, x: Expression | None) -> tuple[Place, Array]:
        """Axes moved as the joint does, and its own coordinates."""
        name = word(joint.name)
        if x is not None:
            own, drawn = expressions([x]) if joint.mimic is None else NONE, joint.drawn[0] if joint.drawn else 0.0
            moved, speed = as_expression(x - drawn), rate(as_expression(x))
            if joint.kind == "prismatic":
                return at.moved(joint.axis * moved, joint.axis * speed), own
            R, u = turn_by(joint.axis, moved)
            return at.turned(R, u, joint.axis * speed), own
        if joint.kind == "planar":
            own = expressions([coordinate(f"{name}.{letter}") for letter in ("x", "y", "angle")])
            d = axes_about(joint.axis)[:, :2] @ own[:2]
            R, u = turn_by(joint.axis, own[2])
            return at.moved(d, rate(d)).turned(R, u, joint.axis * rate(own[2])), own
        if joint.kind == "floating":
            return self._floating(at, joint.name, joint.drawn)
        return self._turning(at, name, (1.0, 0.0, 0.0, 0.0)) if joint.kind == "ball" else (at, NONE)

    def _floating(self, at: Place, name: str, drawn: tuple[float, ...]) -> tuple[Place, Array]:
        """Axes that move freely: their place and a unit quaternion, in the axes before."""
        own = word(name)
        d = expressions([coordinate(f"{own}.{letter}") for letter in "xyz"])
        x, y, z, *u = drawn or (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        self.usual |= {symbol: value for symbol, value in zip(d, (x, y, z), strict=True) if value}
        turned, quaternion = self._turning(at.moved(d, rate(d)), own, tuple(u))
        return turned, np.concatenate([d, quaternion])

    def _turning(self, at: Place, name: str, drawn: tuple[float, ...]) -> tuple[Place, Array]:
        """Axes that turn freely: a unit quaternion."""
        u = expressions([coordinate(f"{name}.u{i}") for i in range(4)])
        self.constraints |= unit_quaternion(name, u)
        self.usual |= {symbol: value for symbol, value in zip(u, drawn, strict=True) if value}
        R, ω = free_turn(u)
        return at.turned(R, u, ω), u
