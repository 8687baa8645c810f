"""Where a body that touches its surface at one place lies inside it at another.

The equations know one contact point. A ball that rolls along a floor into a wall of the same surface goes on into the
wall, and a start may lie in it from the beginning. No closed expression tells the distance from a surface of any shape,
so that places of a motion are examined: material that enters a sphere crosses it, where f has the wrong sign.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.directions import scattered
from zeromass.contact.traced import PLACE
from zeromass.expression import Evaluator, Expression, as_expression, gradient, jacobian
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.expression.pieces import switches
from zeromass.model.moved import Moved
from zeromass.model.quaternion import rotation

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.interval import Intervals

POINTS = 4096
"""Points of the sphere that are looked at at a start; a flat wall that enters it by the depth d takes a part d/(2 r)."""

ALONG, FEW = 2048, 4
"""Points that are looked at along a whole motion, others in each place, and at least in each: a few per cent of its time."""

PLACES = 511
"""Places of a motion that are examined at most, or the ends of its steps where these are more."""

AT_ONCE = 1 << 14
"""Places that are looked at in one evaluation."""

SPACING = 0.5
"""Radii between places of a motion that are examined, where there are not too many."""

DEPTH = 1e-6
"""Part of the radius above which a depth counts: numbers that were typed or read from a table may be off by less."""

CLOSER = 256
"""Points of the sphere at a place that is suspected, of which there are at most PLACES/16."""

HALVINGS = 50
STEPS = 20


class Depth(NamedTuple):
    """How deep a body lies inside its surface, m: when, at which point of the surface."""

    depth: float
    t: float
    place: np.ndarray


class Poses(NamedTuple):
    """Places of the centre of a body, (k, 3), and its turns, (k, 3, 3), or None of what is the same from all sides."""

    centers: np.ndarray
    turns: np.ndarray | None = None

    def part(self, which: slice) -> Poses:
        """Some of them."""
        return Poses(self.centers[which], None if self.turns is None else self.turns[which])


class Outside:
    """The outside of a rolling body, tried against the whole of its surface, not its contact alone."""

    def __init__(self, rolling: Rolling) -> None:
        self.rolling: Rolling = rolling
        self.spherical: bool = isinstance(rolling.solid, SphericalBody)
        self._size = rolling.solid.size
        self._f = as_expression(rolling.surface.side * rolling.surface(PLACE))
        self._known = rolling.surface.inside(PLACE)
        self._inputs = [*PLACE, time, *rolling.parameters]
        self._points: dict[bytes, np.ndarray] = {}

    @property
    def measure(self) -> str:
        """What its size is called."""
        return "radius" if self.spherical else "size"

    @cached_property
    def _sizes(self) -> Evaluator:
        return Evaluator(self._size, self.rolling.parameters)

    def size(self, parameters: np.ndarray) -> Any:
        """Of the body, m, at values of the parameters, shape (…, p): its radius."""
        return self._sizes(parameters) if isinstance(self._size, Expression) else self._size

    @cached_property
    def columns(self) -> np.ndarray:
        """Places of the coordinates of its pose: of the centre, and of the quaternion of what is not the same all around."""
        rolling = self.rolling
        turning = () if self.spherical else tuple(rolling.body.quaternion)
        return np.array([rolling.index(x) for x in (*rolling.center_particle.position, *turning)])

    def poses(self, x: np.ndarray) -> Poses:
        """Of the coordinates of poses, (k, columns)."""
        if self.spherical:
            return Poses(x)
        u = x[:, 3:]
        return Poses(x[:, :3], np.moveaxis(rotation((u / np.linalg.norm(u, axis=1)[:, None]).T), 2, 0))

    @cached_property
    def _values(self) -> Evaluator:
        return Evaluator([self._f] if self._known is None else [self._f, self._known], self._inputs)

    @cached_property
    def _slopes(self) -> Evaluator:
        k = gradient(self._f, PLACE)
        return Evaluator([self._f, *k, *jacobian(k, PLACE).ravel()], self._inputs)

    @cached_property
    def flat(self) -> bool:
        """Whether the surface is a plane, which touches a sphere once; one with edges is none, as 0.3 |X|."""
        return not self._edged and all(e is ZERO for e in jacobian(gradient(self._f, PLACE), PLACE).ravel())

    @cached_property
    def _edged(self) -> bool:
        return bool(switches([self._f]))

    @cached_property
    def _bends(self) -> Intervals:
        from zeromass.expression.interval import Intervals  # few ask

        H = jacobian(gradient(self._f, PLACE), PLACE)
        return Intervals(H.ravel(), self._inputs)

    def _bend(self, inputs: np.ndarray, reach: Any) -> np.ndarray:
        """The largest curvature of f, ‖∂²f/∂x²‖, within a reach of points, inputs of shape (k, 4 + p); bounds of it."""
        within = [(inputs[:, i] - reach, inputs[:, i] + reach) if i < 3 else (x, x) for i, x in enumerate(inputs.T)]
        sizes = [np.broadcast_to(np.maximum(np.abs(a), np.abs(b)), len(inputs)) for a, b in self._bends(within)]
        return np.sqrt(np.sum(np.square(sizes), axis=0))

    def alone(self, t: np.ndarray, contacts: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """Where contact, at points (k, 3), times (k,) and parameters (k, p), is surely the only one.

        With x from the contact to a point of the sphere, |∇f| |x|²/2r is what the slope of f adds, and its curvature takes
        at most ‖∂²f/∂x²‖ |x|²/2: where r ‖∂²f/∂x²‖ ≤ |∇f| within 2 r no such point lies in the material.
        """
        if self._edged or not self.spherical:  # curvature does not tell of edges
            return np.zeros(len(t), dtype=bool)
        inputs, radius = np.concatenate([contacts, t[:, None], parameters], axis=1), self.size(parameters)
        if len(t) > 1 and np.all(inputs == inputs[0]):  # many begin at one place
            return np.repeat(self.alone(t[:1], contacts[:1], parameters[:1]), len(t))
        with np.errstate(all="ignore"):
            steep = np.linalg.norm(self._slopes(inputs)[:, 1:4], axis=1)
            return radius * self._bend(inputs, 2 * radius) <= steep

    def _outside(self, points: np.ndarray, others: np.ndarray) -> np.ndarray:
        """f at points (…, 3), positive on the side of the bodies; not a number where the surface is not known."""
        others = np.broadcast_to(others, (*points.shape[:-1], others.shape[-1]))
        with np.errstate(all="ignore"):
            values = self._values(np.concatenate([points, others], axis=-1))
        return values[..., 0] if values.shape[-1] == 1 else np.where(values[..., 1] >= 0.0, values[..., 0], np.nan)

    def suspected(self, t: np.ndarray, poses: Poses, parameters: np.ndarray) -> np.ndarray:
        """Which poses, at times (k,), have points of the outside that lie in the material."""
        count = max(ALONG // len(t), FEW)
        parts = [slice(k, k + AT_ONCE) for k in range(0, len(t), AT_ONCE)]
        f = [self._around(t[part], poses.part(part), parameters, count)[1] for part in parts]
        return np.concatenate([np.any(values < 0.0, axis=1) for values in f])

    def _around(
        self, t: np.ndarray, poses: Poses, parameters: np.ndarray, count: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points of the outside in each pose, (k, count, 3), f there, and time and parameters, (k, 1, others)."""
        others = np.concatenate([t[:, None], np.broadcast_to(parameters, (len(t), len(parameters)))], axis=1)[:, None]
        directions = scattered(len(t) * count).reshape(len(t), count, 3)
        centers, turns = poses
        if turns is None:
            points = centers[:, None] + self.size(parameters) * directions
        else:
            own = self._farthest(len(t) * count, parameters).reshape(directions.shape)
            points = centers[:, None] + np.einsum("kij,kcj->kci", turns, own)
        return points, self._outside(points, others), others

    def _farthest(self, count: int, parameters: np.ndarray) -> np.ndarray:
        """Points of the outside in the axes of the body, farthest in the first of the scattered directions: found once."""
        known = self._points.get(parameters.tobytes())
        if known is None or len(known) < count:
            values = dict(zip(self.rolling.parameters, parameters.tolist(), strict=True))
            known = self.rolling.solid.farthest(scattered(max(count, ALONG)), values)
            self._points = {parameters.tobytes(): known}  # one run after another has the same values, as a rule
        return known[:count]

    def deepest(self, t: np.ndarray, poses: Poses, parameters: np.ndarray, count: int) -> Depth | None:
        """The deepest of some poses that lie inside the surface, by a point of the surface inside the body."""
        points, f, others = self._around(t, poses, parameters, count)
        size = float(self.size(parameters))
        k, j = np.nonzero(f < 0.0)
        if not len(k):
            return None
        c, x, o = poses.centers[k], points[k, j], others[k, 0]
        low, high = np.zeros(len(k)), np.ones(len(k))  # on the way from the centre to the point of the outside
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            within = self._outside(c + middle[:, None] * (x - c), o) < 0.0
            low, high = np.where(within, low, middle), np.where(within, middle, high)
        depths = np.linalg.norm(x - c, axis=1) * (1 - high) if not self.spherical else size * (1 - high)
        best = int(np.argmax(depths))
        place, depth = c[best] + high[best] * (x[best] - c[best]), depths[best]
        nearest = self._nearest(c[best], place, o[best], size) if self.spherical else None
        if nearest is not None and size - np.linalg.norm(nearest - c[best]) > depth:
            place, depth = nearest, size - float(np.linalg.norm(nearest - c[best]))
        return Depth(float(depth), float(t[k[best]]), place) if depth > DEPTH * size else None

    def _nearest(self, center: np.ndarray, place: np.ndarray, others: np.ndarray, radius: float) -> np.ndarray | None:
        """The point of the surface nearest to the centre that Newton's method finds from a place on it, if it does.

        x − c + λ ∇f = 0,   f = 0
        """
        x, λ = place, 0.0
        for step in range(STEPS):
            with np.errstate(all="ignore"):
                f, *rest = self._slopes(np.concatenate([x, others]))
            k, H = np.array(rest[:3]), np.array(rest[3:]).reshape(3, 3)
            λ = λ if step else float(k @ (center - x) / (k @ k))
            J = np.block([[np.eye(3) + λ * H, k[:, None]], [k[None], np.zeros((1, 1))]])
            if not np.all(np.isfinite(J)) or abs(np.linalg.det(J)) == 0.0:
                return None
            change = np.linalg.solve(J, -np.array([*(x - center + λ * k), f]))
            x, λ = x + change[:3], λ + float(change[3])
            if np.linalg.norm(change[:3]) <= DEPTH**2 * radius:
                return x
        return None


