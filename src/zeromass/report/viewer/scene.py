"""What the page shows: runs as arrays over time, with bodies, trails, arrows, lines, surfaces and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.contact.pictures import DRAWN, picture_of
from zeromass.errors import listed
from zeromass.errors import shown as short
from zeromass.expression import Expression, evaluate, expressions, heading
from zeromass.integrate import Course, Sampled
from zeromass.integrate.outcome import Ending
from zeromass.model import Chart, DrawnBody, ModelError, Part, RigidBody, Shape
from zeromass.model.connection import names_of
from zeromass.model.given import given_all, given_mapping, given_name, given_real, given_scalar
from zeromass.model.picture.charts import CROWD
from zeromass.model.picture.inertia import Placed
from zeromass.report.viewer.grounds import Grounds
from zeromass.report.viewer.hint import hint
from zeromass.report.viewer.inside import clear
from zeromass.report.viewer.joined import joints, links
from zeromass.report.viewer.pack import exact, path, unit
from zeromass.report.viewer.shapes import dot, placed, reach, usual
from zeromass.report.viewer.trails import trail

Point = np.ndarray | Sequence[Expression | float]
"""Three expressions."""

Series = Expression | Mapping[str, Expression]
"""What a chart shows: one expression, or several by name."""

FPS = 60.0
"""Samples a second, unless the run is so short or so long that the next two decide."""

FEWEST, MOST = 600, 6000
"""Samples of a run where no `fps` is asked for."""

MOST_ASKED = 10**7
"""Samples of a run that may be asked for: a page of more is larger than browsers read."""

MARKS = 400
"""Switches of formulas that are marked at most."""

FEW, BEAD, SMALLEST = 8, 0.36, 0.008
"""Dots from which on they are beads, their radius as a part of the way to the next, and the least one, of the scene."""

NOTHING = 1e-6
"""Part of the largest value of a chart's `least` below which a series is shown as none; so of forces beside energies."""


def scene(
    runs: Sequence[Course],
    *,
    names: Sequence[str],
    shapes: Mapping[Any, Any],
    lines: Sequence[tuple[Point, Point]],
    trails: Sequence[Point] | None,
    plots: Mapping[str, Series] | None,
    fps: float | None,
    reach: Sequence[Course] = (),
) -> dict[str, Any]:
    """Runs as the page reads them: numbers and packed arrays only; `reach` are motions that surfaces reach as far as."""
    chosen = [_pictures(shapes, run, runs) for run in runs]
    lines = given_all(lines, object, "lines", "two points")
    trails = None if trails is None else given_all(trails, object, "trails", "a point")
    grounds = Grounds()
    shown = []
    for run, name, own_shapes in zip(runs, names, chosen, strict=True):
        sampled = run.at(_times(run, fps))
        surface, beside = grounds.indices(run, sampled)
        content = {
            "name": name,
            "t": [float(sampled.t[0]), float(sampled.t[-1]), len(sampled)],
            "outcome": "" if run.outcome.ending is Ending.FINISHED else str(run.outcome),
            "kinds": _kinds(run),
            **_drawn(run, sampled, own_shapes),
            "surface": surface,
            "beside": beside,
            "lines": [{"kind": "line"} | _line(sampled, line) for line in lines],
        }
        content["links"] = _without(content["links"], content["lines"])
        if trails is not None:
            asked = [("path", "", _point(x, "a trail")) for x in trails]
            content["trails"] = [trail(run, sampled, *one, content["size"]) for one in asked]
        if plots is not None:
            charts = given_mapping(plots, "plots", "{title: expression, or several}")
            content["charts"] = [_chart(sampled, title, series) for title, series in charts.items()]
        shown.append(content)
    for run in reach:
        grounds.reach(run, run.at(np.linspace(run.t[0], run.t[-1], FEWEST)))
    seen = any(run[kind] for run in shown for kind in ("bodies", "links", "joints", "lines"))
    told = {} if seen else {"hint": hint(runs[0].system)}
    return {"runs": shown, "surfaces": grounds.data()} | told


