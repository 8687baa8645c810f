"""Bodies, surfaces, friction and restitution of several contacts, as they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from zeromass.contact.roller import Roller
from zeromass.contact.skin import BETWEEN
from zeromass.contact.surface import Surface
from zeromass.model import ModelError
from zeromass.model.given import given_all, given_name


def solids_given(bodies: Any) -> tuple[Roller, ...]:
    """The bodies, one or several, each with a name of its own."""
    found = (bodies,) if isinstance(bodies, Roller) or not isinstance(bodies, Iterable) else bodies
    found = tuple(given_all(found, Roller, "bodies", "a body, such as zm.bodies.ball(…) or zm.bodies.disc(…)"))
    names = [body.name for body in found]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two bodies have the name '{name}'; give each its own, zm.bodies.ball(…, name=…)")
    if not found:
        raise ModelError("there is no body; give zm.bodies.ball(…) or a list of bodies")
    return found


def surfaces_given(on: Any, bodies_meet: bool) -> dict[str, Surface]:
    """The surfaces by their names; there may be none where bodies meet one another."""
    named = isinstance(on, Mapping)
    several = on.values() if named else [on] if isinstance(on, Surface) or not isinstance(on, Iterable) else on
    surfaces = given_all(several, Surface, "on", "a zm.Surface, such as zm.Surface(lambda X, Y: …)")
    names = [given_name(name, "a surface") for name in on] if named else [surface.name for surface in surfaces]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two surfaces have the name '{name}'; write on={{name: surface, …}}")
    found = dict(zip(names, surfaces, strict=True))
    if bodies_meet and BETWEEN in found:
        raise ModelError(
            f"a surface is named '{BETWEEN}', which stands for contacts between bodies; give it another name"
        )
    if not found and not bodies_meet:
        raise ModelError("there is no surface; give on=[floor, wall], or between=True where bodies touch one another")
    return found


def of_each(given: Any, names: Sequence[str], couples: Sequence[str], what: str, none: Any) -> dict[str, Any]:
    """A number of each surface, and of each two bodies, from one for all or some by name."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    known = [*names, BETWEEN] if couples else names
    strange = [name for name in given if name not in known]
    if strange:
        raise ModelError(f"{what} is given for '{strange[0]}', and there is no such surface: {', '.join(known)}")
    usual = {name: given.get(BETWEEN, none) if name in couples else none for name in names}
    return {name: given.get(name, usual[name]) for name in names}
