"""Runs as tables for other programs, one row a time: CSV, and Parquet with units and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from zeromass.analysis.residuals import residual_histories
from zeromass.expression import expressions
from zeromass.expression.operation.writing import printable
from zeromass.integrate import Course
from zeromass.report.writing import with_ending, write


@dataclass(frozen=True)
class Column:
    """One column: values over time, with unit and long name; the name of the column has the unit, where it is known."""

    name: str
    values: np.ndarray
    unit: str
    label: str

    @property
    def title(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def to_csv(run: Course, path: str | PathLike[str], times: ArrayLike | None = None) -> Path:
    """Writes time, coordinates, rates, named quantities and constraint residuals as a CSV table, one row a time.

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=1.0)
    >>> print(run.to_csv(folder / "swing.csv", [0.0]).read_text(), end="")
    "t [s]","x","rate of x","energy [J]","kinetic [J]","potential [J]"
    0.0,1.0,0.0,0.5,0.0,0.5
    """
    path = with_ending(path, "a table", (".csv", ".txt"), "; run.to_parquet writes .parquet")
    table = columns(run, times)

    def content(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="\n") as file:
            titles = [printable(column.title).replace('"', '""') for column in table]
            file.write(",".join(f'"{title}"' for title in titles) + "\n")
            for row in zip(*[column.values for column in table], strict=True):
                file.write(",".join(repr(float(x)) for x in row) + "\n")

    return write(path, content)


def to_parquet(
    run: Course,
    path: str | PathLike[str],
    times: ArrayLike | None = None,
    told: Mapping[str, str | float] | None = None,
) -> Path:
    """Writes the table of `to_csv` as Parquet; needs pyarrow. `told` is what it tells beside the numbers.

    Each column has its "units" and "long_name", the table the attributes of `to_dataset`, as metadata of its schema.

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=1.0)
    >>> run.to_parquet(folder / "swing.parquet", certificate=False).name
    'swing.parquet'
    """
    path = with_ending(path, "a table", (".parquet", ".pq"), "; run.to_csv writes .csv")
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow, which is not installed: pip install pyarrow") from error
    table = columns(run, times)
    fields = [
        pyarrow.field(column.title, pyarrow.float64(), metadata={"units": column.unit, "long_name": column.label})
        for column in table
    ]
    schema = pyarrow.schema(fields, metadata={name: str(value) for name, value in (told or {}).items()})
    data = pyarrow.table([column.values for column in table], schema=schema)
    return write(path, lambda place: parquet.write_table(data, place))


def columns(run: Course, times: ArrayLike | None = None) -> list[Column]:
    """Time, coordinates and rates, which have no unit of their own, named quantities, vectors by component, and the
    residuals of the constraints, by row."""
    sampled = run.at(run.t if times is None else times)
    n = len(run.system.coordinates)
    table = [Column("t", sampled.t, "s", "time")]
    for j, name in enumerate(run.system.names):
        table.append(Column(name, sampled.y[:, j], "", f"coordinate {name}"))
        table.append(Column(f"rate of {name}", sampled.y[:, n + j], "", f"rate of {name}"))
    for name, quantity in run.system.quantities.items():
        values = sampled[expressions(quantity.expression)]
        if values.ndim == 1:
            table.append(Column(name, values, quantity.unit, quantity.label))
        else:
            parts = zip("xyz", values.T, strict=True)
            table += [Column(f"{name}.{x}", value, quantity.unit, f"{quantity.label}, {x}") for x, value in parts]
    for name, values in ({} if run.system.large else residual_histories(run, sampled.t)).items():
        rows = values.reshape(len(values), -1).T
        name = printable(name)
        names = [name] if len(rows) == 1 else [f"{name}.{k}" for k in range(1, len(rows) + 1)]
        table += [
            Column(f"residual of {one}", value, "", f"residual of the constraint {one}")
            for one, value in zip(names, rows, strict=True)
        ]
    return table
