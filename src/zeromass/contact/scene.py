"""What bodies on several surfaces look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from zeromass.expression import Symbol
from zeromass.model import Arrow, Chart, Drawing, DrawnBody, Trail

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts


def drawing_of(contacts: Contacts, parameters: Mapping[Symbol, float]) -> Drawing:
    """The bodies, forces at all contacts, and the first surface below them."""
    solids = [solid.at(parameters) for solid in contacts.solids]
    names = " and ".join(solid.name for solid in solids)
    surfaces = list(dict.fromkeys(pair.surface.name for pair in contacts.pairs))
    title = f"{names} on {', '.join(surfaces)}"
    first = contacts.pairs[0]
    normals = {pair.name: pair.normal_force for pair in contacts.pairs}
    friction = {pair.name: pair.friction_magnitude for pair in contacts.pairs}
    return Drawing(
        title=title[0].upper() + title[1:],
        bodies=tuple(
            DrawnBody(solid.name, O.position, body.quaternion, solid.drawn, body)
            for solid, body, O in zip(solids, contacts.bodies, contacts.centers, strict=True)
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
