"""A study on several cores: processes that receive the program once, then chunks of members, one after the other."""

from __future__ import annotations

import os
import queue
import threading
from concurrent.futures import Future
from typing import Any

from zeromass.integrate.memory import machine_memory, usual_memory
from zeromass.model import ModelError
from zeromass.study.chunk import Work
from zeromass.study.starts import Starts
from zeromass.study.workers import Bounds, Guard, WorkerError, payload_of

Answer = Future[Any]
"""What is kept of some members, or in words why nothing is: their process has died."""


class Cores:
    """As many processes as there are cores, or as asked for, each with a thread of this one that gives it chunks.

    room  chunks that may be under way: each process has its next one at hand
    """

    room: int
    hands: int

    def __init__(self, work: Work, cores: int | None, bounds: Bounds) -> None:
        self.hands = cores if cores is not None else available()
        if self.hands < 1:
            raise ModelError(f"on = {cores}: give a number of cores, at least one")
        memory = min(usual_memory(), machine_memory() / self.hands) if bounds.memory is None else bounds.memory
        self._bounds, self._payload = Bounds(bounds.patience, memory), payload_of(work)
        self.room = 2 * self.hands
        self._tasks: queue.SimpleQueue[tuple[Starts, Answer] | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self.hands)]

    def __enter__(self) -> Cores:
        begun = []
        for thread in self._threads:
            try:
                thread.start()
            except RuntimeError:  # there are no more to be had: those that there are do it
                break
            begun.append(thread)
        if not begun:
            raise WorkerError("no thread can be started")
        self._threads = begun
        return self

    def __exit__(self, *what: object) -> None:
        self._stopped.set()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def submit(self, starts: Starts) -> Answer:
        answer: Answer = Future()
        self._tasks.put((starts, answer))
        return answer

    def _serve(self) -> None:
        """Gives chunks to one process after another, until there are none."""
        guard = Guard(self._payload, self._bounds, self._stopped.is_set)
        try:
            while (task := self._tasks.get()) is not None and not self._stopped.is_set():
                starts, answer = task
                try:
                    answer.set_result(guard.results(starts))
                except BaseException as error:
                    answer.set_exception(error)
        finally:
            guard.end()


def available() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