def _times(run: Course, fps: float | None) -> np.ndarray:
    low, high = sorted((float(run.t[0]), float(run.t[-1])))
    if not high > low:
        raise ModelError(f"the run has no duration, there is nothing to play: {run.outcome}")
    if fps is None:
        count = int(np.clip(np.ceil(FPS * (high - low)), FEWEST, MOST))
    elif np.isfinite(fps := given_real(fps, "fps")) and 0 < fps * (high - low) <= MOST_ASKED:
        count = max(int(np.ceil(fps * (high - low))), 2)
    else:
        raise ModelError(f"fps is {fps:g}; it is a number of samples a second, at most {MOST_ASKED:g} of a run")
    return np.linspace(low, high, count + 1)


def _kinds(run: Course) -> list[Any]:
    """Kinds of motion, each with the time from which on it is that, or formulas that switch; none where nothing changes."""
    if len(run.modes) == 1:
        names = names_of(run.system.joints)
        said = {s.expression: f"'{heading(s.expression, names)}'" for s in run.switches}
        switched = [[s.t, f"{said[s.expression]} {'switches' if s.direction else 'holds'}"] for s in run.switches]
        return sorted([[float(min(run.t[0], run.t[-1])), ""], *switched]) if 0 < len(switched) <= MARKS else []
    ends = [float(run.t[0]), *run.changes, float(run.t[-1])]
    return sorted([min(a, b), kind] for a, b, kind in zip(ends, ends[1:], run.modes, strict=False))


def _drawn(run: Course, sampled: Sampled, shapes: Mapping[Any, Shape]) -> dict[str, Any]:
    """What the system says of its looks, as arrays over time, with the shapes that were chosen."""
    drawing = run.system.drawing_at(run.parameters)
    places = [
        DrawnBody("", _point(place, "a shape"), shape=shape) for place, shape in shapes.items() if _is_place(place)
    ]
    bodies = [*_chosen(drawing.bodies, shapes), *places]
    joined = links(sampled, drawing)
    scenery = [sampled[body.position] for body in bodies if body.part is not None or body.shape is None]
    size = _size(scenery + joined.ends)
    made = [_body(run, body, size) for body in bodies]
    largest = max((reach(shape) for body, shape in zip(bodies, made, strict=True) if not _is_dot(shape)), default=0.0)
    room = _room([sampled[body.position] for body, shape in zip(bodies, made, strict=True) if _is_dot(shape)], size)
    dots = [_value(run, body) for body, shape in zip(bodies, made, strict=True) if _is_dot(shape)]
    for body, shape in zip(bodies, made, strict=True):
        if _is_dot(shape) and body.shape is None:
            shape["radius"] = min(_dot_radius(shape, size, largest, _value(run, body), max(dots)), room)
    moving = [_moving(sampled, body, shape) for body, shape in zip(bodies, made, strict=True)]
    _seen_through(moving, sampled, bodies)
    touches = any(arrow.kind == "normal" for arrow in drawing.arrows)
    _toned(moving, [one.name for one in drawing.trails])
    _two_toned(moving, {link.name for link in drawing.links}, touches=touches)
    paths = [(one.kind, one.name, one.point) for one in drawing.trails]
    paths += [("path", body.name, body.position) for body in places]
    return {
        "size": size,
        "bodies": moving,
        "trails": [trail(run, sampled, *one, size) for one in paths],
        "arrows": [
            {
                "kind": arrow.kind,
                "name": arrow.name,
                "at": path(sampled[arrow.at]),
                "vector": exact(sampled[arrow.vector]),
            }
            for arrow in drawing.arrows
        ],
        "quiet": _quiet(run, sampled, size) if drawing.arrows else 0.0,
        "links": joined.data,
        "joints": joints(sampled, drawing),
        "floor": None if drawing.floor is None else {"name": drawing.floor.name, "height": drawing.floor.height},
        "charts": [_declared(sampled, chart) for chart in drawing.charts],
    }


