"""The stroke of a body at several points: all at once where that is lawful, else one after the other.

    one contact       Routh's stroke, `contact.reference_impacts.one_point`
    several           their impulses grow together, `contact.reference_impacts.together`
    not lawful so     one contact after the other, `contact.reference_impacts.in_turn`

Lawful is what gives no energy, after which nothing approaches, with normal impulses that push and friction that there is. A
stroke at one contact is always so, and a sequence of them too: every stroke ends.
"""

from __future__ import annotations

import numpy as np

from contact.reference_impacts.in_turn import in_turn
from contact.reference_impacts.one_point import Strokes, stroke
from contact.reference_impacts.together import Unlawful, together

AT_ONCE, IN_TURN = "at once", "in turn"
"""Laws of strokes at several contacts, as they are asked for."""

GIVES, APPROACHES, BEYOND = 1e-12, 1e-10, 1e-9
"""Part of the energies of a stroke by which it may seem to give some, of its speeds by which contacts may seem to approach
after it, and of its impulses by which they may seem to pull, or to take more friction than there is: rounding, and what
integrations leave."""


def strokes(
    D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray, e: np.ndarray, *, at_once: bool = True
) -> Strokes:
    """The stroke of several points that touch surfaces.

    D  change of their velocities by impulses at them, (3 k, 3 k), 1/kg
    n  normals, (k, 3)
    w  velocities against the surfaces, (k, 3)
    μ  coefficients of friction, (k,), infinite where there is always enough
    e  coefficients of restitution, (k,)
    at_once  whether impulses grow together where that is lawful; else one contact is struck after the other
    """
    impulses, velocities = np.zeros_like(w), w.copy()
    for which in joined(D, len(n)):
        rows = (3 * which[:, None] + np.arange(3)).ravel()
        own = D[np.ix_(rows, rows)], n[which], w[which], μ[which], e[which]
        found = _joint(*own) if at_once or len(which) == 1 else in_turn(*own)
        impulses[which], velocities[which] = found
    return Strokes(impulses, velocities)


def joined(D: np.ndarray, k: int) -> list[np.ndarray]:
    """Contacts that reach one another: those of one body, or of bodies that touch."""
    reach = np.any(D.reshape(k, 3, k, 3) != 0.0, axis=(1, 3))
    for _ in range(k):
        reach = reach @ reach
    return [np.flatnonzero(row) for j, row in enumerate(reach) if not np.any(row[:j])]


def _joint(D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray, e: np.ndarray) -> Strokes:
    """The stroke of contacts that reach one another."""
    if len(n) == 1:
        one = stroke(D, n[0], w[0], None if μ[0] == np.inf else float(μ[0]), float(e[0]))
        return Strokes(one.impulse[None], one.velocity[None])
    try:
        found = together(D, n, w, μ, e)
    except Unlawful:
        return in_turn(D, n, w, μ, e)
    return found if lawful(D, n, w, μ, found) else in_turn(D, n, w, μ, e)


def lawful(D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray, found: Strokes) -> bool:
    """Whether a stroke gives no energy, leaves nothing that approaches, and takes impulses that contacts can give.

    Impulses so large that rounding of them would decide what approaches are none.
    """
    speed = float(np.abs(w).max())
    impulse = speed / float(np.abs(D).max())
    N = np.einsum("ki,ki->k", n, found.impulses)
    T = np.linalg.norm(found.impulses - N[:, None] * n, axis=1)
    limited = μ < np.inf
    rounding = np.finfo(float).eps * float(np.max(np.abs(D) @ np.abs(found.impulses.ravel())))
    return bool(
        rounding <= APPROACHES * speed
        and found.energy(w) <= GIVES * speed * impulse
        and np.all(np.einsum("ki,ki->k", n, found.velocities) >= -APPROACHES * speed)
        and N.min() >= -BEYOND * impulse
        and np.all(T[limited] <= μ[limited] * N[limited] + BEYOND * impulse)
    )
