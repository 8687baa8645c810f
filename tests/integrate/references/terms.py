"""Forces with switches, each given twice: as an expression for zeromass, and as a function of its pieces for the reference.

A force acts along a length l that changes with the speed s. Every kind is drawn at random, in one of the ways of writing it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import zeromass as zm
from integrate.references.pieces import Clock

Level = Callable[[Any, Any, Any], Any]
"""g(t, l, s)."""


@dataclass(frozen=True)
class Term:
    """A force along l.

    expression  of l and s
    force       of t, l, s and the pieces of its switches, clocks last
    switches    (key, g, stairs); two with the same key are at one border
    energy      whether the expression is a potential energy, of which the force is minus the slope
    on          what kinds of places it can act at
    """

    words: str
    expression: Callable[[Any, Any], Any]
    force: Callable[[Any, Any, Any, Any], Any]
    switches: tuple[tuple[Any, Level, bool], ...] = ()
    clocks: tuple[Clock, ...] = ()
    breaks: tuple[float, ...] = ()
    longest: float = np.inf
    energy: bool = False
    on: tuple[str, ...] = ("length",)


ANYWHERE = "length", "turn", "angle"
Rng = np.random.Generator


def one_of(rng: Rng, *choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


# ---- smooth forces


def spring(rng: Rng, until: float) -> Term:
    k, c = rng.uniform(1, 20), rng.uniform(0, 0.5)
    return Term(f"spring {k:.3g}, {c:.3g}", lambda l, s: -k * l - c * s, lambda t, l, s, p: -k * l - c * s)


def cubic(rng: Rng, until: float) -> Term:
    k = rng.uniform(0.5, 3)
    return Term(f"cubic {k:.3g}", lambda l, s: -k * l**3, lambda t, l, s, p: -k * l**3)


def drive(rng: Rng, until: float) -> Term:
    F, ω, φ = rng.uniform(0.5, 5), rng.uniform(0.5, 6), rng.uniform(0, 6)
    return Term(
        f"drive {F:.3g}, {ω:.3g}",
        lambda l, s: F * np.sin(ω * zm.t + φ),
        lambda t, l, s, p: F * np.sin(ω * t + φ),
        on=ANYWHERE,
    )


# ---- switches of the place


def one_sided(rng: Rng, until: float) -> Term:
    k, a = rng.uniform(5, 200), rng.uniform(-0.5, 0.5)
    way, expression = one_of(
        rng,
        ("maximum", lambda l, s: -k * np.maximum(l - a, 0.0)),
        ("where", lambda l, s: zm.where(l > a, -k * (l - a), 0.0)),
        ("abs", lambda l, s: -k * (np.abs(l - a) + (l - a)) / 2),
        ("energy maximum", lambda l, s: k * np.maximum(l - a, 0.0) ** 2 / 2),
        ("energy where", lambda l, s: zm.where(a < l, k * (l - a) ** 2 / 2, 0.0)),
    )
    return Term(
        f"one-sided spring {k:.3g} at {a:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -k * (l - a) * p[0],
        ((("l", a), lambda t, l, s: l - a, False),),
        energy=way.startswith("energy"),
    )


def hertz(rng: Rng, until: float) -> Term:
    k, a = rng.uniform(5, 200), rng.uniform(-0.5, 0.5)
    way, expression = one_of(
        rng,
        ("maximum", lambda l, s: -k * np.maximum(l - a, 0.0) ** 1.5),
        ("where", lambda l, s: zm.where(l > a, -k * np.abs(l - a) ** 1.5, 0.0)),
    )
    return Term(
        f"Hertz {k:.3g} at {a:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -k * np.abs(l - a) ** 1.5 * p[0],
        ((("l", a), lambda t, l, s: l - a, False),),
    )


def backlash(rng: Rng, until: float) -> Term:
    k, a = rng.uniform(5, 100), rng.uniform(0.02, 0.5)
    way, expression = one_of(
        rng,
        ("where", lambda l, s: zm.where(l > a, -k * (l - a), zm.where(l < -a, -k * (l + a), 0.0))),
        ("maximum", lambda l, s: -k * (np.maximum(l - a, 0.0) + np.minimum(l + a, 0.0))),
        ("limits", lambda l, s: -k * (l - np.minimum(np.maximum(l, -a), a))),
        ("abs", lambda l, s: -k * np.sign(l) * np.maximum(np.abs(l) - a, 0.0)),
    )
    return Term(
        f"backlash {k:.3g}, play {a:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -k * (p[0] * (l - a) + p[1] * (l + a)),
        ((("l", a), lambda t, l, s: l - a, False), (("-l", a), lambda t, l, s: -l - a, False)),
    )


def bang_bang(rng: Rng, until: float) -> Term:
    F, a = rng.uniform(0.3, 4), rng.uniform(-0.3, 0.3)
    way, expression = one_of(
        rng,
        ("sign", lambda l, s: -F * np.sign(l - a)),
        ("where", lambda l, s: zm.where(l >= a, -F, F)),
        ("abs", lambda l, s: F * np.abs(l - a)),
    )
    return Term(
        f"bang-bang {F:.3g} at {a:.3g}, by {way}",
        expression,
        lambda t, l, s, p: -F * (2 * p[0] - 1),
        ((("l", a), lambda t, l, s: l - a, False),),
        energy=way == "abs",
    )


def window(rng: Rng, until: float) -> Term:
    F, a, w = rng.uniform(1, 30) * rng.choice([-1, 1]), rng.uniform(-0.5, 0.5), 10 ** rng.uniform(-3, -1)
    way, expression = one_of(
        rng,
        ("abs", lambda l, s: zm.where(np.abs(l - a) < w, F, 0.0)),
        ("&", lambda l, s: zm.where((l > a - w) & (l < a + w), F, 0.0)),
        ("product", lambda l, s: zm.where((l - a) ** 2 < w**2, F, 0.0)),
    )
    return Term(
        f"window {F:.3g} at {a:.3g} ± {w:.3g}, by {way}",
        expression,
        lambda t, l, s, p: F * (p[0] - p[1]),
        ((("l", a - w), lambda t, l, s: l - (a - w), False), (("l", a + w), lambda t, l, s: l - (a + w), False)),
    )


def stairs(rng: Rng, until: float) -> Term:
    F, a = rng.uniform(0.2, 2), rng.uniform(0.1, 0.6)
    way, expression, force = one_of(
        rng,
        ("floor", lambda l, s: -F * np.floor(l / a), lambda t, l, s, p: -F * p[0]),
        ("//", lambda l, s: -F * (l // a), lambda t, l, s, p: -F * p[0]),
        ("%", lambda l, s: -F * (l % a), lambda t, l, s, p: -F * (l - a * p[0])),
    )
    switches = ((("stairs", a), lambda t, l, s: l / a, True),)
    return Term(f"stairs {F:.3g} of {a:.3g}, by {way}", expression, force, switches)


def moving_level(rng: Rng, until: float) -> Term:
    F, A, ω = rng.uniform(0.3, 3), rng.uniform(0.1, 1), rng.uniform(0.5, 4)
    return Term(
        f"level {F:.3g}, {A:.3g} sin {ω:.3g} t",
        lambda l, s: -F * np.sign(l - A * np.sin(ω * zm.t)),
        lambda t, l, s, p: -F * (2 * p[0] - 1),
        ((("moving", A), lambda t, l, s: l - A * np.sin(ω * t), False),),
    )


def nested(rng: Rng, until: float) -> Term:
    """Switches inside switches."""
    F, a, b = rng.uniform(0.3, 3), rng.uniform(-0.3, 0.3), rng.uniform(0.1, 0.4)
    beyond = ((("l", a), lambda t, l, s: l - a, False),)
    around = (
        *beyond,
        (("l", a + b), lambda t, l, s: l - a - b, False),
        (("l", a - b), lambda t, l, s: l - a + b, False),
    )
    way, expression, force, switches = one_of(
        rng,
        (
            "maximum of sign",
            lambda l, s: -F * np.maximum(2 * np.sign(l - a), 0.0),
            lambda t, l, s, p: -2 * F * p[0],
            beyond,
        ),
        (
            "abs of abs",
            lambda l, s: F * np.abs(np.abs(l - a) - b),
            lambda t, l, s, p: F * (2 * (p[0] * p[1] + (1 - p[0]) * (1 - p[2])) - 1) * ((2 * p[0] - 1) * (l - a) - b),
            around,
        ),
        (
            "where of sign",
            lambda l, s: zm.where(np.sign(l - a) > 0.5, -F, zm.where(np.abs(l - a) < b, F, 0.0)),
            lambda t, l, s, p: F * ((1 - p[0]) * p[2] - p[0]),
            around,
        ),
        (
            "floor of floor",
            lambda l, s: -F * np.floor(np.floor(l / b) / 2),
            lambda t, l, s, p: -F * p[0],
            ((("stairs", 2 * b), lambda t, l, s: l / (2 * b), True),),
        ),
    )
    return Term(f"nested {F:.3g}, {a:.3g}, {b:.3g}, by {way}", expression, force, switches)


def torsion(rng: Rng, until: float) -> Term:
    κ = rng.uniform(0.1, 2)
    return Term(
        f"torsion {κ:.3g}",
        lambda l, s: -κ * l,
        lambda t, l, s, p: -κ * (l - 2 * np.pi * p[0]),
        ((("turns",), lambda t, l, s: (l + np.pi) / (2 * np.pi), True),),
        on=("angle",),
    )


SMOOTH = spring, cubic, drive
PLACE = one_sided, hertz, backlash, bang_bang, window, stairs, moving_level, nested
