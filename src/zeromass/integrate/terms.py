"""What of a system depends on time alone, forces, prescribed motions, moving surfaces, as sums of terms; and its lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, derivative, symbols, t
from zeromass.expression.build import multiply
from zeromass.expression.node import is_integer, ordered
from zeromass.model import System

if TYPE_CHECKING:
    from zeromass.expression.interval import Intervals

SMOOTH = 8
"""Degree up to which a polynomial of time needs no look ahead: a step of any method follows it."""

MOST = 16
"""Terms that a product of sums is multiplied out to at most."""

REMEMBERED = 16
"""Choices of events of a system whose terms are remembered."""


class Term:
    """A function u of time and parameters: numbers and bounds of it and of ü, made when they are first asked for."""

    def __init__(self, u: Expression, inputs: list[Symbol]) -> None:
        self.u: Expression = u
        self._inputs = inputs

    @cached_property
    def _second(self) -> Expression:
        return derivative(derivative(self.u, t), t)

    @cached_property
    def number(self) -> Evaluator:
        """u"""
        return Evaluator(self.u, self._inputs)

    @cached_property
    def bounds(self) -> Intervals:
        """Bounds of u."""
        return _intervals(self.u, self._inputs)

    @cached_property
    def bend(self) -> Evaluator:
        """ü"""
        return Evaluator(self._second, self._inputs)

    @cached_property
    def bounds_of_bend(self) -> Intervals:
        """Bounds of ü."""
        return _intervals(self._second, self._inputs)


def _intervals(e: Expression, inputs: list[Symbol]) -> Intervals:
    from zeromass.expression.interval import Intervals  # few systems have terms

    return Intervals([e], inputs)


def terms_of_time(system: System, watched: Sequence[Expression] = ()) -> list[Term]:
    """Functions of time and parameters that a system contains, but for those that no step can fail to see; found once.

    watched  functions of switches and events, which a run is to follow as well

    A sum is taken apart, also below a product, so that each term is seen however small it is beside the others; constant
    factors are left out, and with them constants, polynomials of low degree and sines of a linear function of time. A
    function of time and of the state, such as sin(x − c t), is no such term.
    """
    known: dict[Any, list[Term]] = system.memory.setdefault("terms of time", {})
    inputs = [t, *system.parameters]
    if () not in known:
        outputs: list[Expression] = []
        if not system.large:
            outputs += [*system.sparse_M.entries, *system.Q, *system.C, *system.sparse_A.entries]
            outputs += [row.zero for row in system.rows]
        elif any(leaf is t for leaf in system.contents[0]):
            outputs += system.formulas
        known[()] = [Term(u, inputs) for u in _terms(_roots(outputs))]
    key = tuple(watched)
    if key not in known:
        if len(known) > REMEMBERED:
            for old in [old for old in known if old][: 1 - REMEMBERED]:
                known.pop(old, None)
        own = {term.u for term in known[()]}
        more = [u for u in _terms(_roots(key)) if u not in own and set(symbols(u)) <= {*inputs}]
        known[key] = [*known[()], *[Term(u, inputs) for u in more]]
    return known[key]


def _roots(outputs: Sequence[Expression]) -> list[Expression]:
    """The largest formulas of time and parameters alone in some expressions."""
    nodes = ordered(outputs)
    if not any(node is t for node in nodes):
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
    """What the roots are sums of, without constants, polynomials of low degree, and sines of what is linear in time."""
    degree: dict[Expression, float] = {}
    found: dict[Expression, None] = {}
    for root in roots:
        _learn(degree, root)
        for u in _summands(root, degree):
            _learn(degree, u)
            wave = u.op in ("sin", "cos") and degree[u.args[0]] <= 1
            if degree[u] > SMOOTH and not wave:
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


def lengths_in(system: System) -> dict[Expression, tuple[Expression, ...]]:
    """The lengths √(d·d) in the formulas of a system that may vanish, and d of each; see `zeromass.integrate.lengths`."""
    known = system.memory.get("lengths in formulas")
    if known is None:
        roots = (
            system.formulas
            if system.large
            else [*system.Q, *system.C, *system.b, *system.sparse_M.entries, *system.sparse_A.entries]
        )
        found = {node: _vector(node) for node in ordered(roots) if node.op in ("sqrt", "hypot")}
        known = {node: d for node, d in found.items() if d is not None}
        system.memory["lengths in formulas"] = known
    return known


def _vector(node: Expression) -> tuple[Expression, ...] | None:
    """d of √(d·d); None of other roots, and of what never vanishes, as √(v² + 1) does."""
    d = node.args if node.op == "hypot" else _squares(node.args[0])
    moving = ("coordinate",)
    if d is None or not all(any(leaf.kind in moving for leaf in symbols(e)) for e in d):
        return None
    return None if any(leaf.order > 1 or leaf.kind == "multiplier" for e in d for leaf in symbols(e)) else tuple(d)


def _squares(u: Expression) -> list[Expression] | None:
    """The e of a sum Σ e², in the order of the sum; None of other formulas."""
    found: list[Expression] = []
    stack = [u]
    while stack:
        node = stack.pop()
        if node.op == "add":
            stack += reversed(node.args)
        elif node.op == "power" and node.args[1].value == 2.0:
            found.append(node.args[0])
        elif node.op == "multiply" and (node.args[0].value or 0.0) > 0.0:
            inner = _squares(node.args[1])
            if inner is None:
                return None
            found += [float(np.sqrt(node.args[0].value or 0.0)) * e for e in inner]
        else:
            return None
    return found
