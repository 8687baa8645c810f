"""`zeromass sweep`."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from zeromass.cli.app import AsJson, Case, Debug, app
from zeromass.cli.console import Exit, UsageError, err, note, out, print_json, reporting
from zeromass.cli.files import use_matplotlib

if TYPE_CHECKING:
    import xarray

    from zeromass.scenario import Scenario

HELP = """Run the study of a scenario: its table \\[sweep] says which parameters vary, and which results are kept.

The ending of --out says how it is written: .nc (netCDF), .parquet (a table, one row a member), or .zarr (a store that is \
filled on the way, and with --resume goes on where it stopped).

[bold]Examples[/bold]

  zeromass sweep bowl.toml                       to bowl.nc

  zeromass sweep bowl.toml -o bowl.parquet       as a table

  zeromass sweep bowl.toml -o bowl.zarr          as a store

  zeromass sweep bowl.toml -o bowl.zarr --resume    after an interruption

  zeromass sweep bowl.toml --on 4 -p bowl.png    four cores, and a picture
"""


@app.command(help=HELP)
def sweep(
    file: Annotated[str, typer.Argument(help="A scenario file with a table \\[sweep].")],
    target: Annotated[Path | None, typer.Option("--out", "-o", help="A .nc, .parquet or .zarr file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an existing .zarr store.")] = False,
    on: Annotated[str | None, typer.Option(help="lanes, cores, or a number of cores; else as the file says.")] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", "-p", help="Draw it, as a .png, .svg or .pdf file.")
    ] = None,
    case: Case = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import scenario_at

    with reporting("sweep", as_json=as_json, debug=debug):
        begin = time.perf_counter()
        target = target or Path(Path(file).stem).with_suffix(".nc")
        _check(target, resume, picture)
        scenario = scenario_at(file, case)
        study = _study(scenario, target, _where(on))
        seconds = time.perf_counter() - begin
        if target.suffix.lower() != ".zarr":
            from zeromass.report.study_files import save

            save(study, target)
        if picture is not None:
            _draw(study, picture)
        outcomes = Counter(map(str, study["outcome"].values.ravel().tolist()))
        code = _code(outcomes)
        data = {
            "command": "sweep",
            "exit_code": int(code),
            "scenario": {"name": scenario.name, "file": scenario.source.name, "case": scenario.case},
            "members": int(study["outcome"].size),
            "over": {str(name): int(study.sizes[name]) for name in study["outcome"].dims},
            "outcomes": dict(outcomes),
            "kept": _kept(scenario, study),
            "seconds": seconds,
            "file": target,
            "picture": picture,
        }
        if as_json:
            print_json(data)
        else:
            _show(data)
        raise typer.Exit(int(code))


def _check(target: Path, resume: bool, picture: Path | None) -> None:
    ending = target.suffix.lower()
    if ending not in (".nc", ".parquet", ".zarr"):
        raise UsageError(f"a study is written as .nc, .parquet or .zarr, not '{target}'")
    if resume and ending != ".zarr":
        raise UsageError(f"--resume goes on with a store: --out {target.with_suffix('.zarr')}")
    if ending == ".zarr" and target.exists() and not resume:
        raise UsageError(f"'{target}' is there already: --resume goes on with it; or choose another name")
    if picture is not None and picture.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UsageError(f"a figure is written as .png, .svg or .pdf, not '{picture}'")


def _where(on: str | None) -> str | int | None:
    if on is None or on in ("lanes", "cores"):
        return on
    if not on.isdecimal() or int(on) < 1:
        raise UsageError(f"--on {on}: give lanes, cores, or a number of cores")
    return int(on)


def _study(scenario: Scenario, target: Path, on: str | int | None) -> xarray.Dataset:
    """The study, with a progress bar where stderr is a terminal."""
    from zeromass.errors import RunStopped

    store = target if target.suffix.lower() == ".zarr" else None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RunStopped)
        warnings.simplefilter("ignore", RuntimeWarning)
        study = scenario.study(err().is_terminal, on=on, store=store)
    for one in said:
        note(str(one.message))
    return study


def _code(outcomes: Counter[str]) -> Exit:
    if outcomes["interrupted"]:
        return Exit.INTERRUPTED
    return Exit.OK if outcomes["finished"] + outcomes["event"] else Exit.STOPPED


def _kept(scenario: Scenario, study: xarray.Dataset) -> dict[str, Any]:
    assert scenario.sweep is not None
    found = {}
    for name in scenario.sweep.keep:
        values = study[name].values
        good = values[np.isfinite(values)]
        low, high = (float(good.min()), float(good.max())) if good.size else (np.nan, np.nan)
        found[name] = {"min": low, "max": high, "unit": str(study[name].attrs.get("units", ""))}
    return found


def _draw(study: xarray.Dataset, picture: Path) -> None:
    use_matplotlib()
    from zeromass.report.plots import save_figure
    from zeromass.report.study_plots import study as plot_study

    save_figure(plot_study(study), picture)


def _show(data: dict[str, Any]) -> None:
    console = out()
    table = Table(title=escape(data["scenario"]["name"]), title_justify="left", show_header=False)
    sizes = " × ".join(f"{name} {count}" for name, count in data["over"].items())
    table.add_row("members", f"{data['members']} ({escape(sizes)})")
    for word, count in sorted(data["outcomes"].items(), key=lambda item: -item[1]):
        color = "green" if word == "finished" else "yellow"
        table.add_row("outcome", f"[{color}]{escape(word)}[/{color}]: {count}")
    for name, item in data["kept"].items():
        unit = escape(item["unit"]) if item["unit"] != "1" else ""
        table.add_row(escape(name), f"{item['min']:.6g} … {item['max']:.6g} {unit}")
    table.add_row("work", f"{data['seconds']:.2f} s, {data['members'] / data['seconds']:.0f} members a second")
    console.print(table, highlight=False)
    for written in (data["file"], data["picture"]):
        if written is not None:
            console.print(f"{escape(str(written))} is written", highlight=False, soft_wrap=True)
