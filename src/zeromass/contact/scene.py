"""What bodies on several surfaces look like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from zeromass.contact.looks import listed
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import Symbol, derivative, gradient, substitute, symbols, where
from zeromass.model import Arrow, Chart, Drawing, DrawnBody, Trail
from zeromass.model.drawing import Ground

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts
    from zeromass.contact.pair import Pair


def drawing_of(contacts: Contacts, parameters: Mapping[Symbol, float]) -> Drawing:
    """The bodies, forces at all contacts, what bodies lie on, as far as any of them goes, and all surfaces beside it."""
    solids = [solid.at(parameters) for solid in contacts.solids]
    surfaces = list(dict.fromkeys(_named(pair) for pair in contacts.pairs if pair.other is None))
    title = listed([solid.name for solid in solids]) + (f" on {listed(surfaces)}" if surfaces else "")
    grounds = _grounds(contacts, float(max(solid.size for solid in solids)))
    normals = {pair.name: pair.normal_force for pair in contacts.pairs}
    friction = {pair.name: pair.friction_magnitude for pair in contacts.pairs}
    return Drawing(
        title=title[0].upper() + title[1:],
        bodies=tuple(
            DrawnBody(solid.name, O.position, body.quaternion, solid.drawn, body)
            for solid, body, O in zip(solids, contacts.bodies, contacts.centers, strict=True)
        ),
        trails=tuple(
            Trail(solid.name, O.position, "center") for solid, O in zip(solids, contacts.centers, strict=True)
        ),
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
        ground=grounds[0] if grounds else None,
        beside=grounds[1:],
    )


def _named(pair: Pair) -> str:
    """A surface by its name among those that were given."""
    return pair.name.split(" on ")[-1]


def _grounds(contacts: Contacts, extent: float) -> tuple[Ground, ...]:
    """What bodies lie on, below each of them, and every other surface beside each of them."""
    touching, lying = [pair for pair in contacts.pairs if pair.other is None], _heights(contacts)
    if not touching:
        return ()
    below = [pair for pair in touching if pair.surface in lying]
    upper, name = _upper(lying), " and ".join(dict.fromkeys(_named(pair) for pair in below))
    return (
        *[replace(upper.drawn(pair.point, extent), name=name) for pair in below],
        *[
            replace(_pushed(pair.surface.drawn(pair.point, extent)), name=_named(pair))
            for pair in touching
            if pair.surface not in lying
        ],
    )


def _pushed(ground: Ground) -> Ground:
    """A plane that time or parameters push along its normal, as a plane at rest in axes that they shift."""
    n = gradient(ground.f, ground.place)
    offset = -substitute(ground.f, dict.fromkeys(ground.place, 0.0))
    if symbols(n) or not symbols(offset):
        return ground
    way = n * (offset / (n @ n))
    moved = way if ground.rotation is None else ground.rotation @ way
    return replace(ground, f=n @ ground.place, shift=ground.shift + moved, contact=ground.contact - way)


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


def _upper(surfaces: list[Surface]) -> Surface:
    """What bodies lie on: the highest of surfaces that are heights, such as a groove of two planes; else the only one."""
    if len(surfaces) == 1:
        return surfaces[0]
    X, Y, Z = PLACE
    height = reduce(lambda a, b: where(a > b, a, b), [Z - s.f / derivative(s.f, Z) for s in surfaces])
    return Surface(lambda x, y: substitute(height, {X: x, Y: y}))
