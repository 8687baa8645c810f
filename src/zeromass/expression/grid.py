"""Functions given by numbers: a polynomial in each cell of a rectangular grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from zeromass.errors import ExpressionError, unwritable
from zeromass.expression import build
from zeromass.expression.node import Expression, as_expression, expressions

EVEN = 1e-6
"""Part of their spacing by which lines may be off an even spacing and still be found by a division.

A point that is given to the neighbour of its cell is then this far outside it, where the two polynomials of a function
with k continuous derivatives differ by a part 1e-6^(k+1) of their last terms.
"""

Orders = tuple[int, int]


class Grid:
    """A function of two variables made of polynomials, one for each cell between the lines of a grid.

        f(x, y) = Σ c[i, j, k, l] (x − x_i)^k (y − y_j)^l    for x_i ≤ x < x_i₊₁, y_j ≤ y < y_j₊₁

    x, y          lines of the grid, rising, of lengths I + 1 and J + 1; outside of them f is not a number (NaN)
    coefficients  shape (I, J, K, L)
    name          how f is printed

    `grid(X, Y)` takes numbers, arrays of them, and expressions. Grids with the same numbers and name are equal.

    >>> from zeromass.expression import Grid
    >>> ramp = Grid([0, 1], [0, 2], [[[[0.0, 3.0], [1.0, 0.0]]]], name="ramp")  # x + 3 y
    >>> ramp(0.5, 1.0)
    3.5
    >>> x, y = zm.coordinates("x y")
    >>> zm.expression.gradient(ramp(x, y), [x, y])
    array([ramp_x(x, y), ramp_y(x, y)], dtype=object)
    """

    x: np.ndarray
    y: np.ndarray
    coefficients: np.ndarray
    name: str
    key: str

    def __init__(self, x: Any, y: Any, coefficients: Any, *, name: str = "grid") -> None:
        self.x, self.y, self.coefficients = (_kept(values) for values in (x, y, coefficients))
        self.name = name
        if not isinstance(name, str) or unwritable(name):
            raise ExpressionError(f"the name of a grid is {name!r}; it is a word that a file can have")
        for letter, lines in (("x", self.x), ("y", self.y)):
            if lines.ndim != 1 or len(lines) < 2 or not np.all(np.diff(lines) > 0) or not np.all(np.isfinite(lines)):
                raise ExpressionError(f"the lines {letter} of '{name}' must be at least two finite, rising numbers")
        cells = len(self.x) - 1, len(self.y) - 1
        if self.coefficients.ndim != 4 or self.coefficients.shape[:2] != cells or 0 in self.coefficients.shape:
            raise ExpressionError(
                f"the coefficients of '{name}' have shape {self.coefficients.shape}, not {(*cells, 'powers', 'powers')}"
            )
        if not np.all(np.isfinite(self.coefficients)):
            raise ExpressionError(f"the coefficients of '{name}' must be finite")
        import hashlib  # only where there is a grid: it loads OpenSSL

        digest = hashlib.blake2b(repr((name, self.coefficients.shape)).encode(), digest_size=16)
        for values in (self.x, self.y, self.coefficients):
            digest.update(values.data)
        self.key = digest.hexdigest()

    @property
    def powers(self) -> tuple[int, int]:
        """Number of powers of x and of y: derivatives of these orders and beyond vanish."""
        return self.coefficients.shape[2], self.coefficients.shape[3]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.key == other.key

    def __hash__(self) -> int:
        return int(self.key[:15], 16)

    def __repr__(self) -> str:
        (a, b), (c, d) = self.x[[0, -1]], self.y[[0, -1]]
        cells = " × ".join(str(n) for n in self.coefficients.shape[:2])
        return f"Grid('{self.name}', {cells} cells, x from {a:g} to {b:g}, y from {c:g} to {d:g})"

    def __reduce__(self) -> Any:
        return _restored, (self.x, self.y, self.coefficients, self.name)

    def __call__(self, x: Any, y: Any) -> Any:
        """f at a point: of numbers a number, of expressions an expression; arrays are broadcast."""
        if not _has_expression(x) and not _has_expression(y):
            value = self.derivative(x, y, (0, 0))
            return value if value.ndim else float(value)
        if np.ndim(x) == 0 and np.ndim(y) == 0:
            return build.gridded(self, (0, 0), as_expression(x), as_expression(y))
        x, y = np.broadcast_arrays(expressions(x), expressions(y))
        result = np.empty(x.shape, dtype=object)
        result.ravel()[:] = [build.gridded(self, (0, 0), *point) for point in zip(x.ravel(), y.ravel(), strict=True)]
        return result

    def derivative(self, x: Any, y: Any, orders: Orders) -> np.ndarray:
        """∂^(m+n) f/∂x^m ∂y^n at points, orders = (m, n); not a number outside the grid."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        inside = (self.x[0] <= x) & (x <= self.x[-1]) & (self.y[0] <= y) & (y <= self.y[-1])
        (i, s), (j, t) = _place(self.x, x), _place(self.y, y)
        K, L = self.powers
        if orders[0] >= K or orders[1] >= L:
            return np.where(inside, 0.0, np.nan)
        with np.errstate(all="ignore"):
            columns = ([self.coefficients[i, j, k, l] for k in range(K)] for l in range(L))
            values = derivatives(columns, s, t, [orders], lambda a, b, c: a * b + c)
        return np.where(inside, values[0], np.nan)


