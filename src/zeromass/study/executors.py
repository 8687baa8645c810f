"""A study on an executor of `concurrent.futures`: threads, processes, or those of Dask, MPI and Slurm.

Each place of the executor keeps a process of its own that moves members, so that a member that hangs or crashes does no harm
to the executor, which may be shared and may not survive it.
"""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import Executor, Future
from typing import Any

from zeromass.integrate.memory import usual_memory
from zeromass.study.chunk import Results, Work
from zeromass.study.starts import Starts
from zeromass.study.workers import Bounds, Guard, payload_of

UNKNOWN = 1000
"""Chunks under way at once on an executor that does not say how many places it has."""

_here = threading.local()
"""The process that this place of an executor keeps, and the work that it was started for."""

_guards: dict[str, set[Guard]] = {}
"""The guards of this process, for each study that is under way."""


def guarded(payload: bytes, starts: Starts, bounds: Bounds) -> Results | str:
    """What is kept of members, from a process that this place keeps for the next chunk; or in words why nothing is."""
    key = _key(payload, bounds)
    if getattr(_here, "key", None) != key:
        if hasattr(_here, "guard"):
            _here.guard.end()
            _guards.pop(_here.key, None)
        _here.key, _here.guard = key, Guard(payload, bounds)
    _guards.setdefault(key, set()).add(_here.guard)
    return _here.guard.results(starts)


def _key(payload: bytes, bounds: Bounds) -> str:
    return hashlib.blake2b(payload + repr(bounds).encode(), digest_size=16).hexdigest()


class Places:
    """The places of an executor.

    room  chunks that may be under way: two for each place, where the executor says how many it has
    """

    room: int
    hands: int

    def __init__(self, work: Work, executor: Executor, bounds: Bounds) -> None:
        memory = usual_memory() if bounds.memory is None else bounds.memory
        self._executor, self._payload, self._bounds = executor, payload_of(work), Bounds(bounds.patience, memory)
        places: Any = getattr(executor, "_max_workers", None)
        known = isinstance(places, int) and places > 0
        self.hands = places if known else UNKNOWN
        self.room = 2 * places if known else UNKNOWN
        self._futures: set[Future[Any]] = set()

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *what: object) -> None:
        """The executor is the caller's and goes on; what is under way is cancelled, and processes of this one are ended."""
        for future in list(self._futures):
            future.cancel()
        for guard in _guards.pop(_key(self._payload, self._bounds), set()):
            guard.end()

    def submit(self, starts: Starts) -> Future[Any]:
        future = self._executor.submit(guarded, self._payload, starts, self._bounds)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future
