"""Formulas taken apart: as sums of terms, as sums of squares, as distances between two points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from zeromass.expression import Expression, as_expression, symbols
from zeromass.expression.build import ONE, ZERO

Term = tuple[Expression, Expression]
"""A factor in which nothing moves but time, and what it multiplies."""


def still(e: Expression) -> bool:
    """Whether no coordinate and no rate is in it."""
    return not any(leaf.kind == "coordinate" for leaf in symbols(e))


def terms(e: Expression) -> Iterator[Term]:
    """The terms of a sum, in the order in which they are written, with factors multiplied out."""
    waiting = [(ONE, e)]
    while waiting:
        factor, e = waiting.pop()
        match e.op, e.args:
            case "add", (a, b):
                waiting += [(factor, b), (factor, a)]
            case "subtract", (a, b):
                waiting += [(-factor, b), (factor, a)]
            case "negative", (a,):
                waiting.append((-factor, a))
            case "multiply", (a, b) if still(a) and not still(b):
                waiting.append((factor * a, b))
            case "multiply", (a, b) if still(b) and not still(a):
                waiting.append((factor * b, a))
            case "divide", (a, b) if still(b) and not still(a):
                waiting.append((factor / b, a))
            case _:
                yield factor, e


def total(some: Iterable[Term]) -> Expression:
    """The sum of terms."""
    return sum((factor * e for factor, e in some), ZERO)


def squared(e: Expression) -> Expression | None:
    """What is squared, or None."""
    return e.args[0] if e.op == "power" and e.args[1].value == 2 else None


@dataclass(frozen=True)
class Distance:
    """That |d| has a given length.

    d       components, as they were squared
    length  or its square, an expression of time and parameters
    rooted  whether the length itself was written, not its square
    """

    d: tuple[Expression, ...]
    length: Expression
    rooted: bool


def distance(zero: Expression) -> Distance | None:
    """The distance that a formula keeps where it vanishes: c (d·d − l²) or c (√(d·d) − l); None if it is no such formula."""
    listed = list(terms(zero))
    moving = [(factor, e) for factor, e in listed if not still(e)]
    rest = total((factor, e) for factor, e in listed if still(e))
    if len(moving) == 1 and moving[0][1].op == "sqrt":
        [(factor, root)] = moving
        inside = list(terms(root.args[0]))
        return _kept(inside, ONE, -rest / factor, rooted=True)
    if len(moving) > 1:
        return _kept(moving, moving[0][0], -rest / moving[0][0], rooted=False)
    return None


def _kept(items: list[Term], factor: Expression, length: Expression, *, rooted: bool) -> Distance | None:
    bases = [squared(e) for _, e in items]
    known = [base for base in bases if base is not None]
    if len(known) < len(bases) or not 2 <= len(known) <= 3 or any(f is not factor for f, _ in items):
        return None
    return Distance(tuple(known), as_expression(length), rooted)
