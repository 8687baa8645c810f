"""What the viewer draws of a scenario's run: shapes, lines, trails and charts of [output]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zeromass.contact import Rolling
from zeromass.expression import Expression
from zeromass.model import System
from zeromass.scenario.errors import listed, nearest
from zeromass.scenario.models import names
from zeromass.scenario.output_tables import Output, Shape
from zeromass.scenario.reading import Reader
from zeromass.scenario.source import Key

FASTEST = 1000
"""Samples a second."""


def drawing(reader: Reader, system: System) -> dict[str, Any]:
    """What [output] says of the viewer, as `run.view` takes it."""
    output = reader.document.output
    asked = any((output.shapes, output.lines, output.trails, output.charts))
    known = names(system) if asked else {}
    options: dict[str, Any] = {}
    if output.shapes:
        options["shapes"] = _shapes(reader, system, output, known)
    if output.lines:
        options["lines"] = [
            tuple(reader.vector(getattr(line, end), ("output", "lines", i, end), known) for end in "ab")
            for i, line in enumerate(output.lines)
        ]
    if output.trails is not None:
        options["trails"] = [
            reader.vector(point, ("output", "trails", i), known) for i, point in enumerate(output.trails)
        ]
    if output.charts is not None:
        options["plots"] = _charts(reader, output.charts, known)
    if output.fps is not None:
        options["fps"] = reader.number(output.fps, ("output", "fps"))
        if not 0 < options["fps"] <= FASTEST:
            raise reader.error(f"it is {options['fps']:g}; it lies between 0 and {FASTEST}", ("output", "fps"))
    return options


def _shapes(reader: Reader, system: System, output: Output, known: Mapping[str, Expression]) -> dict[Any, Any]:
    """{part or point: shape}."""
    if isinstance(system, Rolling):
        raise reader.error("a rolling body is drawn as it is; shapes are for a [system]", ("output", "shapes"))
    parts = {part.name: part for part in system.parts}
    found: dict[Any, Any] = {}
    for i, table in enumerate(output.shapes):
        key = ("output", "shapes", i)
        if table.at is not None:
            place: Any = tuple(reader.vector(table.at, (*key, "at"), known))
        elif table.part in parts:
            place = parts[table.part]
        else:
            hint = nearest(str(table.part), parts) or f"; there are: {listed(parts) or 'none'}"
            raise reader.error(f"there is no particle or body '{table.part}'{hint}", (*key, "part"))
        if place in found:
            raise reader.error("there is a shape at this place already", (*key, "part" if table.at is None else "at"))
        found[place] = _shape(reader, table, key)
    return found


def _shape(reader: Reader, table: Shape, key: Key) -> Any:
    from zeromass.report.viewer import Box, Dot, Rod, Wheel

    kinds: dict[str, Any] = {"dot": Dot, "box": Box, "rod": Rod, "wheel": Wheel}
    sizes: dict[str, Any] = {}
    for name, given in table.model_dump(exclude={"kind", "part", "at"}).items():
        place = (*key, name)
        sizes[name] = tuple(reader.numbers(given, place)) if isinstance(given, list) else reader.number(given, place)
    with reader.pointing(*key):
        return kinds[table.kind](**sizes)


def _charts(reader: Reader, given: Mapping[str, Any], known: Mapping[str, Expression]) -> dict[str, Any]:
    """{title: expression or {name: expression}}."""
    found: dict[str, Any] = {}
    for title, series in given.items():
        key = ("output", "charts", title)
        if isinstance(series, dict):
            found[title] = {name: reader.expression(e, (*key, name), known) for name, e in series.items()}
        else:
            found[title] = reader.expression(series, key, known)
    return found
