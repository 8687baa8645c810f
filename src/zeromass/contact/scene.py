"""What bodies on several surfaces look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Evaluator, Symbol, expressions, symbols
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
    names = " and ".join(solid.name for solid in solids)
    surfaces = list(dict.fromkeys(pair.name.split(" on ")[-1] for pair in contacts.pairs))
    title = f"{names} on {', '.join(surfaces)}"
    first = contacts.pairs[0]
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
                if pair.surface is not first.surface and (plate := _plate(pair, parameters)) is not None
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
        ground=first.surface.drawn(first.point, float(max(solid.size for solid in solids))),
    )


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
