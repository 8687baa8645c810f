"""What stepping methods in machine code have in common: settings, the loop over steps, projection, record and events.

A method is compiled once for systems of every size and calls the system's own functions by address. After each accepted
step the state is projected onto the constraints, then recorded; Python is asked only when the record is full, an event
function changes sign, or something is wrong.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from math import inf
from typing import ClassVar, NamedTuple

from zeromass.codegen import cache, ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.codegen.once import once
from zeromass.codegen.target import FIRST, Code, Target
from zeromass.integrate.stepping.ahead import emit_limited
from zeromass.integrate.stepping.layout import ARGUMENTS, FOLLOWED, HEAD, LARGEST, LOWEST, ROOT, WAITS, Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import CHUNK, INT, POINTER, Writer

EPSILON = 2.0**-52

NEAR = 0.25
"""growth^(−1/2) below which a singular position may be near."""

SOON, FADED, EARLIER = 1.2, 0.25, 0.6
"""Steps within which a pivot that vanishes is said to be ahead; the part of its largest root below which that is said
earlier, and by how much."""

DIP = 2.0
"""How many times smaller a root is inside a step than at its ends where it may have vanished there."""

CAREFUL = 0.5
"""Longest step, as a part of the time to where a pivot would vanish, past a position that is nearly singular."""

REPEAT = 3e-8
"""A projection that moved the state further than this, relative to 1 and the state, is repeated: its square is rounding."""

PROJECTIONS = 4
"""How often it is repeated at most."""

ROUNDING, WORST = 16 * EPSILON, 1e5
"""Rounding that a projection may remove beside the tolerance, for a growth of the pivots of 1, and the most that counts."""

SHARE = 0.1
"""Part of a step of fixed length, which has no tolerance, that a projection may take back."""


class Routine(Writer):
    """A function of a stepping method, by its `name`; most of them take the same arguments.

    side_by_side  whether it works on as many states as the target has lanes, and not on one
    takes         its arguments
    """

    name: ClassVar[str]
    side_by_side: ClassVar[bool] = False
    takes: ClassVar[Mapping[str, ir.Type]] = ARGUMENTS
    reals: ir.Value
    ints: ir.Value

    @classmethod
    def emit(cls, module: ir.Module, target: Target) -> None:
        """Writes the function into a module, after those that it calls."""
        cls(module, target)

    def __init__(self, module: ir.Module, target: Target) -> None:
        members = target.width if self.side_by_side else 1
        super().__init__(module, target, self.name, self.takes, INT, members)
        self.reals, self.ints = self.arguments["reals"], self.arguments["ints"]
        self.size: ir.Value = self.load_int(self.ints, Int64.size)
        self.pivots: ir.Value = self.load_int(self.ints, Int64.pivots)
        self.coordinates: ir.Value = self.load_int(self.ints, Int64.coordinates)
        self.prepare()

    @property
    def order(self) -> ir.Value:
        """How many numbers a state has: positions and as many rates."""
        return self.b.mul(self.coordinates, self.int(2))

    @property
    def projected(self) -> ir.Value:
        """How many of them a projection may change."""
        return self.order

    def prepare(self) -> None:
        """What the whole function refers to."""

    def leave_if(self, condition: ir.Value, status: Status) -> None:
        with self.if_(condition):
            self.b.ret(self.int(status))

    def project(self, time: Real) -> None:
        """new ← the nearest state on the constraints, positions first, then velocities."""
        a = self.arguments
        self.store(time, self.reals, Real64.stage_time)
        n = self.coordinates
        velocities = self.at(a["new"], n)
        for flag, function, place in (
            (Int64.project_positions, a["positions"], a["new"]),
            (Int64.project_velocities, a["velocities"], velocities),
        ):
            self.correct(flag, function, place, n)

    def correct(self, flag: Int64, function: ir.Value, place: ir.Value, n: ir.Value) -> None:
        b, a = self.b, self.arguments
        again, after = self.block("correct"), self.block("corrected")
        passes = self.variable(INT, "passes")
        self.b.store(self.int(0), passes)
        wanted = b.icmp_signed("!=", self.load_int(self.ints, flag), self.int(0))
        b.cbranch(wanted, again, after)
        b.position_at_end(again)
        clock = self.at(self.reals, Real64.stage_time)
        self.call(function, clock, a["new"], a["parameters"], a["scratch"])
        with self.summing(n, self.real(0.0)) as (i, large):
            x, change = self.load(place, i), self.load(a["scratch"], i)
            size = where(abs(x) > 1.0, abs(x), 1.0)
            large.value = large.value + where(abs(change) > size * REPEAT, 1.0, 0.0)
            self.store(x + change, place, i)
        done = b.add(b.load(passes, typ=INT), self.int(1))
        b.store(done, passes)
        more = b.and_((large.value > 0.0).value, b.icmp_signed("<", done, self.int(PROJECTIONS)))
        b.cbranch(more, again, after)
        b.position_at_end(after)


class Project(Routine):
    """Brings many states onto the constraints: `capacity` rows of `record`, each a time and a state."""

    name = "project"

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, new = self.b, self.arguments["new"]
        values = self.load_int(self.ints, Int64.width)
        with self.loop(self.load_int(self.ints, Int64.capacity)) as k:
            row = self.at(self.arguments["record"], b.mul(k, values))
            state = self.at(row, 1)
            with self.loop(b.sub(values, self.int(1))) as i:
                self.store(self.load(state, i), new, i)
            self.project(self.load(row))
            with self.loop(b.sub(values, self.int(1))) as i:
                self.store(self.load(new, i), state, i)
        b.ret(self.int(Status.FINISHED))
        self.finish()


class Faded(NamedTuple):
    """What a step tells of the pivot of a multiplier.

    root      of its size at the end of the step
    largest   root so far
    distance  time after which it would vanish; infinite if it does not fall
    dipped    whether it may have vanished inside the step
    """

    root: Real
    largest: Real
    distance: Real
    dipped: Truth


class Control(Routine):
    """The formulas that decide about steps, for one state or for several side by side."""

    def reaching(self, h: Real, rest: Real) -> Real:
        """The step to try: h, not over the rest of the way; a remainder shorter than a millionth of it is taken along."""
        return where(abs(h) * (1.0 + 1e-6) >= abs(rest), rest, h)

    def too_small(self, h: Real, t: Real) -> Truth:
        """Whether a step no longer changes the time."""
        return abs(h) < abs(t) * 1e-15 + 1e-300

    def singular_ahead(self, h: Real) -> tuple[Truth, Real]:
        """Whether a singular position lies ahead of a step h, and its distance d, from the fall of growth^(−1/2)."""
        room, fall = self.load(self.reals, Real64.room), self.load(self.reals, Real64.fall)
        d = room / fall
        return (fall > 0.0) & (room < NEAR) & (d < abs(h) * 2.0), d

    def across(self, h: Real, d: Real, crossing: float) -> Real:
        """The step in place of h towards a singular position at the distance d.

        The step before it ends where the next one, of length h, has it at `crossing`.
        """
        length, sign = abs(h), where(h < 0.0, -1.0, 1.0)
        runway = d - length * crossing
        shorter = where(runway < length, runway, length)
        across = where(d > length, length, d * (1.0 / crossing))
        return sign * where(runway > length * 0.05, shorter, across)

    def quiet(self, h: Real) -> Truth:
        """Whether nothing is to be said of pivots."""
        rest = self.load(self.reals, Real64.quiet) - self.load(self.reals, Real64.t)
        return rest * where(h < 0.0, -1.0, 1.0) > 0.0

    def soon(self, h: Real) -> Truth:
        """Whether a pivot of a multiplier is about to vanish and that is to be said before a step h."""
        return (self.load(self.reals, Real64.distance) < abs(h) * SOON) & ~self.quiet(h)

    def faded(self, end: Real, lowest: Real, before: Real, largest: Real, length: Real) -> Faded:
        """What a step of some length tells of a pivot: its size at the end and the least one inside, its root at the
        beginning, and the largest root so far.

        At a singular position the root f vanishes linearly, after the time f |h|/(f_before − f). One that is much smaller
        inside the step than at both its ends may have vanished there.
        """
        f = sqrt(end)
        largest = where(f > largest, f, largest)
        distance = f * length / (before - f) * where(f < largest * FADED, EARLIER, 1.0)
        inside = sqrt(lowest) * DIP
        return Faded(f, largest, where(before > f, distance, inf), (inside < f) & (inside < before))

    def any_pivots(self) -> ir.Value:
        return self.b.icmp_signed(">", self.pivots, self.int(0))

    def kept_pivot(self, i: ir.Value, place: int) -> ir.Value:
        """Address of a value that is kept of a pivot; see `LOWEST`."""
        return self.at(self.arguments["pivots"], self.b.add(self.b.mul(self.pivots, self.int(place)), i))

    def lowest(self, i: ir.Value) -> ir.Value:
        return self.kept_pivot(i, LOWEST)

    def pivot(self, i: ir.Value) -> tuple[Real, Real]:
        """Size of a pivot at the end of the step, and its least one in the step; by default from `note_pivots`."""
        return abs(self.load(self.kept_pivot(i, 0))), self.load(self.lowest(i))

    def shortened(self, smaller: Real, nan: Truth) -> Real:
        """The part of a rejected step that is tried next; one that is not a number first becomes ten times smaller."""
        smaller = where(nan, 0.1, smaller)
        return where(smaller > 1.0, 1.0, smaller)

    def deviation(self, growth: Real, difference: Callable[[ir.Value], Real]) -> Real:
        """√(mean difference²/(atol + rtol |new| + 16 ε growth)²)"""
        new = self.arguments["new"]
        rtol, atol = (self.load(self.reals, place) for place in (Real64.rtol, Real64.atol))
        least = fma(where(growth < WORST, growth, WORST), ROUNDING, atol)
        with self.summing(self.projected, self.real(0.0)) as (i, total):
            e = difference(i) / fma(rtol, abs(self.load(new, i)), least)
            total.value = fma(e, e, total.value)
        return sqrt(total.value / self.from_int(self.order))

    def arrival(self, t: Real, h: Real, until: Real) -> Real:
        """The time at the end of a step: exactly `until` for the last one."""
        return where(abs(h) >= abs(until - t), until, t + h)

    def following(self, h: Real, change: Real, planned: Real) -> Real:
        """The step after one of length h that was planned as `planned`: `change` times as long, within its bounds."""
        longer, longest = h * change, self.load(self.reals, Real64.longest)
        bounded = where(abs(longer) > longest, longest * where(h < 0.0, -1.0, 1.0), longer)
        # a step cut short, by `until` or before a singular position, says nothing against the longer one of before
        cut = abs(h) < abs(planned)
        return where(cut & (abs(planned) > abs(bounded)), planned, bounded)

    def crossed(self, old: Real, new: Real, direction: Real) -> Truth:
        """Whether a function that went from one value to another crossed zero in the direction watched for."""
        rising = (old < 0.0) & (new >= 0.0) & (direction >= 0.0)
        falling = (old > 0.0) & (new <= 0.0) & (direction <= 0.0)
        return rising | falling

    def turns(self, direction: Real) -> Truth:
        """Whether nothing but its values tells where an event function turns."""
        return abs(direction) < FOLLOWED

    def dips(self, values: tuple[Real, Real, Real], u: Real | float, w: Real | float) -> Truth:
        """Whether a function of one sign at three places, u and w apart, may have the other sign between them."""
        from zeromass.kernel.lanes import lanes  # not needed where machine code is in the cache
        from zeromass.kernel.roots import may_cross_twice

        return lanes(may_cross_twice, *values, u, w)


class Advance(Control):
    """Steps until `until`, or until something happens.

    crossing  part of a step at which a singular position is best placed, far from every stage; None if it is not crossed
    """

    crossing: float | None

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b = self.b
        self.next_step: ir.Block = self.block("step")
        b.branch(self.next_step)

        b.position_at_end(self.next_step)
        t, until = self.load(self.reals, Real64.t), self.load(self.reals, Real64.until)
        self.leave_if(b.fcmp_ordered("==", t.value, until.value), Status.FINISHED)
        full = b.icmp_signed(">=", self.load_int(self.ints, Int64.recorded), self.load_int(self.ints, Int64.capacity))
        self.leave_if(full, Status.RECORD_FULL)
        self.leave_if(b.icmp_signed("<=", self.load_int(self.ints, Int64.budget), self.int(0)), Status.PAUSED)
        with self.if_(b.icmp_signed("==", self.load_int(self.ints, Int64.started), self.int(0))):
            self.begin()
            self.store_int(self.int(1), self.ints, Int64.started)
            with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
                self.store(sqrt(self.pivot(i)[0]), self.kept_pivot(i, ROOT))
        h = self.step_length(t, until)
        with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
            self.store(inf, self.lowest(i))
        self.attempt(t, h, until)
        b.branch(self.next_step)
        self.finish()

    @abstractmethod
    def begin(self) -> None:
        """What must be known at the current state before a step, where `started` is zero."""

    @abstractmethod
    def attempt(self, t: Real, h: Real, until: Real) -> None:
        """A step of length h, accepted or not; ends with what follows its acceptance."""

    def step_length(self, t: Real, until: Real) -> Real:
        """The step to try: as controlled and planned, not over a bump or `until`."""
        h = emit_limited(self, t, self.planned(self.load(self.reals, Real64.h)))
        self.leave_if(self.too_small(h, t).value, Status.STEP_TOO_SMALL)
        return self.reaching(h, until - t)

    def planned(self, h: Real) -> Real:
        """The step h, changed where a singular position lies ahead so that it falls between two stages.

        A method that does not cross it says that it is ahead.
        """
        h = self.watchful(h)
        ahead, d = self.singular_ahead(h)
        alone = self.b.or_(self.quiet(h).value, self.b.not_(self.any_pivots()))  # nobody leaps across it
        alone = self.b.and_(alone, self.b.not_(self.fixed()))
        ahead = ahead & self.real(self.b.select(alone, self.real(1.0).value, self.real(0.0).value)).equals(1.0)
        if self.crossing is None:
            self.leave_if(ahead.value, Status.SINGULAR_AHEAD)
            return h
        return where(ahead, self.across(h, d, self.crossing), h)

    def watchful(self, h: Real) -> Real:
        """The step h where no pivot of a multiplier is about to vanish; otherwise that is said.

        Where nothing is to be said of it, for a time, the step may have to be careful.
        """
        b, sign, quiet = self.b, where(h < 0.0, -1.0, 1.0), self.quiet(h)
        distance = self.load(self.reals, Real64.distance)
        ahead = b.and_(self.soon(h).value, b.not_(self.fixed()))
        dipped = b.not_(self.load(self.reals, Real64.dipped).equals(0.0).value)
        ahead = b.or_(ahead, b.and_(dipped, b.not_(self.fixed())))
        self.leave_if(ahead, Status.FADING)
        longest = self.load(self.reals, Real64.careful)
        longest = where(distance * CAREFUL < longest, distance * CAREFUL, longest)
        careful = (longest > 0.0) & (longest < abs(h))
        slow = b.and_(b.and_(careful.value, quiet.value), b.not_(self.fixed()))
        return self.real(b.select(slow, (longest * sign).value, h.value))

    def fade(self, h: Real) -> None:
        """Looks after a step for the pivot of a multiplier that would vanish first; see `faded`."""
        self.store(inf, self.reals, Real64.distance)
        with self.if_(self.any_pivots()), self.summing(self.pivots, self.real(inf)) as (i, least):
            root, largest = self.kept_pivot(i, ROOT), self.kept_pivot(i, LARGEST)
            end, lowest = self.pivot(i)
            faded = self.faded(end, lowest, self.load(root), self.load(largest), abs(h))
            self.store(faded.root, root)
            self.store(faded.largest, largest)
            least.value = where(faded.distance < least.value, faded.distance, least.value)
            dipped = faded.dipped
            self.store(where(dipped, 1.0, self.load(self.reals, Real64.dipped)), self.reals, Real64.dipped)
            self.store(least.value, self.reals, Real64.distance)

    def fixed(self) -> ir.Value:
        """Whether steps have a fixed length."""
        return self.b.fcmp_ordered("!=", self.load(self.reals, Real64.fixed).value, self.real(0.0).value)

    def reject(self, h: Real, smaller: Real, nan: Truth) -> None:
        """Tries again with a smaller step."""
        self.count(self.ints, Int64.rejected)
        self.count(self.ints, Int64.repeated)
        shorter = self.shortened(smaller, nan) * h
        again = self.b.icmp_signed(">", self.load_int(self.ints, Int64.repeated), self.int(60))
        vain = self.b.or_(again, self.too_small(shorter, self.load(self.reals, Real64.t)).value)
        self.leave_if(self.b.and_(vain, nan.value), Status.NOT_A_NUMBER)
        self.store(shorter, self.reals, Real64.h)
        self.b.branch(self.next_step)

    def unexplained(self, growth: Real, end: Callable[[ir.Value], Real]) -> ir.Value:
        """Whether the projection has moved `new` further than the error of the step, which led to `end`, can explain.

            √(mean (new − end)²/(atol + rtol |new| + 16 ε growth)²) > correction_limit

        Then it has not corrected the step but replaced it: something is wrong with the step, and it does not count. One of
        fixed length, whose error nobody knows, is compared with itself too; no shorter one follows it, so the run ends.
        """
        b, new = self.b, self.arguments["new"]
        correction = self.deviation(growth, lambda i: self.load(new, i) - end(i))
        beyond = (correction > self.load(self.reals, Real64.correction_limit)).value
        with self.if_(b.and_(beyond, self.fixed())):
            step = self.deviation(growth, lambda i: end(i) - self.load(self.arguments["y"], i))
            self.leave_if((correction > step * SHARE).value, Status.UNEXPLAINED)
        return b.and_(beyond, b.not_(self.fixed()))

    def settle(self, time: Real, h: Real, change: Real) -> None:
        """Takes `new` for the state at `time`, records it, and chooses the next step as `change` times this one."""
        b = self.b
        growth = self.load(self.reals, Real64.growth)
        self.leave_if(b.or_(growth.is_nan().value, self.not_finite()), Status.NOT_A_NUMBER)
        after_rejection = b.icmp_signed(">", self.load_int(self.ints, Int64.repeated), self.int(0))
        change = self.real(b.select(after_rejection, where(change > 1.0, 1.0, change).value, change.value))
        planned = self.load(self.reals, Real64.h)
        controlled = self.following(h, change, planned)
        self.fade(h)
        room = 1.0 / sqrt(growth)
        self.store((self.load(self.reals, Real64.room) - room) / abs(h), self.reals, Real64.fall)
        self.store(room, self.reals, Real64.room)
        self.store(self.real(b.select(self.fixed(), planned.value, controlled.value)), self.reals, Real64.h)
        self.store(time, self.reals, Real64.t)
        self.store_int(self.int(0), self.ints, Int64.repeated)
        self.record(time, h)
        self.count(self.ints, Int64.steps)
        self.count(self.ints, Int64.budget, -1)
        # events first: new pivots start a new watch, and a crossing of this step would be lost
        with self.if_(b.icmp_signed(">", self.load_int(self.ints, Int64.events), self.int(0))):
            self.note(self.happened(time, h))
        self.leave_if((growth > self.load(self.reals, Real64.growth_limit)).value, Status.PIVOTS)

    @abstractmethod
    def not_finite(self) -> ir.Value:
        """Whether the new state or its derivative is infinite or not a number somewhere."""

    @abstractmethod
    def happened(self, time: Real, h: Real) -> Real:
        """The weights of event functions that have changed sign as they are watched for in the step that ended at `time`.

        `signs` holds for each event its last value and its direction: 1 rising, −1 falling, 0 either; see `FOLLOWED`.
        """

    def weight(self, i: ir.Value) -> Real:
        """What an event counts: 1, or next to nothing if it may wait."""
        b = self.b
        urgent = b.sub(self.load_int(self.ints, Int64.events), self.load_int(self.ints, Int64.patient))
        return self.real(b.select(b.icmp_signed("<", i, urgent), self.real(1.0).value, self.real(WAITS).value))

    def note(self, hits: Real) -> None:
        """Returns to Python where something has happened that can not wait, or notes the step."""
        b, waiting = self.b, self.load_int(self.ints, Int64.waiting)
        full = b.icmp_signed(">=", waiting, self.load_int(self.ints, Int64.room))
        some = (hits > 0.0).value
        self.leave_if(b.or_((hits >= 1.0).value, b.and_(some, full)), Status.EVENT)
        with self.if_(some):
            notes = b.inttoptr(self.load_int(self.ints, Int64.notes), POINTER)
            last = b.sub(self.load_int(self.ints, Int64.recorded), self.int(1))
            b.store(last, b.gep(notes, [waiting], source_etype=INT))
            self.count(self.ints, Int64.waiting)

    def record(self, time: Real, h: Real) -> None:
        """y ← new, and into the record with t, h and the growth of the pivots."""
        b, a = self.b, self.arguments
        with self.loop(self.size, CHUNK) as i:
            self.store_chunk(self.load_chunk(a["new"], i), a["y"], i)
        width, k = self.load_int(self.ints, Int64.width), self.load_int(self.ints, Int64.recorded)
        row = self.at(a["record"], b.mul(k, width))
        self.store(time, row, 0)
        self.store(h, row, 1)
        self.store(self.load(self.reals, Real64.growth), row, 2)
        head = self.before_state(width)
        with self.loop(b.sub(width, head)) as i:
            self.store(self.load(a["new"], i), row, b.add(i, head))
        self.count(self.ints, Int64.recorded)

    def before_state(self, width: ir.Value) -> ir.Value:
        """How many of the values in a row of the record stand before the state."""
        return self.int(HEAD)


@once
def routine(kind: type[Routine], target: Target, effort: int = FIRST) -> Code:
    """The machine code of a routine, made once for a target and for systems of every size."""

    def text() -> str:
        module = ir.Module(kind.name)
        kind.emit(module, target)
        return str(module)

    house, *rooms = kind.__module__.split(".")
    written = (
        cache.sources(*dict.fromkeys(["codegen", "kernel", "compile", "integrate", rooms[0]]))
        if house == "zeromass"
        else None
    )
    origin = None if written is None else cache.digest(kind.__module__, kind.__qualname__, written)
    return Code(text, target, origin=origin, effort=effort)
