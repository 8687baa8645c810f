"""The program of a large system: its code is rolled, and there are no formulas of its acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np

from zeromass.compile.elimination import Elimination
from zeromass.compile.native import Native
from zeromass.compile.outline import Outline
from zeromass.compile.program import Program
from zeromass.compile.rolled.elements import unsupported
from zeromass.compile.rolled.native import RolledNative
from zeromass.compile.rolled.structure import Structure
from zeromass.expression import Expression, Symbol, expressions, symbols
from zeromass.expression.node import undisturbed
from zeromass.frozen import frozen
from zeromass.model import Event, ModelError, State, System
from zeromass.model.large_pieces import with_holds
from zeromass.model.shared import warn_of_shared


@frozen()
class RolledProgram(Program):
    """Equations of motion of a large system, eliminated by kinds of its parts, constraints and forces.

    structure  order of elimination and what is locked: weights, and rows that are left out
    """

    structure: Structure = field(default=cast(Structure, None), repr=False)
    made_at: State = field(default=cast(State, None), repr=False)

    def __repr__(self) -> str:
        kept, rows = len(self.elimination.kept), len(self.system.rows)
        kinds = len(self.structure.kinds)
        return (
            f"Program({len(self.system.coordinates)} coordinates, {kept} of {rows} constraint rows kept, "
            f"rolled: {kinds} kinds)"
        )

    def at(self, state: State) -> RolledProgram:
        """This program, if it drops no rows; else that of the state, which may need them."""
        return self if not self.elimination.dropped else rolled_at(self.system, state)

    @property
    def code(self) -> Literal["straight-line", "rolled"]:
        return "rolled"

    def __getstate__(self) -> Any:
        return self.system, self.made_at

    def __setstate__(self, state: Any) -> None:
        system, made_at = state
        made = rolled_at(system, made_at)
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, getattr(made, name))

    @property
    def acceleration(self) -> tuple[Expression, ...]:
        raise ModelError(self._refusal("the formula of each acceleration"))

    @property
    def multipliers(self) -> tuple[Expression, ...]:
        raise ModelError(self._refusal("the formula of each multiplier"))

    @cached_property
    def growth(self) -> Expression:
        raise ModelError(self._refusal("the formula of its growth"))

    @cached_property
    def tangent(self) -> np.ndarray:
        raise ModelError(self._refusal("the formula of each entry of its tangent"))

    @cached_property
    def outline(self) -> Outline:
        """What is known of it without its formulas; operations about: of elements and of fronts."""
        e, rows = self.elimination, self.system.rows
        telling = sum(rows[i].level < 2 for i in e.pivots)
        return Outline(self.structure.operations, len(e.kept), telling, tuple(self.corrections), followed=False)

    def _refusal(self, what: str) -> str:
        return (
            f"{what} is not written out: the system has {len(self.system.coordinates)} coordinates, and its code is "
            "rolled. Ask a run, run[…], or take fewer parts"
        )

    def solved(self, e: Any) -> np.ndarray:
        """Expressions without accelerations and multipliers, which can not be replaced by formulas here."""
        e = expressions(e)
        unknown = [leaf for leaf in symbols(e) if leaf.order == 2 or leaf.kind == "multiplier"]
        if unknown:
            raise ModelError(self._refusal(f"'{unknown[0]!r}', which follows from the motion,"))
        return e

    def zeros(self, events: Sequence[Event]) -> list[Expression]:
        """The functions of events; those of a large system depend on state and time alone."""
        return list(self.solved(self.stated(events))) if events else []

    def anew(self, state: State) -> Program:
        """The program with the order and the weights that are best at another state, of the same rows."""
        return rolled_at(self.system, state, self.elimination.dropped)

    @cached_property
    def native(self) -> Native:
        """The program as machine code of this computer."""
        return cast(Native, RolledNative(self, self.structure))


@undisturbed
def rolled_at(system: System, state: State, locked: tuple[int, ...] | None = None) -> RolledProgram:
    """The program of a large system, with what is decided at a state; `locked` rows are left out, if that is known."""
    known: dict[Any, RolledProgram] = state.memory.setdefault("rolled", {})
    if locked not in known:
        y = np.concatenate([state.q, state.v])
        whole = with_holds(system)
        structure = Structure(whole, state.t, y, _values(state), dropped=locked)
        dropped = structure.dropped
        gone = set(dropped)
        kept = tuple(i for i in range(len(system.rows)) if i not in gone)
        levels = {row.level for row in whole.rows}
        names = [name for k, name in enumerate(("positions", "velocities")) if any(level <= k for level in levels)]
        known[locked] = RolledProgram(
            system,
            Elimination((), (), (), {}, kept, tuple(dropped)),
            dict.fromkeys(names, ()),
            structure=structure,
            made_at=state,
        )
    return known[locked]


def solution_at(state: State, e: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Accelerations and multipliers of a large system at a state, for expressions e; None where its code is not rolled."""
    if not can_roll(state.system):
        return None
    program = rolled_at(state.system, state)
    check_told(program, symbols(e))
    if program.structure.undetermined:
        raise ModelError(
            f"the motion is not determined at t = {state.t:g} s: nothing gives '{program.structure.undetermined[0]}' mass"
        )
    native = cast(RolledNative, program.native)
    if program.structure.dropped:
        *_, left, sizes = program.structure.residual(native.machine("motion", 1), state)
        if names := program.structure.contradicting(state, left, sizes):
            raise ModelError(
                f"the motion is inconsistent at t = {state.t:g} s: the constraint '{names[0]}' contradicts others, which it "
                "depends on; system.check(state) says which"
            )
    if groups := sharing(program, e, state.inputs):
        warn_of_shared(groups)
    return native.accelerations(state.inputs[None])[0], native.multipliers(state.inputs[None])[0]


def check_told(program: Program, leaves: Sequence[Symbol]) -> None:
    """That multipliers of a large system are among those that its code computes."""
    from zeromass.compile.rolled.sharing import MOST

    asked = {leaf.name for leaf in leaves if leaf.kind == "multiplier"}
    if not asked:
        return
    if len(program.elimination.dropped) > MOST:
        raise ModelError(
            f"{len(program.elimination.dropped)} constraint rows of this large system repeat others, and how they share a "
            f"force is computed for at most {MOST}; leave some of them out of the model to ask for forces"
        )
    rows, absorbed = program.system.rows, cast(RolledProgram, program).structure.elements.absorbed
    units = {f"λ {rows[i].name}" for i in absorbed}
    if not asked.isdisjoint(units):
        raise ModelError(
            f"'{min(asked & units)}' is not computed of a large system, whose bodies turn without it; ask for the forces of "
            "joints"
        )


def sharing(program: Program, e: np.ndarray, inputs: np.ndarray) -> list[str]:
    """Names of constraints that share forces in expressions e of a large system, at numbers of `system.inputs`."""
    check_told(program, symbols(e))
    if not program.elimination.dropped or not any(leaf.kind == "multiplier" for leaf in symbols(e)):
        return []
    native = cast(RolledNative, program.native)
    return native.sharing.groups(e, inputs, native.accelerations(inputs[None])[0], native.multipliers(inputs[None])[0])


def _values(state: State) -> np.ndarray:
    return np.array([state.parameters[p] for p in state.system.parameters], dtype=float)


def can_roll(system: System) -> bool:
    """Whether the code of a system is rolled: it is large, and made of parts, constraints and forces alone."""
    memory = system.memory
    if "rolls" not in memory:
        memory["rolls"] = system.large and unsupported(system) is None
    return memory["rolls"]
