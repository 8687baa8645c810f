"""Edges of a surface: where its slope jumps, and with it the centre of a body that touches it at one point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Array
from zeromass.model import State

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.model.pieces import SystemPieces


SAME = 1e-4
"""Degrees below which the slopes of a surface on two pieces are the same: it is the body that has the edge."""


def own_edge(normal: Array, pieces: SystemPieces, before: State, after: State) -> bool:
    """Whether the surface goes on smoothly over a switch: it is the body that has an edge, or a side."""
    return _turn(normal, pieces, before, after) < SAME


def lies_words(solid: str) -> str:
    """What ends the motion of a body that rolls or slips, where another end of it comes down."""
    return (
        f"'{solid}' comes to lie on a side or a face, and touches in more than one point; end the run there with an "
        "event, or give a body whose sides bulge"
    )


def _turn(normal: Array, pieces: SystemPieces, before: State, after: State) -> float:
    """By how many degrees the normal of a surface turns where a formula switches."""
    n1, n2 = (state[pieces.smooth(normal)] for state in (before, after))
    return float(np.degrees(np.arccos(np.clip(n1 @ n2, -1.0, 1.0))))


def edge_words(rolling: Rolling, pieces: SystemPieces, before: State, after: State) -> str:
    """Where an edge is that the contact has come to, whether it is a ridge or a valley, and what to do.

    The centre is r n from the contact: on a ridge n turns the way that the body goes, and the body would turn about the
    edge; in a valley it turns against it, and the body has touched the other side before.
    """
    angle = _turn(rolling.normal, pieces, before, after)
    if angle < SAME:
        return lies_words(rolling.solid.name)
    place = ", ".join(f"{x:.6g}" for x in before[rolling.contact].round(12) + 0.0)
    words = f"'{rolling.surface.name}' has {{}} at ({place}) m, where its slope turns by {angle:.3g}°; "
    n1, n2 = (state[pieces.smooth(rolling.normal)] for state in (before, after))
    if (n2 - n1) @ before[rolling.center_particle.velocity] >= 0.0:
        return words.format("a ridge") + (
            "one contact can not tell how a body turns about an edge: round it, with a radius that is small against the body"
        )
    return words.format("a valley") + (
        "the body touches its other side before, and one contact knows nothing of it: round it, with a radius larger than "
        "the body's, or end the run with an event where both sides are touched and begin another after the impact"
    )
