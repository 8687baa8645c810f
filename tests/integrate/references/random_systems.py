"""Random systems with switches, each given twice: for zeromass, and for the reference in `piecewise`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import zeromass as zm
from integrate.references.carriers import CARRIERS, Carrier, Place
from integrate.references.pieces import Pieces, Switch, Unclear
from integrate.references.piecewise import Motion, motion
from integrate.references.speeds import SPEED
from integrate.references.terms import PLACE, SMOOTH, Term, one_of, spring, torsion
from integrate.references.timed import TIME

SAMPLES = 31
"""Times, evenly spaced, at which a run is compared."""

ASIDE = 1e-7
"""Part by which the start of a neighbouring motion is moved."""

GROWTH = 1e4
"""Times that by which neighbours may come apart: beyond it a motion is too sensitive to judge a run by."""

GRAZE = 1e-6
"""A switching function that turns back this close to its border makes a motion unfit to judge by."""


SHORTER = 50
"""By what the steps of a reference are shorter that is to be more exact: an angle of 30 rad is then known to 1e-12."""

MOST = 200
"""Switches of the state: beyond that they follow one another so closely that the phase of the last ones is rounding."""


class LeftOut(Exception):
    """The reference can not judge this system, by its name: "unclear", "grazing", "sensitive"."""


@dataclass(frozen=True)
class Acting:
    """A force and where it acts."""

    term: Term
    place: Place


@dataclass(frozen=True)
class Case:
    """A carrier with forces, a start (q, v) of the reference, and an end."""

    seed: int
    carrier: Carrier
    acting: tuple[Acting, ...]
    q: np.ndarray
    v: np.ndarray
    until: float

    def __str__(self) -> str:
        forces = "; ".join(f"{each.term.words} on {each.place.l}" for each in self.acting)
        start = f"from {self.q.round(4)}, {self.v.round(4)} to {self.until:.4g} s"
        return f"seed {self.seed}: {self.carrier.words}: {forces}; {start}"

    @cached_property
    def times(self) -> np.ndarray:
        return np.linspace(0.0, self.until, SAMPLES)

    def with_only(self, acting: tuple[Acting, ...]) -> Case:
        return replace(self, acting=acting)

    @cached_property
    def system(self) -> zm.System:
        forces: dict[Any, Any] = {}
        potential = self.carrier.given.get("potential", 0.0)
        for each in self.acting:
            value = each.term.expression(each.place.l, each.place.s)
            if each.term.energy:
                potential = potential + value
                continue
            for x, way in each.place.along.items():
                forces[x] = forces.get(x, 0.0) + value * way
        return zm.System(**{**self.carrier.given, "potential": potential}, forces=forces or None)

    def start(self) -> zm.State:
        return self.system.start(self.carrier.start(self.q, self.v))

    @cached_property
    def pieces(self) -> Pieces:
        """The same for the reference: switches first, by their keys, then clocks."""
        n, clocks, used = self.carrier.freedoms, [], []
        switches: dict[Any, Switch] = {("own", i): switch for i, switch in enumerate(self.carrier.switches)}
        first = len(switches)
        for each in self.acting:
            own = []
            for key, g, stairs in each.term.switches:
                key = _surface(each.place, key)
                if key not in switches:
                    switches[key] = Switch(f"{each.term.words} on {each.place.l}", _level(each.place, g, n), stairs)
                own.append(("switch", list(switches).index(key)))
            for clock in each.term.clocks:
                own.append(("clock", len(clocks)))
                clocks.append(clock)
            used.append(own)
        which = [[i if kind == "switch" else len(switches) + i for kind, i in own] for own in used]

        places = list({id(each.place): each.place for each in self.acting}.values())
        there = [
            [(each.term.force, own) for each, own in zip(self.acting, which, strict=True) if each.place is place]
            for place in places
        ]

        def slope(t: float, y: np.ndarray, k: np.ndarray) -> np.ndarray:
            q, v, Q = y[:n], y[n:], np.zeros(n)
            for place, forces in zip(places, there, strict=True):
                row = np.asarray(place.row(t, q))
                l, s = place.length(t, q), row @ v + place.drift(t)
                Q += sum(force(t, l, s, k[own]) for force, own in forces) * row
            return np.concatenate([v, self.carrier.accelerated(t, q, v, Q, k[:first])])

        breaks = [t for each in self.acting for t in each.term.breaks]
        longest = min([0.25, *[each.term.longest for each in self.acting]])
        return Pieces(slope, list(switches.values()), clocks, self.carrier.jumps, breaks, longest)

    def reference(self) -> tuple[Motion, float]:
        """The motion, and by what factor a neighbour comes apart from it; LeftOut where it can not judge."""
        y = np.concatenate([self.q, self.v])
        aside = y * (1 + ASIDE * np.cos(1.0 + np.arange(len(y)) ** 2))
        try:
            exact = motion(self.pieces, y, self.times, most=MOST)
            other = motion(self.pieces, aside, self.times, rtol=1e-11, atol=1e-13, most=MOST)
        except Unclear as reason:
            raise LeftOut("unclear") from reason
        if min(exact.miss, other.miss) < GRAZE or _names(exact) != _names(other):
            raise LeftOut("grazing")
        size = ASIDE * max(1.0, float(np.abs(exact.y).max()))
        growth = float(np.abs(exact.y - other.y).max()) / size
        if not growth < GROWTH:
            raise LeftOut("sensitive")
        return exact, max(1.0, growth)

    def closer(self) -> Motion:
        """The motion of the reference with steps so short that their errors, some 1e-12 each, do not add up."""
        pieces = replace(self.pieces, longest=self.pieces.longest / SHORTER)
        return motion(pieces, np.concatenate([self.q, self.v]), self.times, rtol=3e-14, atol=1e-16, most=MOST)

    def expected(self, exact: Motion) -> np.ndarray:
        n = self.carrier.freedoms
        value = self.carrier.observed[1]
        return np.array([value(t, y[:n], y[n:]) for t, y in zip(exact.t, exact.y, strict=True)])


def _names(course: Motion) -> list[tuple]:
    return [(change.names, change.pieces) for change in course.changes]


def _surface(place: Place, key: tuple) -> tuple:
    """What tells a border from others: two forces may have one, written in two ways."""
    if place.parallel and key == ("s", 0.0):
        return place.parallel, key
    return place.twin or id(place), key


def _level(place: Place, g: Any, n: int) -> Any:
    return lambda t, y: g(t, place.length(t, y[:n]), place.speed(t, y[:n], y[n:]))


def case(seed: int) -> Case:
    """A random system: one to four forces with switches beside springs that keep it together."""
    rng = np.random.default_rng([2026, seed])
    until = rng.uniform(2, 7)
    carrier = one_of(rng, *CARRIERS)(rng, until)
    lengths = [place for place in carrier.places if place.kind == "length"]
    acting = [Acting(spring(rng, until), place) for place in lengths[: carrier.springs]]
    for _ in range(int(rng.integers(1, 5))):
        place = one_of(rng, *carrier.places)
        kinds = one_of(rng, SMOOTH, PLACE, SPEED, TIME, TIME, SPEED)
        terms = [one_of(rng, *kinds)(rng, until) for _ in range(30)]
        if place.kind == "angle":
            terms.insert(int(rng.integers(3)), torsion(rng, until))
        fitting = [term for term in terms if place.kind in term.on]
        if fitting:
            acting.append(Acting(fitting[0], place))
    n = carrier.freedoms
    far = 1.0 if carrier.springs else rng.choice([1.0, 3.0])  # a pendulum may go over the top
    q, v = far * rng.uniform(-1, 1, n), far * rng.uniform(-2, 2, n) * (rng.random() > 0.15)
    return Case(seed, carrier, tuple(acting), q, v, until)
