"""Rolling bodies as scenario files describe them."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, coordinate, evaluate, symbols
from zeromass.rolling import Rolling, SphericalBody, Surface, ball, shell, surfaces, two_material_shell
from zeromass.scenario import rolling_tables
from zeromass.scenario.reading import Reader
from zeromass.scenario.source import Key

BODIES = {"ball": ball, "shell": shell, "two-material shell": two_material_shell, "custom": SphericalBody}
SURFACES = {
    "plane": surfaces.plane,
    "sphere": surfaces.sphere,
    "cylinder": surfaces.cylinder,
    "cone": surfaces.cone,
    "paraboloid": surfaces.paraboloid,
    "torus": surfaces.torus,
    "dimpled bowl": surfaces.dimpled_bowl,
}


def rolling_model(reader: Reader, given: rolling_tables.Rolling) -> Rolling:
    surface, body = _surface(reader, given.surface), _body(reader, given.body)
    with reader.pointing("rolling"):
        return Rolling(
            body,
            on=surface,
            gravity=gravity(reader, given.gravity, ("rolling", "gravity")),
            spin=given.spin,
            conserve_energy=given.conserve_energy,
            contact=given.contact,
            friction=None if given.friction is None else reader.number(given.friction, ("rolling", "friction")),
        )


def gravity(reader: Reader, given: Any, key: Key) -> Any:
    if given is None:
        return None
    return reader.vector(given, key, {}) if isinstance(given, list) else reader.expression(given, key, {})


def _body(reader: Reader, given: Any) -> SphericalBody:
    key = ("rolling", "body")
    value: dict[str, Any] = {"name": given.name}
    for name, item in given.model_dump(exclude={"name", "kind"}).items():
        read = reader.numbers if isinstance(item, list) else reader.number
        value[name] = read(item, (*key, name))
    with reader.pointing(*key):
        return BODIES[given.kind](**value)


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
    if isinstance(given, rolling_tables.Given):
        shape = _Shape(reader, given)
        with reader.pointing(*key):
            return Surface(shape, side=given.side, name=given.name, **motion)
    own = given.model_dump(exclude={"kind", "shift", "rotation", "velocity"}, exclude_none=True)
    own = {name: x if isinstance(x, bool) else reader.number(x, (*key, name)) for name, x in own.items()}
    with reader.pointing(*key):
        return SURFACES[given.kind](**own, **motion)


class _Shape:
    """f(X, Y, Z) of a formula, for expressions and for numbers."""

    def __init__(self, reader: Reader, given: rolling_tables.Given) -> None:
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
