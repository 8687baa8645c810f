"""Systems as plain data, for files. Reading it runs no code; what comes back moves in the same way, bit for bit.

The systems of one run are written together, with one list of nodes: the modes of a motion then have the same data of the
system that they are modes of, and reading makes one system of it. So a loaded run changes its mode as before.

A system of a special kind adds what it is made of beside its equations, and takes it back: its kind is registered here by
a name, `@recorded("rolling")` on its class, which has then

    _own_record(w)        what it adds, as plain data, expressions through the Writer w
    _take_record(own, r)  takes that back through the Reader r, once the equations are complete
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from zeromass.expression import Expression, Symbol, expressions
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import Sparse
from zeromass.lazy import later
from zeromass.model.connection_record import connections_record, event_record, read_event, take_connections
from zeromass.model.constraint import Row
from zeromass.model.contact import Supported
from zeromass.model.forces import GeneralizedForce
from zeromass.model.large import Given, formulas_in
from zeromass.model.parts import Part, Particle, RigidBody, unit_quaternion
from zeromass.model.quantity import Quantity
from zeromass.model.system import System
from zeromass.model.unconstrained import Unconstrained, coordinates_in

if TYPE_CHECKING:
    from zeromass.expression import Grid
    from zeromass.expression.record import Reader, Writer
    from zeromass.model.forces import Load

VERSION = 4
"""Of what is written. Version 1 knew no kinds and no events; it is read as a plain system. Up to version 3 each system had
nodes of its own, and joints were not written."""

READ = (1, 2, 3, VERSION)
"""Versions that are read."""

PLAIN = "system"
KINDS: dict[str, type[System]] = {PLAIN: System}
"""The kinds of systems that come back as what they were, by the names that files have for them."""

Kind = TypeVar("Kind", bound=System)


def recorded(name: str) -> Callable[[type[Kind]], type[Kind]]:
    """Registers a class of systems under the name that files have for it."""

    def registered(kind: type[Kind]) -> type[Kind]:
        KINDS[name] = kind
        return kind

    return registered


def to_record(system: System) -> tuple[dict[str, Any], list[Grid]]:
    """The data of a system, expressions, names and named quantities, and the grids that it is given on.

    >>> from zeromass.model.record import from_record, to_record
    >>> x = zm.coordinate("x")
    >>> again = from_record(*to_record(zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)))
    >>> again.energy
    0.5*rate(x)**2 + 0.5*x**2
    """
    (data,), grids = to_records([system])
    return data, grids


def to_records(systems: Sequence[System]) -> tuple[list[dict[str, Any]], list[Grid]]:
    """The data of the systems of a run; the first has the nodes of all of them."""
    from zeromass.expression.record import Writer

    w = Writer()
    records = [{"version": VERSION, **written(system, w)} for system in systems]
    if records:
        records[0]["nodes"] = w.nodes
    return records, w.grids


def from_record(data: dict[str, Any], grids: Sequence[Grid] = ()) -> System:
    """The system of its data and grids."""
    return reader_of(data, grids)[0]


def reader_of(data: dict[str, Any], grids: Sequence[Grid], known: Reader | None = None) -> tuple[System, Reader]:
    """The system of its data and grids, and what reads others of the same run.

    known  what has read the first system of the run
    """
    if data.get("version") not in READ:
        *others, last = READ
        raise ValueError(
            f"the data of the system has version {data.get('version')!r}, this program reads "
            f"{', '.join(map(str, others))} and {last}"
        )
    from zeromass.expression.record import Reader

    r = Reader(data["nodes"], grids) if "nodes" in data or known is None else known
    return read({key: value for key, value in data.items() if key not in ("nodes", "version")}, r), r


def written(system: System, w: Writer) -> dict[str, Any]:
    """The data of a system whose expressions a writer collects."""
    free = system._free
    kind = next(name for base in type(system).__mro__ for name, known in KINDS.items() if known is base)
    return {
        "kind": kind,
        "coordinates": w.array(free.q),
        **_joined(system, w),
        **(_given(free, w) if isinstance(free, Given) else _derived(free, w)),
        "C": w.array(system.C),
        "rows": [_row(row, w) for row in system.rows],
        "multipliers": w.array(system.multipliers),
        "parts": [_part(part, w) for part in free.parts],
        "events": [event_record(event, w) for event in system.events],
        **connections_record(system, w),
        "called": system.mode,
        "parameters": w.array(np.array(system.parameters, dtype=object)),
        "quantities": {
            name: [w.array(item.expression), item.unit, item.label] for name, item in system.quantities.items()
        },
        "own": system._own_record(w),
    }


def read(data: dict[str, Any], r: Reader) -> System:
    """The system of its data, with expressions from a reader; the same one of the same data."""
    key = json.dumps(data)
    known: dict[str, System] = r.systems
    if key not in known:
        known[key] = _new(data, r)
    return known[key]


def _new(data: dict[str, Any], r: Reader) -> System:
    kind = KINDS.get(data.get("kind", PLAIN)) or _later_kind(data["kind"])
    if kind is None:
        raise ValueError(f"the data is of a system of the kind {data['kind']!r}, which this program does not know")
    q, C, multipliers = (r.array(data[name]) for name in ("coordinates", "C", "multipliers"))
    rows = [Row(*row[:3], *[r.array(e).item() for e in row[3:]]) for row in data["rows"]]
    shapes = {"q": (q, (len(q),)), "C": (C, (len(q),)), "λ": (multipliers, (len(rows),))}
    parts = tuple(_read_part(item, r) for item in data["parts"])
    free = _read_given(data, q, parts, r) if "given" in data else _read_derived(data, q, parts, r)
    if "names" in data:
        _check_shape("the names", np.array(data["names"], dtype=object), (len(q),))
        free = free._replace(names=tuple(map(str, data["names"])))
    for name, (array, shape) in shapes.items():
        _check_shape(name, array, shape)
    leaves = {"coordinate": free.q, "multiplier": multipliers}
    if any(not isinstance(e, Symbol) or (e.kind, e.order) != (what, 0) for what, es in leaves.items() for e in es):
        raise ValueError("the data of the system has formulas where its coordinates or multipliers should stand")
    system = object.__new__(kind)
    system._complete(free, rows, C, multipliers)
    system.events = tuple(read_event(item, r) for item in data.get("events", ()))
    system._kept_quantities = {
        name: Quantity(_unwrapped(r.array(e)), unit, label) for name, (e, unit, label) in data["quantities"].items()
    }
    system._take_record(data.get("own", {}), r)
    if kind is KINDS[PLAIN]:
        system.supported = tuple(
            Supported(r.array(position), r.array(mass).item(), tuple(map(r.array, light)))
            for position, mass, light in data.get("supported", ())
        )
        system.mode = data.get("called", system.mode)
        take_connections(system, data, r)
    if "parameters" in data:  # some may stand in events alone, or in what it goes on as
        system.parameters = tuple(r.array(data["parameters"]).tolist())
    return system


def _joined(system: System, w: Writer) -> dict[str, Any]:
    """What a joined system calls its coordinates, and its bodies that surfaces carry; nothing of others."""
    names = {"names": list(system.names)} if system._free.names else {}
    supported = [[w.array(one.position), w.array(one.mass), list(map(w.array, one.light))] for one in system.supported]
    return {**names, "supported": supported} if supported and type(system)._own_record is System._own_record else names


def _check_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:  # machine code goes by them
        raise ValueError(f"the data of the system gives {name} the shape {array.shape}, not {shape}")


def _derived(free: Unconstrained, w: Writer) -> dict[str, Any]:
    """The equations without constraints, as they were derived."""
    return {
        "M": w.array(free.M),
        "Q": w.array(free.Q),
        "energies": {
            name: None if getattr(free, name) is None else w.array(getattr(free, name))
            for name in ("kinetic", "potential", "energy")
        },
    }


def _read_derived(data: dict[str, Any], q: np.ndarray, parts: tuple[Part, ...], r: Reader) -> Unconstrained:
    M, Q = r.array(data["M"]), r.array(data["Q"])
    _check_shape("M", M, (len(q), len(q)))
    _check_shape("Q", Q, (len(q),))
    kinetic, potential, energy = (r.scalar(data["energies"][name]) for name in ("kinetic", "potential", "energy"))
    return Unconstrained(q, Sparse.of(M), Q, kinetic, potential, energy, parts)


def _given(free: Given, w: Writer) -> dict[str, Any]:
    """What a large system was given beside its parts; forces by their components along the coordinates they act on."""
    loads = []
    for load in free.loads:
        own = coordinates_in(formulas_in(vars(load)))
        components = zip(own, expressions(load.generalized(expressions(own))), strict=True)
        told = [[w.array(x), w.array(e)] for x, e in components if e is not ZERO]
        loads.append([told, w.array(load.potential)])
    gravity = None if free.gravity is None else w.array(expressions(free.gravity))
    extra = [None if e is None else w.array(e) for e in free.extra]
    return {"given": {"gravity": gravity, "extra": extra, "loads": loads}}


def _read_given(data: dict[str, Any], q: np.ndarray, parts: tuple[Part, ...], r: Reader) -> Unconstrained:
    given = data["given"]
    loads = [
        GeneralizedForce({r.array(x).item(): r.array(e).item() for x, e in told}, potential=r.array(potential).item())
        for told, potential in given["loads"]
    ]
    kinetic, potential = (r.scalar(e) for e in given["extra"])
    gravity = None if given["gravity"] is None else _unwrapped(r.array(given["gravity"]))
    return cast(Unconstrained, Given(list(parts), cast("list[Load]", loads), q, kinetic, potential, gravity))


def _later_kind(name: str) -> type[System] | None:
    """A kind of system that few programs need, and that is registered once it is imported."""
    homes = {
        "contacts": ("zeromass.contact.contacts", "Contacts"),
        "rolling": ("zeromass.contact.rolling", "Rolling"),
        "sliding": ("zeromass.contact.sliding", "Sliding"),
    }
    if name not in homes:
        return None
    module, kind = homes[name]
    return later(module, kind)


def _unwrapped(array: np.ndarray) -> Any:
    return array.item() if array.ndim == 0 else array


def _row(row: Row, w: Writer) -> list[Any]:
    place = [] if row.place is None else [w.array(row.place)]
    return [row.name, row.group, row.level, w.array(row.zero), *place]


def written_number(value: Any, w: Writer) -> Any:
    """The data of what may be a number, None, or a formula of parameters."""
    return w.array(value) if isinstance(value, Expression) else value


def read_number(data: Any, r: Reader) -> Any:
    """What `written_number` wrote."""
    return r.array(data).item() if isinstance(data, dict) else data


def _part(part: Part, w: Writer) -> dict[str, Any]:
    data = {
        "kind": "RigidBody" if isinstance(part, RigidBody) else "Particle",
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
    part.at = expressions(np.zeros(3))
    if isinstance(part, RigidBody):
        part.inertia, part.quaternion = r.array(data["inertia"]), r.array(data["quaternion"])
        part.orientation = np.array([1.0, 0.0, 0.0, 0.0])
        part.coordinates = np.concatenate([part.position, part.quaternion])
        part.constraints, part.usual = unit_quaternion(part.name, part.quaternion), {part.quaternion[0]: 1.0}
    if not all(isinstance(x, Symbol) for x in part.coordinates):  # a link, whose place follows from joints, or stays
        part.coordinates, part.constraints, part.usual = np.empty(0, dtype=object), {}, {}
    return part
