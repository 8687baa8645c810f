"""The card of a study, for notebooks: how its members ended, over which parameters, and what was kept of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression.card import card, soft, table, text, told

if TYPE_CHECKING:
    import xarray

GOOD = ("finished", "event")
"""Outcomes of members that came to their end."""

MOST = 12
"""Rows of a table."""


def study_card(study: xarray.Dataset) -> str:
    """Members and their outcomes, parameters and their ranges, and the least and largest of what was kept."""
    rows: list[list[str]] = []
    if "outcome" in study:
        counts = Counter(study["outcome"].values.ravel().tolist())
        words = [told(f"{count} {word}", good=word in GOOD) for word, count in counts.most_common(MOST)]
        rows.append(["outcomes", ", ".join(words)])
    for name in study.coords:
        values = study[name].values
        if values.dtype.kind in "fi":
            rows.append([f"over {text(name)}", _range(values) + soft(f" {_unit(study[name])}, {values.size} values")])
    kept = [name for name in study.data_vars if study[name].dtype.kind in "fi"]
    for name in kept[:MOST]:
        rows.append([text(name), _range(study[name].values) + soft(f" {_unit(study[name])}")])
    asked = next((str(name) for name in study.coords), "sample")
    rows.append(["a member", text(f"study.zm.run({asked}=…) is its whole run")])
    sizes = " × ".join(str(size) for size in study.sizes.values())
    return card("Study", table(rows), note=f"{sizes} members" if sizes else "")


def _range(values: np.ndarray) -> str:
    good = values[np.isfinite(values)]
    return f"{good.min():.6g} … {good.max():.6g}" if good.size else "no value"


def _unit(values: xarray.DataArray) -> str:
    unit = str(values.attrs.get("units", ""))
    return "" if unit == "1" else unit
