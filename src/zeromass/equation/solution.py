"""The motion of a constrained system from its matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import error, problem
from .existence import Obstacle, contradicting_rows, impossible_force
from .inverse import least_norm_multipliers
from .motion import Motion, Verdict
from .nullspace import freedom, refined_acceleration
from .rank import CONSISTENCY_TOLERANCE, MASS_TOLERANCE, RANK_TOLERANCE, Lock, numerical_rank
from .rows import redundant_rows
from .scaling import Array, mass_units
from .stack import Index, per_problem, times, transpose


def solve(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    C: ArrayLike | None = None,
    eta: ArrayLike | None = None,
    *,
    rank_tolerance: float = RANK_TOLERANCE,
    consistency_tolerance: float = CONSISTENCY_TOLERANCE,
    mass_tolerance: float = MASS_TOLERANCE,
    Q_error: ArrayLike = 0.0,
    b_error: ArrayLike = 0.0,
    rank: Lock = None,
    constraint_rank: Lock = None,
) -> Motion:
    """Motion of a constrained system whose mass matrix may be singular.

        q̈ = [(I − A⁺A) M; A]⁺ [(I − A⁺A)(Q + C); b] + N Nᵀη,   N the null space of [M; A]  [UP2006, eq. 2.14]

    M: (..., n, n) symmetric, no negative eigenvalue; Q, C, eta: (..., n); A: (..., m, n); b: (..., m); the
    leading axes are broadcast. C is the force whose virtual work wᵀC the constraints do. Any consistent
    units will do: powers of two are taken out of rows and columns before a rank is decided.

    The constraints are inconsistent when a combination y of rows has yᵀA = 0 but yᵀb ≠ 0, and the force is
    impossible when a direction w without mass and constraint, [M; A] w = 0, has wᵀ(Q + C) ≠ 0. "≠ 0" is
    judged by `consistency_tolerance` relative to the sizes given in `contradicting_rows` and
    `impossible_force`. Where these are themselves mere round-off (uniform motion without forces), say how
    large that is: `b_error` and `Q_error` are absolute errors of b and of Q + C, scalars or arrays like them.

    `rank` and `constraint_rank` lock the ranks of [M; A] and of A: numbers, or the `rank` and
    `constraint_rank` of the `Motion` at a nearby state, which lock the scales as well. Rows that follow from
    others on the constraint manifold contradict them by about ε at a distance ε from it; there the
    `consistency_tolerance` has to be larger than ε.

    Two masses that move as one, with a point of no mass between them:

    >>> motion = zm.solve(np.diag([1.0, 0.0, 3.0]), [0.0, 0.0, 8.0], A=[[1, -1, 0], [0, 1, -1]], b=[0, 0])
    >>> motion.acceleration, motion.unique
    (array([2., 2., 2.]), True)
    """
    given = problem(M, Q, A, b, C, eta, mass_tolerance=mass_tolerance)
    M, Q, A, b, C, η = given
    n = A.shape[-1]
    Q_error, b_error = error("Q_error", Q_error, Q), error("b_error", b_error, b)

    _, d = mass_units(M, A)
    MA = np.concatenate([M, A], axis=-2)
    constraints = numerical_rank(A, tolerance=rank_tolerance, rank=constraint_rank, units=d)
    total = numerical_rank(MA, tolerance=rank_tolerance, rank=rank, units=d)
    free = freedom(M, constraints, d, rank_tolerance)
    if rank is None:
        number = np.minimum(total.rank, np.add(constraints.rank, free.modes.rank))
        total = total.locked(number)
    free = free._replace(modes=free.modes.locked(np.subtract(total.rank, constraints.rank)))
    N = total.padded_null_space

    def possible(f: Array) -> tuple[Array, Obstacle, Obstacle]:
        qdd = refined_acceleration(free, constraints, M, f, A, b)
        rows = contradicting_rows(given, f, qdd, constraints, b_error, consistency_tolerance)
        force = impossible_force(given, f, qdd, total, Q_error, consistency_tolerance)
        return np.where((rows.present | force.present)[..., None], np.nan, qdd), rows, force

    qdd, rows, force = possible(Q + C)
    reaction = times(M, qdd) - Q
    ideal = times(M, possible(Q)[0]) - Q if C.any() else reaction

    full_rank = np.asarray(total.rank) == n
    verdict = np.full(given.stack, Verdict.UNIQUE, dtype=object)
    verdict[~full_rank] = Verdict.UNDETERMINED
    verdict[force.present] = Verdict.IMPOSSIBLE_FORCE
    verdict[rows.present] = Verdict.INCONSISTENT
    unique = full_rank & ~rows.present & ~force.present

    def redundant(index: Index) -> NDArray[np.intp]:
        return redundant_rows(A[index], constraints.member(index))

    def inconsistent(index: Index) -> NDArray[np.intp]:
        return np.flatnonzero(rows.certificate(index, consistency_tolerance))

    def certificate(index: Index) -> Array:
        obstacle = rows if rows.present[index] else force
        return obstacle.certificate(index, consistency_tolerance)

    return Motion(
        acceleration=qdd + times(N, times(transpose(N), η - qdd)),
        reaction=reaction,
        ideal=ideal,
        nonideal=reaction - ideal,
        multipliers=least_norm_multipliers(constraints, A, reaction - C),
        verdict=per_problem(given.stack, lambda index: verdict[index]),
        unique=unique if given.stack else bool(unique),
        undetermined=total.null_space,
        redundant=per_problem(given.stack, redundant),
        inconsistent=per_problem(given.stack, inconsistent),
        certificate=per_problem(given.stack, certificate),
        rank=total,
        constraint_rank=constraints,
    )
