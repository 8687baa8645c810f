"""A system as a program: the explicit acceleration, its growth, the projections and the Jacobian, as expressions.

A program follows from a system and from the decisions at one state, its pivots and its rank, and from nothing else. It is
a value: it never changes, can be pickled, and code for any target can be made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeromass.compile.decisions import Decisions, Samples, Tree
from zeromass.compile.native import Native
from zeromass.compile.outline import Entry, Outline, Promised, name_of
from zeromass.compile.straight import operations
from zeromass.equation import Verdict
from zeromass.equation.rank import rank_of
from zeromass.expression import Expression, expressions, jacobian, substitute, symbols, t
from zeromass.expression.build import ONE, ZERO, add, compare, multiply, where
from zeromass.expression.evaluate import Sparse, stacked
from zeromass.expression.node import undisturbed
from zeromass.frozen import frozen
from zeromass.model import Event, ModelError, State, System
from zeromass.model.given import given_all
from zeromass.model.sliding import acting
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.compile.elimination import Elimination
    from zeromass.compile.module import Groups
    from zeromass.expression.packing import Packed


DERIVED = ("elimination", "followed", "betas", "forced")
"""What of a program an earlier process may have derived, and is derived again where it is asked for."""


@frozen()
class Program:
    """Equations of motion made explicit, with the pivots and the rank that hold at one state.

    system       what it was made from
    elimination  q̈ and λ as expressions; the rows of A that are kept, and those dropped, which carry no force
    corrections  for "positions" and "velocities", as far as there are constraints on them: what returns a state to these

    >>> x, y = zm.coordinates("x y")
    >>> rod = zm.System(M=np.eye(2), Q=[0, -9.81], coordinates=[x, y], constraints={"rod": x**2 + y**2 - 1})
    >>> program = zm.compile(rod, rod.start({x: 0.6, y: -0.8}))
    >>> program
    Program(2 coordinates, 1 of 1 constraint rows kept, 19 operations)
    """

    system: System
    elimination: Elimination
    corrections: Mapping[str, tuple[Expression, ...]]
    betas: Mapping[Expression, Expression] = field(default_factory=dict)
    """β of switches that may hold the motion, as expressions of the state; see `zeromass.compile.holding`."""
    followed: tuple[Expression, ...] | None = field(default_factory=lambda: None)
    """q̈ for motions that are projected after each step, if that is not the same; see `followed_motion`."""
    forced: tuple[Expression, ...] | None = field(default_factory=lambda: None)
    """q̈ with contact forces as parameters, of a system with contacts; see `zeromass.compile.unilateral`."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in DERIVED and "fulfil" in vars(self):
                vars(self)["fulfil"]()
                return vars(self)[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        kept, rows = self.rank, len(self.system.rows)
        size = len(self.system.coordinates)
        return f"Program({size} coordinates, {kept} of {rows} constraint rows kept, {self.operations} operations)"

    def _repr_html_(self) -> str:
        from zeromass.compile.cards import program_card

        return program_card(self)

    def __getstate__(self) -> tuple[System, Packed]:
        from zeromass.expression.packing import packed

        return self.system, packed(
            (self.elimination, dict(self.corrections), list(self.betas.items()), self.followed, self.forced)
        )

    def __setstate__(self, state: tuple[System, Packed]) -> None:
        from zeromass.expression.packing import unpacked

        system, rest = state
        elimination, corrections, betas, followed, forced = unpacked(rest)
        values = (system, elimination, corrections, dict(betas), followed, forced)
        vars(self).update(zip(self.__dataclass_fields__, values, strict=True))

    @cached_property
    def outline(self) -> Outline:
        """What is known of it without its formulas."""
        e, rows = self.elimination, self.system.rows
        telling = sum(rows[i].level < 2 for i in e.pivots)
        count = operations([*self.system.rates, *(self.followed or e.acceleration), self.growth])
        return Outline(count, len(e.kept), telling, tuple(self.corrections), self.followed is not None)

    @cached_property
    def entry(self) -> Entry | None:
        """Its place among what is kept for later processes, if it has one."""
        return None

    @property
    def code(self) -> Literal["straight-line", "rolled"]:
        """What its machine code is like: formulas one after another, or loops over kinds of parts for a large system.

        A system of parts is large if it has 128 coordinates or more, or if its straight-line code would have some 30,000
        operations; see `zeromass.compile.rolled`.
        """
        return "straight-line"

    @property
    def rank(self) -> int:
        """Of A: how many of its rows are independent."""
        return self.outline.rank

    @property
    def acceleration(self) -> tuple[Expression, ...]:
        """q̈ as expressions of t, q, q̇ and the parameters."""
        return self.elimination.acceleration

    @property
    def multipliers(self) -> tuple[Expression, ...]:
        """λ, one for each row of A; zero for rows that were dropped."""
        return self.elimination.multipliers

    @cached_property
    def growth(self) -> Expression:
        """Largest cancellation in a pivot: its logarithm is the number of digits lost."""
        return largest(self.elimination.growth)

    @cached_property
    def inputs(self) -> Groups:
        """t, (q, q̇) and the parameters: what functions of the program depend on."""
        system = self.system
        return [[t], [*system.coordinates, *system.rates], list(system.parameters)]

    @property
    def operations(self) -> int:
        """Arithmetic operations of one right-hand side."""
        return self.outline.operations

    def solved(self, e: Any) -> np.ndarray:
        """Expressions with accelerations and multipliers replaced by their solution."""
        solution: dict[Expression, Expression] = dict(zip(self.system.accelerations, self.acceleration, strict=True))
        solution.update(zip(self.system.multipliers, self.multipliers, strict=True))
        solution.update(self.betas.items())
        return expressions(substitute(expressions(e), solution))

    @cached_property
    def events(self) -> dict[str, Expression]:
        """The functions whose zeros are watched in every run of the system, by the names of its events."""
        return dict(zip([event.name for event in self.system.events], self.zeros(self.system.events), strict=True))

    def zeros(self, events: Sequence[Event]) -> list[Expression]:
        """The functions of events, in terms of state and parameters; parameters of events alone keep their default."""
        stated = self.stated(events)
        return list(self.solved(stated)) if stated else []

    def stated(self, events: Sequence[Event]) -> list[Expression]:
        """The same as they were given, accelerations and multipliers among what is in them."""
        system = self.system
        known = {x for group in self.inputs for x in group}
        known |= {*system.accelerations, *system.multipliers, *self.betas}
        plain = isinstance(events, list | tuple) and all(isinstance(event, Event) for event in events)
        given = events if plain else given_all(events, Event, "events", "a zm.Event")
        zeros = expressions([event.zero for event in given])
        others = [leaf for leaf in symbols(zeros) if leaf not in known]
        if any(leaf.default is None for leaf in others):
            name, stranger = next(
                (event.name, leaf)
                for event in given
                for leaf in symbols(event.zero)
                if leaf not in known and leaf.default is None
            )
            raise ModelError(f"event '{name}' contains '{stranger!r}', which is nothing of the system")
        return list(substitute(zeros, {leaf: leaf.default for leaf in others}))

    @cached_property
    def residual(self) -> np.ndarray:
        """r = (Q + C + Aᵀλ − M q̈, b − A q̈) with the rows kept, and laws of contacts, as expressions of the state, of
        `unknowns` and of `betas`."""
        system, kept = self.system, list(self.elimination.kept)
        q̈, λ, A = system.accelerations, system.multipliers[kept], system.A[kept]
        r = np.concatenate([system.Q + system.C + A.T @ λ - system.M @ q̈, system.b[kept] - A @ q̈])
        if system.contact_modes:
            from zeromass.compile.unilateral import contact_residual  # few systems have contacts

            r = np.concatenate([r, contact_residual(system.contact_modes)])
        return acting(r, system.sliding_modes.values())

    @property
    def unknowns(self) -> list[Expression]:
        """q̈, λ of the rows kept, and forces of contacts: what r = 0 determines."""
        forces = [force for one in self.system.contact_modes for force in one.forces]
        return [*self.system.accelerations, *self.system.multipliers[list(self.elimination.kept)], *forces]

    @property
    def held(self) -> dict[Expression, Expression]:
        """β of switches that may hold the motion: those of `betas` that r = 0 does not determine."""
        unknowns = set(self.unknowns)
        return {leaf: value for leaf, value in self.betas.items() if leaf not in unknowns}

    @cached_property
    def tangent(self) -> np.ndarray:
        """∂r/∂(q̈, λ, q, q̇) of the residual r, as expressions of the state.

            ∂r/∂(q̈, λ) ∂(q̈, λ)/∂(q, q̇) = −∂r/∂(q, q̇)

        Exact, as the derivative of the solved acceleration is, but sparse until it is solved: that derivative would be
        dense, and so would its machine code. Of many coordinates, see `zeromass.compile.products`.
        """
        return self.solved(jacobian(self.residual, [*self.unknowns, *self.system.coordinates, *self.system.rates]))

    def at(self, state: State) -> Program:
        """This program, if the rows that it drops follow at a state from those it keeps, at each level; or that of it.

        Parameters, times and other branches decide which constraints are redundant.
        """
        belonging(state, self.system)
        if vars(self).get("made_at") == state.inputs.tobytes():
            return self
        A, levels = state.matrices.A, np.array([row.level for row in self.system.rows])
        kept = np.isin(np.arange(len(A)), self.elimination.kept)
        for level in {*levels.tolist()}:
            among = levels <= level
            if not rank_of(A[among]) == rank_of(A[among & kept]) == np.count_nonzero(among & kept):
                return program_at(self.system, state)
        return self

    def anew(self, state: State) -> Program:
        """The program with the pivots that are best at another state, of the same rank."""
        belonging(state, self.system)
        return program_at(self.system, state, self.rank)

    @cached_property
    def native(self) -> Native:
        """The program as machine code of this computer."""
        return Native(self)


def compile(system: System, start: State) -> Program:
    """Explicit equations of motion of a system, with the pivots and the rank at a start.

    The program depends on system and start alone. Starts with the same pivots and rank give the same program. `simulate`
    compiles the program itself, and takes one in place of the system.

    >>> theta = zm.coordinate("theta")
    >>> pendulum = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-9.81 * np.cos(theta))
    >>> start = pendulum.start({theta: 0.1})
    >>> program = zm.compile(pendulum, start)
    >>> program.acceleration
    (-9.81*sin(theta),)
    >>> run = zm.simulate(program, start, until=1.0)
    """
    if not isinstance(start, State) or start.system is not system:
        raise ModelError("the start belongs to another system; make it with system.start(…)")
    if not rolls(system) and start.verdict is not Verdict.UNIQUE:
        raise ModelError(f"there is no explicit acceleration to compile: {system.check(start)}")
    return program_at(system, start)


def program_at(system: System, state: State, rank: int | None = None) -> Program:
    """The program whose pivots are best at a state; `rank` of A, if it is locked."""
    if rolls(system):
        from zeromass.compile.rolled.program import rolled_at

        return rolled_at(system, state)
    return _at(system, Samples(list(system.inputs), state.inputs), rank)


def programs_of(system: System, inputs: np.ndarray) -> list[tuple[Program, np.ndarray]]:
    """Programs whose pivots are best at states of a system that is not large, and the rows of `inputs` that each is for.

    Pivots are decided anew only where what decides them has other values than at the first of these states.
    """
    names, programs = list(system.inputs), dict[Program, list[int]]()
    first = _at(system, Samples(names, inputs[0]), None)
    felt = _trees(system)[None].asked(first)
    own = np.ascontiguousarray(inputs[:, [k for k, name in enumerate(names) if name in felt]])
    alike: dict[bytes, list[int]] = {}
    for k, values in enumerate(own):
        alike.setdefault(values.tobytes(), []).append(k)
    for some in alike.values():
        program = _at(system, Samples(names, inputs[some[0]]), None)
        same = program is first
        programs.setdefault(program, []).extend(some if same else some[:1])
        for k in [] if same else some[1:]:
            programs.setdefault(_at(system, Samples(names, inputs[k]), None), []).append(k)
    return [(program, np.array(sorted(some))) for program, some in programs.items()]


def _trees(system: System) -> dict[int | None, Tree[Program]]:
    return system.memory.setdefault("programs", {})


def _at(system: System, samples: Samples, rank: int | None) -> Program:
    tree = _trees(system).setdefault(rank, Tree())
    name = name_of(system, samples.values, rank) if tree.empty else None
    entry = None if name is None else Entry.read(name)
    if entry is not None:
        return _promised(system, samples, rank, tree, entry)
    found = tree.at(samples, lambda decide: _derived(system, decide, rank))
    if name is not None:
        vars(found)["entry"] = Entry(name, found.outline)
    return found


def _promised(system: System, samples: Samples, rank: int | None, tree: Tree[Program], entry: Entry) -> Program:
    """A program that an earlier process has derived: its formulas are derived when they are asked for."""

    def fulfil() -> None:
        if "elimination" not in own:
            decide = Decisions(samples)
            with undisturbed:
                derived = _derived(system, decide, rank)
            own.update({name: vars(derived)[name] for name in (*DERIVED, "corrections")})
            tree.take(decide, program)

    def back() -> Mapping[str, tuple[Expression, ...]]:
        fulfil()
        return program.corrections

    program = object.__new__(Program)
    own = vars(program)
    own.update(system=system, corrections=Promised(entry.outline.corrections, back))
    own.update(outline=entry.outline, entry=entry, fulfil=fulfil, made_at=samples.key)
    return tree.promise(samples, program, fulfil)


def rolls(system: System) -> bool:
    """Whether the code of a system is rolled."""
    if not system.large:
        return False
    from zeromass.compile.rolled.program import can_roll  # few systems are large

    return can_roll(system)


def _derived(system: System, decide: Decisions, rank: int | None) -> Program:
    from zeromass.compile.elimination import followed_motion, solved_motion  # a second process derives nothing

    motion, back = solved_motion(system, decide, rank), corrections(system, decide)
    program = Program(system, motion, back, followed=followed_motion(system, decide, rank))
    if system.sliding_modes:
        from zeromass.compile.holding import with_sliding  # few systems have switches that may hold them

        program = with_sliding(program, list(system.sliding_modes.values()))
    if system.contact_modes:
        from zeromass.compile.unilateral import with_contacts  # few systems have contacts

        program = with_contacts(program, system.contact_modes)
    return program


def corrections(system: System, decide: Decisions) -> dict[str, tuple[Expression, ...]]:
    """What returns positions and velocities to the constraints, as far as there are any on them."""
    found = {}
    for level, name in enumerate(("positions", "velocities")):
        rows = [i for i, row in enumerate(system.rows) if row.level <= level]
        if rows:
            found[name] = _correction(system, rows, level, decide)
    return found


def _correction(system: System, rows: list[int], level: int, decide: Decisions) -> tuple[Expression, ...]:
    """δ that satisfies Aδ = −residual and is shortest in the metric of the kinetic energy, δᵀMδ.

    Where mass and these rows leave a direction free, the other rows of A take part in the metric.
    """
    from zeromass.compile.elimination import eliminated
    from zeromass.compile.pivots import Independent
    from zeromass.compile.turning import turning

    by = turning(system)
    picked, missing = by.residuals(level)
    A, M = system.sparse_A.picked(rows), system.sparse_M
    own, metric = by.A.picked(picked), by.M
    n = len(M)
    if decide(Independent(stacked(M, A))) < n:
        rest = [i for i in range(len(system.rows)) if i not in rows]
        others = by.A.picked([k for k in range(len(by.rows)) if k not in picked])
        M, metric = _with_squares(M, system.sparse_A.picked(rest)), _with_squares(metric, others)
        if decide(Independent(stacked(M, A))) < n:
            metric = _with_squares(metric, Sparse([{j: ONE} for j in range(len(metric))], len(metric)))
    rank = decide(Independent(A)) - len(by.bodies)
    zero = expressions(np.zeros(len(metric)))
    levels = [system.rows[by.rows[k]].level for k in picked]
    return by.correction(eliminated(metric, zero, own, missing, decide, rank, levels).acceleration, level)


def _with_squares(M: Sparse, A: Sparse) -> Sparse:
    """M + AᵀA."""
    squares: list[dict[int, Expression]] = [{} for _ in M.rows]
    for row in A.rows:
        for j, a in row.items():
            for k, b in row.items():
                squares[j][k] = add(squares[j].get(k, ZERO), multiply(a, b))
    rows = [
        {k: add(row.get(k, ZERO), own.get(k, ZERO)) for k in {**row, **own}}
        for row, own in zip(M.rows, squares, strict=True)
    ]
    return Sparse(rows, M.columns)


def largest(values: Sequence[Expression]) -> Expression:
    """The largest of some expressions, by pairs; 1 if there are none."""
    values = list(values) or [ONE]
    while len(values) > 1:
        pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
        values = [pair[0] if len(pair) == 1 else where(compare("less", *pair), pair[1], pair[0]) for pair in pairs]
    return values[0] if values[0] is not ZERO else ONE
