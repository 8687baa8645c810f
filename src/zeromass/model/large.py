"""Large systems: M, Q, A and b are written out only where somebody asks for them.

A system of many parts is told by its parts, constraints and forces, one by one; its matrices have n² entries, nearly all
of them zero. Code for large systems is made from the parts, see `zeromass.compile.rolled`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, Symbol, symbols
from zeromass.expression.node import ordered
from zeromass.model.constraint import acceleration_rows, velocity_residuals
from zeromass.model.forces import Known, Load
from zeromass.model.parts import Part
from zeromass.model.unconstrained import Unconstrained, from_energies, given_field

if TYPE_CHECKING:
    from zeromass.expression.evaluate import Sparse
    from zeromass.model.system import System

LARGE = 128
"""Coordinates from which on a system of parts is large: its matrices are not written out, and its code is rolled."""

OPERATIONS = 30_000
"""Operations of straight-line code from which on a system is large whatever its coordinates. At this size both codes take
equally long to a first result, by measurement; beyond it straight-line code takes longer."""

EACH, OF_ROWS = 95.0, 8.5
"""Operations of straight-line code, about, for each coordinate and for each operation in the constraints."""

MATRICES = ("sparse_M", "Q", "sparse_A", "b", "velocity_constraints")
"""What is written out of a large system when it is asked for."""


OF_STATES = "masses and forces depend on positions, rates, time and parameters"


def effective_size(q: np.ndarray, zeros: Iterable[Expression]) -> float:
    """Coordinates of a system, or more: those whose straight-line code would be as long as that of these constraints."""
    count = sum(bool(node.args) for node in ordered(zeros)) if 8 < len(q) < LARGE else 0
    return max(len(q), (EACH * len(q) + OF_ROWS * count) * LARGE / OPERATIONS)


class Given:
    """What a large system was given: parts, energies beside theirs, gravity and forces, with its coordinates q.

    It stands for `Unconstrained`, whose M, Q and energies it derives when they are asked for.
    """

    lagrangian: None = None
    names: tuple[str, ...] = ()

    def __init__(
        self,
        parts: list[Part],
        loads: list[Load],
        q: np.ndarray,
        kinetic: Expression | None,
        potential: Expression | None,
        gravity: Any,
    ) -> None:
        self.parts: tuple[Part, ...] = tuple(parts)
        self.loads: tuple[Load, ...] = tuple(loads)
        self.q: np.ndarray = q
        self.extra: tuple[Expression | None, Expression | None] = kinetic, potential
        self.gravity: Any = gravity
        self.holding: dict[int, Symbol] = {}
        """Rows of constraints that hold where a parameter is 1, and not where it is 0, by their numbers."""
        if gravity is not None:
            given_field(gravity)

    def check(self, q: Known, v: Known, used: Iterable[Symbol]) -> None:
        """Raises where a force is none, as its part of Q would.

        q, v  coordinates and rates of the system; used: what is in its formulas
        """
        for load in self.loads:
            if hasattr(load, "check"):
                load.check(q, v)  # type: ignore[attr-defined]
        strange = {leaf for leaf in used if leaf.order > 1 or leaf.kind == "multiplier"}
        for leaf in symbols(self.formulas()) if strange else ():
            if leaf in strange:
                raise ModelError(f"Q contains '{leaf!r}'; {OF_STATES}")

    @cached_property
    def _written(self) -> Unconstrained:
        kinetic, potential = self.extra
        return from_energies(
            self.parts, self.loads, self.q, kinetic=kinetic, potential=potential, lagrangian=None, gravity=self.gravity
        )

    if TYPE_CHECKING:
        masses: Sparse
        M: np.ndarray
        Q: np.ndarray
        kinetic: Expression | None
        potential: Expression | None
        energy: Expression | None
    else:

        def __getattr__(self, name: str) -> Any:
            if name in ("masses", "M", "Q"):
                return getattr(self._written, name)
            if name in ("kinetic", "potential", "energy"):
                return getattr(self._energies, name)
            raise AttributeError(name)

    def _replace(self, **fields: Any) -> Unconstrained:
        """The same with other fields, written out: of a system with switches, whose code is not rolled."""
        return self._written._replace(**fields)

    @cached_property
    def _energies(self) -> Unconstrained:
        """The energies alone, with no matrices."""
        kinetic, potential = self.extra
        return from_energies(
            self.parts,
            self.loads,
            self.q,
            kinetic=kinetic,
            potential=potential,
            lagrangian=None,
            gravity=self.gravity,
            matrices=False,
        )

    def formulas(self) -> list[Expression]:
        """Everything that forces and energies are made of."""
        found: list[Expression] = [e for e in self.extra if e is not None]
        for part in self.parts:
            found += part.formulas
        for load in self.loads:
            found += formulas_in(vars(load))
        found += formulas_in(self.gravity)
        return found


def formulas_in(value: Any) -> list[Expression]:
    """The expressions in some value: itself, or in arrays, mappings, sequences and parts."""
    if isinstance(value, Expression):
        return [value]
    if isinstance(value, np.ndarray):
        return [e for e in value.ravel() if isinstance(e, Expression)] if value.dtype == object else []
    if isinstance(value, Part):
        return [*value.coordinates]
    if isinstance(value, dict):
        return [e for pair in value.items() for x in pair for e in formulas_in(x)]
    if isinstance(value, tuple | list):
        return [e for x in value for e in formulas_in(x)]
    return []


def with_formulas(value: Any, formulas: Iterator[Expression]) -> Any:
    """A value with other formulas in the places of its own, in the order of `formulas_in`."""
    if isinstance(value, Expression):
        return next(formulas)
    if isinstance(value, np.ndarray):
        if value.dtype != object:
            return value
        new = [next(formulas) if isinstance(e, Expression) else e for e in value.ravel()]
        return _array(new).reshape(value.shape)
    if isinstance(value, Part):
        for _ in value.coordinates:
            next(formulas)
        return value
    if isinstance(value, dict):
        return {with_formulas(k, formulas): with_formulas(x, formulas) for k, x in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(with_formulas(x, formulas) for x in value)
    if hasattr(value, "generalized"):
        other = copy.copy(value)
        vars(other).update(with_formulas(vars(value), formulas))
        return other
    return value


def _array(items: list[Any]) -> np.ndarray:
    result = np.empty(len(items), dtype=object)
    result[:] = items
    return result


def matrix_of(system: System, name: str) -> Any:
    """One of the matrices of a large system, written out."""
    free = system._free
    if name in ("sparse_M", "Q"):
        return free.masses if name == "sparse_M" else free.Q
    known: dict[str, Any] = vars(system)
    rows = list(system.rows)
    if name == "velocity_constraints":
        return velocity_residuals(rows, free.q)
    known["sparse_A"], known["b"] = acceleration_rows(rows, system.velocity_constraints, free.q)
    return known[name]
