"""The surfaces below the bodies of all runs, each once, over the region that the runs on it need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zeromass.expression import Symbol, expressions, symbols
from zeromass.integrate import Course, Sampled
from zeromass.model import Ground
from zeromass.report.viewer.terrain import resting_plane, terrain


def made_of(ground: Ground) -> tuple[Any, ...]:
    """What makes a surface: those of several contacts are the same where all of it is."""
    moving = [ground.shift, *([] if ground.rotation is None else [ground.rotation])]
    flow = [] if ground.flow is None else [ground.flow]
    formulas = [e for array in (*moving, *flow) for e in expressions(array).ravel()]
    return (ground.name, ground.side, ground.f, *formulas)


@dataclass
class _Need:
    """A surface, and what of it the runs on it need."""

    ground: Ground
    parameters: dict[Symbol, float]
    extent: float = 0.0
    paths: list[np.ndarray] = field(default_factory=list)
    spans: list[tuple[float, float, int]] = field(default_factory=list)


class Grounds:
    """The surfaces of all runs. Surfaces are the same where all that makes them is, parameter values included."""

    def __init__(self) -> None:
        self._needs: dict[Any, _Need] = {}

    def indices(self, run: Course, sampled: Sampled) -> tuple[int | None, list[int]]:
        """Places of the surface of a run in the list, or None, and of those beside it; its path is taken into account."""
        drawing = run.system.drawing_at(run.parameters)
        if drawing.ground is None:
            return None, []
        first = self._index(drawing.ground, run, sampled)
        others = dict.fromkeys(self._index(ground, run, sampled) for ground in drawing.beside)
        return first, [other for other in others if other != first]

    def _index(self, ground: Ground, run: Course, sampled: Sampled) -> int:
        used = set(symbols(ground.f, ground.shift, *([] if ground.rotation is None else [ground.rotation])))
        parameters = {p: value for p, value in run.parameters.items() if p in used}
        key = (*made_of(ground), *parameters.items())
        need = self._needs.setdefault(key, _Need(ground, parameters))
        need.paths.append(sampled[ground.contact])
        need.extent = max(need.extent, ground.extent)
        need.spans.append((float(sampled.t[0]), float(sampled.t[-1]), len(sampled)))
        return list(self._needs).index(key)

    def reach(self, run: Course, sampled: Sampled) -> None:
        """Surfaces are drawn as far as another motion on them goes, whatever its parameters."""
        drawing = run.system.drawing_at(run.parameters)
        known = {made_of(need.ground): need for need in reversed(self._needs.values())}
        for ground in [] if drawing.ground is None else [drawing.ground, *drawing.beside]:
            if (need := known.get(made_of(ground))) is not None:
                need.paths.append(sampled[ground.contact])

    def data(self) -> list[dict[str, Any]]:
        """The surfaces as the page reads them."""
        result = []
        planes = {key: resting_plane(need.ground, need.parameters) for key, need in self._needs.items()}
        for key, need in self._needs.items():
            first, last = min(a for a, _, _ in need.spans), max(b for _, b, _ in need.spans)
            times = np.linspace(first, last, max(n for _, _, n in need.spans))
            others = [plane for other, plane in planes.items() if other != key and plane is not None]
            made = terrain(need.ground, need.paths, need.extent, times, need.parameters, others)
            result.append(made | {"t": [first, last, len(times)]})
        return result
