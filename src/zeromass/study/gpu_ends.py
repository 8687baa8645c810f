"""Members as they left a card: the part of their rows that was there, and the whole rows where somebody looks at them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from zeromass.integrate.stepping.layout import Real64
from zeromass.study.gpu_layout import Row
from zeromass.study.lanes import Ends
from zeromass.study.layout import Own


class GpuEnds(Ends):
    """The same as `Ends`; the table is made when it is asked for, and holds from then on.

    row       what the rows have, shape (members, row.size)
    template  the row of a member in the table, for what all have in common
    """

    row: Row
    template: np.ndarray
    rows: np.ndarray

    def __init__(self, row: Row, template: np.ndarray, rows: np.ndarray, record: np.ndarray) -> None:
        self.__dict__.update(row=row, template=template, rows=rows, places=row.places, record=record)

    @cached_property
    def table(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        found = np.repeat(self.template[None], len(self.rows), axis=0)
        found[:, self.row.columns] = self.rows
        return found

    def __getattr__(self, name: str) -> np.ndarray:
        place = next((numbers[name] for numbers in (Own, Real64) if name in numbers.__members__), None)
        if place is None:
            raise AttributeError(name)
        known = self.__dict__["row"].numbers
        if "table" in self.__dict__ or place not in known:
            return self.table[:, place]
        return self.__dict__["rows"][:, known[place]]

    @property
    def y(self) -> np.ndarray:
        if "table" in self.__dict__:
            return super().y
        first = self.row.state
        return self.rows[:, first : first + self.places.order]
