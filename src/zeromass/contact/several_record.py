"""Bodies on several surfaces as plain data, for files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.cases import ALIKE, kind_of
from zeromass.contact.gripping import Grips
from zeromass.contact.pair import Pair
from zeromass.contact.record import body_record, plain_array, read_body, read_surface, surface_record
from zeromass.contact.skin import Skin
from zeromass.contact.strokes import AT_ONCE
from zeromass.expression import expressions
from zeromass.expression.record import Reader, Writer
from zeromass.model.forces import GeneralizedForce
from zeromass.model.record import read, read_number, written, written_number

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts

FORMULAS = ("normal", "up", "slip_velocity", "slip")
NUMBERS = ("friction", "restitution")


def contacts_record(contacts: Contacts, w: Writer) -> dict[str, Any]:
    """What the system is made of; a case that is not open has the open one with it."""
    if contacts.whole is not contacts:
        shares = [[r, [[i, c] for i, c in parts]] for r, parts in contacts.shares]
        grips = [[[[j, list(v)] for j, v in row] for row in some] for some in contacts.grips]
        return {"modes": list(contacts.modes), "shares": shares, "grips": grips, "whole": written(contacts.whole, w)}
    q = contacts.coordinates
    return {
        "modes": list(contacts.modes),
        "solids": [body_record(solid, w) for solid in contacts.solids],
        "pairs": [_pair(contacts, pair, w) for pair in contacts.pairs],
        "gravity": None if contacts.gravity is None else w.array(contacts.gravity),
        "applied": [[w.array(load.generalized(q)), w.array(load.potential)] for load in contacts.applied],
        "strokes": contacts.strokes,
        "limits": [written_number(x, w) for x in (contacts.creep, contacts.slow, contacts.least_clearance)],
    }


def take_contacts_record(contacts: Contacts, own: dict[str, Any], r: Reader) -> None:
    """Gives a system whose equations are complete what `contacts_record` wrote."""
    contacts.modes, contacts.joints = tuple(own["modes"]), ()
    contacts.shares = tuple((r, tuple((i, c) for i, c in parts)) for r, parts in own.get("shares", ()))
    rows = own.get("grips", ((), ()))
    contacts.grips = Grips(*[tuple(tuple((j, (x, y, z)) for j, (x, y, z) in row) for row in some) for some in rows])
    if "whole" in own:
        whole: Any = read(own["whole"], r)
        for name in ALIKE:
            setattr(contacts, name, getattr(whole, name))
        contacts.whole, contacts.parameters = whole, whole.parameters
        contacts._free = contacts._free._replace(parts=whole.parts)
        contacts.parts = whole.parts
        whole.memory.setdefault("cases", {("open",) * len(whole.pairs): whole})[contacts.modes] = contacts
    else:
        contacts.whole = contacts
        _take(contacts, own, r)
    contacts.kind = kind_of(contacts)


def _take(contacts: Contacts, own: dict[str, Any], r: Reader) -> None:
    contacts.solids = tuple(read_body(data, r) for data in own["solids"])
    count, parts = len(contacts.solids), contacts.parts
    contacts.bodies, contacts.centers = parts[:count], parts[count : 2 * count]  # type: ignore[assignment]
    contacts.pairs = tuple(_read_pair(contacts, data, r) for data in own["pairs"])
    contacts.gravity = None if own["gravity"] is None else plain_array(r.array(own["gravity"]))
    contacts.applied = [
        GeneralizedForce(dict(zip(contacts.coordinates, r.array(Q), strict=True)), potential=r.array(V).item())
        for Q, V in own["applied"]
    ]
    contacts.strokes = own.get("strokes", AT_ONCE)  # files of before
    contacts.creep, contacts.slow, contacts.least_clearance = (read_number(x, r) for x in own["limits"])
    contacts._know(*contacts.limits)


def _pair(contacts: Contacts, pair: Pair, w: Writer) -> dict[str, Any]:
    return {
        "name": pair.name,
        "body": contacts.bodies.index(pair.body),
        "surface": surface_record(pair.surface, w),
        **({} if pair.other is None else {"other": contacts.bodies.index(pair.other)}),
        "parts": [part.name for part in pair.parts],
        "unknowns": w.array(list(pair.unknowns)),
        "gap": w.array(pair.gap),
        "forces": w.array(list(pair.multipliers.values())),
        "force": w.array(pair.force),
        "formulas": {name: w.array(getattr(pair, name)) for name in FORMULAS},
        "numbers": {name: written_number(getattr(pair, name), w) for name in NUMBERS},
    }


def _read_pair(contacts: Contacts, data: dict[str, Any], r: Reader) -> Pair:
    pair, body = object.__new__(Pair), data["body"]
    pair.name, pair.solid = data["name"], contacts.solids[body]
    pair.body, pair.center_particle = contacts.bodies[body], contacts.centers[body]
    surface, other = read_surface(data["surface"], r), data.get("other")
    if other is not None:
        sphere = surface.rotation is None
        surface = Skin(surface.f, contacts.bodies[other], contacts.centers[other], sphere=sphere)
    pair.surface = surface
    named = {part.name: part for part in contacts.parts}
    pair.parts = tuple(named[name] for name in data["parts"])  # type: ignore[misc]
    pair.contact_particle = pair.parts[0]
    pair.unknowns = tuple(r.array(data["unknowns"])) if data.get("unknowns") is not None else ()
    pair.gap = r.array(data["gap"]).item()
    pair._between, pair.constraints = np.asarray(r.array(data["forces"])), {}
    if data.get("force") is not None:  # files of before have all multipliers in inertial axes
        pair.__dict__["force"] = np.asarray(r.array(data["force"]))
    pair._axes = expressions(np.eye(3))
    for name in FORMULAS:
        setattr(pair, name, r.array(data["formulas"][name]))
    for name in NUMBERS:
        setattr(pair, name, read_number(data["numbers"][name], r))
    return pair
