"""What of a system depends on time alone, forces, prescribed motions, moving surfaces, as sums of terms; and its lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, as_expression, derivative, expressions, symbols, t
from zeromass.expression.build import multiply
from zeromass.expression.node import depending, is_integer, ordered
from zeromass.model import System

SMOOTH = 8
"""Degree up to which a polynomial of time needs no look ahead: a step of any method follows it."""

MOST = 16
"""Terms that a product of sums is multiplied out to at most."""

HIGHEST = 1_000
"""Degree up to which a polynomial of time is bounded by its Chebyshev series, which takes the square of it."""

REMEMBERED = 16
"""Choices of events of a system whose terms are remembered."""

BORDERS: dict[str, Callable[[Expression], Any]] = {
    "sqrt": lambda u: u,
    "log": lambda u: u,
    "log1p": lambda u: 1 + u,
    "arccos": lambda u: 1 - u**2,
    "arcsin": lambda u: 1 - u**2,
    "arctanh": lambda u: 1 - u**2,
    "arccosh": lambda u: u - 1,
}
"""Functions that do not have a value everywhere, with what is negative where they have none."""

BENT = frozenset({"sqrt", "arccos", "arcsin", "arccosh"})
"""Those of them that have a finite value and a kink where that touches zero."""


class Term:
    """A function u of time and parameters: numbers and bounds of it and of ü, made when they are first asked for.

    sampled  whether it is looked at inside steps alone, as in an event: the motion does not feel how it swings
    """

    def __init__(self, u: Expression, inputs: list[Symbol], *, sampled: bool = False) -> None:
        self.u: Expression = u
        self.sampled: bool = sampled
        self._inputs = inputs

    @cached_property
    def _second(self) -> Expression:
        return derivative(derivative(self.u, t), t)

    @cached_property
    def number(self) -> Evaluator:
        """u"""
        return Evaluator(self.u, self._inputs)

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds of u."""
        return _bounds(self.u, self._inputs)

    @cached_property
    def bend(self) -> Evaluator:
        """ü"""
        return Evaluator(self._second, self._inputs)

    @cached_property
    def bounds_of_bend(self) -> Bounds:
        """Bounds of ü."""
        return _bounds(self._second, self._inputs)


class SharedTerms:
    """Terms evaluated at once: of formulas that lie inside one another, as the levels of a deep one, each part once."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._formulas: np.ndarray = expressions([term.u for term in terms])
        self._inputs = terms[0]._inputs

    def numbers(self, inputs: np.ndarray) -> np.ndarray:
        """u of each term, shape (terms, times)."""
        return Evaluator(self._formulas, self._inputs)(inputs).T

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds of u of each term."""
        return _bounds_of(self._formulas.tolist(), self._inputs)

    @cached_property
    def bounds_of_bend(self) -> Bounds:
        """Bounds of ü of each term."""
        return _bounds_of(derivative(derivative(self._formulas, t), t).tolist(), self._inputs)


Bounds = Callable[[Sequence[tuple[Any, Any]]], Sequence[tuple[np.ndarray, np.ndarray]]]
"""Bounds of functions from those of their inputs, one pair of each."""


def _bounds(e: Expression, inputs: list[Symbol]) -> Bounds:
    return _bounds_of([e], inputs)


def _bounds_of(functions: list[Expression], inputs: list[Symbol]) -> Bounds:
    degree: dict[Expression, float] = {}
    for e in functions:
        _learn(degree, e)
    plain = [e for e in functions if 0 < degree[e] <= HIGHEST]
    polynomials = {e: PolynomialBounds(e, inputs, int(degree[e])) for e in plain}
    if len(plain) == len(functions) == 1:
        return polynomials[functions[0]]
    from zeromass.expression.interval import Intervals  # few systems have terms

    others = [e for e in functions if e not in polynomials]
    intervals = Intervals(others, inputs)
    if not polynomials:
        return intervals

    def bounds(given: Sequence[tuple[Any, Any]]) -> Sequence[tuple[np.ndarray, np.ndarray]]:
        found = dict(zip(others, intervals(given), strict=True))
        return [polynomials[e](given)[0] if e in polynomials else found[e] for e in functions]

    return bounds


