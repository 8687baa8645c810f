"""Forces that switch with a speed, along which a motion may slide, each given twice, as in `terms`."""

from __future__ import annotations

from typing import Any

import numpy as np

import zeromass as zm
from integrate.references.terms import ANYWHERE, Rng, Term, one_of


def friction(rng: Rng, until: float) -> Term:
    F, u = rng.uniform(0.2, 4), float(one_of(rng, 0.0, 0.0, rng.uniform(-1, 1)))
    way, expression = one_of(
        rng,
        ("sign", lambda l, s: -F * np.sign(s - u)),
        ("where", lambda l, s: zm.where(s > u, -F, F)),
        ("scaled sign", lambda l, s: -F * np.sign(3 * (s - u))),
        ("two wheres", lambda l, s: zm.where(s < u, F, 0.0) + zm.where(s > u, -F, 0.0)),
    )
    return Term(
        f"friction {F:.3g} at {u:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -F * (2 * p[0] - 1),
        ((("s", u), lambda t, l, s: s - u, False),),
        on=ANYWHERE,
    )


def weakening(rng: Rng, until: float) -> Term:
    F, u, b, w = (
        rng.uniform(0.2, 3),
        float(one_of(rng, 0.0, rng.uniform(-1, 1))),
        rng.uniform(0.1, 0.5),
        rng.uniform(0.2, 1),
    )

    def force(t: Any, l: Any, s: Any, p: Any) -> Any:
        side = 2 * p[0] - 1
        return -F * side * (1 - b + b * np.exp(-side * (s - u) / w))  # affine in the piece where it slides, s = u

    return Term(
        f"weakening friction {F:.3g} at {u:.3g}",
        lambda l, s: -F * np.sign(s - u) * (1 - b + b * np.exp(-np.abs(s - u) / w)),
        force,
        ((("s", u), lambda t, l, s: s - u, False),),
        on=ANYWHERE,
    )


def patches(rng: Rng, until: float) -> Term:
    F, G, a = rng.uniform(0.2, 3), rng.uniform(0.2, 3), rng.uniform(-0.3, 0.3)
    return Term(
        f"friction {F:.3g} beyond {a:.3g}, else {G:.3g}",
        lambda l, s: -zm.where(l > a, F, G) * np.sign(s),
        lambda t, l, s, p: -(G + (F - G) * p[1]) * (2 * p[0] - 1),
        ((("s", 0.0), lambda t, l, s: s, False), (("l", a), lambda t, l, s: l - a, False)),
    )


def pulsating(rng: Rng, until: float) -> Term:
    F, ω = rng.uniform(0.5, 3), rng.uniform(1, 6)
    return Term(
        f"friction {F:.3g}, pulsating {ω:.3g}",
        lambda l, s: -F * (1 + 0.7 * np.sin(ω * zm.t)) * np.sign(s),
        lambda t, l, s, p: -F * (1 + 0.7 * np.sin(ω * t)) * (2 * p[0] - 1),
        ((("s", 0.0), lambda t, l, s: s, False),),
        on=ANYWHERE,
    )


def relay(rng: Rng, until: float) -> Term:
    F, c, d = rng.uniform(0.5, 5), rng.uniform(0.3, 3), rng.uniform(0.05, 1)
    return Term(
        f"relay {F:.3g} of {c:.3g} l + {d:.3g} s",
        lambda l, s: -F * np.sign(c * l + d * s),
        lambda t, l, s, p: -F * (2 * p[0] - 1),
        ((("relay", c, d), lambda t, l, s: c * l + d * s, False),),
    )


def saturation(rng: Rng, until: float) -> Term:
    F, c, d = rng.uniform(0.3, 4), rng.uniform(1, 20), rng.uniform(0, 3)
    way, expression = one_of(
        rng,
        ("limits", lambda l, s: np.minimum(np.maximum(-c * l - d * s, -F), F)),
        ("where", lambda l, s: zm.where(np.abs(c * l + d * s) > F, -F * np.sign(c * l + d * s), -c * l - d * s)),
    )
    return Term(
        f"saturation {F:.3g} of {c:.3g} l + {d:.3g} s, by {way}",
        expression,
        lambda t, l, s, p: p[0] * F - p[1] * F - (1 - p[0] - p[1]) * (c * l + d * s),
        (
            (("low", c, d, F), lambda t, l, s: -c * l - d * s - F, False),
            (("high", c, d, F), lambda t, l, s: c * l + d * s - F, False),
        ),
    )


