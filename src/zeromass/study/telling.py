"""Who is told how far a study is: a function, or a bar on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from zeromass.integrate.outcome import Ending
from zeromass.model import ModelError
from zeromass.model.given import shown, value_of

Tell = Callable[[int, int], None]
"""Is told how many more members are done, and how many of these have failed."""

GOOD = (Ending.FINISHED.value, Ending.EVENT.value)
"""Outcomes of members that have come to their end; others count as failed."""


def failures(outcomes: np.ndarray) -> int:
    """How many members have not come to their end."""
    return int(np.sum(~np.isin(np.asarray(outcomes, dtype=str), GOOD)))


@contextmanager
def telling(progress: bool | Callable[[int, int], None], total: int) -> Iterator[Tell]:
    """Tells a function how many members are done, of how many; or draws a bar with rate, failures and remaining time."""
    if not callable(progress) and not isinstance(progress, int | np.bool_ | None):
        raise ModelError(f"progress is {shown(progress)}; it is True or False, or a function of the members done")
    if callable(progress):
        done = 0

        def tell(more: int, failed: int) -> None:
            nonlocal done
            done += more
            value_of(progress, (done, total), "progress")

        yield tell
    elif progress:
        with _bar(total) as advance:
            yield advance
    else:
        yield lambda more, failed: None


@contextmanager
def _bar(total: int) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    words = TextColumn("{task.fields[rate]}{task.fields[failed]}")
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("members"), words, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("sweeping", total=total, rate="", failed="")
        bad = 0

        def advance(more: int, failed: int) -> None:
            nonlocal bad
            bad += failed
            bar.advance(task, more)
            speed = bar.tasks[0].speed
            rate = f"{speed:.0f} a second" if speed else ""
            bar.update(task, rate=rate, failed=f", {bad} failed" if bad else "")

        yield advance
