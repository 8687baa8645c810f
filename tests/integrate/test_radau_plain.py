"""Radau's methods in machine code against one step in NumPy, and their linear systems against whole matrices."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cases import few
from integrate.problems import kepler, sleigh, top, wire
from integrate.test_radau import ORDERS, rod_with_friction
from integrate.test_radau_stiff import stiff_pendulum
from model.mechanisms import relative
from zeromass.codegen.target import host
from zeromass.compile.program import program_at
from zeromass.integrate.methods.radau import kernel, plain
from zeromass.integrate.methods.radau.coefficients import coefficients
from zeromass.integrate.methods.radau.memory import Slot, padded
from zeromass.integrate.methods.radau.stepper import Radau
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.workspace import Workspace


def system_and_start(name: str):
    if name == "rod":
        return rod_with_friction()
    if name == "spring":
        return stiff_pendulum(1e6, 20.0)
    p = {"kepler": kepler, "wire": wire, "top": top, "sleigh": sleigh}[name]()
    return p.system, p.start


CODE = routine(kernel.RadauAdvance, host().scalar)
NAMES = pytest.mark.parametrize("name", ["kepler", "wire", "top", "sleigh", "rod", "spring"])


class Whole:
    """A system as f and ∂f/∂y of y = (q, q̇), and its stepping method."""

    def __init__(self, name: str, order: int, first: float = 1e-3, **tolerances: float) -> None:
        self.system, start = system_and_start(name)
        self.t, self.y, self.n = start.t, np.concatenate([start.q, start.v]), len(start.q)
        self.native = program_at(self.system, start).native
        self.values = np.array([start.parameters[p] for p in self.system.parameters])
        self._functions = Functions(self.native, self.values)
        allowed = Tolerances(**{"rtol": 1e-13, "atol": 1e-15, **tolerances})
        self.radau = Radau(Workspace(self.native, self.t, self.y, self.values, allowed, first), (order,))

    def f(self, t: float, y: np.ndarray) -> np.ndarray:
        return self._functions.slope(t, y)[0]

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        lower = self.native.jacobian(np.concatenate([[t], y, self.values]))
        return np.block([[np.zeros((self.n, self.n)), np.eye(self.n)], [lower]])


@NAMES
@pytest.mark.parametrize("order", ORDERS)
def test_the_same_step_as_in_numpy(name, order):
    """A fixed step; both end where corrections are rounding, that of sums of increments times entries of A⁻¹.

    These are up to 60, of both signs, and a correction is divided by the smallest eigenvalue of A⁻¹, 3 or more: 20 units
    of the state, and for the velocities of the spring those that its force makes of the positions, h k/m = 3e3 times more.
    The kernel's own bound is 1e-3 of rtol = 1e-13 on top of it, which is less than one unit.
    """
    h = 3e-3 if name == "spring" else 0.02
    whole = Whole(name, order, step=h)
    expected = plain.step(whole.f, whole.jacobian, whole.t, whole.y, h, order)
    assert whole.radau.advance(h, 1) in (Status.FINISHED, Status.PAUSED)
    assert whole.radau.orders.tolist() == [order]
    Z = whole.radau.steps._increments(np.array([0]), 0)[0]
    n, unit = whole.n, 2.0**-52 * np.abs(whole.y).max()
    assert np.max(np.abs(Z - expected.Z)[:, :n]) <= 20 * unit
    assert np.max(np.abs(Z - expected.Z)[:, n:]) <= 20 * unit * (3e3 if name == "spring" else 1 / h)


@NAMES
@pytest.mark.parametrize("order", few(ORDERS))
def test_the_same_error_as_in_numpy(name, order):
    """In units of the tolerance; the iterations leave 1e-3 of it, which the estimate multiplies by up to 10."""
    h, rtol, size = 0.5, 1e-9, 1.0
    while size > 0.9:  # the longest of these steps that is good enough
        h *= 0.8
        whole = Whole(name, order, h, rtol=rtol, atol=rtol)
        expected = plain.step(whole.f, whole.jacobian, whole.t, whole.y, h, order)
        scale = rtol * (1 + np.maximum(np.abs(whole.y), np.abs(whole.y + expected.Z[-1])))
        size = np.sqrt(np.mean((expected.error / scale) ** 2))
    assert size > 0.9 * 0.8 ** (order // 2 + 3)
    assert whole.radau.advance(1.0, 1) is Status.PAUSED
    assert whole.radau.work.t == whole.t + h
    assert abs(whole.radau.memory.values[Slot.error] - size) <= 1e-2


# linear systems --------------------------------------------------------------------------------------------------


def in_columns(A: np.ndarray) -> tuple[np.ndarray, int]:
    """A matrix or a vector as machine code has it, and its stride."""
    A = A.reshape(len(A), -1)
    parts, stride = (2 if np.iscomplexobj(A) else 1), padded(len(A))
    result = np.zeros((A.shape[1], parts, stride))
    for part, values in enumerate((A.real, A.imag)[:parts]):
        result[:, part, : len(A)] = values.T
    return result, stride


def solved(A: np.ndarray, r: np.ndarray) -> np.ndarray | None:
    kind = "complex" if np.iscomplexobj(A) else "real"
    code, size = CODE, len(A)
    matrix, stride = in_columns(A)
    x, _ = in_columns(r)
    pivots, room = np.zeros(size, dtype=np.int64), np.zeros(2 * stride)
    address, count = ctypes.c_void_p, ctypes.c_int64
    factor = code.function(f"factor_{kind}", count, address, address, address, count, count)
    if factor(matrix.ctypes.data, pivots.ctypes.data, room.ctypes.data, size, stride):
        return None
    solve = code.function(f"solve_{kind}", None, address, address, address, count, count)
    solve(matrix.ctypes.data, pivots.ctypes.data, x.ctypes.data, size, stride)
    parts = x[0, :, :size]
    return parts[0] if kind == "real" else parts[0] + 1j * parts[1]


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 33])
def test_lu(kind, size):
    """Residuals of a backward stable solution: a few units of rounding times the size of A and x."""
    random = np.random.default_rng(size)
    for sparse in (1.0, 0.4):
        A = random.normal(size=(size, size)) * (random.random((size, size)) <= sparse)
        A = A + random.permutation(np.eye(size))  # a pivot far from the diagonal
        if kind is complex:
            A = A + 1j * random.normal(size=(size, size))
        r = random.normal(size=size).astype(kind)
        x = solved(A, r)
        assert x is not None
        unit = 2.0**-52 * size**2
        assert np.max(np.abs(A @ x - r)) <= 4 * unit * np.abs(A).max() * np.abs(x).max()


@pytest.mark.parametrize("kind", [float, complex])
def test_a_singular_matrix(kind):
    A = np.array([[1, 2, 3], [2, 4, 6], [0, 0, 1]], dtype=kind)
    assert solved(A, np.ones(3, dtype=kind)) is None
    assert solved(np.zeros((9, 9), dtype=kind), np.ones(9, dtype=kind)) is None


@NAMES
@pytest.mark.parametrize("order", ORDERS)
def test_linear_systems(name, order):
    """Positions alone are solved for; the same follows from whole matrices, stage by stage and all at once.

    Rounding times the number of unknowns and the square of a condition, as A⁻² is in the matrices of positions. That of the
    eigenvectors, 60 at most, multiplies it where they are the basis.
    """
    whole, h = Whole(name, order), 0.03
    n, memory = whole.n, whole.radau.memory
    method, random = coefficients(order), np.random.default_rng(order)
    s, m, B = method.stages, 2 * n, method.slope[1:] / h
    whole.radau.advance(1.0, 0)  # no steps: the addresses of the system's functions are set
    times, states = whole.t + method.c * h, whole.y + 1e-3 * random.normal(size=(s, m))
    r = random.normal(size=(s, m))
    memory.values[[Slot.t, Slot.h]] = whole.t, h
    memory.array(Slot.times)[:s] = times
    for slot, rows in ((Slot.states, states), (Slot.defects, r)):
        memory.array(slot)[:, :m] = rows

    def call(name: str) -> np.ndarray:
        CODE.function(name, ctypes.c_int64, ctypes.c_void_p)(memory.values.ctypes.data)
        assert not np.any(memory.array(Slot.change)[:, m:])
        return memory.array(Slot.change)[:, :m].copy()

    def expected(jacobians: list[np.ndarray]) -> tuple[np.ndarray, float]:
        matrix = np.kron(B, np.eye(m))
        for i, J in enumerate(jacobians):
            matrix[m * i : m * (i + 1), m * i : m * (i + 1)] -= J
        return np.linalg.solve(matrix, r.ravel()).reshape(s, m), 2.0**-52 * len(matrix) * float(
            np.linalg.cond(matrix)
        ) ** 2

    own, bound = expected([whole.jacobian(*stage) for stage in zip(times, states, strict=True)])
    assert relative(call("coupled"), own) <= bound
    one, bound = expected([whole.jacobian(whole.t, whole.y)] * s)
    call("prepare")
    assert relative(call("simplified"), one) <= 60 * bound
