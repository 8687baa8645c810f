"""The memory of a motion over switches, which its kernels share."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated

from zeromass.integrate.hybrid.contact_table import Contacts
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.methods.radau.increments import Increments
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, function, kernel
from zeromass.kernel.negative_values import NegativeSearch
from zeromass.kernel.roots import RootSearch

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
GROWTH, GROWTH_LIMIT = int(Real64.growth), int(Real64.growth_limit)
EVENT, FINISHED, PAUSED, RECORD_FULL, AHEAD, NOT_A_NUMBER, TOO_SMALL, PIVOTS, FADING = (
    int(status)
    for status in (
        Status.EVENT,
        Status.FINISHED,
        Status.PAUSED,
        Status.RECORD_FULL,
        Status.AHEAD,
        Status.NOT_A_NUMBER,
        Status.STEP_TOO_SMALL,
        Status.PIVOTS,
        Status.FADING,
    )
)

NONE, SWITCH, SLIDING, LOWEST, CONTACT = range(5)
"""What a watched function is: an event that was asked for, of a switch, of one that holds the motion, a rate of these, or
of a contact, in whose modes it ends a piece."""

TRIES = 8
"""How often a piece is made again up to an earlier place."""

COUNTS = 5
"""Of a piece: rows of the record, steps, rejected ones, evaluations and occurrences of events before it."""

PASSES, ENDS, MAY_PASS, IGNORED = range(4)
"""What a motion does at an event: it goes on, ends, ends unless it can pass through beyond it, or does not look at it."""


EXPLICIT, LEAVES, STANDS_IN = range(3)
"""What a method does with slips whose direction is stiff: all of them, none, or these alone in place of another method."""


class Drive(IntEnum):
    """Why the driver returns."""

    FINISHED = 0
    PAUSED = 1
    RECORD_FULL = 2
    LOG_FULL = 3
    AHEAD = 4
    LEFT = 5  # the piece that has begun is to be made otherwise
    EVENT = 6  # a terminal event ends the motion
    DECIDE = 7  # a piece has ended, and the motion does not simply go on: `cross_switch` tells why
    STRAYED = 8  # the piece has come beyond switches at which it was to end: those in `reached`
    TOUCHED = 9  # a switch in `reached` is touched, and both its sides lead to motions
    STIFF = 10  # the piece that has begun is for an implicit method, or no longer so; see `Motion.stiffness`
    PIVOTS = 11  # the motion goes on with other pivots, of whoever has any; see `Motion.others`
    NO_ROOM = 12  # more shapes are near one another, or touch, than there is memory for; the piece is taken back


class Search(IntEnum):
    """What is found in steps among shapes that may touch."""

    NONE = 0
    COLLIDES = 1
    NO_ROOM = 2


class Crossing(IntEnum):
    """What a motion meets at a switch."""

    NOTHING = 0  # it goes on
    UNDECIDED = 1  # no modes are selected: `why` is the reason
    CONSTRAINT = 2  # the constraints `jumped` do
    MASS = 3
    ENERGY = 4  # by `size`
    IMPULSE = 5  # there are no impulses without projection, or at a contact
    RETURNS = 6
    CHATTERS = 7
    UNDEFINED = 8  # formulas have no value there
    STRUCTURE = 9  # masses or constraints switch, for which other pivots may be better
    CONTACT = 10  # contacts do not tell what follows, see `Contacts.why`


class Jumps(Struct):
    """Functions of a state and modes that may jump at switches, and memory for them.

    evaluate            values ← constraints, their rates, sums of |A| |q̇|, M q̇, energies and forces
    places, rates, masses, energies   how many of each; energies begin with the one that must not jump
    rate                of each constraint of positions its rate among the rates
    of_constraints, of_masses, of_energies, of_place   of each switch what depends on it, and whether it does on the place
    leaps               of each constraint of positions the contact while whose gap is open it may jump, −1 of others
    heavy               which coordinates have mass
    contact             whether constraints are contacts, whose impulses are limited
    strikes             whether the projection onto the constraints can be called
    before, after, modes   values on both sides, and parameters with some modes
    changed             whether a switch has another mode
    jumped              which constraints of positions jump
    why, size           see `Crossing`
    """

    evaluate: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    places: int
    rates: int
    masses: int
    energies: int
    rate: Ints
    of_constraints: Ints
    of_masses: Ints
    of_energies: Ints
    of_place: Ints
    leaps: Ints
    heavy: Ints
    contact: bool
    strikes: bool
    before: Reals
    after: Reals
    modes: Reals
    changed: Ints
    jumped: Ints
    why: int
    size: float


class Lengths(Struct):
    """Lengths in the formulas of a system that may vanish; see `vanishing`.

    evaluate       values ← of each, d and the rate of u, which are reversed where it passes zero, and u
    offsets        where those of each begin, (k + 1,)
    before, after  values at both ends of a step; sizes: the largest lengths on the way
    looked         rows of the record, of steps that have been looked at
    """

    evaluate: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    offsets: Ints
    before: Reals
    after: Reals
    sizes: Reals
    looked: int


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
    cause, guard_switch, guard_side   of each watched function what it is, the switch or contact, and on which side it
                      watches that; of a contact what ends, one of `CAUSES`
    slopes            of each watched function where its rate is among them, or −1
    terminal, guard   of each watched function whether the motion ends there, PASSES, ENDS, …; and whether it must not even
                      be where that is beyond zero
    jumps             what may jump at switches
    lengths           what may vanish on the way
    contacts          unilateral constraints
    stiffness         of slips that begin: `EXPLICIT`, `LEAVES` or `STANDS_IN`
    others            whether a page drives: with other pivots where these become poor, and not through singular positions
    massive, limit    whether every coordinate that constraints move has mass; the bound on projections inside steps, as in
                      `StepFunctions`, where the constraints may lose independence
    step, dips        for looks inside steps, and for functions that may dip below zero unseen, those in `unseen`
    kinks, bumps      functions at whose zeros those of events may bend or jump; those that are above zero in bumps of
                      forces, each with its rate; bends: the search for their zeros
    bump              when the first bump begins that a step goes over, and how long it takes
    times, timed      of switches of time alone: when, and their modes in between, (times + 1, timed switches)
    which, place      these switches, and which time is next
    status, crossing  of the last steps, see `Status`; and what has been met where the last piece ended, see `Crossing`
    until, start      of the run
    stalled, changes  limits of the run
    target            where the piece ends at the latest
    stride            longest of the last steps before the piece, 0 where there were none: as long a step is tried first
    lasted            how long the last piece was
    timeless          whether formulas have values at all of these times, to rounding
    piece_start, piece_values   t and y where the piece begins, and its parameters
    log, counts       pieces: t, y, all parameters of modes, and impulses at contacts, (pieces, 1 + 2n + hidden + 3k); and
                      `COUNTS` of each
    hidden, known     where these parameters begin and end: values of contacts that are found among shapes follow
    pieces            how many have begun
    forgets           whether only the last piece is kept; largest: growth of the pivots in those before it
    occurred          events that have happened: which function, t and y, (room, 2 + 2n); occurrences: how many
    sooner, tries     where a piece ends that is made again, and how often it was
    flips, flipped    times of switches that time does not tell, and how many
    ends              the watched functions where the last piece ended, 0 before the first
    work, moved       room for a state and for its slope
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
    guard_switch: Ints
    guard_side: Ints
    slopes: Ints
    terminal: Ints
    guard: Ints
    jumps: Jumps
    lengths: Lengths
    contacts: Contacts
    stiffness: int
    others: bool
    times: Reals
    timed: Reals2
    which: Ints
    place: int
    target: float
    stride: float
    lasted: float
    timeless: bool
    status: int
    crossing: int
    until: float
    start: float
    stalled: float
    changes: int
    piece_start: Reals
    piece_values: Reals
    log: Reals2
    counts: Ints
    hidden: int
    known: int
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
    massive: bool
    limit: float
    step: StepFunctions
    dips: NegativeSearch
    unseen: Ints
    kinks: Ints
    bumps: Ints
    bump: Reals
    bends: RootSearch


@kernel
def watch(m: Motion, w: Switches, t: float, y: Reals, values: Reals) -> None:
    """values ← the watched functions at a state."""
    w.clock[0] = t
    if len(values) > 0:
        w.guard(w.clock, y, m.values, values)
