"""What coefficients and bounds of a contact must satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zeromass.contact.friction import at_speed, possible_arm, possible_friction
from zeromass.expression import as_expression, caption
from zeromass.model.event import Event, refusing
from zeromass.model.given import Number
from zeromass.model.requirement import Ordered, Requirement

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling


def possible_limits(rolling: Rolling) -> tuple[Requirement, ...]:
    """Of what is given beside body and surface."""
    found = possible_friction(rolling.friction_coefficient, rolling.kinetic_coefficient)
    found += possible_arm(rolling.rolling_resistance, "rolling_resistance")
    found += possible_arm(rolling.torsional_friction, "torsional_friction")
    if rolling.creep is not None:
        found.append(possible_creep(rolling.creep))
    if rolling.restitution is not None:
        found += possible_restitution(rolling.restitution)
    return (*found, *possible_clearance(rolling.least_clearance))


def impossible(what: str, given: Number | None, speed: Any = 0.0) -> list[Event]:
    """Where a coefficient, of time or of a speed, falls below zero; a number and one of parameters are known before."""
    if given is None:
        return []
    said = f"{what} = {caption(as_expression(given))} falls below zero; a coefficient is positive, or zero"
    return refusing(what, at_speed(given, speed), said)


def impossible_friction(what: str, static: Number | None, kinetic: Number | None, speed: Any = 0.0) -> list[Event]:
    """Where one of both coefficients of friction falls below zero, or that of a slip is more than that which holds."""
    found = impossible(what, static)
    if static is None or kinetic is None or kinetic is static:
        return found
    said = f"the kinetic {what} = {caption(as_expression(kinetic))} rises above the static one: it would hold where it slips"
    over = refusing(f"{what}, the kinetic above the static", as_expression(static - at_speed(kinetic, 0.0)), said)
    return [*found, *impossible(f"kinetic {what}", kinetic, speed), *over]


def possible_restitution(e: Number, of: str = "") -> list[Requirement]:
    """That a coefficient of restitution lies between 0 and 1."""
    said = f"restitution{of} is {{%d:g}}; it lies between 0 and 1"
    return [Ordered(e, 1.0, said % 0, equal=True), Ordered(0.0, e, said % 1, equal=True)]


def possible_creep(creep: Number) -> Requirement:
    """That a speed below which friction falls off is positive."""
    return Ordered(0.0, creep, "creep is {1:g}; a speed is positive")


def possible_clearance(least: Number) -> tuple[Requirement, ...]:
    """That the least clearance is less than that of a plane."""
    words = "; it lies between 0 and 1, the clearance of a plane"
    return (
        Ordered(0.0, least, "least_clearance is {1:g}" + words, equal=True),
        Ordered(least, 1.0, "least_clearance is {0:g}" + words),
    )
