"""What contacts that were found among shapes do from one piece of a motion to the next, for results."""

from __future__ import annotations

from collections.abc import Mapping

from zeromass.integrate.hybrid.pieces import FoundContacts
from zeromass.model.collisions import Colliders
from zeromass.model.unilateral import HAPPENINGS

Pair = tuple[int, int]
"""Numbers of two shapes that touch."""


def struck_pairs(contacts: FoundContacts) -> dict[Pair, float]:
    """Normal impulses of the pairs of shapes that are struck as a piece begins, N s."""
    found: dict[Pair, float] = {}
    for one, two, normal, *_ in contacts.impulses.tolist():
        pair = int(one), int(two)
        found[pair] = found.get(pair, 0.0) + normal
    return found


def changes(before: FoundContacts, after: FoundContacts) -> dict[Pair, str]:
    """What happens to pairs of shapes where one piece goes over to the next, as `HAPPENINGS` calls it."""
    old, new, struck = before.modes, after.modes, struck_pairs(after)
    found: dict[Pair, str] = {}
    for pair in sorted({*old, *new, *struck}):
        was, mode = old.get(pair, "open"), new.get(pair, "open")
        if was == "open" and (pair in struck or mode != "open"):
            found[pair] = HAPPENINGS["closed"]
        elif mode != was:
            found[pair] = HAPPENINGS[mode]
    return found


def said(colliders: Colliders, happened: Mapping[Pair, str]) -> list[str]:
    """These as events are called."""
    return [f"{colliders.name(*pair)}: {what}" for pair, what in happened.items()]
