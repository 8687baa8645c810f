"""Functions of time along the steps of motions, resolved by subdivision: integrals and extreme values to a tolerance.

A panel is a step or a part of one, with the values of a function at nine nodes. The Legendre coefficients of the polynomial
through them tell whether it follows the function. The arguments of the function's operations (`steep`) tell whether
something may be hidden between the nodes. A panel that does not resolve the function is divided: where a switching
argument changes sign, or else in the middle. What changes as much between places that are next to one another is rounding,
and is not divided further.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.analysis.polynomial_tops import PARTS, polynomial_tops
from zeromass.analysis.steep import FELT, Kind
from zeromass.integrate.exact import inverse
from zeromass.integrate.legendre import legendre
from zeromass.integrate.sampling import PLACES
from zeromass.integrate.search import EPSILON
from zeromass.kernel.language import compiled

NODES = np.append(0.0, PLACES)
"""Places in a panel: its beginning, and those of Radau's rule with eight nodes, of order 15."""

COEFFICIENTS = inverse(np.array(legendre(NODES, len(NODES))).T)
"""Legendre's coefficients of the polynomial through values at the nodes."""

GRID = np.array(legendre(np.arange(PARTS + 1) / PARTS, len(NODES))).T
"""Values of the polynomials at the ends of parts of a panel, from their coefficients."""

DOUBTED = 2.0
"""How many times what polynomials leave out, as their coefficients tell it, they may be off."""

TURN = 8.0
"""By how much the argument of sin, exp and the like may change within a panel: nodes are less than 1.6 apart then."""

STEEPEST = 64.0
"""How many times larger than its smallest value the argument of a root or a quotient may be within a panel: a peak of 1/u
is then no narrower than the distance of its nodes."""

NARROW = 2.0**-20
"""Part of a step from which on a panel hides nothing even though an argument switches or vanishes in it."""

NARROWEST = 2.0**-50
"""Part of a step that is not divided any more."""

ROUNDING = 32 * EPSILON
"""Part of the largest value that a coefficient has from rounding."""

BESIDE = 1e-11
"""Part of a panel that is left between two others where a switch divides it."""

FOUND = 1e-12
"""Part of its size up to which a switching argument must be known for its zero to divide a panel."""

STALLS, NOISE = 3, 1e-8
"""Divisions in a row that gain nothing, after which what is left is noise of the values; it is at most this part of them. A
narrow peak gains nothing either, until panels are as narrow as it is."""

PROBED, PROBES, CLOSE, NOISY = 4, (0.3, 0.7), (2.0**-26, 2.0**-12), 4.0
"""Rounding of values is measured after so many divisions, at these places of a panel: by how much they differ from parabolas
within such a part of a step, or of the panel if that is less. Changes of up to so many times as much are rounding."""

PER_STEP, MORE = 4, 2**16
"""Panels up to which the function of a motion is divided: so many a step, and so many more."""

Look = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Values of functions and of their steep arguments at places θ in [0, 1], shape (k, m), of steps (k,): shape
(k, m, functions + arguments)."""


class Along(NamedTuple):
    """Functions along the steps of some motions.

    look    gives their values
    kinds   of their arguments, see `steep`
    length  of each step, s, with its sign
    motion  which each step is of
    motions how many there are
    """

    look: Look
    kinds: np.ndarray
    length: np.ndarray
    motion: np.ndarray
    motions: int

    @property
    def most(self) -> np.ndarray:
        """Panels up to which each motion is divided."""
        return PER_STEP * np.bincount(self.motion, minlength=self.motions) + MORE

    def values(self, steps: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Values at places (k, m) of steps, as panels have them: shape (functions + arguments, m, k)."""
        return np.ascontiguousarray(self.look(steps, places).transpose(2, 1, 0))


class Panels(NamedTuple):
    """Parts [low, low + width] of steps, and values at their nodes, shape (functions + arguments, 9, panels).

    error   that their parents had, for comparison
    stalls  how often in a row division has gained nothing
    depth   how often steps were divided
    noise   changes that are rounding, of functions and arguments, as far as they are known: shape (…, panels)
    """

    step: np.ndarray
    low: np.ndarray
    width: np.ndarray
    nodes: np.ndarray
    error: np.ndarray
    stalls: np.ndarray
    depth: np.ndarray
    noise: np.ndarray

    def some(self, which: np.ndarray) -> Panels:
        return Panels(*[x[..., which] for x in self])


