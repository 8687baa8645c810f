"""Events in a step: the roots of their functions, located by the kernel `locate_roots`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.kernel.language import compiled
from zeromass.kernel.roots import KNOWN, STACK, RootSearch, locate_roots
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.integrate.stepping.inside import Inside

Values = Callable[[float], np.ndarray]
"""All functions at a time, shape (functions,)."""

_EVALUATE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)


@contextmanager
def python_function(functions: Values, values: np.ndarray) -> Iterator[Any]:
    """A function for machine code that lets Python evaluate functions of time into an array.

    An error in Python is raised again when the machine code has returned.
    """
    failed: list[BaseException] = []

    def evaluate(_: int, t: float) -> None:
        try:
            values[:] = np.nan if failed else functions(t)
        except BaseException as error:
            failed.append(error)
            values[:] = np.nan

    yield _EVALUATE(evaluate)
    if failed:
        raise failed[0]


class Search:
    """Memory of `locate_roots` for some of several functions at some places, to be used again.

    values  where all functions are evaluated, shape (functions,)
    """

    def __init__(self, values: np.ndarray, places: int, columns: int) -> None:
        self.room: int = 3 * places * columns
        self.values = values
        self._places = np.empty(places)
        self._columns, self._turning = (np.empty(columns, dtype=np.int64) for _ in range(2))
        self._directions = np.empty(columns)
        self._times, self._which = np.empty(self.room), np.empty(self.room, dtype=np.int64)
        self.memory: RootSearch = RootSearch(
            values=self.values,
            places=self._places,
            looks=places,
            columns=self._columns,
            directions=self._directions,
            turning=self._turning,
            seen=np.empty((places, len(values))),
            points=np.empty((3 * places, 2)),
            stack=np.empty((STACK, 6)),
            known=np.empty((KNOWN, 3)),
            times=self._times,
            which=self._which,
        )

    def ask(
        self, places: Sequence[float], columns: Sequence[int], directions: Sequence[float], turning: Sequence[bool]
    ) -> None:
        """Says where which functions are searched, see `RootSearch`."""
        self._places[:], self._columns[:] = places, columns
        self._directions[:], self._turning[:] = directions, turning

    def look_at(self, places: Sequence[float]) -> None:
        """Where functions are looked at first, of more places for which there is room."""
        self._places[: len(places)], self.memory.looks = places, len(places)

    @property
    def looked_at(self) -> list[float]:
        """These places, and those that have been added."""
        return self._places[: self.memory.looks].tolist()

    def bind(self, evaluate: Any, context: int = 0) -> None:
        """Says by which machine code or ctypes function the functions are evaluated, and what that is given."""
        self.memory.evaluate, self.memory.context = evaluate, context

    def locate(self) -> None:
        """Finds the roots."""
        compiled(locate_roots)(self.memory)

    def found(self) -> tuple[list[float], list[int]]:
        """Times of the roots, in order of the step, and which of the columns they belong to."""
        count = self.memory.count
        return self._times[:count].tolist(), self._which[:count].tolist()


def event_roots(
    events: Sequence[Event],
    functions: Inside | Values,
    places: Sequence[float],
    turns: Callable[[Event], bool] = lambda event: True,
    columns: Sequence[int] | None = None,
) -> tuple[list[tuple[float, Event]], float]:
    """What happens in a step, in order of its course, and how well that is located.

    functions  of all events, in a step or as Python has them
    places     times in the step between which a function is like a parabola
    turns      whether that of an event may turn there, and not only at such times
    columns    where the functions of the events are among all of them, if not all are asked for
    """
    columns = range(len(events)) if columns is None else columns
    asked = places, columns, [e.direction for e in events], [turns(e) for e in events]
    if callable(functions):
        search = Search(np.empty(len(functions(places[0]))), len(places), len(columns))
        search.ask(*asked)
        with python_function(functions, search.values) as evaluate:
            search.bind(evaluate)
            search.locate()
    else:
        search = functions.memory.search(len(places), len(columns))
        search.ask(*asked)
        functions.search(search.locate, search)
    return [(t, events[k]) for t, k in zip(*search.found(), strict=True)], search.memory.tolerance
