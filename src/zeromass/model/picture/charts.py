"""Charts of a system that asks for none: energies, speeds, angular speeds; coordinates where energies are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.model.drawing import Chart
from zeromass.model.errors import ModelError
from zeromass.model.given import length
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.model.system import System

MANY = 4
"""Parts, or coordinates, of which a title or a chart names no more."""


def usual_charts(system: System) -> tuple[Chart, ...]:
    """Energy, speed and angular speed of the parts, or the coordinates."""
    coordinates = Chart("Coordinates (SI)", {x.name: x for x in system.coordinates[:MANY]})
    if not system.has_energy:
        return (coordinates,)
    energies = {"total": system.energy}
    for name in ("potential", "kinetic"):
        try:
            energies[name] = getattr(system, name)
        except ModelError:  # a Lagrangian need not say which of its terms is which
            continue
    charts = [Chart("Energy (J)", energies)]
    moving = system.parts[:MANY]
    if moving:
        charts.append(Chart("Speed (m/s)", {part.name: length(part.velocity) for part in moving}))
    else:
        charts.append(coordinates)
    turning = [part for part in system.parts if isinstance(part, RigidBody)][:MANY]
    if turning:
        rates = {part.name: length(part.angular_velocity_body) for part in turning}
        charts.append(Chart("Angular speed (rad/s)", rates))
    return tuple(charts)
