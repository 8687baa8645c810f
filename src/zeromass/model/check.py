"""The diagnosis of a model at a state: does it determine its motion, and if not, what is missing or too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.equation import Rank, Verdict, independent_rows, numerical_rank
from zeromass.equation.solution import freedom
from zeromass.equation.units import mass_units
from zeromass.errors import listed
from zeromass.expression import Array, Expression, expressions, jacobian, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.node import ordered
from zeromass.lazy import later
from zeromass.model.integrability import kinds
from zeromass.model.parts import Part, RigidBody
from zeromass.model.shared import relaxing
from zeromass.model.start import states_nearby
from zeromass.model.state import State, belonging

if TYPE_CHECKING:
    from zeromass.model.system import System

VISIBLE = 1e-8
"""Components of a unit vector that are named: those above its round-off, which is the square root of rounding."""

SHORT = 12
"""Operations of a formula that a remedy shows; a longer one tells nobody anything."""

MANY = 6
"""Ways to relax a model that are shown."""

NEARBY = 1e-3
"""Distance, in the coordinates' own units, of the states with which a loss of rank is compared."""


class Undetermined(NamedTuple):
    """A direction of acceleration that neither inertia nor constraints fix.

    direction  {coordinate name: component}, largest component 1
    force      wᵀ(Q + C) along it as an expression, or None where it vanishes identically
    motion     what moves and what turns, in words
    spin       the angular velocity that alone is open, as one writes it, or ""

    >>> ghost = zm.Particle("ghost", mass=0)
    >>> zm.System([zm.Particle("bob", mass=1.0), ghost]).check().undetermined[0].remedy
    'give ghost.x a mass, or add a constraint that contains it'
    """

    direction: dict[str, float]
    force: Expression | None
    motion: str = ""
    spin: str = ""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        if self.spin:
            return f"no inertia resists its spin: fix it with the constraint {self.spin} = 0, or give it a moment of inertia"
        names = listed(self.direction, 6)
        one = names if len(self.direction) == 1 else f"one of {names}"
        remedy = f"give {one} a mass, or add a constraint that contains it"
        if self.force is None or sum(bool(node.args) for node in ordered([self.force])) > SHORT:
            return remedy
        if not any(leaf.kind == "coordinate" for leaf in symbols(self.force)):
            return f"no inertia resists the force {self.force!r} along ({names}): {remedy}"
        return (
            f"no inertia resists along ({names}), so the force along it must vanish: give {one} a mass, or add the "
            f"constraint {self.force!r} = 0"
        )


class Dependence(NamedTuple):
    """A constraint row that follows from others: row = Σ coefficient · other; `consistent` if b agrees.

    >>> x, y = zm.coordinates("x y")
    >>> constraints = {"equal": x - y, "twice": 2 * x - 2 * y}
    >>> zm.System(kinetic=zm.rate(x)**2 + zm.rate(y)**2, constraints=constraints).check().dependent
    (Dependence(row='twice', follows_from={'equal': 2.0}, consistent=True),)
    """

    row: str
    follows_from: dict[str, float]
    consistent: bool


