"""Elements that one kernel is for.

    joints of one type ─► built alike: with their points and axes along the same axes of bodies
                        ─► row by row, of one affine form: with any points and axes, which are data

The first is the better code, the second less of it. Which one a system gets follows from the operations that are to be
compiled, and from how many elements share them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np

from zeromass.compile.rolled.affine import Features, Form, Forms
from zeromass.compile.rolled.likeness import Likeness, fresh
from zeromass.compile.straight import operations
from zeromass.expression import Evaluator, Expression, Symbol, expressions
from zeromass.expression.build import constant
from zeromass.model.parts import Part

SOME = 4
"""Elements that others are compared with, at most, of those of which as much else is equal."""

KERNEL = 50
"""Operations whose code takes as long to make as what comes with every kernel."""

WORTH = 500
"""Instances that take as long to evaluate, in a run of usual length, as it takes to compile the code for one of them."""

CHEAPER = 0.7
"""Part of the cost of separate kernels below which elements with other constants share one."""


class Alike(NamedTuple):
    """Elements that one kernel is for: its formulas, the symbols of constants in them, and their values in each.

    told  what else is equal of them
    """

    members: list[Any]
    formulas: list[Expression]
    symbols: list[Symbol]
    values: np.ndarray
    told: Any

    @property
    def cost(self) -> float:
        """Of its code and of evaluating it, in operations that are compiled."""
        return (KERNEL + operations(self.formulas)) * (1 + len(self.members) / WORTH)


class Split(Protocol):
    """Elements that are built alike, for motions or for starts, whole or taken apart."""

    def __call__(self, known: Alike, *, starts: bool, whole: bool = False) -> Iterable[Alike]: ...


def together(known: Alike, *, starts: bool, whole: bool = False) -> list[Alike]:
    """Elements that are not taken apart."""
    return [known]


def alike(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
    parts: Sequence[Part | None],
    split: Split = together,
) -> dict[bool, list[Alike]]:
    """Elements that share kernels, for motions and for starts.

    where  block and place of a symbol, by its token
    roots  formulas of an element; told: what else must be equal of elements
    parts  of the blocks
    """
    known = _built_alike(where, members, roots, told)
    if len(known) < 2:
        return dict.fromkeys((False, True), known)
    features = Features(parts)
    forms = [Numbered(one, features, where) for one in known]
    return {starts: _cheapest(known, forms, partial(split, starts=starts)) for starts in (False, True)}


def _built_alike(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
) -> list[Alike]:
    found: dict[Any, list[tuple[Likeness, list[Any], list[list[float]]]]] = defaultdict(list)
    others: list[Alike] = []
    for element in members:
        key, formulas, blocks = told(element), roots(element), (*element.blocks, *element.own)
        for likeness, some, table in found[key]:
            if (numbers := likeness.numbers(formulas, blocks)) is not None:
                some.append(element)
                table.append(numbers)
                break
        else:
            if len(found[key]) < SOME:
                likeness = Likeness(formulas, where, blocks)
                found[key].append((likeness, [element], [likeness.numbers(formulas, blocks) or []]))
            else:
                others.append(Alike([element], formulas, [], np.empty((1, 0)), key))
    result = []
    for key, each in found.items():
        for likeness, some, table in each:
            numbers, symbols, values = _constants(np.array(table).reshape(len(some), -1))
            result.append(Alike(some, likeness.formulas(numbers), symbols, values, key))
    return result + others


def _constants(table: np.ndarray) -> tuple[list[Expression], list[Symbol], np.ndarray]:
    """Numbers of instances, shape (instances, numbers): what stands for each in formulas, its symbols, and their values.

    A number that is equal in every instance stands for itself, and two that are have one symbol.
    """
    distinct: dict[bytes, int] = {}
    numbers: list[Expression] = []
    symbols: list[Symbol] = []
    columns: list[int] = []
    varies = (table != table[0]).any(axis=0).tolist()
    for k, column in enumerate(table.T):
        if not varies[k]:
            numbers.append(constant(column[0]))
            continue
        place = distinct.setdefault(column.tobytes(), len(distinct))
        if place == len(symbols):
            symbols.append(fresh(f"c{k}", float(column[0])))
            columns.append(k)
        numbers.append(symbols[place])
    return numbers, symbols, table[:, columns]


class Numbered:
    """The forms of formulas that are built alike, and of each the numbers of all elements, shape (elements, numbers)."""

    def __init__(self, some: Alike, features: Features, where: Mapping[str, tuple[int, int]]) -> None:
        one = some.members[0]
        known = Forms(features, where, (*one.blocks, *one.own), some.symbols).of(some.formulas)
        self.forms: dict[Expression, Form] = {e: known[e] for e in some.formulas}
        self.numbers: dict[Expression, np.ndarray] = {}
        each = {e: list(f.numbers) for e, f in self.forms.items()}
        if some.symbols:
            all_ = Evaluator(expressions([x for numbers in each.values() for x in numbers]), some.symbols)(some.values)
            ends = np.cumsum([len(numbers) for numbers in each.values()])[:-1]
            self.numbers = dict(zip(each, np.split(all_, ends, axis=1), strict=True))
        else:
            self.numbers = {e: np.tile(numbers, (len(some.members), 1)) for e, numbers in each.items()}  # type: ignore[arg-type]


def _merged(pieces: Iterable[tuple[Numbered, Alike]]) -> list[Alike]:
    """Elements of equal forms, or rows of them."""
    found: dict[Any, list[tuple[Numbered, Alike]]] = defaultdict(list)
    for of, some in pieces:
        found[(some.told, *[of.forms[e].code for e in some.formulas])].append((of, some))
    result = []
    for each in found.values():
        of, first = each[0]
        table = [np.concatenate([one.numbers[e] for e in some.formulas], axis=1) for one, some in each]
        numbers, symbols, values = _constants(np.concatenate(table))
        rest, members = iter(numbers), [element for _, some in each for element in some.members]
        result.append(Alike(members, [of.forms[e].formula(rest) for e in first.formulas], symbols, values, first.told))
    return result


def _cheapest(known: list[Alike], forms: Sequence[Numbered], split: Callable[..., Iterable[Alike]]) -> list[Alike]:
    """A kernel for all that are built alike, or for those of equal forms, whole or row by row, if that costs far less."""
    both = list(zip(forms, known, strict=True))
    ways = [_merged((of, some) for of, one in both for some in split(one, whole=whole)) for whole in (True, False)]
    costs = [sum(one.cost for one in way) for way in ways]
    most = min(costs) / CHEAPER
    less = any(cost > most for cost in accumulate(one.cost for one in known))
    return ways[int(np.argmin(costs))] if less else known
