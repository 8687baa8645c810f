"""What a scenario file may contain. Unknown keys, wrong types, not-a-number and infinities are refused.

A number may also be a formula in quotes, such as "3*pi" or "m*g". Lengths are in m, masses in kg, times in s.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from zeromass.scenario.output_tables import Output
from zeromass.scenario.rolling_tables import Rolling
from zeromass.scenario.tables import Formula, Table, Vector, Words

Name = Annotated[str, Field(pattern=r"^[^\W\d]\w*$", max_length=60)]


class About(Table):
    """[scenario]: what it is called."""

    name: Words = "scenario"
    description: Annotated[str, Field(max_length=10_000)] = ""


class ParticlePart(Table):
    mass: Formula


class BodyPart(Table):
    mass: Formula
    inertia: Vector | Annotated[list[Vector], Field(min_length=3, max_length=3)]


class SpringTable(Table):
    """[[system.springs]]: between two points, three formulas each; `length` is the unstretched one."""

    stiffness: Formula
    a: Vector
    b: Vector = Field(default=[0.0, 0.0, 0.0])
    length: Formula = 0.0


class DamperTable(Table):
    """[[system.dampers]]: between two points, three formulas each."""

    damping: Formula
    a: Vector
    b: Vector = Field(default=[0.0, 0.0, 0.0])


class System(Table):
    """[system]: coordinates, energies, constraints and forces; `nonideal` is the work of constraint forces.

    M, Q  instead of parts and energies: mass matrix, by rows, and impressed force, in the order of the coordinates
    """

    coordinates: list[Name] = Field(default=[])
    particles: dict[Name, ParticlePart] = Field(default={})
    bodies: dict[Name, BodyPart] = Field(default={})
    gravity: Vector | Formula | None = None
    kinetic: Formula | None = None
    potential: Formula | None = None
    lagrangian: Formula | None = None
    M: list[list[Formula]] | None = None
    Q: list[Formula] | None = None
    constraints: dict[Words, Formula | list[Formula]] = Field(default={})
    forces: dict[Words, Formula] = Field(default={})
    nonideal: dict[Words, Formula] = Field(default={})
    springs: list[SpringTable] = Field(default=[])
    dampers: list[DamperTable] = Field(default=[])
    start: dict[Words, Formula] = Field(default={})
    guess: dict[Words, Formula] = Field(default={})


class Run(Table):
    """[run]: how far and how accurately."""

    until: Formula
    t0: Formula = 0.0
    rtol: Formula = 1e-10
    atol: Formula = 1e-13
    method: Literal["collocation", "dop853", "radau", "fixed"] = "collocation"
    step: Formula | None = None
    longest_step: Formula | None = None
    project: bool = True


class EventTable(Table):
    """[[events]]: a formula whose zeros are looked for."""

    name: Words
    zero: Formula
    direction: Literal[-1, 0, 1] = 0
    terminal: bool = True


class Document(Table):
    """A whole scenario."""

    scenario: About = About()
    parameters: dict[Name, Formula] = Field(default={})
    rolling: Rolling | None = None
    system: System | None = None
    run: Run
    events: list[EventTable] = Field(default=[])
    output: Output = Output()

    @model_validator(mode="after")
    def one_model(self) -> Document:
        if (self.rolling is None) == (self.system is None):
            raise ValueError("a scenario has one model: a table [rolling] or a table [system]")
        return self
