"""Colours of a film as numbers, 0 to 255."""

from __future__ import annotations

import numpy as np

from zeromass.report.palette import HEIGHTS, STONE

PAPER = "#f7f6f3"
"""What all is painted on."""


def rgb(tone: str) -> np.ndarray:
    """Red, green and blue of a colour as it is written, "#c8602a"."""
    return np.array([int(tone[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)


def by_height(level: np.ndarray) -> np.ndarray:
    """Colours of heights from 0 to 1, softened towards stone, as the viewer has them."""
    known, stone = np.array(HEIGHTS, dtype=float), np.array(STONE["light"])
    pure = np.stack([np.interp(level, np.linspace(0, 1, len(known)), tone) for tone in known.T], axis=1)
    return 0.7 * pure + 0.3 * stone
