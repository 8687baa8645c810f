"""The tables of a rolling body: [rolling], its body, surface and start. Unknown keys and wrong types are refused.

A number may also be a formula in quotes, such as "3*pi" or "m*g". Lengths are in m, masses in kg, times in s.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from zeromass.scenario.tokens import LONGEST


def _formula(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("this is a number, or a formula in quotes")
    if isinstance(value, str) and not 0 < len(value) <= LONGEST:
        raise ValueError(f"a formula has between 1 and {LONGEST} characters")
    if not isinstance(value, str) and not abs(value) <= sys.float_info.max:
        raise ValueError("a number is finite")
    return value


Formula = Annotated[Any, BeforeValidator(_formula)]
"""A number, or a formula in quotes."""

Vector = Annotated[list[Formula], Field(min_length=3, max_length=3)]
Words = Annotated[str, Field(min_length=1, max_length=200)]


class Table(BaseModel):
    """A table of the file: strict, complete, immutable."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Ball(Table):
    """A homogeneous ball."""

    kind: Literal["ball"]
    radius: Formula
    mass: Formula
    name: Words = "ball"


class Shell(Table):
    """A homogeneous shell."""

    kind: Literal["shell"]
    outer: Formula
    inner: Formula
    mass: Formula
    name: Words = "shell"


class TwoMaterialShell(Table):
    """A shell of two halves."""

    kind: Literal["two-material shell"]
    outer: Formula
    inner: Formula
    densities: Annotated[list[Formula], Field(min_length=2, max_length=2)]
    name: Words = "shell"


class CustomBody(Table):
    """A body with a spherical outside and any mass distribution."""

    kind: Literal["custom"]
    radius: Formula
    mass: Formula
    inertia: Vector | Annotated[list[Vector], Field(min_length=3, max_length=3)]
    center_of_mass: Vector = Field(default=[0.0, 0.0, 0.0])
    name: Words = "body"


Body = Annotated[Ball | Shell | TwoMaterialShell | CustomBody, Field(discriminator="kind")]


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
    | Annotated[Given, Tag("formula")],
    Discriminator(_surface_kind),
]
Place = Annotated[list[Formula], Field(min_length=2, max_length=3)]


class RollingStart(Table):
    """[rolling.start]."""

    contact: Place
    velocity: Place = Field(default=[0.0, 0.0])
    spin: Formula | None = None
    orientation: Literal["x-axis along the normal"] | Annotated[list[Formula], Field(min_length=3, max_length=4)] = (
        Field(default=[1.0, 0.0, 0.0, 0.0])
    )
    relative: bool = False
    t: Formula = 0.0
    guess: Formula = 0.0


class Rolling(Table):
    """[rolling]: a spherical body on a surface."""

    body: Body
    surface: Surface
    gravity: Vector | Formula = 9.81
    spin: Literal["free", "none"] = "free"
    conserve_energy: bool = False
    contact: Literal["one-sided", "two-sided"] = "one-sided"
    friction: Formula | None = None
    start: RollingStart
