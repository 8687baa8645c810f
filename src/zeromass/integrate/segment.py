"""One segment of a run: the motion of one system, dense, with what happened and how it went."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Protocol, overload

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.equation.inverse import least_norm_multipliers
from zeromass.expression import Array, Evaluator, Expression, Symbol, expressions, substitute, symbols
from zeromass.expression.leaves import namesake
from zeromass.frozen import frozen
from zeromass.integrate.hybrid.pieces import Piece, contact_modes
from zeromass.integrate.outcome import Occurrence, Outcome
from zeromass.integrate.passages import Passage, passages
from zeromass.integrate.settings import Settings
from zeromass.integrate.singular.returned import returned
from zeromass.integrate.stepping.dense import DEGREE, DenseOutput, Projection, Source
from zeromass.integrate.stepping.functions import Functions
from zeromass.model import ModelError, State, System
from zeromass.model.by_expression import ByExpression
from zeromass.model.given import given_finite, given_kind, given_numbers
from zeromass.model.shared import undetermined_groups, warn_of_shared
from zeromass.model.sliding import mean

AT_ONCE = 2**16
"""Times at which an expression is evaluated at once: of a long run in blocks, and accelerations with them."""

FEW = 3
"""Contacts that the mode of a motion names one by one."""

REMEMBERED = 64
"""Expressions whose evaluation a system remembers."""


@frozen(eq=True)
class Statistics:
    """What a run cost: steps, rejected ones, evaluations, choices of new pivots, and the worst growth of a pivot.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> run.statistics.steps == len(run) - 1, run.statistics.repivots
    (True, 0)
    """

    steps: int
    rejected: int
    evaluations: int
    repivots: int
    growth: float

    def __str__(self) -> str:
        words = f"{self.steps} steps, {self.rejected} rejected, {self.evaluations} evaluations"
        lost = np.log10(max(self.growth, 1.0))
        words += f", {self.repivots} re-pivots" if self.repivots else ""
        return words + (f", {lost:.1f} digits lost at worst in a pivot" if lost >= 0.5 else "")

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.steps + other.steps,
            self.rejected + other.rejected,
            self.evaluations + other.evaluations,
            self.repivots + other.repivots,
            max(self.growth, other.growth),
        )


@frozen()
class Segment(ByExpression):
    """A part of a run in which one system moves: immutable, dense.

    program   the equations that it ended with; None of a run that could not begin
    start     where it began
    t, y      times and states at the ends of its steps, shapes (k,) and (k, 2n)
    outcome   how it ended
    happened  what happened on the way, or what finds it when it is asked for, see `events`
    growth    of the pivots at the ends of the steps
    inside    polynomials inside steps, see `DenseOutput`: what gives them, or all of them, shape (steps, degree + 1, 2n)
    crossed   singular positions that the motion crossed
    piece     of formulas that have kinks or jumps: on which pieces of them it moves; None of a smooth system

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> (segment,) = run.segments
    >>> segment.mode, len(segment.t) == len(segment.growth) + 1
    ('motion', True)
    """

    _how = "segment[x] are the values of an expression x at the times segment.t"
    program: Program | None
    start: State
    t: np.ndarray
    y: np.ndarray
    outcome: Outcome
    statistics: Statistics
    happened: tuple[Occurrence, ...] | Callable[[], tuple[Occurrence, ...]] = field(repr=False)
    settings: Settings
    growth: np.ndarray = field(repr=False)
    inside: Source | np.ndarray = field(repr=False)
    crossed: tuple[Passage, ...] = ()
    piece: Piece | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for array in (self.t, self.y, self.growth):
            if not isinstance(array, np.ndarray):
                given_kind(array, np.ndarray, "t, y or growth of a segment", "an array")
            array.setflags(write=False)

    @classmethod
    def standing(cls, start: State, outcome: Outcome, settings: Settings) -> Segment:
        """Of a run that could not begin: its start."""
        given_kind(start, State, "the start", "a state")
        t, y = np.array([start.t]), np.concatenate([start.q, start.v])[None]
        nothing = Statistics(0, 0, 0, 0, 1.0)
        return cls(
            None, start, t, y, outcome, nothing, (), settings, np.empty(0), np.empty((0, DEGREE + 1, y.shape[1]))
        )

    def __getstate__(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**fields, "happened": self.events, "inside": self.dense.polynomials()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @cached_property
    def events(self) -> tuple[Occurrence, ...]:
        """What happened on the way."""
        found = self.happened() if callable(self.happened) else self.happened
        for event in found:
            event.y.setflags(write=False)
        return found

    @cached_property
    def dense(self) -> DenseOutput:
        """States at any times, on the constraints as the run was at the ends of its steps."""
        return DenseOutput(self.t, self.y, self.inside, self._projection)

    @property
    def system(self) -> System:
        return self.start.system

    @property
    def held(self) -> int:
        """Memory that it takes, bytes, with the record of its steps."""
        return 2 * (self.t.nbytes + self.y.nbytes + self.growth.nbytes)

    @property
    def mode(self) -> str:
        """The mode of motion, such as "rolling"; of a system with contacts theirs."""
        pieces = self.system.pieces
        if self.system.colliders is not None:
            modes = {} if self.piece is None or self.piece.contacts is None else self.piece.contacts.modes
            if len(modes) > FEW:
                return f"{len(modes)} contacts, of which {sum(mode == 'slips' for mode in modes.values())} slip"
            return ", ".join(f"{self.system.colliders.name(*pair)} {mode}" for pair, mode in modes.items()) or "open"
        if self.piece is None or pieces is None or not pieces.unilaterals:
            return self.system.mode
        return self.system.mode_in(contact_modes(pieces, self.piece.modes))

    def contact_mode(self, name: str) -> str:
        """Mode of a contact, by its name: "open", "closed", "sticks" or "slips"; "closed" of one that can not open."""
        pieces = self.system.pieces
        if self.piece is None or pieces is None or name not in (names := [one.name for one in pieces.unilaterals]):
            return "closed"
        return contact_modes(pieces, self.piece.modes)[names.index(name)]

    @property
    def parameters(self) -> Mapping[Symbol, float]:
        return self.start.parameters

    @property
    def solved(self) -> Program:
        """The equations of the motion; an error for a run that could not begin."""
        if self.program is None:
            raise ModelError(f"the run has no accelerations, it could not begin: {self.outcome}")
        return self.program

    @property
    def _projection(self) -> Projection | None:
        """What returns states to the constraints; None if the run did not."""
        if self.program is None or not self.settings.project:
            return None
        if not self.program.corrections:
            return None
        whole = self.program.code != "rolled"
        return returned(Functions(self.program.native, self.values).projected, self.start, self.settings, whole=whole)

    @property
    def equations(self) -> System:
        """The system whose equations were solved: the one that moves, smooth on the pieces of its formulas."""
        if self.piece is None or self.system.pieces is None:
            return self.system
        return self.system.pieces.system if self.program is None else self.program.system

    @property
    def values(self) -> np.ndarray:
        """Of the parameters of these equations."""
        known = self.parameters if self.piece is None else {**self.parameters, **self.piece.modes}
        return np.array([known[p] for p in self.equations.parameters], dtype=float)

    def meant(self, e: Array) -> Array:
        """Expressions as they are in this segment: on the pieces that it moves on.

        Where the motion slides along a switch, they are the mean of both sides that holds it there: of −F sgn(v) the force
        that acts at rest.
        """
        if self.piece is None or self.system.pieces is None:
            return e
        pieces = self.system.pieces
        if pieces.in_forces:  # the modes of what holds are known
            return mean(pieces.smooth(e), [pieces.held[hold.mode] for hold in self.piece.holds])
        return (
            pieces.acting(e) if self.program is None else expressions(substitute(pieces.acting(e), self.program.betas))
        )

    @property
    def equations_alike(self) -> tuple[Any, ...]:
        """Equal for segments in which expressions are the same functions of time, state and parameters."""
        large = self.program is not None and self.program.code == "rolled"
        holds = self.piece.holds if large and self.piece is not None else ()
        return self.system, self.program, self.piece is None, holds

    def at(self, times: np.ndarray) -> Samples:
        """The segment at times within it."""
        times = given_numbers(times, "times", (None,))
        return Samples(self, times, self.dense(times))

    @cached_property
    def steps(self) -> Samples:
        """The segment at the ends of its steps."""
        return Samples(self, self.t, self.y)

    def state(self, t: float) -> State:
        """State at one time, from which another run can start."""
        t = given_finite(t, "t")
        y = self.dense(np.array([t]))[0]
        n = len(y) // 2
        state = State(self.system, float(t), y[:n].copy(), y[n:].copy(), dict(self.parameters))
        if self.piece is None or self.system.pieces is None:
            return state
        pieces, modes = self.system.pieces, {hold.mode for hold in self.piece.holds}
        along = [k for k, switch in enumerate(pieces.switches) if switch.mode in modes]
        said = ", ".join(map(pieces.told, along))
        return replace(state, turns=pieces.turns(self.piece.modes), sliding=said)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Singular positions along the run, with the constraints that lose independence there."""
        if self.program is None or self.program.code == "rolled":
            return ()
        growth = self.program.native.growth
        return passages(
            self.equations,
            self.t[1:],
            self.growth,
            lambda times: growth(self.at(times).inputs),
            self.state,
            self.crossed,
        )


