"""What a large system consists of: parts with their energies, rows of constraints, forces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, Symbol, expressions, symbols, t
from zeromass.model import Part, Particle, RigidBody, System
from zeromass.model.constraint import Row
from zeromass.model.forces import Load
from zeromass.model.lagrange import motion_of
from zeromass.model.large import Given, formulas_in
from zeromass.model.unconstrained import given_field

OTHERS = -1
"""The block that time is in."""

OWN = -2
"""The block of the first parameter. Each parameter is a block: elements share a kernel whatever their parameters are."""


class Block(NamedTuple):
    """Coordinates that belong together: those of a part, or one that belongs to none.

    part         None of a coordinate alone
    coordinates  its symbols
    first        place of the first of them in q; they follow one another
    """

    part: Part | None
    coordinates: tuple[Symbol, ...]
    first: int


class Rows(NamedTuple):
    """Rows of one constraint that depend on the same blocks, by their numbers.

    own  the blocks of their parameters
    """

    rows: tuple[int, ...]
    blocks: tuple[int, ...]
    own: tuple[int, ...] = ()


class Kinetic:
    """A kinetic energy beside those of the parts, of coordinates that belong to none: of rotors in the joints of a robot."""

    def __init__(self, energy: Expression) -> None:
        self.energy: Expression = energy

    def generalized(self, q: Array) -> Array:
        """What it adds to Q, beside M q̈."""
        return motion_of(self.energy, q)[1]


class Body(NamedTuple):
    """A part with its energies, and its block."""

    part: Part
    blocks: tuple[int, ...]
    own: tuple[int, ...] = ()


class Acting(NamedTuple):
    """A force, or an energy beside those of the parts, and the blocks that it depends on."""

    load: Load | Expression | Kinetic
    blocks: tuple[int, ...]
    own: tuple[int, ...] = ()


class Elements:
    """The blocks of a system and what acts on them and between them."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.kernel_groups: dict[str, Any] = {}
        """Groups that share a kernel, for motions and for starts; see `kinds_of`."""
        self.kinds: dict[bool, list[Any]] = {}
        """Their kinds, for starts and for motions."""
        free = system._free
        assert isinstance(free, Given)
        place = {x.token: j for j, x in enumerate(system.coordinates)}
        self.blocks: list[Block] = [
            Block(part, tuple(part.coordinates), place[part.coordinates[0].token])
            for part in system.parts
            if len(part.coordinates)  # others stand still, see `unsupported`
        ]
        owned = {x.token for block in self.blocks for x in block.coordinates}
        self.blocks += [Block(None, (x,), place[x.token]) for x in system.coordinates if x.token not in owned]
        self.where: dict[str, tuple[int, int]] = {
            x.token: (b, j) for b, block in enumerate(self.blocks) for j, x in enumerate(block.coordinates)
        }
        self.where[t.token] = OTHERS, 0
        self.where |= {x.token: (OWN - j, 0) for j, x in enumerate(system.parameters)}
        self.holding: dict[int, Symbol] = free.holding
        own = {zero for part in system.parts for zero in _unit(part)}
        self.absorbed: dict[int, int] = {}
        """Rows of unit quaternions, {row: block}: bodies turn by their angular accelerations, and need none."""
        self.rows: list[Rows] = list(self._rows(system.rows, own))
        self.gravity: list[Expression] = [] if free.gravity is None else list(given_field(free.gravity))
        self.bodies: list[Body] = [
            Body(block.part, (b,), self._own_of([*masses(block.part), *self.gravity]))
            for b, block in enumerate(self.blocks)
            if block.part is not None
        ]
        energies = [(Kinetic(e), [e]) for e in summands(free.extra[0])] + [(e, [e]) for e in summands(free.extra[1])]
        acting = [*[(load, formulas_in(vars(load))) for load in system.loads], *energies]
        self.acting: list[Acting] = [
            Acting(load, blocks, self._own_of(formulas))
            for load, formulas in acting
            if (blocks := self._blocks_of(formulas))  # nothing else acts on anything
        ]

    def _rows(self, rows: Sequence[Row], own: set[Expression]) -> Any:
        grouped: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for i, row in enumerate(rows):
            blocks = self._blocks_of([row.zero, *([] if row.place is None else [row.place])])
            if row.zero in own:
                self.absorbed[i] = blocks[0]
            else:
                grouped.setdefault((row.group, blocks), []).append(i)
        for (_, blocks), numbers in grouped.items():
            held = [self.holding[i] for i in numbers if i in self.holding]
            yield Rows(tuple(numbers), blocks, self._own_of([*[rows[i].zero for i in numbers], *held]))

    def _own_of(self, formulas: Sequence[Expression]) -> tuple[int, ...]:
        """The blocks of the parameters in formulas."""
        found = {self.where[leaf.token][0] for leaf in symbols(list(formulas)) if leaf.kind == "parameter"}
        return tuple(sorted((b for b in found if b <= OWN), reverse=True))

    def _blocks_of(self, formulas: Sequence[Expression]) -> tuple[int, ...]:
        found = {self.where[leaf.token][0] for leaf in symbols(list(formulas)) if leaf.kind == "coordinate"}
        return tuple(sorted(found))


def masses(part: Part) -> list[Expression]:
    """Mass and inertia of a part."""
    return [part.mass, *(part.inertia.ravel() if isinstance(part, RigidBody) else [])]


def unsupported(system: System) -> str | None:
    """Why the code of a system can not be rolled, in words; None if it can."""
    free = system._free
    if not isinstance(free, Given):
        return "it is not made of many parts"
    beside = [] if free.extra[0] is None else symbols(free.extra[0])
    if beside and not {x.token for part in system.parts for x in part.coordinates}.isdisjoint(x.token for x in beside):
        return "it has a kinetic energy of its parts' coordinates beside theirs"
    strange = [part for part in system.parts if not isinstance(part, Particle | RigidBody)]
    if strange:
        return f"'{strange[0].name}' is no particle and no rigid body"
    carried = [part for part in system.parts if not len(part.coordinates) and symbols(part.position, part.kinetic)]
    if carried:
        return f"'{carried[0].name}' has no coordinates of its own and moves with others"
    if system.pieces is not None and system.pieces.switches and not system.pieces.in_forces:
        return "formulas other than those of forces have kinks or jumps"
    if system.events or system.contacts:
        return "its mode of motion changes"
    return None


def _unit(part: Part) -> list[Expression]:
    """What the length of a body's quaternion leaves."""
    given = part.constraints.values() if isinstance(part, RigidBody) else ()
    return [zero for value in given for zero in expressions(value).ravel()]


def summands(e: Expression | None, within: Callable[[Expression], bool] = lambda e: True) -> list[Expression]:
    """The terms of a sum, numbers among them; within: which sums are taken apart."""
    from zeromass.expression.build import negative

    found: list[Expression] = []
    waiting = [] if e is None else [(e, False)]
    while waiting:
        x, minus = waiting.pop()
        if x.op in ("add", "subtract") and within(x):
            waiting += [(x.args[1], minus != (x.op == "subtract")), (x.args[0], minus)]
        elif x.op == "negative" and within(x):
            waiting.append((x.args[0], not minus))
        else:
            found.append(negative(x) if minus else x)
    return found


def numbers(symbols_: Sequence[Any]) -> np.ndarray:
    """An object array of symbols."""
    result = np.empty(len(symbols_), dtype=object)
    result[:] = symbols_
    return result
