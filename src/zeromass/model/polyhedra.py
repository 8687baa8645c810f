"""Convex polyhedra that touch one another: their faces and edges, and the features at which they touch.

Polyhedra A and B touch where a vertex of one is on a face of the other, or where two edges cross. With a point a and a
normal or an edge fixed in A, and likewise in B:

    n = R_A n_A + R_B n_B + R_A u × R_B w, of length 1        from B to A
    g = n · (x_A + R_A a − x_B − R_B b)

n_B, or n_A, is that of a face, and the others vanish; u and w are edges. These numbers are parameters that no user sees, and
are chosen anew where the features of a contact change: so one system of equations serves all features.
"""

from __future__ import annotations

from dataclasses import dataclass

from zeromass.expression import Expression, Symbol
from zeromass.expression.node import symbol
from zeromass.model.collisions import Polytope

FEATURE = (
    "feature",
    "first",
    "second",
    *(f"{what} {i}" for what in ["a", "b", "nA", "nB", "u", "w"] for i in range(3)),
)
"""Parameters of a contact of two polyhedra: what touches, and of each the number of its vertex, face or edge; then a, b,
n_A, n_B, u and w."""

UP = FEATURE.index("nB 2")


@dataclass(frozen=True, eq=False)
class PolyhedraPair:
    """Two polyhedra that may touch, and how A is placed in the axes of B: its rotation matrix row by row, and its origin."""

    first: Polytope
    second: Polytope
    pose: tuple[Expression, ...]

    @property
    def most(self) -> int:
        """Points at which they touch at most: vertices of what two faces have in common."""
        return self.first.sides + self.second.sides


def feature_parameters(name: str) -> tuple[Symbol, ...]:
    """The parameters of the feature at which a contact of a name is."""
    return tuple(
        symbol(f"{name} {what}", "parameter", default=float(i == UP), token=f"zeromass feature {name} {what}")
        for i, what in enumerate(FEATURE)
    )
