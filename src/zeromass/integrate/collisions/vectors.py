"""Vectors of three numbers, in kernels."""

from __future__ import annotations

from zeromass.kernel.language import Reals, kernel, sqrt


@kernel
def dot(x: Reals, y: Reals) -> float:
    """x · y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def length(x: Reals) -> float:
    """|x|."""
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


@kernel
def cross(x: Reals, y: Reals, z: Reals) -> None:
    """z ← x × y."""
    z[0], z[1], z[2] = x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


@kernel
def difference(x: Reals, y: Reals, z: Reals) -> None:
    """z ← x − y."""
    for i in range(3):
        z[i] = x[i] - y[i]


@kernel
def copy(x: Reals, z: Reals) -> None:
    """z ← x."""
    for i in range(3):
        z[i] = x[i]


@kernel
def add(a: float, x: Reals, z: Reals) -> None:
    """z ← z + a x."""
    for i in range(3):
        z[i] += a * x[i]


@kernel
def rotate(R: Reals, x: Reals, z: Reals) -> None:
    """z ← R x, of a matrix row by row."""
    for i in range(3):
        z[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2]


@kernel
def rotate_back(R: Reals, x: Reals, z: Reals) -> None:
    """z ← Rᵀ x."""
    for i in range(3):
        z[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]


@kernel
def remove_along(n: Reals, x: Reals) -> None:
    """x ← x − (n · x) n, for a unit vector n."""
    along = dot(n, x)
    for i in range(3):
        x[i] -= along * n[i]
