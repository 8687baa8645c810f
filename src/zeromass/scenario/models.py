"""The systems that scenario files describe."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, coordinate, evaluate, expressions, symbols
from zeromass.model import Particle, RigidBody, State, System
from zeromass.rolling import Rolling, SphericalBody, Surface, ball, shell, surfaces, two_material_shell
from zeromass.scenario import schema
from zeromass.scenario.reading import Reader, named_coordinate
from zeromass.scenario.source import Key

SURFACES = {
    "plane": surfaces.plane,
    "sphere": surfaces.sphere,
    "cylinder": surfaces.cylinder,
    "cone": surfaces.cone,
    "paraboloid": surfaces.paraboloid,
    "torus": surfaces.torus,
    "dimpled bowl": surfaces.dimpled_bowl,
}


def model(reader: Reader) -> System:
    """The system of a scenario."""
    document = reader.document
    return _rolling(reader, document.rolling) if document.rolling is not None else _system(reader, _given(document))


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
    found: dict[str, Expression] = {f"multiplier.{row.name}": x for row, x in zip(system.rows, system.multipliers, strict=True)}
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


def _rolling(reader: Reader, given: schema.Rolling) -> Rolling:
    surface, body = _surface(reader, given.surface), _body(reader, given.body)
    with reader.pointing("rolling"):
        return Rolling(
            body,
            on=surface,
            gravity=_gravity(reader, given.gravity, ("rolling", "gravity")),
            spin=given.spin,
            conserve_energy=given.conserve_energy,
            contact=given.contact,
            friction=None if given.friction is None else reader.number(given.friction, ("rolling", "friction")),
        )


def _gravity(reader: Reader, given: Any, key: Key) -> Any:
    if given is None:
        return None
    return reader.vector(given, key, {}) if isinstance(given, list) else reader.expression(given, key, {})


def _body(reader: Reader, given: Any) -> SphericalBody:
    key = ("rolling", "body")
    value = {
        name: item
        if isinstance(item, str) and name in ("name", "kind")
        else reader.numbers(item, (*key, name))
        if isinstance(item, list)
        else reader.number(item, (*key, name))
        for name, item in given.model_dump().items()
    }
    kind = value.pop("kind")
    with reader.pointing(*key):
        if kind == "two-material shell":
            return two_material_shell(**{**value, "densities": tuple(value["densities"])})
        return {"ball": ball, "shell": shell, "custom": SphericalBody}[kind](**value)


def _surface(reader: Reader, given: Any) -> Surface:
    key = ("rolling", "surface")
    motion: dict[str, Any] = {}
    if given.shift is not None:
        motion["shift"] = reader.vector(given.shift, (*key, "shift"), {})
    if given.rotation is not None:
        axis = reader.numbers(given.rotation.axis, (*key, "rotation", "axis"))
        motion["rotation"] = (axis, reader.expression(given.rotation.angle, (*key, "rotation", "angle"), {}))
    if given.velocity is not None:
        motion["velocity"] = _Field(reader, given.velocity, (*key, "velocity"))
    if isinstance(given, schema.Given):
        shape = _Shape(reader, given)
        with reader.pointing(*key):
            return Surface(shape, side=given.side, name=given.name, **motion)
    own = given.model_dump(exclude={"kind", "shift", "rotation", "velocity"}, exclude_none=True)
    own = {name: x if isinstance(x, bool) else reader.number(x, (*key, name)) for name, x in own.items()}
    with reader.pointing(*key):
        return SURFACES[given.kind](**own, **motion)


class _Shape:
    """f(X, Y, Z) of a formula, for expressions and for numbers."""

    def __init__(self, reader: Reader, given: schema.Given) -> None:
        self._reader, self._height = reader, given.height is not None
        self._formula = given.height if self._height else given.implicit
        self._key = ("rolling", "surface", "height" if self._height else "implicit")
        self._at: list[Expression] = [coordinate(name) for name in "XYZ"]
        self._zero = self(*self._at)
        _check_place(reader, self._zero, self._key)

    def __call__(self, X: Any, Y: Any, Z: Any) -> Any:
        place = dict(zip("XYZ", (X, Y, Z), strict=True))
        if not all(isinstance(x, Expression) for x in place.values()):
            return evaluate(self._zero, dict(zip(self._at, (X, Y, Z), strict=True)))
        if not self._height:
            return self._reader.expression(self._formula, self._key, place)
        del place["Z"]
        return Z - self._reader.expression(self._formula, self._key, place)


class _Field:
    """Velocity of a surface's material at a position, from three formulas of X, Y, Z and t."""

    def __init__(self, reader: Reader, given: list[Any], key: Key) -> None:
        self._reader, self._given, self._key = reader, given, key
        for e in self(np.array([coordinate(name) for name in "XYZ"], dtype=object)):
            _check_place(reader, e, key)

    def __call__(self, position: Any) -> np.ndarray:
        return self._reader.vector(self._given, self._key, dict(zip("XYZ", position, strict=True)))


def _check_place(reader: Reader, e: Expression, key: Key) -> None:
    if any(isinstance(leaf, Symbol) and leaf.order > 0 for leaf in symbols(e)):
        raise reader.error("a surface is given by X, Y, Z, t and parameters, not by rates", key)


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
    energies = {
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
    forces = {
        named_coordinate(reader, name, names, ("system", "forces", name)): reader.expression(
            value, ("system", "forces", name), names
        )
        for name, value in given.forces.items()
    }
    if not (own or parts):
        raise reader.error("a system has coordinates, particles or bodies", ("system",))
    with reader.pointing("system"):
        return System(
            parts,
            coordinates=own,
            gravity=_gravity(reader, given.gravity, ("system", "gravity")),
            forces=forces or None,
            constraints=constraints,
            **energies,
        )


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
