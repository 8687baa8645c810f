"""The table [rolling.surface]: a named surface, a formula, or measured heights, and how it moves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from zeromass.scenario.tables import Formula, Table, Vector, Words

FEWEST = 6
"""Lines of a grid of heights: a spline of degree 5 needs as many."""

Lines = Annotated[list[Formula], Field(min_length=FEWEST)]


class Turn(Table):
    """A rotation of a surface: about an axis, by an angle in rad, a formula of t."""

    axis: Vector
    angle: Formula


class Moving(Table):
    """How a surface moves: formulas of t; `velocity` of its material, of t, X, Y, Z."""

    shift: Vector | None = None
    rotation: Turn | None = None
    velocity: Vector | None = None


class Plane(Moving):
    kind: Literal["plane"]
    slope: Formula = 0.0


class Round(Moving):
    """A sphere or a cylinder."""

    kind: Literal["sphere", "cylinder"]
    radius: Formula
    inside: bool = False


class Cone(Moving):
    kind: Literal["cone"]
    slope: Formula


class Paraboloid(Moving):
    kind: Literal["paraboloid"]
    curvature: Formula


class Torus(Moving):
    kind: Literal["torus"]
    radius: Formula
    tube: Formula
    inside: bool = False


class DimpledBowl(Moving):
    kind: Literal["dimpled bowl"]
    h1: Formula | None = None
    h2: Formula | None = None
    h3: Formula | None = None
    h4: Formula | None = None
    h5: Formula | None = None


class Given(Moving):
    """A surface by its formula: height Z = h(X, Y), or f(X, Y, Z) = 0 with bodies where f > 0 (side = 1)."""

    kind: Literal["formula"] = "formula"
    height: Formula | None = None
    implicit: Formula | None = None
    side: Literal[1, -1] = 1
    name: Words = "surface"

    @model_validator(mode="after")
    def one_formula(self) -> Given:
        if (self.height is None) == (self.implicit is None):
            raise ValueError('a surface has one formula: height = "…" in X and Y, or implicit = "…" in X, Y and Z')
        return self


class Terrain(Moving):
    """Measured heights z[i][j] over the lines x[i] and y[j] of a grid, m; here, or in a file beside the scenario."""

    kind: Literal["terrain"]
    file: Words | None = None
    x: Lines | None = None
    y: Lines | None = None
    z: Annotated[list[Lines], Field(min_length=FEWEST)] | None = None
    side: Literal[1, -1] = 1
    name: Words = "terrain"

    @model_validator(mode="after")
    def one_source(self) -> Terrain:
        here = [x is not None for x in (self.x, self.y, self.z)]
        if any(here) == (self.file is not None) or any(here) != all(here):
            raise ValueError('heights are given by x = […], y = […] and z = [[…], …], or by file = "….csv" or "….npz"')
        return self


def _surface_kind(value: Any) -> Any:
    kind = value.get("kind", "formula") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) else None


Surface = Annotated[
    Annotated[Plane, Tag("plane")]
    | Annotated[Round, Tag("sphere")]
    | Annotated[Round, Tag("cylinder")]
    | Annotated[Cone, Tag("cone")]
    | Annotated[Paraboloid, Tag("paraboloid")]
    | Annotated[Torus, Tag("torus")]
    | Annotated[DimpledBowl, Tag("dimpled bowl")]
    | Annotated[Terrain, Tag("terrain")]
    | Annotated[Given, Tag("formula")],
    Discriminator(_surface_kind),
]
