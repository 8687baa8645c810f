"""Arrays of a page that can be computed anew in it: each remembers the expressions and the times that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.expression import Expression, expressions
from zeromass.frozen import frozen
from zeromass.integrate import Course, Sampled


class Live(np.ndarray):
    """Values of expressions at times; `source` says which, for whoever packs them as they are."""

    source: dict[str, Any] | None = None

    @classmethod
    def of(cls, values: np.ndarray, source: dict[str, Any]) -> Live:
        found = np.asarray(values).view(cls)
        found.source = source
        return found

    def __array_finalize__(self, other: Any) -> None:
        self.source = None  # what is made from it is something else


def source(values: Any) -> dict[str, Any]:
    """What a page is told of an array that it can compute anew; nothing of others."""
    found = values.source if isinstance(values, Live) else None
    return {} if found is None else {"live": found}


@dataclass
class Asked:
    """Expressions that a page shows, and the times that it shows them at."""

    outputs: dict[Expression, int] = field(default_factory=dict)
    clocks: list[np.ndarray] = field(default_factory=list)

    def places(self, e: Any) -> list[int]:
        return [self.outputs.setdefault(x, len(self.outputs)) for x in expressions(e).ravel()]

    def clock(self, times: np.ndarray) -> int:
        for k, known in enumerate(self.clocks):
            if np.array_equal(known, times):
                return k
        self.clocks.append(times)
        return len(self.clocks) - 1


@frozen(repr=False)
class LiveCourse(Course):
    """A course that notes what it is asked for."""

    asked: Asked = field(default_factory=Asked)

    def at(self, times: ArrayLike) -> LiveSampled:
        return LiveSampled(self.segments, np.atleast_1d(np.array(times, dtype=float)), self.asked)


class LiveSampled(Sampled):
    """Samples that know where they come from."""

    def __init__(self, segments: Sequence[Any], times: np.ndarray, asked: Asked) -> None:
        super().__init__(segments, times)
        self._asked = asked

    def __getitem__(self, e: Any) -> np.ndarray:
        values = super().__getitem__(e)
        return Live.of(values, {"clock": self._asked.clock(self.t), "values": self._asked.places(e)})
