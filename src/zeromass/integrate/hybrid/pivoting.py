"""The sides of many switches at once, and what holds the motion, by block pivoting: a kernel."""

from __future__ import annotations

from zeromass.integrate.deciding import LOST, SMALL
from zeromass.integrate.hybrid.switches import Switches, bend, rate_across, rate_of, try_choice, vanishes
from zeromass.kernel.language import Reals, kernel

PATIENCE, ROUNDS = 3, 4
"""Changes of all that contradicts a guess that need not make it less; and guesses for each switch at most."""


@kernel
def pivot_in_blocks(w: Switches, y: Reals, values: Reals) -> bool:
    """w.choice ← the sides of many open switches by block pivoting [JP1994]: whether they are found.

    Everything that contradicts a guess changes at once; where that goes round in a circle, one thing at a time. Rows that
    depend on one another never hold the motion together.
    """
    for j in range(w.count):
        w.best[j] = -1.0
    for j in range(w.count):
        k = w.open[j]
        w.can[j] = 0
        if w.flag[k] >= 0 and w.inner[k] == 0:
            up = rate_across(w, y, values, w.best, j, 1.0)
            w.can[j] = 1 if up < rate_across(w, y, values, w.best, j, -1.0) else 0
        w.choice[j] = w.natural[j]
    least, patience = w.count + 1, PATIENCE
    for _ in range(ROUNDS * (w.count + PATIENCE)):
        wrong = contradictions(w, y, values)
        if wrong == 0:
            return True
        if wrong < 0:  # too many hold at once: from none of them on, what holds another motion comes one by one
            if patience < 0:
                return False
            for j in range(w.count):
                w.choice[j] = w.natural[j] if w.natural[j] != 0.0 else 1.0
            patience = -1
            continue
        if patience >= 0 and wrong < least:
            least, patience = wrong, PATIENCE
        elif patience > 0:
            patience -= 1
        for i in range(w.count):
            j = w.count - 1 - i
            if w.wrong[j] != 0:
                w.choice[j] = w.right[j]
                if patience <= 0:
                    break
    return False


@kernel
def contradictions(w: Switches, y: Reals, values: Reals) -> int:
    """w.wrong, w.right ← which of the sides in w.choice the motion contradicts, and what would be right: how many there are.

    −1 where rows that hold the motion depend on one another.
    """
    n, count, slide = len(w.low), 0, False
    try_choice(w, y, values, w.choice)
    for j in range(w.count):
        w.wrong[j] = 0
        slide = slide or w.choice[j] == 0.0
        w.values[w.margin[w.open[j]]] = 0.0
    if slide and not w.growth[0] < LOST:
        return -1
    if slide:
        w.guard(w.clock, y, w.values, w.guards)
    for j in range(w.count):
        if w.choice[j] == 0.0:
            beta = w.guards[w.holds[w.open[j]]]
            if not (beta >= -SMALL and beta <= 1.0 + SMALL):
                w.wrong[j], w.right[j], count = 1, 1.0 if beta > 0.5 else -1.0, count + 1
    for j in range(w.count):
        if w.choice[j] != 0.0:
            try_choice(w, y, values, w.choice)
            k = w.open[j]
            rate, scale = rate_of(w, y, w.slope[n:], k), 0.0
            side = 1.0 if rate > 0.0 else -1.0
            if w.rates[k] != 0:
                scale = abs(rate_across(w, y, values, w.choice, j, -w.choice[j]))
                scale += abs(rate_across(w, y, values, w.best, j, -1.0))
                try_choice(w, y, values, w.choice)
            if vanishes(w, y, w.slope[n:], k, rate, scale):  # on its way from one that holds it to the next
                side = w.choice[j] if slide and w.rates[k] != 0 else bend(w, y, k)
            if side != 0.0 and side != w.choice[j]:
                w.wrong[j], w.right[j], count = 1, 0.0 if w.can[j] != 0 else side, count + 1
    return count