def penetration(rolling: Rolling, motion: Moved) -> Depth | None:
    """The deepest place of a finished motion at which the body lies inside its surface, if it was found to.

    Places half a radius apart are looked at, not more than `PLACES` or steps; those under suspicion again, more closely, and
    the last, where an edge may have ended it.
    """
    outside = rolling.outside
    if outside.flat or len(motion.t) < 2:
        return None
    columns, n = outside.columns, len(rolling.coordinates)
    parameters = np.array([motion.parameters[p] for p in rolling.parameters])
    spacing = SPACING * float(outside.size(parameters))
    y = motion.y
    t, x = _places(motion.t, y[:, columns], y[:, n + columns], spacing)
    poses = outside.poses(x)
    suspected = outside.suspected(t, poses, parameters)
    suspected[-1] = outside.suspected(t[-1:], poses.part(slice(-1, None)), parameters)[0]
    times = t[suspected]
    if not len(times):
        return None
    times = times[np.unique(np.linspace(0, len(times) - 1, PLACES // 16).astype(int))]
    return outside.deepest(times, outside.poses(motion.at(times).y[:, columns]), parameters, CLOSER)


def inside_words(rolling: Rolling, found: Depth) -> str:
    """That a motion is none from some time on, and what can be done."""
    place = ", ".join(f"{x:.4g}" for x in found.place)
    return (
        f"'{rolling.solid.name}' lies {found.depth:.3g} m inside '{rolling.surface.name}' at t = {found.t:.6g} s, at "
        f"({place}) m, away from its contact: the model knows one contact, and the motion is none where there are two. End "
        "it before with an event, or give a surface without such walls"
    )


def _places(t: np.ndarray, x: np.ndarray, v: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Times, and poses there on cubics through the ends of the steps: of each as many as the way of the centre takes."""
    h, v0, most = t[1:] - t[:-1], v[:-1, :3], max(PLACES, len(t))
    ways = np.sqrt(np.einsum("ki,ki->k", v0, v0)) * np.abs(h) / spacing
    if ways.max() <= 1.0:
        return t, x
    counts = np.ceil(ways * min(1.0, most / ways.sum())).clip(1).astype(int)
    step = np.repeat(np.arange(len(h)), counts)
    s = (np.arange(len(step)) - np.searchsorted(step, step)) / counts[step]
    a, b, h = step, step + 1, h[step]
    s2, s3 = (s**2)[:, None], (s**3)[:, None]
    q = x[a] * (1 - 3 * s2 + 2 * s3) + x[b] * (3 * s2 - 2 * s3)
    q += (v[a] * (s[:, None] - 2 * s2 + s3) + v[b] * (s3 - s2)) * h[:, None]
    return np.append(t[a] + s * h, t[-1]), np.concatenate([q, x[-1:]])
