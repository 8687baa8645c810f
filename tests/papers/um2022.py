"""The explicit matrices of Udwadia & Mogharabin 2022, eqs. 1–41 and A1–A7, in plain NumPy.

Typed from the paper, corrected where docs/errata.md says so. Nothing is shared with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


def E_of(u: np.ndarray) -> np.ndarray:
    """E of eq. 1; linear, so the rate of E(u) is E(u̇)."""
    u0, u1, u2, u3 = u
    return np.array([[-u1, u0, u3, -u2], [-u2, -u3, u0, u1], [-u3, u2, -u1, u0]])


def S_of(u: np.ndarray) -> np.ndarray:
    """Eq. 23."""
    u0, u1, u2, u3 = u
    return np.array(
        [
            [u0**2 + u1**2 - u2**2 - u3**2, 2 * (u1 * u2 - u0 * u3), 2 * (u1 * u3 + u0 * u2)],
            [2 * (u1 * u2 + u0 * u3), u0**2 - u1**2 + u2**2 - u3**2, 2 * (u2 * u3 - u0 * u1)],
            [2 * (u1 * u3 - u0 * u2), 2 * (u2 * u3 + u0 * u1), u0**2 - u1**2 - u2**2 + u3**2],
        ]
    )


def C1_of(u: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Eq. 24; linear in u, so C2 = C1(u̇)."""
    u0, u1, u2, u3 = u
    p1, p2, p3 = rho
    first = u0 * p1 - u3 * p2 + u2 * p3
    dot = u1 * p1 + u2 * p2 + u3 * p3
    third = -u2 * p1 + u1 * p2 + u0 * p3
    fourth = -u3 * p1 - u0 * p2 + u1 * p3
    return 2 * np.array(
        [
            [first, dot, third, fourth],
            [-fourth, u2 * p1 - u1 * p2 - u0 * p3, dot, first],
            [third, -fourth, -u0 * p1 + u3 * p2 - u2 * p3, dot],
        ]
    )


def tilde(n: np.ndarray) -> np.ndarray:
    """Eq. 28."""
    return np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])


class Surface(Protocol):
    """k (13), ∂k/∂α and its rate along α̇."""

    def k(self, a: np.ndarray) -> np.ndarray: ...

    def slope(self, a: np.ndarray) -> np.ndarray: ...

    def slope_rate(self, a: np.ndarray, da: np.ndarray) -> np.ndarray: ...


