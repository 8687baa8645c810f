"""A program as machine code of this computer, made piece by piece as it is asked for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.codegen.target import FIRST, Code, Target, host, shared
from zeromass.compile.outline import digest_of
from zeromass.expression import Evaluator, Expression
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.compile.lanes import LaneFunction
    from zeromass.compile.module import Groups
    from zeromass.compile.products import Products
    from zeromass.compile.program import Program

BUSY = 400_000
"""Evaluations after which better machine code is made, in the background."""

LONG = 8_000
"""Operations from which a quarter of them is enough: each takes longer, and better code saves a third of it."""

LARGE = 100_000
"""Operations from which no better code is made in the background, which takes minutes."""

WIDE = 800_000
"""Operations, those of each lane counted, from which LLVM spends more effort at once: without it they take about a megabyte
of the stack, and more."""


class Native:
    """Machine code of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._target = host()
        self._codes: dict[Any, Code] = {}
        self._evaluations = 0
        self._large = program.operations >= LARGE
        self._enough = BUSY if program.operations < LONG else BUSY // 4

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of `rhs(t, y, parameters, slopes, growth, pivots)`.

        slopes     (q̇, q̈) of one state, only q̈ of several in lanes
        pivots     of the multipliers of positions and rates, see `Elimination`
        projected  in lanes, for stages that are iterated and then projected: see `followed_motion`
        """
        p = self.program
        own = projected and lanes > 1 and p.outline.followed

        def functions() -> dict[str, tuple[Groups, Groups]]:
            followed = p.followed if own else None
            slopes = [*p.system.rates, *p.acceleration] if lanes == 1 else list(followed or p.acceleration)
            return {"rhs": (p.inputs, [slopes, [p.growth], list(self.telling)])}

        return self._code(("rhs", lanes, not own), lanes, functions, kept=f"rhs {lanes} {own}")

    @property
    def pivots(self) -> int:
        """How many pivots the right-hand side tells."""
        return self.program.outline.pivots

    @cached_property
    def telling(self) -> tuple[Expression, ...]:
        """Pivots that tell of singular positions: a row of accelerations may be empty at rest, wherever that is."""
        rows = self.program.system.rows
        return tuple(pivot for i, pivot in self.program.elimination.pivots.items() if rows[i].level < 2)

    @property
    def corrections(self) -> Code | None:
        """Machine code of the program's corrections, each as `name(t, y, parameters, correction)`; None without any."""
        return self.correcting(1)

    def correcting(self, lanes: int) -> Code | None:
        """The same in lanes."""
        p = self.program
        if not p.corrections:
            return None

        def functions() -> dict[str, tuple[Groups, Groups]]:
            return {name: (p.inputs, [list(change)]) for name, change in p.corrections.items()}

        return self._code(("corrections", lanes), lanes, functions, seldom=True, kept=f"corrections {lanes}")

    def events(self, events: Sequence[Event], lanes: int) -> Code | None:
        """Machine code of `event(t, y, parameters, values)`; None where there is nothing to watch."""
        if not events:
            return None
        zeros, system = [event.zero for event in events], self.program.system
        known = [*system.inputs, *system.accelerations, *system.multipliers]
        kept = digest_of(zeros, known) if self.program.entry else None
        return self._code(
            ("events", lanes, *zeros),
            lanes,
            lambda: {"event": (self.program.inputs, [self.program.zeros(events)])},
            kept=None if kept is None else f"events {lanes} {kept}",
        )

    def rows(self, kept: Sequence[int]) -> Code:
        """Machine code of `rows(t, y, parameters, entries, zeros)`: of some rows of A, and of what vanishes of them.

        entries  those of the rows that are not constant, one row after another
        zeros    positions, and rates where a row has no position
        """
        system = self.program.system
        outputs = [[e for row in system.A[kept] for e in row if e.value is None], [system.rows[i].zero for i in kept]]
        return self._code(("rows", *kept), 1, lambda: {"rows": (self.program.inputs, outputs)}, seldom=True)

    @property
    def tangent(self) -> Code:
        """Machine code of `tangent(t, y, parameters, entries)`: of the program's tangent, what is not constant.

        It has several times the operations of the right-hand side, and is evaluated once in many steps.
        """
        entries = list(self.program.tangent[self.tangent_entries[1]])
        return self._code("tangent", 1, lambda: {"tangent": (self.program.inputs, [entries])}, seldom=True, apart=True)

    @cached_property
    def tangent_entries(self) -> tuple[np.ndarray, np.ndarray]:
        """The constant entries of the program's tangent, zero elsewhere; and where the others are, as truths."""
        return _constants(self.program.tangent)

    @cached_property
    def products(self) -> Products | None:
        """The tangent by products with directions, where a formula for each of its entries would take too long."""
        from zeromass.compile.products import products  # most methods are explicit

        return products(self.program, self._target.width)

    @property
    def product(self) -> Code:
        """Machine code of `products(inputs, direction, product)` in lanes; see `Products.function`."""
        found = self.products
        assert found is not None
        return self._code("products", found.lanes, lambda: {"products": found.function()}, seldom=True, apart=True)

    @property
    def product_equations(self) -> Code:
        """Machine code of `tangent(t, y, parameters, entries)`: of `Products.formulas`, what is not constant."""
        found = self.products
        assert found is not None

        def functions() -> dict[str, tuple[Groups, Groups]]:
            return {"tangent": (self.program.inputs, [list(found.formulas[self.product_entries[1]])])}

        return self._code("product equations", 1, functions, seldom=True, apart=True)

    @cached_property
    def product_entries(self) -> tuple[np.ndarray, np.ndarray]:
        """The constant entries of `Products.formulas`, and where the others are, as in `tangent_entries`."""
        assert self.products is not None
        return _constants(self.products.formulas)

    def _code(
        self,
        key: Any,
        lanes: int,
        functions: Callable[[], Mapping[str, tuple[Groups, Groups]]],
        *,
        seldom: bool = False,
        apart: bool = False,
        kept: str | None = None,
    ) -> Code:
        """Machine code of functions; where it is `kept` for later processes, these need not write it."""
        if key not in self._codes:
            effort = 1 if self.program.operations * lanes >= WIDE and not seldom else FIRST
            target, entry = self._target.lanes(lanes), self.program.entry if kept else None
            origin = entry.origin(kept) if entry and kept else None
            if origin is not None:
                made = shared(lambda: _text(functions(), target), target, origin, effort)
            else:
                from zeromass.compile.module import code  # where it was kept, nothing is written

                made = code(functions(), target, effort=effort, apart=apart)
                if entry and kept and made.origin is not None:
                    entry.keep(kept, made.origin)
            self._improve(self._codes.setdefault(key, made))  # another thread may have been first: its code is in use
        return self._codes[key]

    @property
    def busy(self) -> bool:
        """Whether it has run so often that better machine code is repaid."""
        return self._evaluations >= self._enough and not self._large

    def called(self, evaluations: int) -> None:
        """Counts evaluations; when there have been many, better code is made in the background."""
        before, self._evaluations = self.busy, self._evaluations + evaluations
        if self.busy and not before:
            for made in self._codes.values():
                self._improve(made)

    def _improve(self, made: Code) -> None:
        if self.busy:
            made.improve()

    def function(self, e: Any) -> LaneFunction:
        """Any expressions as a function of arrays of states, in SIMD lanes."""
        from zeromass.compile.lanes import LaneFunction  # a run may end before it is asked for

        inputs = [symbol for group in self.program.inputs for symbol in group]
        return LaneFunction(self.program.solved(e), inputs, effort=int(self.busy or self._large))

    @cached_property
    def accelerations(self) -> LaneFunction:
        """Accelerations of arrays of states, in SIMD lanes."""
        return self.function(self.program.system.accelerations)

    @cached_property
    def growth(self) -> Evaluator:
        """The growth of the pivots, of arrays of states."""
        return Evaluator(self.program.growth, self.program.system.inputs)

    def jacobian(self, inputs: np.ndarray) -> np.ndarray:
        """∂q̈/∂(q, q̇) at one state, shape (n, 2n), from numbers in the order of `system.inputs`; see `Program.tangent`."""
        constants, places = self.tangent_entries
        slopes = constants.copy()
        inputs, entries = np.ascontiguousarray(inputs, dtype=float), np.empty(np.count_nonzero(places))
        n, first, size = len(self.program.system.coordinates), inputs.ctypes.data, inputs.itemsize
        call = self.tangent.function("tangent", None, *[ctypes.c_void_p] * 4)
        call(first, first + size, first + size * (2 * n + 1), entries.ctypes.data)
        slopes[places] = entries
        rows = len(slopes)
        return -np.linalg.solve(slopes[:, :rows], slopes[:, rows:])[:n]


def _constants(formulas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The constant entries of a matrix, zero elsewhere; and where the others are, as truths."""
    constants = np.array([[0.0 if e.value is None else e.value for e in row] for row in formulas])
    return constants, np.array([[e.value is None for e in row] for row in formulas], dtype=bool)


def _text(functions: Mapping[str, tuple[Groups, Groups]], target: Target) -> str:
    from zeromass.compile.module import text_of

    return text_of(functions, target)[0]
