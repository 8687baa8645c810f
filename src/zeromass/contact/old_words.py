"""Words that were used before, for what has another name now. They work, and say what to write instead."""

from __future__ import annotations

import warnings

from zeromass.model import ModelError


def in_old_words(old: str, value: str | None, allowed: tuple[str, str], new: str, given: bool) -> bool:
    """A choice that is a truth now and was given by words; the second of the words allowed means True."""
    if value is None:
        return given
    if value not in allowed:
        raise ModelError(f"{old} is {value!r}; it is one of {', '.join(map(repr, allowed))}")
    chosen = value == allowed[1]
    warnings.warn(f"{old}={value!r} is an old word: write {new}={chosen}", DeprecationWarning, stacklevel=3)
    return chosen


def renamed(old: str, new: str) -> None:
    warnings.warn(f"rolling.{old} is now called rolling.{new}", DeprecationWarning, stacklevel=3)
