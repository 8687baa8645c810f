"""A scenario: a model, its start, and what is to be run and written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import FileError, ZeromassError, shown
from zeromass.expression import coordinate, symbols, t
from zeromass.integrate import Settings
from zeromass.model import Event, ModelError, State, System
from zeromass.model.check import Diagnosis
from zeromass.model.given import path_of
from zeromass.model.naming import names
from zeromass.run import Run, simulate
from zeromass.scenario.document import EVENT, MODELS, RUN, document
from zeromass.scenario.errors import ScenarioError
from zeromass.scenario.let import look_through
from zeromass.scenario.output import Output, drawing, output
from zeromass.scenario.reading import UNFIT, Reader, in_words
from zeromass.scenario.rolling import body_tables
from zeromass.scenario.source import Source, parsed, read
from zeromass.scenario.surfaces import surface_tables
from zeromass.scenario.sweep import Sweep, sweep

if TYPE_CHECKING:
    import xarray

SMALL, LARGE = 1e-100, 1e100
"""Sizes of a parameter beyond which it is likely the reason when numbers fail: their squares are near to the end of them."""

SHIPPED = Path(__file__).parent / "papers"
STARTER = Path(__file__).parent / "starter.toml"


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a scenario file says, as a system, a start and settings.

    cases     names of the variants that the file has
    case      the one that this is, or None for the file as it stands
    settings  of the run: until, rtol, atol, method, …, as `zm.simulate` takes them
    drawing   for the viewer: title, shapes, lines, trails, …, as `run.view` takes them

    >>> from zeromass.scenario import load_scenario
    >>> scenario = load_scenario("up2006-wheel")
    >>> scenario.name, [x.name for x in scenario.system.coordinates], scenario.settings["until"]
    ('wheel on an incline', ['theta', 'y'], 2.0)
    """

    name: str
    description: str
    case: str | None
    cases: tuple[str, ...]
    system: System
    start: State
    events: tuple[Event, ...]
    settings: dict[str, Any]
    output: Output
    drawing: dict[str, Any]
    source: Source
    sweep: Sweep | None = None
    """The study that the file describes in [sweep], if it does."""

    def study(
        self,
        progress: bool | Callable[[int, int], None] = False,
        *,
        on: str | int | None = None,
        store: str | PathLike[str] | None = None,
    ) -> xarray.Dataset:
        """The study of its table [sweep]; `on` and `store` as of `zm.sweep`.

        >>> from zeromass.scenario import parse_scenario
        >>> study = parse_scenario('''
        ...     parameters.v = 1.0
        ...     system.coordinates = ["x"]
        ...     system.kinetic = "x'**2/2"
        ...     system.start = { x = 0, "x'" = "v" }
        ...     run.until = 3
        ...     [sweep]
        ...     on = "lanes"
        ...     keep.end = "x"
        ...     over.v = { from = 1, to = 2, count = 3 }
        ... ''').study()
        >>> study.end.values.round(12)
        array([3. , 4.5, 6. ])
        """
        from zeromass.study import sweep

        asked = self.sweep
        if asked is None:
            raise ScenarioError("the scenario has no table [sweep]: which parameters vary?", file=self.source.name)
        if self.settings.get("step") is not None:
            raise self.source.error("members of a study choose their steps; leave it out", ("run", "step"))
        taken = {name: value for name, value in self.settings.items() if name not in ("method", "step")}
        where: Any = asked.on if on is None else on
        try:
            return sweep(
                self.system,
                self.start,
                over=asked.over,
                keep=asked.keep,
                events=self.events,
                on=where,
                store=store,
                progress=progress,
                **taken,
            )
        except ModelError as error:
            raise self.source.error(str(error), ("sweep",)) from error
        except UNFIT as error:
            raise self._unfit(error) from error

    def simulate(self, progress: bool | Callable[[float], None] = False) -> Run:
        """Runs it; the run knows the text of the scenario and the case."""
        try:
            run = simulate(self.system, self.start, events=self.events, progress=progress, **self.settings)
        except ModelError as error:
            raise self.source.error(str(error), ("run",)) from error
        except UNFIT as error:
            raise self._unfit(error) from error
        return run.from_scenario(self.source.text, self.case)

    def check(self) -> Diagnosis:
        """Whether it determines its motion at the start, and if not, why."""
        try:
            return self.system.check(self.start)
        except UNFIT as error:
            raise self._unfit(error) from error

    def _unfit(self, error: Exception) -> ScenarioError:
        """What is wrong with the model, at the parameter that may be the reason, or at the table of the model."""
        written = self.source.data.get("parameters", {})
        values = {p.name: value for p, value in self.start.parameters.items() if p.name in written}
        odd = [name for name, value in values.items() if value and not SMALL < abs(value) < LARGE]
        negative = [p.name for p in symbols(self.system.M) if values.get(p.name, 0.0) < 0]
        for name in odd or negative:
            return self.source.error(f"it is {values[name]:g}, and {in_words(error)}", ("parameters", name))
        kind = next(kind for kind in MODELS if kind in self.source.data)
        return self.source.error(in_words(error), (kind,))

    def table_times(self, run: Run) -> np.ndarray | None:
        """Times of the rows of the table that is written, within the run; None for its steps."""
        asked = self.output.times
        if asked is None:
            return None
        if isinstance(asked, int):
            return np.linspace(run.t[0], run.t[-1], asked)
        times = np.array(asked)
        low, high = sorted((run.t[0], run.t[-1]))
        return times[(times >= low) & (times <= high)]


