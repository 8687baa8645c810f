"""Coordinates without mass and without force, which follow from the others.

Two or three such coordinates y that rows hold together are solved for from as many of these, and taken out of the others:

    B y = b_y − A_y x,   A ← A − Z A_y,   b ← b − Z b_y,   λ_y = −Zᵀλ,   Z = C B⁻¹

C is what the other rows have of y. That nothing else acts on y says the last; M and f stay what they are. So the contact
point of a body that rolls follows from its turning. A determinant is divided by: no order of pivots can fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from zeromass.expression import Expression, as_expression
from zeromass.expression.build import ONE, ZERO, add, divide, multiply, negative, subtract

TOGETHER = (2, 3)
"""Coordinates that are solved for together: of one alone the factorisation makes as little, of more a determinant much."""

Vector = dict[int, Expression]
Matrix = list[list[Expression]]


class Light(NamedTuple):
    """Coordinates without mass, and the rows that were solved for them.

    rows, columns  as many of both
    adjugate       det(B) B⁻¹
    inverse        1/det(B)
    growth         Π |column of B and C|²/det² ≥ 1, of rows in their sizes: whether others hold them better, or what has
                   cancelled
    pivot          det²; it vanishes where the rows no longer hold them
    left, right    A_y and b_y
    taken          rows of Z, by the rows that y was taken from
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    adjugate: Matrix
    inverse: Expression
    growth: Expression
    pivot: Expression
    left: list[Vector]
    right: list[Expression]
    taken: dict[int, list[Expression]]

    def follow(self, x: dict[int, Expression]) -> dict[int, Expression]:
        """y = B⁻¹(b_y − A_y x)."""
        rest = list(self.right)
        for place, row in enumerate(self.left):
            for k, a in row.items():
                rest[place] = subtract(rest[place], multiply(a, x[k]))
        return {j: multiply(total(row, rest), self.inverse) for j, row in zip(self.columns, self.adjugate, strict=True)}

    def multipliers(self, λ: dict[int, Expression]) -> dict[int, Expression]:
        """λ_y = −Zᵀλ."""
        held = {r: z for r, z in self.taken.items() if λ.get(r, ZERO) is not ZERO}
        return {
            i: negative(total([z[place] for z in held.values()], [λ[r] for r in held]))
            for place, i in enumerate(self.rows)
        }


def light_groups(light: Iterable[int], columns: Sequence[set[int]]) -> list[list[int]]:
    """Coordinates without mass and force, those together that have rows in common, two or three of them.

    columns  the rows of each coordinate
    """
    left, groups = {*light}, list[list[int]]()
    while left:
        group = [min(left)]
        left -= {*group}
        for j in group:
            found = {k for k in left if not columns[j].isdisjoint(columns[k])}
            left -= found
            group += found
        groups.append(sorted(group))
    return [group for group in groups if len(group) in TOGETHER]


def solved_for(
    A: list[Vector], b: list[Expression], columns: Sequence[int], rows: Sequence[int], sizes: Mapping[int, int]
) -> Light:
    """Some of the rows solved for coordinates without mass, and these taken out of all others, in place.

    sizes  of the rows that have any of them, as exponents of two
    """
    B = [[A[i].pop(j, ZERO) for j in columns] for i in rows]
    left, right = [A[i] for i in rows], [b[i] for i in rows]
    for i in rows:
        A[i] = {}
    C = {r: [row.pop(j, ZERO) for j in columns] for r, row in enumerate(A) if not row.keys().isdisjoint(columns)}
    adjugate = _adjugate(B)
    det = total(B[0], [row[0] for row in adjugate])
    inverse = divide(ONE, det)
    taken = {
        r: [multiply(total(held, column), inverse) for column in zip(*adjugate, strict=True)] for r, held in C.items()
    }
    for r, z in taken.items():
        b[r] = subtract(b[r], total(z, right))
        for part, row in zip(z, left, strict=True):
            for k, a in row.items():
                A[r][k] = subtract(A[r].get(k, ZERO), multiply(part, a))
        A[r] = {k: a for k, a in A[r].items() if a is not ZERO}
    each = {i: _sized(row, sizes[i]) for i, row in [*zip(rows, B, strict=True), *C.items()]}
    squares = [total(column, column) for column in zip(*each.values(), strict=True)]
    unit = as_expression(4.0 ** sum(sizes[i] for i in rows))
    growth = multiply(unit, reduce(multiply, squares, multiply(inverse, inverse)))
    return Light(tuple(rows), tuple(columns), adjugate, inverse, growth, multiply(det, det), left, right, taken)


def _sized(row: Sequence[Expression], exponent: int) -> list[Expression]:
    return [multiply(as_expression(0.5**exponent), a) for a in row] if exponent else list(row)


def _adjugate(B: Matrix) -> Matrix:
    """det(B) B⁻¹ of a matrix of two or three rows."""
    if len(B) == 2:
        (p, q), (r, s) = B
        return [[s, negative(q)], [negative(r), p]]
    return [[_cofactor(B, j, i) for j in range(3)] for i in range(3)]


def _cofactor(B: Matrix, i: int, j: int) -> Expression:
    """Of the entry i, j of a matrix of three rows: the sign is in the order of what is left."""
    (p, q), (r, s) = ([B[a % 3][c % 3] for c in (j + 1, j + 2)] for a in (i + 1, i + 2))
    return subtract(multiply(p, s), multiply(q, r))


def total(a: Iterable[Expression], b: Iterable[Expression]) -> Expression:
    """Σ aᵢ bᵢ, added in this order."""
    found = ZERO
    for x, y in zip(a, b, strict=True):
        found = add(found, multiply(x, y))
    return found
