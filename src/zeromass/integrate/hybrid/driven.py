"""Segments of the pieces that a driver has gone through, made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.collisions.slots import SLOT
from zeromass.integrate.hybrid.collision_native import collision_native
from zeromass.integrate.hybrid.found_contacts import changes, said, struck_pairs
from zeromass.integrate.hybrid.memory import Drive
from zeromass.integrate.hybrid.pieces import (
    FoundContacts,
    Hold,
    Impulse,
    Piece,
    contact_events,
    contact_modes,
    switchings,
)
from zeromass.integrate.hybrid.reset_outcomes import contact_impulses, energy_jump, found_impulse
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment, Statistics, Steps
from zeromass.integrate.stepping.layout import HEAD
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import State
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.integrate.hybrid.motion import Driver


FEW = 8
"""Contacts that the outcome of a segment names at most."""


def piece_of(pieces: SystemPieces, modes: dict[Symbol, float]) -> Piece:
    """The piece of some modes, margins and flags."""
    held = [one for one in pieces.held.values() if modes[one.flag]]
    holds = [Hold(one.switch.mode, low := modes[one.switch.mode], low + one.width) for one in held]
    return Piece(modes, tuple(holds))


class DrivenPieces:
    """Pieces of one run of a driver.

    start   of the motion, of the system as it was given; state: where the first piece begins
    first   the first piece
    log     of each piece that was begun: t, y and all parameters of modes, (pieces, 1 + 2n + hidden)
    counts  before each of them, and at last: rows of the record, steps, rejected ones, evaluations and occurrences
    record  rows of all of them: t, h, growth and states; occurred: which function, t and y of events
    """

    def __init__(
        self, driver: Driver, start: State, state: State, first: Piece, log: np.ndarray, counts: np.ndarray
    ) -> None:
        self._driver, self._start, self._state, self._first = driver, start, state, first
        rows, occurred = (slice(counts[0, column], counts[-1, column]) for column in (0, 4))
        self._log, self._counts = log, counts - counts[0] * (1, 0, 0, 0, 1)  # of its own record and occurrences
        self._record = driver.work.record[rows].copy()
        self._occurred = driver.m.occurred[occurred].copy()
        self._steps = driver.memory.steps(int(counts[0, 0]), self._record)
        self._values = driver.work.values.copy()
        self._contacts: list[FoundContacts] = []
        if driver.pieces.colliders is not None:
            first_of = driver.m.pieces - len(log)
            self._contacts = [driver.native.found(first_of + k) for k in range(len(log))]
        self._pieces: dict[int, Piece] = {0: first}
        self._modes_of: dict[int, Piece] = {}

    @property
    def last(self) -> int:
        """The last of the pieces that were begun."""
        return len(self._log) - 1

    def piece(self, k: int) -> Piece:
        """One of the pieces, with what switched where it begins."""
        if k not in self._pieces:
            self._pieces[k] = self._made(k)
        return self._pieces[k]

    def _made(self, k: int) -> Piece:
        before, here, pieces = self._bare(k - 1), self._bare(k), self._driver.pieces
        changed = [i for i, s in enumerate(pieces.switches) if before.modes[s.mode] != here.modes[s.mode]]
        energy = 0.0
        if not pieces.parts["energies"].isdisjoint(changed):
            energy = energy_jump(pieces, *[pieces.state(self.state(k), one.modes) for one in (before, here)])
        said = switchings(pieces, float(self._log[k, 0]), before, here)
        return replace(here, switchings=said, impulse=self._impulse(k), energy=energy)

    def _bare(self, k: int) -> Piece:
        """The modes of a piece alone."""
        driver = self._driver
        if k not in self._modes_of:
            modes = dict(zip(driver.parameters, self._modes(k).tolist(), strict=True))
            found = piece_of(driver.pieces, modes)
            self._modes_of[k] = replace(found, contacts=self._contacts[k]) if self._contacts else found
        return self._modes_of[k]

    def _modes(self, k: int) -> np.ndarray:
        """Values of the parameters of modes."""
        first = 1 + self._driver.order
        return self._log[k, first : first + len(self._driver.parameters)]

    @cached_property
    def _P(self) -> np.ndarray:
        """Impulses of contacts with which pieces begin, (pieces, 3c), N s."""
        return self._log[:, 1 + self._driver.order + len(self._driver.parameters) :]

    def _struck(self, k: int) -> list[bool]:
        """Which contacts are struck where a piece begins."""
        return self._P[k].reshape(-1, 3).any(axis=1).tolist()

    def _changed_contacts(self, k: int) -> list[int]:
        """Contacts whose mode changes, or that are struck, where a piece ends."""
        if self._contacts:
            return []
        pieces, here, then = self._driver.pieces, self._bare(k).modes, self._bare(k + 1).modes
        before, after = (contact_modes(pieces, modes) for modes in (here, then))
        return [i for i, struck in enumerate(self._struck(k + 1)) if struck or before[i] != after[i]]

    def _impulse(self, k: int) -> Impulse | None:
        """Of contacts, with which a piece begins; None where nothing is struck."""
        if self._contacts:
            return self._found_impulse(k)
        if not self._P[k].any():
            return None
        return self._impulses_of([k])[0] if k == self.last else self._impulses[k]

    @cached_property
    def _impulses(self) -> dict[int, Impulse]:
        """Of all pieces but the last that begin with one: who asks for one asks for others."""
        struck = np.flatnonzero(self._P[1:-1].any(axis=1)) + 1
        return dict(zip(struck.tolist(), self._impulses_of(struck.tolist()), strict=True))

    def _impulses_of(self, which: list[int]) -> list[Impulse]:
        driver, log, n = self._driver, self._log[which], self._driver.order // 2
        known = np.broadcast_to(self._values[: driver.hidden], (len(which), driver.hidden))
        modes = log[:, 1 + 2 * n : 1 + 2 * n + len(driver.parameters)]
        inputs = np.concatenate([log[:, : 1 + 2 * n], known, modes], axis=1)
        before = self._record[self._counts[which, 0] - 1, HEAD + n :]
        return contact_impulses(driver.pieces, inputs, before, self._P[which])

    def _found_impulse(self, k: int) -> Impulse | None:
        """Of contacts that were found among shapes."""
        colliders, struck = self._driver.pieces.colliders, struck_pairs(self._contacts[k])
        if not struck or colliders is None:
            return None
        n, after = self._driver.order // 2, self._driver.pieces.state(self.state(k), self._bare(k).modes)
        row = self._record[self._counts[k, 0] - 1]
        return found_impulse(colliders, after, row[HEAD + n :], struck, self._contacts[k].energy)

    def state(self, k: int) -> State:
        """Where a piece begins, of the system as it was given."""
        if k == 0:
            return self._state
        n, row, start = self._driver.order // 2, self._log[k], self._start
        turns = self._driver.pieces.turns(self._bare(k).modes)
        q, v = row[1 : 1 + n].copy(), row[1 + n : 1 + 2 * n].copy()
        return State(start.system, float(row[0]), q, v, start.parameters, turns=turns)

    @property
    def end(self) -> State:
        """Where the last piece ends, of the system as it was given."""
        n, row, start = self._driver.order // 2, self._record[-1], self._start
        return State(start.system, float(row[0]), row[HEAD : HEAD + n].copy(), row[HEAD + n :].copy(), start.parameters)

    def steps(self, count: int) -> Steps:
        """Times and states at the ends of the steps of the first pieces, so many, beginning with where each begins."""
        begins, order = self._counts[:count, 0] + np.arange(count), self._driver.order
        rows = np.empty((self._counts[count, 0] + count, 1 + order))
        steps = np.ones(len(rows), dtype=bool)
        steps[begins] = False
        rows[begins] = self._log[:count, : 1 + order]
        record = self._record[: len(rows) - count]
        rows[steps, 0], rows[steps, 1:] = record[:, 0], record[:, HEAD:]
        return rows[:, 0].copy(), rows[:, 1:].copy()

    def finished(self, count: int, status: Drive, reached: Sequence[int]) -> DrivenSegments:
        """The segments of the first pieces, so many, and if that is all why the driver ended and at which switches."""
        return DrivenSegments(self, count, status, reached)

    def segment(self, k: int, status: Drive | None, reached: Sequence[int]) -> Segment:
        """The segment of a piece; of the last one with why the driver ended, and the switches that were reached."""
        driver, piece = self._driver, self.piece(k)
        before, after = self._counts[k : k + 2].tolist()
        rows = self._record[before[0] : after[0]]
        t = np.concatenate([self._log[k, :1], rows[:, 0]])
        y = np.concatenate([self._log[k, None, 1 : 1 + driver.order], rows[:, HEAD:]])
        end = float(t[-1])
        occurred = self._occurred[before[4] : after[4]]
        events = [driver.events[int(row[0])] for row in occurred]
        happened = tuple(
            Occurrence(e.name, float(row[1]), row[2:].copy()) for e, row in zip(events, occurred, strict=True)
        )
        outcome = Outcome(Ending.FINISHED, end, "")
        if status is None:
            here, then = self._bare(k).modes, self._bare(k + 1).modes
            names = contact_events(driver.pieces, here, then, self._struck(k + 1)) if driver.pieces.unilaterals else []
            if self._contacts and driver.pieces.colliders is not None:
                names = said(driver.pieces.colliders, changes(self._contacts[k], self._contacts[k + 1]))
            happened += tuple(Occurrence(name, end, y[-1].copy()) for name in names)
            changed = [i for i, s in enumerate(driver.pieces.switches) if here[s.mode] != then[s.mode]]
            count = len(driver.pieces.switches)
            changed += [count + i for i in self._changed_contacts(k)]
            words = ", ".join(names[:FEW]) if self._contacts else driver.pieces.words(changed)
            outcome = Outcome(Ending.SWITCH, end, words)
        elif status is Drive.DECIDE:
            outcome = Outcome(Ending.SWITCH, end, driver.pieces.words(reached))
        steps, rejected, evaluations = (b - a for a, b in zip(before[1:4], after[1:4], strict=True))
        growth = rows[:, 2].copy()
        found = Segment(
            driver.program,
            self.state(k),
            t,
            y,
            outcome,
            Statistics(steps, rejected, evaluations, 0, float(np.max(growth, initial=1.0))),
            happened,
            driver.settings,
            growth,
            partial(self._polynomials, k),
            piece=piece,
        )
        if status is not Drive.EVENT:
            return found
        words = ", ".join(event.words(found.state(end)) for event in events if event.terminal)
        return replace(found, outcome=Outcome(Ending.EVENT, end, words))

    def _polynomials(self, k: int, *steps: np.ndarray) -> np.ndarray:
        """The states inside steps of a piece, which are taken again or were kept; see `Source`."""
        driver, row = self._driver, self._log[k]
        if self._steps is not None:
            return self._steps.part(*self._counts[k : k + 2, 0].tolist()).polynomials(*steps)
        values, native = self._values.copy(), driver.native
        values[driver.hidden : driver.known] = self._modes(k)
        if self._contacts:
            native = collision_native(driver.pieces, driver.program, len(self._contacts[k].closed))
            values = values[: driver.known + SLOT * native.room]
            values = np.concatenate([values, np.zeros(driver.known + SLOT * native.room - len(values))])
            native.take(float(row[0]), row[1 : 1 + driver.order].copy(), self._contacts[k], values)
        work = Workspace(
            native,
            float(row[0]),
            row[1 : 1 + driver.order],
            values,
            driver.tolerances,
            0.0,
            lanes=driver.method.lanes,
        )
        work.use(native, project=driver.settings.project)
        limits = driver.settings.limits
        work.growth_limit, work.correction_limit = limits.growth, limits.correction
        return driver.method(work).polynomials(*steps)


class DrivenSegments:
    """Segments of the first pieces of a run of a driver, see `Promise`."""

    def __init__(self, pieces: DrivenPieces, count: int, status: Drive, reached: Sequence[int]) -> None:
        self._pieces, self._count, self._status, self._reached = pieces, count, status, reached

    def __len__(self) -> int:
        return self._count

    def segment(self, k: int) -> Segment:
        """One of them."""
        return self._pieces.segment(k, self._status if k == self._pieces.last else None, self._reached)

    def steps(self, count: int) -> Steps:
        """The steps of the first of them, so many."""
        return self._pieces.steps(count)
