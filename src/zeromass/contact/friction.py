"""What hinders a contact: coefficients that may depend on the speed of slip, of rolling, or of turning about the normal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression import Array, Expression, Symbol, as_expression, substitute, symbols
from zeromass.expression.node import symbol
from zeromass.frozen import frozen
from zeromass.model import ModelError
from zeromass.model.given import Number
from zeromass.model.requirement import Ordered, Requirement

SPEED: Symbol = symbol("speed", "coordinate", token="speed of a contact")
"""The symbol in which coefficients are kept that depend on a speed; the same one everywhere."""

HELD = 1e-13
"""Part of what friction gives at most by which rounding may ask for more."""

Coefficient = Number | Callable[[Any], Any]
"""A number or a formula of parameters, or a function of a speed, written in NumPy, that gives one."""


@frozen()
class Friction:
    """Coefficients of static and kinetic friction of a contact.

    static   μ up to which the contact sticks
    kinetic  μ of a slipping contact, at most the static one; it may depend on the speed of slip, m/s (Stribeck):
             lambda v: 0.2 + 0.1 * np.exp(-v / 0.05)

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(0.9), friction=zm.Friction(static=0.4, kinetic=0.2))
    >>> run = zm.simulate(ball, ball.start(contact=(0, 0)), until=1.0)
    >>> run.modes, bool(2 / 7 * np.tan(0.9) < 0.4)
    (('rolling',), True)
    """

    static: Number
    kinetic: Coefficient

    def __post_init__(self) -> None:
        for what in ("static", "kinetic"):
            if getattr(self, what) is None:
                raise ModelError(
                    f"the {what} friction is None; zm.Friction has both coefficients, static= and kinetic="
                )
        for requirement in possible_friction(*friction_of(self)):
            requirement.checked("friction")


Given = TypeVar("Given")


def friction_of(given: Number | Friction | None) -> tuple[Number | None, Number | None]:
    """The coefficients of a contact that holds and of one that slips, the second a formula of `SPEED` perhaps."""
    if isinstance(given, Friction):
        return given.static, coefficient(given.kinetic, "the kinetic coefficient of friction")
    return given, given


def bounded(given: Given) -> Given | None:
    """What is given of friction, and None where it is infinite: there is always enough."""
    infinite = isinstance(given, int | float) and given == np.inf
    return None if infinite else given


def coefficient(given: Coefficient | None, what: str) -> Number | None:
    """A coefficient as a number, or as a formula of parameters and of `SPEED`."""
    if given is None or not callable(given):
        return given
    try:
        return as_expression(given(SPEED))
    except (ExpressionError, TypeError) as error:
        raise ModelError(f"{what} does not give a formula of the speed: {error}") from error


def at_speed(given: Number, speed: Any) -> Number:
    """A coefficient at a speed."""
    if not isinstance(given, Expression) or SPEED not in symbols(given):
        return given
    found = as_expression(substitute(given, {SPEED: speed}))
    return found if found.value is None else found.value


def lacking(needed: Any, most: Any) -> Expression:
    """By how much more is needed than there is, beyond rounding: what needs exactly as much is held."""
    return as_expression(needed - (1.0 + HELD) * most)


def possible_friction(static: Number | None, kinetic: Number | None, of: str = "") -> list[Requirement]:
    """That coefficients of friction are not negative, and that a contact which slips has no more than one that holds."""
    if static is None or kinetic is None:
        return []
    words = f"friction{of} is {{1:g}}; a coefficient is positive, or zero"
    found: list[Requirement] = [Ordered(0.0, static, words, equal=True)]
    if kinetic is not static:
        slow = at_speed(kinetic, 0.0)
        found.append(Ordered(0.0, slow, f"the kinetic friction{of} is {{1:g}}; a coefficient is positive"))
        words = f"the kinetic friction{of}, {{0:g}}, is more than the static one, {{1:g}}: it would hold where it slips"
        found.append(Ordered(slow, static, words, equal=True))
    return found


def possible_arm(given: Number | None, what: str) -> list[Requirement]:
    """That the arm of a torque of the contact, m, is not negative."""
    if given is None:
        return []
    said = f"{what} is {{1:g}} m; it is zero or positive, the arm of the normal force"
    return [Ordered(0.0, at_speed(given, 0.0), said, equal=True)]


def against(velocity: Array, slow: Number, law: Number) -> Array:
    """−μ(v) v/|v| of a velocity, with |v| = √(v² + c²) where it is slow."""
    speed = np.sqrt(velocity @ velocity + slow**2)
    return -at_speed(law, speed) / speed * velocity
