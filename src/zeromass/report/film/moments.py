"""Values between the samples of a film."""

from __future__ import annotations

import numpy as np


def at(values: np.ndarray, place: float) -> np.ndarray:
    """Values over time at a place between samples; those of one sample stay."""
    if len(values) == 1:
        return values[0]
    i = min(int(place), len(values) - 2)
    return values[i] + (place - i) * (values[i + 1] - values[i])


def unit(u: np.ndarray) -> np.ndarray:
    """A quaternion between two others, of length 1 again."""
    return u / np.linalg.norm(u)
