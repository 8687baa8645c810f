"""Runs in files: netCDF that is read back as a run, CSV and Parquet for other programs.

A file is written beside its place, flushed to the disk and then renamed: there is the old file or the new one, never
half of one.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.compile.compiled import compiled_at
from zeromass.expression import expressions
from zeromass.integrate import Trajectory
from zeromass.integrate.dense import DenseOutput, Projection
from zeromass.integrate.events import Occurrence
from zeromass.integrate.functions import Functions
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.trajectory import Statistics
from zeromass.model import State
from zeromass.model.record import from_record, to_record

if TYPE_CHECKING:
    import xarray

FORMAT = "zeromass run 1"


class FileError(OSError):
    """A file could not be written or read; the message says which and why."""


def write(path: Any, content: Callable[[Path], None]) -> Path:
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


def to_dataset(run: Trajectory, times: Any = None) -> xarray.Dataset:
    """Coordinates, rates, accelerations and the named quantities of a run, with units and long names."""
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
    attributes: dict[str, Any] = {
        "outcome": str(run.outcome),
        "statistics": str(run.statistics),
        "settings": json.dumps(dict(run.settings)),
        "zeromass_version": version("zeromass"),
    }
    attributes.update({f"parameter {p.name}": float(value) for p, value in run.parameters.items()})
    return xarray.Dataset(data, coords=coordinates, attrs=attributes)


def save(run: Trajectory, path: Any, *, certificate: Any = None, scenario: str = "") -> Path:
    """Writes a run to a netCDF file from which `load` makes it again, dense output included.

    certificate, scenario  kept in the attributes, where given
    """
    import xarray

    dataset = to_dataset(run)
    record = to_record(run.system)
    inside = _inside(run)
    extra = {
        "y": (("t", "state"), run.y),
        "dense": (("step", "place", "state"), inside),
        "growth": (("step",), run._growth),
        "event_t": (("event",), np.array([e.t for e in run.events])),
        "event_y": (("event", "state"), np.array([e.y for e in run.events]).reshape(len(run.events), run.y.shape[1])),
    }
    dataset = dataset.assign({f"run_{name}": value for name, value in extra.items()})
    dataset.attrs.update(
        {
            "format": FORMAT,
            "system": json.dumps(record),
            "ending": json.dumps([run.outcome.ending.value, run.outcome.t, run.outcome.message]),
            "counts": json.dumps(list(vars(run.statistics).values())),
            "event_names": json.dumps([e.name for e in run.events]),
            "parameter_values": json.dumps([run.parameters[p] for p in run.system.parameters]),
            "scenario": scenario,
            "certificate": "" if certificate is None else str(certificate),
        }
    )
    assert isinstance(dataset, xarray.Dataset)
    return write(path, lambda place: dataset.to_netcdf(place, engine="h5netcdf"))


def load(path: Any) -> Trajectory:
    """The run of a file that `save` wrote."""
    import xarray

    try:
        with xarray.open_dataset(Path(path), engine="h5netcdf") as file:
            data = file.load()
    except (OSError, ValueError) as error:
        raise FileError(f"'{path}' could not be read as a run: {error}") from error
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"'{path}' is no run of this program: its format is {data.attrs.get('format')!r}")
    system = from_record(json.loads(data.attrs["system"]))
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
    return Trajectory(
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


def _places() -> np.ndarray:
    """Where in a step states are stored: six of the nodes of Chebyshev, which with the ends fix a polynomial of degree 7."""
    return (1 - np.cos(np.pi * (np.arange(6) + 0.5) / 6)) / 2


def _inside(run: Trajectory) -> np.ndarray:
    """States inside each step, shape (steps, 6, 2n), as the interpolant of the method gives them."""
    steps = len(run.t) - 1
    result = np.empty((steps, len(_places()), run.y.shape[1]))
    for k in range(steps):
        result[k] = run._dense.inside(k)(_places())
    return result


class _Stored(DenseOutput):
    """Dense output from stored states: in each step the polynomial of degree 7 through them and the ends."""

    def __init__(self, t: np.ndarray, y: np.ndarray, inside: np.ndarray, project: Projection | None) -> None:
        self.t, self.y = t, y
        self._known = {}
        self._project = project
        self._inside = inside

    def inside(self, step: int) -> Callable[[np.ndarray], np.ndarray]:
        nodes = np.concatenate([[0.0], _places(), [1.0]])
        values = np.concatenate([self.y[step][None], self._inside[step], self.y[step + 1][None]])
        weights = 1.0 / np.array([np.prod(x - np.delete(nodes, k)) for k, x in enumerate(nodes)])

        def states(θ: np.ndarray) -> np.ndarray:
            gaps = θ[:, None] - nodes
            exact = gaps == 0.0
            shares = weights / np.where(exact, 1.0, gaps)
            shares = np.where(exact.any(axis=1, keepdims=True), exact, shares)
            return shares @ values / shares.sum(axis=1, keepdims=True)

        return states


def to_csv(run: Trajectory, path: Any, times: Any = None) -> Path:
    """Writes time, coordinates, rates and named quantities as a CSV table, one row a time."""
    frame = _table(run, times)

    def content(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="\n") as file:
            file.write(",".join(f'"{name}"' for name in frame) + "\n")
            for row in zip(*frame.values(), strict=True):
                file.write(",".join(repr(float(x)) for x in row) + "\n")

    return write(path, content)


def to_parquet(run: Trajectory, path: Any, times: Any = None) -> Path:
    """Writes the table of `to_csv` as Parquet; needs pyarrow."""
    try:
        import pyarrow  # pyright: ignore[reportMissingImports]
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
    frame = _table(run, times)
    return write(path, lambda place: pyarrow.parquet.write_table(pyarrow.table(frame), place))


def _table(run: Trajectory, times: Any) -> dict[str, np.ndarray]:
    sampled = run.at(run.t if times is None else times)
    n = len(run.system.coordinates)
    table = {"t [s]": sampled.t}
    for j, x in enumerate(run.system.coordinates):
        table[x.name], table[f"rate of {x.name}"] = sampled.y[:, j], sampled.y[:, n + j]
    for name, quantity in run.system.quantities.items():
        values = sampled[expressions(quantity.expression)]
        if values.ndim == 1:
            table[f"{name} [{quantity.unit}]"] = values
        else:
            table.update({f"{name}.{axis} [{quantity.unit}]": values[:, i] for i, axis in enumerate("xyz")})
    return table