def whole(along: Along, steps: np.ndarray | None = None) -> Panels:
    """Some steps as panels, or all."""
    steps = np.arange(len(along.length)) if steps is None else steps
    count, none = len(steps), np.zeros(len(steps), dtype=np.int64)
    nodes = along.values(steps, np.broadcast_to(NODES, (count, len(NODES))))
    low, width, error = (np.full(count, x) for x in (0.0, 1.0, np.inf))
    return Panels(steps, low, width, nodes, error, none, none, np.zeros((len(nodes), count)))


class Shape:
    """What the nodes of panels tell of functions and arguments.

    c        Legendre coefficients, shape (functions + arguments, 9, k)
    size     largest absolute values at the nodes, shape (functions + arguments, k)
    tail     sums of the last two coefficients, as far as they are more than rounding: that part of the size
    decay    how many times smaller two coefficients are than the two before, at worst
    """

    def __init__(self, nodes: np.ndarray, rounding: float = ROUNDING) -> None:
        self.c: np.ndarray = np.matmul(COEFFICIENTS, nodes)
        self.size: np.ndarray = np.maximum(nodes.max(axis=1), -nodes.min(axis=1))
        size = np.abs(self.c[:, 1:])
        pairs = size[:, ::2] + size[:, 1::2]
        felt = pairs > rounding * self.size[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(felt[:, 1:], np.minimum(pairs[:, 1:] / pairs[:, :-1], 1.0), 0.0)
        self.decay: np.ndarray = ratios.max(axis=1)
        self.tail: np.ndarray = np.where(felt[:, -1], pairs[:, -1], 0.0)

    @property
    def interpolation(self) -> np.ndarray:
        """What the polynomials may be off by."""
        return DOUBTED * self.tail * self.decay

    @property
    def quadrature(self) -> np.ndarray:
        """What the mean by Radau's rule may be off by: it is exact for seven more coefficients than the polynomial has."""
        return 2 * DOUBTED * self.tail * self.decay**3


class Hidden(NamedTuple):
    """What panels may hide.

    blind  whether the function may change between the nodes by more than they show, on the scale of an operation
    near   whether an argument switches or vanishes in the panel
    cut    where the panel is to be divided, as part of it
    exact  whether that is the place of a switch
    """

    blind: np.ndarray
    near: np.ndarray
    cut: np.ndarray
    exact: np.ndarray

    def some(self, which: np.ndarray) -> Hidden:
        return Hidden(*[x[which] for x in self])


def hidden(shape: Shape, kinds: np.ndarray, noise: np.ndarray | None = None) -> Hidden:
    """What panels may hide, as the arguments say that stand last among what their shape is of; see `Panels.noise`."""
    first, _, count = shape.c.shape
    first -= len(kinds)
    blind, near, exact = (np.zeros(count, dtype=bool) for _ in range(3))
    cut = np.full(count, 0.5)
    for k, kind in enumerate(kinds.tolist(), first):
        c, off = shape.c[k], DOUBTED * shape.tail[k] * shape.decay[k]
        reach = np.abs(c[1:]).sum(axis=0) + off  # bounds the change about the mean
        if kind <= Kind.steps:
            some = np.flatnonzero(~(2 * reach <= TURN))
        elif kind == Kind.whole:
            some = np.flatnonzero(~(np.floor(c[0] - reach) == np.floor(c[0] + reach)))
        else:
            some = np.flatnonzero(~(reach < np.abs(c[0]) * (1 - 2 / STEEPEST)))
        if not len(some):
            continue
        c, off, size = c[:, some], off[some], shape.size[k, some]
        rounding = np.zeros(len(some)) if noise is None else NOISY * noise[k, some]
        low, high = -tops_of(-c)[0] - off, tops_of(c)[0] + off
        lost = ~np.isfinite(low + high)
        if kind <= Kind.steps:
            change = np.clip(high, *FELT[kind]) - np.clip(low, *FELT[kind])
            blind[some] |= lost | (change > TURN + rounding)
        elif kind == Kind.zero:
            most = np.maximum(np.abs(low), np.abs(high))
            least = np.where(low * high <= 0, 0.0, np.minimum(np.abs(low), np.abs(high)))
            near[some] |= lost | ((least * STEEPEST < most) & (most > rounding))
        else:
            tiny = np.maximum(1e-9 * size, rounding)
            level = np.ceil(low + tiny) if kind == Kind.whole else np.zeros(len(some))
            crossed = lost | ((low < level - tiny) & (high > level + tiny))
            near[some] |= crossed
            sure = np.flatnonzero(crossed & (off <= FOUND * size) & ~exact[some])
            if len(sure):
                cut[some[sure]], exact[some[sure]] = _crossing(c[:, sure], level[sure])
    return Hidden(blind, near, cut, exact)


def _crossing(c: np.ndarray, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first place where polynomials with coefficients (9, k) cross a level, and whether there is one inside."""
    values = GRID @ c - level
    change = values[:-1] * values[1:] <= 0
    first = change.argmax(axis=0)
    a, b, fa = first / PARTS, (first + 1) / PARTS, values[first, np.arange(len(first))]
    for _ in range(60):
        middle = (a + b) / 2
        f = np.einsum("jk,jk->k", c, np.array(legendre(middle, len(c)))) - level
        left = (f > 0) == (fa > 0)
        a, b, fa = np.where(left, middle, a), np.where(left, b, middle), np.where(left, f, fa)
    place = (a + b) / 2
    inside = change.any(axis=0) & (place > 2 * BESIDE) & (place < 1 - 2 * BESIDE)
    return np.where(inside, place, 0.5), inside


def tops_of(c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest values of polynomials with coefficients (9, k), and by how much other local maxima may exceed them.

    See `polynomial_tops`.
    """
    tops, rivals = np.empty(c.shape[1]), np.empty(c.shape[1])
    with np.errstate(all="ignore"):  # what is no number is none afterwards
        values = GRID @ c
    compiled(polynomial_tops)(np.ascontiguousarray(c), values, tops, rivals)
    return tops, rivals


def divided(along: Along, panels: Panels, where: Hidden, error: np.ndarray, stalls: np.ndarray) -> Panels:
    """Both parts of each panel, and what is between them where a switch divides it."""
    noise = panels.noise
    if len(due := np.flatnonzero(panels.depth % PROBED == PROBED - 1)):
        noise[:, due] = np.maximum(noise[:, due], _noise(along, panels.some(due)))
    gap = np.where(where.exact, BESIDE, 0.0)
    left, right = where.cut - gap, where.cut + gap
    (between,) = np.nonzero(where.exact)
    one = np.arange(len(left))
    parent = np.concatenate([one, one, between])
    start = np.concatenate([np.zeros(len(left)), right, left[between]])
    part = np.concatenate([left, 1.0 - right, 2 * gap[between]])
    low, width = panels.low[parent] + panels.width[parent] * start, panels.width[parent] * part
    step = panels.step[parent]
    nodes = along.values(step, np.minimum(low[:, None] + width[:, None] * NODES, 1.0))
    return Panels(step, low, width, nodes, error[parent], stalls[parent], panels.depth[parent] + 1, noise[:, parent])


def _noise(along: Along, panels: Panels) -> np.ndarray:
    """Rounding of values in panels, shape (functions + arguments, panels): the least at any probe, as one may see a jump."""
    close = np.minimum(CLOSE[0], CLOSE[1] * panels.width)[:, None]
    places = [panels.low[:, None] + panels.width[:, None] * probe + close * NODES for probe in PROBES]
    values = along.values(panels.step, np.minimum(np.concatenate(places, axis=1), 1.0))
    with np.errstate(invalid="ignore"):
        c = COEFFICIENTS[3:] @ values.reshape(len(values), len(PROBES), len(NODES), -1)
        return np.nan_to_num(np.abs(c).sum(axis=2).min(axis=1), nan=0.0, posinf=0.0)
