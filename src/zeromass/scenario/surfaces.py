"""[rolling.surface]: a named surface, a formula, or measured heights, and how it moves.

The named ones are the functions of `zeromass.contact.surfaces`, with their arguments as keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, Literal

from zeromass.contact import Surface, surfaces
from zeromass.expression import Expression, Symbol, coordinate, evaluate, symbols
from zeromass.scenario.heights import HeightsError, heights_in
from zeromass.scenario.kinds import MANY, Kind, Names, Numbers, Problem, Words
from zeromass.scenario.reading import Reader
from zeromass.scenario.signatures import made_by, table
from zeromass.scenario.source import Key
from zeromass.scenario.tables import Argument, Kinds, Table, spelled

FEWEST = range(6, MANY)
"""Lines of a grid of heights: a spline of degree 5 needs six."""


class VelocityField(Numbers):
    """Velocity of a surface's material at a position: three formulas of X, Y, Z and t."""

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        def velocity(position: Any) -> Any:
            return Numbers("names").read(reader, given, key, dict(zip("XYZ", position, strict=True)))

        for e in velocity([coordinate(name) for name in "XYZ"]):
            _check_place(reader, e, key)
        return velocity


class ShapeFormula(Numbers):
    """f(X, Y, Z) of a formula, for expressions and for numbers."""

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        own = "XY" if key[-1] == "height" else "XYZ"
        at = [coordinate(name) for name in "XYZ"]

        def formula(*place: Any) -> Any:
            f = reader.expression(given, key, dict(zip(own, place, strict=False)))
            return place[2] - f if own == "XY" else f

        zero = formula(*at)
        _check_place(reader, zero, key)

        def shape(X: Any, Y: Any, Z: Any) -> Any:
            place = (X, Y, Z)
            if all(isinstance(x, Expression) for x in place):
                return formula(*place)
            return evaluate(zero, dict(zip(at, place, strict=True)))

        return shape


class HeightsFile(Words):
    """A file of heights beside the scenario."""

    def read(self, reader: Reader, given: Any, key: Key, names: Names) -> Any:
        try:
            return heights_in(reader.source.folder, given)
        except HeightsError as error:
            raise reader.error(str(error), key) from error


def _check_place(reader: Reader, e: Expression, key: Key) -> None:
    if any(isinstance(leaf, Symbol) and leaf.order > 0 for leaf in symbols(e)):
        reader.wrong("a surface is given by X, Y, Z, t and parameters, not by rates", key)


def _turned(axis: tuple[float, float, float], angle: Any) -> tuple[Any, Any]:
    """A turn about an axis through the origin.

    axis   its direction
    angle  rad
    """
    return axis, angle


MOTION: dict[str, Kind] = {
    "shift": Numbers("time", ((3,),)),
    "rotation": table(_turned, said={"angle": Numbers("time")}),
    "velocity": VelocityField("names", ((3,),)),
}
"""How a surface moves: formulas of t; the velocity of its material, of t, X, Y and Z."""


def _of_formula(
    height: Annotated[Any, ShapeFormula("names")] = None,
    implicit: Annotated[Any, ShapeFormula("names")] = None,
    side: Literal[1, -1] = 1,
    name: str = "surface",
    **motion: Any,
) -> Surface:
    """A surface by its formula: height Z = h(X, Y), or f(X, Y, Z) = 0 with bodies where f > 0 (side = 1).

    height    h, m, of X, Y, t and parameters
    implicit  f, of X, Y, Z, t and parameters
    """
    return Surface(implicit if height is None else height, side=side, name=name, **motion)


def _one_formula(given: dict[str, Any]) -> Iterator[Problem]:
    if ("height" in given) == ("implicit" in given):
        yield (), 'a surface has one formula: height = "…" in X and Y, or implicit = "…" in X, Y and Z'


def _of_heights(
    file: Annotated[Any, HeightsFile()] = None,
    x: Annotated[Any, Numbers(shapes=((FEWEST,),))] = None,
    y: Annotated[Any, Numbers(shapes=((FEWEST,),))] = None,
    z: Annotated[Any, Numbers(shapes=((FEWEST, FEWEST),))] = None,
    side: Literal[1, -1] = 1,
    name: str = "terrain",
    **motion: Any,
) -> Surface:
    """Measured heights z[i][j] over the lines x[i] and y[j] of a grid, m; here, or in a file beside the scenario.

    file  a table in CSV, or an .npz file with the arrays x, y and z, beside the scenario
    x, y  lines of the grid, m
    z     heights, m
    """
    return Surface.from_heights(*((x, y, z) if file is None else file), side=side, name=name, **motion)


def _one_source(given: dict[str, Any]) -> Iterator[Problem]:
    here = [letter in given for letter in "xyz"]
    if any(here) == ("file" in given) or any(here) != all(here):
        yield (), 'heights are given by x = […], y = […] and z = [[…], …], or by file = "….csv" or "….npz"'
    elif all(here):
        x, y, z = (given[letter] for letter in "xyz")
        if len(z) != len(x):
            words = f"it has {len(z)} rows, and x has {len(x)} lines; z[i][j] is the height over x[i], y[j]"
            yield ("z",), words
        for i, row in enumerate(z):
            if len(row) != len(y):
                yield ("z", i), f"it has {len(row)} heights, and y has {len(y)} lines"


@cache
def _named(make: Callable[..., Surface]) -> Table:
    return table(make, said=MOTION)


_MOTION = {name: Argument(kind) for name, kind in MOTION.items()}
_OTHER = {
    "terrain": table(_of_heights, more=_MOTION, rule=_one_source, blame="file"),
    "formula": table(_of_formula, more=_MOTION, rule=_one_formula, instead={"height": 0.0}),
}


def surface_tables() -> dict[str, Table]:
    """The kinds of surfaces, by name."""
    return {**{spelled(name): _named(make) for name, make in made_by(surfaces, Surface).items()}, **_OTHER}


SURFACE = Kinds(surface_tables, default="formula")
