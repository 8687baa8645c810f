"""Runs of the papers, whole or not at all."""

from __future__ import annotations

from zeromass.integrate.outcome import Ending
from zeromass.run import Run


def whole(run: Run) -> Run:
    """A run that nobody has interrupted: of a part of one no number of a paper follows."""
    if run.outcome.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    return run
