"""The motion of a constrained system, or the reason why there is none: a record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from .rank import Rank
from .scaling import Array
from .stack import freeze


class Verdict(Enum):
    """What the equations say about the acceleration.

    >>> zm.solve([[0.0]], [1.0]).verdict  # a force on nothing
    <Verdict.IMPOSSIBLE_FORCE: 'impossible force'>
    """

    UNIQUE = "unique"
    UNDETERMINED = "undetermined"
    INCONSISTENT = "inconsistent"
    IMPOSSIBLE_FORCE = "impossible force"


@dataclass(frozen=True, eq=False)
class Motion:
    """Acceleration and forces of M q̈ = Q + C + Aᵀλ, A q̈ = b, and whether they exist and are unique.

    For a stack of problems every field has the leading axes of the stack; the fields marked * differ in size
    from problem to problem and are then object arrays of arrays. Where the verdict is inconsistent or
    impossible force, acceleration, forces and multipliers are NaN.

    >>> motion = zm.solve(np.diag([2.0, 1.0]), [0.0, 3.0], A=[[1.0, -1.0]], b=[0.0])
    >>> motion.acceleration, motion.reaction
    (array([1., 1.]), array([ 2., -2.]))
    """

    acceleration: Array  # q̈, (..., n): the shortest one plus the part of η along `undetermined`
    reaction: Array  # Q^c = M q̈ − Q, (..., n), the force of the constraints
    ideal: Array  # the reaction there would be with C = 0, (..., n); NaN if without C there is no motion
    nonideal: Array  # reaction − ideal, (..., n); wᵀ nonideal = wᵀC for every w with A w = 0
    multipliers: Array  # λ, (..., m), the shortest ones
    verdict: Any  # a Verdict, or an object array of them
    unique: Any  # whether there is exactly one acceleration: a bool, or an array of them
    undetermined: np.ndarray  # * orthonormal basis of the null space of [M; A], (n, k)
    redundant: np.ndarray  # * indices of the rows of A that follow from rows before them
    inconsistent: np.ndarray  # * indices of the rows of A that take part in a contradiction
    certificate: (
        np.ndarray
    )  # * y with yᵀA = 0, yᵀb > 0, or w with [M; A] w = 0, wᵀ(Q + C) > 0; largest entry 1; else empty
    rank: Rank  # of [M; A]; with `constraint_rank`, what `solve` takes to lock the ranks along a branch
    constraint_rank: Rank  # of A

    def __post_init__(self) -> None:
        freeze(self)
