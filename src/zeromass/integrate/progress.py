"""Who is told how far something is: a function, or a bar on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watching(
    progress: bool | Callable[[float], None], first: float, last: float, word: str
) -> Iterator[Callable[[float], None]]:
    """A function to be told the time reached, between the first and the last."""
    if callable(progress):
        yield progress
    elif progress:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(word, total=abs(last - first))
            yield lambda t: bar.update(task, completed=abs(t - first))
    else:
        yield lambda t: None
