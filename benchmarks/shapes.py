"""Large systems of the tests, each with a state near its constraints: trees, nets, mechanisms with repeating rows, balls,
and mechanisms and robots whose parts all differ.

shapes.SHAPES["tree"](1000) → (system, guess)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import robots

import zeromass as zm
from compile import large, mixed

Made = tuple[zm.System, dict[Any, float]]


def _system(made: large.Made) -> Made:
    parts, constraints, more, guess = made
    return zm.System(parts, constraints=constraints, **more), guess


def _robot(text: str) -> Made:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(text, encoding="utf-8")
        return zm.from_urdf(path).system(), {}


SHAPES: dict[str, Callable[[int], Made]] = {
    "chain": lambda count: _system(large.chain(count, spread=0.05)),
    "tree": lambda count: _system(large.tree(count)),
    "net": lambda count: _system(large.map_folded(round(count**0.5))),
    "four bars": lambda count: _system(large.four_bars(count)),
    "balls": lambda count: _system(large.balls(count)),
    "free bodies": lambda count: _system(large.free_bodies(count)),
    "robot": lambda count: _robot(robots.chain(count)),
    "mixed chain": lambda count: (mixed.system(mixed.links(count)), {}),
    "mixed tree": lambda count: (mixed.system(mixed.links(count, mixed.tree)), {}),
    "mixed robot": lambda count: _robot(mixed.robot(count)),
}


def peer(shape: str, count: int) -> list[dict[str, Any]] | str | None:
    """What a peer is told of a shape: links of a tree in numbers, or a robot as URDF; None of what is no tree."""
    match shape:
        case "chain" | "tree":
            return _rods(count, mixed.chain if shape == "chain" else mixed.tree)
        case "mixed chain" | "mixed tree":
            some = mixed.links(count, mixed.chain if shape == "mixed chain" else mixed.tree)
            return [{name: getattr(x, "tolist", lambda x=x: x)() for name, x in one._asdict().items()} for one in some]
        case "robot":
            return robots.chain(count)
        case "mixed robot":
            return mixed.robot(count)
    return None


def _rods(count: int, parent: Callable[[int], int]) -> list[dict[str, Any]]:
    """Rods with ball joints, each at the end of its parent, all along x."""
    found: list[dict[str, Any]] = []
    same = {"kind": "spherical", "mass": 1.0, "inertia": [[0.02, 0, 0], [0, 0.1, 0], [0, 0, 0.11]]}
    same |= {"quaternion": [1.0, 0, 0, 0], "axes": [[0, 0, 1.0], [1.0, 0, 0]]}
    for k in range(count):
        up = parent(k)
        x = found[up]["at"][0] + 0.5 if up >= 0 else 0.0
        found.append({**same, "parent": up, "point": [x, 0, 0], "at": [x + 0.5, 0, 0]})
    return found
