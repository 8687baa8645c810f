"""Studies: the same motion for many values of parameters, as a labelled Dataset.

members ─► chunks ─► executor ─► collected results
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeromass.compile.program import Program, compile
from zeromass.ensemble.chunk import Chunks, Study, Work
from zeromass.ensemble.keep import Kept, kept
from zeromass.ensemble.members import Axes, Members, StartOf, axes_of
from zeromass.ensemble.starts import Starts
from zeromass.integrate import Limits, Settings
from zeromass.integrate.course import Events, events_of
from zeromass.model import ModelError, System

if TYPE_CHECKING:
    import xarray

On = Literal["lanes", "cores", "gpu"]


def sweep(
    system: System | Program,
    start: StartOf,
    *,
    over: Mapping[Any, Any],
    keep: Mapping[str, Any],
    until: float,
    rtol: float = 1e-10,
    atol: float = 1e-13,
    method: Literal["dop853"] = "dop853",
    events: Events = None,
    project: bool = True,
    longest_step: float = np.inf,
    transitions: bool = True,
    limits: Limits | None = None,
    on: On | int = "lanes",
    patience: float | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> xarray.Dataset:
    """The motions of a system for many values of its parameters, and of those in its start, as a Dataset.

    start     as `system.start` gave it, where prescribed values may be formulas of zm.parameters: it is made again for each
              member; or a function that gives a start from the values of the parameters, by their names
    over      {parameter: values}, a grid of all combinations; or values from `samples`
    keep      {name: what}: an expression or an array of them at the end, or `largest`, `smallest`, `mean`, `integral`,
              `values_at`, `first_time` of one
    on        "lanes": this process, members side by side in SIMD lanes; "cores", or a number of them: processes that do the
              same; "gpu": a graphics card, one member in each of its threads. Numbers do not depend on it
    patience  seconds that a chunk of members may take on a core before it is given up and done again, a part at a time
    progress  a bar on the terminal, or a function that is told how many members are done, of how many

    The other options are those of `simulate`. The coordinates of the Dataset are the parameters; its variables what is kept,
    and for each member its `outcome` in words with its `message`, the time `end` that it came to, `steps`, `rejected` and
    `evaluations`. A member that can not begin or go on has its outcome and no numbers, or those up to there; none stops
    the study. Ctrl-C ends it: members that were not reached have the outcome "interrupted".

    The equations are compiled at the start of the first member. Each member is, to the last bit, what
    `simulate(program, start, method="dop853", …)` gives for that program and its start. What `run.remarks` would say of a
    finished motion is not looked for.

    >>> theta, length, angle = zm.coordinate("theta"), zm.parameter("length", 1.0), zm.parameter("angle", 0.1)
    >>> pendulum = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    >>> start = pendulum.start({theta: angle})
    >>> study = zm.sweep(pendulum, start, until=2.0, over={length: [0.5, 1.0], angle: [0.1, 0.2, 0.3]},
    ...                  keep={"end": theta, "fastest": zm.largest(zm.rate(theta))})
    >>> study.end.dims, study.outcome.item(0), study.end.sel(length=1.0, angle=0.2).item() < 0.2
    (('length', 'angle'), 'finished', True)
    """
    if method != "dop853":
        raise ModelError(f"method={method!r}: members move side by side with method='dop853'")
    program, moving = (system, system.system) if isinstance(system, Program) else (None, system)
    settings = Settings(rtol, atol, method, project, None, longest_step, transitions, limits or Limits())
    if not np.isfinite(until):
        raise ModelError(f"until = {until}: a run needs a finite end")
    axes = axes_of(over)
    members = Members(moving, start, list(axes.values), axes.table())
    wanted = {name: kept(what) for name, what in keep.items()}
    program = program or compile(moving, members.first)
    first = Starts.of([members.first])
    study = Study(members, Work(program, float(until), settings, tuple(events_of(events)), wanted, first, on == "gpu"))
    with _telling(progress, len(members)) as tell:
        chunks = Chunks.of(study)
        if on == "lanes":
            results = chunks.here(study, tell)
        elif on == "gpu":
            from zeromass.ensemble.gpu import on_gpu

            results = on_gpu(study, tell)
        else:
            from zeromass.ensemble.cores import on_cores

            results = on_cores(study, chunks, None if on == "cores" else int(on), tell, patience)
    return _dataset(axes, study.work, results)


def _dataset(axes: Axes, work: Work, results: Mapping[str, np.ndarray]) -> xarray.Dataset:
    import xarray

    coordinates = {p.name: (dimensions, values) for p, (dimensions, values) in axes.values.items()}
    variables = {}
    units = _units(work)
    for name, values in results.items():
        more = tuple(f"{name}_{k}" for k in range(values.ndim - 1))
        if name in work.keep and hasattr(work.keep[name], "times"):
            more = (f"{name}_time", *more[:-1])
            coordinates[f"{name}_time"] = ((f"{name}_time",), work.keep[name].times)  # type: ignore[attr-defined]
        attributes = {"units": units[name]} if name in units else {}
        variables[name] = ((*axes.names, *more), values.reshape(*axes.shape, *values.shape[1:]), attributes)
    told = {"until": work.until, "rtol": work.settings.rtol, "atol": work.settings.atol, "method": "dop853"}
    return xarray.Dataset(variables, coords=coordinates, attrs=told)


def _units(work: Work) -> dict[str, str]:
    """Units of what is kept, where the system knows them."""
    known = [(quantity.expression, quantity.unit) for quantity in work.program.system.quantities.values()]
    found = {"end_time": "s"}
    for name, what in work.keep.items():
        unit = _unit(what, known)
        if unit:
            found[name] = unit
    return found


def _unit(what: Kept, known: list[tuple[Any, str]]) -> str:
    from zeromass.ensemble.keep import FirstTime, Integral

    if isinstance(what, FirstTime):
        return "s"
    array = what.array
    for expression, unit in known:
        other = np.atleast_1d(np.asarray(expression, dtype=object))
        if other.size == array.size and all(a is b for a, b in zip(array.ravel(), other.ravel(), strict=True)):
            return f"{unit} s" if isinstance(what, Integral) and not what.mean else unit
        if not array.ndim and any(array.item() is e for e in other.ravel()):
            return f"{unit} s" if isinstance(what, Integral) and not what.mean else unit
    return ""


@contextmanager
def _telling(progress: bool | Callable[[int, int], None], total: int) -> Iterator[Callable[[int], None]]:
    """Who is told how many more members are done: a function, or a bar with rate and remaining time."""
    if callable(progress):
        done = 0

        def tell(more: int) -> None:
            nonlocal done
            done += more
            progress(done, total)

        yield tell
    elif progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("sweeping", total=total, rate="")

            def advance(more: int) -> None:
                bar.advance(task, more)
                speed = bar.tasks[0].speed
                bar.update(task, rate=f"{speed:.0f} runs/s" if speed else "")

            yield advance
    else:
        yield lambda more: None
