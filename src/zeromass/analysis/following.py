"""The steps along a branch, and what is found between two of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.analysis.linear import ON_AXIS, Eigenvalues
from zeromass.model import State

if TYPE_CHECKING:
    from zeromass.analysis.branch import EquilibriumBranch, Kind, SpecialPoint
    from zeromass.analysis.continuation import Path

STRAIGHT = 0.97
"""Cosine of the angle between the tangents at the two ends of a step below which it is halved."""

HALVINGS = 30
"""Of a step, before a branch is said to end."""

LOCATED = 60
"""Halvings that locate a special point."""

BESIDE = 1e-5
"""Length, in units of a branch, over which second derivatives are taken at a bifurcation: where its kind is told."""

UPRIGHT = 1e-3
"""Part of the parameter in the direction of a crossing branch below which it is a pitchfork's."""


class Point(NamedTuple):
    """A point of a branch, the direction there, and its eigenvalues."""

    z: np.ndarray
    τ: np.ndarray
    state: State
    λ: Eigenvalues


def followed(path: Path, start: State, direction: np.ndarray, away: bool) -> EquilibriumBranch:
    """The branch from a state on; see `Path.followed`."""
    from zeromass.analysis.branch import EquilibriumBranch

    direction = direction / np.linalg.norm(direction)
    z = path.coordinates_of(start)
    points = [Point(z, direction, start, path.eigenvalues(start))]
    special: list[SpecialPoint] = []
    low, high = (value / path.unit[-1] for value in path.span)
    step = path.step / (10.0 if away else 1.0)
    while len(points) < path.points:
        last = points[-1]
        for _ in range(HALVINGS):
            z = path.corrected(last.z + step * last.τ, last.τ)
            τ = None if z is None else path.tangent(z, last.τ)
            if z is not None and τ is not None and τ @ last.τ >= STRAIGHT and np.linalg.norm(z - last.z) <= 2 * step:
                break
            step /= 2
        else:
            break
        ends = not low <= z[-1] <= high
        if ends:
            z, τ = _at_end(path, last, low if z[-1] < low else high)
            if z is None:
                break
        state = path.state(z)
        point = Point(z, τ, state, path.eigenvalues(state))
        if len(points) > 1 or not away:
            special += _between(path, last, point, len(points))
        points.append(point)
        if ends or (len(points) > 3 and np.linalg.norm(z - points[0].z) < 0.5 * step and τ @ points[0].τ > STRAIGHT):
            break
        step = min(1.5 * step, path.step)
    return EquilibriumBranch(
        path.parameter, tuple(p.state for p in points), tuple(p.λ for p in points), tuple(special), path
    )


def _at_end(path: Path, last: Point, value: float) -> tuple[np.ndarray | None, np.ndarray]:
    """The point at the end of the range of the parameter."""
    across = np.zeros_like(last.τ)
    across[-1] = 1.0
    z = last.z + (value - last.z[-1]) / last.τ[-1] * last.τ
    found = path.corrected(z, across)
    return found, last.τ if found is None else path.tangent(found, last.τ)


def _between(path: Path, a: Point, b: Point, place: int) -> list[SpecialPoint]:
    """Folds and bifurcations between two points."""
    from zeromass.analysis.branch import SpecialPoint

    found: list[SpecialPoint] = []
    crossed = path.crossing(a.z, a.τ) * path.crossing(b.z, b.τ) < 0
    if a.τ[-1] * b.τ[-1] < 0 and not crossed:
        z, _ = _located(path, a, b, lambda z, τ: τ[-1])
        state = path.state(z)
        found.append(SpecialPoint("fold", state.parameters[path.parameter], state, place))
    if crossed:
        z, τ = _located(path, a, b, path.crossing)
        kind, other = _crossing(path, z, τ)
        state = path.state(z)
        found.append(SpecialPoint(kind, state.parameters[path.parameter], state, place, other))
    if len(a.λ) and len(b.λ) and not crossed:
        pairs = [_swinging(λ) for λ in (a.λ, b.λ)]
        if pairs[0] != pairs[1] and len(a.λ) == len(b.λ) and _real(a.λ) == _real(b.λ):
            most = max(pairs)

            def growth(z: np.ndarray, τ: np.ndarray) -> float:
                λ = path.eigenvalues(path.state(z))
                return np.sort(λ[_complex(λ)].real)[::-1][most - 1] if len(λ) else np.nan

            z, _ = _located(path, a, b, growth)
            state = path.state(z)
            found.append(SpecialPoint("Hopf", state.parameters[path.parameter], state, place))
    return found


def _complex(λ: Eigenvalues) -> np.ndarray:
    return np.abs(λ.imag) > ON_AXIS * max(1.0, float(np.abs(λ).max(initial=0.0)))


def _swinging(λ: Eigenvalues) -> int:
    """How many eigenvalues of oscillations grow."""
    return int(np.count_nonzero(_complex(λ) & (λ.real > ON_AXIS * max(1.0, float(np.abs(λ).max(initial=0.0))))))


def _real(λ: Eigenvalues) -> int:
    """How many eigenvalues grow without oscillation."""
    return int(np.count_nonzero(~_complex(λ) & (λ.real > ON_AXIS * max(1.0, float(np.abs(λ).max(initial=0.0))))))


def _located(
    path: Path, a: Point, b: Point, test: Callable[[np.ndarray, np.ndarray], float]
) -> tuple[np.ndarray, np.ndarray]:
    """Where a test changes its sign between two points: by halving the way."""
    low, high = 0.0, float((b.z - a.z) @ a.τ)
    begin, end = test(a.z, a.τ), test(b.z, b.τ)
    if not begin * end < 0:  # it is zero at one of them, up to rounding
        return (a.z, a.τ) if abs(begin) <= abs(end) else (b.z, b.τ)
    z, τ = a.z, a.τ
    for _ in range(LOCATED):
        middle = 0.5 * (low + high)
        there = path.corrected(a.z + middle * a.τ, a.τ)
        if there is None or high - low <= 1e-14 * (1.0 + abs(high)):
            break
        z, τ = there, path.tangent(there, a.τ)
        sign = test(z, τ)
        low, high = (middle, high) if sign * begin > 0 else (low, middle)
    return z, τ


def _crossing(path: Path, z: np.ndarray, τ: np.ndarray) -> tuple[Kind, np.ndarray]:
    """The kind of a bifurcation, and the direction of the other branch: α²c₁₁ + 2αβc₁₂ + β²c₂₂ = 0 for ατ + βn.

    c_ij = wᵀ G″(n_i, n_j), with τ and n the null space of J and w its left one.
    """
    _, J = path.equations(z)
    U, _, Vt = np.linalg.svd(J)
    w, two = U[:, -1], Vt[-2:]  # of J without the last singular value, two directions are left
    n = two[0] - (two[0] @ τ) * τ
    m = two[1] - (two[1] @ τ) * τ
    n = n if np.linalg.norm(n) >= np.linalg.norm(m) else m
    n = n / np.linalg.norm(n)

    def second(i: np.ndarray, j: np.ndarray) -> float:
        ahead, back = (path.equations(z + h * i)[1] for h in (BESIDE, -BESIDE))
        return float(w @ ((ahead - back) / (2 * BESIDE)) @ j)

    c12, c22 = second(τ, n), second(n, n)
    other = n - c22 / (2 * c12) * τ if c12 else n  # τ itself is the first solution: c₁₁ = 0
    other = other / np.linalg.norm(other)
    return ("pitchfork" if abs(other[-1]) < UPRIGHT else "transcritical"), other
