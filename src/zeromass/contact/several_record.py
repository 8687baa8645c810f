"""Bodies on several surfaces as plain data, for files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.pair import Pair
from zeromass.contact.pose import Pose
from zeromass.contact.record import body_record, plain_array, read_body, read_surface, surface_record
from zeromass.contact.skin import skin_of
from zeromass.expression.record import Reader, Writer
from zeromass.model.connection_record import read_unilateral, unilateral_record
from zeromass.model.forces import GeneralizedForce
from zeromass.model.record import read_number, written_number
from zeromass.model.unilateral import told_apart

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts

FORMULAS = ("point", "normal", "up", "slip_velocity", "tangents")
NUMBERS = ("friction", "kinetic", "restitution")


def contacts_record(contacts: Contacts, w: Writer) -> dict[str, Any]:
    """What the system is made of."""
    q = contacts.coordinates
    return {
        "solids": [body_record(solid, w) for solid in contacts.solids],
        "pairs": [_pair(contacts, pair, w) for pair in contacts.pairs],
        "centers": [None if O in contacts.bodies else O.name for O in contacts.centers],
        "gravity": None if contacts.gravity is None else w.array(contacts.gravity),
        "applied": [[w.array(load.generalized(q)), w.array(load.potential)] for load in contacts.applied],
        "impacts": contacts.impacts,
        "limits": [written_number(x, w) for x in (contacts.creep, contacts.least_clearance)],
    }


def take_contacts_record(contacts: Contacts, own: dict[str, Any], r: Reader) -> None:
    """Gives a system whose equations are complete what `contacts_record` wrote."""
    from zeromass.contact.contacts import SIMULTANEOUS

    if "modes" in own:
        raise ValueError("the file has several contacts as programs before 2.0 kept them, which this one does not read")
    contacts.joints = ()
    contacts.solids = tuple(read_body(data, r) for data in own["solids"])
    named = {part.name: part for part in contacts.parts}
    bodies: Any = contacts.parts[: len(contacts.solids)]
    contacts.bodies = bodies
    contacts.centers = tuple(
        body if name is None else named[name] for body, name in zip(bodies, own["centers"], strict=True)
    )
    contacts.pairs = tuple(_read_pair(contacts, data, r) for data in own["pairs"])
    contacts.unilaterals = told_apart(pair.unilateral for pair in contacts.pairs)
    contacts.gravity = None if own["gravity"] is None else plain_array(r.array(own["gravity"]))
    contacts.applied = [
        GeneralizedForce(dict(zip(contacts.coordinates, r.array(Q), strict=True)), potential=r.array(V).item())
        for Q, V in own["applied"]
    ]
    contacts.impacts = own["impacts"]
    contacts.simultaneous_impacts = contacts.impacts == SIMULTANEOUS
    contacts.creep, contacts.least_clearance = (read_number(x, r) for x in own["limits"])
    contacts._know(*contacts.limits)


def _pair(contacts: Contacts, pair: Pair, w: Writer) -> dict[str, Any]:
    return {
        "name": pair.name,
        "body": _place(contacts, pair.body),
        "surface": surface_record(pair.surface, w),
        **({} if pair.other is None else {"other": _place(contacts, pair.other)}),
        "parts": [part.name for part in pair.parts],
        "unknowns": w.array(list(pair.unknowns)),
        "coordinates": w.array(list(pair.coordinates)),
        "gap": w.array(pair.gap),
        "unilateral": unilateral_record(pair.unilateral, w),
        "formulas": {name: w.array(getattr(pair, name)) for name in FORMULAS},
        "numbers": {name: written_number(getattr(pair, name), w) for name in NUMBERS},
    }


def _read_pair(contacts: Contacts, data: dict[str, Any], r: Reader) -> Pair:
    pair = object.__new__(Pair)
    pair.name, pair.shape, pair.pose = data["name"], contacts.solids[data["body"]], _pose(contacts, data["body"])
    surface, other = read_surface(data["surface"], r), data.get("other")
    pair.surface = surface if other is None else skin_of(contacts.solids[other], _pose(contacts, other))
    named = {part.name: part for part in contacts.parts}
    pair.parts = tuple(named[name] for name in data["parts"])  # type: ignore[misc]
    pair.unknowns = tuple(r.array(data["unknowns"])) if data.get("unknowns") is not None else ()
    pair.coordinates, pair.gap = tuple(r.array(data["coordinates"])), r.array(data["gap"]).item()
    pair.unilateral, pair.constraints = read_unilateral(data["unilateral"], r), {}
    for name in FORMULAS:
        setattr(pair, name, np.asarray(r.array(data["formulas"][name])))
    for name in NUMBERS:
        setattr(pair, name, read_number(data["numbers"][name], r))
    return pair


def _place(contacts: Contacts, body: Any) -> int:
    return contacts.bodies.index(body)


def _pose(contacts: Contacts, k: int) -> Pose:
    return Pose.about(contacts.bodies[k], contacts.centers[k])
