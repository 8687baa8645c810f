"""Data of a scenario without what is wrong with them, so that the rest can be read, and its errors told with theirs.

A misspelt key is taken for the one that was meant, a wrong item of a list or table is exchanged for another, and a key that
can not be used is left out, or something else put there where it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from zeromass.errors import nearest
from zeromass.scenario.kinds import Choice, Either, Flag, Kind, Numbers, Problem, Whole, Words
from zeromass.scenario.source import Key
from zeromass.scenario.tables import Items, Kinds, Named, Table, spelled

LOST = object()
"""Data of which nothing can be used."""

MOST_CHANGES = 24
"""Of the keys of one table, until its rule is content."""


@dataclass
class Changes:
    """What was done to data.

    replaced  keys with something else in them
    meant     misspelt keys, by those that were meant
    broken    rules between keys that are broken where no key of the table was replaced
    """

    replaced: set[Key] = field(default_factory=set)
    meant: dict[Key, Key] = field(default_factory=dict)
    broken: list[Problem] = field(default_factory=list)


@singledispatch
def mended(kind: Kind, given: Any, key: Key, changes: Changes) -> Any:
    """Data like those given, without problems, or LOST."""
    return LOST if any(kind.problems(given, key)) else given


def _kept(kind: Kind, given: Any, key: Key, changes: Changes) -> Any:
    """Data without problems, whatever is given."""
    new = mended(kind, given, key, changes)
    if new is LOST:
        changes.replaced.add(key)
        return instead(kind)
    return new


@mended.register
def _(kind: Numbers, given: Any, key: Key, changes: Changes) -> Any:
    if not any(kind.problems(given, key)):
        return given
    shapes = [shape for shape in kind.shapes if shape]
    if not (isinstance(given, list) and shapes):
        return LOST
    nested = bool(given) and isinstance(given[0], list)
    first, *rest = min(shapes, key=lambda shape: (bool(shape[1:]) is not nested, not _near(shape[0], len(given))))
    one = Numbers(kind.of, (tuple(rest),))
    lengths = first if isinstance(first, range) else range(first, first + 1)
    if len(given) not in lengths:
        changes.replaced.add(key)
    items = [_kept(one, item, (*key, i), changes) for i, item in enumerate(given[: lengths[-1]])]
    return items + [instead(one)] * (lengths[0] - len(items))


def _near(length: int | range, there: int) -> bool:
    return there in length if isinstance(length, range) else there == length


@mended.register
def _(kind: Either, given: Any, key: Key, changes: Changes) -> Any:
    like = [one for one in kind.kinds if type(given) in one.looks()]
    return mended(like[0], given, key, changes) if like else LOST


@mended.register
def _(kind: Items, given: Any, key: Key, changes: Changes) -> Any:
    if isinstance(given, list):
        return [_kept(kind.item, item, (*key, i), changes) for i, item in enumerate(given)]
    if any(kind.item.problems(given, key)):
        return LOST
    changes.replaced.add(key)
    return [given]


@mended.register
def _(kind: Named, given: Any, key: Key, changes: Changes) -> Any:
    if not isinstance(given, dict):
        return LOST
    good = [name for name in given if not any(kind.name.problems(name, key))]
    return {name: _kept(kind.item, given[name], (*key, name), changes) for name in good}


@mended.register
def _(kind: Table, given: Any, key: Key, changes: Changes) -> Any:
    if not isinstance(given, dict):
        return LOST
    data: dict[str, Any] = {name: given[name] for name in kind.beside if name in given}
    written = _meant(kind, given)
    changes.meant.update({(*key, name): (*key, there) for name, there in written.items() if name != there})
    for name, argument in kind.arguments.items():
        if name in written:
            new = mended(argument.kind, given[written[name]], (*key, name), changes)
            if new is not LOST:
                data[name] = new
                continue
            changes.replaced.add((*key, name))
        if argument.required:
            data[name] = _needed(kind, name)
            changes.replaced.add((*key, name))
    return _by_rule(kind, data, key, changes)


def _meant(kind: Table, given: Mapping[str, Any]) -> dict[str, str]:
    """{argument: the key that stands for it}, spelt right or not."""
    found = {name: name for name in given if name in kind.arguments}
    for name in given:
        hint = nearest(name, [*kind.beside, *kind.arguments]).partition("'")[2].rpartition("'")[0]
        if name not in (*kind.arguments, *kind.beside) and hint in kind.arguments:
            found.setdefault(hint, name)
    return found


def _by_rule(kind: Table, data: dict[str, Any], key: Key, changes: Changes) -> Any:
    """Data that keep the rule between keys: without the key that it blames, or with it where it is missing."""
    if not any(one[: len(key)] == key for one in changes.replaced):
        changes.broken += [((*key, *place), message) for place, message in kind.rule(data)]
    for _ in range(MOST_CHANGES):
        place = next((place for place, _ in kind.rule(data)), None)
        if place is None:
            return data
        more = {**data, **kind.instead}
        if not place and not any(kind.rule(more)):
            changes.replaced.update((*key, name) for name in kind.instead)
            return more
        changes.replaced.add((*key, *place))
        if not place:
            return instead(kind) if kind.instead else LOST
        name = str(place[0])
        if not _removed(data, place) or (name not in data and kind.arguments[name].required):
            data[name] = _needed(kind, name)
    return LOST


def _needed(kind: Table, name: str) -> Any:
    """Something for a key that a table can not do without."""
    return kind.instead[name] if name in kind.instead else instead(kind.arguments[name].kind)


def _removed(data: Any, place: Key) -> bool:
    """Whether there was something at a key, which is no longer there."""
    *way, last = place
    for step in way:
        data = data[step]
    there = last in data if isinstance(data, dict) else True
    if there:
        del data[last]
    return there


@mended.register
def _(kind: Kinds, given: Any, key: Key, changes: Changes) -> Any:
    name = likely(kind, given) if isinstance(given, dict) else None
    if name is None:
        return LOST
    said = str(given.get("kind", kind.default))
    if not _same(said, name):
        changes.replaced.add((*key, "kind"))
    if spelled(said) != name:
        changes = replace(changes, broken=[])  # a rule of another kind is not told
    new = mended(kind.tables()[name], {k: value for k, value in given.items() if k != "kind"}, key, changes)
    return LOST if new is LOST else {"kind": name, **new}


def _same(said: str, name: str) -> bool:
    """Whether a name is that of a kind, or a misspelling of it."""
    return spelled(said) == name or f"'{name}'" in nearest(spelled(said), [name])


def likely(kind: Kinds, given: Mapping[str, Any]) -> str | None:
    """The kind of a table that says none, or one that there is not: the nearest name, or most of its keys."""
    tables = kind.tables()
    said = spelled(str(given.get("kind", kind.default)))
    near = said if said in tables else nearest(said, tables).partition("'")[2].rpartition("'")[0]
    if near in tables:
        return near
    shared = {name: len(table.arguments.keys() & given.keys()) for name, table in tables.items()}
    best = max(shared, key=lambda name: shared[name])
    return best if shared[best] else None


@singledispatch
def instead(kind: Kind) -> Any:
    """Data of a kind without problems, whatever they mean."""
    raise TypeError(f"nothing is known to stand for a {type(kind).__name__}")


@instead.register
def _(kind: Numbers) -> Any:
    return _ones(kind.shapes[0])


def _ones(shape: tuple[int | range, ...]) -> Any:
    if not shape:
        return 1.0
    length = shape[0] if isinstance(shape[0], int) else shape[0][0]
    return [_ones(shape[1:]) for _ in range(length)]


@instead.register
def _(kind: Words) -> Any:
    return "unnamed"[: kind.longest]


@instead.register
def _(kind: Flag) -> Any:
    return False


@instead.register
def _(kind: Whole) -> Any:
    return kind.least


@instead.register
def _(kind: Choice) -> Any:
    return kind.options[0]


@instead.register
def _(kind: Either) -> Any:
    return instead(kind.kinds[0])


@instead.register
def _(kind: Items) -> Any:
    return [instead(kind.item)]


@instead.register
def _(kind: Named) -> Any:
    return {}


@instead.register
def _(kind: Table) -> Any:
    needed = {name: instead(argument.kind) for name, argument in kind.arguments.items() if argument.required}
    return {**needed, **kind.instead}


@instead.register
def _(kind: Kinds) -> Any:
    tables = kind.tables()
    name = kind.default or next(iter(tables))
    return {"kind": name, **instead(tables[name])}
