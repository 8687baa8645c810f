"""A step across a singular position: collocation whose stages keep away from the middle of the step.

The motion is analytic there, but its formula is not: a state that is off the constraints by δ at a time τ from the singular
one has an acceleration that is wrong by a multiple of δ/τ². So the stages are brought onto the constraints before they are
evaluated, which takes away a power of τ, and none of them lies near the middle, where the singular position is (`places`).
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt

import numpy as np

from zeromass.codegen.target import host
from zeromass.integrate.singular.kernel import Leaping, Told
from zeromass.integrate.singular.places import (
    ENDS,
    FROM_BEGINNING,
    FROM_MIDDLE,
    INVERSE,
    PLACES,
    STAGES,
    Integrals,
    values_at,
)
from zeromass.integrate.stepping.dense import NODES, fitted
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.stepping.writer import CHUNK

_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(Leaping.takes))


_INTEGRALS = list(Leaping.takes).index("integrals")
_TABLES = [known.table.ctypes.data for known in (FROM_BEGINNING, FROM_MIDDLE)]

_BESIDE_ENDS = [int(np.argmin(np.abs(PLACES - end))) for end in ENDS]


@dataclass(frozen=True, eq=False)
class Leap:
    """The motion over a step of length h from t: a polynomial.

    known       the state that it was found from, (2n,), and what integrates from there
    stages      q̈ at the stages, shape (STAGES, n)
    pivots      of the multipliers at the stages, their sizes, shape (pivots, STAGES)
    ends        states at `ENDS`, on the constraints, shape (3, 2n)
    growths     of the pivots, about there
    correction  what brought the last of them onto the constraints, in units of the tolerance (root mean square)
    tail        of the accelerations, the last two of Legendre's coefficients times h, in the same units
    left        last change of the iteration, in the same units
    off         largest distance of a stage from the constraints, in a position
    """

    t: float
    h: float
    known: tuple[np.ndarray, Integrals]
    stages: np.ndarray
    pivots: np.ndarray
    ends: np.ndarray
    growths: np.ndarray
    correction: float
    tail: float
    left: float
    off: float

    @property
    def end(self) -> np.ndarray:
        """The last state, on the constraints."""
        return self.ends[-1]

    @cached_property
    def accelerations(self) -> np.ndarray:
        """Legendre's coefficients of q̈, shape (STAGES, n)."""
        return INVERSE @ self.stages

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Legendre's, of the states, shape (STAGES + 2, 2n)."""
        (y, known), h, n = self.known, self.h, self.stages.shape[1]
        result = np.empty((STAGES + 2, 2 * n))
        result[:, :n] = h**2 * (known.positions @ self.stages) + (h * known.along)[:, None] * y[n:]
        result[:, n:] = h * (known.velocities @ self.stages)
        result[0] += y
        return result

    def states(self, times: np.ndarray) -> np.ndarray:
        """States at times in the step, shape (k, 2n), as the polynomial gives them."""
        return self.at(values_at((times - self.t) / self.h))

    def at(self, values: np.ndarray) -> np.ndarray:
        """The same at places whose values of Legendre's polynomials are known, see `values_at`."""
        return values @ self.coefficients

    def polynomial(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> np.ndarray:
        """The states of a part of the step as that of a step of its own from (t0, y0) to (t1, y1); see `DenseOutput`."""
        first, last = y0, y1
        a, b = self.states(np.array([t0, t1]))
        inside = self.states(t0 + NODES * (t1 - t0))
        return fitted(inside + (1 - NODES)[:, None] * (first - a) + NODES[:, None] * (last - b))


class Leaps:
    """Leaps of one system, in memory of their own; see `Leaping`."""

    def __init__(self, functions: Functions, order: int) -> None:
        code, lanes, n = functions.code, functions.lanes, order // 2
        padded, in_lanes = -(-n // CHUNK) * CHUNK, -(-STAGES // lanes) * lanes
        self._n, self._shape = n, (in_lanes // lanes, code.pivots, lanes)
        self._work = Workspace(code, 0.0, np.zeros(order), functions.parameters, Tolerances(1.0, 1.0), 0.0)
        self._work.use(code, project=True)
        sizes = {
            "told": len(Told),
            "scales": 2 * padded,
            "first": 2 * padded,
            "accelerations": STAGES * padded,
            "stages": (STAGES + len(ENDS)) * 2 * padded,
            "ends": len(ENDS) * order,
            "times": in_lanes,
            "growths": in_lanes,
            "states": in_lanes * order,
            "slopes": in_lanes * (order if lanes == 1 else n),
            "pivots": in_lanes * code.pivots,
            "lanes": lanes * len(functions.parameters),
        }
        memory, begins = np.zeros(sum(sizes.values())), np.cumsum([0, *sizes.values()]).tolist()
        tables = {
            name: memory[begin : begin + size] for begin, (name, size) in zip(begins, sizes.items(), strict=False)
        }
        tables["lanes"][:] = np.repeat(functions.parameters, lanes)
        self._told, self._growths, self._pivots = (tables[name] for name in ("told", "growths", "pivots"))
        self._scales, self._first = (tables[name].reshape(2, padded)[:, :n] for name in ("scales", "first"))
        self._accelerations: np.ndarray = tables["accelerations"].reshape(STAGES, padded)[:, :n]
        self._ends: np.ndarray = tables["ends"].reshape(len(ENDS), order)
        first = memory.ctypes.data
        places = {name: first + 8 * begin for begin, name in zip(begins, sizes, strict=False)} | self._of_run(lanes)
        self._call = _CALL(routine(Leaping, host().lanes(lanes)).address(Leaping.name))
        self._given = [places.get(name, 0) for name in Leaping.takes]

    def _of_run(self, lanes: int) -> dict[str, int]:
        """Addresses of the memory that every routine works in, and of the functions of the system."""
        work = self._work
        code, corrections = work.code, work.code.corrections
        arrays = {"reals": work.reals, "ints": work.ints, "y": work.state, "new": work.new, "scratch": work.scratch}
        places = {name: array.ctypes.data for name, array in arrays.items()}
        if corrections is not None:
            places |= {part: corrections.address(part) for part in ("positions", "velocities")}
        return {**places, "parameters": work.values.ctypes.data, "rhs": code.rhs(lanes).address("rhs")}

    def __call__(
        self, t: float, y: np.ndarray, h: float, scale: np.ndarray, *, centred: bool = False, like: Leap | None = None
    ) -> Leap | None:
        """The motion over a step of length h from (t, y), with a singular position in its middle; None where there is none.

        scale    1 over the error allowed in each component of the state
        centred  whether y is the state in the middle, at t, and not that at the beginning
        like     a leap over about the same time, to begin the iteration with
        """
        n, work = self._n, self._work
        if centred:
            t -= h / 2
        self._scales[:], self._first[:] = scale.reshape(2, n), y.reshape(2, n)
        if like is not None:
            self._accelerations[:] = values_at((t - like.t + h * PLACES) / like.h)[:, :STAGES] @ like.accelerations
        elif centred:
            self._accelerations[:] = 0.0
        work.reals[Real64.t], work.reals[Real64.h], work.state[: 2 * n] = t, h, y
        work.ints[Int64.started] = centred or like is not None
        self._given[_INTEGRALS] = _TABLES[centred]
        if self._call(*self._given) != Status.FINISHED:
            return None
        left, off, growth, correction = self._told.tolist()
        a = self._accelerations.copy()
        last = ((INVERSE[-2:] @ a) * scale[n:]).ravel()
        tail = abs(h) * sqrt(float(last @ last) / len(last))
        if not isfinite(tail + correction + growth):
            return None
        ends, growths = self._ends.copy(), self._growths[_BESIDE_ENDS]
        known = y, FROM_MIDDLE if centred else FROM_BEGINNING
        return Leap(t, h, known, a, self._sizes(), ends, growths, correction, tail, left, off)

    def _sizes(self) -> np.ndarray:
        """Of the pivots at the stages."""
        blocks, count, lanes = self._shape
        return np.abs(self._pivots.reshape(self._shape).swapaxes(0, 1).reshape(count, blocks * lanes)[:, :STAGES])
