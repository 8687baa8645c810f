"""Cases that every run of the tests tries, and those that only `make test-all` does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The first of some cases for every run, the others for the long one."""
    return [case if k < count else _slow(case) for k, case in enumerate(cases)]


def spread(cases: Iterable[Any], every: int) -> list[Any]:
    """One of `every` cases, from the first on, for every run, the others for the long one."""
    return [_slow(case) if k % every else case for k, case in enumerate(cases)]


def _slow(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
