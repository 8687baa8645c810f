"""The memory that stepping methods in machine code work in: what stands where, and what they are called with."""

from __future__ import annotations

from enum import IntEnum

from zeromass.codegen import ir
from zeromass.integrate.stepping.writer import POINTER, function_pointer

ROOT, LARGEST, LOWEST, PIVOTS = 8, 9, 10, 11
"""Places of what is kept of each pivot of a multiplier after its values in up to eight stages: its root at the step before,
the largest root so far, its least size in the step; and how many values that are."""

HEAD = 3
"""Values in a record before the state: t, h and the growth of the pivots."""


FOLLOWED = 2.0
"""Times its direction is what stands for it where the slope of an event function is watched too: such a function turns only
where its slope changes sign, and need not be looked for between the places at which it is known."""


WAITS = 2.0**-20
"""What an event that may wait counts among those that happen in a step, of which one that may not counts 1."""


class Real64(IntEnum):
    """Places in the array of float64 settings and results."""

    t = 0
    h = 1
    until = 2
    rtol = 3
    atol = 4
    longest = 5
    growth_limit = 6
    growth = 7
    stage_time = 8
    fixed = 9  # not zero: every step has length h, no error is estimated
    room = 10  # growth^(−1/2), which falls linearly to zero at a singular position
    fall = 11  # its fall in unit time over the last step
    worst = 12  # largest growth in the stages of a step
    previous = 13  # length of the last accepted step
    contraction = 14  # of the iteration in the last step
    correction_limit = 15  # of the projection after a step, in units of its tolerance
    behind = 16  # longest step that the stretches behind allow
    behind_at = 17  # when they were looked at
    distance = 18  # time after which a pivot of a multiplier would vanish, from the last step; infinite if none falls
    quiet = 19  # time until which nothing is said of it
    careful = 20  # longest step until then, 0 for any
    dipped = 21  # not zero: one may have vanished inside the last step


class Int64(IntEnum):
    """Places in the array of int64 settings and counters."""

    coordinates = 0
    size = 1  # padded length of a state vector
    steps = 2
    rejected = 3
    evaluations = 4
    recorded = 5
    capacity = 6
    events = 7
    budget = 8  # steps until the code pauses
    started = 9  # whether what a step begins with is there
    project_positions = 10
    project_velocities = 11
    repeated = 12  # rejections in a row
    width = 13  # values in a record: t, h, growth and the state
    table = 14  # address of the stretches ahead, each with its end and the longest step in it
    stretches = 15  # how many; none where nothing limits the steps
    stretch = 16  # the one in which the run is
    patience = 17  # steps that may be cut before the code asks for a closer look
    pivots = 18  # of multipliers
    patient = 19  # the last of the events, which are located after some steps and not at once
    notes = 20  # address of the steps in which they may have happened
    waiting = 21  # how many
    room = 22  # for how many


ARGUMENTS: dict[str, ir.Type] = {
    "reals": POINTER,
    "ints": POINTER,
    "y": POINTER,
    "stages": POINTER,
    "new": POINTER,
    "scratch": POINTER,
    "parameters": POINTER,
    "record": POINTER,
    "signs": POINTER,
    "pivots": POINTER,
    "rhs": function_pointer(6),
    "positions": function_pointer(4),
    "velocities": function_pointer(4),
    "event": function_pointer(4),
}
