"""Consistent starts of large systems: Gauss–Newton steps with the same fronts.

Positions take the shortest step that satisfies the constraints, δ = −A⁺φ, until nothing is left of φ but rounding; rates
the change that an impulse of the constraints makes, in the metric of the kinetic energy. Mechanisms are assembled as small
ones are: from where their joints close to the prescribed values, in as few steps as lead there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.prescribed import asking
from zeromass.compile.rolled.program import can_roll
from zeromass.compile.rolled.structure import Structure
from zeromass.errors import StartError
from zeromass.expression import Expression, Symbol, symbols
from zeromass.expression.node import undisturbed
from zeromass.model import State, System
from zeromass.model.prescription import Prescription

TASKS = ("positions", "velocities")
"""What the constraints of a start are satisfied by, one after the other."""

ITERATIONS = 40
"""Gauss–Newton steps at most."""

HALVINGS = 12
"""Lengths of a step that are tried."""

ROUNDING = 4 * np.finfo(float).eps
"""What may be left of a constraint, as part of its slopes times the state, for no further step to be taken."""

ALLOWED = 256
"""Times that, which may be left where no step makes it less; more is a contradiction."""

NEAR = 12
"""Gauss–Newton steps in which a point on the way to prescribed values is reached."""

FINEST = 64
"""Parts into which that way is cut at most."""

NAMED = 4
"""Constraints that a message lists at most, and prescribed values."""

BESIDE = 1e-6
"""Part of the largest by which a constraint is off that is not worth a word."""


def solved_by_fronts(prescribed: Iterable[Expression]) -> bool:
    """Whether coordinates and rates alone are prescribed: what they are is then no part of the equations."""
    return all(isinstance(e, Symbol) for e in prescribed)


@undisturbed
def large_start(
    system: System,
    wishes: Mapping[Expression, float],
    t: float,
    values: dict[Symbol, float],
    usual: Mapping[Expression, float],
    made_of: Prescription,
) -> State | None:
    """A state on the constraints with prescribed values; None where these are no rows like others, or are not reached."""
    asked = asking(system, wishes) if can_roll(system) else None
    if asked is None:
        return None
    first = {**usual, **wishes}
    n = len(system.coordinates)
    y = np.array([first.get(x, 0.0) for x in [*system.coordinates, *system.rates]])
    fixed = np.array([x in wishes for x in [*system.coordinates, *system.rates]])
    numbers = np.array([values[p] for p in system.parameters], dtype=float)
    drawn = np.array([usual.get(x, 0.0) for x in system.coordinates])
    names: list[str] = []
    for level, task in enumerate(TASKS):
        if not asked[level].told(level):
            continue
        equations = LevelEquations(asked[level], task, t, y, numbers, fixed[level * n : (level + 1) * n])
        if level == 0 and system.joints and fixed[:n].any():
            equations.approach(drawn)
        try:
            y = equations.solution()
        except StartError:
            if solved_by_fronts(wishes):
                raise
            return None  # other ways are sought, and all that is wrong is told there
        names += [f"{equations.free} {('positions', 'rates')[level]}"] if equations.free else []
    return State(system, t, y[:n], y[n:], values, tuple(names), made_of=made_of)


class LevelEquations:
    """The constraints of a system at positions or at rates, for the unknowns that are not fixed."""

    system: System
    task: str
    t: float
    y: np.ndarray
    parameters: np.ndarray
    places: tuple[np.ndarray, np.ndarray]

    def __init__(
        self, system: System, task: str, t: float, y: np.ndarray, parameters: np.ndarray, fixed: np.ndarray
    ) -> None:
        self.system, self.task, self.t, self.y, self.parameters = system, task, t, y.copy(), parameters
        self.fixed: np.ndarray = fixed
        self.level: int = int(task == "velocities")
        self.structure: Structure = Structure(system, t, y, parameters, plain=True, tasks=(task,), fixed=fixed)
        self.machine: Machine = self.structure.machine(task, 1)
        self.places = self.structure.layout.right(task, self.structure.blocks, self.structure.at)
        self.asked: np.ndarray = np.ones(self.structure.count)
        unknowns = self.structure.coordinate_unknowns
        self.asked[unknowns] = ~fixed
        self._unknowns = unknowns
        self.asked[~self.structure.determined(self.level)] = 0.0
        self._vector = np.arange(len(fixed))
        """Of each coordinate, a number that it has in common with others of a place, or of a quaternion."""
        place = {x: j for j, x in enumerate(system.coordinates)}
        for part in system.parts:
            for vector in (part.coordinates[:3], part.coordinates[3:]):
                numbers = [place[x] for x in vector if x in place]
                self._vector[numbers] = min(numbers, default=0)

    @property
    def free(self) -> int:
        """How many unknowns constraints and prescriptions leave open."""
        kept = self.machine.masks
        rows = int(kept[self.structure.levels >= 0].sum() + kept[self.structure.own_unknowns].sum())
        return int((~self.fixed).sum()) - rows

    def _step(self, y: np.ndarray) -> np.ndarray:
        """The shortest step onto the constraints, of positions or rates."""
        self.machine.masks[:] = self.asked
        self.machine.masks[:] = self.machine.decide(self.t, y, self.parameters)
        n = len(y) // 2
        step, _ = self.machine(self.t, y, self.parameters, n)
        return np.where(self.fixed, 0.0, step[:, 0])

    def _off(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each equation is off by, and the rounding of that."""
        self.machine.only_elements(self.t, y, self.parameters)
        values = self.machine.values[:, 0]
        off = np.zeros(self.structure.count)
        told = self.told
        with np.errstate(invalid="ignore"):  # what is not finite is told by name
            np.add.at(off, self.places[0], values[self.places[1]])
            return off[told], ROUNDING * self._sizes(values, y)[told]

    @property
    def told(self) -> np.ndarray:
        """Unknowns that are multipliers of what is asked for."""
        rows = (self.structure.levels >= 0) & (self.structure.levels <= self.level)
        rows[self.structure.own_unknowns] = True
        return np.flatnonzero(rows)

    def _sizes(self, values: np.ndarray, y: np.ndarray) -> np.ndarray:
        """|A| |x| of each row; x as large as it was at first, as other components of a vector, and as rounding leaves it."""
        x = np.zeros(self.structure.count)
        n = len(self.y) // 2
        part = np.abs(np.stack([some[n:] if self.level else some[:n] for some in (self.y, y)])).max(axis=0)
        vectors = np.zeros(1 + int(self._vector.max(initial=0)))
        np.maximum.at(vectors, self._vector, part)
        x[self._unknowns] = np.maximum(vectors[self._vector], np.sqrt(np.finfo(float).eps) * part.max(initial=0.0))
        i, j, place = self.structure.entries
        sizes = np.zeros(self.structure.count)
        np.add.at(sizes, i, np.abs(values[place]) * x[j])
        np.add.at(sizes, j, np.abs(values[place]) * x[i])
        return np.maximum(sizes, np.finfo(float).tiny)

    def approach(self, drawn: np.ndarray) -> None:
        """Goes from the consistent positions nearest to the reference pose to near the fixed values, in small steps.

        The way is gone in one step, or in 2, 4, … ones; where none leads there, all stays as it is.
        """
        asked, n = self.y[: len(drawn)].copy(), len(drawn)
        begin = self.y.copy()
        begin[:n] = drawn
        held, self.asked[self._unknowns] = self.asked[self._unknowns], 1.0
        fixed, self.fixed = self.fixed, np.zeros(n, dtype=bool)
        begin, off, rounding = self._reached(begin, ITERATIONS)
        self.fixed, self.asked[self._unknowns] = fixed, held
        if not np.all(np.abs(off) <= ALLOWED * rounding):
            return
        first, parts = begin[:n][fixed], 1
        while parts <= FINEST:
            y = begin
            for k in range(1, parts + 1):
                y = y.copy()
                y[:n][fixed] = first + (asked[fixed] - first) * (k / parts)
                y, off, rounding = self._reached(y, NEAR)
                if not np.all(np.abs(off) <= ALLOWED * rounding):
                    break
            else:
                self.y = y
                return
            parts *= 2

    def solution(self) -> np.ndarray:
        """The state with these unknowns on the constraints."""
        y, off, rounding = self._reached(self.y, ITERATIONS)
        if not np.all(np.abs(off) <= ALLOWED * rounding):
            raise StartError(self._contradiction(off))
        self._step(y)  # so that what is left open is known
        return y

    def _reached(self, y: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The state that so many steps lead to, what its equations are off by, and the rounding of that."""
        n = len(y) // 2
        part = slice(n, 2 * n) if self.level else slice(0, n)
        off, rounding = self._off(y)
        for _ in range(steps):
            if np.all(np.abs(off) <= rounding):
                break
            step = self._step(y)
            if not np.all(np.isfinite(step)):
                break
            error, length = float(np.abs(off).max()), 1.0
            for _ in range(HALVINGS):
                new = y.copy()
                new[part] += length * step
                there, rounding = self._off(new)
                if float(np.abs(there).max()) < error:
                    break
                length /= 2
            else:
                break
            y, off = new, there
        return y, off, rounding

    def _contradiction(self, off: np.ndarray) -> str:
        s = self.structure
        rows = {int(u): s.system.rows[i] for i, u in zip(s.rows, s.row_unknowns, strict=True)}
        each = [rows.get(int(u)) for u in self.told]
        names = [
            "unit quaternion" if row is None else f"{'rate of ' * (row.level < self.level)}{row.name}" for row in each
        ]
        bad = np.flatnonzero(~np.isfinite(off))
        if len(bad):
            return (
                f"'{names[bad[0]]}' has no finite value at the prescribed values; prescribe others or give guess={{…}}"
            )
        worst = [k for k in np.argsort(-np.abs(off))[:NAMED] if abs(off[k]) > BESIDE * np.abs(off).max()]
        words = ", ".join(f"'{names[k]}' by {off[k]:.3g}" for k in worst)
        given = self._prescribed([row.zero for k in worst if (row := each[k]) is not None])
        what = "rates" if self.level else "positions"
        return (
            f"no {what} satisfy the constraints and what was prescribed{given}: from this guess they stay off, {words}; "
            "guess closer to a consistent state, or prescribe less"
        )

    def _prescribed(self, zeros: Sequence[Expression]) -> str:
        """What is fixed of the coordinates in some rows, or of their rates."""
        system, n = self.system, len(self.fixed)
        inside = {leaf.token for leaf in symbols(list(zeros)) if leaf.kind == "coordinate"}
        fixed = [j for j in np.flatnonzero(self.fixed) if system.coordinates[j].token in inside][:NAMED]
        told = [(system.rates if self.level else system.coordinates)[j] for j in fixed]
        values = [self.y[self.level * n + j] for j in fixed]
        return "".join(f", {x!r} = {value:.6g}" for x, value in zip(told, values, strict=True))
