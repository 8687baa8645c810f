"""Joints as plain data, for files: what a loaded system needs of them to change its mode, watch events and tell forces.

A joint comes back as a `LoadedConnection`: its rows, multipliers and coordinates, what of it holds on one side only, where
it lets bodies touch, and its events. The points and axes on its bodies are in the formulas alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Array, Expression, Symbol
from zeromass.frozen import frozen
from zeromass.model.collisions import Collider, Colliders, ContactLaw, LoadedGroup, Polytope
from zeromass.model.connection import Connection
from zeromass.model.constraint import Row
from zeromass.model.contact import ContactPoint
from zeromass.model.event import Event
from zeromass.model.parts import Part
from zeromass.model.unilateral import Unilateral

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model.system import System


@frozen()
class LoadedConnection:
    """A joint of a system that was read from a file; see `zeromass.model.connection.Connection`."""

    name: str
    rows: tuple[Row, ...]
    multipliers: Array
    coordinates: tuple[Symbol, ...]
    contacts: tuple[ContactPoint, ...]
    events: tuple[Event, ...]
    parts: tuple[Part, ...] = ()
    usual: Mapping[Symbol, float] = field(default_factory=dict)
    unilaterals: tuple[Unilateral, ...] = ()


@frozen()
class LoadedForce:
    """A force of a system that was read from a file: the events that it watches."""

    events: tuple[Event, ...]


def connections_record(system: System, w: Writer) -> dict[str, Any]:
    """The data of the joints and forces of a system that change modes, touch, or watch something; nothing of others."""
    joints = [joint for joint in system.joints if joint.contacts or joint.events]
    found: dict[str, Any] = {}
    if joints:
        found["joints"] = [_joint(joint, w) for joint in joints]
    watched = [[event_record(event, w) for event in load.events] for load in system._limited]
    if any(watched):
        found["limited"] = watched
    if system.unilaterals:
        found["unilaterals"] = [unilateral_record(one, w) for one in system.unilaterals]
    if system.colliders is not None:
        found["colliders"] = _colliders(system, system.colliders, w)
    if system._carried:
        found["carried"] = [_fields(contact, w) for contact in system._carried]
    return found


def take_connections(system: System, data: Mapping[str, Any], r: Reader) -> None:
    """Gives a system whose equations are complete what `connections_record` wrote."""
    rows = {row.name: row for row in system.rows}
    λ = dict(zip(rows, system.multipliers, strict=True))
    system.joints = tuple(_read_joint(joint, rows, λ, r) for joint in data.get("joints", ()))
    system._carried = tuple(ContactPoint(**_read_fields(contact, r)) for contact in data.get("carried", ()))
    system.unilaterals = tuple(read_unilateral(one, r) for one in data.get("unilaterals", ()))
    if "colliders" in data:
        system.colliders = _read_colliders(system, data["colliders"], r)
    limited = tuple(LoadedForce(tuple(read_event(event, r) for event in one)) for one in data.get("limited", ()))
    system._limited = limited


def _colliders(system: System, colliders: Colliders, w: Writer) -> dict[str, Any]:
    """The data of collision shapes; bodies by their place among the parts of the system."""
    places = {id(part): k for k, part in enumerate(system.parts)}

    def shape(one: Collider) -> dict[str, Any]:
        p = one.polytope
        numbers = {"points": p.points.tolist(), "planes": p.planes.tolist(), "edges": p.edges.tolist()}
        body = None if one.body is None else places[id(one.body)]
        return {"name": one.name, "body": body, "radius": one.radius, "kind": p.kind, "loops": p.loops, **numbers}

    def law(one: ContactLaw) -> list[Any]:
        return [_value(e, w) for e in (one.friction, one.kinetic, one.restitution, one.creep, one.least_bounce)]

    groups = [
        {"name": group.name, "law": law(group.law), "shapes": list(map(shape, group.colliders))}
        for group in colliders.elements
    ]
    return {"groups": groups, "joined": [[places[id(body)] for body in two] for two in colliders.joined]}


def _read_colliders(system: System, data: Mapping[str, Any], r: Reader) -> Colliders:
    """The collision shapes of their data."""

    def shape(one: Mapping[str, Any]) -> Collider:
        points, planes = np.array(one["points"], dtype=float), np.array(one["planes"], dtype=float).reshape(-1, 4)
        edges = np.array(one["edges"], dtype=np.int64).reshape(-1, 4)
        loops = tuple(map(tuple, one["loops"]))
        indices = [(edges[:, :2], len(points)), (edges[:, 2:] + 1, len(planes) + 1)]
        indices += [(np.array(loop), len(points)) for loop in loops]
        if points.shape[1:] != (3,) or any((i < 0).any() or (i >= n).any() for i, n in indices):  # kernels go by them
            raise ValueError(f"the data of the shape '{one['name']}' has vertices or edges that are none")
        polytope = Polytope(int(one["kind"]), points, planes, loops, edges)
        body = None if one["body"] is None else system.parts[one["body"]]
        return Collider(one["name"], body, polytope, float(one["radius"]))

    groups = [
        LoadedGroup(
            group["name"],
            tuple(map(shape, group["shapes"])),
            ContactLaw(*(_read_value(e, r) for e in group["law"])),
        )
        for group in data["groups"]
    ]
    return Colliders(groups, [(system.parts[a], system.parts[b]) for a, b in data["joined"]])


def unilateral_record(one: Unilateral, w: Writer) -> dict[str, Any]:
    """The data of a unilateral constraint."""
    return _fields(one, w)


def read_unilateral(data: Mapping[str, Any], r: Reader) -> Unilateral:
    """The unilateral constraint of its data."""
    return Unilateral(**_read_fields(data, r))


def event_record(event: Event, w: Writer) -> list[Any]:
    """The data of an event; the words that it finds from a state are left out."""
    said = [event.name, w.array(event.zero), event.direction, event.terminal, event.guard, event.message]
    return said if event.margin is None else [*said, w.array(event.margin)]


def read_event(data: list[Any], r: Reader) -> Event:
    """The event of its data."""
    name, zero, direction, terminal, guard, message, *margin = data
    margins = [r.array(e).item() for e in margin]
    return Event(name, r.array(zero).item(), direction, terminal, guard, message, None, *margins)


def _joint(joint: Connection, w: Writer) -> dict[str, Any]:
    return {
        "name": joint.name,
        "rows": [row.name for row in joint.rows],
        "coordinates": w.array(np.array(joint.coordinates, dtype=object)),
        "contacts": [_fields(contact, w) for contact in joint.contacts],
        "events": [event_record(event, w) for event in joint.events],
    }


def _read_joint(
    data: Mapping[str, Any], rows: Mapping[str, Row], λ: Mapping[str, Symbol], r: Reader
) -> LoadedConnection:
    if data.get("one-sided"):
        raise ValueError(
            f"joint '{data['name']}' of the data slips or lifts as in versions before contacts were elements"
        )
    multipliers = np.empty(len(data["rows"]), dtype=object)
    multipliers[:] = [λ[name] for name in data["rows"]]
    return LoadedConnection(
        data["name"],
        tuple(rows[name] for name in data["rows"]),
        multipliers,
        tuple(r.array(data["coordinates"])),
        tuple(ContactPoint(**_read_fields(contact, r)) for contact in data["contacts"]),
        tuple(read_event(event, r) for event in data["events"]),
    )


def _fields(one: Any, w: Writer) -> dict[str, Any]:
    """The data of a record's fields by name."""
    names = getattr(one, "_fields", None) or [f.name for f in fields(one) if f.init]
    return {name: _value(getattr(one, name), w) for name in names}


