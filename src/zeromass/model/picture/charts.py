"""Charts of a system that asks for none: energies, speeds, angular speeds; coordinates where energies are not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from zeromass.errors import ModelError
from zeromass.model.drawing import Chart
from zeromass.model.given import length
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.model.system import System

P = TypeVar("P")

MANY = 4
"""Parts, or coordinates, of which a title or a chart names no more."""

CROWD = 12
"""Parts from which on only those in the charts leave trails, and have colours of their own."""


def usual_charts(system: System) -> tuple[Chart, ...]:
    """Energy, speed and angular speed of the parts, or the coordinates."""
    coordinates = Chart("Coordinates (SI)", dict(zip(system.names[:MANY], system.coordinates[:MANY], strict=True)))
    if not system.has_energy:
        return (coordinates,)
    energies = {"total": system.energy}
    for name in ("potential", "kinetic"):
        try:
            energies[name] = getattr(system, name)
        except ModelError:  # a Lagrangian need not say which of its terms is which
            continue
    charts = [Chart("Energy (J)", energies)]
    moving = some(system.parts)
    if moving:
        charts.append(Chart("Speed (m/s)", {part.name: length(part.velocity) for part in moving}))
    else:
        charts.append(coordinates)
    turning = some([part for part in system.parts if isinstance(part, RigidBody)])
    if turning:
        rates = {part.name: length(part.angular_velocity_body) for part in turning}
        charts.append(Chart("Angular speed (rad/s)", rates))
    return tuple(charts)


def some(parts: Sequence[P]) -> list[P]:
    """All parts, or of many a few from the first to the last: neighbours in a chain tell the same."""
    last = len(parts) - 1
    return list(parts) if last < MANY else [parts[round(k * last / (MANY - 1))] for k in range(MANY)]
