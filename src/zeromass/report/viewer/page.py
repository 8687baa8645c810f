"""The page: data, scripts and looks in one HTML file that asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from zeromass.contact.pictures import Shape
from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_all, given_choice, given_kind, given_mapping
from zeromass.report.palette import for_page
from zeromass.report.viewer.scene import Point, Series, scene
from zeromass.report.writing import PAGES, with_ending, write

if TYPE_CHECKING:
    from zeromass.report.viewer.living import Living
    from zeromass.report.viewer.sliders import Sliders

STATIC = Path(__file__).parent / "static"

SCRIPTS = (
    "data.js",
    "colors.js",
    "materials.js",
    "surface.js",
    "figures.js",
    "bodies.js",
    "links.js",
    "stage.js",
    "charts.js",
    "camera.js",
    "legend.js",
    "film.js",
    "player.js",
    "living.js",
    "pull.js",
    "linked.js",
)
"""Joined in this order to one module."""

LAYOUTS = ("overlay", "side by side")


def view(
    runs: Course | Sequence[Course],
    path: str | PathLike[str],
    *,
    others: Sequence[Course] = (),
    layout: Literal["overlay", "side by side"] = "overlay",
    names: Sequence[str] | None = None,
    shapes: Mapping[Any, Shape] | None = None,
    lines: Sequence[tuple[Point, Point]] = (),
    trails: Sequence[Point] | None = None,
    plots: Mapping[str, Series] | None = None,
    fps: float | None = None,
    title: str | None = None,
    sliders: Sliders | None = None,
    source: str | None = None,
) -> Path:
    """Writes an HTML file that plays runs, and returns its path; the other arguments are those of `Run.view`."""
    path = with_ending(path, "a page", PAGES)
    given_choice(layout, "layout", LAYOUTS)
    if title is not None:
        given_kind(title, str, "title", "a word")
    everything = [runs] if isinstance(runs, Course) else given_all(runs, Course, "runs", "a run")
    everything += given_all(others, Course, "others", "a run")
    if not everything:
        raise ModelError("there is no run to view")
    names = (
        [f"run {i + 1}" for i in range(len(everything))] if names is None else given_all(names, str, "names", "a word")
    )
    if len(names) != len(everything):
        raise ModelError(f"{len(everything)} runs have {len(names)} names")
    if sliders is not None:
        given_mapping(sliders, "sliders", "{parameter: (from, to)}")
    living = _living(everything, sliders, source) if sliders else None
    drawn = everything if living is None else [living.course]
    reach = () if living is None else living.reach
    looks: dict[str, Any] = {
        "names": names,
        "shapes": {} if shapes is None else shapes,
        "lines": lines,
        "trails": trails,
        "plots": plots,
    }
    data = scene(drawn, **looks, fps=fps, reach=reach)
    if living is not None:
        data["living"] = living.data(data)
    data["layout"] = layout
    data["title"] = everything[0].system.drawing.title if title is None else title
    text = page(data)
    return write(path, lambda place: place.write_text(text, encoding="utf-8"))


def _living(runs: Sequence[Course], sliders: Sliders, source: str | None) -> Living:
    from zeromass.report.viewer.living import Living  # most pages only play

    if len(runs) > 1:
        raise ModelError("sliders make one motion anew; leave the other runs out")
    return Living(runs[0], sliders, source)


def slider_values(run: Course, sliders: Sliders | None) -> dict[str, float]:
    """What the sliders of a page are set to at first, by their names."""
    if sliders is None:
        return {}
    from zeromass.report.viewer.sliders import sliders_of

    return {slider.name: slider.value for slider in sliders_of(run, sliders)[1]}


def page(data: Mapping[str, Any]) -> str:
    """The text of the page for the data of a scene."""
    style, three = _static("viewer.css") + _static("living.css"), _static("three.min.js")
    script = "\n".join(_static(name) for name in SCRIPTS)
    alive = "living" in data  # motions are made in a worker of the page's own
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(three)} {_hash(script)}" + (" 'wasm-unsafe-eval'" if alive else ""),
            *(["worker-src blob:"] if alive else []),
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "media-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    # Inside a script element only "<" can end the element or open a comment.
    pooled = _pooled({**data, "palette": for_page()})
    text = json.dumps(pooled, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {
        "policy": policy,
        "title": html.escape(str(data["title"])),
        "style": style,
        "licence": html.escape(_static("three.LICENSE")).replace("--", "- -"),
        "data": text,
        "three": three,
        "script": script,
    }
    pieces = _static("viewer.html").split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:]))


def _pooled(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data with each packed array stored once, in `arrays`, and referred to by its place there."""
    arrays: dict[str, int] = {}
    stored: list[Any] = []

    def walk(item: Any) -> Any:
        if isinstance(item, Mapping) and "data" in item and "shape" in item:
            key = json.dumps(item)
            if key not in arrays:
                arrays[key] = len(stored)
                stored.append(item)
            return {"array": arrays[key]}
        if isinstance(item, Mapping):
            return {name: walk(value) for name, value in item.items()}
        return [walk(value) for value in item] if isinstance(item, list) else item

    return walk(data) | {"arrays": stored}


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The source of an inline element as the content policy names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
