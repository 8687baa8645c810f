"""The motion of a constrained system, or the reason why there is none: contradicting constraints, and forces on nothing."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from zeromass.errors import EquationError, shown
from zeromass.frozen import frozen

from .arguments import Problem
from .arrays import Array, Index, fixed, freeze, per_problem, times
from .inverse import least_norm_multipliers, redundant_rows
from .rank import Rank, contradiction, negligible
from .units import Linked

if TYPE_CHECKING:
    from .solution import Solved


class Verdict(Enum):
    """What the equations say about the acceleration.

    >>> zm.solve([[0.0]], [1.0]).verdict  # a force on nothing
    <Verdict.IMPOSSIBLE_FORCE: 'impossible force'>
    """

    UNIQUE = "unique"
    UNDETERMINED = "undetermined"
    INCONSISTENT = "inconsistent"
    IMPOSSIBLE_FORCE = "impossible force"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise EquationError(f"{shown(value)} is no verdict; verdicts are {', '.join(v.value for v in cls)}")


class Obstacle(NamedTuple):
    """Whether a problem has no motion, and the vector y, (..., k), that shows why."""

    present: NDArray[np.bool_]
    margin: Array  # factor by which the tolerances may grow or shrink before there is one, or none
    vector: Array  # y / scale, in equilibrated units, where its entries can be compared
    scale: Array

    def in_units(self, units: Array) -> Obstacle:
        """The same with y = units · (the y of here)."""
        return self._replace(scale=self.scale * units)

    def certificate(self, index: Index, tolerance: float) -> Array:
        """y of one problem, its largest entry 1 and negligible ones 0; empty where there is no obstacle."""
        if not self.present[index]:
            return np.zeros(0)
        share = self.vector[index]
        y = np.where(negligible(share, np.abs(share).max(), tolerance), 0.0, share * self.scale[index])
        return y / np.abs(y).max()


class Basis(NamedTuple):
    """What a motion was decided on."""

    given: Problem
    units: Array  # d, of the coordinates, (..., n)
    solved: Solved  # in these
    decisions: tuple[Rank, ...]
    rows: Obstacle
    force: Obstacle
    tolerance: float


@frozen()
class Motion:
    """Acceleration and forces of M q̈ = Q + C + Aᵀλ, A q̈ = b, and whether they exist and are unique.

    For a stack of problems everything has the leading axes of the stack; `undetermined`, `redundant`, `inconsistent` and
    `certificate` differ in size from problem to problem and are then object arrays of arrays. Where the verdict is
    inconsistent or impossible force, acceleration, forces and multipliers are NaN.

    >>> motion = zm.solve(np.diag([2.0, 1.0]), [0.0, 3.0], A=[[1.0, -1.0]], b=[0.0])
    >>> motion.acceleration, motion.reaction
    (array([1., 1.]), array([ 2., -2.]))

    Rows that are dependent but for round-off, and rows that hardly are not:

    >>> twice = zm.solve(np.eye(2), [1.0, 0.0], A=[[1, 1], [1, 1 + 1e-16]], b=[1, 1])
    >>> nearly = zm.solve(np.eye(2), [1.0, 0.0], A=[[1, 1], [1, 1 + 1e-10]], b=[1, 2])
    >>> twice.margin > 1e4, 1 < nearly.margin < 10
    (True, True)
    >>> bool(np.all(nearly.acceleration_error > 1e-6 * np.abs(nearly.acceleration)))
    True
    """

    acceleration: Array  # q̈, (..., n): the shortest one plus the part of η along `undetermined`
    reaction: Array  # Q^c = M q̈ − Q, (..., n), the force of the constraints
    ideal: Array  # the reaction there would be with C = 0, (..., n); NaN if without C there is no motion
    verdict: Any  # a Verdict, or an object array of them
    unique: Any  # whether there is exactly one acceleration: a bool, or an array of them
    rank: Rank  # of [M; A]; with `constraint_rank`, what `solve` takes to lock the ranks along a branch
    constraint_rank: Rank  # of A
    basis: Basis = field(repr=False)

    def __post_init__(self) -> None:
        freeze(self)

    @cached_property
    def nonideal(self) -> Array:
        """reaction − ideal, (..., n); wᵀ nonideal = wᵀC for every w with A w = 0."""
        return fixed(self.reaction - self.ideal)

    @cached_property
    def multipliers(self) -> Array:
        """λ, (..., m), the shortest ones."""
        given = self.basis.given
        return fixed(least_norm_multipliers(self.constraint_rank, given.A, self.reaction - given.C))

    @cached_property
    def margin(self) -> Any:
        """Factor by which all tolerances may grow or shrink before the verdict changes: a float, or an array of them.

        Where rows are truly dependent, or not at all, it is 1e4 and more. Below that the arguments are nearly singular:
        the verdict is right only if a part 1e-11/margin of them means nothing, or if 1e-11 · margin does.
        """
        margins = [decision.margin for decision in self.basis.decisions]
        margin = np.min([*margins, self.basis.rows.margin, self.basis.force.margin], axis=0)
        return fixed(margin) if self.basis.given.stack else float(margin)

    @cached_property
    def acceleration_error(self) -> Array:
        """What roundings, and `Q_error`, `b_error`, may have done to q̈ at most, (..., n): of arguments and of sums.

        Infinite where roundings of the arguments may make the problem singular. It takes the ranks for decided: whether they
        are, `margin` says.
        """
        return fixed(self.basis.units * self.basis.solved.error)

    @cached_property
    def undetermined(self) -> Any:
        """Orthonormal basis of the null space of [M; A], (n, k)."""
        return self.rank.null_space

    @cached_property
    def redundant(self) -> Any:
        """Indices of the rows of A that follow from rows before them."""
        given, rank = self.basis.given, self.constraint_rank
        return per_problem(given.stack, lambda index: redundant_rows(given.A[index], rank.member(index)))

    @cached_property
    def inconsistent(self) -> Any:
        """Indices of the rows of A that take part in a contradiction."""
        rows, tolerance = self.basis.rows, self.basis.tolerance
        return per_problem(self.basis.given.stack, lambda index: np.flatnonzero(rows.certificate(index, tolerance)))

    @cached_property
    def certificate(self) -> Any:
        """Why there is no motion: y with yᵀA = 0, yᵀb > 0, or w with [M; A] w = 0, wᵀ(Q + C) > 0; its largest entry is 1.

        Empty where there is one.
        """
        rows, force, tolerance = self.basis.rows, self.basis.force, self.basis.tolerance
        return per_problem(
            self.basis.given.stack,
            lambda index: (rows if rows.present[index] else force).certificate(index, tolerance),
        )


def contradicting_rows(
    given: Problem, f: Array, qdd: Array, constraints: Rank, linked: Linked, b_error: Array, tolerance: float
) -> Obstacle:
    """Combinations y of the rows with yᵀA = 0 but yᵀb ≠ 0.

    b is compared with itself, with A q̈, and with A a, where a_i = f_i / M_ii is what the force f would do to
    a coordinate that has mass if it were alone. A body that rests under its weight has b = 0 and q̈ = 0 up to
    round-off, but its weight says how large a round-off may be.
    """
    mass = np.diagonal(given.M, axis1=-2, axis2=-1)
    alone = np.abs(f) / np.where(mass > 0.0, mass, np.inf)
    sizes = np.abs(given.b) + times(np.abs(given.A), np.abs(qdd) + alone)
    r = constraints.row_scale
    values, sizes, errors = r * given.b, r * sizes, r * b_error
    found = contradiction(constraints.left, constraints, linked.rows, values, sizes, errors, tolerance)
    return Obstacle(*found, r)


def impossible_force(
    given: Problem, f: Array, qdd: Array, total: Rank, linked: Linked, f_error: Array, tolerance: float
) -> Obstacle:
    """Directions w that have neither mass nor constraint, [M; A] w = 0, but a force, wᵀf ≠ 0.

    f is compared with itself and with the inertial force M q̈.
    """
    sizes = np.abs(f) + times(np.abs(given.M), np.abs(qdd))
    c = total.column_scale
    found = contradiction(total.right, total, linked.columns, c * f, c * sizes, c * f_error, tolerance)
    return Obstacle(*found, c)