def load_scenario(path: str | PathLike[str], case: str | None = None) -> Scenario:
    """The scenario of a file; a name of `shipped_scenarios` where there is no such file.

    >>> from zeromass.scenario import load_scenario
    >>> run = load_scenario("um2022", case="2B").simulate()
    >>> float(run.t[-1])
    25.0
    """
    place = path_of(path)
    if place is None or "\0" in str(place):
        raise ScenarioError(f"{shown(path)} is no path of a scenario; give a name such as 'ball.toml'")
    try:
        if not place.is_file() and str(path) in shipped_scenarios():
            place = shipped_scenarios()[str(path)]
        source = read(place)
    except OSError as error:
        if isinstance(error, ZeromassError):
            raise
        raise FileError(f"{shown(str(path))} could not be read: {error.strerror or error}") from error
    return scenario_of(source, case)


def parse_scenario(
    text: str, case: str | None = None, *, name: str = "scenario", folder: str | PathLike[str] | None = None
) -> Scenario:
    """The scenario of some text.

    name    of the text, in messages
    folder  in which files lie that it names, such as measured heights

    >>> from zeromass.scenario import parse_scenario
    >>> run = parse_scenario('''
    ...     system.coordinates = ["x"]
    ...     system.kinetic = "x'**2/2"
    ...     system.start = { x = 1, "x'" = 2 }
    ...     run.until = 3
    ... ''').simulate()
    >>> round(float(run.y[-1, 0]), 12)
    7.0
    """
    if not isinstance(text, str | bytes):
        raise ScenarioError(f"the text of a scenario is {shown(text)}; to read a file, load_scenario(path)")
    return scenario_of(parsed(text, name, None if folder is None else Path(folder)), case)


def scenario_of(source: Source, case: str | None = None) -> Scenario:
    """The scenario of a source, or a ScenarioError that says what is wrong and on which line."""
    whole = document(source, case)
    given, reader, kind = whole.data, whole.reader(), whole.kind
    about, asked = given.get("scenario", {}), given.get("output", {})
    name = about.get("name", "scenario")
    settings, written, system, study = _settings(reader, given["run"]), Output(), None, None
    with reader.noting():
        written = output(reader, asked)
    with reader.noting():
        system = MODELS[kind].model(reader, given[kind]) if kind is not None else None
    if system is None or kind is None:
        raise reader.told()
    events = _events(reader, given.get("events", []), system)
    drawn = drawing(reader, asked, system)
    if "sweep" in given:
        study = sweep(reader, given["sweep"], system, events)
    _check_let(reader, system)
    start = _start(reader, given[kind], system, kind, settings.pop("t0"))
    return Scenario(
        name=name,
        description=about.get("description", ""),
        case=case,
        cases=whole.cases,
        system=system,
        start=start,
        events=events,
        settings=settings,
        output=written,
        drawing={"title": name, **drawn},
        source=whole.source,
        sweep=study,
    )


def drawing_of(text: str, case: str | None, system: System) -> dict[str, Any]:
    """What a scenario asks the viewer to draw of a system that it described, such as that of a run read from a file."""
    whole = document(parsed(text), case)
    given, reader = whole.data, whole.reader()
    title = given.get("scenario", {}).get("name", "scenario")
    drawn = drawing(reader, given.get("output", {}), system)
    reader.finish()
    return {"title": title, **drawn}


def shipped_scenarios() -> dict[str, Path]:
    """The scenario files that come with the package, by name.

    >>> from zeromass.scenario import shipped_scenarios
    >>> "um2022" in shipped_scenarios()
    True
    """
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def starter() -> str:
    """A commented scenario to begin with; it names all kinds of bodies and surfaces."""
    text = STARTER.read_text(encoding="utf-8")
    for word, tables in (("BODIES", body_tables()), ("SURFACES", surface_tables())):
        text = text.replace(word, ", ".join(f'"{kind}"' for kind in tables))
    return text


def _settings(reader: Reader, given: dict[str, Any]) -> dict[str, Any]:
    """Of the run, and t0."""
    usual = {name: argument.default for name, argument in RUN.arguments.items() if argument.default is not None}
    settings = {"t0": 0.0, **usual, **RUN.values(reader, given, ("run",), None)}
    for name, value in settings.items():
        if isinstance(value, float) and name not in ("until", "t0") and not value > 0:
            reader.wrong(f"it is {value:g}; it must be positive", ("run", name))
    with reader.noting(), reader.pointing("run"), warnings.catch_warnings(action="ignore"):  # the run will warn
        Settings(**{name: value for name, value in settings.items() if name not in ("until", "t0")})
    return settings


def _start(reader: Reader, given: dict[str, Any], system: System, kind: str, t: float) -> State:
    """The start, where all that it follows from can be read; what is wrong with the file is told now."""
    found = None
    with reader.noting():
        solve = MODELS[kind].start(reader, given, system, t)
        if reader.fine((kind,)) and reader.fine(("run", "t0")):
            with reader.pointing(kind, "start"):
                found = solve()
    reader.finish()
    if found is None:
        raise reader.told()
    return found


def _check_let(reader: Reader, system: System) -> None:
    """Reads the formulas of [let] that no other formula may have asked for."""
    if reader.let:
        known = {**{name: coordinate(name) for name in "XYZ"}, **names(system)}
        look_through(reader, {**reader.parameters, "t": t, **known})


def _events(reader: Reader, given: list[Any], system: System) -> tuple[Event, ...]:
    known = names(system) if given else {}
    taken = {event.name for event in system.events}
    found = []
    for i, event in enumerate(given):
        if event["name"] in taken:
            reader.wrong(f"an event named '{event['name']}' is there already", ("events", i, "name"))
        taken.add(event["name"])
        with reader.noting():
            found.append(EVENT.read(reader, event, ("events", i), known))
    return tuple(found)


__all__ = [
    "Scenario",
    "ScenarioError",
    "load_scenario",
    "parse_scenario",
    "scenario_of",
    "shipped_scenarios",
    "starter",
]
