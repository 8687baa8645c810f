"""The sides of many switches at once, and what holds the motion: one problem of complementarity, by block pivoting.

Dry friction in every joint of a chain leads to it. With accelerations that are sums of what each switch does,

    ġ = r + G β,   0 ≤ β ≤ 1:   β = 0 where ġ < 0,   β = 1 where ġ > 0,   ġ = 0 between

Everything that contradicts a guess changes at once; where that goes round in a circle, one thing at a time [JP1994]. Rows
that depend on one another, as where friction acts in all hinges of a loop, never hold the motion together: what holds is
then one of many solutions, of one motion.

The equations of a large system are for all that holds, and a guess is evaluated as it is.
"""

from __future__ import annotations

from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.sliding import can_hold, is_additive, set_ends, set_lower, set_mean
from zeromass.integrate.hybrid.switches import Switches, rate_across, rate_of, refuse, sign_of, try_choice
from zeromass.integrate.hybrid.tolerances import LOST, PATIENCE, ROUNDS, SMALL
from zeromass.kernel.language import Reals, kernel


@kernel
def pivot_in_blocks(w: Switches, y: Reals, values: Reals, fresh: bool) -> bool:
    """w.choice ← the sides of many open switches: whether they are found.

    fresh  whether there was no motion before
    """
    if not set_parts(w, y, values):
        return False
    for j in range(w.count):
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
def set_parts(w: Switches, y: Reals, values: Reals) -> bool:
    """w.ends, w.G, w.r, w.can ← what each open switch does, and whether it can hold the motion: whether that makes a sum."""
    if w.large:
        return set_large_parts(w, y, values)
    for j in range(w.count):
        w.choice[j] = 0.0
    set_lower(w, w.choice)
    if not set_ends(w, y, values, w.choice):
        return False
    if not is_additive(w, y, values, w.choice):
        return False if w.why != 0 else refuse(w, int(Selection.MANY_NOT_ADDITIVE))
    for j in range(w.count):
        w.choice[j] = 1.0
    for j in range(w.count):
        w.can[j] = 1 if can_hold(w, w.choice, j) and w.G[j, j] < 0.0 else 0
    return True


@kernel
def set_large_parts(w: Switches, y: Reals, values: Reals) -> bool:
    """w.r, w.can ← ġ on all lower sides, and whether an open switch can hold the motion: whether that is found."""
    for j in range(w.count):
        w.lower[j] = -1.0
    if not try_choice(w, y, values, w.lower):
        return False
    w.acting(w.clock, y, w.values, w.betas, w.c)
    for j in range(w.count):
        k = w.open[j]
        w.r[j], w.can[j] = rate_of(w, y, w.slope[len(y) // 2 :], k), 1 if w.flag[k] >= 0 and w.c[k] < 0.0 else 0
    return True


@kernel
def evaluate(w: Switches, y: Reals, values: Reals, slide: bool) -> bool:
    """w.beta, w.mean ← what acts on the sides in w.choice: whether rows that hold the motion are independent."""
    if not w.large:
        det, least = set_mean(w, w.choice)
        return not slide or (det != 0.0 and least > RANK_TOLERANCE)
    if not try_choice(w, y, values, w.choice):
        return True
    w.mean[:] = w.slope[len(y) // 2 :]
    if not slide:
        return True
    w.acting(w.clock, y, w.values, w.betas, w.c)
    for j in range(w.count):
        w.beta[j] = w.betas[w.open[j]]
    return w.growth[0] < LOST


@kernel
def contradictions(w: Switches, y: Reals, values: Reals) -> int:
    """w.wrong, w.right ← which of the sides in w.choice the motion contradicts, and what would be right: how many there are.

    −1 where rows that hold the motion depend on one another.
    """
    count, slide = 0, False
    for j in range(w.count):
        w.lower[j], w.wrong[j] = -1.0, 0
        slide = slide or w.choice[j] == 0.0
    if not evaluate(w, y, values, slide):
        return -1
    for j in range(w.count):
        off = w.beta[j] - 0.5
        if w.choice[j] == 0.0 and not abs(off) <= 0.5 + SMALL:
            w.wrong[j], w.right[j], count = 1, 1.0 if off >= 0.0 else -1.0, count + 1
    for j in range(w.count):
        if w.choice[j] != 0.0:
            side = side_to(w, y, values, j, slide)
            if w.why != 0:
                return 0
            if side != 0.0 and side != w.choice[j]:
                w.wrong[j], w.right[j], count = 1, 0.0 if w.can[j] != 0 else -w.choice[j], count + 1
    return count


@kernel
def side_to(w: Switches, y: Reals, values: Reals, j: int, slide: bool) -> float:
    """The side to which an open switch goes with the accelerations w.mean; 0 where none is seen.

    slide  whether some switch holds the motion
    """
    k = w.open[j]
    same = w.large and not w.nested  # slopes on all sides
    if not same and not try_choice(w, y, values, w.choice if w.large else w.lower):
        return 0.0
    scale = abs(w.G[j, j]) + abs(w.r[j]) if w.rates[k] != 0 else 0.0
    if w.large and w.rates[k] != 0:
        if rate_of(w, y, w.mean, k) * w.choice[j] > 0.0:
            return w.choice[j]
        scale = abs(rate_across(w, y, values, w.choice, j, -w.choice[j])) + abs(w.r[j])
    sign = sign_of(w, y, w.mean, k, 1, scale)
    if sign != 0.0 or ((slide or w.large) and w.rates[k] != 0):
        return sign
    if w.rates[k] == 0:
        return sign_of(w, y, w.mean, k, 2, 0.0)
    if not try_choice(w, y, values, w.choice):  # on its way from one that holds it to the next
        return 0.0
    return sign_of(w, y, w.slope[len(y) // 2 :], k, 2, 0.0)


@kernel
def is_only_one(w: Switches, y: Reals, values: Reals) -> bool:
    """Whether no motion goes to the other side of a switch as well, where both sides push away from it."""
    slide = False
    for j in range(w.count):
        slide = slide or w.choice[j] == 0.0
    for j in range(w.count):
        if w.choice[j] != 0.0 and w.can[j] == 0:
            evaluate(w, y, values, slide)
            goes = side_to(w, y, values, j, slide) != 0.0
            w.choice[j] = -w.choice[j]
            both = goes and contradictions(w, y, values) == 0
            w.choice[j] = -w.choice[j]
            if w.why != 0:
                return False
            if both:
                w.open[0], w.count = w.open[j], 1
                return refuse(w, int(Selection.SEVERAL))
    return True
