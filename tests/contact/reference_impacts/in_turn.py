"""The stroke of a body at several points, one after the other: it ends lawfully whatever friction and restitution are.

While any contact approaches, that which does so fastest is struck by Routh's stroke for one point, `striking`, with its own
friction and restitution; the others move with it. Fastest in the metric of the kinetic energy,

    −n·w/√(n·D n)         the speed of a unit mass of the same energy

and of contacts that are as fast to 1e-9, that which comes first. Where there is always friction enough, a contact that
neither approaches nor leaves is kept from slipping in its turn.

Energy     While the normal impulse p of one point grows, its velocity changes by dw = D f dp and the energy by w·f dp, where
           of the vectors n − μ t, |t| ≤ 1, f is that for which w·f is least. So w climbs the concave function
           h(w) = min w·f, steepest in the metric D, and h grows, ever more slowly. It is not positive at p_c, where n·w = 0:
           what restitution gives at p_c + x is not more than what compression took at p_c − x, and what is lost is
           (1 − e²) v²/(2 R) at least, with the speed v = −n·w before the stroke and R the largest n·D f.
Friction   The impulses of a contact lie in its cone of friction, which is convex; so does their sum.
End        If e < 1, no more than 2 R E/((1 − e²) v²) strokes begin faster than v, E the energy there is. Most often a few
           end it, or they become smaller like a geometric series, to rounding. What still approaches after 200, as between
           walls that are nearly parallel, is stopped by the least normal impulses: those that lead to the velocity nearest
           in the metric of the kinetic energy at which nothing approaches. They take energy, and no friction.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from contact.reference_impacts.one_point import Strokes, stroke
from zeromass.equation import numerical_rank

NEAR = 1e-12
"""Part of the speeds of a stroke below which a contact neither approaches nor leaves, and does not slip."""

ALIKE = 1e-9
"""Part by which speeds of contacts that are as fast as one another may differ."""

STROKES = 200
"""Strokes at one point each, at most."""

AGREES = 1e-12
"""Part of speeds and impulses by which the least normal impulses may miss what is asked of them."""


def in_turn(D: np.ndarray, n: np.ndarray, w: np.ndarray, μ: np.ndarray, e: np.ndarray) -> Strokes:
    """The stroke of several points, one after the other; arguments as of `strokes`."""
    k = len(n)
    block = D.reshape(k, 3, k, 3)
    unit = np.sqrt(np.einsum("ka,kakb,kb->k", n, block, n))
    rounding = NEAR * float(np.abs(w).max())
    P, after = np.zeros((k, 3)), w.copy()
    for _ in range(STROKES):
        j = _fastest(np.einsum("ki,ki->k", n, after), unit, rounding)
        if j is not None:
            P[j] += stroke(block[j, :, j], n[j], after[j], None if μ[j] == np.inf else float(μ[j]), float(e[j])).impulse
        else:
            j = _slips(n, after, μ, rounding)
            if j is None:
                break
            P[j] += _held(block[j, :, j], n[j], after[j])
        after = w + (D @ P.ravel()).reshape(k, 3)
    else:
        P += _least(np.einsum("ka,kalb,lb->kl", n, block, n), np.einsum("ki,ki->k", n, after))[:, None] * n
        after = w + (D @ P.ravel()).reshape(k, 3)
    return Strokes(P, after)


def _fastest(normal: np.ndarray, unit: np.ndarray, rounding: float) -> int | None:
    """The contact that approaches fastest; None if none does."""
    speed = np.where(normal < -rounding, -normal / unit, 0.0)
    return int(np.argmax(speed >= (1.0 - ALIKE) * speed.max())) if np.any(speed > 0.0) else None


def _slips(n: np.ndarray, w: np.ndarray, μ: np.ndarray, rounding: float) -> int | None:
    """A contact that touches and slips, though there is always friction enough; None if none does."""
    normal = np.einsum("ki,ki->k", n, w)
    along = np.linalg.norm(w - normal[:, None] * n, axis=1)
    which = np.flatnonzero((μ == np.inf) & (np.abs(normal) <= rounding) & (along > rounding))
    return int(which[np.argmax(along[which])]) if len(which) else None


def _held(D: np.ndarray, n: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The impulse along the surface after which nothing slips, D of one point."""
    T = np.linalg.svd(n[None])[2][1:]
    return T.T @ np.linalg.solve(T @ D @ T.T, -T @ w)


def _least(G: np.ndarray, v: np.ndarray) -> np.ndarray:
    """p ≥ 0 with v + G p ≥ 0 and p·(v + G p) = 0, of the fewest contacts: the least ½ p·G p + v·p.

    G  change of normal velocities by normal impulses, v the normal velocities, (k, k) and (k,)
    """
    k, fast = len(v), float(np.abs(v).max())
    best, missed = np.zeros(k), np.inf
    for which in (list(some) for count in range(1, k + 1) for some in combinations(range(k), count)):
        p = np.zeros(k)
        p[which] = numerical_rank(G[np.ix_(which, which)]).inverse @ -v[which]
        after = v + G @ p
        misses = float(max(-after.min(), -p.min() * np.abs(G).max(), np.abs(after[which]).max())) / fast
        if misses < missed:
            best, missed = np.maximum(p, 0.0), misses
        if missed <= AGREES:
            break
    return best
