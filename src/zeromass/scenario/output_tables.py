"""The table [output]: what is written, where, and how the viewer draws a system."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from zeromass.scenario.tables import Formula, Table, Vector, Words


class ShapeTable(Table):
    """[[output.shapes]]: how the viewer draws a particle or a body, by its name, or a point, by three formulas."""

    part: Words | None = None
    at: Vector | None = None

    @model_validator(mode="after")
    def one_place(self) -> ShapeTable:
        if (self.part is None) == (self.at is None):
            raise ValueError('a shape has one place: part = "…", the name of a particle or body, or at = […, …, …]')
        return self


class DotTable(ShapeTable):
    kind: Literal["dot"]
    radius: Formula


class BoxTable(ShapeTable):
    """Sides along the axes of the body."""

    kind: Literal["box"]
    sides: Vector


class RodTable(ShapeTable):
    """A round rod along an axis of the body, its middle at the mass centre."""

    kind: Literal["rod"]
    length: Formula
    radius: Formula
    axis: Vector = Field(default=[0.0, 0.0, 1.0])


class WheelTable(ShapeTable):
    """A wheel that turns about an axis of the body."""

    kind: Literal["wheel"]
    radius: Formula
    width: Formula
    axis: Vector = Field(default=[0.0, 0.0, 1.0])


Shape = Annotated[DotTable | BoxTable | RodTable | WheelTable, Field(discriminator="kind")]


class LineTable(Table):
    """A line between two points, three formulas each."""

    a: Vector
    b: Vector


class Output(Table):
    """[output]: what is written, and where.

    times                    a number of rows of the table, evenly spaced, or the times
    shapes, lines, trails    what the viewer draws: parts and points, lines between points, paths of points
    charts                   {"title (unit)": formula, or {name: formula}} in the viewer, instead of the usual ones
    fps                      samples a second in the viewer
    """

    folder: Words | None = None
    plots: list[Words] | None = None
    format: Literal["png", "svg", "pdf"] = "png"
    viewer: bool = True
    table: bool = True
    times: Annotated[int, Field(ge=2, le=10_000_000)] | list[Formula] | None = None
    shapes: list[Shape] = Field(default=[])
    lines: list[LineTable] = Field(default=[])
    trails: list[Vector] | None = None
    charts: dict[Words, Formula | dict[Words, Formula]] | None = None
    fps: Formula | None = None
