"""Work that nobody waits for, one piece after another in a thread of its own.

LLVM does one thing at a time in a process, so that code which a user waits for would wait for a piece under way. A piece
therefore begins only when nobody has waited for code for `QUIET` seconds.

The program may end at any time: what is under way is finished, what is waiting is dropped. A process that forks waits for
the piece under way, so that its child does not inherit a lock that nobody would release.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable
from functools import cache
from time import monotonic

Work = Callable[[], object]

QUIET = 0.3
"""Seconds without code that is waited for, after which a piece of work begins."""


class Queue:
    """Pieces of work, and the thread that does them."""

    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._working = threading.Lock()  # held while a piece of work is under way
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.waited: float = -QUIET
        """When somebody last waited for code, a time of `monotonic`; ∞ while somebody does."""
        self._hurry = threading.Event()

    def add(self, work: Work) -> None:
        _prepare()
        with self._starting:
            self._waiting.append(work)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._go, name="zeromass-compile", daemon=True)
                self._thread.start()

    def _go(self) -> None:
        while True:
            while not self._hurry.is_set() and (rest := self.waited + QUIET - monotonic()) > 0.0:
                self._hurry.wait(min(rest, QUIET))
            with self._working:
                with self._starting:
                    if not self._waiting:
                        self._thread = None
                        return
                    work = self._waiting.popleft()
                work()

    def hold(self) -> None:
        """Waits for the piece of work under way, and lets none begin."""
        self._working.acquire()

    def go_on(self) -> None:
        self._working.release()

    def finish(self) -> None:
        """Drops what is waiting, and waits for what is under way."""
        self._waiting.clear()
        with self._working:
            pass

    def wait(self) -> None:
        """Waits until all is done."""
        thread = self._thread
        if thread is not None:
            self._hurry.set()
            thread.join()
            self._hurry.clear()


queue: Queue = Queue()


def _anew() -> None:
    """A child process has no thread at work, and the locks of its own."""
    queue.__init__()


@cache
def _prepare() -> None:
    """Before the first piece of work, and not when this module is imported."""
    atexit.register(queue.finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=queue.hold, after_in_parent=queue.go_on, after_in_child=_anew)


later: Callable[[Work], None] = queue.add
"""Does a piece of work in the background, after those that were asked for before."""

wait: Callable[[], None] = queue.wait
"""Waits until all that was asked for is done; for tests and benchmarks."""
