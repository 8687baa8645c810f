"""Solutions of equations that leave some unknowns open: damped Gauss–Newton steps, the shortest that will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from zeromass.equation import Rank, numerical_rank
from zeromass.equation.arrays import single_thread
from zeromass.equation.inverse import moore_penrose
from zeromass.errors import StartError
from zeromass.expression import Evaluator, Expression
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse, stacked
from zeromass.model.contradiction import LOOSE, contradiction
from zeromass.model.nearest import clear_change, least_change, open_directions
from zeromass.model.state import ROUNDING, Magnitude

ITERATIONS = 60
HALVINGS = 40
"""Lengths of a step that are tried: down to 1e-12 of it."""

BENT = 0.5
"""Part of the change that slopes promise by which a step may miss it; beyond that they do not hold any more."""

GIVEN = 64 * float(np.finfo(float).eps)
"""Part of their terms by which prescriptions may miss the constraints: the rounding of numbers that come from some ten
operations. A larger miss is a contradiction."""

FAINT = float(np.sqrt(np.finfo(float).eps))
"""Part of what the unknowns could make of an equation below which its terms do not say in what unit to measure it."""

FADED = float(np.finfo(float).eps ** 2)
"""Part of the largest unknown below which one is rounding of a rounding, unless an equation asks for it."""

ATTEMPTS = 12
"""Gauss–Newton runs from different guesses before equations are called contradictory."""

MANY = 150
"""Unknowns from which equations count as solved where each is, up to its rounding: below it, steps go on as long as they
bring the residuals nearer to zero, which of many equations takes many steps of rounding."""

RETURNS = 20
"""Steps back towards the guess after a run that had to begin elsewhere."""


class StartEquations:
    """Equations for some unknowns, ready to be solved for them at values of everything else.

    constraints  (name, expression that must be zero)
    slopes       their derivatives by the unknowns, shape (constraints, unknowns)
    prescribed   expressions that must take the values that `solution` is given
    unknowns     array of symbols
    known        the other symbols, whose values `solution` takes
    metric       M, shape (unknowns, unknowns): of the solutions that the equations leave, the one of least (x − guess)ᵀ
                 M (x − guess); the shortest x − guess by default
    whole        whether unknowns and known coordinates count as known to the rounding of the largest of them, as where
                 bodies lie in a plane of space and what leaves it is zero but for rounding; each to its own by default
    """

    def __init__(
        self,
        constraints: Sequence[tuple[str, Expression]],
        slopes: Sparse | np.ndarray,
        prescribed: Sequence[Expression],
        unknowns: np.ndarray,
        known: Sequence[Expression],
        metric: Sparse | None = None,
        whole: bool = False,
    ) -> None:
        self.whole: bool = whole
        self.constraints: list[str] = [name for name, _ in constraints]
        self.prescribed: list[Expression] = list(prescribed)
        self.unknowns: np.ndarray = unknowns
        self.known: list[Expression] = list(known)
        functions = [*[zero for _, zero in constraints], *prescribed]
        inputs = [*unknowns, *known]
        self.values: Evaluator = Evaluator(functions, inputs)
        self._slopes = stacked(Sparse.of(slopes), sparse_jacobian(prescribed, unknowns))
        self._values_and_slopes = Evaluator([*functions, *self._slopes.entries], inputs)
        self.magnitude: Magnitude = Magnitude(functions, inputs)
        self._metric = metric
        self._masses = None if metric is None else Evaluator(metric.entries, inputs)

    def values_and_slopes(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the functions are at numbers of unknowns and known, and their slopes, shape (functions, unknowns)."""
        found = self._values_and_slopes(numbers)
        count = len(self._slopes)
        return found[:count], self._slopes.filled(found[count:])

    def metric(self, numbers: np.ndarray) -> np.ndarray | None:
        """M there, shape (unknowns, unknowns); None where changes are compared by their lengths."""
        return None if self._metric is None or self._masses is None else self._metric.filled(self._masses(numbers))

    def solution(
        self,
        guess: np.ndarray,
        known: Sequence[float],
        fixed: Mapping[Expression, float],
        prescribed: Sequence[float] = (),
        scales: Mapping[Expression, float] | None = None,
    ) -> tuple[np.ndarray, list[str]]:
        """Values of the unknowns, and the names of those that the equations do not determine.

        Unknowns in `fixed` keep the value they have there. A given value is exact to the rounding of its scale, if that is
        larger than itself.
        """
        with single_thread:
            return Numbers(self, known, fixed, prescribed, scales).solution(guess)

    def near(self, guess: np.ndarray, known: Sequence[float]) -> np.ndarray | None:
        """Values of the unknowns that steps from the guess lead to; None where they lead to none."""
        with single_thread:
            return Numbers(self, known, {}, ()).near(guess)

    def satisfied(self, values: np.ndarray, known: Sequence[float], prescribed: Sequence[float] = ()) -> bool:
        """Whether values of the unknowns satisfy the equations, each up to the rounding of its terms."""
        return Numbers(self, known, {}, prescribed).satisfied(values)


