"""Members of one program on a graphics card: one in each thread, as many as the card has room for at once.

    starts ─► checked ─► the card ─► finished

Members leave the card as they leave their lanes, and what only Python does is done as it is for lanes; so everything that a
member ends with is what `zm.simulate` gives, to the bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np

from zeromass.model.collisions import without_collisions
from zeromass.study.chunk import Results, Study
from zeromass.study.dispatch import Taking
from zeromass.study.gpu_hands import Hands
from zeromass.study.gpu_lanes import Gpu
from zeromass.study.gpu_ready import Ready
from zeromass.study.telling import Tell, failures

SIZE, RECORDED = 1 << 17, 1 << 13
"""Members that go to the card together; fewer where their steps are recorded."""

AT_ONCE, AHEAD = 3, 5
"""How many times so many members are on their way to the card, there, or back; and how many more are made ready."""

LARGE = 31 << 20
"""Bytes of an array, at most, that need not be asked of the system anew."""


def on_gpu(study: Study, taking: Taking, tell: Tell) -> None:
    """A study on a card: while members are there, others are made ready, and yet others are looked at."""
    work, lanes = study.work, study.work.lanes
    without_collisions(work.program.system, "on='gpu'", "use on='cores'")
    assert isinstance(lanes, Gpu)
    size = RECORDED if work.recording else SIZE
    loads = _loads(taking.left(1), size)
    first, second = next(loads, None), next(loads, None)
    if first is None:
        return
    _keep_what_is_freed()
    at_once = 1 if work.recording else AT_ONCE  # steps take memory
    rest, turns = iter(()) if second is None else chain([second], loads), range(at_once + AHEAD)
    with ThreadPoolExecutor(2) as elsewhere, ThreadPoolExecutor(at_once) as few:
        text = elsewhere.submit(lanes.prepare, work.recording)
        _one(study, lanes, first[0].start)
        text.result()
        room = sum(map(len, first))
        rooms = [Ready(study, lanes, room)] if second is None else [Ready(study, lanes, max(room, size)) for _ in turns]
        with Hands(rooms, many=second is not None) as hands:
            made = hands.begin(0, first)
            kernel = elsewhere.submit(lanes.load, work.recording)
            elsewhere.submit(_labelled)
            waiting = deque([(first, few.submit(_results, rooms[0], made, kernel))])
            turn = 0
            try:
                while waiting:
                    while len(waiting) < len(rooms) and (load := next(rest, None)) is not None:
                        turn = (turn + 1) % len(rooms)
                        waiting.append((load, few.submit(_results, rooms[turn], hands.begin(turn, load), kernel)))
                    load, future = waiting.popleft()
                    _take(load, future.result(), taking, tell)
            finally:
                few.shutdown(wait=False, cancel_futures=True)


def _one(study: Study, lanes: Gpu, member: int) -> None:
    """Makes one member ready, and with it all that is made once."""
    one = Ready(study, lanes, 1)
    one.hold([range(member, member + 1)])
    one.make(0, 1)


def _results(room: Ready, made: Callable[[], dict[int, str]], kernel: Future[Any]) -> Results:
    """What is kept of members, once they are ready and the kernel is there."""
    failed = made()
    kernel.result()
    return room.results(failed)


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


def _take(load: Iterable[range], results: Results, taking: Taking, tell: Tell) -> None:
    """Hands results over, part by part."""
    first = 0
    for part in load:
        some = slice(first, first + len(part))
        taking.take(np.arange(part.start, part.stop), {name: values[some] for name, values in results.items()})
        first += len(part)
    tell(first, failures(results["outcome"]))
