"""Energy along a run, between its steps too, and the work of the forces that change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromass.compile.lanes import LaneFunction
from zeromass.compile.target import FIRST
from zeromass.expression import Expression, as_expression, expressions, rate, substitute, symbols, t
from zeromass.expression.build import ZERO
from zeromass.integrate import Course, Segment
from zeromass.integrate.legendre import integration, legendre
from zeromass.model import ModelError, System
from zeromass.model.large import formulas_in

PLACES = 8
"""Places of Gauss's rule inside a step at which energy and powers are looked at."""

AT_ONCE = 2**14
"""Numbers of a state times steps that are examined together: what stays near the processor, and bounds the memory."""

STEPS_AT_ONCE = 2**12
"""Most steps that are examined together, however small the state."""

MANY = 256
"""Steps from which on sums are made along them."""

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
    inside     the same between them, at the places of Gauss's rule of eight points
    turned     largest energy turned over: kinetic energy, change or work
    noise      what rounding may do to the energy when it is evaluated
    kinetic    largest kinetic energy

    Gaps and the energy turned over are those of all steps; the arrays of a run of more than 131,072 steps have every
    second one, or every third, …, and the last.

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> print(run.work())
    energy: 0 J at the start, changed by 1.800e+01 J; work of applied forces 1.800e+01 J, of constraints 0.000e+00 J; ...
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
        """Largest |change − work| along the run, between steps too, relative to the largest energy turned over."""
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

    def __str__(self) -> str:
        where = ", largest between steps" if self.inside > 2 * self.gap and self.inside > self.noise else ""
        return (
            f"energy: {self.energy:.9g} J at the start, changed by {self.change[-1]:.3e} J; work of applied forces "
            f"{self.applied[-1]:.3e} J, of constraints {self.constraint[-1]:.3e} J; imbalance {self.imbalance:.1e} "
            f"relative{where}"
        )


def powers(system: System) -> tuple[Expression, Expression]:
    """Power of the applied forces without potential, and of the constraints, W.

        dE/dt = q̇ᵀ(Q_applied + Qᶜ) + explicit change of the energy in time

    The explicit change counts with the applied forces; Qᶜ = M q̈ − Q.
    """
    if system.large:
        return _powers_of_loads(system), ZERO
    reaction = as_expression(system.rates @ system.reaction.total)
    return rate(system.energy) - reaction, reaction


def _powers_of_loads(system: System) -> Expression:
    """Power of the forces without potential of a large system, one by one; its constraints do no work."""
    known = {x.token: x for x in system.coordinates}
    for row in system.rows:
        leaves = symbols(row.zero)
        still = {leaf: 0.0 for leaf in leaves if leaf.order == 1}
        if t in leaves or row.level > 1 or (row.level and substitute(row.zero, still) is not ZERO):
            raise ModelError(
                f"the work of the constraint '{row.name}', which moves or does not vanish at rest, is not computed of a "
                "large system; compare runs of different tolerances instead"
            )
    total = ZERO
    for load in system.loads:
        if load.potential is ZERO:
            tokens = dict.fromkeys(x.token for x in symbols(formulas_in(vars(load))) if x.token in known)
            q = expressions([known[token] for token in tokens])
            total = total + as_expression(expressions(load.generalized(q)) @ rate(q))
    return total


