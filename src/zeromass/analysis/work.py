"""Energy along a run, between its steps too, and the work of the forces that change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zeromass.analysis.balancing import LOOKED_AT, Balance, Sums, began
from zeromass.codegen.target import host
from zeromass.compile.program import rolls
from zeromass.equation.arrays import single_thread
from zeromass.expression import (
    Array,
    Expression,
    as_expression,
    derivative,
    expressions,
    gradient,
    rate,
    substitute,
    symbols,
    t,
)
from zeromass.expression.build import ZERO
from zeromass.integrate import Course, Segment
from zeromass.integrate.course import given_course
from zeromass.integrate.sampling import NodeSampler
from zeromass.integrate.segment import Samples
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.layout import Int64
from zeromass.model import ModelError, System
from zeromass.model.constraint import Row
from zeromass.model.large import formulas_in

KEPT = 2**17
"""Most steps at which a `Work` keeps its arrays: of a longer run every second one, or every third, …"""


@dataclass(frozen=True)
class Work:
    """Energy balance of a run, J.

    energy     at the start
    change     of the energy, at the steps, relative to the start
    applied    work of forces that have no potential, at the steps
    constraint work of moving or non-ideal constraints, at the steps
    gap        largest |change − work| at the steps
    inside     the same between them, at Radau's eight places in each of them
    turned     largest energy exchanged: kinetic energy, change or work
    noise      what rounding may do to the energy when it is evaluated
    kinetic    largest kinetic energy

    Gaps and the energy exchanged are those of all steps; the arrays of a run of more than 131,072 steps have every
    second one, or every third, …, and the last.

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> print(run.work())
    energy: 0 J at the start, changed by 1.800e+01 J
    work of applied forces 1.800e+01 J, of constraints 0 J
    imbalance of energy and work: ...
    """

    t: np.ndarray
    energy: float
    change: np.ndarray
    applied: np.ndarray
    constraint: np.ndarray
    gap: float
    inside: float
    turned: float
    noise: float
    kinetic: float

    @property
    def imbalance(self) -> float:
        """Largest |change − work| along the run, between steps too, relative to the largest energy exchanged."""
        return self._relative(self._gap)

    @property
    def error(self) -> float:
        """The relative error of a state that the imbalance tells of, beyond what rounding does to the energy.

        A relative error δ of the rates changes their energy by 2δ, so that with an imbalance ε no state is better than
        about ε/2.
        """
        return self._relative(float(np.maximum(self._gap - self.noise, 0.0))) / 2

    @property
    def seen(self) -> float:
        """How many times larger the motion would have to be for the energy to tell it from rest: 1 where it does."""
        if self.turned > self.noise or not self.kinetic > 0:
            return 1.0
        return max(1.0, (self.noise / self.kinetic) ** 0.5)

    @property
    def _gap(self) -> float:
        """Of all places; not a number, if one of them is none."""
        return float(np.maximum(self.gap, self.inside))

    def _relative(self, gap: float) -> float:
        size = (
            self.turned if self.turned > self.noise else abs(self.energy)
        )  # of a system at rest nothing is turned over
        return gap / size if size > 0 else gap

    def told(self, joules: np.ndarray) -> str:
        """A change or a work at the end of the run, in words: what is rounding of the energies is zero."""
        end = float(joules[-1])
        if 0.0 < abs(end) <= self.noise:
            return "0 J within rounding"
        return f"{end:.3e} J" if end else "0 J"

    def __str__(self) -> str:
        where = ", largest between steps" if self.inside > 2 * self.gap and self.inside > self.noise else ""
        return (
            f"energy: {self.energy:.9g} J at the start, changed by {self.told(self.change)}\n"
            f"work of applied forces {self.told(self.applied)}, of constraints {self.told(self.constraint)}\n"
            f"imbalance of energy and work: {self.imbalance:.1e} relative{where}"
        )


def powers(system: System, *, held: bool = False) -> tuple[Expression, Expression]:
    """Power of the applied forces without potential, and of the constraints, W.

        dE/dt = q̇ᵀ(Q_applied + Qᶜ) + explicit change of the energy in time

    The explicit change counts with the applied forces; Qᶜ = M q̈ − Q. Where T is quadratic in the rates, ∂E/∂q̇ = M q̇ and
    accelerations cancel in the first: they are left out.

    held  whether states are on the constraints: the forces of those that neither move nor do work then have no power
    """
    if rolls(system):
        return _powers_one_by_one(system)
    reaction = as_expression(system.rates @ system.reaction.total)
    applied = as_expression(rate(system.energy) - reaction)
    if _quadratic(system):
        applied = as_expression(substitute(applied, dict.fromkeys(system.accelerations, 0.0)))
    closed = bool(system.unilaterals) or system.colliders is not None
    resting = held and all(e is ZERO for e in system.C) and not any(map(_moves, system.rows))
    still = not closed and (not len(system.rows) or resting)
    return applied, ZERO if still else reaction


def _quadratic(system: System) -> bool:
    """Whether the kinetic energy is a quadratic form of the rates, as far as its formula shows."""
    try:
        kinetic = system.kinetic
    except ModelError:
        return False
    rest: dict[Any, float] = dict.fromkeys(system.rates, 0.0)
    slopes = [derivative(kinetic, v) for v in system.rates]
    bent = any(leaf.order == 1 for row in system.sparse_M.rows for leaf in symbols(list(row.values())))
    return not bent and all(as_expression(substitute(e, rest)) is ZERO for e in [kinetic, *slopes])


def _moves(row: Row) -> bool:
    """Whether a constraint moves or does not vanish at rest: its force may do work."""
    leaves = symbols(row.zero)
    still = {leaf: 0.0 for leaf in leaves if leaf.order == 1}
    return t in leaves or row.level > 1 or (row.level == 1 and substitute(row.zero, still) is not ZERO)


def _powers_one_by_one(system: System) -> tuple[Expression, Expression]:
    """Both of a large system, force by force and row by row, as no matrix is written out.

        ∂V/∂t − ∂T/∂t + Σ q̇ᵀ(Q + ∂V/∂q) of the forces,   Σ λ A q̇ of the rows that move

    What a force takes from the energy that it stores itself is no work of others: a spring leaves 0, one with a damper
    the damper.
    """
    known = {x.token: x for x in system.coordinates}

    def own(formulas: list[Expression]) -> Array:
        return expressions(
            [known[token] for token in dict.fromkeys(x.token for x in symbols(formulas)) if token in known]
        )

    applied = as_expression(derivative(system.potential, t) - derivative(system.kinetic, t))
    for load in system.loads:
        q = own(formulas_in(vars(load)))
        left = expressions(load.generalized(q) + gradient(load.potential, q))
        applied = applied + as_expression(left @ rate(q))
    reaction = ZERO
    for row, λ in zip(system.rows, system.multipliers, strict=True):
        if _moves(row):
            q = own([row.zero])
            unknown = (q, rate(q), rate(rate(q)))[row.level]
            reaction = reaction + λ * as_expression(gradient(row.zero, unknown) @ rate(q))
    for load in () if system.colliders is None else system.colliders.loads:
        q = own(formulas_in(vars(load)))
        reaction = reaction + as_expression(expressions(load.generalized(q)) @ rate(q))
    return applied, reaction


@single_thread
def work(run: Course) -> Work:
    """The energy balance of a run: powers are integrated over each step by Radau's rule of eight points, the last its end.

    That is exact for polynomials of degree 14, as states between steps are at most of degree 9. Long runs are examined in
    parts, in bounded memory.

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> from zeromass.analysis import work
    >>> round(float(work(run).applied[-1]), 9)  # 2 N on a way of 9 m
    18.0
    """
    rows = _Kept(len(given_course(run)))
    asked = [_asked(run.system, segment) for segment in run.segments]
    alone = NodeSampler(run.segments[0], asked[0].values) if len(run.segments) == 1 and len(run) > 1 else None
    begins = _begins(run, asked) if alone is None else alone.beginning[None, :2]
    sums = began(begins[0, 0])
    for segment, formulas, (E, T) in zip(run.segments, asked, begins, strict=True):
        done = sums[[Sums.applied, Sums.constraint]]
        if segment.piece is not None:  # rates that jump, and energies that are exchanged at a moment
            impulse = segment.piece.impulse
            done = done + np.array([segment.piece.energy, 0.0 if impulse is None else impulse.energy])
            sums[[Sums.applied, Sums.constraint]] = done
        change = E - sums[Sums.energy]
        for place, size in (
            (Sums.gap, abs(change - done.sum())),
            (Sums.kinetic, abs(T)),
            (Sums.size, abs(E - T) + abs(T)),
            (Sums.turned, max(abs(change), *np.abs(done))),
        ):
            sums[place] = np.maximum(sums[place], size)
        rows.add(np.array([[segment.t[0], change, *done]]))
        if len(segment.t) > 1:
            for ends in _balanced(segment, formulas, sums, alone or NodeSampler(segment, formulas.values)):
                rows.add(ends)
    t, change, applied, constraint = rows.all
    gap, inside, kinetic, size, turned = sums[Sums.gap :].tolist()
    noise = 8 * float(np.finfo(float).eps) * size
    return Work(
        t, float(sums[Sums.energy]), change, applied, constraint, gap, inside, max(kinetic, turned), noise, kinetic
    )


def _balanced(segment: Segment, asked: _Asked, sums: np.ndarray, sampler: NodeSampler) -> Iterator[np.ndarray]:
    """Carries sums along a segment; times, changes of the energy and works at the ends of its steps, part by part."""
    steps = len(segment.t) - 1
    ints, rows = np.zeros(len(Int64), dtype=np.int64), np.empty((sampler.most, LOOKED_AT))
    ints[Int64.events] = asked.powers
    arrays = (sums, ints, np.ascontiguousarray(segment.t), sampler.values, rows)
    call = called(Balance, host().lanes(sampler.side), segment.solved.native.busy, arrays, [])
    for first in range(0, steps, sampler.most):
        count = min(sampler.most, steps - first)
        sampler(first, count)
        ints[Int64.recorded], ints[Int64.capacity] = first, count
        call()
        yield rows[:count]


class _Kept:
    """Rows, every second one of many, or every third, …, and the last."""

    def __init__(self, count: int) -> None:
        self._every = -(-count // KEPT)
        self._count, self._rows = count, list[np.ndarray]()
        self._before = 0

    def add(self, rows: np.ndarray) -> None:
        if self._every == 1:
            self._rows.append(rows.copy())
            return
        places = self._before + np.arange(len(rows))
        self._rows.append(rows[(places % self._every == 0) | (places == self._count - 1)])
        self._before += len(rows)

    @property
    def all(self) -> np.ndarray:
        """Their columns, one after the other."""
        return np.concatenate(self._rows).T.copy()


class _Asked(NamedTuple):
    """Energy, kinetic energy and powers; and which of these are not zero: 1 for applied forces, 2 for constraints."""

    values: Array
    powers: int


def _asked(system: System, segment: Segment) -> _Asked:
    """What is looked at along a segment; `system` is the one that the run began with."""
    held = segment.settings.project
    known: dict[Any, _Asked] = segment.system.memory.setdefault("work", {})
    if (system, held) not in known:
        found = powers(segment.system, held=held)
        some = sum(bit for bit, power in zip((1, 2), found, strict=True) if power is not ZERO)
        known[system, held] = _Asked(expressions([system.energy, _kinetic(system), *found]), some)
    return known[system, held]


def _begins(run: Course, asked: list[_Asked]) -> np.ndarray:
    """Energy and kinetic energy where each segment begins, shape (segments, 2)."""
    found = np.empty((len(run.segments), 2))
    groups: dict[Any, list[int]] = {}
    for k, segment in enumerate(run.segments):
        groups.setdefault((segment.equations_alike, id(asked[k])), []).append(k)
    for places in groups.values():
        starts = [Samples(s, s.t[:1], s.y[:1]) for s in (run.segments[k] for k in places)]
        found[places] = Samples.joined(starts)[asked[places[0]].values[:2]]
    return found


def _kinetic(system: System) -> Expression:
    """Kinetic energy; of a system that is given by its Lagrangian ½ q̇ᵀ M q̇."""
    try:
        return system.kinetic
    except ModelError:
        return as_expression(system.rates @ system.M @ system.rates / 2)