def _quiet(run: Course, sampled: Sampled, size: float) -> float:
    """Forces below this, N, are drawn as none: they would not change in the way of the scene what moves; 0 if unknown."""
    try:
        return NOTHING * float(np.nanmax(np.abs(sampled[run.system.kinetic]))) / size
    except ModelError:  # a Lagrangian need not say which of its terms is which
        return 0.0


def _is_dot(shape: Mapping[str, Any]) -> bool:
    return shape["kind"] == "dot"


def _value(run: Course, body: DrawnBody) -> float:
    """The mass of a particle, kg; 1 of a point that has none."""
    return 1.0 if body.part is None else float(evaluate(body.part.mass, dict(run.parameters)))


def _room(places: Sequence[np.ndarray], size: float) -> float:
    """Radius at which dots of a chain or a net still are beads, m: less than half the way to the next, as it usually is."""
    if len(places) < FEW:
        return np.inf
    first = np.stack([place[0] for place in places])
    apart = np.linalg.norm(first[:, None] - first[None], axis=2) + np.diag(np.full(len(first), np.inf))
    return max(BEAD * float(np.median(apart.min(axis=1))), SMALLEST * size)


def _dot_radius(shape: Mapping[str, Any], size: float, largest: float, mass: float, heaviest: float) -> float:
    """Of a particle, the larger the heavier, m; a mark is small beside the bodies."""
    if shape["marker"]:
        return min(0.011 * size, 0.06 * largest or np.inf)
    return 0.024 * size * float(np.clip(np.cbrt(mass / heaviest), 0.6, 1.0))


