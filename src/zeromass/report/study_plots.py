"""Plots of studies: heat maps, basins of attraction with a colour for each outcome, parallel coordinates.

Colours are those of the other plots; members that did not come to their end are grey, and named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeromass.errors import shown
from zeromass.model import ModelError
from zeromass.model.given import given_all, given_kind, given_mapping, given_numbers
from zeromass.report.axes import given_axes
from zeromass.report.parallel import parallel, results, title
from zeromass.report.plots import COLORS, as_written

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

Kind = Literal["map", "basins", "parallel", "line"]

WHOLE = ("finished", "event")
"""Outcomes of members that came to their end."""

PALETTE = (*COLORS, "#e8d44a", "#8C510A")
"""Colours of basins: those of the other plots first."""

OUTCOMES = {"finished": COLORS[7], "no start": "0.8", "failed": "0.15", "interrupted": "0.92"}
"""Colours of outcomes; others take those that are left."""

FAR = 3.0
"""Lengths of the range of 96 of 100 values by which the others may lie outside and still set the colours."""

DARKEST = 0.55
"""Part of a colour's light that is taken away where `shade` is largest."""


def study(
    study: xarray.Dataset,
    what: str | xarray.DataArray | None = None,
    ax: Axes | None = None,
    *,
    kind: Kind | None = None,
    x: str | None = None,
    y: str | None = None,
    shade: str | None = None,
    labels: Mapping[Any, str] | None = None,
    limits: tuple[float, float] | None = None,
    columns: Sequence[str] | None = None,
) -> Axes:
    """Figure of a study: results over the parameters.

    what     name of a variable, or an array of one's own over the same parameters; by default the first that is one number
    kind     "map": colours over two parameters; "basins": a colour for each word or whole number, with a legend; "line":
             over one parameter; "parallel": a line for each member through axes of parameters and results. By default
             what suits
    x, y     parameters along the axes
    shade    of basins: a variable that darkens them, such as the time that it takes to get there
    labels   of basins: {value: words} for the legend
    limits   of a map: values at the ends of the colours; by default those of all members, unless a few lie far out
    columns  of parallel coordinates: parameters and variables, in their order; by default all that are numbers

    Returns the Axes. A study over more than two parameters is cut first: study.sel(mass=0.3).

    >>> q, v, d = zm.coordinate("q"), zm.parameter("v", 1.0), zm.parameter("d", 0.5)
    >>> swing = zm.System(kinetic=zm.rate(q) ** 2 / 2, potential=q**2 / 2, forces={q: -d * zm.rate(q)})
    >>> study = zm.sweep(swing, swing.start({zm.rate(q): v}), until=3.0, over={v: [1.0, 2.0], d: [0.1, 0.5, 1.0]},
    ...                  keep={"top": zm.study.largest(q)})
    >>> ax = zm.plot.study(study, "top")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('v', 'd')
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    if not hasattr(study, "data_vars"):
        raise ModelError(f"{shown(study)} is no study; zm.sweep(…) gives one")
    for word, given in (("x", x), ("y", y), ("shade", shade)):
        if given is not None:
            given_kind(given, str, word, "the name of a parameter or variable")
    if limits is not None:
        low, high = given_numbers(limits, "limits", (2,)).tolist()
        limits = (low, high)
    if labels is not None:
        given_mapping(labels, "labels", "{value: words}")
    if columns is not None:
        columns = given_all(columns, str, "columns", "the name of a parameter or variable")
    values = _chosen(study, what)
    kind = _usual(values) if kind is None else kind
    if not isinstance(kind, str) or kind not in ("map", "basins", "line", "parallel"):
        raise ModelError(f"kind={shown(kind)}; there are 'map', 'basins', 'line' and 'parallel'")
    if kind == "parallel":
        return parallel(study, values, _axes(ax, 8.0), columns)
    axes = _along(study, values, x, y, 1 if kind == "line" else 2)
    if kind == "line":
        return _line(study, values, axes, _axes(ax, 5.2))
    ax = _axes(ax, 6.0)
    if kind == "basins":
        _basins(study, values, axes, ax, shade, labels or {})
    else:
        _map(study, values, axes, ax, limits)
    ax.set(xlabel=title(study[axes[0]]), ylabel=title(study[axes[1]]))
    return ax


def _chosen(study: xarray.Dataset, what: str | xarray.DataArray | None) -> xarray.DataArray:
    if what is None:
        kept = results(study)
        if not kept:
            return outcomes(study)
        what = kept[0]
    if not isinstance(what, str):
        if not (hasattr(what, "dims") and hasattr(what, "coords")):
            raise ModelError(f"what is {shown(what)}; it is the name of a variable, or an array over the parameters")
        return what
    if what not in study:
        raise ModelError(f"the study has no '{what}'; it has: {', '.join(map(str, study.data_vars))}")
    return outcomes(study) if what == "outcome" else study[what]


def outcomes(study: xarray.Dataset) -> xarray.DataArray:
    """How members ended, in words; of those that an event ended, its name."""
    words = study["outcome"].astype(object)
    if "message" not in study:
        return words
    found = words.values.ravel()
    for k, message in enumerate(study["message"].values.ravel()):
        named = re.search(r"'([^']+)'", str(message)) if found[k] == "event" else None
        found[k] = named[1] if named else str(found[k])
    return words.copy(data=found.reshape(words.shape))


def _usual(values: xarray.DataArray) -> Kind:
    if values.dims and not any(str(d) in values.coords for d in values.dims):
        return "parallel"  # samples
    if values.ndim == 1:
        return "line"
    return "map" if values.dtype.kind == "f" else "basins"


def _along(
    study: xarray.Dataset, values: xarray.DataArray, x: str | None, y: str | None, count: int
) -> tuple[str, ...]:
    """The parameters along the axes of a picture."""
    dims = [str(d) for d in values.dims]
    given = [name for name in (x, y)[:count] if name is not None]
    strange = [name for name in given if name not in dims]
    if strange:
        raise ModelError(f"'{strange[0]}' is no dimension of '{values.name}'; it has: {', '.join(dims)}")
    if len(dims) != count:
        words = f"a picture of this kind has {count}" if len(dims) < count else "choose from the others first"
        example = f": study.sel({dims[-1]}=…) or study.isel({dims[-1]}=0)" if len(dims) > count else ""
        raise ModelError(f"'{values.name}' has the dimensions {', '.join(dims) or 'none'}; {words}{example}")
    rest = [name for name in dims if name not in given]
    found = [name if name is not None else rest.pop(0) for name in (x, y)[:count]]
    return tuple(found)


def _map(
    study: xarray.Dataset,
    values: xarray.DataArray,
    along: tuple[str, ...],
    ax: Axes,
    limits: tuple[float, float] | None,
) -> None:
    """Colours over two parameters; members without a value, and those that did not come to their end, are grey."""
    X, Y, Z = _grid(values, along)
    numbers = Z.astype(float)
    good = np.isfinite(numbers)
    low, high = limits or _range(numbers[good])
    drawn = np.ma.masked_array(numbers, ~good)
    mesh = ax.pcolormesh(X, Y, drawn, cmap="cividis", vmin=low, vmax=high, shading="nearest", rasterized=True)
    seen = numbers[good]
    below, above = (bool(seen.size) and bool(np.any(beyond)) for beyond in (seen < low, seen > high))
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    bar = ax.figure.colorbar(mesh, ax=ax, label=title(values), extend=extend[below, above], pad=0.02)  # type: ignore[arg-type]
    bar.outline.set_visible(False)  # type: ignore[operator]
    _greyed(study, along, X, Y, ~good, ax)


def _greyed(
    study: xarray.Dataset, along: tuple[str, ...], X: np.ndarray, Y: np.ndarray, empty: np.ndarray, ax: Axes
) -> None:
    """Why members have no colour."""
    if not empty.any() or "outcome" not in study or {*map(str, study["outcome"].dims)} != {*along}:
        return
    words = _grid(outcomes(study), along)[2].astype(object)
    there = sorted({*words[empty].tolist()})
    colors = {word: OUTCOMES.get(word, f"{0.7 - 0.15 * (k % 4):.2f}") for k, word in enumerate(there)}
    _painted(ax, X, Y, np.where(empty, words, ""), colors)
    _legend(ax, {word: colors[word] for word in there}, {})


def _basins(
    study: xarray.Dataset,
    values: xarray.DataArray,
    along: tuple[str, ...],
    ax: Axes,
    shade: str | None,
    labels: Mapping[Any, str],
) -> None:
    """A colour for each word or whole number."""
    X, Y, Z = _grid(values, along)
    there = [value for value in labels if np.any(value == Z)] + [
        value for value in sorted({*Z[~_missing(Z)].tolist()}) if value not in labels
    ]
    if len(there) > 24:
        raise ModelError(f"'{values.name}' has {len(there)} different values: too many for a legend; draw kind='map'")
    own = {value: OUTCOMES[value] for value in there if value in OUTCOMES and values.name == "outcome"}
    left = [color for color in PALETTE if color not in own.values()]
    for k, value in enumerate([value for value in there if value not in own]):
        own[value] = left[k % len(left)]
    light = None
    if shade is not None:
        dark = _grid(study[shade], along)[2].astype(float)
        low, high = np.nanpercentile(dark, [2, 98]) if np.isfinite(dark).any() else (0.0, 1.0)
        part = np.clip((dark - low) / max(high - low, np.finfo(float).tiny), 0.0, 1.0)
        light = 1.0 - DARKEST * np.where(np.isfinite(part), part, 0.0)
    _painted(ax, X, Y, Z, own, light)
    shares = {labels.get(value, str(value)): float(np.mean(value == Z)) for value in there}
    _legend(ax, {labels.get(value, str(value)): own[value] for value in there}, shares, below=shade is not None)
    if shade is not None:
        ax.set_title(f"darker: larger {title(study[shade])}", fontsize="small", color="0.4", loc="left")


def _painted(
    ax: Axes,
    X: np.ndarray,
    Y: np.ndarray,
    Z: np.ndarray,
    colors: Mapping[Any, Any],
    light: np.ndarray | None = None,
) -> None:
    from matplotlib.colors import to_rgb

    image = np.ones((*Z.shape, 4))
    image[..., 3] = 0.0
    for value, color in colors.items():
        image[value == Z] = (*to_rgb(color), 1.0)
    if light is not None:
        image[..., :3] *= light[..., None]
    ax.pcolormesh(X, Y, image, shading="nearest", rasterized=True)


def _legend(ax: Axes, colors: Mapping[str, Any], shares: Mapping[str, float], *, below: bool = False) -> None:
    """Colours and what they mean above the axes; `below` leaves room for words between them."""
    from matplotlib.patches import Patch

    handles = [
        Patch(color=color, label=as_written(word) + (f"  {_percent(shares[word])}" if word in shares else ""))
        for word, color in colors.items()
    ]
    ax.legend(
        handles=handles,
        frameon=False,
        fontsize="small",
        ncols=min(3, len(handles)),
        loc="lower left",
        bbox_to_anchor=(0.0, 1.06 if below else 1.0),
        borderaxespad=0.2,
        handlelength=1.0,
        columnspacing=1.4,
    )


def _percent(part: float) -> str:
    return "< 1 %" if 0 < part < 0.005 else f"{100 * part:.0f} %"


def _line(study: xarray.Dataset, values: xarray.DataArray, along: tuple[str, ...], ax: Axes) -> Axes:
    """A value over one parameter; members that did not come to their end are left out."""
    (name,) = along
    there, numbers = study[name].values, values.values.astype(float)
    ax.plot(there, numbers, color=COLORS[0], lw=1.1, marker="." if len(there) <= 60 else None)
    if "outcome" in study and study["outcome"].dims == values.dims:
        bad = there[~np.isin(study["outcome"].values.astype(object), WHOLE)]
        for place in bad:
            ax.axvline(place, color="0.88", lw=1.5, zorder=0)
    ax.grid(True, color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    ax.set(xlabel=title(study[name]), ylabel=title(values))
    return ax


def _grid(values: xarray.DataArray, along: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parameters along x and y, and values with a row for each y."""
    x, y = along
    turned = values.transpose(y, x)
    places = [turned[name].values if name in turned.coords else np.arange(turned.sizes[name]) for name in (x, y)]
    return places[0], places[1], turned.values


def _missing(Z: np.ndarray) -> np.ndarray:
    return ~np.isfinite(Z) if Z.dtype.kind == "f" else np.zeros(Z.shape, dtype=bool)


def _range(values: np.ndarray) -> tuple[float, float]:
    """Ends of the colours: all values, or 96 of 100 where the others lie far out."""
    if not values.size:
        return 0.0, 1.0
    least, most = float(values.min()), float(values.max())
    low, high = (float(v) for v in np.percentile(values, [2, 98]))
    far = FAR * (high - low)
    return (low if low - least > far else least), (high if most - high > far else most)


def _axes(ax: Axes | None, width: float) -> Axes:
    if ax is not None:
        return given_axes(ax)
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(width, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
