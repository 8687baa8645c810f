"""Memory of one piece of a motion, for the kernels that find where it ends."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.driver import functions_in_piece, leave_switches, select_in_piece, strays
from zeromass.integrate.hybrid.guard_functions import HOLD, LOW, GuardFunctions, LookedAt, place_of
from zeromass.integrate.hybrid.guard_functions import SWITCH as SWITCHES
from zeromass.integrate.hybrid.large import LargeSwitches
from zeromass.integrate.hybrid.memory import (
    COUNTS,
    ENDS,
    IGNORED,
    LOWEST,
    MAY_PASS,
    NONE,
    PASSES,
    SLIDING,
    SWITCH,
    Motion,
)
from zeromass.integrate.hybrid.piece_end import PieceEnd, locate_end, stops_at_switch
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tables import compiled_table, ints, switch_functions
from zeromass.integrate.settings import Settings
from zeromass.integrate.standing import Standing
from zeromass.integrate.stepping.dense import DEGREE, Projection
from zeromass.integrate.stepping.functions import Functions, Onto
from zeromass.integrate.stepping.layout import ARGUMENTS
from zeromass.integrate.stepping.step_functions import StepFunctions, Steps, functions_at
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.kernel.language import compiled
from zeromass.kernel.negative_values import PARTS, ROUNDING, NegativeSearch
from zeromass.kernel.negative_values import STACK as PENDING
from zeromass.kernel.roots import KNOWN, STACK, RootSearch
from zeromass.model import Event

TURNS = 64
"""Places in a step where functions turn, for which there is room at first."""

PIECES = 64
"""Pieces of a motion for which there is room at first."""

STEPS = 2**14
"""Steps of a piece in which functions are looked for that dip below zero."""

_PROJECT = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(ARGUMENTS))
_STRUCK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double)

Struck = Callable[[float, np.ndarray, int, float], bool]
"""Whether a motion at a time and a state could not go on beyond a switch that it touches, from a side of it."""


class PieceMemory:
    """What kernels find the end of a piece with: the switches, the inside of a step, searches for roots, and the motion.

    watched  on every piece; events: those and more that a loop looks at
    work     where steps are made, by a method
    """

    def __init__(
        self,
        watched: GuardFunctions,
        events: Sequence[Event],
        settings: Settings,
        program: Program,
        work: Workspace,
        method: type[Stepper],
    ) -> None:
        self.watched, self.pieces, self.program = watched, watched.pieces, program
        self.settings, self.events = settings, tuple(events)
        self.ahead, self.method, self.work = watched.ahead, method, work
        self._unseen = set(watched.unseen(program))
        self.order: int = work.order
        self.hidden: int = len(self.pieces.given.parameters)
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
            self.functions = slow = PythonFunctions(Standing(self.pieces, 1), self.callbacks)
            self.w = compiled_table(self.pieces, program, self.events, self.ahead, slow)
        self.step: StepFunctions = self._step_functions()
        self.make_searches(TURNS)
        self.m: Motion = self._motion()

    def make_searches(self, room: int) -> None:
        """Memory for roots, with room for so many places where functions turn."""
        looked = LookedAt(self.events)
        self._room, n = room, len(self.method.places) + room
        spare = {"points": np.zeros((3 * n, 2)), "stack": np.zeros((STACK, 6)), "known": np.zeros((KNOWN, 3))}
        self.low: RootSearch = self._search(looked.low, room, spare, slopes=True)
        self.roots: RootSearch = self._search(looked.others, room, spare, slopes=False)

    def _step_functions(self) -> StepFunctions:
        order, work, lanes = self.order, self.work, 1 if self.large is None else self.method.lanes
        inputs, row = np.zeros((1 + order + len(work.values), lanes)), np.zeros(1 + order)
        more: dict[str, Any] = {}
        projects = self.settings.project and bool(self.program.corrections)
        if projects:
            onto = Onto(Functions(self.program.native, work.values), row[None])
            place, arguments, _ = onto.arguments
            more = {"project": place, "arguments": np.array(arguments)}
            self._keep.append(onto)
        guards = self.program.native.events(self.events, lanes)
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
            **more,
            rtol=work.tolerances.rtol,
            atol=work.tolerances.atol,
            limit=order * work.correction_limit**2,
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
        causes = {SWITCHES: SWITCH, HOLD: SLIDING, LOW: LOWEST}
        cause = [next((c for begin, c in causes.items() if name.startswith(begin)), NONE) for name in names]
        of = [place_of(name) if c != NONE else (0, 0) for name, c in zip(names, cause, strict=True)]
        slopes = [names.index(low) if (low := LOW + name.removeprefix(SWITCHES)) in names else -1 for name in names]
        slopes = [at if c == SWITCH else -1 for at, c in zip(slopes, cause, strict=True)]
        count, energies = len(pieces.switches), pieces.energies[0]
        energy: Any = 0
        if energies and self.large is not None:
            energy = self.large.energy
        elif energies:
            energy = switch_functions(pieces, self.program).address("energy")
        m = Motion(
            reals=work.reals,
            fresh=self._fresh,
            ints=work.ints,
            y=work.state,
            values=work.values,
            signs=work.signs,
            cause=ints(cause),
            of=ints([k for k, _ in of]),
            below=ints([j for _, j in of]),
            slopes=ints(slopes),
            terminal=ints([_terminal(event) for event in self.events]),
            continuous=ints([self._continuous(k) for k in range(count)]),
            energy=energy,
            energies=np.zeros((2, max(len(energies), 1))),
            times=np.empty(0),
            timed=np.empty((1, 0)),
            which=ints([]),
            timeless=pieces.timeless,
            stalled=self.settings.limits.stalled,
            changes=self.settings.limits.changes,
            begun=np.zeros(1 + order),
            was=work.values.copy(),
            log=np.zeros((PIECES, 1 + order + len(work.values) - self.hidden)),
            counts=np.zeros(PIECES * COUNTS, dtype=np.int64),
            hidden=self.hidden,
            occurred=np.zeros((PIECES + len(self.roots.times), 2 + order)),
            flips=np.zeros(2 * PIECES),
            ends=np.zeros(len(names)),
            span=np.zeros(2),
            first=np.zeros(order),
            last=np.zeros(order),
            work=np.zeros(order),
            moved=np.zeros(order),
            step=self.step,
        )
        unseen = self._unseen if self.settings.step is None else ()
        columns = ints([k for k, name in enumerate(names) if name in unseen])
        m.dips = NegativeSearch(
            evaluate=compiled(functions_in_piece).address,
            select=compiled(select_in_piece).address,
            context=m,
            values=self.step.values,
            t=np.zeros(STEPS),
            columns=columns,
            rounding=ROUNDING,
            sizes=np.zeros(len(columns)),
            seen=np.zeros((PARTS + 1, len(columns))),
            stack=np.zeros((PENDING, 2)),
        )
        return m

    def _continuous(self, k: int) -> int:
        """Whether nothing but forces jumps at a switch; 2 if the energy is to be compared."""
        parts, pieces = self.pieces.parts, self.pieces
        if k in parts["constraints"] or k in parts["masses"]:
            return 0
        return 2 if k in parts["energies"] and pieces.of_place[k] else 1

    def reached(self) -> dict[int, float]:
        """Switches that ended a piece, with the way that each goes: up or down."""
        return {k: float(self.w.way[k]) for k in np.flatnonzero(self.w.reached).tolist()}

    # one piece, whose steps are made by a loop -----------------------------------------------------------------------
    def enter(self, t: float, y: np.ndarray, target: float, until: float) -> None:
        """Begins a piece at a state, until a time at most, of a motion until another."""
        m, values = self.m, self.work.values
        m.pieces, m.occurrences, m.counts[:COUNTS], m.was[:] = 1, 0, 0, values
        m.begun[0], m.begun[1:], m.target, m.until = t, y, target, until
        self.step.inputs[1 + self.order :] = values[:, None]
        compiled(leave_switches)(m, self.w)

    def locate(self, step: Steps, places: Sequence[float], returned: Projection | None, struck: Struck) -> PieceEnd:
        """Looks for the end of the piece in its last step.

        places    where its functions are looked at first
        returned  what brings states onto the constraints, where machine code is not sure of that
        """
        m, s = self.m, self.step
        s.step, s.t0[:], s.y0[:], s.t1[:], s.y1[:] = 0, *step[:4]
        s.polynomial[:] = step.polynomials[0]
        m.record, m.signs = self.work.record, self.work.signs
        m.span[:], m.first[:], m.last[:] = (s.t0[0], s.t1[0] - s.t0[0]), s.y0[0], s.y1[0]
        with self._answers(struck):
            found = self._located(places)
            if found is PieceEnd.UNSURE and returned is not None:
                with self._projected(returned):
                    found = self._located(places)
        return found

    def _located(self, places: Sequence[float]) -> PieceEnd:
        while True:
            self.m.occurrences, self.roots.looks = 0, len(places)
            self.roots.places[: len(places)] = places
            found = PieceEnd(compiled(locate_end)(self.m, self.w, self.step, self.roots, self.low))
            self.callbacks.check()
            if found is not PieceEnd.NO_ROOM:
                return found
            self.make_searches(2 * self._room)
            self.m.occurred = np.zeros((PIECES + len(self.roots.times), 2 + self.order))

    @contextmanager
    def _answers(self, struck: Struck) -> Iterator[None]:
        """Lets Python say whether a motion could go on beyond a switch where more than forces jump."""

        def asked(_: int, k: int, own: float) -> int:
            return struck(float(self.step.row[0]), self.step.row[1:].copy(), k, own)

        self.m.struck, self.m.can_ask = _STRUCK(asked), True  # pyright: ignore[reportAttributeAccessIssue]
        yield
        self.m.can_ask = False

    @contextmanager
    def _projected(self, returned: Projection) -> Iterator[None]:
        """Lets Python bring states inside a step onto the constraints: it knows when that leads too far."""
        s = self.step

        def project(*_: int) -> int:
            s.row[1:] = returned(s.row[:1].copy(), s.row[None, 1:].copy())[0]
            return 0

        before, limit = s.project, s.limit
        s.project, s.limit = _PROJECT(project), np.inf  # pyright: ignore[reportAttributeAccessIssue]
        yield
        s.project, s.limit = before, limit

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
    return PASSES if not event.terminal else ENDS if event.margin is None else MAY_PASS
