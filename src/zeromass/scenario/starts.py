"""[system.start] and [system.guess]: values of formulas, and of vectors by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from zeromass.errors import listed, nearest
from zeromass.expression import Expression, Symbol, expressions
from zeromass.model import RigidBody, System
from zeromass.model.naming import coordinate_names, joint_motions, motion_names, vectors
from zeromass.model.prescription import has_formulas
from zeromass.scenario.kinds import Either, Numbers
from zeromass.scenario.reading import OF_FORMULAS, Reader
from zeromass.scenario.source import Key
from zeromass.scenario.tables import Named

VALUES = Numbers("values", ((), (3,), (4,)))
START = Named(Either((VALUES, Named(VALUES))))
"""Values behind formulas and vectors, or behind the name of a part a table of such of its own."""

ORIENTATION = "orientation"
"""Of a body, as a rotation vector: its direction is the axis, its length the angle in rad."""


def prescribed(reader: Reader, given: Mapping[str, Any], key: Key, system: System) -> list[tuple[Any, Any]]:
    """Pairs of expressions, or of arrays of them, and their values."""
    return [(what, value) for what, value, _ in _read(reader, given, key, system)]


def guessed(reader: Reader, given: Mapping[str, Any], key: Key, system: System) -> list[tuple[Any, Any]]:
    """The same of coordinates and rates alone, and of numbers."""
    found = []
    for what, value, place in _read(reader, given, key, system):
        if not all(isinstance(e, Symbol) and e.kind == "coordinate" for e in np.ravel(what)):
            if not reader.in_doubt(str(place[-1])):
                reader.wrong("a guess is of coordinates or their rates", place)
        elif has_formulas(value):
            reader.wrong("a guess is a number; it depends on what [sweep] varies", place)
        else:
            found.append((what, value))
    return found


def _read(reader: Reader, given: Mapping[str, Any], key: Key, system: System) -> Iterator[tuple[Any, Any, Key]]:
    """What has which value, and the key where it stands."""
    known = vectors(system.parts)
    turns = {f"{part.name}.{ORIENTATION}": part for part in system.parts if isinstance(part, RigidBody)}
    shapes = {**{name: vector.shape for name, vector in known.items()}, **dict.fromkeys(turns, (3,))}
    names = {**motion_names(system.parts), **joint_motions(system.joints), **coordinate_names(system)}
    for place, name, value in _flat(given, key):
        if name not in shapes and isinstance(value, list):
            words = nearest(name, shapes) or f"; there are: {listed(shapes) or 'none'}"
            if not reader.in_doubt(name, beside=OF_FORMULAS):
                reader.wrong(f"there is no vector '{name}'{words}", place)
        elif name in shapes and np.shape(value) != shapes[name]:
            there = f"it has {len(value)}" if isinstance(value, list) else "it is one number"
            reader.wrong(f"{there}, and needs {shapes[name][0]} components", place)
        elif name in turns:
            yield turns[name].quaternion, _turn(VALUES.read(reader, value, place, None)), place
        else:
            what = known[name] if name in known else reader.expression(name, place, names)
            yield what, VALUES.read(reader, value, place, None), place


def _flat(given: Mapping[str, Any], key: Key) -> Iterator[tuple[Key, str, Any]]:
    """Each value with its key and what it is of: a table of a part's own says top = { angular_velocity = … }."""
    for name, value in given.items():
        for inner, own in value.items() if isinstance(value, dict) else ():
            yield (*key, name, inner), f"{name}.{inner}", own
        if not isinstance(value, dict):
            yield (*key, name), name, value


def _turn(vector: tuple[float | Expression, ...]) -> np.ndarray:
    """The unit quaternion (cos φ/2, sin φ/2 a) of a rotation vector φ a."""
    if has_formulas(vector):
        v: np.ndarray = expressions(vector)
        angle = np.sqrt(v @ v + np.finfo(float).tiny)  # sin(φ/2)/φ is ½ where there is no turn
    else:
        v = np.array(vector, dtype=float)
        angle = float(np.linalg.norm(v)) or 1.0
    return np.array([np.cos(angle / 2) if np.any(v) else 1.0, *(np.sin(angle / 2) / angle * v)])
