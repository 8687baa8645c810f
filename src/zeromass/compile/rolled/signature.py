"""The structure of formulas, whatever their symbols are called and their numbers are.

    (d·d − 0.25)/2 of one rod and (d·d − 0.36)/2 of another

have equal structure: a coordinate is known by its block among those of the formulas, its place there and the order of its
rate; a number that is no small one is a place in a list. Operands of sums and products are put in an order of their own,
as that in which they were built may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zeromass.expression import Expression, Symbol
from zeromass.expression.node import Gridded, ordered, symbol
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.substitute import renewed

PLAIN = frozenset({0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, 4.0})
"""Numbers that belong to the structure: they come from derivatives, rotations and squares."""

_NUMBER, _GRID = 999, 998
"""Beside the codes of the operations."""

_ANY = -1
"""In the place of an operand: any number that is no small one."""

SOME = 4
"""Formulas that others are compared with, at most."""

COMMUTE = frozenset({"add", "multiply"})


class Signature(NamedTuple):
    """Equal of formulas that differ in symbols and numbers alone.

    code     what they are built like
    numbers  in the order of the code
    """

    code: tuple[Any, ...]
    numbers: tuple[float, ...]


def signature(roots: Sequence[Expression], where: Mapping[str, tuple[int, int]], blocks: Sequence[int]) -> Signature:
    """Of formulas of the coordinates in some blocks; `where` tells the block and the place of a symbol by its token.

    Time and parameters are in a block that is not listed, of a negative number.
    """
    local = {b: k for k, b in enumerate(blocks)}
    key, operands = _keys(roots, where, local)
    code: list[Any] = []
    found: list[float] = []
    place: dict[Expression, int] = {}
    for node in _after_operands(roots, operands):
        args = operands[node]
        if args:
            inner: list[Any] = []
            for a in args:
                if _lifted(a):
                    found.append(float(a.value))  # type: ignore[arg-type]
                    inner.append("c")
                else:
                    inner.append(place[a])
            code.append((node.op if not isinstance(node, Gridded) else key[node], *inner))
        else:
            code.append(key[node])
        place[node] = len(place)
    found += _constants(roots)
    return Signature((*code, *["c" if _lifted(root) else place[root] for root in roots]), tuple(found))


class Likeness:
    """Formulas that others are compared with, node by node: what is built alike needs no signature of its own.

    Symbols must stand in the same places of their blocks, small numbers must be equal, and what is one node in one must be
    one in the other. Formulas of equal structure whose operands stand in another order are not recognized here.
    """

    def __init__(
        self,
        roots: Sequence[Expression],
        where: Mapping[str, tuple[int, int]],
        blocks: Sequence[int],
        code: tuple[Any, ...],
    ) -> None:
        self.code: tuple[Any, ...] = code
        self._where = where
        local = {b: k for k, b in enumerate(blocks)}
        _, operands = _keys(roots, where, local)
        told = set(roots)
        nodes = [node for node in reversed(ordered(roots)) if not _lifted(node) or node in told]  # operands last
        place = {node: k for k, node in enumerate(nodes)}
        self._roots: list[int] = [place[root] for root in roots]
        self._steps: list[tuple[str, int, tuple[int, ...]]] = [
            (node.op, place[node], tuple(place.get(a, _ANY) for a in node.args)) for node in nodes if node.args
        ]
        self._plain: list[tuple[int, Expression]] = [(place[node], node) for node in nodes if node.value is not None]
        self._symbols: list[tuple[int, tuple[int, int, int]]] = [
            (place[node], _placed(node, where, local)) for node in nodes if isinstance(node, Symbol)
        ]
        self._numbers: list[tuple[int, int]] = []
        for node in _after_operands(roots, operands):
            order = range(len(node.args)) if operands[node] is node.args else range(len(node.args))[::-1]
            self._numbers += [(place[node], i) for i in order if _lifted(node.args[i])]

    def numbers(self, roots: Sequence[Expression], blocks: Sequence[int]) -> tuple[float, ...] | None:
        """Those of the signature of formulas that are alike; None of others."""
        if len(roots) != len(self._roots):
            return None
        there: list[Any] = [None] * (len(self._steps) + len(self._plain) + len(self._symbols))
        for k, root in zip(self._roots, roots, strict=True):
            if there[k] is not None and there[k] is not root:
                return None
            there[k] = root
        for op, k, inner in self._steps:
            node = there[k]
            if node.op != op:
                return None
            for c, a in zip(inner, node.args, strict=True):
                if c == _ANY:
                    if not _lifted(a):
                        return None
                elif there[c] is None:
                    there[c] = a
                elif there[c] is not a:
                    return None
        local = {b: k for k, b in enumerate(blocks)}
        same = (
            all(there[k] is number for k, number in self._plain)
            and all(isinstance(there[k], Symbol) for k, _ in self._symbols)
            and all(_placed(there[k], self._where, local) == known for k, known in self._symbols)
            and len(set(there)) == len(there)
        )
        if not same:
            return None
        return (*[there[k].args[i].value for k, i in self._numbers], *_constants(roots))


def alike(
    formulas: Iterable[tuple[Any, Sequence[Expression], Sequence[int]]], where: Mapping[str, tuple[int, int]]
) -> Iterator[Signature]:
    """The signatures of some formulas, each with what else must be equal of them and with its blocks."""
    known: dict[Any, list[Likeness]] = {}
    for told, roots, blocks in formulas:
        some = known.setdefault(told, [])
        for likeness in some:
            numbers = likeness.numbers(roots, blocks)
            if numbers is not None:
                yield Signature(likeness.code, numbers)
                break
        else:
            found = signature(roots, where, blocks)
            if len(some) < SOME and not any(isinstance(node, Gridded) for node in ordered(roots)):
                some.append(Likeness(roots, where, blocks, found.code))
            yield found


def _placed(leaf: Symbol, where: Mapping[str, tuple[int, int]], local: Mapping[int, int]) -> tuple[int, int, int]:
    """The block of a symbol among those of the formulas, its place there, and the order of its rate."""
    block, place = where[leaf.token]
    return local.get(block, block), place, leaf.order


def lifted(
    roots: Sequence[Expression],
    varying: Mapping[int, Symbol],
    where: Mapping[str, tuple[int, int]],
    blocks: Sequence[int],
) -> list[Expression]:
    """The formulas with numbers, by their places in the signature's list, replaced by symbols."""
    local = {b: k for k, b in enumerate(blocks)}
    _, operands = _keys(roots, where, local)
    new: dict[Expression, Expression] = {}
    count = 0
    for node in _after_operands(roots, operands):
        args = operands[node]
        if not args:
            new[node] = node
            continue
        replaced: list[Expression] = []
        for a in args:
            if _lifted(a):
                replaced.append(varying.get(count, a))
                count += 1
            else:
                replaced.append(new[a])
        changed = any(x is not a for x, a in zip(replaced, args, strict=True))
        new[node] = renewed(node, replaced) if changed else node
    places = iter(range(count, count + len(roots)))
    return [varying.get(next(places), root) if _lifted(root) else new[root] for root in roots]


