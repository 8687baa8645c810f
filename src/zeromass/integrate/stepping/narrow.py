"""Bumps in space: forces that are felt in a short part of a step alone, as exp(−(x/w)²) is, and at none of its stages.

Such a function is a number e^u that vanishes at both ends of the step, u being far below zero there. Where u comes up from
below inside the step, and goes down again, the step is taken again up to the beginning of the bump, and the next one is
short. What the step itself tells of states inside it may be spoilt by a stage in the bump, and serves to find it alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeromass.expression import Expression, as_expression, expressions, rate
from zeromass.expression.node import depending
from zeromass.integrate.stepping.inside import Inside
from zeromass.integrate.stepping.roots import event_roots
from zeromass.model import Event

NARROW = "\0narrow "
"""What names of such functions begin with among events; no user's name does."""

FELT = 40.0
"""−u from which on e^u is nothing beside 1: e⁻⁴⁰ is 4e-18."""

SEEN = 10.0
"""−u at the beginning of a step from which on it does not see the bump: e⁻¹⁰ is 5e-5."""

PART = 0.25
"""Of the time that a bump takes, the length of the first step in it."""


def bumps(peaks: Sequence[Expression]) -> tuple[Event, ...]:
    """What is above zero in bumps, of numbers e^u, cosh u or tanh²u that depend on the state, each with its rate."""
    moving = depending(peaks, lambda leaf: leaf.kind == "coordinate")
    found = list(dict.fromkeys(_above(node) for node in peaks if node in moving))
    functions = [e for pair in zip(found, rate(expressions(found)), strict=True) for e in pair]
    return tuple(Event(f"{NARROW}{k}", e, terminal=False) for k, e in enumerate(functions))


def _above(node: Expression) -> Expression:
    if node.op == "power":  # 1 − tanh²u is 4 e^(−2|u|)
        return as_expression(FELT - 2 * abs(node.args[0].args[0]))
    (u,) = node.args
    return as_expression(FELT + (u if node.op == "exp" else -abs(u)))


def stepped_over(watched: tuple[Event, ...], inside: Inside, places: list[float]) -> tuple[float, float] | None:
    """When the first bump that a step has gone over as a whole begins, and how long it takes; None where there is none."""
    ahead = 1.0 if places[-1] > places[0] else -1.0
    found: list[tuple[float, float]] = []
    for k in [k for k, event in enumerate(watched) if event.name.startswith(NARROW)][::2]:
        first = inside.watched(places[0])[k]
        if first < FELT - SEEN and inside.watched(places[-1])[k] < 0:
            tops, _ = event_roots([watched[k + 1]], inside, places, columns=[k + 1])
            more = sorted({*places, *[time for time, _ in tops]}, key=lambda t: ahead * t)
            borders = [time for time, _ in event_roots([watched[k]], inside, more, columns=[k])[0]]
            if first >= 0 and max(inside.watched(time)[k] for time in more) > FELT - SEEN:
                borders = [places[0], *borders]
            if len(borders) > 1:
                found.append((borders[0], borders[1] - borders[0]))
    return min(found, key=lambda bump: ahead * bump[0]) if found else None
