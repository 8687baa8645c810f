"""Members of one program on a graphics card: one in each thread, as many as the card has room for at once.

    starts ─► checked ─► the card ─► finished

Members leave the card as they leave their lanes, and what only Python does is done as it is for lanes; so everything that a
member ends with is what `zm.simulate` gives, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.ensemble.gpu_code import motion_of, ptx
from zeromass.ensemble.gpu_driver import Card, Kernel, Memory, packed
from zeromass.ensemble.gpu_kernel import Dop853Threads
from zeromass.ensemble.gpu_layout import SETTINGS, Block, Row
from zeromass.ensemble.lanes import Ends, Lanes
from zeromass.integrate import Settings
from zeromass.model import Event

STEPS = 512
"""Steps of a member that the record has room for at first; it is made again where there are more."""


class Gpu(Lanes):
    """What moves members on a card; all else that is computed of them is computed in lanes.

    seconds  that the card has worked
    """

    seconds: float = 0.0

    def __init__(self, program: Program, settings: Settings, events: Sequence[Event] = ()) -> None:
        super().__init__(program, settings, events)
        self.card = Card.first()
        self._kernels: dict[bool, Kernel] = {}

    @cached_property
    def row(self) -> Row:
        return Row(self.places)

    def kernel(self, recording: bool) -> Kernel:
        """The kernel of the program, assembled once."""
        if recording not in self._kernels:
            block = Block.of(self.places, self.card.shared)
            text = ptx(self, motion_of(self, recording), block)
            self._kernels[recording] = self.card.kernel(text, Dop853Threads.name, block.threads, block.bytes)
        return self._kernels[recording]

    def moved(self, table: np.ndarray, *, recording: bool) -> Ends:
        """Moves members from where they are, in place."""
        columns, written = self.row.columns, self.row.roots
        settings = table[0, list(SETTINGS)]
        capacity = len(table) * STEPS if recording else 0
        rows, record = self.launched(np.ascontiguousarray(table[:, columns]), settings, capacity)
        if len(record) > capacity:  # the same steps again, with room for all of them
            rows, record = self.launched(np.ascontiguousarray(table[:, columns]), settings, len(record))
        table[:, columns[:written]] = rows[:, :written]
        return Ends(table, self.places, record)

    def launched(self, rows: np.ndarray, settings: np.ndarray, capacity: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of members where they leave the card, and their steps; as far as `capacity` goes, what these are."""
        card, kernel, width = self.card, self.kernel(capacity > 0), 4 + self.places.order
        with card.lock:
            card.use()
            members, counters = card.memory(rows), card.memory(np.zeros(2, dtype=np.int64))
            record = Memory(card, 8 * width * capacity)
            recorded = type(counters.address)(counters.address.value + 8)
            values = [members.address, len(rows), counters.address, record.address, recorded, capacity]
            self.seconds += kernel(*packed([*values, *settings.tolist()]))
            members.read(rows)
            steps = np.empty((int(counters.read(np.zeros(2, dtype=np.int64))[1]), width))
            record.read(steps[:capacity])
        return rows, steps
