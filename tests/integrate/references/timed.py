"""Forces of time alone with switches and narrow bumps, each given twice, as in `terms`."""

from __future__ import annotations

from typing import Any

import numpy as np

import zeromass as zm
from integrate.references.pieces import Clock
from integrate.references.terms import ANYWHERE, Rng, Term, one_of


def _at(begin: float, step: float, until: float) -> tuple[float, ...]:
    """Times begin + n step within a run."""
    first = int(np.ceil(-begin / step))
    return tuple(begin + n * step for n in range(first, first + int(until / step) + 2) if 0 < begin + n * step < until)


def pulse(rng: Rng, until: float) -> Term:
    w = 10 ** rng.uniform(-3, 0)
    F, a = rng.uniform(0.2, 1) * min(100.0, 2 / w) * rng.choice([-1, 1]), rng.uniform(0, until - w)
    b = a + w
    way, expression = one_of(
        rng,
        ("&", lambda: zm.where((zm.t > a) & (zm.t < b), F, 0.0)),
        ("where", lambda: zm.where(zm.t < a, 0.0, zm.where(zm.t < b, F, 0.0))),
        ("abs", lambda: zm.where(np.abs(zm.t - (a + b) / 2) <= (b - a) / 2, F, 0.0)),
        ("sign", lambda: F * (np.sign(zm.t - a) - np.sign(zm.t - b)) / 2),
        ("energy", lambda: zm.where((zm.t > a) & (zm.t < b), -F, 0.0)),
    )
    energy = way == "energy"
    return Term(
        f"pulse {F:.4g} from {a:.6g} for {w:.3g} s, by {way}",
        (lambda l, s: expression() * l) if energy else (lambda l, s: expression()),
        lambda t, l, s, p: F * p[0],
        clocks=(Clock(lambda t: float(a < t < b), (a, b)),),
        energy=energy,
        on=("length",) if energy else ANYWHERE,
    )


def square(rng: Rng, until: float) -> Term:
    F, ω, φ = rng.uniform(0.3, 3), 10 ** rng.uniform(-0.3, 1.2), rng.uniform(0, 6)
    clock = Clock(lambda t: float(np.sin(ω * t + φ) > 0), _at(-φ / ω, np.pi / ω, until))
    way, expression = one_of(
        rng,
        ("sign", lambda l, s: F * np.sign(np.sin(ω * zm.t + φ))),
        ("where", lambda l, s: zm.where(np.sin(ω * zm.t + φ) > 0, F, -F)),
        ("floor", lambda l, s: F * (1 - 2 * (np.floor((zm.t + φ / ω) / (np.pi / ω)) % 2))),
    )
    force = lambda t, l, s, p: F * (2 * p[0] - 1)  # noqa: E731
    return Term(f"square wave {F:.3g}, {ω:.3g}, by {way}", expression, force, clocks=(clock,), on=ANYWHERE)


def saw(rng: Rng, until: float) -> Term:
    F, T, φ = rng.uniform(0.5, 4), rng.uniform(0.1, 2), float(one_of(rng, 0.0, rng.uniform(0, 1)))
    clock = Clock(lambda t: float(np.floor(t / T + φ)), _at(-φ * T, T, until))
    way, expression = one_of(
        rng,
        ("%", lambda l, s: F * ((zm.t / T + φ) % 1.0)),
        ("% T", lambda l, s: F / T * ((zm.t + φ * T) % T)),
        ("floor", lambda l, s: F * (zm.t / T + φ - np.floor(zm.t / T + φ))),
    )
    force = lambda t, l, s, p: F * (t / T + φ - p[0])  # noqa: E731
    return Term(f"saw-tooth {F:.3g}, {T:.3g}, by {way}", expression, force, clocks=(clock,), on=ANYWHERE)


