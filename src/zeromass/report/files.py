"""Runs in files: netCDF that is read back as a run, and the same data as an xarray Dataset.

A file is written beside its place, flushed to the disk and then renamed: there is the old file or the new one, never
half of one.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.compile.program import program_at
from zeromass.errors import ZeromassError
from zeromass.expression import Grid
from zeromass.integrate import Course, Ending, Occurrence, Outcome, Segment, Settings, Statistics
from zeromass.integrate.joined import grouped, joined, parted
from zeromass.integrate.joined import records as pieces_of
from zeromass.model import State, System
from zeromass.model.record import from_record, to_record
from zeromass.report.origin import Origin

if TYPE_CHECKING:
    import xarray

FORMAT = "zeromass run 3"
EARLIER = "zeromass run 2"
"""The format before runs had segments; it is read too."""


class FileError(ZeromassError, OSError):
    """A file could not be written or read; the message says which and why.

    >>> zm.load("nothing.nc")
    Traceback (most recent call last):
    zeromass.report.files.FileError: 'nothing.nc' could not be read as a run: ...
    """


def write(path: str | PathLike[str], content: Callable[[Path], object]) -> Path:
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
    names = [x.name for x in run.system.coordinates]
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
    coordinates: dict[str, Any] = {"t": ("t", sampled.t, {"units": "s", "long_name": "time"}), "coordinate": names}
    if any("component" in entry[0] for entry in data.values()):
        coordinates["component"] = ["x", "y", "z"]
    return xarray.Dataset(data, coords=coordinates, attrs=dict(told or {}))


def save(run: Course, path: str | PathLike[str], told: Mapping[str, str | float]) -> Path:
    """Writes a run to a netCDF file from which `read` makes it again, dense output included; it holds a `to_dataset`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.report import save
    >>> save(run, folder / "spring.nc", {"author": "Hooke"}).name
    'spring.nc'
    """
    systems = list(dict.fromkeys(segment.system for segment in run.segments))
    records = [to_record(system) for system in systems]  # first: a system that can not be written needs nothing else
    dataset = to_dataset(run, told=told)
    groups = grouped(run.segments)
    wholes = [joined(group) for group in groups]
    parts = [_segment_data(segment, records[systems.index(segment.system)][1], k) for k, segment in enumerate(wholes)]
    dataset = dataset.assign({name: value for part in parts for name, value in part.items()})
    dataset.attrs.update(
        {
            "format": FORMAT,
            "systems": json.dumps([record for record, _ in records]),
            "grid_names": json.dumps([[grid.name for grid in grids] for _, grids in records]),
            "segments": json.dumps(
                [
                    {**_segment_words(whole, systems), "pieces": pieces_of(group)}
                    for whole, group in zip(wholes, groups, strict=True)
                ]
            ),
        }
    )
    return write(path, lambda place: dataset.to_netcdf(place, engine="h5netcdf"))


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
        "outcome": [segment.outcome.ending.value, segment.outcome.t, segment.outcome.message],
        "counts": list(vars(segment.statistics).values()),
        "events": [e.name for e in segment.events],
        "parameters": [segment.parameters[p] for p in segment.system.parameters],
        "moved": segment.program is not None,
    }


def read(path: str | PathLike[str]) -> tuple[list[Segment], Origin]:
    """The segments and the origin of a run that `save` wrote.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.report import read
    >>> (segment,), origin = read(run.save(folder / "spring.nc"))
    >>> bool(np.all(segment.y == run.y)), origin == run.origin
    (True, False)
    """
    import xarray

    try:
        with xarray.open_dataset(Path(path), engine="h5netcdf") as file:
            data = file.load()
    except (OSError, ValueError) as error:
        raise FileError(f"'{path}' could not be read as a run: {error}") from error
    if data.attrs.get("format") == EARLIER:
        data = _renewed(data)
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"'{path}' is no run of this program: its format is {data.attrs.get('format')!r}")
    segments, names = json.loads(data.attrs["segments"]), json.loads(data.attrs["grid_names"])
    settings = Settings.from_dict(json.loads(data.attrs["settings"]))
    systems: dict[int, System] = {}
    found: list[Segment] = []
    for k, words in enumerate(segments):
        which = words["system"]
        if which not in systems:
            grids = [
                Grid(*(data[f"run{k}_grid{k}_{g}_{part}"].values for part in ("x", "y", "coefficients")), name=name)
                for g, name in enumerate(names[which])
            ]
            systems[which] = from_record(json.loads(data.attrs["systems"])[which], grids)
        whole = _segment(systems[which], words, lambda name, k=k: data[f"run{k}_{name}"].values, settings)
        found += parted(whole, words.get("pieces"))
    return found, Origin.from_attributes(data.attrs)


def _segment(system: System, words: dict[str, Any], array: Callable[[str], np.ndarray], settings: Settings) -> Segment:
    t, y = array("t"), array("y")
    n = y.shape[1] // 2
    ending, at, message = words["outcome"]
    parameters = dict(zip(system.parameters, words["parameters"], strict=True))
    start = State(system, float(t[0]), y[0, :n].copy(), y[0, n:].copy(), parameters)
    events = [Occurrence(*item) for item in zip(words["events"], array("event_t"), array("event_y"), strict=True)]
    return Segment(
        program_at(system, start) if words["moved"] and not words.get("pieces") else None,
        start,
        t,
        y,
        Outcome(Ending(ending), at, message),
        Statistics(*words["counts"]),
        tuple(events),
        settings,
        array("growth"),
        array("dense"),
    )


def _renewed(data: xarray.Dataset) -> xarray.Dataset:
    """The data of the format before, as those of a run of one segment."""
    old = data.attrs
    grids = json.loads(old["grid_names"])
    words = {
        "system": 0,
        "outcome": json.loads(old["ending"]),
        "counts": json.loads(old["counts"]),
        "events": json.loads(old["event_names"]),
        "parameters": json.loads(old["parameter_values"]),
        "moved": json.loads(old["ending"])[0] not in ("non-unique", "inconsistent") and data.sizes["t"] > 1,
    }
    names = ("y", "dense", "growth", "event_t", "event_y")
    moved = {f"run0_{name}": (data[f"run_{name}"].dims, data[f"run_{name}"].values) for name in names}
    for g in range(len(grids)):
        for part in ("x", "y", "coefficients"):
            kept = data[f"run_grid{g}_{part}"]
            moved[f"run0_grid0_{g}_{part}"] = kept.dims, kept.values
    moved["run0_t"] = ("t",), data["t"].values
    renewed = data.assign(moved)
    renewed.attrs |= {
        "format": FORMAT,
        "systems": f"[{old['system']}]",
        "grid_names": json.dumps([grids]),
        "segments": json.dumps([words]),
    }
    return renewed