def _without(links: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Links but those that a user draws as lines."""
    drawn = [ends for line in lines for ends in ((line["from"], line["to"]), (line["to"], line["from"]))]
    return [link for link in links if (link["from"], link["to"]) not in drawn]


def _is_place(key: Any) -> bool:
    return not isinstance(key, Part)


def _chosen(bodies: Sequence[DrawnBody], shapes: Mapping[Any, Shape]) -> list[DrawnBody]:
    """Bodies, where a shape was chosen for a part in that alone, which has its middle at the mass centre."""
    found: dict[Any, DrawnBody] = {}
    for k, body in enumerate(bodies):
        part = body.part
        if part is None or part not in shapes:
            found[k] = body
            continue
        quaternion = part.quaternion if isinstance(part, RigidBody) else None
        found.setdefault(part, DrawnBody(body.name, part.position, quaternion, shapes[part], part))
    return list(found.values())


def _body(run: Course, body: DrawnBody, size: float) -> dict[str, Any]:
    """The shape of a body."""
    if body.shape is not None:
        return placed(Placed(body.shape, body.turn, body.middle))
    return dot(0.024 * size) if body.part is None else usual(body.part, run.parameters, size)


def _moving(sampled: Sampled, body: DrawnBody, shape: dict[str, Any]) -> dict[str, Any]:
    data = {"name": body.name, "position": path(sampled[body.position]), "shape": shape}
    if body.quaternion is not None:
        data["quaternion"] = unit(sampled[body.quaternion])
    return data | ({"scenery": True} if body.scenery else {})


def _seen_through(moving: list[dict[str, Any]], sampled: Sampled, bodies: Sequence[DrawnBody]) -> None:
    """Bodies that have others inside them are clear."""
    places = [sampled[body.position] for body in bodies]
    turns = [None if body.quaternion is None else sampled[body.quaternion] for body in bodies]
    for body, found in zip(moving, clear(moving, places, turns), strict=True):
        if found:
            body["clear"] = True


def _toned(moving: list[dict[str, Any]], traced: Sequence[str]) -> None:
    """Which colour each body has: its place among their names; of a crowd only those that leave trails, as in the charts."""
    names = list(dict.fromkeys(body["name"] for body in moving))
    among = traced if 0 < len(traced) < len(names) > CROWD else names
    for k, body in enumerate(moving):
        name = body["name"]
        body["tone"] = k if not name else among.index(name) if name in among else None


def _two_toned(moving: list[dict[str, Any]], arms: set[str], *, touches: bool) -> None:
    """A ball, and any body that rolls or slides, has two colours, so that one sees it turn; the middle of arms has one."""
    names = [body["name"] for body in moving]
    for body in moving:
        turns = "quaternion" in body and not body.get("scenery") and names.count(body["name"]) == 1
        if turns and body["name"] not in arms and body["shape"]["kind"] in ("dot", "mesh" if touches else "dot"):
            body["shape"]["toned"] = True


def _declared(sampled: Sampled, chart: Chart) -> dict[str, Any]:
    data = _chart(sampled, chart.title, chart.series)
    return data if chart.least is None else data | {"least": NOTHING * float(sampled[chart.least].max())}


def _size(places: list[np.ndarray]) -> float:
    """By what marks are measured, m: the longest side of the box of all places, at most twice that at any one time.

    What travels far is not larger for that. 1 where there is no place, or only one that rests.
    """
    if not places:
        return 1.0
    whole = float(np.ptp(np.concatenate(places), axis=0).max())
    together = [place for place in places if len(place) == max(map(len, places))]  # but for rails, which rest
    once = float(np.ptp(np.stack(together), axis=0).max())
    return (min(whole, 2 * once) if once > 0 else whole) or 1.0


def _line(sampled: Sampled, line: Any) -> dict[str, Any]:
    try:
        first, second = line
    except (TypeError, ValueError):
        raise ModelError(f"a line is a pair of points, not {short(line)}") from None
    ends = [path(sampled[_point(place, "a line")]) for place in (first, second)]
    return {"from": ends[0], "to": ends[1]}


def _point(place: Any, what: str) -> np.ndarray:
    place = expressions(list(place) if isinstance(place, tuple) else place)
    if place.shape != (3,):
        raise ModelError(f"{what} is given by points of three components, not of shape {place.shape}")
    return place


def _chart(sampled: Sampled, title: str, series: Any) -> dict[str, Any]:
    """A chart of one expression, or of several by name."""
    if not isinstance(series, Mapping):
        series = {title: series}
    given_name(title, "a chart")
    named = {
        given_name(name, "a curve"): given_scalar(e, f"'{name}' of the chart '{title}'") for name, e in series.items()
    }
    return {"title": title, "series": [{"name": name, "values": exact(sampled[e])} for name, e in named.items()]}


def _pictures(shapes: Mapping[Any, Any], run: Course, runs: Sequence[Course]) -> dict[Any, Any]:
    """The shapes that were chosen, as they are drawn, by part or by point."""
    known = {part for one in runs for part in one.system.parts}
    named = {part.name: part for part in run.system.parts}
    found: dict[Any, Any] = {}
    for key, shape in given_mapping(shapes, "shapes", "{part: zm.shapes.sphere(…) or another shape}").items():
        if not isinstance(shape, DRAWN):
            raise ModelError(f"a shape is one of zm.shapes, such as zm.shapes.sphere(0.05), not {short(shape)}")
        if isinstance(key, str) and not any(key == part.name for part in known):
            raise ModelError(f"there is no part '{key}' to draw; there are: {listed(sorted(named))}")
        if isinstance(key, Part) and key not in known:
            raise ModelError(f"'{key.name}' has a shape, but is no part of the system that was run")
        if not isinstance(key, Part | tuple | str):
            raise ModelError(f"shapes belong to parts, or to points (x, y, z) as tuples, not to {short(key)}")
        if not isinstance(key, str) or key in named:
            found[named[key] if isinstance(key, str) else key] = picture_of(shape, run.parameters)
    return found
