"""What the arguments of the equation of motion must be, and what is said when they are not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.errors import EquationError

from .arrays import Array, common_stack, numbers, single_thread, transpose, vector
from .rank import MASS_TOLERANCE, negligible
from .units import power_of_two_near, scaled


class Problem(NamedTuple):
    """M q̈ = Q + C + Aᵀλ, A q̈ = b, all with the same leading axes."""

    M: Array  # (..., n, n)
    Q: Array  # (..., n)
    A: Array  # (..., m, n)
    b: Array  # (..., m)
    C: Array  # (..., n)
    eta: Array  # (..., n)

    @property
    def stack(self) -> tuple[int, ...]:
        return self.M.shape[:-2]

    def in_units(self, r: Array, d: Array) -> tuple[Problem, Array]:
        """The same problem for z with q̈ = u z, its constraints multiplied by r; and u, (..., n), a multiple of d.

        M becomes d M d, and the largest of the right-hand sides is near 1, so that no product of them is too large.
        """
        size = power_of_two_near(_largest(self.Q, self.C, self.b))
        Q, b, C = d * (self.Q / size), r * (self.b / size), d * (self.C / size)
        rest = power_of_two_near(_largest(Q, C, b))
        u = d * rest * size
        return Problem(scaled(self.M, d, d), Q / rest, scaled(self.A, r, d), b / rest, C / rest, self.eta / u), u


def _largest(*sides: Array) -> Array:
    """The largest absolute value of all, (..., 1)."""
    return np.abs(np.concatenate(sides, axis=-1)).max(axis=-1, keepdims=True)


def problem(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None,
    b: ArrayLike | None,
    C: ArrayLike | None = None,
    eta: ArrayLike | None = None,
    *,
    mass_tolerance: float = MASS_TOLERANCE,
) -> Problem:
    """The arguments as arrays of equal leading axes, or an `EquationError`.

    No A and b means no constraints, no C that the constraint forces do no virtual work, no eta that it is
    zero. M must be symmetric and must not have a negative eigenvalue; both are judged, at `mass_tolerance`,
    in units that make the masses 1.
    """
    M = numbers("M", M, 2, "one row and one column for each coordinate")
    n = M.shape[-1]
    if n == 0 or M.shape[-2] != n:
        raise EquationError(
            f"M has shape {M.shape}; its last two axes must be equal and not empty, one for each coordinate"
        )
    if (A is None) != (b is None):
        given, missing = ("A", "b") if b is None else ("b", "A")
        raise EquationError(f"{given} is given without {missing}; the constraints A q̈ = b need both, or neither")
    coordinates = f"coordinates that M, of shape {M.shape}, has"
    Q = vector("Q", Q, n, coordinates)
    C = np.zeros(n) if C is None else vector("C", C, n, coordinates)
    eta = np.zeros(n) if eta is None else vector("eta", eta, n, coordinates)
    A = np.zeros((0, n)) if A is None else numbers("A", A, 2, "a row for each constraint")
    if A.shape[-1] != n:
        raise EquationError(
            f"A has shape {A.shape} but M has shape {M.shape}: give A {n} columns, one for each coordinate"
        )
    m = A.shape[-2]
    b = np.zeros(m) if b is None else vector("b", b, m, f"rows that A, of shape {A.shape}, has")
    vectors = {"Q": Q, "b": b, "C": C, "eta": eta}
    stack = common_stack(M=M.shape[:-2], A=A.shape[:-2], **{name: v.shape[:-1] for name, v in vectors.items()})
    require_mass_matrix(M, mass_tolerance)
    return Problem(
        np.broadcast_to(M, (*stack, n, n)),
        np.broadcast_to(Q, (*stack, n)),
        np.broadcast_to(A, (*stack, m, n)),
        np.broadcast_to(b, (*stack, m)),
        np.broadcast_to(C, (*stack, n)),
        np.broadcast_to(eta, (*stack, n)),
    )


def error(name: str, value: ArrayLike, of: Array) -> Array:
    """A known absolute error in the shape of what it is the error of."""
    array = numbers(name, value, 0, "one number, or one for each entry")
    try:
        array = np.broadcast_to(array, of.shape)
    except ValueError:
        raise EquationError(
            f"{name} has shape {array.shape}; give one number, or an array of shape {of.shape}"
        ) from None
    if (array < 0.0).any():
        raise EquationError(f"{name} has a negative entry; give the largest absolute error, 0 or more")
    return array


def require_mass_matrix(M: Array, tolerance: float) -> None:
    """Raises unless M = Mᵀ and wᵀ M w ≥ 0 for all w, up to the tolerance in units that make the masses 1."""
    mass = np.abs(np.diagonal(M, axis1=-2, axis2=-1))
    largest = np.abs(M).max(axis=(-2, -1))[..., None]
    d = power_of_two_near(1.0 / np.sqrt(np.where(mass > 0.0, mass, np.where(largest > 0.0, largest, 1.0))))
    W = scaled(M, d, d)
    uneven = ~negligible(W - transpose(W), np.maximum(np.abs(W), 1.0), tolerance)
    if uneven.any():
        *stack, i, j = (int(k) for k in np.argwhere(uneven)[0])
        where, mirror = (*stack, i, j), (*stack, j, i)
        raise EquationError(
            f"M is not symmetric: M{list(where)} = {M[where]} but M{list(mirror)} = {M[mirror]}; "
            "correct it, or give (M + Mᵀ)/2 if the difference is only round-off"
        )
    with single_thread:
        eigenvalues, vectors = np.linalg.eigh((W + transpose(W)) / 2.0)
    negative = ~negligible(np.minimum(eigenvalues[..., 0], 0.0), eigenvalues[..., -1], tolerance)
    if negative.any():
        where = tuple(int(k) for k in np.argwhere(negative)[0])
        w = d[where] * vectors[where][:, 0]
        w = w / np.abs(w).max()
        raise EquationError(
            f"M{list(where) or ''} has a negative eigenvalue: wᵀMw = {w @ M[where] @ w:.3g} for w = {w}; "
            "a kinetic energy cannot be negative, so check the signs of the masses and moments of inertia"
        )


def require_finite(acceleration: Array, present: NDArray[np.bool_]) -> None:
    """Raises unless the accelerations, (..., n), of problems that have one are numbers."""
    bad = present[..., None] & ~np.isfinite(acceleration)
    if bad.any():
        where = [int(i) for i in np.argwhere(bad)[0]]
        raise EquationError(
            f"the acceleration of coordinate {where if len(where) > 1 else where[0]} is too large to be a number; "
            "its mass is too small for the forces, or they are too large for these units: use others, or smaller numbers"
        )