def work(run: Course) -> Work:
    """The energy balance of a run: powers are integrated over each step by Gauss's rule of eight points.

    Long runs are examined in parts, in bounded memory.

    >>> x = zm.coordinate("x")
    >>> sledge = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 2.0})
    >>> run = zm.simulate(sledge, sledge.start({x: 0.0}), until=3.0)
    >>> from zeromass.analysis import work
    >>> round(float(work(run).applied[-1]), 9)  # 2 N on a way of 9 m
    18.0
    """
    every, before, first = -(-len(run) // KEPT), 0, np.nan
    done = np.zeros(2)
    """Work of applied forces and of constraints until here."""
    kept: list[np.ndarray] = []
    gap, inside, kinetic, size, turned = 0.0, 0.0, 0.0, 0.0, 0.0
    for segment in run.segments:
        if segment.piece is not None:  # rates that jump, and energies that are exchanged at a moment
            impulse = segment.piece.impulse
            done = done + np.array([segment.piece.energy, 0.0 if impulse is None else impulse.energy])
        for part in _parts(segment):
            E, T, works, missed = _balance(run.system, part, done)
            first = E[0, 0] if np.isnan(first) else first
            kinetic, size = max(kinetic, np.abs(T).max()), max(size, (np.abs(E - T) + np.abs(T)).max())
            turned = max(turned, np.abs(E - first).max(), np.abs(works).max())
            apart = np.abs(E - first - works.sum(axis=2))
            gap = np.maximum(gap, apart[:, 0].max())
            inside = np.maximum(inside, (apart[:-1, 1:] - missed[:, None]).max(initial=0.0))
            last = part.t[-1] == segment.t[-1]
            count = len(part.t) if last else len(part.t) - 1  # where two parts meet, the second tells
            chosen = np.flatnonzero((before + np.arange(count)) % every == 0)
            if last and segment is run.segments[-1] and (not len(chosen) or chosen[-1] != count - 1):
                chosen = np.append(chosen, count - 1)
            kept.append(np.column_stack([part.t, E[:, 0] - first, works[:, 0]])[chosen])
            before, done = before + count, works[-1, 0]
    t, change, applied, constraint = np.concatenate(kept).T.copy()
    noise = float(8 * np.finfo(float).eps * size)
    sizes = float(gap), float(inside), float(max(kinetic, turned)), noise, float(kinetic)
    return Work(t, float(first), change, applied, constraint, *sizes)


def _parts(segment: Segment) -> Iterator[Segment]:
    """A segment in pieces that can be examined at once, each with polynomials of its own that are forgotten with it."""
    most, steps = min(STEPS_AT_ONCE, max(1, AT_ONCE // segment.y.shape[1])), len(segment.t) - 1
    if steps <= most:
        yield segment
        return
    for k in range(0, steps, most):
        inside = segment.inside if callable(segment.inside) else segment.inside[k : k + most]
        places = slice(k, k + most + 1)
        yield replace(
            segment, t=segment.t[places], y=segment.y[places], growth=segment.growth[k : k + most], inside=inside
        )


_ENDS, _WEIGHTS = np.polynomial.legendre.leggauss(PLACES)
_θ, _w = (_ENDS + 1) / 2, _WEIGHTS / 2
_COEFFICIENTS = (2 * np.arange(PLACES)[:, None] + 1) * _w * np.array(legendre(_θ, PLACES))
"""Legendre's coefficients of a function in a step from its values at the places."""
_UNTIL = np.array(legendre(_θ, PLACES + 1)).T @ integration(PLACES, PLACES + 1) @ _COEFFICIENTS
"""∫₀^θ to each place from the values at all places."""


def _balance(system: System, part: Segment, done: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Energy, kinetic energy and works, at starts of steps and places inside them, and what the rule may miss in each step.

    Shapes (k + 1, 1 + PLACES), the same, (k + 1, 1 + PLACES, 2), and (k,) for k steps; the last row is the end, repeated.
    """
    h = np.diff(part.t)
    times = np.append(part.t[:-1, None] + h[:, None] * np.append(0.0, _θ), np.full((1, 1 + PLACES), part.t[-1]), axis=0)
    E, T, *p = _values(system, part, times.ravel()).reshape(*times.shape, 4).transpose(2, 0, 1)
    power = np.stack(p, axis=2)[:-1, 1:]
    works = np.empty((*times.shape, 2))
    ends = done + np.append(np.zeros((1, 2)), (h[:, None] * np.einsum("kpj,p->kj", power, _w)).cumsum(axis=0), axis=0)
    works[:, 0] = ends
    works[:-1, 1:] = ends[:-1, None] + h[:, None, None] * _combined(_UNTIL, power)
    works[-1, 1:] = ends[-1]
    tail = np.abs(_combined(_COEFFICIENTS[-2:], power)).sum(axis=(1, 2))
    return E, T, works, np.abs(h) * tail


def _values(system: System, part: Segment, times: np.ndarray) -> np.ndarray:
    """Energy, kinetic energy and powers at many times of a segment, shape (times, 4); by machine code, if there is any."""
    sampled, program = part.at(times), part.program
    known: dict[Any, tuple[np.ndarray, LaneFunction | None]] = part.system.memory.setdefault("work", {})
    smooth = program is not None and program.code != "rolled" and part.piece is None and not program.held
    if (system, smooth) not in known:
        asked = expressions([system.energy, _kinetic(system), *powers(part.system)])
        names = [*part.system.inputs, *part.system.accelerations]
        told = smooth and {*symbols(asked)} <= {*names}
        known[system, smooth] = asked, LaneFunction(asked, names, effort=FIRST) if told else None
    asked, code = known[system, smooth]
    return sampled[asked] if code is None else code(np.concatenate([sampled.inputs, sampled.acceleration], axis=1))


def _combined(C: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Σ_p C_ip power_kpj, shape (k, i, j), added in this order: of many steps along them, where memory is read in a row."""
    if len(power) < MANY:
        return np.einsum("ip,kpj->kij", C, power)
    along = np.ascontiguousarray(power.transpose(1, 2, 0))
    result = np.empty((len(C), *along.shape[1:]))
    for i, weights in enumerate(C.tolist()):
        result[i] = weights[0] * along[0]
        for weight, values in zip(weights[1:], along[1:], strict=True):
            result[i] += weight * values
    return result.transpose(2, 0, 1)


def _kinetic(system: System) -> Expression:
    """Kinetic energy; of a system that is given by its Lagrangian ½ q̇ᵀ M q̇."""
    try:
        return system.kinetic
    except ModelError:
        return as_expression(system.rates @ system.M @ system.rates / 2)
