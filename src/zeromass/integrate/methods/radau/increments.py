"""The increments of accepted steps of Radau's methods, and the polynomials inside steps from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from zeromass.integrate.methods.radau.coefficients import MOST, Coefficients
from zeromass.integrate.stepping.dense import DEGREE, FIT, NODES, fitted
from zeromass.integrate.stepping.layout import HEAD
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, kernel, reals

KEPT = 2
"""Values before the increments of a step in their record: its length and the place of its method."""


class StepIncrements:
    """Steps of a run with their increments, which have the projection of their ends shared out along them.

    methods  those that took the steps, by their places
    rows     of the record: t, h, growth and the state at the end of each step
    values   of each step its length, the place of its method and its increments, (s, 2n)
    offsets  where those of each step begin
    """

    def __init__(
        self, methods: Sequence[Coefficients], rows: np.ndarray, values: np.ndarray, offsets: np.ndarray
    ) -> None:
        self._methods, self._rows, self._values, self._offsets = methods, rows, values, offsets

    def part(self, first: int, last: int) -> StepIncrements:
        """Some of the steps."""
        return StepIncrements(self._methods, self._rows[first:last], self._values, self._offsets[first:last])

    def copy(self, first: int, rows: np.ndarray) -> StepIncrements:
        """Some of the steps, whose rows in the record are these, in memory of their own."""
        offsets = self._offsets[first : first + len(rows)]
        begin = end = 0
        if len(rows):
            begin, place = int(offsets[0]), int(self._values[offsets[-1] + 1])
            end = int(offsets[-1]) + KEPT + self._methods[place].stages * (rows.shape[1] - HEAD)
        return StepIncrements(self._methods, rows, self._values[begin:end].copy(), offsets - begin)

    def orders(self) -> np.ndarray:
        """Of the steps."""
        return np.array([method.order for method in self._methods])[self._kept(np.arange(len(self._rows)))[1]]

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """Legendre's coefficients of the states inside steps from (t0, y0) to (t1, y1), shape (k, DEGREE + 1, 2n)."""
        turn, times = np.sign(t1 - t0)[:1], self._rows[:, 0]
        steps = np.searchsorted(
            turn * times, turn * t0, side="right"
        )  # the end may lie where a switch was found after all
        steps = np.minimum(steps, len(times) - 1)
        h, places = self._kept(steps)
        lengths = np.where(times[steps] == t1, self._rows[steps, 1], t1 - t0)
        parts = lengths / h  # less than 1 where the step was cut
        result = np.empty((len(steps), DEGREE + 1, y0.shape[1]))
        for place, part in set(zip(places.tolist(), parts.tolist(), strict=True)):
            alike = (places == place) & (parts == part)
            result[alike] = _interpolation(self._methods[place], part) @ self._increments(steps[alike], place)
        result[:, 0] += y0
        return result

    def _kept(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths of some steps and the places of their methods."""
        first = self._offsets[steps]
        return self._values[first], self._values[first + 1].astype(int)

    def _increments(self, steps: np.ndarray, place: int) -> np.ndarray:
        """Of some steps of one method, shape (k, s, 2n)."""
        s, first, order = self._methods[place].stages, self._offsets[steps] + KEPT, self._rows.shape[1] - HEAD
        return self._values[first[:, None] + np.arange(s * order)].reshape(-1, s, order)


@lru_cache(maxsize=64)
def _interpolation(method: Coefficients, part: float) -> np.ndarray:
    """Legendre's coefficients of u − y over a part of a step from its increments, shape (DEGREE + 1, s)."""
    return fitted(method.basis(NODES * part))


class Increments(Struct):
    """The same record for kernels.

    values, offsets  as above
    used             how many of the values are used, (1,)
    stages           of each method
    nodes, weights   of each method, (methods, MOST + 1): the start and the places of its stages, and their weights
    """

    values: Reals
    offsets: Ints
    used: Ints
    stages: Ints
    nodes: Reals2
    weights: Reals2


def increments_in_memory(
    methods: Sequence[Coefficients], values: np.ndarray, offsets: np.ndarray, used: np.ndarray
) -> Increments:
    """The record of a run under way."""
    nodes, weights = np.zeros((2, len(methods), MOST + 1))
    for k, method in enumerate(methods):
        nodes[k, 1 : 1 + method.stages], weights[k, 1 : 1 + method.stages] = method.c, method.weights
    stages = np.array([method.stages for method in methods], dtype=np.int64)
    return Increments(values=values, offsets=offsets, used=used, stages=stages, nodes=nodes, weights=weights)


@kernel(lazy=True)
def step_polynomial(kept: Increments, step: int, length: float, y: Reals, polynomial: Reals2) -> None:
    """polynomial ← Legendre's coefficients of the states in the first part of a step, of some length, that begins at y.

    u(x) − y = Σ_j w_j Z_j Π_{k ≠ j} (x − x_k), at the places from whose states a polynomial is found.
    """
    first, n = kept.offsets[step], len(y)
    part, method = length / kept.values[first], int(kept.values[first + 1])
    s, nodes, weights = kept.stages[method], kept.nodes[method], kept.weights[method]
    basis, shares = reals(DEGREE + 1, MOST), reals(MOST)
    for k in range(DEGREE + 1):
        for j in range(s):
            product = weights[1 + j]
            for i in range(s + 1):
                product *= NODES[k] * part - nodes[i] if i != 1 + j else 1.0
            basis[k, j] = product
    for row in range(DEGREE + 1):
        for j in range(s):
            shares[j] = 0.0
            for k in range(DEGREE + 1):
                shares[j] += FIT[row, k] * basis[k, j]
        for i in range(n):
            total = y[i] if row == 0 else 0.0
            for j in range(s):
                total += shares[j] * kept.values[first + KEPT + j * n + i]
            polynomial[row, i] = total
