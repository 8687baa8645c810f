"""The results of a study in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from zeromass.integrate.outcome import Ending
from zeromass.study.chunk import RECORDED, SIZE, Results, Study, blank, collect
from zeromass.study.labels import dataset
from zeromass.study.members import Axes

if TYPE_CHECKING:
    import xarray

FEWEST = 32
"""Members of a chunk at least, so that lanes have some to be refilled with."""

SHARE = 4
"""The part of what is left, for each process, that a chunk is: the last ones are small, and none waits long for another."""


class Gathered:
    """Results as they come in; members that were not reached are "interrupted"."""

    results: Results

    def __init__(self, axes: Axes, study: Study) -> None:
        self._axes, self._study = axes, study
        self.results = blank(study.work, len(study.members), Ending.INTERRUPTED.value)

    def left(self, hands: int) -> Iterator[range]:
        """All members, in chunks that become smaller where several processes share them."""
        count, most = len(self._study.members), RECORDED if self._study.work.recording else SIZE
        first = 0
        while first < count:
            fair = most if hands == 1 else max(FEWEST, -(-(count - first) // (SHARE * hands)))
            last = min(first + min(most, fair), count)
            yield range(first, last)
            first = last

    def take(self, members: np.ndarray, results: Results) -> None:
        collect(self.results, members, results)

    @property
    def done(self) -> int:
        """Members that were done before."""
        return 0

    def close(self) -> None:
        """Nothing is held."""

    def dataset(self) -> xarray.Dataset:
        return dataset(self._axes, self._study.work, self.results)
