"""Events that may wait: those of many steps are located together, after the steps.

Each is found as `happenings` finds it in its step, by the same arithmetic. Steps in which a function may turn near zero, or
comes to rest there, are left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.integrate.outcome import Occurrence
from zeromass.integrate.search import zeros_beside
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.kernel import DEEPER, NEAR_ZERO
from zeromass.integrate.stepping.locate import POLE, ROUNDING

if TYPE_CHECKING:
    from zeromass.integrate.stepping.loop import Loop

AT_ONCE = 2**17
"""Numbers of states that are looked at together: what bounds the memory."""


def waited_for(loop: Loop, rows: np.ndarray) -> list[Occurrence]:
    """What has happened in some steps of a loop, given by their rows in its record, in order."""
    most = max(1, AT_ONCE // (loop.work.order * len(loop.stepper.places)))
    found: list[Occurrence] = []
    for k in range(0, len(rows), most):
        found += _Steps(loop, rows[k : k + most]).occurrences()
    return found


class _Steps:
    """Steps of a loop, from (t0, y0) to (t1, y1), and what is watched in them.

    places  times at which event functions are looked at first, shape (steps, places)
    """

    def __init__(self, loop: Loop, rows: np.ndarray) -> None:
        self.loop, self.rows = loop, rows
        work, start = loop.work, loop.start
        before = np.maximum(rows - 1, 0)
        self.t0, self.y0 = work.times[before], work.states[before]
        self.t0[rows == 0], self.y0[rows == 0] = start.t, np.concatenate([start.q, start.v])
        self.t1, self.y1 = work.times[rows], work.states[rows]
        self.polynomials = loop.polynomials(self.t0, self.y0, self.t1, self.y1)
        self.returned = loop.returned()
        inside = self.t0[:, None] + (self.t1 - self.t0)[:, None] * loop.stepper.places[:-1]
        self.places = np.column_stack([inside, self.t1])

    def states(self, t: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """States at times in steps, on the constraints; their ends as they were recorded."""
        t0, t1 = self.t0[steps], self.t1[steps]
        y = states_between((t - t0) / (t1 - t0), steps, self.polynomials)
        if self.returned is not None:
            y = self.returned(t, y)
        for at_end, recorded in ((t == t1, self.y1), (t == t0, self.y0)):
            if at_end.any():
                y[at_end] = recorded[steps[at_end]]
        return y

    def watched(self, t: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Event functions there, shape (times, events)."""
        return self.loop.work.events_at(t, self.states(t, steps))

    def occurrences(self) -> list[Occurrence]:
        """What happens in the steps, in order."""
        loop, places, each = self.loop, self.places, np.arange(len(self.rows))
        count = places.shape[1]
        patient = [(column, event) for column, event in loop.listed if not event.terminal]
        columns = [column for column, _ in patient]
        seen = self.watched(places.ravel(), np.repeat(each, count)).reshape(len(each), count, -1)
        values = seen[:, :, columns]
        direction = np.array([event.direction for _, event in patient])
        fa, fb = values[:, :-1], values[:, 1:]
        happens = ((fa < 0) & (fb >= 0) & (direction >= 0)) | ((fa > 0) & (fb <= 0) & (direction <= 0))
        hard = (happens & (fb == 0)).any(axis=(1, 2)) | _dips(places, values).any(axis=(1, 2))
        happens[hard] = False
        step, place, event = np.nonzero(happens)
        at, there = zeros_beside(
            lambda t, which: self.watched(t, step[which])[np.arange(len(t)), np.array(columns)[event[which]]],
            places[step, place],
            places[step, place + 1],
            fa[step, place, event],
            fb[step, place, event],
            ROUNDING * np.maximum(np.abs(places[step, 0]), np.abs(places[step, -1])),
        )
        largest = np.maximum(np.abs(fa[step, place, event]), np.abs(fb[step, place, event]))
        zero = ~(np.abs(there) > POLE * largest)
        step, event, at = step[zero], event[zero], at[zero]
        ahead = 1.0 if places[0, -1] > places[0, 0] else -1.0
        order = np.lexsort((event, ahead * at, step))
        step, event, at = step[order], event[order], at[order]
        y, names = self.states(at, step), [patient[k][1].name for k in event.tolist()]
        easy = [Occurrence(name, t, state) for name, t, state in zip(names, at.tolist(), y, strict=True)]
        if not hard.any():
            return easy
        found = [(k, one) for k, one in zip(step.tolist(), easy, strict=True)]
        for k in np.flatnonzero(hard).tolist():
            found += [(k, one) for one in loop.in_step(int(self.rows[k]), self.polynomials[k], seen[k])]
        return [one for _, one in sorted(found, key=lambda item: item[0])]


def _dips(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where functions of one sign at three places may have the other between them; see `dips` in `locate`."""
    u, w = (np.diff(t)[:, some, None] for some in (slice(None, -1), slice(1, None)))
    g0, g1, g2 = values[:, :-2], values[:, 1:-1], values[:, 2:]
    with np.errstate(all="ignore"):
        left, right = (g1 - g0) / u, (g2 - g1) / w
        c, s = (right - left) / (u + w), (left * w + right * u) / (u + w)
        far = np.maximum(np.abs(g1 - g0), np.abs(g2 - g1))
        near = 4 * np.abs(c) * (np.abs(g1) - NEAR_ZERO * far) <= DEEPER * s * s
        between = (c * g1 > 0) & near & (np.abs(s) <= 2 * np.abs(c * (u + w)))
    return (g0 * g1 > 0) & (g1 * g2 > 0) & (u != 0) & (w != 0) & between
