"""What ends a motion at a contact of several: friction that is none, hollows that are too tight, and data that end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zeromass.contact.limits import impossible_friction
from zeromass.contact.pair import Pair
from zeromass.contact.shaped import ImplicitBody
from zeromass.contact.watched import BORDER, FLAT, TIGHT, UPRIGHT, flat_words
from zeromass.expression import Expression, as_expression, where
from zeromass.model import Event
from zeromass.model.given import length

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts


def events_of(contacts: Contacts, pair: Pair) -> list[Event]:
    """Where one point does not tell the contact, or its numbers are none."""
    return [*_while_closed(contacts, pair), *_flat(contacts, pair), *_unknown(pair)]


def _while_closed(contacts: Contacts, pair: Pair) -> list[Event]:
    """Of a contact that touches."""
    found = [
        _guard(event.name, where(pair.unilateral.closed > 0.5, event.zero, 1.0), event.message)
        for event in impossible_friction(
            f"friction of '{pair.name}'", pair.friction, pair.kinetic, length(pair.slip_velocity)
        )
    ]
    room = pair.clearance - contacts.least_clearance
    if pair.other is not None or isinstance(pair.solid, ImplicitBody):  # bodies are convex: they have no hollows
        return found
    if isinstance(room, Expression) and room.value is None:
        words = f"a hollow of '{pair.surface.name}' is as tight as '{pair.solid.name}' is round"
        found.append(_guard(f"{pair.name}: {TIGHT}", where(pair.unilateral.closed > 0.5, room, 1.0), words))
    return found


def _flat(contacts: Contacts, pair: Pair) -> list[Event]:
    """Where the nearest point of an implicit body to a surface has no finite speed: the run passes through."""
    if pair.other is not None or not isinstance(pair.solid, ImplicitBody):
        return []
    room, name = pair.clearance - contacts.least_clearance, TIGHT
    words = f"a hollow of '{pair.surface.name}' is as tight as '{pair.solid.name}' is round"
    if contacts.outside_of(pair).flat:
        name, words = FLAT, flat_words(pair.solid.name, pair.surface.name)
    return [_guard(f"{pair.name}: {name}", room, words, pair.clearance)]


def _unknown(pair: Pair) -> list[Event]:
    """Where nothing is known of the surface, or of the contact: beyond its data, and flat on a face."""
    found = []
    upright = pair.solid.upright(pair.body, pair.normal)
    if upright is not None:
        words = (
            f"a face of '{pair.solid.name}' is along '{pair.surface.name}', and no single point of it is the nearest"
        )
        found.append(_guard(f"{pair.name}: {FLAT}", upright - UPRIGHT, words))
    inside = pair.surface.inside(pair.point)
    if inside is not None:
        words = f"nothing is known of '{pair.surface.name}' beyond the data it is made from"
        found.append(_guard(f"{pair.name}: {BORDER}", inside, words))
    return found


def _guard(name: str, zero: Any, message: str, margin: Expression | None = None) -> Event:
    return Event(name, as_expression(zero), direction=-1, guard=True, message=message, margin=margin)
