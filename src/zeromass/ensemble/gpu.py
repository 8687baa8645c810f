"""Members of one program on a graphics card: one in each thread, as many as the card has room for at once.

    starts ─► checked ─► the card ─► finished

Members leave the card as they leave their lanes, and what only Python does is done as it is for lanes; so everything that a
member ends with is what `zm.simulate` gives, to the bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from zeromass.ensemble.chunk import Results, Study, blank, collect
from zeromass.ensemble.dispatch import Taking
from zeromass.ensemble.gpu_lanes import Gpu
from zeromass.ensemble.motions import Seated, seated
from zeromass.ensemble.starts import Starts
from zeromass.ensemble.telling import Tell, failures

SIZE, RECORDED = 1 << 17, 1 << 13
"""Members that go to the card together; fewer where their steps are recorded."""

PART, HANDS = 1 << 14, 8
"""Members whose starts are found together, and threads that do so: with more, they wait for one another's Python."""

AT_ONCE, AHEAD = 3, 5
"""How many times so many members are on their way to the card, there, or back; and how many more are made ready."""

LARGE = 31 << 20
"""Bytes of an array, at most, that need not be asked of the system anew."""


class Ready:
    """Members of a study on their way to the card, which are made ready part by part: their starts and rows.

    failed  those that have no start, and why
    """

    def __init__(self, study: Study, lanes: Gpu, members: np.ndarray) -> None:
        count, places = len(members), lanes.places
        self._study, self._lanes, self._members = study, lanes, members
        self.starts: Starts = Starts(
            np.empty(count), np.empty((count, places.order)), np.empty((count, places.parameters))
        )
        self.failed: dict[int, str] = {}
        self._rows = np.empty((count, lanes.row.size))
        self._seated = np.zeros(count, dtype=bool)

    def make(self, first: int) -> None:
        """Finds and checks the starts of a part; those that are ordinary have their seat."""
        part = slice(first, first + PART)
        starts, failed = self._study.members.starts(self._members[part])
        for all_, some in zip(self.starts.arrays, starts.arrays, strict=True):
            all_[part] = some
        good = np.setdiff1d(np.arange(len(starts)), list(failed))
        seats, table = seated(self._lanes, starts[good] if failed else starts, self._study.work.until)
        places = first + good[seats]
        self._rows[places], self._seated[places] = self._lanes.shortened(table), True
        self.failed |= {first + k: why for k, why in failed.items()}

    def results(self) -> Results:
        """What is kept of the members, once all parts are ready."""
        work, starts, count = self._study.work, self.starts, len(self._members)
        seats = np.flatnonzero(self._seated)
        rows = self._rows if len(seats) == count else self._rows[seats]
        if not self.failed:
            return work.safely(starts, Seated(seats, rows))
        found, bad = blank(work, count), np.array(sorted(self.failed), dtype=int)
        collect(found, bad, self._study.without_start([self.failed[k] for k in bad.tolist()]))
        good = np.setdiff1d(np.arange(count), bad)
        if len(good):
            collect(found, good, work.safely(starts[good], Seated(np.searchsorted(good, seats), rows)))
        return found


def on_gpu(study: Study, taking: Taking, tell: Tell) -> None:
    """A study on a card: while members are there, others are made ready, and yet others are looked at."""
    work = study.work
    lanes = work.lanes
    assert isinstance(lanes, Gpu)
    loads = _loads(taking.left(1), RECORDED if work.recording else SIZE)
    first = next(loads, None)
    if first is None:
        return
    at_once = 1 if work.recording else AT_ONCE  # steps take memory
    _keep_what_is_freed()
    with ThreadPoolExecutor(2) as elsewhere, ThreadPoolExecutor(HANDS) as many, ThreadPoolExecutor(at_once) as few:
        text = elsewhere.submit(lanes.written, work.recording)
        Ready(study, lanes, np.arange(first[0].start, first[0].start + 1)).make(0)  # what is made once is made here
        text.result()
        kernel = elsewhere.submit(lanes.kernel, work.recording)
        elsewhere.submit(_labelled)

        def submitted(load: list[range]) -> tuple[list[range], Future[Results]]:
            numbers = np.concatenate([np.arange(part.start, part.stop) for part in load])
            members = Ready(study, lanes, numbers)
            parts = [many.submit(members.make, k) for k in range(0, len(numbers), PART)]
            return load, few.submit(_results, members, [kernel, *parts])

        waiting = deque([submitted(first)])
        try:
            while waiting:
                while len(waiting) < at_once + AHEAD and (load := next(loads, None)) is not None:
                    waiting.append(submitted(load))
                load, future = waiting.popleft()
                _take(load, future.result(), taking, tell)
        finally:
            for pool in (many, few):
                pool.shutdown(wait=False, cancel_futures=True)


def _keep_what_is_freed() -> None:
    """Lets threads have memory that they have freed again: what C's library takes for large is as large as this was."""
    np.empty(LARGE // 8)


def _labelled() -> None:
    """A first Dataset: xarray and what it looks for take their time, and are needed in the end."""
    import xarray

    xarray.Dataset({"x": ("x", np.zeros(1))})


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


def _results(members: Ready, before: Sequence[Future[Any]]) -> Results:
    """What is kept of members, once their parts are ready and the kernel is there."""
    for future in before:
        future.result()
    return members.results()


def _take(load: Iterable[range], results: Results, taking: Taking, tell: Tell) -> None:
    """Hands results over, part by part."""
    first = 0
    for part in load:
        some = slice(first, first + len(part))
        taking.take(np.arange(part.start, part.stop), {name: values[some] for name, values in results.items()})
        first += len(part)
    tell(first, failures(results["outcome"]))
