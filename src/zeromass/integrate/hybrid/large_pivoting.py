"""The sides of open switches of a large system, and what holds its motion, by block pivoting [JP1994].

The problem is that of `zeromass.integrate.hybrid.pivoting`. The code of a large motion is for all that holds: it evaluates a
guess as it is, and needs no table of what each switch does.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.switches import Switches, rate_across, rate_of, refuse, sign_of, try_choice, vanishes
from zeromass.integrate.hybrid.tolerances import LOST, PATIENCE, ROUNDS, SMALL
from zeromass.kernel.language import Reals, kernel


@kernel
def pivot_large(w: Switches, y: Reals, values: Reals, fresh: bool) -> bool:
    """w.choice ← the sides of open switches: whether they are found.

    fresh  whether there was no motion before
    """
    for j in range(w.count):
        w.lower[j], w.can[j] = -1.0, w.pushes[w.open[j]]
        w.choice[j] = 0.0 if fresh and w.can[j] != 0 else w.natural[j]
    fewest, patience = w.count + 1, PATIENCE
    for _ in range(ROUNDS * (w.count + PATIENCE)):
        wrong = contradictions(w, y, values)
        if w.why != 0:
            return False
        if wrong == 0:
            return not fresh or is_only_one(w, y, values)
        if wrong < 0:  # too many hold at once: from none of them on, what holds another motion comes one by one
            if patience < 0:
                break
            for j in range(w.count):
                w.choice[j] = w.natural[j] if w.natural[j] != 0.0 else 1.0
            patience = -1
            continue
        if patience >= 0 and wrong < fewest:
            fewest, patience = wrong, PATIENCE
        elif patience > 0:
            patience -= 1
        for i in range(w.count):
            j = w.count - 1 - i
            if w.wrong[j] != 0:
                w.choice[j] = w.right[j]
                if patience <= 0:
                    break
    return refuse(w, int(Selection.NO_MOTION))


@kernel
def contradictions(w: Switches, y: Reals, values: Reals) -> int:
    """w.wrong, w.right ← which of the sides in w.choice the motion contradicts, and what would be right: how many there are.

    −1 where rows that hold the motion depend on one another.
    """
    if not try_choice(w, y, values, w.choice):
        return 0
    count, slide = 0, False
    for j in range(w.count):
        w.wrong[j] = 0
        slide = slide or w.choice[j] == 0.0
    if slide and not w.growth[0] < LOST:
        return -1
    w.mean[:] = w.slope[len(y) // 2 :]
    if slide:
        w.hold(w.clock, y, w.values, w.beta)
    for j in range(w.count):
        off = w.beta[w.open[j]] - 0.5
        if w.choice[j] == 0.0 and not abs(off) <= 0.5 + SMALL:
            w.wrong[j], w.right[j], count = 1, 1.0 if off >= 0.0 else -1.0, count + 1
    for j in range(w.count):
        if w.choice[j] != 0.0:
            side = side_to(w, y, values, j)
            if w.why != 0:
                return 0
            if side != 0.0 and side != w.choice[j]:
                w.wrong[j], w.right[j], count = 1, 0.0 if w.can[j] != 0 else -w.choice[j], count + 1
    return count


@kernel
def side_to(w: Switches, y: Reals, values: Reals, j: int) -> float:
    """The side to which an open switch goes with the accelerations w.mean; 0 where none is seen."""
    k = w.open[j]
    if w.rates[k] == 0:
        sign = sign_of(w, y, w.mean, k, 1, 0.0)
        return sign if sign != 0.0 else sign_of(w, y, w.mean, k, 2, 0.0)
    rate = rate_of(w, y, w.mean, k)
    side = 1.0 if rate > 0.0 else -1.0 if rate < 0.0 else 0.0
    if side == w.choice[j]:
        return side
    scale = abs(rate_across(w, y, values, w.choice, j, -w.choice[j])) + abs(rate_across(w, y, values, w.lower, j, -1.0))
    return 0.0 if vanishes(w.slopes[k], y, w.mean, rate, scale) else side


@kernel
def is_only_one(w: Switches, y: Reals, values: Reals) -> bool:
    """Whether no motion goes to the other side of a switch as well, where both sides push away from it."""
    for j in range(w.count):
        if w.choice[j] != 0.0 and w.can[j] == 0:
            if not try_choice(w, y, values, w.choice):
                return False
            w.mean[:] = w.slope[len(y) // 2 :]
            goes = side_to(w, y, values, j) != 0.0
            w.choice[j] = -w.choice[j]
            both = goes and contradictions(w, y, values) == 0
            w.choice[j] = -w.choice[j]
            if w.why != 0:
                return False
            if both:
                w.open[0], w.count = w.open[j], 1
                return refuse(w, int(Selection.SEVERAL))
    return True
