"""What a body or a wheel on a surface looks like: its outside, its contact, the forces at the contact, and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from zeromass.contact.bodies import SphericalBody
from zeromass.expression import Symbol, as_expression, evaluate, symbols
from zeromass.model import Arrow, Chart, Drawing, DrawnBody, Ring, Trail, Wheel
from zeromass.model.given import length

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.contact.sliding import Sliding
    from zeromass.contact.wheels import WheelOnSurface

THIN = 0.04
"""Part of its radius that the rim of a sharp wheel is drawn wide."""


def drawing_on_surface(rolling: Rolling, parameters: Mapping[Symbol, float]) -> Drawing:
    """The drawing of a body that rolls on its surface, or slips, with values of parameters in its sizes."""
    solid, body, contact, center = rolling.solid.at(parameters), rolling.body, rolling.contact, rolling.center
    title = f"{solid.name} on {rolling.surface.name}"
    size, normal = float(solid.size), rolling.normal
    if isinstance(solid, SphericalBody):
        normal = (center - contact) / size  # cheaper than from the surface
    return Drawing(
        title=title[0].upper() + title[1:],
        bodies=(DrawnBody(solid.name, center, body.quaternion, solid.drawn, body),),
        trails=(Trail("contact", contact, "contact"), Trail("centre", center, "center")),
        arrows=(
            Arrow("normal force", contact, rolling.normal_force * normal, "normal"),
            Arrow("friction force", contact, rolling.friction_force, "friction"),
        ),
        charts=(
            Chart("Force (N)", {"normal": rolling.normal_force, "friction": rolling.friction_magnitude}),
            Chart("Friction ratio", {"friction ratio": rolling.friction_ratio}),
            Chart(
                "Energy (J)",
                {
                    "total": rolling.energy,
                    "potential": rolling.potential,
                    "translational": rolling.translational_energy,
                    "rotational": rolling.rotational_energy,
                },
            ),
            Chart("Spin n·ω (rad/s)", {"spin": rolling.spin}, least=length(body.angular_velocity_body)),
        ),
        ground=rolling.surface.drawn(contact, size),
    )


def listed(names: Sequence[str]) -> str:
    """Names as one says them: "floor, wall and ceiling"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def drawing_of_particle(sliding: Sliding) -> Drawing:
    """The drawing of a particle before surfaces: a dot, its path, the force on it, and the surfaces."""
    particle = sliding.particle
    first, *others = [wall.surface.drawn(particle.position, 0.0) for wall in sliding.walls]
    force = sliding.reaction_force
    title = f"{particle.name} on {listed([wall.surface.name for wall in sliding.walls])}"
    return Drawing(
        title=title[0].upper() + title[1:],
        bodies=(DrawnBody(particle.name, particle.position, part=particle),),
        trails=(Trail(particle.name, particle.position),),
        arrows=(Arrow("force", particle.position, force, "normal"),),
        charts=(
            Chart("Speed (m/s)", {"speed": length(particle.velocity)}),
            Chart("Energy (J)", {"total": sliding.energy, "potential": sliding.potential, "kinetic": sliding.kinetic}),
        ),
        ground=first,
        beside=tuple(others),
    )


def drawing_of_wheel(wheel: WheelOnSurface, on_ground: bool) -> Drawing:
    """The rim of a wheel on its surface, the path of its contact, and the forces there."""
    sizes = [as_expression(x) for x in (wheel.rim.radius, wheel.rim.width)]
    radius, width = (evaluate(x, {leaf: leaf.default or 0.0 for leaf in symbols(x)}) for x in sizes)
    width = max(float(width), THIN * float(radius))
    own = all(as_expression(x).value == 0 for x in wheel.b.place)  # the body is the wheel, and drawn itself
    rim = Ring(float(radius), width) if own else Wheel(float(radius), width)
    return Drawing(
        bodies=(DrawnBody(f"rim of {wheel.name}", wheel.b.point, wheel.b.quaternion, rim),),
        trails=(Trail(f"contact of {wheel.name}", wheel.contact, "contact"),),
        arrows=(
            Arrow(f"normal force of {wheel.name}", wheel.contact, wheel.normal_force * wheel.normal, "normal"),
            Arrow(f"friction force of {wheel.name}", wheel.contact, wheel.friction_force, "friction"),
        ),
        ground=wheel.surface.drawn(wheel.contact, float(radius)) if on_ground else None,
    )
