"""Touches: a motion comes to a switch and turns there, as far as its tolerances tell.

On its own side it turns back. Where the other side would take it away, or hold it there, a motion that comes nearer by less
than it is off goes another way: both are motions, and rounding would choose. Where both sides lead back there is one.
"""

from __future__ import annotations

import numpy as np

from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.hybrid.tolerances import NEAR, ORDERS
from zeromass.integrate.large_selection import LargeModeSelector
from zeromass.integrate.outcome import Outcome
from zeromass.integrate.settings import Settings
from zeromass.integrate.shocks import shock
from zeromass.model import State
from zeromass.model.pieces import Undecided

REACH = 10.0
"""Errors that the tolerances allow in a step, by which a motion may be off where it touches a switch."""


class Grazing:
    """What becomes of motions that touch switches; until the end of a run."""

    def __init__(self, deciding: ModeSelector | LargeModeSelector, settings: Settings, until: float) -> None:
        self._deciding, self._settings, self._until = deciding, settings, until

    def ambiguous(self, state: State, k: int, own: float, far: float) -> bool:
        """Whether a motion that is at a switch, or nearly, and on its piece would turn there, may as well go on beyond.

        state  on the piece
        own    the side of the switch on which the piece is
        far    the largest value of the switching function at the ends of the step: one that rests on a switch, as far as
               its tolerances tell, does not turn there
        """
        deciding, pieces = self._deciding, self._deciding.pieces
        if k in pieces.of_force or pieces.switches[k].kind == "turn":
            return False
        g = deciding.functions(state)
        border = float(np.round(g[k])) if pieces.switches[k].kind == "whole" else 0.0
        try:
            (here, a), (there, b) = (deciding.on_side(state, k, side) for side in (own, -own))
        except Undecided:
            return True
        rate, bend = (own * deciding.derivative(here, k, order, a) for order in (1, 2))
        if not bend > 0:
            return False
        reach = self._off(here, k) + NEAR * pieces.size(k, state)
        if far <= self._off(here, k):
            return False
        if not abs(own * (g[k] - border) - rate**2 / (2 * bend)) <= reach:
            return False
        if any(k in part for part in pieces.parts.values()):
            words = deciding.standing.words([k])
            if isinstance(shock(pieces, here, there, [k], words), Outcome):
                return True
        return self._leads_away(there, k, own, b) and self._differs(here, there, k, (a, b)) > reach

    def _off(self, state: State, k: int) -> float:
        """By how much a switching function may be off, from the tolerances."""
        rtol, atol = (self._settings.rtol, self._settings.atol) if self._settings.step is None else (0.0, 0.0)
        y = np.concatenate([state.q, state.v])
        slopes = self._deciding.slope(state, k)[1:]
        return REACH * float(np.abs(slopes) @ (atol + rtol * np.abs(y)))

    def _leads_away(self, state: State, k: int, own: float, a: np.ndarray) -> bool:
        """Whether the motion beyond a switch that it touches does not come back at once."""
        first = 1 if self._deciding.pieces.of_rates[k] else 2
        signs = (self._deciding.sign(state, k, order, a) * own for order in range(first, ORDERS + 1))
        return next((sign for sign in signs if sign), -1.0) < 0

    def _differs(self, here: State, there: State, k: int, accelerations: tuple[np.ndarray, np.ndarray]) -> float:
        """What the switching function may be at the end of the run, on one side and on the other, apart."""
        order, left = 1 if self._deciding.pieces.of_rates[k] else 2, abs(self._until - here.t)
        one, two = (
            self._deciding.derivative(state, k, order, a) for state, a in zip((here, there), accelerations, strict=True)
        )
        return abs(two - one) * left**order / order
