"""What elements see of a part: formulas in which nothing else varies, evaluated with the part and not once in each joint.

Where the end of a body is, how a point of it accelerates as the body turns, the axis of a hinge: joints ask for it, and
share it with one another and with the equations of the part. Entries of the matrix that are such formulas stand with the
part, and no joint writes them again, nor terms of the right side; of other formulas a joint reads the pieces that it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zeromass.compile.rolled.elements import summands
from zeromass.compile.rolled.equations import Equations
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.template import fresh
from zeromass.compile.straight import operations
from zeromass.expression import Expression, Symbol, expressions, substitute
from zeromass.expression.build import ZERO, add
from zeromass.expression.node import ordered
from zeromass.expression.substitute import renewed

ALL = ""
"""In the place of a task: the matrix, which all tasks have."""

LEAST = 2
"""Operations of a piece that is worth reading."""

TERMS = 2
"""Terms that the right side of an element has at most: so many are added on the way."""

_OTHER = 1 << 60
"""Beside the bits of blocks: what an instance has of its own."""


class There(NamedTuple):
    """A formula that stands with a part: that of which of the blocks, in symbols of the first such part."""

    block: int
    formula: Expression


Term = Expression | There


@dataclass(eq=False)
class Sight:
    """Formulas of a kind as they are evaluated.

    terms  {task: {formula: what it is the sum of}}: formulas that are evaluated here, and those that stand with parts
    reads  {symbol in the first: what it stands for}
    """

    terms: dict[str, dict[Expression, list[Term]]]
    reads: dict[Symbol, There] = field(default_factory=dict)

    @property
    def blocks(self) -> list[int]:
        """Blocks at which anything is seen."""
        return sorted({there.block for there in [*self._direct(*self.terms), *self.reads.values()]})

    def own(self, *tasks: str) -> list[Expression]:
        """Formulas that are evaluated here, without constants, each once."""
        return list(dict.fromkeys(x for x in self._each(tasks) if not isinstance(x, There) and x.value is None))

    def read(self, *tasks: str) -> dict[Symbol, There]:
        """What formulas read."""
        present = set(ordered(self.own(*tasks)))
        return {symbol: there for symbol, there in self.reads.items() if symbol in present}

    def needed(self, *tasks: str) -> list[There]:
        """What is seen."""
        return [*self._direct(*tasks), *self.read(*tasks).values()]

    def _direct(self, *tasks: str) -> list[There]:
        return [x for x in self._each(tasks) if isinstance(x, There)]

    def _each(self, tasks: Iterable[str]) -> Iterable[Term]:
        return (x for task in tasks for terms in self.terms[task].values() for x in terms)


class Seen:
    """What is seen of parts, and how kinds make use of it, where that saves arithmetic.

    sights   of each kind
    owners   the kind of each block's part; −1 of blocks that have none
    numbers  {formula: its number among what is seen of parts}, by how many symbols these have, and by task
    """

    def __init__(self, kinds: Sequence[Kind], made: Sequence[dict[str, Equations]], tasks: Sequence[str]) -> None:
        self._kinds, self._tasks = kinds, (ALL, tasks[0])
        parts = [k for k, kind in enumerate(kinds) if kind.name == "part"]
        self._first = {len(kinds[k].groups[0]): kinds[k].groups[0] for k in reversed(parts)}
        self.owners: np.ndarray = np.full(1 + max((int(kinds[k].blocks.max()) for k in parts), default=0), -1)
        for k in parts:
            self.owners[kinds[k].blocks[:, 0]] = k
        self.sights: list[Sight] = [_plain(known, tasks) for known in made]
        self.asked: dict[int, dict[Expression, None]] = {k: {} for k in parts}
        cost = {k: self._cost(k, {}) for k in parts}
        others = [k for k, kind in enumerate(kinds) if kind.name != "part" and len(kind)]
        for k in sorted(others, key=lambda k: -len(kinds[k])):
            sight, count = self._sight(k), len(kinds[k])
            wanted = sight.needed(*sight.terms)
            if not wanted:
                continue
            asked = dict(self.asked)
            for there in wanted:
                for p in self._parts(k, there.block):
                    asked[p] = asked[p] | {there.formula: None}
            new = {p: self._cost(p, some) for p, some in asked.items() if len(some) > len(self.asked[p])}
            here = operations(sight.own(*self._tasks)) + len(sight.reads)
            before = operations(self.sights[k].own(*self._tasks))
            if count * here + sum(new[p] - cost[p] for p in new) < count * before:
                self.sights[k], self.asked, cost = sight, asked, cost | new
        self.numbers: dict[tuple[int, str], dict[Expression, int]] = {}
        for size in self._first:
            wanted = {task: self._wanted(size, task) for task in (ALL, *tasks)}
            for task, some in wanted.items():  # those of the matrix come first in every task
                self.numbers[size, task] = {x: i for i, x in enumerate(dict.fromkeys([*wanted[ALL], *some]))}

    def of(self, k: int, task: str) -> list[tuple[int, Expression]]:
        """(number, formula) of what is seen of the parts of a kind for a task."""
        wanted: dict[Expression, None] = {}
        for j, sight in enumerate(self.sights):
            for there in sight.needed(ALL, task):
                if k in self._parts(j, there.block):
                    wanted[there.formula] = None
        numbers = self.numbers[self._size(k), task]
        return [(numbers[x], e) for x, e in zip(wanted, self._told(k, wanted), strict=True)]

    def number(self, k: int, there: There, task: str) -> int:
        """Number of a formula that a kind sees."""
        return self.numbers[self._size(k, there.block), task][there.formula]

    def count(self, k: int) -> int:
        """How many formulas are seen of the parts of a kind, for one task at a time."""
        return max(len(some) for (size, _), some in self.numbers.items() if size == self._size(k))

    def _size(self, k: int, block: int = 0) -> int:
        return len(self._kinds[k].groups[block])

    def _wanted(self, size: int, task: str) -> list[Expression]:
        """What is seen of parts with so many symbols."""
        told = [(k, there) for k, sight in enumerate(self.sights) for there in sight.needed(task)]
        return [there.formula for k, there in told if self._size(k, there.block) == size]

    def _parts(self, k: int, block: int) -> list[int]:
        """Kinds of the parts in a block of a kind."""
        return np.unique(self.owners[self._kinds[k].blocks[:, block]]).tolist()

    def _told(self, k: int, formulas: Iterable[Expression]) -> list[Expression]:
        """Formulas in the symbols of a kind of parts."""
        group = self._kinds[k].groups[0]
        return _renamed(list(formulas), self._first[len(group)], group)

    def _cost(self, k: int, asked: Iterable[Expression]) -> int:
        told = self._told(k, asked)
        return len(self._kinds[k]) * (operations([*self.sights[k].own(*self._tasks), *told]) + len(told))

    def _sight(self, k: int) -> Sight:
        """The formulas of a kind as it would see them."""
        kind, plain = self._kinds[k], self.sights[k]
        masks = _Masks(self._bits(kind))

        def alone(e: Expression) -> bool:
            mask = masks[e]
            return bool(e.args) and mask != 0 and mask & (mask - 1) == 0 and mask != _OTHER

        def there(e: Expression) -> There:
            g = masks[e].bit_length() - 1
            return There(g, _renamed([e], kind.groups[g], self._first[len(kind.groups[g])])[0])

        terms = {task: {e: _terms(e, masks) if task else [e] for e in some} for task, some in plain.terms.items()}
        roots = [x for some in terms.values() for each in some.values() for x in each if not alone(x)]
        reads: dict[Symbol, There] = {}
        new: dict[Expression, Expression] = {}
        for node in ordered(roots):
            for a in node.args if node not in new and not alone(node) else ():
                while a.op == "negative":
                    a = a.args[0]
                if a not in new and alone(a) and operations([a]) >= LEAST:
                    symbol = fresh(f"s{len(reads)}", 0.0)
                    reads[symbol], new[a] = there(a), symbol
        for node in ordered(roots):
            if node not in new and any(a in new for a in node.args):
                new[node] = renewed(node, [new.get(a, a) for a in node.args])
        seen: dict[str, dict[Expression, list[Term]]] = {
            task: {e: [there(x) if alone(x) else new.get(x, x) for x in each] for e, each in some.items()}
            for task, some in terms.items()
        }
        return Sight(seen, reads)

    def _bits(self, kind: Kind) -> dict[Expression, int]:
        """A bit of each symbol for its block."""
        bits: dict[Expression, int] = dict.fromkeys((*kind.constants, *kind.own), _OTHER)
        for g, group in enumerate(kind.groups):
            b = kind.blocks[:, g]
            has = b.max() < len(self.owners) and self.owners[b].min() >= 0 and len(group) in self._first
            bits |= dict.fromkeys(group, 1 << g if has else _OTHER)
        return bits


def _plain(made: Mapping[str, Equations], tasks: Sequence[str]) -> Sight:
    """Formulas of a kind that sees nothing."""
    formulas = {ALL: [e for *_, e in made[tasks[0]].matrix]} | {
        task: [e for _, e in made[task].right] for task in tasks
    }
    return Sight({task: {e: [e] for e in some} for task, some in formulas.items()})


class _Masks(dict[Expression, int]):
    """On which blocks formulas depend, by bits."""

    def __missing__(self, e: Expression) -> int:
        for node in ordered([e]):
            if node not in self:
                mask = 0
                for a in node.args:
                    mask |= self[a]
                self[node] = mask
        return self[e]


def _terms(e: Expression, masks: _Masks) -> list[Expression]:
    """What a formula is the sum of: the terms of each block, if there are not too many; what has no block is with others."""
    by: dict[int, Expression] = {}
    for x in summands(e, lambda x: masks[x] & (masks[x] - 1) != 0):
        by[masks[x]] = add(by.get(masks[x], ZERO), x)
    if 0 in by and len(by) > 1:
        alone = by.pop(0)
        first = next(iter(by))
        by[first] = add(by[first], alone)
    return list(by.values()) if len(by) <= TERMS else [e]


def _renamed(formulas: list[Expression], old: Sequence[Symbol], new: Sequence[Symbol]) -> list[Expression]:
    if list(old) == list(new) or not formulas:
        return formulas
    return substitute(expressions(formulas), dict(zip(old, new, strict=True))).tolist()
