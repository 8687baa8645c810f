"""Bumps in space: forces that are felt in a short part of a step alone, as exp(−(x/w)²) is, and at none of its stages.

Such a function is a number e^u that vanishes at both ends of the step, u being far below zero there. Where u comes up from
below inside the step, and goes down again, the step is taken again up to the beginning of the bump, and the next one is
short. What the step itself tells of states inside it may be spoilt by a stage in the bump, and serves to find it alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression, as_expression, expressions, rate
from zeromass.expression.node import depending
from zeromass.integrate.stepping.inside import Inside
from zeromass.integrate.stepping.roots import Search
from zeromass.kernel.language import Ints, Reals, compiled, kernel
from zeromass.kernel.roots import RootSearch, add_place, locate_roots, search_again
from zeromass.model import Event

NARROW = "\0narrow "
"""What names of such functions begin with among events; no user's name does."""

FELT = 40.0
"""−u from which on e^u is nothing beside 1: e⁻⁴⁰ is 4e-18."""

SEEN = 10.0
"""−u at the beginning of a step from which on it does not see the bump: e⁻¹⁰ is 5e-5."""

ROOM = 64
"""Places in a step, beside those where it is looked at first, for which there is room."""

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


@kernel
def bump_in_step(bumps: Ints, b: RootSearch, r: RootSearch, bump: Reals) -> bool:
    """Whether a step goes over a bump as a whole; bump ← when the first begins, and how long it takes.

    bumps  functions that are above zero in them, each with its rate; b: a search for their zeros
    r      has the places where the step is looked at first
    """
    found, count = False, r.looks
    ahead = 1.0 if r.places[count - 1] > r.places[0] else -1.0
    for k in range(0, len(bumps), 2):
        c = bumps[k]
        b.columns[0] = bumps[k + 1]
        search_again(b, r)
        first, last = b.seen[0, c], b.seen[count - 1, c]
        if not (first < FELT - SEEN and last < 0.0):
            continue
        for i in range(b.count):
            add_place(b, b.times[i], ahead)
        b.columns[0] = c
        locate_roots(b)
        top = first
        for i in range(b.looks):
            top = max(top, b.seen[i, c])
        inside = first >= 0.0 and top > FELT - SEEN
        if b.count < 1 or not (inside or b.count > 1):
            continue
        begin, end = r.places[0] if inside else b.times[0], b.times[0] if inside else b.times[1]
        if not found or ahead * begin < ahead * bump[0]:
            bump[0], bump[1], found = begin, end - begin, True
    return found


def stepped_over(watched: tuple[Event, ...], inside: Inside, places: list[float]) -> tuple[float, float] | None:
    """When the first bump that a step has gone over as a whole begins, and how long it takes; None where there is none."""
    columns = np.array([k for k, event in enumerate(watched) if event.name.startswith(NARROW)], dtype=np.int64)
    room, bump = 2 * len(places) + ROOM, np.zeros(2)
    r, b = (Search(inside.memory.step.values, room, 1) for _ in range(2))
    b.ask([0.0] * room, columns[:1].tolist(), [0.0], [True])
    r.look_at(places)
    found = inside.search(lambda: compiled(bump_in_step)(columns, b.memory, r.memory, bump), b)
    return (float(bump[0]), float(bump[1])) if found else None
