"""Machine code of a large program, as stepping methods and runs ask for it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.codegen.target import FIRST, Code, host
from zeromass.compile.module import code
from zeromass.compile.repeated import repeated
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.expression import Expression, expressions, symbols
from zeromass.expression import t as time
from zeromass.model import Event, ModelError

if TYPE_CHECKING:
    from zeromass.compile.program import Program
    from zeromass.compile.rolled.along import Along
    from zeromass.compile.rolled.sharing import Sharing
    from zeromass.compile.rolled.shifted import Derivatives, Shifted
    from zeromass.compile.rolled.timed import Timed
    from zeromass.compile.rolled.watching import Watching


class RolledNative:
    """Machine code of a program whose code is rolled; see `Native`."""

    busy: bool = False
    pivots: int = 0
    telling: tuple[Expression, ...] = ()

    def __init__(self, program: Program, structure: Structure) -> None:
        self.program: Program = program
        self.structure: Structure = structure
        self._machines: dict[tuple[str, int], Machine] = {}
        self._codes: dict[Any, Code] = {}
        self._along: dict[tuple[int, int], Along] = {}
        self._one_at_a_time = Lock()

    def machine(self, task: str, lanes: int) -> Machine:
        """The machine of a task, made once; that of one state keeps its values."""
        if (task, lanes) not in self._machines:
            self._machines[task, lanes] = self.structure.machine(task, lanes, shared=lanes > 1)
        return self._machines[task, lanes]

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of `rhs(t, y, parameters, slopes, growth, pivots)`; see `Native.rhs`."""
        return self._code(("rhs", lanes), lambda: self.machine("motion", lanes).code("rhs"))

    @property
    def corrections(self) -> Code | None:
        """Machine code of the corrections; None without any."""
        return self.correcting(1)

    def correcting(self, lanes: int) -> Code | None:
        """The same in lanes."""
        names = list(self.program.corrections)
        if not names:
            return None
        made = ("corrections", lanes)
        return self._code(made, lambda: Machine.together([self.machine(name, lanes) for name in names]))

    def events(self, events: Sequence[Event], lanes: int) -> Code | None:
        """Machine code of `event(t, y, parameters, values)`; None where there is nothing to watch."""
        if not events:
            return None
        return self._code(("events", tuple(events), lanes), lambda: self._events(events, lanes))

    def _events(self, events: Sequence[Event], lanes: int) -> Code:
        if self.watching is not None:
            others = [event for event in events if event.zero not in self.watching.places]
            stated = dict(zip(others, self.program.stated(others), strict=True))
            return self.watching.code("event", [stated.get(event, event.zero) for event in events], lanes)
        zeros = expressions(self.program.stated(events))
        if any(leaf.order == 2 or leaf.kind == "multiplier" for leaf in symbols(zeros)):
            from zeromass.compile.rolled.watching import Watching, check_following  # few events ask for it

            check_following(zeros, self.program)
            return Watching(self.structure, ()).code("event", list(zeros), lanes)
        return code({"event": (self.program.inputs, [list(zeros)])}, host().lanes(lanes), effort=FIRST)

    def along(self, lanes: int) -> Along:
        """Machine code of a motion with its tangents, one in each lane, for this thread."""
        from zeromass.compile.rolled.along import Along  # few runs are asked for tangents

        key = lanes, get_ident()
        if key not in self._along:
            self._along[key] = Along(self.structure, lanes)
        return self._along[key]

    def jacobian(self, inputs: np.ndarray) -> np.ndarray:
        """∂q̈/∂(q, q̇) at one state, shape (n, 2n), from numbers in the order of `system.inputs`."""
        along, system = self.along(host().width), self.program.system
        n, lanes = len(system.coordinates), along.lanes
        given = np.append(inputs, np.zeros(len(system.parameters) + 1))  # the parameters do not change
        t, y, p = np.split(np.repeat(given[:, None], lanes, axis=1), [1, 2 * n + 1])
        growth, (δy, ẏ, δẏ) = np.zeros(lanes), np.zeros((3, 2 * n, lanes))
        call, found = along.code.function("tangent", None, *[ctypes.c_void_p] * 7), np.empty((2 * n, n))
        for first in range(0, 2 * n, lanes):
            columns = np.arange(first, min(first + lanes, 2 * n))
            δy[:] = 0.0
            δy[columns, columns - first] = 1.0
            call(*[x.ctypes.data for x in (t, y, δy, p, ẏ, δẏ, growth)])
            found[columns] = δẏ[n:, columns - first].T
        return found.T

    def by_parameters(self, inputs: np.ndarray) -> np.ndarray:
        """∂q̈/∂p at one state, shape (n, parameters), from numbers in the order of `system.inputs`."""
        n, p = len(self.program.system.coordinates), len(self.program.system.parameters)
        call = self.along(1).code.function("tangent", None, *[ctypes.c_void_p] * 7)
        t, y = np.ascontiguousarray(inputs[:1]), np.ascontiguousarray(inputs[1 : 1 + 2 * n])
        still, growth, (ẏ, δẏ) = np.zeros(2 * n), np.zeros(1), np.empty((2, 2 * n))
        found = np.empty((n, p))
        for k in range(p):
            values = np.concatenate([inputs[1 + 2 * n :], np.eye(p)[k]])
            call(*[x.ctypes.data for x in (t, y, still, values, ẏ, δẏ, growth)])
            found[:, k] = δẏ[n:]
        return found

    def by_time(self, inputs: np.ndarray) -> np.ndarray:
        """∂q̈/∂t at one state that is held, shape (n,), from numbers in the order of `system.inputs`."""
        if not self._timed:
            return np.zeros(len(self.program.system.coordinates))
        with self._one_at_a_time:
            return self._timed(inputs)

    @cached_property
    def _timed(self) -> Timed | None:
        """What tells it; None of a system that knows no time."""
        if time not in self.program.system.contents[0]:
            return None
        from zeromass.compile.rolled.timed import Timed  # few are asked for it

        return Timed(self.structure)

    @property
    def shifted(self) -> Shifted:
        """The linear systems of implicit methods, each time anew: they keep what was factored."""
        from zeromass.compile.rolled.shifted import Shifted  # few systems are stiff

        return Shifted(self._derivatives)

    @cached_property
    def _derivatives(self) -> Derivatives:
        """The derivatives that implicit methods need, derived and compiled once."""
        from zeromass.compile.rolled.shifted import Derivatives  # few systems are stiff

        return Derivatives(self.structure, self._alone, self._one_at_a_time)

    def _code(self, key: Any, made: Callable[[], Code]) -> Code:
        if key not in self._codes:
            self._codes[key] = made()
        return self._codes[key]

    def called(self, evaluations: int) -> None:
        """Counts nothing: the code is as good as it gets."""

    # functions of arrays of states -----------------------------------------------------------------------------------
    def accelerations(self, inputs: np.ndarray) -> np.ndarray:
        """q̈ of arrays of states, shape (k, n), from numbers in the order of `system.inputs`."""
        return self._solved(inputs)[0]

    def growth(self, inputs: np.ndarray) -> np.ndarray:
        """The growth of the pivots, of arrays of states."""
        inputs = np.asarray(inputs, dtype=float)
        return self._solved(inputs.reshape(-1, inputs.shape[-1]))[1].reshape(inputs.shape[:-1])

    def multipliers(self, inputs: np.ndarray) -> np.ndarray:
        """λ of all rows, shape (k, rows); those of unit quaternions, which nothing else depends on, are not numbers.

        Where rows share a force, the shortest; see `zeromass.compile.rolled.sharing`.
        """
        n, found = len(self.program.system.coordinates), np.full((len(inputs), len(self.structure.system.rows)), np.nan)
        with self._one_at_a_time:
            machine = self._alone
            for k, row in enumerate(inputs):
                machine(float(row[0]), row[1 : 1 + 2 * n], row[1 + 2 * n :], 2 * n)
                x = machine.values[machine.unknowns + self.structure.row_unknowns, 0]
                found[k, self.structure.rows] = -x  # M q̈ − Aᵀλ = Q
                if self.structure.dropped:
                    found[k, self.structure.rows] = self.sharing.shortest(row, -x)
        return found[:, : len(self.program.system.rows)]

    @cached_property
    def sharing(self) -> Sharing:
        """How rows that repeat others share a force."""
        from zeromass.compile.rolled.sharing import Sharing  # few runs are asked for it

        return Sharing(self.structure)

    @cached_property
    def watching(self) -> Watching | None:
        """The functions of the switches of a system on its pieces; None of one that has none."""
        functions = self.program.system.memory.get("functions of switches")
        if functions is None:
            return None
        from zeromass.compile.rolled.watching import Watching  # few systems switch

        return Watching(self.structure, functions)

    @cached_property
    def _alone(self) -> Machine:
        """One whose memory nobody else writes to."""
        return self.structure.machine("motion", 1)

    def _solved(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        system, lanes = self.program.system, host().width
        n, count = len(system.coordinates), len(inputs)
        address = self.rhs(lanes).address("rhs")
        q̈, growth, pivots = np.empty((count, n)), np.empty(count), np.zeros((1, 1, lanes))
        for first in range(0, count, lanes):
            block = inputs[first : first + lanes]
            rows = np.concatenate([block, np.repeat(block[-1:], lanes - len(block), axis=0)])
            columns = np.ascontiguousarray(rows.T)[None]
            values = columns[:, 1 + 2 * n :] if columns.shape[1] > 1 + 2 * n else np.zeros((1, 1, lanes))
            slopes, grown = np.empty((1, n, lanes)), np.empty((1, 1, lanes))
            repeated(address, [columns, columns[:, 1:], values, slopes, grown, pivots])
            q̈[first : first + lanes] = slopes[0].T[: len(block)]
            growth[first : first + lanes] = grown[0, 0, : len(block)]
        return q̈, growth

    def function(self, e: Any) -> Callable[[np.ndarray], np.ndarray]:
        """Any expressions as a function of arrays of states."""
        e = expressions(e)
        system = self.program.system
        if e.shape == system.multipliers.shape and all(a is b for a, b in zip(e, system.multipliers, strict=True)):
            return self.multipliers
        from zeromass.expression import Evaluator

        leaves = symbols(e)
        names = [*system.inputs]
        if any(leaf.kind == "multiplier" for leaf in leaves):
            names += [*system.accelerations, *system.multipliers]
            evaluator = Evaluator(e, names)
            return lambda inputs: evaluator(
                np.concatenate([inputs, self.accelerations(inputs), self.multipliers(inputs)], axis=1)
            )
        if any(leaf.order == 2 for leaf in leaves):
            evaluator = Evaluator(e, [*names, *system.accelerations])
            return lambda inputs: evaluator(np.concatenate([inputs, self.accelerations(inputs)], axis=1))
        return Evaluator(e, names)

    def __getattr__(self, name: str) -> Any:
        if name in ("rows", "tangent", "tangent_entries"):
            raise ModelError(
                f"the program has {len(self.program.system.coordinates)} coordinates and its code is rolled: it has no "
                "equations with all their entries"
            )
        raise AttributeError(name)
