"""Runs in files: netCDF that is read back as a run, and the same data as an xarray Dataset.

A file is written beside its place, flushed to the disk and then renamed: there is the old file or the new one, never
half of one.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.analysis import Certificate
from zeromass.compile.compiled import compiled_at
from zeromass.expression import Grid
from zeromass.integrate import Course
from zeromass.integrate.dense import DenseOutput, Projection
from zeromass.integrate.events import Occurrence
from zeromass.integrate.functions import Functions
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.trajectory import Statistics
from zeromass.model import State
from zeromass.model.record import from_record, to_record
from zeromass.report.origin import Origin, attributes, with_origin

if TYPE_CHECKING:
    import xarray

FORMAT = "zeromass run 2"


class FileError(OSError):
    """A file could not be written or read; the message says which and why."""


def write(path: Any, content: Callable[[Path], object]) -> Path:
    """Writes a file whole or not at all; `content` writes to the path that it is given."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        content(beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError as error:
        raise FileError(f"'{target}' could not be written: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)
    return target


def to_dataset(
    run: Course,
    times: Any = None,
    *,
    certificate: Certificate | bool | None = True,
    scenario: str | None = None,
) -> xarray.Dataset:
    """Coordinates, rates, accelerations and the named quantities of a run, with units and long names.

    times        by default those of the steps
    certificate  True: that of the run, for which a second run is made unless it is known; False or None: none;
                 or a certificate
    scenario     text of the scenario file, where the run does not know it

    The attributes tell outcome, cost, settings, parameters, scenario, certificate and versions.
    """
    import xarray

    sampled = run.at(run.t if times is None else times)
    n = len(run.system.coordinates)
    names = [x.name for x in run.system.coordinates]
    axes = ("t", "coordinate")
    data: dict[str, Any] = {
        "position": (axes, sampled.y[:, :n], {"long_name": "generalised coordinates", "units": "SI"}),
        "rate": (axes, sampled.y[:, n:], {"long_name": "rates of the coordinates", "units": "SI/s"}),
    }
    if run.outcome.ending not in (Ending.NON_UNIQUE, Ending.INCONSISTENT, Ending.NOT_A_NUMBER):
        data["acceleration"] = (axes, sampled.acceleration, {"long_name": "accelerations", "units": "SI/s2"})
        for name, quantity in run.system.quantities.items():
            values = sampled[quantity.expression]
            labels = ("t", "component")[: values.ndim]
            data[name.replace(" ", "_")] = (labels, values, {"long_name": quantity.label, "units": quantity.unit})
    coordinates: dict[str, Any] = {"t": ("t", sampled.t, {"units": "s", "long_name": "time"}), "coordinate": names}
    if any("component" in entry[0] for entry in data.values()):
        coordinates["component"] = ["x", "y", "z"]
    told = attributes(run, certificate=certificate, scenario=scenario)
    return xarray.Dataset(data, coords=coordinates, attrs=told)


def save(
    run: Course, path: Any, *, certificate: Certificate | bool | None = True, scenario: str | None = None
) -> Path:
    """Writes a run to a netCDF file from which `load` makes it again, dense output included.

    certificate, scenario  as of `to_dataset`, whose data and attributes the file holds
    """
    import xarray

    record, grids = to_record(run.system)  # first: a system that can not be written needs no certificate
    dataset = to_dataset(run, certificate=certificate, scenario=scenario)
    extra = {
        "y": (("t", "state"), run.y),
        "dense": (("step", "degree", "state"), run._dense.polynomials(np.arange(len(run.t) - 1))),
        "growth": (("step",), run._growth),
        "event_t": (("event",), np.array([e.t for e in run.events])),
        "event_y": (("event", "state"), np.array([e.y for e in run.events]).reshape(len(run.events), run.y.shape[1])),
    }
    for k, grid in enumerate(grids):
        lines = {name: ((f"grid{k}_{name}",), getattr(grid, name)) for name in ("x", "y")}
        powers = (((f"grid{k}_x_cell", f"grid{k}_y_cell", f"grid{k}_x_power", f"grid{k}_y_power")), grid.coefficients)
        extra |= {f"grid{k}_{name}": value for name, value in (lines | {"coefficients": powers}).items()}
    dataset = dataset.assign({f"run_{name}": value for name, value in extra.items()})
    dataset.attrs.update(
        {
            "format": FORMAT,
            "system": json.dumps(record),
            "grid_names": json.dumps([grid.name for grid in grids]),
            "ending": json.dumps([run.outcome.ending.value, run.outcome.t, run.outcome.message]),
            "counts": json.dumps(list(vars(run.statistics).values())),
            "event_names": json.dumps([e.name for e in run.events]),
            "parameter_values": json.dumps([run.parameters[p] for p in run.system.parameters]),
        }
    )
    assert isinstance(dataset, xarray.Dataset)
    return write(path, lambda place: dataset.to_netcdf(place, engine="h5netcdf"))


def load(path: Any) -> Course:
    """The run of a file that `save` wrote; it knows its scenario and certificate as the file tells them."""
    import xarray

    try:
        with xarray.open_dataset(Path(path), engine="h5netcdf") as file:
            data = file.load()
    except (OSError, ValueError) as error:
        raise FileError(f"'{path}' could not be read as a run: {error}") from error
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"'{path}' is no run of this program: its format is {data.attrs.get('format')!r}")
    grids = [
        Grid(*(data[f"run_grid{k}_{part}"].values for part in ("x", "y", "coefficients")), name=name)
        for k, name in enumerate(json.loads(data.attrs["grid_names"]))
    ]
    system = from_record(json.loads(data.attrs["system"]), grids)
    t, y = data["t"].values, data["run_y"].values
    n = y.shape[1] // 2
    values = json.loads(data.attrs["parameter_values"])
    parameters = dict(zip(system.parameters, values, strict=True))
    ending, at, message = json.loads(data.attrs["ending"])
    names = json.loads(data.attrs["event_names"])
    events = [
        Occurrence(*item) for item in zip(names, data["run_event_t"].values, data["run_event_y"].values, strict=True)
    ]
    start = State(system, float(t[0]), y[0, :n].copy(), y[0, n:].copy(), parameters)
    outcome = Outcome(Ending(ending), at, message)
    settings = json.loads(data.attrs["settings"])
    moved = outcome.ending not in (Ending.NON_UNIQUE, Ending.INCONSISTENT) and len(t) > 1
    compiled = compiled_at(system, start) if moved else None
    project = Functions(compiled, np.array(values)).projected if compiled and settings["project"] else None
    run = Course(
        system=system,
        start=start,
        t=t,
        y=y,
        outcome=outcome,
        statistics=Statistics(*json.loads(data.attrs["counts"])),
        events=tuple(events),
        parameters=parameters,
        _compiled=compiled,
        settings=settings,
        _growth=data["run_growth"].values,
        _dense=_Stored(t, y, data["run_dense"].values, project),
    )
    return with_origin(run, Origin.from_attributes(data.attrs))


class _Stored(DenseOutput):
    """Dense output from stored polynomials."""

    def __init__(self, t: np.ndarray, y: np.ndarray, inside: np.ndarray, project: Projection | None) -> None:
        super().__init__(t, y, None, project)
        self._known = dict(enumerate(inside))
