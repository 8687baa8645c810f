"""Many hands that make members ready for a graphics card.

They are copies of this process where the system makes them at once, which is on Linux: they have all its code, do not wait
for one another's Python, and write to memory that this process reads. Elsewhere, and for few members, they are threads.
A copy that is killed loses nothing: what it had is made here.
"""

from __future__ import annotations

import ctypes
import itertools
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor

from zeromass.study.cores import available
from zeromass.study.gpu_ready import Ready

HANDS = 8
"""Copies or threads at most."""

PART = 1 << 13
"""Members whose starts are found together."""

DEATH_OF_PARENT = 1
"""What a process asks Linux to be told of."""

_held: dict[int, Sequence[Ready]] = {}
_keys = itertools.count()


class Hands:
    """Those who make members ready, in rooms that were there before them; copies where there are `many` members."""

    def __init__(self, rooms: Sequence[Ready], *, many: bool) -> None:
        self._rooms, self._key = rooms, next(_keys)
        _held[self._key] = rooms
        self._pool: Executor = _copies() if many and sys.platform == "linux" else ThreadPoolExecutor(HANDS)

    def begin(self, which: int, members: Iterable[range]) -> Callable[[], dict[int, str]]:
        """Begins to make members ready in a room; the function returned waits, and says which have no start, and why."""
        room = self._rooms[which]
        room.hold(members)
        count = len(room.numbers)
        parts = [(k, min(k + PART, count)) for k in range(0, count, PART)]
        futures = [self._submitted(which, *part) for part in parts]

        def made() -> dict[int, str]:
            failed: dict[int, str] = {}
            for part, future in zip(parts, futures, strict=True):
                try:
                    failed |= future.result()
                except BrokenExecutor:  # whoever had it is gone
                    failed |= room.make(*part)
            return failed

        return made

    def _submitted(self, which: int, first: int, last: int) -> Future[dict[int, str]]:
        try:
            return self._pool.submit(_made, self._key, which, first, last)
        except BrokenExecutor:
            self._pool = ThreadPoolExecutor(HANDS)
            return self._pool.submit(_made, self._key, which, first, last)

    def __enter__(self) -> Hands:
        return self

    def __exit__(self, *what: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        del _held[self._key]


def _made(key: int, which: int, first: int, last: int) -> dict[int, str]:
    return _held[key][which].make(first, last)


def _copies() -> Executor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(min(HANDS, available()), mp_context=get_context("fork"), initializer=_copied)


def _copied() -> None:
    """A copy goes with this process, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(DEATH_OF_PARENT, signal.SIGKILL)
