"""Trails as the page reads them: as fine as the eye needs, from the dense output of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.integrate import Course, Sampled
from zeromass.report.viewer.pack import exact

STRAIGHT = 5e-4
"""How far a trail may be off its true path, as a part of the scene."""

FINEST, MOST = 8, 24_000
"""Most points of a trail for each sample of the run, and in all."""


def trail(run: Course, sampled: Sampled, kind: str, name: str, point: np.ndarray, size: float) -> dict[str, Any]:
    """The path of a point, with `fine` points for each sample of the run.

    Between samples a path with second difference d leaves its chord by d/8; k times as many points leave it by 1/k² of that.
    """
    x = sampled[point]
    bend = np.linalg.norm(np.diff(x, 2, axis=0), axis=1) / 8
    most = float(np.nanmax(bend)) if len(bend) and np.isfinite(bend).any() else 0.0
    fine = int(np.clip(np.ceil(np.sqrt(most / (STRAIGHT * size))), 1, min(FINEST, max(MOST // len(x), 1))))
    if fine > 1:
        times = np.linspace(sampled.t[0], sampled.t[-1], fine * (len(x) - 1) + 1)
        x = run.at(times)[point]
    return {"kind": kind, "name": name, "points": exact(x)} | ({"fine": fine} if fine > 1 else {})
