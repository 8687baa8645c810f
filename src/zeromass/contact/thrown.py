"""Starts of a body above its surface, which flies and comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.start import GIVEN, quaternion_of
from zeromass.expression import Evaluator, as_expression, expressions, rate
from zeromass.model import ModelError, State
from zeromass.model.beginning import Beginning
from zeromass.model.given import Number, Parameters, Vector, given_numbers, length
from zeromass.model.requirement import number_at
from zeromass.model.state import parameter_values

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling


class Thrown(Beginning):
    """A rolling body, for starts in flight: `rolling.flying`."""

    system: Rolling

    def start(  # type: ignore[override]
        self,
        prescribed: Any = (),
        *,
        center: Sequence[Number] | np.ndarray | None = None,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Any = (),
    ) -> State:
        """A consistent start, from what one would say of a body that is thrown.

        center            of the outside, m
        velocity          of the centre, m/s
        angular_velocity  in the inertial frame, rad/s
        orientation       quaternion, or rotation vector (three components, rad)

        With a mapping of expressions as the only argument it is `System.start`.

        >>> egg = zm.bodies.ellipsoid((0.03, 0.03, 0.04), 0.06)
        >>> egg = zm.Rolling(egg, on=zm.surfaces.plane(), friction=0.4, restitution=0.3)
        >>> thrown = egg.flying.start(center=(0.0, 0.0, 1.0), velocity=(1.0, 0.0, 2.0), angular_velocity=(0.0, 5.0, 0.0))
        >>> round(thrown[egg.gap], 12)
        0.96
        """
        if center is None:
            return super().start(prescribed, t=t, parameters=parameters, guess=guess)
        if not isinstance(prescribed, tuple) or prescribed:
            raise ModelError("a start is given by center=(X, Y, Z), … or by {expression: value}, not by both")
        rolling = self.system
        O, body = rolling.center_particle, rolling.body
        place = given_numbers(center, "center", (3,))
        given = [(O.position, place), (body.quaternion, quaternion_of(orientation)), (O.velocity, velocity)]
        given.append((body.angular_velocity, angular_velocity))
        size = number_at(rolling.solid.size, parameter_values(rolling, parameters))
        near = [(rolling.contact, place - np.array([0.0, 0.0, size])), (body.position, place), (rolling.gap, size)]
        return super().start(given, t=t, parameters=parameters, guess=near)


def not_begun(rolling: Rolling, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
    """Which of some starts, see `System.refused`, are inside the surface, or slip on it where nothing slips, and why."""
    if rolling.restitution is None:
        return {}
    solid, name = rolling.solid.name, rolling.surface.name
    size, slip = as_expression(rolling.solid.size), length(rolling.slip_velocity)
    asked = expressions([rolling.gap, rate(rolling.gap), slip, size, *rolling.body.position])
    values = Evaluator(asked, rolling.inputs)
    with np.errstate(all="ignore"):
        gap, rises, slip, size, *place = values(np.concatenate([t[:, None], y, parameters], axis=1)).T
    near, n = GIVEN * (np.abs(place).max(axis=0) + size), len(rolling.coordinates)
    words = "'{}' begins {:.3g} m inside '{}'; give another center"
    found = {k: words.format(solid, -gap[k], name) for k in np.flatnonzero(gap < -near).tolist()}
    if rolling.friction_coefficient is not None:
        return found
    slow = GIVEN * np.linalg.norm(y[:, n:], axis=1)
    words = (
        "'{}' begins on '{}' with a slip of {:.3g} m/s, and has always friction enough to roll; give the angular velocity "
        "with which it rolls, or friction=μ"
    )
    slips = np.flatnonzero((gap <= near) & (rises <= slow) & (rises >= -slow) & (slip > slow))
    return {**{k: words.format(solid, name, slip[k]) for k in slips.tolist()}, **found}
