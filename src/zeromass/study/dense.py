"""States inside steps of many members, from the dense output of the method, side by side in lanes."""

from __future__ import annotations

import ctypes

import numpy as np

from zeromass.codegen.target import BEST
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dop853Dense
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, routine
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64, Real64
from zeromass.study.lanes import Lanes, aligned, in_lanes

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
    y1: np.ndarray
    parameters: np.ndarray

    def __init__(
        self, lanes: Lanes, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray, parameters: np.ndarray
    ) -> None:
        self.lanes, self.t0, self.h, self.y0, self.y1, self.parameters = lanes, t0, t1 - t0, y0, y1, parameters
        self._vectors = _vectors(lanes, t0, y0, self.h, y1, parameters)

    def inputs(self, steps: np.ndarray, θ: np.ndarray) -> np.ndarray:
        """Numbers in the order of `system.inputs` at places θ, shape (k, m), in some of the steps, (k,): shape
        (m, k, inputs). States at the ends of steps are given as they were recorded."""
        vectors, y0, order = self._vectors[:, steps], self.y0[steps], self.y0.shape[1]
        alike = θ[:1] if not θ.strides[0] else θ
        factors = np.where(np.arange(DENSE_VECTORS) % 2, 1.0 - alike[..., None], alike[..., None])
        weights = np.cumprod(factors, axis=-1)
        count = 1 + order + self.parameters.shape[1]
        inputs = np.empty((*θ.T.shape, count))
        inputs[..., 0] = (self.t0[steps, None] + θ * self.h[steps, None]).T
        inputs[..., 1 + order :] = self.parameters[steps]
        y = inputs[..., 1 : 1 + order]
        if len(alike) < len(θ):
            y[:] = (weights[0] @ vectors.reshape(DENSE_VECTORS, -1)).reshape(y.shape)
        else:
            y[:] = (weights @ vectors.swapaxes(0, 1)).swapaxes(0, 1)
        y += y0
        inner = np.flatnonzero(((θ > 0.0) & (θ < 1.0)).T)
        if self.lanes.settings.project and self.lanes.program.corrections and len(inner):
            rows = inputs.reshape(-1, count)
            if inner[-1] - inner[0] == len(inner) - 1:
                inner = slice(inner[0], inner[-1] + 1)  # no copy
            some = rows[inner]
            t, states, parameters = some[:, 0], some[:, 1 : 1 + order], some[:, 1 + order :]
            rows[inner, 1 : 1 + order] = projected(self.lanes, t, states, parameters)
        for at, ends in ((0.0, y0), (1.0, self.y1[steps])):
            step, place = np.nonzero(np.equal(θ, at))
            y[place, step] = ends[step]
        return inputs


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
    vectors = found.reshape(groups, DENSE_VECTORS, size, width)[:, :, :m].transpose(1, 0, 3, 2)
    return vectors.reshape(DENSE_VECTORS, groups * width, m)[:, :count]
