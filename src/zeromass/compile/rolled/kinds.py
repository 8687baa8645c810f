"""Kinds of elements: parts, constraints and forces of equal structure, whose equations are derived once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zeromass.compile.rolled.alike import Alike, Split, alike, together
from zeromass.compile.rolled.elements import OWN, Acting, Block, Body, Elements, Kinetic, Rows, masses, numbers
from zeromass.compile.rolled.equations import Equations, of_force, of_nothing, of_part, of_rows, optional
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

    def told(element: Body) -> tuple[Any, ...]:
        mass, *inertia = masses(element.part)
        return len(inertia), mass is ZERO, all(e is ZERO for e in inertia)

    for known in _alike(elements, "parts", elements.bodies, roots, told)[plain]:
        mass, *rest = known.formulas
        part, count = known.members[0].part, len(rest) - len(elements.gravity)
        part = part.like(mass, numbers(rest[:count]).reshape(3, 3)) if count else Particle(part.name, mass)
        gravity = numbers(rest[count:]) if elements.gravity else None
        yield Kind(
            "part",
            _groups([Block(part, tuple(part.coordinates), 0)]),
            known.symbols,
            np.array([element.blocks for element in known.members]),
            np.empty((len(known.members), 0), dtype=int),
            known.values,
            lambda task, part=part, gravity=gravity: of_part(part, gravity, task, plain),
            **_own(elements, known.members),
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
    rows, held = elements.system.rows, elements.holding

    def said(i: int) -> list[Expression | None]:
        return [rows[i].zero, rows[i].place, held.get(i)]

    def told(element: Rows) -> tuple[Any, ...]:
        levels = tuple((rows[i].level, rows[i].place is None, i in held) for i in element.rows)
        return levels, _types(elements, element.blocks)

    def roots(element: Rows) -> list[Expression]:
        return [e for i in element.rows for e in said(i) if e is not None]

    def split(known: Alike, *, starts: bool, whole: bool = False) -> Iterator[Alike]:
        """Rows one by one, or all together; places are for starts alone."""
        formulas, count = iter(known.formulas), len(known.members[0].rows)
        said_ = [[None if e is None else next(formulas) for e in said(i)] for i in known.members[0].rows]
        for some in [range(count)] if whole else [range(r, r + 1) for r in range(count)]:
            picked = [e for r in some for k, e in enumerate(said_[r]) if e is not None and (starts or k != 1)]
            members = [element._replace(rows=tuple(element.rows[r] for r in some)) for element in known.members]
            levels, types = known.told
            levels = tuple((levels[r][0], levels[r][1] or not starts, levels[r][2]) for r in some)
            yield known._replace(members=members, formulas=picked, told=(levels, types))

    for known in _alike(elements, "rows", elements.rows, roots, told, split)[plain]:
        one, each = known.members[0], iter(known.formulas)
        placed = len(known.formulas) == len(roots(one))
        new, holds = [], {}
        for r, i in enumerate(one.rows):
            zero, place, hold = said(i)
            zero, place = next(each), next(each) if place is not None and placed else None
            new.append(rows[i]._replace(zero=zero, place=place))
            if hold is not None:
                holds[r] = next(each)
        blocks = [elements.blocks[b] for b in one.blocks]
        yield Kind(
            "rows",
            _groups(blocks),
            known.symbols,
            np.array([element.blocks for element in known.members]),
            np.array([element.rows for element in known.members]),
            known.values,
            lambda task, new=new, blocks=blocks, holds=holds: optional(of_rows(new, blocks, task, plain), holds),
            **_own(elements, known.members),
        )


# forces --------------------------------------------------------------------------------------------------------------
def _forces(elements: Elements, plain: bool) -> Iterator[Kind]:
    def roots(element: Acting) -> list[Expression]:
        return formulas_in(element.load if isinstance(element.load, Expression) else vars(element.load))

    def told(element: Acting) -> tuple[Any, ...]:
        load = element.load
        names = () if isinstance(load, Expression) else (type(load), *vars(load))
        return names, _types(elements, element.blocks)

    for members, formulas, columns, values, _ in _alike(elements, "acting", elements.acting, roots, told)[plain]:
        one = members[0]
        load = with_formulas(one.load, iter(formulas))
        blocks = [elements.blocks[b] for b in one.blocks]
        yield Kind(
            "force",
            _groups(blocks),
            columns,
            np.array([element.blocks for element in members]).reshape(len(members), -1),
            np.empty((len(members), 0), dtype=int),
            values,
            lambda task, load=load, blocks=blocks: of_force(load, blocks, task, plain),
            coupled=isinstance(load, Kinetic) and len(blocks) > 1,
            **_own(elements, members),
        )


# both ----------------------------------------------------------------------------------------------------------------
def _own(elements: Elements, members: Sequence[Rows | Acting | Body]) -> dict[str, Any]:
    """Parameters of which each instance of a kind has its own, as the first has them, and their places in each."""
    picks = OWN - np.array([element.own for element in members], dtype=int).reshape(len(members), -1)
    return {"own": [elements.system.parameters[j] for j in picks[0].tolist()], "picks": picks}


def _types(elements: Elements, blocks: Sequence[int]) -> tuple[Any, ...]:
    return tuple(type(elements.blocks[b].part).__name__ for b in blocks)


def _alike(
    elements: Elements,
    name: str,
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
    split: Split = together,
) -> dict[bool, list[Alike]]:
    """Elements that share kernels, found once: for motions, and for starts."""
    if name not in elements.alike:
        parts = [block.part for block in elements.blocks]
        elements.alike[name] = alike(elements.where, members, roots, told, parts, split)
    return elements.alike[name]
