"""Starts of many members by compiled Newton steps, side by side in lanes, from the start of the first one.

The equations are those of `System.start`: constraints, and prescribed expressions with the values of the member. Their
elimination is that of the first member, whose start they determine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.compile.decisions import Decisions, Samples, Tree
from zeromass.compile.elimination import eliminated
from zeromass.compile.module import code
from zeromass.compile.repeated import repeated
from zeromass.compile.target import BEST, Code, host
from zeromass.ensemble.lanes import in_lanes
from zeromass.ensemble.starts import Starts
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator, Expression, Symbol, as_expression, expressions, jacobian, symbols
from zeromass.expression import t as time
from zeromass.expression.build import ZERO, subtract
from zeromass.model import State

PASSES = 20
"""Newton steps at most; each doubles the digits."""

ROUNDING = 4 * np.finfo(float).eps
"""Change of an unknown, relative to 1 and itself, below which its Newton steps have come to their end."""

SETTLED = 1e-13
"""Change below which they may also end by ceasing to shrink: what is left is rounding, magnified by the equations."""


class NewtonStarts:
    """The starts of members with values of some parameters, from the start of the first one and what it was made of.

    parameters  whose values members have: those of the system first, then those of the start alone
    """

    first: State
    parameters: tuple[Symbol, ...]

    def __init__(self, first: State, parameters: Sequence[Symbol], values: Sequence[float]) -> None:
        assert first.made_of is not None
        self.first, self.parameters = first, tuple(parameters)
        system = first.system
        self._inputs = [[time], [*system.coordinates, *system.rates], list(self.parameters)]
        pairs = [pair for key, value in first.made_of.pairs for pair in _flat(key, value)]
        direct = {key: value for key, value in pairs if isinstance(key, Symbol)}
        self._direct = [(k, x) for k, x in enumerate([*system.coordinates, *system.rates]) if x in direct]
        self._set = Evaluator(expressions([direct[x] for _, x in self._direct]), list(self.parameters))
        self._begin = np.concatenate([first.q, self._guess() if first.free else first.v])
        self._target = host()
        numbers = np.concatenate([[first.t], first.q, first.v, values])
        known: dict[Any, Tree[Code]] = system.memory.setdefault("newton", {})
        tree = known.setdefault((tuple(pairs), self.parameters, bool(first.free), self._target), Tree())
        samples = Samples([s for group in self._inputs for s in group], numbers)
        self._code = tree.at(samples, lambda decide: self._made(pairs, decide))

    def _made(self, pairs: Sequence[tuple[Expression, Expression]], decide: Decisions) -> Code:
        """The Newton steps of positions and of rates; the system keeps them for the next study."""
        system, free = self.first.system, self.first.free
        direct, functions = {key for key, _ in pairs if isinstance(key, Symbol)}, {}
        for level, unknowns in enumerate((system.coordinates, system.rates)):
            wanted = [(e, value) for e, value in pairs if e not in direct and _order(e) == level]
            varied = np.array([x not in direct for x in unknowns])
            zeros = [zero for _, zero in system.zeros(level)] + [subtract(e, value) for e, value in wanted]
            A = system.A[[row.level <= level for row in system.rows]]
            slopes = np.concatenate([A, jacobian([e for e, _ in wanted], unknowns).reshape(-1, len(unknowns))])
            metric = system.M if level and free else expressions(np.eye(len(unknowns)))
            functions[f"level{level}"] = (self._inputs, [_step(slopes, zeros, varied, metric, decide)])
        return code(functions, self._target, effort=BEST)

    def __call__(self, values: np.ndarray) -> tuple[Starts, np.ndarray]:
        """Starts of members with values of the parameters, shape (k, p), and whether they were found."""
        first, count = self.first, len(values)
        n = len(first.q)
        y = np.repeat(self._begin[None], count, axis=0)
        if self._direct:
            y[:, [k for k, _ in self._direct]] = self._set(values)
        found = np.ones(count, dtype=bool)
        t = np.full(count, first.t)
        for level, part in enumerate((slice(0, n), slice(n, None))):
            found &= self._solved(f"level{level}", t, y, part, values)
        return Starts(t, y, np.ascontiguousarray(values[:, : len(first.system.parameters)])), found

    def _guess(self) -> np.ndarray:
        """The rates that those which nothing determines stay as near to as they can."""
        system, made_of = self.first.system, self.first.made_of
        assert made_of is not None
        known = {**{x: value for part in system.parts for x, value in part.usual.items()}, **dict(made_of.guess)}
        return np.array([known.get(x, 0.0) for x in system.rates], dtype=float)

    @staticmethod
    def possible(first: State) -> bool:
        """Whether the positions of a start are determined, and mass and equations determine rates that are nearest."""
        system = first.system
        if first.made_of is None or system.pieces is not None or {*first.free} & {repr(x) for x in system.coordinates}:
            return False
        A = first.matrices.A[[row.level <= 1 for row in system.rows]]
        return not first.free or int(numerical_rank(np.concatenate([first.matrices.M, A])).rank) == len(first.q)

    def _solved(self, name: str, t: np.ndarray, y: np.ndarray, part: slice, values: np.ndarray) -> np.ndarray:
        """Newton steps on a part of the states, in place; each member ends by itself, whatever the others do."""
        left, last = np.arange(len(y)), np.full(len(y), np.inf)
        found = np.zeros(len(y), dtype=bool)
        for _ in range(PASSES):
            some = slice(None) if len(left) == len(y) else left  # no copy of all
            change = self._change(name, t[some], y[some], values[some])
            y[some, part] += change
            size = np.max(np.abs(change) / np.maximum(1.0, np.abs(y[some, part])), axis=1, initial=0.0)
            done = (size <= ROUNDING) | ((size <= SETTLED) & (size >= last[some] / 2))
            found[left[done]] = True
            last[some] = size
            left = left[~done & np.isfinite(size)]
            if not len(left):
                break
        return found

    def _change(self, name: str, t: np.ndarray, y: np.ndarray, values: np.ndarray) -> np.ndarray:
        inputs = [in_lanes(x, self._target.width) for x in (t[:, None], y, values)]
        groups, n = len(inputs[0]), y.shape[1] // 2
        found = np.empty((groups, n, self._target.width))
        repeated(self._code.address(name), [*inputs, found])
        return found.swapaxes(1, 2).reshape(-1, n)[: len(y)]


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
