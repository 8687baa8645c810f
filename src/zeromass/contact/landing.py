"""Strokes of a particle on surfaces, and how it goes on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from zeromass.contact.bouncing import RESTS, TOUCHES, above, bounce, late
from zeromass.contact.friction import coefficients_at, restitution_at
from zeromass.contact.striking import Stroke, stroke
from zeromass.contact.walls import OnWall
from zeromass.model import Onward, State
from zeromass.model.requirement import number_at

if TYPE_CHECKING:
    from zeromass.contact.sliding import Sliding

STROKES = 1000
"""Strokes of a particle in a corner, at one moment, after which it is given up."""


def landed(sliding: Sliding, state: State, which: int) -> Onward | None:
    """The state after a stroke on a surface, and on those that it touches too; None where two of them hold it.

    A stroke is located to rounding: it is taken back to where the gap was closed, and what follows it forward again.
    """
    walls, known = sliding.walls, state.known
    m, e = number_at(sliding.particle.mass, known), restitution_at(sliding.restitution, known)
    static, law = coefficients_at(sliding.friction_coefficient, sliding.kinetic_coefficient, known)
    there = walls[which].near(state)
    since = late(there.distance, there.rate)
    free = _flown(sliding, state.carried_to(sliding), -since)
    near = _touched(sliding, state, free, which)
    took: list[tuple[int, Stroke]] = []
    k: int | None = which
    while k is not None and len(took) < STROKES:
        one = walls[k].near(free)
        done = stroke(np.eye(3) / m, one.normal, one.slip, 0.0 if law is None else law, e, static=static)
        free = replace(free, v=free.v + done.impulse / m)
        took.append((k, done))
        k = _next(sliding, free, near)
    free = replace(_flown(sliding, free, since), t=state.t)
    after = [walls[k].near(free) for k in near]
    least = max(number_at(sliding.least_bounce, known), RESTS * size_of(free))
    found = [bounce(free.t, one.rate, -one.bend, least, e) for one in after]
    stays = [k for k, one in zip(near, found, strict=True) if not one.flies]
    if len(stays) > 1 or k is not None:
        return None
    following = free.carried_to(sliding.kind_at(stays[0], free)) if stays else lifted(sliding, free, near)
    energy = float(m * (following.v @ following.v - state.v @ state.v) / 2)
    names, impulses = _told(sliding, took)
    said = tuple(words for one in found for words in one.said)
    return Onward(following, names, impulses, following.v - state.v, energy, said)


def lifted(sliding: Sliding, state: State, near: Sequence[int]) -> State:
    """A state in flight off the surfaces that it touches, by rounding."""
    size = size_of(state) or number_at(sliding.least_bounce, state.known)
    for k in near:
        one = sliding.walls[k].near(state)
        state = above(state, *sliding.walls[k].off, range(3), one.normal, max(-one.distance, 0.0), size)
    return state


def size_of(state: State) -> float:
    """Of the place of a particle, m."""
    return float(np.abs(state.q).max())


def _touched(sliding: Sliding, state: State, free: State, which: int) -> list[int]:
    """The surfaces at a stroke: that which strikes, that on which it slid, and others that are as near."""
    own = state.system.which if isinstance(state.system, OnWall) else which
    distances = [abs(wall.near(free).distance) for wall in sliding.walls]
    return [k for k, far in enumerate(distances) if k in (which, own) or far <= TOUCHES * size_of(free)]


def _flown(sliding: Sliding, state: State, dt: float) -> State:
    """The state after a moment of free flight, s."""
    a = sliding.free_acceleration(state.inputs)
    return replace(state, t=state.t + dt, q=state.q + dt * (state.v + dt / 2 * a), v=state.v + dt * a)


def _next(sliding: Sliding, state: State, near: Sequence[int]) -> int | None:
    """A surface that it touches and comes nearer to, after a stroke."""
    speed = TOUCHES * float(np.linalg.norm(state.v))
    closing = [(sliding.walls[k].near(state).rate, k) for k in near] if len(near) > 1 else []
    rate, k = min(closing, default=(0.0, 0))
    return k if rate < -speed else None


def _told(sliding: Sliding, took: Sequence[tuple[int, Stroke]]) -> tuple[tuple[str, ...], np.ndarray]:
    """Impulses by name: along the normal of each surface, and along the surface."""
    several = len({k for k, _ in took}) > 1
    names: list[str] = []
    for k, _ in took:
        of = f" {sliding.walls[k].surface.name}" if several else ""
        names += [f"normal{of}", f"friction{of}"]
    return tuple(names), np.array([part for _, done in took for part in (done.normal, done.friction)])