@dataclass(frozen=True)
class Diagnosis:
    """What the rank of [M; A] and of A say about a model at a state; `print` it.

    >>> x, y = zm.coordinates("x y")
    >>> wheel = zm.System(kinetic=zm.rate(x)**2, coordinates=[x, y], constraints={"belt": y - 2 * x})
    >>> diagnosis = wheel.check()
    >>> diagnosis.unique, diagnosis.degrees_of_freedom, diagnosis.kinds
    (True, 1, {'belt': 'holonomic'})
    """

    verdict: Verdict
    coordinates: int
    rank: int
    margin: float
    degrees_of_freedom: int
    constraint_rank: int
    constraint_rows: int
    kinds: dict[str, str]
    undetermined: tuple[Undetermined, ...]
    dependent: tuple[Dependence, ...]
    inseparable: tuple[str, ...]
    lost: tuple[str, ...]
    light: str = ""
    relax: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of redundant constraints those of which one alone, without the rows listed, makes all forces determined."""

    @property
    def unique(self) -> bool:
        """Whether the model determines its acceleration."""
        return self.verdict is Verdict.UNIQUE

    @property
    def redundant(self) -> dict[str, tuple[str, ...]]:
        """{row: the rows it follows from} for the redundant constraints."""
        return {d.row: tuple(d.follows_from) for d in self.dependent if d.consistent}

    @property
    def contradictory(self) -> dict[str, tuple[str, ...]]:
        """{row: the rows it contradicts}."""
        return {d.row: tuple(d.follows_from) for d in self.dependent if not d.consistent}

    def __str__(self) -> str:
        lines = [
            f"motion: {self.verdict.value}",
            f"  rank of [M; A] is {self.rank} of {self.coordinates} coordinates (margin {self.margin:.1e}){self.light}",
            f"  {self.constraint_rows} constraint rows of rank {self.constraint_rank}; "
            f"{self.degrees_of_freedom} degrees of freedom",
        ]
        lines += [f"  {name}: {kind}" for name, kind in self.kinds.items()]
        for item in self.undetermined:
            motion = f" ({item.motion})" if item.spin or (item.motion and len(item.direction) > 1) else ""
            lines.append(f"  undetermined: acceleration of {listed(item.direction, 6)}{motion}; {item.remedy}")
        for item in self.dependent:
            others = ", ".join(f"'{name}'" for name in item.follows_from) or "nothing: its row of A is zero"
            word = "is redundant: it follows from" if item.consistent else "contradicts"
            lines.append(f"  '{item.row}' {word} {others}")
        if self.inseparable:
            lines.append(f"  reactions that are not determined one by one: {', '.join(self.inseparable)}")
        for name, rows in list(self.relax.items())[:MANY]:
            lines.append(f"  they can, if '{name}' is relaxed: without {listed(rows, 6)}")
        lines += [f"  {words}" for words in self.lost]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from zeromass.model.cards import diagnosis_card

        return diagnosis_card(self)


def diagnosis(system: System, state: State) -> Diagnosis:
    """The diagnosis at a state."""
    belonging(state, system)
    if system.large:
        sparse = later("zeromass.compile.rolled.checking", "large_diagnosis")
        found = sparse(system, state)
        if found is not None:
            return found
    M, _, A, _, _ = state.matrices
    motion = state.motion
    margin, light = _decision(M, A, motion.rank)
    rows = system.rows
    kinematic = [i for i, row in enumerate(rows) if row.level < 2]
    constraint = numerical_rank(A)
    return Diagnosis(
        verdict=motion.verdict,
        coordinates=len(M),
        rank=int(motion.rank.rank),
        margin=margin,
        degrees_of_freedom=len(M) - int(numerical_rank(A[kinematic]).rank),
        constraint_rank=int(constraint.rank),
        constraint_rows=len(rows),
        kinds=kinds(system, state),
        undetermined=undetermined(
            system.coordinates, system.parts, system.Q + system.nonideal.constant, state, motion.undetermined
        ),
        dependent=_dependences(system, A, motion),
        inseparable=_inseparable(system, A, constraint),
        lost=_lost(system, state, A),
        light=light,
        relax=relaxing(system, constraint),
    )


def _decision(M: np.ndarray, A: np.ndarray, rank: Rank) -> tuple[float, str]:
    """The margin of the rank of [M; A], and words where the masses of the motions that A allows decided it.

    See `freedom`: such a motion may have a mass too small to tell an acceleration though [M; A] seems of full rank.
    """
    if rank.margin >= 1.0:
        return float(rank.margin), ""
    _, d = mass_units(M, A)
    modes = freedom(M, numerical_rank(A, units=d), d, rank.tolerance).modes
    words = f": the constraints allow a motion that has less than {modes.tolerance:.0e} of the mass of its coordinates"
    return float(modes.margin), words


def undetermined(
    q: Array, parts: Sequence[Part], Q: Array, state: State, basis: np.ndarray
) -> tuple[Undetermined, ...]:
    """The null space of [M; A], reduced so that each direction moves as few coordinates as possible.

    q, Q  coordinates and forces on them; parts: those that these coordinates belong to
    """
    found = []
    for w in _echelon(basis.T):
        w = np.where(np.abs(w) < VISIBLE, 0.0, w / w[np.argmax(np.abs(w))])
        rounded = np.round(w)
        w = np.where(np.abs(w - rounded) < VISIBLE, rounded, w)
        direction = {x.name: float(value) for x, value in zip(q, w, strict=True) if value}
        force = expressions(w @ Q).item()
        found.append(Undetermined(direction, None if force is ZERO else force, *_motion(q, parts, state, w)))
    return tuple(found)


def _motion(q: Array, parts: Sequence[Part], state: State, w: np.ndarray) -> tuple[str, str]:
    """What moves and what turns along w, in words, and the spin of a body if that is all."""
    along = dict(zip(q, w, strict=True))
    words, spins = [], []
    for part in parts:
        own = [x in along for x in part.position]
        shift = np.array([along[x] for x in part.position]) if all(own) else state[jacobian(part.position, q)] @ w
        if np.abs(shift).max() > VISIBLE:
            words.append(f"{part.name} moves along {_axis(shift)}")
        turn = np.zeros(3)
        if isinstance(part, RigidBody) and not all(own):
            turn = state[jacobian(part.angular_velocity_body, rate(q))] @ w
        elif isinstance(part, RigidBody):
            turn = state[jacobian(part.angular_velocity_body, rate(part.quaternion))] @ [
                along[x] for x in part.quaternion
            ]
        if np.abs(turn).max() > VISIBLE:
            words.append(f"{part.name} turns about {_axis(turn)} of its own axes")
            spins.append(f"{part.name}.angular_velocity_body @ {_axis(turn)}")
    return ", ".join(words), spins[0] if len(words) == len(spins) == 1 else ""


def _axis(vector: np.ndarray) -> str:
    """The direction of a vector, its largest component 1."""
    numbers = vector / vector[np.argmax(np.abs(vector))]
    return f"({', '.join(f'{x:.4g}' for x in np.where(np.abs(numbers) < VISIBLE, 0.0, numbers))})"


def _dependences(system: System, A: np.ndarray, motion: Any) -> tuple[Dependence, ...]:
    found = []
    dependence = independent_rows(A)
    wrong = set(np.atleast_1d(motion.inconsistent).tolist())
    for i, coefficients in zip(dependence.dropped, dependence.coefficients, strict=True):
        sizes = np.abs(coefficients) * np.abs(A[dependence.kept]).max(axis=1, initial=0.0)
        visible = sizes > VISIBLE * max(np.abs(A[i]).max(), sizes.max(initial=0.0), np.finfo(float).tiny)
        others = {
            system.rows[k].name: float(c)
            for k, c, show in zip(dependence.kept, coefficients, visible, strict=True)
            if show
        }
        found.append(Dependence(system.rows[i].name, others, i not in wrong))
    return tuple(found)


def _inseparable(system: System, A: np.ndarray, rank: Rank) -> tuple[str, ...]:
    """Names of constraints whose reaction Aᵀλ changes along the multipliers' null space, in comparable units."""
    scaled = rank.row_scale[:, None] * A * rank.column_scale
    u = rank.scaled_left_null_space
    return tuple(name for name, g in _groups(system).items() if np.abs(scaled[g].T @ u[g]).max(initial=0.0) > VISIBLE)


