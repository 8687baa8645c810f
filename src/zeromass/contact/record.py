"""Bodies on surfaces as plain data, for files: the body's numbers, the surface's formulas, and what acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.directions import DIRECTION
from zeromass.contact.outlines import Supported
from zeromass.contact.roller import Roller
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.surface import Surface
from zeromass.contact.terrain import Terrain
from zeromass.contact.traced import PLACE, Traced
from zeromass.expression import expressions
from zeromass.expression.build import ZERO
from zeromass.expression.node import Gridded, ordered
from zeromass.expression.record import Reader, Writer
from zeromass.model.connection_record import read_unilateral, unilateral_record
from zeromass.model.forces import GeneralizedForce
from zeromass.model.record import read_number, written_number
from zeromass.model.unilateral import told_apart

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

OPTIONS = (
    "two_sided",
    "no_spin",
    "conserve_energy",
    "friction_coefficient",
    "kinetic_coefficient",
    "rolling_resistance",
    "torsional_friction",
    "restitution",
    "creep",
    "least_clearance",
)


def rolling_record(rolling: Rolling, w: Writer) -> dict[str, Any]:
    """What a rolling system is made of; its parts are kept with its equations, body, contact and centre in this order."""
    q = rolling.coordinates
    return {
        "body": body_record(rolling.solid, w),
        "unknowns": w.array(list(rolling.unknowns)),
        "surface": surface_record(rolling.surface, w),
        "gravity": None if rolling.gravity is None else w.array(rolling.gravity),
        "applied": [[w.array(load.generalized(q)), w.array(load.potential)] for load in rolling.applied],
        "normal": w.array(rolling.normal),
        "gap": w.array(rolling.gap),
        "up": w.array(rolling.up),
        "tangents": None if rolling.unilateral is None else w.array(rolling.tangents),
        "unilaterals": [unilateral_record(one, w) for one in rolling.unilaterals],
        "slip velocity": w.array(rolling.slip_velocity),
        "options": {name: written_number(getattr(rolling, name), w) for name in OPTIONS},
        "further": list(rolling.further),
    }


def take_rolling_record(rolling: Rolling, own: dict[str, Any], r: Reader) -> None:
    """Gives a rolling system whose equations are complete what `rolling_record` wrote."""
    rolling.solid = read_body(own["body"], r)
    rolling.unknowns = tuple(r.array(own["unknowns"])) if own.get("unknowns") is not None else ()
    rolling.surface = read_surface(own["surface"], r)
    rolling.gravity = None if own["gravity"] is None else plain_array(r.array(own["gravity"]))
    rolling.body, rolling.contact_particle, rolling.center_particle = rolling.parts[:3]  # type: ignore[assignment]
    rolling.normal = r.array(own["normal"])
    rolling.gap = r.array(own["gap"]).item() if "gap" in own else ZERO
    rolling.up = r.array(own["up"]) if "up" in own else rolling.normal
    rolling.unilaterals = told_apart(read_unilateral(one, r) for one in own.get("unilaterals", ()))
    if rolling.unilaterals:
        rolling.tangents = r.array(own["tangents"])
        rolling.unilateral = rolling.unilaterals[0]
    rolling.slip_velocity = r.array(own["slip velocity"])
    rolling.applied = [
        GeneralizedForce(dict(zip(rolling.coordinates, r.array(Q), strict=True)), potential=r.array(V).item())
        for Q, V in own["applied"]
    ]
    for name in OPTIONS:
        setattr(rolling, name, read_number(own["options"].get(name), r))
    if "kinetic_coefficient" not in own["options"]:  # files of before
        rolling.kinetic_coefficient = rolling.friction_coefficient
    if "unilaterals" not in own and rolling.changes:
        raise ValueError(
            "the file has a body that slips, rests or flies as programs before 2.0 kept it: read it with one of them"
        )
    rolling.further = tuple(map(str, own.get("further", ())))
    rolling._know(*rolling.limits)
    rolling._support()


def surface_record(surface: Surface, w: Writer) -> dict[str, Any]:
    """The formulas of a surface in the symbols X, Y, Z, and its name, side and area."""
    given = surface.velocity_formula() if surface.has_velocity else None
    return {
        "kind": "terrain" if isinstance(surface, Terrain) else "surface",
        "name": surface.name,
        "place": w.array(PLACE),
        "f": w.array(surface.f),
        "shift": w.array(surface.shift),
        "rotation": None if surface.rotation is None else w.array(surface.rotation),
        "velocity": None if given is None else w.array(given),
        "uniform": surface.uniform_velocity is not None,
        "side": surface.side,
        "area": None if surface.area is None else np.asarray(surface.area).tolist(),
    }


def read_surface(data: dict[str, Any], r: Reader) -> Surface:
    """The surface of its data."""
    surface = object.__new__(Terrain if data["kind"] == "terrain" else Surface)
    surface.name, surface.side = data["name"], data["side"]
    surface.f = r.array(data["f"]).item()
    surface._shape = Traced(surface.f)
    surface.shift = r.array(data["shift"])
    surface.rotation = None if data["rotation"] is None else r.array(data["rotation"])
    velocity = None if data["velocity"] is None else r.array(data["velocity"])
    surface._velocity = velocity if velocity is None or data["uniform"] else Traced(velocity)
    surface.area = None if data["area"] is None else np.array(data["area"])
    if isinstance(surface, Terrain):
        surface.grid = next(node.grid for node in ordered([surface.f]) if isinstance(node, Gridded))
    return surface


def body_record(body: Roller, w: Writer) -> dict[str, Any]:
    """The numbers of a body, and the formula of its outside."""
    numbers = {
        "mass": written_number(body.mass, w),
        "inertia": w.array(body.inertia),
        "center_of_mass": [written_number(x, w) for x in plain_array(expressions(body.center_of_mass))],
        "name": body.name,
    }
    if isinstance(body, SphericalBody):
        return {"radius": written_number(body.radius, w), **numbers}
    size = {"size": written_number(body.size, w)}
    if isinstance(body, ImplicitBody):
        return {"implicit": w.array(body.formula), "place": w.array(PLACE), **size, **numbers}
    assert isinstance(body, ConvexBody)
    return {"support": w.array(body.support), "direction": w.array(DIRECTION), **size, **numbers}


def read_body(data: dict[str, Any], r: Reader) -> Roller:
    """The body of its data."""
    mass, *center = (read_number(x, r) for x in (data["mass"], *data["center_of_mass"]))
    rest = (mass, plain_array(r.array(data["inertia"])), tuple(center), data["name"])
    if "implicit" in data:
        return ImplicitBody(r.array(data["implicit"]).item(), *rest, read_number(data["size"], r))
    if "support" in data:
        return ConvexBody(Supported(r.array(data["support"]), read_number(data["size"], r)), *rest)
    return SphericalBody(read_number(data["radius"], r), *rest)


def plain_array(array: np.ndarray) -> Any:
    """An array of numbers where all expressions in it are constant; what is in it instead of an array without axes."""
    values = [e.value for e in expressions(array).ravel()]
    found = array if None in values else np.array(values, dtype=float).reshape(array.shape)
    return found if found.ndim else found.item()
