"""[contacts]: bodies before several surfaces, which they may touch and leave, and their start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from zeromass.contact import Contacts, surfaces
from zeromass.contact import bodies as balls
from zeromass.errors import listed, nearest
from zeromass.model import State
from zeromass.model.naming import motion_names
from zeromass.scenario.friction import VALUE
from zeromass.scenario.kinds import Either, Flag, Numbers, Problem, Words
from zeromass.scenario.reading import Follows, Reader
from zeromass.scenario.rolling import BODY, GRAVITY
from zeromass.scenario.rolling import LOADS as ON_A_BODY
from zeromass.scenario.signatures import table
from zeromass.scenario.source import dotted
from zeromass.scenario.surfaces import SURFACE
from zeromass.scenario.tables import Argument, Items, Named, Table

KEY = ("contacts",)
NAME = Words(longest=60, name=True)
BY_NAME = Words(longest=120)
OF_EACH = Either((VALUE, Named(VALUE, BY_NAME)))
"""A number for all surfaces, or one for each by its name."""

PLACE, TURN = Numbers("values", ((3,),)), Numbers("values", ((3,), (4,)))

LOADS = {
    kind: replace(
        load,
        arguments={
            "body": Argument(BY_NAME, words="its name; it may be left out where there is one"),
            **load.arguments,
        },
    )
    for kind, load in ON_A_BODY.items()
}
"""Keys of [contacts] that list what acts on the bodies, beside gravity."""


def _of_bodies(one: Numbers) -> Either:
    """Of the body, or {name of the body: …} of several."""
    return Either((one, Named(one, BY_NAME)))


START = table(
    Contacts.start,
    without=("self", "prescribed", "t", "parameters", "guess"),
    said={
        **dict.fromkeys(("center", "velocity", "angular_velocity"), _of_bodies(PLACE)),
        "orientation": _of_bodies(TURN),
        "touching": Items(BY_NAME),
    },
)
START = replace(START, arguments={**START.arguments, "center": replace(START.arguments["center"], required=True)})
OWN = table(
    Contacts,
    without=("bodies", "on", "forces"),
    said={
        "gravity": GRAVITY,
        "between": Either((Flag(), Items(Items(BY_NAME)))),
        **dict.fromkeys(("friction", "restitution"), OF_EACH),
        **dict.fromkeys(("creep", "least_clearance"), VALUE),
    },
    means={
        "between": 'whether bodies touch one another: true, or pairs of their names, [["red", "white"]]',
        "friction": "coefficient μ of all contacts, or a table with one for each surface by name, and one for contacts "
        "between bodies; there is always enough without it",
        "restitution": "coefficient e of impulses, 0 to 1, of all contacts, or a table with one for each surface by name, "
        "and one for contacts between bodies",
        "least_clearance": "ratio at which a hollow counts as too tight for a body, and the run ends; 1 on a plane",
    },
)


def _named_once(given: dict[str, Any]) -> Iterator[Problem]:
    for kind in ("bodies", "surfaces"):
        own_kind = given.get(kind, {})
        if not own_kind and not (kind == "surfaces" and given.get("between")):
            yield (kind,), f"there is none; it takes one at least, [contacts.{kind}.NAME]"
        for name, own in own_kind.items():
            if "name" in own:
                yield (kind, name, "name"), f"it is named '{name}' by its table; leave this out"


TABLE = Table(
    {
        "bodies": Argument(Named(BODY, NAME), required=True, words="what moves, by name"),
        "surfaces": Argument(
            Named(SURFACE, NAME), words="what they may touch, by name; none where bodies touch one another only"
        ),
        **OWN.arguments,
        **{kind: Argument(Items(load), words=load.words) for kind, load in LOADS.items()},
        "start": Argument(START, required=True, words=START.words),
    },
    rule=_named_once,
    words=OWN.words,
    instead={
        "bodies": {"body": {"kind": "ball", "radius": 1.0, "mass": 1.0}},
        "surfaces": {"surface": {"kind": "plane"}},
    },
)


def model(reader: Reader, given: dict[str, Any]) -> Contacts:
    """The bodies and their surfaces."""
    read: dict[str, dict[str, Any]] = {"bodies": {}, "surfaces": {}}
    for kind, kinds in (("bodies", BODY), ("surfaces", SURFACE)):
        for name, own in given.get(kind, {}).items():
            read[kind][name] = surfaces.plane() if kind == "surfaces" else balls.ball(radius=1.0, mass=1.0, name=name)
            with reader.noting():
                read[kind][name] = kinds.read(reader, {**own, "name": name}, (*KEY, kind, name), None)
    for name, surface in read["surfaces"].items():
        surface.name = name
    forces = (lambda contacts: _loads(reader, given, contacts)) if any(given.get(kind) for kind in LOADS) else None
    values = OWN.values(reader, given, KEY, None)
    with reader.noting(), reader.pointing(*KEY):
        return Contacts(list(read["bodies"].values()), on=read["surfaces"], forces=forces, **values)
    plain = [balls.ball(radius=1.0, mass=1.0, name=name) for name in given["bodies"]]  # for names in the rest
    named = given.get("surfaces") or {"surface": None}
    whole = Contacts(plain, on={name: surfaces.plane() for name in named})
    _loads(reader, given, whole)
    return whole


def start(reader: Reader, given: dict[str, Any], system: Contacts, t: float) -> Callable[[], State]:
    """Its start, to be solved for."""
    key = (*KEY, "start")
    values = START.values(reader, given["start"], key, None)
    if len(system.bodies) == 1:
        values = {word: _alone(reader, value, system, (*key, word)) for word, value in values.items()}
    return lambda: system.start(t=t, **values)


def _alone(reader: Reader, value: Any, system: Contacts, key: tuple[str, ...]) -> Any:
    """What is said of the one body there is, with its name or without."""
    if not isinstance(value, dict):
        return value
    return value[_known(reader, next(iter(value), ""), system, key)]


def _known(reader: Reader, name: str, system: Contacts, key: tuple[str | int, ...]) -> str:
    names = [body.name for body in system.bodies]
    if name not in names:
        words = f"there is no body '{name}'{nearest(name, names) or f'; there are: {listed(names)}'}"
        raise Follows(words, key=dotted(key)) if reader.in_doubt(name) else reader.error(words, key)
    return name


def _loads(reader: Reader, given: dict[str, Any], contacts: Contacts) -> list[Any]:
    """What acts on the bodies; formulas may name coordinates and velocities of all of them."""
    names, found = {**motion_names(contacts.bodies), **_coordinates(contacts)}, []
    by_name = {body.name: body for body in contacts.bodies}
    for kind, load in LOADS.items():
        for i, item in enumerate(given.get(kind, ())):
            key = (*KEY, kind, i)
            with reader.noting(), reader.pointing(*key):
                own = {word: value for word, value in item.items() if word != "body"}
                values = load.values(reader, own, key, names)  # before its body, which there may not be
                if "body" not in item and len(by_name) > 1 and not reader.lost(*key, "body"):
                    raise reader.error("there are several bodies: which one does it act on?", key)
                name = _known(reader, item.get("body", next(iter(by_name))), contacts, (*key, "body"))
                found.append(load.make(by_name[name], **values))
    return found


def _coordinates(contacts: Contacts) -> dict[str, Any]:
    one, found = len(contacts.bodies) == 1, {x.name: x for body in contacts.bodies for x in body.coordinates}
    for body, O in zip(contacts.bodies, contacts.centers, strict=True):
        found |= dict(zip([f"{'' if one else body.name + ' '}center.{x}" for x in "xyz"], O.position, strict=True))
    return found
