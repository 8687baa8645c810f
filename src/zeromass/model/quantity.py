"""Named quantities of a system: what plots and files show without being asked."""

from __future__ import annotations

from typing import Any, NamedTuple


class Quantity(NamedTuple):
    """An expression, or array of them, with its unit and the words for an axis."""

    expression: Any
    unit: str
    label: str
