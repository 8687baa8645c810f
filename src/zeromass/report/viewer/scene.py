"""What the page shows: runs as arrays over time, with bodies, trails, arrows, lines, surfaces and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, expressions
from zeromass.integrate import Course, Sampled
from zeromass.integrate.outcome import Ending
from zeromass.model import Box, Chart, Dot, DrawnBody, ModelError, Part, RigidBody, Rod, Shape, Wheel
from zeromass.report.viewer.grounds import Grounds
from zeromass.report.viewer.pack import exact, unit
from zeromass.report.viewer.shapes import described, usual

Point = np.ndarray | Sequence[Expression | float]
"""Three expressions."""

Series = Expression | Mapping[str, Expression]
"""What a chart shows: one expression, or several by name."""

FPS = 60.0
"""Samples a second, unless the run is so short or so long that the next two decide."""

FEWEST, MOST = 600, 6000
"""Samples of a run where no `fps` is asked for."""

NOTHING = 1e-6
"""Part of the largest value of a chart's `least` below which a series is shown as none."""


def scene(
    runs: Sequence[Course],
    *,
    names: Sequence[str],
    shapes: Mapping[Any, Shape],
    lines: Sequence[tuple[Point, Point]],
    trails: Sequence[Point] | None,
    plots: Mapping[str, Series] | None,
    fps: float | None,
) -> dict[str, Any]:
    """Runs as the page reads them: numbers and packed arrays only."""
    _check_shapes(shapes, runs)
    grounds = Grounds()
    shown = []
    for run, name in zip(runs, names, strict=True):
        sampled = run.at(_times(run, fps))
        content = {
            "name": name,
            "t": [float(sampled.t[0]), float(sampled.t[-1]), len(sampled)],
            "outcome": "" if run.outcome.ending is Ending.FINISHED else str(run.outcome),
            "kinds": _kinds(run),
            **_drawn(run, sampled, shapes),
            "surface": grounds.index(run, sampled),
            "lines": [{"kind": "line"} | _line(sampled, line) for line in lines],
        }
        if trails is not None:
            content["trails"] = [{"kind": "path", "name": "", "points": _points(sampled, x, "a trail")} for x in trails]
        if plots is not None:
            content["charts"] = [_chart(sampled, title, series) for title, series in plots.items()]
        shown.append(content)
    return {"runs": shown, "surfaces": grounds.data()}


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


def _kinds(run: Course) -> list[Any]:
    """Kinds of motion, each with the time from which on it is that; none where it never changes."""
    if len(run.kinds) == 1:
        return []
    ends = [float(run.t[0]), *run.changes, float(run.t[-1])]
    return sorted([min(a, b), kind] for a, b, kind in zip(ends, ends[1:], run.kinds, strict=False))


def _drawn(run: Course, sampled: Sampled, shapes: Mapping[Any, Shape]) -> dict[str, Any]:
    """What the system says of its looks, as arrays over time, with the shapes that were chosen."""
    drawing = run.system.drawing_at(run.parameters)
    places = [
        DrawnBody("", _point(place, "a shape"), shape=shape) for place, shape in shapes.items() if _is_place(place)
    ]
    bodies = [_chosen(body, shapes) for body in drawing.bodies] + places
    size = _size([sampled[body.position] for body in bodies if body.part is not None])
    trails = [(trail.kind, trail.name, trail.point) for trail in drawing.trails]
    trails += [("path", body.name, body.position) for body in places]
    return {
        "bodies": [_body(run, sampled, body, size) for body in bodies],
        "trails": [{"kind": kind, "name": name, "points": exact(sampled[point])} for kind, name, point in trails],
        "arrows": [
            {
                "kind": arrow.kind,
                "name": arrow.name,
                "at": exact(sampled[arrow.at]),
                "vector": exact(sampled[arrow.vector]),
            }
            for arrow in drawing.arrows
        ],
        "links": [],
        "joints": [],
        "charts": [_declared(sampled, chart) for chart in drawing.charts],
    }


def _is_place(key: Any) -> bool:
    return not isinstance(key, Part)


def _chosen(body: DrawnBody, shapes: Mapping[Any, Shape]) -> DrawnBody:
    """A body in the shape that was chosen for its part, which has its middle at the mass centre."""
    part = body.part
    if part is None or part not in shapes:
        return body
    quaternion = part.quaternion if isinstance(part, RigidBody) else None
    return DrawnBody(body.name, part.position, quaternion, shapes[part], part)


def _body(run: Course, sampled: Sampled, body: DrawnBody, size: float) -> dict[str, Any]:
    if body.shape is not None:
        shape = described(body.shape)
    elif body.part is not None:
        shape = usual(body.part, run.parameters, size)
    else:
        raise ModelError(f"'{body.name}' is drawn, but has neither a shape nor a part")
    data = {"name": body.name, "position": exact(sampled[body.position]), "shape": shape}
    if body.quaternion is not None:
        data["quaternion"] = unit(sampled[body.quaternion])
    return data


def _declared(sampled: Sampled, chart: Chart) -> dict[str, Any]:
    data = _chart(sampled, chart.title, chart.series)
    return data if chart.least is None else data | {"least": NOTHING * float(sampled[chart.least].max())}


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
    return exact(sampled[_point(place, what)])


def _point(place: Any, what: str) -> np.ndarray:
    place = expressions(list(place) if isinstance(place, tuple) else place)
    if place.shape != (3,):
        raise ModelError(f"{what} is given by points of three components, not of shape {place.shape}")
    return place


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
