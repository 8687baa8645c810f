"""Forces that further constraints exert on a body that rolls, apart from those of its surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, expressions
from zeromass.expression.build import ZERO
from zeromass.model.quaternion import body_rates

if TYPE_CHECKING:
    from zeromass.contact.on_surface import OnSurface

TANGENCY = ("tangency", "outside")
"""Constraints that place the contact point, and what else has no mass, where body and surface touch."""


class Wrench(NamedTuple):
    """Force, N, and torque at the mass centre, N m, in inertial components."""

    force: Array
    torque: Array


def wrench(rolling: OnSurface) -> Wrench:
    """Wrench of the further constraints on the body.

    What acts on the centre O acts on the body there. The contact point P is no point of the body: what acts on it reaches
    the body through the tangency, whose forces on O are, with the multipliers μ of its rows S,

        f = S_Oᵀ μ = N n + f_t,   N of the surface, f_t of the constraints on P
    """
    added = [i for i, row in enumerate(rolling.rows) if row.group in rolling.further]
    C, O, P, u = rolling.body.position, rolling.center, rolling.contact, rolling.body.quaternion
    at_center = _on(rolling, added, O)
    force = _on(rolling, added, C) + at_center
    torque = _torque(rolling, _on(rolling, added, u)) + np.cross(O - C, at_center)
    light = [rolling.index(x) for x in (*P, *rolling.unknowns)]
    if any(rolling.sparse_A.rows[i].get(j, ZERO) is not ZERO for i in added for j in light):
        own = [i for i, row in enumerate(rolling.rows) if row.group in TANGENCY]
        f, n = _on(rolling, own, O), rolling.normal
        f_n = (n @ f) * n
        across = f - f_n
        torque = torque + np.cross(O - C, across) + _torque(rolling, _on(rolling, own, u)) - np.cross(P - O, f_n)
        force = force + across
    return Wrench(expressions(force), expressions(torque))


def _on(rolling: OnSurface, rows: list[int], coordinates: Array) -> Array:
    """Aᵀλ of some rows on some coordinates."""
    places = [rolling.index(x) for x in coordinates]
    λ, A = rolling.multipliers, rolling.sparse_A.rows
    found: list[Expression] = [sum((λ[i] * A[i].get(j, ZERO) for i in rows), ZERO) for j in places]
    return expressions(found)


def _torque(rolling: OnSurface, on_quaternion: Array) -> Array:
    """Torque of a force on the quaternion, inertial components: ½ R E Q_u [UM2022, eq. 52]."""
    return rolling.body.rotate(body_rates(rolling.body.quaternion) @ on_quaternion / 2)
