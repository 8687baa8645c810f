"""A body above its surface with a face along it: no point is the lowest, and the one below its centre stands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.traced import PLACE
from zeromass.expression import Array, Expression, as_expression, expressions, symbols, where
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

LEANS = 1e-2
"""Sine of the angle between a face and the surface, below which no point counts as the lowest far from the surface."""

NEAR = 2e-2
"""Part of the size of a body between a face and a plane at which the face comes down."""

FAR = 1.5
"""Sizes of a body that its centre is at least from a curved surface: it can not touch it."""

SIDE = 1e-6
"""Sine of the angle between a side and the surface below which the body lands on it."""

LANDS = "lands"


def leaning(rolling: Any) -> Expression | None:
    """Positive where the farthest point is the contact, and not the point below the centre; None where it always is.

    sin of the angle between face and surface − 0.01 h/(h + r),   h the gap, r the size: always, where the gap is closed
    """
    upright = rolling.solid.upright(rolling.body, rolling.normal)
    if upright is None:
        return None
    size, gap = as_expression(rolling.solid.size), rolling.gap
    far = 0.0 if _flat(rolling) else FAR
    return as_expression(upright - LEANS * (gap - far * size) / (gap + size))


def below_center(rolling: Any, apart: Array) -> Array:
    """Where the body is, from where it would touch, m, or from the point below its centre with a face along the surface."""
    leans = leaning(rolling)
    if leans is None:
        return apart
    straight = rolling.center - rolling.contact
    return expressions([where(leans > 0.0, a, b) for a, b in zip(apart, straight, strict=True)])


def face_events(rolling: Rolling) -> list[Event]:
    """Where a face, or a side, comes down on the surface."""
    name, found, one = rolling.solid.name, list[Event](), rolling.unilateral
    leans, tilted = leaning(rolling), rolling.solid.tilted(rolling.body, rolling.normal)
    assert one is not None
    solid: Any = rolling.solid
    if leans is not None:
        nearest = solid.outline.thickness + NEAR * solid.size if _flat(rolling) else FAR * solid.size
        zero = where(leans > 0.0, 1.0, rolling.gap - nearest)
        words = f"'{name}' lands on a face, and touches in more than one point"
        found.append(Event(LANDS, as_expression(zero), direction=-1, guard=True, message=words))
    if tilted is not None:
        open_ = where(one.closed > 0.5, 1.0, rolling.gap)
        zero = where(SIDE - np.abs(tilted) > 0.0, open_, 1.0)
        words = f"'{name}' lands on a side, and touches in more than one point; tilt it a little"
        found.append(Event(f"{LANDS} on a side", as_expression(zero), direction=-1, message=words))
    return found


def _flat(rolling: Any) -> bool:
    """Whether the surface has the same normal everywhere."""
    return set(symbols(rolling.surface.gradient(PLACE))).isdisjoint(PLACE)
