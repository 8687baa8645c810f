"""What is said to a stepping method, and what it answers."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from zeromass.frozen import frozen


class Status(IntEnum):
    """Why a stepping method returned."""

    FINISHED = 0
    RECORD_FULL = 1
    PAUSED = 2
    STEP_TOO_SMALL = 3
    NOT_A_NUMBER = 4
    PIVOTS = 5
    EVENT = 6
    SINGULAR_AHEAD = 7
    UNEXPLAINED = 8  # a fixed step that only the projection brings back to the constraints
    AHEAD = 9  # the limit of the steps is to be looked up further ahead
    FADING = 10  # a pivot of a multiplier would vanish soon


@frozen(eq=True)
class Tolerances:
    """Error allowed in a step, relative and absolute, and the longest step; a step of fixed length has no error."""

    rtol: float
    atol: float
    longest: float = np.inf
    step: float | None = None
