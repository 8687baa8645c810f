"""The functions of a system on plain arrays: slopes, and states returned to the constraints."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.codegen.target import host
from zeromass.integrate.stepping.kernel import Project, routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import MachineCode, Workspace

BLOCK = 256
"""States that are brought onto the constraints by one call."""

FIRST = 1e-14
"""Part of the time itself below which no first step is guessed."""

_RHS = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)


class Functions:
    """The compiled functions of a system with values of its parameters, called on states.

    lanes  whose machine code is used for slopes: a method's own, so that no other is made
    """

    def __init__(self, code: MachineCode, parameters: np.ndarray, lanes: int = 1) -> None:
        self.code = code
        self.parameters: np.ndarray = np.ascontiguousarray(parameters, dtype=float)
        self.lanes: int = lanes
        self._stages: dict[tuple[int, int], Stages] = {}
        self._alone: Callable[[float, np.ndarray], np.ndarray] | None = None
        self._spare: list[Onto] = []
        self._slope: Slope | None = None

    def slope(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """dy/dt at a state, and the growth of the pivots."""
        if self._slope is None:
            self._slope = Slope(self.code, len(y), len(self.parameters), self.lanes)
            self._slope.parameters[:] = self.parameters[:, None]
        return self._slope(t, y)

    def pivots(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Sizes of the pivots of multipliers at states (k, 2n) and times (k,), shape (k, pivots)."""
        n, lanes, found = y.shape[1] // 2, self.lanes, np.zeros((len(t), self.code.pivots))
        slopes, growth = np.empty((2 * n if lanes == 1 else n, lanes)), np.empty(lanes)
        pivots, values = np.empty((self.code.pivots + 1, lanes)), np.repeat(self.parameters, lanes)
        call = _RHS(self.code.rhs(lanes).address("rhs"))
        for k in range(len(t)):
            inputs = np.repeat(t[k], lanes), np.repeat(y[k], lanes), values
            call(*[x.ctypes.data for x in (*inputs, slopes, growth, pivots)])
            found[k] = np.abs(pivots[:-1, 0])
        return found

    def stages(self, count: int, order: int) -> Stages:
        """What brings some states of a length onto the constraints and evaluates them, again and again."""
        if (count, order) not in self._stages:
            self._stages[count, order] = Stages(self, count, order)
        return self._stages[count, order]

    def projected(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The states on the constraints nearest to y, shape (k, 2n), at times t, positions first, then velocities."""
        if len(t) == 1:
            return self.one(y.shape[1])(float(t[0]), y[0])[None]
        try:
            many = self._spare.pop()  # no other thread has it now
        except IndexError:
            many = Onto(self, np.zeros((BLOCK, 1 + y.shape[1])))
        found = many(t, y)
        self._spare.append(many)
        return found

    def projection(self, order: int) -> Callable[[float, np.ndarray], np.ndarray]:
        """What `projected` does, for one state of some length after another."""
        rows = np.zeros((1, order + 1))
        onto = Onto(self, rows).call

        def projected(t: float, y: np.ndarray) -> np.ndarray:
            rows[0, 0], rows[0, 1:] = t, y
            onto()
            return rows[0, 1:].copy()

        return projected

    def one(self, order: int) -> Callable[[float, np.ndarray], np.ndarray]:
        """A `projection` of its own, made once."""
        if self._alone is None:
            self._alone = self.projection(order)
        return self._alone

    def onto(self, rows: np.ndarray) -> Callable[[], Status]:
        """What brings states in rows (t, y) onto the constraints, where they are."""
        return Onto(self, rows).call


class Onto:
    """What brings states in rows (t, y) onto the constraints, where they are, again and again."""

    def __init__(self, functions: Functions, rows: np.ndarray) -> None:
        work = Workspace(functions.code, 0.0, rows[0, 1:], functions.parameters, Tolerances(1.0, 1.0), 0.0)
        work.use(functions.code, project=True)
        work.ints[Int64.width], work.ints[Int64.capacity] = rows.shape[1], len(rows)
        self._rows, self._ints = rows, work.ints
        project = routine(Project, host().scalar), Project.name, work.new, 1, rows
        self.call: Callable[[], Status] = work.prepared(*project)
        self.arguments: tuple[int, list[int], Any] = work.arguments(*project)

    def __call__(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of states y, shape (k, 2n), at times t, those on the constraints: in its rows, as many at a time as these are."""
        found = np.empty(y.shape)
        for k in range(0, len(t), len(self._rows)):
            some = slice(k, k + len(self._rows))
            count = self._ints[Int64.capacity] = len(t[some])
            self._rows[:count, 0], self._rows[:count, 1:] = t[some], y[some]
            self.call()
            found[some] = self._rows[:count, 1:]
        return found


class Slope:
    """Slopes at one state after another, in memory of their own: `parameters`, shape (p, lanes), may change in between."""

    def __init__(self, code: MachineCode, order: int, parameters: int, lanes: int) -> None:
        n = order // 2
        self._inputs: np.ndarray = np.empty((1 + order + parameters, lanes))
        self._state = self._inputs[1 : 1 + order]
        self.parameters: np.ndarray = self._inputs[1 + order :]
        self._slopes: np.ndarray = np.empty((order if lanes == 1 else n, lanes))
        self._growth: np.ndarray = np.empty(lanes)
        self._n, self._code, self._lanes = n, code, lanes
        self._pivots = np.empty((code.pivots + 1, lanes))
        arrays = (self._inputs, self._state, self.parameters, self._slopes, self._growth, self._pivots)
        self._addresses = [x.ctypes.data for x in arrays]

    def __call__(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """dy/dt at a state, and the growth of the pivots."""
        self._inputs[0], self._state[:] = t, y[:, None]
        _RHS(self._code.rhs(self._lanes).address("rhs"))(*self._addresses)
        return np.concatenate([y[self._n :], self._slopes[-self._n :, 0]]), float(self._growth[0])


class Stages:
    """States at some times, in memory of their own: where a call finds and leaves them."""

    def __init__(self, functions: Functions, count: int, order: int) -> None:
        code, lanes, n = functions.code, functions.lanes, order // 2
        groups = -(-count // lanes)
        self._rows: np.ndarray = np.zeros((count, order + 1))
        self._onto = functions.onto(self._rows)
        self._places: np.ndarray = np.minimum(np.arange(groups * lanes), count - 1).reshape(groups, lanes)
        self._states: np.ndarray = np.empty((groups, order + 1, lanes))
        self._slopes: np.ndarray = np.empty((groups, order if lanes == 1 else n, lanes))
        self._growth: np.ndarray = np.empty((groups, lanes))
        self._fixed = np.repeat(functions.parameters, lanes), np.empty((code.pivots + 1, lanes))
        self._rhs = _RHS(code.rhs(lanes).address("rhs"))
        parameters, pivots = (x.ctypes.data for x in self._fixed)
        first = [(x.ctypes.data, x.strides[0]) for x in (self._states, self._slopes, self._growth)]
        self._calls: list[tuple[int, ...]] = []
        for g in range(groups):
            t, slopes, growth = (address + g * stride for address, stride in first)
            self._calls.append((t, t + self._states.strides[1], parameters, slopes, growth, pivots))

    def __call__(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The states on the constraints nearest to y, (k, 2n), at times t, (k,); q̈ there, (k, n); and the growth of the
        pivots, (k,)."""
        self._rows[:, 0], self._rows[:, 1:] = t, y
        self._onto()
        count, order = y.shape
        n = order // 2
        self._states[:] = self._rows[self._places].swapaxes(1, 2)
        for addresses in self._calls:
            self._rhs(*addresses)
        a = self._slopes[:, -n:].swapaxes(1, 2).reshape(-1, n)[:count]
        return self._rows[:, 1:], a, self._growth.ravel()[:count]


def first_step(functions: Functions, t: float, y: np.ndarray, until: float, tolerances: Tolerances) -> float:
    """A first step from the size of the state, its slope and the slope's change [HNW1993, §II.4]."""

    def slopes(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        return functions.slope(float(t[0]), y[0])[0][None]

    times, states = np.array([t]), y[None]
    return float(first_steps(slopes, times, states, slopes(times, states), until, tolerances)[0])


def first_steps(
    slopes: Callable[[np.ndarray, np.ndarray], np.ndarray],
    t: np.ndarray,
    y: np.ndarray,
    f: np.ndarray,
    until: float,
    tolerances: Tolerances,
) -> np.ndarray:
    """First steps of many states at times t, shape (k,), from y and their slopes f, shape (k, 2n); see `first_step`.

    Each is what it would be alone, to the bit: sums over a state are those of one state.
    """

    def size(x: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(x / scale)
        return np.sqrt(np.matmul(x[:, None, :], x[:, :, None])[:, 0, 0])

    scale = (tolerances.atol + tolerances.rtol * np.abs(y)) * np.sqrt(y.shape[1])
    with np.errstate(all="ignore"):
        d0, d1 = size(y), size(f)
        guess = np.where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1)
        guess = np.where(np.abs(until - t) < guess, np.abs(until - t), guess)
        guess = np.where(guess == 0.0, 1e-6, guess)
        least = FIRST * np.abs(t)
        guess = np.where(guess < least, least, guess)  # a state of next to nothing tells of no time at all
        ahead = np.copysign(guess, until - t)
        d2 = size(slopes(t + ahead, y + ahead[:, None] * f) - f) / guess
        largest = np.where(d2 > d1, d2, d1)
        eighth_root = np.array([x**0.125 for x in (0.01 / largest).tolist()])
        second = np.where(largest > 1e-15, eighth_root, np.where(guess * 1e-3 > 1e-6, guess * 1e-3, 1e-6))
        step = 100 * guess
        for other in (second, tolerances.longest):
            step = np.where(other < step, other, step)
    return np.copysign(step, until - t)
