"""What campaigns share: a seed that is printed, so that a failure can be had again, and bounds on time and memory."""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from zeromass.errors import ZeromassError

SLICE = 0
"""The seed of what `make test` runs."""

MEMORY = 2 * 2**30
"""Bytes that a campaign may add to its process."""


@contextmanager
def campaign(
    name: str, count: int, seconds: float, *, seed: int | None = None, memory: int = MEMORY
) -> Iterator[random.Random]:
    """Random numbers for so many attempts, which together take at most so much time and memory.

    The seed is that of ZEROMASS_SEED, or the one that is given, or a new one; it is printed, and pytest shows it where an
    attempt fails. Slices that every change must pass have a seed of their own, long campaigns a new one each time.
    """
    asked = os.environ.get("ZEROMASS_SEED")
    seed = int(asked) if asked else int.from_bytes(os.urandom(4), "big") if seed is None else seed
    print(f"{name}: {count} attempts, ZEROMASS_SEED={seed}")
    begin, before = time.monotonic(), largest_memory()
    yield random.Random(seed)
    took, grown = time.monotonic() - begin, largest_memory() - before
    print(f"{name}: {took:.1f} s, {grown / 2**20:.0f} MiB")
    assert took < seconds, f"{name} took {took:.0f} s; {seconds:g} s were allowed"
    assert grown < memory, f"{name} took {grown} bytes; {memory} were allowed"


def largest_memory() -> int:
    """The most memory that this process has held so far, bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Tally:
    """What became of attempts: done, refused with an error of zeromass, a raw error, or a hang.

    A hang is what takes longer than `patience` seconds after Ctrl-C, which comes after `bound` seconds: that a motion is
    long is no fault of the program, that it can not be stopped is one. A crash ends the process, and so the campaign.
    """

    def __init__(self, bound: float, patience: float = 30.0) -> None:
        self.bound, self.patience = bound, patience
        self.counts: Counter[str] = Counter()
        self.wrong: list[tuple[str, str]] = []

    def attempt(self, what: Callable[[], Any], text: str) -> None:
        """Does something, and counts how it ends; `text` is shown where that is wrong."""
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        begin = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, self.bound)
            what()
            ended = "done"
        except KeyboardInterrupt:
            ended = "stopped"
        except ZeromassError:
            ended = "refused"
        except Exception as error:
            ended = "raw"
            self.wrong.append((f"{type(error).__name__}: {error}", text))
        finally:
            with suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
        if time.monotonic() - begin > self.bound + self.patience:
            ended = "hang"
            self.wrong.append((f"it went on for {time.monotonic() - begin:.0f} s", text))
        self.counts[ended] += 1

    def verdict(self) -> None:
        """Prints the counts, and fails where something was wrong."""
        names = ("done", "refused", "stopped", "raw", "hang")
        print(", ".join(f"{name} {self.counts[name]}" for name in names) + ", crashes 0")
        if self.wrong:
            kinds = Counter(words[:100] for words, _ in self.wrong)
            print("\n".join(f"{count} × {words}" for words, count in kinds.most_common(20)))
        assert not self.wrong, f"{len(self.wrong)}, the first: {self.wrong[0][0]}\n{self.wrong[0][1]}"
