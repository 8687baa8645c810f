"""The memory of a thread that moves a member: the member's row, and where its numbers stand during a step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zeromass.integrate.stepping.layout import Real64
from zeromass.study.layout import Own, Places

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

SLOTS = (0, 1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 2)
"""Where the accelerations of each stage stand: the sixth takes the place of the second, which nobody needs after the fifth,
and the last that of the third. Slopes of positions are velocities, and are made again from accelerations."""


class Cell:
    """Places of the numbers of one coordinate: position, velocity, and accelerations in their slots.

    After the last stage all slots but the first are free, for what a step arrives at.
    """

    POSITION, VELOCITY, SLOPE = 0, 1, 2
    END = (3, 4)  # position and velocity before the projection
    ARRIVED = (5, 6)  # the same after it
    SQUARES = ((7, 8), (9, 10))  # of the errors of order 5 and 3, of position and velocity
    NEXT_SLOPE = 11
    COUNT = 12

    @classmethod
    def slot(cls, stage: int) -> int:
        """The acceleration of a stage."""
        return cls.SLOPE + SLOTS[stage]


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

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Where each of its numbers stands that has a name."""
        return {int(place): k for k, place in enumerate(NUMBERS)}

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
class Motion:
    """What is done with a member, as far as the kernel is made for it.

    row         what a member has
    directions  of the events
    corrections those after a step: some of "positions", "velocities"
    recording   whether accepted steps are written down
    felt        places in a state of what the acceleration depends on
    """

    row: Row
    directions: tuple[int, ...]
    corrections: tuple[str, ...]
    recording: bool
    felt: frozenset[int]


@dataclass(frozen=True)
class Block:
    """Threads of a block, and for how many coordinates of each the numbers stand in the memory that the block shares."""

    threads: int
    shared: int

    @property
    def bytes(self) -> int:
        return 8 * self.threads * Cell.COUNT * self.shared

    @classmethod
    def of(cls, places: Places, room: int, threads: int = 256) -> Block:
        """For a card with some bytes of shared memory for a block: as many coordinates as there is room for."""
        return cls(threads, min(places.coordinates, room // (8 * threads * Cell.COUNT)))
