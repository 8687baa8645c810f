"""Whose coordinates are in a formula, and the points of parts that it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression, Symbol, expressions, symbols
from zeromass.expression.build import ZERO
from zeromass.model.parts import Part
from zeromass.model.picture.terms import still, terms, total


class Owners:
    """The parts of a system by their coordinates."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._by_coordinate: dict[Expression, Part] = {x: part for part in parts for x in part.coordinates}
        self._axis: dict[Expression, int] = {x: k for part in parts for k, x in enumerate(part.position)}

    def of(self, *formulas: Expression) -> list[Part] | None:
        """The parts whose coordinates appear, in order; None where a coordinate belongs to no part."""
        found: list[Part] = []
        for leaf in symbols(*formulas):
            if leaf.kind != "coordinate":
                continue
            part = self._by_coordinate.get(leaf)
            if part is None:
                return None
            if not any(part is known for known in found):
                found.append(part)
        return found

    def owns(self, x: Symbol) -> bool:
        """Whether a coordinate belongs to a part."""
        return x in self._by_coordinate

    def axis(self, e: Expression) -> int | None:
        """Which component of a position is in a formula; None if none or several are."""
        found = {self._axis[leaf] for leaf in symbols(e) if leaf in self._axis}
        return found.pop() if len(found) == 1 else None

    def ends(self, d: Sequence[Expression]) -> tuple[Part, np.ndarray, np.ndarray] | None:
        """A part, a point p of it and a point q such that d = p − q or d = q − p, three expressions each.

        d has a component for each axis, or fewer; None where it can not be split so.
        """
        found = self.of(*d)
        if not found or len(found) > 2:
            return None
        axes = [self.axis(e) for e in d]
        if None in axes or len(set(axes)) < len(axes):
            return None
        part = found[0]
        p, q = expressions(part.position).copy(), expressions(part.position).copy()
        for axis, e in zip(axes, d, strict=True):
            listed = list(terms(e))
            own = [term for term in listed if not still(term[1]) and self.of(term[1]) == [part]]
            if any(len(self.of(e) or ()) > 1 for _, e in listed):
                return None
            sign = next((f.value for f, e in own if e is part.position[axis]), None)
            if sign not in (1.0, -1.0):
                return None
            p[axis] = total((f * sign, e) for f, e in own)
            q[axis] = -total((f * sign, e) for f, e in listed if (f, e) not in own)
        return part, p, q


def nothing(vector: np.ndarray) -> bool:
    """Whether all components vanish identically."""
    return all(e is ZERO for e in expressions(vector).ravel())
