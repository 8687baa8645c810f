"""A large program as code that needs no Python: its machines with their tables, and the functions that a motion calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.compile.module import Groups, text_of
from zeromass.compile.newton import NewtonSteps
from zeromass.compile.rolled.elsewhere import Elsewhere
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.plan import Plan
from zeromass.compile.rolled.program import RolledProgram
from zeromass.compile.rolled.start import TASKS, LevelEquations
from zeromass.compile.rolled.watching import check_following
from zeromass.expression import Expression, Symbol, as_expression, expressions, symbols
from zeromass.expression.grid import Grid
from zeromass.integrate.alone.large_start import Decided, DroppedRows, Level, Off, Solve
from zeromass.integrate.alone.large_switches import LargeSwitchCode
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.integrate.alone.module import Alone

Functions = dict[str, tuple[Groups, Groups]]


class Large:
    """The functions of a large program for a target, by the names that a motion calls; see `FUNCTIONS`."""

    def __init__(self, alone: Alone, target: Target) -> None:
        assert isinstance(alone.program, RolledProgram)
        self._alone, self._program, self._target = alone, alone.program, target
        self._structure = alone.program.structure
        self._within = Elsewhere(target)
        self._motion = self._machine("motion", told=True)
        self._telling = self._motion.plan.copy()
        self._motion.plan[Plan.told_count] = 0
        n, rows = len(self._program.system.coordinates), len(self._structure.system.rows)
        self._followed: np.ndarray = np.zeros(2 * n + rows)
        """q̇, q̈ and λ."""
        self._back: dict[str, Machine] = {
            task: self._machine(task) for task in TASKS if task in self._program.corrections
        }
        self._switches: LargeSwitchCode | None = None
        if alone.switching is not None:
            made = self._structure, target.scalar, self._within, self._motion, self._telling
            self._switches = LargeSwitchCode(alone.switching, *made)

    def _machine(self, task: str, *, told: bool = False) -> Machine:
        return self._structure.machine(task, 1, told=told, target=self._target.scalar, within=self._within)

    def texts(self, steps: NewtonSteps | None) -> tuple[list[str], tuple[Grid, ...]]:
        """LLVM IR, and the grids whose arrays it reads."""
        formulas, followed = self._formulas(steps)
        straight, grids = text_of(formulas, self._target)
        entrances = self._entrances(followed)
        module = ir.Module("large")
        self._begin(module, steps)
        if self._switches is not None:
            self._switches.write(module)
        rolled, more = self._within.text()
        return [straight, rolled + entrances, str(module)], (*grids, *more)

    # formulas --------------------------------------------------------------------------------------------------------
    def _formulas(self, steps: NewtonSteps | None) -> tuple[Functions, dict[str, int]]:
        """Functions of formulas, and of those for which the motion is evaluated first how many arrays they write."""
        alone, system = self._alone, self._program.system
        groups: Groups = [*self._program.inputs[:2], list(alone.parameters)]
        found: Functions = {
            "field_values": ([groups[0], list(alone.place), groups[2]], [list(alone.fields)]),
            "given_values": ([groups[2]], [[value for _, value in steps.direct] if steps else []]),
        }
        events = alone.events if self._switches is None else [alone.events[k] for k in self._switches.others]
        asked: Functions = {
            "event": (groups, [[self._stated(event) for event in events]]),
            "outputs": (groups, [list(alone.outputs)]),
            "judged_values": (groups, [list(alone.judged)]),
        }
        if alone.switching is not None:
            asked |= alone.switching.formulas(groups)
        followed = {}
        for name, (_, some) in asked.items():
            e = expressions([one for group in some for one in group])
            own = name == "event" and self._switches is not None
            if own or any(leaf.order == 2 or leaf.kind == "multiplier" for leaf in symbols(e)):
                given = e[[self._holding.isdisjoint(symbols(one)) for one in e]]
                if any(leaf.kind == "multiplier" for leaf in symbols(given)):
                    check_following(given, self._program)
                if not own:
                    followed[name] = len(some)
                more = [list(system.accelerations), list(self._structure.system.multipliers)]
                found[f"{name}_inside"] = ([*groups, *more], some)
            else:
                found[name] = (groups, some)
        return found, followed

    def _stated(self, event: Event) -> Expression:
        """The function of an event; what holds the motion is known to the structure alone."""
        zero = as_expression(event.zero)
        return self._program.stated([event])[0] if self._holding.isdisjoint(symbols(zero)) else zero

    @cached_property
    def _holding(self) -> frozenset[Symbol]:
        """Multipliers of what holds the motion."""
        return frozenset(self._structure.system.multipliers[len(self._program.system.rows) :])

    def _entrances(self, followed: Mapping[str, int]) -> str:
        """Functions that call the loops, with what they are told."""
        n, result = len(self._program.system.coordinates), self._within.name(self._followed)
        motion, telling = self._within.name(self._motion.values), self._within.name(self._telling)
        texts = [_RHS.format(plan=self._within.name(self._motion.plan), values=motion)]
        for task in TASKS:
            machine = self._back.get(task)
            call = (
                ""
                if machine is None
                else _CALL.format(
                    plan=self._within.name(machine.plan), values=self._within.name(machine.values), result="%s"
                )
            )
            texts.append(_OTHER.format(name=task, more="", calls=call))
        for name, count in followed.items():
            call = _CALL.format(plan=telling, values=motion, result=f"@{result}")
            more = "".join(f", ptr %s{k}" for k in range(1, count))
            texts.append(f"declare void @{name}_inside({', '.join(['ptr'] * (5 + count))})")
            inside = _INSIDE.format(name=name, more=more, result=result, a=n, λ=2 * n)
            texts.append(_OTHER.format(name=name, more=more, calls=call + inside))
        return "\n".join(texts)

    # the start -------------------------------------------------------------------------------------------------------
    def _begin(self, module: ir.Module, steps: NewtonSteps | None) -> None:
        structure, target, within = self._structure, self._target, self._within
        masks = [(m, structure.determined(int(task == "velocities")).astype(float)) for task, m in self._back.items()]
        Decided(module, target, within, self._motion, masks, structure.levels)
        DroppedRows(module, target, within, self._motion, structure.row_unknowns, self._followed)
        if steps is None:
            return
        first, n = steps.first, len(self._program.system.coordinates)
        values = np.array([first.parameters[p] for p in self._program.system.parameters], dtype=float)
        y = np.concatenate([first.q, first.v])
        fixed = np.zeros(2 * n, dtype=bool)
        fixed[[place for place, _ in steps.direct]] = True
        for level, task in enumerate(TASKS):
            if level in self._alone.levels:
                part = fixed[level * n : (level + 1) * n]
                made = Level(LevelEquations(self._program.system, task, first.t, y, values, part), target, within)
                Off(module, target, within, made)
                Solve(module, target, within, made)


_RHS = """
define void @rhs(ptr %t, ptr %y, ptr %p, ptr %s, ptr %g, ptr %v) {{
  call void @evaluate(ptr @{plan}, ptr @{values}, ptr %t, ptr %y, ptr %p, ptr %s, ptr %g)
  ret void
}}
"""

_OTHER = """
define void @{name}(ptr %t, ptr %y, ptr %p, ptr %s{more}) {{
  %g = alloca double
{calls}  ret void
}}
"""

_CALL = "  call void @evaluate(ptr @{plan}, ptr @{values}, ptr %t, ptr %y, ptr %p, ptr {result}, ptr %g)\n"

_INSIDE = """  %a = getelementptr double, ptr @{result}, i32 {a}
  %l = getelementptr double, ptr @{result}, i32 {λ}
  call void @{name}_inside(ptr %t, ptr %y, ptr %p, ptr %a, ptr %l, ptr %s{more})
"""
