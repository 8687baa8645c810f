"""Named quantities of a system: what plots and files show without being asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Quantity:
    """An expression, or array of them, with its unit and the words for an axis."""

    expression: Any
    unit: str
    label: str
