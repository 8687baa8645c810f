"""Kinds of elements: parts, constraints and forces of equal structure, whose equations are derived once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zeromass.compile.rolled.elements import OWN, Acting, Block, Body, Elements, Kinetic, Rows, masses, numbers
from zeromass.compile.rolled.equations import Equations, of_force, of_nothing, of_part, of_rows, optional
from zeromass.compile.rolled.kernel_groups import KernelGroup, Split, kernel_groups, unsplit
from zeromass.expression import Expression, Symbol, rate
from zeromass.expression.build import ZERO
from zeromass.model import Particle
from zeromass.model.large import formulas_in, with_formulas


@dataclass(eq=False)
class Kind:
    """Elements of one structure.

    name       "part", "rows" or "force"
    groups     symbols of each of its blocks, coordinates and then rates, as its formulas have them
    constants  symbols of the numbers that differ between its instances
    blocks     of each instance, shape (instances, blocks)
    rows       of each instance, those of constraints, shape (instances, rows)
    values     of the constants, shape (instances, constants)
    own        symbols of the parameters that it depends on
    picks      places of these among the parameters, shape (instances, own)
    equations  derived for a task; see `Equations`
    """

    name: str
    groups: list[list[Symbol]]
    constants: list[Symbol]
    blocks: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    derive: Callable[[str], Equations] = field(repr=False)
    _known: dict[str, Equations] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.blocks)

    coupled: bool = False
    """Whether its blocks have entries with one another."""
    own: list[Symbol] = field(default_factory=list)
    picks: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=int))

    def __post_init__(self) -> None:
        if not self.own:
            self.picks = np.empty((len(self), 0), dtype=int)

    def add_weights(self, weights: list[Symbol], values: np.ndarray, change: Callable[..., Equations]) -> None:
        """Gives its rows weights in the matrix, further constants of each instance."""
        plain = self.derive
        self.derive = lambda task: change(plain(task), weights)
        self.constants = [*self.constants, *weights]
        self.values = np.concatenate([self.values, values], axis=1)
        self.coupled = True
        self._known.clear()

    def again(self) -> Kind:
        """The same for another order or other weights, with equations that are derived once."""
        some = self.groups, self.constants, self.blocks, self.rows, self.values
        return Kind(self.name, *some, self.equations, coupled=self.coupled, own=self.own, picks=self.picks)

    def arrange(self, order: np.ndarray) -> None:
        """Puts its instances into another order."""
        self.blocks, self.rows, self.values = self.blocks[order], self.rows[order], self.values[order]
        self.picks = self.picks[order]

    def equations(self, task: str) -> Equations:
        """For "motion", "positions" or "velocities"."""
        if task not in self._known:
            self._known[task] = self.derive(task)
        return self._known[task]


def kinds_of(elements: Elements, *, plain: bool) -> list[Kind]:
    """The kinds of a system, parts first; in coordinates as they are, or with bodies by their angular accelerations."""
    if plain not in elements.kinds:
        parts = *_parts(elements, plain), *_loose(elements, plain)
        elements.kinds[plain] = [*parts, *_constraints(elements, plain), *_forces(elements, plain)]
    return [kind.again() for kind in elements.kinds[plain]]


def _groups(blocks: Sequence[Block]) -> list[list[Symbol]]:
    return [[*block.coordinates, *rate(numbers(block.coordinates))] for block in blocks]


# parts ---------------------------------------------------------------------------------------------------------------
def _parts(elements: Elements, plain: bool) -> Iterator[Kind]:
    def roots(element: Body) -> list[Expression]:
        return [*masses(element.part), *elements.gravity]

    def key(element: Body) -> tuple[Any, ...]:
        mass, *inertia = masses(element.part)
        return len(inertia), mass is ZERO, all(e is ZERO for e in inertia)

    for group in _kernel_groups(elements, "parts", elements.bodies, roots, key)[plain]:
        mass, *rest = group.formulas
        part, count = group.members[0].part, len(rest) - len(elements.gravity)
        part = part.like(mass, numbers(rest[:count]).reshape(3, 3)) if count else Particle(part.name, mass)
        gravity = numbers(rest[count:]) if elements.gravity else None
        yield Kind(
            "part",
            _groups([Block(part, tuple(part.coordinates), 0)]),
            group.symbols,
            np.array([element.blocks for element in group.members]),
            np.empty((len(group.members), 0), dtype=int),
            group.values,
            lambda task, part=part, gravity=gravity: of_part(part, gravity, task, plain),
            **_own(elements, group.members),
        )


def _loose(elements: Elements, plain: bool) -> Iterator[Kind]:
    """Coordinates that belong to no part."""
    members = [b for b, block in enumerate(elements.blocks) if block.part is None]
    if members:
        yield Kind(
            "part",
            _groups([elements.blocks[members[0]]]),
            [],
            np.array(members)[:, None],
            np.empty((len(members), 0), dtype=int),
            np.empty((len(members), 0)),
            lambda task: of_nothing(task, plain),
        )


# constraints ---------------------------------------------------------------------------------------------------------
def _constraints(elements: Elements, plain: bool) -> Iterator[Kind]:
    rows, holding = elements.system.rows, elements.holding

    def formulas_of(i: int) -> tuple[Expression | None, ...]:
        return rows[i].zero, rows[i].place, holding.get(i)

    def roots(element: Rows) -> list[Expression]:
        return [e for i in element.rows for e in formulas_of(i) if e is not None]

    def key(element: Rows) -> tuple[Any, ...]:
        levels = tuple((rows[i].level, rows[i].place is None, i in holding) for i in element.rows)
        return levels, _types(elements, element.blocks)

    def split(group: KernelGroup, *, starts: bool, whole: bool = False) -> Iterator[KernelGroup]:
        """Groups of single rows, or with `whole` of all rows. Only starts need the places."""
        given, first, (levels, types) = iter(group.formulas), group.members[0].rows, group.key
        known = [[None if e is None else next(given) for e in formulas_of(i)] for i in first]
        for some in [range(len(first))] if whole else [range(r, r + 1) for r in range(len(first))]:
            yield group._replace(
                members=[element._replace(rows=tuple(element.rows[r] for r in some)) for element in group.members],
                formulas=[e for r in some for k, e in enumerate(known[r]) if e is not None and (starts or k != 1)],
                key=(tuple((levels[r][0], levels[r][1] or not starts, levels[r][2]) for r in some), types),
            )

    for group in _kernel_groups(elements, "rows", elements.rows, roots, key, split)[plain]:
        one, given = group.members[0], iter(group.formulas)
        placed = len(group.formulas) == len(roots(one))
        new, holds = [], {}
        for r, i in enumerate(one.rows):
            _, place, hold = formulas_of(i)
            new.append(rows[i]._replace(zero=next(given), place=next(given) if placed and place is not None else None))
            if hold is not None:
                holds[r] = next(given)
        blocks = [elements.blocks[b] for b in one.blocks]
        yield Kind(
            "rows",
            _groups(blocks),
            group.symbols,
            np.array([element.blocks for element in group.members]),
            np.array([element.rows for element in group.members]),
            group.values,
            lambda task, new=new, blocks=blocks, holds=holds: optional(of_rows(new, blocks, task, plain), holds),
            **_own(elements, group.members),
        )


# forces --------------------------------------------------------------------------------------------------------------
def _forces(elements: Elements, plain: bool) -> Iterator[Kind]:
    def roots(element: Acting) -> list[Expression]:
        return formulas_in(element.load if isinstance(element.load, Expression) else vars(element.load))

    def key(element: Acting) -> tuple[Any, ...]:
        load = element.load
        names = () if isinstance(load, Expression) else (type(load), *vars(load))
        return names, _types(elements, element.blocks)

    for group in _kernel_groups(elements, "acting", elements.acting, roots, key)[plain]:
        one, members = group.members[0], group.members
        load = with_formulas(one.load, iter(group.formulas))
        blocks = [elements.blocks[b] for b in one.blocks]
        yield Kind(
            "force",
            _groups(blocks),
            group.symbols,
            np.array([element.blocks for element in members]).reshape(len(members), -1),
            np.empty((len(members), 0), dtype=int),
            group.values,
            lambda task, load=load, blocks=blocks: of_force(load, blocks, task, plain),
            coupled=isinstance(load, Kinetic) and len(blocks) > 1,
            **_own(elements, members),
        )


# all of them ---------------------------------------------------------------------------------------------------------
def _own(elements: Elements, members: Sequence[Rows | Acting | Body]) -> dict[str, Any]:
    """The parameters of the first instance of a kind, and the places of those of each instance among all parameters."""
    picks = OWN - np.array([element.own for element in members], dtype=int).reshape(len(members), -1)
    return {"own": [elements.system.parameters[j] for j in picks[0].tolist()], "picks": picks}


def _types(elements: Elements, blocks: Sequence[int]) -> tuple[Any, ...]:
    return tuple(type(elements.blocks[b].part).__name__ for b in blocks)


def _kernel_groups(
    elements: Elements,
    name: str,
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    key: Callable[[Any], tuple[Any, ...]],
    split: Split = unsplit,
) -> dict[bool, list[KernelGroup]]:
    """The kernel groups of elements for motions and for starts, found once."""
    if name not in elements.kernel_groups:
        parts = [block.part for block in elements.blocks]
        elements.kernel_groups[name] = kernel_groups(elements.where, members, roots, key, parts, split)
    return elements.kernel_groups[name]
