"""Memory of one piece of a motion, for the kernels that find where it ends."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.chattering import strays
from zeromass.integrate.hybrid.collision_native import found_contacts
from zeromass.integrate.hybrid.contact_table import FLOWS, MEETS, contact_functions, contact_table
from zeromass.integrate.hybrid.crossing import has_events
from zeromass.integrate.hybrid.driver import functions_in_piece, select_in_piece
from zeromass.integrate.hybrid.guard_cache import GuardCache
from zeromass.integrate.hybrid.guard_functions import CONTACT as CONTACTS
from zeromass.integrate.hybrid.guard_functions import HOLD, LOW, GuardFunctions, LookedAt, place_of
from zeromass.integrate.hybrid.guard_functions import SWITCH as SWITCHES
from zeromass.integrate.hybrid.jumps import jump_functions, jump_table
from zeromass.integrate.hybrid.large import LargeSwitches
from zeromass.integrate.hybrid.meeting import meets_in_step
from zeromass.integrate.hybrid.memory import (
    CONTACT,
    COUNTS,
    ENDS,
    EXPLICIT,
    IGNORED,
    LOWEST,
    MAY_PASS,
    NONE,
    PASSES,
    SLIDING,
    STANDS_IN,
    SWITCH,
    Crossing,
    Lengths,
    Motion,
)
from zeromass.integrate.hybrid.piece_begin import leave_switches
from zeromass.integrate.hybrid.piece_end import PieceEnd, locate_end, stops_at_switch
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.reset import reset, strike
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tables import compiled_table, ints, switch_functions
from zeromass.integrate.settings import Settings
from zeromass.integrate.singular.lightest import weightless
from zeromass.integrate.stepping.dense import DEGREE, Projection
from zeromass.integrate.stepping.functions import Functions, Onto
from zeromass.integrate.stepping.kinks import KINK
from zeromass.integrate.stepping.layout import ARGUMENTS
from zeromass.integrate.stepping.narrow import NARROW
from zeromass.integrate.stepping.step_functions import StepFunctions, Steps, functions_at
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.kernel.language import compiled
from zeromass.kernel.negative_values import PARTS, ROUNDING, NegativeSearch
from zeromass.kernel.negative_values import STACK as PENDING
from zeromass.kernel.roots import KNOWN, STACK, RootSearch
from zeromass.model import Event, State

TURNS = 64
"""Places in a step where functions turn, for which there is room at first."""

PIECES = 64
"""Pieces of a motion for which there is room at first."""

STEPS = 2**14
"""Steps of a piece in which functions are looked for that dip below zero."""

_PROJECT = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(ARGUMENTS))


class PieceMemory:
    """What kernels find the end of a piece with: the switches, the inside of a step, searches for roots, and the motion.

    watched  on every piece; events: those and more that a loop looks at
    work     where steps are made, by a method
    native   machine code of the system, with contacts that are found among its shapes
    """

    def __init__(
        self,
        watched: GuardFunctions,
        events: Sequence[Event],
        settings: Settings,
        program: Program,
        work: Workspace,
        method: type[Stepper],
        stiffness: int = EXPLICIT,
    ) -> None:
        self.watched, self.pieces, self.program = watched, watched.pieces, program
        self.stiffness = stiffness
        self.settings, self.events = settings, tuple(events)
        self.ahead, self.method, self.work = watched.ahead, method, work
        self._unseen = set(watched.unseen(program))
        self.native: Any = work.code
        self.order: int = work.order
        self.hidden: int = len(self.pieces.given.parameters)
        self.known: int = len(program.system.parameters)
        self.parameters: tuple[Symbol, ...] = program.system.parameters[self.hidden :]
        self._fresh: np.ndarray = work.reals.copy()
        self._keep: list[Any] = []
        if not self.pieces.in_forces:  # structs have addresses in its code
            self._keep.append(switch_functions(self.pieces, program))
        self.callbacks = Callbacks()
        self.large: LargeSwitches | None = None
        if self.pieces.in_forces:
            self.large = LargeSwitches(self.pieces, program, self.events, self.ahead, method.lanes, self.callbacks)
            self.functions: PythonFunctions | LargeSwitches = self.large
            self.w: Switches = self.large.w
        else:
            self.functions = slow = PythonFunctions(GuardCache(self.pieces, 1), self.callbacks)
            self.w = compiled_table(self.pieces, program, self.native, self.events, self.ahead, slow)
        if len(work.values) > self.known:
            self.w.values, self.w.trial = np.zeros(len(work.values)), np.zeros(len(work.values))
        self.step: StepFunctions = self._step_functions()
        self.make_searches(TURNS)
        self.m: Motion = self._motion()
        self._make_event_room()

    def make_searches(self, room: int) -> None:
        """Memory for roots, with room for so many places where functions turn."""
        looked = LookedAt(self.events)
        self._room, n = room, len(self.method.places) + room
        spare = {"points": np.zeros((3 * n, 2)), "stack": np.zeros((STACK, 6)), "known": np.zeros((KNOWN, 3))}
        self.low: RootSearch = self._search(looked.low, room, spare, slopes=True)
        self.roots: RootSearch = self._search(looked.others, room, spare, slopes=False)
        self.bends: RootSearch = self._search([*looked.kinks, *looked.bumps][:1], room, spare, slopes=True)
        if "m" in vars(self):
            self.m.bends = self.bends

    def _step_functions(self) -> StepFunctions:
        order, work, lanes = self.order, self.work, 1 if self.large is None else self.method.lanes
        inputs, row = np.zeros((1 + order + len(work.values), lanes)), np.zeros(1 + order)
        self._onto: Mapping[str, Any] = {}
        projects = self.settings.project and self.native.corrections is not None
        if self.native.corrections is not None:
            onto = Onto(Functions(self.native, work.values), row[None])
            place, arguments, _ = onto.arguments
            self._onto = {"project": place, "arguments": np.array(arguments)}
            self._keep.append(onto)
        guards = self.native.events(self.events, lanes)
        self._keep.append(guards)
        return StepFunctions(
            t0=np.zeros(1),
            t1=np.zeros(1),
            y0=np.zeros((1, order)),
            y1=np.zeros((1, order)),
            polynomial=np.zeros((DEGREE + 1, order)),
            weights=np.zeros(DEGREE + 1),
            row=row,
            projects=projects,
            **self._onto,
            rtol=work.tolerances.rtol,
            atol=work.tolerances.atol,
            limit=order * work.correction_limit**2 if self.pieces.colliders is None else np.inf,
            event=0 if guards is None else guards.address("event"),
            inputs=inputs,
            outputs=np.zeros((len(self.events), lanes)),
            values=np.zeros(len(self.events)),
        )

    def _search(self, columns: list[int], room: int, spare: Mapping[str, np.ndarray], *, slopes: bool) -> RootSearch:
        looked = LookedAt(self.events)
        n, some = len(self.method.places) + room, [self.events[k] for k in columns]
        return RootSearch(
            evaluate=compiled(functions_at).address,
            context=self.step,
            values=self.step.values,
            places=np.zeros(n),
            looks=len(self.method.places),
            columns=ints(columns),
            directions=np.array([0.0 if slopes else float(e.direction) for e in some]),
            turning=ints([slopes or looked.turns(e) for e in some]),
            seen=np.zeros((n, len(self.events))),
            **spare,
            times=np.zeros(max(3 * n * len(columns), 1)),
            which=np.zeros(max(3 * n * len(columns), 1), dtype=np.int64),
        )

    def _motion(self) -> Motion:
        work, order, pieces = self.work, self.order, self.pieces
        names = [event.name for event in self.events]
        causes = {SWITCHES: SWITCH, HOLD: SLIDING, LOW: LOWEST, CONTACTS: CONTACT}
        cause = [next((c for begin, c in causes.items() if name.startswith(begin)), NONE) for name in names]
        of = [place_of(name) if c != NONE else (0, 0) for name, c in zip(names, cause, strict=True)]
        lows = [LOW + name.removeprefix(SWITCHES).removeprefix(CONTACTS) for name in names]
        slopes = [names.index(low) if low in names else -1 for low in lows]
        slopes = [at if c in (SWITCH, CONTACT) else -1 for at, c in zip(slopes, cause, strict=True)]
        if self.stiffness != STANDS_IN:  # the method goes on where slips become fast
            cause = [NONE if c == CONTACT and j == FLOWS else c for c, (_, j) in zip(cause, of, strict=True)]
        count = len(pieces.switches)
        of = [(k - count, j) if k >= count else (k, j) for k, j in of]
        if pieces.colliders is not None:
            contacts = found_contacts(self.native, pieces)
        else:
            touching = contact_functions(pieces, self.program)
            self._keep.append(touching)
            contacts = contact_table(pieces, self.program, touching)
        functions = None if self.large is not None else jump_functions(pieces, self.program)
        evaluate = self.large.energy if self.large else 0 if functions is None else functions.address("jump_values")
        m = Motion(
            reals=work.reals,
            fresh=self._fresh,
            ints=work.ints,
            y=work.state,
            values=work.values,
            signs=work.signs,
            cause=ints(cause),
            guard_switch=ints([k for k, _ in of]),
            guard_side=ints([j for _, j in of]),
            slopes=ints(slopes),
            terminal=ints([_terminal(event) for event in self.events]),
            stiffness=self.stiffness,
            guard=ints([event.guard for event in self.events]),
            jumps=jump_table(pieces, evaluate, strikes=self.native.corrections is not None),
            lengths=Lengths(offsets=ints([0])),
            contacts=contacts,
            times=np.empty(0),
            timed=np.empty((1, 0)),
            which=ints([]),
            timeless=pieces.timeless,
            stalled=self.settings.limits.stalled,
            changes=self.settings.limits.changes,
            piece_start=np.zeros(1 + order),
            piece_values=work.values.copy(),
            log=np.zeros((PIECES, 1 + order + self.known - self.hidden + 3 * len(pieces.unilaterals))),
            counts=np.zeros(PIECES * COUNTS, dtype=np.int64),
            hidden=self.hidden,
            known=self.known,
            flips=np.zeros(2 * PIECES),
            ends=np.zeros(len(names)),
            span=np.zeros(2),
            first=np.zeros(order),
            last=np.zeros(order),
            work=np.zeros(order),
            moved=np.zeros(order),
            massive=not weightless(self.program.system),
            limit=self.step.limit,
            step=self.step,
            bends=self.bends,
            bump=np.zeros(2),
            kinks=ints(LookedAt(self.events).kinks),
            bumps=ints(LookedAt(self.events).bumps if self.settings.step is None else []),
        )
        m.jumps.modes = np.zeros(len(work.values))
        unseen = self._unseen if self.settings.step is None else ()
        columns = ints([k for k, name in enumerate(names) if name in unseen])
        m.unseen = columns
        m.dips = NegativeSearch(
            evaluate=compiled(functions_in_piece).address,
            select=compiled(select_in_piece).address,
            context=m,
            values=self.step.values,
            t=np.zeros(STEPS),
            columns=columns.copy(),
            rounding=ROUNDING,
            sizes=np.zeros(len(columns)),
            seen=np.zeros((PARTS + 1, len(columns))),
            stack=np.zeros((PENDING, 3)),
        )
        return m

    def reached(self) -> dict[int, float]:
        """Switches that ended a piece, with the way that each goes, up or down; contacts behind them, with their causes."""
        found = {k: float(self.w.way[k]) for k in np.flatnonzero(self.w.reached).tolist()}
        count, causes = len(self.w.kind), self.m.contacts.reached
        return found | {count + k: float(causes[k]) for k in np.flatnonzero(causes).tolist()}

    # one piece, whose steps are made by a loop -----------------------------------------------------------------------
    def enter(self, t: float, y: np.ndarray, target: float, until: float) -> None:
        """Begins a piece at a state, until a time at most, of a motion until another."""
        m, values = self.m, self.work.values
        m.pieces, m.occurrences, m.counts[:COUNTS], m.piece_values[:] = 1, 0, 0, values
        m.piece_start[0], m.piece_start[1:], m.target, m.until = t, y, target, until
        self.step.inputs[1 + self.order :] = values[:, None]
        compiled(leave_switches)(m, self.w)

    def locate(self, step: Steps, places: Sequence[float], returned: Projection | None) -> PieceEnd:
        """Looks for the end of the piece in its last step.

        places    where its functions are looked at first
        returned  what brings states onto the constraints, where machine code is not sure of that
        """
        self._open(step)
        found = self._located(places)
        if found is PieceEnd.UNSURE and returned is not None:
            with self._projected(returned):
                found = self._located(places)
        return found

    def _open(self, step: Steps) -> None:
        m, s = self.m, self.step
        s.step, s.t0[:], s.y0[:], s.t1[:], s.y1[:] = 0, *step[:4]
        s.polynomial[:] = step.polynomials[0]
        m.record, m.signs = self.work.record, self.work.signs
        m.span[:], m.first[:], m.last[:] = (s.t0[0], s.t1[0] - s.t0[0]), s.y0[0], s.y1[0]

    def meets(self, step: Steps) -> tuple[float, dict[int, float]] | None:
        """When polyhedra meet in a step, and the contact that ends the piece, with its cause."""
        self._open(step)
        if not compiled(meets_in_step)(self.m, self.w, self.step):
            return None
        found = self.m.contacts.polyhedra
        return found.when, {len(self.w.kind) + found.met: float(MEETS)}

    def _located(self, places: Sequence[float]) -> PieceEnd:
        while True:
            self.m.occurrences, self.roots.looks = 0, len(places)
            self.roots.places[: len(places)] = places
            found = PieceEnd(compiled(locate_end)(self.m, self.w, self.step, self.roots, self.low))
            self.callbacks.check()
            if found is not PieceEnd.NO_ROOM:
                return found
            self.make_searches(2 * self._room)
            self._make_event_room()

    def _make_event_room(self) -> None:
        """Memory for the events of a piece, if any are asked for."""
        rows = PIECES + len(self.roots.times) if has_events(self.m) else 1
        self.m.occurred = np.zeros((rows, 2 + self.order))

    @contextmanager
    def _projected(self, returned: Projection) -> Iterator[None]:
        """Lets Python bring states inside a step onto the constraints: it knows when that leads too far."""
        s = self.step

        def project(*_: int) -> int:
            s.row[1:] = returned(s.row[:1].copy(), s.row[None, 1:].copy())[0]
            return 0

        limit = s.limit
        s.project, s.limit = _PROJECT(project), np.inf  # pyright: ignore[reportAttributeAccessIssue]
        yield
        s.project, s.limit = self._onto["project"], limit  # its address: as an attribute it is a function of Python

    def reset(self, before: State, after: State, changed: Sequence[int]) -> tuple[Crossing, np.ndarray]:
        """What a change of modes does to a state, given on the pieces before and after it: and its rates beyond."""
        w, j, n, y = self.w, self.m.jumps, self.order // 2, np.concatenate([after.q, after.v])
        values = after.inputs[1 + self.order :]
        w.clock[0], j.modes[:] = before.t, before.inputs[1 + self.order :]
        j.changed[:] = [k in changed for k in range(len(j.changed))]
        found = Crossing(compiled(reset)(w, j, y, values))
        self.callbacks.check()
        if found is Crossing.IMPULSE:
            self.work.values[:] = values
            compiled(strike)(self.step, j, before.t, y)
        return found, y[n:]

    def stops(self) -> bool:
        """Whether the motion, which finds no further step, is at a switch."""
        return bool(compiled(stops_at_switch)(self.m, self.w))

    def strayed(self) -> list[int]:
        """Switches beyond which the motion has come, though its piece was to end there."""
        self.m.record = self.work.record
        return np.flatnonzero(self.w.reached).tolist() if compiled(strays)(self.m, self.w) else []

    def ignore(self, events: Sequence[int]) -> None:
        """Does not look at some events."""
        self.m.terminal[:] = [IGNORED if c in events else _terminal(event) for c, event in enumerate(self.events)]


def _terminal(event: Event) -> int:
    """What a motion does at an event."""
    if event.name.startswith((KINK, NARROW, CONTACTS)):  # contacts end pieces by their causes
        return IGNORED
    return PASSES if not event.terminal else ENDS if event.margin is None else MAY_PASS
