"""Links and joints as the page reads them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zeromass.integrate import Sampled
from zeromass.model import Drawing, Link
from zeromass.report.viewer.pack import path

BEYOND = 0.12
"""How far a rail goes beyond what runs on it, as a part of that way."""


class Joined(NamedTuple):
    """Links as the page reads them, and the places of their ends, m, shape (n, 3) each."""

    data: list[dict[str, Any]]
    ends: list[np.ndarray]


def links(sampled: Sampled, drawing: Drawing) -> Joined:
    """What joins points: rods, ropes, springs, dampers and rails."""
    data, ends = [], []
    for link in drawing.links:
        a, b = _ends(sampled, link)
        ends += [a, b]
        data.append({"kind": link.kind, "name": link.name, "from": path(a), "to": path(b)})
    return Joined(data, ends)


def _ends(sampled: Sampled, link: Link) -> tuple[np.ndarray, np.ndarray]:
    a, b = sampled[link.a], sampled[link.b]
    if link.kind != "rail":
        return a, b
    along = b[0] / np.linalg.norm(b[0])
    way = (a - a[0]) @ along
    more = BEYOND * float(np.ptp(way)) or 0.5
    return tuple(a[:1] + (end * along) for end in (way.min() - more, way.max() + more))  # type: ignore[return-value]


def joints(sampled: Sampled, drawing: Drawing) -> list[dict[str, Any]]:
    """Symbols of joints, each once at a place."""
    data: list[dict[str, Any]] = []
    seen: set[bytes] = set()
    for joint in drawing.joints:
        at = sampled[joint.at]
        key = (at + 0.0).tobytes()  # −0 is 0
        if key in seen:
            continue
        seen.add(key)
        axis = {} if joint.axis is None else {"axis": path(sampled[joint.axis])}
        data.append({"kind": joint.kind, "name": joint.name, "at": path(at)} | axis)
    return data
