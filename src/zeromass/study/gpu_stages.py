"""The stages of a step in a thread, from accelerations alone, and the error of the step.

The slope of a position in a stage is the velocity there, made again as it was made then: v + h Σ a_jm k_m.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zeromass.codegen.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.integrate.methods.dop853.coefficients import ERROR_3, ERROR_5, STAGES, A
from zeromass.integrate.methods.dop853.kernel import EPSILON
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.writer import CHUNK
from zeromass.study.gpu_layout import Cell
from zeromass.study.gpu_thread import Thread

LATE = frozenset(j for s in range(5, STAGES + 1) for j in A[s])
"""Stages that the later ones refer to."""


class Stages(Thread):
    """States of the stages, in the order of operations of `Dop853Step`."""

    def stage(self, s: int, h: Real) -> None:
        """new = y + h Σ a_sj k_j, as far as the acceleration depends on it; the newest acceleration goes to its slot."""
        w, n, felt = self.weights(A[s]), self.n, self.motion.felt
        for i in range(n):
            known: dict[int, Real] = {}
            if s > 1 and (s - 1 in LATE or {i, n + i} & felt):
                known[s - 1] = self.load(self.a, i)
                self.store(known[s - 1], self.of(i, Cell.slot(s - 1)))
            if not {i, n + i} & felt:
                continue
            k = _Slopes(self, lambda j, i=i: self.load(self.of(i, Cell.slot(j))), self.load(self.y(n + i)), h, known)
            if n + i in felt:
                self.store(fma(h, combination(w, k.acceleration), k.v), self.new, n + i)
            if i in felt:
                self.store(fma(h, combination(w, k.velocity), self.load(self.y(i))), self.new, i)

    def last_stage(self, h: Real) -> Real:
        """The new state of order 8, as the end of the step, and its error; see `Dop853Step.error`.

        It needs many operations of each coordinate, and is a loop over them.
        """
        for i in range(self.n):
            self.store(self.load(self.a, i), self.of(i, Cell.slot(STAGES - 1)))
        rtol, atol = self.number(Real64.rtol), self.number(Real64.atol)
        shared = self.block_of_threads.shared
        for private in (False,) * (shared > 0) + (True,) * (shared < self.n):
            with self.coordinates_in(private) as cells:
                w, *estimates = (self.weights(row) for row in (A[STAGES], ERROR_5, ERROR_3))
                q, v = cells.load(Cell.POSITION), cells.load(Cell.VELOCITY)
                k = _Slopes(self, lambda j, cells=cells: cells.load(Cell.slot(j)), v, h)
                found = []
                for y, slope in ((q, k.velocity), (v, k.acceleration)):
                    new = fma(h, combination(w, slope), y)
                    old, size = abs(y), abs(new)
                    scale = 1.0 / fma(rtol, where(old > size, old, size), atol)
                    errors = [combination(weights, slope) * scale for weights in estimates]
                    found.append((new, [e * e for e in errors]))
                for (new, squares), end, places in zip(found, Cell.END, Cell.SQUARES, strict=True):
                    cells.store(new, end)
                    for square, place in zip(squares, places, strict=True):
                        cells.store(square, place)
        self.fence()
        e5, e3 = (self.in_chunks(self.squares(estimate)) for estimate in range(2))
        below = sqrt((e5 + e3 * 0.01) * float(2 * self.n))
        rounding = self.number(Real64.worst) * EPSILON / rtol
        return where(e5.equals(0.0), 0.0, abs(h) * e5 / (below * where(rounding > 1.0, rounding, 1.0)))

    def squares(self, estimate: int) -> list[Real]:
        """Of the errors of positions, and then of velocities."""
        return [self.load(self.of(i, places[estimate])) for places in Cell.SQUARES for i in range(self.n)]

    def in_chunks(self, terms: list[Real]) -> Real:
        """The sum of terms in the order in which a state in chunks adds them."""
        total = self.real(0.0)
        for first in range(0, len(terms), CHUNK):
            parts: list[Real | None] = [*terms[first : first + CHUNK]]
            parts += [None] * (CHUNK - len(parts))
            while len(parts) > 1:
                parts = [
                    b if a is None else a if b is None else a + b for a, b in zip(parts[::2], parts[1::2], strict=True)
                ]
            assert parts[0] is not None
            total = total + parts[0]
        return total


class _Slopes:
    """Slopes of one coordinate in the stages so far: accelerations, loaded once each, and velocities."""

    def __init__(
        self, stages: Stages, slot: Callable[[int], Real], v: Real, h: Real, known: Mapping[int, Real] | None = None
    ) -> None:
        self._stages, self._slot, self._h, self.v = stages, slot, h, v
        self._accelerations: dict[int, Real] = {**(known or {})}
        self._velocities: dict[int, Real] = {0: v}

    def acceleration(self, j: int) -> Real:
        if j not in self._accelerations:
            self._accelerations[j] = self._slot(j)
        return self._accelerations[j]

    def velocity(self, j: int) -> Real:
        if j not in self._velocities:
            self._velocities[j] = fma(self._h, combination(self._stages.weights(A[j]), self.acceleration), self.v)
        return self._velocities[j]


def combination(weights: Mapping[int, Real], slope: Callable[[int], Real]) -> Real:
    """Σ w_j k_j, in the order of the stages."""
    total: Real | None = None
    for j, weight in weights.items():
        total = slope(j) * weight if total is None else fma(slope(j), weight, total)
    assert total is not None
    return total
