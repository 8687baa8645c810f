"""Which bodies have others inside them: they are drawn clear, so that one sees these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.model.quaternion import rotation
from zeromass.report.viewer.shapes import reach

TIMES = 40
"""Times at which one looks."""


def clear(bodies: Sequence[Mapping[str, Any]], positions: Sequence[np.ndarray], turns: Sequence[Any]) -> list[bool]:
    """Of each body whether another one is wholly inside it, at all times.

    bodies     as the page reads them
    positions  of their middles, shape (n, 3) each, m
    turns      unit quaternions, shape (n, 4), or None of what does not turn
    """
    some = np.unique(np.linspace(0, max(map(len, positions), default=1) - 1, TIMES).astype(int))
    real = [k for k, body in enumerate(bodies) if not body.get("scenery") and not body["shape"].get("marker")]
    sizes = np.array([reach(bodies[k]["shape"]) for k in real])
    first = np.array([positions[k][0] for k in real]).reshape(-1, 3)

    def holds(k: int) -> bool:
        mine = bodies[k]["shape"]
        if mine["kind"] == "dot" and turns[k] is None:
            return False  # a particle: its size says nothing
        whole = reach(mine) + float(np.linalg.norm(mine.get("middle", 0.0)))
        near = (sizes < reach(mine)) & (np.linalg.norm(first - positions[k][0], axis=1) <= whole)
        return any(inside(k, real[i], float(sizes[i])) for i in np.flatnonzero(near).tolist())

    def inside(k: int, j: int, far: float) -> bool:
        mine = bodies[k]["shape"]
        if j == k or (bodies[k]["name"] and bodies[k]["name"] == bodies[j]["name"]):
            return False
        between = positions[j][some] - positions[k][some]
        around = between[:, None, :] + far * np.concatenate([np.eye(3), -np.eye(3)])
        own = around if turns[k] is None else np.einsum("jin,nkj->nki", rotation(turns[k][some].T), around)
        return bool(np.all(_within(mine, own.reshape(-1, 3))))

    told = {k for k in real if holds(k)}
    return [k in told for k in range(len(bodies))]


def _within(shape: Mapping[str, Any], points: np.ndarray) -> np.ndarray:
    """Whether points in the axes of a body lie in its shape."""
    x = points - np.asarray(shape.get("middle", (0.0, 0.0, 0.0)))
    if "turn" in shape:
        x = x @ rotation(np.asarray(shape["turn"], dtype=float))
    match shape["kind"]:
        case "box":
            return np.all(np.abs(x) <= np.asarray(shape["sides"]) / 2, axis=1)
        case "ellipsoid":
            return np.sum((x / np.asarray(shape["axes"])) ** 2, axis=1) <= 1.0
        case "rod" | "disc" | "wheel":
            long = shape["length"] if shape["kind"] == "rod" else shape["width"]
            return (np.hypot(x[:, 0], x[:, 1]) <= shape["radius"]) & (np.abs(x[:, 2]) <= long / 2)
        case "shell" | "dot":
            return np.sum(x**2, axis=1) <= shape["radius"] ** 2
    return np.zeros(len(x), dtype=bool)  # a ring is open, and what is inside a mesh is not looked for
