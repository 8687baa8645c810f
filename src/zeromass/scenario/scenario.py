"""A scenario: a model, its start, and what is to be run and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zeromass.run import Run, simulate
from zeromass.model import Event, ModelError, State, System
from zeromass.report.origin import from_scenario
from zeromass.scenario import models
from zeromass.scenario.drawing import drawing
from zeromass.scenario.errors import ScenarioError, listed, nearest
from zeromass.scenario.output_tables import Output
from zeromass.scenario.reading import Reader
from zeromass.scenario.schema import Document
from zeromass.scenario.source import Source, parsed, read
from zeromass.scenario.validation import document, lines_with_case, with_case

SHIPPED = Path(__file__).parent / "papers"
STARTER = Path(__file__).parent / "starter.toml"


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a scenario file says, as a system, a start and settings.

    cases     names of the variants that the file has
    case      the one that this is, or None for the file as it stands
    settings  of the run: until, rtol, atol, method, …, as `zm.simulate` takes them
    drawing   for the viewer: title, shapes, lines, trails, …, as `run.view` takes them
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
    _reader: Reader

    def simulate(self, progress: bool | Callable[[float], None] = False) -> Run:
        """Runs it; the run knows the text of the scenario and the case."""
        try:
            run = simulate(self.system, self.start, events=self.events, progress=progress, **self.settings)
        except ModelError as error:
            raise self.source.error(str(error), ("run",)) from error
        return from_scenario(run, self.source.text, self.case)

    def table_times(self, run: Run) -> np.ndarray | None:
        """Times of the rows of the table that is written, within the run; None for its steps."""
        asked = self.output.times
        if asked is None:
            return None
        if isinstance(asked, int):
            return np.linspace(run.t[0], run.t[-1], asked)
        times = np.array(self._reader.numbers(asked, ("output", "times")))
        low, high = sorted((run.t[0], run.t[-1]))
        return times[(times >= low) & (times <= high)]


def load_scenario(path: str | PathLike[str], case: str | None = None) -> Scenario:
    """The scenario of a file; a name of `shipped_scenarios` where there is no such file."""
    place = Path(path)
    if not place.is_file() and str(path) in shipped_scenarios():
        place = shipped_scenarios()[str(path)]
    return scenario_of(read(place), case)


def parse_scenario(
    text: str, case: str | None = None, *, name: str = "scenario", folder: str | PathLike[str] | None = None
) -> Scenario:
    """The scenario of some text.

    name    of the text, in messages
    folder  in which files lie that it names, such as measured heights
    """
    return scenario_of(parsed(text, name, None if folder is None else Path(folder)), case)


def scenario_of(source: Source, case: str | None = None) -> Scenario:
    """The scenario of a source, or a ScenarioError that says what is wrong and on which line."""
    data, cases = with_case(source, case)
    source = lines_with_case(source, case)
    tables = document(source, data)
    reader = Reader(source, tables)
    system = models.model(reader)
    settings = _settings(reader, tables)
    _check_plots(source, tables.output)
    return Scenario(
        name=tables.scenario.name,
        description=tables.scenario.description,
        case=case,
        cases=tuple(cases),
        system=system,
        start=models.start(reader, system),
        events=_events(reader, tables, system),
        settings=settings,
        output=tables.output,
        drawing={"title": tables.scenario.name, **drawing(reader, system)},
        source=source,
        _reader=reader,
    )


def drawing_of(text: str, case: str | None, system: System) -> dict[str, Any]:
    """What a scenario asks the viewer to draw of a system that it described, such as that of a run read from a file."""
    source = parsed(text)
    data, _ = with_case(source, case)
    tables = document(source, data)
    return {"title": tables.scenario.name, **drawing(Reader(lines_with_case(source, case), tables), system)}


def shipped_scenarios() -> dict[str, Path]:
    """The scenario files that come with the package, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def _settings(reader: Reader, tables: Document) -> dict[str, Any]:
    run = tables.run
    settings: dict[str, Any] = {"method": run.method, "project": run.project}
    for name in ("until", "rtol", "atol", "step", "longest_step"):
        value = getattr(run, name)
        if value is not None:
            settings[name] = reader.number(value, ("run", name))
            if name != "until" and not settings[name] > 0:
                raise reader.error(f"it is {settings[name]:g}; it must be positive", ("run", name))
    return settings


def _events(reader: Reader, tables: Document, system: System) -> tuple[Event, ...]:
    known = models.names(system) if tables.events else {}
    taken = {event.name for event in system.events}
    found = []
    for i, event in enumerate(tables.events):
        if event.name in taken:
            raise reader.error(f"an event named '{event.name}' is there already", ("events", i, "name"))
        taken.add(event.name)
        zero = reader.expression(event.zero, ("events", i, "zero"), known)
        found.append(Event(event.name, zero, direction=event.direction, terminal=event.terminal))
    return tuple(found)


def _check_plots(source: Source, output: Output) -> None:
    if not output.plots:
        return
    from zeromass.report.plots import KINDS

    known = [kind for kind in KINDS if kind != "quantity"]
    for i, kind in enumerate(output.plots):
        if kind not in known:
            hint = nearest(kind, known) or f"; there are: {listed(known)}"
            raise source.error(f"there is no plot '{kind}'{hint}", ("output", "plots", i))


__all__ = ["Scenario", "ScenarioError", "load_scenario", "parse_scenario", "scenario_of", "shipped_scenarios"]
