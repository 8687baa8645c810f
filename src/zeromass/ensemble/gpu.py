"""Members of one program on a graphics card: one in each thread, as many as the card has room for at once.

    starts ─► checked ─► the card ─► finished

Members leave the card as they leave their lanes, and what only Python does is done as it is for lanes; so everything that a
member ends with is what `zm.simulate` gives, to the bit.
"""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from zeromass.ensemble.chunk import Results, Study, blank, collect
from zeromass.ensemble.cores import available
from zeromass.ensemble.dispatch import Taking
from zeromass.ensemble.gpu_lanes import Gpu
from zeromass.ensemble.motions import Seated, seated
from zeromass.ensemble.starts import Starts
from zeromass.ensemble.telling import Tell, failures

SIZE, RECORDED = 1 << 17, 1 << 13
"""Members that go to the card together; fewer where their steps are recorded."""

PART = 1 << 14
"""Members whose starts are found together, in one thread: fewer, and threads wait for one another's Python."""

AT_ONCE, AHEAD = 3, 2
"""How many times so many members are on their way to the card, there, or back; and how many more are made ready."""


class Ready(NamedTuple):
    """Members of a study that can go to the card: their starts, those that have none, and their rows."""

    starts: Starts
    failed: dict[int, str]
    good: np.ndarray
    rows: Seated


def ready(study: Study, part: np.ndarray) -> Ready:
    """Starts of some members, found and checked."""
    starts, failed = study.members.starts(part)
    good = np.array([k for k in range(len(part)) if k not in failed], dtype=int) if failed else np.arange(len(part))
    return Ready(starts, failed, good, seated(study.work.lanes, starts[good] if failed else starts, study.work.until))


def joined(parts: Sequence[Ready]) -> Ready:
    """Parts that go to the card together."""
    before = np.cumsum([0, *[len(part.starts) for part in parts]]).tolist()
    fine = np.cumsum([0, *[len(part.good) for part in parts]]).tolist()
    starts = [np.concatenate(arrays) for arrays in zip(*[part.starts.arrays for part in parts], strict=True)]
    return Ready(
        Starts(*starts),
        {first + k: why for first, part in zip(before, parts, strict=False) for k, why in part.failed.items()},
        np.concatenate([first + part.good for first, part in zip(before, parts, strict=False)]),
        Seated(
            np.concatenate([first + part.rows.seats for first, part in zip(fine, parts, strict=False)]),
            np.concatenate([part.rows.table for part in parts]),
        ),
    )


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
    with (
        ThreadPoolExecutor(1) as elsewhere,
        ThreadPoolExecutor(available()) as many,
        ThreadPoolExecutor(at_once) as few,
    ):
        kernel = elsewhere.submit(lanes.kernel, work.recording)
        elsewhere.submit(importlib.import_module, "xarray")  # which takes its time, and is needed in the end
        ready(study, np.arange(first[0].start, first[0].start + 1))  # what is made once is made here

        def submitted(load: list[range]) -> tuple[list[range], Future[Results]]:
            members = _members(load)
            parts = [many.submit(ready, study, members[k : k + PART]) for k in range(0, len(members), PART)]
            return load, few.submit(_results, study, parts, kernel)

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


def _results(study: Study, parts: Sequence[Future[Ready]], kernel: Future[object]) -> Results:
    """What is kept of members, once their parts are ready and the kernel is there."""
    starts, failed, good, rows = joined([part.result() for part in parts])
    kernel.result()
    found = blank(study.work, len(starts))
    if failed:
        collect(found, np.array(list(failed), dtype=int), study.without_start(list(failed.values())))
    if len(good) == len(starts):
        return study.work.safely(starts, rows)
    if len(good):
        collect(found, good, study.work.safely(starts[good], rows))
    return found


def _take(load: Iterable[range], results: Results, taking: Taking, tell: Tell) -> None:
    """Hands results over, part by part."""
    first = 0
    for part in load:
        some = slice(first, first + len(part))
        taking.take(np.arange(part.start, part.stop), {name: values[some] for name, values in results.items()})
        first += len(part)
    tell(first, failures(results["outcome"]))
