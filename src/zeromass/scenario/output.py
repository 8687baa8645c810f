"""[output]: what is written, where, and what the viewer draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from zeromass.contact import shapes
from zeromass.contact.pictures import Shape
from zeromass.errors import listed, nearest
from zeromass.expression import Expression
from zeromass.model import System
from zeromass.model.naming import names
from zeromass.report.plots import KINDS as PLOTS
from zeromass.scenario.kinds import ANY_LENGTH, Either, Kind, Numbers, Problem, Whole, Words
from zeromass.scenario.reading import OF_FORMULAS, Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.source import Key
from zeromass.scenario.tables import Argument, Items, Kinds, Named, Table

KEY = ("output",)
FASTEST = 1000
"""Samples a second."""

TIMES = Either((Whole(2, 10_000_000), Numbers(shapes=((ANY_LENGTH,),))))
SHAPES = (
    shapes.sphere,
    shapes.box,
    shapes.ellipsoid,
    shapes.cylinder,
    shapes.capsule,
    shapes.disc,
    shapes.ring,
    shapes.wheel,
)
POINT, FORMULA = Numbers("names", ((3,),)), Numbers("names")
SOMEWHERE = {"at": [0.0, 0.0, 0.0]}


@dataclass(frozen=True)
class Output:
    """What is written of a run.

    folder  where, below the current one; by default the name of the file
    plots   which; by default all that apply
    format  of the plots
    viewer  whether the page that plays the run is written
    table   whether a table in CSV is written
    times   a number of rows of the table, evenly spaced, or the times; by default the steps of the run
    """

    folder: str | None = None
    plots: Annotated[list[str] | None, Items(Words())] = None
    format: Literal["png", "svg", "pdf"] = "png"
    viewer: bool = True
    table: bool = True
    times: Annotated[int | tuple[float, ...] | None, TIMES] = None


def shape_tables() -> dict[str, Table]:
    """The kinds of shapes, by name; each gives a shape and its place, the name of a part or a point."""
    place = {
        "part": Argument(Words(), words="name of the particle or body that looks like this, or"),
        "at": Argument(POINT, words="a point, m"),
    }

    def placed(shape: Callable[..., Shape]) -> Callable[..., tuple[Shape, str, tuple[Any, ...]]]:
        return lambda part="", at=(), **sizes: (shape(**sizes), part, at)

    return {
        shape.__name__: replace(table(shape, more=place), make=placed(shape), rule=_one_place, instead=SOMEWHERE)
        for shape in SHAPES
    }


def _one_place(given: dict[str, Any]) -> Iterator[Problem]:
    if ("part" in given) == ("at" in given):
        yield (), 'a shape has one place: part = "…", the name of a particle or body, or at = […, …, …]'


def _line(a: Annotated[Any, POINT], b: Annotated[Any, POINT]) -> tuple[Any, Any]:
    """A straight line.

    a, b  its ends, m
    """
    return a, b


DRAWING: dict[str, Kind] = {
    "shapes": Items(Kinds(shape_tables)),
    "lines": Items(table(_line)),
    "trails": Items(POINT),
    "charts": Named(Either((Named(FORMULA), FORMULA))),
    "fps": Numbers(),
}
"""What the viewer draws: parts and points, lines between points, paths of points, {"title (unit)": formula, or
{name: formula}} instead of the default charts, and samples a second."""

DRAWN = {
    "shapes": "how the viewer draws parts and points",
    "lines": "between points",
    "trails": "paths of points, m",
    "charts": 'by "title (unit)", instead of the default ones; a table of formulas for several curves',
    "fps": "samples a second of the viewer",
}
TABLE = table(Output, more={key: Argument(kind, words=DRAWN[key]) for key, kind in DRAWING.items()})


def output(reader: Reader, given: dict[str, Any]) -> Output:
    """What is written."""
    known = [kind for kind in PLOTS if kind != "quantity"]
    for i, kind in enumerate(given.get("plots", ())):
        if kind not in known:
            words = nearest(kind, known) or f"; there are: {listed(known)}"
            reader.wrong(f"there is no plot '{kind}'{words}", (*KEY, "plots", i))
    return TABLE.read(reader, {key: value for key, value in given.items() if key not in DRAWING}, KEY, {})


def drawing(reader: Reader, given: dict[str, Any], system: System) -> dict[str, Any]:
    """What the viewer draws, as `run.view` takes it."""
    asked = {key: kind for key, kind in DRAWING.items() if key in given}
    known = names(system) if asked else {}
    own = {key: kind for key, kind in asked.items() if key != "shapes"}
    options = {key: kind.read(reader, given[key], (*KEY, key), known) for key, kind in own.items()}
    if "shapes" in asked:
        options["shapes"] = _placed(reader, system, given["shapes"], known)
    if "charts" in options:
        options["plots"] = options.pop("charts")
    if "fps" in options and not 0 < options["fps"] <= FASTEST:
        reader.wrong(f"it is {options['fps']:g}; it lies between 0 and {FASTEST}", (*KEY, "fps"))
    return options


def _placed(reader: Reader, system: System, given: list[Any], known: Mapping[str, Expression]) -> dict[Any, Shape]:
    """{part or point: shape}."""
    one = Kinds(shape_tables)
    parts = {part.name: part for part in system.parts}
    found: dict[Any, Shape] = {}
    for i, item in enumerate(given):
        with reader.noting():
            shape, part, at = one.read(reader, item, (*KEY, "shapes", i), known)
            key: Key = (*KEY, "shapes", i, "at" if at else "part")
            if part and part not in parts:
                hint = nearest(part, parts) or f"; there are: {listed(parts) or 'none'}"
                if not reader.in_doubt(part, beside=OF_FORMULAS):
                    reader.wrong(f"there is no particle or body '{part}'{hint}", key)
                continue
            place = at or parts[part]
            if place in found:
                raise reader.error("there is a shape at this place already", key)
            found[place] = shape
    return found
