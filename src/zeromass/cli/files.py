"""The scenario that a command is given, and the files that it writes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeromass.cli.console import UsageError, note

if TYPE_CHECKING:
    from zeromass.analysis import Certificate
    from zeromass.run import Run
    from zeromass.scenario import Scenario


def scenario_at(file: str, case: str | None) -> Scenario:
    """The scenario of a file, or of a name that comes along."""
    from zeromass.report.writing import FileError
    from zeromass.scenario import load_scenario, shipped_scenarios
    from zeromass.scenario.errors import nearest

    if not Path(file).is_file() and file not in shipped_scenarios():
        if Path(file).exists():
            raise FileError(f"'{file}' is {'a folder' if Path(file).is_dir() else 'a device or pipe'}, and no scenario")
        hint = nearest(file, shipped_scenarios()) or f"; `zeromass new {Path(file).stem}` writes a first one"
        raise FileNotFoundError(f"there is no file '{file}'{hint}")
    return load_scenario(file, case)


@contextmanager
def folder_at(path: Path) -> Iterator[Path]:
    """A folder that can be written to; if it is new and nothing came into it, it is removed again."""
    new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise OSError(f"the output folder '{path}' can not be written to: {error.strerror or error}") from error
    try:
        yield path
    finally:
        if new:
            with contextlib.suppress(OSError):
                os.rmdir(path)  # succeeds only if it is empty


def written(
    scenario: Scenario, run: Run, folder: Path, *, certificate: Certificate | None, plots: bool, viewer: bool
) -> dict[str, Any]:
    """Writes what the scenario asks for and returns the paths."""
    from zeromass.model import ModelError

    run_file = run.save(folder / "run.nc", certificate=certificate, scenario=scenario.source.text)
    files: dict[str, Any] = {"run": run_file}
    if scenario.output.table:
        try:
            files["table"] = run.to_csv(folder / "run.csv", scenario.table_times(run))
        except ModelError as error:
            note(f"no table is written: {error}")
    if len(run) < 2:
        return files
    if plots:
        files["plots"] = _plots(scenario, run, folder)
    if viewer and scenario.output.viewer:
        try:
            files["viewer"] = page(run, folder / "viewer.html", scenario.drawing)
        except ModelError as error:
            note(f"no viewer is written: {error}")
    return files


def page(run: Run, path: Path, drawing: Mapping[str, Any]) -> Path:
    """Writes the viewer's page; `drawing` is what its scenario asks for."""
    return run.view(path, **drawing)


def use_matplotlib() -> None:
    """Loads matplotlib for drawing into files, without the `matplotlibrc` of the current folder, where it looks first.

    That file may be a stranger's, and `text.usetex` would have LaTeX run with its preamble.
    """
    with contextlib.chdir(Path(__file__).parent):
        import matplotlib
    matplotlib.use("Agg")


def figure(run: Run, kind: str, path: Path, **options: Any) -> Path:
    """Writes one plot."""
    use_matplotlib()
    from zeromass.report.plots import save_figure

    available = run.plot.available()
    if kind not in available:
        from zeromass.scenario.errors import nearest

        hint = nearest(kind, available) or f"; there are: {', '.join(available)}"
        raise UsageError(f"this run has no plot '{kind}'{hint}")
    save_figure(getattr(run.plot, kind)(**options), path)
    return path


def _plots(scenario: Scenario, run: Run, folder: Path) -> list[Path]:
    wanted = scenario.output.plots
    available = run.plot.available()
    if wanted is None:
        unwanted = {"quantity", "phase", "poincare", "balance"} | ({"coordinates"} if "path" in available else set())
        unwanted |= set() if run.system.rows else {"residuals"}
        wanted = [kind for kind in available if kind not in unwanted]
    for kind in wanted:
        if kind not in available:
            note(f"this run has no plot '{kind}'; there are: {', '.join(available)}")
    ending = scenario.output.format
    return [figure(run, kind, folder / f"{kind}.{ending}") for kind in wanted if kind in available]
