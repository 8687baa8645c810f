"""A motion that changes its kind and needs no Python: a program for each kind, and what a driver is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from zeromass.compile.program import Program, program_at
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, Symbol, as_expression, rate
from zeromass.expression.build import ZERO
from zeromass.expression.pieces import Switch
from zeromass.integrate.alone.module import Alone, value_of
from zeromass.integrate.settings import Settings
from zeromass.model import Event, State, System
from zeromass.model.changing import Changing

VARIANTS = 4
"""Programs of one kind of motion, with different pivots, at most."""

END = "\0end "
"""What names of switches begin with among the events of a kind whose formulas switch; no user's name does."""


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
    def of_one(cls, start: State, until: float, settings: Settings) -> Kinds:
        """A motion of one kind, whose pivots change."""
        one = Changing({start.system.kind: start.system}, {start.system.kind: {}}, lambda state, _: state, (), ())
        return cls(start, one, (), until, settings)

    def begun(self, system: System) -> State:
        """The start as one of another kind."""
        return self.changing.carried(self.start, system)

    @property
    def known(self) -> set[str]:
        """Names of what is watched, or told, whatever the kind."""
        return {e.name for system in self.changing.kinds.values() for e in system.events} | {*self.changing.said}

    def residuals(self, system: System) -> list[Expression]:
        """The constraints of positions and of velocities of a kind; as many for all."""
        most = max(len(_zeros(other)) for other in self.changing.kinds.values())
        zeros = _zeros(system)
        return [*zeros, *[ZERO] * (most - len(zeros))]

    def programs(self, kind: str) -> list[Program]:
        """Those of a kind: with the pivots that are best at the start, and with others that are best elsewhere.

        None of a kind that there is no motion of near the start.
        """
        system = self.changing.kinds[kind]
        try:
            first = _program(self.begun(system))
        except ZeromassError:
            return []
        others = (_program(state) for state in self.met if self.changing.named(state.system) == kind)
        return list({id(program): program for program in (first, *others)}.values())[:VARIANTS]

    def modules(self) -> list[tuple[Alone, dict[str, Any]]]:
        """The code of each kind, that of the start first, and what the driver is told of it."""
        every, own = self.changing, self.changing.named(self.start.system)
        order = sorted(every.kinds, key=lambda kind: kind != own)
        found = []
        for kind, program in [(one, program) for one in order for program in self.programs(one)]:
            given = every.kinds[kind]
            switches = self._switches(given)
            judged = {name: _smooth(given, some) for name, some in every.judged[kind].items()} | _sides(switches)
            alone = Alone(
                program,
                on_pieces(self.begun(given)),
                (*[_watched(given, event) for event in given.events], *self._ends(given)),
                (*[value_of(program, e) for e in _smooth(given, self.outputs)], *self.residuals(given)),
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
            found.append((alone, {"kind": kind, "judged": places, "count": at, **self._hidden(given, alone)}))
        return found

    def _ends(self, system: System) -> list[Event]:
        """Where switches of the formulas of a kind are reached; with words, where the motion ends there."""
        return [
            Event(f"{END}{k}", switch.leaving[0], direction=-1, message=self.changing.ends(system, switch)[1])
            for k, switch in enumerate(self._switches(system))
        ]

    def _switches(self, system: System) -> list[Switch]:
        """Those of the formulas of a kind, in an order that all kinds have."""
        some = (kind.pieces.switches for kind in self.changing.kinds.values() if kind.pieces is not None)
        order = {switch.g: k for k, switch in enumerate(next(some, ()))}
        return [] if system.pieces is None else sorted(system.pieces.switches, key=lambda switch: order[switch.g])

    def _hidden(self, system: System, alone: Alone) -> dict[str, Any]:
        """Where modes and margins stand among the parameters of a kind, and what happens where its switches are reached."""
        places = {p: k for k, p in enumerate(alone.parameters)}
        switches = self._switches(system)
        found = {
            "modes": [places[switch.mode] for switch in switches],
            "margins": [places[switch.margin] for switch in switches],
            "ends": [f"{END}{k}" for k in range(len(switches))],
            "leaps": [self.changing.ends(system, switch)[0] for switch in switches],
        }
        return found if switches else {}

    def told(self) -> dict[str, Any]:
        """What the driver is told."""
        changing = self.changing
        return {
            **changing.more,
            "moved": list(changing.moved),
            "turned": list(changing.turned),
            "changes": self.settings.limits.changes,
            "growth": self.settings.limits.growth,
            "close": self.settings.limits.close,
        }


def _zeros(system: System) -> list[Expression]:
    smooth = system if system.pieces is None else system.pieces.system
    return [zero for level in range(2) for _, zero in smooth.zeros(level)]


def on_pieces(state: State) -> State:
    """A state on the pieces of the formulas that it lies on, of a system that has any."""
    pieces = state.system.pieces
    if pieces is None:
        return state
    here = pieces.here(state)
    modes = {switch.mode: here.parameters[switch.mode] or 1.0 for switch in pieces.switches}  # on a switch, either
    return replace(here, parameters={**here.parameters, **modes}, made_of=state.made_of)


def _program(state: State) -> Program:
    """That with the pivots which are best at a state."""
    here = on_pieces(state)
    return program_at(here.system, here)


def _smooth(system: System, some: Sequence[Expression]) -> list[Expression]:
    """Expressions as they are on the pieces of a kind's formulas."""
    return list(some) if system.pieces is None or not some else list(system.pieces.smooth(list(some)).ravel())


def _watched(system: System, event: Event) -> Event:
    return event if system.pieces is None else replace(event, zero=_smooth(system, [event.zero])[0])


def _sides(switches: Sequence[Switch]) -> dict[str, list[Expression]]:
    """What tells on which pieces of its formulas a kind is: the switching functions, and their rates."""
    g = [switch.g for switch in switches]
    return {"sides": g, "turning": [as_expression(rate(e)) for e in g]} if g else {}
