"""The systems that scenario files describe."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact import Rolling
from zeromass.expression import Expression, coordinate, expressions
from zeromass.model import Damper, Particle, RigidBody, Spring, State, System
from zeromass.scenario import schema
from zeromass.scenario.reading import Reader, named_coordinate
from zeromass.scenario.rolling_models import gravity, rolling_model
from zeromass.scenario.source import Key


def model(reader: Reader) -> System:
    """The system of a scenario."""
    document = reader.document
    return (
        rolling_model(reader, document.rolling) if document.rolling is not None else _system(reader, _given(document))
    )


def start(reader: Reader, system: System) -> State:
    """Its start."""
    document = reader.document
    begin = reader.number(document.run.t0, ("run", "t0"))
    if document.rolling is None:
        given, key = _given(document), ("system", "start")
        names = coordinate_names(system)
        pairs = {
            reader.expression(expression, (*key, expression), names): reader.number(value, (*key, expression))
            for expression, value in given.start.items()
        }
        guesses = {
            named_coordinate(reader, name, names, ("system", "guess", name)): reader.number(
                value, ("system", "guess", name)
            )
            for name, value in given.guess.items()
        }
        with reader.pointing(*key):
            return system.start(pairs, t=begin, guess=guesses)
    own, key = document.rolling.start, ("rolling", "start")
    orientation: Any = own.orientation
    if not isinstance(orientation, str):
        orientation = tuple(reader.numbers(orientation, (*key, "orientation")))
    assert isinstance(system, Rolling)
    with reader.pointing(*key):
        return system.start(
            contact=tuple(reader.numbers(own.contact, (*key, "contact"))),
            velocity=tuple(reader.numbers(own.velocity, (*key, "velocity"))),
            spin=None if own.spin is None else reader.number(own.spin, (*key, "spin")),
            orientation=orientation,
            relative=own.relative,
            t=begin,
            guess=reader.number(own.guess, (*key, "guess")),
        )


def coordinate_names(system: System) -> dict[str, Expression]:
    """The coordinates of a system by their names."""
    return {x.name: x for x in system.coordinates}


def names(system: System) -> dict[str, Expression]:
    """All that events and plots of a system may name: coordinates, quantities, multipliers and parameters.

    Blanks become '_' and components are written behind a dot: normal_force, torque_at_contact.x, multiplier.rolling.
    """
    found: dict[str, Expression] = {
        f"multiplier.{row.name}": x for row, x in zip(system.rows, system.multipliers, strict=True)
    }
    for name, quantity in system.quantities.items():
        value = expressions(quantity.expression)
        own = {name: value.item()} if not value.ndim else {f"{name}.{a}": e for a, e in zip("xyz", value, strict=False)}
        found.update(own)
    found.update({p.name: p for p in system.parameters})
    found = {name.replace(" ", "_"): e for name, e in found.items()}
    return {**found, **coordinate_names(system)}


def _given(document: schema.Document) -> schema.System:
    assert document.system is not None
    return document.system


def _system(reader: Reader, given: schema.System) -> System:
    names: dict[str, Expression] = {}
    for i, name in enumerate(given.coordinates):
        key = ("system", "coordinates", i)
        reader.check_name(name, key)
        if name in names or name in reader.parameters:
            raise reader.error(f"the name '{name}' is taken already", key)
        names[name] = coordinate(name)
    own = list(names.values())
    parts = _parts(reader, given)
    names.update({x.name: x for part in parts for x in part.coordinates})
    energies: dict[str, Any] = {
        kind: reader.expression(getattr(given, kind), ("system", kind), names)
        for kind in ("kinetic", "potential", "lagrangian")
        if getattr(given, kind) is not None
    }
    constraints = {
        name: reader.vector(zero, ("system", "constraints", name), names)
        if isinstance(zero, list)
        else reader.expression(zero, ("system", "constraints", name), names)
        for name, zero in given.constraints.items()
    }
    energies.update(_matrices(reader, given, names))
    forces = [_by_coordinate(reader, given.forces, "forces", names), *_between(reader, given, names)]
    nonideal = _by_coordinate(reader, given.nonideal, "nonideal", names)
    if not (own or parts):
        raise reader.error("a system has coordinates, particles or bodies", ("system",))
    with reader.pointing("system"):
        return System(
            parts,
            coordinates=own,
            gravity=gravity(reader, given.gravity, ("system", "gravity")),
            forces=forces,
            constraints=constraints,
            nonideal=nonideal,
            **energies,
        )


def _matrices(reader: Reader, given: schema.System, names: dict[str, Expression]) -> dict[str, np.ndarray]:
    """M and Q, where they are given."""
    n, found = len(given.coordinates), {}
    words = f"there are {n} coordinates"
    if given.M is not None:
        key = ("system", "M")
        if len(given.M) != n:
            raise reader.error(f"it has {len(given.M)} rows, and {words}", key)
        for i, row in enumerate(given.M):
            if len(row) != n:
                raise reader.error(f"it has {len(row)} entries, and {words}", (*key, i))
        found["M"] = np.array([reader.vector(row, (*key, i), names) for i, row in enumerate(given.M)])
    if given.Q is not None:
        if len(given.Q) != n:
            raise reader.error(f"it has {len(given.Q)} entries, and {words}", ("system", "Q"))
        found["Q"] = reader.vector(given.Q, ("system", "Q"), names)
    return found


def _by_coordinate(
    reader: Reader, given: dict[str, Any], kind: str, names: dict[str, Expression]
) -> dict[Expression, Expression]:
    """{coordinate: generalised force}."""
    found = {}
    for name, value in given.items():
        key = ("system", kind, name)
        found[named_coordinate(reader, name, names, key)] = reader.expression(value, key, names)
    return found


def _between(reader: Reader, given: schema.System, names: dict[str, Expression]) -> list[Spring | Damper]:
    """Springs and dampers between points."""
    found: list[Spring | Damper] = []
    for i, spring in enumerate(given.springs):
        key = ("system", "springs", i)
        a, b = reader.vector(spring.a, (*key, "a"), names), reader.vector(spring.b, (*key, "b"), names)
        stiffness, length = (reader.expression(getattr(spring, x), (*key, x), {}) for x in ("stiffness", "length"))
        with reader.pointing(*key):
            found.append(Spring(stiffness, a, b, length=length))
    for i, damper in enumerate(given.dampers):
        key = ("system", "dampers", i)
        a, b = reader.vector(damper.a, (*key, "a"), names), reader.vector(damper.b, (*key, "b"), names)
        with reader.pointing(*key):
            found.append(Damper(reader.expression(damper.damping, (*key, "damping"), {}), a, b))
    return found


def _parts(reader: Reader, given: schema.System) -> list[Any]:
    parts: list[Any] = []
    for kind, tables in (("particles", given.particles), ("bodies", given.bodies)):
        for name, table in tables.items():
            key = ("system", kind, name)
            mass = reader.expression(table.mass, (*key, "mass"), {})
            with reader.pointing(*key):
                if isinstance(table, schema.ParticlePart):
                    parts.append(Particle(name, mass))
                else:
                    parts.append(RigidBody(name, mass, _inertia(reader, table.inertia, (*key, "inertia"))))
    if len({part.name for part in parts}) < len(parts):
        raise reader.error("a particle and a body have the same name", ("system", "bodies"))
    return parts


def _inertia(reader: Reader, given: list[Any], key: Key) -> np.ndarray:
    if isinstance(given[0], list):
        return np.stack([reader.vector(row, (*key, i), {}) for i, row in enumerate(given)])
    return reader.vector(given, key, {})
