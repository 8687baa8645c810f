"""Hand-written matrices in NumPy, solved anew at every evaluation, stepped by SciPy: the way of [UM2022].

pinv  q̈ = [(I − A⁺A) M; A]⁺ [Q; b] with the 12 rows of eq. 36, energy row included    [UM2022, eq. 43]
kkt   [M Aᵀ; A 0] [q̈; −λ] = [Q; b] with 10 independent rows, by LU
"""

from __future__ import annotations

import os

import numpy as np
from scipy.integrate import solve_ivp

from peers import shape
from peers.engine import Engine, Result, least_per_call

CUTOFF = 1e-10
"""Singular values below this part of the largest are zero: one of the 12 rows follows from the others."""


class Matrices:
    """M, Q, A, b of [UM2022, eqs. 10, 36], corrected as docs/errata.md says, in arrays used again."""

    def __init__(self) -> None:
        self.mass, rho, self.J = shape.shell()
        self.offset = rho[0]
        I, m = np.eye(3), self.mass
        self.M, self.Q = np.zeros((13, 13)), np.zeros(13)
        self.A, self.b = np.zeros((12, 13)), np.zeros(12)
        self.M[:3, :3] = m * I
        self.Q[2] = -m * shape.GRAVITY
        self.A[2:5, 10:13] = -I
        self.A[5:8, 0:3] = -I
        self.A[5:8, 10:13] = I
        self.A[8:11, 10:13] = I

    def update(self, y: np.ndarray) -> None:
        u = y[3:7]
        dw, du, da = y[13:16], y[16:20], y[20:23]
        M, Q, A, b, r = self.M, self.Q, self.A, self.b, shape.OUTER
        u0, u1, u2, u3 = u.tolist()
        v0, v1, v2, v3 = du.tolist()
        E = np.array(((-u1, u0, u3, -u2), (-u2, -u3, u0, u1), (-u3, u2, -u1, u0)))
        dE = np.array(((-v1, v0, v3, -v2), (-v2, -v3, v0, v1), (-v3, v2, -v1, v0)))
        G = np.array(((-u1, u0, -u3, u2), (-u2, u3, u0, -u1), (-u3, -u2, u1, u0)))
        JE = self.J[:, None] * E
        inertia = 4 * E.T @ JE
        M[3:7, 3:7] = inertia
        Q[3:7] = -8 * (JE @ du) @ dE
        k, K, dK = shape.gradient(*y[7:9].tolist())
        dk = K * da
        kk, kdk = k @ k, k @ dk
        norm = kk**0.5
        n = k / norm
        dn = (dk - n * (n @ dk)) / norm
        n0, n1, n2 = n.tolist()
        d0, d1, d2 = dn.tolist()
        second = dK * da * da  # ∂²k α̇ α̇
        A[0, 3:7] = u
        A[1, 7:10] = k
        A[2:5, 7:10] = np.outer(n, n * (-r / norm) * K)
        A[2:5, 7:10].flat[::4] += 1 + r / norm * K
        p = 2 * self.offset
        A[5:8, 3:7] = (
            (p * u0, p * u1, -p * u2, -p * u3),
            (p * u3, p * u2, p * u1, p * u0),
            (-p * u2, p * u3, -p * u0, p * u1),
        )
        cross = np.array(((0, -n2, n1), (n2, 0, -n0), (-n1, n0, 0)))
        turning = np.array(((0, -d2, d1), (d2, 0, -d0), (-d1, d0, 0)))
        A[8:11, 3:7] = 2 * r * cross @ G
        A[11, 0:3] = self.mass * dw
        A[11, 3:7] = inertia @ du
        b[0] = -(du @ du)
        b[1] = -(da @ dk)
        bend = (3 * kdk * kdk / kk - dk @ dk) / (kk * norm)
        b[2:5] = -r * ((second - n * (n @ second)) / norm + k * bend - 2 * kdk / (kk * norm) * dk)
        b[5:8] = (
            -p * (v0 * v0 + v1 * v1 - v2 * v2 - v3 * v3),
            -2 * p * (v1 * v2 + v0 * v3),
            -2 * p * (v1 * v3 - v0 * v2),
        )
        b[8:11] = -2 * r * turning @ (G @ du)
        b[11] = -self.mass * shape.GRAVITY * dw[2]


class Pinv(Matrices):
    """The paper's formula."""

    def __init__(self) -> None:
        super().__init__()
        self.stacked, self.right = np.empty((25, 13)), np.empty(25)

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        self.update(y)
        A, stacked, right = self.A, self.stacked, self.right
        stacked[:13] = self.M - np.linalg.pinv(A, rcond=CUTOFF) @ (A @ self.M)
        stacked[13:] = A
        right[:13], right[13:] = self.Q, self.b
        slope = np.empty(26)
        slope[:13] = y[13:]
        slope[13:] = np.linalg.pinv(stacked, rcond=CUTOFF) @ right
        return slope


class Kkt(Matrices):
    """The bordered matrix of 10 rows: no energy row, nor the no-slip row nearest to the normal."""

    def __init__(self) -> None:
        super().__init__()
        self.K, self.right = np.zeros((23, 23)), np.empty(23)

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        self.update(y)
        K, right = self.K, self.right
        K[:13, :13] = self.M
        K[13:, :13] = self.A[:10]
        K[:13, 13:] = self.A[:10].T
        right[:13], right[13:] = self.Q, self.b[:10]
        slope = np.empty(26)
        slope[:13] = y[13:]
        slope[13:] = np.linalg.solve(K, right)[:13]
        return slope


def prepare(variant: str, files: os.PathLike) -> Engine:
    solver, method = variant.split()
    slope = {"pinv": Pinv, "kkt": Kkt}[solver]()
    y0 = shape.start()

    def run(until: float, rtol: float, atol: float) -> Result:
        solution = solve_ivp(slope, (0.0, until), y0, method=method, rtol=rtol, atol=atol, t_eval=[until])
        assert solution.success, solution.message
        return Result(solution.y[shape.CONTACT, -1], solution.nfev)

    words = {"pinv": f"np.linalg.pinv twice, cut-off {CUTOFF:g}", "kkt": "np.linalg.solve, 23 × 23"}[solver]
    settings = f"{words}; solve_ivp {method}; 1 BLAS thread"
    return Engine(settings, run, lambda: least_per_call(lambda n: [slope(0.0, y0) for _ in range(n)], count=200))
