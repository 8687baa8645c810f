"""Rolling bodies as scenario files describe them."""

from __future__ import annotations

from typing import Any

from zeromass.contact import Rolling, SphericalBody, ball, shell, two_material_shell
from zeromass.expression import Expression
from zeromass.model import Damper, Force, RigidBody, Spring, Torque
from zeromass.scenario import rolling_tables
from zeromass.scenario.reading import Reader
from zeromass.scenario.source import Key
from zeromass.scenario.surface_models import surface

BODIES = {"ball": ball, "shell": shell, "two-material shell": two_material_shell, "custom": SphericalBody}
LOADS = ("forces", "torques", "springs", "dampers")
"""Keys of [rolling] that list what acts on the body, beside gravity."""


def rolling_model(reader: Reader, given: rolling_tables.Rolling) -> Rolling:
    """The body of [rolling] on its surface."""
    ground, body = surface(reader, given.surface), _body(reader, given.body)
    loaded = any(getattr(given, kind) for kind in LOADS)
    with reader.pointing("rolling"):
        return Rolling(
            body,
            on=ground,
            gravity=gravity(reader, given.gravity, ("rolling", "gravity")),
            no_spin=given.spin == "none",
            conserve_energy=given.conserve_energy,
            two_sided=given.contact == "two-sided",
            friction=None if given.friction is None else reader.number(given.friction, ("rolling", "friction")),
            forces=(lambda rolling: _loads(reader, given, rolling)) if loaded else None,
        )


def _loads(reader: Reader, given: rolling_tables.Rolling, rolling: Rolling) -> list[Any]:
    """What acts on the body; the formulas may name what `_names` lists."""
    names, found = _names(rolling), []
    for kind in LOADS:
        for i, table in enumerate(getattr(given, kind)):
            key = ("rolling", kind, i)
            with reader.pointing(*key):
                found.append(_load(reader, table, rolling.body, names, key))
    return found


def _load(reader: Reader, table: Any, body: RigidBody, names: dict[str, Expression], key: Key) -> Any:
    def number(name: str) -> Expression:
        return reader.expression(getattr(table, name), (*key, name), {})

    def vector(name: str, names: dict[str, Expression]) -> Any:
        return reader.vector(getattr(table, name), (*key, name), names)

    if isinstance(table, rolling_tables.TorqueTable):
        torque = vector("torque", names)
        return Torque(body.rotate(torque) if table.frame == "body" else torque, on=body)
    at = body.point(vector("at", {}))
    if isinstance(table, rolling_tables.ForceTable):
        return Force(vector("force", names), at=at)
    if isinstance(table, rolling_tables.SpringTable):
        return Spring(number("stiffness"), at, vector("to", {}), length=number("length"))
    return Damper(number("damping"), at, vector("to", {}))


def _names(rolling: Rolling) -> dict[str, Expression]:
    """Coordinates of body, contact and centre, and the components of `normal` and `angular_velocity`."""
    parts = (rolling.body, rolling.contact_particle, rolling.center_particle)
    vectors = {"normal": rolling.normal, "angular_velocity": rolling.body.angular_velocity}
    return {
        **{f"{name}.{axis}": e for name, vector in vectors.items() for axis, e in zip("xyz", vector, strict=True)},
        **{x.name: x for part in parts for x in part.coordinates},
    }


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
