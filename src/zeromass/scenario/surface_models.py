"""Surfaces as scenario files describe them: named, by a formula, or by measured heights."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact import Surface, surfaces
from zeromass.expression import Expression, Symbol, coordinate, evaluate, symbols
from zeromass.scenario import surface_tables
from zeromass.scenario.heights import HeightsError, heights_in
from zeromass.scenario.reading import Reader
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


def surface(reader: Reader, given: Any) -> Surface:
    """The surface of [rolling.surface]."""
    key = ("rolling", "surface")
    motion: dict[str, Any] = {}
    if given.shift is not None:
        motion["shift"] = reader.vector(given.shift, (*key, "shift"), {})
    if given.rotation is not None:
        axis = reader.numbers(given.rotation.axis, (*key, "rotation", "axis"))
        motion["rotation"] = (axis, reader.expression(given.rotation.angle, (*key, "rotation", "angle"), {}))
    if given.velocity is not None:
        motion["velocity"] = _Field(reader, given.velocity, (*key, "velocity"))
    if isinstance(given, surface_tables.Given):
        shape = _Shape(reader, given)
        with reader.pointing(*key):
            return Surface(shape, side=given.side, name=given.name, **motion)
    if isinstance(given, surface_tables.Terrain):
        x, y, z = _heights(reader, given)
        with reader.pointing(*key, *(["file"] if given.file is not None else [])):
            return Surface.from_heights(x, y, z, side=given.side, name=given.name, **motion)
    own = given.model_dump(exclude={"kind", "shift", "rotation", "velocity"}, exclude_none=True)
    own = {name: x if isinstance(x, bool) else reader.number(x, (*key, name)) for name, x in own.items()}
    with reader.pointing(*key):
        return SURFACES[given.kind](**own, **motion)


def _heights(reader: Reader, given: surface_tables.Terrain) -> tuple[Any, Any, Any]:
    """x, y and z of measured terrain, from its file or as they stand."""
    key = ("rolling", "surface")
    if given.file is not None:
        try:
            return heights_in(reader.source.folder, given.file)
        except HeightsError as error:
            raise reader.error(str(error), (*key, "file")) from error
    assert given.x is not None
    assert given.y is not None
    assert given.z is not None
    if len(given.z) != len(given.x):
        words = f"it has {len(given.z)} rows, and x has {len(given.x)} lines; z[i][j] is the height over x[i], y[j]"
        raise reader.error(words, (*key, "z"))
    for i, row in enumerate(given.z):
        if len(row) != len(given.y):
            raise reader.error(f"it has {len(row)} heights, and y has {len(given.y)} lines", (*key, "z", i))
    x, y, z = (reader.numbers(getattr(given, name), (*key, name)) for name in "xyz")
    return x, y, z


class _Shape:
    """f(X, Y, Z) of a formula, for expressions and for numbers."""

    def __init__(self, reader: Reader, given: surface_tables.Given) -> None:
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
