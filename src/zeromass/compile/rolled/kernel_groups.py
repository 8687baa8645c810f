"""Groups of elements that share a kernel.

    joints of one type ─► equal templates: points and axes stand along the same axes of the bodies
                        ─► equal affine forms, row by row: any points and axes, which are data

The kernels of templates are faster; those of affine forms are fewer. The choice minimizes the operations to compile, where
the evaluation of an instance counts as a fraction of the compilation of its kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np

from zeromass.compile.rolled.affine import AffineForm, BodyFeatures, FormBuilder
from zeromass.compile.rolled.template import Template, fresh
from zeromass.compile.straight import operations
from zeromass.expression import Evaluator, Expression, Symbol, expressions
from zeromass.expression.build import constant
from zeromass.model.parts import Part

MOST_TEMPLATES = 4
"""Templates for elements of one key. Elements that match none of them have a group each until forms are compared."""

KERNEL = 50
"""Cost of compiling an empty kernel, in operations."""

INSTANCES = 500
"""Instances whose evaluation, in a run of usual length, takes as long as the compilation of their kernel."""

CHEAPER = 0.7
"""Groups of equal forms replace those of equal templates below this fraction of their cost."""


class KernelGroup(NamedTuple):
    """Elements that share a kernel: its formulas, the symbols of the constants in them, and their values for each element.

    key  what besides the structure of the formulas is equal of all elements
    """

    members: list[Any]
    formulas: list[Expression]
    symbols: list[Symbol]
    values: np.ndarray
    key: Any

    @property
    def cost(self) -> float:
        """Of compiling the kernel and of evaluating its instances, in operations to compile."""
        return (KERNEL + operations(self.formulas)) * (1 + len(self.members) / INSTANCES)


class Split(Protocol):
    """Splits a group into groups of rows, for motions or for starts; or, with `whole`, only drops formulas without use."""

    def __call__(self, group: KernelGroup, *, starts: bool, whole: bool = False) -> Iterable[KernelGroup]: ...


def unsplit(group: KernelGroup, *, starts: bool, whole: bool = False) -> list[KernelGroup]:
    """The group itself, of elements without rows."""
    return [group]


def kernel_groups(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    key: Callable[[Any], tuple[Any, ...]],
    parts: Sequence[Part | None],
    split: Split = unsplit,
) -> dict[bool, list[KernelGroup]]:
    """Groups of elements that share a kernel, {starts: groups}: for motions and for starts.

    where  block and place of a symbol, by its token
    roots  formulas of an element
    key    what besides the structure of the formulas must be equal of elements in a group
    parts  of the blocks
    """
    groups = _equal_templates(where, members, roots, key)
    if len(groups) < 2:
        return dict.fromkeys((False, True), groups)
    features = BodyFeatures(parts)
    forms = [_Forms(group, features, where) for group in groups]
    return {starts: _cheapest(groups, forms, partial(split, starts=starts)) for starts in (False, True)}


def _equal_templates(
    where: Mapping[str, tuple[int, int]],
    members: Sequence[Any],
    roots: Callable[[Any], list[Expression]],
    key: Callable[[Any], tuple[Any, ...]],
) -> list[KernelGroup]:
    found: dict[Any, list[tuple[Template, list[Any], list[list[float]]]]] = defaultdict(list)
    unmatched: list[KernelGroup] = []
    for element in members:
        of, formulas, blocks = key(element), roots(element), (*element.blocks, *element.own)
        for template, matched, table in found[of]:
            if (data := template.match(formulas, blocks)) is not None:
                matched.append(element)
                table.append(data)
                break
        else:
            if len(found[of]) < MOST_TEMPLATES:
                template = Template(formulas, where, blocks)
                found[of].append((template, [element], [template.match(formulas, blocks) or []]))
            else:
                unmatched.append(KernelGroup([element], formulas, [], np.empty((1, 0)), of))
    groups = []
    for of, each in found.items():
        for template, matched, table in each:
            data, symbols, values = _constants(np.array(table).reshape(len(matched), -1))
            groups.append(KernelGroup(matched, template.formulas(data), symbols, values, of))
    return groups + unmatched


def _constants(table: np.ndarray) -> tuple[list[Expression], list[Symbol], np.ndarray]:
    """Expressions for the numbers of instances, shape (instances, numbers), the symbols in them, and the symbols' values.

    A number that is equal in all instances stands for itself. Numbers that are equal in each instance share a symbol.
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


class _Forms:
    """The affine form of each formula of a group, and the constants in it of all elements, shape (elements, constants)."""

    def __init__(self, group: KernelGroup, features: BodyFeatures, where: Mapping[str, tuple[int, int]]) -> None:
        one = group.members[0]
        built = FormBuilder(features, where, (*one.blocks, *one.own), group.symbols).forms(group.formulas)
        self.forms: dict[Expression, AffineForm] = {e: built[e] for e in group.formulas}
        self.constants: dict[Expression, np.ndarray] = {}
        each = {e: list(form.constants) for e, form in self.forms.items()}
        if group.symbols:
            every = Evaluator(expressions([c for some in each.values() for c in some]), group.symbols)(group.values)
            ends = np.cumsum([len(some) for some in each.values()])[:-1]
            self.constants = dict(zip(each, np.split(every, ends, axis=1), strict=True))
        else:
            self.constants = {e: np.tile(some, (len(group.members), 1)) for e, some in each.items()}  # type: ignore[arg-type]


def _equal_forms(pieces: Iterable[tuple[_Forms, KernelGroup]]) -> list[KernelGroup]:
    """Groups, or pieces of them, merged where their forms have equal signatures."""
    found: dict[Any, list[tuple[_Forms, KernelGroup]]] = defaultdict(list)
    for of, piece in pieces:
        found[(piece.key, *[of.forms[e].signature for e in piece.formulas])].append((of, piece))
    groups = []
    for each in found.values():
        of, first = each[0]
        tables = [np.concatenate([forms.constants[e] for e in piece.formulas], axis=1) for forms, piece in each]
        numbers, symbols, values = _constants(np.concatenate(tables))
        given, members = iter(numbers), [element for _, piece in each for element in piece.members]
        formulas = [of.forms[e].formula(given) for e in first.formulas]
        groups.append(KernelGroup(members, formulas, symbols, values, first.key))
    return groups


def _cheapest(
    groups: list[KernelGroup], forms: Sequence[_Forms], split: Callable[..., Iterable[KernelGroup]]
) -> list[KernelGroup]:
    """The groups of equal templates, or those of equal forms, whole or row by row, if these are far cheaper."""
    both = list(zip(forms, groups, strict=True))
    merged = [
        _equal_forms((of, piece) for of, group in both for piece in split(group, whole=whole))
        for whole in (True, False)
    ]
    costs = [sum(group.cost for group in some) for some in merged]
    limit = min(costs) / CHEAPER
    exceeds = any(cost > limit for cost in accumulate(group.cost for group in groups))  # sums only as far as it must
    return merged[int(np.argmin(costs))] if exceeds else groups
