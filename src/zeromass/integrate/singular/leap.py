"""A step across a singular position: collocation whose stages keep away from the middle of the step.

The motion is analytic there, but its formula is not: a state that is off the constraints by δ at a time τ from the singular
one has an acceleration that is wrong by a multiple of δ/τ². So the stages are brought onto the constraints before they are
evaluated, which takes away a power of τ, and none of them lies near the middle, where the singular position is (`places`).
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from zeromass.compile.target import host
from zeromass.integrate.legendre import legendre
from zeromass.integrate.singular.kernel import Leaping, Told
from zeromass.integrate.singular.places import (
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


@dataclass(frozen=True, eq=False)
class Leap:
    """The motion over a step of length h from t: a polynomial.

    known         the state that it was found from, (2n,), and what integrates from there
    stages        q̈ at the stages, shape (STAGES, n)
    accelerations Legendre's coefficients of them
    pivots        of the multipliers at the stages, their sizes, shape (pivots, STAGES)
    end           its last state, on the constraints
    correction    what brought it there, in units of the tolerance (root mean square)
    tail          of the accelerations, the last two of Legendre's coefficients times h, in the same units
    left          last change of the iteration, in the same units
    off           largest distance of a stage from the constraints, in a position
    growth        largest, of the pivots
    """

    t: float
    h: float
    known: tuple[np.ndarray, Integrals]
    stages: np.ndarray
    accelerations: np.ndarray
    pivots: np.ndarray
    end: np.ndarray
    correction: float
    tail: float
    left: float
    off: float
    growth: float

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
        self._n, self._lanes, self._count = n, lanes, code.pivots
        self._padded: int = -(-n // CHUNK) * CHUNK
        in_lanes = -(-STAGES // lanes) * lanes
        self._work = Workspace(code, 0.0, np.zeros(order), functions.parameters, Tolerances(1.0, 1.0), 0.0)
        self._work.use(code, project=True)
        self._told: np.ndarray = np.zeros(len(Told))
        self._scales: np.ndarray = np.zeros((2, self._padded))
        self._first: np.ndarray = np.zeros((2, self._padded))
        self._accelerations: np.ndarray = np.zeros((STAGES, self._padded))
        self._pivots: np.ndarray = np.zeros((in_lanes // lanes, code.pivots + 1, lanes))
        tables = {
            "told": self._told,
            "scales": self._scales,
            "first": self._first,
            "accelerations": self._accelerations,
            "stages": np.zeros((STAGES + 1, 2, self._padded)),
            "times": np.zeros(in_lanes),
            "growths": np.zeros(in_lanes),
            "states": np.zeros(order * in_lanes),
            "slopes": np.zeros((order if lanes == 1 else n) * in_lanes),
            "lanes": np.repeat(functions.parameters, lanes),
        }
        self._calls = {
            known is FROM_MIDDLE: self._call({**tables, "integrals": known.table})
            for known in (FROM_BEGINNING, FROM_MIDDLE)
        }

    def _call(self, tables: dict[str, np.ndarray]):
        work = self._work
        code, corrections = work.code, work.code.corrections
        arrays = {
            "reals": work.reals,
            "ints": work.ints,
            "y": work.state,
            "new": work.new,
            "scratch": work.scratch,
            "parameters": work.values,
            "pivots": self._pivots,
            **tables,
        }
        addresses = {name: array.ctypes.data for name, array in arrays.items()}
        addresses["rhs"] = code.rhs(self._lanes).address("rhs")
        for part in ("positions", "velocities"):
            addresses[part] = corrections.address(part) if corrections is not None else 0
        call = _CALL(routine(Leaping, host().lanes(self._lanes)).address(Leaping.name))
        given = [addresses.get(name, 0) for name in Leaping.takes]
        return lambda: (arrays, Status(call(*given)))[1]  # which keeps the arrays

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
        self._scales[:, :n], self._first[:, :n] = scale.reshape(2, n), y.reshape(2, n)
        if like is not None:
            times = t + h * PLACES
            self._accelerations[:, :n] = np.array(legendre((times - like.t) / like.h, STAGES)).T @ like.accelerations
        elif centred:
            self._accelerations[:] = 0.0
        work.reals[Real64.t], work.reals[Real64.h], work.state[: 2 * n] = t, h, y
        work.ints[Int64.started] = centred or like is not None
        if self._calls[centred]() is not Status.FINISHED:
            return None
        left, off, growth, correction = self._told.tolist()
        a = self._accelerations[:, :n].copy()
        c = INVERSE @ a
        tail = abs(h) * float(np.sqrt(np.mean((c[-2:] * scale[n:]) ** 2)))
        if not isfinite(tail + correction + growth):
            return None
        known = y, FROM_MIDDLE if centred else FROM_BEGINNING
        return Leap(t, h, known, a, c, self._sizes(), work.new[: 2 * n].copy(), correction, tail, left, off, growth)

    def _sizes(self) -> np.ndarray:
        """Of the pivots at the stages."""
        groups, _, lanes = self._pivots.shape
        in_groups = self._pivots.reshape(-1)[: groups * self._count * lanes].reshape(groups, self._count, lanes)
        return np.abs(in_groups.swapaxes(0, 1).reshape(self._count, groups * lanes)[:, :STAGES])
