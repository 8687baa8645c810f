"""Reference results of the papers' runs, from independent programs; each file says how many of its digits hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def reference(name: str) -> dict[str, Any]:
    """The runs of data/<name>.json."""
    path = Path(__file__).parent / "data" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["runs"]
