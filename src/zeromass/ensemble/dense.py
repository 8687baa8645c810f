"""States inside steps of many members, from the dense output of the method, side by side in lanes."""

from __future__ import annotations

import ctypes

import numpy as np

from zeromass.codegen.target import BEST
from zeromass.ensemble.lanes import Lanes, aligned, in_lanes
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dop853Dense
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, routine
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64, Real64

_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(ARGUMENTS))


class DenseLanes(Dop853Dense):
    """The dense output of a step of each member."""

    name = "dop853_dense_lanes"
    side_by_side = True


class Inside:
    """The inside of k steps from (t0, y0) to (t1, y1), shapes (k,) and (k, 2n), of members with their parameters, (k, p)."""

    lanes: Lanes
    t0: np.ndarray
    h: np.ndarray
    y0: np.ndarray
    parameters: np.ndarray

    def __init__(
        self, lanes: Lanes, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray, parameters: np.ndarray
    ) -> None:
        self.lanes, self.t0, self.h, self.y0, self.parameters = lanes, t0, t1 - t0, y0, parameters
        self._vectors = _vectors(lanes, t0, y0, self.h, y1, parameters)

    def inputs(self, steps: np.ndarray, θ: np.ndarray) -> np.ndarray:
        """Numbers in the order of `system.inputs` at places θ in some of the steps, shape (k, inputs)."""
        t = self.t0[steps] + θ * self.h[steps]
        total = np.zeros((len(steps), self.y0.shape[1]))
        for k in reversed(range(DENSE_VECTORS)):
            total = (total + self._vectors[k][steps]) * (θ if k % 2 == 0 else 1.0 - θ)[:, None]
        y, parameters = self.y0[steps] + total, self.parameters[steps]
        if self.lanes.settings.project and self.lanes.program.corrections:
            y = projected(self.lanes, t, y, parameters)
        return np.concatenate([t[:, None], y, parameters], axis=1)

    def at_nodes(self, nodes: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The same at places from 0 to 1 of every step, one step after the other; y1 are states at the ends of steps."""
        count, m, order = len(self.h), len(nodes), self.y0.shape[1]
        inputs = np.empty((count, m, 1 + order + self.parameters.shape[1]))
        inputs[:, :, 0] = self.t0[:, None] + self.h[:, None] * nodes
        inputs[:, :, 1 + order :] = self.parameters[:, None]
        inputs[:, 0, 1 : 1 + order], inputs[:, -1, 1 : 1 + order] = self.y0, y1
        y = np.empty((m - 2, count, order))
        for part, θ in zip(y, nodes[1:-1].tolist(), strict=True):
            part[:] = self._vectors[-1] * (θ if DENSE_VECTORS % 2 else 1.0 - θ)
            for k in reversed(range(DENSE_VECTORS - 1)):
                part += self._vectors[k]
                part *= 1.0 - θ if k % 2 else θ
            part += self.y0
        if self.lanes.settings.project and self.lanes.program.corrections:
            times, values = inputs[:, 1:-1, 0].T.ravel(), np.tile(self.parameters, (m - 2, 1))
            y = projected(self.lanes, times, y.reshape(-1, order), values).reshape(y.shape)
        inputs[:, 1:-1, 1 : 1 + order] = y.swapaxes(0, 1)
        return inputs.reshape(count * m, -1)


def projected(lanes: Lanes, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The states on the constraints nearest to y, shape (k, 2n), positions first, then velocities."""
    n, y = y.shape[1] // 2, y.copy()
    for name, part in (("positions", slice(0, n)), ("velocities", slice(n, None))):
        if name not in lanes.program.corrections:
            continue
        left: slice | np.ndarray = slice(None)  # no copy of all
        for _ in range(PROJECTIONS):
            (change,) = lanes.called(name, t[left], y[left], parameters[left], (n,))
            large = np.abs(change) > REPEAT * np.maximum(np.abs(y[left, part]), 1.0)
            y[left, part] += change
            left = np.arange(len(y))[left][large.any(axis=1)]
            if not len(left):
                break
    return y


def _vectors(
    lanes: Lanes, t: np.ndarray, y: np.ndarray, h: np.ndarray, new: np.ndarray, parameters: np.ndarray
) -> np.ndarray:
    """The seven vectors of the dense output of each step, shape (7, k, 2n); see `Dop853Dense`."""
    width, p = lanes.target.width, lanes.places
    size, m, count = p.size, p.order, len(t)
    padding = np.ones((count, size - m))
    states, ends = (in_lanes(np.concatenate([x, padding], axis=1), width) for x in (y, new))
    values, times, lengths = (in_lanes(x, width) for x in (parameters, t[:, None], h[:, None]))
    groups = len(states)
    reals, stages, scratch = aligned(len(Real64), width), aligned(EXTENDED * size, width), aligned(size, width)
    scratch[:] = 1.0
    pivots = aligned(max(p.pivots, 1), width)
    ints = np.zeros(len(Int64), dtype=np.int64)
    ints[Int64.coordinates], ints[Int64.size] = p.coordinates, size
    found = np.empty((groups, DENSE_VECTORS * size, width))
    call = _CALL(routine(DenseLanes, lanes.target, BEST).address(DenseLanes.name))
    fixed = {"reals": reals, "ints": ints, "stages": stages, "scratch": scratch, "signs": reals, "pivots": pivots}
    moving = {"y": states, "new": ends, "parameters": values, "record": found}
    first = {name: x.ctypes.data for name, x in {**fixed, **moving}.items()} | {"rhs": lanes.code.address("rhs")}
    begins = [first.get(name, 0) for name in ARGUMENTS]
    strides = [moving[name].strides[0] if name in moving else 0 for name in ARGUMENTS]
    for g in range(groups):
        reals[Real64.t], reals[Real64.h] = times[g, 0], lengths[g, 0]
        call(*[begin + g * stride for begin, stride in zip(begins, strides, strict=True)])
    vectors = found.reshape(groups, DENSE_VECTORS, size, width).transpose(1, 0, 3, 2)
    return np.ascontiguousarray(vectors.reshape(DENSE_VECTORS, groups * width, size)[:, :count, :m])
