"""What of a system depends on time alone: forces, prescribed motions and moving surfaces as sums of terms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, derivative, t
from zeromass.expression.build import multiply
from zeromass.expression.interval import Intervals
from zeromass.expression.node import is_integer, ordered
from zeromass.model import System

SMOOTH = 8
"""Degree up to which a polynomial of time needs no look ahead: a step of any method follows it."""

MOST = 16
"""Terms that a product of sums is multiplied out to at most."""


class Terms:
    """Functions of time and parameters that a system contains, none of them a constant or a polynomial of low degree.

    waves   sines and cosines of a linear function of time, each with its slope: they bend alike everywhere
    others  all the rest

    A sum is taken apart, also below a product, so that each term is seen however small it is beside the others; constant
    factors are left out. A function of time and of the state, such as sin(x − c t), is no such term.
    """

    def __init__(self, system: System) -> None:
        self.parameters: list[Symbol] = list(system.parameters)
        found = _terms(_roots(system))
        slopes = {u: derivative(u.args[0], t) for u in found if u.op in ("sin", "cos")}
        self.waves: list[tuple[Expression, Expression]] = [
            (u, slope) for u, slope in slopes.items() if t not in ordered([slope])
        ]
        self.others: list[Expression] = [u for u in found if u not in dict(self.waves)]

    def __bool__(self) -> bool:
        return bool(self.waves or self.others)

    @property
    def inputs(self) -> list[Symbol]:
        """t and the parameters."""
        return [t, *self.parameters]

    @cached_property
    def wave_numbers(self) -> Evaluator:
        """The waves and their slopes, shape (2, waves)."""
        return Evaluator([list(column) for column in zip(*self.waves, strict=True)], self.inputs)

    @cached_property
    def numbers(self) -> Evaluator:
        """The others, u."""
        return Evaluator(self.others, self.inputs)

    @cached_property
    def bounds(self) -> Intervals:
        """Bounds of u."""
        return Intervals(self.others, self.inputs)

    @cached_property
    def bends(self) -> Intervals:
        """Bounds of ü."""
        return Intervals([derivative(derivative(u, t), t) for u in self.others], self.inputs)


def terms_of_time(system: System) -> Terms:
    """The terms of a system that depend on time alone, found once."""
    if "terms of time" not in system.memory:
        system.memory["terms of time"] = Terms(system)
    return system.memory["terms of time"]


def _roots(system: System) -> list[Expression]:
    """The largest formulas of time and parameters alone in M, Q, C, A and in what the constraints say."""
    blocks = [system.M, system.Q, system.C, system.A, [row.zero for row in system.rows]]
    outputs = [e for block in blocks for e in np.ravel(np.asarray(block, dtype=object))]
    nodes = ordered(outputs)
    if t not in nodes:
        return []
    of_state: set[Expression] = set()
    roots: dict[Expression, None] = {}
    for node in nodes:
        if isinstance(node, Symbol) and node is not t and node.kind != "parameter":
            of_state.add(node)
        elif not of_state.isdisjoint(node.args):
            of_state.add(node)
            roots.update(dict.fromkeys(a for a in node.args if a.args and a not in of_state))
    roots.update(dict.fromkeys(e for e in outputs if e.args and e not in of_state))
    return list(roots)


def _terms(roots: Iterable[Expression]) -> list[Expression]:
    """What the roots are sums of, without what is constant or a polynomial of low degree."""
    degree: dict[Expression, float] = {}
    found: dict[Expression, None] = {}
    for root in roots:
        _learn(degree, root)
        for u in _summands(root, degree):
            _learn(degree, u)
            if degree[u] > SMOOTH:
                found[u] = None
    return list(found)


def _learn(degree: dict[Expression, float], root: Expression) -> None:
    """Degrees in t of all nodes under a root: 0 of a constant, ∞ of what is no polynomial."""
    for node in ordered([root]):
        if node in degree:
            continue
        known = [degree[a] for a in node.args]
        if node is t:
            degree[node] = 1
        elif not any(known):
            degree[node] = 0
        elif node.op in ("add", "subtract", "negative"):
            degree[node] = max(known)
        elif node.op == "multiply":
            degree[node] = sum(known)
        elif node.op == "divide" and known[1] == 0:
            degree[node] = known[0]
        elif node.op == "power" and node.args[1].value is not None and is_integer(node.args[1].value):
            degree[node] = known[0] * node.args[1].value if node.args[1].value > 0 else np.inf
        else:
            degree[node] = np.inf


def _summands(u: Expression, degree: dict[Expression, float]) -> list[Expression]:
    """u = Σ c u_k with constants c: the u_k."""
    if degree[u] == 0:
        return []
    if u.op in ("add", "subtract"):
        return [*_summands(u.args[0], degree), *_summands(u.args[1], degree)]
    if u.op == "negative" or (u.op == "divide" and degree[u.args[1]] == 0):
        return _summands(u.args[0], degree)
    if u.op == "multiply":
        a, b = u.args
        if degree[a] == 0 or degree[b] == 0:
            return _summands(b if degree[a] == 0 else a, degree)
        first, second = (_with_constant(x, degree) for x in u.args)
        if 1 < len(first) * len(second) <= MOST:
            return [multiply(x, y) for x in first for y in second]
    return [u]


def _with_constant(u: Expression, degree: dict[Expression, float]) -> list[Expression]:
    """The summands of a factor, constants among them."""
    if u.op in ("add", "subtract"):
        return [*_with_constant(u.args[0], degree), *_with_constant(u.args[1], degree)]
    return _summands(u, degree) or [u]
