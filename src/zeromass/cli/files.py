"""The scenario that a command is given, and the files that it writes."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.cli.console import UsageError, doing, note

if TYPE_CHECKING:
    from zeromass.analysis import Certificate
    from zeromass.run import Run
    from zeromass.scenario import Scenario


TABLE = 2**24
"""Bytes of the file of an interrupted run up to which its table is written too."""

WHOLE = 2**26
"""Bytes of the file of an interrupted run up to which it is written: half a second where a disk takes 120 MB/s."""

ROWS, NUMBERS = 1000, 2**19
"""Of the table of a longer one: at most so many rows and numbers, some 0.5 s."""


def scenario_at(file: str, case: str | None) -> Scenario:
    """The scenario of a file, or of a name that comes along."""
    from zeromass.errors import FileError, nearest
    from zeromass.scenario import load_scenario, shipped_scenarios

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
    scenario: Scenario,
    run: Run,
    folder: Path,
    *,
    certificate: Certificate | None,
    plots: bool,
    viewer: bool,
    table: bool = True,
    files: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Writes what the scenario asks for and returns the paths, in `files` if it is given: it has them after an interrupt."""
    from zeromass.model import ModelError

    with doing(f"writing {folder / 'run.nc'}"):
        run_file = run.save(folder / "run.nc", certificate=certificate, scenario=scenario.source.text)
    files = {} if files is None else files
    files["run"] = run_file
    if scenario.output.table and table:
        try:
            with doing(f"writing {folder / 'run.csv'}"):
                files["table"] = run.to_csv(folder / "run.csv", scenario.table_times(run))
        except ModelError as error:
            note(f"no table is written: {error}")
    if len(run) < 2:
        return files
    if plots:
        with doing("drawing plots"):
            files["plots"] = _plots(scenario, run, folder)
    if viewer and scenario.output.viewer:
        try:
            with doing(f"writing {folder / 'viewer.html'}"):
                files["viewer"] = page(run, folder / "viewer.html", scenario.drawing)
        except ModelError as error:
            note(f"no viewer is written: {error}")
    return files


def written_in_part(scenario: Scenario, run: Run, folder: Path) -> dict[str, Any]:
    """Writes the run of a command that was interrupted, and says at once what, where, and how much that is.

    A command stops within 2 s: so of a run whose file is larger than WHOLE a table of some times is written. A second
    interrupt abandons the file, and leaves no half of it.
    """
    from zeromass.integrate.memory import amount
    from zeromass.report.files import file_size

    size = file_size(run)
    far = "interrupted, without certificate and pictures"
    if not run.outcome.complete:
        far = f"interrupted at t = {run.outcome.t:.6g} s, after {len(run) - 1} steps"
    again = "interrupt again to leave it unwritten"
    if size <= WHOLE:
        note(f"{far}: writing {folder / 'run.nc'}, about {amount(size)}; {again}")
        table = size <= TABLE
        return _beside(lambda: written(scenario, run, folder, certificate=None, table=table, plots=False, viewer=False))
    columns = size // (8 * len(run))  # no fewer than those of the table
    times = np.linspace(run.t[0], run.t[-1], max(2, min(ROWS, NUMBERS // columns)))
    note(
        f"{far}: the file of the whole run would take {amount(size)}; writing {folder / 'run.csv'}, {len(times)} times of "
        f"it, at most {amount(20 * columns * len(times))}; {again}"
    )
    return _beside(lambda: {"run": None, "table": run.to_csv(folder / "run.csv", times)})


def _beside(write: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a function writes, in a thread: so an interrupt is seen at once, and what it writes is abandoned."""
    from zeromass.report.writing import abandon

    done: list[dict[str, Any]] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            done.append(write())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        abandon()
        raise
    if failed:
        raise failed[0]
    return done[0]


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
        from zeromass.errors import nearest

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
