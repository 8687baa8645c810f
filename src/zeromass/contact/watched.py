"""What ends a motion on a surface, or changes its kind."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.faces import face_events
from zeromass.contact.limits import impossible, impossible_friction
from zeromass.contact.shaped import ImplicitBody
from zeromass.expression import Expression, as_expression, where
from zeromass.model import Event, State
from zeromass.model.given import length
from zeromass.model.requirement import number_at

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

LOST, RESUMED = "contact lost", "contact resumed"
TIGHT, BORDER = "hollow too tight", "contact left the measured terrain"
SLIPS, FLAT = "would slip", "lies flat"

HOLLOW = "the hollow is as tight as the body is round, which then touches in more than one point"

UPRIGHT = 1e-6
"""Sine of the angle between a face and the surface at which the body counts as lying on it."""


def rolling_events(rolling: Rolling) -> tuple[Event, ...]:
    """The events of a rolling body: contact lost, a hollow too tight, the border of the data.

    What its contact does of itself, as a unilateral constraint, is no event of these.
    """
    one, leaves = rolling.unilateral, rolling.restitution is not None

    def touching(zero: Expression, beyond: float = 1.0) -> Expression:
        return zero if one is None or not one.opens else as_expression(where(one.closed > 0.5, zero, beyond))

    pressed = touching(as_expression(rolling.normal_force + rolling.negligible_force), -1.0)
    pull = Event(
        LOST,
        pressed,
        direction=-1,
        terminal=not rolling.two_sided,
        guard=not rolling.two_sided,
        message="the surface would have to pull the body; a two-sided contact, two_sided=True, goes on regardless",
    )
    never_hollow = isinstance(rolling.solid, ImplicitBody) and rolling.outside.flat
    room = rolling.clearance - rolling.least_clearance
    tight = Event(
        FLAT if never_hollow else TIGHT,
        room if isinstance(rolling.solid, ImplicitBody) else touching(room),
        direction=-1,
        guard=True,
        message=flat_words(rolling.solid.name, rolling.surface.name) if never_hollow else HOLLOW,
        detail=partial(_radii, rolling),
        margin=rolling.clearance if isinstance(rolling.solid, ImplicitBody) else None,
    )
    found = [tight] if leaves else [pull, tight]
    if rolling.two_sided:
        words = "the surface pushes the body again"
        found.insert(1, Event(RESUMED, pressed, direction=1, terminal=False, message=words))
    upright = rolling.solid.upright(rolling.body, rolling.normal)
    if upright is not None:
        words = f"'{rolling.solid.name}' lies on a face, and touches in more than one point"
        found.append(Event(FLAT, touching(upright - UPRIGHT), direction=-1, guard=True, message=words))
    found += face_events(rolling) if leaves else []
    inside = rolling.surface.inside(rolling.contact)
    if inside is not None:
        words = f"nothing is known of '{rolling.surface.name}' beyond the data it is made from"
        found.append(Event(BORDER, inside, direction=-1, guard=True, message=words))
    numbers = impossible_numbers(rolling)
    found += [replace(event, zero=touching(event.zero)) for event in numbers]
    if rolling.friction_coefficient is not None and one is None:
        μ = rolling.friction_coefficient
        words = f"rolling needs more friction than μ = {repr(μ) if isinstance(μ, Expression) else format(μ, 'g')}"
        lack = rolling.lack_of_friction - rolling.negligible_force
        found.append(Event(SLIPS, lack, direction=1, guard=True, message=words))
    return tuple(found)


def impossible_numbers(rolling: Rolling) -> list[Event]:
    """Where coefficients and arms, of time or of a speed, fall below zero."""
    one, name = rolling.unilateral, rolling.contact_name
    what, speed = ("friction", 0.0) if one is None else (f"friction of '{name}'", length(rolling.slip_velocity))
    found = impossible_friction(what, rolling.friction_coefficient, rolling.kinetic_coefficient, speed)
    for arm, said, of, v in (
        (rolling.rolling_resistance, "rolling_resistance", "rolling", length(rolling.rolling_velocity)),
        (rolling.torsional_friction, "torsional_friction", "turning", abs(rolling.normal @ rolling.turning)),
    ):
        found += [
            replace(event, name=event.name.replace(said, f"friction of '{name} {of}'"))
            for event in impossible(said, arm, v)
        ]
    return found


def flat_words(solid: str, surface: str) -> str:
    """What is said of a body whose curvature vanishes where it touches a surface that has none either."""
    return (
        f"'{solid}' is flat where it touches '{surface}': the contact point has no finite speed there, and the forces have "
        "no finite value. zm.simulate goes over such points where it finds a way within its tolerance; steps of fixed "
        "length and interactive pages end here"
    )


def _radii(rolling: Rolling, state: State) -> str:
    """Where a hollow is too tight, and the two radii."""
    bend = float(np.real(np.linalg.eigvals(state[rolling.surface.curvature(rolling.contact)])).min())
    place = ", ".join(f"{x:.6g}" for x in state[rolling.contact])
    if not isinstance(rolling.solid, SphericalBody) and not bend < 0.0:
        return f"at ({place}) m '{rolling.surface.name}' is not hollow, and '{rolling.solid.name}' is flat"
    tightest = -1.0 / bend if bend else np.inf
    words = f"at ({place}) m the radius of curvature is {tightest:.6g} m"
    if not isinstance(rolling.solid, SphericalBody):
        return words
    return f"{words}, that of the body {number_at(rolling.solid.radius, state.parameters):g} m"
