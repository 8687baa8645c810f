"""[system.joints]: joints between bodies, couplings between joints, and what acts along them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from zeromass.errors import listed, nearest
from zeromass.expression import Expression
from zeromass.model.connection import Connection
from zeromass.model.parts import Part
from zeromass.scenario.friction import FRICTION, NAMES
from zeromass.scenario.kinds import Kind, Names, Numbers, Whole, Words
from zeromass.scenario.reading import OF_FORMULAS, Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.source import Key
from zeromass.scenario.surfaces import SURFACE
from zeromass.scenario.tables import Argument, Kinds, Named, Table, spelled

KEY = ("system", "joints")
GROUND = "ground"

BETWEEN = ("fixed", "revolute", "prismatic", "cylindrical", "planar", "screw", "spherical", "universal")
BETWEEN += ("constant velocity", "point on line", "point on plane", "distance", "rope", "wheel on ground")
BETWEEN += ("wheel on surface",)
"""Joints between bodies, as files call them."""

COUPLING = ("gear", "belt", "rack and pinion", "geneva")
"""Between joints."""

BODIES, JOINTS = ("a", "b", "rolling"), ("first", "second", "pinion", "rack", "crank", "wheel")
"""Keys that name a body, or another joint."""


class RimFormula(Numbers):
    """Radius of a wheel at a place y along its axis."""

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        return lambda y: reader.expression(given, key, {"y": y})


POINT, AXIS = Numbers("names", ((3,), (2, 3))), Numbers("parameters", ((3,), (2, 3)))
SAID: dict[str, Kind] = {
    **dict.fromkeys((*BODIES, *JOINTS), Words(longest=60)),
    "at": POINT,
    "axis": AXIS,
    "axes": Numbers("parameters", ((2, 3),)),
    "normal": AXIS,
    "center": Numbers("names", ((3,),)),
    "radii": Numbers("names", ((2,),)),
    "slots": Whole(3, 1000),
    "surface": SURFACE,
    "profile": RimFormula("names"),
    "near": Numbers(shapes=((3,),)),
    "friction": FRICTION,
    "creep": Numbers("values"),
}
MEANS = {
    "a": "the first body, by its name, or ground",
    "b": "the second one",
    "at": "a point in the reference pose, or two, on a and on b in their own axes, m",
    "axis": "direction in the reference pose, or two, on a and on b in their own axes",
    "axes": "two directions in the reference pose, one on each body",
    "normal": "of the plane, in the reference pose",
    "rolling": "the body that rolls",
    "length": "m; by default that of the reference pose",
    "first": "a joint that turns, by its name",
    "second": "another one",
    "pinion": "a joint that turns, by its name",
    "rack": "a joint that slides",
    "crank": "a joint that turns, by its name, and carries the pin",
    "wheel": "a joint that turns, with the slots",
    "center": "of the wheel in its own axes; its mass centre by default",
    "radius": "m",
    "height": "of the ground, m",
    "surface": "what it rolls on, fixed to a, in its axes",
    "tube": "radius of the tyre, m; 0 of a knife edge",
    "profile": "instead of both: the radius, m, a formula of the place y along the axis",
    "near": "first guess of the contact, m; by default from where the wheel is drawn",
    "two_sided": "the surface can pull; else the run ends where it would have to",
    "friction": "coefficient μ at which the wheel slips. Or two: static, and kinetic, a formula of the `speed` of slip, m/s",
    "creep": "speed of slip, m/s, below which friction falls off; by default 1e-9 √(g r)",
    "crossed": "whether the belt is, so that they turn in opposite directions",
}
ACTING = {
    "drive": (Numbers("time"), "what the angle or displacement is, a formula of time"),
    "motor": (Numbers("names"), "torque or force along the joint, N m or N"),
    "spring": (Numbers("names"), "stiffness along the joint, N m/rad or N/m"),
    "damper": (Numbers("names"), "damping along the joint, N m s/rad or N s/m"),
    "friction": (Numbers("names"), "dry friction along the joint, N m or N"),
}
"""What acts along a joint that turns or slides, by its method."""


class Joined(NamedTuple):
    """Joints and drives, and the forces along joints that are still to be read."""

    joints: list[Connection]
    tables: dict[str, Any]


@cache
def joint_tables() -> dict[str, Table]:
    """The kinds of joints; their keys are the arguments of the classes in Python."""
    import zeromass.mechanism as mechanism
    from zeromass.contact.wheels import WheelOnSurface

    classes = {_file_name(name): getattr(mechanism, name) for name in mechanism.__all__ if name[0].isupper()}
    classes["wheel on surface"] = WheelOnSurface
    wheels = {"wheel on ground": _rolling(mechanism), "wheel on surface": _on_surface(mechanism, WheelOnSurface)}
    found: dict[str, Table] = {}
    for kind in (*BETWEEN, *COUPLING):
        make = wheels.get(kind, classes[kind])
        acts = issubclass(classes[kind], mechanism.Turning | mechanism.Prismatic)
        more = {name: Argument(one, words=words) for name, (one, words) in ACTING.items()} if acts else {}
        found[kind] = table(make, without=("name", "offset"), said=SAID, more=more, means=MEANS, words=classes[kind])
    return found


def _file_name(name: str) -> str:
    """'point on line' for PointOnLine."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()


