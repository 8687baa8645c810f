"""Large systems of the tests, each with a state near its constraints: trees, nets, mechanisms with repeating rows, balls.

shapes.SHAPES["tree"](1000) → (system, guess)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import zeromass as zm
from compile import large

Made = tuple[zm.System, dict[Any, float]]


def _system(made: large.Made) -> Made:
    parts, constraints, more, guess = made
    return zm.System(parts, constraints=constraints, **more), guess


SHAPES: dict[str, Callable[[int], Made]] = {
    "chain": lambda count: _system(large.chain(count, spread=0.05)),
    "tree": lambda count: _system(large.tree(count)),
    "net": lambda count: _system(large.map_folded(round(count**0.5))),
    "four bars": lambda count: _system(large.four_bars(count)),
    "balls": lambda count: _system(large.balls(count)),
}
