"""A mass on a line with a force, and how tests of switches run it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import zeromass as zm

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}
METHODS = "collocation", "dop853"


def mass(force: Callable[[Any, Any], Any]) -> tuple[zm.System, zm.expression.Expression, Any]:
    """1 kg with a force of its place and speed; the system, the place and the speed."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    return zm.System(kinetic=v**2 / 2, coordinates=[x], forces={x: force(x, v)}), x, v


def stopped_or_complete(*args: Any, **options: Any) -> zm.Run:
    """A run that may end before its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunStopped)
        return zm.simulate(*args, **{**TIGHT, **options})