def _read_fields(data: Mapping[str, Any], r: Reader) -> dict[str, Any]:
    return {str(name): _read_value(value, r) for name, value in data.items()}


def _value(value: Any, w: Writer) -> Any:
    """The data of a field: words, numbers, formulas, events, or a mapping or tuple of these."""
    if isinstance(value, Expression):
        return {"formula": w.array(value)}
    if isinstance(value, np.ndarray):
        return {"formulas": w.array(value)}
    if isinstance(value, Unilateral):
        return {"unilateral": unilateral_record(value, w)}
    if isinstance(value, Event):
        return {"event": event_record(value, w)}
    if isinstance(value, Mapping) and all(isinstance(e, str) for e in value):
        return {"words": dict(value)}
    if isinstance(value, Mapping):
        return {"by formula": [[w.array(e), _value(x, w)] for e, x in value.items()]}
    if isinstance(value, tuple):
        return [_value(x, w) for x in value]
    return float(value) if isinstance(value, np.floating) else value


def _read_value(data: Any, r: Reader) -> Any:
    if isinstance(data, list):
        return tuple(_read_value(x, r) for x in data)
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    if kind == "formula":
        return r.array(content).item()
    if kind == "formulas":
        return r.array(content)
    if kind == "event":
        return read_event(content, r)
    if kind == "words":
        return content
    if kind == "unilateral":
        return read_unilateral(content, r)
    if kind == "by formula":
        return {r.array(e).item(): _read_value(x, r) for e, x in content}
    raise ValueError(f"the data of a joint has a {kind!r}, which this program does not know")
