"""Slopes and Jacobians of several states, and the linear systems of Radau's methods.

y = (q, q̇) and f = (q̇, q̈), so ∂f/∂y = [[0, I], [P, D]] with P = ∂q̈/∂q and D = ∂q̈/∂q̇: positions are solved for alone,
and velocities follow.
"""

from __future__ import annotations

import ctypes

import numpy as np

from zeromass.compile.compiled import Compiled

UNITS = 10 * 2.0**-52
"""Relative rounding error of a state: that of its increments, and of what they add up to."""


class Slopes:
    """f and its derivatives, by the machine code of a system.

    evaluations, jacobians  how many there were
    """

    def __init__(self, compiled: Compiled, parameters: np.ndarray) -> None:
        self._compiled = compiled
        self._parameters = np.ascontiguousarray(parameters, dtype=float)
        self._rhs = compiled.rhs().function("rhs", None, *[ctypes.c_void_p] * 5)
        self.evaluations = self.jacobians = 0

    def use(self, compiled: Compiled) -> None:
        """Goes on with this machine code, and counts on."""
        self._compiled = compiled
        self._rhs = compiled.rhs().function("rhs", None, *[ctypes.c_void_p] * 5)

    def __call__(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dy/dt, shape (k, 2n), and growth of the pivots, shape (k,), at times (k,) and states (k, 2n)."""
        t, y = np.ascontiguousarray(t, dtype=float), np.ascontiguousarray(y, dtype=float)
        f, growth = np.empty_like(y), np.empty(len(t))
        times, states, slopes, worst, p = (a.ctypes.data for a in (t, y, f, growth, self._parameters))
        value, row = t.itemsize, y.itemsize * y.shape[1]
        for k in range(len(t)):
            self._rhs(times + value * k, states + row * k, p, slopes + row * k, worst + value * k)
        self.evaluations += len(t)
        return f, growth

    def jacobian(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """[P, D], shape (k, n, 2n), at times (k,) and states (k, 2n)."""
        self.jacobians += len(t)
        inputs = zip(t, y, strict=True)
        return np.array([self._compiled.jacobian(np.concatenate([[τ], x, self._parameters])) for τ, x in inputs])


class Shifted:
    """x of (μ I − ∂f/∂y) x = r for several μ, with one Jacobian.

    (μ² I − μ D − P) x_q = r_v + (μ I − D) r_q,   x_v = μ x_q − r_q
    """

    def __init__(self, μ: np.ndarray, jacobian: np.ndarray) -> None:
        n = len(jacobian)
        P, D = jacobian[:, :n], jacobian[:, n:]
        self._n, self._μ, self._magnitude = n, μ[:, None, None], np.abs(jacobian)
        self._damping = self._μ * np.eye(n) - D
        self._inverse = np.linalg.inv(self._μ * self._damping - P)

    def __call__(self, r: np.ndarray) -> np.ndarray:
        """Solutions for right-hand sides of the first k shifts, both of shape (k, 2n)."""
        k = len(r)
        r_q, r_v = r[:, : self._n, None], r[:, self._n :, None]
        x_q = self._inverse[:k] @ (r_v + self._damping[:k] @ r_q)
        return np.concatenate([x_q, self._μ[:k] * x_q - r_q], axis=1)[:, :, 0]

    def rounding(self, y: np.ndarray) -> np.ndarray:
        """What a rounding of the state y makes of a solution x for the first shift, by the forces that follow from it."""
        forces = self._magnitude @ (UNITS * np.abs(y))
        return np.abs(self(np.concatenate([np.zeros(self._n), forces])[None])[0])


class Coupled:
    """x of Σ_j B_ij x_j − (∂f/∂y)_i x_i = r_i for all stages i at once, each with its own Jacobian.

    Σ_j ((B²)_ij I − B_ij D_i) x_qj − P_i x_qi = r_vi + Σ_j B_ij r_qj − D_i r_qi,   x_v = B x_q − r_q
    """

    def __init__(self, B: np.ndarray, jacobians: np.ndarray) -> None:
        s, n = jacobians.shape[:2]
        P, D = jacobians[:, :, :n], jacobians[:, :, n:]
        matrix = np.einsum("ij,kl->ikjl", B @ B, np.eye(n)) - np.einsum("ij,ikl->ikjl", B, D)
        matrix[np.arange(s), :, np.arange(s)] -= P
        self._n, self._B, self._D, self._matrix = n, B, D, matrix.reshape(s * n, s * n)

    def __call__(self, r: np.ndarray) -> np.ndarray:
        """Solutions for right-hand sides, both of shape (s, 2n)."""
        r_q, r_v = r[:, : self._n], r[:, self._n :]
        right = r_v + self._B @ r_q - np.einsum("ikl,il->ik", self._D, r_q)
        x_q = np.linalg.solve(self._matrix, right.ravel()).reshape(r_q.shape)
        return np.concatenate([x_q, self._B @ x_q - r_q], axis=1)