def _lost(system: System, state: State, A: np.ndarray) -> tuple[str, ...]:
    """Constraints whose rows lose rank at just this state, compared with states nearby that satisfy them too."""
    groups = _groups(system)
    here = [int(numerical_rank(A[g]).rank) for g in groups.values()] + [int(numerical_rank(A).rank)]
    if here[-1] == len(A):
        return ()
    there = np.array(here)
    for other in states_nearby(system, state, spread=NEARBY, count=2):
        usual = other.matrices.A
        if np.all(np.isfinite(usual)):
            ranks = [int(numerical_rank(usual[g]).rank) for g in groups.values()] + [int(numerical_rank(usual).rank)]
            there = np.maximum(there, ranks)
    lost = [
        f"A has lost rank: '{name}' has {r} independent of {len(g)} rows at this state and {usual} nearby; "
        "its acceleration form has a lower rank here than nearby; start from a state away from it"
        for (name, g), r, usual in zip(groups.items(), here[:-1], there[:-1], strict=True)
        if r < usual
    ]
    if not lost and here[-1] < there[-1]:
        lost = [
            f"A has lost rank: the constraints have {here[-1]} independent rows at this state and {there[-1]} nearby; "
            "it is a singular configuration, start from a state away from it"
        ]
    return tuple(lost)


def _groups(system: System) -> dict[str, list[int]]:
    """Rows of each constraint, by its name."""
    groups: dict[str, list[int]] = {}
    for i, row in enumerate(system.rows):
        groups.setdefault(row.group, []).append(i)
    return groups


def _echelon(basis: np.ndarray) -> np.ndarray:
    """The same row space with as many zeros as Gauss–Jordan elimination with complete pivoting makes."""
    rows = np.array(basis, dtype=float)
    done: list[int] = []
    for i in range(len(rows)):
        rest = np.abs(rows[i:]).copy()
        rest[:, done] = 0.0
        r, j = np.unravel_index(np.argmax(rest), rest.shape)
        rows[[i, i + r]] = rows[[i + r, i]]
        rows[i] /= rows[i, j]
        for k in range(len(rows)):
            if k != i:
                rows[k] -= rows[k, j] * rows[i]
        done.append(int(j))
    return rows
