"""A program as code that needs no Python: the texts of its functions, of the stepping method, and of what drives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.compile.decisions import Decisions, Samples, Tree
from zeromass.compile.module import Groups, text_of
from zeromass.compile.newton import NewtonSteps
from zeromass.compile.program import Program
from zeromass.compile.rolled.program import RolledProgram
from zeromass.compile.rolled.start import TASKS
from zeromass.expression import Expression, Symbol
from zeromass.expression.build import ZERO
from zeromass.expression.grid import Grid
from zeromass.integrate.alone import begin, events, implicit, inside, motion
from zeromass.integrate.alone.memory import FUNCTIONS, Sizes, declared
from zeromass.integrate.alone.memory import Alone as Part
from zeromass.integrate.alone.plan import Plan, Planned
from zeromass.integrate.methods.dop853.kernel import Dop853Advance, Dop853Dense
from zeromass.integrate.settings import Limits
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.kernel import Project
from zeromass.integrate.stepping.writer import DOUBLE
from zeromass.integrate.terms import terms_of_time
from zeromass.model import Event, State

if TYPE_CHECKING:
    from zeromass.integrate.hybrid.export import DriverModule

METHOD = (Dop853Advance, Dop853Dense, Project)
"""Routines of the stepping method, which are copied to where they are called."""

SHOWN = ("slope", "start", "begin", "resume", "advance", "sample", "field")
"""Functions that who runs the code calls."""

SWITCHING = ("slope", "start", "resume", "field", "judge")
"""Functions of a module with the driver over switches, beside its kernels."""


ROUNDED = 1e-5
"""Part of all accelerations, and of those that forces would give, that counts as one of the terms of a row which was left
out: 1e-14 of them with `FOLLOWS`."""


@dataclass(frozen=True, eq=False)
class Alone:
    """A motion that needs no Python: what is computed, before it is written for a target.

    program     its equations
    start       where it begins, and what that was made of
    parameters  whose values may change: those of the system first, then those of the start alone
    events      that are watched; outputs: what is sampled
    until       time up to which it is looked at what depends on time alone
    place       three symbols, and `fields`, functions of them, of time and the parameters
    judged      what the driver decides by
    stiff       whether steps are those of Radau's methods
    switching   the driver over switches, where the module has one
    """

    program: Program
    start: State
    events: tuple[Event, ...] = ()
    outputs: tuple[Expression, ...] = ()
    project: bool = True
    limits: Limits = field(default_factory=Limits)
    place: tuple[Symbol, ...] = ()
    fields: tuple[Expression, ...] = ()
    until: float | None = None
    judged: tuple[Expression, ...] = ()
    stiff: bool = False
    switching: DriverModule | None = None

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        own, made_of = list(self.program.system.parameters), self.start.made_of
        return (*own, *[p for p in (made_of.parameters if made_of else ()) if p not in own])

    @property
    def routines(self) -> tuple[str, ...]:
        """Names of those of the stepping method, which are copied to where they are called."""
        if self.switching is not None:
            return ()
        return tuple(routine.name for routine in (implicit.METHOD if self.stiff else METHOD))

    @property
    def shown(self) -> tuple[str, ...]:
        """Functions that who runs the code calls."""
        if self.switching is not None:
            return (*SWITCHING, *self.switching.functions)
        return SHOWN

    @property
    def large(self) -> bool:
        """Whether the code of the program is rolled."""
        return isinstance(self.program, RolledProgram)

    @property
    def solved(self) -> bool:
        """Whether the start follows from the values of the parameters, or is the same for all."""
        return NewtonSteps.possible(self.start)

    @property
    def values(self) -> list[float]:
        """Of the parameters, as they are at the start."""
        made_of = self.start.made_of
        known: Mapping[Any, float] = {**(made_of.values if made_of else {}), **self.start.parameters}
        return [float(known.get(p, p.default or 0.0)) for p in self.parameters]

    @property
    def sizes(self) -> Sizes:
        p = self.program
        return Sizes(
            coordinates=len(p.system.coordinates),
            parameters=len(self.parameters),
            events=len(self.events),
            pivots=p.native.pivots,
            outputs=len(self.outputs),
            given=len(self._steps.direct) if self._steps else 0,
            dropped=len(p.structure.rows) if isinstance(p, RolledProgram) else len(p.elimination.dropped),
            field=len(self.fields),
            judged=len(self.judged),
            kept=implicit.kept(len(p.system.coordinates)) if self.stiff and self.switching is None else 0,
        )

    @property
    def _steps(self) -> NewtonSteps | None:
        return NewtonSteps(self.start, self.parameters) if self.solved else None

    @property
    def plan(self) -> Plan:
        steps, state = self._steps, np.concatenate([self.start.q, self.start.v])
        corrections = self.program.corrections
        return Plan(
            sizes=self.sizes,
            begin=tuple((state if steps is None else steps.begin).tolist()),
            t=self.start.t,
            places=tuple(k for k, _ in steps.direct) if steps else (),
            solved=steps is not None,
            project=(self.project and "positions" in corrections, self.project and "velocities" in corrections),
            events=tuple((event.direction, event.terminal, event.guard) for event in self.events),
            limits=self.limits,
            stretches=self._stretches(),
            levels=self.levels if self.large else None,
        )

    @property
    def levels(self) -> tuple[int, ...]:
        """Those that a start has equations at: what may hold a large motion is none of them."""
        rows = self.program.system.rows
        return tuple(k for k, _ in enumerate(TASKS) if any(row.level <= k for row in rows))

    def _stretches(self) -> tuple[tuple[float, float], ...]:
        """How long steps may be where what depends on time alone limits them; none where it does not."""
        zeros = [event.zero for event in self.events]
        if self.until is None or not terms_of_time(self.program.system, zeros):
            return ()
        from zeromass.integrate.pace import pace  # few systems have such terms

        found = pace(self.program.system, self.start.parameters, self.start.t, self.until, zeros)
        if found is None or not Ahead(found).matters:
            return ()
        return tuple((float(end), float(longest)) for end, longest in found.first)

    def functions(self) -> dict[str, tuple[Groups, Groups]]:
        """Those of the program, by the names that the rest calls; one that there is no need for does nothing."""
        p = self.program
        n = len(p.system.coordinates)
        groups: Groups = [p.inputs[0], p.inputs[1], list(self.parameters)]
        slopes = [*p.system.rates, *p.acceleration]
        nothing = [ZERO] * n
        found: dict[str, tuple[Groups, Groups]] = {
            "rhs": (groups, [slopes, [p.growth], list(p.native.telling)]),
            "event": (groups, [p.zeros(self.events)]),
            "outputs": (groups, [self._sampled()]),
            "dropped_rows": (groups, [self._dropped()]),
            "judged_values": (groups, [list(self.judged)]),
            "field_values": ([groups[0], list(self.place), groups[2]], [list(self.fields)]),
            "given_values": (
                [list(self.parameters)],
                [[value for _, value in self._steps.direct] if self._steps else []],
            ),
        }
        for name in ("positions", "velocities"):
            found[name] = (groups, [list(p.corrections.get(name, nothing))])
        if self._steps is None:
            return found | {f"level{k}": (groups, [nothing]) for k in range(2)}
        return found | self._levels(self._steps)

    def _tangent(self) -> tuple[Groups, Groups]:
        """Entries of the program's tangent that are not constant; see `Native.tangent`."""
        p = self.program
        entries = list(p.tangent[p.native.tangent_entries[1]])
        return [p.inputs[0], p.inputs[1], list(self.parameters)], [entries]

    def _sampled(self) -> list[Expression]:
        """The outputs."""
        return list(self.program.solved(list(self.outputs))) if self.outputs else []

    def _levels(self, steps: NewtonSteps) -> dict[str, tuple[Groups, Groups]]:
        """Newton's steps, with the decisions of the start."""
        first = self.start
        numbers = np.concatenate([[first.t], first.q, first.v, self.values])
        samples = Samples([s for group in steps.inputs for s in group], numbers)
        made: list[dict[str, tuple[Groups, Groups]]] = []

        def derive(decide: Decisions) -> None:
            made.append(steps.functions(decide))

        Tree().at(samples, derive)
        return made[-1]

    def _dropped(self) -> list[Expression]:
        """Of rows of A q̈ = b that were left out: A q̈ − b, then the sum of the sizes of its terms."""
        p = self.program
        rows = list(p.elimination.dropped)
        if not rows:
            return []
        A, b, a = p.system.A[rows], p.system.b[rows], p.system.accelerations
        left, v2 = list(A @ a - b), np.sum(p.system.rates**2)  # terms of b may cancel
        masses = np.sum([abs(x) for x in np.diagonal(p.system.M)])
        forced = (
            ZERO if masses is ZERO else np.sum([abs(x) for x in p.system.Q]) / masses
        )  # what is at rest has rounding
        rounding = ROUNDED * (forced + np.sum([abs(y) for y in a]))  # where others hold accelerations at zero
        terms = [
            np.sum([abs(x * y) + abs(x) * (v2 + rounding) for x, y in zip(row, a, strict=True)]) + abs(c)
            for row, c in zip(A, b, strict=True)
        ]
        return list(p.solved([*left, *terms]))

    def texts(self, target: Target) -> tuple[list[str], tuple[Grid, ...]]:
        """LLVM IR for a target, and the grids whose arrays it reads."""
        if isinstance(self.program, RolledProgram):
            from zeromass.integrate.alone.large import Large  # few programs are

            texts, grids = Large(self, target).texts(self._steps)
        else:
            functions = {name: value for name, value in self.functions().items() if name in FUNCTIONS}
            if self.switching is not None:
                functions |= self.switching.formulas(functions["rhs"][0])
            if self.stiff:
                functions["tangent"] = self._tangent()
            text, grids = text_of(functions, target)
            texts = [text]
        plan, module = self.plan, ir.Module("alone")
        declared(module, plan.sizes)
        tables = {
            "terminal": [float(ends) for _, ends, _ in plan.events] or [0.0],
            "beginning": list(plan.begin),
            "stretches": [x for stretch in plan.stretches for x in stretch] or [0.0],
        }
        for name, values in tables.items():
            table: Any = ir.GlobalVariable(module, ir.ArrayType(DOUBLE, len(values)), name)
            table.initializer, table.global_constant = ir.Constant(table.value_type, values), True
        instead = implicit.INSTEAD if self.stiff and self.switching is None else {}
        if self.switching is not None:
            texts += self.switching.texts(target)
        elif self.stiff:
            texts.append(implicit.written(module, self.program.native.tangent_entries, target))
            Project.emit(module, target)
            implicit.Listed(module, target, plan.sizes)
        else:
            for routine in METHOD:
                routine.emit(module, target)
        for part in self._parts:
            instead.get(part, part)(module, target, plan.sizes)
        for kind in self._planned:
            instead.get(kind, kind)(module, target, plan)
        return [str(module), *texts], grids

    @property
    def _parts(self) -> tuple[type[Part], ...]:
        """Functions that look inside steps."""
        if self.switching is not None:
            return inside.Field, inside.Judge
        return (*inside.ROUTINES, *events.ROUTINES)

    @property
    def _planned(self) -> tuple[type[Planned], ...]:
        """Functions that begin motions and make them."""
        if self.switching is not None:
            return begin.Start, begin.SetOut, begin.Resume, motion.Slope
        return (*begin.ROUTINES, *motion.ROUTINES)
