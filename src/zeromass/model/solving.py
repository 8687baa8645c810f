"""Solutions of equations that leave some unknowns open: damped Gauss–Newton steps, the shortest that will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from zeromass.equation import Rank, numerical_rank
from zeromass.equation.inverse import moore_penrose
from zeromass.expression import Evaluator, Expression, expressions, jacobian
from zeromass.model.errors import StartError
from zeromass.model.magnitude import ROUNDING, Magnitude
from zeromass.model.nearest import least_change

ITERATIONS = 60
HALVINGS = 40
"""Lengths of a step that are tried: down to 1e-12 of it."""

BENT = 0.5
"""Part of the change that slopes promise by which a step may miss it; beyond that they do not hold any more."""

GIVEN = 64 * float(np.finfo(float).eps)
"""Part of their terms by which prescriptions may miss the constraints: the rounding of numbers that come from some ten
operations. A larger miss is a contradiction."""

ATTEMPTS = 12
"""Gauss–Newton runs from different guesses before equations are called contradictory."""

TOLD = 1e-3
"""Part of the largest miss, in comparable units, above which a contradicted equation is named."""

LOOSE = float(np.sqrt(np.finfo(float).eps))
"""Components of a unit vector of what is free that count: above the square root of rounding, which is their error."""

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
    """

    def __init__(
        self,
        constraints: Sequence[tuple[str, Expression]],
        slopes: np.ndarray,
        prescribed: Sequence[Expression],
        unknowns: np.ndarray,
        known: Sequence[Expression],
        metric: np.ndarray | None = None,
    ) -> None:
        self.constraints: list[str] = [name for name, _ in constraints]
        self.prescribed: list[Expression] = list(prescribed)
        self.unknowns: np.ndarray = unknowns
        functions = expressions([*[zero for _, zero in constraints], *prescribed])
        inputs = [*unknowns, *known]
        self.values: Evaluator = Evaluator(functions, inputs)
        slopes = np.concatenate([slopes, jacobian(list(prescribed), unknowns)])
        self.values_and_slopes: Evaluator = Evaluator(np.concatenate([functions[:, None], slopes], axis=1), inputs)
        self.magnitude: Magnitude = Magnitude(functions, inputs)
        self.metric: Evaluator | None = None if metric is None else Evaluator(metric, inputs)

    def solution(
        self,
        guess: np.ndarray,
        known: Sequence[float],
        fixed: Mapping[Expression, float],
        prescribed: Sequence[float] = (),
    ) -> tuple[np.ndarray, list[str]]:
        """Values of the unknowns, and the names of those that the equations do not determine.

        Unknowns in `fixed` keep the value they have there.
        """
        return _Numbers(self, known, fixed, prescribed).solution(guess)

    def satisfied(self, values: np.ndarray, known: Sequence[float], prescribed: Sequence[float] = ()) -> bool:
        """Whether values of the unknowns satisfy the equations, each up to the rounding of its terms."""
        return _Numbers(self, known, {}, prescribed).satisfied(values)


class _Point(NamedTuple):
    """Values of the unknowns, with the residuals there and their slopes."""

    x: np.ndarray
    r: np.ndarray
    J: np.ndarray


class _Reached(NamedTuple):
    """A point from which no step leads further, its error, and the basis of what the varied unknowns are free to do.

    Where the equations have no value or no slope, the error is NaN and there is no basis.
    """

    point: _Point
    error: float
    free: np.ndarray


