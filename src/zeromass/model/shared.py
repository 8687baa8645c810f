"""Forces that a motion does not tell apart: where constraints are redundant, some of them share a force in any way.

    Aᵀλ = Aᵀ(λ + u)   for every u with Aᵀu = 0

A quantity of the multipliers is determined where it does not change along these u. Where it does, the λ of least length is
shown: of three equal supports, each carries a third.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np

from zeromass.equation import Rank, independent_rows, numerical_rank
from zeromass.errors import SharedForce
from zeromass.expression import Evaluator, jacobian

if TYPE_CHECKING:
    from zeromass.model.system import System

VISIBLE = 1e-8
"""Change of a quantity along a unit vector that counts: above the vector's round-off, the square root of rounding."""


def undetermined_groups(system: System, A: np.ndarray, e: np.ndarray, known: np.ndarray) -> list[str]:
    """Names of the constraints that share a quantity of the multipliers; none if it is told.

    e      array of expressions
    known  numbers of `system.inputs`, accelerations and multipliers; without forces the size of one would not change
    """
    u = null_multipliers(numerical_rank(A))
    open_ = changing(system, e, known, system.multipliers, u)
    if not open_.any():
        return []
    taking = np.abs(u[:, open_]).max(axis=1) > VISIBLE
    own = {name for part in system.parts for name in part.constraints}
    groups = dict.fromkeys(row.group for row, takes in zip(system.rows, taking, strict=True) if takes)
    return [name for name in groups if name not in own]  # lengths of quaternions are nobody's force


def changing(system: System, e: np.ndarray, known: np.ndarray, asked: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Which of some directions u of the multipliers asked for, shape (asked, k), change one of the expressions e."""
    if not u.size:
        return np.zeros(u.shape[1], dtype=bool)
    names = [*system.inputs, *system.accelerations, *system.multipliers]
    D = Evaluator(jacobian(e.ravel(), asked), names)(known)
    return (np.abs(D @ u) > VISIBLE * np.abs(D).max(axis=1, keepdims=True)).any(axis=0)


def null_multipliers(rank: Rank) -> np.ndarray:
    """A basis of the multipliers that do nothing, of length 1 each, shape (rows, k)."""
    u = rank.row_scale[:, None] * rank.scaled_left_null_space
    return u / np.maximum(np.linalg.norm(u, axis=0), np.finfo(float).tiny)


def warn_of_shared(groups: list[str]) -> None:
    """Tells whoever asked for a force that it is shared."""
    names = ", ".join(f"'{name}'" for name in groups[:6]) + (f" and {len(groups) - 6} more" if len(groups) > 6 else "")
    words = (
        f"the motion does not determine this force: {names} share it in any way that gives the same motion, and the one of "
        "smallest multipliers, Σλ², is shown; system.check(start) says which joint to relax"
    )
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("zeromass"):
        level, frame = level + 1, frame.f_back
    warnings.warn(words, SharedForce, stacklevel=level)


def relaxing(system: System, rank: Rank) -> dict[str, tuple[str, ...]]:
    """{constraint: its rows that need only go for all forces to be told}, of single constraints for which that is enough.

    Rows may go where what is left of the multipliers that do nothing is nothing: where u has full rank on them.
    """
    u = null_multipliers(rank)
    k = u.shape[1]
    if not k:
        return {}
    found = {}
    own = {name for part in system.parts for name in part.constraints}
    for group in dict.fromkeys(row.group for row in system.rows if row.group not in own):
        rows = [i for i, row in enumerate(system.rows) if row.group == group]
        part = np.where(np.abs(u[rows]) > VISIBLE, u[rows], 0.0)
        if len(rows) >= k and int(numerical_rank(part).rank) == k:
            found[group] = tuple(system.rows[rows[i]].name for i in independent_rows(part).kept)
    return found
