"""Motions with switches whose course and switching times are known in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from integrate.references.pieces import Clock, Pieces, Switch
from integrate.references.walk import zero


@dataclass(frozen=True)
class Exact:
    """Functions for the reference, a start (x, v), an end, the exact (x, v) at any times, and the times of the switches."""

    pieces: Pieces
    start: tuple[float, float]
    until: float
    solution: Callable[[np.ndarray], np.ndarray]
    switches: tuple[float, ...]


def _by_arcs(arcs: list[tuple[float, Callable]]) -> Callable[[np.ndarray], np.ndarray]:
    """(x, v) from arcs (time at which it begins, x and v of the time since)."""
    begins = np.array([begin for begin, _ in arcs])

    def solution(t: np.ndarray) -> np.ndarray:
        which = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, None)
        return np.array([arcs[k][1](s - begins[k]) for k, s in zip(which, np.atleast_1d(t), strict=True)])

    return solution


def _swing(center: float, x: float, v: float, ω: float) -> Callable:
    """Harmonic, about a centre, from x and v."""

    def arc(s: float) -> tuple[float, float]:
        c, d = np.cos(ω * s), np.sin(ω * s)
        return center + (x - center) * c + v / ω * d, v * c - (x - center) * ω * d

    return arc


def _fall(x: float, v: float, a: float) -> Callable:
    return lambda s: (x + v * s + a * s**2 / 2, v + a * s)


def dry_friction(m: float = 1.3, k: float = 5.0, F: float = 0.7, x: float = 1.9) -> Exact:
    """m ẍ = −k x − F sign ẋ from rest: each half-swing, π√(m/k) long, loses 2F/k, until |x| ≤ F/k at a turn: it sticks."""
    ω, begin, start = np.sqrt(k / m), 0.0, x
    arcs, turns = [], []
    while abs(x) > F / k:
        arcs.append((begin, _swing(np.sign(x) * F / k, x, 0.0, ω)))
        begin, x = begin + np.pi / ω, -x + 2 * np.sign(x) * F / k
        turns.append(begin)
    arcs.append((begin, lambda s, x=x: (x, 0.0)))
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], (-k * y[0] - F * (2 * p[0] - 1)) / m]), [Switch("sign ẋ", lambda t, y: y[1])]
    )
    return Exact(pieces, (start, 0.0), begin + 2.0, _by_arcs(arcs), tuple(turns))


def block(μg: float = 1.7, v: float = 2.9) -> Exact:
    """Coulomb's block, ẍ = −μg sign ẋ: it stops after v/μg and stays."""
    stop = v / μg
    arcs = [(0.0, _fall(0.0, v, -μg)), (stop, lambda s: (v**2 / (2 * μg), 0.0))]
    pieces = Pieces(lambda t, y, p: np.array([y[1], -μg * (2 * p[0] - 1)]), [Switch("sign ẋ", lambda t, y: y[1])])
    return Exact(pieces, (0.0, v), stop + 1.0, _by_arcs(arcs), (stop,))


def bouncing(g: float = 9.81, ω: float = 15.0, height: float = 1.0, bounces: int = 4) -> Exact:
    """ẍ = −g, and −ω²x more where x < 0: parabolas, and arcs about −g/ω² that bring it back with its speed."""
    v = np.sqrt(2 * g * height)
    t = v / g
    arcs, times = [(0.0, _fall(height, 0.0, -g))], []
    contact = 2 * (np.pi - np.arctan(ω * v / g)) / ω  # from −v to +v about −g/ω²
    for _ in range(bounces):
        arcs += [(t, _swing(-g / ω**2, 0.0, -v, ω)), (t + contact, _fall(0.0, v, -g))]
        times += [t, t + contact]
        t += contact + 2 * v / g
    pieces = Pieces(lambda t, y, p: np.array([y[1], -g - ω**2 * y[0] * (1 - p[0])]), [Switch("x", lambda t, y: y[0])])
    return Exact(pieces, (height, 0.0), times[-1] + v / g, _by_arcs(arcs), tuple(times))


def bang_bang(a: float = 2.3, x: float = 1.1, swings: int = 5) -> Exact:
    """ẍ = −a sign x: parabolas, each half-swing 2√(2x/a) long."""
    quarter, v = np.sqrt(2 * x / a), np.sqrt(2 * x * a)
    arcs, times = [(0.0, _fall(x, 0.0, -a))], []
    for j in range(swings):
        side = (-1.0) ** (j + 1)
        times.append(quarter * (1 + 2 * j))
        arcs.append((times[-1], _fall(0.0, side * v, -side * a)))
    pieces = Pieces(lambda t, y, p: np.array([y[1], -a * (2 * p[0] - 1)]), [Switch("sign x", lambda t, y: y[0])])
    return Exact(pieces, (x, 0.0), times[-1] + quarter, _by_arcs(arcs), tuple(times))


