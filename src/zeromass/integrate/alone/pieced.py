"""A motion over switches that needs no Python: its programs, and what a driver is told of the switches.

Modes are parameters, so that one program serves all of them; where masses or constraints switch, its pivots may be others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np

from zeromass.compile.newton import NewtonSteps
from zeromass.compile.program import Program, program_at
from zeromass.equation import Verdict
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, Symbol, as_expression, expressions, jacobian, symbols, t
from zeromass.expression.build import ZERO
from zeromass.expression.pieces import Switch, switches
from zeromass.integrate.ahead import zeros_of_time
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.hybrid.endings import WORDS
from zeromass.integrate.hybrid.export import DriverModule
from zeromass.integrate.hybrid.guard_functions import GuardFunctions
from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.terms import terms_of_time
from zeromass.model import Event, ModelError, State
from zeromass.model.pieces import SystemPieces
from zeromass.model.unilateral import CONTACT_MODES, Unilateral

VARIANTS = 8
"""Programs with other pivots at most, where masses or constraints switch."""

SIDES = 4
"""Switches of masses and constraints all of whose combinations of sides are tried."""


@dataclass(frozen=True, eq=False)
class Pieced:
    """A motion of a system with switches, for a driver outside Python.

    start    where it begins, of the system as it was given
    sliders  parameters whose values will change
    met      states on pieces that such motions come to: pivots are chosen there
    """

    start: State
    events: tuple[Event, ...]
    outputs: tuple[Expression, ...]
    until: float
    settings: Settings
    sliders: Collection[Symbol] = ()
    place: tuple[Symbol, ...] = ()
    fields: tuple[Expression, ...] = ()
    met: tuple[State, ...] = ()

    @cached_property
    def pieces(self) -> SystemPieces:
        """Those of the system; of one without switches, one piece, whose pivots may change on the way."""
        system = self.start.system
        return SystemPieces(system) if system.pieces is None else system.pieces

    @cached_property
    def moving(self) -> State:
        """The start on the pieces, with what it was made of."""
        here = self.pieces.state(self.start, self._begun)
        return replace(here, made_of=self.start.made_of)

    @property
    def _begun(self) -> Mapping[Symbol, float]:
        """Modes of the start; any will do where masses and constraints do not depend on them."""
        if not self.structural:
            return {}
        table = TimeEvents(self.pieces, self.start, self.until, [event.zero for event in self.events])
        return ModeSelector(self.pieces, 1.0, 1).begin(self.start, table.modes(0)).modes

    @cached_property
    def structural(self) -> list[int]:
        """Switches that masses or constraints depend on."""
        if self.pieces.in_forces:
            return []
        system = self.pieces.system
        zeros = [row.zero for row in system.rows]
        fixed = {*symbols(system.M, system.A, system.b, system.velocity_constraints, zeros)}
        return [k for k, switch in enumerate(self.pieces.switches) if switch.mode in fixed]

    def check(self) -> None:
        """That a driver outside Python can go over the switches; an error that says why not."""
        pieces = self.pieces
        said = [f"'{switch.said!r}'" for switch in pieces.switches]
        if pieces.of_force and program_at(pieces.system, self.moving).elimination.dropped:
            raise ModelError(f"{said[pieces.of_force[0]]} depends on forces that redundant constraints share")
        for k in self._turning:
            moved = [p.name for p in symbols(pieces.switches[k].plain) if p in self.sliders]
            if moved and _phase(pieces.switches[k]) is None:
                raise ModelError(
                    f"{moved[0]} stands in {said[k]}, a switch of time alone whose times a page does not find anew"
                )
        if (
            not pieces.in_forces
            and self.settings.method == "radau"
            and program_at(pieces.system, self.moving).native.products is not None
        ):
            raise ModelError(
                "formulas for the tangent are too long, and a page makes it in no other way; leave method=… out"
            )
        modes = {switch.mode for switch in pieces.switches}
        if any(not modes.isdisjoint(symbols(term.u)) for term in terms_of_time(pieces.system)) and self._paced():
            raise ModelError(
                "a formula of time alone that switches limits the steps of a run, and a page does not know when"
            )

    def _paced(self) -> bool:
        from zeromass.integrate.pace import pace

        sides = [switch.mode for switch in self.pieces.switches if switch.kind == "side"][:SIDES]
        for values in product((1.0, -1.0), repeat=len(sides)):
            known = {**self.moving.parameters, **dict(zip(sides, values, strict=True))}
            found = pace(self.pieces.system, known, self.start.t, self.until)
            if found is not None and Ahead(found).matters:
                return True
        return False

    # programs -----------------------------------------------------------------------------------------------------------
    def _sides(self) -> list[State]:
        """States on the pieces of masses and constraints: the start, those that motions come to, and the start elsewhere."""
        switches = [self.pieces.switches[k] for k in self.structural]
        sides = [switch.mode for switch in switches if switch.kind == "side"][:SIDES]
        others = [
            replace(self.moving, parameters={**self.moving.parameters, **dict(zip(sides, values, strict=True))})
            for values in product((1.0, -1.0), repeat=len(sides))
        ]
        found: dict[tuple[float, ...], State] = {}
        for here in (self.moving, *self.met, *others):
            found.setdefault(tuple(here.parameters[switch.mode] for switch in switches), here)
        return list(found.values())

    def variants(self) -> list[tuple[Program, list[list[float]]]]:
        """Programs for all pieces of masses and constraints, and the modes that each is good for.

        Where none of these switches, programs with the pivots that are best at the start and elsewhere, for all modes.
        """
        system = self.pieces.system
        if not self.structural:
            met = [here if here.system is system else self.pieces.state(here, {}) for here in self.met]
            programs = [program_at(system, here) for here in (self.moving, *met)]
            return [(program, [[]]) for program in {id(one): one for one in programs}.values()][:VARIANTS]
        found: dict[int, tuple[Program, list[list[float]]]] = {}
        for here in self._sides():
            try:
                if here.verdict is not Verdict.UNIQUE:
                    continue
                program = program_at(system, here)
            except ZeromassError:  # no motion on such pieces there
                continue
            modes = [here.parameters[self.pieces.switches[k].mode] for k in self.structural]
            found.setdefault(id(program), (program, []))[1].append(modes)
        return list(found.values())[:VARIANTS]

    def modules(self) -> list[tuple[Alone, dict[str, Any]]]:
        """The code of each program with the driver, and what whoever runs it is told of it."""
        return [self._module(program, pieces) for program, pieces in self.variants()]

    def _module(self, program: Program, modes: list[list[float]]) -> tuple[Alone, dict[str, Any]]:
        """The code of a program that is good for some modes of masses and constraints."""
        pieces, settings = self.pieces, self.settings
        driver = Driver(GuardFunctions(pieces, self.events, 1.0), settings, program)
        table = TimeEvents(pieces, self.start, self.until, [event.zero for event in self.events])
        driver.begin(self.moving, self.until, table, lambda: inf)
        turns = [self.start.turns.get(switch.mode, nan) for switch in pieces.switches]
        timed = [pieces.switches[k].plain for k in pieces.of_time]
        phases = [ZERO if (e := _phase(pieces.switches[k])) is None else e for k in pieces.of_time]
        depths = [_depth(one) for one in pieces.unilaterals]
        conditions = pieces.smooth([e for e, _ in self._conditions]).ravel().tolist() if self._conditions else []
        alone = Alone(
            program,
            self.moving,
            driver.events,
            tuple(expressions(pieces.acting(list(self.outputs)) if self.outputs else []).ravel()),
            settings.project,
            settings.limits,
            self.place,
            self.fields,
            judged=(*timed, *phases, *depths, *conditions),
            stiff=settings.method == "radau",
            switching=DriverModule(driver, np.array(turns)),
        )
        count = 2 * len(timed) + len(depths)
        judged = {"timed": 0, "phases": len(timed), "depths": 2 * len(timed), "conditions": count}
        return alone, {"pieces": modes, "judged": judged, "count": count + len(conditions)}

    @cached_property
    def _conditions(self) -> list[tuple[Expression, str]]:
        """Not negative, or no start as this one is found with other values; and what is said then."""
        given, made_of = self.pieces.given, self.start.made_of
        if not NewtonSteps.possible(self.moving) or made_of is None:
            return []
        return [*made_of.conditions, *[(e, given.wrong_side) for e in given.facing]]

    # what is told -------------------------------------------------------------------------------------------------------
    def told(self) -> dict[str, Any]:
        """What whoever runs the modules is told of the switches."""
        pieces = self.pieces
        return {
            "switches": [{"kind": switch.kind, "said": pieces.told(k)} for k, switch in enumerate(pieces.switches)],
            "hidden": len(pieces.given.parameters),
            "structural": self.structural,
            "timetable": self._timetable(),
            "limits": {"changes": self.settings.limits.changes, "stalled": self.settings.limits.stalled},
            "held": self._flags(),
            "contacts": self._contacts(),
            "kinds": [[[*wanted.items()], word] for wanted, word in pieces.given.mode_words],
            "conditions": [words for _, words in self._conditions],
            "words": WORDS,
        }

    def _contacts(self) -> list[dict[str, Any]]:
        """Of each contact its name, the places of its modes, and what results tell of these and of their changes."""
        pieces = self.pieces
        places = {p: i for i, p in enumerate(pieces.system.parameters[len(pieces.given.parameters) :])}
        return [
            {
                "said": pieces.told(len(pieces.switches) + k),
                "flags": [places[flag] for flag in one.modes],
                "called": {mode: one.called(mode) for mode in CONTACT_MODES},
                "happens": {
                    before: {
                        after: [one.happening(before, after, struck) for struck in (False, True)]
                        for after in CONTACT_MODES
                    }
                    for before in CONTACT_MODES
                },
                "impulses": [one.name] if one.scalar else one.impulse_names,
                "inside": one.inside.replace("{name}", one.name),
            }
            for k, one in enumerate(pieces.unilaterals)
        ]

    def _flags(self) -> list[list[int]]:
        """Of each switch that may hold the motion its number, and the place of its flag behind modes and margins."""
        pieces = self.pieces
        first = len(pieces.given.parameters) + 2 * len(pieces.switches)
        flags = {p: i for i, p in enumerate(pieces.system.parameters[first:])}
        numbers = {switch.mode: k for k, switch in enumerate(pieces.switches)}
        return [[numbers[mode], flags[held.flag]] for mode, held in pieces.held.items()]

    @property
    def _turning(self) -> list[int]:
        """Switches of time that are felt, or at which others are."""
        if not self.pieces.of_time:
            return []
        felt = self.pieces.felt([event.zero for event in self.events])
        own = [k for k in self.pieces.of_time if self.pieces.switches[k].mode in felt]
        return sorted({*own, *self.pieces.resting})

    def _timetable(self) -> dict[str, Any]:
        """Times and modes of switches of time alone, where no slider changes them; else what tells the times."""
        pieces, zeros = self.pieces, [event.zero for event in self.events]
        table = TimeEvents(pieces, self.start, self.until, zeros)
        moved = [k for k in self._turning if any(p in self.sliders for p in symbols(pieces.switches[k].plain))]
        if not moved:
            modes = [table.modes(place) for place in range(len(table.times) + 1)]
            rows = [[row[pieces.switches[k].mode] for k in table.switches] for row in modes]
            return {"switches": list(table.switches), "times": table.times.tolist(), "modes": rows}
        known = {}
        values = {p: self.start.parameters[p] for p in pieces.given.parameters}
        for k in self._turning:
            if k not in moved:
                switch = pieces.switches[k]
                g = switch.plain if switch.kind == "side" else (3.141592653589793 * switch.plain).sin()
                known[k] = zeros_of_time(g, self.start.t, self.until, values).tolist()
        linear = [[k, _whole(pieces.switches[k])] for k in moved]
        return {"switches": list(table.switches), "linear": linear, "known": known, "of_time": list(pieces.of_time)}


def _depth(one: Unilateral) -> Expression:
    """How deep a start is inside, where its gap is negative, m."""
    return ZERO if one.gap is None else as_expression(-one.gap) if one.depth is None else one.depth


def _phase(switch: Switch) -> Expression | None:
    """What of a switch of time alone is a + b t, and zero where it switches, or a whole number; None of others.

    Of sin(ω t) it is ω t/π, so that the times are known for any ω.
    """
    g, shift = _wave(switch)
    inside = g if shift is None else as_expression(g.args[0] / np.pi - shift)
    return inside if not switches([inside]) and t not in symbols(jacobian([inside], [t])) else None


def _whole(switch: Switch) -> bool:
    """Whether a switch of time alone is at all whole numbers of its phase."""
    return switch.kind == "whole" or _wave(switch)[1] is not None


def _wave(switch: Switch) -> tuple[Expression, float | None]:
    """The function of a switch without its sign, and how far its zeros are before whole numbers of its angle over π."""
    g = switch.plain
    while g.op == "negative" and switch.kind == "side":
        (g,) = g.args
    return g, {"sin": 0.0, "cos": 0.5}.get(g.op) if switch.kind == "side" else None
