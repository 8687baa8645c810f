"""Solutions of equations that leave some unknowns open: damped Gauss–Newton steps, the shortest that will do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.equation import numerical_rank, pseudoinverse
from zeromass.expression import Evaluator, Expression, expressions, jacobian
from zeromass.model.errors import StartError
from zeromass.model.magnitude import ROUNDING, Magnitude

ITERATIONS = 60
HALVINGS = 20
ATTEMPTS = 12
"""Gauss–Newton runs from different guesses before equations are called contradictory."""

RETURNS = 20
"""Steps back towards the guess after a run that had to begin elsewhere."""


@dataclass(frozen=True)
class Equation:
    """An expression that must be zero, under the name by which messages call it."""

    name: str
    zero: Expression
    prescribed: bool = False


class Equations:
    """Equations for some unknowns, ready to be solved for them at values of everything else.

    unknowns  array of symbols
    known     the other symbols, whose values `solution` takes
    """

    def __init__(self, equations: Sequence[Equation], unknowns: np.ndarray, known: Sequence[Expression]) -> None:
        zeros = expressions([equation.zero for equation in equations])
        inputs = [*unknowns, *known]
        self.names = [equation.name for equation in equations]
        self.prescribed = [equation.prescribed for equation in equations]
        self.unknowns = unknowns
        self._residual = Evaluator(zeros, inputs)
        self._slopes = Evaluator(jacobian(zeros, unknowns), inputs)
        self._magnitude = Magnitude(zeros, inputs)

    def solution(
        self, guess: np.ndarray, known: Sequence[float], fixed: Mapping[Expression, float]
    ) -> tuple[np.ndarray, list[str]]:
        """Values of the unknowns, and the names of those that the equations do not determine.

        Unknowns in `fixed` keep the value they have there.
        """
        varied = np.array([x not in fixed for x in self.unknowns])
        start = np.where(varied, guess, [fixed.get(x, 0.0) for x in self.unknowns])
        best: tuple[float, np.ndarray] | None = None
        random = np.random.default_rng(0)  # the same guesses in the same order every time
        for attempt in range(ATTEMPTS):
            x = start.copy()
            if attempt:
                x[varied] += random.normal(scale=10.0 ** (attempt / 3 - 2), size=varied.sum())
            unit = self._sizes(x, known)
            x = self._gauss_newton(x, varied, known, unit)
            error = self._error(x, varied, known, unit)
            if error <= ROUNDING:
                if attempt:
                    x = self._returned(x, start, varied, known, unit)
                return x, self._open_names(x, varied, known)
            if np.isfinite(error) and (best is None or error < best[0]):
                best = (error, x)
        raise StartError(self._contradiction(start, known, fixed, best))

    def _at(self, x: np.ndarray, known: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their slopes."""
        point = np.concatenate([x, known])
        return self._residual(point), self._slopes(point)

    def _sizes(self, x: np.ndarray, known: Sequence[float]) -> np.ndarray:
        """The magnitudes of the residuals; 1 where all terms are zero."""
        sizes = self._magnitude(np.concatenate([x, known]))
        return np.where(sizes == 0.0, 1.0, sizes)

    def _error(self, x: np.ndarray, varied: np.ndarray, known: Sequence[float], unit: np.ndarray) -> float:
        """Largest residual as part of its terms; NaN where the equations have no value or no slope.

        Equations that depend on one another share their round-off: what one of them is off by, no step can mend, and
        least squares distributes it among them by the projector I − J J⁺.
        """
        r, J = self._at(x, known)
        if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
            return np.nan
        own = self._terms(x, known, unit) / unit
        J = J[:, varied] / unit[:, None]
        shared = np.abs(np.eye(len(r)) - J @ pseudoinverse(J)) @ own
        return float(np.max(np.abs(r) / unit / (own + shared), initial=0.0))

    def _terms(
        self, x: np.ndarray, known: Sequence[float], unit: np.ndarray, least: float = np.finfo(float).eps
    ) -> np.ndarray:
        """Magnitudes of the residuals, but not less than the part `least` of those at the beginning, `unit`, nor than
        an unknown of that part of the largest one makes them.

        For where x = 0 or x² = 0 is approached by steps, the terms shrink with the residual.
        """
        largest = np.abs(self._slopes(np.concatenate([x, known]))).sum(axis=1) * np.max(np.abs(x), initial=0.0)
        return np.maximum(self._sizes(x, known), least * np.maximum(unit, largest))

    def _gauss_newton(self, x: np.ndarray, varied: np.ndarray, known: Sequence[float], unit: np.ndarray) -> np.ndarray:
        """The point reached by damped shortest Gauss–Newton steps on the varied unknowns, residuals in their units."""
        r, J = self._at(x, known)
        for _ in range(ITERATIONS):
            if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J)) and np.all(np.isfinite(unit))):
                break
            step = np.zeros_like(x)
            step[varied] = -(pseudoinverse(J[:, varied] / unit[:, None]) @ (r / unit))
            last = np.all(np.abs(step) <= np.finfo(float).eps * np.abs(x))
            for damping in 0.5 ** np.arange(1 if last else HALVINGS):
                trial = x + damping * step
                new = self._at(trial, known)
                if np.linalg.norm(new[0] / unit) < np.linalg.norm(r / unit):
                    break
            else:
                break
            x, (r, J) = trial, new
        return x

    def _returned(
        self, x: np.ndarray, start: np.ndarray, varied: np.ndarray, known: Sequence[float], unit: np.ndarray
    ) -> np.ndarray:
        """A solution nearer to the start than x, reached by moving along what the equations leave open."""
        for _ in range(RETURNS):
            back = np.zeros_like(x)
            N = numerical_rank(self._at(x, known)[1][:, varied]).null_space
            back[varied] = N @ (N.T @ (start - x)[varied])
            nearer = self._gauss_newton(x + back, varied, known, unit)
            closer = np.linalg.norm(nearer - start) < np.linalg.norm(x - start)
            if not closer or not self._error(nearer, varied, known, unit) <= ROUNDING:
                break
            x = nearer
        return x

    def _open_names(self, x: np.ndarray, varied: np.ndarray, known: Sequence[float]) -> list[str]:
        if not np.any(varied):
            return []
        basis = numerical_rank(self._at(x, known)[1][:, varied]).null_space
        loose = np.abs(basis).max(axis=1, initial=0.0) > np.sqrt(np.finfo(float).eps)
        return [repr(x) for x, open_ in zip(self.unknowns[varied], loose, strict=True) if open_]

    def _contradiction(
        self,
        start: np.ndarray,
        known: Sequence[float],
        fixed: Mapping[Expression, float],
        best: tuple[float, np.ndarray] | None,
    ) -> str:
        if best is None:
            r, _ = self._at(start, known)
            bad = [name for name, value in zip(self.names, r, strict=True) if not np.isfinite(value)] or self.names
            return f"'{bad[0]}' has no finite value at the prescribed values; prescribe others or give guess={{…}}"
        r, J = self._at(best[1], known)
        unit = self._sizes(start, known)
        part = np.abs(r) / self._terms(best[1], known, unit, least=np.sqrt(np.finfo(float).eps))
        rows = [i for i in np.argsort(-part) if part[i] > 1e-3 * part.max()]
        names = [f"'{self.names[i]}' (off by {r[i]:.3g})" for i in rows[:4]]
        touched = np.any(J[rows] != 0.0, axis=0)
        held = [f"{x!r} = {fixed[x]:g}" for x, hit in zip(self.unknowns, touched, strict=True) if hit and x in fixed]
        held += [
            name
            for i, (name, asked) in enumerate(zip(self.names, self.prescribed, strict=True))
            if asked and i not in rows and np.any(J[i][touched])
        ]
        words = ", ".join(names) + (f" with {', '.join(held[:6])} prescribed" if held else "")
        return (
            f"no state satisfies {words}; the smallest miss that was found is {best[0]:.2g}. "
            "Drop or change one of them, or give guess={…} nearer to a solution"
        )
