"""What campaigns share: a seed that is printed, so that a failure can be had again, and bounds on time and memory."""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

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