def derivatives(
    columns: Iterable[Sequence[Any]], s: Any, t: Any, orders: Sequence[Orders], fma: Callable[[Any, Any, Any], Any]
) -> list[Any]:
    """Derivatives of Σ c[k, l] s^k t^l, from the columns c[:, l], on whatever `fma`(a, b, c) = a b + c works on.

    The value for one pair of orders does not depend, to the last bit, on which others are asked for.
    """
    rows = sorted({m for m, _ in orders})
    inner = [taylor(column, s, rows, fma) for column in columns]
    values: dict[Orders, Any] = {}
    for m in rows:
        wanted = sorted({n for row, n in orders if row == m})
        for n, value in taylor([column[m] for column in inner], t, wanted, fma).items():
            factor = float(math.factorial(m) * math.factorial(n))
            values[m, n] = value if factor == 1.0 else value * factor
    return [values[pair] for pair in orders]


def taylor(c: Sequence[Any], s: Any, orders: Sequence[int], fma: Callable[[Any, Any, Any], Any]) -> dict[int, Any]:
    """Coefficients {m: p⁽ᵐ⁾(s)/m!} of Σ c_k s^k about s, for some orders m: the complete scheme of Horner."""
    b, result = list(c), {}
    for m in range(max(orders) + 1):
        for k in reversed(range(m if m in orders else m + 1, len(b) - 1)):
            b[k] = fma(b[k + 1], s, b[k])
        if m in orders:
            result[m] = b[m]
    return result


def spacing(lines: np.ndarray) -> float | None:
    """The distance between evenly spaced lines; None of others."""
    step = (lines[-1] - lines[0]) / (len(lines) - 1)
    even = lines[0] + step * np.arange(len(lines))
    return float(step) if np.all(np.abs(lines - even) <= EVEN * step) else None


def _place(lines: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cells of points and the distances from the lines where they begin."""
    i = np.clip(np.searchsorted(lines, x, side="right") - 1, 0, len(lines) - 2)
    return i, x - lines[i]


def _kept(values: Any) -> np.ndarray:
    array = np.array(values, dtype=float, order="C")  # a copy: it must not change, for machine code reads it
    array.flags.writeable = False
    return array


def _has_expression(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.dtype != object:
        return False
    return any(isinstance(item, Expression) for item in np.asarray(value, dtype=object).ravel())


def _restored(x: np.ndarray, y: np.ndarray, coefficients: np.ndarray, name: str) -> Grid:
    return Grid(x, y, coefficients, name=name)
