"""Results that are made once in a process, whichever thread asks first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(f: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache`, but a result that a thread has is never replaced by one that another made at the same time.

    For machine code, whose address may stand in memory by then: what is replaced is freed.
    """
    known: dict[Any, T] = {}

    @wraps(f)
    def result(*args: P.args, **kwargs: P.kwargs) -> T:
        key = args, tuple(kwargs.items())
        found = known.get(key)
        return known.setdefault(key, f(*args, **kwargs)) if found is None else found

    return result
