"""Bodies of an MJCF file: where they hang, by which joints, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from zeromass.errors import ModelError
from zeromass.mechanism.description import JointData, LinkData
from zeromass.mechanism.mjcf.geoms import Geom, geom_of, mesh_solid
from zeromass.mechanism.mjcf.words import TURNS, Words, four
from zeromass.mechanism.solid import Solid
from zeromass.mechanism.turns import direction
from zeromass.mechanism.xml_lines import Element

KINDS = ("hinge", "slide", "ball", "free")


@dataclass
class Bodies:
    """Links and joints as they are met, parents before children.

    given  names of bodies and joints that the file gives: others are made so that they differ
    """

    words: Words
    world: LinkData
    given: dict[str, set[str]]
    joints: list[JointData] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.links: dict[str, LinkData] = {"world": self.world}
        self._named: dict[str, JointData] = {}

    def _free(self, kind: str, name: str) -> str:
        """A name for what the file gives none: this one, or the first like it that nothing else has."""
        names = (name if k == 1 else f"{name} ({k})" for k in count(1))
        return next(one for one in names if one not in self.given[kind])

    def inside(self, element: Element, name: str, class_: str) -> None:
        """The bodies inside a body, or inside a frame of it, and all that hang on them."""
        waiting = [(name, one) for one in reversed(self._all(element, "body", class_))]
        while waiting:  # as many as a chain is long
            parent, (one, place, R, own) = waiting.pop()
            name, own = self.body(one, parent, place, R, own)
            waiting += [(name, inner) for inner in reversed(self._all(one, "body", own))]

    def _all(self, element: Element, tag: str, class_: str) -> list[tuple[Element, np.ndarray, np.ndarray, str]]:
        """The elements of a tag inside another, with the place, the turn and the class of the frames about them."""
        found: list[tuple[Element, np.ndarray, np.ndarray, str]] = []
        for one in element.inside:
            if one.tag == tag:
                found.append((one, np.zeros(3), np.eye(3), class_))
            elif one.tag == "frame":
                d, R = self.words.pose(one)
                for inner, at, turn, own in self._all(one, tag, one.attributes.get("childclass", class_)):
                    found.append((inner, d + R @ at, R @ turn, own))
        return found

    def body(
        self, element: Element, parent: str, shift: np.ndarray, turned: np.ndarray, class_: str
    ) -> tuple[str, str]:
        """A body and its joints; its name, and the class of what is inside it."""
        name = element.attributes.get("name") or self._free("body", f"body {len(self.links)}")
        if name in self.links:
            raise element.error(
                f"a second body has the name '{name}', which that on line {self.links[name].element.line} has"
            )
        if element.attributes.get("mocap", "false") == "true" or element.number("gravcomp", 0.0):
            raise element.error(f"body '{name}' is moved, or carried, by what no joint tells: mocap and gravcomp")
        class_ = element.attributes.get("childclass", class_)
        d, R = self.words.pose(element)
        self._joints(element, name, parent, shift + turned @ d, turned @ R, class_)
        self.links[name] = self._link(element, name, class_)
        return name, class_

    def _joints(self, element: Element, name: str, parent: str, place: np.ndarray, R: np.ndarray, class_: str) -> None:
        told = [(self.words.told(one, own), at, turn) for one, at, turn, own in self._all(element, "joint", class_)]
        told += [(one, at, turn) for one, at, turn, _ in self._all(element, "freejoint", class_)]
        if not told:
            self._add(JointData(self._free("joint", name), "fixed", parent, name, place, R, element))
        for k, (one, at, turn) in enumerate(told):
            child = name if k == len(told) - 1 else self._free("body", f"{name} after {k + 1} joints")
            self._add(self._joint(one, name, parent, child, (place, R), (at, turn), alone=len(told) == 1))
            parent, place, R = child, np.zeros(3), np.eye(3)

    def _add(self, joint: JointData) -> None:
        other = self._named.setdefault(joint.name, joint)
        if other is not joint:
            raise joint.element.error(
                f"a second joint has the name '{joint.name}', which that on line {other.element.line} has"
            )
        self.joints.append(joint)

    def _joint(
        self,
        one: Element,
        body: str,
        parent: str,
        child: str,
        at: tuple[np.ndarray, np.ndarray],
        frame: tuple[np.ndarray, np.ndarray],
        *,
        alone: bool,
    ) -> JointData:
        kind = "free" if one.tag == "freejoint" else one.attributes.get("type", "hinge")
        if kind not in KINDS:
            raise one.error(f"a joint of '{body}' is of the type '{kind}'; there are {', '.join(KINDS)}")
        unnamed = f"{body} {kind}" if alone else f"{body} {kind} {len(self.joints)}"
        name = one.attributes.get("name") or self._free("joint", unnamed)
        (place, R), (shift, turn) = at, frame
        if kind == "free":
            if parent != "world" or not alone:
                raise one.error(f"joint '{name}' is free; only a body of the world that has no other joint can be")
            if one.attributes.get("align", self.words.compiler.attributes.get("alignfree")) == "true":
                raise one.error(f"joint '{name}' is to move the axes of its body, align or alignfree; leave these out")
        anchor = shift + turn @ one.vector("pos", (0.0, 0.0, 0.0))
        losses = {"damping": one.number("damping", 0.0), "armature": one.number("armature", 0.0)}
        losses |= {"friction": one.number("frictionloss", 0.0), "stiffness": one.number("stiffness", 0.0)}
        if kind in ("ball", "free"):
            if losses["friction"] or losses["stiffness"]:
                raise one.error(f"joint '{name}' is {kind}; of its frictionloss and stiffness nothing is known")
            if kind == "free":
                drawn = (*place.tolist(), *four(R))
                made = JointData(name, "floating", parent, child, np.zeros(3), np.eye(3), one, drawn=drawn)
            else:
                made = JointData(name, "ball", parent, child, place, R, one, anchor=anchor)
            return replace(made, **losses)
        try:
            axis = direction(turn @ one.vector("axis", (0.0, 0.0, 1.0)), f"joint '{name}'")
        except ModelError as error:
            raise one.error(str(error)) from None
        unit = self.words.degree if kind == "hinge" else 1.0
        bounds = self.words.limited(one, "limited", "range")
        low, high = (-np.inf, np.inf) if bounds is None else (float(x) * unit for x in bounds)
        named = "prismatic" if kind == "slide" else "continuous" if bounds is None else "revolute"
        ref, rest = one.number("ref", 0.0) * unit, one.number("springref", 0.0) * unit
        made = JointData(name, named, parent, child, place, R, one, axis, anchor, low, high, drawn=(ref,), rest=rest)
        frc = self.words.limited(one, "actuatorfrclimited", "actuatorfrcrange")
        return replace(made, **losses, bounds=made.bounds if frc is None else (float(frc[0]), float(frc[1])))

    def _link(self, element: Element, name: str, class_: str) -> LinkData:
        told = [(self.words.told(one, own), at, turn) for one, at, turn, own in self._all(element, "geom", class_)]
        for one, _, _ in told:
            if one.attributes.get("type") in ("plane", "hfield"):
                raise one.error(f"a {one.attributes['type']} belongs to the world, not to body '{name}'")
        geoms = [_moved(geom_of(one, self.words), at, turn) for one, at, turn in told]
        mass, center, J = self._weight(element, name, told, geoms)
        looks = tuple(look.seen_from(center) for geom in geoms for look in geom.looks)
        remarks = tuple(words for geom in geoms for words in geom.remarks)
        collisions = tuple(geom.collision.moved(-center, np.eye(3)) for geom in geoms if geom.collision is not None)
        return LinkData(name, mass, center, J, looks, element, remarks, collisions)

    def _weight(
        self, element: Element, name: str, told: list[tuple[Element, np.ndarray, np.ndarray]], geoms: list[Geom]
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass centre and inertia: as given, else those of the geoms."""
        given, source = (
            self._all(element, "inertial", ""),
            self.words.compiler.attributes.get("inertiafromgeom", "auto"),
        )
        if len(given) > 1:
            raise given[1][0].error(f"a second <inertial> of body '{name}'")
        if given and source != "true":
            one, shift, turned, _ = given[0]
            mass = one.number("mass")
            if mass < 0:
                raise one.error(f"the mass of body '{name}' is {mass:g}; it is zero or positive")
            d, R = self.words.pose(one)
            return mass, shift + turned @ d, _inertia(one, turned @ R)
        if source == "false":
            return 0.0, np.zeros(3), np.zeros((3, 3))
        groups = self.words.compiler.numbers("inertiagrouprange")
        low, high = (0.0, 5.0) if groups is None or len(groups) != 2 else groups
        whole: Solid | None = None
        for (one, at, turn), geom in zip(told, geoms, strict=True):
            solid = geom.solid
            if "mesh" in one.attributes:
                solid = mesh_solid(one, self.words)
                solid = None if solid is None else solid.turned_by(turn).moved(at)
            if solid is not None and low <= one.number("group", 0.0) <= high:
                whole = solid if whole is None else whole + solid
        return (0.0, np.zeros(3), np.zeros((3, 3))) if whole is None else (whole.mass, whole.center, whole.inertia)


