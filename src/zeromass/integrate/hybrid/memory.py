"""The memory of a motion over switches, which its kernels share."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated

from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.methods.radau.increments import Increments
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, function, kernel
from zeromass.kernel.negative_values import NegativeSearch

T, H, UNTIL, RTOL, ATOL, LONGEST = (
    int(place) for place in (Real64.t, Real64.h, Real64.until, Real64.rtol, Real64.atol, Real64.longest)
)
RECORDED, STARTED, STEPS, REJECTED, EVALUATIONS, BUDGET, STRETCH, CAPACITY = (
    int(place)
    for place in (
        Int64.recorded,
        Int64.started,
        Int64.steps,
        Int64.rejected,
        Int64.evaluations,
        Int64.budget,
        Int64.stretch,
        Int64.capacity,
    )
)
BEHIND_AT, QUIET, FIXED = int(Real64.behind_at), int(Real64.quiet), int(Real64.fixed)
EVENT, FINISHED, PAUSED, RECORD_FULL, AHEAD, NOT_A_NUMBER, TOO_SMALL = (
    int(status)
    for status in (
        Status.EVENT,
        Status.FINISHED,
        Status.PAUSED,
        Status.RECORD_FULL,
        Status.AHEAD,
        Status.NOT_A_NUMBER,
        Status.STEP_TOO_SMALL,
    )
)

NONE, SWITCH, SLIDING, LOWEST = range(4)
"""What a watched function is: an event that was asked for, of a switch, of one that holds the motion, or a rate of these."""

TRIES = 8
"""How often a piece is made again up to an earlier place."""

COUNTS = 5
"""Of a piece: rows of the record, steps, rejected ones, evaluations and occurrences of events before it."""

PASSES, ENDS, MAY_PASS, IGNORED = range(4)
"""What a motion does at an event: it goes on, ends, ends unless it can pass through beyond it, or does not look at it."""


class Drive(IntEnum):
    """Why the driver returns."""

    FINISHED = 0
    PAUSED = 1
    RECORD_FULL = 2
    LOG_FULL = 3
    AHEAD = 4
    LEFT = 5  # the piece that has begun is to be made otherwise
    EVENT = 6  # a terminal event ends the motion
    DECIDE = 7  # a piece has ended, and more than the kernel knows decides what follows
    STRAYED = 8  # the piece has come beyond switches at which it was to end: those in `reached`
    TOUCHED = 9  # a switch in `reached` is touched, and both its sides lead to motions


class Motion(Struct):
    """A motion on its way, the memory of its method, and the pieces that it has gone through.

    reals, ints, y, values, record, signs   of the workspace; fresh: `reals` as a piece begins
    in_lanes, dense_in_lanes   parameters of a method whose states are in lanes, (p, lanes), or (0, 1)
    advance           steps of the method, called with `arguments`
    dense, dense_of_15   polynomial of a step, called with its arguments: one of them, by `fifteen`
    implicit, increments   whether increments of steps are kept, from which that polynomial follows; and their record
    stepper, stepper_begin   what such a method keeps from step to step, and the same as a piece begins
    span, first, last, row   of the step that it is asked for: t and h, the states at its ends, and all of these
    again             memory of steps from an earlier state, which `retakes` tells whether they are taken
    cause, of, below  of each watched function what it is, the switch, and which of its functions
    slopes            of each watched function where its rate is among them, or −1
    terminal          of each watched function whether the motion ends there: PASSES, ENDS, …
    continuous        of each switch whether nothing but forces jumps at it; 2 if the energy is to be compared
    struck            of a touched switch, and the side of the piece, at s.row: whether it can not go beyond; asked of
                      Python where `can_ask`
    energy            potential and total energy; `energies` room for them before and after
    step, dips        for looks inside steps, and for functions that may dip below zero unseen
    times, timed      of switches of time alone: when, and their modes in between, (times + 1, timed switches)
    which, place      these switches, and which time is next
    status            of the last steps, see `Status`
    until, start      of the run
    stalled, changes  limits of the run
    target            where the piece ends at the latest
    stride            longest of the last steps before the piece, 0 where there were none: as long a step is tried first
    timeless          whether formulas have values at all of these times, to rounding
    begun, was        the start of the piece: t and y, and its parameters
    log, counts       pieces: t, y, and all parameters of modes, (pieces, 1 + 2n + hidden); and `COUNTS` of each
    hidden            where these parameters begin
    pieces            how many have begun
    forgets           whether only the last piece is kept; largest: growth of the pivots in those before it
    occurred          events that have happened: which function, t and y, (room, 2 + 2n); occurrences: how many
    sooner, tries     where a piece ends that is made again, and how often it was
    flips, flipped    times of switches that time does not tell, and how many
    ends, work, moved   room for values of watched functions, for a state and for its slope
    """

    reals: Reals
    fresh: Reals
    ints: Ints
    y: Reals
    values: Reals
    record: Reals2
    signs: Reals2
    in_lanes: Reals2
    dense_in_lanes: Reals2
    advance: Annotated[Callable[..., int], function(*[Address] * 14, result=int)]
    arguments: Ints
    dense: Annotated[Callable[..., int], function(*[Address] * 14, result=int)]
    dense_of_15: Annotated[Callable[..., int], function(*[Address] * 15, result=int)]
    fifteen: bool
    dense_arguments: Ints
    implicit: bool
    increments: Increments
    stepper: Reals
    stepper_begin: Reals
    span: Reals
    first: Reals
    last: Reals
    row: Reals
    again_arguments: Ints
    retakes: bool
    again_reals: Reals
    again_ints: Ints
    again_y: Reals
    cause: Ints
    of: Ints
    below: Ints
    slopes: Ints
    terminal: Ints
    continuous: Ints
    struck: Annotated[Callable[..., int], function(Address, int, float, result=int)]
    can_ask: bool
    energy: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    energies: Reals2
    times: Reals
    timed: Reals2
    which: Ints
    place: int
    target: float
    stride: float
    timeless: bool
    status: int
    until: float
    start: float
    stalled: float
    changes: int
    begun: Reals
    was: Reals
    log: Reals2
    counts: Ints
    hidden: int
    pieces: int
    forgets: bool
    largest: float
    occurred: Reals2
    occurrences: int
    sooner: float
    tries: int
    flips: Reals
    flipped: int
    ends: Reals
    work: Reals
    moved: Reals
    step: StepFunctions
    dips: NegativeSearch


@kernel
def watch(m: Motion, w: Switches, t: float, y: Reals, values: Reals) -> None:
    """values ← the watched functions at a state."""
    w.clock[0] = t
    if len(values) > 0:
        w.guard(w.clock, y, m.values, values)
