"""A process that moves members: reads what to do, then starts of members, and writes what is kept of them.

What it reads ends with the process that asks: then it ends too, whatever it is doing, so that none is left behind.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import IO, Any

IDLE = 60.0
"""Seconds without anything to do after which a process ends."""

RETIRED = 75
"""The code that it ends with then."""

READY = "ready"
"""What it writes first."""


def main() -> None:
    """Serves chunks until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes elsewhere
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    memory, payload, current = asked.get()
    from zeromass.expression.packing import unpacked

    work = unpacked(_Payload(io.BytesIO(payload), current).load())
    work.prepare()
    _bound(memory)
    _answer(answers, READY)
    while True:
        try:
            starts = asked.get(timeout=IDLE)
        except queue.Empty:
            os._exit(RETIRED)
        _answer(answers, work.safely(starts))


class _Payload(pickle.Unpickler):
    """The work, whose classes are looked for in the current folder of the user's program only where there are none else."""

    def __init__(self, data: IO[bytes], current: list[str]) -> None:
        super().__init__(data)
        self._current = current

    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except ModuleNotFoundError:
            if not self._current:
                raise
        path = list(sys.path)
        sys.path += self._current  # behind the installed packages: of these none is replaced
        try:
            return super().find_class(module, name)
        finally:
            sys.path[:] = path


def _listen(pipe: IO[bytes], asked: queue.SimpleQueue[Any]) -> None:
    while True:
        try:
            asked.put(pickle.load(pipe))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _answer(pipe: IO[bytes], answer: Any) -> None:
    try:
        pickle.dump(answer, pipe, protocol=pickle.HIGHEST_PROTOCOL)
        pipe.flush()
    except OSError:
        os._exit(0)


def _bound(memory: float | None) -> None:
    """Lets the process take so many bytes beyond what it has now; where the system can not, it is not bound."""
    if memory is None or not sys.platform.startswith("linux"):
        return
    import resource

    taken = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = int(taken.split()[1]) * 1024 + int(min(memory, 2**62))
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # the thread that reads can not be waited for
