"""The segments of a motion, as a sequence that makes those of a driver when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from zeromass.integrate.segment import Segment
from zeromass.model import System


class Segments(Sequence[Segment]):
    """Segments that follow one another; a motion may go over thousands of switches, and few of them are looked at."""

    def __init__(self, found: Iterable[Segment] = ()) -> None:
        self._found: list[Segment | Callable[[], Segment]] = list(found)
        self._systems: dict[System, None] = dict.fromkeys(segment.system for segment in self)

    def append(self, segment: Segment) -> None:
        """Adds a segment."""
        self._found.append(segment)
        self._systems[segment.system] = None

    def promise(self, made: Iterable[Callable[[], Segment]], system: System) -> None:
        """Adds segments of a system that are made when they are asked for."""
        self._found += made
        self._systems[system] = None

    def extend(self, other: Segments) -> None:
        """Adds the segments of another sequence."""
        self._found += other._found
        self._systems |= other._systems

    def replace_last(self, segment: Segment) -> None:
        """Puts another segment in place of the last."""
        self._found[-1:] = [segment]
        self._systems[segment.system] = None

    @property
    def systems(self) -> list[System]:
        """What moves in them."""
        return list(self._systems)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, k: int) -> Segment: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Segment, ...]: ...
    def __getitem__(self, k: int | slice) -> Segment | tuple[Segment, ...]:
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(len(self))))
        found = self._found[k]
        if not isinstance(found, Segment):
            found = self._found[k] = found()
        return found

    def __iter__(self) -> Iterator[Segment]:
        return (self[k] for k in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Segments, (list(self),)
