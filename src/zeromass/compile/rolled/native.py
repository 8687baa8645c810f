"""Machine code of a large program, as stepping methods and runs ask for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.compile.module import code
from zeromass.compile.repeated import repeated
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.target import FIRST, Code, host
from zeromass.expression import Expression, expressions, symbols
from zeromass.model import Event, ModelError

if TYPE_CHECKING:
    from zeromass.compile.program import Program

AT_ONCE = 2**22
"""Numbers of states that are laid out in lanes at once."""


class RolledNative:
    """Machine code of a program whose code is rolled; see `Native`."""

    busy: bool = False
    pivots: int = 0
    telling: tuple[Expression, ...] = ()

    def __init__(self, program: Program, structure: Structure) -> None:
        self.program, self.structure = program, structure
        self._machines: dict[tuple[str, int], Machine] = {}
        self._codes: dict[Any, Code] = {}

    def machine(self, task: str, lanes: int) -> Machine:
        """The machine of a task, made once."""
        if (task, lanes) not in self._machines:
            self._machines[task, lanes] = self.structure.machine(task, lanes)
        return self._machines[task, lanes]

    def rhs(self, lanes: int = 1) -> Code:
        """Machine code of `rhs(t, y, parameters, slopes, growth, pivots)`; see `Native.rhs`."""
        return self._code(("rhs", lanes), lambda: self.machine("motion", lanes).code("rhs"))

    @property
    def corrections(self) -> Code | None:
        """Machine code of the corrections; None without any."""
        names = list(self.program.corrections)
        return (
            self._code("corrections", lambda: Machine.together([self.machine(n, 1) for n in names])) if names else None
        )

    def events(self, events: Sequence[Event], lanes: int) -> Code | None:
        """Machine code of `event(t, y, parameters, values)`; None where there is nothing to watch."""
        if not events:
            return None
        functions = {"event": (self.program.inputs, [self.program.zeros(events)])}
        return self._code(("events", tuple(events), lanes), lambda: code(functions, host().lanes(lanes), effort=FIRST))

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

    def multipliers(self, inputs: np.ndarray) -> np.ndarray:
        """λ of all rows, shape (k, rows); those of unit quaternions, which nothing else depends on, are not computed."""
        return self._solved(inputs, forces=True)[2]

    def growth(self, inputs: np.ndarray) -> np.ndarray:
        """The growth of the pivots, of arrays of states."""
        inputs = np.asarray(inputs, dtype=float)
        return self._solved(inputs.reshape(-1, inputs.shape[-1]))[1].reshape(inputs.shape[:-1])

    def _solved(self, inputs: np.ndarray, forces: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        system, lanes = self.program.system, host().width
        n, count = len(system.coordinates), len(inputs)
        machine = self.machine("motion", lanes)
        address = self.rhs(lanes).address("rhs")
        q̈, growth = np.empty((count, n)), np.empty(count)
        λ = np.full((count, len(system.rows) if forces else 0), np.nan)
        some = max(1, AT_ONCE // (inputs.shape[1] * lanes)) * lanes if not forces else lanes
        pivots = np.zeros((1, 1, lanes))
        for first in range(0, count, some):
            block = inputs[first : first + some]
            groups = -(-len(block) // lanes)
            rows = np.concatenate([block, np.repeat(block[-1:], groups * lanes - len(block), axis=0)])
            columns = np.ascontiguousarray(rows.reshape(groups, lanes, -1).swapaxes(1, 2))
            slopes, grown = np.empty((groups, n, lanes)), np.empty((groups, 1, lanes))
            values = columns[:, 1 + 2 * n :] if columns.shape[1] > 1 + 2 * n else np.zeros((groups, 1, lanes))
            for g in range(groups):
                arrays = [columns[g : g + 1], columns[g : g + 1, 1:], values[g : g + 1], slopes[g : g + 1]]
                repeated(address, [*arrays, grown[g : g + 1], pivots])
            q̈[first : first + len(block)] = slopes.swapaxes(1, 2).reshape(-1, n)[: len(block)]
            growth[first : first + len(block)] = grown[:, 0].ravel()[: len(block)]
            if forces:
                x = machine.values[machine.unknowns + self.structure.row_unknowns]
                λ[first : first + len(block), self.structure.rows] = -x.T[: len(block)]  # M q̈ − Aᵀλ = Q
        return q̈, growth, λ

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
        if name in ("rows", "tangent", "tangent_entries", "jacobian"):
            raise ModelError(
                f"the program has {len(self.program.system.coordinates)} coordinates and its code is rolled: it has no "
                'tangent, which implicit methods and sensitivities need; take method="collocation" or fewer parts'
            )
        raise AttributeError(name)
