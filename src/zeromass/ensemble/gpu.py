"""Members of one program on a graphics card: one in each thread, as many as the card has room for at once.

    starts ─► checked ─► the card ─► finished

Members leave the card as they leave their lanes, and what only Python does is done as it is for lanes; so everything that a
member ends with is what `zm.simulate` gives, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np

from zeromass.compile.cuda import cuda
from zeromass.compile.program import Program
from zeromass.ensemble.chunk import Results, Study, blank, collect
from zeromass.ensemble.dispatch import Taking
from zeromass.ensemble.gpu_code import Written, motion_of, ptx, written
from zeromass.ensemble.gpu_driver import Card, Kernel, Memory, packed
from zeromass.ensemble.gpu_kernel import Dop853Threads
from zeromass.ensemble.gpu_layout import SETTINGS, Block, Row
from zeromass.ensemble.lanes import Ends, Lanes
from zeromass.ensemble.motions import Seated, seated
from zeromass.ensemble.starts import Starts
from zeromass.ensemble.telling import Tell, failures
from zeromass.integrate import Settings
from zeromass.model import Event

SIZE, RECORDED = 1 << 18, 1 << 13
"""Members that are on the card together; fewer where their steps are recorded."""

PART = 1 << 12
"""Members whose starts are checked together: their numbers stay in the cache of a core."""

AHEAD = 4
"""How many times `SIZE` members are made ready, in threads, while others are on the card."""

STEPS = 512
"""Steps of a member that the record has room for at first; it is made again where there are more."""


class Gpu(Lanes):
    """What moves members on a card; all else that is computed of them is computed in lanes.

    seconds  that cards have worked in this process
    """

    seconds: float = 0.0

    def __init__(self, program: Program, settings: Settings, events: Sequence[Event] = ()) -> None:
        super().__init__(program, settings, events)
        self.card: Card = Card.first()
        self._kernels: dict[bool, Kernel] = {}

    @cached_property
    def row(self) -> Row:
        return Row(self.places)

    def kernel(self, recording: bool) -> Kernel:
        """The kernel of the program, made once."""
        return self._kernels.get(recording) or self.assembled(self.written(recording))

    def written(self, recording: bool) -> Written:
        """The kernel in LLVM's language."""
        return written(self, motion_of(self, recording), Block.of(self.places, self.card.shared), cuda())

    def assembled(self, text: Written) -> Kernel:
        """The same on the card."""
        kernel = self.card.kernel(ptx(text), Dop853Threads.name, text.block.threads, text.block.bytes)
        self._kernels[text.motion.recording] = kernel
        return kernel

    def moved(self, table: np.ndarray, *, recording: bool) -> Ends:
        """Moves members from where they are, in place."""
        columns, written = self.row.columns, self.row.roots
        settings = table[0, list(SETTINGS)]
        capacity = len(table) * STEPS if recording else 0
        rows, record = self.launched(np.take(table, columns, axis=1), settings, capacity)
        if len(record) > capacity:  # the same steps again, with room for all of them
            rows, record = self.launched(np.take(table, columns, axis=1), settings, len(record))
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
            Gpu.seconds += kernel(*packed([*values, *settings.tolist()]))
            members.read(rows)
            steps = np.empty((int(counters.read(np.zeros(2, dtype=np.int64))[1]), width))
            record.read(steps[:capacity])
        return rows, steps


class Ready(NamedTuple):
    """Members of a part of a study that can go to the card: their starts, those that have none, and their rows."""

    part: np.ndarray
    starts: Starts
    failed: dict[int, str]
    good: np.ndarray
    rows: Seated


def ready(study: Study, part: np.ndarray) -> Ready:
    """Starts of some members, found and checked."""
    pieces = [_ready(study, part[k : k + PART]) for k in range(0, len(part), PART)]
    starts, failed, good, seats, tables, first = [], {}, [], [], [], 0
    for k, (some, wrong, fine, rows) in enumerate(pieces):
        starts.append(some)
        failed |= {k * PART + j: why for j, why in wrong.items()}
        good.append(k * PART + fine)
        seats.append(first + rows.seats)
        tables.append(rows.table)
        first += len(fine)
    all_ = Starts(*[np.concatenate(arrays) for arrays in zip(*[one.arrays for one in starts], strict=True)])
    return Ready(part, all_, failed, np.concatenate(good), Seated(np.concatenate(seats), np.concatenate(tables)))


def _ready(study: Study, part: np.ndarray) -> tuple[Starts, dict[int, str], np.ndarray, Seated]:
    starts, failed = study.members.starts(part)
    good = np.array([k for k in range(len(part)) if k not in failed], dtype=int)
    return starts, failed, good, seated(study.work.lanes, starts[good], study.work.until)


def on_gpu(study: Study, taking: Taking, tell: Tell) -> None:
    """A study on a card; while members are there, others are made ready on the cores, and the kernel is before."""
    work = study.work
    loads = list(_loads(taking.left(1), RECORDED if work.recording else SIZE))
    if not loads:
        return
    lanes = work.lanes
    assert isinstance(lanes, Gpu)
    ready(study, np.arange(loads[0][0].start, loads[0][0].start + 1))  # what is made once is made here
    with ThreadPoolExecutor(1) as elsewhere, ThreadPoolExecutor(AHEAD) as cores:
        kernel = elsewhere.submit(lanes.assembled, lanes.written(work.recording))
        waiting = [cores.submit(ready, study, _members(load)) for load in loads[:AHEAD]]
        try:
            for k, load in enumerate(loads):
                one = waiting.pop(0).result()
                if k + AHEAD < len(loads):
                    waiting.append(cores.submit(ready, study, _members(loads[k + AHEAD])))
                kernel.result()
                results, first = _results(study, one), 0
                for part in load:
                    some = slice(first, first + len(part))
                    taking.take(one.part[some], {name: values[some] for name, values in results.items()})
                    first += len(part)
                tell(len(one.part), failures(results["outcome"]))
        finally:
            for future in waiting:
                future.cancel()


def _loads(parts: Iterable[range], size: int) -> Iterator[list[range]]:
    """Parts of a study that go to the card together: so many members, or one part."""
    load: list[range] = []
    for part in parts:
        if load and sum(map(len, load)) + len(part) > size:
            yield load
            load = []
        load.append(part)
    if load:
        yield load


def _members(load: Iterable[range]) -> np.ndarray:
    return np.concatenate([np.arange(part.start, part.stop) for part in load])


def _results(study: Study, one: Ready) -> Results:
    """What is kept of members that are ready."""
    found = blank(study.work, len(one.part))
    if one.failed:
        collect(found, np.array(list(one.failed), dtype=int), study.without_start(list(one.failed.values())))
    if len(one.good):
        collect(found, one.good, study.work.safely(one.starts[one.good], one.rows))
    return found
