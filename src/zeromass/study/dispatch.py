"""How a study is done: chunks of members go out, results come in, and what is lost on the way goes out again.

    parts that are left ─► starts ─► pool ─► results, taken

A process that dies loses nothing: its chunk is done again, in halves, so that a member that crashes every process that
touches it is found, named, and left out. What members end with does not depend on any of this: where the machine fails under
one, and does so again, that is no result of the member, which is left "interrupted" (see `faults`).
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from zeromass.integrate.outcome import Ending
from zeromass.study.chunk import FAILED, Results, Study, blank
from zeromass.study.faults import says_fault
from zeromass.study.starts import Starts
from zeromass.study.telling import Tell, failures
from zeromass.study.workers import WorkerError

TRIES = 3
"""Processes that may die of a single member before it is given up: one of them may have been killed by chance."""

FAULTS = 12
"""Faults of the machine in a row, without any result in between, after which a study is stopped."""

PAUSE = 0.1
"""Seconds before a task that met a fault is tried again, for each fault in a row: files and memory may be free by then."""

LOSSES = 10
"""Times that a chunk may be lost with the machine that had it before it is done in halves: members are not to blame."""


class Pool(Protocol):
    """Where members are moved: `submit` takes starts and gives a Future of what is kept, or of why nothing is, in words.

    hands  processes that move them
    room   chunks that may be under way at once
    """

    @property
    def hands(self) -> int: ...

    @property
    def room(self) -> int: ...

    def submit(self, starts: Starts) -> Future[Any]: ...

    def __enter__(self) -> Pool: ...

    def __exit__(self, *what: object) -> None: ...


class Taking(Protocol):
    """Where results go: parts of the study that are left, and what is done with results of some members."""

    def left(self, hands: int) -> Iterator[range]: ...

    def take(self, members: np.ndarray, results: Results) -> None: ...


@dataclass(frozen=True, eq=False)
class Task:
    """Members that are moved together, by their numbers in the study, with their starts.

    tries, losses  processes that have died of them, and machines that were lost with them
    """

    members: np.ndarray
    starts: Starts
    tries: int = 0
    losses: int = 0

    def halves(self) -> list[Task]:
        middle = len(self.members) // 2
        places = np.arange(len(self.members))
        return [Task(self.members[some], self.starts[some]) for some in (places[:middle], places[middle:])]


class Dispatch:
    """A study on a pool.

    stopped  in words why it ended before all members were done; empty otherwise
    """

    stopped: str

    def __init__(self, study: Study, taking: Taking, pool: Pool, tell: Tell) -> None:
        self._study, self._taking, self._pool, self._tell = study, taking, pool, tell
        self._parts = taking.left(pool.hands)
        self._again: deque[Task] = deque()
        self._later: deque[Task] = deque()  # what met a fault of the machine, after all that is new
        self._finished: queue.SimpleQueue[tuple[Task, Future[Any]]] = queue.SimpleQueue()
        self._under_way = self._faults = 0
        self._left_out: list[str] = []
        self.stopped = ""

    def run(self) -> None:
        """Until all is done, or the pool can not go on."""
        while True:
            while not self.stopped and self._under_way < self._pool.room and (task := self._next()) is not None:
                self._submit(task)
            if not self._under_way:
                self.stopped = self.stopped or left_out(self._left_out)
                return
            try:
                task, future = self._finished.get(timeout=0.2)  # Ctrl-C is seen in between
            except queue.Empty:
                continue
            self._under_way -= 1
            self._received(task, future)

    def _next(self) -> Task | None:
        """A task that failed, or the starts of the next part, which are made here: functions of the user need not travel."""
        while not self._again:
            part = next(self._parts, None)
            if part is None:
                return self._later.popleft() if self._later else None
            members = np.arange(part.start, part.stop)
            starts, failed = self._study.members.starts(members)
            good = np.array([k for k in range(len(members)) if k not in failed], dtype=int)
            if failed:
                bad = np.array(list(failed), dtype=int)
                self._take(members[bad], self._study.without_start(list(failed.values())))
            if len(good):
                self._again.append(Task(members[good], starts[good]))
        return self._again.popleft()

    def _submit(self, task: Task) -> None:
        try:
            future = self._pool.submit(task.starts)
        except Exception as error:  # it takes nothing any more
            self.stopped = f"{type(error).__name__}: {error}"
            return
        self._under_way += 1
        future.add_done_callback(lambda done: self._finished.put((task, done)))

    def _received(self, task: Task, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, WorkerError):
            raise error
        if isinstance(error, BrokenExecutor):
            self.stopped = f"{type(error).__name__}: {error}"
        elif error is not None or future.cancelled():
            if task.losses + 1 < LOSSES:
                self._again.append(replace(task, losses=task.losses + 1))
            else:
                self._failed(task, f"what had it was lost: {error or 'cancelled'}")
        elif isinstance(results := future.result(), str):
            self._failed(task, results)
        else:
            self._moved(task, results)

    def _moved(self, task: Task, results: Results) -> None:
        """Takes results, and tries members again under which the machine failed, each by itself."""
        again = np.flatnonzero(results["outcome"] == Ending.INTERRUPTED.value)
        for k in again.tolist():
            one = np.array([k])
            self._failed(Task(task.members[one], task.starts[one], task.tries), str(results["message"][k]), fault=True)
        if len(again) < len(task.members):
            good = np.setdiff1d(np.arange(len(task.members)), again)
            self._faults = 0
            self._take(task.members[good], {name: values[good] for name, values in results.items()})

    def _failed(self, task: Task, why: str, *, fault: bool | None = None) -> None:
        """A process has died of a task, or a machine failed: it is tried again in halves; a single member, a few times."""
        fault = says_fault(why) if fault is None else fault
        if fault:
            self._faults += 1
            time.sleep(PAUSE * min(self._faults, FAULTS))
            if self._faults >= FAULTS:
                self.stopped = why
        again = self._later if fault else self._again
        if len(task.members) > 1:
            again.extend(task.halves())
        elif task.tries + 1 < TRIES:
            again.append(replace(task, tries=task.tries + 1))
        else:
            results = blank(self._study.work, 1, Ending.INTERRUPTED.value if fault else FAILED)
            results["message"][0] = why
            if fault:
                self._left_out.append(why)
            self._take(task.members, results)

    def _take(self, members: np.ndarray, results: Results) -> None:
        self._taking.take(members, results)
        self._tell(len(members), failures(results["outcome"]))


def here(study: Study, taking: Taking, tell: Tell) -> str:
    """A study in this process, one part after the other; in words why it ended before all were done, if it did."""
    found: list[str] = []
    in_a_row = 0
    for part in taking.left(1):
        members = np.arange(part.start, part.stop)
        results = study.results(members)
        taking.take(members, results)
        tell(len(members), failures(results["outcome"]))
        faults = results["message"][results["outcome"] == Ending.INTERRUPTED.value].tolist()
        found += faults
        in_a_row = in_a_row + 1 if len(faults) == len(members) else 0
        if in_a_row >= FAULTS:
            break
    return left_out(found)


def left_out(why: Sequence[str]) -> str:
    """Members under which the machine failed, in words; empty where there are none."""
    return f"members left out: {len(why)}; the first: {why[0]}" if why else ""
