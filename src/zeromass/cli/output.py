"""What each command prints with --json. Numbers that are not finite are null; paths are strings.

`SCHEMAS["run"].model_json_schema()` is the JSON Schema. On failure every command prints `Failure`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict


class _Object(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


class Wrong(_Object):
    """What is wrong, and where in the scenario file."""

    message: str
    file: str | None
    line: int | None
    key: str | None
    column: int | None


class Problem(Wrong):
    """What went wrong; `more` is what else is wrong with a scenario."""

    kind: Literal["invalid scenario", "error", "input/output", "interrupted", "a defect of zeromass"]
    more: list[Wrong]


class Failure(_Object):
    """Any command that could not do what it was asked to."""

    command: str
    exit_code: Literal[1, 2, 5, 130]
    error: Problem


class ScenarioName(_Object):
    """The scenario, its file, and the case that was asked for."""

    name: str
    file: str
    case: str | None


class Outcome(_Object):
    """How a run ended, and at which time, s."""

    ending: Literal[
        "finished", "event", "non-unique", "inconsistent", "singular branch", "step too small", "not a number",
        "interrupted", "out of memory", "chattering", "jump", "ambiguous",
    ]  # fmt: skip
    t: float
    message: str
    complete: bool


class Statistics(_Object):
    """What a run cost."""

    steps: int
    rejected: int
    evaluations: int
    repivots: int
    growth: float


class EventTime(_Object):
    name: str
    t: float


class End(_Object):
    """Coordinates and rates at the end of a run."""

    position: dict[str, float]
    rate: dict[str, float]


class Extremes(_Object):
    """Smallest and largest value of a quantity at the steps."""

    min: float | None
    max: float | None
    unit: str


class Residual(_Object):
    """Largest violation of a constraint at each level; null where it has no such level."""

    name: str
    position: float | None
    velocity: float | None
    acceleration: float | None


class Errors(_Object):
    """Relative error of a state as each witness tells it; null where it is infinite or not a number."""

    runs: float | None
    energy: float | None
    constraints: float | None
    rounding: float | None


class Trust(_Object):
    """The certificate: decimal digits to trust, what limits them, and what else is known of the errors.

    `warning` says why the run can hardly be trusted, `parting` where the second run goes another way; both may be empty.
    """

    digits: float
    limited_by: str
    warning: str
    parting: str
    error: float | None
    errors: Errors
    margin: float | None
    rtol: float
    tighter_rtol: float
    energy_imbalance: float | None
    residuals: list[Residual]


class Files(_Object):
    """Paths of what was written; that of a run is null where it was interrupted, and too large to be written at once."""

    run: str | None
    table: str | None = None
    plots: list[str] | None = None
    viewer: str | None = None


class RunOutput(_Object):
    """`zeromass run`; exit code 3 where the physics stopped it, 4 where `remarks` say what is wrong with it."""

    command: Literal["run"]
    exit_code: Literal[0, 3, 4, 130]
    scenario: ScenarioName
    outcome: Outcome
    statistics: Statistics
    remarks: list[str]
    events: list[EventTime]
    end: End
    extremes: dict[str, Extremes]
    seconds: float
    certificate: Trust | None
    folder: str
    files: Files


class Undetermined(_Object):
    """A direction of acceleration that nothing fixes, and what to do about it."""

    direction: dict[str, float]
    remedy: str


class CheckOutput(_Object):
    """`zeromass check`; exit code 3 where the model does not determine its motion."""

    command: Literal["check"]
    exit_code: Literal[0, 3]
    scenario: ScenarioName
    cases: list[str]
    unique: bool
    verdict: str
    coordinates: list[str]
    rank: int
    margin: float | None
    degrees_of_freedom: int
    constraint_rows: int
    constraint_rank: int
    constraints: dict[str, str]
    undetermined: list[Undetermined]
    redundant: dict[str, list[str]]
    contradictory: dict[str, list[str]]
    free_at_start: list[str]


class EquationsOutput(_Object):
    """`zeromass equations`: q, M, Q and, with constraints, A and b; in C one function, "c"."""

    command: Literal["equations"]
    exit_code: Literal[0]
    format: Literal["text", "latex", "sympy", "c"]
    coordinates: list[str]
    constraints: list[str]
    equations: dict[str, str]
    file: str | None


class PlotOutput(_Object):
    """`zeromass plot`."""

    command: Literal["plot"]
    exit_code: Literal[0]
    file: str
    kind: str
    run: str


class ViewOutput(_Object):
    """`zeromass view`; of a scenario that it runs, the exit code is that of `run`."""

    command: Literal["view"]
    exit_code: Literal[0, 3, 4, 130]
    file: str
    outcome: str


class NewOutput(_Object):
    """`zeromass new`."""

    command: Literal["new"]
    exit_code: Literal[0]
    file: str


class Kept(_Object):
    """Smallest and largest value of what a study keeps, over its members; null where none has one."""

    min: float | None
    max: float | None
    unit: str


class SweepOutput(_Object):
    """`zeromass sweep`; exit code 3 where no member came to its end."""

    command: Literal["sweep"]
    exit_code: Literal[0, 3, 130]
    scenario: ScenarioName
    members: int
    over: dict[str, int]
    outcomes: dict[str, int]
    kept: dict[str, Kept]
    seconds: float
    file: str
    picture: str | None


class PapersOutput(_Object):
    """`zeromass papers`: sections of rows (quantity, printed, computed, agrees, remark)."""

    command: Literal["papers"]
    exit_code: Literal[0]
    runs: int
    seconds: float
    sections: list[dict[str, Any]]


SCHEMAS: dict[str, type[BaseModel]] = {
    "run": RunOutput,
    "check": CheckOutput,
    "equations": EquationsOutput,
    "plot": PlotOutput,
    "view": ViewOutput,
    "new": NewOutput,
    "sweep": SweepOutput,
    "papers": PapersOutput,
}
