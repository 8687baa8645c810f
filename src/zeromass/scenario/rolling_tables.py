"""The tables of a rolling body: [rolling], its body, forces and start; its surface is in `surface_tables`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from zeromass.scenario.surface_tables import Surface
from zeromass.scenario.tables import Formula, Table, Vector, Words


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


Zero = Field(default=[0.0, 0.0, 0.0])


class ForceTable(Table):
    """[[rolling.forces]]: N, in the inertial frame, at a point of the body, given in its axes from its mass centre."""

    force: Vector
    at: Vector = Zero


class TorqueTable(Table):
    """[[rolling.torques]]: on the body, N m, in the inertial frame or in that of the body."""

    torque: Vector
    frame: Literal["inertial", "body"] = "inertial"


class Between(Table):
    """From a point of the body, given in its axes from its mass centre, to a point in space."""

    at: Vector = Zero
    to: Vector = Zero


class SpringTable(Between):
    """[[rolling.springs]]; `length` is the unstretched one."""

    stiffness: Formula
    length: Formula = 0.0


class DamperTable(Between):
    """[[rolling.dampers]]."""

    damping: Formula


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
    forces: list[ForceTable] = Field(default=[])
    torques: list[TorqueTable] = Field(default=[])
    springs: list[SpringTable] = Field(default=[])
    dampers: list[DamperTable] = Field(default=[])
    start: RollingStart
