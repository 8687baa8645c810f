"""What a run gives: states at the steps, any expression along them or at any time, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.equation import numerical_rank
from zeromass.equation.inverse import least_norm_multipliers
from zeromass.expression import Evaluator, Symbol, expressions, symbols
from zeromass.integrate.dense import DenseOutput
from zeromass.integrate.events import Occurrence
from zeromass.integrate.outcome import Outcome
from zeromass.integrate.passages import Passage, passages
from zeromass.model import ModelError, State, System


@dataclass(frozen=True)
class Statistics:
    """What a run cost."""

    steps: int
    rejected: int
    evaluations: int
    repivots: int
    growth: float

    def __str__(self) -> str:
        return (
            f"{self.steps} steps, {self.rejected} rejected, {self.evaluations} evaluations, {self.repivots} re-pivots, "
            f"{np.log10(max(self.growth, 1.0)):.1f} digits lost at worst in a pivot"
        )


class Sampled:
    """Expressions of a run at given times."""

    def __init__(self, run: Trajectory, t: np.ndarray, y: np.ndarray) -> None:
        self._run, self.t, self.y = run, t, y
        for array in (self.t, self.y):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, e: Any) -> np.ndarray:
        """Values of an expression, shape (times,), or of an array of them, shape (times, …)."""
        e = expressions(e)
        system = self._run.system
        leaves = symbols(e)
        names, values = list(system.inputs), self.inputs
        if any(leaf.order == 2 or leaf.kind == "multiplier" for leaf in leaves):
            names, values = [*names, *system.accelerations], np.concatenate([values, self.acceleration], axis=1)
        if any(leaf.kind == "multiplier" for leaf in leaves):
            names, values = [*names, *system.multipliers], np.concatenate([values, self.multipliers], axis=1)
        unknown = [leaf for leaf in leaves if leaf not in set(names) and leaf.default is None]
        if unknown:
            raise ModelError(f"'{unknown[0]!r}' is nothing of this system, so the run has no values of it")
        return Evaluator(e, names)(values)

    @cached_property
    def inputs(self) -> np.ndarray:
        """Numbers in the order of `system.inputs`, shape (times, inputs)."""
        values = [self._run.parameters[p] for p in self._run.system.parameters]
        parameters = np.broadcast_to(np.array(values, dtype=float), (len(self.t), len(values)))
        return np.concatenate([self.t[:, None], self.y, parameters], axis=1)

    @cached_property
    def acceleration(self) -> np.ndarray:
        """q̈, shape (times, n)."""
        return self._run.compiled.accelerations(self.inputs)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """λ of all rows, shape (times, rows): the shortest, where redundant rows share a force."""
        compiled = self._run.compiled
        λ = compiled.function(self._run.system.multipliers)(self.inputs)
        if not compiled.elimination.dropped:
            return λ
        A = self._run.system.matrices(self.inputs).A
        locked = numerical_rank(A, rank=len(compiled.elimination.kept))
        return least_norm_multipliers(locked, A, np.einsum("tij,ti->tj", A, λ))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A run: immutable, dense.

    run[expression]           values at the steps, `run.t`
    run.at(times)[expression] values at any times
    run.outcome               how it ended, by name
    run.events                what happened on the way
    """

    system: System
    start: State
    t: np.ndarray
    y: np.ndarray
    outcome: Outcome
    statistics: Statistics
    events: tuple[Occurrence, ...]
    parameters: Mapping[Symbol, float]
    _compiled: Compiled | None = field(repr=False)
    settings: Mapping[str, Any]
    _growth: np.ndarray = field(repr=False)
    _dense: DenseOutput = field(repr=False)

    if TYPE_CHECKING:  # verbs of the packages further right, attached there

        def certificate(self) -> Any: ...
        def work(self) -> Any: ...
        def sensitivity(self, times: Any = None) -> Any: ...
        def lyapunov_exponent(self, *, every: float | None = None, seed: int = 0) -> float: ...
        def required_friction(self) -> Any: ...
        def pulling(self) -> Any: ...
        def maximum(self, expression: Any) -> Any: ...
        def minimum(self, expression: Any) -> Any: ...
        def view(self, path: Any, **options: Any) -> Any: ...
        def movie(self, path: Any, **options: Any) -> Any: ...
        def save(self, path: Any, *, certificate: Any = True, scenario: str | None = None) -> Any: ...
        def to_xarray(self, times: Any = None, *, certificate: Any = True, scenario: str | None = None) -> Any: ...
        def to_csv(self, path: Any, times: Any = None) -> Any: ...
        def to_parquet(
            self, path: Any, times: Any = None, *, certificate: Any = True, scenario: str | None = None
        ) -> Any: ...
        @property
        def plot(self) -> Any: ...

    def __post_init__(self) -> None:
        for array in (self.t, self.y, self._growth, *[event.y for event in self.events]):
            array.setflags(write=False)

    @property
    def compiled(self) -> Compiled:
        """The machine code that the run ended with."""
        if self._compiled is None:
            raise ModelError(f"the run has no accelerations, it could not begin: {self.outcome}")
        return self._compiled

    def __repr__(self) -> str:
        return f"Trajectory({self.t[0]:g} … {self.t[-1]:g} s, {self.outcome.ending.value}; {self.statistics})"

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def _steps(self) -> Sampled:
        return Sampled(self, self.t, self.y)

    def __getitem__(self, e: Any) -> np.ndarray:
        return self._steps[e]

    def at(self, times: Any) -> Sampled:
        """The run at given times within it."""
        times = np.atleast_1d(np.asarray(times, dtype=float)).copy()
        low, high = sorted((self.t[0], self.t[-1]))
        outside = times[~((times >= low) & (times <= high))]
        if outside.size:
            raise ModelError(f"t = {outside[0]:g} s is outside the run, which covers {low:g} … {high:g} s")
        return Sampled(self, times, self._dense(times))

    def state(self, t: float) -> State:
        """The state at one time, from which another run can start."""
        y = self.at(t).y[0]
        n = len(y) // 2
        return State(self.system, float(t), y[:n].copy(), y[n:].copy(), dict(self.parameters))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Singular positions that the run went through, with the constraints that lost independence there."""
        growth = Evaluator(self.compiled.growth, self.system.inputs)
        return passages(
            self.system,
            self.t[1:],
            self._growth,
            lambda t: float(growth(self.at(t).inputs)[0]),
            self.state,
        )
