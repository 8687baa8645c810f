"""What formulas of a scenario may name of a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from zeromass.expression import Expression, expressions
from zeromass.model import RigidBody, System
from zeromass.model.parts import Part
from zeromass.scenario.errors import nearest
from zeromass.scenario.joints import joint_names
from zeromass.scenario.reading import OF_FORMULAS, Reader
from zeromass.scenario.source import Key


def coordinate_names(system: System) -> dict[str, Expression]:
    """The coordinates of a system by their names."""
    return {x.name: x for x in system.coordinates}


def vectors(parts: Iterable[Part]) -> dict[str, np.ndarray]:
    """Positions, velocities, quaternions and angular velocities of particles and bodies, by name: top.angular_velocity."""
    found: dict[str, np.ndarray] = {}
    for part in parts:
        own = ("quaternion", "angular_velocity", "angular_velocity_body") if isinstance(part, RigidBody) else ()
        found |= {f"{part.name}.{name}": getattr(part, name) for name in ("position", "velocity", *own)}
    return found


def motion_names(parts: Iterable[Part]) -> dict[str, Expression]:
    """Components of velocities and angular velocities, by name: top.angular_velocity.z."""
    return {
        f"{name}.{axis}": e
        for name, vector in vectors(parts).items()
        if "velocity" in name.rsplit(".", 1)[-1]
        for axis, e in zip("xyz", vector, strict=True)
    }


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
    return {**motion_names(system.parts), **joint_names(system.joints), **found, **coordinate_names(system)}


def named_coordinate(reader: Reader, name: str, known: Mapping[str, Expression], key: Key) -> Expression | None:
    """The coordinate of a name."""
    if name not in known and not reader.in_doubt(name, beside=OF_FORMULAS):
        hint = nearest(name, known) or f"; there are: {', '.join(known)}"
        reader.wrong(f"'{name}' is no coordinate{hint}", key)
    return known.get(name)
