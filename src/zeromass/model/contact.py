"""Contacts of bodies: what a system asks of an element that may touch, and the forces at a point of contact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol
from zeromass.frozen import frozen
from zeromass.model.given import given_all, shown
from zeromass.model.parts import Part

if TYPE_CHECKING:
    from zeromass.model.unilateral import Unilateral


@frozen()
class ContactPoint:
    """The forces at a point where a body touches something.

    point           of contact, three expressions, m
    normal          unit vector towards the body
    normal_force    N, negative where the contact would have to pull
    friction_force  the rest of the force on the body, three expressions, N
    friction_ratio  |F_t|/F_n, the coefficient of friction that is needed; infinite where the surface has to pull
    two_sided       whether the contact can pull
    lost            name of the event at which a one-sided contact ends

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(0.2))
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


class ContactElement(Protocol):
    """A body that may touch something.

    name         what messages and results call it
    bodies       that it moves
    parts        massless ones that it takes
    coordinates  massless ones that it takes beside
    constraints  of these, by name
    usual        first guesses for its coordinates whose natural value is not zero
    unilaterals  its gaps, with forces and friction
    points       forces at its points
    """

    @property
    def name(self) -> str: ...
    @property
    def bodies(self) -> Sequence[Part]: ...
    @property
    def parts(self) -> Sequence[Part]: ...
    @property
    def coordinates(self) -> Sequence[Symbol]: ...
    @property
    def constraints(self) -> Mapping[str, Any]: ...
    @property
    def usual(self) -> Mapping[Symbol, float]: ...
    @property
    def unilaterals(self) -> Sequence[Unilateral]: ...
    @property
    def points(self) -> Sequence[ContactPoint]: ...


def touching(contacts: Iterable[ContactElement], parts: Sequence[Part]) -> tuple[ContactElement, ...]:
    """Contacts of parts of a system, each with a name of its own."""
    if hasattr(contacts, "unilaterals") or hasattr(contacts, "colliders"):
        raise ModelError("contacts is a list of contacts: write [zm.Contact(…)]")
    found: list[Any] = given_all(contacts, object, "contacts", "a zm.Contact(…)")
    known = {id(part) for part in parts}
    for one in found:
        if not (hasattr(one, "unilaterals") or hasattr(one, "colliders")):
            raise ModelError(f"contacts are zm.Contact(…), not {shown(one)}")
        for body in one.bodies:
            if id(body) not in known:
                raise ModelError(f"contact '{one.name}' is one of '{body.name}', which is no part of the system")
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise ModelError(f"two contacts have the name '{twice[0]}'; give each its own with name=…")
    return tuple(found)
