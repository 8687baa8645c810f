"""The rows that joints are made of: points together, axes parallel, a turn that is counted."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Array, Expression, as_expression, rate
from zeromass.mechanism.joint import Law
from zeromass.mechanism.marker import Pose


def together(a: Pose, b: Pose) -> list[Law]:
    """b's point is a's: three rows."""
    return [Law(f"point[{i}]", as_expression(gap)) for i, gap in enumerate(b.point - a.point)]


def across(a: Pose, b: Pose) -> list[Law]:
    """b's point lies on the third axis of a: two rows."""
    d = b.point - a.point
    return [Law("point[0]", as_expression(a.x @ d)), Law("point[1]", as_expression(a.y @ d))]


def parallel(a: Pose, b: Pose, r: Array) -> list[Law]:
    """The third axes are parallel, and not opposite: two rows; r is the turn of b's axes in those of a."""
    return [
        Law("axis[0]", as_expression(a.x @ b.z), as_expression(2 * r[2])),
        Law("axis[1]", as_expression(a.y @ b.z), as_expression(-2 * r[1])),
    ]


def aligned(a: Pose, b: Pose, r: Array) -> list[Law]:
    """All axes are parallel: three rows."""
    return [*parallel(a, b, r), Law("turn", as_expression(a.y @ b.x), as_expression(2 * r[3]))]


def counted(angle: Expression, speed: Expression, r: Array, k: int, name: str = "angle") -> Law:
    """An angle whose rate is a relative angular velocity; r is the turn, k its component of the angle's axis.

    θ̇ = ω,    2 (r₀ sin ½θ − r_k cos ½θ) = 2 sin ½(θ − α) = 0 for a turn by α
    """
    half = angle / 2
    return Law(name, as_expression(rate(angle) - speed), as_expression(2 * (r[0] * np.sin(half) - r[k] * np.cos(half))))
