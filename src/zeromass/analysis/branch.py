"""Branches of rest or steady motion along a parameter, with their folds and bifurcations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from zeromass.analysis.balance import Constant, constants
from zeromass.analysis.continuation import CONVERGED, Path
from zeromass.analysis.linear import ON_AXIS, Eigenvalues
from zeromass.analysis.linearize import Formulas
from zeromass.equation.arrays import single_thread
from zeromass.errors import quoted, shown
from zeromass.expression import Expression, Symbol
from zeromass.model import ModelError, State, System
from zeromass.model.by_expression import ByExpression
from zeromass.model.given import given_count, given_finite, given_flag, given_kind, parameters_by_name
from zeromass.model.naming import meant
from zeromass.model.state import belonging

Kind = Literal["fold", "pitchfork", "transcritical", "Hopf"]


class SpecialPoint(NamedTuple):
    """Special point of a branch (fold, pitchfork, Hopf, …): type, parameter value, state, index in the branch.

    other  of a bifurcation: the direction of the branch that crosses here, for `EquilibriumBranch.other`

    >>> x, c = zm.coordinate("x"), zm.parameter("c", 0.5)
    >>> swing = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, forces={x: -c * zm.rate(x)})
    >>> special, = zm.analysis.branch(swing, swing.equilibrium(), over=(c, -0.5, 0.5)).special
    >>> special.kind, abs(round(special.value, 9))
    ('Hopf', 0.0)
    """

    kind: Kind
    value: float
    state: State
    place: int
    other: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class EquilibriumBranch(ByExpression):
    """Branch of equilibria or steady motions over a parameter.

    parameter, values  what was varied, and its value at each point
    points             the states
    eigenvalues        of small motions about them; empty where they are not known
    special            folds and bifurcations, in order

    `branch[expression]` is the value of any expression at each point.

    >>> x, p = zm.coordinate("x"), zm.parameter("p", 1.0)
    >>> hanging = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 - p * x)
    >>> pulled = zm.analysis.branch(hanging, hanging.equilibrium(), over=(p, 0.0, 2.0))
    >>> bool(np.allclose(pulled[x], pulled.values / 2)), set(pulled.unstable.tolist())
    (True, {0})
    """

    _how = "branch[x] are the values of an expression x along it, branch.points its states"
    parameter: Symbol
    points: tuple[State, ...]
    eigenvalues: tuple[Eigenvalues, ...]
    special: tuple[SpecialPoint, ...]
    path: Path

    def __repr__(self) -> str:
        found = "; ".join(f"{s.kind} at {self._told(s.value)}" for s in self.special) or "no fold, no bifurcation"
        span = f"{self.values.min():g} … {self.values.max():g}"
        return f"EquilibriumBranch({self.parameter.name} {span}, {len(self.points)} points; {found})"

    def _told(self, value: float) -> str:
        """A value of the parameter, zero where it is one up to rounding of the range."""
        return "0" if abs(value) < CONVERGED * np.ptp(self.values) else f"{value:.6g}"

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def values(self) -> np.ndarray:
        """Of the parameter, at each point."""
        return np.array([state.parameters[self.parameter] for state in self.points])

    @cached_property
    def unstable(self) -> np.ndarray:
        """How many eigenvalues grow, at each point; −1 where they are not known."""
        return np.array([_growing(λ) if len(λ) else -1 for λ in self.eigenvalues])

    def __getitem__(self, e: Expression | np.ndarray | Sequence[Any]) -> np.ndarray:
        """Values of an expression, or of an array of them, at each point."""
        return np.array([state[e] for state in self.points])

    def other(self, k: int = 0, *, back: bool = False) -> EquilibriumBranch:
        """The branch that crosses this one at its k-th bifurcation, one way or `back`.

        >>> x, p = zm.coordinate("x"), zm.parameter("p", -1.0)
        >>> column = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**4 / 4 - p * x**2 / 2)
        >>> straight = zm.analysis.branch(column, column.equilibrium(), over=(p, -1.0, 1.0))
        >>> straight
        EquilibriumBranch(p -1 … 1, ... points; pitchfork at 0)
        >>> bent = straight.other()
        >>> bool(np.allclose(bent[x] ** 2, bent.values, atol=1e-9))
        True
        """
        crossing = [(s.state, s.other) for s in self.special if s.other is not None]
        given_flag(back, "back")
        k = given_count(k, "k")
        if k >= len(crossing):
            raise ModelError(f"the branch has {len(crossing)} bifurcations, and number {k} was asked for")
        state, direction = crossing[k]
        return self.path.followed(state, -direction if back else direction, away=True)


@single_thread
def branch(
    system: System,
    start: State,
    over: tuple[Expression, float, float],
    *,
    constant: Constant = None,
    states: Formulas = None,
    step: float = 0.02,
    points: int = 2000,
) -> EquilibriumBranch:
    """Continuation of an equilibrium or steady motion over a parameter, with its bifurcations.

    start     one of them, `system.equilibrium(…)`
    over      (parameter, from, to): the branch is followed from the start's value both ways, between these
    constant  of a steady motion, what stays constant, as for `equilibrium`
    states    for the eigenvalues, as of `linearize`; of a steady motion, by default what stays constant and its rates
    step      longest step, as a part of the range and of the size of the unknowns
    points    largest number of points

    Folds, where the parameter turns back; pitchforks and transcritical bifurcations, where another branch crosses; and Hopf
    bifurcations, where a pair of eigenvalues begins to grow, are found and named.

    A shallow arch that snaps through:

    >>> x, p = zm.coordinate("x"), zm.parameter("load", 0.0)
    >>> arch = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=(x**2 - 1) ** 2 / 4 + p * x)
    >>> pressed = zm.analysis.branch(arch, arch.equilibrium(guess={x: 1.0}), over=(p, -1.0, 1.0))
    >>> [(s.kind, round(s.value, 6)) for s in pressed.special]  # 2/√27
    [('fold', 0.3849), ('fold', -0.3849)]
    """
    given_kind(system, System, "the system", "a zm.System")
    belonging(start, system)
    if not isinstance(over, tuple | list) or len(over) != 3:
        raise ModelError(f"over is {shown(over)}; it is (parameter, low, high)")
    (parameter,), low, high = parameters_by_name(over[:1], system.parameters), *over[1:]
    step, points = given_finite(step, "step"), given_count(points, "points", 1)
    if not step > 0:
        raise ModelError(f"step is {step:g}; it is positive")
    if not isinstance(parameter, Symbol) or parameter not in system.parameters:
        raise ModelError(f"{quoted(parameter)} is no parameter of the system")
    low, high = sorted((given_finite(low, "the lower end"), given_finite(high, "the upper end")))
    begin = start.parameters[parameter]
    if not low <= begin <= high:
        raise ModelError(f"the start has {parameter.name} = {begin:g}, outside of {low:g} … {high:g}")
    path = Path(
        system, start, parameter, (low, high), constants(meant(system, constant)), meant(system, states), step, points
    )
    ways = [path.followed(start, sign * path.along) for sign in (-1.0, 1.0)]
    back, ahead = ways
    joined = tuple(reversed(back.points[1:])) + ahead.points
    values = tuple(reversed(back.eigenvalues[1:])) + ahead.eigenvalues
    first = len(back.points) - 1
    special = [s._replace(place=first - s.place) for s in reversed(back.special)]
    special += [s._replace(place=s.place + first) for s in ahead.special]
    return EquilibriumBranch(parameter, joined, values, tuple(special), path)


def _growing(λ: Eigenvalues) -> int:
    return int(np.count_nonzero(λ.real > ON_AXIS * max(1.0, float(np.abs(λ).max(initial=0.0)))))
