"""What the page shows: runs as arrays over time, with bodies, trails, arrows, lines, surfaces and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zeromass.contact import Rolling, Surface
from zeromass.expression import expressions, symbols
from zeromass.integrate import Course, Sampled
from zeromass.integrate.outcome import Ending
from zeromass.model import ModelError, Particle, RigidBody
from zeromass.model.parts import Part
from zeromass.report.viewer.pack import exact, unit
from zeromass.report.viewer.shapes import Box, Dot, Rod, Shape, Wheel, described, usual
from zeromass.report.viewer.terrain import terrain

FPS = 60.0
"""Samples a second, unless the run is so short or so long that the next two decide."""

FEWEST, MOST = 600, 6000
"""Samples of a run where no `fps` is asked for."""


def scene(
    runs: Sequence[Course],
    *,
    names: Sequence[str],
    shapes: Mapping[Any, Shape],
    lines: Sequence[Any],
    trails: Sequence[Any] | None,
    plots: Mapping[str, Any] | None,
    fps: float | None,
) -> dict[str, Any]:
    """Runs as the page reads them: numbers and packed arrays only."""
    _check_shapes(shapes, runs)
    surfaces = _Surfaces()
    shown = []
    for run, name in zip(runs, names, strict=True):
        sampled = run.at(_times(run, fps))
        common = {
            "name": name,
            "t": [float(sampled.t[0]), float(sampled.t[-1]), len(sampled)],
            "outcome": "" if run.outcome.ending is Ending.FINISHED else str(run.outcome),
        }
        if isinstance(run.system, Rolling):
            content = _rolling(run, run.system, sampled) | {"surface": surfaces.index(run, run.system, sampled)}
        else:
            content = _general(run, sampled, shapes)
        content["lines"] = [_line(sampled, line) for line in lines]
        if trails is not None:
            content["trails"] = [{"kind": "path", "name": "", "points": _points(sampled, x, "a trail")} for x in trails]
        if plots is not None:
            content["charts"] = [_chart(sampled, title, series) for title, series in plots.items()]
        shown.append(common | content)
    return {"runs": shown, "surfaces": surfaces.data()}


def _times(run: Course, fps: float | None) -> np.ndarray:
    low, high = sorted((float(run.t[0]), float(run.t[-1])))
    if not high > low:
        raise ModelError(f"the run has no duration, there is nothing to play: {run.outcome}")
    if fps is None:
        count = int(np.clip(np.ceil(FPS * (high - low)), FEWEST, MOST))
    elif np.isfinite(fps) and fps > 0:
        count = max(int(np.ceil(fps * (high - low))), 2)
    else:
        raise ModelError(f"fps is {fps}; it is a number of samples a second")
    return np.linspace(low, high, count + 1)


# a rolling body -----------------------------------------------------------------------------------------------
def _rolling(run: Course, rolling: Rolling, sampled: Sampled) -> dict[str, Any]:
    contact, center = sampled[rolling.contact], sampled[rolling.center]
    normal_force, friction = sampled[rolling.normal_force], sampled[rolling.friction_force]
    normal = (center - contact) / rolling.sphere.radius
    rho = np.asarray(rolling.sphere.center_of_mass, dtype=float)
    shape = {"kind": "shell", "radius": rolling.sphere.radius, "offset": rho.tolist()}
    points = exact(contact)
    return {
        "bodies": [
            {
                "name": rolling.sphere.name,
                "position": exact(center),
                "quaternion": unit(sampled[rolling.body.quaternion]),
                "shape": shape,
            }
        ],
        "trails": [
            {"kind": "contact", "name": "contact", "points": points},
            {"kind": "center", "name": "centre", "points": exact(center)},
        ],
        "arrows": [
            {"kind": "normal", "name": "normal force", "at": points, "vector": exact(normal_force[:, None] * normal)},
            {"kind": "friction", "name": "friction force", "at": points, "vector": exact(friction)},
        ],
        "charts": [
            _chart(sampled, "Force (N)", {"normal": rolling.normal_force, "friction": rolling.friction}),
            _chart(sampled, "Friction ratio", {"friction ratio": rolling.friction_ratio}),
            _chart(
                sampled,
                "Energy (J)",
                {
                    "total": rolling.energy,
                    "potential": rolling.potential,
                    "translational": rolling.translational_energy,
                    "rotational": rolling.rotational_energy,
                },
            ),
            _chart(sampled, "Spin n·ω (rad/s)", {"spin": rolling.spin})
            | {"least": 1e-6 * _fastest(sampled, rolling.body)},
        ],
    }


def _fastest(sampled: Sampled, body: RigidBody) -> float:
    """Largest angular speed, rad/s: a spin that is tiny against it is shown as none."""
    return float(np.linalg.norm(sampled[body.angular_velocity_body], axis=1).max())


@dataclass
class _Need:
    """A surface, and what of it the runs on it need."""

    surface: Surface
    parameters: dict[Any, float]
    radius: float = 0.0
    paths: list[np.ndarray] = field(default_factory=list)
    spans: list[tuple[float, float, int]] = field(default_factory=list)


class _Surfaces:
    """The surfaces of all runs, each once."""

    def __init__(self) -> None:
        self._needs: dict[Any, _Need] = {}

    def index(self, run: Course, rolling: Rolling, sampled: Sampled) -> int:
        """Place of the surface of a run in the list; its path is taken into account."""
        surface = rolling.surface
        used = set(symbols(expressions(surface(rolling.contact)), surface.shift))
        parameters = {p: value for p, value in run.parameters.items() if p in used}
        key = (id(surface), tuple(parameters.items()))
        need = self._needs.setdefault(key, _Need(surface, parameters))
        need.paths.append(sampled[expressions(surface.local(rolling.contact))])
        need.radius = max(need.radius, rolling.sphere.radius)
        need.spans.append((float(sampled.t[0]), float(sampled.t[-1]), len(sampled)))
        return list(self._needs).index(key)

    def data(self) -> list[dict[str, Any]]:
        result = []
        for need in self._needs.values():
            first, last = min(a for a, _, _ in need.spans), max(b for _, b, _ in need.spans)
            times = np.linspace(first, last, max(n for _, _, n in need.spans))
            made = terrain(need.surface, need.paths, need.radius, times, need.parameters)
            result.append(made | {"t": [first, last, len(times)]})
        return result


# a general system ---------------------------------------------------------------------------------------------
def _general(run: Course, sampled: Sampled, shapes: Mapping[Any, Shape]) -> dict[str, Any]:
    system = run.system
    parts = [part for part in system.parts if isinstance(part, Particle | RigidBody)]
    places = {part: sampled[part.position] for part in parts}
    size = _size(list(places.values()))
    bodies = []
    for part in parts:
        shape = described(shapes[part]) if part in shapes else usual(part, run.parameters, size)
        body = {"name": part.name, "position": exact(places[part]), "shape": shape}
        if isinstance(part, RigidBody):
            body["quaternion"] = unit(sampled[part.quaternion])
        bodies.append(body)
    for place, shape in shapes.items():
        if not isinstance(place, Part):
            bodies.append({"name": "", "position": _points(sampled, place, "a shape"), "shape": described(shape)})
    trails = [{"kind": "path", "name": body["name"], "points": body["position"]} for body in bodies]
    return {"bodies": bodies, "trails": trails, "arrows": [], "surface": None, "charts": _usual_charts(run, sampled)}


def _usual_charts(run: Course, sampled: Sampled) -> list[dict[str, Any]]:
    system = run.system
    if not system.has_energy:
        few = list(system.coordinates[:4])
        return [_chart(sampled, "Coordinates (SI)", {x.name: x for x in few})]
    series = {"total": system.energy}
    for name in ("potential", "kinetic"):
        try:
            series[name] = getattr(system, name)
        except ModelError:  # a Lagrangian need not say which of its terms is which
            continue
    charts = [_chart(sampled, "Energy (J)", series)]
    moving = [part for part in system.parts if part.position is not None][:4]
    if moving:
        speeds = {part.name: np.sqrt(part.velocity @ part.velocity) for part in moving}
        charts.append(_chart(sampled, "Speed (m/s)", speeds))
    turning = [part for part in system.parts if isinstance(part, RigidBody)][:4]
    if turning:
        rates = {part.name: np.sqrt(part.angular_velocity_body @ part.angular_velocity_body) for part in turning}
        charts.append(_chart(sampled, "Angular speed (rad/s)", rates))
    return charts


def _size(places: list[np.ndarray]) -> float:
    """Longest side of the box that holds all places, m; 1 where there is none."""
    if not places:
        return 1.0
    everything = np.concatenate(places)
    return float(np.ptp(everything, axis=0).max()) or 1.0


def _line(sampled: Sampled, line: Any) -> dict[str, Any]:
    try:
        first, second = line
    except (TypeError, ValueError):
        raise ModelError(f"a line is a pair of points, not {line!r}") from None
    return {"from": _points(sampled, first, "a line"), "to": _points(sampled, second, "a line")}


def _points(sampled: Sampled, place: Any, what: str) -> dict[str, Any]:
    place = expressions(list(place) if isinstance(place, tuple) else place)
    if place.shape != (3,):
        raise ModelError(f"{what} is given by points of three components, not of shape {place.shape}")
    return exact(sampled[place])


def _chart(sampled: Sampled, title: str, series: Any) -> dict[str, Any]:
    """A chart of one expression, or of several by name."""
    if not isinstance(series, Mapping):
        series = {title: series}
    return {"title": title, "series": [{"name": name, "values": exact(sampled[e])} for name, e in series.items()]}


def _check_shapes(shapes: Mapping[Any, Shape], runs: Sequence[Course]) -> None:
    known = {part for run in runs for part in run.system.parts}
    for key, shape in shapes.items():
        if not isinstance(shape, Dot | Box | Rod | Wheel):
            raise ModelError(f"a shape is zm.Dot, zm.Box, zm.Rod or zm.Wheel, not {shape!r}")
        if isinstance(key, Part) and key not in known:
            raise ModelError(f"'{key.name}' has a shape, but is no part of the system that was run")
        if not isinstance(key, Part | tuple):
            raise ModelError(f"shapes belong to parts, or to points (x, y, z) as tuples, not to {key!r}")
