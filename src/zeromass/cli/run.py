"""`zeromass run`."""

from __future__ import annotations

import re
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zeromass.cli.app import AsJson, Case, Debug, app
from zeromass.cli.console import Exit, doing, err, note, out, print_json, reporting
from zeromass.expression import Expression

if TYPE_CHECKING:
    from zeromass.analysis import Certificate
    from zeromass.run import Run
    from zeromass.scenario import Scenario


HELP = """Run a scenario: summary, certificate, plots, viewer and data.

Writes run.nc, run.csv, the plots and viewer.html into a folder: --out, or what the scenario says, or the name \
of the file in the current folder. A run that physics stops is saved as far as it went, and the exit code is 3. It is \
4 where the run is finished and wrong, such as one whose energy no work explains.

[bold]Examples[/bold]

  zeromass run bowl.toml                    to the folder bowl

  zeromass run bowl.toml -o results         to another folder

  zeromass run um2022 --case 2B             an included scenario

  zeromass run bowl.toml --no-certificate   half the time, no certificate

  zeromass run bowl.toml --json             the result as JSON, on stdout
"""


@app.command(help=HELP)
def run(
    file: Annotated[str, typer.Argument(help="A scenario file, or the name of an included one, such as um2022.")],
    folder: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for what is written.")] = None,
    case: Case = None,
    certificate: Annotated[
        bool, typer.Option(help="Measure the accuracy by a second run at tighter tolerance.")
    ] = True,
    plots: Annotated[bool, typer.Option(help="Draw the plots.")] = True,
    viewer: Annotated[bool, typer.Option(help="Write the page that plays the run.")] = True,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import folder_at, scenario_at, written, written_in_part

    with reporting("run", as_json=as_json, debug=debug):
        begin = time.perf_counter()
        scenario = scenario_at(file, case)
        with folder_at(folder or _folder(scenario, file)) as place:
            found = simulated(scenario)
            seconds = time.perf_counter() - begin
            go_on = found.outcome.ending != "interrupted"  # who interrupts wants what there is, and soon
            code, trust = (None, None) if go_on else (Exit.INTERRUPTED, None)
            if certificate and go_on and len(found) > 1:
                try:
                    with doing("measuring digits by a second run"):
                        trust = trusted(found)
                except KeyboardInterrupt:
                    code, go_on = Exit.INTERRUPTED, False
            code = code or exit_code(found)
            if go_on:
                files: dict[str, Any] = {}
                try:
                    written(scenario, found, place, certificate=trust, plots=plots, viewer=viewer, files=files)
                except KeyboardInterrupt:
                    code, go_on = Exit.INTERRUPTED, False
                    note(
                        "interrupted while files were written; complete: "
                        + (", ".join(map(str, files.values())) or "none")
                    )
            else:
                files = written_in_part(scenario, found, place)
        data = {
            "command": "run",
            "exit_code": int(code),
            "scenario": {"name": scenario.name, "file": scenario.source.name, "case": scenario.case},
            **_summary(found, whole=go_on),
            "seconds": seconds,
            "certificate": None if trust is None else _certificate(trust),
            "folder": place,
            "files": files,
        }
        if as_json:
            print_json(data)
        else:
            _show(scenario, found, trust, data)
        raise typer.Exit(int(code))


def simulated(scenario: Scenario) -> Run:
    """Runs a scenario, with a progress bar where stderr is a terminal."""
    from zeromass.errors import RunStopped

    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        run = scenario.simulate(progress=err().is_terminal)
    for warning in given:
        # the summary has the outcome and the remarks; NumPy's warnings of large numbers are said by the outcome
        if not issubclass(warning.category, (RunStopped, RuntimeWarning)) and str(warning.message) not in run.remarks:
            note(str(warning.message))
    return run


def trusted(run: Run) -> Certificate:
    """The certificate of a run; what it warns of is in its words."""
    from zeromass.errors import FewDigits

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewDigits)
        return run.certificate()


def exit_code(run: Run) -> Exit:
    """0 where the run went as far as it was asked to, 3 where the physics stopped it, 4 where it is finished and wrong."""
    from zeromass.integrate.outcome import Ending

    if run.outcome.ending is Ending.INTERRUPTED:
        return Exit.INTERRUPTED
    guards = {event.name for event in run.segments[-1].system.events if event.guard}
    guarded = run.outcome.ending is Ending.EVENT and any(f"'{name}'" in run.outcome.message for name in guards)
    if not run.outcome.complete or guarded:
        return Exit.STOPPED
    return Exit.DOUBTFUL if run.remarks else Exit.OK