def triangle(rng: Rng, until: float) -> Term:
    F, T = rng.uniform(0.5, 4), rng.uniform(0.1, 2)
    way, expression, clocks, force = one_of(
        rng,
        (
            "abs of %",
            lambda l, s: F * np.abs((zm.t / T) % 1.0 - 0.5),
            (Clock(lambda t: float(np.floor(t / T)), _at(0, T, until)),
             Clock(lambda t: float(t / T % 1.0 > 0.5), _at(T / 2, T / 2, until))),
            lambda t, l, s, p: F * (2 * p[1] - 1) * (t / T - p[0] - 0.5),
        ),
        (
            "abs of sin",
            lambda l, s: F * np.abs(np.sin(np.pi * zm.t / T)),
            (Clock(lambda t: float(np.sin(np.pi * t / T) > 0), _at(0, T, until)),),
            lambda t, l, s, p: F * (2 * p[0] - 1) * np.sin(np.pi * t / T),
        ),
        (
            "maximum of sin",
            lambda l, s: F * np.maximum(np.sin(np.pi * zm.t / T), 0.0),
            (Clock(lambda t: float(np.sin(np.pi * t / T) > 0), _at(0, T, until)),),
            lambda t, l, s, p: F * p[0] * np.sin(np.pi * t / T),
        ),
    )  # fmt: skip
    return Term(f"kinks {F:.3g}, {T:.3g}, by {way}", expression, force, clocks=clocks, on=ANYWHERE)


def train(rng: Rng, until: float) -> Term:
    T, w = rng.uniform(0.5, 3), 10 ** rng.uniform(-3, -1)
    F = rng.uniform(0.2, 1) * min(100.0, 1 / w)
    way, expression, times, piece = one_of(
        rng,
        ("%", lambda l, s: zm.where(zm.t % T < w, F, 0.0), (*_at(0, T, until), *_at(w, T, until)), lambda t: t % T < w),
        (
            "cos",
            lambda l, s: zm.where(np.cos(2 * np.pi * zm.t / T) > np.cos(np.pi * w / T), F, 0.0),
            (*_at(w / 2, T, until), *_at(-w / 2, T, until)),
            lambda t: np.cos(2 * np.pi * t / T) > np.cos(np.pi * w / T),
        ),
    )
    clock = Clock(lambda t: float(piece(t)), times)
    force = lambda t, l, s, p: F * p[0]  # noqa: E731
    return Term(
        f"train of {F:.3g} for {w:.3g} each {T:.3g} s, by {way}", expression, force, clocks=(clock,), on=ANYWHERE
    )


def bump(rng: Rng, until: float) -> Term:
    w = 10 ** rng.uniform(-2.5, -0.5)
    F, c = rng.uniform(0.2, 1) * min(100.0, 2 / w), rng.uniform(0, until)

    def gauss(t: Any) -> Any:
        return F * np.exp(-(((t - c) / w) ** 2))

    def lorentz(t: Any) -> Any:
        return F / (1 + ((t - c) / w) ** 2)

    def bell(t: Any) -> Any:
        return F * (1 - np.tanh((t - c) / w) ** 2)

    way, shape = one_of(rng, ("exp", gauss), ("a quotient", lorentz), ("tanh", bell))
    breaks = tuple(c + j * w for j in range(-30, 31, 3) if 0 < c + j * w < until)
    force = lambda t, l, s, p: shape(t)  # noqa: E731
    return Term(
        f"bump {F:.4g} at {c:.6g}, width {w:.3g}, by {way}", lambda l, s: shape(zm.t), force, breaks=breaks, on=ANYWHERE
    )


def gated(rng: Rng, until: float) -> Term:
    F, G, a, b = *rng.uniform(-3, 3, 2), rng.uniform(0, until), rng.uniform(-0.3, 0.3)
    return Term(
        f"from {a:.4g} s on {G:.3g}, before {F:.3g} beyond {b:.3g}",
        lambda l, s: zm.where(zm.t < a, zm.where(l > b, F, 0.0), G),
        lambda t, l, s, p: F * p[0] * (1 - p[1]) + G * p[1],
        ((("l", b), lambda t, l, s: l - b, False),),
        (Clock(lambda t: float(t > a), (a,)),),
    )


TIME = pulse, pulse, square, saw, triangle, train, bump, bump, gated
