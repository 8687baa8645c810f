"""What is said of a table and of its keys: by the docstring of what makes something of it, or as usual.

A docstring tells of an argument on a line of its own, its name or several, two blanks, and words, as this one would:

    radius, length  m
    mass            kg, and further
                    words on lines that stand deeper
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

USUAL = {
    "radius": "m",
    "length": "m",
    "width": "m",
    "sides": "along the axes of the body, m",
    "axes": "semi-axes along the axes of the body, m",
    "axis": "direction, in the axes of the body",
    "mass": "kg",
    "name": "by which formulas and messages call it",
    "inside": "whether bodies are inside; else outside",
    "side": "bodies are where the formula is positive (1) or negative (−1)",
    "curvature": "1/m",
    "tube": "radius of the tube, m",
    "a": "one end, a point, m",
    "b": "the other end, a point, m",
    "at": "a point, m",
    "part": "name of a particle or body",
    "t0": "time of the start, s",
    "until": "time at which the run ends, s",
    "longest_step": "bound of the steps, s",
    "guess": "near which the rest of the start is looked for",
    "relative": "whether velocity and spin are those against the surface",
    "shift": "of the whole, m",
    "rotation": "of the whole about an axis",
    "velocity": "of the material, m/s",
}
"""Of arguments whose function does not tell."""

_KEYS = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*)$")
_DEEPER = re.compile(r"^ {4,}(\S.*)$")


def summary(make: Callable[..., Any]) -> str:
    """The first line of a docstring, and the formula that follows it where one does."""
    first, *rest = (inspect.getdoc(make) or "").split("\n\n")
    words = " ".join(first.split())
    formula = rest[0].strip() if rest and rest[0].startswith("    ") and "\n" not in rest[0] else ""
    return f"{words} {' '.join(re.split(r' {4,}', formula)[0].split())}" if formula else words


def told(make: Callable[..., Any]) -> dict[str, str]:
    """What a docstring says of arguments, by their names."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in (inspect.getdoc(make) or "").splitlines():
        if match := _KEYS.match(line):
            names = match[1].split(", ")
            found |= dict.fromkeys(names, match[2].strip())
        elif names and (more := _DEEPER.match(line)):
            found |= {name: f"{found[name]} {more[1].strip()}" for name in names}
        else:
            names = []
    return found
