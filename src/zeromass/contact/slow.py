"""Speeds of slip and of rolling below which they are slow, and below which they have died out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression import Expression, evaluate, expressions
from zeromass.expression import t as time
from zeromass.model import ModelError
from zeromass.model.given import Number

if TYPE_CHECKING:
    from zeromass.contact.on_surface import OnSurface

CREEP = 1e-9
"""Creep as a part of √(g r), unless it is given: far above the rounding of a slip, far below what one can see of it."""

USUAL = 9.81
"""Gravity, m/s², that tells which speeds are small where there is none."""


def creep_of(rolling: OnSurface) -> Number:
    """The speed of slip, m/s, below which friction falls off: as given, or 1e-9 √(g r)."""
    if rolling.creep is not None:
        return rolling.creep if isinstance(rolling.creep, Expression) else float(rolling.creep)
    speed = _speed_of_gravity(rolling)
    if speed is None:
        raise ModelError(
            "no gravity gives a speed to compare the slip with; say below which speed, m/s, the body counts as rolling: "
            "Rolling(…, creep=1e-9)"
        )
    return CREEP * speed


def scale_of(rolling: OnSurface) -> Number:
    """The speed that slips are compared with, m/s: 1e9 creeps, or √(g r), with g = 9.81 m/s² where there is none."""
    if rolling.creep is not None:
        return rolling.creep / CREEP
    speed = _speed_of_gravity(rolling)
    return np.sqrt(USUAL * rolling.solid.size) if speed is None else speed  # type: ignore[return-value]


def speed_of(rolling: OnSurface) -> Number:
    """The speed that slips are compared with, m/s: √(g r), or without gravity what the creep is said to be a part of."""
    speed = _speed_of_gravity(rolling)
    return creep_of(rolling) / CREEP if speed is None else speed


def _speed_of_gravity(rolling: OnSurface) -> Number | None:
    """√(g r), m/s; None where no gravity is known."""
    try:
        field = np.asarray(evaluate(expressions(0.0 if rolling.gravity is None else rolling.gravity), {time: 0.0}))
        g = float(np.linalg.norm(field))
    except ExpressionError:  # a parameter without a default
        g = 0.0
    if not (np.isfinite(g) and g > 0):
        return None
    speed = np.sqrt(g * rolling.solid.size)
    return speed if isinstance(speed, Expression) else float(speed)
