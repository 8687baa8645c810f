"""The quantity whose rate a formula is, where it is made of sines, cosines and powers: from velocities back to places."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, derivative, expressions, rate, symbols, t
from zeromass.expression.build import ZERO
from zeromass.expression.node import symbol
from zeromass.model.picture.terms import still, terms, total


def whose_rate(v: Expression) -> Expression | None:
    """f with df/dt = v, up to a constant; None where none is found.

    v is linear in rates, v = Σ c_j(q, t) q̇_j + c_t(q, t), and c_j = ∂f/∂q_j is integrated coordinate after coordinate.
    """
    rates = [leaf for leaf in symbols(v) if leaf.kind == "coordinate" and leaf.order == 1]
    f, rest = ZERO, v
    for q_dot in rates:
        c = derivative(v, q_dot)
        if any(leaf.order for leaf in symbols(c) if leaf.kind == "coordinate"):
            return None
        rest = rest - c * q_dot
        q = symbol(q_dot.name, q_dot.kind, latex=q_dot.latex, token=q_dot.token)
        added = _integral(_difference(c, derivative(f, q)), q)
        if added is None:
            return None
        f = f + added
    left = total((factor, e) for factor, e in terms(rest) if not any(leaf in rates for leaf in symbols(e)))
    added = _integral(_difference(left, derivative(f, t)), t)
    return f + added if added is not None and _equal(rate(f + added), v) else None


def _equal(a: Expression, b: Expression) -> bool:
    """Whether two formulas have the same values, at numbers at random."""
    leaves = symbols(a, b)
    values = np.random.default_rng(2).uniform(0.3, 1.7, (8, len(leaves)))
    with np.errstate(all="ignore"):
        one, other = Evaluator(expressions([a, b]), leaves)(values).T
    return bool(np.all(np.abs(one - other) <= 1e-10 * (1 + np.abs(one))))


def _difference(a: Expression, b: Expression) -> Expression:
    """a − b, with equal terms cancelled."""
    found: dict[Expression, Expression] = {}
    for sign, e in ((1.0, a), (-1.0, b)):
        for factor, x in terms(e):
            found[x] = found.get(x, ZERO) + sign * factor
    return total((f, e) for e, f in found.items() if not (f.value is not None and abs(f.value) < 1e-14))


def _integral(e: Expression, x: Symbol) -> Expression | None:
    found = ZERO
    for factor, term in terms(e):
        whole = factor * term
        if whole is ZERO:
            continue
        one = _of_product(whole, x)
        if one is None:
            return None
        found = found + one
    return found


def _of_product(e: Expression, x: Symbol) -> Expression | None:
    """∫ e dx for one term."""
    if x not in symbols(e):
        return e * x
    if e is x:
        return x**2 / 2
    match e.op, e.args:
        case "negative", (a,):
            one = _of_product(a, x)
            return None if one is None else -one
        case "multiply", (a, b):
            if x not in symbols(a):
                one = _of_product(b, x)
                return None if one is None else a * one
            if x not in symbols(b):
                one = _of_product(a, x)
                return None if one is None else b * one
        case "divide", (a, b) if x not in symbols(b):
            one = _of_product(a, x)
            return None if one is None else one / b
        case "sin" | "cos", (a,):
            slope = derivative(a, x)
            if still(slope) and x not in symbols(slope):
                return (-a.cos() if e.op == "sin" else a.sin()) / slope
        case "power", (a, n) if a is x and n.value is not None and n.value != -1:
            return x ** (n.value + 1) / (n.value + 1)
    return None
