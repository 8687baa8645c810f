"""What the numbers of a model must satisfy: a mass that is positive, radii in their order, moments that a body can have.

Numbers are looked at where they are given. Formulas of parameters are looked at with the defaults, as far as there are any,
and again wherever values of the parameters are known: in a start, in a run, for every member of a study.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ExpressionError, ModelError, StartError
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, expressions, symbols
from zeromass.frozen import frozen
from zeromass.model.given import shown

if TYPE_CHECKING:
    from zeromass.model.system import System


class Requirement(ABC):
    """What some formulas of parameters must satisfy in numbers."""

    @property
    @abstractmethod
    def formulas(self) -> np.ndarray:
        """The formulas, shape (n,)."""

    @abstractmethod
    def met(self, values: np.ndarray) -> np.ndarray:
        """Where values of the formulas, shape (k, n), are possible, shape (k,)."""

    @abstractmethod
    def words(self, values: np.ndarray) -> str:
        """What is wrong with values, shape (n,), that are not."""

    def checked(self, what: str) -> None:
        """Raises where the numbers, or the formulas at the defaults of their parameters, are not possible."""
        leaves = symbols(self.formulas)
        if any(leaf.kind in ("coordinate", "multiplier") for leaf in leaves):
            raise ModelError(f"{what} depends on {', '.join(repr(s) for s in leaves)}; only parameters may be in it")
        if any(leaf.default is None for leaf in leaves):
            return
        values = Evaluator(self.formulas, [])(np.empty(0))
        if not self.met(values[None])[0]:
            raise ModelError(self.words(values))


@frozen()
class Ordered(Requirement):
    """lesser < larger < ∞, or ≤ where they may be equal; `said` is what is wrong, of the values {0}, {1} and the {name}."""

    lesser: Any
    larger: Any
    said: str
    name: str = ""
    equal: bool = False

    @property
    def formulas(self) -> np.ndarray:
        return expressions([self.lesser, self.larger])

    def met(self, values: np.ndarray) -> np.ndarray:
        a, b = values.T
        return np.isfinite(a) & np.isfinite(b) & (a <= b if self.equal else a < b)

    def words(self, values: np.ndarray) -> str:
        return self.said.format(*values.tolist(), name=self.name)

    def checked(self, what: str) -> None:
        given = [self.lesser, self.larger]
        if not all(_is_number(x) for x in given):
            raise ModelError(self.said.format(*map(Strange, given), name=self.name))
        if any(isinstance(x, Expression) for x in given):
            super().checked(what)
        else:
            values = np.array(given, dtype=float)  # not a number is no formula
            if not self.met(values[None])[0]:
                raise ModelError(self.words(values))


class Strange:
    """What can be no number, where a message has one."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if isinstance(self.value, float) else shown(self.value)


def _is_number(value: Any) -> bool:
    """Whether something is a number or a formula."""
    try:
        as_expression(value)
    except ExpressionError:
        return False
    return True


def unmet(system: System, values: np.ndarray) -> dict[int, str]:
    """Which of some values of a system's parameters, shape (k, p), are not possible, and why."""
    found: dict[int, str] = {}
    for requirement, evaluator in _of_parameters(system):
        with np.errstate(all="ignore"):
            numbers = evaluator(values)
            wrong = np.flatnonzero(~requirement.met(numbers))
        own = [k for k, p in enumerate(system.parameters) if p in symbols(requirement.formulas)]
        for k in wrong.tolist():
            given = ", ".join(f"{system.parameters[j].name} = {values[k, j]:g}" for j in own)
            found.setdefault(k, f"with {given} {requirement.words(numbers[k])}")
    return found


def possible(system: System, values: Mapping[Symbol, float]) -> None:
    """Raises where values of the parameters make a system impossible, such as a mass that is negative."""
    if _of_parameters(system):
        row = np.array([[values[p] for p in system.parameters]], dtype=float)
        for words in unmet(system, row).values():
            raise StartError(words)


def _of_parameters(system: System) -> Sequence[tuple[Requirement, Evaluator]]:
    """The requirements that values of the system's parameters decide."""
    known = system.memory.get("requirements")
    if known is None:
        own = {*system.parameters}
        leaves = [(r, {*symbols(r.formulas)}) for r in system.requirements] if own else []
        decided = [r for r, found in leaves if found & own and all(s.kind == "parameter" for s in found)]
        known = [(r, Evaluator(r.formulas, system.parameters)) for r in decided]
        system.memory["requirements"] = known
    return known


def in_numbers(given: Iterable[Any]) -> bool:
    """Whether none of some values, or arrays of them, is a formula of parameters."""
    try:
        return all(e.value is not None for value in given for e in expressions(value).ravel())
    except ExpressionError:
        return True


def number_at(value: Any, parameters: Mapping[Symbol, float]) -> float:
    """A number as it is, or that of a formula at values of the parameters."""
    if not isinstance(value, Expression):
        return float(value)
    names = list(parameters)
    return float(Evaluator(value, names)(np.array([parameters[p] for p in names], dtype=float)))
