"""What the tables of a scenario file are made of: numbers or formulas, words, and tables that refuse unknown keys.

A number may also be a formula in quotes, such as "3*pi" or "m*g". Lengths are in m, masses in kg, times in s.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from zeromass.scenario.tokens import LONGEST


def _formula(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("this is a number, or a formula in quotes")
    if isinstance(value, str) and not 0 < len(value) <= LONGEST:
        raise ValueError(f"a formula has between 1 and {LONGEST} characters")
    if not isinstance(value, str) and not abs(value) <= sys.float_info.max:
        raise ValueError("a number is finite")
    return value


Formula = Annotated[Any, BeforeValidator(_formula)]
"""A number, or a formula in quotes."""

Vector = Annotated[list[Formula], Field(min_length=3, max_length=3)]
Words = Annotated[str, Field(min_length=1, max_length=200)]


class Table(BaseModel):
    """A table of the file: strict, complete, immutable."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)
