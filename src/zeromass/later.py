"""Names of a package that are imported when they are first asked for: what few programs need costs the others nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def later(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose `names`, {module: names in it}, come from its modules at need."""
    home = {name: module for module, some in names.items() for name in some}

    def found(name: str) -> Any:
        if name in home:
            return getattr(importlib.import_module(home[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return found
