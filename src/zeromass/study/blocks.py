"""Members of a study in blocks: rectangular in its grid, and without gaps in the order of its members."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Blocks:
    """A grid of some `shape` cut into blocks: 1 along the first axes, a part along one, all of the others.

    >>> from zeromass.study.blocks import Blocks
    >>> blocks = Blocks.of((400, 400), 1024)
    >>> blocks.block, len(blocks), blocks.members(1)
    ((2, 400), 200, range(800, 1600))
    """

    shape: tuple[int, ...]
    block: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, ...], size: int) -> Blocks:
        """Blocks of at most so many members, about as many in each."""
        block, room = [1] * len(shape), max(1, size)
        for axis in reversed(range(len(shape))):
            parts = -(-shape[axis] // room)
            block[axis] = -(-shape[axis] // parts)
            room //= block[axis]
            if parts > 1:
                break
        return cls(tuple(shape), tuple(block))

    @property
    def axis(self) -> int:
        """The axis that is cut into parts; the last of those where blocks have length 1."""
        cut = [k for k, (n, part) in enumerate(zip(self.shape, self.block, strict=True)) if part < n]
        return cut[-1] if cut else 0

    @property
    def parts(self) -> int:
        """Blocks along that axis."""
        return -(-self.shape[self.axis] // self.block[self.axis])

    def __len__(self) -> int:
        return math.prod(self.shape[: self.axis]) * self.parts

    @property
    def count(self) -> int:
        """Of all members."""
        return math.prod(self.shape)

    def members(self, k: int) -> range:
        """The members of a block."""
        lead, part = divmod(k, self.parts)
        length, inner = self.shape[self.axis], math.prod(self.shape[self.axis + 1 :])
        first = part * self.block[self.axis]
        last = min(first + self.block[self.axis], length)
        return range((lead * length + first) * inner, (lead * length + last) * inner)

    def holding(self, member: int) -> int:
        """The block that a member is in."""
        length, inner = self.shape[self.axis], math.prod(self.shape[self.axis + 1 :])
        lead, place = divmod(member // inner, length)
        return lead * self.parts + place // self.block[self.axis]

    def place(self, k: int) -> tuple[slice, ...]:
        """Where a block stands in the grid."""
        members = self.members(k)
        first = np.unravel_index(members.start, self.shape)
        return tuple(slice(int(i), min(int(i) + n, m)) for i, n, m in zip(first, self.block, self.shape, strict=True))

    def __iter__(self) -> Iterator[range]:
        return (self.members(k) for k in range(len(self)))