def _moved(geom: Geom, shift: np.ndarray, R: np.ndarray) -> Geom:
    """A geom inside a frame."""
    if not np.any(shift) and np.array_equal(R, np.eye(3)):
        return geom
    solid = None if geom.solid is None else geom.solid.turned_by(R).moved(shift)
    turned = Solid(0.0, np.zeros(3), np.zeros((3, 3)), geom.looks).turned_by(R).looks
    collision = None if geom.collision is None else geom.collision.moved(shift, R)
    return Geom(solid, tuple(look.seen_from(-shift) for look in turned), geom.remarks, collision)


def _inertia(one: Element, R: np.ndarray) -> np.ndarray:
    """About the mass centre along the axes of the body, from diaginertia or fullinertia."""
    diagonal, full = one.numbers("diaginertia"), one.numbers("fullinertia")
    if (diagonal is None) == (full is None):
        if diagonal is None and not one.number("mass"):
            return np.zeros((3, 3))
        raise one.error("<inertial> has one of diaginertia and fullinertia")
    if full is not None:
        if any(way in one.attributes for way in TURNS):
            raise one.error(
                "<inertial> has fullinertia and is turned; the moments and products are along axes of the body"
            )
        if len(full) != 6:
            raise one.error("fullinertia of <inertial> is six numbers, xx yy zz xy xz yz")
        xx, yy, zz, xy, xz, yz = full.tolist()
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        J = np.diag(one.vector("diaginertia", (0.0, 0.0, 0.0)))
    J = R @ J @ R.T
    return (J + J.T) / 2
