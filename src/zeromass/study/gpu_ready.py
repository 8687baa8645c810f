"""Members on their way to a graphics card: their starts, found and checked, and their rows."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np

from zeromass.study.chunk import Results, Study, blank, collect
from zeromass.study.gpu_lanes import Gpu
from zeromass.study.motions import Seated, seated
from zeromass.study.starts import Starts


class Ready:
    """Room for members that go to the card together, filled part by part, again and again.

    numbers  of the members in the study
    starts   of the members
    """

    def __init__(self, study: Study, lanes: Gpu, room: int) -> None:
        self._study, self._lanes, places = study, lanes, lanes.places
        self._numbers = shared((room,), np.int64)
        shapes = (room,), (room, places.order), (room, places.parameters)
        self._starts = Starts(*[shared(shape) for shape in shapes])
        self._rows, self._seated = shared((room, lanes.row.size)), shared((room,), np.bool_)
        self.numbers: np.ndarray = self._numbers[:0]

    def hold(self, parts: Iterable[range]) -> None:
        """Takes other members."""
        members = np.concatenate([np.arange(part.start, part.stop) for part in parts])
        self.numbers = self._numbers[: len(members)]
        self.numbers[:] = members
        self._seated[:] = False

    def make(self, first: int, last: int) -> dict[int, str]:
        """Finds and checks starts; those that are ordinary have their seat. Which have none, and why."""
        study, lanes = self._study, self._lanes
        starts, failed = study.members.starts(self._numbers[first:last])
        for all_, some in zip(self._starts.arrays, starts.arrays, strict=True):
            all_[first:last] = some
        good = np.setdiff1d(np.arange(len(starts)), list(failed))
        seats, table = seated(lanes, starts[good] if failed else starts, study.work.until)
        places = first + good[seats]
        self._rows[places], self._seated[places] = lanes.shortened(table), True
        return {first + k: why for k, why in failed.items()}

    def results(self, failed: dict[int, str]) -> Results:
        """What is kept of the members, once all of them are ready."""
        study, count = self._study, len(self.numbers)
        starts = Starts(*[array[:count] for array in self._starts.arrays])
        seats = np.flatnonzero(self._seated[:count])
        rows = self._rows[:count] if len(seats) == count else self._rows[seats]
        if len(seats):  # what all rows have in common
            self._lanes.shortened(self._lanes.table(*starts[seats[:1]].arrays, study.work.until))
        if not failed:
            return study.work.safely(starts, Seated(seats, rows))
        found, bad = blank(study.work, count), np.array(sorted(failed), dtype=int)
        collect(found, bad, study.without_start([failed[k] for k in bad.tolist()]))
        good = np.setdiff1d(np.arange(count), bad)
        if len(good):
            collect(found, good, study.work.safely(starts[good], Seated(np.searchsorted(good, seats), rows)))
        return found


def shared(shape: tuple[int, ...], kind: Any = np.float64) -> np.ndarray:
    """An array that copies of this process share with it."""
    count = int(np.prod(shape))
    size = count * np.dtype(kind).itemsize
    return np.frombuffer(mmap.mmap(-1, max(size, 1)), kind, count).reshape(shape)
