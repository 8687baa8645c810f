"""Parallel coordinates: an axis for each parameter and each result of a study, and a line through them for each member."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.model import ModelError
from zeromass.report.axes import named

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

OWN = ("end_time", "steps", "rejected", "evaluations")
"""What every study tells of its members; drawn where it is asked for."""

WIDE = 14
"""Letters of a line below an axis."""

MOST = 3000
"""Lines that are drawn, evenly chosen among the members: more hide one another."""


def results(study: xarray.Dataset) -> list[str]:
    """The variables of a study that are one number for each member."""
    dims = {*study["outcome"].dims} if "outcome" in study else {*study.dims}
    own = [str(name) for name, v in study.data_vars.items() if {*v.dims} == dims and v.dtype.kind == "f"]
    return [name for name in own if name not in OWN]


def parameters(study: xarray.Dataset) -> list[str]:
    """The parameters that vary."""
    dims = {*study["outcome"].dims} if "outcome" in study else {*study.dims}
    return [str(name) for name, v in study.coords.items() if v.ndim and {*v.dims} <= dims and v.dtype.kind in "fi"]


def parallel(study: xarray.Dataset, values: xarray.DataArray, ax: Axes, columns: Sequence[str] | None) -> Axes:
    """A line for each member, with the colour of one of its values; the last axis is that of the colours."""
    from matplotlib.collections import LineCollection

    names = list(columns) if columns is not None else [*parameters(study), *results(study)]
    unknown = [name for name in names if name not in study]
    if unknown:
        raise ModelError(f"the study has no '{unknown[0]}'; it has: {', '.join(map(str, study.variables))}")
    if columns is None and values.name in names:
        names = [name for name in names if name != values.name] + [str(values.name)]
    if len(names) < 2:
        raise ModelError("parallel coordinates need two parameters or results at least")
    table, colored = _table(study, values, names)
    places, ticks = _scaled(table)
    order = np.argsort(colored, kind="stable")  # large values on top
    lines = LineCollection(
        [np.column_stack([np.arange(len(names)), row]) for row in places[order]],
        array=colored[order],
        cmap="cividis",
        lw=0.8,
        alpha=float(np.clip(40.0 / np.sqrt(len(order) + 1.0) / 4.0, 0.15, 0.8)),
        rasterized=True,
    )
    ax.add_collection(lines)
    ax.set(xlim=(-0.05, len(names) - 0.95), ylim=(-0.04, 1.04), yticks=[])
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    for k, (low, high) in enumerate(ticks):
        ax.axvline(k, color="0.25", lw=0.9, zorder=3)
        for place in np.linspace(0.0, 1.0, 5):
            ax.annotate(
                f"{low + place * (high - low):.3g}",
                (k, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                color="0.15",
                bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75},
                zorder=4,
            )
    ax.set_xticks(range(len(names)), [fill(title(study[name]), WIDE) for name in names])
    ax.tick_params(axis="x", length=0, pad=8)
    bar = ax.figure.colorbar(lines, ax=ax, label=title(values), pad=0.02)
    bar.solids.set_alpha(1.0)  # type: ignore[union-attr]
    bar.outline.set_visible(False)  # type: ignore[operator]
    return ax


def _table(study: xarray.Dataset, values: xarray.DataArray, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of all members, and the value that colours them; without members that lack a number."""
    import xarray

    *columns, colored = xarray.broadcast(*[study[name] for name in names], values)
    if any(column.ndim > len(values.dims) for column in columns) or values.dtype.kind not in "fiu":
        wrong = next((n for n, c in zip(names, columns, strict=True) if c.ndim > len(values.dims)), str(values.name))
        raise ModelError(f"'{wrong}' is not one number for each member; choose a component: study.{wrong}[..., 0]")
    table = np.stack([column.values.ravel().astype(float) for column in [*columns, colored]], axis=1)
    table = table[np.isfinite(table).all(axis=1)]
    if not len(table):
        raise ModelError("no member has a number for each of the axes")
    some = np.unique(np.linspace(0, len(table) - 1, MOST).astype(int)) if len(table) > MOST else slice(None)
    return table[some, :-1], table[some, -1]


def _scaled(table: np.ndarray) -> tuple[np.ndarray, list[tuple[float, float]]]:
    low, high = table.min(axis=0), table.max(axis=0)
    wide = high > low
    places = np.where(wide, (table - low) / np.where(wide, high - low, 1.0), 0.5)
    return places, list(zip(low.tolist(), high.tolist(), strict=True))


def title(array: Any) -> str:
    """What an axis says: a name and its unit."""
    name, unit = str(array.attrs.get("long_name", array.name)), str(array.attrs.get("units", ""))
    return named(name) + (f" [{unit}]" if unit and unit != "1" else "")
