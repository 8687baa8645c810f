"""The members of a study: what varies, their starts, and the program that they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zeromass.compile.program import Program, compile, rolls
from zeromass.errors import EquationError, ZeromassError, shown
from zeromass.expression import Symbol
from zeromass.expression.leaves import namesake
from zeromass.integrate import Limits
from zeromass.integrate.outcome import at_start
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.given import given_mapping, given_numbers, value_of
from zeromass.model.state import parameter_values
from zeromass.study.check import indefinite
from zeromass.study.newton import NewtonStarts
from zeromass.study.starts import Starts

StartOf = State | Callable[..., State]
"""A start, made again for each member from what it was made of; or a function of the parameters' values, by name."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The values of parameters over which a study goes.

    names   of the dimensions
    shape   their lengths
    values  {parameter: (the dimension along which it varies, its values)}

    `axes[which]` is the table of values for some members: that of all of them is never made.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    values: Mapping[Symbol, tuple[tuple[str], np.ndarray]]

    def __len__(self) -> int:
        """Of all members."""
        return math.prod(self.shape)

    def __getitem__(self, which: np.ndarray) -> np.ndarray:
        """Values of the parameters for some members, shape (members, parameters); the last dimension is the fastest."""
        places = dict(zip(self.names, np.unravel_index(which, self.shape), strict=True))
        return np.stack([values[places[dimension]] for (dimension,), values in self.values.values()], axis=-1)


def axes_of(over: Mapping[Any, Any]) -> Axes:
    """Grids from {parameter: values}; parameters of a joint list, as from `samples`, vary along one dimension."""
    names: list[str] = []
    shape: list[int] = []
    values: dict[Symbol, tuple[tuple[str], np.ndarray]] = {}
    if not given_mapping(over, "over", "{parameter: values}"):
        raise ModelError("over is empty: give {parameter: values}")
    for key, given in over.items():
        if not isinstance(key, Symbol) or key.kind != "parameter":
            raise ModelError(f"over: {shown(key)} is no zm.parameter")
        if any(other.name == key.name for other in values):
            raise ModelError(f"over: two parameters have the name '{key.name}'; the Dataset tells them apart by names")
        if isinstance(given, Sampled):
            dimension, numbers = given.dimension, given.values
        else:
            dimension, numbers = (
                key.name,
                np.atleast_1d(given_numbers(given, f"over: the values of '{key.name}'", finite=False)),
            )
        if numbers.ndim != 1 or not len(numbers) or not np.all(np.isfinite(numbers)):
            raise ModelError(f"over: the values of '{key.name}' are no list of finite numbers")
        if dimension in names and dimension in (key.name, *(other.name for other in values)):
            raise ModelError(f"over: '{dimension}' is a parameter and a dimension of samples; give one another name")
        if dimension not in names:
            names.append(dimension)
            shape.append(len(numbers))
        elif shape[names.index(dimension)] != len(numbers):
            raise ModelError(
                f"over: '{key.name}' has {len(numbers)} values along '{dimension}', others have other numbers"
            )
        values[key] = ((dimension,), numbers)
    return Axes(tuple(names), tuple(shape), values)


@dataclass(frozen=True, eq=False)
class Sampled:
    """Values of a parameter in a joint list of samples."""

    dimension: str
    values: np.ndarray


