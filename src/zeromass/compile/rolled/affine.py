"""Formulas as affine forms in the features of bodies: their structure does not depend on which constants are zero or one.

    c + Σ cᵢ xᵢ,    x a position, an entry of a rotation matrix, a product of two forms, a function of some

The end of a body, p + S r, is three forms of this kind, with the same four features in each whatever r is: where a component
of r is zero its coefficient is. So joints with other axes and points are of one structure, with other constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from zeromass.expression import Expression, Symbol, as_expression, rate
from zeromass.expression.build import ZERO, add, multiply, negative
from zeromass.expression.node import Gridded
from zeromass.expression.substitute import renewed
from zeromass.model import Part, RigidBody

Number = float | Expression
"""A coefficient: an expression where it depends on constants that have symbols."""

_MATRIX = ("S0", "S1", "S2")
"""Families that are rows of a rotation matrix."""


class Features:
    """Formulas of parts that stand in others: positions and rates, quaternions, rotation matrices, angular velocities.

    named   {formula: (feature, factor)}: without a constant factor, and with either sign
    places  {feature: (block, family, number)}; families: {block: {family: its features}}
    """

    def __init__(self, parts: Sequence[Part | None]) -> None:
        self._parts = parts
        self.named: dict[Expression, tuple[Expression, float]] = {}
        self.places: dict[Any, tuple[int, str, int]] = {}
        self.families: dict[int, dict[str, list[Expression]]] = {}

    def add(self, b: int) -> None:
        """Those of the part of a block, if there is one."""
        part, found = self._parts[b] if 0 <= b < len(self._parts) else None, dict[str, Any]()
        if part is not None:
            found = {"x": part.position, "v": rate(part.position)}
        if isinstance(part, RigidBody):
            found |= {"q": part.quaternion, "r": rate(part.quaternion)}
            found |= dict(zip(_MATRIX, part.rotation, strict=True))
            found |= {"w": part.angular_velocity, "o": part.angular_velocity_body}
        self.families[b] = {family: list(formulas) for family, formulas in found.items()}
        for family, formulas in self.families[b].items():
            for i, x in enumerate(formulas):
                self.places[x] = b, family, i
                factor, inner = (x.args[0].value, x.args[1]) if x.op == "multiply" else (1.0, x)
                if factor is not None and x.args:
                    self.named[inner] = x, 1.0 / factor
                    self.named[negative(inner)] = x, -1.0 / factor


class Product(NamedTuple):
    """Of two forms; a factor that multiplies the second stands in it, if that is nothing but features."""

    first: Form
    second: Form


class Applied(NamedTuple):
    """An operation that is neither a sum nor a product, on forms; further operands, exponents, are those of the node."""

    node: Expression
    operands: tuple[Form, ...]

    @property
    def rest(self) -> tuple[Expression, ...]:
        return self.node.args[len(self.operands) :]


Atom = Expression | Product | Applied


class Form:
    """One affine form: a number, and terms with their coefficients."""

    def __init__(self, forms: Forms, number: Number, terms: dict[Atom, Number]) -> None:
        self._forms = forms
        self.number: Number = number
        self.terms: dict[Atom, Number] = terms
        self._key = number, frozenset(terms.items())
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Form) and self._key == other._key)

    @cached_property
    def _sorted(self) -> tuple[dict[tuple[int, str], dict[int, Number]], list[tuple[str, Atom, Number]]]:
        """Coefficients of features by their families, and the other terms, in orders that follow from their structure."""
        families: dict[tuple[int, str], dict[int, Number]] = {}
        others: list[tuple[str, Atom, Number]] = []
        places, local = self._forms.features.places, self._forms.local
        for x, c in self.terms.items():
            place = places.get(x)
            if place is not None:
                b, family, i = place
                families.setdefault((local[b], family), {})[i] = c
            else:
                others.append((self._forms.code(x) + _sign(c), x, c))
        for k, family in [one for one in families if one[1] in "xvwo"]:  # one component alone is added or subtracted
            (i, c), *more = families[k, family].items()
            if not more and _sign(c) != "c":
                others.append((f"{k}{family}{i}{_sign(c)}", self._forms.family(k, family)[i], c))
                del families[k, family]
        for k in {k for k, _ in families}:
            rows = [(k, family) for family in _MATRIX]
            some = sum(row in families for row in rows)
            if some > 1 or (some == 1 and (k, "x") in families):
                families |= {row: families.get(row, {}) for row in rows}
        return dict(sorted(families.items())), sorted(others, key=lambda term: term[0])

    @cached_property
    def code(self) -> str:
        """Equal of forms that differ in constants alone."""
        families, others = self._sorted
        shown = "c" if self._shown else ""
        return f"[{shown}{''.join(f'{k}{family}' for k, family in families)}{''.join(code for code, *_ in others)}]"

    @property
    def _shown(self) -> bool:
        """Whether it has a number: one of nothing but features has none that is zero."""
        return not (self.terms and _zero(self.number))

    @property
    def free(self) -> bool:
        """Whether it is nothing but features with coefficients: then a factor may be in these."""
        return _zero(self.number) and not self._sorted[1]

    @property
    def bodiless(self) -> bool:
        """Whether it has neither features of bodies nor products."""
        places = self._forms.features.places
        return all(x not in places and not isinstance(x, Product) for x in self.terms)

    @property
    def numbers(self) -> Iterator[Number]:
        """Its constants, in an order that follows from the code."""
        families, others = self._sorted
        for (k, family), some in families.items():
            yield from (some.get(i, 0.0) for i in range(len(self._forms.family(k, family))))
        for code, x, c in others:
            for inner in _inside(x):
                yield from inner.numbers
            if code[-1] == "c":
                yield c
        if self._shown:
            yield self.number

    def formula(self, numbers: Iterator[Expression]) -> Expression:
        """The formula with other constants."""
        total, (families, others) = ZERO, self._sorted
        for k, family in families:
            for x in self._forms.family(k, family):
                total = add(total, multiply(next(numbers), x))
        for code, x, c in others:
            operands = [inner.formula(numbers) for inner in _inside(x)]
            e = multiply(*operands) if isinstance(x, Product) else x
            e = renewed(x.node, [*operands, *x.rest]) if isinstance(x, Applied) else e
            total = add(total, multiply(next(numbers) if code[-1] == "c" else as_expression(c), e))  # type: ignore[arg-type]
        return add(total, next(numbers)) if self._shown else total


def _number(c: Number) -> Number:
    """A coefficient as a number, if it is one."""
    return c if type(c) is float or c.value is None else c.value  # type: ignore[union-attr]


def _zero(c: Number) -> bool:
    return type(c) is float and c == 0.0


def _sign(c: Number) -> str:
    """How a coefficient stands in a code: literally, if it is 1 or −1."""
    return ("+" if c == 1.0 else "-" if c == -1.0 else "c") if type(c) is float else "c"


def _inside(x: Atom) -> tuple[Form, ...]:
    return x if isinstance(x, Product) else x.operands if isinstance(x, Applied) else ()


class Forms:
    """The forms of formulas of an element; `constants`: symbols that stand for numbers."""

    def __init__(
        self,
        features: Features,
        where: Mapping[str, tuple[int, int]],
        blocks: Sequence[int],
        constants: Collection[Expression] = (),
    ) -> None:
        self.features: Features = features
        self.local: dict[int, int] = {b: k for k, b in enumerate(blocks)}
        self._where, self._blocks, self._constants = where, blocks, frozenset(constants)
        for b in blocks:
            if b not in features.families:
                features.add(b)

    def family(self, k: int, family: str) -> list[Expression]:
        """Features of a family of the k-th of the blocks."""
        return self.features.families[self._blocks[k]][family]

    def code(self, x: Atom) -> str:
        """The structure of a term."""
        if isinstance(x, Product):
            return f"{x.first.code}*{x.second.code}"
        if isinstance(x, Applied):
            name = (hash(x.node.grid), x.node.orders) if isinstance(x.node, Gridded) else x.node.op
            return f"{name}({','.join(inner.code for inner in x.operands)}){[e.value for e in x.rest]}"
        assert isinstance(x, Symbol)
        block, place = self._where[x.token]
        return f"{self.local.get(block, block)}.{place}.{x.order}"

    def of(self, formulas: Sequence[Expression]) -> dict[Expression, Form]:
        """The form of each formula, and of what stands in it."""
        waiting, known = list(formulas), dict[Expression, Form]()
        summed: dict[Expression, tuple[Number, dict[Atom, Number], list[tuple[Expression, Number]]]] = {}
        while waiting:
            node = waiting[-1]
            if node not in known:
                if node not in summed:
                    summed[node] = self._summands(node)
                number, terms, others = summed[node]
                if missing := [a for x, _ in others for a in x.args if a not in known]:
                    waiting += missing
                    continue
                more = [(self._made(x, [known[a] for a in x.args]), c) for x, c in others]
                known[node] = self._sum(number, terms, more)
            waiting.pop()
        return known

    def _summands(self, e: Expression) -> tuple[Number, dict[Atom, Number], list[tuple[Expression, Number]]]:
        """What a formula is the sum of: a number, features and symbols, and operations, with their coefficients."""
        number, terms, others = 0.0, dict[Atom, Number](), list[tuple[Expression, Number]]()
        waiting: list[tuple[Expression, Number]] = [(e, 1.0)]
        named, constants = self.features.named, self._constants
        while waiting:
            x, c = waiting.pop()
            if x in named:
                x, factor = named[x]
                c = c * factor
            elif x.value is not None:
                number = number + c * x.value
                continue
            elif x in constants:
                number = number + c * x
                continue
            elif x.op == "negative":
                waiting.append((x.args[0], -c))
                continue
            elif x.op in ("add", "subtract"):
                waiting += [(x.args[1], c if x.op == "add" else -c), (x.args[0], c)]
                continue
            elif x.op == "multiply" and x.args[0].value is not None:
                waiting.append((x.args[1], c * x.args[0].value))
                continue
            elif x.args:
                others.append((x, c))
                continue
            terms[x] = terms[x] + c if x in terms else c
        return number, terms, others

    def _made(self, node: Expression, operands: list[Form]) -> Form:
        """The form of an operation that is no sum."""
        if not any(f.terms for f in operands):
            e = renewed(node, [as_expression(f.number) for f in operands])
            return Form(self, e if e.value is None else e.value, {})
        if node.op == "multiply":
            a, b = operands
            if a.terms and b.terms:
                return self._product(a, b)
            return self._sum(0.0, {}, [(a, b.number) if a.terms else (b, a.number)])
        if node.op == "divide" and not operands[1].terms:
            return self._sum(0.0, {}, [(operands[0], 1.0 / operands[1].number)])
        exponent = node.op == "power" and node.args[1].value is not None
        return Form(self, 0.0, {Applied(node, tuple(operands[: 1 if exponent else None])): 1.0})

    def _product(self, a: Form, b: Form) -> Form:
        if (a.free and not b.free) or (a.free == b.free and a.code > b.code):
            a, b = b, a
        if b.free and a.bodiless:  # the sine of an angle times an axis: zeros of the axis are coefficients, too
            each = [(Form(self, 0.0, {Product(Form(self, 0.0, {x: 1.0}), b): 1.0}), c) for x, c in a.terms.items()]
            return self._sum(0.0, {}, [*each, (b, a.number)])
        return Form(self, 0.0, {Product(a, b): 1.0})

    def _sum(self, number: Number, terms: Mapping[Atom, Number], forms: Sequence[tuple[Form, Number]]) -> Form:
        """A number, terms, and Σ c f of pairs (f, c); products with one first factor are one."""
        terms = dict(terms)
        products: dict[Form, list[tuple[Form, Number]]] = {}
        for f, c in forms:
            number = number + c * f.number
            for x, own in f.terms.items():
                scaled = c * own
                if isinstance(x, Product) and x.second.free:
                    products.setdefault(x.first, []).append((x.second, scaled))
                else:
                    terms[x] = terms[x] + scaled if x in terms else scaled
        for first, some in products.items():
            second = some[0][0] if len(some) == 1 and _sign(some[0][1]) == "+" else self._sum(0.0, {}, some)
            if second.terms:
                terms[Product(first, second)] = 1.0
        return Form(self, _number(number), {x: _number(c) for x, c in terms.items() if not _zero(_number(c))})
