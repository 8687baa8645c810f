"""What moves members of one program on a graphics card: its kernel, and the way of their rows there and back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.codegen.cuda import cuda
from zeromass.codegen.target import FIRST
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.program import Program
from zeromass.integrate import Settings
from zeromass.integrate.hybrid.members import Ending, Members
from zeromass.integrate.hybrid.motion import Driver
from zeromass.model import Event
from zeromass.study.gpu_code import Written, motion_of, ptx, written
from zeromass.study.gpu_driver import Card, Kernel, Memory, Stream, packed
from zeromass.study.gpu_ends import GpuEnds
from zeromass.study.gpu_kernel import Dop853Threads
from zeromass.study.gpu_layout import SETTINGS, Block, Row
from zeromass.study.gpu_switches import SwitchedThreads
from zeromass.study.lanes import Ends, Lanes

STEPS = 512
"""Steps of a member that the record has room for at first; it is made again where there are more."""


REMEMBERED = 8
"""Programs and settings of which the drivers of motions over switches are kept."""


class Gpu(Lanes):
    """What moves members on a card; all else that is computed of them is computed in lanes.

    template  the row of one of the members, for what all have in common
    """

    template: np.ndarray

    def __init__(self, program: Program, settings: Settings, events: Sequence[Event] = ()) -> None:
        super().__init__(program, settings, events)
        self._texts: dict[bool, Written] = {}
        self._kernels: dict[bool, Kernel] = {}
        self._lock = threading.Lock()

    @property
    def over_switches(self) -> bool:
        """Whether members are driven over switches, and have no rows."""
        return self.program.system.pieces is not None

    def drive(self, driver: Driver, members: Members, tell: Callable[[int], None]) -> None:
        """On the card; members that can not be moved to their end there are moved here."""
        threads = self._threads(driver)
        if threads is None:
            return driver.move(members, tell)
        threads.move(members)
        left = members.counts[:, 0] != Ending.FINISHED
        tell(int(np.count_nonzero(~left)))
        if left.any():
            rest = members.some(left)
            driver.move(rest, tell)
            members.take(left, rest)
        return None

    def _threads(self, driver: Driver) -> SwitchedThreads | None:
        """What drives motions as a driver does on the card; None where the card can not."""
        known: dict[Any, SwitchedThreads] = self.program.system.memory.setdefault("over switches on a GPU", {})
        key = driver.program, driver.settings, driver.watched.events, driver.ahead, driver.m.until
        with self._lock:
            if key not in known:
                for old in list(known)[: 1 - REMEMBERED]:
                    known.pop(old, None)
                known[key] = SwitchedThreads(driver)
            found = known[key]
        return found if found.serves and self.card.has_stack(found.stack) else None

    @cached_property
    def row(self) -> Row:
        return Row(self.places)

    @property
    def card(self) -> Card:
        return Card.first()

    def count(self, evaluations: int) -> None:
        """None of them were made by this machine."""

    def evaluator(self, e: Any) -> Callable[[np.ndarray], np.ndarray]:
        """In machine code: there are many starts to check."""
        return LaneFunction(e, list(self.program.system.inputs), effort=FIRST)

    @cached_property
    def residuals(self) -> Callable[[np.ndarray], np.ndarray]:
        system = self.program.system
        return self.evaluator([zero for level in (0, 1) for _, zero in system.zeros(level)])

    def prepare(self, recording: bool) -> None:
        """Writes what the card runs, as far as that is known before there are starts."""
        if not self.over_switches:
            self.written(recording)

    def load(self, recording: bool) -> None:
        """Has it on the card."""
        if not self.over_switches:
            self.kernel(recording)

    def kernel(self, recording: bool) -> Kernel:
        """The kernel of the program on the card, made once."""
        with self._lock:
            if recording not in self._kernels:
                text = self.written(recording)
                block = text.block
                self._kernels[recording] = self.card.kernel(ptx(text), Dop853Threads.name, block.threads, block.bytes)
        return self._kernels[recording]

    def written(self, recording: bool) -> Written:
        """The same in LLVM's language."""
        if recording not in self._texts:
            block = Block.of(self.places, self.card.shared)
            self._texts[recording] = written(self, motion_of(self, recording), block, cuda())
        return self._texts[recording]

    def shortened(self, table: np.ndarray) -> np.ndarray:
        """As much of the rows of members as the card has."""
        if len(table):
            self.template = table[0].copy()
        return np.take(table, self.row.columns, axis=1)

    def moved(self, table: np.ndarray, *, recording: bool) -> Ends:
        """Moves members from where they are: from whole rows, or from `shortened` ones, in place."""
        rows = table if table.shape[1] == self.row.size else self.shortened(table)
        capacity = len(rows) * STEPS if recording else 0
        before = rows.copy() if recording else rows
        settings = self.template[list(SETTINGS)]
        rows, record = self.launched(rows, settings, capacity)
        if len(record) > capacity:  # the same steps again, with room for all of them
            rows, record = self.launched(before, settings, len(record))
        return GpuEnds(self.row, self.template, rows, record)

    def launched(self, rows: np.ndarray, settings: np.ndarray, capacity: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of members where they leave the card, and their steps; as far as `capacity` goes, what these are."""
        kernel, width = self.kernel(capacity > 0), 4 + self.places.order
        stream = Stream(self.card)
        members, counters = stream.memory(rows), stream.memory(np.zeros(2, dtype=np.int64))
        record = Memory(self.card, 8 * width * capacity)
        values = [members.address, len(rows), counters.address, record.address, counters.place(8), capacity]
        kernel(stream, *packed([*values, *settings.tolist()]))
        stream.read(members, rows)
        steps = np.empty((int(stream.read(counters, np.zeros(2, dtype=np.int64))[1]), width))
        stream.read(record, steps[:capacity])
        return rows, steps
