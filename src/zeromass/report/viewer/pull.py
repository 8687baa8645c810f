"""Bodies that are pulled with the mouse in an interactive page: the force on each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.equation import solve
from zeromass.expression import Expression, Symbol, evaluate, jacobian, parameter, rate, t
from zeromass.model import State, System
from zeromass.model.feedback import with_feedback
from zeromass.model.quaternion import rotation

NAMES = (*(f"{name}_{axis}" for name in ("point", "cursor", "velocity") for axis in "xyz"), "since", "lag")
"""Parameters of a pull beside its stiffness: the point in the axes of the body, m; the cursor, m, where it is at a time, s,
and its velocity, m/s; and the lag, s."""

HELD = 1e-9
"""Part of the largest mobility in the system below which a body counts as held by its constraints."""


Formulas = tuple[Expression, ...]


class Pull:
    """Force on one body of a system, towards a cursor:

        F = k (c − p + T (v − ṗ)),    c = c₀ + v (t − t₀)

    p  point of the body, fixed in it; c  cursor, and v its velocity; k  stiffness, N/m; T  lag, s, so that k T is the
    damping, N s/m. All but p are parameters, and k is zero for each body that is not pulled. The page chooses k and T:
    critical damping of the body's effective mass.

    drawn  of each body of the picture its position and quaternion, 7 expressions, or of what does not turn 3; else none
    """

    def __init__(self, start: State, drawn: Sequence[Formulas]) -> None:
        self._start = start
        self._drawn = drawn
        self.why = self._why_not()

    def _why_not(self) -> str | None:
        system = self._start.system
        if system.large:
            return "bodies of large systems can not be pulled: the forces of these are loops over kinds of parts"
        if not self._bodies:
            return "no body can be pulled: constraints and time alone determine where the bodies are"
        return None

    @cached_property
    def _mobility(self) -> dict[Formulas, float]:
        """Of each body that coordinates move: the mean acceleration of its origin for a unit force on it, 1/kg."""
        found: dict[Formulas, float] = {}
        numbers = self._start.system.matrices(self._start.inputs)
        known = dict(zip(self._start.system.inputs, self._start.inputs, strict=True))
        for key in dict.fromkeys(filter(None, self._drawn)):
            J = np.array(evaluate(jacobian(key[:3], self._start.system.coordinates), known), float)
            if not J.any():
                continue
            moved = [solve(numbers.M, f, numbers.A, np.zeros(len(numbers.A))).acceleration for f in J]
            found[key] = float(np.trace(J @ np.array(moved).T)) / 3
        return found

    @cached_property
    def _bodies(self) -> dict[Formulas, float]:
        """Effective masses of the bodies that can be pulled, kg."""
        if self._start.system.large:
            return {}
        most = max(self._mobility.values(), default=0.0)
        return {key: 1 / some for key, some in self._mobility.items() if some > HELD * most}

    @cached_property
    def _prefix(self) -> str:
        """With which no parameter of the system begins."""
        names, prefix = [p.name for p in self._start.system.parameters], "pull_"
        while any(name.startswith(prefix) for name in names):
            prefix += "_"
        return prefix

    @cached_property
    def parameters(self) -> dict[str, Symbol]:
        """Those that are not the stiffness of a body, by their names in the page."""
        return {name: parameter(self._prefix + name, 0.0) for name in NAMES}

    @cached_property
    def stiffnesses(self) -> list[Symbol]:
        """Of each body that can be pulled."""
        return [parameter(f"{self._prefix}stiffness_{k}", 0.0) for k in range(len(self._bodies))]

    @cached_property
    def system(self) -> System:
        """The system with a force on each body, zero until that is pulled."""
        system, values = self._start.system, [*self.parameters.values()]
        point, first, velocity = (np.array(values[k : k + 3]) for k in (0, 3, 6))
        since, lag = values[9:]
        cursor = first + velocity * (t - since)
        acting = {}
        for stiffness, key in zip(self.stiffnesses, self._bodies, strict=True):
            p = np.array(key[:3], dtype=object)
            if len(key) > 3:
                p = p + rotation(key[3:]) @ point
            acting[stiffness] = (cursor - p + lag * (velocity - rate(p))) @ jacobian(p, system.coordinates)
        return with_feedback(system, {}, acting)

    @property
    def start(self) -> State:
        """The start of the motion that is pulled; others go on from states of their own."""
        return self.state(self._start)

    def state(self, of: State) -> State:
        """A state of the system as one of the system with the forces, where no body is pulled."""
        hidden = dict.fromkeys([*self.parameters.values(), *self.stiffnesses], 0.0)
        return State(self.system, of.t, of.q, of.v, {**of.parameters, **hidden})

    def data(self) -> dict[str, Any]:
        """What the page is told: names of parameters; of each body of the picture its stiffness and effective mass, kg."""
        named = dict(zip(self._bodies, self.stiffnesses, strict=True))
        return {
            "parameters": {name: symbol.name for name, symbol in self.parameters.items()},
            "bodies": [[named[key].name, self._bodies[key]] if key in named else None for key in self._drawn],
        }