class PolynomialBounds:
    """Bounds of a polynomial of time in intervals of time, by its Chebyshev series there.

        u = Σ c_k T_k(x),   |u − c₀| ≤ Σ |c_k|,   k = 1 … degree

    Interval arithmetic, which takes its powers or the steps of a recurrence one by one, overestimates a polynomial by a
    factor that grows exponentially with its degree.
    """

    def __init__(self, e: Expression, inputs: list[Symbol], degree: int) -> None:
        m = degree + 1
        angles = np.pi * (np.arange(m) + 0.5) / m
        self._number = Evaluator(e, inputs)
        self._nodes = np.cos(angles)
        self._series = np.cos(np.outer(angles, np.arange(m))) * np.where(np.arange(m) > 0, 2.0, 1.0) / m

    def __call__(self, ranges: Sequence[tuple[Any, Any]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """From the bounds of time, and values of parameters that are the same in both bounds."""
        (low, high), *fixed = ranges
        low, high = np.broadcast_arrays(np.atleast_1d(low), np.atleast_1d(high))
        times = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * self._nodes
        inputs = [times.ravel(), *[np.full(times.size, value) for value, _ in fixed]]
        with np.errstate(all="ignore"):
            u = self._number(np.column_stack(inputs)).reshape(times.shape)
            c = u @ self._series
            rounding = 4 * float(np.finfo(float).eps) * len(self._nodes) * np.abs(u).max(axis=1)
            spread = np.abs(c[:, 1:]).sum(axis=1) + rounding
        known = np.isfinite(spread)
        return [(np.where(known, c[:, 0] - spread, -np.inf), np.where(known, c[:, 0] + spread, np.inf))]


def terms_of_time(system: System, watched: Sequence[Expression] = (), sampled: Sequence[Expression] = ()) -> list[Term]:
    """Functions of time and parameters that a system contains, but for those that no step can fail to see; found once.

    watched  functions of switches and of its own events, which a run is to follow as well
    sampled  functions of events that a user asks for: steps must be short enough for each of their swings

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
    key = (tuple(watched), tuple(sampled)) if sampled else tuple(watched)
    if key not in known:
        if len(known) > REMEMBERED:
            for old in [old for old in known if old][: 1 - REMEMBERED]:
                known.pop(old, None)
        own = {term.u for term in known[()]}
        more = [Term(u, inputs) for u in _terms(_roots(watched)) if u not in own]
        more += [Term(u, inputs, sampled=True) for u in _terms(_roots(sampled), waves=True)]
        own_inputs = set(inputs)
        others = depending([term.u for term in more], lambda leaf: leaf not in own_inputs)
        known[key] = [*known[()], *[term for term in more if term.u not in others]]
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


def _terms(roots: Iterable[Expression], *, waves: bool = False) -> list[Expression]:
    """What the roots are sums of, without constants, polynomials of low degree, and sines of what is linear in time.

    waves  whether those sines are among them
    """
    degree: dict[Expression, float] = {}
    summands = _Summands(degree)
    found: dict[Expression, None] = {}
    for root in roots:
        _learn(degree, root)
        for u in summands.of(root):
            _learn(degree, u)
            wave = u.op in ("sin", "cos") and degree[u.args[0]] <= 1
            if degree[u] > SMOOTH and (waves or not wave):
                found[u] = None
    return list(found)


def _learn(degree: dict[Expression, float], root: Expression) -> None:
    """Degrees in t of all nodes under a root: 0 of a constant, ∞ of what is no polynomial."""
    for node in ordered([root], degree):
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


def _added(u: Expression, most: float = np.inf) -> list[Expression]:
    """What a formula is the sum of, apart from signs; a sum that is in it several times is taken apart once.

    most  terms beyond which it is not taken apart any further
    """
    found: dict[Expression, None] = {}
    left, seen = [u], set[Expression]()
    while left and len(found) <= most:
        e = left.pop()
        if e.op not in ("add", "subtract"):
            found[e] = None
        elif e not in seen:
            seen.add(e)
            left += reversed(e.args)
    return list(found)


class _Summands:
    """u = Σ c u_k with constants c: the u_k. A polynomial is one of them, whatever it is a sum of: its parts may cancel.

    Formulas may be as deep as they are long, as Horner's and Clenshaw's are: no function here calls itself.
    """

    def __init__(self, degree: dict[Expression, float]) -> None:
        self._degree = degree
        self._few: dict[Expression, list[Expression] | None] = {}

    def of(self, root: Expression) -> list[Expression]:
        """All of them, each once."""
        found: dict[Expression, None] = {}
        left, seen = [root], set[Expression]()
        while left:
            u = left.pop()
            if u not in seen:
                seen.add(u)
                inner = self._inner(u)
                if inner is None:
                    found.update(dict.fromkeys(self._product(u)))
                else:
                    left += reversed(inner)
        return list(found)

    def _inner(self, u: Expression) -> list[Expression] | None:
        """Formulas whose summands are those of u, but for constant factors; None where u is no sum and no multiple."""
        degree = self._degree
        if degree[u] == 0:
            return []
        if degree[u] < np.inf:
            return None
        if u.op in ("add", "subtract"):
            return _added(u)
        if u.op == "negative" or (u.op == "divide" and degree[u.args[1]] == 0):
            return [u.args[0]]
        if u.op == "multiply" and 0 in (degree[u.args[0]], degree[u.args[1]]):
            return [u.args[1] if degree[u.args[0]] == 0 else u.args[0]]
        return None

    def _product(self, u: Expression) -> list[Expression]:
        """What a product of sums is multiplied out to, if that is not too much; or itself."""
        stack = [u]
        while stack:
            e = stack[-1]
            if e in self._few:
                stack.pop()
                continue
            needed = [x for x in self._needed(e) if x not in self._few]
            if needed:
                stack += needed
            else:
                self._few[stack.pop()] = self._multiplied(e)
        return self._few[u] or [u]

    def _factors(self, u: Expression) -> list[list[Expression]]:
        """What each factor of a product is the sum of; none of what is no product of functions of time."""
        if u.op != "multiply" or self._degree[u] < np.inf:
            return []
        parts = [_added(x, MOST) for x in u.args]
        return parts if len(parts[0]) * len(parts[1]) <= MOST else []

    def _needed(self, e: Expression) -> list[Expression]:
        inner = self._inner(e)
        if inner is None:
            return [part for factor in self._factors(e) for part in factor]
        return inner if len(inner) <= MOST else []

    def _multiplied(self, e: Expression) -> list[Expression] | None:
        """The summands of e, if they are few; None if not."""
        inner = self._inner(e)
        if inner is not None:
            found = [self._few[x] for x in inner] if len(inner) <= MOST else [None]
            return None if None in found else list(dict.fromkeys(x for some in found for x in some or ()))
        first_second = []
        for factor in self._factors(e):
            some = [self._few[part] for part in factor]
            if None in some:
                return [e]
            first_second.append([x for part, few in zip(factor, some, strict=True) for x in few or [part]])
        if first_second and 1 < len(first_second[0]) * len(first_second[1]) <= MOST:
            return [multiply(x, y) for x in first_second[0] for y in first_second[1]]
        return [e]


def border(node: Expression) -> Expression | None:
    """What is negative where an operation has no value; None of one that has values everywhere."""
    inside = BORDERS.get(node.op)
    if inside is None:
        return node.args[0] if _is_root(node) else None
    return as_expression(inside(node.args[0]))


def _is_root(node: Expression) -> bool:
    """Whether it is a power that is not a whole number."""
    return node.op == "power" and not (node.args[1].value is not None and is_integer(node.args[1].value))


class Length(NamedTuple):
    """A length √u in a formula: that has a kink, and may have a jump, where u touches zero.

    said  the formula: √(d·d), arctan2 of d, √u, arccos x with u = 1 − x²
    u     the square of the length
    d     the vector whose length it is; empty where that is not known
    """

    said: Expression
    u: Expression
    d: tuple[Expression, ...]


def lengths_in(system: System) -> tuple[Length, ...]:
    """The lengths in the formulas of a system that may vanish on its way; see `zeromass.integrate.lengths`."""
    known = system.memory.get("lengths in formulas")
    if known is None:
        roots = (
            system.formulas
            if system.large
            else [*system.Q, *system.C, *system.b, *system.sparse_M.entries, *system.sparse_A.entries]
        )
        found = [length for node in ordered(roots) if (length := _length(node)) is not None]
        parts = [e for length in found for e in (length.u, *length.d)]
        moving = depending(parts, lambda leaf: leaf.kind == "coordinate")
        unsolved = depending(parts, lambda leaf: leaf.order > 1 or leaf.kind == "multiplier")
        rates = depending(parts, lambda leaf: leaf.order > 0)
        found = [length for length in found if length.u not in unsolved and moving.issuperset(length.d or (length.u,))]
        touching = _not_positive([length.u for length in found if not (length.d or length.u in rates)])
        known = tuple(length for length in found if length.d or length.u in touching)
        system.memory["lengths in formulas"] = known
    return known


def _length(node: Expression) -> Length | None:
    """The length in an operation; None of those that have none."""
    if node.op in ("hypot", "arctan2"):
        return Length(node, as_expression(node.args[0] ** 2 + node.args[1] ** 2), node.args)
    if node.op not in BENT and not _is_root(node):
        return None
    u = border(node)
    assert u is not None
    while u.op == "power" and (u.args[1].value or 0.0) % 2 == 1:  # u³ has the sign of u
        u = u.args[0]
    squares = _squares(u)
    return None if squares == () else Length(node, u, squares or ())


def _not_positive(formulas: Sequence[Expression]) -> set[Expression]:
    """Those of some formulas that may be zero, as far as bounds of all values tell."""
    if not formulas:
        return set()
    from zeromass.expression.interval import Intervals  # few systems have such lengths

    leaves = symbols(list(formulas))
    everywhere = Intervals(formulas, leaves)([(np.float64(-np.inf), np.float64(np.inf))] * len(leaves))
    return {u for u, (low, _) in zip(formulas, everywhere, strict=True) if not low > 0.0}


def _squares(u: Expression) -> tuple[Expression, ...] | None:
    """The e of a sum Σ e², in the order of the sum; none where a positive number is added, None of other formulas."""
    found: list[Expression] = []
    positive, stack = False, [(u, 1.0)]
    while stack:
        node, factor = stack.pop()
        if node.op == "add":
            stack += [(a, factor) for a in reversed(node.args)]
        elif node.op == "power" and node.args[1].value == 2.0:
            found.append(node.args[0] if factor == 1.0 else as_expression(factor * node.args[0]))
        elif node.op == "multiply" and (node.args[0].value or 0.0) > 0.0:
            stack.append((node.args[1], factor * float(np.sqrt(node.args[0].value or 0.0))))
        elif (node.value or 0.0) > 0.0:
            positive = True
        else:
            return None
    return () if positive else tuple(found)