class _Numbers:
    """Equations at numbers for everything but the varied unknowns; without values for prescribed expressions, the
    constraints alone."""

    def __init__(
        self,
        equations: StartEquations,
        known: Sequence[float],
        fixed: Mapping[Expression, float],
        prescribed: Sequence[float],
    ) -> None:
        self._equations, self._fixed = equations, fixed
        self._known = np.array(known, dtype=float)
        self._wanted = np.array([*[0.0] * len(equations.constraints), *prescribed])
        self._varied = np.array([x not in fixed for x in equations.unknowns])

    def solution(self, guess: np.ndarray) -> tuple[np.ndarray, list[str]]:
        start = np.where(self._varied, guess, [self._fixed.get(x, 0.0) for x in self._equations.unknowns])
        best: _Reached | None = None
        for attempt, x in enumerate(self._attempts(start)):
            first = self._at(x)
            unit = self._sizes(first)
            reached = self._gauss_newton(first, unit)
            if reached.error <= ROUNDING:
                if attempt:
                    reached = self._returned(reached, start, unit)
                return reached.point.x, self._open_names(reached)
            if reached.error <= GIVEN:
                onto = self._onto_constraints(reached.point.x)
                if onto is not None:
                    return onto, self._open_names(reached)
            if np.isfinite(reached.error) and (best is None or reached.error < best.error):
                best = reached
        raise StartError(self._contradiction(start, best))

    def _onto_constraints(self, x: np.ndarray) -> np.ndarray | None:
        """The constraints' solution next to one that keeps prescriptions which miss them by their rounding."""
        free = _Numbers(self._equations, self._known, {}, ())
        first = free._at(x)
        reached = free._gauss_newton(first, free._sizes(first))
        return reached.point.x if reached.error <= ROUNDING else None

    def satisfied(self, x: np.ndarray) -> bool:
        point = self._at(x)
        return bool(np.all(np.abs(point.r) <= ROUNDING * self._sizes(point)))

    def _attempts(self, start: np.ndarray) -> Iterator[np.ndarray]:
        """The start, then random points around it, ever further away and the same every time."""
        yield start.copy()
        random = np.random.default_rng(0)
        for attempt in range(1, ATTEMPTS):
            x = start.copy()
            x[self._varied] += random.normal(scale=10.0 ** (attempt / 3 - 2), size=self._varied.sum())
            yield x

    def _at(self, x: np.ndarray) -> _Point:
        numbers = self._equations.values_and_slopes(np.concatenate([x, self._known]))[: len(self._wanted)]
        return _Point(x, numbers[:, 0] - self._wanted, numbers[:, 1:])

    def _sizes(self, point: _Point) -> np.ndarray:
        """The magnitudes of the residuals f − wanted; 1 where all terms are zero."""
        sizes = self._equations.magnitude(np.concatenate([point.x, self._known]))[: len(self._wanted)]
        sizes += np.where(self._wanted == 0.0, 0.0, np.abs(point.r) + np.abs(self._wanted))
        return np.where(sizes == 0.0, 1.0, sizes)

    def _error(self, point: _Point, J: np.ndarray, inverse: np.ndarray, unit: np.ndarray) -> float:
        """Largest residual as part of its terms.

        Equations that depend on one another share their round-off: what one of them is off by, no step can mend, and
        least squares distributes it among them by the projector I − J J⁺.
        """
        own = self._terms(point, unit) / unit
        shared = np.abs(np.eye(len(J)) - J @ inverse) @ own
        return float(np.max(np.abs(point.r) / unit / (own + shared), initial=0.0))

    def _terms(self, point: _Point, unit: np.ndarray, least: float = np.finfo(float).eps) -> np.ndarray:
        """Magnitudes of the residuals, but not less than the part `least` of those at the beginning, `unit`, nor than
        an unknown of that part of the largest one makes them.

        For where x = 0 or x² = 0 is approached by steps, the terms shrink with the residual.
        """
        largest = np.abs(point.J).sum(axis=1) * np.max(np.abs(point.x), initial=0.0)
        return np.maximum(self._sizes(point), least * np.maximum(unit, largest))

    def _gauss_newton(self, point: _Point, unit: np.ndarray) -> _Reached:
        """What damped shortest Gauss–Newton steps on the varied unknowns reach, residuals in their units."""
        slopes = inverse = free = np.empty((0, 0))
        left = ITERATIONS
        while all(np.isfinite(numbers).all() for numbers in (unit, point.r, point.J)):
            J = point.J[:, self._varied] / unit[:, None]
            if not np.array_equal(J, slopes):  # linear equations have the same slopes everywhere
                decision = numerical_rank(J)
                slopes, inverse, free = J, self._inverse(point, J, decision), decision.null_space
            better = self._better(point, inverse, unit) if left else None
            if better is None:
                return _Reached(point, self._error(point, J, inverse, unit), free)
            point, left = better, left - 1
        return _Reached(point, np.nan, free)

    def _inverse(self, point: _Point, J: np.ndarray, decision: Rank) -> np.ndarray:
        """X with δ = X r the smallest change that J δ = r allows, in the metric where there is one."""
        metric = self._equations.metric
        if metric is None or decision.rank == J.shape[1]:  # nothing is left open
            return moore_penrose(decision)
        M = metric(np.concatenate([point.x, self._known]))[np.ix_(self._varied, self._varied)]
        return least_change(M, J, np.eye(len(J))).T if np.isfinite(M).all() else moore_penrose(decision)

    def _better(self, point: _Point, inverse: np.ndarray, unit: np.ndarray) -> _Point | None:
        """The point of smaller residuals after a whole Gauss–Newton step or its half, quarter, …; None if there is none.

        The step goes only as far as its slopes hold on all the way. Near a singular position it is long, and what it
        would come upon beyond is a solution by chance: an angle of many turns.
        """
        x, r, J = point
        step = np.zeros_like(x)
        step[self._varied] = -(inverse @ (r / unit))
        size = np.linalg.norm(r / unit)
        if size == 0.0:
            return None
        whole = self._at(x + step)
        smaller = np.linalg.norm(whole.r / unit) < size
        if smaller and np.array_equal(whole.J, J):  # linear equations
            return whole
        if not smaller and np.all(np.abs(step) <= np.finfo(float).eps * np.abs(x)):
            return None
        parts = 0.5 ** np.arange(HALVINGS)
        known = np.broadcast_to(self._known, (HALVINGS, len(self._known)))
        residuals = self._equations.values(np.concatenate([x + parts[:, None] * step, known], axis=1))
        residuals = (residuals[:, : len(self._wanted)] - self._wanted) / unit
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
        return whole if k == 0 else self._at(x + parts[k] * step)

    def _returned(self, reached: _Reached, start: np.ndarray, unit: np.ndarray) -> _Reached:
        """A solution nearer to the start than another one, reached by moving along what the equations leave open."""
        for _ in range(RETURNS):
            x, N = reached.point.x, reached.free
            back = np.zeros_like(start)
            back[self._varied] = N @ (N.T @ (start - x)[self._varied])
            nearer = self._gauss_newton(self._at(x + back), unit)
            closer = np.linalg.norm(nearer.point.x - start) < np.linalg.norm(x - start)
            if not closer or not nearer.error <= ROUNDING:
                break
            reached = nearer
        return reached

    def _open_names(self, reached: _Reached) -> list[str]:
        loose = np.abs(reached.free).max(axis=1, initial=0.0) > LOOSE
        return [repr(x) for x, open_ in zip(self._equations.unknowns[self._varied], loose, strict=True) if open_]

    def _names(self) -> list[str]:
        """What messages call the equations."""
        constraints, prescribed = self._equations.constraints, self._equations.prescribed
        values = self._wanted[len(constraints) :]
        return constraints + [f"{e!r} = {value:g}" for e, value in zip(prescribed, values, strict=True)]

    def _contradiction(self, start: np.ndarray, best: _Reached | None) -> str:
        names, fixed = self._names(), self._fixed
        if best is None:
            r = self._at(start).r
            bad = [name for name, value in zip(names, r, strict=True) if not np.isfinite(value)] or names
            return f"'{bad[0]}' has no finite value at the prescribed values; prescribe others or give guess={{…}}"
        _, r, J = best.point
        part = np.abs(r) / self._terms(best.point, self._sizes(self._at(start)), least=LOOSE)
        rows = [i for i in np.argsort(-part) if part[i] > TOLD * part.max()]
        missed = [f"'{names[i]}' (off by {r[i]:.3g})" for i in rows[:4]]
        touched = np.any(J[rows] != 0.0, axis=0)
        unknowns = self._equations.unknowns
        held = [f"{x!r} = {fixed[x]:g}" for x, hit in zip(unknowns, touched, strict=True) if hit and x in fixed]
        asked = range(len(self._equations.constraints), len(names))
        held += [names[i] for i in asked if i not in rows and np.any(J[i][touched])]
        words = ", ".join(missed) + (f" with {', '.join(held[:6])} prescribed" if held else "")
        return (
            f"no state satisfies {words}; the smallest miss that was found is {best.error:.2g}. "
            + (self._instead(best.point) or "Drop or change one of them, or give guess={…} nearer to a solution")
            + self._singular(start)
        )

    def _instead(self, point: _Point) -> str:
        """Unknowns that were prescribed though the constraints alone determine them, and those they leave open."""
        unknowns = self._equations.unknowns
        free = numerical_rank(point.J[: len(self._equations.constraints)]).null_space
        loose = np.abs(free).max(axis=1, initial=0.0) > LOOSE
        bound = [repr(x) for x, open_ in zip(unknowns, loose, strict=True) if x in self._fixed and not open_]
        others = [repr(x) for x, open_ in zip(unknowns, loose, strict=True) if x not in self._fixed and open_]
        if not bound:
            return ""
        words = f"Here the constraints alone determine {', '.join(bound[:4])}: drop it"
        return words + (f", or prescribe one of {', '.join(others[:4])} instead" if others else "")

    def _singular(self, start: np.ndarray) -> str:
        """Words where the equations say less at the guess than beside it, so that no step leads away from there."""
        random = np.random.default_rng(0)
        beside = start + self._varied * random.normal(scale=LOOSE * max(1.0, np.abs(start).max()), size=len(start))
        here, there = (self._at(x).J[:, self._varied] for x in (start, beside))
        if not (np.isfinite(here).all() and np.isfinite(there).all()):
            return ""
        if numerical_rank(here).rank >= numerical_rank(there).rank:
            return ""
        return ". The guess is a singular position, where the equations say less than beside it: give another"
