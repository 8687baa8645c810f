"""Memory that is lent and given back."""

from __future__ import annotations

from bisect import bisect


class Room:
    """Memory for what is left over: places are used again, the first that is large enough."""

    def __init__(self, first: int) -> None:
        self.end: int = first
        self._free: list[tuple[int, int]] = []
        """From where to where, in order, none beside another."""

    def take(self, size: int) -> int:
        for k, (first, last) in enumerate(self._free):
            if last - first >= size:
                self._free[k : k + 1] = [(first + size, last)] if last - first > size else []
                return first
        first = self.end
        if self._free and self._free[-1][1] == first:  # what is free at the end becomes larger
            first = self._free.pop()[0]
        self.end = first + size
        return first

    def give(self, first: int, size: int) -> None:
        k, last = bisect(self._free, (first, first)), first + size
        if k < len(self._free) and self._free[k][0] == last:
            last = self._free.pop(k)[1]
        if k and self._free[k - 1][1] == first:
            k, first = k - 1, self._free.pop(k - 1)[0]
        if last > first:
            self._free.insert(k, (first, last))
