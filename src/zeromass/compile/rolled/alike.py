"""Elements that one kernel is for.

    joints of one type ─► built alike: with their points and axes along the same axes of bodies
                        ─► row by row, of one affine form: with any points and axes, which are data

The first is the better code, the second less of it. Which one a system gets follows from the operations that are to be
compiled, and from how many elements share them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

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

WORTH = 200
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


Split = Callable[[Alike, bool], Iterable[Alike]]
"""What elements that are built alike may be taken apart into, for motions and for starts."""


def alike(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    told: Callable[[Any], tuple[Any, ...]],
    parts: Sequence[Part | None],
    split: Split = lambda known, starts: [known],
) -> dict[bool, list[Alike]]:
    """Elements that share kernels, for motions and for starts.

    where  block and place of a symbol, by its token
    roots  formulas of an element; told: what else must be equal of elements
    parts  of the blocks
    """
    known, made = _built_alike(where, members, roots, told), dict[bool, _Found]()
    if len(known) > 1:
        made = _of_forms(known, where, parts, split)
    return {starts: _cheaper(known, made.get(starts, {})) for starts in (False, True)}


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


_Found = dict[Any, list[tuple[list[Any], list[Form], np.ndarray]]]
"""Elements by the codes of their forms: some of them, the forms of the first, and the numbers of each."""


def _of_forms(
    known: Sequence[Alike], where: Mapping[str, tuple[int, int]], parts: Sequence[Part | None], split: Split
) -> dict[bool, _Found]:
    found: dict[bool, _Found] = {starts: defaultdict(list) for starts in (False, True)}
    features = Features(parts)
    for whole in known:
        one = whole.members[0]
        forms = Forms(features, where, (*one.blocks, *one.own), whole.symbols).of(whole.formulas)
        for starts, some in [(asked, some) for asked in found for some in split(whole, asked)]:
            each = [forms[e] for e in some.formulas]
            numbers = [e for f in each for e in f.numbers]
            if whole.symbols:
                table = Evaluator(expressions(numbers), whole.symbols)(whole.values)
            else:
                table = np.tile(numbers, (len(some.members), 1))  # type: ignore[arg-type]
            found[starts][(some.told, *[f.code for f in each])].append((some.members, each, table))
    return found


def _cheaper(known: list[Alike], found: _Found) -> list[Alike]:
    """Elements of equal forms with one kernel, or those that are built alike, whichever costs less."""
    result = []
    for (told, *_), some in found.items():
        numbers, symbols, values = _constants(np.concatenate([table for *_, table in some]))
        rest, members = iter(numbers), [element for one, *_ in some for element in one]
        result.append(Alike(members, [f.formula(rest) for f in some[0][1]], symbols, values, told))
    most = sum(one.cost for one in result) / CHEAPER
    less = any(cost > most for cost in accumulate(one.cost for one in known))
    return result if result and less else known
