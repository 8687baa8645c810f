"""The tree of a robot: frames behind one another, each placed in the one before by the coordinates of a joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, rate
from zeromass.mechanism.description import JointData, RobotData, word
from zeromass.mechanism.link import GROUND, Place, free_turn, turn_by
from zeromass.mechanism.turns import axes_about, of_matrix
from zeromass.model.parts import unit_quaternion

NONE: Array = np.empty(0, dtype=object)


class Branch(NamedTuple):
    """A joint in the tree: its own coordinates, and its single one or what that follows from."""

    data: JointData
    coordinates: Array
    single: Expression | None


class Tree:
    """Frames by name, joints in their order, and what holds for their coordinates.

    frames       where the axes of links, and of what is between two joints, are
    base         coordinates of a free root
    usual        values of coordinates as drawn that are not zero
    constraints  of quaternions
    """

    def __init__(self, data: RobotData, *, free: bool) -> None:
        self.usual: dict[Symbol, float] = {}
        self.constraints: dict[str, object] = {}
        self.base: Array = NONE
        root = GROUND
        if free:
            root, self.base = self._floating(GROUND, data.root, ())
        self.frames: dict[str, Place] = {data.root: root}
        all_, own = {joint.name: joint for joint in data.joints}, {}
        for joint in data.joints:
            self._single(joint, all_, own)
        self.branches: list[Branch] = []
        for joint in data.joints:
            x = own.get(joint.name)
            self.frames[joint.child], coordinates = self._beyond(self.frames[joint.parent], joint, x)
            self.branches.append(Branch(joint, coordinates, x))

    def _single(self, joint: JointData, all_: dict[str, JointData], own: dict[str, Expression]) -> None:
        """The angle or displacement of a joint and of those that it mimics: a coordinate, or what it mimics."""
        behind: list[JointData] = []
        while joint.name not in own:
            if any(one is joint for one in behind):
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
                joint = all_[joint.mimic[0]]
        for one in reversed(behind):
            assert one.mimic is not None
            leader, factor, offset = one.mimic
            own[one.name] = as_expression(factor * own[leader] + offset)

    def _beyond(self, parent: Place, joint: JointData, x: Expression | None) -> tuple[Place, Array]:
        """Where the child's axes are, and the joint's own coordinates."""
        at = parent.shifted(joint.place)
        if np.any(joint.turn != np.eye(3)):
            at = at.turned(joint.turn, of_matrix(joint.turn))
        at, own = self._moved(at.shifted(joint.anchor), joint, x)
        return at.shifted(-joint.anchor), own

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
