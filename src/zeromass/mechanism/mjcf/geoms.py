"""Geoms of an MJCF file: what they weigh, and what they look like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import NamedTuple, cast

import numpy as np

from zeromass.errors import ModelError
from zeromass.mechanism.description import CollisionData
from zeromass.mechanism.mesh import MassRule, MeshFile
from zeromass.mechanism.mjcf.words import Words
from zeromass.mechanism.solid import Solid
from zeromass.mechanism.turns import shortest_turn
from zeromass.mechanism.xml_lines import Element
from zeromass.model.shapes import Look

SHOWN = 2
"""The last of the groups of geoms that are drawn; those of collisions usually come after."""

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}


class Geom(NamedTuple):
    """A geom in the axes of its body.

    solid    what it weighs, None where that is nothing, or not told without the file of a mesh
    looks    placed from the origin
    remarks  why it is not drawn
    collision  what of it touches others, None where it does not
    """

    solid: Solid | None
    looks: tuple[Look, ...]
    remarks: tuple[str, ...] = ()
    collision: CollisionData | None = None


def geom_of(element: Element, words: Words) -> Geom:
    """A geom whose attributes are told already."""
    kind = element.attributes.get("type", "sphere")
    if kind in ("plane", "hfield"):
        return Geom(None, ())  # of a body that does not move
    if kind != "mesh" and "mesh" in element.attributes:
        return Geom(None, (), _not_drawn(element, f"it is a {kind} that is to be fitted to a mesh"))
    place, R = words.pose(element)
    if kind == "mesh":
        solid, looks = _mesh(element, words)
        place, R = _mesh_pose(element, words)
    elif kind in SIZES:
        solid, place, R = _shape(element, kind, place, R)
        looks = solid.looks
    else:
        raise element.error(f"a geom of the type '{kind}' is not known; there are {', '.join(SIZES)}, plane and mesh")
    collision = _collision(element, kind, place, R, looks)
    solid = None if solid is None else solid.turned_by(R).moved(place)
    turned = Solid(0.0, np.zeros(3), np.zeros((3, 3)), looks).turned_by(R).looks
    shown = element.number("group", 0.0) <= SHOWN
    moved = tuple(look.seen_from(-place) for look in turned)
    remarks = () if looks or not shown else _not_drawn(element, "the file of its mesh is not there")
    return Geom(solid if solid is not None and solid.mass > 0 else None, moved if shown else (), remarks, collision)


def _collision(
    element: Element, kind: str, place: np.ndarray, R: np.ndarray, looks: tuple[Look, ...]
) -> CollisionData | None:
    """What of a geom touches others; None where contype and conaffinity are zero, or the file of a mesh is not there."""
    if not element.number("contype", 1.0) and not element.number("conaffinity", 1.0):
        return None
    if kind == "mesh":
        mesh = looks[0].shape if looks else None
        return CollisionData(kind, (), place, R, mesh) if isinstance(mesh, MeshFile) else None
    return CollisionData(kind, _sizes(element, kind), place, R)


def _sizes(element: Element, kind: str) -> tuple[float, ...]:
    """Lengths of a geom, as `CollisionData` has them; its attributes were looked at before."""
    size, ends = element.numbers("size"), element.numbers("fromto")
    assert size is not None
    along = None if ends is None else float(np.linalg.norm(ends[3:] - ends[:3]))
    first = float(size[0])
    if SIZES[kind] < 3:
        return (first,) if kind == "sphere" else (first, 2 * float(size[1]) if along is None else along)
    halves = size[:3] if along is None else np.array([first, first, along / 2])
    return tuple((halves if kind == "ellipsoid" else 2 * halves).tolist())


def _not_drawn(element: Element, why: str) -> tuple[str, ...]:
    return (f"{element.file}, line {element.line}: a geom is not drawn: {why}",)


def _weight(element: Element) -> dict[str, float]:
    if element.attributes.get("shellinertia", "false") == "true":
        raise element.error("the mass of a geom is spread over its volume; shellinertia is not known")
    if "mass" in element.attributes:
        return {"mass": element.number("mass")}
    return {"density": element.number("density", 1000.0)}


def _shape(element: Element, kind: str, place: np.ndarray, R: np.ndarray) -> tuple[Solid, np.ndarray, np.ndarray]:
    size = element.numbers("size")
    size = np.empty(0) if size is None else size
    ends = element.numbers("fromto")
    if ends is not None:
        if "pos" in element.attributes:
            raise element.error("a geom has pos and fromto; one of them says where it is")
        if len(ends) != 6 or kind == "sphere" or np.array_equal(ends[:3], ends[3:]):
            raise element.error(f"fromto={element.attributes['fromto']!r} of a {kind} is not two points apart")
        along = ends[3:] - ends[:3]
        half = float(np.linalg.norm(along)) / 2
        place, R = (ends[:3] + ends[3:]) / 2, shortest_turn(np.array([0.0, 0.0, 1.0]), along / (2 * half))
        size = np.array([size[0], half] if SIZES[kind] == 2 else [*size[:1], *size[:1], half]) if len(size) else size
    if len(size) < SIZES[kind] or not np.all(size[: SIZES[kind]] > 0):
        raise element.error(
            f"a {kind} has {SIZES[kind]} sizes, all positive, not size={element.attributes.get('size')!r}"
        )
    a, b, c = [*size.tolist(), 0.0, 0.0][:3]
    weight = _weight(element)
    try:
        if kind == "sphere":
            return Solid.sphere(a, **weight), place, R
        if kind == "capsule":
            return Solid.capsule(a, 2 * b, **weight), place, R
        if kind == "cylinder":
            return Solid.cylinder(a, 2 * b, **weight), place, R
        made = Solid.box((2 * a, 2 * b, 2 * c), **weight) if kind == "box" else Solid.ellipsoid((a, b, c), **weight)
        return made, place, R
    except ModelError as error:
        raise element.error(str(error)) from None


def mesh_path(element: Element, words: Words) -> Path:
    """The file of a mesh asset."""
    folder = words.compiler.attributes.get("meshdir", words.compiler.attributes.get("assetdir", ""))
    name = element.word("file")
    if words.compiler.attributes.get("strippath") == "true":
        name = PureWindowsPath(name).name  # either kind of slash
    return words.compiler.path.parent / folder / name


def _mesh_pose(element: Element, words: Words) -> tuple[np.ndarray, np.ndarray]:
    """Place and turn of the axes in which the file of a mesh is: refpos and refquat are those of the geom in them."""
    asset = words.meshes[element.word("mesh")]
    place, R = words.pose(element)
    given = {"quat": asset.attributes["refquat"]} if "refquat" in asset.attributes else {}
    R = R @ words.turn(replace(asset, attributes=given)).T
    return place - R @ asset.vector("refpos", (0.0, 0.0, 0.0)), R


def _mesh(element: Element, words: Words) -> tuple[Solid | None, tuple[Look, ...]]:
    """What a mesh weighs is not known before its file is read, which `mesh_solid` does where nothing else tells."""
    name = element.word("mesh")
    if name not in words.meshes:
        raise element.error(f"the mesh '{name}' is no asset; there are {', '.join(list(words.meshes)[:8]) or 'none'}")
    asset = words.meshes[name]
    if "file" not in asset.attributes or not mesh_path(asset, words).is_file():
        return None, ()
    scale = asset.vector("scale", (1.0, 1.0, 1.0)).tolist()
    return None, (Look(MeshFile(mesh_path(asset, words), scale)),)


def mesh_solid(element: Element, words: Words) -> Solid | None:
    """The solid of a mesh, of the density or mass of its geom; its inertia by MuJoCo's rule, "legacy" by default."""
    weight = _weight(element)
    if not any(weight.values()):
        return None
    if element.attributes.get("type") != "mesh":
        raise element.error("a geom is to be fitted to a mesh, which is not known; give its size, or type='mesh'")
    asset = words.meshes[element.word("mesh")]
    if "file" not in asset.attributes:
        raise element.error(
            "the mass of a body without <inertial> follows from primitives and from meshes that are files"
        )
    exact = words.compiler.attributes.get("exactmeshinertia") == "true"  # of MuJoCo before 3.3
    rule = asset.attributes.get("inertia", "exact" if exact else "legacy")
    if rule == "convex" and asset.number("maxhullvert", -1.0) >= 0:
        raise asset.error(
            "the mass of a convex hull with maxhullvert is not known; leave one of them out, or give <inertial>"
        )
    scale = asset.vector("scale", (1.0, 1.0, 1.0))
    try:
        solid = Solid.mesh(mesh_path(asset, words), scale=scale, inertia=cast(MassRule, rule), **weight)
    except ModelError as error:
        raise element.error(str(error)) from None
    place, R = _mesh_pose(element, words)
    return solid.turned_by(R).moved(place)
