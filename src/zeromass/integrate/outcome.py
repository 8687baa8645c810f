"""How a run ended: by name, with the place, the reason and the remedy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """The ways in which a run ends; each is equal to its words.

    >>> zm.Ending.NON_UNIQUE == "non-unique"
    True
    """

    FINISHED = "finished"
    EVENT = "event"
    NON_UNIQUE = "non-unique"
    INCONSISTENT = "inconsistent"
    SINGULAR_BRANCH = "singular branch"
    STEP_TOO_SMALL = "step too small"
    NOT_A_NUMBER = "not a number"
    INTERRUPTED = "interrupted"
    CHATTERING = "chattering"


@dataclass(frozen=True)
class Outcome:
    """How and where a run ended; `message` says where, why and what to do, in the user's names.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=2.0, events={"wall": x - 1.5})
    >>> print(run.outcome)
    event at t = 1.5 s: 'wall'
    >>> run.outcome.ending == "event", run.outcome.complete
    (True, True)
    """

    ending: Ending
    t: float
    message: str

    @property
    def complete(self) -> bool:
        """Whether the run went as far as it was asked to: to the end, or to a terminal event."""
        return self.ending in (Ending.FINISHED, Ending.EVENT)

    def __str__(self) -> str:
        return f"{self.ending.value} at t = {self.t:.9g} s" + (f": {self.message}" if self.message else "")


class RunStopped(UserWarning):
    """A run ended before it was asked to; the part that is good is kept.

    >>> import warnings
    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x))
    >>> with warnings.catch_warnings(action="ignore", category=zm.RunStopped):
    ...     run = zm.simulate(falling, falling.start({x: 1.0}), until=10.0)
    >>> run.outcome.ending.value, round(float(run.t[-1]), 6)
    ('not a number', 1.885618)
    """