class Members:
    """Members of a system: parameter values in a table, shape (members, parameters), and how each of them starts.

    The table may be anything that gives the rows of some members.

    first   start of the first member that has one, and `leader` its number
    """

    system: System
    parameters: tuple[Symbol, ...]
    table: Axes | np.ndarray
    leader: int
    first: State

    def __init__(self, system: System, start: StartOf, parameters: Sequence[Symbol], table: Axes | np.ndarray) -> None:
        start = start.after_event if isinstance(start, State) else start
        self.system, self._start, self.parameters, self.table = system, start, tuple(parameters), table
        known = {*system.parameters}
        if isinstance(start, State):
            if start.system is not system:
                raise ModelError("the start belongs to another system; make it with system.start(…)")
            known |= {*(start.made_of.parameters if start.made_of else ())}
            strangers = [p for p in self.parameters if p not in known]
            if strangers:
                raise ModelError(
                    f"over: '{strangers[0].name}' stands neither in the model nor in the start; its parameters are: "
                    f"{', '.join(p.name for p in known) or 'none'}{namesake(strangers[0], known)}"
                )
        self.leader, self.first = self._remembered_first()

    def _remembered_first(self) -> tuple[int, State]:
        """The same as in the last study of the system, if that began with the same start and values."""
        given, memory = self._start, self.system.memory
        if not isinstance(given, State):
            return self._first()
        key = self.parameters, self.table[np.arange(1)].tobytes()
        known = memory.get("first start")
        if known is None or known[0] is not given or known[1] != key or known[2] > 0:
            known = memory["first start"] = (given, key, *self._first())
        return known[2:]

    def _first(self) -> tuple[int, State]:
        """The first member that has a start; where none has one, the reason of the first."""
        reason: ZeromassError | None = None
        for k in range(len(self.table)):
            try:
                return k, self.start(k)
            except (StartError, EquationError) as error:
                reason = reason or error
        assert reason is not None
        raise reason

    def compiled(self) -> Program:
        """The program at the start of the first member that can begin; the error of the first where there is none."""
        try:
            return compile(self.system, self.first)
        except (EquationError, ModelError) as error:
            if self.alone:
                raise
            reason = error
        for k in range(self.leader + 1, len(self)):
            try:
                start = self.start(k)
                able = at_start(start, Limits().violation) is None
            except (StartError, EquationError, ModelError):
                continue
            if able:
                self.leader, self.first = k, start
                return compile(self.system, start)
        raise reason

    def __len__(self) -> int:
        return len(self.table)

    @property
    def alone(self) -> bool:
        """Whether each member moves by itself: the code of a large system is for one at a time."""
        return rolls(self.system)

    def values(self, k: int) -> dict[Symbol, float]:
        return dict(zip(self.parameters, self.table[np.array([k])][0].tolist(), strict=True))

    def start(self, k: int) -> State:
        """The start of one member, made as `system.start` makes it."""
        values, given = self.values(k), self._start
        if not isinstance(given, State):
            named = {p.name: x for p, x in values.items()}
            state = value_of(partial(given, **named), (), f"the start, with {', '.join(named)},")
            own = {p: x for p, x in values.items() if p in self.system.parameters}
            if not isinstance(state, State) or state.system is not self.system:
                raise ModelError("start(…) gave no state of the system of the study")
            if any(state.parameters[p] != x for p, x in own.items()):
                raise ModelError("start(…) gave a state with other values of the parameters: use parameters={…} there")
            return state
        all_ = {**given.parameters, **values}
        if given.made_of is not None:
            return given.made_of.start(self.system, all_)
        return State(self.system, given.t, given.q, given.v, parameter_values(self.system, all_))

    def starts(self, which: np.ndarray) -> tuple[Starts, dict[int, str]]:
        """Starts of some members, and why those that have none have none; these stand where the first one does."""
        given = self._start
        if isinstance(given, State) and given.made_of is None:
            shifted = self._shifted(which)
            return shifted, self._refused(shifted)
        if not isinstance(given, State) or self.alone or not NewtonStarts.possible(self.first):
            found, slow = self._blank(len(which)), np.arange(len(which))
        else:
            found, fine = self._newton_starts(which)
            slow = np.flatnonzero(~fine)
        failed: dict[int, str] = {}
        for k in slow.tolist():
            try:
                one = Starts.of([self.start(int(which[k]))])
                found.t[k], found.y[k], found.parameters[k] = one.t[0], one.y[0], one.parameters[0]
            except (StartError, EquationError) as error:
                failed[k] = str(error)
                one = Starts.of([self.first])
                found.t[k], found.y[k], found.parameters[k] = one.t[0], one.y[0], one.parameters[0]
        return found, {**self._refused(found), **failed}

    def _refused(self, starts: Starts) -> dict[int, str]:
        """Which starts can not be, and why."""
        return {**({} if self.alone else indefinite(self.system, starts)), **self.system.refused(*starts.arrays)}

    def _blank(self, count: int) -> Starts:
        n, p = 2 * len(self.first.q), len(self.system.parameters)
        return Starts(np.full(count, self.first.t), np.empty((count, n)), np.empty((count, p)))

    def _shifted(self, which: np.ndarray) -> Starts:
        found = self._blank(len(which))
        found.y[:] = np.concatenate([self.first.q, self.first.v])
        found.parameters[:] = self._all_values(which)[:, : len(self.system.parameters)]
        return found

    def _all_values(self, which: np.ndarray) -> np.ndarray:
        """Values of the system's parameters and then of those of the start alone, shape (k, parameters)."""
        given = self._start
        assert isinstance(given, State)
        columns, rows = [], self.table[which]
        for p in self._symbols:
            if p in self.parameters:
                columns.append(rows[:, self.parameters.index(p)])
            else:
                made_with = given.made_of.values if given.made_of else {}
                columns.append(np.full(len(which), given.parameters.get(p, made_with.get(p, p.default))))
        return np.stack(columns, axis=1) if columns else np.empty((len(which), 0))

    @property
    def _symbols(self) -> list[Symbol]:
        given, own = self._start, list(self.system.parameters)
        made_of = given.made_of if isinstance(given, State) else None
        return own + [p for p in (made_of.parameters if made_of else ()) if p not in own]

    def _newton_starts(self, which: np.ndarray) -> tuple[Starts, np.ndarray]:
        first, memory = self.first, self.system.memory
        known: NewtonStarts | None = memory.get("newton starts")
        if known is None or known.first is not first or known.parameters != tuple(self._symbols):
            values = self._all_values(np.array([self.leader]))[0].tolist()
            known = memory["newton starts"] = NewtonStarts(first, self._symbols, values)
        return known(self._all_values(which))
