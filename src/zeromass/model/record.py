"""Systems as plain data, for files. Reading it runs no code; what comes back moves in the same way, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.expression import Grid, rate
from zeromass.expression.record import Reader, Writer
from zeromass.model.constraint import Row
from zeromass.model.parts import Part, Particle, RigidBody
from zeromass.model.quantity import Quantity
from zeromass.model.system import System
from zeromass.model.unconstrained import Unconstrained

VERSION = 1


def to_record(system: System) -> tuple[dict[str, Any], list[Grid]]:
    """The data of a system, expressions, names and named quantities, and the grids that it is given on."""
    w = Writer()
    free = system._free
    data = {
        "version": VERSION,
        "coordinates": w.array(free.q),
        "M": w.array(free.M),
        "Q": w.array(free.Q),
        "C": w.array(system.C),
        "rows": [[row.name, row.group, row.level, w.array(row.zero)] for row in system.rows],
        "multipliers": w.array(system.multipliers),
        "energies": {
            name: None if getattr(free, name) is None else w.array(getattr(free, name))
            for name in ("kinetic", "potential", "energy")
        },
        "parts": [_part(part, w) for part in free.parts],
        "quantities": {
            name: [w.array(item.expression), item.unit, item.label] for name, item in system.quantities.items()
        },
    }
    data["nodes"] = w.nodes
    return data, w.grids


def from_record(data: dict[str, Any], grids: Sequence[Grid] = ()) -> System:
    """The system of its data and grids."""
    if data.get("version") != VERSION:
        raise ValueError(f"the data of the system has version {data.get('version')!r}, this program reads {VERSION}")
    r = Reader(data["nodes"], grids)
    free = Unconstrained(
        r.array(data["coordinates"]),
        r.array(data["M"]),
        r.array(data["Q"]),
        r.scalar(data["energies"]["kinetic"]),
        r.scalar(data["energies"]["potential"]),
        r.scalar(data["energies"]["energy"]),
        tuple(_read_part(item, r) for item in data["parts"]),
    )
    rows = [Row(name, group, level, r.array(zero).item()) for name, group, level, zero in data["rows"]]
    system = object.__new__(System)
    system._complete(free, rows, r.array(data["C"]))
    system.multipliers = r.array(data["multipliers"])
    system.__dict__["quantities"] = {
        name: Quantity(_unwrapped(r.array(e)), unit, label) for name, (e, unit, label) in data["quantities"].items()
    }
    return system


def _unwrapped(array: np.ndarray) -> Any:
    return array.item() if array.ndim == 0 else array


def _part(part: Part, w: Writer) -> dict[str, Any]:
    data = {
        "kind": type(part).__name__,
        "name": part.name,
        "mass": w.array(part.mass),
        "position": w.array(part.position),
    }
    if isinstance(part, RigidBody):
        data["inertia"], data["quaternion"] = w.array(part.inertia), w.array(part.quaternion)
    return data


def _read_part(data: dict[str, Any], r: Reader) -> Part:
    kind = {"Particle": Particle, "RigidBody": RigidBody}[data["kind"]]
    part = object.__new__(kind)
    part.name, part.mass, part.position = data["name"], r.array(data["mass"]).item(), r.array(data["position"])
    part.coordinates, part.constraints, part.usual = part.position, {}, {}
    part.kinetic = part.mass / 2 * (rate(part.position) @ rate(part.position))
    if isinstance(part, RigidBody):
        part.inertia, part.quaternion = r.array(data["inertia"]), r.array(data["quaternion"])
        part.coordinates = np.concatenate([part.position, part.quaternion])
        omega = part.angular_velocity_body
        part.kinetic = part.kinetic + omega @ part.inertia @ omega / 2
        part.usual = {part.quaternion[0]: 1.0}
    return part
