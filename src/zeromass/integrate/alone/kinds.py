"""A motion that changes its kind and needs no Python: a program for each kind, and what a driver is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from zeromass.compile.program import Program, program_at
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, ExpressionError, Symbol, as_expression, t
from zeromass.expression.build import ZERO
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.settings import Settings
from zeromass.model import State, System
from zeromass.model.changing import Changing

VARIANTS = 4
"""Programs of one kind of motion, with different pivots, at most."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """A motion that begins as one kind and goes on as others, for a driver outside Python.

    start    where it begins
    changing its kinds, and what decides between them
    outputs  what is sampled, whatever its kind
    fields   functions of a place, as of `Alone`
    met      states that such motions come to: where other pivots are better there, there is a program with these too
    """

    start: State
    changing: Changing
    outputs: tuple[Expression, ...]
    until: float
    settings: Settings
    place: tuple[Symbol, ...] = ()
    fields: tuple[Expression, ...] = ()
    met: tuple[State, ...] = ()

    @classmethod
    def of(cls, start: State, outputs: tuple[Expression, ...], until: float, settings: Settings) -> Kinds | None:
        """Those of a system; None where it has one kind, or some that only Python knows."""
        found = start.system.changing() if settings.project and settings.transitions else None
        if found is None or (found.first is None and found.named(start.system) not in found.kinds):
            return None
        if found.first is not None:
            start = found.carried(start, found.first)
        kinds = cls(start, found, outputs, until, settings)
        try:
            for system in found.kinds.values():
                program_at(system, kinds.begun(system))
        except ZeromassError:  # no such state near the start
            return None
        return kinds

    @classmethod
    def of_one(cls, start: State, until: float, settings: Settings) -> Kinds:
        """A motion of one kind, whose pivots change."""
        one = Changing({start.system.kind: start.system}, {start.system.kind: {}}, lambda state, _: state, (), ())
        return cls(start, one, (), until, settings)

    def begun(self, system: System) -> State:
        """The start as one of another kind."""
        return self.every.carried(self.start, system)

    @cached_property
    def every(self) -> Changing:
        """All kinds, those of states that motions come to among them."""
        further = self.changing.further
        return self.changing if further is None else further((self.start, *self.met))

    @property
    def known(self) -> set[str]:
        """Names of what is watched, or told, whatever the kind."""
        return {e.name for system in self.changing.kinds.values() for e in system.events} | {*self.changing.said}

    def residuals(self, system: System) -> list[Expression]:
        """The constraints of positions and of velocities of a kind; as many for all."""
        most = max(len(_zeros(other)) for other in self.every.kinds.values())
        zeros = _zeros(system)
        return [*zeros, *[ZERO] * (most - len(zeros))]

    def programs(self, kind: str) -> list[Program]:
        """Those of a kind: with the pivots that are best at the start, and with others that are best elsewhere.

        None of a kind that there is no motion of near the start.
        """
        system = self.every.kinds[kind]
        try:
            first = program_at(system, self.begun(system))
        except ZeromassError:
            return []
        others = (program_at(state.system, state) for state in self.met if self.every.named(state.system) == kind)
        return list({id(program): program for program in (first, *others)}.values())[:VARIANTS]

    def modules(self) -> list[tuple[Alone, dict[str, Any]]]:
        """The code of each kind, that of the start first, and what the driver is told of it."""
        every, own = self.every, self.every.named(self.start.system)
        order = sorted(every.kinds, key=lambda kind: kind != own)
        found = []
        for kind, program in [(one, program) for one in order for program in self.programs(one)]:
            system, judged = program.system, every.judged[kind]
            begun = self.begun(system)
            alone = Alone(
                program,
                begun,
                tuple(system.events),
                (*[_value(program, e) for e in self.outputs], *self.residuals(system)),
                self.settings.project,
                self.settings.limits,
                self.place if kind == own else every.place,
                self.fields if kind == own else every.fields,
                until=self.until,
                driven=True,
                judged=tuple(program.solved([e for some in judged.values() for e in some])) if judged else (),
                stiff=self.settings.method == "radau",
            )
            places, at = {}, 0
            for name, some in judged.items():
                places[name] = at
                at += len(some)
            found.append((alone, {"kind": kind, "judged": places, "count": at}))
        return found

    def told(self) -> dict[str, Any]:
        """What the driver is told."""
        changing = self.every
        return {
            **changing.more,
            "moved": list(changing.moved),
            "turned": list(changing.turned),
            "beyond": list(changing.beyond),
            "changes": self.settings.limits.changes,
            "growth": self.settings.limits.growth,
        }


def _value(program: Program, e: Expression) -> Expression:
    """An output of one kind of motion; no number where it is none, as friction over the normal force is in flight."""
    try:
        return as_expression(program.solved(e).item())
    except ExpressionError:
        return as_expression((-1 - t**2).sqrt())  # a formula can not have no number in it, only be none


def _zeros(system: System) -> list[Expression]:
    return [zero for level in range(2) for _, zero in system.zeros(level)]
