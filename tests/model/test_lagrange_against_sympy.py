"""M and Q of random Lagrangians against SymPy's Euler–Lagrange equations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import zeromass as zm
from model.mechanisms import relative

N = 3


def lagrangian(numbers: dict[str, np.ndarray], q, v, t, sin, exp):
    """Inertia that depends on place, gyroscopic and rheonomic terms, a velocity-dependent mass, a potential."""
    wave = [sin(numbers["w"][i] @ q + numbers["φ"][i]) for i in range(N)]
    T = sum((1 + wave[i] ** 2) * v[i] ** 2 for i in range(N)) / 2 + wave[0] * v[0] * v[1] / 3
    gyroscopic = sum(numbers["c"][i] * wave[i] * v[i] * sin(2 * t + i) for i in range(N))
    relativistic = 0.05 * (v @ v) ** 2
    V = exp(-(q @ q) / 4) * sin(t) + numbers["c"] @ q**3
    return T + gyroscopic + relativistic - V


@cache
def by_sympy():
    """∂²L/∂q̇∂q̇ and ∂L/∂q − (∂p/∂q) q̇ − ∂p/∂t as functions of numbers, with the coefficients as symbols."""
    q, v = sp.Matrix(sp.symbols("q:3")), sp.Matrix(sp.symbols("v:3"))
    t = sp.Symbol("t")
    names = {
        "w": np.array(sp.symbols("w:9")).reshape(3, 3),
        "φ": np.array(sp.symbols("f:3")),
        "c": np.array(sp.symbols("c:3")),
    }
    flat = [s for block in names.values() for s in block.ravel()]
    L = lagrangian(names, np.array(q)[:, 0], np.array(v)[:, 0], t, sp.sin, sp.exp)
    p = sp.Matrix([L]).jacobian(v).T
    M = p.jacobian(v)
    Q = sp.Matrix([L]).jacobian(q).T - p.jacobian(q) * v - p.diff(t)
    return sp.lambdify([*q, *v, t, *flat], [M, Q], "numpy", cse=True)


@pytest.mark.parametrize("seed", range(10))
def test_random_lagrangian(seed):
    random = np.random.default_rng(seed)
    numbers = {
        "w": random.normal(size=(3, 3)),
        "φ": random.normal(size=3),
        "c": random.normal(scale=0.5, size=3),
    }
    q = zm.coordinates("q0 q1 q2")
    system = zm.System(lagrangian=lagrangian(numbers, q, zm.rate(q), zm.t, np.sin, np.exp), coordinates=q)
    values = random.normal(size=2 * N + 1)
    state = zm.State(system, values[-1], values[:N], values[N : 2 * N])
    M, Q = by_sympy()(*values, *[x for block in numbers.values() for x in block.ravel()])
    # two orders of the same few hundred operations
    assert relative(state.matrices.M, M) <= 1e-13
    assert relative(state.matrices.Q, Q[:, 0]) <= 1e-13
    assert np.array_equal(state.matrices.M, state.matrices.M.T)
    # q̇ᵀ∂L/∂q̇ − L changes by −∂L/∂t
    h = 1e-6
    later, before = (
        lagrangian(numbers, values[:N], values[N : 2 * N], values[-1] + s * h, np.sin, np.exp) for s in (1, -1)
    )
    # central difference: h² of the third derivative, and rounding over h
    assert abs(state[zm.rate(system.energy)] + (later - before) / (2 * h)) <= 1e-8 * (1 + np.abs(Q).max())
