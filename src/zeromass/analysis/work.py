"""Energy along a run, between its steps too, and the work of the forces that change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, as_expression, derivative, expressions, rate, substitute, symbols, t
from zeromass.expression.build import ZERO
from zeromass.integrate import Course, Segment
from zeromass.integrate.methods.collocation.coefficients import ONCE, PARTS
from zeromass.integrate.segment import Samples
from zeromass.integrate.survey import Seen, survey
from zeromass.model import ModelError, System
from zeromass.model.constraint import Row
from zeromass.model.large import formulas_in

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
    inside     the same between them, at Radau's eight places in each of them
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


def powers(system: System, *, held: bool = False) -> tuple[Expression, Expression]:
    """Power of the applied forces without potential, and of the constraints, W.

        dE/dt = q̇ᵀ(Q_applied + Qᶜ) + explicit change of the energy in time

    The explicit change counts with the applied forces; Qᶜ = M q̈ − Q. Where T is quadratic in the rates, ∂E/∂q̇ = M q̇ and
    accelerations cancel in the first: they are left out.

    held  whether states are on the constraints: the forces of those that neither move nor do work then have no power
    """
    if system.large:
        return _powers_of_loads(system), ZERO
    reaction = as_expression(system.rates @ system.reaction.total)
    applied = as_expression(rate(system.energy) - reaction)
    if _quadratic(system):
        applied = as_expression(substitute(applied, dict.fromkeys(system.accelerations, 0.0)))
    still = not len(system.rows) or (held and all(e is ZERO for e in system.C) and _moving(system) is None)
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


def _moving(system: System) -> Row | None:
    """A constraint that moves or does not vanish at rest: its force may do work."""
    for row in system.rows:
        leaves = symbols(row.zero)
        still = {leaf: 0.0 for leaf in leaves if leaf.order == 1}
        if t in leaves or row.level > 1 or (row.level and substitute(row.zero, still) is not ZERO):
            return row
    return None


def _powers_of_loads(system: System) -> Expression:
    """Power of the forces without potential of a large system, one by one; its constraints do no work."""
    known = {x.token: x for x in system.coordinates}
    row = _moving(system)
    if row is not None:
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
    rows = _Kept(len(run))
    asked = [_asked(run.system, segment) for segment in run.segments]
    begins = _begins(run, asked)
    first, done = float(begins[0][0]), np.zeros(2)
    """Energy at the start; work of applied forces and of constraints until here."""
    gap, inside, kinetic, size, turned = 0.0, 0.0, 0.0, 0.0, 0.0
    for segment, formulas, (E, T, *_) in zip(run.segments, asked, begins, strict=True):
        if segment.piece is not None:  # rates that jump, and energies that are exchanged at a moment
            impulse = segment.piece.impulse
            done = done + np.array([segment.piece.energy, 0.0 if impulse is None else impulse.energy])
        kinetic, size = max(kinetic, abs(T)), max(size, abs(E - T) + abs(T))
        turned = max(turned, abs(E - first), np.abs(done).max())
        gap = np.maximum(gap, abs(E - first - done.sum()))
        rows.add(np.array([[segment.t[0], E - first, *done]]))
        for seen in survey(segment, formulas.values):
            part = _balance(seen, formulas, segment.t, first, done)
            kinetic, size, turned = (max(a, b) for a, b in zip((kinetic, size, turned), part.sizes, strict=True))
            gap, inside = np.maximum(gap, part.gap), np.maximum(inside, part.inside)
            rows.add(part.rows)
            done = part.rows[-1, 2:]
    t, change, applied, constraint = rows.all
    noise = float(8 * np.finfo(float).eps * size)
    sizes = float(gap), float(inside), float(max(kinetic, turned)), noise, float(kinetic)
    return Work(t, first, change, applied, constraint, *sizes)


class _Kept:
    """Rows, every second one of many, or every third, …, and the last."""

    def __init__(self, count: int) -> None:
        self._every = -(-count // KEPT)
        self._count, self._rows = count, list[np.ndarray]()
        self._before = 0

    def add(self, rows: np.ndarray) -> None:
        places = self._before + np.arange(len(rows))
        self._rows.append(rows[(places % self._every == 0) | (places == self._count - 1)])
        self._before += len(rows)

    @property
    def all(self) -> np.ndarray:
        """Their columns, one after the other."""
        return np.concatenate(self._rows).T.copy()


class _Asked(NamedTuple):
    """Energy, kinetic energy and powers, those that are not zero, and which these are: of applied forces, of constraints."""

    values: Array
    powers: list[int]


def _asked(system: System, segment: Segment) -> _Asked:
    """What is looked at along a segment; `system` is the one that the run began with."""
    held = segment.settings.project
    known: dict[Any, _Asked] = segment.system.memory.setdefault("work", {})
    if (system, held) not in known:
        found = powers(segment.system, held=held)
        some = [k for k, power in enumerate(found) if power is not ZERO]
        known[system, held] = _Asked(expressions([system.energy, _kinetic(system), *[found[k] for k in some]]), some)
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


class _Balance(NamedTuple):
    """Of some steps.

    rows    time, change of the energy and works at their ends, shape (steps, 4)
    gap     at the ends; inside: between
    sizes   kinetic energy, energies without sign, energy turned over
    """

    rows: np.ndarray
    gap: float
    inside: float
    sizes: tuple[float, float, float]


def _balance(seen: Seen, asked: _Asked, times: np.ndarray, first: float, done: np.ndarray) -> _Balance:
    """Energies against works until the same places: ∫₀^θ of the polynomial through the powers at the places of a step."""
    t = times[seen.first : seen.first + len(seen.t) + 1]
    h, E, T = np.diff(t), seen.values[..., 0], seen.values[..., 1]
    rows = np.empty((len(h), 4))
    rows[:, 0], rows[:, 1], rows[:, 2:] = t[1:], E[:, -1] - first, done
    apart, missed, turned = E - first, 0.0, np.abs(done).max()
    turned = max(turned, float(apart.max()), -float(apart.min()))
    if asked.powers:
        power = seen.values[..., 2:]
        until = h[:, None, None] * _combined(_UNTIL, power)
        begins = done[asked.powers] + np.append(np.zeros((1, len(asked.powers))), until[:-1, -1].cumsum(axis=0), axis=0)
        works = begins[:, None] + until
        rows[:, [2 + k for k in asked.powers]] = works[:, -1]
        apart = apart - works.sum(axis=2)
        missed = (np.abs(h) * np.abs(_combined(_COEFFICIENTS[-2:], power)).sum(axis=(1, 2)))[:, None]
        turned = max(turned, np.abs(works).max())
    apart = np.abs(apart - (done.sum() - done[asked.powers].sum()))
    sizes = float(np.abs(T).max()), float((np.abs(E - T) + np.abs(T)).max()), float(turned)
    return _Balance(rows, apart[:, -1].max(), np.maximum((apart[:, :-1] - missed).max(), 0.0), sizes)


_COEFFICIENTS = np.array(PARTS).T
"""Legendre's coefficients of a function in a step from its values at the places."""
_UNTIL = np.array(ONCE)
"""∫₀^θ to each place from the values at all places."""


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
