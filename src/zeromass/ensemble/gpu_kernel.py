# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# llvmlite has no types: what its builder returns is taken for None
"""The method of Dormand and Prince for members of an ensemble, one in each thread of a graphics card.

A thread takes a member from the table, moves it until it ends or asks, writes it back and takes the next one. It goes
through the operations of `Dop853Lanes`, in their order, so that a member ends with the same bits; only the memory is
another one. The system's functions are copied into the loop; states stand in registers, what many stages read in the
memory that threads share. The right-hand side stands there twice: in the loop over the stages, and at the end of a step,
beside the event functions, most of whose operations are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from llvmlite import ir

from zeromass.compile.cuda import CONSTANT, GENERIC, GLOBAL, SHARED, is_cuda
from zeromass.compile.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.compile.target import Target
from zeromass.ensemble.gpu_layout import BY_USE, NUMBERS, SETTINGS, SLOTS, Block, Row
from zeromass.ensemble.kernel import REJECTIONS
from zeromass.ensemble.layout import NUMBERS as ALL_NUMBERS
from zeromass.ensemble.layout import Left, Own
from zeromass.integrate.methods.dop853.coefficients import ERROR_3, ERROR_5, STAGES, A, C
from zeromass.integrate.methods.dop853.kernel import CROSSING, EPSILON, Dop853Step
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, ROUNDING, WORST
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT, POINTER, Writer

VOID: ir.Type = ir.VoidType()
I32: ir.Type = ir.IntType(32)
TRUTH: ir.Type = ir.IntType(1)

WEIGHTS = tuple(sorted({w for row in (*A[1 : STAGES + 1], ERROR_5, ERROR_3) for w in row.values()}))
"""All weights of the method."""


@dataclass(frozen=True)
class Motion:
    """What is done with a member, as far as the kernel is made for it.

    row         what a member has
    directions  of the events
    corrections those after a step: some of "positions", "velocities"
    recording   whether accepted steps are written down
    felt_first  the coordinates, those first whose place or speed the acceleration depends on
    """

    row: Row
    directions: tuple[int, ...]
    corrections: tuple[str, ...]
    recording: bool
    felt_first: tuple[int, ...]


class Dop853Threads(Dop853Step):
    """`kernel(table, count, next, record, recorded, capacity, settings …, slots)`: moves members until none is left.

    next      place of the number of the next member that nobody has taken
    recorded  place of the number of steps in the record, which has room for `capacity`
    slots     memory of one thread, where there is no shared one
    """

    name = "dop853_threads"

    def __init__(self, module: ir.Module, target: Target, motion: Motion, block: Block) -> None:
        self.motion, self.block_of_threads, self.cuda = motion, block, is_cuda(target)
        memory = ir.PointerType(None, GLOBAL if self.cuda else GENERIC)
        arguments = {
            "table": memory,
            "count": INT,
            "next": memory,
            "record": memory,
            "recorded": memory,
            "capacity": INT,
        }
        arguments |= {place.name: DOUBLE for place in SETTINGS}
        if not self.cuda:
            arguments["slots"] = memory
        Writer.__init__(self, module, target, self.name, arguments, VOID)
        places = motion.row.places
        self.n, self.events, self.count_of_pivots = places.coordinates, places.events, places.pivots
        self.pivots = self.int(places.pivots)
        self.reals = self.array(ALL_NUMBERS, "numbers")
        self.new, self.a = self.array(2 * self.n, "new"), self.array(self.n, "acceleration")
        self.fixed_values = self.array(places.parameters, "parameters")
        self.signs = self.array(self.events, "signs")
        self.kept = {name: self.array(places.pivots, name) for name in ("pivots", "lowest", "roots", "largest")}
        self.seat, self.alive = self.variable(INT, "seat"), self.variable(TRUTH, "alive")
        self.at_end = self.array(self.events, "at_end")
        self.functions = self.declared(module)
        if self.cuda:
            weights: ir.Value = ir.GlobalVariable(module, ir.ArrayType(DOUBLE, len(WEIGHTS)), "weights", CONSTANT)
            weights.initializer, weights.type = (
                ir.Constant(weights.value_type, list(WEIGHTS)),
                ir.PointerType(None, CONSTANT),
            )
        if self.cuda:
            self.function.calling_convention = "ptx_kernel"
        self.y, self.slots = self.memory(module)
        for place in SETTINGS:
            self.b.store(self.arguments[place.name], self.at(self.reals, place), align=8)
        self.members_of_table()
        self.finish()

    # memory ------------------------------------------------------------------------------------------------------
    def array(self, count: int, name: str) -> ir.Value:
        """Numbers of a thread; LLVM gives them registers."""
        found = self.variable(ir.ArrayType(DOUBLE, max(count, 1)), name)
        found.type = POINTER  # to numbers, not to the array of them
        return found

    def declared(self, module: ir.Module) -> dict[str, ir.Function]:
        """The functions of the system, which stand in another module."""
        pointer, found = ir.PointerType(), {}
        for name, count in (("rhs", 6), ("positions", 4), ("velocities", 4), ("event", 4)):
            wanted = name == "rhs" or (name == "event" and self.events) or name in self.motion.corrections
            if wanted:
                found[name] = ir.Function(module, ir.FunctionType(VOID, [pointer] * count), name)
        return found

    def memory(self, module: ir.Module) -> tuple[list[ir.Value], dict[int, list[ir.Value]]]:
        """Addresses of the state and of the accelerations in each slot: in shared memory as far as there is room.

        Coordinates that the right-hand side depends on come first; what stages do of the others, LLVM leaves out.
        """
        n, threads = self.n, self.block_of_threads.threads if self.cuda else 1
        if self.cuda:
            shared: ir.Value = ir.GlobalVariable(module, ir.ArrayType(DOUBLE, 0), "slots", SHARED)
            shared.linkage, shared.align, shared.type = "external", 16, ir.PointerType(None, SHARED)
            thread = self.b.call(self.intrinsic("read.ptx.sreg.tid.x", I32, []), [])
            shared = self.cell(shared, self.b.zext(thread, INT))
        else:
            shared = self.arguments["slots"]
        room = iter(range(self.block_of_threads.shared))

        def cell(name: str) -> ir.Value:
            place = next(room, None)
            return self.array(1, name) if place is None else self.cell(shared, place * threads)

        y: dict[int, ir.Value] = {}
        slots: dict[int, dict[int, ir.Value]] = {slot: {} for slot in BY_USE}
        for i in self.motion.felt_first:
            y |= {i: cell(f"q{i}"), n + i: cell(f"v{i}")}
            for slot, column in slots.items():
                column[i] = cell(f"slot{slot}_{i}")
        return [y[i] for i in range(2 * n)], {slot: [column[i] for i in range(n)] for slot, column in slots.items()}

    def values(self, addresses: Sequence[ir.Value]) -> list[Real]:
        return [self.load(address) for address in addresses]

    def fence(self) -> None:
        """Numbers in shared memory are read again after it: kept in registers, they would crowd out the rest."""
        self.b.asm(ir.FunctionType(VOID, []), "", "~{memory}", [], True)

    def together(self) -> None:
        """The threads of a block wait for one another: so they fetch the same instructions, once for all of them."""
        if self.cuda:
            self.b.call(self.intrinsic("barrier.cta.sync.aligned.all", VOID, [I32]), [ir.Constant(I32, 0)])

    def any_of_block(self, truth: ir.Value) -> ir.Value:
        """Whether something is true in one of the threads of a block."""
        if not self.cuda:
            return truth
        vote = self.intrinsic("barrier.cta.red.or.aligned.all", TRUTH, [I32, TRUTH])
        return self.b.call(vote, [ir.Constant(I32, 0), truth])

    def intrinsic(self, name: str, result: ir.Type, arguments: Sequence[ir.Type]) -> ir.Function:
        """A function of the card."""
        module, full = self.function.module, f"llvm.nvvm.{name}"
        known = module.globals.get(full)
        return known or ir.Function(module, ir.FunctionType(result, list(arguments)), full)

    def weights(self, row: Mapping[int, float]) -> dict[int, Real]:
        """Weights of a stage: on a card from constant memory, which instructions read without a load."""
        if not self.cuda:
            return {j: self.real(w) for j, w in row.items()}
        found = {}
        for j, w in row.items():
            place = WEIGHTS.index(w)
            found[j] = self.load(self.cell(self.function.module.globals["weights"], place))
        return found

    def number(self, place: int) -> Real:
        return self.load(self.reals, place)

    def keep(self, value: Real | float, place: int) -> None:
        self.store(value, self.reals, place)

    # members -----------------------------------------------------------------------------------------------------
    def members_of_table(self) -> None:
        """while a thread of the block has a member: step; where it leaves, write it back and take the next one"""
        b = self.b
        turn, none, leave, onward = (self.block(name) for name in ("turn", "none", "leave", "onward"))
        self.take()
        b.branch(turn)
        b.position_at_end(turn)
        b.cbranch(self.step().value, leave, onward)
        b.position_at_end(leave)
        with self.if_(b.load(self.alive, typ=TRUTH)):
            self.write_back(self.row(b.load(self.seat, typ=INT)))
            self.take()
        b.branch(onward)
        b.position_at_end(onward)
        b.cbranch(self.any_of_block(b.load(self.alive, typ=TRUTH)), turn, none)
        b.position_at_end(none)
        b.ret_void()

    def take(self) -> None:
        """Takes the next member; where there is none, the thread goes on with one of the others, and nobody looks at it."""
        b, count = self.b, self.arguments["count"]
        mine = b.atomic_rmw("add", self.arguments["next"], self.int(1), "monotonic")
        there = b.icmp_signed("<", mine, count)
        b.store(there, self.alive)
        b.store(mine, self.seat)
        self.begin(self.row(b.select(there, mine, self.int(0))))

    def row(self, seat: ir.Value) -> ir.Value:
        return self.cell(self.arguments["table"], self.b.mul(seat, self.int(self.motion.row.size)))

    def begin(self, row: ir.Value) -> None:
        places = self.motion.row
        for k, place in enumerate(NUMBERS):
            self.keep(self.load(row, k), place)
        self.copy(row, places.state, self.y)
        self.copy(row, places.parameters, self.cells_of(self.fixed_values, places.places.parameters))
        self.copy(row, places.signs, self.cells_of(self.signs, self.events))
        self.copy(row, places.largest, self.cells_of(self.kept["largest"], self.count_of_pivots))
        self.copy(row, places.roots, self.cells_of(self.kept["roots"], self.count_of_pivots))
        self.copy(row, places.slope, self.slots[0])

    def write_back(self, row: ir.Value) -> None:
        places = self.motion.row
        for k, place in enumerate(NUMBERS):
            self.store(self.number(place), row, k)
        for first, addresses in (
            (places.state, self.y),
            (places.signs, self.cells_of(self.signs, self.events)),
            (places.largest, self.cells_of(self.kept["largest"], self.count_of_pivots)),
        ):
            for i, value in enumerate(self.values(addresses)):
                self.store(value, row, first + i)

    def copy(self, row: ir.Value, first: int, to: Sequence[ir.Value]) -> None:
        for i, address in enumerate(to):
            self.store(self.load(row, first + i), address)

    def cells_of(self, array: ir.Value, count: int) -> list[ir.Value]:
        return [self.cell(array, i) for i in range(count)]

    # a step ------------------------------------------------------------------------------------------------------
    def step(self) -> Truth:
        """One step: accepted, rejected, or left to Python; whether the member leaves."""
        t, until, planned = (self.number(place) for place in (Real64.t, Real64.until, Real64.h))
        fading = self.soon(planned)
        h = self.planned(planned)
        small = self.too_small(h, t)
        h = self.reaching(h, until - t)
        for address in self.cells_of(self.kept["lowest"], self.count_of_pivots):
            self.store(inf, address)
        self.stages(t, h)
        error, alive = self.last_stage(h), Truth(t.on, self.b.load(self.alive, typ=TRUTH))
        trying = alive & ~small & ~fading
        time = self.arrival(t, h, until)
        accepted = trying & (error < 1.0)
        wrong, asks, distance, dips = self.arrive(time, h, accepted)
        done = accepted & ~wrong
        asks, dipped = done & asks, done & (dips > 0.0)
        good = done & ~asks & ~dipped

        nan = error.is_nan()
        shorter = self.shortened(where(wrong, 0.5, self.factor(error)), nan) * h
        repeated = self.number(Own.repeated)
        rejected = trying & ~done
        vain = rejected & nan & ((repeated + 1.0 > REJECTIONS) | self.too_small(shorter, t))
        again = rejected & ~vain

        change = self.factor(error)
        change = where(repeated > 0.0, where(change > 1.0, 1.0, change), change)
        self.keep(where(good, self.following(h, change, planned), where(again, shorter, planned)), Real64.h)
        self.keep(where(good, 0.0, where(again, repeated + 1.0, repeated)), Own.repeated)
        self.keep(self.number(Own.rejected) + where(again, 1.0, 0.0), Own.rejected)
        self.keep(where(good, distance, self.number(Real64.distance)), Real64.distance)
        with self.if_(good.value):
            self.settle(time, h)
        stalls = self.stalls(time, good & ~time.equals(until))
        asks = asks | small | vain
        left = where(good & time.equals(until), float(Left.ENDED), where(asks, float(Left.ASKS), 0.0))
        left = where(stalls, float(Left.STALLS), where(fading | dipped, float(Left.FADES), left))
        self.keep(left, Own.left)
        return left > 0.0

    def planned(self, h: Real) -> Real:
        """The step h, changed where a singular position lies ahead so that it falls between two stages."""
        ahead, d = self.singular_ahead(h)
        if self.count_of_pivots:
            ahead = ahead & self.quiet(h)
        return where(ahead, self.across(h, d, CROSSING), h)

    def stages(self, t: Real, h: Real) -> None:
        """k_1 … k_11, with the right-hand side once, in a loop; k_0 is there from the last step."""
        b = self.b
        self.store(0.0, self.reals, Real64.worst)
        before, top, slope, after = b.block, self.block("stage"), self.block("slope"), self.block("stages_done")
        b.branch(top)
        b.position_at_end(top)
        s = b.phi(INT)
        s.add_incoming(self.int(1), before)
        self.together()
        nowhere = self.block("nowhere")
        choice = b.switch(s, nowhere)
        b.position_at_end(nowhere)
        b.unreachable()
        for stage in range(1, STAGES):
            case = self.block(f"stage{stage}")
            choice.add_case(self.int(stage), case)
            b.position_at_end(case)
            self.fence()
            self.stage(stage, h)
            self.keep(fma(h, C[stage], t), Real64.stage_time)
            b.branch(slope)
        b.position_at_end(slope)
        self.slope()
        growth, worst = self.number(Real64.growth), self.number(Real64.worst)
        self.keep(where(growth > worst, growth, worst), Real64.worst)
        following = b.add(s, self.int(1))
        s.add_incoming(following, b.block)
        b.cbranch(b.icmp_signed("<", following, self.int(STAGES)), top, after)
        b.position_at_end(after)

    def slope(self) -> None:
        """The acceleration at `new`, and the growth and the least sizes of its pivots."""
        clock, growth = self.at(self.reals, Real64.stage_time), self.at(self.reals, Real64.growth)
        pivots, lowest = self.kept["pivots"], self.kept["lowest"]
        self.b.call(self.functions["rhs"], [clock, self.new, self.fixed_values, self.a, growth, pivots])
        for i in range(self.count_of_pivots):
            size, least = abs(self.load(pivots, i)), self.load(lowest, i)
            self.store(where(size < least, size, least), lowest, i)

    def stage(self, s: int, h: Real) -> None:
        """new = y + h Σ a_sj k_j, coordinate by coordinate."""
        w = self.weights(A[s])
        for i in range(self.n):
            k = _Slopes(self, s, i, h)
            velocity = fma(h, combination(w, k.acceleration), k.v)
            position = fma(h, combination(w, k.velocity), self.load(self.y[i]))
            self.store(velocity, self.new, self.n + i)
            self.store(position, self.new, i)

    def last_stage(self, h: Real) -> Real:
        """The new state of order 8, and the error of the step; see `Dop853Step.error`."""
        self.fence()
        n = self.n
        rtol, atol = self.number(Real64.rtol), self.number(Real64.atol)
        squares: dict[tuple[int, int], Real] = {}
        w, *estimates = (self.weights(row) for row in (A[STAGES], ERROR_5, ERROR_3))
        for i in range(n):
            k = _Slopes(self, STAGES, i, h)
            for place, y, slope in ((i, self.load(self.y[i]), k.velocity), (n + i, k.v, k.acceleration)):
                new = fma(h, combination(w, slope), y)
                self.store(new, self.new, place)
                old, size = abs(y), abs(new)
                scale = 1.0 / fma(rtol, where(old > size, old, size), atol)
                for estimate, weights in enumerate(estimates):
                    e = combination(weights, slope) * scale
                    squares[estimate, place] = e * e
        e5, e3 = (self.in_chunks([squares[estimate, place] for place in range(2 * n)]) for estimate in range(2))
        below = sqrt((e5 + e3 * 0.01) * float(2 * n))
        rounding = self.number(Real64.worst) * EPSILON / rtol
        return where(e5.equals(0.0), 0.0, abs(h) * e5 / (below * where(rounding > 1.0, rounding, 1.0)))

    def in_chunks(self, terms: list[Real]) -> Real:
        """The sum of terms in the order in which a state in chunks adds them."""
        total = self.real(0.0)
        for first in range(0, len(terms), CHUNK):
            parts: list[Real | None] = [*terms[first : first + CHUNK]]
            parts += [None] * (CHUNK - len(parts))
            while len(parts) > 1:
                parts = [
                    b if a is None else a if b is None else a + b for a, b in zip(parts[::2], parts[1::2], strict=True)
                ]
            assert parts[0] is not None
            total = total + parts[0]
        return total

    def arrive(self, time: Real, h: Real, accepted: Truth) -> tuple[Truth, Truth, Real, Real]:
        """What follows an accepted step: projection, slope, events, pivots; see `Dop853Lanes.step`.

        Threads whose step is rejected go along, so that the block keeps step; nobody looks at what they find.
        """
        end = self.values(self.cells_of(self.new, 2 * self.n))
        self.keep(time, Real64.stage_time)
        wrong = Truth(time.on, ir.Constant(TRUTH, 0))
        for name, first in (("positions", 0), ("velocities", self.n)):
            if name in self.motion.corrections:
                self.returned(self.functions[name], first, accepted)
        if self.motion.corrections:
            wrong = accepted & (self.moved(end) > self.number(Real64.correction_limit))
        self.together()
        self.slope()
        growth = self.number(Real64.growth)
        asks = growth.is_nan() | self.nowhere_a_number() | (growth > self.number(Real64.growth_limit))
        if self.events:
            asks = asks | self.crossed_any(time, h)
        return wrong, asks, *self.fading(h)

    def returned(self, function: ir.Function, first: int, wanted: Truth) -> None:
        """Corrections of positions or velocities, repeated while they are large."""
        b = self.b
        before, again, after = b.block, self.block("correct"), self.block("corrected")
        change = self.array(self.n, "change")
        self.together()
        b.branch(again)
        b.position_at_end(again)
        passes = b.phi(INT)
        passes.add_incoming(self.int(0), before)
        b.call(function, [self.at(self.reals, Real64.stage_time), self.new, self.fixed_values, change])
        large = self.real(0.0)
        for i in range(self.n):
            x, δ = self.load(self.new, first + i), self.load(change, i)
            size = where(abs(x) > 1.0, abs(x), 1.0)
            large = large + where(abs(δ) > size * REPEAT, 1.0, 0.0)
            self.store(x + δ, self.new, first + i)
        done = b.add(passes, self.int(1))
        passes.add_incoming(done, b.block)
        b.cbranch(b.and_((wanted & (large > 0.0)).value, b.icmp_signed("<", done, self.int(PROJECTIONS))), again, after)
        b.position_at_end(after)

    def moved(self, end: Sequence[Real]) -> Real:
        """How far the projection has moved the end of the step; see `Control.deviation`."""
        rtol, atol, growth = (self.number(place) for place in (Real64.rtol, Real64.atol, Real64.worst))
        least = fma(where(growth < WORST, growth, WORST), ROUNDING, atol)
        total = self.real(0.0)
        for i, before in enumerate(end):
            new = self.load(self.new, i)
            e = (new - before) / fma(rtol, abs(new), least)
            total = fma(e, e, total)
        return sqrt(total / float(2 * self.n))

    def nowhere_a_number(self) -> Truth:
        """Whether the new state or its derivative is infinite or not a number somewhere: there x − x is no number."""
        total = self.real(0.0)
        for address in (*self.cells_of(self.new, 2 * self.n), *self.cells_of(self.a, self.n)):
            x = self.load(address)
            total = total + (x - x)
        return total.is_nan()

    def crossed_any(self, time: Real, h: Real) -> Truth:
        """Whether an event function may have crossed zero, from its values before, in the middle and at the end."""
        n, call, event = self.n, self.b.call, self.functions["event"]
        inside, middle = self.array(self.events, "inside"), self.array(2 * n, "middle")
        clock = self.at(self.reals, Real64.stage_time)
        call(event, [clock, self.new, self.fixed_values, self.at_end])
        eighth = h * 0.125
        for i in range(2 * n):
            y, new = self.load(self.y[i]), self.load(self.new, i)
            if i < n:
                first, last = self.load(self.y[n + i]), self.load(self.new, n + i)
            else:
                first, last = self.load(self.slots[0][i - n]), self.load(self.a, i - n)
            self.store(fma(eighth, first - last, (y + new) * 0.5), middle, i)
        self.keep(time - h * 0.5, Real64.stage_time)
        self.together()
        call(event, [clock, middle, self.fixed_values, inside])
        hits = self.real(0.0)
        for i, way in enumerate(self.motion.directions):
            old, new, between = self.load(self.signs, i), self.load(self.at_end, i), self.load(inside, i)
            twice = ((old * between) < 0.0) & ((between * new) < 0.0)
            twice = twice | self.dips((old, between, new), 0.5, 0.5)
            seen = self.crossed(old, new, self.real(float(way))) | twice
            hits = hits + where(seen, 1.0, 0.0)
        return hits > 0.0

    def fading(self, h: Real) -> tuple[Real, Real]:
        """The time after which a pivot would vanish, and how many may have vanished inside the step; roots at its end
        stand where the least sizes were."""
        distance, dips = self.real(inf), self.real(0.0)
        for i in range(self.count_of_pivots):
            end, lowest = abs(self.load(self.kept["pivots"], i)), self.load(self.kept["lowest"], i)
            root, largest = self.load(self.kept["roots"], i), self.load(self.kept["largest"], i)
            faded = self.faded(end, lowest, root, largest, abs(h))
            distance = where(faded.distance < distance, faded.distance, distance)
            dips = dips + where(faded.dipped, 1.0, 0.0)
            self.store(faded.root, self.kept["lowest"], i)
        return distance, dips

    def settle(self, time: Real, h: Real) -> None:
        """Takes `new` for the state at `time`."""
        growth, length, steps = self.number(Real64.growth), abs(h), self.number(Own.steps)
        room, before = 1.0 / sqrt(growth), self.number(Real64.room)
        self.keep(time, Real64.t)
        self.keep((before - room) / length, Real64.fall)
        self.keep(room, Real64.room)
        for value, place, better in (
            (growth, Own.largest, growth > self.number(Own.largest)),
            (length, Own.longest_taken, length > self.number(Own.longest_taken)),
            (length, Own.shortest_taken, (length < self.number(Own.shortest_taken)) & (steps > 0.0)),
        ):
            self.keep(where(better, value, self.number(place)), place)
        self.keep(steps + 1.0, Own.steps)
        for addresses, array in ((self.y, self.new), (self.slots[0], self.a)):
            for i, address in enumerate(addresses):
                self.store(self.load(array, i), address)
        for i in range(self.count_of_pivots):
            f, most = self.load(self.kept["lowest"], i), self.load(self.kept["largest"], i)
            self.store(where(f > most, f, most), self.kept["largest"], i)
            self.store(f, self.kept["roots"], i)
        for i in range(self.events):
            old, new = self.load(self.signs, i), self.load(self.at_end, i)
            self.store(where(new.equals(0.0), old, new), self.signs, i)
        if self.motion.recording:
            self.record(time, h)

    def stalls(self, time: Real, going: Truth) -> Truth:
        """Whether the last steps of a member have brought it forward by next to nothing."""
        left = self.number(Own.budget) - where(going, 1.0, 0.0)
        look, since = going & (left <= 0.0), self.number(Own.since)
        self.keep(where(look, float(CHUNK_OF_STEPS), left), Own.budget)
        self.keep(where(look, time, since), Own.since)
        return look & (abs(time - since) < self.number(Own.least))

    def record(self, time: Real, h: Real) -> None:
        """The step, with its member, t, h, the growth of the pivots and the state, as long as there is room."""
        b = self.b
        k = b.atomic_rmw("add", self.arguments["recorded"], self.int(1), "monotonic")
        with self.if_(b.icmp_signed("<", k, self.arguments["capacity"])):
            row = self.cell(self.arguments["record"], b.mul(k, self.int(4 + 2 * self.n)))
            member = self.real(b.sitofp(b.load(self.seat, typ=INT), DOUBLE))
            new = self.values(self.cells_of(self.new, 2 * self.n))
            for i, value in enumerate((member, time, h, self.number(Real64.growth), *new)):
                self.store(value, row, i)


class _Slopes:
    """Slopes of one coordinate in the stages before stage s.

    Accelerations stand in their slots, that of the last stage in a register on its way there. The slope of the position in
    stage j is the velocity there, made again as it was made then: v + h Σ a_jm k_m.
    """

    def __init__(self, kernel: Dop853Threads, s: int, i: int, h: Real) -> None:
        self._kernel, self._i, self._h = kernel, i, h
        self.v: Real = kernel.load(kernel.y[kernel.n + i])
        self._accelerations: dict[int, Real] = {}
        self._velocities: dict[int, Real] = {0: self.v}
        if s > 1:
            newest = self._accelerations[s - 1] = kernel.load(kernel.a, i)
            if s < STAGES:
                kernel.store(newest, kernel.slots[SLOTS[s - 1]][i])

    def acceleration(self, j: int) -> Real:
        if j not in self._accelerations:
            self._accelerations[j] = self._kernel.load(self._kernel.slots[SLOTS[j]][self._i])
        return self._accelerations[j]

    def velocity(self, j: int) -> Real:
        if j not in self._velocities:
            self._velocities[j] = fma(self._h, combination(self._kernel.weights(A[j]), self.acceleration), self.v)
        return self._velocities[j]


def combination(weights: Mapping[int, Real], slope: Callable[[int], Real]) -> Real:
    """Σ w_j k_j, in the order of the stages."""
    total: Real | None = None
    for j, weight in weights.items():
        total = slope(j) * weight if total is None else fma(slope(j), weight, total)
    assert total is not None
    return total
