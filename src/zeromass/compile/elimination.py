"""Static sparse elimination: the explicit acceleration as straight-line expressions.

The equations M q̈ = f + Aᵀλ, A q̈ = b are solved once, symbolically, in an order that is fixed from numbers near one
state and needs no pivoting afterwards:

1. pairs (coordinate, multiplier) joined by a constant entry of A are eliminated where that is cheap: q̈_j follows
   from row i;
2. coordinates without mass, few of them together, follow from as many rows that hold them, see `light`;
3. what remains is made positive definite by adding dᵢ aᵢᵀaᵢ of as few, as sparse rows as it takes: W = M + Aᵀ D A,
   which is possible exactly when [M; A] has full column rank;
4. coordinates are eliminated from W as in Cholesky's method, and each multiplier once all its coordinates are gone.

Redundant rows, found by the rank at the state, are left out for good (the rank is locked).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from zeromass.compile.decisions import Decisions, Frozen, frozen
from zeromass.compile.factor import factored
from zeromass.compile.light import Light, light_groups, solved_for
from zeromass.compile.pivots import Independent, MostIndependent, Pivotal, Sizes
from zeromass.compile.turning import turning
from zeromass.expression import Expression, expressions, substitute
from zeromass.expression.build import ONE, ZERO, add, constant, divide, function, multiply, negative, subtract
from zeromass.expression.evaluate import Sparse
from zeromass.model import ModelError, System

Vector = dict[int, Expression]

LARGEST_COST = 50
"""A coordinate is eliminated with a row only if that takes about this many operations at most.

