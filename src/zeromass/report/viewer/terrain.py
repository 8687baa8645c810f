"""Surfaces for the page: a grid of heights where Z is a function of X and Y, else triangles; and how they move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.contact.height import heights
from zeromass.expression import Evaluator, Symbol, derivative, expressions, gradient, symbols
from zeromass.expression import t as time
from zeromass.model import Ground
from zeromass.report.viewer.mesh import is_closed, triangles
from zeromass.report.viewer.pack import exact, indices, quantised, unit
from zeromass.report.viewer.planes import Plane, patch
from zeromass.report.viewer.shapes import quaternions

GRID = 181
"""Most points of a height grid along one side."""

MESH = 56
"""Cells along the longest side of a box in which triangles are made."""

CHANGING = 150_000
"""Most heights of a surface that changes its shape, over all its moments."""

MOMENTS = 16
"""Shapes kept of an implicit surface that changes its shape."""


def terrain(
    surface: Ground,
    paths: Sequence[np.ndarray],
    radius: float,
    times: np.ndarray,
    parameters: Mapping[Symbol, float],
    others: Sequence[Plane] = (),
) -> dict[str, Any]:
    """A surface as the page reads it, over the region that paths in its own axes need.

    paths   contact points in the surface's axes, each of shape (n, 3), m
    radius  of the largest body, m: the margin is a few of them
    times   equidistant; the motion is given at these
    others  planes at rest beside it: one that rests as well ends where they begin
    """
    shape = _Shape(surface, parameters)
    path = np.concatenate(paths)
    low, high = path.min(axis=0), path.max(axis=0)
    wide, tall = float((high - low)[:2].max()), float(high[2] - low[2])
    margin = max(
        0.12 * max(wide, tall), 4 * radius, 0.5 * tall if wide < 0.25 * tall else 0.0
    )  # what bounces, on a plate
    common = {"name": surface.name, "side": surface.side, "motion": _motion(surface, times, parameters)}
    flow = _flow(surface)
    if flow is not None:
        common["flow"] = flow
    if shape.is_height:
        low, high = low[:2] - margin, high[:2] + margin
        if surface.area is not None:
            low, high = np.clip(low, *surface.area), np.clip(high, *surface.area)
        return common | _heights(shape, low, high, radius, times)
    plane = shape.plane
    if plane is not None:
        corners, sides = patch(plane, path, margin, _seen_from(others, surface, times, parameters))
        mesh = {"vertices": exact(corners), "triangles": indices(sides)}
        return common | {"kind": "mesh", "plane": True, "meshes": [mesh], "moments": [float(times[0])] * 2 + [1]}
    return common | _meshes(shape, low, high, margin, times)


def resting_plane(surface: Ground, parameters: Mapping[Symbol, float]) -> Plane | None:
    """A plane that is at rest, in the inertial frame; None of other surfaces."""
    plane, axes = _Shape(surface, parameters).plane, _resting_axes(surface, np.zeros(1), parameters)
    if plane is None or axes is None:
        return None
    shift, turn = axes
    n = turn @ plane.n
    return Plane(n, plane.d + float(n @ shift))


def _seen_from(
    planes: Sequence[Plane], surface: Ground, times: np.ndarray, parameters: Mapping[Symbol, float]
) -> list[Plane]:
    """Planes at rest in the axes of a surface that rests as well; none where it moves."""
    axes = _resting_axes(surface, times, parameters)
    return [] if axes is None else [Plane(axes[1].T @ n, d - float(n @ axes[0])) for n, d in planes]


class _Shape:
    """f of a surface in its own axes, as functions of numbers."""

    def __init__(self, surface: Ground, parameters: Mapping[Symbol, float]) -> None:
        self.side = surface.side
        x, f = surface.place, surface.f
        self._inputs = [*x, time, *parameters]
        self._rest = list(parameters.values())
        self.changes = any(leaf is time for leaf in symbols(f))
        vertical = derivative(f, x[2])
        self.is_height = vertical.value != 0 and not any(leaf in set(x) for leaf in symbols(vertical))
        slope = gradient(f, x)
        self._even = not self.changes and not any(leaf in set(x) for leaf in symbols(slope))
        self._f = Evaluator(f, self._inputs)
        self._slope = Evaluator(slope, self._inputs)

    @property
    def plane(self) -> Plane | None:
        """What it is where it is a plane, in its own axes."""
        if not self._even:
            return None
        n = self.side * self.slope(np.zeros((1, 3)), 0.0)[0]
        size = float(np.linalg.norm(n))
        return Plane(n / size, -self.side * float(self.f(np.zeros((1, 3)), 0.0)[0]) / size)

    def _values(self, x: np.ndarray, t: float) -> np.ndarray:
        rest = np.broadcast_to(np.array([t, *self._rest]), (*x.shape[:-1], 1 + len(self._rest)))
        return np.concatenate([x, rest], axis=-1)

    def f(self, x: np.ndarray, t: float) -> np.ndarray:
        return self._f(self._values(x, t))

    def slope(self, x: np.ndarray, t: float) -> np.ndarray:
        return self._slope(self._values(x, t))

    def height(self, x: np.ndarray, y: np.ndarray, t: float, size: float) -> np.ndarray:
        """Z over the places of a grid, shape (y, x); not a number where the surface has none."""
        X, Y = np.meshgrid(x, y)

        def values(points: np.ndarray) -> np.ndarray:
            return np.concatenate([self.f(points, t)[:, None], self.slope(points, t)], axis=1)

        return heights(values, X, Y, 0.0, size=size).z


def _heights(shape: _Shape, low: np.ndarray, high: np.ndarray, radius: float, times: np.ndarray) -> dict[str, Any]:
    side = float((high - low).max())
    step = max(side / (GRID - 1), min(side / 96, radius / 4))
    moments = times[:1]
    if shape.changes:
        moments = np.linspace(times[0], times[-1], int(np.clip(12 * (times[-1] - times[0]), 24, 150)))
        step = max(step, np.sqrt(np.prod(high - low) * len(moments) / CHANGING))
    x, y = (np.linspace(a, b, max(int(np.ceil((b - a) / step)), 2) + 1) for a, b in zip(low, high, strict=True))
    z = np.stack([shape.height(x, y, t, radius) for t in moments])
    return {
        "kind": "height",
        "x": [float(x[0]), float(x[-1]), len(x)],
        "y": [float(y[0]), float(y[-1]), len(y)],
        "z": quantised(z),
        "moments": [float(moments[0]), float(moments[-1]), len(moments)],
    }


def _meshes(shape: _Shape, low: np.ndarray, high: np.ndarray, margin: float, times: np.ndarray) -> dict[str, Any]:
    moments = np.linspace(times[0], times[-1], MOMENTS) if shape.changes else times[:1]
    low, high = _box(shape, low, high, margin, float(times[0]))
    meshes = []
    for t in moments:
        vertices, corners = triangles(
            lambda x, t=t: shape.side * shape.f(x, t), lambda x, t=t: shape.side * shape.slope(x, t), low, high, MESH
        )
        meshes.append({"vertices": quantised(vertices), "triangles": indices(corners)})
    return {"kind": "mesh", "meshes": meshes, "moments": [float(moments[0]), float(moments[-1]), len(moments)]}


def _box(shape: _Shape, low: np.ndarray, high: np.ndarray, margin: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """The box to be meshed: all of a closed surface that is not much larger than the path, else about the path."""
    low, high = low - margin, high + margin
    middle, half = (low + high) / 2, (high - low) / 2
    for factor in (1.0, 1.5, 2.5, 4.0, 6.0, 10.0, 16.0):
        reach = np.full(3, factor * half.max())
        if is_closed(lambda x: shape.f(x, t), middle - reach, middle + reach):
            vertices, _ = triangles(
                lambda x: shape.f(x, t), lambda x: shape.slope(x, t), middle - reach, middle + reach, 24
            )
            pad = 0.04 * float(np.ptp(vertices, axis=0).max())
            return vertices.min(axis=0) - pad, vertices.max(axis=0) + pad
    reach = np.maximum(half, 0.75 * half.max())
    return middle - reach, middle + reach


def _axes(
    surface: Ground, times: np.ndarray, parameters: Mapping[Symbol, float]
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Shifts, shape (n, 3), and rotations, shape (n, 3, 3), of the axes at the times; whether they stay."""
    rotation = expressions(np.eye(3)) if surface.rotation is None else surface.rotation
    numbers = Evaluator(np.concatenate([surface.shift, rotation.ravel()]), [time, *parameters])
    rest = np.broadcast_to(np.array(list(parameters.values()), dtype=float), (len(times), len(parameters)))
    values = numbers(np.concatenate([times[:, None], rest], axis=1))
    stays = not any(leaf is time for leaf in symbols(surface.shift, rotation))
    return values[:, :3], values[:, 3:].reshape(-1, 3, 3), stays


def _resting_axes(
    surface: Ground, times: np.ndarray, parameters: Mapping[Symbol, float]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Shift and rotation of axes that stay, or None."""
    shifts, turns, stays = _axes(surface, times[:1], parameters)
    return (shifts[0], turns[0]) if stays else None


def _motion(surface: Ground, times: np.ndarray, parameters: Mapping[Symbol, float]) -> dict[str, Any] | None:
    """Shift and turn of the axes at the times, or None of axes that coincide with the inertial ones, whatever the values."""
    shifts, turns, stays = _axes(surface, times, parameters)
    moved = symbols(surface.shift, *([] if surface.rotation is None else [surface.rotation]))
    if not moved and not np.any(shifts) and np.array_equal(turns, np.broadcast_to(np.eye(3), turns.shape)):
        return None
    kept = slice(0, 1) if stays else slice(None)
    return {"shift": exact(shifts[kept]), "turn": unit(quaternions(turns[kept]))}


def _flow(surface: Ground) -> list[float] | None:
    """Velocity of a belt that is the same everywhere and always; the grid on it moves along."""
    velocity = surface.flow
    return None if velocity is None or symbols(velocity) else [float(v.value) for v in velocity]
