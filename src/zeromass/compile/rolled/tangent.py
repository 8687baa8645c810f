"""Tangents of large systems: how accelerations change along a direction of state and parameters, by the same kinds.

    K z = r,   K δz = δr − δK z      z the accelerations of parts and the multipliers

The right side is that of elements again, r − K z of each with its own z held fixed, differentiated along (δq, δq̇, δp). So
the tangent of a system is one more task of its kinds, with more numbers in their blocks: positions and then rates,

    q, δq, z | q̇, δq̇, w       of parts
    multipliers | w           of rows

w are further numbers, one for each unknown, of tasks that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from zeromass.codegen.target import host
from zeromass.compile.rolled.equations import ROWS, Equations, Unknown
from zeromass.compile.rolled.fronts import tables
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.layout import Layout
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.template import fresh
from zeromass.expression import Expression, Symbol, directional, expressions
from zeromass.expression.build import ZERO

Symbols = dict[Unknown, Symbol]
"""Symbols of the unknowns of an element."""

Derived = Callable[[Equations, dict[Symbol, Symbol], Symbols], Equations]
"""Equations of another task from those of the motion: with symbols of what varies, and of the unknowns of an element."""


class Moved(NamedTuple):
    """Numbers that are brought to the blocks of a tangent: where they are, and where they go."""

    source: np.ndarray
    place: np.ndarray


class Extended:
    """Another task of a structure: kinds with more numbers in their blocks, where these stand, and machines.

    task, derived  its name, and what makes its equations from those of the motion

    size         positions in the blocks; as many rates follow
    coordinates  the place of each coordinate; that of its rate is `size` later, as is that of δq̇ after `varied`
    varied       the place of δq of each coordinate
    solved       where unknowns of the motion go, from their places among these
    """

    def __init__(self, structure: Structure, task: str, derived: Derived) -> None:
        self.structure: Structure = structure
        self.task: str = task
        self._derived = derived
        blocks, elements = structure.blocks, structure.elements
        n = len(structure.system.coordinates)
        self.coordinates: np.ndarray = np.empty(n, dtype=np.int64)
        self.varied: np.ndarray = np.empty(n, dtype=np.int64)
        sources, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        firsts, end = np.zeros(len(blocks.sizes), dtype=np.int64), 0
        for b, block in enumerate(elements.blocks):
            own, unknowns = len(block.coordinates), blocks.coordinates[b]
            firsts[b] = end
            mine = slice(block.first, block.first + own)
            self.coordinates[mine] = end + np.arange(own)
            self.varied[mine] = end + own + np.arange(own)
            sources.append(structure.at[b] + np.arange(unknowns))
            places.append(end + 2 * own + np.arange(unknowns))
            end += 2 * own + unknowns
        more: list[np.ndarray] = []
        self.symbols: list[tuple[dict[Symbol, Symbol], Symbols, Symbols]] = []
        """Of each kind: what varies, and z and w of its unknowns."""
        self.kinds: list[Kind] = []
        for kind in structure.kinds:
            pseudo = len(firsts) + sum(map(len, more)) if kind.rows.shape[1] else None
            self.kinds.append(self._kind(kind, pseudo))
            if pseudo is not None:  # each instance finds its multipliers in a block of their own
                count = kind.rows.shape[1]
                b, inside = blocks.multiplier[kind.rows[:, 0]].T
                first = end + count * np.arange(len(kind))
                more.append(first)
                sources.append(((structure.at[b] + inside)[:, None] + np.arange(count)).ravel())
                places.append((first[:, None] + np.arange(count)).ravel())
                end += count * len(kind)
        self.size: int = end
        self.firsts: np.ndarray = np.concatenate([firsts, *more, [end]])
        self.solved: Moved = Moved(np.concatenate(sources), np.concatenate(places))
        self._layout = Layout(self.kinds, (task,))
        first = self._layout.size + 3 * structure.count
        entries, regions = self._layout.matrix(blocks, structure.at), self._layout.regions
        self._tables = tables(structure.fronts, blocks.sizes, blocks.coordinates, entries, 0, first, regions)
        self._at: np.ndarray = np.concatenate([structure.at, np.zeros(sum(map(len, more)), dtype=np.int64)])

    def machine(self, lanes: int) -> Machine:
        """Machine code of the task from blocks, time and (p, δp): of δq̈, at the places of coordinates."""
        return Machine(
            self._layout,
            self.structure.blocks,
            self.task,
            host().lanes(lanes),
            self.firsts,
            at=self._at,
            tables=self._tables,
            masks=self.structure.masks,
        )

    def _kind(self, kind: Kind, pseudo: int | None) -> Kind:
        """A kind with what varies in its blocks, and with the equations of the task."""
        groups, z, w = [], {}, {}
        changes = [fresh(f"δ{p.name}", 0.0) for p in kind.own]
        vary: dict[Symbol, Symbol] = dict(zip(kind.own, changes, strict=True))
        for g, group in enumerate(kind.groups):
            half = len(group) // 2
            unknowns = self.structure.blocks.coordinates[kind.blocks[0, g]]
            δ = [fresh(f"δ{g} {i}", 0.0) for i in range(len(group))]
            x = [fresh(f"x{g} {i}", 0.0) for i in range(unknowns)]
            idle = [fresh(f"o{g} {i}", 0.0) for i in range(unknowns)]
            groups.append([*group[:half], *δ[:half], *x, *group[half:], *δ[half:], *idle])
            vary.update(zip(group, δ, strict=True))
            z.update({(g, i): s for i, s in enumerate(x)})
            w.update({(g, i): s for i, s in enumerate(idle)})
        blocks = kind.blocks
        if pseudo is not None:
            count = kind.rows.shape[1]
            x, idle = ([fresh(f"{name} {i}", 0.0) for i in range(count)] for name in ("λ", "o"))
            groups.append([*x, *idle])
            z.update({(ROWS, i): s for i, s in enumerate(x)})
            w.update({(ROWS, i): s for i, s in enumerate(idle)})
            blocks = np.column_stack([blocks, pseudo + np.arange(len(kind))])
        self.symbols.append((vary, z, w))
        return Kind(
            kind.name,
            groups,
            kind.constants,
            blocks,
            kind.rows,
            kind.values,
            lambda task, kind=kind, vary=vary, z=z: self._derived(kind.equations("motion"), vary, z),
            coupled=kind.coupled,
            own=[*kind.own, *changes],
            picks=np.concatenate([kind.picks, len(self.structure.system.parameters) + kind.picks], axis=1),
        )


def tangent_of(structure: Structure) -> Extended:
    """The tangent of a structure, derived once."""
    known = vars(structure)
    if "tangent" not in known:
        known["tangent"] = Extended(structure, "tangent", varied)
    return known["tangent"]


def varied(motion: Equations, vary: Mapping[Symbol, Expression], z: dict[Unknown, Symbol]) -> Equations:
    """The tangent of the equations of an element, its part of z held fixed."""
    left = motion.left(z)
    right = zip(left, directional(expressions(list(left.values())), vary), strict=True) if left else ()
    spread: list[Expression] = []
    change = tuple(fresh(f"δ{s.name}", 0.0) for s in motion.unknown)
    if motion.unknown:
        x = {s: z[0, i] for i, s in enumerate(motion.unknown)}
        along = directional(expressions(list(motion.spread)), {**vary, **dict(zip(x, change, strict=True))})
        spread = list(_with(along, x))
    return Equations(motion.matrix, [(u, e) for u, e in right if e is not ZERO], motion.levels, change, tuple(spread))


def _with(formulas: np.ndarray, values: dict[Symbol, Symbol]) -> np.ndarray:
    from zeromass.expression import substitute

    return expressions(substitute(formulas, values))
