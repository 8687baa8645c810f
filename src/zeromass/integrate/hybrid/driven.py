"""Segments of the pieces that a driver has gone through, made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Symbol
from zeromass.integrate.hybrid.memory import Drive
from zeromass.integrate.hybrid.pieces import Hold, Impulse, Piece, contact_events, contact_modes, switchings
from zeromass.integrate.hybrid.reset_outcomes import contact_impulse, energy_jump
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.stepping.layout import HEAD
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import State
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.integrate.hybrid.motion import Driver


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
        self._log, self._counts = log, counts.tolist()
        self._record = driver.work.record[self._counts[0][0] : self._counts[-1][0]].copy()
        self._occurred = driver.m.occurred[self._counts[0][4] : self._counts[-1][4]].copy()
        self._steps = driver.memory.steps(self._counts[0][0], self._record)
        self._values = driver.work.values.copy()
        self._pieces: dict[int, Piece] = {0: first}
        self._modes_of: dict[int, Piece] = {}

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
        return replace(here, switchings=said, energy=energy, impulse=self._impulse(k))

    def _bare(self, k: int) -> Piece:
        """The modes of a piece alone."""
        driver = self._driver
        if k not in self._modes_of:
            modes = dict(zip(driver.parameters, self._modes(k).tolist(), strict=True))
            self._modes_of[k] = piece_of(driver.pieces, modes)
        return self._modes_of[k]

    def _modes(self, k: int) -> np.ndarray:
        """Values of the parameters of modes."""
        first = 1 + self._driver.order
        return self._log[k, first : first + len(self._driver.parameters)]

    def _changed_contacts(self, k: int) -> list[int]:
        """Contacts whose mode changes, or that are struck, where a piece ends."""
        driver, here, then = self._driver, self._bare(k).modes, self._bare(k + 1).modes
        before, after = (contact_modes(driver.pieces, modes) for modes in (here, then))
        P = self._log[k + 1, 1 + driver.order + len(driver.parameters) :].reshape(-1, 3)
        return [i for i, p in enumerate(P) if p.any() or before[i] != after[i]]

    def _impulse(self, k: int) -> Impulse | None:
        """Of contacts, with which a piece begins; None where nothing is struck."""
        driver = self._driver
        P = self._log[k, 1 + driver.order + len(driver.parameters) :]
        if not P.any():
            return None
        after = driver.pieces.state(self.state(k), self._bare(k).modes)
        n, row = driver.order // 2, self._record[self._counts[k][0] - self._counts[0][0] - 1]
        return contact_impulse(driver.pieces, after, row[HEAD + n :], P)

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

    def segment(self, k: int, status: Drive | None, reached: Sequence[int]) -> Segment:
        """The segment of a piece; of the last one with why the driver ended, and the switches that were reached."""
        driver, piece = self._driver, self.piece(k)
        before, after, first = self._counts[k], self._counts[k + 1], self._counts[0][0]
        rows = self._record[before[0] - first : after[0] - first]
        t = np.concatenate([self._log[k, :1], rows[:, 0]])
        y = np.concatenate([self._log[k, None, 1 : 1 + driver.order], rows[:, HEAD:]])
        end = float(t[-1])
        occurred = self._occurred[before[4] - self._counts[0][4] : after[4] - self._counts[0][4]]
        events = [driver.events[int(row[0])] for row in occurred]
        happened = tuple(
            Occurrence(e.name, float(row[1]), row[2:].copy()) for e, row in zip(events, occurred, strict=True)
        )
        outcome = Outcome(Ending.FINISHED, end, "")
        if status is None:
            names = contact_events(driver.pieces, piece, self.piece(k + 1)) if driver.pieces.unilaterals else ()
            happened = (*happened, *[Occurrence(name, end, y[-1].copy()) for name in names])
            here, then = self._bare(k).modes, self._bare(k + 1).modes
            changed = [i for i, s in enumerate(driver.pieces.switches) if here[s.mode] != then[s.mode]]
            count = len(driver.pieces.switches)
            changed += [count + i for i in self._changed_contacts(k)]
            outcome = Outcome(Ending.SWITCH, end, driver.pieces.words(changed))
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
            first = self._counts[0][0]
            return self._steps.part(self._counts[k][0] - first, self._counts[k + 1][0] - first).polynomials(*steps)
        values = self._values.copy()
        values[driver.hidden :] = self._modes(k)
        work = Workspace(
            driver.program.native,
            float(row[0]),
            row[1 : 1 + driver.order],
            values,
            driver.tolerances,
            0.0,
            lanes=driver.method.lanes,
        )
        work.use(driver.program.native, project=driver.settings.project)
        limits = driver.settings.limits
        work.growth_limit, work.correction_limit = limits.growth, limits.correction
        return driver.method(work).polynomials(*steps)
