"""What a large system is like at a state: where mass is missing, which constraints a part alone holds, which repeat others.

From these numbers follow the weights that take the place of missing mass, the order of elimination, and the rows that are
left out. They are locked: machine code for motions and corrections is made with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from zeromass.codegen.target import Target, host
from zeromass.compile.rolled.element_matrices import ElementMatrices
from zeromass.compile.rolled.elements import Elements
from zeromass.compile.rolled.equations import weighted
from zeromass.compile.rolled.fronts import Tables, tables
from zeromass.compile.rolled.kinds import Kind, kinds_of
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.loops import FLOOR
from zeromass.compile.rolled.machine import Machine, Within
from zeromass.compile.rolled.order import elimination_order
from zeromass.compile.rolled.template import fresh
from zeromass.compile.rolled.tiles import arranged
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.model import State, System


class Structure:
    """Order, tables and locked decisions of a system, in coordinates as they are or by angular accelerations.

    fixed    coordinates that are not solved for; dropped: rows that are left out, where that is decided already
    fronts  blocks in the order of elimination, those together that are eliminated together
    at      number of the first unknown of each block
    masks   1 for unknowns that are solved for, 0 for multipliers of rows that follow from others
    levels  of each unknown: −1, or the level of the row whose multiplier it is; in starts that of what it says of places
    """

    def __init__(
        self,
        system: System,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        *,
        plain: bool = False,
        tasks: Sequence[str] = ("motion", "positions", "velocities"),
        fixed: np.ndarray | None = None,
        dropped: Sequence[int] | None = None,
    ) -> None:
        self.system: System = system
        self.plain: bool = plain
        self.tasks: tuple[str, ...] = tuple(tasks)
        self.elements: Elements = elements_of(system)
        starts = [block.first for block in self.elements.blocks]
        self.firsts: np.ndarray = np.array([*starts, len(system.coordinates)])
        self.kinds: list[Kind] = kinds_of(self.elements, plain=plain)
        self.blocks: Blocks = Blocks(self.elements, self.kinds, plain)
        self.layout: Layout = Layout(self.kinds, self.tasks)
        blocks, matrices = self.blocks, self._matrices(t, y, self._held(parameters))
        carried = self._order(matrices, fixed)
        order = [b for some in self.fronts for b in some]
        arranged(self.layout, blocks, order)
        self.at: np.ndarray = np.empty(len(order), dtype=np.int64)
        self.at[order] = np.cumsum([0, *[blocks.sizes[b] for b in order[:-1]]])
        self.count: int = int(sum(blocks.sizes))
        first = self.layout.size + 3 * self.count
        entries = self.layout.matrix(blocks, self.at)
        net = sum(len(some) > 1 for some in blocks.held) > blocks.parts
        self.tables: Tables = tables(
            self.fronts, blocks.sizes, blocks.coordinates, entries, 0, first, self.layout.regions, net=net, seldom=plain
        )
        self.levels: np.ndarray = np.full(self.count, -1)
        told = np.flatnonzero(blocks.multiplier[:, 0] >= 0)
        self.rows: np.ndarray = told
        self.row_unknowns: np.ndarray = self.at[blocks.multiplier[told, 0]] + blocks.multiplier[told, 1]
        levels = np.array([0 if plain and row.placed else row.level for row in system.rows])
        self.levels[self.row_unknowns] = levels[told]
        self._needs: np.ndarray = self.levels.copy()
        """Of each unknown, the level of the rows that determine it; −1 if it needs none."""
        lowest = matrices.levels
        for b in carried:
            self._needs[self.at[b]] = lowest[b]
        self.entries: np.ndarray = np.stack([np.concatenate(x) for x in zip(*entries, strict=True)])
        self.masks: np.ndarray = np.ones(self.count)
        if fixed is not None:
            self.masks[self.coordinate_unknowns] = ~fixed
        deciding = self.machine(self.tasks[0], 1)
        asked = self.masks
        self.masks = deciding.decide(t, y, parameters)
        if dropped is not None:  # the rank is locked
            self.masks[self.row_unknowns] = ~np.isin(self.rows, np.array(dropped, dtype=int))
        lost = (self.masks == 0) & (asked == 1) & (self.levels < 0)
        self._without: np.ndarray = np.array(
            [bool(lost[a : a + n].any()) for a, n in zip(self.at[: blocks.parts], blocks.coordinates, strict=False)]
        )

    def _matrices(self, t: float, y: np.ndarray, parameters: np.ndarray) -> ElementMatrices:
        machine = Machine(self.layout, self.blocks, self.tasks[0], host().scalar, self.firsts)
        machine(t, y, parameters, len(y))
        return ElementMatrices(self.elements, self.layout, self.blocks, machine)

    def _order(self, matrices: ElementMatrices, fixed: np.ndarray | None) -> set[int]:
        """Finds the order of elimination and weighs rows where mass is missing; blocks without mass that need no weights.

        These are coordinates without a part that follow the multipliers of their joint, from which they get inertia.
        """
        blocks, light, weighed = self.blocks, matrices.light, set[int]()
        mixed = {b for b in range(blocks.parts) if blocks.coordinates[b] < blocks.sizes[b]}
        while True:
            coupled = [some for kind in self.kinds if kind.coupled for some in kind.blocks.tolist()]
            strong, moved = matrices.pivots(light | {b for some in coupled for b in some} | self._partly(fixed))
            self.fronts: list[list[int]] = elimination_order(
                blocks.sizes, blocks.parts, blocks.held, coupled, strong, light, mixed, moved
            )
            place = {b: k for k, b in enumerate(b for some in self.fronts for b in some)}
            carried = light & {b for m, b in moved if place[blocks.parts + m] < place[b]}
            if not (without := light - weighed - carried):
                return carried - weighed
            weighed |= without
            self.kinds = kinds_of(self.elements, plain=self.plain)
            self._weigh(matrices, weighed)
            self.layout = Layout(self.kinds, self.tasks)

    def _partly(self, fixed: np.ndarray | None) -> set[int]:
        """Blocks with coordinates that are not solved for: alone they need not make the pivots of a joint."""
        if fixed is None:
            return set()
        return set((np.searchsorted(self.firsts[:-1], np.flatnonzero(fixed), side="right") - 1).tolist())

    def _held(self, parameters: np.ndarray) -> np.ndarray:
        """Parameters with which all rows hold that may."""
        holding = set(self.elements.holding.values())
        return np.where([p in holding for p in self.system.parameters], 1.0, parameters) if holding else parameters

    def determined(self, level: int) -> np.ndarray:
        """Which unknowns rows up to a level determine: their multipliers, and coordinates with inertia from them."""
        return self._needs <= level

    def machine(
        self,
        task: str,
        lanes: int,
        *,
        shared: bool = False,
        told: bool = False,
        target: Target | None = None,
        within: Within | None = None,
    ) -> Machine:
        """Machine code of a task.

        shared  nobody asks for its values, so that tiles may share memory where that pays
        told    whether multipliers follow the accelerations
        target  this machine, if no other; within: where its tables and its code stand
        """
        masks = self.masks
        if task != "motion" and not self.plain:
            masks = masks * self.determined(int(task == "velocities"))
        return Machine(
            self.layout,
            self.blocks,
            task,
            (target or host()).lanes(lanes),
            self.firsts,
            at=self.at,
            tables=self.tables,
            masks=masks,
            shared=shared and lanes > 1,
            narrow=not told,
            told=np.stack([self.row_unknowns, len(self.system.coordinates) + self.rows], axis=1) if told else None,
            within=within,
        )

    @property
    def dropped(self) -> list[int]:
        """Rows that follow from others, at motions."""
        return self.rows[self.masks[self.row_unknowns] == 0].tolist()

    @cached_property
    def coordinate_unknowns(self) -> np.ndarray:
        """The unknown of each coordinate, where each stands for itself."""
        found = np.empty(len(self.system.coordinates), dtype=np.int64)
        for b, block in enumerate(self.elements.blocks):
            n = len(block.coordinates)
            found[block.first : block.first + n] = self.at[b] + np.arange(n)
        return found

    @cached_property
    def own_unknowns(self) -> np.ndarray:
        """Multipliers that parts have themselves."""
        sizes, coordinates = self.blocks.sizes, self.blocks.coordinates
        found = [self.at[b] + np.arange(coordinates[b], sizes[b]) for b in range(self.blocks.parts)]
        return np.concatenate(found).astype(np.int64)

    @property
    def operations(self) -> int:
        """Operations of one evaluation, about: of the formulas of elements, and of products in fronts."""
        from zeromass.compile.straight import operations

        formulas = sum(
            operations([e for _, e in place.results(self.tasks[0])]) * len(kind)
            for kind, place in zip(self.kinds, self.layout.places, strict=True)
        )
        return int(formulas + 2 * self.tables.products)

    @property
    def undetermined(self) -> list[str]:
        """Names of coordinates that neither mass nor constraints determine."""
        found = []
        for b in np.flatnonzero(self._without).tolist():
            found += [x.name for x in self.elements.blocks[b].coordinates]
        return found

    def missing(self, machine: Machine, task: str, state: State) -> tuple[np.ndarray, list[str]]:
        """What constraints are off by at a state, at positions or rates, with their names."""
        y = np.concatenate([state.q, state.v])
        machine(state.t, y, _values(state), len(y))
        unknown, place = self.layout.right(task, self.blocks, self.at)
        total = np.zeros(self.count)
        np.add.at(total, unknown, machine.values[place, 0])
        level = int(task == "velocities")
        picked = self.levels[self.row_unknowns] <= level
        names = [self.system.rows[i].name for i in self.rows[picked]]
        off = [total[self.row_unknowns[picked]]]
        for i, b in self.elements.absorbed.items():
            first = self.elements.blocks[b].first + 3
            u, v = state.q[first : first + 4], state.v[first : first + 4]
            off.append(np.array([u @ v if level else (u @ u - 1) / 2]))
            names.append(self.system.rows[i].name)
        return np.concatenate(off), names

    def residual(self, machine: Machine, state: State) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """Slopes at a state, the growth, and of each row what it is off by and the sizes of its terms."""
        y = np.concatenate([state.q, state.v])
        slopes, growth = machine(state.t, y, _values(state), len(y))
        left, sizes = (machine.values[machine.unknowns + k * self.count + self.row_unknowns, 0] for k in (1, 2))
        return slopes[:, 0], float(growth[0]), left, sizes

    def unheld(self, state: State) -> np.ndarray:
        """Of each row, the sizes of its terms if no row held anything; 0 where mass is missing then."""
        machine = self.machine("motion", 1)
        machine.masks[self.row_unknowns] = 0.0
        sizes = self.residual(machine, state)[3]
        return np.where(np.isfinite(sizes), sizes, 0.0)

    def contradicting(self, state: State, left: np.ndarray, sizes: np.ndarray) -> list[str]:
        """Names of rows that accelerations at a state leave off by too much; `sizes`: those of their terms."""
        if not self.dropped:  # rows that are independent contradict nothing
            return []
        sizes = sizes + FLOOR * np.maximum(sizes, self.unheld(state)).max(initial=0.0)
        against = self.rows[~negligible(left, sizes, np.sqrt(CONSISTENCY_TOLERANCE))]
        return [state.system.rows[i].name for i in against]

    def not_finite(self, machine: Machine) -> list[str]:
        """Names of parts and constraints with entries that are not finite, at the last evaluation."""
        found: list[str] = []
        for kind, entries in zip(self.kinds, self.layout.entries(machine.task), strict=True):
            bad = ~np.isfinite(machine.values[entries, 0]).all(axis=0)
            for k in np.flatnonzero(bad).tolist():
                if kind.rows.shape[1]:
                    found.append(self.system.rows[kind.rows[k, 0]].name)
                else:
                    block = self.elements.blocks[kind.blocks[k, 0]]
                    found.append(block.part.name if block.part is not None else block.coordinates[0].name)
        return found

    def _weigh(self, matrices: ElementMatrices, light: set[int]) -> None:
        """Rows that hold a part without mass take part in the matrix, each with a weight."""
        for k, kind in enumerate(self.kinds):
            if kind.name != "rows":
                continue
            touching = np.asarray(np.isin(kind.blocks, list(light)).any(axis=1))
            if not touching.any():
                continue
            count = kind.rows.shape[1]
            weights = [fresh(f"d{r}", 1.0) for r in range(count)]
            values = np.where(touching[:, None], matrices.weights(k), 0.0)
            kind.add_weights(weights, values, weighted)


def elements_of(system: System) -> Elements:
    """The elements of a system, found once."""
    if "elements" not in system.memory:
        system.memory["elements"] = Elements(system)
    return system.memory["elements"]


def _values(state: State) -> np.ndarray:
    return np.array([state.parameters[p] for p in state.system.parameters], dtype=float)