def relay(F: float = 3.0, c: float = 1.5, x: float = 0.8) -> Exact:
    """ẍ = −F sign(c x + ẋ) from rest: a parabola to the line c x + ẋ = 0, and along it as e^(−ct), since |c ẋ| < F there."""
    time = (-F + np.sqrt(F**2 + 2 * c**2 * F * x)) / (c * F)  # c (x − F t²/2) − F t = 0
    there = x - F * time**2 / 2
    arcs = [(0.0, _fall(x, 0.0, -F)), (time, lambda s: (there * np.exp(-c * s), -c * there * np.exp(-c * s)))]
    assert c**2 * there < F
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -F * (2 * p[0] - 1)]), [Switch("c x + ẋ", lambda t, y: c * y[0] + y[1])]
    )
    return Exact(pieces, (x, 0.0), time + 2.0, _by_arcs(arcs), (time,))


def belt(k: float = 4.0, u: float = 0.5, F: float = 1.5, b: float = 0.3, periods: int = 3) -> Exact:
    """Stick–slip: ẍ = −k x + F − b (u − ẋ) while slower than the belt, which carries it with ẋ = u as long as |k x| ≤ F.

    Friction gets less with the speed of slipping. From k x = F the slip is an oscillation about (F − b u)/k that grows, to
    the first time at which its speed is u again; that is the root of a closed form. Then it sticks for (F/k − x)/u.
    """
    center, α = (F - b * u) / k, b / 2
    ω = np.sqrt(k - α**2)
    A = F / k - center
    B = (u - α * A) / ω

    def slip(s: float) -> tuple[float, float]:
        c, d, growth = np.cos(ω * s), np.sin(ω * s), np.exp(α * s)
        return center + growth * (A * c + B * d), growth * ((α * A + ω * B) * c + (α * B - ω * A) * d)

    slipping = zero(lambda s: slip(s)[1] - u, np.pi / ω, 2 * np.pi / ω)
    low = slip(slipping)[0]
    assert abs(k * low) < F
    t, x = 0.0, 0.0
    arcs, times = [], []
    for _ in range(periods):
        arcs.append((t, lambda s, x=x: (x + u * s, u)))
        t += (F / k - x) / u
        arcs.append((t, slip))
        times += [t, t + slipping]
        t, x = t + slipping, low
    arcs.append((t, lambda s: (low + u * s, u)))

    def slope(t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        side = 2 * p[0] - 1
        return np.array([y[1], -k * y[0] - side * F + b * (y[1] - u)])

    pieces = Pieces(slope, [Switch("ẋ − u", lambda t, y: y[1] - u)])
    return Exact(pieces, (0.0, u), t + 0.3, _by_arcs(arcs), tuple(times))


def backlash(a: float = 0.4, ω: float = 7.0, v: float = 1.3, swings: int = 4) -> Exact:
    """A mass between two springs with play: ẍ = −ω²(x − a) beyond a, −ω²(x + a) below −a; it flies between them."""
    t, times = a / v, []
    arcs = [(0.0, _fall(0.0, v, 0.0))]
    for j in range(swings):
        side = (-1.0) ** j
        arcs += [(t, _swing(side * a, side * a, side * v, ω)), (t + np.pi / ω, _fall(side * a, -side * v, 0.0))]
        times += [t, t + np.pi / ω]
        t += np.pi / ω + 2 * a / v

    def slope(t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        return np.array([y[1], -(ω**2) * (p[0] * (y[0] - a) + p[1] * (y[0] + a))])

    pieces = Pieces(slope, [Switch("x − a", lambda t, y: y[0] - a), Switch("−x − a", lambda t, y: -y[0] - a)])
    return Exact(pieces, (0.0, v), times[-1] + a / v, _by_arcs(arcs), tuple(times))


def saw_tooth(ω: float = 3.0, A: float = 5.0, T: float = 0.7, teeth: int = 6) -> Exact:
    """ẍ = −ω²x + A (t/T mod 1): about A s/(T ω²), s since the last tooth; a jump of the force each time."""
    x, v = 0.3, 0.0
    arcs = []
    for j in range(teeth):

        def arc(s: float, x: float = x, v: float = v) -> tuple[float, float]:
            swing = _swing(0.0, x, v - A / (T * ω**2), ω)(s)
            return swing[0] + A * s / (T * ω**2), swing[1] + A / (T * ω**2)

        arcs.append((j * T, arc))
        x, v = arc(T)
    times = tuple(j * T for j in range(1, teeth))
    clock = Clock(lambda t: float(np.floor(t / T)), times)
    pieces = Pieces(lambda t, y, p: np.array([y[1], -(ω**2) * y[0] + A * (t / T - p[0])]), clocks=[clock])
    return Exact(pieces, (0.3, 0.0), (teeth - 0.5) * T, _by_arcs(arcs), times)


EXACT = dry_friction, block, bouncing, bang_bang, relay, belt, backlash, saw_tooth
