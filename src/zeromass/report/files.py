"""Runs in files: netCDF that `reading` makes a run of again, and the same data as an xarray Dataset.

A file is made in memory first: HDF5 takes the whole process with it when a disk is full while it writes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.analysis.residuals import residual_histories
from zeromass.expression import Grid, expressions
from zeromass.integrate import Course, Segment
from zeromass.integrate.joined import grouped, joined
from zeromass.integrate.joined import records as pieces_of
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.model import System
from zeromass.model.record import to_records
from zeromass.report.checksum import checksum, seal
from zeromass.report.reading import FORMAT
from zeromass.report.writing import with_ending, write

if TYPE_CHECKING:
    import xarray


def to_dataset(
    run: Course, times: ArrayLike | None = None, told: Mapping[str, str | float] | None = None
) -> xarray.Dataset:
    """Coordinates, rates, accelerations and the named quantities of a run, with units and long names.

    times  by default those of the steps
    told   attributes: what it tells beside the numbers

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.report import to_dataset
    >>> to_dataset(run, [0.0, np.pi]).position.values.round(9)
    array([[ 1.],
           [-1.]])
    """
    import xarray

    sampled = run.at(run.t if times is None else times)
    n = len(run.system.coordinates)
    names = list(run.system.names)
    axes = ("t", "coordinate")
    data: dict[str, Any] = {
        "position": (axes, sampled.y[:, :n], {"long_name": "generalised coordinates", "units": "SI"}),
        "rate": (axes, sampled.y[:, n:], {"long_name": "rates of the coordinates", "units": "SI/s"}),
    }
    if all(segment.program is not None for segment in run.segments):
        data["acceleration"] = (axes, sampled.acceleration, {"long_name": "accelerations", "units": "SI/s2"})
        for name, quantity in run.system.quantities.items():
            values = sampled[quantity.expression]
            labels = ("t", "component")[: values.ndim]
            data[name.replace(" ", "_")] = (labels, values, {"long_name": quantity.label, "units": quantity.unit})
    if not run.system.large:
        for name, values in residual_histories(run, sampled.t).items():
            labels = ("t", f"row of {name}")[: values.ndim]
            data[f"residual of {name}"] = (labels, values, {"long_name": f"residual of the constraint {name}"})
    coordinates: dict[str, Any] = {"t": ("t", sampled.t, {"units": "s", "long_name": "time"}), "coordinate": names}
    if any("component" in entry[0] for entry in data.values()):
        coordinates["component"] = ["x", "y", "z"]
    return xarray.Dataset(data, coords=coordinates, attrs=dict(told or {}))


def file_size(run: Course) -> int:
    """About how many bytes the file of a run takes: steps, with dense output, accelerations and named quantities."""
    n = len(run.system.coordinates)
    quantities = sum(expressions(quantity.expression).size for quantity in run.system.quantities.values())
    return 8 * len(run) * (3 + 5 * n + (DEGREE + 1) * 2 * n + quantities)


def netcdf_path(path: object) -> Path:
    """The path of a netCDF file."""
    hint = "; .nc is HDF5, which MATLAB (h5read), Julia and others read; run.to_csv writes a table"
    return with_ending(path, "a run", (".nc", ".nc4", ".h5", ".hdf5"), hint)


def save(run: Course, path: str | PathLike[str], told: Mapping[str, str | float]) -> Path:
    """Writes a run to a netCDF file from which `read` makes it again, dense output included; it holds a `to_dataset`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.report import save
    >>> save(run, folder / "spring.nc", {"author": "Hooke"}).name
    'spring.nc'
    """
    path = netcdf_path(path)
    systems = list(dict.fromkeys(segment.system for segment in run.segments))
    records, grids = to_records(systems)  # first: a system that can not be written needs nothing else
    dataset = to_dataset(run, told=told)
    groups = grouped(run.segments)
    wholes = [joined(group) for group in groups]
    parts = [_segment_data(segment, grids, k) for k, segment in enumerate(wholes)]
    arrays = {name: value for part in parts for name, value in part.items()}
    dataset = dataset.assign(arrays)
    dataset.attrs.update(
        {
            "format": FORMAT,
            "systems": json.dumps(records),
            "grid_names": json.dumps([[grid.name for grid in grids] for _ in records]),
            "segments": json.dumps(
                [
                    {**_segment_words(whole, systems), "pieces": pieces_of(group)}
                    for whole, group in zip(wholes, groups, strict=True)
                ]
            ),
        }
    )
    dataset.attrs["checksum"] = checksum({name: array for name, (_, array) in arrays.items()}, dataset.attrs)
    content = _netcdf(dataset)

    def put(place: Path) -> None:
        with place.open("wb") as file:
            file.write(content)
            file.write(seal(content))

    return write(path, put)


def _netcdf(dataset: xarray.Dataset) -> memoryview:
    """The bytes of a netCDF file with a dataset in it."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    content = io.BytesIO()
    with h5netcdf.File(content, "w") as file:
        dataset.dump_to_store(H5NetCDFStore(file))
    return content.getbuffer()


def _segment_data(segment: Segment, grids: list[Grid], k: int) -> dict[str, Any]:
    """The arrays of a segment and of the grids that its system is given on, by name."""
    events = segment.events
    arrays: dict[str, Any] = {
        "t": ((f"step{k}_end",), segment.t),
        "y": ((f"step{k}_end", "state"), segment.y),
        "dense": ((f"step{k}", "degree", "state"), segment.dense.polynomials()),
        "growth": ((f"step{k}",), segment.growth),
        "event_t": ((f"event{k}",), np.array([e.t for e in events])),
        "event_y": ((f"event{k}", "state"), np.array([e.y for e in events]).reshape(len(events), segment.y.shape[1])),
    }
    for g, grid in enumerate(grids):
        at = f"grid{k}_{g}"
        arrays[f"{at}_x"], arrays[f"{at}_y"] = ((f"{at}_x",), grid.x), ((f"{at}_y",), grid.y)
        axes = (f"{at}_x_cell", f"{at}_y_cell", f"{at}_x_power", f"{at}_y_power")
        arrays[f"{at}_coefficients"] = (axes, grid.coefficients)
    return {f"run{k}_{name}": value for name, value in arrays.items()}


def _segment_words(segment: Segment, systems: list[System]) -> dict[str, Any]:
    """What is not an array."""
    return {
        "system": systems.index(segment.system),
        "crossed": [[p.t, list(p.constraints), *(p.span or ())] for p in segment.crossed],
        "outcome": [segment.outcome.ending.value, segment.outcome.t, segment.outcome.message],
        "counts": list(vars(segment.statistics).values()),
        "events": [e.name for e in segment.events],
        "parameters": [segment.parameters[p] for p in segment.system.parameters],
        "moved": segment.program is not None,
        **_struck(segment),
    }


def _struck(segment: Segment) -> dict[str, Any]:
    """The impact that a segment of a smooth system begins with, if it does; of others it is kept with their pieces."""
    if segment.system.pieces is not None or segment.piece is None or segment.piece.impulse is None:
        return {}
    return {"struck": segment.piece.impulse.record()}
