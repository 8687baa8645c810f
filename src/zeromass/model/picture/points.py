"""Points of systems in coordinates of their own: those whose velocities are squared in the kinetic energy.

A double pendulum in its two angles has no parts; but T = m/2 (ẋ² + ẏ²) + … was written with its points, and the graph
keeps the squares. Their roots are integrated back to places. Which direction is up follows from the potential energy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, as_expression, derivative, expressions, rate, symbols, t
from zeromass.expression.build import ZERO
from zeromass.model.picture.integral import whose_rate
from zeromass.model.picture.terms import squared, still, terms, total

Place = tuple[Expression, ...]
"""One, two or three components."""

SAMPLES = 24
"""Positions, at random, at which it is looked whether a distance stays or what the potential energy depends on."""

AXES = re.compile(r"^([xyz])(?![a-z])|(?<=[._ ])([xyz])$", re.IGNORECASE)
"""A coordinate that says which component it is: x, y1, bob.z."""


class Found(NamedTuple):
    """A point with the name of its coordinates."""

    name: str
    place: Place


def points_in(kinetic: Expression, mine: Sequence[Symbol]) -> list[Found]:
    """Points whose velocities are squared in a kinetic energy of coordinates that belong to no part."""
    composed: list[tuple[Expression, Expression]] = []
    named: dict[str, dict[str, Symbol]] = {}
    for factor, e in terms(kinetic):
        base = squared(e)
        if base is None or still(base):
            continue
        letter = AXES.search(base.name) if isinstance(base, Symbol) else None
        if isinstance(base, Symbol) and letter is not None:
            named.setdefault(AXES.sub("", base.name), {})[letter[0].lower()] = base
        else:
            composed.append((factor, base))
    by_rate = {rate(x): x for x in mine}
    alone = _alone(composed)
    found = _own_scale(_composed([square for square in composed if square not in alone]))
    found += _carriers([by_rate[v] for _, v in alone if v in by_rate], found)
    for axes in named.values():
        place = tuple(by_rate[axes[letter]] for letter in sorted(axes) if axes[letter] in by_rate)
        if len(place) == len(axes):
            found.append(Found(", ".join(x.name for x in place), place))
    return found


def _alone(squares: list[tuple[Expression, Expression]]) -> list[tuple[Expression, Expression]]:
    """Rates that have a factor of their own beside velocities that are sums: of another body, or of something that turns."""
    common = {factor for factor, v in squares if len(list(terms(v))) > 1}
    return [(factor, v) for factor, v in squares if isinstance(v, Symbol) and common and factor not in common]


def _carriers(mine: list[Symbol], points: list[Found]) -> list[Found]:
    """Of coordinates that other points go along with, as a load does with its trolley: the point that they move."""
    found = []
    for x in mine:
        for point in points:
            place = tuple(as_expression(total((f, e) for f, e in terms(c) if e is x)) for c in point.place)
            if any(c is not ZERO for c in place):
                found.append(Found(x.name, place))
                break
    return found


def _composed(squares: list[tuple[Expression, Expression]]) -> list[Found]:
    """Points of velocities that are formulas, in the order written: two to a point, or three where that leaves none over."""
    size = 3 if len(squares) % 2 and not len(squares) % 3 else 2
    found: list[Found] = []
    for k in range(0, len(squares) - size + 1, size):
        place = [whose_rate(v) for v in _one_factor(squares[k : k + size])]
        if place and all(f is not None and f is not ZERO for f in place):
            signed = tuple(_signed(f, [p.place[i] for p in found]) for i, f in enumerate(place) if f is not None)
            names = dict.fromkeys(leaf.name for f in signed for leaf in symbols(f) if leaf.kind == "coordinate")
            found.append(Found(", ".join(names), signed))
    return found


def _one_factor(squares: list[tuple[Expression, Expression]]) -> list[Expression]:
    """Velocities whose squares have one factor, m/2; none where they have not.

    Of a velocity that is one product the graph keeps (a v)² as a² v²: its number is brought to the factor of the others.
    """
    several = [factor for factor, v in squares if len(list(terms(v))) > 1]
    common = several[0] if several else squares[0][0]
    result = []
    for factor, v in squares:
        if factor is common:
            result.append(v)
        elif factor.value is not None and common.value is not None and factor.value / common.value > 0:
            result.append(float(np.sqrt(factor.value / common.value)) * v)
        else:
            return []
    return result


def _own_scale(points: list[Found]) -> list[Found]:
    """Points that are one product in each component, in the scale that they have as a part of another point."""
    result = []
    for name, place in points:
        single = [list(terms(f)) for f in place]
        others = {e: f for other in points if other.place != place for c in other.place for f, e in terms(c)}
        scale = [others[e].value for [(_, e)] in single if e in others] if all(len(s) == 1 for s in single) else []
        own = [f.value for [(f, _)] in single] if scale else []
        if scale and scale[0] and own[0]:
            place = tuple(abs(scale[0] / own[0]) * f for f in place)
        result.append(Found(name, place))
    return result


def _signed(f: Expression, before: list[Expression]) -> Expression:
    """f or −f, of which only the square was known: the one that has terms in common with a point before, else +."""
    own = {e: factor for factor, e in terms(f)}
    for other in reversed(before):
        for factor, e in terms(other):
            if e in own and factor.value is not None and own[e].value is not None:
                same = factor.value * float(own[e].value or 1.0) > 0
                return f if same else -f
    first = next(iter(own.values()))
    return -f if first.value is not None and first.value < 0 else f


class Sampled:
    """Numbers of formulas at positions at random."""

    def __init__(self, q: Sequence[Expression], parameters: Mapping[Symbol, float]) -> None:
        self.coordinates: list[Symbol] = [x for x in q if isinstance(x, Symbol)]
        self._known = [*q, t, *parameters]
        rest = np.broadcast_to(np.array(list(parameters.values()), dtype=float), (SAMPLES, len(parameters)))
        random = np.random.default_rng(1)
        moved = random.uniform(-3.0, 3.0, (SAMPLES, len(q)))
        self._values = np.concatenate([moved, random.uniform(0.0, 2.0, (SAMPLES, 1)), rest], axis=1)

    def __call__(self, formulas: Sequence[Expression] | np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return Evaluator(expressions(formulas), self._known)(self._values)


def upwards(points: list[Place], potential: Expression, q: Sequence[Expression], sampled: Sampled) -> tuple[int, int]:
    """Which component is vertical, and the sign of what is up; (−1, 1) where the potential energy does not tell.

    Weights are looked for with ∂V/∂q_j = Σ_k w_k ∂x_k/∂q_j, for each component of the points in turn.
    """
    slopes = sampled([derivative(potential, x) for x in q]).ravel()
    if not np.all(np.isfinite(slopes)) or not slopes.any():
        return -1, 1
    best, up, sign = 0.5, -1, 1
    for i in range(max(len(place) for place in points)):
        having = [p[i] for p in points if len(p) > i]
        columns = np.stack([sampled([derivative(f, x) for x in q]).ravel() for f in having], axis=1)
        if not np.all(np.isfinite(columns)):
            continue
        weights, *_ = np.linalg.lstsq(columns, slopes, rcond=None)
        told = 1.0 - float(np.sum((columns @ weights - slopes) ** 2) / np.sum(slopes**2))
        if told > best + 1e-9:
            best, up, sign = told, i, 1 if weights.sum() >= 0 else -1
    return up, sign


def in_space(place: Place, up: int, sign: int) -> np.ndarray:
    """A point in three dimensions, with its vertical component along Z; one in a plane that is level lies at Z = 0."""
    x = list(place)
    if len(x) == 1:
        return expressions([x[0], ZERO, ZERO] if up else [ZERO, ZERO, sign * x[0]])
    if len(x) == 2:
        return expressions([x[0], x[1], ZERO] if up < 0 else [x[1 - up], ZERO, sign * x[up]])
    order = {0: (1, 2, 0), 1: (2, 0, 1)}.get(up, (0, 1, 2))
    turned = [x[k] for k in order]
    return expressions(turned if sign > 0 else [turned[0], -turned[1], -turned[2]])


def bases(place: Place) -> list[Place]:
    """Points that one may hang on: the parts of it in which only time, or only one coordinate, is."""
    found: list[Place] = []
    moving = dict.fromkeys(leaf for f in place for leaf in symbols(f) if leaf.kind == "coordinate")
    for kept in (set(), *({x} for x in moving)):
        parts = [
            total((f, e) for f, e in terms(c) if {leaf for leaf in symbols(e) if leaf.kind == "coordinate"} <= kept)
            for c in place
        ]
        base = tuple(as_expression(part) for part in parts)
        if base != place and base not in found:
            found.append(base)
    return found


def rigid(a: Place, b: Place, sampled: Sampled) -> bool:
    """Whether two points keep their distance, wherever the coordinates are."""
    if len(a) != len(b):
        return False
    d = sampled([x - y for x, y in zip(a, b, strict=True)])
    far = np.linalg.norm(d, axis=1)
    return bool(np.all(np.isfinite(far)) and far.max() > 1e-9 and np.ptp(far) <= 1e-9 * far.max())


def long_as(a: Place, b: Place, x: Symbol, sampled: Sampled) -> bool:
    """Whether a coordinate is the distance of two points in no fixed direction, as that of a rope that is wound up."""
    d = [p - q for p, q in zip(a, b, strict=True)] if len(a) == len(b) else []
    if sum(e is not ZERO for e in d) < 2:
        return False
    far, (known,) = np.linalg.norm(sampled(d), axis=1), sampled([x]).T
    return bool(np.all(np.isfinite(far)) and np.abs(far - np.abs(known)).max() <= 1e-9 * far.max())
