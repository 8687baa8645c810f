"""Starts with formulas of parameters as compiled functions: values that are given directly, and Newton's steps for the rest.

The equations are those of `System.start`: constraints, and prescribed expressions with the values of the parameters. Their
elimination is that of one start, which they determine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np

from zeromass.compile.decisions import Decisions
from zeromass.compile.elimination import eliminated
from zeromass.compile.module import Groups
from zeromass.compile.program import rolls
from zeromass.equation import numerical_rank
from zeromass.expression import Expression, Symbol, as_expression, expressions, jacobian, symbols, where
from zeromass.expression import t as time
from zeromass.expression.build import ONE, ZERO, subtract
from zeromass.expression.pieces import switches
from zeromass.model import State

PASSES = 20
"""Newton steps at most; each doubles the digits."""

ROUNDING = 4 * float(np.finfo(float).eps)
"""Change of an unknown, relative to 1 and itself, below which its Newton steps have come to their end."""

SETTLED = 1e-13
"""Change below which they may also end by ceasing to shrink: what is left is rounding, magnified by the equations."""


class NewtonSteps:
    """What makes a start again with other values of its parameters.

    parameters  those of the system first, then those of the start alone
    pairs       prescribed expressions and their values, one by one
    begin       the state that Newton's steps begin at, shape (2n,)
    """

    first: State
    parameters: tuple[Symbol, ...]
    pairs: tuple[tuple[Expression, Expression], ...]

    def __init__(self, first: State, parameters: Sequence[Symbol]) -> None:
        assert first.made_of is not None
        self.first, self.parameters = first, tuple(parameters)
        self.pairs = tuple(pair for key, value in first.made_of.pairs for pair in _flat(key, value))

    @property
    def inputs(self) -> Groups:
        system = self.first.system
        return [[time], [*system.coordinates, *system.rates], list(self.parameters)]

    @cached_property
    def direct(self) -> list[tuple[int, Expression]]:
        """Places in a state of what is prescribed directly, and the values there."""
        system, known = self.first.system, {key: value for key, value in self.pairs if isinstance(key, Symbol)}
        return [(k, known[x]) for k, x in enumerate([*system.coordinates, *system.rates]) if x in known]

    @property
    def begin(self) -> np.ndarray:
        system = self.first.system
        if rolls(system):  # each start is found from the guess
            return np.concatenate([self._guess(system.coordinates), self._guess(system.rates)])
        return np.concatenate([self.first.q, self._guess(system.rates) if self.first.free else self.first.v])

    def _guess(self, unknowns: np.ndarray) -> np.ndarray:
        """What unknowns that nothing determines stay as near to as they can."""
        system, made_of = self.first.system, self.first.made_of
        assert made_of is not None
        known = {**system.usual, **dict(made_of.guess)}
        return np.array([known.get(x, 0.0) for x in unknowns], dtype=float)

    def functions(self, decide: Decisions) -> dict[str, tuple[Groups, Groups]]:
        """The Newton steps of positions and of rates, "level0" and "level1"."""
        system, free = self.first.system, self.first.free
        direct, found = {key for key, _ in self.pairs if isinstance(key, Symbol)}, {}
        for level, unknowns in enumerate((system.coordinates, system.rates)):
            wanted = [(e, value) for e, value in self.pairs if e not in direct and _order(e) == level]
            varied = np.array([x not in direct for x in unknowns])
            zeros = [zero for _, zero in system.zeros(level)] + [subtract(e, value) for e, value in wanted]
            slopes = np.concatenate(
                [system.slopes(level).array, jacobian([e for e, _ in wanted], unknowns).reshape(-1, len(unknowns))]
            )
            metric = system.M if level and free else expressions(np.eye(len(unknowns)))
            step = _step(slopes, zeros, varied, metric, decide)
            if level and system.facing:  # positions are found: on the inner side of a contact there is no start
                outer = prod([where(side > 0, 1.0, 0.0) for side in system.facing], start=ONE)
                step[0] = step[0] + (1.0 - outer) / outer
            found[f"level{level}"] = (self.inputs, [step])
        return found

    @staticmethod
    def possible(first: State) -> bool:
        """Whether the positions of a start are determined, and mass and equations determine rates that are nearest."""
        system = first.system
        if first.made_of is None or (first.made_of.again is not None and not first.made_of.conditions):
            return False
        prescribed = [e for key, _ in first.made_of.pairs for e in expressions(key).ravel()]
        if system.pieces is not None and (not system.pieces.only_forces or switches(prescribed)):
            return False
        if {*first.free} & {repr(x) for x in system.coordinates}:
            return False
        if rolls(system):
            from zeromass.compile.rolled.start import solved_by_fronts  # few systems are large

            return solved_by_fronts(prescribed)
        A = first.matrices.A[[row.level <= 1 for row in system.rows]]
        return not first.free or int(numerical_rank(np.concatenate([first.matrices.M, A])).rank) == len(first.q)


def _step(
    slopes: np.ndarray, zeros: list[Expression], varied: np.ndarray, metric: np.ndarray, decide: Decisions
) -> list[Expression]:
    """The δ of least δᵀ metric δ with slopes · δ = −zeros in the unknowns that vary, and zero in the others."""
    step = [ZERO] * len(varied)
    places = np.flatnonzero(varied)
    rows = [i for i in range(len(zeros)) if any(e is not ZERO for e in slopes[i][places])]
    if len(places) and rows:
        n = len(places)
        right = expressions([-zeros[i] for i in rows])
        M = metric[places][:, places]
        found = eliminated(M, expressions(np.zeros(n)), slopes[rows][:, places], right, decide)
        for place, e in zip(places.tolist(), found.acceleration, strict=True):
            step[place] = e
    return step


def _flat(key: Expression | np.ndarray, value: object) -> list[tuple[Expression, Expression]]:
    keys = expressions(key)
    values = np.broadcast_to(expressions(value), keys.shape)
    return [(e, as_expression(x)) for e, x in zip(keys.ravel(), values.ravel(), strict=True)]


def _order(e: Expression) -> int:
    return max((leaf.order for leaf in symbols(e) if leaf.kind == "coordinate"), default=-1)
