"""Robots of many links: every link a body with coordinates of its own, held where its joint says.

    p + S d(x) = p' + S' d',    u∘r(x) = ± u'      of a link with (p, S, u) and the next one, x the joint's coordinates

In the coordinates of joints alone the formulas of a link have all joints before it in them; here each has its own joint's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from zeromass.expression import Array, Evaluator, Symbol, as_expression, expressions, rate, symbols
from zeromass.mechanism.joint import Connected, Law
from zeromass.mechanism.link import BodyLink, Place
from zeromass.mechanism.turns import inverse
from zeromass.model.constraint import Row
from zeromass.model.parts import Part
from zeromass.model.quaternion import inertial_rates, product, rotation


class Hold(NamedTuple):
    """What holds a link to the one before, or to the ground.

    at      the child's axes at its `anchor`, in those of the parent, as the joint has them
    parent  place among the links, −1 of the ground
    """

    name: str
    at: Place
    parent: int
    anchor: np.ndarray


class Placed(NamedTuple):
    """Axes of a link in space, in numbers: origin, rotation matrix and quaternion, velocity of the origin, and ω̄."""

    origin: np.ndarray
    rotation: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


STILL = Placed(np.zeros(3), np.eye(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.zeros(3))


class Relative:
    """Where links are in those before them and how they move there, in numbers."""

    def __init__(self, holds: Sequence[Hold]) -> None:
        self._holds = holds
        told = [(*at.origin, *at.quaternion, *at.velocity, *at.angular_velocity) for _, at, _, _ in holds]
        formulas = [e for some in told for e in some]
        self._leaves: list[Symbol] = symbols(formulas)
        self._values = Evaluator(formulas, self._leaves)

    def placed(self, known: Mapping[Symbol, float]) -> list[Placed]:
        """The axes of all links, from values of joint coordinates and their rates, zero where there are none."""
        numbers = self._values(np.array([known.get(x, 0.0) for x in self._leaves])).reshape(-1, 13)
        found: list[Placed] = []
        for hold, at in zip(self._holds, numbers, strict=True):
            p, S, u, v, ω = STILL if hold.parent < 0 else found[hold.parent]
            turned = product(u, at[3:7])
            turned /= np.linalg.norm(turned)
            R, d = rotation(turned), S @ at[:3]
            spin, anchor = ω + R @ at[10:], R @ hold.anchor
            moving = v + np.cross(ω, d) + R @ at[7:10] - np.cross(spin, anchor)
            found.append(Placed(p + d - anchor, R, turned, moving, spin))
        return found


class Skeleton(Connected):
    """What holds the links of a robot together: six rows a joint, of the group of its name.

    links  parents before children, one for each of `holds`
    """

    def __init__(
        self,
        name: str,
        holds: Sequence[Hold],
        links: Sequence[BodyLink],
        relative: Relative,
        usual: dict[Symbol, float],
    ) -> None:
        self.name: str = name
        self.parts: tuple[Part, ...] = tuple(links)
        self.usual: Mapping[Symbol, float] = usual
        self._holds, self._links, self._relative = holds, links, relative

    def _laws(self) -> list[Law]:
        return [Law(row.name, row.zero) for row in self.rows]

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        return tuple(row for hold, link in zip(self._holds, self._links, strict=True) for row in self._held(hold, link))

    def _held(self, hold: Hold, link: BodyLink) -> list[Row]:
        """Three rows for the anchor, three for the turn: of two unit quaternions that are equal but for the sign."""
        point, turn = hold.at.origin, hold.at.quaternion
        if hold.parent >= 0:
            before = self._links[hold.parent]
            point, turn = before.point(point - before.center), product(before.quaternion, turn)
        gap = point - link.at_frame(hold.anchor)
        r: Array = 2 * product(inverse(turn), link.quaternion)[1:]
        zeros = [(f"point[{i}]", e) for i, e in enumerate(gap)] + [(f"turn[{i}]", e) for i, e in enumerate(r)]
        return [Row(f"{hold.name} {what}", hold.name, 0, as_expression(e)) for what, e in zeros]

    def carried(self, known: Mapping[Symbol, float]) -> dict[Symbol, float]:
        """Coordinates and rates of the links from known values of joints; others are at rest in the reference pose."""
        found: dict[Symbol, float] = {}
        for link, (p, R, u, v, ω) in zip(self._links, self._relative.placed(known), strict=True):
            arm = R @ link.center
            u̇ = inertial_rates(u).T @ ω / 2
            found |= zip(link.coordinates, [*(p + arm).tolist(), *u.tolist()], strict=True)
            found |= zip(rate(link.coordinates), [*(v + np.cross(ω, arm)).tolist(), *u̇.tolist()], strict=True)
        return found


def within(frame: Place, at: Place) -> Place:
    """Axes that are given in others, in space."""
    found = frame.shifted(at.origin).turned(at.rotation, at.quaternion, at.angular_velocity)
    return found._replace(velocity=expressions(found.velocity + at.velocity))