Steps = tuple[np.ndarray, np.ndarray]
"""Times at the ends of steps, (k,), and the states there, (k, 2n)."""


class Promise(Protocol):
    """Segments of one system that follow one another, and are made when they are asked for."""

    def __len__(self) -> int: ...

    def segment(self, k: int) -> Segment:
        """One of them."""
        ...

    def steps(self, count: int) -> Steps:
        """The steps of the first of them, so many."""
        ...


class Segments(Sequence[Segment]):
    """Segments that follow one another; a motion may go over thousands of switches, and few of them are looked at."""

    def __init__(self, found: Iterable[Segment] = ()) -> None:
        self._found: list[Segment | None] = list(found)
        self._promises: list[
            tuple[int, int, Promise]
        ] = []  # the first of some segments, how many there are left of them
        self._systems: dict[System, None] = dict.fromkeys(segment.system for segment in self)

    def append(self, segment: Segment) -> None:
        """Adds a segment."""
        self._found.append(segment)
        self._systems[segment.system] = None

    def promise(self, some: Promise, system: System) -> None:
        """Adds segments of a system that are made when they are asked for."""
        if len(some):
            self._promises.append((len(self), len(some), some))
        self._found += [None] * len(some)
        self._systems[system] = None

    def replace_last(self, segment: Segment) -> None:
        """Puts another segment in place of the last."""
        if self._promises and sum(self._promises[-1][:2]) == len(self):
            first, count, some = self._promises[-1]
            self._promises[-1] = first, count - 1, some
        self._found[-1:] = [segment]
        self._systems[segment.system] = None

    def steps(self) -> list[Steps]:
        """Times and states at the ends of all steps, in parts; for them no segment is made."""
        parts, place = list[Steps](), 0
        for first, count, some in self._promises:
            parts += [(segment.t, segment.y) for segment in self[place:first]]
            parts += [some.steps(count)] if count else []  # the last may have been replaced
            place = first + count
        return parts + [(segment.t, segment.y) for segment in self[place:]]

    @property
    def systems(self) -> list[System]:
        """What moves in them."""
        return list(self._systems)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, k: int) -> Segment: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Segment, ...]: ...
    def __getitem__(self, k: int | slice) -> Segment | tuple[Segment, ...]:
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(len(self))))
        found = self._found[k]
        if found is None:
            k = range(len(self))[k]
            first, _, some = self._promises[bisect_right(self._promises, k, key=lambda one: one[0]) - 1]
            found = self._found[k] = some.segment(k - first)
        return found

    def __iter__(self) -> Iterator[Segment]:
        return (self[k] for k in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Segments, (list(self),)


def asked(system: System, e: np.ndarray) -> tuple[Evaluator, bool, bool]:
    """What gives the values of some expressions, and whether these need accelerations, and multipliers beside.

    The system remembers the last ones: searches along a run ask for the same again and again.
    """
    known: dict[Any, tuple[Evaluator, bool, bool]] = system.memory.setdefault("asked", {})
    key = e.shape, *e.ravel().tolist()
    found = known.get(key)
    if found is None:
        leaves = symbols(e)
        forces = any(leaf.kind == "multiplier" for leaf in leaves)
        moving = forces or any(leaf.order == 2 for leaf in leaves)
        names = _places(system, moving, forces)
        unknown = [leaf for leaf in leaves if leaf not in names and leaf.default is None]
        if unknown:
            words = f"'{unknown[0]!r}' is nothing of this system, so the run has no values of it"
            raise ModelError(words + namesake(unknown[0], system.inputs))
        if len(known) >= REMEMBERED:
            known.clear()
        found = known[key] = Evaluator(e, names), moving, forces
    return found


def _places(system: System, moving: bool, forces: bool) -> dict[Expression, int]:
    """Where numbers of all that expressions may have in them stand; made once, since of a large system they are many."""
    known: dict[Any, dict[Expression, int]] = system.memory.setdefault("places of inputs", {})
    if (moving, forces) not in known:
        names = [*system.inputs, *(system.accelerations if moving else ()), *(system.multipliers if forces else ())]
        known[moving, forces] = {leaf: j for j, leaf in enumerate(names)}
    return known[moving, forces]


class Samples(ByExpression):
    """A segment at given times t, shape (k,), in states y, shape (k, 2n)."""

    _how = "segment.at(times)[x] are the values of an expression x"
    segment: Segment
    t: np.ndarray
    y: np.ndarray

    def __init__(self, segment: Segment, t: np.ndarray, y: np.ndarray) -> None:
        self.segment, self.t, self.y = segment, t, y

    @property
    def system(self) -> System:
        """The system whose equations hold: smooth on the pieces of its formulas, of one that has any."""
        return self.segment.equations

    def __getitem__(self, e: Expression | np.ndarray | Sequence[Any]) -> np.ndarray:
        """Values of an expression, shape (times,), or of an array of them, shape (times, …)."""
        e = self.segment.meant(expressions(e))
        system = self.system
        evaluator, moving, forces = asked(system, e)
        if forces and len(self.t) and (groups := self._some(slice(0, 1)).sharing(e)):
            warn_of_shared(groups)
        if len(self.t) <= AT_ONCE:
            return evaluator(self._known(moving, forces))
        result = np.empty((len(self.t), *e.shape))
        for k in range(0, len(self.t), AT_ONCE):
            some = slice(k, k + AT_ONCE)
            result[some] = evaluator(self._some(some)._known(moving, forces))
        return result

    def sharing(self, e: Array) -> list[str]:
        """Names of the constraints that share forces in expressions on the segment's piece, at the first of the times."""
        if not self.segment.solved.elimination.dropped:
            return []
        if self.segment.solved.code == "rolled":
            from zeromass.compile.rolled.program import sharing  # few systems are large

            return sharing(self.segment.solved, e, self.inputs[0])
        return undetermined_groups(self.system, self.system.matrices(self.inputs[0]).A, e, self._known(True, True)[0])

    @classmethod
    def joined(cls, several: Sequence[Samples]) -> Samples:
        """Samples of segments whose equations are alike, as one; each with the values that parameters have there."""
        if len(several) == 1:
            return several[0]
        t, y, inputs = (np.concatenate([getattr(one, name) for one in several]) for name in ("t", "y", "inputs"))
        together = cls(several[0].segment, t, y)
        together.inputs = inputs
        return together

    def _some(self, places: slice) -> Samples:
        """Some of them."""
        some = Samples(self.segment, self.t[places], self.y[places])
        if "inputs" in vars(self):
            some.inputs = self.inputs[places]
        return some

    def _known(self, moving: bool, forces: bool) -> np.ndarray:
        """Inputs, with accelerations and multipliers where they are asked for, shape (times, …)."""
        more = [self.acceleration] if moving else []
        more += [self.multipliers] if forces else []
        return np.concatenate([self.inputs, *more], axis=1) if more else self.inputs

    @cached_property
    def inputs(self) -> np.ndarray:
        """Numbers in the order of `system.inputs`, shape (times, inputs)."""
        values = self.segment.values
        parameters = np.broadcast_to(values, (len(self.t), len(values)))
        inputs = np.concatenate([self.t[:, None], self.y, parameters], axis=1)
        if (read := self.touching) is not None:
            inputs[:, inputs.shape[1] - read[0].shape[1] :] = read[0]  # wrenches are the last parameters
        program = self.segment.program
        holds = () if self.segment.piece is None else self.segment.piece.holds
        if program is not None and program.code == "rolled" and holds:
            from zeromass.compile.rolled.watching import held_modes  # few systems are large

            names = {leaf: k for k, leaf in enumerate(self.system.inputs)}
            modes = [hold.mode for hold in holds]
            inputs[:, [names[mode] for mode in modes]] = held_modes(program, modes, inputs)
        return inputs

    @cached_property
    def touching(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Wrenches of contacts that were found among shapes, and what touches where; None without such contacts."""
        segment = self.segment
        if (
            segment.piece is None
            or segment.piece.contacts is None
            or segment.program is None
            or segment.system.pieces is None
        ):
            return None
        from zeromass.integrate.hybrid.collision_native import collision_native  # few systems have such contacts

        contacts = segment.piece.contacts
        native = collision_native(segment.system.pieces, segment.program, len(contacts.closed))
        return native.read(contacts, self.t, self.y, segment.values)

    @cached_property
    def acceleration(self) -> np.ndarray:
        """q̈, shape (times, n)."""
        return self.segment.solved.native.accelerations(self.inputs)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """λ of all rows, shape (times, rows): the shortest, where redundant rows share a force."""
        program, system = self.segment.solved, self.system
        λ = program.native.function(system.multipliers)(self.inputs)
        if not program.elimination.dropped or program.code == "rolled":
            return λ
        A = system.matrices(self.inputs).A
        locked = numerical_rank(A, rank=program.rank)
        return least_norm_multipliers(locked, A, np.einsum("tij,ti->tj", A, λ))
