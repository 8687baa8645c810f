"""The memory of members that move side by side: what stands where.

A member is a row of a table: its numbers (`Real64`, then `Own`), its state, parameters, signs of event functions, roots
of the pivots of multipliers, and the slope at its state. In a lane the same numbers stand one below the other, so that a
row of the lanes' memory has one number of each member.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto

from zeromass.codegen import ir
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64, Real64
from zeromass.integrate.stepping.writer import CHUNK, POINTER, function_pointer

LANE_ARGUMENTS: dict[str, ir.Type] = {**ARGUMENTS, "roots": POINTER, "table": POINTER}

LEAST_ARGUMENTS: dict[str, ir.Type] = {**LANE_ARGUMENTS, "ending": function_pointer(7)}
"""With the slope and the event functions at the end of a step at once."""


class Own(IntEnum):
    """Places of numbers that a member has beside those of every run."""

    steps = len(Real64)
    rejected = auto()
    repeated = auto()  # rejections in a row
    live = auto()  # whether there is a member in the lane
    budget = auto()  # steps until it is looked whether they have brought the member forward
    since = auto()  # the time at the last such look
    least = auto()  # by what they must have
    largest = auto()  # growth of the pivots so far
    longest_taken = auto()  # step so far
    shortest_taken = auto()  # the same, without the first
    left = auto()  # why it left its lane: see `Left`


NUMBERS = len(Real64) + len(Own)


class Left(IntEnum):
    """Why a member has left its lane; 0 while it is there."""

    ENDED = 1
    ASKS = 2  # the next step is one that Python has to look at
    STALLS = 3  # its steps bring it forward by next to nothing
    FADES = 4  # the pivot of a multiplier may vanish in the next step


class Queue(IntEnum):
    """Places of integers beside those of every routine; the members in the lanes follow, by their rows."""

    waiting = len(Int64)  # row of the next member
    count = auto()
    alive = auto()  # lanes with a member
    row = auto()  # numbers of a member
    order = auto()  # of these, the length of its state
    recording = auto()  # whether accepted steps are recorded
    members = auto()


@dataclass(frozen=True)
class Places:
    """Where the parts of a member begin in its row.

    coordinates  positions in its state
    order        length of its state
    chunk        numbers of it that the routine takes at once
    """

    coordinates: int
    order: int
    parameters: int
    events: int
    pivots: int
    chunk: int = CHUNK

    @property
    def size(self) -> int:
        """The same, padded."""
        return -(-self.order // self.chunk) * self.chunk

    @property
    def state(self) -> int:
        return NUMBERS

    @property
    def values(self) -> int:
        """Of the parameters."""
        return self.state + self.size

    @property
    def signs(self) -> int:
        return self.values + self.parameters

    @property
    def roots(self) -> int:
        """Of the pivots of multipliers at the state, and then the largest of each so far."""
        return self.signs + 2 * self.events

    @property
    def largest(self) -> int:
        return self.roots + self.pivots

    @property
    def slope(self) -> int:
        return self.roots + 2 * self.pivots

    @property
    def row(self) -> int:
        """Numbers of a member."""
        return self.slope + self.size
