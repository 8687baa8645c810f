"""What bodies on several surfaces look like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from zeromass.contact.looks import listed
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import Evaluator, Symbol, derivative, expressions, substitute, symbols, where
from zeromass.model import Arrow, Chart, Drawing, DrawnBody, Hull, Trail

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts
    from zeromass.contact.pair import Pair

WIDE, THICK = 3.0, 0.05
"""Half the width of the plate that a plane is drawn as, and its thickness, in sizes of the body beside it."""

CORNERS = np.array([(x, y, z) for z in (-1, 0) for y in (-1, 1) for x in (-1, 1)], dtype=float)
FACES = np.array([int(corner) for corner in "021123456576014154263367042246135375"]).reshape(12, 3)
"""Of a box, by its corners."""


def drawing_of(contacts: Contacts, parameters: Mapping[Symbol, float]) -> Drawing:
    """The bodies, forces at all contacts, the first surface, and of the others planes as plates beside the bodies."""
    solids = [solid.at(parameters) for solid in contacts.solids]
    surfaces = list(dict.fromkeys(pair.name.split(" on ")[-1] for pair in contacts.pairs if pair.other is None))
    title = listed([solid.name for solid in solids]) + (f" on {listed(surfaces)}" if surfaces else "")
    first, heights = contacts.pairs[0], _heights(contacts)
    normals = {pair.name: pair.normal_force for pair in contacts.pairs}
    friction = {pair.name: pair.friction_magnitude for pair in contacts.pairs}
    return Drawing(
        title=title[0].upper() + title[1:],
        bodies=(
            *[
                DrawnBody(solid.name, O.position, body.quaternion, solid.drawn, body)
                for solid, body, O in zip(solids, contacts.bodies, contacts.centers, strict=True)
            ],
            *[
                plate
                for pair in contacts.pairs
                if pair.surface not in heights
                and pair.other is None
                and (plate := _plate(pair, parameters)) is not None
            ],
        ),
        trails=tuple(Trail(O.name, O.position, "center") for O in contacts.centers),
        arrows=tuple(
            arrow
            for pair in contacts.pairs
            for arrow in (
                Arrow(f"normal force, {pair.name}", pair.point, pair.normal_force * pair.normal, "normal"),
                Arrow(f"friction force, {pair.name}", pair.point, pair.friction_force, "friction"),
            )
        ),
        charts=(
            Chart("Normal force (N)", normals),
            Chart("Friction (N)", friction),
            Chart("Gap (m)", {pair.name: pair.gap for pair in contacts.pairs}),
            Chart("Energy (J)", {"total": contacts.energy, "kinetic": contacts.kinetic}),
        ),
        ground=_upper(contacts).drawn(first.point, float(max(solid.size for solid in solids))) if surfaces else None,
    )


def _heights(contacts: Contacts) -> list[Surface]:
    """The first surface, and those beside it, at rest as it is, of which Z is a function of X and Y as well."""
    distinct = list(dict.fromkeys(pair.surface for pair in contacts.pairs if pair.other is None))
    if not distinct or not _is_height(distinct[0]):
        return distinct[:1]
    return [surface for surface in distinct if _is_height(surface)]


def _is_height(surface: Surface) -> bool:
    """Whether a surface at rest in the inertial frame is a height Z(X, Y) with bodies above it, known everywhere."""
    rests = not symbols(surface.shift) and not any(x.value for x in surface.shift) and surface.rotation is None
    slope = derivative(surface.f, PLACE[2])
    rising = slope.value is not None and surface.side * slope.value > 0
    timed = any(leaf.kind == "time" for leaf in symbols(surface.f))
    return bool(rests and rising and not timed and surface.area is None and surface.uniform_velocity is None)


def _upper(contacts: Contacts) -> Surface:
    """What bodies lie on: the highest of surfaces that are heights, such as a groove of two planes; else the first one."""
    surfaces = _heights(contacts)
    if len(surfaces) == 1:
        return surfaces[0]
    X, Y, Z = PLACE
    height = reduce(lambda a, b: where(a > b, a, b), [Z - s.f / derivative(s.f, Z) for s in surfaces])
    named = dict.fromkeys(pair.name.split(" on ")[-1] for pair in contacts.pairs if pair.surface in surfaces)
    return Surface(lambda x, y: substitute(height, {X: x, Y: y}), name=" and ".join(named))


def _plate(pair: Pair, parameters: Mapping[Symbol, float]) -> DrawnBody | None:
    """A plane as a plate beside the body; None of what is no plane, or turns."""
    values = {p: parameters.get(p, p.default) for p in symbols(pair.normal) if p.kind == "parameter"}
    if set(symbols(pair.normal)) - set(values) or any(value is None for value in values.values()):
        return None
    n = np.asarray(Evaluator(pair.normal, list(values))(np.array([float(x or 0.0) for x in values.values()])))
    across = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    across = across / np.linalg.norm(across)
    size = float(pair.solid.at(parameters).size)
    axes = np.stack([WIDE * size * across, WIDE * size * np.cross(n, across), THICK * size * n])
    return DrawnBody(pair.name, expressions(pair.point), None, Hull(CORNERS @ axes, FACES), scenery=True)