Dearer ones couple everything with everything: a chain of n bodies then takes n³ operations. What is left to the
factorisation stays sparse.
"""


class Elimination(NamedTuple):
    """Solution of the equations as expressions, and what tells of its accuracy.

    acceleration  q̈, n expressions
    multipliers   λ, one for each row of A; zero for rows left out
    growth        expressions ≥ 1, one for each pivot that is not constant: digits lost are the logarithm of the largest
    pivots        of multipliers by their rows, as far as they vary; one vanishes where kept rows depend on one another
    kept, dropped rows of A that are used, and rows left out because they follow from the others
    """

    acceleration: tuple[Expression, ...]
    multipliers: tuple[Expression, ...]
    growth: tuple[Expression, ...]
    pivots: dict[int, Expression]
    kept: tuple[int, ...]
    dropped: tuple[int, ...]


class _Pair(NamedTuple):
    """A coordinate j eliminated with row i, and the equation of row j of M q̈ = f + Aᵀλ at that stage."""

    i: int
    j: int
    pivot: Expression
    shares: Vector
    offset: Expression
    mass: Vector
    force: Expression
    column: Vector

    def follow(self, x: Mapping[int, Expression]) -> dict[int, Expression]:
        """x_j = c + Σ T_k x_k."""
        return {self.j: _sum(self.offset, [multiply(t, x[k]) for k, t in self.shares.items()])}


class Equations:
    """M q̈ = f + Aᵀλ, A q̈ = b with sparse symmetric M, reduced in place as coordinates are eliminated."""

    def __init__(self, M: Sparse, f: np.ndarray, A: Sparse, b: np.ndarray) -> None:
        self.M: list[Vector] = [dict(row) for row in M.rows]
        self.A: list[Vector] = [dict(row) for row in A.rows]
        self.f: list[Expression] = list(f)
        self.b: list[Expression] = list(b)
        self.columns: list[set[int]] = [set() for _ in self.f]
        for i, row in enumerate(self.A):
            for j in row:
                self.columns[j].add(i)

    def eliminate(self, i: int, j: int) -> _Pair:
        """Takes out coordinate j with row i: q̈_j = c + Σ T_k q̈_k.

        M ← TᵀMT,  f ← Tᵀ(f − M c),  A ← A T,  b ← b − A c
        """
        pivot = self.A[i].pop(j)
        T = {k: negative(divide(a, pivot)) for k, a in self.A[i].items()}
        c = divide(self.b[i], pivot)
        mass = self.M[j]
        column = {r: self.A[r].pop(j) for r in self.columns[j] if r != i}
        M_j = {k: value for k, value in mass.items() if k != j}
        M_jj = mass.get(j, ZERO)
        pair = _Pair(i, j, pivot, T, c, mass, self.f[j], column)
        for r, a in column.items():
            self.b[r] = subtract(self.b[r], multiply(a, c))
            for k, t in T.items():
                self._add_row(r, k, multiply(a, t))
        for k, value in M_j.items():
            del self.M[k][j]
            self.f[k] = subtract(self.f[k], multiply(value, c))
        rest = subtract(self.f[j], multiply(M_jj, c))
        for k, t in T.items():
            self.f[k] = add(self.f[k], multiply(t, rest))
            heavy = multiply(t, M_jj)
            for l, s in T.items():
                if l <= k:
                    self._add_mass(k, l, multiply(heavy, s))
            for l, value in M_j.items():  # T_k M_jl and its mirror image
                share = multiply(t, value)
                self._add_mass(k, l, share if k != l else multiply(constant(2), share))
        for k in T:
            self.columns[k].discard(i)
        self.A[i], self.M[j], self.columns[j] = {}, {}, set()
        return pair

    def _add_mass(self, i: int, j: int, value: Expression) -> None:
        if value is ZERO:
            return
        total = add(self.M[i].get(j, ZERO), value)
        for a, c in ((i, j), (j, i)):
            if total is ZERO:
                self.M[a].pop(c, None)
            else:
                self.M[a][c] = total

    def _add_row(self, i: int, j: int, value: Expression) -> None:
        total = add(self.A[i].get(j, ZERO), value)
        if total is ZERO:
            self.A[i].pop(j, None)
            self.columns[j].discard(i)
        else:
            self.A[i][j] = total
            self.columns[j].add(i)


def eliminated(
    M: Sparse | np.ndarray,
    f: np.ndarray,
    A: Sparse | np.ndarray,
    b: np.ndarray,
    decide: Decisions,
    rank: int | None = None,
    levels: Sequence[int] = (),
) -> Elimination:
    """The acceleration and multipliers of M q̈ = f + Aᵀλ, A q̈ = b as expressions.

    decide  what is chosen by the numbers at a state
    rank    of A, if it is known (locked); otherwise decided at that state
    levels  of the rows: coordinates are eliminated with rows of positions before those of rates. A row of rates that says
            again what positions say is then left out, wherever that is
    """
    return _solved(_reduced(M, f, A, b, decide, rank, levels), decide)


class _Reduced(NamedTuple):
    """Equations without coordinates that rows give, and the rank of what is left."""

    equations: Equations
    given: Frozen
    pairs: list[_Pair]
    light: list[Light]
    rank: int


def _reduced(
    M: Sparse | np.ndarray,
    f: np.ndarray,
    A: Sparse | np.ndarray,
    b: np.ndarray,
    decide: Decisions,
    rank: int | None,
    levels: Sequence[int],
) -> _Reduced:
    """The equations after steps 1 and 2."""
    M, A = Sparse.of(M), Sparse.of(A)
    given = frozen(A)
    rank = decide(Independent(given)) if rank is None else rank
    equations = Equations(M, f, A, b)
    pairs = _pairs(equations, given, decide, rank, levels or [0] * len(b))
    light = _light(equations, given, decide)
    return _Reduced(equations, given, pairs, light, rank - len(pairs) - sum(len(each.rows) for each in light))


def _solved(reduced: _Reduced, decide: Decisions) -> Elimination:
    """The solution, with what is left factored."""
    equations, pairs, light = reduced.equations, reduced.pairs, reduced.light
    n, m = len(equations.f), len(equations.b)
    gone = {pair.j for pair in pairs}.union(*[each.columns for each in light])
    rest = sorted(set(range(n)) - gone)
    kept = _kept_rows(equations, reduced.given, rest, reduced.rank, decide)
    among = set(kept)
    left = Sparse(equations.A, n)
    factor = factored(
        Sparse(equations.M, n).picked(rest, rest),
        [equations.f[j] for j in rest],
        left.picked(kept, rest),
        [equations.b[i] for i in kept],
        decide,
        left.picked([i for i, row in enumerate(equations.A) if row and i not in among], rest).rows,
    )
    q = dict(zip(rest, factor.solution, strict=True))
    λ = dict(zip(kept, factor.multipliers, strict=True))
    for each in reversed(light):
        q |= each.follow(q)
        λ |= each.multipliers(λ)
    for pair in reversed(pairs):
        q |= pair.follow(q)
        force = _sum(negative(pair.force), [multiply(value, q[k]) for k, value in pair.mass.items()])
        for r, a in pair.column.items():
            force = subtract(force, multiply(a, λ.get(r, ZERO)))
        λ[pair.i] = divide(force, pair.pivot)
    used = tuple(sorted(λ))
    return Elimination(
        tuple(q[j] for j in range(n)),
        tuple(λ.get(i, ZERO) for i in range(m)),
        (*factor.growth, *[each.growth for each in light if each.growth.value is None]),
        {each.rows[0]: each.pivot for each in light if each.pivot.value is None}
        | {kept[k]: pivot for k, pivot in factor.pivots.items()},
        used,
        tuple(i for i in range(m) if i not in λ),
    )


def _sum(first: Expression, terms: list[Expression]) -> Expression:
    for term in terms:
        first = add(first, term)
    return first


def _pairs(e: Equations, given: Frozen, decide: Decisions, rank: int, levels: Sequence[int]) -> list[_Pair]:
    """Eliminates coordinates by constant entries of A, cheapest first, as long as there are cheap ones."""
    pairs: list[_Pair] = []
    refused: set[tuple[int, int]] = set()
    candidates: list[tuple[int, int, int, int]] = []

    def consider(i: int, j: int) -> None:
        if e.A[i][j].value is not None and (cost := _cost(e, i, j)) <= LARGEST_COST:
            heappush(candidates, (levels[i], cost, i, j))

    for i, row in enumerate(e.A):
        for j in row:
            consider(i, j)
    while candidates and len(pairs) < rank:
        _, cost, i, j = heappop(candidates)
        pivot = e.A[i].get(j, ZERO).value
        if pivot is None or j not in e.A[i] or (i, j) in refused or cost != _cost(e, i, j):
            continue  # it is gone, or stands there again
        rest, row = tuple(a for k, a in e.A[i].items() if k != j), tuple(a for _, a in given.rows[i])
        if decide(Pivotal(pivot, rest, row)):
            pairs.append(e.eliminate(i, j))
            for r in pairs[-1].column:
                for k in e.A[r]:
                    consider(r, k)
            for k in {**pairs[-1].shares, **pairs[-1].mass}:
                for r in e.columns[k]:
                    consider(r, k)
        else:
            refused.add((i, j))
    return pairs


def _cost(e: Equations, i: int, j: int) -> int:
    """Operations, roughly, that eliminating coordinate j with row i takes."""
    width, rows, mass = len(e.A[i]) - 1, len(e.columns[j]) - 1, len(e.M[j])
    return width * (rows + mass) + (width * (width + 1) // 2 if j in e.M[j] else 0)


def _light(e: Equations, given: Frozen, decide: Decisions) -> list[Light]:
    """Takes out coordinates without mass by the rows that hold them best."""
    found: list[Light] = []
    free = [j for j, rows in enumerate(e.columns) if rows and not e.M[j] and e.f[j] is ZERO]
    for group in light_groups(free, e.columns) if free else ():
        holding = sorted(set().union(*[e.columns[j] for j in group]))
        if len(holding) < len(group):
            continue  # nothing holds them all
        rows = frozen(Sparse(e.A, len(e.f)).picked(holding, group))
        chosen = decide(MostIndependent(rows, given.picked(holding), len(group)))
        sizes = dict(zip(holding, decide(Sizes(given.picked(holding))), strict=True))
        found.append(solved_for(e.A, e.b, group, [holding[k] for k in chosen], sizes))
    return found


def _kept_rows(e: Equations, given: Frozen, rest: list[int], count: int, decide: Decisions) -> list[int]:
    """`count` rows of what is left of A that are as independent as can be."""
    candidates = [i for i, row in enumerate(e.A) if row]
    if len(candidates) <= count:
        return candidates
    rows = frozen(Sparse(e.A, len(e.f)).picked(candidates, rest))
    return [candidates[k] for k in decide(MostIndependent(rows, given.picked(candidates), count))]


def solved_motion(system: System, decide: Decisions, rank: int | None = None) -> Elimination:
    """q̈ and λ of M q̈ = Q + C + Aᵀλ, A q̈ = b, with C = C₀ + D z affine in some of them, z.

    The elimination is done for Q + C₀ and for each column of D: they share all its pivots. Then z = z₀ + G z is solved
    and the parts are added. Bodies are turned by angular accelerations, see `Turning`.
    """
    C, by = system.nonideal, turning(system)
    rank = (decide(Independent(system.sparse_A)) if rank is None else rank) - len(by.bodies)
    levels = [system.rows[i].level for i in by.rows]
    base = eliminated(by.M, by.Q + by.force(C.constant), by.A, by.b, decide, rank, levels)
    acceleration = by.acceleration(base.acceleration)
    multipliers = by.multipliers(base.multipliers, system.Q + C.constant)
    growth = base.growth
    if C.places:
        if base.dropped:
            _require_own_forces(system, decide)
        still = expressions(np.zeros(len(by.b)))
        parts = [eliminated(by.M, by.force(column), by.A, still, decide, rank, levels) for column in C.slopes.T]
        accelerations = [by.response(part.acceleration) for part in parts]
        forces = [by.multipliers(part.multipliers, D) for part, D in zip(parts, C.slopes.T, strict=True)]
        responses = [(*q, *λ) for q, λ in zip(accelerations, forces, strict=True)]
        G = [[response[j] for response in responses] for j in C.places]
        z, pivots = _fixed_point(G, [(*acceleration, *multipliers)[j] for j in C.places])
        acceleration, multipliers = _total(acceleration, accelerations, z), _total(multipliers, forces, z)
        growth = (*growth, *[divide(ONE, function("abs", pivot)) for pivot in pivots if pivot.value is None])
    dropped = tuple(by.rows[k] for k in base.dropped)
    return Elimination(
        acceleration,
        multipliers,
        growth,
        {by.rows[k]: pivot for k, pivot in base.pivots.items()},
        tuple(i for i in range(len(system.rows)) if i not in dropped),
        dropped,
    )


def followed_motion(system: System, decide: Decisions, rank: int | None = None) -> tuple[Expression, ...] | None:
    """q̈ with the rates of coordinates without mass as constraints give them from the others; None where none are `light`.

    On the constraints it is the same. While the stages of a step are iterated they are off them, and these rates are what
    is worst known: without them the iteration contracts several times as fast. But a motion that leaves the constraints
    does not stay near them by it: it is for those that are projected after each step.
    """
    by = turning(system)
    if system.nonideal.places or all(by.M.rows) or by.still is None:
        return None
    rank = (decide(Independent(system.sparse_A)) if rank is None else rank) - len(by.bodies)
    levels = [system.rows[i].level for i in by.rows]
    reduced = _reduced(by.M, expressions(np.zeros(len(by.columns))), by.A, -by.still, decide, rank, levels)
    if not reduced.light:
        return None
    w, followed = dict(enumerate(by.rates)), dict[Expression, Expression]()
    for each in (*reversed(reduced.light), *reversed(reduced.pairs)):
        for j, value in each.follow(w).items():
            if not by.M.rows[j]:
                followed[w[j]], w[j] = value, value
    b = expressions(substitute(by.b, followed))
    force = by.Q + by.force(system.nonideal.constant)
    return by.acceleration(eliminated(by.M, force, by.A, b, decide, rank, levels).acceleration)


def _require_own_forces(system: System, decide: Decisions) -> None:
    """Raises where C depends on multipliers λ that constraints which follow from others leave open.

    C = C₀ + D λ does not where D λ follows from Aᵀλ: [A, Dᵀ] has the rank of A.
    """
    n, C = len(system.coordinates), system.nonideal
    shared = [(j - n, column) for j, column in zip(C.places, C.slopes.T, strict=True) if j >= n]
    if not shared:
        return
    rows = [{**row} for row in system.sparse_A.rows]
    for i, column in shared:
        rows[i] |= {n + k: entry for k, entry in enumerate(column)}
    if decide(Independent(Sparse(rows, 2 * n))) != decide(Independent(system.sparse_A)):
        raise ModelError(
            f"the non-ideal force C depends on the multiplier of '{system.rows[shared[0][0]].name}', and constraints that "
            "follow from others share their forces in many ways; remove those, or write the force with "
            "system.reaction.on(…)"
        )


def _total(
    first: Sequence[Expression], rest: Sequence[Sequence[Expression]], z: Sequence[Expression]
) -> tuple[Expression, ...]:
    """first + Σ z_k rest_k"""
    sums = list(first)
    for factor, values in zip(z, rest, strict=True):
        sums = [add(sum_, multiply(factor, value)) for sum_, value in zip(sums, values, strict=True)]
    return tuple(sums)


def _fixed_point(G: list[list[Expression]], z0: list[Expression]) -> tuple[list[Expression], list[Expression]]:
    """z = z₀ + G z by Gauss's elimination of I − G, and its pivots, near 1 for small friction."""
    k = len(z0)
    K = [[subtract(ONE, G[i][j]) if i == j else negative(G[i][j]) for j in range(k)] for i in range(k)]
    z = list(z0)
    for p in range(k):
        for i in range(p + 1, k):
            share = divide(K[i][p], K[p][p])
            K[i] = [subtract(a, multiply(share, c)) for a, c in zip(K[i], K[p], strict=True)]
            z[i] = subtract(z[i], multiply(share, z[p]))
    for p in reversed(range(k)):
        for j in range(p + 1, k):
            z[p] = subtract(z[p], multiply(K[p][j], z[j]))
        z[p] = divide(z[p], K[p][p])
    return z, [K[p][p] for p in range(k)]