def two_dampers(rng: Rng, until: float) -> Term:
    a, b = rng.uniform(0, 3, 2)
    way, expression, force = one_of(
        rng,
        ("where", lambda l, s: -zm.where(s > 0, a, b) * s, lambda t, l, s, p: -(b + (a - b) * p[0]) * s),
        ("abs", lambda l, s: -a * s * np.abs(s), lambda t, l, s, p: -a * s**2 * (2 * p[0] - 1)),
        ("maximum", lambda l, s: -a * np.maximum(s, 0.0), lambda t, l, s, p: -a * s * p[0]),
    )
    return Term(
        f"dampers {a:.3g}, {b:.3g}, by {way}",
        expression,
        force,
        ((("s", 0.0), lambda t, l, s: s, False),),
        on=ANYWHERE,
    )


def corner(rng: Rng, until: float) -> Term:
    F, a, b = rng.uniform(0.3, 4) * rng.choice([-1, 1]), rng.uniform(-0.4, 0.4), rng.uniform(-0.5, 0.5)
    way, expression, piece = one_of(
        rng,
        ("&", lambda l, s: zm.where((l > a) & (s > b), F, 0.0), lambda p: p[0] * p[1]),
        ("|", lambda l, s: zm.where((l > a) | (s > b), F, 0.0), lambda p: p[0] + p[1] - p[0] * p[1]),
    )
    return Term(
        f"corner {F:.3g} at {a:.3g}, {b:.3g}, by {way}",
        expression,
        lambda t, l, s, p: F * piece(p),
        ((("l", a), lambda t, l, s: l - a, False), (("s", b), lambda t, l, s: s - b, False)),
    )


def quadrant(rng: Rng, until: float) -> Term:
    """A force of the quadrant of place and speed."""
    F = rng.uniform(0.2, 2)
    both = (("l", 0.0), lambda t, l, s: l, False), (("s", 0.0), lambda t, l, s: s, False)
    way, expression, force = one_of(
        rng,
        ("signs", lambda l, s: -F * np.sign(l) * np.sign(s), lambda t, l, s, p: -F * (2 * p[0] - 1) * (2 * p[1] - 1)),
        ("product", lambda l, s: -F * np.sign(l * s), lambda t, l, s, p: -F * (2 * p[0] - 1) * (2 * p[1] - 1)),
        ("abs", lambda l, s: -F * np.abs(l) * np.sign(s), lambda t, l, s, p: -F * (2 * p[0] - 1) * l * (2 * p[1] - 1)),
        (
            "angle",
            lambda l, s: -F * np.arctan2(s, l),
            lambda t, l, s, p: -F * (np.arctan2(s, l) if l > 0 else np.arctan2(-s, -l) + np.pi * (2 * p[1] - 1)),
        ),
    )
    return Term(f"quadrant {F:.3g}, by {way}", expression, force, both)


def smoothed(rng: Rng, until: float) -> Term:
    """Friction that is a damper at small speeds."""
    F, u = rng.uniform(0.2, 3), rng.uniform(0.05, 0.5)
    way, expression = one_of(
        rng,
        ("abs", lambda l, s: -F * np.sign(s) * np.minimum(np.abs(s) / u, 1.0)),
        ("limits", lambda l, s: -F * np.maximum(np.minimum(s / u, 1.0), -1.0)),
    )
    return Term(
        f"smoothed friction {F:.3g} within {u:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -F * (p[0] - p[1] + (1 - p[0] - p[1]) * s / u),
        ((("s", u), lambda t, l, s: s - u, False), (("-s", u), lambda t, l, s: -s - u, False)),
        on=ANYWHERE,
    )


SPEED = friction, friction, weakening, patches, pulsating, relay, saturation, two_dampers, corner, quadrant, smoothed