def _folder(scenario: Scenario, file: str) -> Path:
    """Where a scenario wants what is written: it may name a folder below the current one, and no other."""
    asked, here = scenario.output.folder, Path.cwd().resolve()
    if asked is None:
        case = "" if scenario.case is None else "-" + re.sub(r"[^\w.+-]+", "-", scenario.case)
        return Path(Path(file).stem + case)
    inside = "\0" not in asked and Path(asked).resolve().is_relative_to(here)
    if not inside or ".." in Path(asked).parts or Path(asked).is_absolute():
        words = f"'{asked}' is not a folder below the current one; if it is meant, say so with --out '{asked}'"
        raise scenario.source.error(words, ("output", "folder"))
    return Path(asked)


def _summary(run: Run, *, whole: bool) -> dict[str, Any]:
    """The result of a run; without what takes longer for many steps, extremes and remarks, unless it is the whole of it."""
    n, outcome = len(run.system.coordinates), run.outcome
    names = run.system.names
    return {
        "outcome": {
            "ending": outcome.ending.value,
            "t": float(outcome.t),
            "message": outcome.message,
            "complete": outcome.complete,
        },
        "statistics": {
            name: value.item() if hasattr(value, "item") else value for name, value in vars(run.statistics).items()
        },
        "remarks": list(run.remarks) if whole else [],
        "events": [{"name": event.name, "t": float(event.t)} for event in run.events],
        "end": {
            "position": dict(zip(names, run.y[-1, :n].tolist(), strict=True)),
            "rate": dict(zip(names, run.y[-1, n:].tolist(), strict=True)),
        },
        "extremes": _extremes(run) if whole else {},
    }


def _extremes(run: Run) -> dict[str, Any]:
    """Smallest and largest value, between the steps too, of each quantity that is one number."""
    if len(run) < 2:
        return {}
    found = {}
    for name, (e, unit, _) in run.system.quantities.items():
        if isinstance(e, Expression):
            found[name] = {"min": run.minimum(e).value, "max": run.maximum(e).value, "unit": unit}
    return found


def _certificate(trust: Certificate) -> dict[str, Any]:
    return {
        "digits": trust.digits,
        "limited_by": trust.limited_by,
        "warning": trust.warning,
        "parting": trust.parting,
        "error": trust.error,
        "errors": {name: getattr(trust.errors, name) for name in ("runs", "energy", "constraints", "rounding")},
        "margin": trust.margin,
        "rtol": trust.rtol,
        "tighter_rtol": trust.tighter_rtol,
        "energy_imbalance": None if trust.work is None else trust.work.imbalance,
        "residuals": [
            {key: getattr(r, key) for key in ("name", "position", "velocity", "acceleration")} for r in trust.residuals
        ],
    }


def _show(scenario: Scenario, run: Run, trust: Certificate | None, data: dict[str, Any]) -> None:
    console = out()
    if "viewer" in data["files"]:
        console.print(f"page: {escape(str(data['files']['viewer']))} plays the motion in a browser", soft_wrap=True)
    title = scenario.name + (f", case {scenario.case}" if scenario.case else "")
    table = Table(title=escape(title), title_justify="left", show_header=False)
    color = "green" if data["exit_code"] == 0 else "yellow"
    table.add_row("outcome", f"[{color}]{escape(str(run.outcome))}[/{color}]")
    for words in data["remarks"]:
        table.add_row("wrong", f"[{color}]{escape(words)}[/{color}]")
    table.add_row("work", f"{run.statistics}; {data['seconds']:.2f} s")
    for name, item in data["extremes"].items():
        table.add_row(
            escape(name), f"{item['min']:.6g} … {item['max']:.6g} {escape(item['unit'] if item['unit'] != '1' else '')}"
        )
    for event in data["events"][:12]:
        table.add_row("event", f"{escape(event['name'])} at {event['t']:.9g} s")
    if len(data["events"]) > 12:
        table.add_row("events", f"and {len(data['events']) - 12} more")
    console.print(table, highlight=False)
    if trust is not None:
        color = "yellow" if trust.warning else "green"
        lines = [escape(line) for line in str(trust).splitlines()]
        trusted_lines = [
            f"[{color}]{line}[/{color}]" if line.startswith(("digits", "warning")) else line for line in lines
        ]
        console.print("\n".join(trusted_lines), highlight=False, soft_wrap=True)
    count = len(data["files"].get("plots", ()))
    others = [str(path) for kind, path in data["files"].items() if kind != "plots" and path is not None]
    words = [*others, f"{count} plots"] if count else others
    if words:
        names = escape(", ".join(Path(w).name for w in words))
        console.print(f"written to {escape(str(data['folder']))}: {names}", soft_wrap=True)
