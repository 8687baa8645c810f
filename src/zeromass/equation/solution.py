"""The motion of a constrained system from its matrices, in two parts: one for the constraints and one for the masses."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import EquationError

from .arguments import Problem, error, problem, require_finite, require_mass_matrix
from .arrays import Array, per_problem, single_thread, times, tolerance_of, transpose
from .bound import Inverse, bound
from .motion import Basis, Motion, Obstacle, Verdict, contradicting_rows, impossible_force
from .rank import (
    CONSISTENCY_TOLERANCE,
    MASS_TOLERANCE,
    RANK_TOLERANCE,
    Lock,
    Rank,
    broadcast,
    clearly_full,
    numerical_rank,
)
from .units import Linked, links, mass_units, scaled


class Freedom(NamedTuple):
    """The motions that constraints allow, in the units d that make the masses 1."""

    units: Array  # d, (..., n)
    M: Array  # d M d, (..., n, n)
    rows: Rank  # of A d
    N: Array  # orthonormal basis of the null space of A d, (..., n, n), padded with zero columns
    modes: Rank  # of Nᵀ(d M d)N, the masses of these motions


def freedom(M: Array, constraints: Rank, d: Array, tolerance: float) -> Freedom:
    """The motions that the constraints allow and how many of them have a mass.

    [M; A] has full column rank exactly when Nᵀ M N has full rank [UP2006, lemma 3.1]. Either way M is known to
    round-off only, and so is the mass of a motion: one below the tolerance, in units that make the masses of
    the coordinates 1, would leave no digits of an acceleration even where [M; A] seems to be of full rank.
    """
    M = scaled(M, d, d)
    rows = replace(constraints, column_scale=constraints.column_scale / d)
    N = rows.padded_null_space
    modes = numerical_rank(transpose(N) @ M @ N, tolerance=tolerance, largest=1.0, equilibrate=False)
    return Freedom(d, M, rows, N, modes)


class Response(NamedTuple):
    """What forces and constraints do to a motion, as matrices.

        z = X b + K (f − M X b),   λ = Lᵀ (M z − f)

    Numbers of coordinates that nothing connects may be of any size beside one another, and so may their units. What
    round-off would carry from one to the other is left out.
    """

    M: Array  # (..., n, n)
    X: Array  # A⁺, (..., n, m)
    K: Array  # N (Nᵀ M N)⁺ Nᵀ, (..., n, n), N an orthonormal basis of the null space of A
    L: Array  # X along the column space of A, (..., n, m)

    def acceleration(self, f: Array, b: Array) -> Array:
        x = times(self.X, b)
        return x + times(self.K, f - times(self.M, x))


def response(free: Freedom, linked: Linked | None = None) -> Response:
    """The response of the motions that constraints allow, in the units of `free`."""
    _, M, rows, N, modes = free
    P = N @ transpose(N)
    K = N @ modes.inverse @ transpose(N)
    X, Y = rows.inverse, rows.padded_left_null_space
    YYt = Y @ transpose(Y)
    if linked is not None:
        moved = (
            times(linked.columns, np.diagonal(M, axis1=-2, axis2=-1)) > 0.0
        )  # the rest, without mass, no force moves
        P, K, X, YYt = linked.columns * P, linked.columns * K, linked.both * X, linked.rows * YYt
        K = np.where(moved[..., None], K, 0.0)
    return Response(M, X - P @ X, K, X - X @ YYt)


def nullspace_acceleration(free: Freedom, f: Array, b: Array) -> Array:
    """A solution q̈, (..., n), of Nᵀ(M q̈ − f) = 0 and A q̈ = b.

        q̈ = A⁺b + N (Nᵀ M N)⁺ Nᵀ (f − M A⁺b),   N an orthonormal basis of the null space of A

    With f = Q + C this is M̄⁺ [(I − A⁺A) f; b] of [UP2006, eq. 2.14]: A⁺b lies in the row space of A, the rest
    in its null space. Here the constraints and the masses each meet a matrix of their own, so neither has to
    be measured against the other. Where [M; A] is rank deficient q̈ is one of many accelerations, the shortest
    in the units that make the masses 1.
    """
    return free.units * response(free).acceleration(free.units * f, b)


def clearly_unique(M: Array, A: Array) -> bool:
    """Whether M q̈ = f + Aᵀλ, A q̈ = b have one solution whatever f and b are, beyond doubt; of one problem.

    A has full row rank and [M; A] full column rank in the units of `solve`, see `clearly_full`. What is clear by
    numbers of another kind takes `solve` to decide.
    """
    try:
        require_mass_matrix(M, MASS_TOLERANCE)
    except EquationError:
        return False  # `solve` says why
    r, d = mass_units(M, A)
    M, A = scaled(M, d, d), scaled(A, r, d)
    return clearly_full(A) and clearly_full(np.concatenate([transpose(M), transpose(A)], axis=-1))


class Refined(NamedTuple):
    """A solution of M z = f + Aᵀλ, A z = b that was corrected once by what was left of the equations."""

    z: Array  # (..., n)
    λ: Array  # (..., m)


def refined(answer: Response, p: Problem, f: Array) -> Refined:
    """The acceleration of `nullspace_acceleration`, corrected once by what is left of the equations, and multipliers.

        M δ = (f + Aᵀλ − M z) + Aᵀμ,   A δ = b − A z,   z + δ

    The null space N carries a round-off of heavy coordinates to light ones. The residuals do not, and one
    correction brings the error down to that of the arguments.
    """
    z, Lt = answer.acceleration(f, p.b), transpose(answer.L)
    reaction = times(p.M, z) - f
    λ = times(Lt, reaction)
    λ = λ + times(Lt, reaction - times(transpose(p.A), λ))
    return Refined(z + correction(answer, p, f, z, λ), λ)


def correction(answer: Response, p: Problem, f: Array, z: Array, λ: Array) -> Array:
    """δ, (..., n), with what z leaves of the equations as its right-hand sides."""
    return answer.acceleration(f + times(transpose(p.A), λ) - times(p.M, z), p.b - times(p.A, z))


class Solved(NamedTuple):
    """A solution and what it was found from."""

    free: Freedom
    answer: Response
    p: Problem
    found: Refined
    linked: Linked
    f_error: Array
    b_error: Array

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def error(self) -> Array:
        """What roundings, and the errors of f and b, may have done to z, (..., n)."""
        (_, _, rows, N, modes), (M, X, K, L), linked = self.free, self.answer, self.linked
        Y, V = rows.padded_left_null_space, N @ modes.padded_null_space
        free, idle = linked.columns * (V @ transpose(V)), linked.rows * (Y @ transpose(Y))
        inverse = Inverse(K, X - K @ (M @ X), L, free, idle)
        return bound(inverse, self.p, *self.found, self.f_error, self.b_error)


@np.errstate(over="ignore", invalid="ignore")  # `require_finite` says what is too large
@single_thread
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
    rank_tolerance = tolerance_of("rank_tolerance", rank_tolerance)
    consistency_tolerance = tolerance_of("consistency_tolerance", consistency_tolerance)
    given = problem(M, Q, A, b, C, eta, mass_tolerance=tolerance_of("mass_tolerance", mass_tolerance))
    M, Q, A, b, C, η = given
    n = A.shape[-1]
    Q_error, b_error = error("Q_error", Q_error, Q), error("b_error", b_error, b)

    r, d = mass_units(M, A)
    if isinstance(constraint_rank, Rank):
        r = broadcast(r, constraint_rank.row_scale)  # a row that was zero and is round-off here stays one
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
    free = free._replace(modes=free.modes.locked(np.subtract(total.rank, constraints.rank)))
    answer = response(free, linked)
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
        for _ in range(2):  # to obey the equations matters more than to be the shortest
            z = z + correction(answer, inner, f, z, found.λ)
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
            Solved(free, answer, inner, found, linked, f_error, side_error),
            decided,
            rows.in_units(r),
            force.in_units(d),
            consistency_tolerance,
        ),
    )
