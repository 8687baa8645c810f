"""Faults of the machine: files, memory, processes or nodes that were not to be had. They are no results of members.

A member that met one is tried again. Where that does not help, its outcome is "interrupted", or "out of memory", and it is
computed again by the next call with the same store, on a machine that may be well.
"""

from __future__ import annotations

import builtins
import re
import signal

import numpy as np

from zeromass.integrate.outcome import Ending

_KINDS = (OSError, MemoryError, ImportError)
"""Errors that nothing in a motion raises: a member opens no file, and imports what is installed."""

_NAMES = sorted(name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, _KINDS))

_CRASHES = {
    getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS", "SIGSTKFLT")
}
"""Signals by which a process ends itself; others come from outside, as from a system without memory."""

_WORDS = re.compile(
    rf"^\W*(?:\w+\.)*_?(?:{'|'.join(_NAMES)}|_ArrayMemoryError|FileError|WorkerError)\b"
    r"|bad_alloc|out of memory|unable to allocate|cannot allocate|allocation failed|memory allocation"
    r"|too many open files|no space left|resource temporarily unavailable|input/output error"
    r"|can't (?:start|allocate)|what had it was lost",
    re.IGNORECASE,
)


def is_fault(error: BaseException) -> bool:
    """Whether an error is the machine's and not the member's."""
    return isinstance(error, _KINDS) or says_fault(f"{type(error).__name__}: {error}")


def says_fault(words: str) -> bool:
    """The same of an error, or of the end of a process, in words."""
    killed = re.search(r"killed by signal (\d+)", words)
    return _WORDS.search(words) is not None or (killed is not None and int(killed[1]) not in _CRASHES)


def undone(outcomes: np.ndarray, messages: np.ndarray) -> np.ndarray:
    """Which members have an outcome that is no result: whose motion another call, or another machine, may complete."""
    words = outcomes.astype(object)
    found = (words == Ending.INTERRUPTED.value) | (words == Ending.OUT_OF_MEMORY.value)
    failed = np.flatnonzero(words == "failed")
    found[failed] = [says_fault(str(messages[k])) for k in failed.tolist()]
    return found
