"""Names of what a system has: coordinates, parameters, joints, vectors of bodies, named quantities, multipliers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError, listed, nearest
from zeromass.expression import Expression, acceleration, expressions, rate
from zeromass.model.parts import Part, RigidBody

if TYPE_CHECKING:
    from zeromass.model.system import System

JOINT_MOTIONS = ("angle", "rate", "displacement")
JOINT_FORCES = ("tension", "pull", "power", "pin", "normal_force", "friction_ratio", "stop_force", "force", "torque")
"""Attributes of joints that have names: pin.angle, pin.force.z."""

DERIVATIVE = re.compile(r"(rate|acceleration)\((.*)\)")


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


def joint_motions(joints: Iterable[Any]) -> dict[str, Expression]:
    """Angles, rates and displacements of joints by name, beside their coordinates: pin.rate, rail.displacement."""
    found: dict[str, Expression] = {}
    for joint in joints:
        for what in JOINT_MOTIONS:
            if isinstance(value := getattr(joint, what, None), Expression):
                found[f"{joint.name}.{what}"] = value
        if (contact := getattr(joint, "contact", None)) is not None:
            found |= {f"{joint.name}.contact.{axis}": e for axis, e in zip("xyz", contact, strict=True)}
    return found


def joint_names(joints: Iterable[Any]) -> dict[str, Expression]:
    """All names of joints: also forces and torques, pin.force.z, and powers of drives."""
    joints = list(joints)
    found = joint_motions(joints)
    for joint in joints:
        for what in JOINT_FORCES:
            value = getattr(joint, what, None)
            if isinstance(value, Expression):
                found[f"{joint.name}.{what}"] = value
            elif value is not None and what in ("force", "torque"):
                found |= {f"{joint.name}.{what}.{a}": e for a, e in zip("xyz", expressions(value), strict=True)}
    return found


def names(system: System) -> dict[str, Expression]:
    """All scalars of a system by name: coordinates, quantities, multipliers, parameters, components of vectors.

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


def named(system: System, name: str) -> Expression | np.ndarray:
    """What a name stands for: a scalar, a vector such as "bob.position", or a rate, "rate(theta)".

    >>> from zeromass.model.naming import named
    >>> bob = zm.Particle("bob", mass=1.0)
    >>> system = zm.System([bob], gravity=9.81)
    >>> named(system, "bob.z"), named(system, "rate(bob.z)"), named(system, "bob.velocity").shape
    (bob.z, rate(bob.z), (3,))
    """
    derivative = DERIVATIVE.fullmatch(name.strip())
    if derivative is not None:
        of: Any = named(system, derivative[2])
        return rate(of) if derivative[1] == "rate" else acceleration(of)
    own = coordinate_names(system) | {p.name: p for p in system.parameters}
    if name in own:
        return own[name]
    known: dict[str, Any] = _vector_quantities(system) | vectors(system.parts) | names(system)
    if (found := known.get(name, known.get(name.replace(" ", "_")))) is not None:
        return found
    there = nearest(name, known) or f"; there are: {listed(known) or 'none'}"
    raise ModelError(f"the system has nothing that is called '{name}'{there}")


def _vector_quantities(system: System) -> dict[str, Any]:
    """Named quantities that are vectors, and forces and torques of joints, whole."""
    found = {name.replace(" ", "_"): quantity.expression for name, quantity in system.quantities.items()}
    for joint in system.joints:
        found |= {
            f"{joint.name}.{what}": x for what in ("force", "torque") if (x := getattr(joint, what, None)) is not None
        }
    return found


def meant(system: System, given: Any) -> Any:
    """What a user has given, with expressions instead of names: of one name, or of several in a list."""
    if isinstance(given, str):
        return named(system, given)
    if isinstance(given, list | tuple) and any(isinstance(one, str) for one in given):
        return [meant(system, one) for one in given]
    return given
