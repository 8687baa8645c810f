"""The memory of a thread that moves a member: the member's row, and where its numbers stand during a step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zeromass.ensemble.layout import Own, Places
from zeromass.integrate.stepping.layout import Real64

NUMBERS = (
    *(Real64.t, Real64.h, Real64.room, Real64.fall, Real64.distance, Real64.quiet),
    *(Own.steps, Own.rejected, Own.repeated, Own.budget, Own.since, Own.least),
    *(Own.largest, Own.longest_taken, Own.shortest_taken, Own.left),
)
"""What a member brings along, and takes with it when it leaves."""

SETTINGS = (
    *(Real64.until, Real64.rtol, Real64.atol),
    *(Real64.longest, Real64.growth_limit, Real64.correction_limit),
)
"""What is the same for all."""

SLOTS = (0, 1, 2, 3, 4, 1, 5, 6, 7, 8, 9)
"""Where the accelerations of each stage but the last stand: the sixth takes the place of the second, which nobody needs
after the fifth. Slopes of positions are velocities, and are made again from accelerations."""

SLOT_COUNT = 1 + max(SLOTS)

BY_USE = (0, 3, 4, 2, 1, 5, 6, 7, 8, 9)
"""The same slots, those that are read most often first."""


@dataclass(frozen=True)
class Row:
    """The row of a member: numbers, state, parameters, values of event functions, largest roots; then what is only read,
    roots of the pivots and the acceleration."""

    places: Places

    @cached_property
    def columns(self) -> np.ndarray:
        """Where each of its numbers stands in the table of the lanes."""
        p = self.places
        n = p.coordinates
        parts = [
            np.array([int(place) for place in NUMBERS]),
            p.state + np.arange(p.order),
            p.values + np.arange(p.parameters),
            p.signs + 2 * np.arange(p.events),
            p.largest + np.arange(p.pivots),
            p.roots + np.arange(p.pivots),
            p.slope + n + np.arange(n),
        ]
        return np.concatenate(parts)

    @property
    def state(self) -> int:
        return len(NUMBERS)

    @property
    def parameters(self) -> int:
        return self.state + self.places.order

    @property
    def signs(self) -> int:
        return self.parameters + self.places.parameters

    @property
    def largest(self) -> int:
        return self.signs + self.places.events

    @property
    def roots(self) -> int:
        return self.largest + self.places.pivots

    @property
    def slope(self) -> int:
        return self.roots + self.places.pivots

    @property
    def size(self) -> int:
        return self.slope + self.places.coordinates


@dataclass(frozen=True)
class Block:
    """Threads of a block, and how many numbers of each thread stand in the memory that the block shares."""

    threads: int
    shared: int

    @property
    def bytes(self) -> int:
        return 8 * self.threads * self.shared

    @classmethod
    def of(cls, places: Places, room: int, threads: int = 256) -> Block:
        """For a card with some bytes of shared memory for a block: state and slots, as far as there is room."""
        wanted = places.order + SLOT_COUNT * places.coordinates
        return cls(threads, min(wanted, room // (8 * threads)))