def _rolling(mechanism: Any) -> Any:
    def make(rolling: Any, *, radius: float, axis: Any, center: Any = None, height: float = 0.0, name: str = "") -> Any:
        return mechanism.WheelOnGround(
            mechanism.Ground(), rolling, radius=radius, axis=axis, center=center, height=height, name=name
        )

    return make


def _on_surface(mechanism: Any, wheel: Any) -> Any:
    def make(
        rolling: Any,
        surface: Any,
        *,
        axis: Any,
        a: Any = None,
        radius: float | None = None,
        tube: float = 0.0,
        profile: Any = None,
        center: Any = None,
        near: Any = None,
        two_sided: bool = False,
        friction: Any = None,
        creep: Any = None,
        name: str = "",
    ) -> Any:
        rim = {"radius": radius, "tube": tube, "profile": profile, "center": center, "near": near}
        given = {**rim, "axis": axis, "two_sided": two_sided, "friction": friction, "creep": creep, "name": name}
        return wheel(mechanism.Ground() if a is None else a, rolling, surface, **given)

    return make


JOINT = Kinds(joint_tables)
TABLES = Named(JOINT, Words(longest=60, name=True))


def joined(reader: Reader, given: Mapping[str, Any], parts: Iterable[Part], names: Mapping[str, Expression]) -> Joined:
    """The joints of a file: those between bodies, then those that couple them; drives at their sides."""
    from zeromass.mechanism import Ground

    bodies: dict[str, Any] = {GROUND: Ground(), **{part.name: part for part in parts}}
    made: dict[str, Any] = {}
    drives: list[Any] = []
    for couplings in (False, True):
        for name, own in given.items():
            kind, key = spelled(own["kind"]), (*KEY, name)
            if (kind in COUPLING) is not couplings:
                continue
            if name in bodies:
                reader.wrong(f"the name '{name}' is taken already, by a body", key)
            tables = joint_tables()[kind]
            chosen = {k: value for k, value in own.items() if k in tables.arguments and k not in _acting(own)}
            values = tables.values(reader, chosen, key, {**NAMES, **names} if "surface" in chosen else names)
            driven = "drive" in _acting(own)
            motion = ACTING["drive"][0].read(reader, own["drive"], (*key, "drive"), names) if driven else None
            fits = True
            for known, words, what in ((bodies, BODIES, "body"), (made, JOINTS, "joint before")):
                for argument in [word for word in words if word in values]:
                    there = _known(reader, values[argument], known, what, (*key, argument))
                    values[argument], fits = there, fits and there is not None
            if not fits:
                reader.lacks(name)
                continue
            with reader.noting(name), reader.pointing(*key):
                made[name] = tables.make(**values, name=name)
                if driven:
                    drives.append(made[name].drive(motion, f"{name}.drive"))
    return Joined([*made.values(), *drives], {name: own for name, own in given.items() if _acting(own)})


def _acting(own: Mapping[str, Any]) -> list[str]:
    """Keys of a joint's table that say what acts along it."""
    known = joint_tables()[spelled(own["kind"])].arguments
    return [what for what, (kind, _) in ACTING.items() if what in own and known[what].kind is kind]


def along(reader: Reader, whole: Joined, names: Mapping[str, Expression]) -> list[Any]:
    """The motors, springs, dampers and friction of joints."""
    found = []
    by_name = {joint.name: joint for joint in whole.joints}
    for name, own in whole.tables.items():
        for what, (kind, _) in ACTING.items():
            if what in own and what != "drive":
                value = kind.read(reader, own[what], (*KEY, name, what), names)
                with reader.noting(), reader.pointing(*KEY, name, what):
                    if name not in by_name:
                        continue
                    found.append(getattr(by_name[name], what)(value))
    return found


def _known(reader: Reader, name: str, known: Mapping[str, Any], what: str, key: Key) -> Any:
    if name not in known:
        words = nearest(name, known) or f"; there are: {listed(known) or 'none'}"
        if not reader.in_doubt(name, beside=OF_FORMULAS):
            reader.wrong(f"'{name}' is no {what}{words}", key)
    return known.get(name)
