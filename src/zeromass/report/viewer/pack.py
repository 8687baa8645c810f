"""Arrays as text: little-endian numbers in base64, in as few bits as the eye needs."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.report.viewer.live import source

LEVELS = 65534
"""Steps of a quantised array between its smallest and largest value; one more code stands for "no value"."""


def exact(values: Any) -> dict[str, Any]:
    """float32: seven digits. What is not finite becomes NaN."""
    with np.errstate(over="ignore"):
        array = np.asarray(values, dtype="<f4")
    return _packed("f4", np.where(np.isfinite(array), array, np.float32("nan")).astype("<f4")) | source(values)


def path(values: Any) -> dict[str, Any]:
    """float32 of points over time, shape (n, 3); one row of a point that stays, where nothing can move it later."""
    stays = type(values) is np.ndarray and bool(np.all(values == values[:1]))
    return exact(values[:1] if stays else values)


def unit(values: Any) -> dict[str, Any]:
    """int16 of numbers within −1 … 1, such as quaternions: 3·10⁻⁵ apart."""
    return (
        _packed("i2", np.round(np.clip(np.asarray(values), -1, 1) * 32767).astype("<i2"))
        | {"scale": 1 / 32767}
        | source(values)
    )


def quantised(values: Any) -> dict[str, Any]:
    """uint16 between the smallest and the largest value; NaN where there is none."""
    array = np.asarray(values, dtype=float)
    good = np.isfinite(array)
    low, high = (float(array[good].min()), float(array[good].max())) if good.any() else (0.0, 0.0)
    scale = (high - low) / LEVELS or 1.0
    codes = np.where(good, np.round((np.where(good, array, low) - low) / scale), LEVELS + 1)
    return _packed("u2", codes.astype("<u2")) | {"scale": scale, "offset": low, "none": LEVELS + 1}


def indices(values: Any) -> dict[str, Any]:
    """Whole numbers from 0, in 16 bits where they fit."""
    array = np.asarray(values)
    small = array.size == 0 or array.max() < 2**16
    return _packed("u2" if small else "u4", array.astype("<u2" if small else "<u4"))


def unpacked(item: Any) -> Any:
    """Data with its packed arrays as arrays again."""
    if isinstance(item, Mapping):
        if "data" in item and "shape" in item:
            return _numbers(item)
        return {name: unpacked(value) for name, value in item.items()}
    return [unpacked(value) for value in item] if isinstance(item, list) else item


def _numbers(packed: Mapping[str, Any]) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(packed["shape"])
    if packed["type"] == "f4":
        return raw.astype(float)
    if "scale" not in packed:
        return raw
    values = packed.get("offset", 0.0) + packed["scale"] * raw
    return np.where(raw == packed["none"], np.nan, values) if "none" in packed else values


def _packed(kind: str, array: np.ndarray) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"type": kind, "shape": list(array.shape), "data": data}
