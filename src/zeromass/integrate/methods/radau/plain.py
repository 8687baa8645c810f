"""One step of Radau's methods in NumPy: what the machine code of this folder does, to read and to compare it with.

The machine code solves for positions alone, keeps Jacobians from step to step and uses one for all stages where it can;
the increments it ends with are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.integrate.methods.radau.coefficients import coefficients

Slope = Callable[[float, np.ndarray], np.ndarray]
"""f(t, y) = dy/dt, shape (m,)."""

Jacobian = Callable[[float, np.ndarray], np.ndarray]
"""∂f/∂y at t and y, shape (m, m)."""

ITERATIONS = 50
"""More than Newton's iterations ever need before they stand still."""


class Step(NamedTuple):
    """A step from y.

    Z      increments at the stages, shape (s, m); the last one leads to the end of the step
    error  of the polynomial, as an error of the state, shape (m,)
    """

    Z: np.ndarray
    error: np.ndarray


def step(f: Slope, jacobian: Jacobian, t: float, y: np.ndarray, h: float, order: int) -> Step:
    """The polynomial u of degree s with u(0) = y and u′ = f(u) at the places c of the stages, by Newton's iterations.

        (B ⊗ I − diag ∂f/∂y(u(c_i))) ΔZ = f(u(c)) − B Z,   u(c) = y + Z,   u′(c) = B Z,   B = A⁻¹/h

    They end when the corrections cease to shrink: what is left is rounding.
    """
    method = coefficients(order)
    s, m, B = method.stages, len(y), method.slope[1:] / h
    times, Z, size = t + method.c * h, np.zeros((s, m)), np.inf
    for _ in range(ITERATIONS):
        states = y + Z
        matrix = np.kron(B, np.eye(m))
        for i in range(s):
            own = slice(m * i, m * (i + 1))
            matrix[own, own] -= jacobian(times[i], states[i])
        slopes = np.array([f(*stage) for stage in zip(times, states, strict=True)])
        change = np.linalg.solve(matrix, (slopes - B @ Z).ravel()).reshape(s, m)
        before, size = size, float(np.abs(change).max())
        if size >= before:
            break
        Z = Z + change
    return Step(Z, _error(f, jacobian, t, y, h, order, Z))


def _error(f: Slope, jacobian: Jacobian, t: float, y: np.ndarray, h: float, order: int, Z: np.ndarray) -> np.ndarray:
    """The defect of the polynomial at the start of the step, as an error of the state.

    e = (γ/h − ∂f/∂y)⁻¹ (f(y) − u′(0)),   γ the real eigenvalue of A⁻¹                 [HW1996, eq. IV.8.19]
    """
    method = coefficients(order)
    γ = method.eigenvalues[0].real
    return np.linalg.solve(γ / h * np.eye(len(y)) - jacobian(t, y), f(t, y) - method.slope[0] @ Z / h)