class Point(NamedTuple):
    """Values of the unknowns, with the residuals there and their slopes."""

    x: np.ndarray
    r: np.ndarray
    J: np.ndarray


class Reached(NamedTuple):
    """A point from which no step leads further, its error, and the basis of what the varied unknowns are free to do.

    Where the equations have no value or no slope, the error is NaN and there is no basis.
    """

    point: Point
    error: float
    free: np.ndarray


class Numbers:
    """Equations at numbers for everything but the varied unknowns; without values for prescribed expressions, the
    constraints alone."""

    def __init__(
        self,
        equations: StartEquations,
        known: Sequence[float],
        fixed: Mapping[Expression, float],
        prescribed: Sequence[float],
        scales: Mapping[Expression, float] | None = None,
    ) -> None:
        self.equations: StartEquations = equations
        self._scales = scales or {}
        self.fixed: Mapping[Expression, float] = fixed
        self._known: np.ndarray = np.array(known, dtype=float)
        self.wanted: np.ndarray = np.array([*[0.0] * len(equations.constraints), *prescribed])
        self.varied: np.ndarray = np.array([x not in fixed for x in equations.unknowns])

    def solution(self, guess: np.ndarray) -> tuple[np.ndarray, list[str]]:
        start = np.where(self.varied, guess, [self.fixed.get(x, 0.0) for x in self.equations.unknowns])
        best: Reached | None = None
        for attempt, x in enumerate(self._attempts(start)):
            reached, solved = self._from(x, start if attempt else None)
            if solved is not None:
                return solved, self._open_names(reached)
            if np.isfinite(reached.error) and (best is None or reached.error < best.error):
                best = reached
        raise StartError(contradiction(self, start, best))

    def near(self, guess: np.ndarray) -> np.ndarray | None:
        """The solution that steps from the guess alone lead to, if there is one."""
        return self._from(guess, None)[1]

    def _from(self, x: np.ndarray, back_to: np.ndarray | None) -> tuple[Reached, np.ndarray | None]:
        """What steps from x reach, or what is nearer to `back_to`; and the solution, where it is one."""
        first = self.at(x)
        unit = self.units(first)
        reached = self.gauss_newton(first, unit)
        if reached.error <= ROUNDING:
            if back_to is not None:
                reached = self._returned(reached, back_to, unit)
            return reached, self._settled(reached.point, unit)
        return reached, self._onto_constraints(reached.point.x) if self._missed_by_rounding(reached, unit) else None

    def _missed_by_rounding(self, reached: Reached, unit: np.ndarray) -> bool:
        """Whether the values that were given miss the equations by no more than their own rounding."""
        if reached.error <= GIVEN or not self._scales or not np.isfinite(reached.error):
            return reached.error <= GIVEN
        equations, point = self.equations, reached.point
        values = np.concatenate([point.x, self._known])
        sizes = np.maximum(np.abs(values), [self._scales.get(x, 0.0) for x in [*equations.unknowns, *equations.known]])
        wanted = [self._scales.get(e, 0.0) for e in equations.prescribed]
        terms = np.maximum(equations.magnitude(values, sizes), [*[0.0] * len(equations.constraints), *wanted])
        return bool(np.all(np.abs(point.r) <= GIVEN * np.maximum(terms, self.terms(point, unit))))

    def _settled(self, point: Point, unit: np.ndarray) -> np.ndarray:
        """The unknowns, those zero that are rounding of a rounding: steps on linear equations end there, not at zero."""
        x = point.x
        rest = self.varied & (np.abs(x) < FADED * np.max(np.abs(x), initial=0.0)) & (x != 0.0)
        if not rest.any():
            return x
        settled = self.at(np.where(rest, 0.0, x))
        good = np.abs(settled.r) <= np.maximum(np.abs(point.r), ROUNDING * self.terms(settled, unit, least=0.0))
        return settled.x if np.all(good) else x

    def _onto_constraints(self, x: np.ndarray) -> np.ndarray | None:
        """The constraints' solution next to one that keeps prescriptions which miss them by their rounding."""
        free = Numbers(self.equations, list(self._known), {}, ())
        first = free.at(x)
        reached = free.gauss_newton(first, free.units(first))
        return reached.point.x if reached.error <= ROUNDING else None

    def satisfied(self, x: np.ndarray) -> bool:
        point = self.at(x)
        return bool(np.all(np.abs(point.r) <= ROUNDING * self.sizes(point)))

    def _attempts(self, start: np.ndarray) -> Iterator[np.ndarray]:
        """The start, then random points around it, ever further away and the same every time."""
        yield start.copy()
        random = np.random.default_rng(0)
        for attempt in range(1, ATTEMPTS):
            x = start.copy()
            x[self.varied] += random.normal(scale=10.0 ** (attempt / 3 - 2), size=self.varied.sum())
            yield x

    def at(self, x: np.ndarray) -> Point:
        values, J = self.equations.values_and_slopes(np.concatenate([x, self._known]))
        count = len(self.wanted)  # without values for prescribed expressions, only the constraints
        values, J = values[:count], J[:count]
        if self.equations.whole:  # what is rounding of the others in a row is none
            J = np.where(np.abs(J) <= ROUNDING * np.abs(J).max(axis=1, keepdims=True, initial=0.0), 0.0, J)
        return Point(x, values - self.wanted, J)

    def sizes(self, point: Point) -> np.ndarray:
        """The magnitudes of the residuals f − wanted; 1 where all terms are zero."""
        values = np.concatenate([point.x, self._known])
        each = None
        if self.equations.whole:
            each, n = np.abs(values), len(point.x)
            each[:n] = each[:n].max(initial=0.0)
            each[-n:] = each[-n:].max() if len(values) >= 2 * n else each[-n:]  # positions, where rates are unknown
        sizes = self.equations.magnitude(values, each)[: len(self.wanted)]
        sizes += np.where(self.wanted == 0.0, 0.0, np.abs(point.r) + np.abs(self.wanted))
        return np.where(sizes == 0.0, 1.0, sizes)

    def units(self, point: Point) -> np.ndarray:
        """What residuals are measured in: their magnitudes, no less than the part FAINT of what slopes could make of them.

        Where bodies lie in a plane of space, the terms of an equation that keeps them there are rounding alone; in units of
        that its slopes would drown all others.
        """
        return np.maximum(self.sizes(point), FAINT * self._largest(point))

    def _error(self, point: Point, J: np.ndarray, inverse: np.ndarray, unit: np.ndarray) -> float:
        """Largest residual as part of its terms.

        Equations that depend on one another share their round-off: what one of them is off by, no step can mend, and
        least squares distributes it among them by the projector I − J J⁺.
        """
        own = self.terms(point, unit) / unit
        shared = np.abs(np.eye(len(J)) - J @ inverse) @ own
        return float(np.max(np.abs(point.r) / unit / (own + shared), initial=0.0))

    def terms(self, point: Point, unit: np.ndarray, least: float = np.finfo(float).eps) -> np.ndarray:
        """Magnitudes of the residuals, but not less than the part `least` of those at the beginning, `unit`, nor than
        an unknown of that part of the largest one makes them.

        For where x = 0 or x² = 0 is approached by steps, the terms shrink with the residual.
        """
        return np.maximum(self.sizes(point), least * np.maximum(unit, self._largest(point)))

    def _largest(self, point: Point) -> np.ndarray:
        """What residuals would be if all unknowns were as large as the largest."""
        return np.abs(point.J).sum(axis=1) * np.max(np.abs(point.x), initial=0.0)

    def gauss_newton(self, point: Point, unit: np.ndarray, left: int = ITERATIONS) -> Reached:
        """What damped shortest Gauss–Newton steps on the varied unknowns reach, residuals in their units."""
        slopes = inverse = free = np.empty((0, 0))
        while all(np.isfinite(numbers).all() for numbers in (unit, point.r, point.J)):
            J = point.J[:, self.varied] / unit[:, None]
            if len(point.x) >= MANY:
                if np.all(np.abs(point.r) <= ROUNDING * self.terms(point, unit)):
                    return Reached(point, 0.0, open_directions(J))
                change = clear_change(J, point.r / unit, self._metric(point))
                better = self._better(point, change, unit) if left and change is not None else None
                if better is not None:
                    point, left = better, left - 1
                    continue
            if not np.array_equal(J, slopes):  # linear equations have the same slopes everywhere
                decision = numerical_rank(J)
                slopes, inverse, free = J, self._inverse(point, J, decision), decision.null_space
            better = self._better(point, inverse @ (point.r / unit), unit) if left else None
            if better is None:
                return Reached(point, self._error(point, J, inverse, unit), free)
            point, left = better, left - 1
        return Reached(point, np.nan, free)

    def _metric(self, point: Point) -> np.ndarray | None:
        """M of the varied unknowns; None where changes are compared by their lengths, or where M has no value."""
        M = self.equations.metric(np.concatenate([point.x, self._known]))
        return M[np.ix_(self.varied, self.varied)] if M is not None and np.isfinite(M).all() else None

    def _inverse(self, point: Point, J: np.ndarray, decision: Rank) -> np.ndarray:
        """X with δ = X r the smallest change that J δ = r allows, in the metric where there is one."""
        M = self._metric(point) if decision.rank < J.shape[1] else None  # else nothing is left open
        return moore_penrose(decision) if M is None else least_change(M, J, np.eye(len(J))).T

    def _better(self, point: Point, change: np.ndarray, unit: np.ndarray) -> Point | None:
        """The point of smaller residuals after a whole Gauss–Newton step or its half, quarter, …; None if there is none.

        The step goes only as far as its slopes hold on all the way. Near a singular position it is long, and what it
        would come upon beyond is a solution by chance: an angle of many turns.
        """
        x, r, J = point
        step = np.zeros_like(x)
        step[self.varied] = -change
        size = np.linalg.norm(r / unit)
        if size == 0.0:
            return None
        whole = self.at(x + step)
        smaller = np.linalg.norm(whole.r / unit) < size
        if smaller and np.array_equal(whole.J, J):  # linear equations
            return whole
        if not smaller and np.all(np.abs(step) <= np.finfo(float).eps * np.abs(x)):
            return None
        parts = 0.5 ** np.arange(HALVINGS)
        known = np.broadcast_to(self._known, (HALVINGS, len(self._known)))
        residuals = self.equations.values(np.concatenate([x + parts[:, None] * step, known], axis=1))
        residuals = (residuals[:, : len(self.wanted)] - self.wanted) / unit
        change = parts[:, None] * (J @ step / unit)
        off = np.linalg.norm(residuals - (r / unit + change), axis=1)
        straight = off <= BENT * np.linalg.norm(change, axis=1) + ROUNDING
        less = np.linalg.norm(residuals, axis=1) < size
        reached = less & np.logical_and.accumulate(straight[::-1])[::-1]
        if not reached.any():
            reached = less
        if not reached.any():
            return None
        k = int(reached.argmax())
        return whole if k == 0 else self.at(x + parts[k] * step)

    def _returned(self, reached: Reached, start: np.ndarray, unit: np.ndarray) -> Reached:
        """A solution nearer to the start than another one, reached by moving along what the equations leave open."""
        for _ in range(RETURNS):
            x, N = reached.point.x, reached.free
            back = np.zeros_like(start)
            back[self.varied] = N @ (N.T @ (start - x)[self.varied])
            nearer = self.gauss_newton(self.at(x + back), unit)
            closer = np.linalg.norm(nearer.point.x - start) < np.linalg.norm(x - start)
            if not closer or not nearer.error <= ROUNDING:
                break
            reached = nearer
        return reached

    def _open_names(self, reached: Reached) -> list[str]:
        loose = np.abs(reached.free).max(axis=1, initial=0.0) > LOOSE
        return [repr(x) for x, open_ in zip(self.equations.unknowns[self.varied], loose, strict=True) if open_]
