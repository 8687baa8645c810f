"""The contact of a body with what carries it, as a system tells of it."""

from __future__ import annotations

from typing import NamedTuple

from zeromass.expression import Array, Expression
from zeromass.frozen import frozen


@frozen()
class Contact:
    """The forces at a point where a body touches something.

    point           of contact, three expressions, m
    normal          unit vector towards the body
    normal_force    N, negative where the contact would have to pull
    friction_force  the rest of the force on the body, three expressions, N
    friction_ratio  |F_t|/F_n, the coefficient of friction that is needed; infinite where the surface has to pull
    two_sided       whether the contact can pull
    lost            name of the event at which a one-sided contact ends

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(0.2))
    >>> contact, = ball.contacts
    >>> bool(np.isclose(ball.start(contact=(0, 0))[contact.friction_ratio], 2 / 7 * np.tan(0.2)))
    True
    """

    name: str
    point: Array
    normal: Array
    normal_force: Expression
    friction_force: Array
    friction_ratio: Expression
    two_sided: bool = False
    lost: str = "contact lost"


class Supported(NamedTuple):
    """A body whose force from its surface is told by its acceleration.

    position  of its mass centre, m
    mass      kg
    light     positions of its contact and centre, which have no mass: forces on them act on the body
    """

    position: Array
    mass: Expression
    light: tuple[Array, ...]
