"""Kinds of elements: parts, constraints and forces of equal structure, whose equations are derived once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zeromass.compile.rolled.elements import OWN, Acting, Block, Elements, Kinetic, Rows, numbers
from zeromass.compile.rolled.equations import Equations, of_force, of_nothing, of_part, of_rows, optional
from zeromass.compile.rolled.signature import Signature, alike, fresh, lifted
from zeromass.expression import Expression, Symbol, rate
from zeromass.expression.build import ZERO
from zeromass.model import Particle, RigidBody
from zeromass.model.large import formulas_in, with_formulas
from zeromass.model.parts import Part


@dataclass(eq=False)
class Kind:
    """Elements of one structure.

    name       "part", "rows" or "force"
    groups     symbols of each of its blocks, coordinates and then rates, as its formulas have them
    constants  symbols of the numbers that differ between its instances
    blocks     of each instance, shape (instances, blocks)
    rows       of each instance, those of constraints, shape (instances, rows)
    values     of the constants, shape (instances, constants)
    own        symbols of parameters of which each instance has its own
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
    found: dict[Any, list[int]] = defaultdict(list)
    for b, block in enumerate(elements.blocks):
        if block.part is not None:
            found[_likeness(block.part)].append(b)
    for members in found.values():
        parts = [elements.blocks[b].part for b in members]
        table = np.array([[_number(e) for e in _masses(part)] for part in parts])
        varying = np.flatnonzero((table != table[0]).any(axis=0))
        made: dict[Any, Symbol] = {}
        lift: dict[int, Symbol] = {}
        for k in varying.tolist():  # equal entries of one body are one symbol
            lift[k] = made.setdefault(_masses(parts[0])[k], fresh(f"m{k}", float(table[0, k])))
        columns = [min(k for k, s in lift.items() if s is one) for one in made.values()]
        part = _like(parts[0], lift)
        yield Kind(
            "part",
            _groups([Block(part, tuple(part.coordinates), 0)]),
            list(made.values()),
            np.array(members)[:, None],
            np.empty((len(members), 0), dtype=int),
            table[:, columns].reshape(len(members), -1),
            lambda task, part=part: of_part(part, elements.system._free.gravity, task, plain),  # type: ignore[attr-defined]
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


def _masses(part: Part | None) -> list[Expression]:
    assert part is not None
    return [part.mass, *(part.inertia.ravel() if isinstance(part, RigidBody) else [])]


def _number(e: Expression) -> float:
    return 0.0 if e.value is None else e.value


def _likeness(part: Part) -> tuple[Any, ...]:
    """Equal for parts that differ in numbers alone: which of their masses vanish, are equal, or are formulas."""
    masses = _masses(part)
    first = {e: k for k, e in reversed(list(enumerate(masses)))}
    return (
        isinstance(part, RigidBody),
        *[e if e.value is None else ("zero" if e is ZERO else first[e]) for e in masses],
    )


def _like(part: Part | None, lift: dict[int, Symbol]) -> Part:
    """A part of the same likeness with symbols for some of its masses, and coordinates of its own."""
    masses = [lift.get(k, e) for k, e in enumerate(_masses(part))]
    assert part is not None
    if isinstance(part, RigidBody):
        return part.like(masses[0], numbers(masses[1:]).reshape(3, 3))
    return Particle(part.name, masses[0])


# constraints ---------------------------------------------------------------------------------------------------------
def _constraints(elements: Elements, plain: bool) -> Iterator[Kind]:
    rows = elements.system.rows

    def roots(element: Rows) -> list[Expression]:
        held = elements.holding
        return [e for i in element.rows for e in (rows[i].zero, rows[i].place, held.get(i)) if e is not None]

    def told(element: Rows) -> tuple[Any, ...]:
        levels = tuple((rows[i].level, rows[i].place is None, i in elements.holding) for i in element.rows)
        return levels, _types(elements, element.blocks)

    for members, lift, columns, values in _alike(elements, "rows", elements.rows, roots, told):
        one = members[0]
        formulas = iter(lifted(roots(one), lift, elements.where, (*one.blocks, *one.own)))
        new, held = [], {}
        for r, i in enumerate(one.rows):
            zero, place = next(formulas), None if rows[i].place is None else next(formulas)
            new.append(rows[i]._replace(zero=zero, place=place))
            if i in elements.holding:
                held[r] = next(formulas)
        blocks = [elements.blocks[b] for b in one.blocks]
        yield Kind(
            "rows",
            _groups(blocks),
            columns,
            np.array([element.blocks for element in members]),
            np.array([element.rows for element in members]),
            values,
            lambda task, new=new, blocks=blocks, held=held: optional(of_rows(new, blocks, task, plain), held),
            **_own(elements, members),
        )


# forces --------------------------------------------------------------------------------------------------------------
def _forces(elements: Elements, plain: bool) -> Iterator[Kind]:
    def roots(element: Acting) -> list[Expression]:
        return formulas_in(element.load if isinstance(element.load, Expression) else vars(element.load))

    def told(element: Acting) -> tuple[Any, ...]:
        load = element.load
        names = () if isinstance(load, Expression) else (type(load), *vars(load))
        return names, _types(elements, element.blocks)

    for members, lift, columns, values in _alike(elements, "acting", elements.acting, roots, told):
        one = members[0]
        formulas = iter(lifted(roots(one), lift, elements.where, (*one.blocks, *one.own)))
        load = with_formulas(one.load, formulas)
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
def _own(elements: Elements, members: Sequence[Rows | Acting]) -> dict[str, Any]:
    """Parameters of which each instance of a kind has its own, as the first has them, and their places in each."""
    picks = OWN - np.array([element.own for element in members], dtype=int).reshape(len(members), -1)
    return {"own": [elements.system.parameters[j] for j in picks[0].tolist()], "picks": picks}


def _types(elements: Elements, blocks: Sequence[int]) -> tuple[Any, ...]:
    return tuple(type(elements.blocks[b].part).__name__ for b in blocks)


Alike = tuple[list[Any], dict[int, Symbol], list[Symbol], np.ndarray]
"""Members, {place in the list of numbers: symbol}, the symbols, and their values."""


def _alike(
    elements: Elements,
    name: str,
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
) -> list[Alike]:
    """Elements of equal structure, found once."""
    if name not in elements.alike:
        elements.alike[name] = list(grouped(elements.where, members, roots, told))
    return elements.alike[name]


def grouped(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
) -> Iterator[Alike]:
    """Elements of equal structure: their symbols are known by their places in blocks, `where`, and their own parameters."""
    found: dict[Any, list[tuple[Any, Signature]]] = defaultdict(list)
    asked = [(told(element), roots(element), (*element.blocks, *element.own)) for element in members]
    for element, (told_, _, _), known in zip(members, asked, alike(asked, where), strict=True):
        found[told_, known.code].append((element, known))
    for some in found.values():
        table = np.array([known.numbers for _, known in some]).reshape(len(some), -1)
        varying = np.flatnonzero((table != table[0]).any(axis=0)).tolist()
        distinct = {}
        for k in varying:  # numbers that are equal in every instance are one
            distinct.setdefault(table[:, k].tobytes(), []).append(k)
        symbols = [fresh(f"c{places[0]}", float(table[0, places[0]])) for places in distinct.values()]
        lift = {k: one for one, places in zip(symbols, distinct.values(), strict=True) for k in places}
        values = table[:, [places[0] for places in distinct.values()]].reshape(len(some), -1)
        yield [element for element, _ in some], lift, symbols, values