class Bowl:
    """Eq. 57, Z − f(X; h1, h2) − f(Y; h3, h4) − h5 (X² + Y²), differentiated by hand."""

    h1, h2, h3, h4, h5 = 0.04, 1.2 * np.sqrt(2), 0.05, 1.6, 0.03

    @staticmethod
    def dimple(x: float, height: float, wave: float) -> tuple[float, float, float]:
        """First to third derivative of height · sin(wave π x)/(1 + x²), by Leibniz' rule on s · w."""
        c = wave * np.pi
        s = np.sin(c * x), c * np.cos(c * x), -(c**2) * np.sin(c * x), -(c**3) * np.cos(c * x)
        d = 1 / (1 + x**2)
        w = d, -2 * x * d**2, -2 * d**2 + 8 * x**2 * d**3, 24 * x * d**3 - 48 * x**3 * d**4
        return (
            height * (s[1] * w[0] + s[0] * w[1]),
            height * (s[2] * w[0] + 2 * s[1] * w[1] + s[0] * w[2]),
            height * (s[3] * w[0] + 3 * s[2] * w[1] + 3 * s[1] * w[2] + s[0] * w[3]),
        )

    def dimples(self, a: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.dimple(a[0], self.h1, self.h2), self.dimple(a[1], self.h3, self.h4)

    def k(self, a: np.ndarray) -> np.ndarray:
        f, g = self.dimples(a)
        return np.array([-f[0] - 2 * self.h5 * a[0], -g[0] - 2 * self.h5 * a[1], 1])

    def slope(self, a: np.ndarray) -> np.ndarray:
        f, g = self.dimples(a)
        return np.diag([-f[1] - 2 * self.h5, -g[1] - 2 * self.h5, 0])

    def slope_rate(self, a: np.ndarray, da: np.ndarray) -> np.ndarray:
        f, g = self.dimples(a)
        return np.diag([-f[2] * da[0], -g[2] * da[1], 0])


@dataclass(frozen=True)
class Wavy:
    """Γ = xᵀHx/2 + cᵀx + h sin(pᵀx + φ) + d: curved and slanted in every direction."""

    H: np.ndarray
    c: np.ndarray
    p: np.ndarray
    h: float
    phase: float
    d: float

    def __call__(self, X, Y, Z):
        x = np.array([X, Y, Z])
        return x @ self.H @ x / 2 + self.c @ x + self.h * np.sin(self.p @ x + self.phase) + self.d

    def k(self, a: np.ndarray) -> np.ndarray:
        return self.H @ a + self.c + self.h * np.cos(self.p @ a + self.phase) * self.p

    def slope(self, a: np.ndarray) -> np.ndarray:
        return self.H - self.h * np.sin(self.p @ a + self.phase) * np.outer(self.p, self.p)

    def slope_rate(self, a: np.ndarray, da: np.ndarray) -> np.ndarray:
        return -self.h * np.cos(self.p @ a + self.phase) * (self.p @ da) * np.outer(self.p, self.p)


@dataclass(frozen=True)
class Matrices:
    """M and Q of eq. 10 and the rows of A q̈ = b, by their names in the paper, at a state (q, q̇) of eq. 9."""

    surface: Surface
    r: float
    m: float
    g: float
    rho: np.ndarray
    J: np.ndarray
    q: np.ndarray
    v: np.ndarray

    def __post_init__(self) -> None:
        _, u, a, _ = np.split(self.q, [3, 7, 10])
        dw, du, da, _ = np.split(self.v, [3, 7, 10])
        E, dE, S, I, r = E_of(u), E_of(du), S_of(u), np.eye(3), self.r
        k, K, dK = self.surface.k(a), self.surface.slope(a), self.surface.slope_rate(a, da)
        dk, kk = K @ da, k @ k
        n = k / np.sqrt(kk)  # 14
        Delta = (I - np.outer(k, k) / kk) / np.sqrt(kk)  # A4
        delta = (3 * (dk @ k) ** 2 / kk - dk @ dk) / kk**1.5  # A4
        dn = Delta @ dk  # A2
        Jf = I + r * Delta @ K  # A5
        z = np.zeros
        M = z((13, 13))
        M[:3, :3], M[3:7, 3:7] = self.m * I, 4 * E.T @ self.J @ E
        weight = np.array([0, 0, -self.m * self.g])
        Q = np.concatenate([weight, -8 * dE.T @ self.J @ E @ du, z(6)])
        rows = {
            "1": (np.concatenate([z(3), u, z(6)])[None], -du @ du),  # 16
            "2": (np.concatenate([z(7), k, z(3)])[None], -da @ K @ da),  # 18
            "3": (  # A6, A7
                np.hstack([z((3, 7)), Jf, -I]),
                -r * (Delta @ dK @ da + k * delta - 2 * (dk @ k) / kk**1.5 * dk),
            ),
            "4": (np.hstack([-I, C1_of(u, self.rho), z((3, 3)), I]), -C1_of(du, self.rho) @ du),  # 26
            "5": (  # 31, with the rate of n
                np.hstack([z((3, 3)), 2 * r * tilde(n) @ S @ E, z((3, 3)), I]),
                -2 * r * tilde(dn) @ S @ E @ du,
            ),
            "E": (  # 35, with the sign and the rate of the potential energy
                np.concatenate([self.m * dw, 4 * du @ E.T @ self.J @ E, z(6)])[None],
                -self.m * self.g * dw[2],
            ),
            "NS": (np.concatenate([z(3), k @ S @ E, z(6)])[None], -da @ K @ S @ E @ du),  # 41
        }
        for name, value in {"M": M, "Q": Q, "rows": rows}.items():
            object.__setattr__(self, name, value)
