"""The motion of a constrained system from its matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arguments import error, problem, require_finite
from .arrays import Array, per_problem, times, transpose
from .motion import Basis, Motion, Obstacle, Verdict, contradicting_rows, impossible_force
from .rank import CONSISTENCY_TOLERANCE, MASS_TOLERANCE, RANK_TOLERANCE, Lock, Rank, numerical_rank
from .response import Refined, Solved, correction, freedom, refined, response
from .units import links, mass_units


@np.errstate(over="ignore", invalid="ignore")  # `require_finite` says what is too large
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

    Ranks below `rank_tolerance` and what is consistent are decisions on rounded numbers: `margin` says how clear the
    verdict is, and `acceleration_error` how many digits the acceleration has.

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

    r, d = mass_units(M, A)
    if isinstance(constraint_rank, Rank):
        r = np.broadcast_to(constraint_rank.row_scale, r.shape)  # a row that was zero and is round-off here stays one
    rows_of_both = np.concatenate([d, r], axis=-1)
    inner, u = given.in_units(r, d)  # the same numbers in whatever units they are given
    MA = np.concatenate([inner.M, inner.A], axis=-2)
    lock = rank.in_units(1.0 / rows_of_both, 1.0 / d) if isinstance(rank, Rank) else rank
    lock_A = constraint_rank.in_units(1.0 / r, 1.0 / d) if isinstance(constraint_rank, Rank) else constraint_rank
    constraints = numerical_rank(inner.A, tolerance=rank_tolerance, rank=lock_A)
    total = numerical_rank(MA, tolerance=rank_tolerance, rank=lock)
    free = freedom(inner.M, constraints, np.ones(d.shape), rank_tolerance)
    decided = (constraints, total)
    if rank is None:
        decided = (*decided, free.modes)
        total = total.locked(np.minimum(total.rank, np.add(constraints.rank, free.modes.rank)))
    linked = links(inner.M, inner.A)
    answer = response(free._replace(modes=free.modes.locked(np.subtract(total.rank, constraints.rank))), linked)
    f_error, side_error = d * (d / u * Q_error), r * (d[..., :1] / u[..., :1] * b_error)

    def possible(f: Array) -> tuple[Refined, Obstacle, Obstacle]:
        found = refined(answer, inner, f)
        rows = contradicting_rows(inner, f, found.z, constraints, linked, side_error, consistency_tolerance)
        force = impossible_force(inner, f, found.z, total, linked, f_error, consistency_tolerance)
        none = (rows.present | force.present)[..., None]
        return found._replace(z=np.where(none, np.nan, found.z)), rows, force

    f = inner.Q + inner.C
    found, rows, force = possible(f)
    qdd = u * found.z
    reaction = times(M, qdd) - Q
    ideal = times(M, u * possible(inner.Q)[0].z) - Q if C.any() else reaction
    total, constraints = total.in_units(rows_of_both, d), constraints.in_units(r, d)

    full_rank = np.asarray(total.rank) == n
    if not full_rank.all():
        N = total.padded_null_space
        z = (qdd + times(linked.columns * (N @ transpose(N)), η - qdd)) / u
        z = z + correction(answer, inner, f, z, found.λ)  # to obey the equations matters more than to be the shortest
        qdd = np.where(full_rank[..., None], qdd, u * z)
    verdict = np.full(given.stack, Verdict.UNIQUE, dtype=object)
    verdict[~full_rank] = Verdict.UNDETERMINED
    verdict[force.present] = Verdict.IMPOSSIBLE_FORCE
    verdict[rows.present] = Verdict.INCONSISTENT
    unique = full_rank & ~rows.present & ~force.present
    require_finite(qdd, ~(rows.present | force.present))
    return Motion(
        acceleration=qdd,
        reaction=reaction,
        ideal=ideal,
        verdict=per_problem(given.stack, lambda index: verdict[index]),
        unique=unique if given.stack else bool(unique),
        rank=total,
        constraint_rank=constraints,
        basis=Basis(
            given,
            u,
            Solved(answer, inner, f, found, linked, f_error, side_error),
            decided,
            rows.in_units(r),
            force.in_units(d),
            consistency_tolerance,
        ),
    )
