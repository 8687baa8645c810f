"""A system by its angular velocities, with positions that constraints give as formulas of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from zeromass.compile.decisions import Decisions, Matrix, Question, Samples
from zeromass.compile.pivots import LARGEST_FACTOR
from zeromass.compile.turning import Turn, Turning
from zeromass.expression import Array, Expression, expressions, jacobian, substitute, t
from zeromass.expression.build import ONE, ZERO, constant, divide, negative
from zeromass.model.quaternion import inertial_rates

Replaced = Mapping[Expression, Expression]


class Formula(Question[int]):
    """Which coordinate a constraint gives as a formula of the others, by its place among its slopes; −1 for none.

    One whose slope is constant, if no other slope is much larger.
    """

    def __init__(self, slopes: tuple[Expression, ...]) -> None:
        super().__init__(slopes)
        self.slopes: Matrix = (slopes,)

    @property
    def settled(self) -> bool:
        return all(e.value is not None for e in self.slopes[0])

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        return (self.slopes,)

    def answer(self, samples: Samples) -> int:
        sizes = np.abs(samples.matrix(self.slopes)[0])
        fit = [k for k, e in enumerate(self.slopes[0]) if e.value and np.all(sizes <= LARGEST_FACTOR * abs(e.value))]
        return fit[0] if fit else -1


class Given:
    """A system by its angular velocities and the formulas of its positions.

    formulas  of positions that constraints give, in terms of the others
    unknown   the rates w, in the order of the columns of `Turning`
    rest      rows of positions that are no formula
    """

    def __init__(self, by: Turning, decide: Decisions) -> None:
        self.by = by
        self.formulas: dict[Expression, Expression] = {}
        self.rest: list[int] = []
        free = list(by.system.coordinates[by.straight])
        for k, φ in by.at_positions.items():
            (zero,) = changed([φ], self.formulas)
            slopes = tuple(jacobian([zero], free)[0]) if free else ()
            place = decide(Formula(slopes)) if slopes else -1
            if place < 0:
                self.rest += [k] if zero is not ZERO else []
                continue
            x = free.pop(place)
            formula = negative(divide(changed([zero], {x: ZERO})[0], slopes[place]))
            self.formulas = dict(zip(self.formulas, changed(self.formulas.values(), {x: formula}), strict=True))
            self.formulas[x] = formula

    @cached_property
    def unknown(self) -> list[Expression]:
        by = self.by
        found = dict(zip(by.straight, by.system.rates[by.straight], strict=True))
        for body, at in by.placed:
            found |= {by.columns[k]: x for k, x in zip(at, body.w, strict=True)}
        return [found[j] for j in by.columns]

    def meant(self, e: Iterable[Expression]) -> list[Expression]:
        """Formulas of `Turning` with quaternions of length 1, u̇ = ½ Gᵀω̄, Ṡ = ω̄ × S, and with positions as formulas."""
        replaced: dict[Expression, Expression] = {}
        for body in self.by.bodies:
            replaced |= {body.inverse: ONE, body.σ: ZERO}
            replaced |= dict(zip(body.D.ravel(), _crossed(body.w, body.S), strict=True))
            replaced |= dict(zip(body.o, expressions(body.S.T @ body.w), strict=True))
            replaced |= dict(zip(body.v, _turned(body, body.w), strict=True))
        return changed(changed(e, replaced), self.formulas)

    def along(self, value: Replaced) -> dict[Expression, Expression]:
        """In which direction time carries positions, quaternions and S."""
        system, by = self.by.system, self.by
        along: dict[Expression, Expression] = {t: ONE}
        for j in by.straight:
            if system.coordinates[j] not in self.formulas:
                along[system.coordinates[j]] = value[system.rates[j]]
        for body in by.bodies:
            w = expressions(changed(body.w, value))
            along |= dict(zip(body.S.ravel(), _crossed(w, body.S), strict=True))
            along |= dict(zip(body.u, _turned(body, w), strict=True))
        return along

    def plain(self, e: Iterable[Expression]) -> list[Expression]:
        """S as formulas of the quaternions."""
        rotations = {x: e for body in self.by.bodies for x, e in body.formulas.items() if x in {*body.S.ravel()}}
        return changed(e, rotations)


def changed(e: Iterable[Expression], replaced: Replaced) -> list[Expression]:
    formulas = list(e)
    return list(substitute(expressions(formulas), replaced)) if formulas else []


def _turned(body: Turn, w: Array) -> Array:
    """u̇ = ½ Gᵀω̄."""
    return expressions(constant(0.5) * (w @ inertial_rates(body.u)))


def _crossed(w: Array, S: Array) -> Array:
    """ω̄ × each column of S, flat."""
    return expressions(np.cross(w, S.T).T).ravel()
