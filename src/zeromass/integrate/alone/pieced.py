"""A motion over switches that needs no Python: its programs, and what a driver is told of the switches.

Modes are parameters, so that one program serves all of them; where masses or constraints switch, its pivots may be others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf
from typing import Any

from zeromass.compile.program import Program, program_at
from zeromass.equation import Verdict
from zeromass.errors import ZeromassError
from zeromass.expression import Expression, Symbol, expressions, symbols
from zeromass.expression.build import ZERO
from zeromass.integrate.ahead import zeros_of_time
from zeromass.integrate.alone.holding import check_sliding, flags_of
from zeromass.integrate.alone.judging import INNER, Judging, phase, whole
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.alone.shocks import Shocks
from zeromass.integrate.deciding import Deciding
from zeromass.integrate.hybrid.export import DriverModule
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.piecewise import HOLD, LOW, SWITCH, LookedAt, place_of
from zeromass.integrate.reaching import Reaching
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.terms import terms_of_time
from zeromass.integrate.timetable import Timetable
from zeromass.model import Event, ModelError, State
from zeromass.model.pieces import SystemPieces

VARIANTS = 8
"""Programs with other pivots at most, where masses or constraints switch."""

SIDES = 4
"""Switches of masses and constraints all of whose combinations of sides are tried."""


@dataclass(frozen=True, eq=False)
class Pieced:
    """A motion of a system with switches, for a driver outside Python.

    start    where it begins, of the system as it was given
    sliders  parameters whose values will change
    met      states on pieces that such motions come to: pivots are chosen there, where masses or constraints switch
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

    @property
    def pieces(self) -> SystemPieces:
        assert self.start.system.pieces is not None
        return self.start.system.pieces

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
        table = Timetable(self.pieces, self.start, self.until, [event.zero for event in self.events])
        return Deciding(self.pieces, 1.0, 1).begin(self.start, table.modes(0)).modes

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
        kinds = {switch.mode: switch.kind for switch in pieces.switches}
        for k, inner in enumerate(pieces.inner):
            deep = len(inner) > INNER or any(kinds[mode] != "side" for mode in inner)
            if deep and k not in pieces.of_time:
                raise ModelError(f"{said[k]} depends on too many other switches, or on whole numbers, for a page")
        if pieces.of_force and program_at(pieces.system, self.moving).elimination.dropped:
            raise ModelError(f"{said[pieces.of_force[0]]} depends on forces that redundant constraints share")
        for k in self._turning:
            moved = [p.name for p in symbols(pieces.switches[k].plain) if p in self.sliders]
            if moved and phase(pieces.switches[k]) is None:
                raise ModelError(
                    f"{moved[0]} stands in {said[k]}, a switch of time alone whose times a page does not find anew"
                )
        if pieces.in_forces:
            check_sliding(pieces)
        modes = set(kinds)
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
        """Programs for all pieces of masses and constraints, and the modes that each is good for."""
        system = self.pieces.system
        if not self.structural:
            return [(program_at(system, self.moving), [[]])]
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

    def driven(self) -> tuple[Alone, dict[str, Any]] | None:
        """The code with the driver that Python has, and where in it functions of time stand; None if it does not serve."""
        pieces, settings, system = self.pieces, self.settings, self.pieces.system
        turns = any(switch.kind == "turn" for switch in pieces.switches)
        if turns or settings.method != "dop853" or not Driver.serves(pieces, settings, self.events):
            return None
        program = program_at(system, self.moving)
        driver = Driver(Reaching(Deciding(pieces, 1.0, 1), settings, self.events, self.until), program)
        table = Timetable(pieces, self.start, self.until, [event.zero for event in self.events])
        driver.begin(self.moving, self.until, table, lambda: inf)
        timed = [pieces.switches[k].plain for k in pieces.of_time]
        phases = [ZERO if (e := phase(pieces.switches[k])) is None else e for k in pieces.of_time]
        alone = Alone(
            program,
            self.moving,
            driver.events,
            tuple(expressions(pieces.acting(list(self.outputs)) if self.outputs else []).ravel()),
            settings.project,
            settings.limits,
            self.place,
            self.fields,
            directions=tuple(int(d) for d in LookedAt(driver.events).directions),
            judged=(*timed, *phases),
            switching=DriverModule(driver),
        )
        return alone, {"judged": {"timed": 0, "phases": len(timed)}, "count": 2 * len(timed)}

    def modules(self) -> list[tuple[Alone, dict[str, Any]]]:
        """The code of each program, for all modes, and what the driver is told of it."""
        reaching = Reaching(Deciding(self.pieces, 1.0, 1), self.settings, self.events, self.until)
        shocks = Shocks(self.pieces) if self.structural else None
        watched, outputs = reaching.watched, self.pieces.acting(list(self.outputs)) if self.outputs else expressions([])
        looked = LookedAt(watched)
        followed = [event.zero for event in watched if not event.name.startswith((LOW, HOLD))]
        found = []
        for program, pieces in self.variants():
            judging = Judging(self.pieces, program)
            alone = Alone(
                program,
                self.moving,
                watched,
                tuple(expressions(outputs).ravel()),
                self.settings.project,
                self.settings.limits,
                self.place,
                self.fields,
                self.until,
                driven=True,
                followed=tuple(followed),
                directions=tuple(int(d) for d in looked.directions),
                judged=tuple(e for by in (judging, shocks) if by for part in by.parts.values() for e in part),
                deeper=tuple(e for some in judging.deeper.values() for e in some.values()),
                stiff=self.settings.method == "radau",
            )
            told = {
                "pieces": pieces,
                "watched": [_told(event) for event in watched],
                "bent": self._bent(reaching, program, [event.name for event in watched]),
            }
            found.append((alone, told | _judged(judging, shocks)))
        return found

    def _bent(self, reaching: Reaching, program: Program, names: list[str]) -> list[int]:
        """Places of what falls through zero where a motion leaves a piece, as far as it may do so unseen."""
        if not self.pieces.in_forces:
            return [names.index(name) for name in reaching.unseen(program)]
        own = [k for k in self.pieces.bent if k not in self.pieces.of_time and self.pieces.switches[k].kind != "turn"]
        switches = [i for i, name in enumerate(names) if name.startswith(SWITCH) and place_of(name)[0] in own]
        return [*switches, *[i for i, name in enumerate(names) if name.startswith(HOLD)]]

    # what is told -------------------------------------------------------------------------------------------------------
    def told(self) -> dict[str, Any]:
        """What the driver is told of the switches."""
        pieces, system, limits = self.pieces, self.pieces.system, self.settings.limits
        fixed = set() if pieces.in_forces else {*symbols(system.M, system.A, system.b, system.velocity_constraints)}
        modes = {switch.mode: k for k, switch in enumerate(pieces.switches)}
        energies = pieces.energies[0]
        return {
            "switches": [
                {
                    "kind": switch.kind,
                    "said": pieces.told(k),
                    "time": k in pieces.of_time,
                    "force": k in pieces.of_force,
                    "rates": pieces.of_rates[k],
                    "place": pieces.of_place[k],
                    "energy": k in pieces.parts["energies"],
                    "constraint": k in pieces.parts["constraints"],
                    "mass": k in pieces.parts["masses"],
                    "slides": switch.mode not in fixed,
                    "modes": [modes[leaf] for leaf in symbols(switch.g) if leaf in modes],
                    "turn": self.start.turns.get(switch.mode),
                }
                for k, switch in enumerate(pieces.switches)
            ],
            "hidden": len(pieces.given.parameters),
            "structural": self.structural,
            "begins": [self.moving.parameters[switch.mode] for switch in pieces.switches],
            "rows": Shocks(pieces).rows(),
            "nested": pieces.nested,
            "timeless": pieces.timeless,
            "timetable": self._timetable(),
            "energies": {"all": energies.index("energy") if "energy" in energies else 0}
            | {"steps": energies.index("potential" if "potential" in energies else "energy") if energies else 0},
            "limits": {"changes": limits.changes, "stalled": limits.stalled},
            "large": pieces.in_forces,
            "held": flags_of(pieces),
        }

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
        table = Timetable(pieces, self.start, self.until, zeros)
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
        linear = [[k, whole(pieces.switches[k])] for k in moved]
        return {"switches": list(table.switches), "linear": linear, "known": known, "of_time": list(pieces.of_time)}


def _judged(judging: Judging, shocks: Shocks | None) -> dict[str, Any]:
    """Where what is judged stands, and what tells whether something jumps."""
    told = judging.told()
    if shocks is None:
        return told
    return told | {"judged": told["judged"] | shocks.told(told["count"]), "count": told["count"] + shocks.count}


def _told(event: Event) -> dict[str, Any]:
    """What is watched, as the driver reads it."""
    own = {SWITCH: "switch", LOW: "low", HOLD: "hold"}
    kind = next((word for begin, word in own.items() if event.name.startswith(begin)), "event")
    if kind != "event":
        k, j = place_of(event.name)
        return {"is": kind, "k": k, "j": j, "direction": event.direction, "terminal": event.terminal}
    more = {"direction": event.direction, "terminal": event.terminal, "guard": event.guard, "message": event.message}
    return {"is": kind, "name": event.name, **more}
