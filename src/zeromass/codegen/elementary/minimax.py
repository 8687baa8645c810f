"""Minimax polynomials behind `coefficients`: how every number there was found.

`python -m zeromass.codegen.elementary.minimax` prints the tables anew, in a few seconds; it needs mpmath.

Each polynomial p of degree n makes the greatest weighted error

    max |w(z) (p(z) − g(z))|,   a < z ≤ b

least, by the exchange algorithm of Remez. The weight w turns the error of p into the relative error of the
function built on it. The coefficients are rounded to float64 one after the other, lowest power first, and
the rest is fitted anew after each, so that the rounding of one is made good by those above it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

Function = Callable[[Any], Any]


def exchange(g: Function, w: Function, interval: tuple[Any, Any], degree: int) -> tuple[list[Any], Any]:
    """Coefficients (lowest power first) and greatest weighted error of the minimax polynomial."""
    a, b = interval
    count = degree + 2
    nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (16 * count)) for i in range(16 * count + 1)]
    values = [(w(z), g(z)) if z != 0 else (mp.zero, mp.zero) for z in grid]
    best: tuple[list[Any], Any] = ([], mp.inf)
    for _ in range(12):  # with few coefficients left free there are spare extrema and the exchange may circle
        system = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for i, z in enumerate(nodes):
            for j in range(degree + 1):
                system[i, j] = z**j
            system[i, degree + 1] = (-1) ** i / w(z)
            right[i] = g(z)
        solution = mp.lu_solve(system, right)
        c, level = [solution[j] for j in range(degree + 1)], abs(solution[degree + 1])
        error = [wz * (mp.polyval(c[::-1], z) - gz) for z, (wz, gz) in zip(grid, values, strict=True)]
        nodes, peak = _alternation(c, g, w, grid, error, count)
        if peak < best[1]:
            best = c, peak
        if peak <= level * (1 + mp.mpf("1e-4")):
            break
    return best


def _alternation(
    c: list[Any], g: Function, w: Function, grid: list[Any], error: list[Any], count: int
) -> tuple[list[Any], Any]:
    """`count` extrema of the error, of alternating sign, the greatest among them; and the greatest error."""
    extrema: list[int] = []
    for i in range(len(grid)):
        before = abs(error[i - 1]) if i > 0 and error[i - 1] * error[i] > 0 else 0
        after = abs(error[i + 1]) if i + 1 < len(grid) and error[i + 1] * error[i] > 0 else 0
        if error[i] != 0 and abs(error[i]) >= before and abs(error[i]) >= after:
            if extrema and error[extrema[-1]] * error[i] > 0:
                if abs(error[i]) > abs(error[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
    while len(extrema) > count:
        if abs(error[extrema[0]]) < abs(error[extrema[-1]]):
            extrema.pop(0)
        else:
            extrema.pop()
    if len(extrema) < count:
        raise ArithmeticError(f"{len(extrema)} extrema of {count}")
    nodes, peak = [], mp.zero
    for i in extrema:
        z, e = grid[i], error[i]
        if 0 < i < len(grid) - 1:  # the vertex of the parabola through three neighbours
            (x0, x1, x2), (y0, y1, y2) = grid[i - 1 : i + 2], error[i - 1 : i + 2]
            below = (x1 - x0) * (y1 - y2) - (x1 - x2) * (y1 - y0)
            if below != 0:
                z = x1 - ((x1 - x0) ** 2 * (y1 - y2) - (x1 - x2) ** 2 * (y1 - y0)) / (2 * below)
                e = w(z) * (mp.polyval(c[::-1], z) - g(z))
        nodes.append(z)
        peak = max(peak, abs(e))
    return nodes, peak


def rounded(
    g: Function, w: Function, interval: tuple[Any, Any], degree: int, fixed: Sequence[float] = ()
) -> tuple[list[float], Any]:
    """float64 coefficients, the first of them given if `fixed`, and the greatest weighted error with them."""
    c: list[float] = list(fixed)
    for k in range(len(c), degree + 1):

        def rest(z, k=k):
            return (g(z) - mp.polyval([mp.mpf(v) for v in c[::-1]], z)) / z**k if k else g(z)

        free, _ = exchange(rest, lambda z, k=k: w(z) * z**k, interval, degree - k)
        c.append(float(free[0]))
    return c, greatest_error(c, g, w, interval)


def greatest_error(c: Sequence[float], g: Function, w: Function, interval: tuple[Any, Any]) -> Any:
    """max |w (p − g)| over 400 points of the interval."""
    a, b = interval
    exact = [mp.mpf(v) for v in reversed(c)]
    at = [a + (b - a) * mp.mpf(i) / 400 for i in range(1, 401)]
    return max(abs(w(z) * (mp.polyval(exact, z) - g(z))) for z in at)


def polynomials() -> dict[str, tuple[str, Function, Function, tuple[Any, Any], int, tuple[float, ...]]]:
    """Name → (meaning, g, w, interval, degree, coefficients fixed beforehand)."""
    root, slack = mp.sqrt, 1 + mp.mpf(2) ** -20
    quarter = (mp.zero, (slack * mp.pi / 4) ** 2)
    half_binade = (mp.zero, (slack * mp.log(2) / 2) ** 2)
    third = mp.mpf(1) / 3
    atanh_range = (mp.zero, (slack * (root(2) - 1) / (root(2) + 1)) ** 2)
    return {
        "SIN": (
            "(sin r / r − 1) / r² in r², |r| ≤ π/4",
            lambda z: (mp.sin(root(z)) / root(z) - 1) / z,
            lambda z: z * root(z) / mp.sin(root(z)),
            quarter,
            5,
            (),
        ),
        "COS": (
            "(cos r − 1 + r²/2) / r⁴ in r², |r| ≤ π/4",
            lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(root(z)),
            quarter,
            5,
            (),
        ),
        "SINH": (
            "(sinh r / r − 1) / r² in r², |r| ≤ ln 2 / 2",
            lambda z: (mp.sinh(root(z)) / root(z) - 1) / z,
            lambda z: z,
            half_binade,
            4,
            (),
        ),
        "COSH": (
            "(cosh r − 1) / r² in r², |r| ≤ ln 2 / 2; its error weighed against r",
            lambda z: (mp.cosh(root(z)) - 1) / z,
            lambda z: root(z),
            half_binade,
            5,
            (0.5,),
        ),
        "LOG": (
            "(2 atanh s / s − 2) / s² in s², |s| ≤ (√2 − 1) / (√2 + 1)",
            lambda z: (2 * mp.atanh(root(z)) / root(z) - 2) / z,
            lambda z: z / 2,
            atanh_range,
            6,
            (),
        ),
        "LOG_TAIL": (
            "(2 atanh s / s − 2 − 2 s²/3) / s⁴ in s², the same s",
            lambda z: (2 * mp.atanh(root(z)) / root(z) - 2 - 2 * z / 3) / z**2,
            lambda z: z**2 / 2,
            atanh_range,
            7,
            (),
        ),
        "ATAN": (
            "(atan t / t − 1) / t² in t², |t| ≤ tan π/8",
            lambda z: (mp.atan(root(z)) / root(z) - 1) / z,
            lambda z: z,
            (mp.zero, (slack * mp.tan(mp.pi / 8)) ** 2),
            10,
            (),
        ),
        "ASIN": (
            "(asin s / s − 1) / s² in s², |s| ≤ 1/2",
            lambda z: (mp.asin(root(z)) / root(z) - 1) / z,
            lambda z: z,
            (mp.zero, mp.mpf(1) / 4),
            12,
            (),
        ),
        "INVERSE_CUBE_ROOT": (
            "m^(−1/3) in m, √½ ≤ m ≤ 4√2, where iteration starts",
            lambda m: m**-third,
            lambda m: m**third,
            (root(mp.mpf(1) / 2), 4 * root(2)),
            3,
            (),
        ),
    }


def main() -> None:
    with mp.workdps(60):
        for name, (meaning, g, w, interval, degree, fixed) in polynomials().items():
            c, error = rounded(g, w, interval, degree, fixed)
            print(f"{name} = (")
            for v in c:
                print(f'    float.fromhex("{v.hex()}"),  # {v:+.6e}')
            print(f')\n"""{meaning}. Error 2^−{-float(mp.log(error, 2)):.1f}."""\n')


if __name__ == "__main__":
    main()
