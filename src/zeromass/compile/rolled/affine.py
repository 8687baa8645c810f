"""Affine forms of formulas: their structure does not depend on which constants are zero or one.

    c + Σ cᵢ xᵢ,    xᵢ a coordinate, an entry of a rotation matrix, a product of two forms, or a function of forms

A point of a body, p + S r, has three forms of the same four features each, whatever r is: a component of r that is zero is a
coefficient that is zero. Joints of other axes and points therefore have equal structure and other constants.
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


class BodyFeatures:
    """Formulas of bodies that others consist of: positions, quaternions, their rates, rotation matrices, angular velocities.

    named   {formula: (feature, factor)}, for features without their constant factor, of either sign
    places  {feature: (block, family, number)}; families: {block: {family: its features}}
    """

    def __init__(self, parts: Sequence[Part | None]) -> None:
        self._parts = parts
        self.named: dict[Expression, tuple[Expression, float]] = {}
        self.places: dict[Any, tuple[int, str, int]] = {}
        self.families: dict[int, dict[str, list[Expression]]] = {}

    def add(self, b: int) -> None:
        """Adds the features of the part of a block, if it has one."""
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
    """A product of two forms. A homogeneous second form contains the coefficient of the product."""

    first: AffineForm
    second: AffineForm


class Applied(NamedTuple):
    """An operation on forms that is neither a sum nor a product. Constant exponents are further operands of the node."""

    node: Expression
    operands: tuple[AffineForm, ...]

    @property
    def rest(self) -> tuple[Expression, ...]:
        return self.node.args[len(self.operands) :]


Atom = Expression | Product | Applied


class AffineForm:
    """A number, and terms with their coefficients."""

    def __init__(self, builder: FormBuilder, number: Number, terms: dict[Atom, Number]) -> None:
        self._builder = builder
        self.number: Number = number
        self.terms: dict[Atom, Number] = terms
        self._key = number, frozenset(terms.items())
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, AffineForm) and self._key == other._key)

    @cached_property
    def _sorted(self) -> tuple[dict[tuple[int, str], dict[int, Number]], list[tuple[str, Atom, Number]]]:
        """Coefficients of features by family, and (signature, term, coefficient) of others, both in a canonical order."""
        families: dict[tuple[int, str], dict[int, Number]] = {}
        others: list[tuple[str, Atom, Number]] = []
        places, local = self._builder.features.places, self._builder.local
        for x, c in self.terms.items():
            place = places.get(x)
            if place is not None:
                b, family, i = place
                families.setdefault((local[b], family), {})[i] = c
            else:
                others.append((self._builder.signature(x) + _sign(c), x, c))
        for k, family in [one for one in families if one[1] in "xvwo"]:  # a single component ±x keeps its sign
            (i, c), *more = families[k, family].items()
            if not more and _sign(c) != "c":
                others.append((f"{k}{family}{i}{_sign(c)}", self._builder.family(k, family)[i], c))
                del families[k, family]
        for k in {k for k, _ in families}:
            rows = [(k, family) for family in _MATRIX]
            some = sum(row in families for row in rows)
            if some > 1 or (some == 1 and (k, "x") in families):
                families |= {row: families.get(row, {}) for row in rows}
        return dict(sorted(families.items())), sorted(others, key=lambda term: term[0])

    @cached_property
    def signature(self) -> str:
        """Equal of forms that differ only in constants."""
        families, others = self._sorted
        number = "c" if self._has_number else ""
        return f"[{number}{''.join(f'{k}{family}' for k, family in families)}{''.join(sign for sign, *_ in others)}]"

    @property
    def _has_number(self) -> bool:
        """Whether its number is a constant of the kernel; a number that is zero beside terms is not."""
        return not (self.terms and _zero(self.number))

    @property
    def homogeneous(self) -> bool:
        """Whether it consists of features and their coefficients, which take up any factor."""
        return _zero(self.number) and not self._sorted[1]

    @property
    def featureless(self) -> bool:
        """Whether it has neither features nor products."""
        places = self._builder.features.places
        return all(x not in places and not isinstance(x, Product) for x in self.terms)

    @property
    def constants(self) -> Iterator[Number]:
        """Its constants, in the order of the signature."""
        families, others = self._sorted
        for (k, family), some in families.items():
            yield from (some.get(i, 0.0) for i in range(len(self._builder.family(k, family))))
        for sign, x, c in others:
            for inner in _inner(x):
                yield from inner.constants
            if sign[-1] == "c":
                yield c
        if self._has_number:
            yield self.number

    def formula(self, constants: Iterator[Expression]) -> Expression:
        """The formula of this form with other constants."""
        total, (families, others) = ZERO, self._sorted
        for k, family in families:
            for x in self._builder.family(k, family):
                total = add(total, multiply(next(constants), x))
        for sign, x, c in others:
            operands = [inner.formula(constants) for inner in _inner(x)]
            e = multiply(*operands) if isinstance(x, Product) else x
            e = renewed(x.node, [*operands, *x.rest]) if isinstance(x, Applied) else e
            total = add(total, multiply(next(constants) if sign[-1] == "c" else as_expression(c), e))  # type: ignore[arg-type]
        return add(total, next(constants)) if self._has_number else total


def _number(c: Number) -> Number:
    """A coefficient, as a float where it is constant."""
    return c if type(c) is float or c.value is None else c.value  # type: ignore[union-attr]


def _zero(c: Number) -> bool:
    return type(c) is float and c == 0.0


def _sign(c: Number) -> str:
    """The coefficient in a signature: "+" for 1, "-" for −1, "c" for data."""
    return ("+" if c == 1.0 else "-" if c == -1.0 else "c") if type(c) is float else "c"


def _inner(x: Atom) -> tuple[AffineForm, ...]:
    """The forms that a term is made of."""
    return x if isinstance(x, Product) else x.operands if isinstance(x, Applied) else ()


class FormBuilder:
    """Builds the forms of the formulas of an element; `constants`: symbols that stand for numbers."""

    def __init__(
        self,
        features: BodyFeatures,
        where: Mapping[str, tuple[int, int]],
        blocks: Sequence[int],
        constants: Collection[Expression] = (),
    ) -> None:
        self.features: BodyFeatures = features
        self.local: dict[int, int] = {b: k for k, b in enumerate(blocks)}
        self._where, self._blocks, self._constants = where, blocks, frozenset(constants)
        for b in blocks:
            if b not in features.families:
                features.add(b)

    def family(self, k: int, family: str) -> list[Expression]:
        """The features of a family of the k-th block of the element."""
        return self.features.families[self._blocks[k]][family]

    def signature(self, x: Atom) -> str:
        """Equal of terms that differ only in constants."""
        if isinstance(x, Product):
            return f"{x.first.signature}*{x.second.signature}"
        if isinstance(x, Applied):
            name = (x.node.grid.key, x.node.orders) if isinstance(x.node, Gridded) else x.node.op
            return f"{name}({','.join(inner.signature for inner in x.operands)}){[e.value for e in x.rest]}"
        assert isinstance(x, Symbol)
        block, place = self._where[x.token]
        return f"{self.local.get(block, block)}.{place}.{x.order}"

    def forms(self, formulas: Sequence[Expression]) -> dict[Expression, AffineForm]:
        """The form of each formula and of its operands."""
        waiting, known = list(formulas), dict[Expression, AffineForm]()
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
        """The summands of a formula: a number; features and symbols, and other operations, with their coefficients."""
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

    def _made(self, node: Expression, operands: list[AffineForm]) -> AffineForm:
        """The form of an operation that is no sum."""
        if not any(f.terms for f in operands):
            e = renewed(node, [as_expression(f.number) for f in operands])
            return AffineForm(self, e if e.value is None else e.value, {})
        if node.op == "multiply":
            a, b = operands
            if a.terms and b.terms:
                return self._product(a, b)
            return self._sum(0.0, {}, [(a, b.number) if a.terms else (b, a.number)])
        if node.op == "divide" and not operands[1].terms and not _zero(operands[1].number):
            return self._sum(0.0, {}, [(operands[0], 1.0 / operands[1].number)])
        exponent = node.op == "power" and node.args[1].value is not None
        return AffineForm(self, 0.0, {Applied(node, tuple(operands[: 1 if exponent else None])): 1.0})

    def _product(self, a: AffineForm, b: AffineForm) -> AffineForm:
        if (a.homogeneous and not b.homogeneous) or (a.homogeneous == b.homogeneous and a.signature > b.signature):
            a, b = b, a
        if b.homogeneous and a.featureless:  # sin φ · axis: zeros of the axis are coefficients, too
            each = [
                (AffineForm(self, 0.0, {Product(AffineForm(self, 0.0, {x: 1.0}), b): 1.0}), c)
                for x, c in a.terms.items()
            ]
            return self._sum(0.0, {}, [*each, (b, a.number)])
        return AffineForm(self, 0.0, {Product(a, b): 1.0})

    def _sum(
        self, number: Number, terms: Mapping[Atom, Number], forms: Sequence[tuple[AffineForm, Number]]
    ) -> AffineForm:
        """number + Σ terms + Σ c f for pairs (f, c). Products of equal first forms are added."""
        terms = dict(terms)
        products: dict[AffineForm, list[tuple[AffineForm, Number]]] = {}
        for f, c in forms:
            number = number + c * f.number
            for x, own in f.terms.items():
                scaled = c * own
                if isinstance(x, Product) and x.second.homogeneous:
                    products.setdefault(x.first, []).append((x.second, scaled))
                else:
                    terms[x] = terms[x] + scaled if x in terms else scaled
        for first, some in products.items():
            second = some[0][0] if len(some) == 1 and _sign(some[0][1]) == "+" else self._sum(0.0, {}, some)
            if second.terms:
                terms[Product(first, second)] = 1.0
        return AffineForm(self, _number(number), {x: _number(c) for x, c in terms.items() if not _zero(_number(c))})
