"""Processes that move members, seen from the one that asks: whatever a member does to its process, this one goes on.

A member may raise, hang, take all memory or crash the interpreter. It does so in a process of its own, which is then
ended, and the reason is the answer.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import IO, Any

from zeromass.errors import ZeromassError
from zeromass.expression.packing import packed
from zeromass.search_path import HOME, without_current_folder
from zeromass.study.chunk import Results, Work
from zeromass.study.faults import says_fault
from zeromass.study.starts import Starts
from zeromass.study.worker import READY, RETIRED

BEGINNINGS, KILLED = 5, 200
"""Processes in a row that may end before they are ready: by themselves, and killed by others, as for want of memory."""

PAUSE = 0.2
"""Seconds by which the wait for a process that can not be started becomes longer each time."""

LOOKS = 0.1
"""Seconds between looks at whether the study has been stopped."""


class WorkerError(ZeromassError, OSError):
    """No process that moves members can be started; what is done stays, and the same call goes on with a store."""


@dataclass(frozen=True)
class Bounds:
    """What members may take: `patience`, seconds for a chunk, and `memory`, bytes of a process; None for no bound."""

    patience: float | None = None
    memory: float | None = None


def payload_of(work: Work) -> bytes:
    """What a process is told first: the work, without what it remembers."""
    return pickle.dumps(packed(replace(work)), protocol=pickle.HIGHEST_PROTOCOL)


class Worker:
    """A process that moves members; it runs `zeromass.study.worker`, and nothing of the user's program.

    It looks for modules where this process does, but not in the current folder: there, only for a module of the user's whose
    classes are in the payload.
    """

    def __init__(self, payload: bytes, bounds: Bounds) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        paths, current = without_current_folder(sys.path)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "zeromass.study.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join([*paths, HOME])},
                start_new_session=True,  # Ctrl-C is for the study, which then ends its processes
            )
        except BaseException:
            self._said.close()
            raise
        self._bounds, self._answers = bounds, queue.SimpleQueue[Any]()
        try:
            threading.Thread(target=self._listen, daemon=True).start()
        except BaseException:
            self.end()
            raise
        self._send((bounds.memory, payload, current))

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        return stdin, stdout

    def _listen(self) -> None:
        """Puts answers where they are waited for; None after the last."""
        pipe = self._pipes[1]
        try:
            while True:
                self._answers.put(pickle.load(pipe))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._answers.put(None)

    def _send(self, what: Any) -> None:
        """A process that has died is noticed when it does not answer."""
        try:
            pickle.dump(what, self._pipes[0], protocol=pickle.HIGHEST_PROTOCOL)
            self._pipes[0].flush()
        except (OSError, ValueError):
            pass

    def _answer(self, patience: float | None, stopped: Callable[[], bool]) -> Any:
        """The next answer; None where the process has died, and a TimeoutError where it takes too long."""
        waited = 0.0
        while not stopped():
            try:
                return self._answers.get(timeout=LOOKS)
            except queue.Empty:
                waited += LOOKS
                if patience is not None and waited > patience:
                    raise TimeoutError from None
        return None

    def ready(self, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Whether the process has come so far that it can move members; it is waited for."""
        return self._answer(None, stopped) == READY

    def results(self, starts: Starts, stopped: Callable[[], bool] = lambda: False) -> Results | str | None:
        """What is kept of members, or in words why their process has died; None where it had gone before."""
        self._send(starts)
        try:
            found = self._answer(self._bounds.patience, stopped)
        except TimeoutError:
            return f"it took longer than {self._bounds.patience:g} s, twice and more"
        if found is not None or stopped():
            return found
        code = self._process.wait()
        if code == RETIRED:
            return None
        why = f"its process died: {f'killed by signal {-code}' if code < 0 else f'it ended with code {code}'}"
        return f"{why}; it said: {self.last_words}" if says_fault(self.last_words) else why

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def last_words(self) -> str:
        """What it said last, where one looks for errors."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "nothing"

    @property
    def killed(self) -> bool:
        """Whether others have ended a process that answers no more."""
        return self._process.wait() == -signal.SIGKILL

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (*self._pipes, self._said):
            try:
                pipe.close()
            except (OSError, ValueError):
                continue


class Guard:
    """One process after another, each until it dies: `results` is what the first that does not die gives."""

    def __init__(self, payload: bytes, bounds: Bounds, stopped: Callable[[], bool] = lambda: False) -> None:
        self._payload, self._bounds, self._stopped = payload, bounds, stopped
        self._worker: Worker | None = None

    def results(self, starts: Starts) -> Results | str:
        """What is kept of members, or in words why there is nothing: their process has died, or has taken too long."""
        found = None
        while found is None:
            worker = self._ready()
            found = worker.results(starts, self._stopped)
            if self._stopped():
                return "the study was stopped"
            if not isinstance(found, dict):
                self.end()
        return found

    def _ready(self) -> Worker:
        if self._worker is not None and not self._worker.alive:
            self.end()
        ended = killed = 0
        while self._worker is None:
            worker = self._worker = self._started()
            if worker.ready(self._stopped) or self._stopped():
                break
            killed, ended = (killed + 1, ended) if worker.killed else (killed, ended + 1)
            words = worker.last_words
            self.end()
            if ended >= BEGINNINGS or killed >= KILLED:
                raise WorkerError(f"no process that moves members can be started; the last one said: {words}")
        return self._worker

    def _started(self) -> Worker:
        """A new process; files, memory and threads that are not to be had now may be a little later."""
        why = ""
        for tries in range(BEGINNINGS):
            try:
                return Worker(self._payload, self._bounds)
            except (OSError, RuntimeError, MemoryError) as error:
                why = f"{type(error).__name__}: {error}"
            time.sleep(PAUSE * tries)
        raise WorkerError(f"no process that moves members can be started: {why}")

    def end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()
