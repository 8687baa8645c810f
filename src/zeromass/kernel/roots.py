"""Roots of functions of time inside a step: the one place that locates events, on every target.

The functions are known by their values alone, which machine code or Python computes at any time of the step. Between given
times a function is like a parabola: a change of sign brackets a root; three values of one sign may hide two roots, which are
looked for in ever narrower brackets. A bracket is narrowed by inverse quadratic interpolation or bisection [C1997].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, function, kernel, reals, ulp

EPSILON = 2.0**-52

ROUNDING = 1e-14
"""How well a root is located, as a part of the larger of the times at the ends of the step."""

POLE = 1e3
"""A function that is so many times as large where it changes its sign as at the ends of the bracket has no root there."""

NEAR_ZERO, DEEPER = 0.02, 2.0
"""A parabola through three values counts as near zero if its vertex is within this part of their differences of it, or
passes it if it is so many times as deep."""

NARROW = 1e-8
"""Part of a bracket below which values no longer tell how a function bends."""

LOOKS = 300
"""Brackets at most in which another sign is looked for: a function that bends has a few of each width, and rounding, such as
the gap of bodies that touch without a force, as many as there are places."""

STACK, KNOWN = 1 + 2 * LOOKS, 1 + 3 * LOOKS
"""Brackets that can wait, and that can be known: one of them has at most three narrower ones, and leaves its own place."""

X1, F1, X2, F2, SIDE, WITHIN, PLACE = range(7)
"""Numbers of a bracket: its ends with their values, the value whose sign is wanted, the tolerance, and the next place."""


class RootSearch(Struct):
    """Functions of time in a step, where their roots are looked for, and those that are found.

    evaluate    values ← all functions at a time; `context` is what it is given
    places      times in the step, in order, between which a function is like a parabola, (n,); looks: how many there are
    columns     which of the functions are searched, (k,)
    directions  of their roots: ±1 rising or falling, 0 both, (k,)
    turning     whether a function may turn between the places, (k,)
    seen        room for values at the places, (n, functions)
    points      room for the places of one function and what is found between them, (3 n, 2)
    stack       room for brackets that wait, (STACK, 6); known: for their places, (KNOWN, 3)
    times       of the roots, in order of the step, and `which` of the columns they belong to: room for 3 n k of them
    tolerance   to which they are located
    """

    evaluate: Annotated[Callable[[int, float], None], function(Address, float)]
    context: Address
    values: Reals
    places: Reals
    looks: int
    columns: Ints
    directions: Reals
    turning: Ints
    seen: Reals2
    points: Reals2
    stack: Reals2
    known: Reals2
    times: Reals
    which: Ints
    count: int
    tolerance: float


@kernel
def locate_roots(s: RootSearch) -> int:
    """s.times, s.which ← the roots in a step, in its order: how many there are."""
    look_at_places(s)
    return find_roots(s)


@kernel
def look_at_places(s: RootSearch) -> None:
    """s.seen ← the functions at the places."""
    for k in range(s.looks):
        s.evaluate(s.context, s.places[k])
        s.seen[k][:] = s.values


@kernel
def find_roots(s: RootSearch) -> int:
    """The same as `locate_roots` where the functions have been looked at."""
    n = s.looks
    ahead = 1.0 if s.places[n - 1] > s.places[0] else -1.0
    s.tolerance = ROUNDING * max(abs(s.places[0]), abs(s.places[n - 1]))
    s.count = 0
    for j in range(len(s.columns)):
        column = s.columns[j]
        changes = False
        for k in range(n - 1):
            changes = changes or s.seen[k + 1, column] * s.seen[k, column] <= 0.0
        if not (changes or s.turning[j] != 0):
            continue
        count = refine(s, column, s.turning[j] != 0)
        for k in range(count - 1):
            a, fa, b, fb = s.points[k, 0], s.points[k, 1], s.points[k + 1, 0], s.points[k + 1, 1]
            rises = fa < 0.0 and fb >= 0.0 and s.directions[j] >= 0.0
            falls = fa > 0.0 and fb <= 0.0 and s.directions[j] <= 0.0
            if rises or falls:
                place, f = b, fb
                if fb != 0.0:
                    place, f = root(s, column, a, b, fa, fb)
                else:
                    place = first_zero(s, column, a, b)
                if not abs(f) > POLE * max(abs(fa), abs(fb)):
                    insert(s, j, place, ahead)
    return s.count


@kernel
def add_place(r: RootSearch, x: float, ahead: float) -> bool:
    """Adds a place to those at which functions are looked at, in order: whether there is room for it."""
    j = r.looks
    while j > 0 and ahead * r.places[j - 1] > ahead * x:
        j -= 1
    if j > 0 and r.places[j - 1] == x:
        return True
    if r.looks == len(r.places):
        return False
    for i in range(r.looks, j, -1):
        r.places[i] = r.places[i - 1]
    r.places[j] = x
    r.looks += 1
    return True


@kernel
def add_look(r: RootSearch, x: float, ahead: float) -> bool:
    """Adds a place, and looks at the functions there; those at the others have been looked at."""
    count = r.looks
    if not add_place(r, x, ahead):
        return False
    if r.looks > count:
        j = count
        while r.places[j] != x:
            r.seen[j][:] = r.seen[j - 1]
            j -= 1
        r.evaluate(r.context, x)
        r.seen[j][:] = r.values
    return True


@kernel
def search_again(of: RootSearch, r: RootSearch) -> None:
    """Finds roots of other functions between the same places."""
    of.looks = r.looks
    for k in range(r.looks):
        of.places[k] = r.places[k]
    locate_roots(of)


@kernel
def search_seen(of: RootSearch, r: RootSearch) -> None:
    """The same where the functions have been looked at for the first search."""
    of.looks = r.looks
    for k in range(r.looks):
        of.places[k] = r.places[k]
        of.seen[k][:] = r.seen[k]
    find_roots(of)


@kernel
def value(s: RootSearch, column: int, t: float) -> float:
    """A function at a time."""
    s.evaluate(s.context, t)
    return s.values[column]


@kernel
def insert(s: RootSearch, which: int, place: float, ahead: float) -> None:
    """Adds a root to those found, in order; of two at one time that which was found first comes first."""
    k = s.count
    while k > 0 and ahead * s.times[k - 1] > ahead * place:
        s.times[k], s.which[k] = s.times[k - 1], s.which[k - 1]
        k -= 1
    s.times[k], s.which[k] = place, which
    s.count += 1


@kernel
def root(s: RootSearch, column: int, a: float, b: float, fa: float, fb: float) -> tuple[float, float]:
    """The root of a function between a and b, on the side of b, and its value there: of the sign of fb, or zero."""
    bracket = reals(7)
    begin_bracket(bracket, a, b, fa, fb, s.tolerance)
    while True:
        if narrow_bracket(bracket, value(s, column, bracket[PLACE])):
            return bracket[PLACE], bracket[F1]


@kernel
def begin_bracket(bracket: Reals, a: float, b: float, fa: float, fb: float, tolerance: float) -> None:
    """A bracket from a to b, where a function has values of different signs, fa and fb; its middle is looked at first."""
    bracket[X1], bracket[F1], bracket[X2], bracket[F2] = b, fb, a, fa
    bracket[SIDE], bracket[WITHIN], bracket[PLACE] = fb, tolerance, b + 0.5 * (a - b)


@kernel
def narrow_bracket(bracket: Reals, fx: float) -> bool:
    """Narrows a bracket by the value at its next place: whether its place is the root now, with the value F1, and else where
    to look next.
    """
    x, x1, f1, x2, f2 = bracket[PLACE], bracket[X1], bracket[F1], bracket[X2], bracket[F2]
    x3, f3 = x2, f2
    if (fx > 0.0) == (f1 > 0.0):
        x3, f3 = x1, f1
    else:
        x2, f2 = x1, f1
    x1, f1 = x, fx
    limit = max(bracket[WITHIN], EPSILON * max(abs(x1), abs(x2)))
    if fx == 0.0:
        bracket[F1] = 0.0
        return True
    if abs(x2 - x1) <= 2.0 * limit:
        here = (f1 > 0.0) == (bracket[SIDE] > 0.0)
        bracket[PLACE], bracket[F1] = (x1, f1) if here else (x2, f2)
        return True
    part, t = limit / abs(x2 - x1), 0.5
    if x3 != x2 and f3 != f2:
        xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = (f1 / (f2 - f1)) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
        t = min(max(t, part), 1.0 - part)
    bracket[X1], bracket[F1], bracket[X2], bracket[F2] = x1, f1, x2, f2
    bracket[PLACE] = x1 + t * (x2 - x1)
    return False


@kernel
def first_zero(s: RootSearch, column: int, a: float, b: float) -> float:
    """The first place after a at which a function is zero, as it is at b: it may have come to rest."""
    least, sign = max(s.tolerance, 2.0 * ulp(max(abs(a), abs(b)))), value(s, column, a)
    beside = b - (2.0 * least if b > a else -2.0 * least)
    if value(s, column, beside) * sign > 0.0:
        return b
    while abs(b - a) > least:
        middle = a + (b - a) / 2.0
        if value(s, column, middle) * sign > 0.0:
            a = middle
        else:
            b = middle
    return b


@kernel
def may_cross_twice(g0: float, g1: float, g2: float, u: float, w: float) -> bool:
    """Whether a function of one sign at three places, u and w apart, may have the other sign between them.

    The parabola through the values, g = g₁ + s (x − x₁) + c (x − x₁)², has its vertex at g₁ − s²/4c. A look is worth its
    while if that is twice as deep as it takes, or nearly zero, and not far outside. Straight-line code, for `lanes` too.
    """
    left, right = (g1 - g0) / u, (g2 - g1) / w
    c, s = (right - left) / (u + w), (left * w + right * u) / (u + w)
    near = 4.0 * abs(c) * (abs(g1) - NEAR_ZERO * max(abs(g1 - g0), abs(g2 - g1))) <= DEEPER * s * s
    return (g0 * g1 > 0.0) & (g1 * g2 > 0.0) & (c * g1 > 0.0) & near & (abs(s) <= 2.0 * abs(c * (u + w)))


@kernel
def may_hide_roots(x0: float, g0: float, x1: float, g1: float, x2: float, g2: float) -> bool:
    """The same of values at three places, which in a step of a few roundings may be the same."""
    u, w = x1 - x0, x2 - x1
    return g0 * g1 > 0.0 and g1 * g2 > 0.0 and u != 0.0 and w != 0.0 and may_cross_twice(g0, g1, g2, u, w)


@kernel
def refine(s: RootSearch, column: int, turns: bool) -> int:
    """s.points ← the places of a function, and those between them where it has the other sign, in order: how many."""
    n = s.looks
    for k in range(n):
        s.points[k, 0], s.points[k, 1] = s.places[k], s.seen[k, column]
    count = n
    if turns:
        for k in range(n - 2):
            x0, x1, x2 = s.places[k], s.places[k + 1], s.places[k + 2]
            g0, g1, g2 = s.seen[k, column], s.seen[k + 1, column], s.seen[k + 2, column]
            if may_hide_roots(x0, g0, x1, g1, x2, g2):
                set_bracket(s, 0, 0, x0, g0, x1, g1, x2, g2)
                count += find_other_sign(s, column, s.points[count : count + 2])
    ahead = 1.0 if s.places[n - 1] >= s.places[0] else -1.0
    kept = n
    for k in range(n, count):  # few: insertion
        x, g = s.points[k, 0], s.points[k, 1]
        j = kept
        while j > 0 and ahead * s.points[j - 1, 0] > ahead * x:
            j -= 1
        if j == 0 or s.points[j - 1, 0] != x:  # two triples may have found the same one
            for i in range(kept, j, -1):
                s.points[i, 0], s.points[i, 1] = s.points[i - 1, 0], s.points[i - 1, 1]
            s.points[j, 0], s.points[j, 1] = x, g
            kept += 1
    return kept


@kernel
def set_bracket(
    s: RootSearch, k: int, seen: int, x0: float, g0: float, x1: float, g1: float, x2: float, g2: float
) -> None:
    """The k-th bracket that waits, which is the one known as `seen`."""
    s.stack[k, 0], s.stack[k, 1], s.stack[k, 2], s.stack[k, 3], s.stack[k, 4], s.stack[k, 5] = x0, g0, x1, g1, x2, g2
    s.known[seen, 0], s.known[seen, 1], s.known[seen, 2] = x0, x1, x2


@kernel
def is_known(s: RootSearch, count: int, x0: float, x1: float, x2: float) -> bool:
    """Whether a bracket is among the first that are known."""
    found = False
    for k in range(count):
        found = found or (s.known[k, 0] == x0 and s.known[k, 1] == x1 and s.known[k, 2] == x2)
    return found


@kernel(lazy=True)
def find_other_sign(s: RootSearch, column: int, found: Reals2) -> int:
    """Points where a function has another sign than at the first bracket of the stack: how many, at most two.

    Where it touches zero all brackets may, and share what is narrower: each is looked at once.
    """
    start, end = s.stack[0, 0], s.stack[0, 4]
    least = max(NARROW * abs(end - start), 8.0 * ulp(max(abs(start), abs(end))))  # narrower ones have no places between
    x, g = reals(5), reals(5)
    waiting, seen = 1, 1
    for _ in range(LOOKS):
        if waiting == 0:
            break
        waiting -= 1
        for k in range(3):
            x[2 * k], g[2 * k] = s.stack[waiting, 2 * k], s.stack[waiting, 2 * k + 1]
        if abs(x[4] - x[0]) < least:
            continue
        count = 0
        for k in range(1, 4, 2):
            x[k] = (x[k - 1] + x[k + 1]) / 2.0
            g[k] = value(s, column, x[k])
            if g[k] * g[2] <= 0.0:
                found[count, 0], found[count, 1] = x[k], g[k]
                count += 1
        if count > 0:
            return count
        before = seen
        for k in range(3):
            may = may_hide_roots(x[k], g[k], x[k + 1], g[k + 1], x[k + 2], g[k + 2])
            if may and not is_known(s, before, x[k], x[k + 1], x[k + 2]):
                set_bracket(s, waiting, seen, x[k], g[k], x[k + 1], g[k + 1], x[k + 2], g[k + 2])
                waiting, seen = waiting + 1, seen + 1
    return 0
