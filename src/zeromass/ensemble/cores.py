"""A study on several cores: processes that receive the program once, then chunks of members, one after the other.

A process that dies loses nothing: its chunk is done again, in halves, by another one, so that a member that kills every
process that touches it is found, named, and left out. What members end with does not depend on any of this.
"""

from __future__ import annotations

import os
import pickle
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import IO

import numpy as np

from zeromass.ensemble.chunk import FAILED, Chunks, Results, Study, blank, collect
from zeromass.ensemble.starts import Starts
from zeromass.expression.packing import packed
from zeromass.integrate.outcome import Ending
from zeromass.model import ModelError

TRIES = 3
"""Processes that may die of a single member before it is given up: one of them may have been killed by chance."""

PER_CORE = 6
"""Chunks for each core, so that none waits long for the last."""


@dataclass
class Task:
    """Members that are moved together, by their numbers in the study, with their starts; `tries` that have failed."""

    part: np.ndarray
    starts: Starts
    tries: int = 0
    why: str = ""

    def halves(self) -> list[Task]:
        middle = len(self.part) // 2
        places = np.arange(len(self.part))
        return [Task(self.part[some], self.starts[some]) for some in (places[:middle], places[middle:])]


@dataclass
class Progress:
    """What the threads of a study share: tasks to do, results, and what went wrong."""

    study: Study
    everything: Results
    tell: Callable[[int], None]
    patience: float | None
    tasks: queue.Queue[Task | None] = field(default_factory=queue.Queue)
    left: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    error: BaseException | None = None

    def done(self, task: Task, results: Results) -> None:
        with self.lock:
            collect(self.everything, task.part, results)
            self.left -= len(task.part)
            self.tell(len(task.part))
            if not self.left:
                self.finished.set()

    def failed(self, task: Task, why: str) -> None:
        """A process has died of a task: it is tried again in halves; a single member, a few times."""
        if len(task.part) > 1:
            for half in task.halves():
                self.tasks.put(half)
        elif task.tries + 1 < TRIES:
            self.tasks.put(Task(task.part, task.starts, task.tries + 1, why))
        else:
            results = blank(self.study.work, 1, FAILED)
            results["message"][0] = why
            self.done(task, results)


def on_cores(
    study: Study, chunks: Chunks, cores: int | None, tell: Callable[[int], None], patience: float | None = None
) -> Results:
    """All results of a study, from as many processes as there are cores, or as asked for.

    patience  seconds that a chunk may take; None for ever
    """
    count = sum(map(len, chunks.parts))
    cores = cores or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores or os.cpu_count() or 1
    if cores < 1:
        raise ModelError(f"on = {cores}: give a number of cores, at least one")
    everything = blank(study.work, count, Ending.INTERRUPTED.value)
    progress = Progress(study, everything, tell, patience, left=count)
    payload = pickle.dumps(packed(replace(study.work)))  # without what it remembers
    size = max(1, min(max(map(len, chunks.parts)), -(-count // (cores * PER_CORE))))
    threads = [threading.Thread(target=_serve, args=(progress, payload), daemon=True) for _ in range(cores)]
    for thread in threads:
        thread.start()
    try:
        for first in range(0, count, size):
            _put(progress, np.arange(first, min(first + size, count)))
        while not progress.finished.wait(0.05) and any(thread.is_alive() for thread in threads):
            pass
    except KeyboardInterrupt:
        pass
    finally:
        progress.stopped.set()
        for _ in threads:
            progress.tasks.put(None)
        for thread in threads:
            thread.join()
    if progress.error is not None:
        raise progress.error
    return everything


def _put(progress: Progress, part: np.ndarray) -> None:
    """Starts of a chunk are made here: functions of the user need not travel."""
    starts, failed = progress.study.members.starts(part)
    good = np.array([k for k in range(len(part)) if k not in failed], dtype=int)
    if failed:
        bad = np.array(list(failed), dtype=int)
        results = progress.study.without_start(list(failed.values()))
        progress.done(Task(part[bad], starts[bad]), results)
    if len(good):
        progress.tasks.put(Task(part[good], starts[good]))


def _serve(progress: Progress, payload: bytes) -> None:
    """Gives tasks to one process after another, until there are none."""
    worker: Worker | None = None
    try:
        while (task := progress.tasks.get()) is not None and not progress.stopped.is_set():
            worker = worker or Worker(payload, progress)
            results, why = worker.results(task)
            if results is not None:
                progress.done(task, results)
            elif not progress.stopped.is_set():
                worker.end()
                worker = None
                progress.failed(task, why)
    except BaseException as error:
        progress.error = error
        progress.finished.set()
    finally:
        if worker is not None:
            worker.end()


class Worker:
    """A process that moves members; it runs `zeromass.ensemble.worker`, and nothing of the user's program."""

    def __init__(self, payload: bytes, progress: Progress) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "zeromass.ensemble.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for the study, which then ends its processes
        )
        self._progress, self._payload = progress, payload

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        return stdin, stdout

    def results(self, task: Task) -> tuple[Results | None, str]:
        """The results of a task; None where the process has died of it, and why."""
        stdin, stdout = self._pipes
        try:
            if self._payload:
                stdin.write(self._payload)
                self._payload = b""
            pickle.dump(task.starts, stdin)
            stdin.flush()
            waited = 0.0
            while not select.select([stdout], [], [], 0.1)[0]:
                waited += 0.1
                if self._progress.stopped.is_set():
                    return None, ""
                if self._progress.patience is not None and waited > self._progress.patience:
                    return None, f"it took longer than {self._progress.patience:g} s, twice and more"
            return pickle.load(stdout), ""
        except (OSError, EOFError, pickle.UnpicklingError):
            return None, f"its process died, {TRIES} times: {_ending(self._process.wait())}"

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes:
            try:
                pipe.close()
            except OSError:
                continue


def _ending(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"it ended with code {code}"