def _after_operands(
    roots: Sequence[Expression], operands: Mapping[Expression, tuple[Expression, ...]]
) -> Iterator[Expression]:
    """Each node under some formulas once, after its operands, without numbers that differ between instances."""
    seen: set[Expression] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        waiting = [a for a in operands[node] if a not in seen and not _lifted(a)] if node not in seen else []
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if node not in seen:
            seen.add(node)
            yield node


def _constants(roots: Sequence[Expression]) -> list[float]:
    """Formulas that are nothing but numbers: they come last in the list of these."""
    return [float(root.value) for root in roots if _lifted(root)]  # type: ignore[arg-type]


def _lifted(e: Expression) -> bool:
    return e.value is not None and e.value not in PLAIN


def _keys(
    roots: Sequence[Expression], where: Mapping[str, tuple[int, int]], local: Mapping[int, int]
) -> tuple[dict[Expression, Any], dict[Expression, tuple[Expression, ...]]]:
    """A key of the structure under each node, and its operands in the order of their keys where that is free."""
    key: dict[Expression, Any] = {}
    operands: dict[Expression, tuple[Expression, ...]] = {}
    for node in ordered(roots):
        args = node.args
        if args:
            if node.op in COMMUTE and key[args[0]] > key[args[1]]:
                args = args[::-1]
            told = (_GRID, hash(node.grid), *node.orders) if isinstance(node, Gridded) else (OPERATIONS[node.op].code,)
            key[node] = hash((*told, *[key[a] for a in args]))
        elif node.value is not None:
            key[node] = hash((_NUMBER, node.value)) if node.value in PLAIN else _NUMBER
        else:
            assert isinstance(node, Symbol)
            key[node] = hash(_placed(node, where, local))
        operands[node] = args
    return key, operands


def fresh(name: str, default: float) -> Symbol:
    """A symbol for a number that differs from one instance of a kind to the next."""
    return symbol(name, "parameter", default=default)
