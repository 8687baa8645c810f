"""Objects that remember what they have computed, and leave it behind when they are copied or pickled."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class Remembering:
    """An object with cached properties: a copy or a pickle of it holds what it was made of, not what it has computed."""

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
