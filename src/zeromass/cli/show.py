"""`zeromass plot` and `zeromass view`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from zeromass.cli.app import AsJson, Case, Debug, app
from zeromass.cli.console import UsageError, note, out, print_json, reporting

if TYPE_CHECKING:
    from zeromass.run import Run


PLOT = """Draw one plot of a saved run.

[bold]Examples[/bold]

  zeromass plot bowl/run.nc path                          to path.png

  zeromass plot bowl/run.nc forces -o forces.pdf          for a paper

  zeromass plot bowl/run.nc quantity --formula "energy"   any formula
"""

VIEW = """Write a page that plays a run in three dimensions, in any browser, without network.

[bold]Examples[/bold]

  zeromass view bowl/run.nc                 a saved run, to run.html

  zeromass view bowl.toml -o bowl.html      a scenario, which is run first

  zeromass view um2022 --case 1A            an included scenario
"""


@app.command(help=PLOT)
def plot(
    file: Annotated[Path, typer.Argument(help="A run that was saved, such as bowl/run.nc.", metavar="RUN.nc")],
    kind: Annotated[
        str,
        typer.Argument(
            help="path, path3d, forces, friction_ratio, torque, spin, energies, balance, residuals, coordinates, phase, "
            "poincare, quantity."
        ),
    ],
    target: Annotated[Path | None, typer.Option("--out", "-o", help="A .png, .svg or .pdf file.")] = None,
    formula: Annotated[
        str | None, typer.Option(help="What the plot 'quantity' shows, such as \"contact.x**2\".")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import figure

    with reporting("plot", as_json=as_json, debug=debug):
        target = target or Path(f"{kind}.png")
        if target.suffix.lower() not in (".png", ".svg", ".pdf"):
            raise UsageError(f"a figure is written as .png, .svg or .pdf, not '{target}'")
        run = _loaded(file)
        figure(run, kind, target, **_options(run, kind, formula))
        _tell("plot", target, as_json, kind=kind, run=file)


@app.command(help=VIEW)
def view(
    file: Annotated[
        str, typer.Argument(help="A run that was saved, or a scenario to run first.", metavar="RUN.nc|FILE")
    ],
    target: Annotated[Path | None, typer.Option("--out", "-o", help="The page, an .html file.")] = None,
    case: Case = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import page, scenario_at
    from zeromass.cli.run import exit_code, simulated

    with reporting("view", as_json=as_json, debug=debug):
        saved = file.endswith(".nc")
        scenario = None if saved else scenario_at(file, case)
        run = _loaded(Path(file)) if scenario is None else simulated(scenario)
        target = target or Path(Path(file).stem).with_suffix(".html")
        page(run, target, _drawing(run) if scenario is None else scenario.drawing)
        code = 0 if saved else int(exit_code(run))
        _tell("view", target, as_json, code, outcome=str(run.outcome))
        raise typer.Exit(code)


def _drawing(run: Run) -> dict[str, Any]:
    """What the scenario of a saved run asks the viewer to draw, where the file tells it."""
    from zeromass.scenario.errors import ScenarioError
    from zeromass.scenario.scenario import drawing_of

    known = run.origin
    if not known.scenario:
        return {}
    try:
        return drawing_of(known.scenario, known.case or None, run.system)
    except ScenarioError as error:
        note(f"the run is drawn as usual, for its scenario can not be read: {error}")
        return {}


def _loaded(file: Path) -> Run:
    from zeromass.run import load

    if not file.exists():
        raise FileNotFoundError(f"there is no file '{file}'")
    return load(file)


def _options(run: Run, kind: str, formula: str | None) -> dict[str, Any]:
    if kind != "quantity":
        if formula is not None:
            raise UsageError("--formula goes with the plot 'quantity'")
        return {}
    if formula is None:
        raise UsageError("the plot 'quantity' needs --formula, such as --formula \"energy\"")
    from zeromass.expression import t
    from zeromass.model.naming import names
    from zeromass.scenario.errors import FormulaError
    from zeromass.scenario.formula import formula as read

    try:
        return {"expression": read(formula, {**names(run.system), "t": t}), "label": formula}
    except FormulaError as error:
        raise UsageError(f"--formula: {error}") from error


def _tell(command: str, target: Path, as_json: bool, code: int = 0, **more: Any) -> None:
    if as_json:
        print_json({"command": command, "exit_code": code, "file": target, **more})
    else:
        out().print(f"{escape(str(target))} is written", highlight=False, soft_wrap=True)
